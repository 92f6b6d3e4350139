//! What a source of test cases looks like to those who run them.
//!
//! A case is made from its [`CaseId`] alone, so that any number of workers can make cases at the
//! same time, a stopped run can go on, and a finding can be made again from one line.

use crate::test_case::TestCase;
use std::fmt;

/// A source of test cases.
pub trait Suite: Send + Sync {
    /// Its name, as on the command line.
    fn name(&self) -> &str;

    /// Its categories, in the order of reports. [`CaseId::category`] counts in this order.
    fn categories(&self) -> Vec<Category>;

    /// The cases to run, lazily, always in the same order for the same selection.
    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_>;

    /// Makes one case.
    ///
    /// # Errors
    /// Why not. Of the cases that [`Suite::cases`] names only [`MakeError::Unsuitable`] ones fail.
    fn make(&self, id: CaseId) -> Result<TestCase, MakeError>;
}

/// A part of a suite whose cases are built the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Category {
    /// How its cases are built, as reports call it: `constant-assignment`.
    pub name: String,
    /// What its cases are about, often an operation: `replace`. Reports sum over groups.
    pub group: String,
    /// What the right answer is.
    pub expected: Expected,
}

/// What the right answer to the cases of a category is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Expected {
    /// They are satisfiable.
    Sat,
    /// They are not.
    Unsat,
    /// They have a known optimum.
    Optimum,
    /// It differs, or is not known.
    Open,
}

impl Expected {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Expected::Sat => "sat",
            Expected::Unsat => "unsat",
            Expected::Optimum => "optimum",
            Expected::Open => "open",
        }
    }

    /// The one of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Expected> {
        [Expected::Sat, Expected::Unsat, Expected::Optimum, Expected::Open]
            .into_iter()
            .find(|expected| expected.name() == name)
    }
}

/// Names a case within a suite and its configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CaseId {
    /// Which of [`Suite::categories`].
    pub category: u32,
    /// Which case of the category. Not every number is a case.
    pub index: u128,
}

impl fmt::Display for CaseId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.category, self.index)
    }
}

impl std::str::FromStr for CaseId {
    type Err = MakeError;

    fn from_str(text: &str) -> Result<CaseId, MakeError> {
        let parts = text.split_once('.').and_then(|(category, index)| {
            Some(CaseId { category: category.parse().ok()?, index: index.parse().ok()? })
        });
        parts.ok_or_else(|| {
            MakeError::NoSuchCase(format!("`{text}` does not name a case; expected `3.141`"))
        })
    }
}

/// Which cases of a suite to run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Only categories of these names, where any are given.
    pub categories: Vec<String>,
    /// This many cases, drawn uniformly over all, without repetition.
    pub sample: Option<u64>,
    /// At most this many cases of each group of each category, drawn uniformly from it.
    pub each: Option<u64>,
    /// Decides what is drawn.
    pub rng: u64,
    /// Of those, every `of`-th beginning with number `index` (from zero).
    pub shard: Option<Shard>,
    /// Of those, the first so many.
    pub limit: Option<u64>,
}

/// One part of a run that is divided among machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part, from zero.
    pub index: u64,
    /// How many parts.
    pub of: u64,
}

impl Selection {
    /// Whether cases of this category are wanted.
    #[must_use]
    pub fn wants(&self, category: &Category) -> bool {
        self.categories.is_empty() || self.categories.contains(&category.name)
    }

    /// Applies shard and limit, in this order, to cases that were already chosen.
    pub fn cut<'c>(
        &self,
        cases: impl Iterator<Item = CaseId> + Send + 'c,
    ) -> Box<dyn Iterator<Item = CaseId> + Send + 'c> {
        let Shard { index, of } = self.shard.unwrap_or(Shard { index: 0, of: 1 });
        let skip = usize::try_from(index).unwrap_or(usize::MAX);
        let step = usize::try_from(of.max(1)).unwrap_or(usize::MAX);
        let limit =
            self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Box::new(cases.skip(skip).step_by(step).take(limit))
    }
}

/// Why a case cannot be made.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MakeError {
    /// The suite has no case of this name.
    #[error("{0}")]
    NoSuchCase(String),
    /// What the case would be made from does not lend itself to it. The words say why, without
    /// naming what it is made from, so that reports can count by reason.
    #[error("{0}")]
    Unsuitable(String),
    /// We failed at it.
    #[error("{0}")]
    Fault(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(selection: &Selection) -> Vec<u128> {
        let all = (0..10).map(|index| CaseId { category: 0, index });
        selection.cut(all).map(|id| id.index).collect()
    }

    #[test]
    fn shards_partition_and_limits_cut_each_shard() {
        let shard = |index| Selection { shard: Some(Shard { index, of: 3 }), ..Default::default() };
        assert_eq!(numbers(&shard(0)), [0, 3, 6, 9]);
        assert_eq!(numbers(&shard(2)), [2, 5, 8]);
        assert_eq!(numbers(&Selection { limit: Some(2), ..shard(1) }), [1, 4]);
        assert_eq!(numbers(&Selection::default()).len(), 10);
    }

    #[test]
    fn ids_read_back_as_they_print() {
        let id = CaseId { category: 3, index: u128::MAX };
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!("3".parse::<CaseId>().is_err() && "3.x".parse::<CaseId>().is_err());
    }
}

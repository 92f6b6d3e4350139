//! The interface of a source of test cases.
//!
//! A case is generated from its [`CaseId`] alone. Any number of workers can therefore generate
//! cases in parallel, an interrupted run can be resumed, and a finding can be reproduced from one
//! line.

use crate::answer::Expected;
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

    /// The round of a case: no case should be run before those of earlier rounds. By default there is
    /// one round, so that cases may be run in any order.
    fn round(&self, _id: CaseId) -> u64 {
        0
    }

    /// Generates one case.
    ///
    /// # Errors
    /// The reason. For cases that [`Suite::cases`] names, only [`MakeError::Unsuitable`] is
    /// possible.
    fn make(&self, id: CaseId) -> Result<TestCase, MakeError>;
}

/// A part of a suite whose cases are built the same way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Category {
    /// How its cases are built, as named in reports: `constant-assignment`.
    pub name: String,
    /// The topic of its cases, often an operation: `replace`. Reports sum over groups.
    pub group: String,
    /// The right answer to its cases.
    pub expected: Expected,
}

/// Identifies a case within a suite and its configuration.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CaseId {
    /// The index in [`Suite::categories`].
    pub category: u32,
    /// The number within the category. Not every number is a case.
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

/// The selection of a suite's cases.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Selection {
    /// Only categories with these names, if any are given.
    pub categories: Vec<String>,
    /// This many cases, drawn uniformly over all, without repetition.
    pub sample: Option<u64>,
    /// A limit on the cases of each group of each category, drawn uniformly from it.
    pub each: Option<u64>,
    /// The seed for sampling.
    pub rng: u64,
    /// Of those, only the first N.
    pub limit: Option<u64>,
    /// Of those, every `of`-th, starting at `index`.
    pub shard: Option<Shard>,
}

/// One part of a run that is divided among machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// The index of the part, from zero.
    pub index: u64,
    /// The number of parts.
    pub of: u64,
}

impl Shard {
    /// The whole run as a single part.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// The places of its cases among all cases, in order.
    pub fn places(self) -> impl Iterator<Item = u64> + Send {
        (0..).map_while(move |case: u64| case.checked_mul(self.of)?.checked_add(self.index))
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.index + 1, self.of)
    }
}

impl std::str::FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Shard, String> {
        let parts = text.split_once('/').and_then(|(index, of)| {
            let (index, of): (u64, u64) = (index.parse().ok()?, of.parse().ok()?);
            (1 <= index && index <= of).then(|| Shard { index: index - 1, of })
        });
        parts.ok_or_else(|| "expected part I of N with I from 1 to N, such as 2/8".to_owned())
    }
}

impl Selection {
    /// Whether cases of this category are selected.
    #[must_use]
    pub fn wants(&self, category: &Category) -> bool {
        self.categories.is_empty() || self.categories.contains(&category.name)
    }

    /// Applies limit and shard, in this order, to chosen cases: all shards together cover exactly
    /// the selection without a shard.
    pub fn cut<'c>(
        &self,
        cases: impl Iterator<Item = CaseId> + Send + 'c,
    ) -> Box<dyn Iterator<Item = CaseId> + Send + 'c> {
        let Shard { index, of } = self.shard.unwrap_or(Shard::WHOLE);
        let skip = usize::try_from(index).unwrap_or(usize::MAX);
        let step = usize::try_from(of.max(1)).unwrap_or(usize::MAX);
        let limit =
            self.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
        Box::new(cases.take(limit).skip(skip).step_by(step))
    }
}

/// Why a case cannot be generated.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum MakeError {
    /// The suite has no case with this number.
    #[error("{0}")]
    NoSuchCase(String),
    /// The input of the case is unsuitable. The words say why, without naming the input, so that
    /// reports can count by reason.
    #[error("{0}")]
    Unsuitable(String),
    /// A failure of assay itself.
    #[error("{0}")]
    Fault(Fault),
    /// No case can be generated here. The words say what is missing.
    #[error("{0}")]
    Broken(String),
}

/// A failure of assay itself in one case; others may succeed.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
#[error("{words}")]
pub struct Fault {
    /// What went wrong.
    pub words: String,
    /// Files for inspection, by name.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

impl MakeError {
    /// A failure with this description.
    #[must_use]
    pub fn fault(words: impl std::fmt::Display) -> MakeError {
        MakeError::Fault(Fault { words: words.to_string(), files: Vec::new() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(selection: &Selection) -> Vec<u128> {
        let all = (0..10).map(|index| CaseId { category: 0, index });
        selection.cut(all).map(|id| id.index).collect()
    }

    #[test]
    fn shards_partition_the_limited_selection() {
        let shard = |index| Selection { shard: Some(Shard { index, of: 3 }), ..Default::default() };
        assert_eq!(numbers(&shard(0)), [0, 3, 6, 9]);
        assert_eq!(numbers(&shard(2)), [2, 5, 8]);
        let limited = |index| Selection { limit: Some(5), ..shard(index) };
        assert_eq!(
            [0, 1, 2].map(|index| numbers(&limited(index))),
            [vec![0, 3], vec![1, 4], vec![2]]
        );
        assert_eq!(numbers(&Selection::default()).len(), 10);
    }

    #[test]
    fn shards_are_written_from_one_and_list_their_places() {
        let second = Shard { index: 1, of: 8 };
        assert_eq!("2/8".parse(), Ok(second));
        assert_eq!(second.to_string(), "2/8");
        assert_eq!(second.places().take(3).collect::<Vec<_>>(), [1, 9, 17]);
        for text in ["0/3", "4/3", "3", "a/b", "1/0", "-1/2"] {
            assert!(text.parse::<Shard>().is_err(), "{text}");
        }
    }

    #[test]
    fn ids_read_back_as_they_print() {
        let id = CaseId { category: 3, index: u128::MAX };
        assert_eq!(id.to_string().parse(), Ok(id));
        assert!("3".parse::<CaseId>().is_err() && "3.x".parse::<CaseId>().is_err());
    }
}

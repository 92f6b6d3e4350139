//! What a source of test cases looks like to those who run them.
//!
//! A case is made from its [`CaseId`] alone, so that any number of workers can make cases at the
//! same time, a stopped run can go on, and a finding can be made again from one line.

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
    /// Of those, the first so many.
    pub limit: Option<u64>,
    /// Of those, every `of`-th beginning with number `index` (from zero).
    pub shard: Option<Shard>,
}

/// One part of a run that is divided among machines.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Shard {
    /// Which part, from zero.
    pub index: u64,
    /// How many parts.
    pub of: u64,
}

impl Shard {
    /// The whole: the one part of one.
    pub const WHOLE: Shard = Shard { index: 0, of: 1 };

    /// The places of its cases among all, in order.
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
    /// Whether cases of this category are wanted.
    #[must_use]
    pub fn wants(&self, category: &Category) -> bool {
        self.categories.is_empty() || self.categories.contains(&category.name)
    }

    /// Applies limit and shard, in this order, to cases that were already chosen: the parts of a
    /// selection are together what it is without a shard.
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
    Fault(Fault),
    /// No case can be made here. The words say what is missing.
    #[error("{0}")]
    Broken(String),
}

/// A failure of ours to make one case; others may be made well.
#[derive(Clone, PartialEq, Eq, Debug, Default, thiserror::Error)]
#[error("{words}")]
pub struct Fault {
    /// What went wrong.
    pub words: String,
    /// What there is to look at, by file names.
    pub files: Vec<(&'static str, Vec<u8>)>,
}

impl MakeError {
    /// A failure of ours with these words.
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
    fn shards_partition_what_limits_leave() {
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
    fn shards_count_from_one_and_know_the_places_of_their_cases() {
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

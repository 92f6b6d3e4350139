//! Two campaigns over the same cases, side by side: what got better, what got worse, and how much
//! longer it takes.

use crate::confirm::Stability;
use crate::header::Difference;
use crate::outcome::Outcome;
use crate::rows::{Shows, Stored};
use crate::store::{Results, StoreError};
use assay_case::{CaseId, Category, FindingKind, Grade, Severity};
use std::collections::BTreeMap;
use std::time::Duration;

/// What a target made of a case, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// It said what is not true, and said it again.
    Wrong,
    /// It said what is not true if a file or another tool is right.
    DeclaredWrong,
    /// It crashed, refused the case, ran out of memory, or said what cannot be read.
    Error,
    /// It took too long.
    Timeout,
    /// It said that it does not know.
    Unknown,
    /// It gave an answer that is right, as far as it can be checked.
    Solved,
}

impl Mark {
    /// Every mark with its name, the worst first.
    pub const ALL: [(Mark, &'static str); 6] = [
        (Mark::Wrong, "wrong"),
        (Mark::DeclaredWrong, "declared"),
        (Mark::Error, "error"),
        (Mark::Timeout, "timeout"),
        (Mark::Unknown, "unknown"),
        (Mark::Solved, "solved"),
    ];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Mark::ALL[self as usize].1
    }

    /// The mark of a row; none where the case was not run, or not to the time limit, or the fault is ours.
    fn of(row: &Stored) -> Option<Mark> {
        match (row.shows, row.outcome) {
            (Shows::Contradiction | Shows::Waiting, _) | (_, Outcome::Skipped) => None,
            (Shows::Finding(kind, grade, _), _) if kind.severity() == Severity::Soundness => {
                Some(match grade {
                    Grade::Certified => Mark::Wrong,
                    Grade::Declared => Mark::DeclaredWrong,
                })
            }
            (_, Outcome::Error | Outcome::Unreadable) => Some(Mark::Error),
            (_, Outcome::Timeout) => Some(Mark::Timeout),
            (_, Outcome::Unknown) => Some(Mark::Unknown),
            (_, Outcome::Violated) => Some(Mark::Wrong),
            (
                _,
                Outcome::Sat
                | Outcome::Unsat
                | Outcome::IncorrectModel
                | Outcome::IncorrectCore
                | Outcome::Holds,
            ) => Some(Mark::Solved),
        }
    }
}

/// Why two campaigns cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// A campaign cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// They have other cases.
    #[error(
        "the campaigns have different cases: {what} is {was} in the first, {now} in the second (compare runs of the same suite with the same flags; `assay merge` joins shards)"
    )]
    Cases {
        /// Which setting differs.
        what: &'static str,
        /// In the first.
        was: String,
        /// In the second.
        now: String,
    },
    /// They have other limits.
    #[error(
        "the campaigns have different limits ({was} in the first, {now} in the second), so that timeouts mean different things (--different-limits compares them all the same)"
    )]
    Limits {
        /// In the first.
        was: String,
        /// In the second.
        now: String,
    },
}

/// How two targets, or one in two campaigns, compare.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Over all categories.
    pub all: Tally,
    /// By category, in the order of the suite; those that have cases.
    pub categories: Vec<(String, Tally)>,
    /// Cases that only the first has run.
    pub only_first: u64,
    /// Cases that only the second has run.
    pub only_second: u64,
    /// Cases whose mark changed, by their place.
    pub changes: Vec<Change>,
    /// Findings that only the second has, of cases that both have run.
    pub new: Vec<Found>,
    /// Findings that only the first has, of cases that both have run.
    pub gone: Vec<Found>,
}

/// A case that one finding is about.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Found {
    /// What it is.
    pub kind: FindingKind,
    /// How sure it is.
    pub grade: Grade,
    /// The case.
    pub id: CaseId,
    /// Category, group and number.
    pub case: String,
    /// What shows it.
    pub detail: String,
}

/// A case whose mark changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The case.
    pub id: CaseId,
    /// Category, group and number.
    pub case: String,
    /// What it was.
    pub from: Mark,
    /// What it is.
    pub to: Mark,
    /// How long it took.
    pub before: Duration,
    /// How long it takes.
    pub after: Duration,
}

/// Counts of cases that both campaigns have run.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    moves: [[u64; Mark::ALL.len()]; Mark::ALL.len()],
    /// How long they took.
    pub times: Times,
}

/// How long cases took in two campaigns.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Times {
    /// All cases, in the first.
    pub first: Duration,
    /// All cases, in the second.
    pub second: Duration,
    /// Cases that both solved, at least one of them above the noise floor.
    pub timed: u64,
    /// Cases that both solved below the noise floor, where a ratio would be a matter of chance.
    pub quick: u64,
    log_sum: f64,
}

impl Times {
    /// The geometric mean of the ratios of the second's time to the first's, over the cases that
    /// both solved and that are not below the noise floor.
    #[must_use]
    pub fn mean_ratio(&self) -> Option<f64> {
        (self.timed > 0).then(|| (self.log_sum / self.timed as f64).exp())
    }

    /// The ratio of the sums.
    #[must_use]
    pub fn total_ratio(&self) -> Option<f64> {
        (!self.first.is_zero()).then(|| self.second.as_secs_f64() / self.first.as_secs_f64())
    }

    fn add(&mut self, before: Duration, after: Duration, both_solved: bool, floor: Duration) {
        self.first += before;
        self.second += after;
        if !both_solved {
            return;
        }
        if before.max(after) < floor {
            self.quick += 1;
            return;
        }
        self.timed += 1;
        self.log_sum += ratio(before, after, floor).ln();
    }
}

/// The ratio of two times, of which none counts less than the noise floor.
fn ratio(before: Duration, after: Duration, floor: Duration) -> f64 {
    let floor = floor.max(Duration::from_micros(1));
    after.max(floor).as_secs_f64() / before.max(floor).as_secs_f64()
}

impl Tally {
    /// How many cases there are.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.moves.iter().flatten().sum()
    }

    /// How many cases went from one mark to another, or stayed.
    #[must_use]
    pub fn moved(&self, from: Mark, to: Mark) -> u64 {
        self.moves[from as usize][to as usize]
    }

    /// How many cases had this mark in the first and in the second.
    #[must_use]
    pub fn marked(&self, mark: Mark) -> (u64, u64) {
        let all = Mark::ALL.iter().map(|row| row.0);
        (
            all.clone().map(|to| self.moved(mark, to)).sum(),
            all.map(|from| self.moved(from, mark)).sum(),
        )
    }

    /// How many cases got better.
    #[must_use]
    pub fn better(&self) -> u64 {
        self.count(|from, to| to > from)
    }

    /// How many cases got worse.
    #[must_use]
    pub fn worse(&self) -> u64 {
        self.count(|from, to| to < from)
    }

    fn count(&self, wanted: impl Fn(Mark, Mark) -> bool) -> u64 {
        let all = Mark::ALL.iter().map(|row| row.0);
        let pairs = all.clone().flat_map(|from| all.clone().map(move |to| (from, to)));
        pairs.filter(|&(from, to)| wanted(from, to)).map(|(from, to)| self.moved(from, to)).sum()
    }

    fn add(
        &mut self,
        (before, from): (Duration, Mark),
        (after, to): (Duration, Mark),
        floor: Duration,
    ) {
        self.moves[from as usize][to as usize] += 1;
        let both_solved = (from, to) == (Mark::Solved, Mark::Solved);
        self.times.add(before, after, both_solved, floor);
    }
}

impl Comparison {
    /// Whether the second certainly says what is not true where the first did not.
    #[must_use]
    pub fn is_less_sound(&self) -> bool {
        self.changes.iter().any(|change| change.to == Mark::Wrong)
    }
}

/// What of two campaigns is compared, and how.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The target in the first and in the second campaign, by number.
    pub targets: (usize, usize),
    /// Times below this are noise.
    pub floor: Duration,
    /// Whether the campaigns may have different limits.
    pub different_limits: bool,
}

/// Compares a target of one campaign with a target of another.
///
/// # Errors
/// Where the campaigns are not over the same cases, or cannot be read.
pub fn compare(
    first: &Results,
    second: &Results,
    terms: &Terms,
) -> Result<Comparison, CompareError> {
    comparable(first, second, terms)?;
    let categories = first.categories()?;
    let before = marks(first, terms.targets.0)?;
    let mut after = marks(second, terms.targets.1)?;
    let mut comparison = Comparison::default();
    let mut tallies: BTreeMap<u32, Tally> = BTreeMap::new();
    for (id, was) in before {
        let Some(is) = after.remove(&id) else {
            comparison.only_first += 1;
            continue;
        };
        let sides = ((was.elapsed, was.mark), (is.elapsed, is.mark));
        comparison.all.add(sides.0, sides.1, terms.floor);
        tallies.entry(id.category).or_default().add(sides.0, sides.1, terms.floor);
        let case = case_name(&categories, id);
        if was.found.as_ref().map(|found| (found.0, found.1))
            != is.found.as_ref().map(|found| (found.0, found.1))
        {
            let found =
                |(kind, grade, detail)| Found { kind, grade, id, case: case.clone(), detail };
            comparison.gone.extend(was.found.map(found));
            comparison.new.extend(is.found.map(found));
        }
        if was.mark != is.mark {
            let (from, to) = (was.mark, is.mark);
            let (before, after) = (was.elapsed, is.elapsed);
            comparison.changes.push(Change { id, case, from, to, before, after });
        }
    }
    comparison.only_second = after.len() as u64;
    comparison.new.sort();
    comparison.gone.sort();
    comparison.categories = by_name(&categories, &tallies);
    Ok(comparison)
}

/// Whether the campaigns are over the same cases.
fn comparable(first: &Results, second: &Results, terms: &Terms) -> Result<(), CompareError> {
    let (one, two) = (first.header()?, second.header()?);
    let others = || -> Result<Option<Difference>, StoreError> {
        let words = |categories: &[Category]| format!("{categories:?}");
        let (was, now) = (words(&first.categories()?), words(&second.categories()?));
        Ok(Difference::between("the list of categories", was, now))
    };
    if let Some(Difference { what, was, now }) =
        one.other_cases(&two).map_or_else(others, |d| Ok(Some(d)))?
    {
        return Err(CompareError::Cases { what, was, now });
    }
    match one.other_limits(&two).filter(|_| !terms.different_limits) {
        Some(Difference { was, now, .. }) => Err(CompareError::Limits { was, now }),
        None => Ok(()),
    }
}

/// What a campaign says about a case.
struct Said {
    mark: Mark,
    elapsed: Duration,
    found: Option<(FindingKind, Grade, String)>,
}

fn marks(results: &Results, target: usize) -> Result<BTreeMap<CaseId, Said>, StoreError> {
    let mut marks = BTreeMap::new();
    results.each_row::<StoreError>(|row| {
        let Some(mark) = Mark::of(&row).filter(|_| row.target == target) else { return Ok(()) };
        let found = match row.shows {
            Shows::Finding(kind, grade, stability) if stability != Stability::Single => {
                Some((kind, grade, row.detail.unwrap_or_default()))
            }
            _ => None,
        };
        marks.insert(row.id, Said { mark, elapsed: row.elapsed, found });
        Ok(())
    })?;
    Ok(marks)
}

fn case_name(categories: &[Category], id: CaseId) -> String {
    match categories.get(id.category as usize) {
        Some(category) => format!("{}/{}/{}", category.name, category.group, id.index),
        None => id.to_string(),
    }
}

/// Tallies of groups summed up to categories, in the order of the suite.
fn by_name(categories: &[Category], tallies: &BTreeMap<u32, Tally>) -> Vec<(String, Tally)> {
    let mut sums: Vec<(String, Tally)> = Vec::new();
    for (&number, tally) in tallies {
        let name = categories.get(number as usize).map_or("", |category| &category.name);
        match sums.iter_mut().find(|(known, _)| known == name) {
            Some((_, sum)) => sum.join(tally),
            None => sums.push((name.to_owned(), *tally)),
        }
    }
    sums
}

impl Tally {
    fn join(&mut self, other: &Tally) {
        for (sum, count) in self.moves.iter_mut().flatten().zip(other.moves.iter().flatten()) {
            *sum += count;
        }
        let (sum, times) = (&mut self.times, &other.times);
        sum.first += times.first;
        sum.second += times.second;
        sum.timed += times.timed;
        sum.quick += times.quick;
        sum.log_sum += times.log_sum;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn names_and_numbers_agree() {
        for (position, (mark, name)) in Mark::ALL.into_iter().enumerate() {
            assert_eq!((mark as usize, mark.name()), (position, name));
        }
        assert!(Mark::Solved > Mark::Unknown && Mark::Timeout > Mark::Wrong);
    }

    #[test]
    fn ratios_below_the_floor_are_left_out_and_others_are_a_geometric_mean() {
        let mut times = Times::default();
        let floor = millis(20);
        times.add(millis(1), millis(19), true, floor);
        assert_eq!((times.quick, times.mean_ratio()), (1, None));
        times.add(millis(100), millis(400), true, floor);
        times.add(millis(400), millis(400), true, floor);
        let mean = times.mean_ratio().expect("two cases");
        assert!((mean - 2.0).abs() < 1e-9, "{mean}");
        // What rises from noise is counted from the floor on.
        assert!((ratio(millis(1), millis(40), floor) - 2.0).abs() < 1e-9);
        times.add(millis(1000), millis(5000), false, floor);
        assert_eq!(times.timed, 2, "a timeout is no time");
        assert_eq!((times.first, times.second), (millis(1501), millis(5819)));
    }

    #[test]
    fn moves_are_counted() {
        let mut tally = Tally::default();
        let at = |mark| (millis(1), mark);
        tally.add(at(Mark::Solved), at(Mark::Timeout), millis(1));
        tally.add(at(Mark::Wrong), at(Mark::Solved), millis(1));
        tally.add(at(Mark::Solved), at(Mark::Solved), millis(1));
        assert_eq!((tally.cases(), tally.better(), tally.worse()), (3, 1, 1));
        assert_eq!(tally.marked(Mark::Solved), (2, 2));
        assert_eq!(tally.marked(Mark::Timeout), (0, 1));
        let mut sum = tally;
        sum.join(&tally);
        assert_eq!((sum.cases(), sum.moved(Mark::Wrong, Mark::Solved)), (6, 2));
    }
}

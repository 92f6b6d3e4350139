//! Compares two campaigns over the same cases: what improved, what regressed, and how the times
//! changed.

use crate::confirm::Stability;
use crate::header::Difference;
use crate::outcome::Outcome;
use crate::rows::{Shows, Stored};
use crate::store::{Results, StoreError, TargetRecord};
use assay_case::{CaseId, Category, FindingKind, Grade, Severity};
use assay_target::TargetName;
use std::collections::BTreeMap;
use std::time::Duration;

/// The result of a target on a case, the worst first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Mark {
    /// A wrong answer, confirmed.
    Wrong,
    /// A wrong answer if the declared truth is right.
    DeclaredWrong,
    /// A crash, a rejected case, memory exhaustion, or an unreadable answer.
    Error,
    /// A timeout.
    Timeout,
    /// The answer unknown, or an answer that claims too little.
    Unknown,
    /// A right answer, as far as it can be checked.
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

    /// The mark of a row; `None` if the case was not run, was given up early, or assay itself failed.
    fn of(row: &Stored) -> Option<Mark> {
        match (row.shows, row.outcome) {
            (Shows::Contradiction | Shows::Waiting, _) | (_, Outcome::Skipped) => None,
            (Shows::Finding(kind, grade, _), _) if kind.severity() == Severity::Soundness => {
                Some(match grade {
                    Grade::Certified => Mark::Wrong,
                    Grade::Declared => Mark::DeclaredWrong,
                })
            }
            // A verdict that claims too little is no solution.
            (
                Shows::Finding(
                    FindingKind::ImpreciseSat
                    | FindingKind::FalseAlarm
                    | FindingKind::OverlookedError,
                    ..,
                ),
                _,
            ) => Some(Mark::Unknown),
            (_, Outcome::Error | Outcome::Rejected | Outcome::Unreadable) => Some(Mark::Error),
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
    /// They have different cases.
    #[error(
        "the campaigns have different cases: {what} is {was} in the first, {now} in the second (compare runs of the same suite with the same flags; `assay merge` joins shards)"
    )]
    Cases {
        /// Which setting differs.
        what: &'static str,
        /// Its value in the first campaign.
        was: String,
        /// Its value in the second campaign.
        now: String,
    },
    /// It is not clear which targets are compared.
    #[error("{0}")]
    Targets(String),
    /// They have different limits.
    #[error(
        "the campaigns have different limits ({was} in the first, {now} in the second), so timeouts mean different things (--different-limits compares them anyway)"
    )]
    Limits {
        /// The limits of the first campaign.
        was: String,
        /// The limits of the second campaign.
        now: String,
    },
}

/// The comparison of two targets, or of one target in two campaigns.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// The tally over all categories.
    pub all: Tally,
    /// The tallies of nonempty categories, in the order of the suite.
    pub categories: Vec<(String, Tally)>,
    /// Cases that only the first campaign ran.
    pub only_first: u64,
    /// Cases that only the second campaign ran.
    pub only_second: u64,
    /// Cases whose mark changed, in campaign order.
    pub changes: Vec<Change>,
    /// Findings that only the second campaign has, of cases that both ran.
    pub new: Vec<Found>,
    /// Findings that only the first campaign has, of cases that both ran.
    pub gone: Vec<Found>,
}

/// A finding and its case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Found {
    /// The kind of finding.
    pub kind: FindingKind,
    /// The grade of its truth.
    pub grade: Grade,
    /// The case.
    pub id: CaseId,
    /// Category, group and number.
    pub case: String,
    /// The evidence for it.
    pub detail: String,
}

/// A case whose mark changed.
#[derive(Clone, PartialEq, Debug)]
pub struct Change {
    /// The case.
    pub id: CaseId,
    /// Category, group and number.
    pub case: String,
    /// The mark in the first campaign.
    pub from: Mark,
    /// The mark in the second campaign.
    pub to: Mark,
    /// The time in the first campaign.
    pub before: Duration,
    /// The time in the second campaign.
    pub after: Duration,
}

/// Counts of cases that both campaigns ran.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Tally {
    moves: [[u64; Mark::ALL.len()]; Mark::ALL.len()],
    /// Their times.
    pub times: Times,
}

/// The times of cases in two campaigns.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Times {
    /// The total for all cases in the first campaign.
    pub first: Duration,
    /// The total for all cases in the second campaign.
    pub second: Duration,
    /// Cases solved by both, at least once above the noise floor.
    pub timed: u64,
    /// Cases solved by both below the noise floor, where ratios are noise.
    pub quick: u64,
    log_sum: f64,
}

impl Times {
    /// The geometric mean of the ratios of the second time to the first, over the cases that both
    /// solved and that are not below the noise floor.
    #[must_use]
    pub fn mean_ratio(&self) -> Option<f64> {
        (self.timed > 0).then(|| (self.log_sum / self.timed as f64).exp())
    }

    /// The ratio of the totals.
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

/// The ratio of two times, each raised to at least the noise floor.
fn ratio(before: Duration, after: Duration, floor: Duration) -> f64 {
    let floor = floor.max(Duration::from_micros(1));
    after.max(floor).as_secs_f64() / before.max(floor).as_secs_f64()
}

impl Tally {
    /// The number of cases.
    #[must_use]
    pub fn cases(&self) -> u64 {
        self.moves.iter().flatten().sum()
    }

    /// The number of cases whose mark changed from one to the other, or stayed the same.
    #[must_use]
    pub fn moved(&self, from: Mark, to: Mark) -> u64 {
        self.moves[from as usize][to as usize]
    }

    /// The number of cases with this mark in the first and in the second campaign.
    #[must_use]
    pub fn marked(&self, mark: Mark) -> (u64, u64) {
        let all = Mark::ALL.iter().map(|row| row.0);
        (
            all.clone().map(|to| self.moved(mark, to)).sum(),
            all.map(|from| self.moved(from, mark)).sum(),
        )
    }

    /// The number of improved cases.
    #[must_use]
    pub fn better(&self) -> u64 {
        self.count(|from, to| to > from)
    }

    /// The number of regressed cases.
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
    /// Whether the second campaign has certified wrong answers where the first had none.
    #[must_use]
    pub fn is_less_sound(&self) -> bool {
        self.changes.iter().any(|change| change.to == Mark::Wrong)
    }
}

/// The targets to compare, and how.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The indices of the targets in the first and in the second campaign.
    pub targets: (usize, usize),
    /// The noise floor: smaller times are not compared.
    pub floor: Duration,
    /// Whether the campaigns may have different limits.
    pub different_limits: bool,
}

/// Compares a target of one campaign with a target of another.
///
/// # Errors
/// Fails if the campaigns have different cases, or cannot be read.
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

/// Checks that the campaigns have the same cases.
fn comparable(first: &Results, second: &Results, terms: &Terms) -> Result<(), CompareError> {
    let (one, two) = (first.header()?, second.header()?);
    // A campaign that runs some cases again is compared on these.
    let differ = match one.is_again() || two.is_again() {
        true => one.other_space(&two),
        false => one.other_cases(&two),
    };
    let others = || -> Result<Option<Difference>, StoreError> {
        let words = |categories: &[Category]| format!("{categories:?}");
        let (was, now) = (words(&first.categories()?), words(&second.categories()?));
        Ok(Difference::between("the list of categories", was, now))
    };
    if let Some(Difference { what, was, now }) =
        differ.map_or_else(others, |difference| Ok(Some(difference)))?
    {
        return Err(CompareError::Cases { what, was, now });
    }
    match one.other_limits(&two).filter(|_| !terms.different_limits) {
        Some(Difference { was, now, .. }) => Err(CompareError::Limits { was, now }),
        None => Ok(()),
    }
}

/// A campaign's result for a case.
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

/// Sums the tallies of groups by category, in the order of the suite.
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

/// Which targets of two campaigns are compared, by position: the ones named, or all in order.
///
/// # Errors
/// If a name is ambiguous or unknown, or the numbers of targets differ.
pub fn pairs(
    wanted: [Option<&TargetName>; 2],
    [first, second]: [&[TargetRecord]; 2],
) -> Result<Vec<(usize, usize)>, CompareError> {
    if wanted == [None, None] {
        if first.len() != second.len() {
            return Err(CompareError::Targets(format!(
                "the first campaign has the targets {}, the second {}; choose by --target-a and \
                 --target-b",
                names(first),
                names(second)
            )));
        }
        return Ok((0..first.len()).map(|at| (at, at)).collect());
    }
    let one = choose(wanted[0], first, "--target-a")?;
    Ok(vec![(one, choose(wanted[1], second, "--target-b")?)])
}

/// The names of targets, in one line.
#[must_use]
pub fn names(targets: &[TargetRecord]) -> String {
    targets.iter().map(|target| target.name.as_str()).collect::<Vec<_>>().join(", ")
}

/// The only target that a name matches.
fn choose(
    wanted: Option<&TargetName>,
    targets: &[TargetRecord],
    flag: &str,
) -> Result<usize, CompareError> {
    let matches = |target: &TargetRecord| wanted.is_none_or(|wanted| matches(wanted, &target.name));
    let mut found = (0..targets.len()).filter(|&at| matches(&targets[at]));
    let trouble = match (found.next(), found.next()) {
        (Some(at), None) => return Ok(at),
        (Some(_), Some(_)) => " is ambiguous",
        (None, _) => ": there is no such target",
    };
    Err(CompareError::Targets(format!("{flag}{trouble}; expected one of {}", names(targets))))
}

/// Whether a name, whose version may be a prefix, matches a target.
fn matches(wanted: &TargetName, target: &str) -> bool {
    let Ok(target) = target.parse::<TargetName>() else { return false };
    let version = match (&wanted.version, &target.version) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(start), Some(full)) => full
            .strip_prefix(start.as_str())
            .is_some_and(|rest| rest.is_empty() || rest.starts_with('.')),
    };
    wanted.name == target.name && wanted.variant == target.variant && version
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
        // A time that rises above the floor is compared with the floor.
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

    #[test]
    fn targets_match_by_a_prefix_of_their_version() {
        let matches = |wanted: &str, target| super::matches(&wanted.parse().expect(wanted), target);
        assert!(matches("z3", "z3@4.8.0.0.post1"));
        assert!(matches("z3@4.8.0", "z3@4.8.0.0.post1"));
        assert!(!matches("z3@4.8.1", "z3@4.8.10.0"));
        assert!(!matches("z3@4.8", "z3@4.8.0:z3str3"), "another variant is another target");
        assert!(matches("z3@4.8:z3str3", "z3@4.8.0:z3str3"));
        assert!(!matches("cvc5", "z3@4.8.0"));
    }
}

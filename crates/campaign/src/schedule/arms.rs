//! How long a target first gets for a case, from the results of earlier cases of its category.
//!
//! An arm is a category on a target. Its slice is the time after which waiting longer costs more
//! than the answers are worth: of all limits, the one that would have spent the smallest share of
//! the time on cases without an answer. Arms with few results use those of the arms with the same
//! name, and these use those of the whole target.

use crate::novel::Novel;
use crate::outcome::Outcome;
use crate::store::{Results, StoreError};
use assay_case::{CaseId, Category};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;

/// A slice is this many times the best limit so far, because further cases may take a little
/// longer.
const MARGIN: u32 = 2;

/// The shortest slice at first. It doubles whenever a late case is answered in less time than that: then
/// the machine's load had decided.
const LEAST: Duration = Duration::from_millis(20);

/// Of an arm with fewer answers, those of its kin are used.
const ENOUGH: u32 = 8;

/// While a target has given too few answers, a slice is this part of the time limit.
const FIRST: u32 = 10;

/// The percentage of the workers' time that may go into slices without an answer.
pub(super) const VAIN: u32 = 5;

/// This part of the time limit may go into them before any time was spent.
pub(super) const ADVANCE: u32 = 5;

/// Number of cases of the kin that are added to those of an arm when its risk is estimated.
const PRIOR: f64 = 2.0;

/// Number of new features per case that add as much weight as the first finding.
const NOVELTY: f64 = 0.125;

/// The most weight that new features add.
const MOST_NOVELTY: f64 = 3.0;

/// Until a category has had this many cases, its new features count less.
const EARLY: u32 = 8;

/// The cost of a case in addition to the target's time.
const OVERHEAD: Duration = Duration::from_millis(1);

/// The times of first answers on a scale of powers of 2^(1/4), so that they take little memory, and the
/// number of cases that were given up.
#[derive(Clone, Default)]
struct Times {
    counts: BTreeMap<u8, u32>,
    answered: u32,
    unanswered: u32,
    total: Duration,
    /// The best limit, cached because it is read more often than it changes.
    limit: Option<Duration>,
}

/// The step of a time on the scale: 2^64 microseconds are on step 256.
fn step(time: Duration) -> u8 {
    let micros = time.as_micros().max(1) as f64;
    (micros.log2() * 4.0).ceil().min(255.0) as u8
}

/// The longest time of a step, in microseconds.
fn bound(step: u8) -> f64 {
    (f64::from(step) / 4.0).exp2()
}

impl Times {
    fn answered(&mut self, time: Duration) {
        *self.counts.entry(step(time)).or_default() += 1;
        self.answered += 1;
        self.total = self.total.saturating_add(time);
        self.limit = self.best();
    }

    fn unanswered(&mut self) {
        self.unanswered += 1;
        self.limit = self.best();
    }

    /// The limit, among the times of answers, with the smallest share of the time spent without an
    /// answer.
    fn best(&self) -> Option<Duration> {
        // Even if no case was given up so far, the next one may be.
        let given_up = f64::from(self.unanswered) + 0.5;
        let (mut inside, mut useful) = (0, 0.0);
        let mut best: Option<(f64, f64)> = None;
        for (&step, &count) in &self.counts {
            let limit = bound(step);
            inside += count;
            useful += f64::from(count) * (limit + OVERHEAD.as_micros() as f64);
            let vain = (given_up + f64::from(self.answered - inside)) * limit / useful;
            // Of equally good limits the longest, which gives up less.
            if best.is_none_or(|(least, _)| vain <= least) {
                best = Some((vain, limit));
            }
        }
        best.map(|(_, limit)| Duration::from_micros(limit as u64))
    }

    /// The mean time of an answer.
    fn mean(&self) -> Option<Duration> {
        (self.answered > 0).then(|| self.total / self.answered)
    }
}

/// The yield of a category: findings and time of its cases, on all targets together.
#[derive(Clone, Copy, Default)]
struct Yield {
    cases: u32,
    time: Duration,
    findings: u32,
    /// Features of statistics that no case before had.
    novel: u32,
}

/// The time that the next case of a category is expected to take.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Forecast {
    /// Time until an answer, and time apart from the targets.
    useful: Duration,
    /// Time in slices without an answer.
    pub(super) vain: Duration,
}

impl Forecast {
    /// The share of the time that is spent without an answer.
    pub(super) fn share(self) -> f64 {
        self.vain.as_secs_f64() / (self.useful + self.vain).as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

/// How long targets take, and what that yields.
pub(crate) struct Arms {
    full: Duration,
    /// The shortest slice.
    least: Duration,
    /// For each category, the first one with the same name.
    kin: Vec<u32>,
    arms: HashMap<(usize, u32), Times>,
    /// By target and the first category of the name.
    names: HashMap<(usize, u32), Times>,
    targets: HashMap<usize, Times>,
    yields: HashMap<u32, Yield>,
    /// The features that each target has shown.
    seen: HashSet<(usize, String)>,
    /// Those that the store does not hold yet.
    novel: Vec<Novel>,
}

impl Arms {
    pub(crate) fn new(full: Duration, categories: &[Category]) -> Arms {
        let mut first: HashMap<&str, u32> = HashMap::new();
        let named = (0..).zip(categories);
        let kin = named.map(|(at, category)| *first.entry(&category.name).or_insert(at)).collect();
        Arms {
            full,
            least: LEAST,
            kin,
            arms: HashMap::new(),
            names: HashMap::new(),
            targets: HashMap::new(),
            yields: HashMap::new(),
            seen: HashSet::new(),
            novel: Vec::new(),
        }
    }

    /// The times of a campaign's targets, learnt from its results.
    pub(crate) fn recorded(full: Duration, results: &Results) -> Result<Arms, StoreError> {
        let mut arms = Arms::new(full, &results.categories()?);
        results.each_row::<StoreError>(|row| {
            arms.ran(row.id.category, row.elapsed, row.shows.is_confirmed());
            match row.outcome {
                Outcome::Skipped => {}
                Outcome::Timeout => arms.unanswered(row.target, row.id.category),
                _ => arms.answered(row.target, row.id.category, row.elapsed),
            }
            Ok(())
        })?;
        for novel in results.novel()? {
            arms.remember(&novel);
        }
        Ok(arms)
    }

    /// The first category with the same name.
    fn name(&self, category: u32) -> u32 {
        usize::try_from(category).ok().and_then(|at| self.kin.get(at)).copied().unwrap_or(category)
    }

    /// The times of an arm, of its name and of its target.
    fn each(&mut self, target: usize, category: u32, mut take: impl FnMut(&mut Times)) {
        let name = self.name(category);
        take(self.arms.entry((target, category)).or_default());
        take(self.names.entry((target, name)).or_default());
        take(self.targets.entry(target).or_default());
    }

    /// Takes note of an answer to a case that was not given up.
    pub(crate) fn answered(&mut self, target: usize, category: u32, time: Duration) {
        self.each(target, category, |times| times.answered(time));
    }

    /// Takes note of the answer of a case that was given up before.
    pub(crate) fn answered_late(&mut self, target: usize, category: u32, time: Duration) {
        if time <= self.least {
            self.least = (self.least * 2).min(self.full);
        }
        self.each(target, category, |times| {
            times.unanswered = times.unanswered.saturating_sub(1);
            times.answered(time);
        });
    }

    /// Takes note of a slice that was used up without an answer.
    pub(crate) fn unanswered(&mut self, target: usize, category: u32) {
        self.each(target, category, Times::unanswered);
    }

    /// Takes note of a case that was run, and whether it is a finding.
    pub(crate) fn ran(&mut self, category: u32, time: Duration, found: bool) {
        let so_far = self.yields.entry(category).or_default();
        so_far.cases += 1;
        so_far.time += time + OVERHEAD;
        so_far.findings += u32::from(found);
    }

    /// Takes note of what a target counted for a case.
    pub(crate) fn saw(&mut self, target: usize, id: CaseId, ordinal: u64, features: Vec<String>) {
        for feature in features {
            let novel = Novel { target, feature, ordinal, category: id.category };
            if self.remember(&novel) {
                self.novel.push(novel);
            }
        }
    }

    /// Whether a feature is new.
    fn remember(&mut self, novel: &Novel) -> bool {
        let is_new = self.seen.insert((novel.target, novel.feature.clone()));
        self.yields.entry(novel.category).or_default().novel += u32::from(is_new);
        is_new
    }

    /// The new features since the last call.
    pub(crate) fn take_novel(&mut self) -> Vec<Novel> {
        std::mem::take(&mut self.novel)
    }

    /// The time of a category for its weight. Later findings count less than the first: they are
    /// often the same again. New features count by how many cases they took, so that a category whose cases
    /// have shown what they can loses that weight.
    pub(super) fn share(&self, category: u32) -> f64 {
        let Yield { time, findings, cases, novel } =
            self.yields.get(&category).copied().unwrap_or_default();
        let novelty = f64::from(novel) / (f64::from(cases.saturating_add(EARLY)) * NOVELTY);
        let weight = 1.0 + f64::from(1 + findings).log2() + novelty.min(MOST_NOVELTY);
        time.as_secs_f64() / weight
    }

    /// The mean time of a case of a category.
    pub(super) fn cost(&self, category: u32) -> Duration {
        let so_far = self.yields.get(&category).filter(|so_far| so_far.cases > 0);
        so_far.map_or(OVERHEAD, |so_far| so_far.time / so_far.cases)
    }

    /// The arm itself, its name and its target, as far as they are known.
    fn known(&self, target: usize, category: u32) -> [Option<&Times>; 3] {
        [
            self.arms.get(&(target, category)),
            self.names.get(&(target, self.name(category))),
            self.targets.get(&target),
        ]
    }

    /// How long a case of this category may first take on a target; `None` if it gets the whole limit.
    pub(crate) fn slice(&self, target: usize, category: u32) -> Option<Duration> {
        let known = self.known(target, category);
        let enough = known.into_iter().flatten().find(|times| times.answered >= ENOUGH);
        let slice = match enough.and_then(|times| times.limit) {
            Some(limit) => limit.saturating_mul(MARGIN),
            None => self.full / FIRST,
        };
        Some(slice.max(self.least)).filter(|slice| *slice < self.full)
    }

    /// The time that a case of this category is expected to take on all targets.
    pub(super) fn forecast(&self, targets: usize, category: u32) -> Forecast {
        let mut forecast = Forecast { useful: OVERHEAD, vain: Duration::ZERO };
        for target in 0..targets {
            let known = self.known(target, category);
            // Without any results, one in two cases is expected to get no answer.
            let mut risk = 0.5;
            for times in known.into_iter().rev().flatten() {
                let cases = f64::from(times.answered) + f64::from(times.unanswered);
                risk = (f64::from(times.unanswered) + PRIOR * risk) / (cases + PRIOR);
            }
            let mean = known.into_iter().flatten().find_map(Times::mean).unwrap_or_default();
            forecast.useful += mean.mul_f64(1.0 - risk);
            forecast.vain += self.slice(target, category).unwrap_or(self.full).mul_f64(risk);
        }
        forecast
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_case::Expected;

    const FULL: Duration = Duration::from_secs(5);
    const MILLI: Duration = Duration::from_millis(1);

    /// Two names with two groups each.
    fn arms() -> Arms {
        let category = |name: &str| Category {
            name: name.into(),
            group: String::new(),
            expected: Expected::Sat,
        };
        Arms::new(FULL, &["plain", "plain", "odd", "odd"].map(category))
    }

    fn millis(slice: Option<Duration>) -> u128 {
        slice.expect("a slice").as_millis()
    }

    #[test]
    fn the_best_limit_gives_up_rare_slow_answers() {
        let mut times = Times::default();
        assert_eq!(times.limit, None);
        (0..99).for_each(|_| times.answered(MILLI * 4));
        let best = |times: &Times| times.limit.expect("there are answers").as_millis();
        assert_eq!(best(&times), 4);
        times.answered(MILLI * 900);
        assert_eq!(best(&times), 4, "nothing is lost by giving up one in a hundred");
        (0..99).for_each(|_| times.answered(MILLI * 30));
        assert!((30..36).contains(&best(&times)), "half of the answers are worth the time");
        (0..2_000).for_each(|_| times.unanswered());
        assert!((30..36).contains(&best(&times)), "what hangs costs as much for each answer");
        times.answered(Duration::ZERO);
        times.answered(Duration::MAX);
    }

    #[test]
    fn slices_follow_the_arm_then_its_category_then_the_target() {
        let mut arms = arms();
        assert_eq!(arms.slice(0, 0), Some(FULL / FIRST));
        (0..ENOUGH).for_each(|_| arms.answered(0, 0, MILLI));
        assert_eq!(arms.slice(0, 0), Some(LEAST));
        assert_eq!(arms.slice(0, 2), Some(LEAST), "what is known of the target");
        assert_eq!(arms.slice(1, 0), Some(FULL / FIRST), "another target");
        (0..ENOUGH).for_each(|_| arms.answered(0, 2, MILLI * 40));
        assert!((80..100).contains(&millis(arms.slice(0, 2))));
        assert_eq!(arms.slice(0, 3), arms.slice(0, 2), "what is known of the name");
        assert_eq!(arms.slice(0, 0), Some(LEAST));
        (0..ENOUGH).for_each(|_| arms.answered(0, 3, MILLI * 3_000));
        assert_eq!(arms.slice(0, 3), None, "the whole limit");
    }

    #[test]
    fn slices_grow_where_load_cuts_cases_short() {
        let mut arms = arms();
        (0..50).for_each(|_| arms.answered(0, 0, MILLI));
        arms.answered_late(0, 0, LEAST * 3);
        assert_eq!(arms.slice(0, 0), Some(LEAST), "it was slow by itself");
        arms.answered_late(0, 0, MILLI);
        assert_eq!(arms.slice(0, 0), Some(LEAST * 2));
        (0..20).for_each(|_| arms.answered_late(0, 0, MILLI));
        assert_eq!(arms.slice(0, 0), None, "the whole limit");
    }

    #[test]
    fn forecasts_use_the_arm_once_it_has_data() {
        let mut arms = arms();
        assert!((arms.forecast(1, 0).share() - 250.0 / 251.0).abs() < 1e-9, "half of nothing");
        (0..200).for_each(|_| arms.answered(0, 0, MILLI * 9));
        let quick = arms.forecast(1, 0);
        assert!(quick.share() < 0.02, "{quick:?}");
        assert!(arms.forecast(1, 1).share() < 0.05, "kin of a quick arm");
        (0..200).for_each(|_| arms.unanswered(0, 2));
        assert!(arms.forecast(1, 2).share() > 0.9);
        assert!(arms.forecast(1, 3).share() > 0.9, "kin of a slow arm");
        assert!(arms.forecast(1, 0).share() < 0.02, "the other name is as quick as before");
        assert!(arms.forecast(2, 0).vain > FULL / FIRST / 3, "the other target is unknown");
    }

    #[test]
    fn late_answers_lower_the_forecast_of_lost_time() {
        let mut arms = arms();
        (0..20).for_each(|_| arms.unanswered(0, 0));
        let before = arms.forecast(1, 0).share();
        (0..20).for_each(|_| arms.answered_late(0, 0, MILLI * 700));
        assert!(arms.forecast(1, 0).share() < before / 2.0);
        assert!(millis(arms.slice(0, 0)) >= 1_400);
    }

    #[test]
    fn what_shows_something_new_gets_more_time_until_it_no_longer_does() {
        let mut arms = arms();
        let id = |category| CaseId { category, index: 0 };
        let some = |from: u32, to: u32| (from..to).map(|n| format!("conflicts {n}")).collect();
        [0, 1].into_iter().for_each(|category| arms.ran(category, MILLI * 9, false));
        arms.saw(0, id(0), 0, some(0, 20));
        arms.saw(0, id(1), 1, some(0, 20));
        assert_eq!(arms.take_novel().len(), 20, "the second category showed nothing new");
        assert_eq!(arms.take_novel(), []);
        assert!((arms.share(0) - arms.share(1) / 4.0).abs() < 1e-9, "the most");
        (0..2_000).for_each(|_| arms.ran(0, MILLI * 9, false));
        (0..2_000).for_each(|_| arms.ran(1, MILLI * 9, false));
        assert!(arms.share(0) > arms.share(1) * 0.9, "it is long ago");
        arms.saw(1, id(1), 1, some(0, 20));
        assert_eq!(arms.take_novel().len(), 20, "new for another target");
    }

    #[test]
    fn shares_depend_on_time_and_findings() {
        let mut arms = arms();
        assert!(arms.share(0) <= 0.0);
        arms.ran(0, MILLI * 9, false);
        arms.ran(1, MILLI * 19, true);
        assert!((arms.share(0) - arms.share(1)).abs() < 1e-9, "a finding doubles the weight");
        (0..2).for_each(|_| arms.ran(1, Duration::ZERO, true));
        let tripled = (arms.share(1) - 0.022 / 3.0).abs();
        assert!(tripled < 1e-9, "three findings triple it");
        assert_eq!(arms.cost(0), MILLI * 10);
    }
}

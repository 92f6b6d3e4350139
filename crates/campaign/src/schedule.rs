//! The order of cases, and how long a target may first take for each.
//!
//! A case first gets a slice: a small multiple of the median time of its arm, which is a category on a
//! target. A case that is not answered in its slice waits in the late queue for the whole time limit.
//! The late queue gets a set share of the workers' time.
//!
//! Cases are read ahead, and a part of the time is shared by categories: their next case is of the one with
//! the least time for its weight, which grows with its findings (weighted fair queueing). The rest goes to
//! cases in the suite's order, which begins with what is quick. Slices without an answer get a set share of the time, too; when that is used up, categories that
//! probably need more of it wait.
//!
//! What is decided here depends on results that the store holds, so that a resumed campaign continues
//! as it was.

use crate::confirm::Stability;
use crate::outcome::Outcome;
use crate::rows::Shows;
use crate::store::{Results, StoreError};
use assay_case::CaseId;
use std::collections::{BTreeMap, HashMap, VecDeque};
use std::time::Duration;

/// How cases are ordered.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Schedule {
    /// In the suite's order, each with the whole time limit.
    Plain,
    /// With a short slice of the time limit first.
    #[default]
    Slices,
}

impl std::str::FromStr for Schedule {
    type Err = String;

    fn from_str(text: &str) -> Result<Schedule, String> {
        match text {
            "plain" => Ok(Schedule::Plain),
            "slices" => Ok(Schedule::Slices),
            _ => Err("expected one of plain, slices".to_owned()),
        }
    }
}

/// A slice is this many times the median of its arm.
const MULTIPLE: u32 = 10;

/// The shortest slice at first. It doubles whenever a late case is answered in less time than that: then
/// the machine's load had decided.
const LEAST: Duration = Duration::from_millis(100);

/// Of an arm with fewer answers, those of its whole target are used.
const ENOUGH: u32 = 8;

/// While a target has given too few answers, a slice is this part of the time limit.
const FIRST: u32 = 10;

/// The percentage of the workers' time that may go into slices without an answer.
const VAIN: u32 = 5;

/// This part of the time limit may go into them before any time was spent.
const ADVANCE: u32 = 5;

/// No more cases than this are read ahead, so that memory stays bounded.
const WINDOW: usize = 1 << 18;

/// This many cases are read ahead at a time, so that nobody waits long for it.
const READ_AHEAD: usize = 32;

/// For so much time in the suite's order, one part is shared by categories.
const IN_ORDER: u32 = 3;

/// What a case costs beside the target's time.
const OVERHEAD: Duration = Duration::from_millis(1);

/// The times of answers on a scale of powers of 2^(1/4), so that a median takes little memory.
#[derive(Clone, Default)]
struct Times {
    counts: BTreeMap<u8, u32>,
    total: u32,
    /// A bound that at least half of the times keep. It is asked for more often than it changes.
    median: Option<Duration>,
}

impl Times {
    fn add(&mut self, time: Duration) {
        let micros = time.as_micros().max(1) as f64;
        // 2^64 microseconds are on step 256.
        let step = (micros.log2() * 4.0).ceil().min(255.0) as u8;
        *self.counts.entry(step).or_default() += 1;
        self.total += 1;
        let mut seen = 0;
        let reached = |(_, count): &(&u8, &u32)| {
            seen += u64::from(**count);
            2 * seen >= u64::from(self.total)
        };
        let step = self.counts.iter().find(reached).map(|(&step, _)| step);
        self.median = step.map(|step| Duration::from_micros((f64::from(step) / 4.0).exp2() as u64));
    }
}

/// What became of the first slices of an arm.
#[derive(Clone, Default)]
struct Arm {
    times: Times,
    answered: u32,
    in_vain: u32,
}

/// What the cases of a category gave for their time, on all targets together.
#[derive(Clone, Copy, Default)]
struct Yield {
    cases: u32,
    time: Duration,
    findings: u32,
}

/// How long targets take, and what that yields.
pub(crate) struct Arms {
    full: Duration,
    /// The shortest slice.
    least: Duration,
    arms: HashMap<(usize, u32), Arm>,
    targets: HashMap<usize, Times>,
    yields: HashMap<u32, Yield>,
}

impl Arms {
    pub(crate) fn new(full: Duration) -> Arms {
        let (arms, targets, yields) = (HashMap::new(), HashMap::new(), HashMap::new());
        Arms { full, least: LEAST, arms, targets, yields }
    }

    /// What a campaign's results say about how long its targets take.
    pub(crate) fn recorded(full: Duration, results: &Results) -> Result<Arms, StoreError> {
        let mut arms = Arms::new(full);
        results.each_row::<StoreError>(|row| {
            let found = matches!(row.shows, Shows::Finding(_, _, stability)
                if stability != Stability::Single);
            arms.ran(row.id.category, row.elapsed, found);
            match row.outcome {
                Outcome::Skipped => {}
                Outcome::Timeout => arms.in_vain(row.target, row.id.category),
                _ => arms.answered(row.target, row.id.category, row.elapsed),
            }
            Ok(())
        })?;
        Ok(arms)
    }

    /// Takes note of an answer, whether it came in a slice or later.
    pub(crate) fn answered(&mut self, target: usize, category: u32, time: Duration) {
        let arm = self.arms.entry((target, category)).or_default();
        arm.times.add(time);
        arm.answered += 1;
        self.targets.entry(target).or_default().add(time);
    }

    /// Takes note of the answer of a case that was given up before.
    pub(crate) fn answered_late(&mut self, time: Duration) {
        if time <= self.least {
            self.least = (self.least * 2).min(self.full);
        }
    }

    /// Takes note of a slice that was used up without an answer.
    pub(crate) fn in_vain(&mut self, target: usize, category: u32) {
        self.arms.entry((target, category)).or_default().in_vain += 1;
    }

    /// Takes note of a case that was run, and whether it is a finding.
    pub(crate) fn ran(&mut self, category: u32, time: Duration, found: bool) {
        let so_far = self.yields.entry(category).or_default();
        so_far.cases += 1;
        so_far.time += time + OVERHEAD;
        so_far.findings += u32::from(found);
    }

    /// The time of a category for its weight. Later findings count less than the first: they are
    /// often the same again.
    fn share(&self, category: u32) -> f64 {
        let Yield { time, findings, .. } = self.yields.get(&category).copied().unwrap_or_default();
        time.as_secs_f64() / (1.0 + f64::from(1 + findings).log2())
    }

    /// What a case of a category takes on average.
    fn cost(&self, category: u32) -> Duration {
        let so_far = self.yields.get(&category).filter(|so_far| so_far.cases > 0);
        so_far.map_or(OVERHEAD, |so_far| so_far.time / so_far.cases)
    }

    /// How long a case of this category may first take on a target; `None` if it gets the whole limit.
    pub(crate) fn slice(&self, target: usize, category: u32) -> Option<Duration> {
        let enough = |times: &&Times| times.total >= ENOUGH;
        let own = self.arms.get(&(target, category)).map(|arm| &arm.times).filter(enough);
        let times = own.or_else(|| self.targets.get(&target).filter(enough));
        let slice = match times.and_then(|times| times.median) {
            Some(median) => median.saturating_mul(MULTIPLE),
            None => self.full / FIRST,
        };
        Some(slice.max(self.least)).filter(|slice| *slice < self.full)
    }

    /// The time that a case of this category is expected to use up without an answer.
    fn risk(&self, targets: usize, category: u32) -> Duration {
        let risk = |target| {
            let (answered, in_vain) = self
                .arms
                .get(&(target, category))
                .map_or((0, 0), |arm| (arm.answered, arm.in_vain));
            let share = f64::from(in_vain + 1) / f64::from(answered + in_vain + 2);
            self.slice(target, category).unwrap_or(self.full).mul_f64(share)
        };
        (0..targets).map(risk).sum()
    }
}

/// A case that is to be run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Job {
    pub id: CaseId,
    pub ordinal: u64,
    pub turn: Turn,
}

/// Which turn of a case it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Turn {
    /// The first.
    First,
    /// It waited for the whole time limit on these targets.
    Late(Vec<usize>),
}

/// How much time there is, and for what it was used.
#[derive(Clone, Copy)]
pub(crate) struct Used {
    /// By all workers.
    pub total: Duration,
    /// For slices without an answer.
    pub in_vain: Duration,
    /// In the late queue.
    pub late: Duration,
}

/// A case of the suite with its place and its round.
pub(crate) type Numbered = (CaseId, u64, u64);

/// Which case comes next.
pub(crate) struct Agenda<'a> {
    schedule: Schedule,
    /// The percentage of the time for the late queue.
    late_share: u32,
    full: Duration,
    targets: usize,
    cases: Box<dyn Iterator<Item = Numbered> + Send + 'a>,
    /// How many cases were taken from the suite.
    pub taken: u64,
    exhausted: bool,
    /// The round of the cases that were read ahead.
    round: u64,
    /// The first case of the next round.
    beyond: Option<Numbered>,
    /// Cases that were read ahead, by category.
    ahead: BTreeMap<u32, VecDeque<(CaseId, u64)>>,
    /// How many there are.
    read: usize,
    /// About how much time cases took that were chosen in the suite's order.
    in_order: Duration,
    /// About how much cases took that were chosen by what their categories had so far.
    shared: Duration,
    late: LateQueue,
}

impl<'a> Agenda<'a> {
    pub(crate) fn new(
        (schedule, late_share): (Schedule, u32),
        full: Duration,
        targets: usize,
        cases: Box<dyn Iterator<Item = Numbered> + Send + 'a>,
    ) -> Agenda<'a> {
        Agenda {
            schedule,
            late_share,
            full,
            targets,
            cases,
            taken: 0,
            exhausted: false,
            round: 0,
            beyond: None,
            ahead: BTreeMap::new(),
            read: 0,
            in_order: Duration::ZERO,
            shared: Duration::ZERO,
            late: LateQueue::default(),
        }
    }

    /// A case waits for the whole time limit on these targets.
    pub(crate) fn wait(&mut self, id: CaseId, ordinal: u64, targets: Vec<usize>) {
        self.late.push(id, ordinal, targets);
    }

    /// Takes note of what came of a case of the late queue.
    pub(crate) fn was_late(&mut self, category: u32, answered: bool) {
        self.late.note(category, answered);
    }

    /// The next case. `open` says whether anything of a case is left to do.
    pub(crate) fn next(
        &mut self,
        arms: &Arms,
        used: Used,
        open: impl Fn(u64) -> bool,
    ) -> Option<Job> {
        let due = self.schedule == Schedule::Plain
            || used.late + self.full <= used.total * self.late_share / 100;
        if due {
            if let Some(job) = self.late.pop() {
                return Some(job);
            }
        }
        let first = |(id, ordinal)| Job { id, ordinal, turn: Turn::First };
        if self.schedule == Schedule::Plain {
            return self.fresh(&open).map(|(id, ordinal, _)| first((id, ordinal)));
        }
        self.read_ahead(&open);
        let budget = self.full / ADVANCE + used.total * VAIN / 100;
        let allowed = budget.saturating_sub(used.in_vain);
        match self.choose(arms, allowed) {
            Some(category) => self.take(category).map(first),
            None => self.late.pop(),
        }
    }

    /// The next case from the suite.
    fn fresh(&mut self, open: &impl Fn(u64) -> bool) -> Option<Numbered> {
        if let Some(beyond) = self.beyond.take() {
            return Some(beyond);
        }
        loop {
            let Some((id, ordinal, round)) = self.cases.next() else {
                self.exhausted = true;
                return None;
            };
            self.taken += 1;
            if open(ordinal) {
                return Some((id, ordinal, round));
            }
        }
    }

    /// Reads more cases of this round, or begins the next one when all of this are taken.
    fn read_ahead(&mut self, open: &impl Fn(u64) -> bool) {
        for _ in 0..READ_AHEAD.min(WINDOW.saturating_sub(self.read)) {
            let Some((id, ordinal, round)) = self.fresh(open) else { break };
            if round > self.round && self.read > 0 {
                self.beyond = Some((id, ordinal, round));
                break;
            }
            self.round = self.round.max(round);
            self.ahead.entry(id.category).or_default().push_back((id, ordinal));
            self.read += 1;
        }
    }

    /// The category whose turn it is: of those that stay within the allowed risk, the one with the least
    /// time for its weight, or the one that comes first in the suite; otherwise the one with the least
    /// risk.
    fn choose(&mut self, arms: &Arms, allowed: Duration) -> Option<u32> {
        let entry = |(&category, cases): (&u32, &VecDeque<(CaseId, u64)>)| {
            let place = cases.front().map_or(u64::MAX, |&(_, ordinal)| ordinal);
            (arms.risk(self.targets, category), place, category)
        };
        let all: Vec<(Duration, u64, u32)> = self.ahead.iter().map(entry).collect();
        let within = all.iter().filter(|(risk, ..)| *risk <= allowed);
        let by_share = self.shared * IN_ORDER < self.in_order;
        let chosen = match by_share {
            true => {
                let share = |&&(_, _, category): &&(Duration, u64, u32)| arms.share(category);
                within.min_by(|one, other| share(one).total_cmp(&share(other)))
            }
            false => within.min_by_key(|(_, place, _)| *place),
        };
        let &(.., category) = chosen.or_else(|| all.iter().min())?;
        let spent = if by_share { &mut self.shared } else { &mut self.in_order };
        *spent += arms.cost(category);
        Some(category)
    }

    /// A case of this category that was read ahead.
    fn take(&mut self, category: u32) -> Option<(CaseId, u64)> {
        let cases = self.ahead.get_mut(&category)?;
        let case = cases.pop_front();
        if cases.is_empty() {
            self.ahead.remove(&category);
        }
        self.read -= usize::from(case.is_some());
        case
    }

    /// Whether every case was run with the whole time limit.
    pub(crate) fn is_done(&mut self) -> bool {
        let left = self.beyond.is_some() || self.read > 0 || !self.late.by_category.is_empty();
        self.exhausted = self.exhausted || self.cases.next().is_none();
        self.exhausted && !left
    }
}

/// Cases that wait for the whole time limit.
#[derive(Default)]
struct LateQueue {
    by_category: BTreeMap<u32, VecDeque<Job>>,
    /// By category, how many were run and how many of them were answered.
    past: HashMap<u32, (u32, u32)>,
}

impl LateQueue {
    fn push(&mut self, id: CaseId, ordinal: u64, targets: Vec<usize>) {
        let job = Job { id, ordinal, turn: Turn::Late(targets) };
        self.by_category.entry(id.category).or_default().push_back(job);
    }

    fn note(&mut self, category: u32, answered: bool) {
        let past = self.past.entry(category).or_default();
        past.0 += 1;
        past.1 += u32::from(answered);
    }

    /// A case of the category in which most of the late ones were answered.
    fn pop(&mut self) -> Option<Job> {
        let hope = |category: &u32| {
            let (runs, answers) = self.past.get(category).copied().unwrap_or_default();
            f64::from(answers + 1) / f64::from(runs + 2)
        };
        let best = |a: &u32, b: &u32| hope(a).total_cmp(&hope(b)).then(b.cmp(a));
        let category = *self.by_category.keys().max_by(|a, b| best(a, b))?;
        let jobs = self.by_category.get_mut(&category)?;
        let job = jobs.pop_front();
        if jobs.is_empty() {
            self.by_category.remove(&category);
        }
        job
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FULL: Duration = Duration::from_secs(5);
    const MILLI: Duration = Duration::from_millis(1);

    fn id(category: u32, index: u128) -> CaseId {
        CaseId { category, index }
    }

    fn agenda(late_share: u32, categories: &[u32]) -> Agenda<'static> {
        rounds(late_share, &categories.iter().map(|&category| (category, 0)).collect::<Vec<_>>())
    }

    fn rounds(late_share: u32, cases: &[(u32, u64)]) -> Agenda<'static> {
        let numbered = |(at, &(category, round)): (u64, &(u32, u64))| -> Numbered {
            (id(category, at.into()), at, round)
        };
        let cases: Vec<Numbered> = (0..).zip(cases).map(numbered).collect();
        Agenda::new((Schedule::Slices, late_share), FULL, 1, Box::new(cases.into_iter()))
    }

    fn order(agenda: &mut Agenda<'_>, arms: &mut Arms, used: Used, time: Duration) -> Vec<u64> {
        let mut order = Vec::new();
        while let Some(job) = agenda.next(arms, used, |_| true) {
            arms.ran(job.id.category, time, false);
            order.push(job.ordinal);
        }
        assert!(agenda.is_done());
        order
    }

    fn used(total: u64, in_vain: u64, late: u64) -> Used {
        let seconds = Duration::from_secs;
        Used { total: seconds(total), in_vain: seconds(in_vain), late: seconds(late) }
    }

    #[test]
    fn medians_are_bounds_within_a_fifth() {
        let mut times = Times::default();
        assert_eq!(times.median, None);
        (1..=99).for_each(|millis| times.add(MILLI * millis));
        let median = times.median.expect("there are times");
        assert!(median >= MILLI * 50 && median <= MILLI * 60, "{median:?}");
        times.add(Duration::ZERO);
        times.add(Duration::MAX);
    }

    #[test]
    fn slices_follow_the_arm_and_then_the_target() {
        let mut arms = Arms::new(FULL);
        assert_eq!(arms.slice(0, 0), Some(FULL / FIRST));
        (0..ENOUGH).for_each(|_| arms.answered(0, 0, MILLI));
        assert_eq!(arms.slice(0, 0), Some(LEAST));
        assert_eq!(arms.slice(0, 1), Some(LEAST), "what is known of the target");
        assert_eq!(arms.slice(1, 0), Some(FULL / FIRST), "another target");
        (0..ENOUGH).for_each(|_| arms.answered(0, 1, MILLI * 20));
        let slice = arms.slice(0, 1).expect("a slice");
        assert!(slice >= MILLI * 200 && slice <= MILLI * 240, "{slice:?}");
        (0..ENOUGH).for_each(|_| arms.answered(0, 2, MILLI * 900));
        assert_eq!(arms.slice(0, 2), None, "the whole limit");
    }

    #[test]
    fn slices_grow_where_load_cuts_cases_short() {
        let mut arms = Arms::new(FULL);
        (0..ENOUGH).for_each(|_| arms.answered(0, 0, MILLI));
        arms.answered_late(LEAST * 3);
        assert_eq!(arms.slice(0, 0), Some(LEAST), "it was slow by itself");
        arms.answered_late(MILLI);
        assert_eq!(arms.slice(0, 0), Some(LEAST * 2));
        (0..20).for_each(|_| arms.answered_late(MILLI));
        assert_eq!(arms.slice(0, 0), None, "the whole limit");
    }

    #[test]
    fn risk_grows_with_slices_in_vain() {
        let mut arms = Arms::new(FULL);
        (0..98).for_each(|_| arms.answered(0, 0, MILLI));
        assert_eq!(arms.risk(1, 0), LEAST / 100);
        (0..900).for_each(|_| arms.in_vain(0, 0));
        assert!(arms.risk(1, 0) > LEAST * 4 / 5);
        assert!(arms.risk(2, 0) > FULL / FIRST / 2, "the other target is unknown");
    }

    #[test]
    fn cases_that_are_probably_slow_are_put_off_and_come_in_the_end() {
        let mut arms = Arms::new(FULL);
        (0..50).for_each(|_| arms.answered(0, 0, MILLI));
        (0..50).for_each(|_| arms.in_vain(0, 1));
        let mut agenda = agenda(15, &[1, 0, 1, 0]);
        // All of the share is used up.
        let busy = used(100, 50, 15);
        assert_eq!(order(&mut agenda, &mut arms, busy, MILLI), [1, 3, 0, 2]);
        assert_eq!(agenda.taken, 4);
    }

    #[test]
    fn a_part_of_the_time_is_shared_by_categories() {
        let spare = used(100, 0, 15);
        // One in four of cases that take equally long; the others keep their order.
        let mut agenda = self::agenda(15, &[0, 0, 0, 0, 0, 0, 1, 1]);
        let turns = order(&mut agenda, &mut Arms::new(FULL), spare, MILLI);
        assert_eq!(turns, [0, 6, 1, 2, 7, 3, 4, 5]);
    }

    #[test]
    fn shares_go_by_time_and_by_findings() {
        let mut arms = Arms::new(FULL);
        assert!(arms.share(0) <= 0.0);
        arms.ran(0, MILLI * 9, false);
        arms.ran(1, MILLI * 19, true);
        assert!((arms.share(0) - arms.share(1)).abs() < 1e-9, "a finding doubles the weight");
        (0..2).for_each(|_| arms.ran(1, Duration::ZERO, true));
        let tripled = (arms.share(1) - 0.022 / 3.0).abs();
        assert!(tripled < 1e-9, "three findings triple it");
        assert_eq!(arms.cost(0), MILLI * 10);
    }

    #[test]
    fn no_case_of_a_later_round_comes_before_one_of_an_earlier_round() {
        let mut arms = Arms::new(FULL);
        (0..50).for_each(|_| arms.in_vain(0, 1));
        let mut agenda = rounds(15, &[(1, 0), (0, 0), (0, 1), (1, 1), (0, 2)]);
        let busy = used(100, 50, 15);
        assert_eq!(order(&mut agenda, &mut arms, busy, MILLI), [1, 0, 2, 3, 4]);
        // Rounds that do not rise are one.
        let mut agenda = rounds(15, &[(0, 7), (0, 2), (0, 5), (0, 9)]);
        assert_eq!(order(&mut agenda, &mut arms, busy, MILLI), [0, 1, 2, 3]);
    }

    #[test]
    fn the_late_queue_keeps_to_its_share_until_all_else_is_done() {
        let arms = Arms::new(FULL);
        let mut agenda = agenda(10, &[0, 0]);
        agenda.wait(id(3, 7), 7, vec![0]);
        let mut next = |used| agenda.next(&arms, used, |_| true).map(|job| (job.ordinal, job.turn));
        assert_eq!(next(used(49, 0, 0)), Some((0, Turn::First)), "5 s are more than a tenth");
        assert_eq!(next(used(50, 0, 0)), Some((7, Turn::Late(vec![0]))));
        agenda.wait(id(3, 8), 8, vec![0]);
        let mut next = |used| agenda.next(&arms, used, |_| true).map(|job| job.ordinal);
        assert_eq!(next(used(60, 0, 5)), Some(1));
        assert_eq!(next(used(60, 0, 5)), Some(8), "nothing else is left");
        assert_eq!(next(used(60, 0, 5)), None);
        assert!(agenda.is_done());
    }

    #[test]
    fn the_late_queue_prefers_categories_that_were_answered() {
        let arms = Arms::new(FULL);
        let mut agenda = agenda(100, &[]);
        for (category, ordinal) in [(0, 0), (0, 1), (1, 2), (2, 3)] {
            agenda.wait(id(category, 0), ordinal, vec![0]);
        }
        agenda.was_late(0, false);
        agenda.was_late(2, true);
        let mut next = || agenda.next(&arms, used(0, 0, 0), |_| true).map(|job| job.ordinal);
        assert_eq!([next(), next(), next(), next()], [Some(3), Some(2), Some(0), Some(1)]);
    }
}

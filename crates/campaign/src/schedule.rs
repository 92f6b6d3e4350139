//! The order of cases, and how long a target may first take for each.
//!
//! A case first gets a slice: as much time as its arm, a category on a target, usually needs ([`arms`]). A
//! case that is not answered in its slice waits in the late queue for the whole time limit. The late queue
//! gets a set share of the workers' time.
//!
//! Cases are read ahead, and a part of the time is divided among categories: the next case comes
//! from the category with the least time for its weight, which grows with its findings (weighted
//! fair queueing). The rest goes to cases in the suite's order, which begins with quick ones.
//! Slices without an answer get a set share of the time, too; when that is used up, categories that
//! need a larger share of their own time wait. To bound the memory, the last cases of the largest
//! category are put back until the suite is read again.
//!
//! Decisions depend on results that the store holds, so that a resumed campaign continues as it
//! was.

mod arms;
#[cfg(test)]
mod simulated;

pub(crate) use arms::Arms;

use crate::rows::Done;
use arms::{ADVANCE, Forecast, VAIN};
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

/// No more cases than this are read ahead, so that memory stays bounded.
const WINDOW: usize = 1 << 18;

/// This many cases are read ahead at a time, so that no worker waits long for it.
const READ_AHEAD: usize = 32;

/// For so much time in the suite's order, one part is shared by categories.
const IN_ORDER: u32 = 3;

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
    pub unanswered: Duration,
    /// In the late queue.
    pub late: Duration,
}

/// A case of the suite with its place and its round.
pub(crate) type Numbered = (CaseId, u64, u64);

/// The cases of a suite in its order, as often as they are read.
pub(crate) type Source<'a> = Box<dyn Fn() -> Stream<'a> + Send + 'a>;
type Stream<'a> = Box<dyn Iterator<Item = Numbered> + Send + 'a>;

/// Which case comes next.
pub(crate) struct Agenda<'a> {
    schedule: Schedule,
    /// The percentage of the time for the late queue.
    late_share: u32,
    full: Duration,
    targets: usize,
    source: Source<'a>,
    cases: Stream<'a>,
    /// How many times the suite was read to its end.
    passes: u32,
    /// The number of cases that the suite has, as far as it was read.
    pub taken: u64,
    exhausted: bool,
    /// No more cases than this are read ahead.
    window: usize,
    /// The cases that were given to workers or are read ahead.
    handed: Done,
    /// Whether some were put back until the suite is read again.
    has_put_back: bool,
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
        source: Source<'a>,
    ) -> Agenda<'a> {
        Agenda {
            schedule,
            late_share,
            full,
            targets,
            cases: source(),
            source,
            passes: 0,
            taken: 0,
            exhausted: false,
            window: WINDOW,
            handed: Done::default(),
            has_put_back: false,
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

    /// Records whether a case of the late queue was answered.
    pub(crate) fn record_late(&mut self, category: u32, answered: bool) {
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
            || used.late + self.full <= self.late.worth(used.total * self.late_share / 100);
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
        let allowed = budget.saturating_sub(used.unanswered);
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
                if !std::mem::take(&mut self.has_put_back) {
                    self.exhausted = true;
                    return None;
                }
                self.cases = (self.source)();
                self.passes += 1;
                continue;
            };
            self.taken += u64::from(self.passes == 0);
            let is_new = self.schedule == Schedule::Plain || !self.handed.contains(ordinal);
            if is_new && open(ordinal) {
                return Some((id, ordinal, round));
            }
        }
    }

    /// Reads more cases of this round, or begins the next one when all of this are taken.
    fn read_ahead(&mut self, open: &impl Fn(u64) -> bool) {
        for _ in 0..READ_AHEAD {
            let Some((id, ordinal, round)) = self.fresh(open) else { break };
            if round > self.round && self.read > 0 {
                self.beyond = Some((id, ordinal, round));
                break;
            }
            self.round = self.round.max(round);
            self.ahead.entry(id.category).or_default().push_back((id, ordinal));
            self.handed.insert(ordinal);
            self.read += 1;
            if self.read > self.window {
                self.put_back();
            }
        }
    }

    /// Puts back the last case of the category with the most cases.
    fn put_back(&mut self) {
        let Some(cases) = self.ahead.values_mut().max_by_key(|cases| cases.len()) else { return };
        if let Some((_, ordinal)) = cases.pop_back() {
            self.handed.remove(ordinal);
            self.has_put_back = true;
            self.read -= 1;
        }
    }

    /// The category that comes next: among those that keep slices without an answer within their
    /// share of the time, the one with the least time for its weight, or the one that comes first
    /// in the suite. If all exceed their share, the one that exceeds it least.
    fn choose(&mut self, arms: &Arms, allowed: Duration) -> Option<u32> {
        struct Entry {
            forecast: Forecast,
            place: u64,
            category: u32,
        }
        let entry = |(&category, cases): (&u32, &VecDeque<(CaseId, u64)>)| {
            let place = cases.front().map_or(u64::MAX, |&(_, ordinal)| ordinal);
            Entry { forecast: arms.forecast(self.targets, category), place, category }
        };
        let all: Vec<Entry> = self.ahead.iter().map(entry).collect();
        let keeps = |entry: &&Entry| {
            entry.forecast.vain <= allowed || entry.forecast.share() * 100.0 <= f64::from(VAIN)
        };
        let within = all.iter().filter(keeps);
        let by_share = self.shared * IN_ORDER < self.in_order;
        let chosen = match by_share {
            true => within.min_by(|one, other| {
                arms.share(one.category).total_cmp(&arms.share(other.category))
            }),
            false => within.min_by_key(|entry| entry.place),
        };
        let least = || {
            let share = |entry: &Entry| entry.forecast.share();
            all.iter().min_by(|one, other| share(one).total_cmp(&share(other)))
        };
        let category = chosen.or_else(least)?.category;
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
        let waits = self.read > 0 || !self.late.by_category.is_empty();
        let left = self.beyond.is_some() || self.has_put_back || waits;
        self.exhausted = self.exhausted || !left && self.cases.next().is_none();
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

    /// The usable part of its share: half of it while fewer than half of its cases are answered.
    fn worth(&self, share: Duration) -> Duration {
        let (runs, answers) = self
            .past
            .values()
            .fold((0, 0), |(runs, answers), past| (runs + past.0, answers + past.1));
        share.mul_f64((f64::from(answers + 1) / f64::from(runs + 2)).max(0.5))
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

    fn arms() -> Arms {
        Arms::new(FULL, &[])
    }

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
        let cases = move || -> Stream<'static> { Box::new(cases.clone().into_iter()) };
        Agenda::new((Schedule::Slices, late_share), FULL, 1, Box::new(cases))
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

    fn used(total: u64, unanswered: u64, late: u64) -> Used {
        let seconds = Duration::from_secs;
        Used { total: seconds(total), unanswered: seconds(unanswered), late: seconds(late) }
    }

    #[test]
    fn probably_slow_cases_run_last() {
        let mut arms = arms();
        (0..50).for_each(|_| arms.answered(0, 0, MILLI));
        (0..50).for_each(|_| arms.unanswered(0, 1));
        let mut agenda = agenda(15, &[1, 0, 1, 0]);
        // All of the share is used up.
        let busy = used(100, 50, 15);
        assert_eq!(order(&mut agenda, &mut arms, busy, MILLI), [1, 3, 0, 2]);
        assert_eq!(agenda.taken, 4);
    }

    #[test]
    fn categories_within_the_share_run_first() {
        let mut arms = arms();
        (0..400).for_each(|_| arms.answered(0, 0, MILLI * 9));
        (0..2).for_each(|_| arms.unanswered(0, 0));
        (0..400).for_each(|_| arms.answered(0, 1, MILLI));
        (0..40).for_each(|_| arms.unanswered(0, 1));
        let mut agenda = agenda(15, &[1, 0, 1, 0]);
        // The second category risks less time with each case, but more of the time that it takes.
        assert_eq!(order(&mut agenda, &mut arms, used(100, 50, 15), MILLI), [1, 3, 0, 2]);
    }

    #[test]
    fn postponed_cases_take_bounded_memory_and_run_once() {
        let mut arms = arms();
        (0..50).for_each(|_| arms.answered(0, 0, MILLI));
        (0..50).for_each(|_| arms.unanswered(0, 1));
        // One in ten is quick, and there is room for far fewer than are slow.
        let mut agenda =
            agenda(15, &(0..1_000).map(|n| u32::from(n % 10 != 9)).collect::<Vec<_>>());
        agenda.window = 40;
        let mut most = 0;
        let mut turns = Vec::new();
        while let Some(job) = agenda.next(&arms, used(100, 50, 15), |_| true) {
            most = most.max(agenda.read);
            turns.push(job.ordinal);
        }
        assert!(agenda.is_done());
        assert!(turns[..75].iter().all(|turn| turn % 10 == 9), "quick ones come first: {turns:?}");
        assert!(most <= 40, "{most} were read ahead");
        turns.sort_unstable();
        assert_eq!(turns, (0..1_000).collect::<Vec<u64>>(), "each case once");
        assert_eq!(agenda.taken, 1_000);
    }

    #[test]
    fn categories_share_part_of_the_time_equally() {
        let spare = used(100, 0, 15);
        // One in four of cases that take equally long; the others keep their order.
        let mut agenda = self::agenda(15, &[0, 0, 0, 0, 0, 0, 1, 1]);
        let turns = order(&mut agenda, &mut arms(), spare, MILLI);
        assert_eq!(turns, [0, 6, 1, 2, 7, 3, 4, 5]);
    }

    #[test]
    fn rounds_run_in_order() {
        let mut arms = arms();
        (0..50).for_each(|_| arms.unanswered(0, 1));
        let mut agenda = rounds(15, &[(1, 0), (0, 0), (0, 1), (1, 1), (0, 2)]);
        let busy = used(100, 50, 15);
        assert_eq!(order(&mut agenda, &mut arms, busy, MILLI), [1, 0, 2, 3, 4]);
        // Rounds that do not rise are one.
        let mut agenda = rounds(15, &[(0, 7), (0, 2), (0, 5), (0, 9)]);
        assert_eq!(order(&mut agenda, &mut arms, busy, MILLI), [0, 1, 2, 3]);
    }

    #[test]
    fn the_late_queue_keeps_to_its_share_until_nothing_else_is_left() {
        let arms = arms();
        let mut agenda = agenda(10, &[0, 0]);
        agenda.wait(id(3, 7), 7, vec![0]);
        let mut next = |used| agenda.next(&arms, used, |_| true).map(|job| (job.ordinal, job.turn));
        assert_eq!(next(used(99, 0, 0)), Some((0, Turn::First)), "5 s are more than a twentieth");
        assert_eq!(next(used(100, 0, 0)), Some((7, Turn::Late(vec![0]))));
        (0..2).for_each(|_| agenda.record_late(3, true));
        agenda.wait(id(3, 8), 8, vec![0]);
        let mut next = |used| agenda.next(&arms, used, |_| true).map(|job| job.ordinal);
        assert_eq!(next(used(133, 0, 5)), Some(1), "three quarters of a tenth");
        assert_eq!(next(used(133, 0, 5)), Some(8), "nothing else is left");
        assert_eq!(next(used(133, 0, 5)), None);
        assert!(agenda.is_done());
    }

    #[test]
    fn the_late_queue_prefers_categories_that_were_answered() {
        let arms = arms();
        let mut agenda = agenda(100, &[]);
        for (category, ordinal) in [(0, 0), (0, 1), (1, 2), (2, 3)] {
            agenda.wait(id(category, 0), ordinal, vec![0]);
        }
        agenda.record_late(0, false);
        agenda.record_late(2, true);
        let mut next = || agenda.next(&arms, used(0, 0, 0), |_| true).map(|job| job.ordinal);
        assert_eq!([next(), next(), next(), next()], [Some(3), Some(2), Some(0), Some(1)]);
    }
}

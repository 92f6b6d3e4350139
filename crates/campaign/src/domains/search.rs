//! The search itself: one worker after another, until the deadline.
//!
//! Nothing is confirmed here; everything seen goes to the examiner.

use super::examine::{GRACE, Seen};
use super::symptom::Symptom;
use super::{Begun, DomainError, DomainTally, begin};
use assay_case::FindingKind;
use assay_lattice::protocol::{Plan, Reply, trace_of};
use assay_lattice::{Boundaries, Engine, Input, Shape, Trace, first_trace};
use assay_target::domain::{DomainWorker, End, Heard, Until};
use std::collections::BTreeMap;
use std::sync::atomic::Ordering;
use std::sync::mpsc::Sender;
use std::time::{Duration, Instant};

/// How long a worker searches before it accepts messages.
const SPAN: Duration = Duration::from_millis(500);

/// The same for a library that is known to hang, so that the next hang costs less.
const SHORT_SPAN: Duration = Duration::from_millis(20);

/// For a library that is known to hang: an input is given up after this multiple of the slowest
/// finished input's time, but not before this minimum time.
const SLOWER: (u32, Duration) = (20, Duration::from_millis(50));

/// The number of workers in a row that may die before trying a law; then the target is given up.
const FRUITLESS: u32 = 100;

/// The number of workers in a row that may die in the first cases; then those are skipped.
const FEW: u32 = 10;

/// The maximum number of inputs that are kept; the oldest are dropped.
const CORPUS: usize = 512;

/// The number of plans that a search alternates between.
const TURNS: usize = 3;

/// A search on one target.
pub(super) struct Search<'h> {
    worker: &'h mut DomainWorker,
    until: &'h Until<'h>,
    begun: Instant,
    /// The plan that was asked for, with the laws that apply.
    asked: Plan,
    /// The worker's current plan.
    plan: Plan,
    shape: Shape,
    tally: DomainTally,
    /// Symptoms seen so far.
    known: Vec<Symptom>,
    /// The worker's counts in its last report.
    before: Counted,
    /// The time of the slowest input.
    slowest: Duration,
    /// Workers in a row that died before trying a law.
    fruitless: u32,
    /// The number of plan changes.
    turn: usize,
    /// The number of laws tried on one pool, for each plan in turn.
    checks: [usize; TURNS],
}

/// A worker's counts.
#[derive(Default)]
struct Counted {
    tried: u64,
    checked: u64,
    laws: BTreeMap<String, u64>,
}

impl<'h> Search<'h> {
    /// Starts the first worker.
    pub(super) fn begin(
        plan: &Plan,
        worker: &'h mut DomainWorker,
        until: &'h Until<'h>,
    ) -> Result<Search<'h>, DomainError> {
        let mut plan = plan.clone();
        let mut tally = DomainTally::default();
        let begun = Instant::now();
        let mut shape = Shape::Intervals;
        if let Some(Begun { shape: its, laws, hinted }) = begin(worker, &plan, &[], until)? {
            // The laws and hints that bytes choose from are part of the meaning of an input.
            if !laws.is_empty() {
                plan.laws.clone_from(&laws);
            }
            plan.config.hinted = hinted;
            (shape, tally.laws) = (its, laws);
        }
        Ok(Search {
            worker,
            until,
            begun,
            asked: plan.clone(),
            turn: 0,
            checks: [plan.config.checks; TURNS],
            plan,
            shape,
            tally,
            known: Vec::new(),
            before: Counted::default(),
            slowest: Duration::ZERO,
            fruitless: 0,
        })
    }

    /// Searches until nothing is left to try or time runs out.
    pub(super) fn go(
        mut self,
        seen: &Sender<Seen>,
        heed: &mut dyn FnMut() -> Result<(), DomainError>,
    ) -> Result<DomainTally, DomainError> {
        let mut over = false;
        while !over && !self.until.is_over() {
            heed()?;
            let (span, patience) = self.spans();
            let left = self.until.deadline.map(|end| end.saturating_duration_since(Instant::now()));
            let span = left.map_or(span, |left| span.min(left));
            let hard = self.known.iter().filter(|known| known.is_hard());
            let retired: Vec<String> = hard.filter_map(|known| known.law.clone()).collect();
            // An input that is still running at the deadline gets some extra time: it may hang.
            let deadline = self.until.deadline.map(|deadline| deadline + GRACE);
            let until = Until { deadline, stop: self.until.stop };
            let heard = self.worker.search(span, patience, &retired, &until)?;
            let checked = self.tally.checked;
            let idle = self.replies(heard.replies, seen)?;
            over = match heard.end {
                End::Done => idle,
                End::Stopped => {
                    let asked = self.until.stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
                    self.tally.stuck = !asked;
                    true
                }
                End::Died { ref input, .. } => {
                    let fruitful = self.tally.checked > checked || self.before.checked > 0;
                    self.fruitless = if fruitful { 0 } else { self.fruitless + 1 };
                    let input = input.clone();
                    self.died(Heard { replies: Vec::new(), end: heard.end }, input, seen)?
                }
            };
        }
        self.tally.spent = self.begun.elapsed();
        Ok(self.tally)
    }

    /// How long a worker searches, and how long it may then still be busy with one input.
    fn spans(&self) -> (Duration, Duration) {
        let patience = self.worker.patience();
        if self.known.iter().any(|known| known.kind == Some(FindingKind::Timeout)) {
            let (times, least) = SLOWER;
            return (SHORT_SPAN, (self.slowest * times).max(least).min(patience));
        }
        (SPAN, patience)
    }

    /// Handles a worker's replies; true if nothing is left to try.
    fn replies(&mut self, replies: Vec<Reply>, seen: &Sender<Seen>) -> Result<bool, DomainError> {
        let tried = self.tally.tried;
        for reply in replies {
            match reply {
                Reply::Violated { ref program, ref input, .. } => {
                    if let Ok(case) = Trace::read(program) {
                        let input = input.clone();
                        if self.plan.engine == Engine::Libfuzzer {
                            self.means(input.as_ref(), program)?;
                        }
                        let heard = Heard { replies: vec![reply], end: End::Done };
                        self.see(heard, case, input, seen);
                    }
                }
                // The same bytes mean something else under another plan.
                Reply::Learnt(inputs) if self.is_as_asked() => {
                    self.tally.corpus.extend(inputs);
                    let surplus = self.tally.corpus.len().saturating_sub(CORPUS);
                    self.tally.corpus.drain(..surplus);
                }
                Reply::Progress { tried, slowest, checked, laws, .. } => {
                    let before = &self.before;
                    self.slowest = self.slowest.max(Duration::from_micros(slowest));
                    self.tally.tried += tried - before.tried;
                    self.tally.checked += checked - before.checked;
                    for (law, count) in &laws {
                        let before = before.laws.get(law).copied().unwrap_or(0);
                        *self.tally.counts.entry(law.clone()).or_default() += count - before;
                    }
                    self.before = Counted { tried, checked, laws };
                }
                Reply::Learnt(_)
                | Reply::Ready { .. }
                | Reply::Shown { .. }
                | Reply::Refused(_) => {}
            }
        }
        Ok(self.tally.tried == tried)
    }

    /// Checks that a worker built on its own takes an input for the same program.
    fn means(&self, input: Option<&Input>, program: &str) -> Result<(), DomainError> {
        let case = input.and_then(|input| trace_of(&self.plan, self.shape, input).ok());
        let slices = |case: Trace| (0..case.checks.len()).map(move |at| case.slice(at).to_string());
        if case.is_some_and(|case| slices(case).any(|slice| slice == *program)) {
            return Ok(());
        }
        Err(DomainError::OtherSources { name: self.worker.name().to_string() })
    }

    /// Passes on a symptom that was not seen before.
    fn see(&mut self, heard: Heard, case: Trace, input: Option<Input>, seen: &Sender<Seen>) {
        let Some(symptom) = Symptom::heard(&case.to_string(), &heard) else { return };
        if self.known.contains(&symptom) {
            return;
        }
        self.known.push(symptom.clone());
        let (plan, after) = (self.plan.clone(), self.begun.elapsed());
        // If the examiner has failed, its error is reported when the search ends.
        drop(seen.send(Seen { symptom, heard, case, input, plan, after }));
    }

    /// Handles a worker's death and restarts; true if enough workers have died.
    fn died(
        &mut self,
        heard: Heard,
        input: Option<Input>,
        seen: &Sender<Seen>,
    ) -> Result<bool, DomainError> {
        self.tally.deaths += 1;
        let first = input.as_ref().and_then(|input| first_trace(&input.0));
        if let Some(input) = input {
            self.tally.tried += 1;
            let case = trace_of(&self.plan, self.shape, &input);
            let case = case.expect("the worker named these laws");
            self.see(heard, case, Some(input), seen);
        }
        if self.fruitless >= FRUITLESS {
            self.tally.given_up =
                Some(format!("{FRUITLESS} workers in a row died before they had tried a law"));
            return Ok(true);
        }
        match first {
            // The remaining first cases are still to come.
            Some(number) if self.fruitless < FEW => self.plan.skipped = number + 1,
            _ => {
                self.plan.skipped = u32::MAX;
                self.change_plan();
            }
        }
        self.before = Counted::default();
        let corpus = if self.is_as_asked() { &self.tally.corpus[..] } else { &[] };
        Ok(begin(self.worker, &self.plan, corpus, self.until)?.is_none())
    }

    /// Changes the plan, since the same search would die the same way: other inputs, and shorter
    /// ones if workers die before they finish one. A guided search alternates with small constants
    /// and with no operations, because libraries that crash at all crash sooner on larger inputs.
    fn change_plan(&mut self) {
        let asked = &self.asked.config;
        let turns: [_; TURNS] = [
            (asked.operations, asked.boundaries),
            (asked.operations, Boundaries::None),
            (0, asked.boundaries),
        ];
        let turns = if self.asked.engine.is_guided() { &turns[..] } else { &turns[..1] };
        let now = self.turn % turns.len();
        if self.fruitless > 0 {
            self.checks[now] = self.checks[now].div_ceil(2);
        }
        self.turn += 1;
        let next = self.turn % turns.len();
        let config = &mut self.plan.config;
        (config.operations, config.boundaries) = turns[next];
        config.checks = self.checks[next];
        self.plan.seed = self.plan.seed.wrapping_add(1);
    }

    fn is_as_asked(&self) -> bool {
        self.plan.config == self.asked.config
    }
}

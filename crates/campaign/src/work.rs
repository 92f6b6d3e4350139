//! One worker: makes cases, runs them on its targets, and hands over the results.

use crate::confirm::{Settled, Stability, settle};
use crate::dispute::{is_contested, reconcile};
use crate::fault;
use crate::fewest::with_fewest_options;
use crate::file::FileError;
use crate::folder::{FindingRecord, write_folder};
use crate::follow::{Following, Task};
use crate::kind::handling;
use crate::novel::Novel;
use crate::outcome::Outcome;
use crate::patience::{Patience, Waited};
use crate::reduce::End;
use crate::rows::Done;
use crate::run::{Campaign, LOOK_EVERY, RunError, folder_name};
use crate::schedule::{Agenda, Arms, Job, Schedule, Turn, Used};
use crate::spent::{Clock, Spent, Use};
use crate::verdict::{Judged, Verdict};
use assay_case::{Answer, CaseId, Fault, Grade, Judgement, MakeError, TestCase, judge};
use assay_target::{ByHand, HarnessError, Mode, Ran, Run, Target};
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The number of failures of assay itself on one case after which the run gives up.
const PATIENCE: u32 = 3;

/// Why a case has no result although its target was run.
const LOST: &str = "the process that supervises the tool was killed, each time";

/// The state that all workers share.
pub(crate) struct Shared<'s, 'c> {
    pub campaign: &'s Campaign<'c>,
    /// The cases that earlier runs finished, or left in the late queue.
    pub done: Vec<Done>,
    pub patience: Patience,
    pub arms: Mutex<Arms>,
    pub agenda: Mutex<Agenda<'s>>,
    /// Where the time of this run went.
    pub clock: Clock,
    /// Where the time of earlier runs went.
    pub before: Spent,
    /// How many findings there are, and how many of them the store holds.
    pub found: AtomicU64,
    pub stored: AtomicU64,
    pub following: Mutex<Following>,
    pub deadline: Option<Instant>,
    pub failed: AtomicBool,
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl<'s> Shared<'s, '_> {
    fn is_over(&self) -> bool {
        self.campaign.stop.load(Ordering::Relaxed)
            || self.failed.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    /// Where the time went, in all runs.
    pub(crate) fn spent(&self) -> Spent {
        let mut spent = self.before;
        spent.merge(&self.clock.read());
        spent
    }

    /// What was new in statistics since the last call.
    pub(crate) fn take_novel(&self) -> Vec<Novel> {
        locked(&self.arms).take_novel()
    }

    pub(crate) fn agenda(&self) -> MutexGuard<'_, Agenda<'s>> {
        locked(&self.agenda)
    }

    /// Whether a target has something left to do with the case at this place.
    fn is_open(&self, target: usize, ordinal: u64) -> bool {
        !self.done[target].contains(ordinal)
    }

    fn next(&self) -> Option<Job> {
        let spent = self.spent();
        let used =
            Used { total: spent.total(), unanswered: spent.on(Use::Timeouts), late: spent.late() };
        let open = |ordinal| (0..self.campaign.targets).any(|target| self.is_open(target, ordinal));
        let arms = locked(&self.arms);
        self.agenda().next(&arms, used, open)
    }

    /// Works until there is nothing left to do, or the run is to end.
    pub(crate) fn work(&self, send: &SyncSender<Result<News, RunError>>) -> Result<(), RunError> {
        let mut worker = Worker {
            shared: self,
            send,
            targets: None,
            confirming: Arc::default(),
            likely: HashMap::new(),
            passed: Vec::new(),
        };
        while !self.is_over() {
            if self.follow(false) {
                continue;
            }
            let Some(job) = self.next() else {
                match self.follow(true) {
                    true => continue,
                    false => break,
                }
            };
            if worker.run_or_record_fault(&job)? == Flow::End {
                break;
            }
        }
        Ok(())
    }

    /// Works on findings, if it is time for that or if no case is left. Returns whether there was
    /// anything to do.
    fn follow(&self, no_case_is_left: bool) -> bool {
        let Some(follow) = &self.campaign.follow else { return false };
        let spent = self.spent();
        if !no_case_is_left && !follow.is_due(spent.on(Use::Reducing), spent.total()) {
            return false;
        }
        // Findings are grouped as the store has them.
        let stored = self.stored.load(Ordering::Relaxed);
        let Some(task) = locked(&self.following).next(stored, no_case_is_left) else {
            let waits = no_case_is_left && stored < self.found.load(Ordering::Relaxed);
            if waits {
                std::thread::sleep(LOOK_EVERY);
            }
            return waits;
        };
        let begun = Instant::now();
        let suite = self.campaign.suite;
        // A panic is a fault of assay, and the campaign continues.
        let worked = catch_unwind(AssertUnwindSafe(|| match &task {
            Task::Group => {
                let clusters = follow.group(suite);
                locked(&self.following).grouped(&follow.folder, &clusters);
            }
            task => {
                let end = End { at: self.deadline, stop: Some(self.campaign.stop) };
                follow.work(suite, task, end);
            }
        }));
        drop(worked);
        locked(&self.following).done(&task);
        self.clock.add(Use::Reducing, begun.elapsed());
        true
    }

    /// Makes a case, or says why targets are not given it. A fault of ours is written down.
    fn make(&self, id: CaseId, ordinal: u64) -> Result<Result<TestCase, Verdict>, RunError> {
        let fault = match self.campaign.suite.make(id) {
            Ok(case) => return Ok(Ok(case)),
            Err(MakeError::Unsuitable(reason)) => return Ok(Err(Verdict::Skipped(reason))),
            Err(MakeError::Fault(fault)) => fault,
            Err(source) => return Err(RunError::Case { id, source }),
        };
        Ok(Err(self.write_down(id, ordinal, fault)?))
    }

    fn write_down(&self, id: CaseId, ordinal: u64, fault: Fault) -> Result<Verdict, RunError> {
        let path = fault::folder(&self.campaign.findings, ordinal);
        fault::write(&path, &self.campaign.header, id, &fault)
            .map_err(|error| FileError::new(&path, error))?;
        Ok(Verdict::Fault { words: fault.words, folder: path })
    }

    /// Retries until it succeeds or the failures are clearly permanent; `None` if the run is to end.
    fn with_retries<T>(
        &self,
        mut attempt: impl FnMut() -> Result<T, HarnessError>,
    ) -> Result<Option<T>, RunError> {
        for tries in 1.. {
            if self.campaign.stop.load(Ordering::Relaxed) {
                break;
            }
            match attempt() {
                Err(_) if tries < PATIENCE => {}
                ended => return Ok(Some(ended?)),
            }
        }
        Ok(None)
    }

    /// How long a target may take for a case now.
    fn mode(&self, turn: &Turn, target: usize, category: u32) -> Mode {
        match (turn, self.campaign.header.execution.schedule) {
            (Turn::First, Schedule::Slices) => {
                locked(&self.arms).slice(target, category).map_or(Mode::Session, Mode::Slice)
            }
            _ => Mode::Session,
        }
    }
}

/// A message from a worker to the writer.
pub(crate) enum News {
    /// The result of a case on a target.
    Result(Judged),
    /// A result that replaces an earlier one: another target's answer makes it a finding.
    Revision(Judged),
}

/// Whether a worker continues.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    End,
}

/// A target, with a clock for what fresh processes take: they run findings again.
struct Clocked<'t> {
    target: Box<dyn Target + 't>,
    confirming: Arc<AtomicU64>,
}

impl Target for Clocked<'_> {
    fn name(&self) -> &str {
        self.target.name()
    }

    fn by_hand(&self, case: &TestCase) -> Option<ByHand> {
        self.target.by_hand(case)
    }

    fn options(&self, case: &TestCase) -> Vec<String> {
        self.target.options(case)
    }

    fn with_options(&self, options: &[String]) -> Option<Box<dyn Target>> {
        self.target.with_options(options)
    }

    fn prepare(&mut self, ordinal: u64) {
        self.target.prepare(ordinal);
    }

    fn sample_statistics(&mut self) {
        self.target.sample_statistics();
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let begun = Instant::now();
        let ran = self.target.run(case, mode);
        if mode == Mode::Fresh {
            add(&self.confirming, begun.elapsed());
        }
        ran
    }
}

fn add(counter: &AtomicU64, time: Duration) {
    counter.fetch_add(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX), Ordering::Relaxed);
}

/// A worker with its own targets.
struct Worker<'w, 's, 'c> {
    shared: &'w Shared<'s, 'c>,
    send: &'w SyncSender<Result<News, RunError>>,
    /// Made when the first case is there.
    targets: Option<Vec<Box<dyn Target + 'w>>>,
    /// The time that fresh processes took, in nanoseconds.
    confirming: Arc<AtomicU64>,
    /// By target, the fewest options that the last finding with options needed.
    likely: HashMap<usize, Vec<String>>,
    /// The targets whose result for the case at hand was passed on.
    passed: Vec<usize>,
}

/// A case that is run.
struct Running<'r> {
    job: &'r Job,
    case: &'r TestCase,
    /// The targets whose result counts.
    open: &'r [usize],
}

impl<'w> Worker<'w, '_, '_> {
    /// Runs a case. If assay itself panics, that is a fault of this case, and the others are run.
    fn run_or_record_fault(&mut self, job: &Job) -> Result<Flow, RunError> {
        self.passed.clear();
        let ended = catch_unwind(AssertUnwindSafe(|| self.run(job)));
        let panic = match ended {
            Ok(ended) => return ended,
            Err(panic) => panic,
        };
        // Their sessions may be in the middle of a question.
        self.targets = None;
        let words = panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("no message");
        let fault = Fault { words: format!("assay panicked: {words}"), files: Vec::new() };
        let verdict = self.shared.write_down(job.id, job.ordinal, fault)?;
        for target in self.open(job) {
            let is_new = !self.passed.contains(&target);
            let name = job.id.to_string();
            if is_new && self.pass(job, &name, target, verdict.clone()) == Flow::End {
                return Ok(Flow::End);
            }
        }
        Ok(Flow::Continue)
    }

    /// The targets whose result for a case counts.
    fn open(&self, job: &Job) -> Vec<usize> {
        let all = 0..self.shared.campaign.targets;
        match &job.turn {
            Turn::First => all.filter(|&at| self.shared.is_open(at, job.ordinal)).collect(),
            Turn::Late(targets) => targets.clone(),
        }
    }

    /// Passes the result of a case to the writer.
    fn pass(&mut self, job: &Job, case: &str, target: usize, verdict: Verdict) -> Flow {
        let (id, ordinal, case) = (job.id, job.ordinal, case.to_owned());
        self.send(News::Result(Judged { ordinal, id, case, target, verdict }))
    }

    fn send(&mut self, news: News) -> Flow {
        let (News::Result(judged) | News::Revision(judged)) = &news;
        self.passed.push(judged.target);
        let (time, found) = (judged.verdict.elapsed(), judged.verdict.is_finding());
        locked(&self.shared.arms).ran(judged.id.category, time, found);
        self.shared.found.fetch_add(u64::from(found), Ordering::Relaxed);
        match self.send.send(Ok(news)) {
            Ok(()) => Flow::Continue,
            Err(_) => Flow::End,
        }
    }

    fn run(&mut self, job: &Job) -> Result<Flow, RunError> {
        let shared = self.shared;
        let mut open = self.open(job);
        let begun = Instant::now();
        let made = shared.make(job.id, job.ordinal)?;
        shared.clock.add(Use::Making, begun.elapsed());
        let case = match made {
            Ok(case) => case,
            Err(verdict) => {
                let name = job.id.to_string();
                let mut flows = open.iter().map(|&at| self.pass(job, &name, at, verdict.clone()));
                return Ok(flows.find(|flow| *flow == Flow::End).unwrap_or(Flow::Continue));
            }
        };
        if self.targets.is_none() {
            let clocked = |target| -> Box<dyn Target + 'w> {
                Box::new(Clocked { target, confirming: Arc::clone(&self.confirming) })
            };
            let made = (shared.campaign.factory)()?;
            let mut targets: Vec<_> = made.into_iter().map(clocked).collect();
            if shared.campaign.header.execution.statistics {
                targets.iter_mut().for_each(|target| target.sample_statistics());
            }
            self.targets = Some(targets);
        }
        // If the truth is not certain, all targets are compared, even those that finished the case
        // in an earlier run.
        let certain = case.grade() == Some(Grade::Certified);
        let together = shared.campaign.targets > 1 && !certain;
        let mut willing: Vec<usize> = (0..shared.campaign.targets).collect();
        if job.turn == Turn::First {
            let mut refused = Vec::new();
            willing.retain(|&at| {
                let reason = shared.patience.refuses(at, case.origin());
                let willing = reason.is_none();
                refused.extend(reason.filter(|_| open.contains(&at)).map(|reason| (at, reason)));
                willing
            });
            for (at, reason) in refused {
                if self.pass(job, case.name(), at, Verdict::Skipped(reason)) == Flow::End {
                    return Ok(Flow::End);
                }
            }
        }
        open.retain(|target| willing.contains(target));
        let groups = match together && !open.is_empty() {
            true => vec![willing],
            false => open.iter().map(|&target| vec![target]).collect(),
        };
        let running = Running { job, case: &case, open: &open };
        let mut waiting = Vec::new();
        for group in groups {
            if self.run_group(&running, &group, &mut waiting)? == Flow::End {
                return Ok(Flow::End);
            }
        }
        if !waiting.is_empty() {
            shared.agenda().wait(job.id, job.ordinal, waiting);
        }
        Ok(Flow::Continue)
    }

    /// Runs a case on targets that are compared with each other. Those that are given up early are added
    /// to `waiting`.
    fn run_group(
        &mut self,
        running: &Running<'_>,
        group: &[usize],
        waiting: &mut Vec<usize>,
    ) -> Result<Flow, RunError> {
        let Running { job, case, open } = running;
        let shared = self.shared;
        let mut targets = self.targets.take().unwrap_or_default();
        let attempt = || self.attempt(&mut targets, group, job, case);
        let tried = match shared.with_retries(attempt) {
            Ok(Some(tried)) => tried,
            Ok(None) => return Ok(Flow::End),
            // A tool that is not in the sandbox, or on a kernel that does not scope signals,
            // may kill its keeper each time. The other cases are worth running all the same.
            Err(RunError::Harness(HarnessError::Lost { .. })) => {
                let lost = |at: &usize| (*at, Tried::Skipped(LOST.to_owned()));
                group.iter().map(lost).collect()
            }
            Err(error) => return Err(error),
        };
        let begun = Instant::now();
        let confirmed = self.confirming.load(Ordering::Relaxed);
        for (target, tried) in tried {
            let is_open = open.contains(&target);
            if is_open {
                self.blame(target, job, case, &tried);
            } else if !matches!(&tried, Tried::Settled(settled) if is_found(settled)) {
                // An earlier result stays, unless another target's answer makes it a finding.
                continue;
            }
            if matches!(tried, Tried::Waiting(_)) {
                waiting.push(target);
            }
            let verdict = self.verdict(target, targets[target].as_ref(), job, case, tried)?;
            let (id, ordinal, case) = (job.id, job.ordinal, case.name().to_owned());
            let judged = Judged { ordinal, id, case, target, verdict };
            let news = if is_open { News::Result(judged) } else { News::Revision(judged) };
            if self.send(news) == Flow::End {
                return Ok(Flow::End);
            }
        }
        self.account(begun, confirmed);
        self.targets = Some(targets);
        Ok(Flow::Continue)
    }

    /// Counts the time since then as judging, but for what fresh processes took.
    fn account(&self, begun: Instant, confirmed: u64) {
        let whole = begun.elapsed();
        let fresh = self.confirming.load(Ordering::Relaxed).saturating_sub(confirmed);
        let fresh = Duration::from_nanos(fresh);
        self.shared.clock.add(Use::Confirmation, fresh);
        self.shared.clock.add(Use::Judging, whole.saturating_sub(fresh));
    }

    /// Takes note of what a first run took, for the cases that follow.
    fn note(&self, target: usize, job: &Job, ran: &Ran) {
        let Ran::Observed(run) = ran else { return };
        let (shared, category) = (self.shared, job.id.category);
        let (answered, elapsed) = (!self.is_unanswered(job, run), run.observation.elapsed);
        match (&job.turn, answered) {
            (Turn::First, true) => locked(&shared.arms).answered(target, category, elapsed),
            (Turn::First, false) => locked(&shared.arms).unanswered(target, category),
            (Turn::Late(_), true) => {
                locked(&shared.arms).answered_late(target, category, elapsed);
            }
            (Turn::Late(_), false) => {}
        }
        if job.turn != Turn::First {
            shared.agenda().record_late(category, answered);
        }
        if !run.features.is_empty() {
            locked(&shared.arms).saw(target, job.id, job.ordinal, run.features.clone());
        }
    }

    /// Takes note of what a case took, for the seeds that it was made from.
    fn blame(&self, target: usize, job: &Job, case: &TestCase, tried: &Tried) {
        let waited = match tried {
            Tried::Settled(settled) => Waited::of(settled),
            Tried::Waiting(_) => Waited::InVain,
            Tried::Skipped(_) => return,
        };
        let patience = &self.shared.patience;
        match (&job.turn, waited) {
            (Turn::First, _) => patience.note(target, case.origin(), waited),
            (Turn::Late(_), Waited::Briefly) => patience.forgive(target, case.origin()),
            // It was blamed when it was given up.
            (Turn::Late(_), Waited::InVain) => {}
        }
    }

    /// Runs a case on some targets and compares what they say.
    fn attempt(
        &self,
        targets: &mut [Box<dyn Target + '_>],
        group: &[usize],
        job: &Job,
        case: &TestCase,
    ) -> Result<Vec<(usize, Tried)>, HarnessError> {
        let mut runs = Vec::with_capacity(group.len());
        for &at in group {
            targets[at].prepare(job.ordinal);
            let mode = self.shared.mode(&job.turn, at, job.id.category);
            runs.push((at, self.first_run(targets[at].as_mut(), case, job, mode)?));
        }
        let begun = Instant::now();
        let confirmed = self.confirming.load(Ordering::Relaxed);
        // Which target is wrong may depend on the answers of targets that were given up, so they
        // run at once.
        let is_cut = |ran: &Ran| matches!(ran, Ran::Observed(run) if self.is_cut_short(job, run));
        if runs.iter().any(|(_, ran)| is_cut(ran)) && has_contradiction(targets, case, &runs) {
            for (at, ran) in runs.iter_mut().filter(|(_, ran)| is_cut(ran)) {
                *ran = self.first_run(targets[*at].as_mut(), case, job, Mode::Session)?;
            }
        }
        let mut tried = Vec::with_capacity(runs.len());
        for (at, ran) in runs {
            self.note(at, job, &ran);
            tried.push((
                at,
                match ran {
                    Ran::Observed(run) if self.is_cut_short(job, &run) => {
                        Tried::Waiting(run.observation.elapsed)
                    }
                    Ran::Observed(run) => {
                        Tried::Settled(Box::new(settle(targets[at].as_mut(), case, case, *run)?))
                    }
                    Ran::Skipped(reason) => Tried::Skipped(reason),
                },
            ));
        }
        let settled = tried.iter_mut().filter_map(|(at, tried)| match tried {
            Tried::Settled(settled) => Some((*at, &mut **settled)),
            Tried::Waiting(_) | Tried::Skipped(_) => None,
        });
        reconcile(targets, case, &mut settled.collect::<Vec<_>>())?;
        self.account(begun, confirmed);
        Ok(tried)
    }

    /// Runs a case on a target for the first time in its turn.
    fn first_run(
        &self,
        target: &mut (dyn Target + '_),
        case: &TestCase,
        job: &Job,
        mode: Mode,
    ) -> Result<Ran, HarnessError> {
        let begun = Instant::now();
        let ran = target.run(case, mode)?;
        let timeout = matches!(&ran, Ran::Observed(run) if self.is_unanswered(job, run));
        let what = match (&job.turn, timeout) {
            (Turn::First, false) => Use::Answers,
            (Turn::First, true) => Use::Timeouts,
            (Turn::Late(_), false) => Use::LateAnswers,
            (Turn::Late(_), true) => Use::LateTimeouts,
        };
        self.shared.clock.add(what, begun.elapsed());
        Ok(ran)
    }

    /// Whether a run was given up before the time limit, with or without a verdict. No case waits twice.
    fn is_cut_short(&self, job: &Job, run: &Run) -> bool {
        let full = self.shared.campaign.header.limits.timeout.0;
        job.turn == Turn::First && run.observation.limit.is_some_and(|limit| limit < full)
    }

    /// Whether a run used up its time.
    fn is_unanswered(&self, job: &Job, run: &Run) -> bool {
        run.observation.answer == Answer::Timeout || self.is_cut_short(job, run)
    }

    /// The event for a case on a target; a finding is written to its folder.
    fn verdict(
        &mut self,
        at: usize,
        target: &dyn Target,
        job: &Job,
        case: &TestCase,
        tried: Tried,
    ) -> Result<Verdict, RunError> {
        let mut settled = match tried {
            Tried::Settled(settled) => settled,
            Tried::Waiting(elapsed) => {
                return Ok(Verdict::Waiting { expected: case.expected(), elapsed });
            }
            Tried::Skipped(reason) => return Ok(Verdict::Skipped(reason)),
        };
        let worth_keeping = settled.stability != Stability::Single
            || matches!(settled.judgement, Judgement::OracleContradicted(_));
        let folder = if worth_keeping {
            let fewer = self.with_fewest_options(at, target, case, &mut settled)?;
            let target = fewer.as_deref().unwrap_or(target);
            let findings = &self.shared.campaign.findings;
            let path = findings.join(folder_name(job.ordinal, target.name()));
            let header = &self.shared.campaign.header;
            let record = FindingRecord::new(header, job.id, case, target, &settled);
            write_folder(&path, &record, case, &settled)
                .map_err(|error| FileError::new(&path, error))?;
            Some(path)
        } else {
            None
        };
        let answer = &settled.run.observation.answer;
        Ok(Verdict::Ran {
            expected: settled.truth.as_deref().unwrap_or(case).expected(),
            answer: answer.clone(),
            outcome: Outcome::of(case.kind(), answer, &settled.judgement),
            elapsed: settled.run.observation.elapsed,
            judgement: settled.judgement,
            stability: settled.stability,
            folder,
            proof: settled.run.observation.examined,
        })
    }

    fn with_fewest_options(
        &mut self,
        at: usize,
        target: &dyn Target,
        case: &TestCase,
        settled: &mut Settled,
    ) -> Result<Option<Box<dyn Target>>, HarnessError> {
        let begun = Instant::now();
        let likely = self.likely.get(&at).map_or(&[][..], Vec::as_slice);
        let fewer = with_fewest_options(target, case, settled, likely)?;
        add(&self.confirming, begun.elapsed());
        if let Some(fewer) = &fewer {
            self.likely.insert(at, fewer.options(case));
        }
        Ok(fewer)
    }
}

/// Whether the answers contradict the truth or each other, so that the missing answers matter.
fn has_contradiction(
    targets: &[Box<dyn Target + '_>],
    case: &TestCase,
    runs: &[(usize, Ran)],
) -> bool {
    let said: Vec<(usize, &Run)> = runs.iter().filter_map(observed).collect();
    if said.len() < 2 {
        return false;
    }
    let is_wrong = |run: &Run| match judge(case, &run.observation) {
        Judgement::Finding(finding) => handling(case.kind()).confirms(finding.kind),
        Judgement::OracleContradicted(_) => true,
        Judgement::Correct | Judgement::Inconclusive(_) => false,
    };
    said.iter().any(|(_, run)| is_wrong(run)) || is_contested(targets, case, &said)
}

/// The run of a target, if it was run.
fn observed((at, ran): &(usize, Ran)) -> Option<(usize, &Run)> {
    match ran {
        Ran::Observed(run) => Some((*at, run)),
        Ran::Skipped(_) => None,
    }
}

/// Whether a result is a finding that counts.
fn is_found(settled: &Settled) -> bool {
    matches!(settled.judgement, Judgement::Finding(_)) && settled.stability != Stability::Single
}

/// The result of running a case on a target, after confirmation and comparison.
enum Tried {
    Settled(Box<Settled>),
    /// It was given up after this time, and waits for the whole time limit.
    Waiting(Duration),
    Skipped(String),
}

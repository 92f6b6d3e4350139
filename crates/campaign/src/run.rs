//! The run itself: workers generate and run cases, and one writer stores the results.

use crate::confirm::{Settled, Stability, settle};
use crate::dispute::reconcile;
use crate::fault;
use crate::file::FileError;
use crate::folder::{FindingRecord, write_folder};
use crate::header::Header;
use crate::outcome::Outcome;
use crate::patience::{Patience, Waited};
use crate::rows::Done;
use crate::store::{Results, StoreError};
use crate::verdict::{Judged, Verdict};
use assay_case::{CaseId, Grade, Judgement, MakeError, Selection, Shard, Suite, TestCase};
use assay_target::{HarnessError, Mode, Ran, Target};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Makes one worker's targets, in the campaign's order.
pub type Factory<'f> = dyn Fn() -> Result<Vec<Box<dyn Target + 'f>>, HarnessError> + Sync + 'f;

/// A campaign: which cases, on which targets, how.
pub struct Campaign<'c> {
    /// The source of the cases.
    pub suite: &'c dyn Suite,
    /// Which cases to run.
    pub selection: Selection,
    /// The description to record.
    pub header: Header,
    /// Makes the targets.
    pub factory: &'c Factory<'c>,
    /// The number of targets of each worker.
    pub targets: usize,
    /// The number of workers.
    pub jobs: usize,
    /// Whether to determine the total number of runs, which takes time of its own.
    pub count: bool,
    /// The time after which no new case is started.
    pub budget: Option<Duration>,
    /// The number of timeouts on a target after which seeds are given up there.
    pub give_up: Option<u32>,
    /// Where findings are written.
    pub findings: PathBuf,
    /// Set from outside to end the run.
    pub stop: &'c AtomicBool,
}

/// What happens during a run.
pub enum Event<'e> {
    /// A case was run on a target, or skipped.
    Judged(&'e Judged),
    /// Time has passed.
    Progress(Progress),
}

/// The progress of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Runs of cases on targets so far, including those before a resume.
    pub done: u64,
    /// The total number of runs, if known.
    pub total: Option<u64>,
    /// The number done since the run was started or resumed.
    pub new: u64,
    /// Confirmed or unstable findings since then.
    pub findings: u64,
    /// The time since then.
    pub elapsed: Duration,
}

/// Why a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Every case is done.
    Finished,
    /// The time budget is used up.
    Budget,
    /// The user interrupted it.
    Interrupted,
}

/// Why a run failed. Stored results are not lost.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The results cannot be stored.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// A case cannot be generated.
    #[error("case {id}: {source}")]
    Case {
        /// The case.
        id: CaseId,
        /// The reason.
        source: MakeError,
    },
    /// Targets repeatedly fail to run.
    #[error("{0}")]
    Harness(#[from] HarnessError),
}

/// The number of failures of assay itself on one case after which the run gives up.
const PATIENCE: u32 = 3;

/// Why a case has no result although its target was run.
const LOST: &str = "the process that supervises the tool was killed, each time";

/// The maximum time between two writes of results.
const KEEP_EVERY: Duration = Duration::from_millis(500);

/// The interval at which the writer checks for results.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// The maximum number of cases for which the remaining number is shown.
const COUNTED: usize = 50_000;

/// The number of waiting rows that triggers a write.
const KEEP_ROWS: usize = 512;

impl Campaign<'_> {
    /// Runs all cases that the results do not hold yet.
    ///
    /// # Errors
    /// The failure that ended the run; the results until then are stored.
    pub fn run(
        &self,
        results: &mut Results,
        watch: &mut dyn FnMut(Event<'_>),
    ) -> Result<Stop, RunError> {
        let done = results.done(self.targets)?;
        let before = done.iter().map(Done::count).sum();
        let begun = Instant::now();
        let deadline = self.budget.map(|budget| begun + budget);
        // A shard numbers cases as the whole campaign does, so that shards can be merged.
        let places = self.selection.shard.unwrap_or(Shard::WHOLE).places();
        let queue = Mutex::new(self.suite.cases(&self.selection).zip(places));
        let taken = AtomicU64::new(0);
        let patience = Patience::new(self.give_up);
        let shared =
            Shared { campaign: self, done, patience, deadline, failed: AtomicBool::new(false) };
        let total = AtomicU64::new(0);
        let (send, receive) = sync_channel(KEEP_ROWS);
        let kept = std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let (send, queue, shared, taken) = (send.clone(), &queue, &shared, &taken);
                scope.spawn(move || {
                    let next = || {
                        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).next();
                        next.inspect(|_| _ = taken.fetch_add(1, Ordering::Relaxed))
                    };
                    if let Err(error) = shared.work(&next, &send) {
                        shared.failed.store(true, Ordering::Relaxed);
                        // The writer may have ended with an error of its own, which then counts.
                        let _ = send.send(Err(error));
                    }
                });
            }
            drop(send);
            if self.count {
                scope.spawn(|| total.store(self.total().unwrap_or(0), Ordering::Relaxed));
            }
            let kept = keep(&receive, results, before, begun, &mut |event| match event {
                Event::Progress(progress) => {
                    let total = Some(total.load(Ordering::Relaxed)).filter(|total| *total > 0);
                    watch(Event::Progress(Progress { total, ..progress }));
                }
                judged => watch(judged),
            });
            shared.failed.store(true, Ordering::Relaxed);
            drop(receive);
            kept
        });
        kept?;
        let exhausted = queue.into_inner().unwrap_or_else(PoisonError::into_inner).next().is_none();
        Ok(if self.stop.load(Ordering::Relaxed) {
            Stop::Interrupted
        } else if exhausted {
            results.finish(taken.into_inner())?;
            Stop::Finished
        } else {
            Stop::Budget
        })
    }
}

impl Campaign<'_> {
    /// The total number of runs, unless counting takes too long.
    fn total(&self) -> Option<u64> {
        let over = |_: &CaseId| !self.stop.load(Ordering::Relaxed);
        let cases = self.suite.cases(&self.selection).take(COUNTED).take_while(over).count();
        (cases < COUNTED).then_some(cases as u64 * self.targets as u64)
    }
}

/// Stores results until all senders are gone.
fn keep(
    receive: &Receiver<Result<Judged, RunError>>,
    results: &mut Results,
    before: u64,
    begun: Instant,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<(), RunError> {
    let mut rows = Vec::with_capacity(KEEP_ROWS);
    let mut kept_at = Instant::now();
    let (mut new, mut findings) = (0, 0);
    let mut failure = None;
    loop {
        let mut open = true;
        while rows.len() < KEEP_ROWS {
            match receive.try_recv() {
                Ok(Ok(judged)) => {
                    new += 1;
                    findings += u64::from(judged.verdict.is_finding());
                    watch(Event::Judged(&judged));
                    rows.push(judged.into());
                }
                Ok(Err(error)) => {
                    failure.get_or_insert(error);
                }
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => {
                    open = false;
                    break;
                }
            }
        }
        if !open || rows.len() >= KEEP_ROWS || kept_at.elapsed() >= KEEP_EVERY {
            if !rows.is_empty() {
                results.append(&rows)?;
                rows.clear();
            }
            kept_at = Instant::now();
            let elapsed = begun.elapsed();
            watch(Event::Progress(Progress {
                done: before + new,
                total: None,
                new,
                findings,
                elapsed,
            }));
        }
        if !open {
            return failure.map_or(Ok(()), Err);
        }
        if rows.len() < KEEP_ROWS {
            // Waking up for every single result would cost more than most results do.
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

/// State shared by all workers.
struct Shared<'s, 'c> {
    campaign: &'s Campaign<'c>,
    done: Vec<Done>,
    patience: Patience,
    deadline: Option<Instant>,
    failed: AtomicBool,
}

impl Shared<'_, '_> {
    fn is_over(&self) -> bool {
        self.campaign.stop.load(Ordering::Relaxed)
            || self.failed.load(Ordering::Relaxed)
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }

    fn work(
        &self,
        next: &dyn Fn() -> Option<(CaseId, u64)>,
        send: &SyncSender<Result<Judged, RunError>>,
    ) -> Result<(), RunError> {
        let mut targets = None;
        while !self.is_over() {
            let Some((id, ordinal)) = next() else { break };
            let open = |target: &usize| !self.done[*target].contains(ordinal);
            let mut open: Vec<usize> = (0..self.campaign.targets).filter(open).collect();
            if open.is_empty() {
                continue;
            }
            let pass = |target, case, verdict| {
                send.send(Ok(Judged { ordinal, id, case, target, verdict })).is_ok()
            };
            let case = match self.make(id, ordinal)? {
                Ok(case) => case,
                Err(verdict) => {
                    let name = || id.to_string();
                    if !open.into_iter().all(|target| pass(target, name(), verdict.clone())) {
                        return Ok(());
                    }
                    continue;
                }
            };
            let targets = match &mut targets {
                Some(targets) => targets,
                none => none.insert((self.campaign.factory)()?),
            };
            // Uncertain truths are learned from all targets, even those done before a resume.
            let certain = case.grade() == Some(Grade::Certified);
            let together = self.campaign.targets > 1 && !certain;
            let mut willing: Vec<usize> = (0..self.campaign.targets).collect();
            willing.retain(|&target| match self.patience.refuses(target, case.origin()) {
                Some(reason) if open.contains(&target) => {
                    pass(target, case.name().to_owned(), Verdict::Skipped(reason));
                    false
                }
                refused => refused.is_none(),
            });
            open.retain(|target| willing.contains(target));
            let groups = match together && !open.is_empty() {
                true => vec![willing],
                false => open.iter().map(|&target| vec![target]).collect(),
            };
            for group in groups {
                let attempt = || self.attempt(targets, &group, (&case, ordinal));
                let tried = match self.patiently(attempt) {
                    Ok(Some(tried)) => tried,
                    Ok(None) => return Ok(()),
                    // A tool outside the sandbox, or on a kernel that does not scope signals, may
                    // kill its keeper each time. The other cases are still worth running.
                    Err(RunError::Harness(HarnessError::Lost { .. })) => {
                        let lost = |at: &usize| (*at, Tried::Skipped(LOST.to_owned()));
                        group.iter().map(lost).collect()
                    }
                    Err(error) => return Err(error),
                };
                for (target, tried) in tried.into_iter().filter(|(target, _)| open.contains(target))
                {
                    if let Tried::Settled(settled) = &tried {
                        self.patience.note(target, case.origin(), Waited::of(settled));
                    }
                    let verdict =
                        self.verdict(targets[target].as_ref(), (id, &case), ordinal, tried)?;
                    let case = case.name().to_owned();
                    if send.send(Ok(Judged { ordinal, id, case, target, verdict })).is_err() {
                        return Ok(());
                    }
                }
            }
        }
        Ok(())
    }

    /// Generates a case, or says why it is skipped. A failure of assay itself is written down.
    fn make(&self, id: CaseId, ordinal: u64) -> Result<Result<TestCase, Verdict>, RunError> {
        let fault = match self.campaign.suite.make(id) {
            Ok(case) => return Ok(Ok(case)),
            Err(MakeError::Unsuitable(reason)) => return Ok(Err(Verdict::Skipped(reason))),
            Err(MakeError::Fault(fault)) => fault,
            Err(source) => return Err(RunError::Case { id, source }),
        };
        let path = fault::folder(&self.campaign.findings, ordinal);
        fault::write(&path, &self.campaign.header, id, &fault)
            .map_err(|error| FileError::new(&path, error))?;
        Ok(Err(Verdict::Fault { words: fault.words, folder: path }))
    }

    /// Retries until it succeeds or the failures are clearly permanent; `None` if the run is to
    /// end.
    fn patiently<T>(
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

    /// Runs a case on some targets and compares their answers.
    fn attempt(
        &self,
        targets: &mut [Box<dyn Target + '_>],
        group: &[usize],
        (case, ordinal): (&TestCase, u64),
    ) -> Result<Vec<(usize, Tried)>, HarnessError> {
        let mut tried = Vec::with_capacity(group.len());
        for &at in group {
            let target = targets[at].as_mut();
            target.prepare(ordinal);
            tried.push((
                at,
                match target.run(case, Mode::Session)? {
                    Ran::Observed(run) => {
                        Tried::Settled(Box::new(settle(target, case, case, *run)?))
                    }
                    Ran::Skipped(reason) => Tried::Skipped(reason),
                },
            ));
        }
        let settled = tried.iter_mut().filter_map(|(at, tried)| match tried {
            Tried::Settled(settled) => Some((*at, &mut **settled)),
            Tried::Skipped(_) => None,
        });
        reconcile(targets, case, &mut settled.collect::<Vec<_>>())?;
        Ok(tried)
    }

    /// The verdict of a case on a target; a finding is written to its folder.
    fn verdict(
        &self,
        target: &dyn Target,
        (id, case): (CaseId, &TestCase),
        ordinal: u64,
        tried: Tried,
    ) -> Result<Verdict, RunError> {
        let settled = match tried {
            Tried::Settled(settled) => settled,
            Tried::Skipped(reason) => return Ok(Verdict::Skipped(reason)),
        };
        let worth_keeping = settled.stability != Stability::Single
            || matches!(settled.judgement, Judgement::OracleContradicted(_));
        let folder = if worth_keeping {
            let path = self.campaign.findings.join(folder_name(ordinal, target.name()));
            let record = FindingRecord::new(&self.campaign.header, id, case, target, &settled);
            write_folder(&path, &record, case, &settled)
                .map_err(|error| FileError::new(&path, error))?;
            Some(path)
        } else {
            None
        };
        let answer = &settled.run.observation.answer;
        Ok(Verdict::Ran {
            expected: settled.truth.as_deref().unwrap_or(case).expected(),
            answer: answer.to_string(),
            outcome: Outcome::of(case.kind(), answer, &settled.judgement),
            elapsed: settled.run.observation.elapsed,
            judgement: settled.judgement,
            stability: settled.stability,
            folder,
        })
    }
}

/// The result of a case on a target, after confirmation and comparison.
enum Tried {
    Settled(Box<Settled>),
    Skipped(String),
}

/// The folder of a finding within [`Campaign::findings`].
#[must_use]
pub fn folder_name(ordinal: u64, target: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '-' };
    Path::new(&format!("{ordinal:06}-{}", target.chars().map(plain).collect::<String>())).to_owned()
}

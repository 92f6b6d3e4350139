//! The run itself: workers generate and run cases, and one writer stores the results.

use crate::file::FileError;
use crate::follow::{FollowUp, Following};
use crate::header::Header;
use crate::patience::Patience;
use crate::rows::{Done, Late, Stored};
use crate::schedule::{Agenda, Arms, Numbered};
use crate::spent::{Clock, Spent};
use crate::steps::Steps;
use crate::store::{Results, StoreError};
use crate::verdict::{Judged, Verdict};
use crate::work::{News, Shared};
use assay_case::{CaseId, MakeError, Selection, Shard, Suite};
use assay_target::{HarnessError, Target};
use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, TryRecvError, sync_channel};
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
    /// The work on findings during the run.
    pub follow: Option<FollowUp<'c>>,
    /// Set from outside to end the run.
    pub stop: &'c AtomicBool,
}

/// An event during a run.
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
    /// How many runs were given up early and wait for the whole time limit.
    pub waiting: u64,
    /// Where the time went, in all runs.
    pub spent: Spent,
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

/// The maximum time between two writes of results.
const KEEP_EVERY: Duration = Duration::from_millis(500);

/// The interval at which the writer checks for results.
pub(crate) const LOOK_EVERY: Duration = Duration::from_millis(50);

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
        let mut done = results.done(self.targets)?;
        let before = done.iter().map(Done::count).sum();
        let begun = Instant::now();
        let deadline = self.budget.map(|budget| begun + budget);
        // A shard numbers cases as the whole campaign does, so that shards can be merged.
        let cases = || -> Box<dyn Iterator<Item = Numbered> + Send + '_> {
            let places = self.selection.shard.unwrap_or(Shard::WHOLE).places();
            let numbered = |(id, place): (CaseId, u64)| (id, place, self.suite.round(id));
            Box::new(self.suite.cases(&self.selection).zip(places).map(numbered))
        };
        let (full, execution) = (self.header.limits.timeout.0, self.header.execution);
        let how = (execution.schedule, u32::from(execution.late));
        let mut agenda = Agenda::new(how, full, self.targets, Box::new(cases));
        let waiting = results.waiting()?;
        for late in &waiting {
            // Waiting cases come from the late queue, not from the suite.
            late.targets.iter().for_each(|&target| done[target].insert(late.ordinal));
            agenda.wait(late.id, late.ordinal, late.targets.clone());
        }
        let found = results.findings()?.len() as u64;
        let shared = Shared {
            campaign: self,
            done,
            patience: Patience::new(self.give_up),
            arms: Mutex::new(Arms::recorded(full, results)?),
            agenda: Mutex::new(agenda),
            clock: Clock::default(),
            before: results.spent()?,
            found: AtomicU64::new(found),
            stored: AtomicU64::new(found),
            following: Mutex::new(Following::default()),
            deadline,
            failed: AtomicBool::new(false),
        };
        let total = AtomicU64::new(0);
        let (send, receive) = sync_channel(KEEP_ROWS);
        let kept = std::thread::scope(|scope| {
            for _ in 0..self.jobs.max(1) {
                let (send, shared) = (send.clone(), &shared);
                scope.spawn(move || {
                    if let Err(error) = shared.work(&send) {
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
            let total = || Some(total.load(Ordering::Relaxed)).filter(|total| *total > 0);
            let places = |late: &Late| {
                let ordinal = late.ordinal;
                late.targets.iter().map(move |&target| (ordinal, target)).collect::<Vec<_>>()
            };
            let mut writer = Writer {
                results,
                watch: &mut |event| match event {
                    Event::Progress(progress) => {
                        watch(Event::Progress(Progress { total: total(), ..progress }));
                    }
                    judged @ Event::Judged(_) => watch(judged),
                },
                shared: &shared,
                rows: Vec::with_capacity(KEEP_ROWS),
                steps: Steps::default(),
                before,
                begun,
                new: 0,
                found: HashSet::new(),
                waiting: BTreeMap::new(),
                left: waiting.iter().flat_map(places).collect(),
            };
            let kept = writer.keep(&receive);
            shared.failed.store(true, Ordering::Relaxed);
            drop(receive);
            kept
        });
        kept?;
        let mut agenda = shared.agenda();
        let finished = agenda.is_done();
        let taken = agenda.taken;
        drop(agenda);
        Ok(if self.stop.load(Ordering::Relaxed) {
            Stop::Interrupted
        } else if finished {
            results.finish(taken)?;
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

/// Keeps what workers send.
struct Writer<'w, 's, 'c> {
    results: &'w mut Results,
    watch: &'w mut dyn FnMut(Event<'_>),
    shared: &'w Shared<'s, 'c>,
    /// Rows that are not stored yet.
    rows: Vec<Stored>,
    /// The steps of proofs that are not kept yet.
    steps: Steps,
    /// The number of results from earlier runs.
    before: u64,
    begun: Instant,
    /// How many runs this one did.
    new: u64,
    /// Findings of this run, by place and target.
    found: HashSet<(u64, usize)>,
    /// Cases that were given up early in this run and wait for the whole time limit.
    waiting: BTreeMap<(u64, usize), Judged>,
    /// Cases that were given up in earlier runs and still wait, by place and target.
    left: HashSet<(u64, usize)>,
}

impl Writer<'_, '_, '_> {
    /// Stores results until every worker has ended.
    fn keep(&mut self, receive: &Receiver<Result<News, RunError>>) -> Result<(), RunError> {
        let mut kept_at = Instant::now();
        let mut failure = None;
        loop {
            let mut open = true;
            while self.rows.len() < KEEP_ROWS {
                match receive.try_recv() {
                    Ok(Ok(News::Result(judged))) => self.take(judged),
                    Ok(Ok(News::Revision(judged))) => self.revise(judged),
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
            if !open || self.rows.len() >= KEEP_ROWS || kept_at.elapsed() >= KEEP_EVERY {
                self.write()?;
                kept_at = Instant::now();
            }
            if !open {
                // Findings may have been reduced after the last result was kept.
                self.results.keep_spent(&self.shared.spent())?;
                // Cases that still wait count as given up in this run.
                for judged in std::mem::take(&mut self.waiting).into_values() {
                    (self.watch)(Event::Judged(&judged));
                }
                return failure.map_or(Ok(()), Err);
            }
            if self.rows.len() < KEEP_ROWS {
                // To be woken for every single result would cost more than most results do.
                std::thread::sleep(LOOK_EVERY);
            }
        }
    }

    fn take(&mut self, judged: Judged) {
        let key = (judged.ordinal, judged.target);
        self.rows.push(judged.clone().into());
        if matches!(judged.verdict, Verdict::Waiting { .. }) {
            self.waiting.insert(key, judged);
            return;
        }
        self.waiting.remove(&key);
        self.left.remove(&key);
        self.new += 1;
        if let Verdict::Ran { proof: Some(proof), .. } = &judged.verdict {
            self.steps.add(judged.target, proof);
        }
        if judged.verdict.is_finding() {
            self.found.insert(key);
        }
        (self.watch)(Event::Judged(&judged));
    }

    /// Keeps a finding in the place of a result that was kept already.
    fn revise(&mut self, judged: Judged) {
        self.rows.push(judged.clone().into());
        if self.found.insert((judged.ordinal, judged.target)) {
            (self.watch)(Event::Judged(&judged));
        }
    }

    /// Puts into the store what arrived, and says how far the run is.
    fn write(&mut self) -> Result<(), StoreError> {
        let spent = self.shared.spent();
        if !self.rows.is_empty() {
            self.results.append(&self.rows)?;
            let found = self.rows.iter().filter(|row| row.shows.is_confirmed()).count() as u64;
            self.shared.stored.fetch_add(found, Ordering::Relaxed);
            self.results.keep_spent(&spent)?;
            self.rows.clear();
        }
        if !self.steps.is_empty() {
            self.results.add_steps(&std::mem::take(&mut self.steps))?;
        }
        let novel = self.shared.take_novel();
        if !novel.is_empty() {
            self.results.add_novel(&novel)?;
        }
        (self.watch)(Event::Progress(Progress {
            done: self.before + self.new,
            total: None,
            new: self.new,
            findings: self.found.len() as u64,
            elapsed: self.begun.elapsed(),
            waiting: (self.left.len() + self.waiting.len()) as u64,
            spent,
        }));
        Ok(())
    }
}

/// The folder of a finding within [`Campaign::findings`].
#[must_use]
pub fn folder_name(ordinal: u64, target: &str) -> PathBuf {
    let plain = |c: char| if c.is_ascii_alphanumeric() || ".-".contains(c) { c } else { '-' };
    Path::new(&format!("{ordinal:06}-{}", target.chars().map(plain).collect::<String>())).to_owned()
}

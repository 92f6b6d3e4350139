//! Examines what a search sees, in parallel with it: which assertion causes a crash, whether fresh
//! processes repeat it, and the smallest program that shows it.
//!
//! The examiner has its own worker and thread, so that the search continues meanwhile. New symptoms
//! are confirmed first, even in the middle of a reduction.

use super::symptom::{Exhibit, Patience, Symptom};
use super::{DomainError, DomainFinding};
use crate::confirm::{Settled, Stability, settle};
use assay_lattice::protocol::Plan;
use assay_lattice::{Input, Trace};
use assay_target::Library;
use assay_target::domain::{DomainWorker, Heard, Until};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, TryRecvError};
use std::time::{Duration, Instant};

/// The maximum time for a reduction.
const REDUCTION: Duration = Duration::from_secs(60);

/// The minimum time for a reduction if any time is left.
const LEAST: Duration = Duration::from_secs(1);

/// The extra time for examining what was seen just before the deadline.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// Something that a search saw.
pub(super) struct Seen {
    pub(super) symptom: Symptom,
    /// The worker's report.
    pub(super) heard: Heard,
    /// One assertion and what it needs; after a crash or hang, everything that was about to be
    /// tried.
    pub(super) case: Trace,
    /// The input that the case was made from.
    pub(super) input: Option<Input>,
    /// The plan of the search.
    pub(super) plan: Plan,
    /// The time since the search began.
    pub(super) after: Duration,
}

/// News of a running search.
#[derive(Clone, Debug)]
pub enum Told {
    /// It was seen, and fresh processes have tried to repeat it.
    Found(DomainFinding),
    /// The final report; it is reduced if there was time.
    Settled(DomainFinding),
}

/// Examines what a search sees.
pub(super) struct Examiner<'d> {
    pub(super) worker: DomainWorker,
    pub(super) inbox: Receiver<Seen>,
    pub(super) outbox: Sender<Told>,
    /// When the search ends.
    pub(super) deadline: Instant,
    /// Set from outside to end the search.
    pub(super) stop: &'d AtomicBool,
    /// Set when work must stop at once.
    pub(super) halt: &'d AtomicBool,
}

/// A confirmed finding that is still to be reduced.
struct Open {
    finding: DomainFinding,
    case: Trace,
}

impl Examiner<'_> {
    /// Works until the search ends and everything is settled, or time runs out.
    pub(super) fn work(self) -> Result<(), DomainError> {
        let until = Until { deadline: Some(self.deadline + GRACE), stop: Some(self.halt) };
        let Examiner { worker, inbox, outbox, deadline, stop, .. } = self;
        let library = &mut Library::new(worker, until);
        let tell = |told: Told| drop(outbox.send(told));
        let mut open: Vec<Open> = Vec::new();
        loop {
            let seen = match open.is_empty() {
                true => inbox.recv().map_err(|_| TryRecvError::Disconnected),
                false => inbox.try_recv(),
            };
            match seen {
                Ok(seen) => investigate(library, seen, &mut open, &tell)?,
                Err(TryRecvError::Disconnected) if open.is_empty() => return Ok(()),
                Err(_) => {
                    let Open { mut finding, case } = open.swap_remove(most_urgent(&open));
                    let candidates = match finding.symptom.law {
                        Some(_) => deadline + GRACE / 2,
                        // Checking that the smallest program hangs takes time of its own.
                        None => deadline.checked_sub(library.worker.patience()).unwrap_or(deadline),
                    };
                    let now = Instant::now();
                    // Waiting findings share the remaining time equally.
                    let left = deadline.saturating_duration_since(now);
                    let share = left / (u32::try_from(open.len()).unwrap_or(u32::MAX) + 1);
                    let candidates = candidates.min(now + share.clamp(LEAST, REDUCTION));
                    if candidates > now && !stop.load(Ordering::Relaxed) {
                        let patience = Patience { candidates, until };
                        let symptom = finding.symptom.clone();
                        let mut between = |library: &mut Library<'_>| {
                            inbox
                                .try_iter()
                                .try_for_each(|seen| investigate(library, seen, &mut open, &tell))
                        };
                        finding.reduced =
                            symptom.reduce(library, &case, &patience, &mut between)?;
                    }
                    tell(Told::Settled(finding));
                }
            }
        }
    }
}

/// Violations before crashes and hangs, which take longer; findings that do not count come last.
fn most_urgent(open: &[Open]) -> usize {
    let urgency = |at: &usize| {
        let symptom = &open[*at].finding.symptom;
        (!symptom.is_hard(), symptom.law.is_none(), *at)
    };
    (0..open.len()).min_by_key(urgency).expect("it is not empty")
}

/// Isolates the cause, confirms it and reports it.
fn investigate(
    library: &mut Library<'_>,
    seen: Seen,
    open: &mut Vec<Open>,
    tell: &dyn Fn(Told),
) -> Result<(), DomainError> {
    let Seen { symptom, heard, case, input, plan, after } = seen;
    let case = match symptom.law {
        Some(_) => case,
        None => blame(library, &symptom, case)?,
    };
    let found = confirmed(library, &symptom, case.to_string(), &heard, after)?;
    let stability = found.settled.stability;
    let target = library.worker.name().to_string();
    let finding = DomainFinding { target, symptom, found, reduced: None, after, plan, input };
    tell(Told::Found(finding.clone()));
    match stability {
        Stability::Confirmed => open.push(Open { finding, case }),
        _ => tell(Told::Settled(finding)),
    }
    Ok(())
}

/// The trace with its results in fresh processes.
fn confirmed(
    library: &mut Library<'_>,
    symptom: &Symptom,
    trace: String,
    heard: &Heard,
    after: Duration,
) -> Result<Exhibit, DomainError> {
    let case = symptom.case(&trace);
    let first = library.run_of(&trace, heard, after)?;
    let settled = settle(library, &case, &case, first)?;
    if symptom.is_hard() {
        return Ok(Exhibit { trace, settled });
    }
    // A result that the library itself calls imprecise is not a finding, but still reproducible.
    let again = symptom.fresh(library, &trace, Stability::Confirmed)?;
    let once = Settled { stability: Stability::SessionOnly, ..settled };
    Ok(again.unwrap_or(Exhibit { trace, settled: once }))
}

/// The assertion that causes a crash, by bisection; all of them if no single one does.
fn blame(library: &mut Library<'_>, symptom: &Symptom, whole: Trace) -> Result<Trace, DomainError> {
    let mut suspects: Vec<usize> = (0..whole.checks.len()).collect();
    while suspects.len() > 1 && !library.until.is_over() {
        let rest = suspects.split_off(suspects.len() / 2);
        let checks = suspects.iter().map(|at| whole.checks[*at].clone()).collect();
        let half = Trace { checks, ..whole.clone() };
        if !symptom.shown_by_candidate(library, &half)? {
            suspects = rest;
        }
    }
    if let [guilty] = suspects[..] {
        let slice = whole.slice(guilty);
        if symptom.shown_by_candidate(library, &slice)? {
            return Ok(slice);
        }
    }
    Ok(whole)
}

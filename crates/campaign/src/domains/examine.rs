//! Where what a search sees is looked into, beside the search: who is to blame for a death, whether
//! fresh processes show it too, and the smallest program that does.
//!
//! It has a worker and a thread of its own, so that the search goes on. What was seen is confirmed
//! before anything is reduced, also in the middle of a reduction.

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

/// How long a reduction lasts at most.
const REDUCTION: Duration = Duration::from_secs(60);

/// How long a reduction may last while there is time at all.
const LEAST: Duration = Duration::from_secs(1);

/// How long what was seen at the last moment may still be looked into.
pub(super) const GRACE: Duration = Duration::from_secs(3);

/// Something that a search saw.
pub(super) struct Seen {
    pub(super) symptom: Symptom,
    /// What the worker said.
    pub(super) heard: Heard,
    /// One assertion and what it needs; after a death, all that was about to be tried.
    pub(super) case: Trace,
    /// What the case was made from.
    pub(super) input: Option<Input>,
    /// How the search is made.
    pub(super) plan: Plan,
    /// How long it had lasted.
    pub(super) after: Duration,
}

/// What is to be told of a search while it lasts.
#[derive(Clone, Debug)]
pub enum Told {
    /// It was seen, and fresh processes were asked whether they show it.
    Found(DomainFinding),
    /// Nothing more will be said of it; it is reduced if there was time.
    Settled(DomainFinding),
}

/// Looks into what a search sees.
pub(super) struct Examiner<'d> {
    pub(super) worker: DomainWorker,
    pub(super) inbox: Receiver<Seen>,
    pub(super) outbox: Sender<Told>,
    /// When the search ends.
    pub(super) deadline: Instant,
    /// Set by whoever wants the search to end.
    pub(super) stop: &'d AtomicBool,
    /// Set when there is no time for anything.
    pub(super) halt: &'d AtomicBool,
}

/// A confirmed finding, to be reduced.
struct Open {
    finding: DomainFinding,
    case: Trace,
}

impl Examiner<'_> {
    /// Works until nothing more can be seen and all is settled, or the time is over.
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
                Ok(seen) => look_into(library, seen, &mut open, &tell)?,
                Err(TryRecvError::Disconnected) if open.is_empty() => return Ok(()),
                Err(_) => {
                    let Open { mut finding, case } = open.swap_remove(most_urgent(&open));
                    let candidates = match finding.symptom.law {
                        Some(_) => deadline + GRACE / 2,
                        // That the smallest program hangs takes its time to be checked.
                        None => deadline.checked_sub(library.worker.patience()).unwrap_or(deadline),
                    };
                    let now = Instant::now();
                    // All that wait have the same share of the time.
                    let left = deadline.saturating_duration_since(now);
                    let share = left / (u32::try_from(open.len()).unwrap_or(u32::MAX) + 1);
                    let candidates = candidates.min(now + share.clamp(LEAST, REDUCTION));
                    if candidates > now && !stop.load(Ordering::Relaxed) {
                        let patience = Patience { candidates, until };
                        let symptom = finding.symptom.clone();
                        let mut between = |library: &mut Library<'_>| {
                            inbox
                                .try_iter()
                                .try_for_each(|seen| look_into(library, seen, &mut open, &tell))
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

/// Laws before deaths, which take longer; what does not count comes last.
fn most_urgent(open: &[Open]) -> usize {
    let urgency = |at: &usize| {
        let symptom = &open[*at].finding.symptom;
        (!symptom.is_hard(), symptom.law.is_none(), *at)
    };
    (0..open.len()).min_by_key(urgency).expect("it is not empty")
}

/// Blames, confirms, and tells.
fn look_into(
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

/// The trace with what fresh processes made of it.
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
    // What may be imprecise by the library's own word is no finding, but reproducible all the same.
    let again = symptom.fresh(library, &trace, Stability::Confirmed)?;
    let once = Settled { stability: Stability::SessionOnly, ..settled };
    Ok(again.unwrap_or(Exhibit { trace, settled: once }))
}

/// The assertion that is to blame for a death, by halves; all of them where none is alone.
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

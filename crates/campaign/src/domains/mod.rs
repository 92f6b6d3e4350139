//! Campaigns on abstract domains: workers search, and findings are confirmed, reduced and kept.
//!
//! A violation or a crash counts after two fresh processes repeated it. Each law is reported once
//! per target: further violations of it most likely have the same cause.

mod examine;
mod ledger;
mod programs;
mod search;
mod symptom;

pub use examine::Told;
pub use ledger::{Ledger, Recipe, domain_categories, keep_corpus, keep_reduced};
pub use programs::{DomainPrograms, plan};
pub use symptom::{Exhibit, Patience, Symptom};

use crate::confirm::Stability;
use crate::file::FileError;
use assay_lattice::protocol::{Plan, Reply};
use assay_lattice::{Input, Shape};
use assay_target::HarnessError;
use assay_target::domain::{DomainWorker, End, Until};
use examine::{Examiner, GRACE};
use search::Search;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The name of the suite of laws.
pub const DOMAINS: &str = "domains";

/// A finding about a domain.
#[derive(Clone, Debug)]
pub struct DomainFinding {
    /// The target's name.
    pub target: String,
    /// The symptom.
    pub symptom: Symptom,
    /// The trace as it was found.
    pub found: Exhibit,
    /// The smallest trace that shows the same.
    pub reduced: Option<Exhibit>,
    /// The time since the search began.
    pub after: Duration,
    /// The plan that found it.
    pub plan: Plan,
    /// The bytes that the trace was cut out of.
    pub input: Option<Input>,
}

impl DomainFinding {
    /// How reproducible it is.
    #[must_use]
    pub fn stability(&self) -> Stability {
        self.found.settled.stability
    }

    /// The reduced trace if there is one, otherwise the trace as found.
    #[must_use]
    pub fn smallest(&self) -> &Exhibit {
        self.reduced.as_ref().unwrap_or(&self.found)
    }
}

/// The statistics of a search on one target.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct DomainTally {
    /// Inputs tried.
    pub tried: u64,
    /// Laws tried with their premises satisfied.
    pub checked: u64,
    /// Workers that died.
    pub deaths: u64,
    /// The laws that apply to the domain.
    pub laws: Vec<String>,
    /// The number of times that each law was tried with its premises satisfied.
    pub counts: BTreeMap<String, u64>,
    /// The duration of the search.
    pub spent: Duration,
    /// Inputs that showed something new.
    pub corpus: Vec<Input>,
    /// Whether an input was still running some seconds after the deadline.
    pub stuck: bool,
    /// Why the search gave up before its deadline, if it did.
    pub given_up: Option<String>,
}

/// A search on one target.
pub struct DomainCampaign<'c> {
    /// The plan of the search.
    pub plan: Plan,
    /// The duration of the search. Examining what was seen by then takes a few seconds more.
    pub budget: Duration,
    /// Set from outside to end the search.
    pub stop: &'c AtomicBool,
}

impl DomainCampaign<'_> {
    /// Searches, and reports each finding twice: at once, and again after its reduction, which uses
    /// a second worker of the same target.
    ///
    /// # Errors
    /// A failure of assay itself.
    pub fn run(
        &self,
        worker: &mut DomainWorker,
        assistant: DomainWorker,
        tell: &mut dyn FnMut(Told) -> Result<(), DomainError>,
    ) -> Result<DomainTally, DomainError> {
        let deadline = Instant::now() + self.budget;
        let halt = AtomicBool::new(false);
        let (seen, inbox) = channel();
        let (outbox, told) = channel();
        let examiner =
            Examiner { worker: assistant, inbox, outbox, deadline, stop: self.stop, halt: &halt };
        std::thread::scope(|scope| {
            let examiner = scope.spawn(move || examiner.work());
            let until = Until { deadline: Some(deadline), stop: Some(self.stop) };
            let mut heed = || told.try_iter().try_for_each(&mut *tell);
            let searched = Search::begin(&self.plan, worker, &until)
                .and_then(|search| search.go(&seen, &mut heed));
            drop(seen);
            let ended = Instant::now();
            let mut heeded = Ok(());
            loop {
                let stopped = self.stop.load(Ordering::Relaxed) && ended.elapsed() > GRACE;
                if stopped || searched.is_err() || heeded.is_err() {
                    halt.store(true, Ordering::Relaxed);
                }
                match told.recv_timeout(Duration::from_millis(100)) {
                    Ok(told) if heeded.is_ok() => heeded = tell(told),
                    Ok(_) | Err(RecvTimeoutError::Timeout) => {}
                    Err(RecvTimeoutError::Disconnected) => break,
                }
            }
            examiner.join().expect("it does not panic")?;
            heeded.and(searched)
        })
    }
}

/// A worker's description of its domain.
pub struct Begun {
    /// Its shape.
    pub shape: Shape,
    /// The laws that the worker will try.
    pub laws: Vec<String>,
    /// Whether the domain's joins take a loop head.
    pub hinted: bool,
}

/// Starts a worker; `None` if the request was cancelled.
///
/// # Errors
/// Fails if it cannot be started.
pub fn begin(
    worker: &mut DomainWorker,
    plan: &Plan,
    corpus: &[Input],
    until: &Until<'_>,
) -> Result<Option<Begun>, DomainError> {
    let name = worker.name().to_string();
    let trouble = |why: String| DomainError::Start { name: name.clone(), why };
    let heard = worker.begin(plan, corpus, until)?;
    match (heard.end, heard.replies.into_iter().next()) {
        (End::Done, Some(Reply::Ready { shape, laws, hinted })) => match Shape::by_name(&shape) {
            Some(shape) => Ok(Some(Begun { shape, laws, hinted })),
            None => Err(trouble(format!("`{shape}` is no shape"))),
        },
        (End::Done, Some(Reply::Refused(why))) => Err(trouble(why)),
        (End::Done, other) => Err(trouble(format!("it said {other:?}"))),
        (End::Stopped, _) => Ok(None),
        (End::Died { words, death, .. }, _) => {
            let words = words.strip_prefix("error: ").unwrap_or(&words);
            Err(trouble(if words.is_empty() { death.to_string() } else { words.to_owned() }))
        }
    }
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum DomainError {
    /// The domain cannot be loaded.
    #[error("{name} cannot be started: {why}")]
    Start {
        /// The domain.
        name: String,
        /// The reason.
        why: String,
    },
    /// A worker that was built by itself does not agree with us.
    #[error(
        "{name}: the engine was built from other sources, where the bytes of an input mean another \
         program; rebuild it with fuzz/engine"
    )]
    OtherSources {
        /// On which domain.
        name: String,
    },
    /// A failure of assay itself.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// The results cannot be written.
    #[error(transparent)]
    Store(#[from] crate::StoreError),
}

//! Campaigns on abstract domains: workers search, what they find is confirmed, reduced and kept.
//!
//! A violation counts after two fresh processes showed it; so does a worker's death. Each law is
//! reported once for each target: what else breaks it is most likely the same mistake.

mod fault;
mod keep;
mod symptom;

pub use fault::DomainFault;
pub use keep::{DomainRecord, domain_categories, keep_reduced, keep_target};
pub use symptom::{Exhibit, Symptom};

use crate::confirm::{ROUNDS, Stability};
use assay_lattice::protocol::{Plan, Reply, case_of};
use assay_lattice::{Case, Shape};
use assay_target::HarnessError;
use assay_target::domain::{Death, DomainWorker, Heard};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The name of the suite of laws.
pub const DOMAINS: &str = "domains";

/// Something to report about a domain.
#[derive(Clone, PartialEq, Debug)]
pub struct DomainFinding {
    /// The target's name.
    pub target: String,
    /// What is wrong.
    pub symptom: Symptom,
    /// How firmly it stands.
    pub stability: Stability,
    /// The program as it was found.
    pub found: Exhibit,
    /// The smallest program that shows the same.
    pub reduced: Option<Exhibit>,
    /// How long the search had lasted.
    pub after: Duration,
    /// The plan that found it.
    pub plan: Plan,
}

impl DomainFinding {
    /// The smallest program there is.
    #[must_use]
    pub fn smallest(&self) -> &Exhibit {
        self.reduced.as_ref().unwrap_or(&self.found)
    }
}

/// How a search on one target went.
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
    /// How often each law was tried with its premises satisfied.
    pub counts: BTreeMap<String, u64>,
    /// How long the search lasted.
    pub spent: Duration,
}

/// A search on one target.
pub struct DomainCampaign<'c> {
    /// How it is made.
    pub plan: Plan,
    /// How long it lasts.
    pub budget: Duration,
    /// How long one program may take.
    pub patience: Duration,
    /// Set by whoever wants it to end.
    pub stop: &'c AtomicBool,
}

/// How long a worker searches before it reports.
const SPAN: Duration = Duration::from_millis(500);

/// How long a reduction lasts at most.
const REDUCTION: Duration = Duration::from_secs(60);

/// After so many deaths a target is left alone.
const DEATHS: u64 = 8;

/// What a search knows so far.
struct State {
    plan: Plan,
    shape: Shape,
    tally: DomainTally,
    /// What was told already.
    told: Vec<Symptom>,
    /// Inputs, checks and checks of each law that the worker had counted when it reported last.
    before: (u64, u64, BTreeMap<String, u64>),
}

impl DomainCampaign<'_> {
    /// Searches, and tells each finding as soon as it is confirmed and reduced, for which another
    /// worker of the same target is needed: the search goes on where it was.
    ///
    /// # Errors
    /// A failure of ours.
    pub fn run(
        &self,
        worker: &mut DomainWorker,
        assistant: &mut DomainWorker,
        tell: &mut dyn FnMut(DomainFinding),
    ) -> Result<DomainTally, DomainError> {
        let (shape, laws) = begin(worker, &self.plan)?;
        let tally = DomainTally { laws, ..DomainTally::default() };
        let plan = self.plan.clone();
        let mut state = State { plan, shape, tally, told: Vec::new(), before: Default::default() };
        while state.tally.spent < self.budget && !self.stop.load(Ordering::Relaxed) {
            let begun = Instant::now();
            let span = SPAN.min(self.budget - state.tally.spent);
            let retired: Vec<String> = state
                .told
                .iter()
                .filter(|told| told.is_hard())
                .filter_map(|t| t.law.clone())
                .collect();
            let heard = worker.search(span, &retired)?;
            state.tally.spent += begun.elapsed();
            let over = match heard {
                Heard::Replies(replies) => self.replies(assistant, &mut state, replies, tell)?,
                Heard::Died { death, input, words } => {
                    self.died(worker, assistant, &mut state, (death, input, words), tell)?
                }
            };
            if over {
                break;
            }
        }
        Ok(state.tally)
    }

    /// Takes note of what a worker says; whether there is nothing left to try.
    fn replies(
        &self,
        assistant: &mut DomainWorker,
        state: &mut State,
        replies: Vec<Reply>,
        tell: &mut dyn FnMut(DomainFinding),
    ) -> Result<bool, DomainError> {
        let mut idle = false;
        for reply in replies {
            match &reply {
                Reply::Violated { program, .. } => {
                    let Some((symptom, found)) = symptom::of_reply(&reply) else { continue };
                    if state.told.contains(&symptom) {
                        continue;
                    }
                    state.told.push(symptom.clone());
                    if let Ok(case) = Case::read(program) {
                        tell(self.settle(assistant, state, (symptom, found), &case)?);
                    }
                }
                Reply::Progress { tried, checked, laws, .. } => {
                    let (tried_before, checked_before, laws_before) = &state.before;
                    idle = tried == tried_before;
                    state.tally.tried += tried - tried_before;
                    state.tally.checked += checked - checked_before;
                    for (law, count) in laws {
                        let before = laws_before.get(law).copied().unwrap_or(0);
                        *state.tally.counts.entry(law.clone()).or_default() += count - before;
                    }
                    state.before = (*tried, *checked, laws.clone());
                }
                Reply::Ready { .. } | Reply::Refused(_) => {}
            }
        }
        Ok(idle)
    }

    /// Finds out what a worker died of, and begins again; whether enough have died.
    fn died(
        &self,
        worker: &mut DomainWorker,
        assistant: &mut DomainWorker,
        state: &mut State,
        (death, input, words): (Death, Option<Vec<u8>>, String),
        tell: &mut dyn FnMut(DomainFinding),
    ) -> Result<bool, DomainError> {
        state.tally.deaths += 1;
        let symptom = Symptom::of_death(&death);
        if let (Some(input), false) = (input, state.told.contains(&symptom)) {
            let whole = case_of(&state.plan, state.shape, &state.tally.laws, &input);
            // One assertion is to blame; without it the whole input is shown.
            let mut guilty = whole.clone();
            for check in 0..whole.checks.len() {
                let slice = whole.slice(check);
                let heard = assistant.attempt(&slice.to_string(), true)?;
                if symptom.shown_by(&heard).is_some() {
                    guilty = slice;
                    break;
                }
            }
            let evidence =
                if words.is_empty() { death.to_string() } else { format!("{death}: {words}") };
            let found = Exhibit::of_death(&guilty, evidence);
            state.told.push(symptom.clone());
            tell(self.settle(assistant, state, (symptom, found), &guilty)?);
        }
        if state.tally.deaths >= DEATHS {
            return Ok(true);
        }
        state.plan.seed = state.plan.seed.wrapping_add(1);
        state.before = Default::default();
        begin(worker, &state.plan)?;
        Ok(false)
    }

    /// Confirms and reduces.
    fn settle(
        &self,
        worker: &mut DomainWorker,
        state: &State,
        (symptom, found): (Symptom, Exhibit),
        case: &Case,
    ) -> Result<DomainFinding, DomainError> {
        let mut shown = 0;
        for _ in 0..ROUNDS {
            let heard = worker.attempt(&found.program, true)?;
            shown += usize::from(symptom.shown_by(&heard).is_some());
        }
        let stability = Stability::of(shown);
        let reduced = match stability {
            Stability::Confirmed => symptom.reduce(worker, case, REDUCTION, self.patience)?,
            _ => None,
        };
        Ok(DomainFinding {
            target: worker.name().to_string(),
            symptom,
            stability,
            found,
            reduced,
            after: state.tally.spent,
            plan: state.plan.clone(),
        })
    }
}

/// Starts a worker; its shape and the laws that it will try.
fn begin(worker: &mut DomainWorker, plan: &Plan) -> Result<(Shape, Vec<String>), DomainError> {
    let name = worker.name().to_string();
    let trouble = |why: String| DomainError::Start { name: name.clone(), why };
    match worker.begin(plan)? {
        Heard::Replies(replies) => match replies.into_iter().next() {
            Some(Reply::Ready { shape, laws }) => match Shape::by_name(&shape) {
                Some(shape) => Ok((shape, laws)),
                None => Err(trouble(format!("`{shape}` is no shape"))),
            },
            other => Err(trouble(format!("it said {other:?}"))),
        },
        Heard::Died { words, death, .. } => {
            Err(trouble(if words.is_empty() { death.to_string() } else { words }))
        }
    }
}

/// Why a search failed.
#[derive(Debug, thiserror::Error)]
pub enum DomainError {
    /// The domain cannot be loaded.
    #[error("{name} cannot be started: {why}")]
    Start {
        /// Which.
        name: String,
        /// Why.
        why: String,
    },
    /// A failure of ours.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// A finding cannot be written.
    #[error("{path}: {source}")]
    Finding {
        /// Where.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The results cannot be written.
    #[error(transparent)]
    Store(#[from] crate::StoreError),
}

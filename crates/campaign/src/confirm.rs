//! Runs every candidate finding again, twice, each time in a fresh process.

use crate::kind::handling;
use assay_case::{
    Doubt, Evidence, Finding, FindingKind, Judgement, Severity, TestCase, judge, named,
};
use assay_target::{ByHand, HarnessError, Mode, Ran, Run, Target};
use std::sync::Arc;

/// The number of confirmation runs.
pub(crate) const ROUNDS: usize = 2;

named! {
    /// How reproducible a finding is.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Stability {
        /// Two fresh processes repeated it.
        Confirmed = "confirmed",
        /// One of two fresh processes repeated it: the target is not deterministic.
        Unstable = "unstable",
        /// No fresh process repeated it; only the long-lived session showed it, after other
        /// formulas.
        SessionOnly = "session-only",
        /// Findings of its kind are not run again (too slow, unknown, rejected).
        Single = "single",
    }
}

impl Stability {
    /// The stability of a finding that this number of fresh runs repeated.
    pub(crate) fn of(shown: usize) -> Stability {
        match shown {
            0 => Stability::SessionOnly,
            ROUNDS => Stability::Confirmed,
            _ => Stability::Unstable,
        }
    }
}

/// A run with its judgement, after confirmation.
#[derive(Clone, Debug)]
pub(crate) struct Settled {
    pub run: Run,
    pub judgement: Judgement,
    pub stability: Stability,
    /// The case with a truth that became known only from another target's answer.
    pub truth: Option<Arc<TestCase>>,
    /// The answers of other targets that are party to the finding.
    pub against: Vec<Opinion>,
    /// The finding that only the session showed.
    pub session: Option<Finding>,
}

/// Another target's answer to the same case.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Opinion {
    /// The target's full name.
    pub target: String,
    /// Its answer.
    pub answer: String,
    /// How to run it without assay on the same text.
    #[serde(default)]
    pub by_hand: Option<ByHand>,
    /// The options that it ran with in addition to the usual ones.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Settled {
    /// The law that a domain breaks, whether or not it claims to be exact.
    pub(crate) fn law(&self) -> Option<&str> {
        match &self.judgement {
            Judgement::Finding(Finding { evidence: Evidence::Law { law, .. }, .. })
            | Judgement::Inconclusive(Doubt::Soft { law, .. }) => Some(law),
            _ => None,
        }
    }

    /// Keeps the finding of the session if no fresh process repeated it.
    pub(crate) fn instead_of(self, found: Finding) -> Settled {
        let session = (self.stability == Stability::SessionOnly).then_some(found);
        Settled { session, ..self }
    }

    /// The result of a single run.
    pub(crate) fn new(run: Run, judgement: Judgement, stability: Stability) -> Settled {
        Settled { run, judgement, stability, truth: None, against: Vec::new(), session: None }
    }
}

/// Whether findings of this kind are usually run again. Timeouts, unknowns and rejections are
/// counted as they occur: repeating every timeout would triple the cost of a campaign and prove
/// nothing.
pub(crate) fn is_worth_confirming(kind: FindingKind) -> bool {
    kind.severity() >= Severity::Crash
        || matches!(
            kind,
            FindingKind::LargerCore
                | FindingKind::FalseAlarm
                | FindingKind::ImpreciseSat
                | FindingKind::OverlookedError
                | FindingKind::UnreadableAnswer
        )
}

/// Judges a run and, if it shows a finding, runs the case again. The truth is the case itself or
/// the same case with a truth that was learned later; the input is the same either way.
///
/// The answers of fresh processes count. A finding that only the session showed is replaced by
/// their answer; the stability records it.
pub(crate) fn settle(
    target: &mut dyn Target,
    case: &TestCase,
    truth: &TestCase,
    first: Run,
) -> Result<Settled, HarnessError> {
    let judgement = judge(truth, &first.observation).about(target.name());
    let found = match &judgement {
        Judgement::Finding(found) if handling(case.kind()).confirms(found.kind) => found.clone(),
        _ => return Ok(Settled::new(first, judgement, Stability::Single)),
    };
    let mut shown = Vec::new();
    let mut other = None;
    let mut rounds = 0;
    for _ in 0..ROUNDS {
        let Ran::Observed(run) = target.run(case, Mode::Fresh)? else { continue };
        rounds += 1;
        let judgement = judge(truth, &run.observation).about(target.name());
        if matches!(&judgement, Judgement::Finding(finding) if finding.kind == found.kind) {
            shown.push((*run, judgement));
        } else {
            other.get_or_insert((*run, judgement));
        }
    }
    // If confirmation was interrupted, nothing is known about stability.
    let stability = if rounds == ROUNDS { Stability::of(shown.len()) } else { Stability::Single };
    let (run, judgement) = shown.pop().or(other).unwrap_or((first, judgement));
    Ok(Settled::new(run, judgement, stability).instead_of(found))
}

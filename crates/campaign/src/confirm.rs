//! Every candidate finding is run again, twice, each time in a process of its own.

use crate::kind::handling;
use assay_case::{
    Doubt, Evidence, Finding, FindingKind, Judgement, Severity, TestCase, judge, named,
};
use assay_target::{ByHand, HarnessError, Mode, Ran, Run, Target};
use std::sync::Arc;

/// How often a finding is run again.
pub(crate) const ROUNDS: usize = 2;

named! {
    /// How firmly a finding stands.
    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Stability {
        /// Two fresh processes showed it too.
        Confirmed = "confirmed",
        /// One of two fresh processes showed it: the target is not deterministic.
        Unstable = "unstable",
        /// No fresh process showed it: only the long-lived one did, after other formulas.
        SessionOnly = "session-only",
        /// It is not of a kind that is run again (too slow, not known, not accepted).
        Single = "single",
    }
}

impl Stability {
    /// The stability of what so many of the fresh rounds showed.
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
    /// The case with a truth that became known only by what another target said.
    pub truth: Option<Arc<TestCase>>,
    /// What others said who are party to the finding.
    pub against: Vec<Opinion>,
}

/// What another target said about the same case.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Opinion {
    /// The target's full name.
    pub target: String,
    /// What it answered.
    pub answer: String,
    /// How somebody without us runs it on the text that it is given.
    #[serde(default)]
    pub by_hand: Option<ByHand>,
    /// The options that it ran with beside the usual ones.
    #[serde(default)]
    pub options: Vec<String>,
}

impl Settled {
    /// The law that a library of domains breaks, whether or not it claims to be exact.
    pub(crate) fn law(&self) -> Option<&str> {
        match &self.judgement {
            Judgement::Finding(Finding { evidence: Evidence::Law { law, .. }, .. })
            | Judgement::Inconclusive(Doubt::Soft { law, .. }) => Some(law),
            _ => None,
        }
    }

    /// What came of one run alone.
    pub(crate) fn new(run: Run, judgement: Judgement, stability: Stability) -> Settled {
        Settled { run, judgement, stability, truth: None, against: Vec::new() }
    }
}

/// Whether a finding of this kind is usually run again. Too slow, not known and not accepted are counted
/// as they come: repeating every timeout would triple the cost of a campaign and prove nothing.
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

/// Judges a run by a truth and, where it shows a finding, runs the case again. The truth is the
/// case itself, or what was learnt about it later: what is run is the same either way.
///
/// What counts afterwards is what fresh processes said: a finding that only the session showed
/// gives way to their answer, and is remembered as such by its stability.
pub(crate) fn settle(
    target: &mut dyn Target,
    case: &TestCase,
    truth: &TestCase,
    first: Run,
) -> Result<Settled, HarnessError> {
    let judgement = judge(truth, &first.observation).about(target.name());
    let kind = match &judgement {
        Judgement::Finding(finding) if handling(case.kind()).confirms(finding.kind) => finding.kind,
        _ => return Ok(Settled::new(first, judgement, Stability::Single)),
    };
    let mut shown = Vec::new();
    let mut other = None;
    let mut rounds = 0;
    for _ in 0..ROUNDS {
        let Ran::Observed(run) = target.run(case, Mode::Fresh)? else { continue };
        rounds += 1;
        let judgement = judge(truth, &run.observation).about(target.name());
        if matches!(&judgement, Judgement::Finding(finding) if finding.kind == kind) {
            shown.push((*run, judgement));
        } else {
            other.get_or_insert((*run, judgement));
        }
    }
    // Where nobody waited for all the rounds, nothing is said about how firmly it stands.
    let stability = if rounds == ROUNDS { Stability::of(shown.len()) } else { Stability::Single };
    let (run, judgement) = shown.pop().or(other).unwrap_or((first, judgement));
    Ok(Settled::new(run, judgement, stability))
}

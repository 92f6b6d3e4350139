//! Every candidate finding is run again, twice, each time in a process of its own.

use assay_case::{
    Doubt, Evidence, Finding, FindingKind, Judgement, Kind, Severity, TestCase, judge,
};
use assay_target::{ByHand, HarnessError, Mode, Ran, Run, Target};
use std::sync::Arc;

/// How often a finding is run again.
pub(crate) const ROUNDS: usize = 2;

/// How firmly a finding stands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stability {
    /// Two fresh processes showed it too.
    Confirmed,
    /// One of two fresh processes showed it: the target is not deterministic.
    Unstable,
    /// No fresh process showed it: only the long-lived one did, after other formulas.
    SessionOnly,
    /// It is not of a kind that is run again (too slow, not known, not accepted).
    Single,
}

impl Stability {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Stability::Confirmed => "confirmed",
            Stability::Unstable => "unstable",
            Stability::SessionOnly => "session-only",
            Stability::Single => "single",
        }
    }

    /// The stability of what so many of the fresh rounds showed.
    pub(crate) fn of(shown: usize) -> Stability {
        match shown {
            0 => Stability::SessionOnly,
            ROUNDS => Stability::Confirmed,
            _ => Stability::Unstable,
        }
    }

    /// The stability of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Stability> {
        [Stability::Confirmed, Stability::Unstable, Stability::SessionOnly, Stability::Single]
            .into_iter()
            .find(|stability| stability.name() == name)
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

/// Whether a finding is run again. Too slow, not known and not accepted are counted as they come:
/// repeating every timeout would triple the cost of a campaign and prove nothing. A library of domains
/// is searched for a long time and shows little, so that all of it is run again.
fn needs_confirmation(subject: Kind, kind: FindingKind) -> bool {
    match subject {
        Kind::Trace => true,
        Kind::Formula | Kind::Program | Kind::Rewrite => {
            kind.severity() >= Severity::Crash
                || matches!(
                    kind,
                    FindingKind::LargerCore
                        | FindingKind::FalseAlarm
                        | FindingKind::OverlookedError
                        | FindingKind::UnreadableAnswer
                )
        }
    }
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
        Judgement::Finding(finding) if needs_confirmation(case.kind(), finding.kind) => {
            finding.kind
        }
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

//! Every candidate finding is run again, twice, each time in a process of its own.

use assay_case::{FindingKind, Judgement, Severity, TestCase, judge};
use assay_target::{HarnessError, Mode, Ran, Run, Target};

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

    /// The stability of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Stability> {
        [Stability::Confirmed, Stability::Unstable, Stability::SessionOnly, Stability::Single]
            .into_iter()
            .find(|stability| stability.name() == name)
    }
}

/// A run with its judgement, after confirmation.
pub(crate) struct Settled {
    pub run: Run,
    pub judgement: Judgement,
    pub stability: Stability,
}

/// Whether a finding of this kind is run again. Too slow, not known and not accepted are counted as
/// they come: repeating every timeout would triple the cost of a campaign and prove nothing.
fn needs_confirmation(kind: FindingKind) -> bool {
    kind.severity() >= Severity::Crash || kind == FindingKind::LargerCore
}

/// Judges a run and, where it shows a finding, runs the case again.
///
/// What counts afterwards is what fresh processes said: a finding that only the session showed
/// gives way to their answer, and is remembered as such by its stability.
pub(crate) fn settle(
    target: &mut dyn Target,
    case: &TestCase,
    first: Run,
) -> Result<Settled, HarnessError> {
    let judgement = judge(case, &first.observation);
    let kind = match &judgement {
        Judgement::Finding(finding) if needs_confirmation(finding.kind) => finding.kind,
        _ => return Ok(Settled { run: first, judgement, stability: Stability::Single }),
    };
    let mut shown = Vec::new();
    let mut other = None;
    for _ in 0..2 {
        let Ran::Observed(run) = target.run(case, Mode::Fresh)? else { continue };
        let judgement = judge(case, &run.observation);
        if matches!(&judgement, Judgement::Finding(finding) if finding.kind == kind) {
            shown.push((*run, judgement));
        } else {
            other.get_or_insert((*run, judgement));
        }
    }
    let stability = match shown.len() {
        2 => Stability::Confirmed,
        1 => Stability::Unstable,
        _ => Stability::SessionOnly,
    };
    let (run, judgement) = shown.pop().or(other).unwrap_or((first, judgement));
    Ok(Settled { run, judgement, stability })
}

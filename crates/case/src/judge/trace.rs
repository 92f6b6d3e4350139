//! Judges libraries of abstract domains on traces: whether the laws hold.

use super::{certain, failure, foreign};
use crate::answer::Expected;
use crate::answer::{Answer, Breach, Exactness};
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::kind::Test;
use crate::observation::Observation;
use crate::oracle::Grade;
use crate::subject::TraceTest;

impl Test for TraceTest {
    fn text(&self) -> &str {
        &self.text
    }

    /// Every law that a trace asserts holds.
    fn expected(&self) -> Expected {
        Expected::Law
    }

    fn grade(&self) -> Option<Grade> {
        Some(Grade::Certified)
    }

    fn why(&self) -> Option<String> {
        Some("a library of domains neither crashes nor hangs nor floods its output".to_owned())
    }

    fn judge(&self, seen: &Observation) -> Judgement {
        laws(seen)
    }
}

/// Compares a library's results with the laws of the trace.
fn laws(seen: &Observation) -> Judgement {
    let violation = match &seen.answer {
        Answer::Holds => return Judgement::Correct,
        Answer::Violated(violation) => violation,
        // The premises of the laws did not hold: nothing was tested.
        Answer::Unknown(reason) => {
            return Judgement::Inconclusive(Doubt::Void(reason.clone().unwrap_or_default()));
        }
        other => {
            let failure = failure(Some(Grade::Certified), seen);
            return failure.unwrap_or_else(|| foreign(other));
        }
    };
    let evidence = violation.evidence.clone();
    if violation.claim == Exactness::MayBeImprecise {
        return Judgement::Inconclusive(Doubt::Soft { law: violation.law.clone(), evidence });
    }
    let kind = match violation.breach {
        Breach::Unsound => FindingKind::Unsound,
        Breach::Imprecise => FindingKind::Imprecise,
        Breach::Divergent => FindingKind::Divergent,
    };
    certain(kind, Evidence::Law { law: violation.law.clone(), evidence })
}

//! Analyzers on C programs: whether the error can be reached.

use super::{failure, foreign, found};
use crate::answer::Answer;
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::observation::Observation;
use crate::oracle::Reach;
use crate::subject::ProgramTest;

/// Compares what an analyzer said with the truth about a program.
pub(super) fn judge(test: &ProgramTest, seen: &Observation) -> Judgement {
    if let Some(judgement) = failure(test.truth.grade(), seen) {
        return judgement;
    }
    let kind = match (&seen.answer, &test.truth) {
        (
            Answer::Sat
            | Answer::Unsat
            | Answer::Holds
            | Answer::Violated(_)
            | Answer::Rewritten(_),
            _,
        ) => return foreign(&seen.answer),
        (_, Reach::Open) => return Judgement::Inconclusive(Doubt::NoTruth),
        (Answer::Unreachable, Reach::Reachable(_)) => FindingKind::MissedError,
        (Answer::Silent, Reach::Reachable(_)) => FindingKind::OverlookedError,
        (Answer::Reachable, Reach::Unreachable(_)) => FindingKind::FalseError,
        (Answer::Alarm, Reach::Unreachable(_)) => FindingKind::FalseAlarm,
        _ => return Judgement::Correct,
    };
    let (truth, why) = match &test.truth {
        Reach::Reachable(why) => ("reachable", why),
        Reach::Unreachable(why) => ("unreachable", why),
        Reach::Open => return Judgement::Inconclusive(Doubt::NoTruth),
    };
    found(kind, why.grade(), Evidence::Truth(format!("{truth}, {why}")))
}

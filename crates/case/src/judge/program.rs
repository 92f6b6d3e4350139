//! Judges analyzers on C programs: whether the error is reachable.

use super::{failure, foreign, found};
use crate::answer::Answer;
use crate::answer::Expected;
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::kind::Test;
use crate::observation::Observation;
use crate::oracle::{Claim, Grade, Reach, Why};
use crate::subject::ProgramTest;

impl Test for ProgramTest {
    fn text(&self) -> &str {
        &self.program.text
    }

    fn expected(&self) -> Expected {
        match self.truth {
            Reach::Reachable(_) => Expected::Reachable,
            Reach::Unreachable(_) => Expected::Unreachable,
            Reach::Open => Expected::Open,
        }
    }

    fn grade(&self) -> Option<Grade> {
        self.truth.grade()
    }

    fn why(&self) -> Option<String> {
        self.truth.why().map(ToString::to_string)
    }

    fn claim(&self) -> Option<&Claim> {
        self.truth.why().and_then(Why::claim)
    }

    fn judge(&self, seen: &Observation) -> Judgement {
        failure(self.grade(), seen).unwrap_or_else(|| verdict(&self.truth, &seen.answer))
    }
}

/// Compares an analyzer's answer with the truth about a program.
fn verdict(truth: &Reach, answer: &Answer) -> Judgement {
    let is_ours =
        matches!(answer, Answer::Reachable | Answer::Alarm | Answer::Unreachable | Answer::Silent);
    if !is_ours {
        return foreign(answer);
    }
    let kind = match (answer, truth) {
        (_, Reach::Open) => return Judgement::Inconclusive(Doubt::NoTruth),
        (Answer::Unreachable, Reach::Reachable(_)) => FindingKind::MissedError,
        (Answer::Silent, Reach::Reachable(_)) => FindingKind::OverlookedError,
        (Answer::Reachable, Reach::Unreachable(_)) => FindingKind::FalseError,
        (Answer::Alarm, Reach::Unreachable(_)) => FindingKind::FalseAlarm,
        _ => return Judgement::Correct,
    };
    let (word, why) = match truth {
        Reach::Reachable(why) => ("reachable", why),
        Reach::Unreachable(why) => ("unreachable", why),
        Reach::Open => return Judgement::Inconclusive(Doubt::NoTruth),
    };
    found(kind, why.grade(), Evidence::Truth(format!("{word}, {why}")))
}

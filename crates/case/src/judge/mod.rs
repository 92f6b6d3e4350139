//! The judge: the only place where an answer is compared with a truth.
//!
//! A finding is made only if it is certain. What a tool proves by itself (a valid model) outranks
//! our truth; what cannot be read or evaluated decides nothing. A right verdict with an unreadable
//! model, core or objectives is not called correct. Each kind of subject has a module of its own.

mod compare;
mod core;
mod formula;
mod optimum;
mod program;
mod rewrite;
mod synthesis;
mod trace;

pub use compare::{Comparison, Statement, compare, contradicts, outvoted, refutation};
pub use rewrite::assignment;

use crate::answer::Answer;
use crate::finding::{Doubt, Evidence, Finding, FindingKind, Judgement, Severity};
use crate::observation::{Observation, Size};
use crate::oracle::Grade;
use crate::test_case::TestCase;

/// Compares a tool's answer with the truth.
#[must_use]
pub fn judge(case: &TestCase, seen: &Observation) -> Judgement {
    let judgement = case.subject().test().judge(seen);
    let worse = match &judgement {
        Judgement::Correct | Judgement::Inconclusive(_) => false,
        Judgement::Finding(finding) => finding.severity() >= Severity::Crash,
        Judgement::OracleContradicted(_) => true,
    };
    match &seen.crash_after {
        Some(signature) if !worse => {
            certain(FindingKind::Crash, Evidence::Crash(signature.clone()))
        }
        _ => judgement,
    }
}

/// The judgement of an answer without a verdict, for any subject; `None` for a verdict. The grade
/// is that of the truth, if known.
pub(crate) fn failure(truth: Option<Grade>, seen: &Observation) -> Option<Judgement> {
    let elapsed = Evidence::Elapsed(seen.elapsed);
    Some(match &seen.answer {
        Answer::Unknown(reason) => match truth {
            Some(grade) => {
                let words = reason.clone().unwrap_or_else(|| "no reason is given".into());
                found(FindingKind::Unknown, grade, Evidence::Message(words))
            }
            None => Judgement::Inconclusive(match reason {
                Some(reason) => Doubt::Undecided(reason.clone()),
                None => Doubt::NoTruth,
            }),
        },
        Answer::Timeout => certain(FindingKind::Timeout, elapsed),
        Answer::OutOfMemory => {
            let limit = seen.memory_limit.map(|bytes| Evidence::MemoryLimit(Size(bytes)));
            certain(FindingKind::OutOfMemory, limit.unwrap_or(elapsed))
        }
        Answer::Flood(words) => certain(FindingKind::Flood, Evidence::Message(words.clone())),
        Answer::Crash(signature) => certain(FindingKind::Crash, Evidence::Crash(signature.clone())),
        Answer::Rejected(message) => {
            certain(FindingKind::Rejected, Evidence::Message(message.clone()))
        }
        // A tool that prints nonsense may have a bug, but so may our reader: no finding.
        Answer::Garbled(excerpt) => Judgement::Inconclusive(Doubt::Garbled(excerpt.clone())),
        // A verdict, which each kind judges itself.
        _ => return None,
    })
}

/// A verdict about another kind of subject: a mistake of assay's, not a finding.
pub(crate) fn foreign(answer: &Answer) -> Judgement {
    let words = format!("`{answer}` is not an answer about a subject of this kind");
    Judgement::Inconclusive(Doubt::Garbled(words))
}

pub(crate) fn found(kind: FindingKind, grade: Grade, evidence: Evidence) -> Judgement {
    Judgement::Finding(Finding { kind, grade, evidence })
}

/// A finding that rests on no oracle.
pub(crate) fn certain(kind: FindingKind, evidence: Evidence) -> Judgement {
    found(kind, Grade::Certified, evidence)
}

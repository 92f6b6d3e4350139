//! The columns of the papers' table: each judged case falls into exactly one.

use crate::kind::{handling, profile};
use assay_case::{Answer, FindingKind, Judgement, Kind};

/// The outcome of one case on one target.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Outcome {
    /// The answer is sat, and its model falsifies an assertion.
    IncorrectModel,
    /// The answer is unsat, and its core is wrong or larger than the minimal one.
    IncorrectCore,
    /// The answer is sat, or that an error may be reached.
    Sat,
    /// The answer is unsat, or no error is reported.
    Unsat,
    /// The answer is unknown.
    Unknown,
    /// A timeout.
    Timeout,
    /// A crash, memory exhaustion, or an unreadable answer.
    Error,
    /// Not run: the target lacks a feature that the case needs.
    Skipped,
    /// In every check, the law holds, or a term and its result have the same value.
    Holds,
    /// The law is violated, or the values differ.
    Violated,
    /// A verdict with an unreadable model, core or objectives, or a result that cannot be compared.
    Unreadable,
    /// A rejected input that nothing explains: the case should not have been given to the target, or the
    /// target has a bug.
    Rejected,
}

impl Outcome {
    /// Every outcome with its stable name and the heading of its column.
    pub const ALL: [(Outcome, &'static str, &'static str); 12] = [
        (Outcome::IncorrectModel, "incorrect-model", "IM"),
        (Outcome::IncorrectCore, "incorrect-core", "IC"),
        (Outcome::Sat, "sat", "S"),
        (Outcome::Unsat, "unsat", "U"),
        (Outcome::Unknown, "unknown", "K"),
        (Outcome::Timeout, "timeout", "T"),
        (Outcome::Error, "error", "E"),
        (Outcome::Skipped, "skipped", "–"),
        (Outcome::Holds, "holds", "H"),
        (Outcome::Violated, "violated", "V"),
        (Outcome::Unreadable, "unreadable", "UR"),
        (Outcome::Rejected, "rejected", "R"),
    ];

    /// The column for an answer about a subject of this kind, given its judgement.
    #[must_use]
    pub fn of(kind: Kind, answer: &Answer, judgement: &Judgement) -> Outcome {
        if let Judgement::Finding(finding) = judgement {
            match finding.kind {
                FindingKind::Crash => return Outcome::Error,
                FindingKind::UnreadableAnswer => return Outcome::Unreadable,
                _ => {}
            }
        }
        handling(kind).outcome(answer, judgement).unwrap_or(match answer {
            Answer::Unknown(_) => Outcome::Unknown,
            Answer::Timeout => Outcome::Timeout,
            Answer::Rejected(_) => Outcome::Rejected,
            _ => Outcome::Error,
        })
    }

    /// Its number in the store.
    #[must_use]
    pub fn code(self) -> u8 {
        self as u8
    }

    /// The outcome with this number.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Outcome> {
        Outcome::ALL.get(usize::from(code)).map(|row| row.0)
    }

    /// Its stable name, for subjects of this kind.
    #[must_use]
    pub fn name(self, kind: Kind) -> &'static str {
        self.words(kind).1
    }

    /// The heading of its column, for subjects of this kind.
    #[must_use]
    pub fn heading(self, kind: Kind) -> &'static str {
        self.words(kind).2
    }

    fn words(self, kind: Kind) -> (Outcome, &'static str, &'static str) {
        let renamed = profile(kind).renamed.iter().find(|row| row.0 == self);
        renamed.copied().unwrap_or(Outcome::ALL[self as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_rows_agree() {
        for (position, (outcome, name, heading)) in Outcome::ALL.into_iter().enumerate() {
            assert_eq!(usize::from(outcome.code()), position);
            assert_eq!(Outcome::from_code(outcome.code()), Some(outcome));
            let formula = Kind::Formula;
            assert_eq!((outcome.name(formula), outcome.heading(formula)), (name, heading));
        }
        assert_eq!(Outcome::from_code(12), None);
        assert_eq!(Outcome::Sat.name(Kind::Program), "alarm");
    }
}

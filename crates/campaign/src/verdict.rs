//! The result of a case on a target, as events and rows.

use crate::confirm::Stability;
use crate::outcome::Outcome;
use crate::rows::{Shows, Stored};
use assay_case::{Answer, CaseId, Expected, Judgement, ProofReport};
use std::path::PathBuf;
use std::time::Duration;

/// A finished case on a target.
#[derive(Clone, Debug)]
pub struct Judged {
    /// The case's place in the campaign.
    pub ordinal: u64,
    /// The case within its suite.
    pub id: CaseId,
    /// The case's name.
    pub case: String,
    /// The index of the target.
    pub target: usize,
    /// The verdict.
    pub verdict: Verdict,
}

/// The result of a case on a target.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// It was run.
    Ran {
        /// The right answer.
        expected: Expected,
        /// The answer.
        answer: Answer,
        /// Its column in the table.
        outcome: Outcome,
        /// The judgement.
        judgement: Judgement,
        /// How reproducible it is.
        stability: Stability,
        /// The target's time.
        elapsed: Duration,
        /// The folder of the finding.
        folder: Option<PathBuf>,
        /// The steps of its proof, if one was asked for.
        proof: Option<Box<ProofReport>>,
    },
    /// It was given up early, and waits for the whole time limit.
    Waiting {
        /// The right answer.
        expected: Expected,
        /// When it was given up.
        elapsed: Duration,
    },
    /// It was not run, for this reason.
    Skipped(String),
    /// It was not run: assay failed to generate it.
    Fault {
        /// The failure.
        words: String,
        /// The folder of the fault.
        folder: PathBuf,
    },
}

impl Verdict {
    /// How long the target took.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        match self {
            Verdict::Ran { elapsed, .. } | Verdict::Waiting { elapsed, .. } => *elapsed,
            Verdict::Skipped(_) | Verdict::Fault { .. } => Duration::ZERO,
        }
    }

    /// Whether this is a finding to report to the tool's developers.
    #[must_use]
    pub fn is_finding(&self) -> bool {
        matches!(
            self,
            Verdict::Ran { judgement: Judgement::Finding(_), stability, .. }
                if *stability != Stability::Single
        )
    }
}

impl From<Judged> for Stored {
    fn from(judged: Judged) -> Stored {
        let Judged { ordinal, id, target, verdict, .. } = judged;
        let expected = match &verdict {
            Verdict::Ran { expected, .. } | Verdict::Waiting { expected, .. } => Some(*expected),
            Verdict::Skipped(_) | Verdict::Fault { .. } => None,
        };
        let (outcome, elapsed, shows, detail) = match verdict {
            Verdict::Skipped(reason) => {
                (Outcome::Skipped, Duration::ZERO, Shows::Nothing, Some(reason))
            }
            Verdict::Waiting { elapsed, .. } => {
                (Outcome::Timeout, elapsed, Shows::Waiting, Some(given_up(elapsed)))
            }
            Verdict::Fault { words, .. } => {
                let first = words.lines().next().unwrap_or_default();
                let detail = Some(format!("a fault of ours: {first}"));
                (Outcome::Skipped, Duration::ZERO, Shows::Contradiction, detail)
            }
            Verdict::Ran { answer, outcome, judgement, stability, elapsed, .. } => {
                let (shows, detail) = match judgement {
                    Judgement::Correct => (Shows::Nothing, None),
                    Judgement::Inconclusive(doubt) => (Shows::Doubt, Some(doubt.to_string())),
                    Judgement::Finding(finding) => {
                        let shows = Shows::Finding(finding.kind, finding.grade, stability);
                        (shows, Some(finding.evidence.to_string()))
                    }
                    Judgement::OracleContradicted(how) => {
                        (Shows::Contradiction, Some(how.to_string()))
                    }
                };
                // The words of an answer without a verdict explain the row better than nothing.
                let said = || answer.words().map(|_| answer.to_string());
                (outcome, elapsed, shows, detail.or_else(said))
            }
        };
        Stored { target, ordinal, id, expected, outcome, elapsed, shows, detail }
    }
}

/// The detail of a case that was given up before the time limit.
#[must_use]
pub fn given_up(elapsed: Duration) -> String {
    format!("gave up after {:.2} s", elapsed.as_secs_f64())
}

//! Reductions of what a campaign found: who tests the candidates of each kind of subject, with which
//! tools, and what came of it. The search itself is that of [`assay_search`].

mod command;
mod domain;
mod formula;
mod program;

pub use command::{CommandBench, Expected, Stream};
pub use domain::reduce_domain;
pub use formula::{FormulaBench, Trace};
pub use program::{ProgramBench, ProgramSource};

use assay_case::{FindingKind, TestCase};
use assay_reduce::Size;
use assay_search::{Counts, Refusal};
use assay_target::{HarnessError, NativeError};
use std::fmt;

/// How large a subject is, in the measure of its kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Measure {
    /// A formula.
    Script(Size),
    /// A program of any kind.
    Lines(usize),
}

impl Measure {
    /// The lines of a text.
    #[must_use]
    pub fn lines(text: &str) -> Measure {
        Measure::Lines(text.lines().count())
    }
}

impl fmt::Display for Measure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measure::Script(size) => size.fmt(f),
            Measure::Lines(1) => write!(f, "1 line"),
            Measure::Lines(lines) => write!(f, "{lines} lines"),
        }
    }
}

/// How long a reduction may go on, and who hears of its progress.
pub struct Watch<'w> {
    /// Whether no more may be tested.
    pub stop: &'w dyn Fn() -> bool,
    /// Hears of events.
    pub tell: &'w mut dyn FnMut(Event),
}

/// What happens in the course of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Something smaller was found.
    Smaller(Counts, Measure),
    /// The finding does not show in a session, for this reason: each test has a process of its own.
    NoSession(String),
    /// Mutations that the finding does not need were undone.
    Undone {
        /// How many.
        steps: usize,
        /// Of how many.
        of: usize,
        /// With how many tests.
        tests: usize,
    },
}

/// What came of a reduction, whatever was reduced.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The text of the reduced subject.
    pub text: String,
    /// How large it was.
    pub before: Measure,
    /// How large it is.
    pub after: Measure,
    /// What was done.
    pub counts: Counts,
    /// Whether it was stopped before nothing smaller was left to try.
    pub stopped: bool,
    /// What the target shows about it.
    pub kind: Option<FindingKind>,
    /// The case with its truth, where it is one that a target is judged by.
    pub case: Option<TestCase>,
}

/// Why nothing was reduced.
#[derive(Debug, thiserror::Error)]
pub enum ReductionError {
    /// A failure of ours.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// No program can be executed.
    #[error(transparent)]
    Native(#[from] NativeError),
    /// There is nothing to search for.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// The script cannot be read.
    #[error(transparent)]
    Script(#[from] assay_reduce::ReduceError),
    /// The target does not show what is to be kept.
    #[error("{0}")]
    NotShown(String),
    /// Only a model would prove the target wrong.
    #[error("{0}; its truth rests on a model: give one with --model FILE")]
    NoModel(String),
}

//! Reductions of what a campaign found: who tests the candidates of each kind of subject, with which
//! tools, and what came of it. The search itself is that of [`assay_search`].

mod command;
mod domain;
mod formula;
mod program;
mod rewrite;

pub use command::{CommandBench, Expectation, Stream};
pub(crate) use domain::reduce_trace;
pub(crate) use formula::reduce_formula;
pub(crate) use program::reduce_program;
pub(crate) use rewrite::reduce_claim;

use crate::domains::DomainError;
use crate::folder::{FindingRecord, FolderError};
use crate::tool::{Tool, ToolError, Toolbox};
use assay_case::{FindingKind, MakeError, TestCase};
use assay_program::Programs;
use assay_reduce::Size;
use assay_search::{Counts, Refusal};
use assay_target::{HarnessError, NativeError, Settings};
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A case to be reduced, and what shows that it still is what it was.
pub struct Job<'j> {
    /// The case with its truth.
    pub case: TestCase,
    /// The finding's folder, or the file.
    pub what: &'j Path,
    /// The record of the folder.
    pub record: Option<&'j FindingRecord>,
    /// The kind of finding that is kept; `None` for whatever the target shows.
    pub kind: Option<FindingKind>,
    /// The tools that show it; the first is the one that it is about, the others contradict it.
    pub tools: &'j [Tool],
    /// What finds further tools.
    pub toolbox: Toolbox<'j>,
    /// The suite of C programs that made the case, if it is one of those.
    pub programs: Option<Programs>,
    /// Whether solvers are asked about candidates whose truth is lost; `None` if there are some.
    pub agreement: Option<bool>,
    /// How targets are run.
    pub settings: Settings,
    /// How many candidates are tested at the same time.
    pub jobs: usize,
    /// Whether the result belongs into the finding's folder.
    pub in_folder: bool,
}

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
    /// No more is tested after this.
    pub end: Option<Instant>,
    /// Hears of events.
    pub tell: &'w mut dyn FnMut(Event),
}

/// Whether no more may be tested.
fn is_over(end: Option<Instant>) -> bool {
    end.is_some_and(|end| Instant::now() >= end)
}

/// What happens in the course of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Something smaller was found.
    Smaller(Counts, Measure),
    /// A tool is missing and is installed, in words.
    Installing(String),
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
    /// The mutations that are left, of a mutant.
    pub trace: Option<Vec<String>>,
    /// What these mutations are applied to, if the seeds are still where they were.
    pub seed: Option<String>,
    /// The folder that shows the result, where the reduction has written it.
    pub folder: Option<PathBuf>,
    /// What shows the finding, in words; `None` if the truth of the case does.
    pub evidence: Option<String>,
}

impl Reduction {
    /// What came of a text, about which nothing else is known.
    fn new(text: &str, before: Measure, after: Measure, counts: Counts) -> Reduction {
        Reduction {
            text: text.to_owned(),
            before,
            after,
            counts,
            stopped: false,
            kind: None,
            case: None,
            trace: None,
            seed: None,
            folder: None,
            evidence: None,
        }
    }
}

/// Why nothing was reduced.
#[derive(Debug, thiserror::Error)]
pub enum ReductionError {
    /// A failure of ours.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// There is no such tool.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The finding's folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The case cannot be made again.
    #[error(transparent)]
    Make(#[from] MakeError),
    /// A domain cannot be run, or its finding cannot be written.
    #[error(transparent)]
    Domain(#[from] DomainError),
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

//! Reductions of a campaign's findings: which tools test the candidates of each kind of subject,
//! and the results. The search itself is in [`assay_search`].

mod answered;
mod command;
mod domain;
mod formula;
mod program;
mod rewrite;
mod synthesis;

pub use command::{CommandBench, Expectation, Stream};
pub(crate) use domain::reduce_trace;
pub(crate) use formula::{agreed_unsat, reduce_formula};
pub(crate) use program::reduce_program;
pub(crate) use rewrite::reduce_claim;
pub(crate) use synthesis::reduce_task;

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
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// A case to reduce, and how to check that it still shows the finding.
pub struct Job<'j> {
    /// The case with its truth.
    pub case: TestCase,
    /// The finding's folder, or the file.
    pub what: &'j Path,
    /// The record of the folder.
    pub record: Option<&'j FindingRecord>,
    /// The kind of finding to keep; `None` for any.
    pub kind: Option<FindingKind>,
    /// The tools that show it: the first is the target, the others contradict it.
    pub tools: &'j [Tool],
    /// The toolbox that finds further tools.
    pub toolbox: Toolbox<'j>,
    /// The suite of C programs that generated the case, if one did.
    pub programs: Option<Programs>,
    /// Whether solvers are asked about candidates whose truth is lost; `None` if some are
    /// available.
    pub agreement: Option<bool>,
    /// How targets are run.
    pub settings: Settings,
    /// The number of candidates that are tested in parallel.
    pub jobs: usize,
    /// Whether the result is written into the finding's folder.
    pub in_folder: bool,
}

/// The size of a subject, in the measure of its kind.
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

/// The deadline of a reduction, and a callback for its progress.
pub struct Watch<'w> {
    /// When nothing more is tested.
    pub end: End<'w>,
    /// Receives events.
    pub tell: &'w mut dyn FnMut(Event),
}

/// When work ends.
#[derive(Clone, Copy, Default)]
pub struct End<'e> {
    /// After this time.
    pub at: Option<Instant>,
    /// When this is set.
    pub stop: Option<&'e AtomicBool>,
}

impl End<'_> {
    /// Whether it is time.
    #[must_use]
    pub fn is_over(self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.at.is_some_and(|at| Instant::now() >= at)
    }
}

/// Events in the course of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Event {
    /// Something smaller was found.
    Smaller(Counts, Measure),
    /// A missing tool is being installed; a description.
    Installing(String),
    /// The finding does not show in a session, for this reason: each test gets a fresh process.
    NoSession(String),
    /// Mutations that the finding does not need were undone.
    Undone {
        /// The number of undone mutations.
        steps: usize,
        /// The number of all mutations.
        of: usize,
        /// The number of tests.
        tests: usize,
    },
}

/// The result of a reduction of any subject.
#[derive(Clone, Debug)]
pub struct Reduction {
    /// The text of the reduced subject.
    pub text: String,
    /// Its original size.
    pub before: Measure,
    /// Its reduced size.
    pub after: Measure,
    /// The counts of the search.
    pub counts: Counts,
    /// Whether the reduction stopped before it had tried everything.
    pub stopped: bool,
    /// The finding that the target shows on it.
    pub kind: Option<FindingKind>,
    /// The case with its truth, if targets can be judged by it.
    pub case: Option<TestCase>,
    /// The remaining mutations, if it is a mutant.
    pub trace: Option<Vec<String>>,
    /// The formula that these mutations are applied to, if the seeds still exist.
    pub seed: Option<String>,
    /// The folder with the result, if the reduction wrote one.
    pub folder: Option<PathBuf>,
    /// The evidence for the finding, in words; `None` if the truth of the case is evidence enough.
    pub evidence: Option<String>,
}

impl Reduction {
    /// A result without anything but its text.
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
    /// A failure of assay itself.
    #[error(transparent)]
    Harness(#[from] HarnessError),
    /// The tool does not exist.
    #[error(transparent)]
    Tool(#[from] ToolError),
    /// The finding's folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// The case cannot be generated again.
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
    /// The target does not show the finding to keep.
    #[error("{0}")]
    NotShown(String),
    /// Only a model would prove the target wrong.
    #[error("{0}; its truth rests on a model: give one with --model FILE")]
    NoModel(String),
}

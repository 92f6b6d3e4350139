//! Failures of assay itself while running a tool. They say nothing about the tool.

use std::io;
use std::path::PathBuf;

/// A failure of assay itself, never a finding about the tool under test.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The keeper could not be started.
    #[error("cannot start the keeper of processes `{}`: {source}", program.display())]
    Keeper {
        /// The keeper's program.
        program: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// The keeper ended or stopped answering while it was needed. The next job gets a new one.
    #[error("the keeper of processes was lost while {doing}: {source}")]
    Lost {
        /// The current activity.
        doing: &'static str,
        /// The observed error.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("cannot start `{}`: {why}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// The reason.
        why: String,
    },
    /// This machine lacks the requested containment.
    #[error("cannot contain processes as asked: {why}")]
    Containment {
        /// What is missing.
        why: String,
    },
    /// A pipe to or from the process failed.
    #[error("cannot {doing} the process: {source}")]
    Pipe {
        /// The intended operation.
        doing: &'static str,
        /// The reason.
        source: io::Error,
    },
}

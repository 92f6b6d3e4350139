//! Failures of ours while running a tool. None of them says anything about the tool.

use std::io;
use std::path::PathBuf;

/// A failure of ours, never a finding about the tool under test.
#[derive(Debug, thiserror::Error)]
pub enum HarnessError {
    /// The keeper could not be started.
    #[error("cannot start the keeper of processes `{}`: {source}", program.display())]
    Keeper {
        /// The program that was to be the keeper.
        program: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The keeper ended or stopped answering while it was needed. The next job gets a new one.
    #[error("the keeper of processes was lost while {doing}: {source}")]
    Lost {
        /// What was going on.
        doing: &'static str,
        /// What was seen.
        source: io::Error,
    },
    /// The program could not be started.
    #[error("cannot start `{}`: {why}", program.display())]
    Program {
        /// The program.
        program: PathBuf,
        /// Why not.
        why: String,
    },
    /// A way of containment was asked for that this machine does not offer.
    #[error("cannot contain processes as asked: {why}")]
    Containment {
        /// What is missing.
        why: String,
    },
    /// A pipe to or from the process failed.
    #[error("cannot {doing} the process: {source}")]
    Pipe {
        /// What was to be done.
        doing: &'static str,
        /// Why it failed.
        source: io::Error,
    },
}

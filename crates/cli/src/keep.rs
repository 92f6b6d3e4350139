//! The hidden subcommand that is a keeper of processes: `assay` starts itself with it.

use std::process::ExitCode;

/// Keeps processes for the worker at standard input until it leaves. Prints nothing.
pub(crate) fn run() -> ExitCode {
    assay_target::process::keep()
}

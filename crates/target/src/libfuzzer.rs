//! Finds the worker that has libFuzzer as its engine: a program of its own, because libFuzzer and
//! its coverage are linked into the code that it drives.

use crate::install::{is_program, on_path};
use std::path::PathBuf;

/// Names the program.
pub const VARIABLE: &str = "ASSAY_LIBFUZZER";

/// The program's name, next to assay and on the search path.
pub const PROGRAM: &str = "assay-libfuzzer";

/// Why there is no such worker.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum NoLibfuzzer {
    /// It was not built.
    #[error(
        "no {PROGRAM} beside assay or on the search path; build it with fuzz/engine in assay's \
         sources, or use --engine guided, which needs no other program"
    )]
    Absent,
    /// The variable names something else.
    #[error("{VARIABLE} names {}, which is no program; build one with fuzz/engine", .0.display())]
    NotAProgram(PathBuf),
}

/// The program: the one that the variable names, otherwise one next to assay, otherwise one on the
/// search path.
///
/// # Errors
/// If there is none.
pub fn libfuzzer() -> Result<PathBuf, NoLibfuzzer> {
    if let Some(named) = std::env::var_os(VARIABLE).map(PathBuf::from) {
        let program = std::path::absolute(&named).ok().filter(|path| is_program(path));
        return program.ok_or(NoLibfuzzer::NotAProgram(named));
    }
    let beside = std::env::current_exe().ok().map(|assay| assay.with_file_name(PROGRAM));
    beside.filter(|path| is_program(path)).or_else(|| on_path(PROGRAM)).ok_or(NoLibfuzzer::Absent)
}

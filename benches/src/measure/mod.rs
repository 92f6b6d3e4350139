//! Runs the readers and keeps what was seen: times, peak memory, and whether input was lost.
//!
//! [`race`] first starts this program again for each reader (`read --one READER FILE`): the child's
//! peak memory is the reader's, and only a reader that survives the file there takes part in the
//! repetitions inside this process. Formats nothing; `table` does.

mod child;

pub use child::{Stage, tell_trial};

use crate::readers::{Reader, Retention, Script, all};
use crate::scan::{Contents, ScanError, scan};
use child::in_child;
use rustix::time::{ClockId, clock_gettime};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// The two times of one read, in processor time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// From text to finished result.
    pub read: Duration,
    /// From finished result to nothing.
    pub free: Duration,
}

/// What a first read in a fresh process showed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Trial {
    /// Its times.
    pub times: Times,
    /// How many commands the result held.
    pub commands: usize,
    /// How many atoms the result prints, where it can be printed.
    pub atoms: Option<usize>,
    /// Peak resident memory with only the text loaded, in KiB, where the system tells.
    pub before_kib: Option<u64>,
    /// Peak resident memory once the result was finished, in KiB.
    pub peak_kib: Option<u64>,
}

/// Why a reader has no times.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum Failure {
    /// The reader reported an error.
    #[error("rejects: {0}")]
    Rejected(String),
    /// The reader reported success without having read everything.
    #[error("no error, but {found} of {expected} commands")]
    Incomplete {
        /// Commands in its result.
        found: usize,
        /// Commands in the text.
        expected: usize,
    },
    /// Its process ended early: a panic, a stack overflow, memory exhausted.
    #[error("dies {stage}: {how}")]
    Died {
        /// What it was doing.
        stage: Stage,
        /// How it ended.
        how: String,
    },
}

/// A failure of the comparison itself, not of a reader.
#[derive(Debug, Error)]
pub enum Error {
    /// A file could not be read.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file is not a sequence of S-expressions, so completeness could not be judged.
    #[error("{}: {source}", path.display())]
    Scan {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        source: ScanError,
    },
    /// The child process could not be started.
    #[error("cannot start a child process: {0}")]
    Child(#[source] io::Error),
}

/// All that was seen of one reader on one file.
#[derive(Clone, Debug)]
pub struct Measured {
    /// The first read, in a fresh process.
    pub trial: Trial,
    /// The repetitions, in the order they ran; never empty.
    pub repetitions: Vec<Times>,
}

/// One reader's part of a report.
pub struct Row {
    /// The reader.
    pub reader: &'static dyn Reader,
    /// What it did.
    pub outcome: Result<Measured, Failure>,
}

/// What all readers did with one file.
pub struct Report {
    /// The file's name, without its folders.
    pub file: String,
    /// Its length.
    pub bytes: usize,
    /// What it contains by our own count.
    pub contents: Contents,
    /// One row per reader.
    pub rows: Vec<Row>,
}

/// Reads `text` once, calling `inspect` between the two timed parts with the result and the time
/// that reading took.
///
/// # Errors
///
/// The reader's message when it rejects the text.
pub fn time(
    reader: &dyn Reader,
    text: &str,
    inspect: &mut dyn FnMut(&dyn Script, Duration),
) -> Result<Times, String> {
    let start = processor_time();
    let mut read = Duration::ZERO;
    let mut inspected = start;
    reader.read(text, &mut |script| {
        read = processor_time().saturating_sub(start);
        inspect(script, read);
        inspected = processor_time();
    })?;
    let free = processor_time().saturating_sub(inspected);
    Ok(Times { read, free })
}

/// What this process has used of the processor, in all its threads.
///
/// On an idle machine that is the time a single-threaded reader takes; on a busy one the clock on
/// the wall would measure the neighbours.
fn processor_time() -> Duration {
    let used = clock_gettime(ClockId::ProcessCPUTime);
    Duration::try_from(used).expect("the kernel counts upwards from zero")
}

/// Runs every reader over the file at `path`, `rounds` times each, taking turns.
///
/// `program` is the program whose `--one READER FILE` answers with [`tell_trial`].
///
/// # Errors
///
/// When the file cannot be used or no child can be started; what a reader does is never an error.
pub fn race(program: &Path, path: &Path, rounds: usize) -> Result<Report, Error> {
    let text = std::fs::read_to_string(path)
        .map_err(|source| Error::File { path: path.to_owned(), source })?;
    let contents = scan(&text).map_err(|source| Error::Scan { path: path.to_owned(), source })?;
    let mut rows = Vec::new();
    for &reader in all() {
        let outcome = in_child(program, reader, path)?
            .and_then(|trial| complete(trial, contents))
            .map(|trial| Measured { trial, repetitions: Vec::new() });
        rows.push(Row { reader, outcome });
    }
    for _ in 0..rounds.max(1) {
        for row in &mut rows {
            repeat(program, path, &text, row)?;
        }
    }
    Ok(Report {
        file: path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default(),
        bytes: text.len(),
        contents,
        rows,
    })
}

/// One repetition; a reader that failed before, or fails now, has no times.
fn repeat(program: &Path, path: &Path, text: &str, row: &mut Row) -> Result<(), Error> {
    let Ok(measured) = &mut row.outcome else {
        return Ok(());
    };
    let again = match row.reader.retention() {
        Retention::Freed => time(row.reader, text, &mut |_, _| ()).map_err(Failure::Rejected),
        Retention::Process => in_child(program, row.reader, path)?.map(|trial| trial.times),
    };
    match again {
        Ok(times) => measured.repetitions.push(times),
        Err(failure) => row.outcome = Err(failure),
    }
    Ok(())
}

fn complete(trial: Trial, contents: Contents) -> Result<Trial, Failure> {
    if trial.commands == contents.commands {
        Ok(trial)
    } else {
        Err(Failure::Incomplete { found: trial.commands, expected: contents.commands })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL: Trial = Trial {
        times: Times { read: Duration::from_nanos(1_234_567), free: Duration::from_nanos(89) },
        commands: 3,
        atoms: None,
        before_kib: Some(2048),
        peak_kib: Some(4096),
    };

    #[test]
    fn lost_commands_are_a_failure() {
        let contents = Contents { commands: 4, atoms: 9 };
        assert_eq!(complete(TRIAL, contents), Err(Failure::Incomplete { found: 3, expected: 4 }));
    }
}

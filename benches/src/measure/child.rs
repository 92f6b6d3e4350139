//! One reader in a process of its own: what the child tells, and how the parent understands it.
//!
//! Peak memory needs a process per reader, and so does surviving a reader that dies. The child
//! ([`tell_trial`]) and the parent ([`in_child`]) agree here on the lines between them.

use super::{Error, Failure, Times, Trial, time};
use crate::readers::Reader;
use crate::scan::scan;
use std::fmt;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

/// What the child does with a reader, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// From text to result.
    Reading,
    /// From result to text, to see what was kept.
    Printing,
    /// Dropping the result.
    Freeing,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Reading => "reading",
            Stage::Printing => "printing",
            Stage::Freeing => "freeing",
        })
    }
}

// How the lines of the child's answer begin.
const READ: &str = "read ";
const PRINTED: &str = "printed ";
const FREED: &str = "freed ";
const REJECTED: &str = "rejected ";

/// The child's part: one read in this process, meant to be its first, told to `out` line by line.
///
/// A line is written as soon as its stage is over, so that the parent knows which stage was fatal.
///
/// # Errors
///
/// When `out` cannot be written; a rejection is an answer like any other.
pub fn tell_trial(reader: &dyn Reader, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let before = peak_kib();
    let mut told = Ok(());
    let outcome = time(reader, text, &mut |script, read| {
        let peak = peak_kib();
        told = tell_read(out, read, script.commands(), before, peak).and_then(|()| {
            let printed = script.print().and_then(|text| scan(&text).ok());
            let atoms = printed.map(|contents| contents.atoms);
            writeln!(out, "{PRINTED}{}", OrDash(atoms))?;
            out.flush()
        });
    });
    told?;
    match outcome {
        Ok(times) => writeln!(out, "{FREED}{}", times.free.as_nanos()),
        Err(message) => {
            let first_line = message.lines().next().unwrap_or_default();
            writeln!(out, "{REJECTED}{first_line}")
        }
    }
}

fn tell_read(
    out: &mut dyn Write,
    read: Duration,
    commands: usize,
    before: Option<u64>,
    peak: Option<u64>,
) -> io::Result<()> {
    let (before, peak) = (OrDash(before), OrDash(peak));
    let read = read.as_nanos();
    writeln!(out, "{READ}{read} {commands} {before} {peak}")?;
    out.flush()
}

/// This process's peak resident memory.
///
/// Taken from the kernel's per-address-space mark: `ru_maxrss` survives `exec`, so a child would
/// inherit the peak of the larger process that started it.
fn peak_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Lets a child read the file at `path` with `reader`.
pub(super) fn in_child(
    program: &Path,
    reader: &dyn Reader,
    path: &Path,
) -> Result<Result<Trial, Failure>, Error> {
    let output = Command::new(program)
        .args(["--one", reader.name()])
        .arg(path)
        // One peer writes a warning per annotation; a terminal would dominate its time.
        .stderr(Stdio::null())
        .output()
        .map_err(Error::Child)?;
    let answer = String::from_utf8_lossy(&output.stdout);
    Ok(understand(&answer, &output.status.to_string()))
}

/// Reads the child's answer; `status` says how it ended, should the answer stop early.
fn understand(answer: &str, status: &str) -> Result<Trial, Failure> {
    let line = |prefix: &str| answer.lines().find_map(|line| line.strip_prefix(prefix));
    let died = |stage| Failure::Died { stage, how: status.to_owned() };
    if let Some(message) = line(REJECTED) {
        return Err(Failure::Rejected(message.to_owned()));
    }
    let read = line(READ).and_then(parse_read);
    let mut trial = read.ok_or_else(|| died(Stage::Reading))?;
    trial.atoms = line(PRINTED).ok_or_else(|| died(Stage::Printing))?.parse().ok();
    trial.times.free =
        line(FREED).and_then(parse_nanoseconds).ok_or_else(|| died(Stage::Freeing))?;
    Ok(trial)
}

/// What the first line tells; the rest of the trial is still to come.
fn parse_read(line: &str) -> Option<Trial> {
    let mut words = line.split(' ');
    Some(Trial {
        times: Times { read: parse_nanoseconds(words.next()?)?, free: Duration::ZERO },
        commands: words.next()?.parse().ok()?,
        atoms: None,
        before_kib: words.next()?.parse().ok(),
        peak_kib: words.next()?.parse().ok(),
    })
}

fn parse_nanoseconds(word: &str) -> Option<Duration> {
    word.parse().ok().map(Duration::from_nanos)
}

struct OrDash<T>(Option<T>);

impl<T: fmt::Display> fmt::Display for OrDash<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(value) => value.fmt(f),
            None => f.write_str("-"),
        }
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
    fn reads_every_outcome_of_a_child() {
        let died = |stage| Err(Failure::Died { stage, how: "signal".into() });
        let read = "read 1234567 3 2048 4096\n";
        let table = [
            (format!("{read}printed -\nfreed 89\n"), Ok(TRIAL)),
            (format!("{read}printed 7\n"), died(Stage::Freeing)),
            (read.into(), died(Stage::Printing)),
            ("read 12".into(), died(Stage::Reading)),
            (String::new(), died(Stage::Reading)),
            ("rejected read this\n".into(), Err(Failure::Rejected("read this".into()))),
        ];
        for (answer, outcome) in table {
            assert_eq!(understand(&answer, "signal"), outcome, "{answer}");
        }
    }
}

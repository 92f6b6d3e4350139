//! Abstract domains under test, each in a worker process with a heartbeat.
//!
//! The worker searches by itself for a while and reports; where it dies, hangs or floods its
//! output, its heartbeat says which input it died of, and a new worker goes on from another seed.

use crate::TargetName;
use crate::process::{CommandLine, HarnessError, Keeper, Launcher, Process, Stop};
use assay_case::Ending;
use assay_lattice::protocol::{MARKER, Plan, Reply, Request, last_input};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;
use tempfile::NamedTempFile;

/// How a worker ended that should not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Death {
    /// It died.
    Crash(Ending),
    /// It was ended because it took too long.
    Hang,
    /// It was ended because it wrote too much.
    Flood,
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Death::Crash(ending) => write!(f, "crash ({ending})"),
            Death::Hang => f.write_str("hang"),
            Death::Flood => f.write_str("flood of output"),
        }
    }
}

/// What came of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Heard {
    /// The worker answered.
    Replies(Vec<Reply>),
    /// It did not; what it had tried last, and the end of what it wrote elsewhere.
    Died {
        /// How.
        death: Death,
        /// The input that it was busy with, if any.
        input: Option<Vec<u8>>,
        /// The last words on its error stream, where the library's output goes too.
        words: String,
    },
}

/// A domain in a worker.
pub struct DomainWorker {
    name: TargetName,
    launcher: Launcher,
    folder: Option<PathBuf>,
    memory: u64,
    patience: Duration,
    heartbeat: NamedTempFile,
    process: Option<Process>,
}

/// More output than this within one request is a flood.
const OUTPUT: usize = 64 << 20;

impl DomainWorker {
    /// A worker that starts with its first request. `folder` is where the domain's libraries are,
    /// if not where the system has them; `patience` is how long one input may take.
    ///
    /// # Errors
    /// Where there is no room for the heartbeat.
    pub fn new(
        name: &TargetName,
        launcher: &Launcher,
        folder: Option<PathBuf>,
        (memory, patience): (u64, Duration),
    ) -> Result<DomainWorker, HarnessError> {
        let heartbeat = NamedTempFile::new()
            .map_err(|source| HarnessError::Pipe { doing: "make a heartbeat for", source })?;
        let (name, launcher) = (name.clone(), launcher.clone());
        Ok(DomainWorker { name, launcher, folder, memory, patience, heartbeat, process: None })
    }

    /// The target's name.
    #[must_use]
    pub fn name(&self) -> &TargetName {
        &self.name
    }

    /// Begins a search in a fresh process.
    ///
    /// # Errors
    /// Where we fail; a worker that dies is no failure of ours.
    pub fn begin(&mut self, plan: &Plan) -> Result<Heard, HarnessError> {
        self.process = None;
        self.ask(&Request::Begin(plan.clone()), self.patience)
    }

    /// Goes on with the search for a while.
    ///
    /// # Errors
    /// Where we fail.
    pub fn search(&mut self, span: Duration, retired: &[String]) -> Result<Heard, HarnessError> {
        let milliseconds = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let request = Request::Search { milliseconds, retired: retired.to_vec() };
        self.ask(&request, span + self.patience)
    }

    /// Tries one program, in a fresh process if so wished.
    ///
    /// # Errors
    /// Where we fail.
    pub fn attempt(&mut self, program: &str, fresh: bool) -> Result<Heard, HarnessError> {
        self.attempt_within(program, fresh, self.patience)
    }

    /// Tries one program that must not take longer than this.
    ///
    /// # Errors
    /// Where we fail.
    pub fn attempt_within(
        &mut self,
        program: &str,
        fresh: bool,
        patience: Duration,
    ) -> Result<Heard, HarnessError> {
        if fresh {
            self.process = None;
        }
        let request = Request::Try { program: program.to_owned() };
        self.ask(&request, patience)
    }

    fn ask(&mut self, request: &Request, wall: Duration) -> Result<Heard, HarnessError> {
        let process = match &mut self.process {
            Some(process) => process,
            none => {
                let keeper = Keeper::start(&self.launcher)?;
                let command = command(&self.launcher, &self.name, &self.heartbeat, &self.folder);
                none.insert(Process::spawn(keeper, &command, Some(self.memory))?)
            }
        };
        let line = serde_json::to_string(request).expect("a request is plain data") + "\n";
        let said = process.exchange(line.as_bytes(), Some(MARKER.as_bytes()), wall, OUTPUT)?;
        let death = match said.stop {
            Stop::Marker => {
                let text = String::from_utf8_lossy(&said.stdout);
                let replies = text.lines().filter_map(|line| serde_json::from_str(line).ok());
                return Ok(Heard::Replies(replies.collect()));
            }
            Stop::Ended(ending) => Death::Crash(ending),
            Stop::Timeout => Death::Hang,
            Stop::Flood => Death::Flood,
        };
        self.process = None;
        let input = match request {
            Request::Search { .. } => self.busy_with(),
            Request::Begin(_) | Request::Try { .. } => None,
        };
        let words = match request {
            // Why a domain cannot be loaded is said in one line.
            Request::Begin(_) => String::from_utf8_lossy(&said.stderr).trim().to_owned(),
            Request::Search { .. } | Request::Try { .. } => last_words(&said.stderr),
        };
        Ok(Heard::Died { death, input, words })
    }

    fn busy_with(&self) -> Option<Vec<u8>> {
        let file: &File = self.heartbeat.as_file();
        last_input(file).ok().flatten()
    }
}

fn command(
    launcher: &Launcher,
    name: &TargetName,
    heartbeat: &NamedTempFile,
    folder: &Option<PathBuf>,
) -> CommandLine {
    let command = CommandLine::new(&launcher.program)
        .arg("__domain")
        .arg(name.to_string())
        .arg(heartbeat.path());
    match folder {
        Some(folder) => command.arg("--folder").arg(folder),
        None => command,
    }
}

/// Starts a program that is a domain, from within a worker: it belongs to the worker's tree of
/// processes and ends with it. What it writes on its error stream goes where the worker's does.
///
/// # Errors
/// Where it cannot be started.
pub fn start_domain(program: &Path) -> Result<(ChildStdin, ChildStdout), HarnessError> {
    let started = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let trouble = |why: String| HarnessError::Program { program: program.to_owned(), why };
    let mut child = started.map_err(|error| trouble(error.to_string()))?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(stdin), Some(stdout)) => Ok((stdin, stdout)),
        _ => Err(trouble("its streams are not connected".to_owned())),
    }
}

/// The end of what was written, as far as it is worth showing.
fn last_words(bytes: &[u8]) -> String {
    const KEPT: usize = 400;
    let end = &bytes[bytes.len().saturating_sub(KEPT)..];
    String::from_utf8_lossy(end).trim().to_owned()
}

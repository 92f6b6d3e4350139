//! Abstract domains under test, each in a worker process with a heartbeat.
//!
//! The worker searches on its own for a while and reports. If it crashes, hangs or floods its
//! output, its heartbeat identifies the input, and a new worker continues with another seed.

use crate::TargetName;
use crate::process::{
    Bounds, CommandLine, Confinement, Containment, HarnessError, Keeper, Launcher, Process, Stop,
};
use crate::reach::installation;
use assay_case::{Ending, Size};
use assay_lattice::Input;
use assay_lattice::protocol::{MARKER, Plan, Reply, Request, last_input};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How a worker ended unexpectedly.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Death {
    /// It crashed.
    Crash(Ending),
    /// It exceeded this memory limit, in bytes.
    OutOfMemory(u64),
    /// It took too long.
    Hang,
    /// It wrote too much.
    Flood,
}

impl std::fmt::Display for Death {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Death::Crash(ending) => write!(f, "crash ({ending})"),
            Death::OutOfMemory(limit) => write!(f, "out of memory: limit {}", Size(*limit)),
            Death::Hang => f.write_str("hang"),
            Death::Flood => write!(f, "flood of output: more than {}", Size(OUTPUT as u64)),
        }
    }
}

/// The result of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heard {
    /// The worker's replies until its end.
    pub replies: Vec<Reply>,
    /// Why there are no more replies.
    pub end: End,
}

/// Why a worker's replies ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// The reply is complete.
    Done,
    /// The request was cancelled and the worker ended.
    Stopped,
    /// The worker died.
    Died {
        /// How.
        death: Death,
        /// The input that it was busy with, if any.
        input: Option<Input>,
        /// The last lines of standard error, which also receives the library's output.
        words: String,
    },
}

/// When to stop waiting for an answer.
#[derive(Clone, Copy, Debug)]
pub struct Until<'u> {
    /// A deadline; `None` for no deadline.
    pub deadline: Option<Instant>,
    /// A flag that cancels the request once it is set.
    pub stop: Option<&'u AtomicBool>,
}

impl Until<'_> {
    /// No deadline and no cancellation.
    pub const ANSWERED: Until<'static> = Until { deadline: None, stop: None };

    /// Whether the answer is no longer wanted.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.stop.is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.left().is_some_and(|left| left.is_zero())
    }

    fn left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

/// The limits of a domain's worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct DomainLimits {
    /// The maximum memory, in bytes.
    pub memory: u64,
    /// The time limit for one input.
    pub patience: Duration,
}

/// A domain in a worker.
pub struct DomainWorker {
    name: TargetName,
    launcher: Launcher,
    folder: Option<PathBuf>,
    /// The program that is the worker, where it is not assay itself.
    engine: Option<PathBuf>,
    limits: DomainLimits,
    /// The last process's heartbeat. Its file is in the keeper's scratch folder, so that nothing is
    /// left behind however we end; this handle stays open after the process has ended.
    heartbeat: Option<File>,
    process: Option<Process>,
    held: Option<(Containment, Confinement)>,
}

/// The output of one request that counts as a flood.
const OUTPUT: usize = 64 << 20;

/// The heartbeat's file in the scratch folder.
const HEARTBEAT: &str = "heartbeat";

/// The time limit for loading a domain.
const LOADING: Duration = Duration::from_secs(20);

impl DomainWorker {
    /// A worker that starts with its first request. `folder` holds the domain's libraries, unless
    /// the system provides them.
    #[must_use]
    pub fn new(
        name: &TargetName,
        launcher: &Launcher,
        folder: Option<PathBuf>,
        limits: DomainLimits,
    ) -> DomainWorker {
        let (name, launcher) = (name.clone(), launcher.clone());
        let (heartbeat, process, held) = (None, None, None);
        DomainWorker { name, launcher, folder, engine: None, limits, heartbeat, process, held }
    }

    /// The same domain in a program that has an engine of its own and answers the same requests.
    #[must_use]
    pub fn driven_by(self, engine: PathBuf) -> DomainWorker {
        DomainWorker { engine: Some(engine), ..self }
    }

    /// The target's name.
    #[must_use]
    pub fn name(&self) -> &TargetName {
        &self.name
    }

    /// How its last process was limited and confined.
    ///
    /// # Errors
    /// Fails if there was none yet and a keeper cannot be started.
    pub fn held(&self) -> Result<(Containment, Confinement), HarnessError> {
        match self.held {
            Some(held) => Ok(held),
            None => {
                let mut keeper = Keeper::start(&self.launcher)?;
                Ok((keeper.containment()?, keeper.confinement()?))
            }
        }
    }

    /// The time limit for one input.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.limits.patience
    }

    /// Starts a search in a fresh process, with inputs that showed something new before.
    ///
    /// # Errors
    /// Fails if assay itself fails; a worker that dies is not an error.
    pub fn begin(
        &mut self,
        plan: &Plan,
        corpus: &[Input],
        until: &Until<'_>,
    ) -> Result<Heard, HarnessError> {
        self.process = None;
        let request = Request::Begin { plan: plan.clone(), corpus: corpus.to_vec() };
        self.ask(&request, LOADING, until)
    }

    /// Continues the search for a while, with a time limit for each input.
    ///
    /// # Errors
    /// A failure of assay itself.
    pub fn search(
        &mut self,
        span: Duration,
        patience: Duration,
        retired: &[String],
        until: &Until<'_>,
    ) -> Result<Heard, HarnessError> {
        let milliseconds = u64::try_from(span.as_millis()).unwrap_or(u64::MAX);
        let request = Request::Search { milliseconds, retired: retired.to_vec() };
        self.ask(&request, span + patience, until)
    }

    /// Tries one program in a fresh process.
    ///
    /// # Errors
    /// A failure of assay itself.
    pub fn attempt(&mut self, program: &str, until: &Until<'_>) -> Result<Heard, HarnessError> {
        self.process = None;
        self.attempt_within(program, self.limits.patience, until)
    }

    /// Tries one program in the current process, with this time limit.
    ///
    /// # Errors
    /// A failure of assay itself.
    pub fn attempt_within(
        &mut self,
        program: &str,
        patience: Duration,
        until: &Until<'_>,
    ) -> Result<Heard, HarnessError> {
        let request = Request::Try { program: program.to_owned() };
        self.ask(&request, patience, until)
    }

    /// Ends the current process, so that the next request gets a fresh one.
    pub fn refresh(&mut self) {
        self.process = None;
    }

    /// Asks the current process or a new one. The time to start it is counted separately.
    fn ask(
        &mut self,
        request: &Request,
        wall: Duration,
        until: &Until<'_>,
    ) -> Result<Heard, HarnessError> {
        if self.process.is_none() {
            let mut keeper = Keeper::start(&self.launcher)?;
            self.heartbeat =
                Some(File::create_new(keeper.scratch()?.join(HEARTBEAT)).map_err(|source| {
                    HarnessError::Pipe { doing: "make a heartbeat for", source }
                })?);
            self.held = Some((keeper.containment()?, keeper.confinement()?));
            let command = self.command();
            let process = Process::spawn(keeper, &command, Some(self.limits.memory))?;
            let loaded = self.exchange(process, &Request::Greet, LOADING, until)?;
            if loaded.end != End::Done {
                return Ok(loaded);
            }
        }
        match self.process.take() {
            Some(process) => self.exchange(process, request, wall, until),
            None => Ok(Heard { replies: Vec::new(), end: End::Stopped }),
        }
    }

    /// How the worker is started.
    fn command(&self) -> CommandLine {
        let command = match &self.engine {
            Some(engine) => installation(engine, &[], &BTreeMap::new())
                .into_iter()
                .fold(CommandLine::new(engine), CommandLine::reads),
            None => CommandLine::new(&self.launcher.program).arg("__domain"),
        };
        let command =
            command.arg(self.name.to_string()).arg(HEARTBEAT).reads(&self.launcher.program);
        let Some(folder) = &self.folder else { return command };
        let reads = match folder.is_dir() {
            true => vec![folder.clone()],
            false => installation(folder, &[], &BTreeMap::new()),
        };
        let command = command.arg("--folder").arg(folder);
        reads.into_iter().fold(command, CommandLine::reads)
    }

    /// One request and its answer; the process is kept if it answered.
    fn exchange(
        &mut self,
        mut process: Process,
        request: &Request,
        wall: Duration,
        until: &Until<'_>,
    ) -> Result<Heard, HarnessError> {
        let line = serde_json::to_string(request).expect("a request is plain data") + "\n";
        let left = until.left().unwrap_or(Duration::MAX);
        let bounds = Bounds { wall: wall.min(left), output: OUTPUT, stop: until.stop };
        let said = process.exchange_within(line.as_bytes(), Some(MARKER.as_bytes()), &bounds)?;
        let text = String::from_utf8_lossy(&said.stdout);
        // A truncated line is not a reply.
        let replies = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let death = match said.stop {
            Stop::Marker => {
                self.process = Some(process);
                return Ok(Heard { replies, end: End::Done });
            }
            Stop::Ended(Ending::OutOfMemory) => Death::OutOfMemory(self.limits.memory),
            Stop::Ended(ending) => Death::Crash(ending),
            Stop::Timeout if said.elapsed < wall => {
                return Ok(Heard { replies, end: End::Stopped });
            }
            Stop::Timeout => Death::Hang,
            Stop::Flood => Death::Flood,
        };
        let input = match request {
            Request::Search { .. } => {
                self.heartbeat.as_ref().and_then(|beat| last_input(beat).ok().flatten())
            }
            Request::Greet | Request::Begin { .. } | Request::Try { .. } => None,
        };
        let words = match request {
            // The reason why a domain cannot be loaded is printed on one line.
            Request::Greet | Request::Begin { .. } => {
                String::from_utf8_lossy(&said.stderr).trim().to_owned()
            }
            Request::Search { .. } | Request::Try { .. } => last_words(&said.stderr),
        };
        Ok(Heard { replies, end: End::Died { death, input, words } })
    }
}

/// Starts a program that is a domain, from within a worker: it belongs to the worker's process tree
/// and ends with it. It shares the worker's standard error.
///
/// # Errors
/// Fails if it cannot be started.
pub fn start_domain(program: &Path) -> Result<(ChildStdin, ChildStdout), HarnessError> {
    let started = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let trouble = |why: String| HarnessError::Program { program: program.to_owned(), why };
    let mut child = started.map_err(|error| trouble(error.to_string()))?;
    match (child.stdin.take(), child.stdout.take()) {
        (Some(stdin), Some(stdout)) => Ok((stdin, stdout)),
        _ => Err(trouble("its streams are not connected".to_owned())),
    }
}

/// The end of the output, as far as it is worth showing.
fn last_words(bytes: &[u8]) -> String {
    const KEPT: usize = 400;
    let end = &bytes[bytes.len().saturating_sub(KEPT)..];
    String::from_utf8_lossy(end).trim().to_owned()
}

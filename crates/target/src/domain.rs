//! Abstract domains under test, each in a worker process with a heartbeat.
//!
//! The worker searches by itself for a while and reports; where it dies, hangs or floods its
//! output, its heartbeat says which input it died of, and a new worker goes on from another seed.

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

/// How a worker ended that should not have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Death {
    /// It died.
    Crash(Ending),
    /// It was ended because it took more memory than this, in bytes.
    OutOfMemory(u64),
    /// It was ended because it took too long.
    Hang,
    /// It was ended because it wrote too much.
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

/// What came of a request.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heard {
    /// What the worker answered, up to its end.
    pub replies: Vec<Reply>,
    /// Why it said no more.
    pub end: End,
}

/// Why a worker said no more.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum End {
    /// It had said all.
    Done,
    /// Nobody wanted the rest: the worker was ended.
    Stopped,
    /// It did not come to an end by itself.
    Died {
        /// How.
        death: Death,
        /// The input that it was busy with, if any.
        input: Option<Input>,
        /// The last words on its error stream, where the library's output goes too.
        words: String,
    },
}

/// How long anybody wants an answer.
#[derive(Clone, Copy, Debug)]
pub struct Until<'u> {
    /// Not after this; none where there is time.
    pub deadline: Option<Instant>,
    /// Not once this is set.
    pub stop: Option<&'u AtomicBool>,
}

impl Until<'_> {
    /// There is time, and nobody interrupts.
    pub const ANSWERED: Until<'static> = Until { deadline: None, stop: None };

    /// Whether nobody wants an answer any more.
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
    /// How much memory it may use, in bytes.
    pub memory: u64,
    /// How long one input may take.
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
    /// The last process' heartbeat. Its file lies in the keeper's scratch folder, so that nothing is
    /// left behind whatever ends us, and is open here beyond the end of the process.
    heartbeat: Option<File>,
    process: Option<Process>,
    held: Option<(Containment, Confinement)>,
}

/// More output than this within one request is a flood.
const OUTPUT: usize = 64 << 20;

/// The heartbeat's file in the scratch folder.
const HEARTBEAT: &str = "heartbeat";

/// How long a domain may take to be loaded.
const LOADING: Duration = Duration::from_secs(20);

impl DomainWorker {
    /// A worker that starts with its first request. `folder` is where the domain's libraries are,
    /// if not where the system has them.
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
    /// Where there was none yet, and a keeper cannot be started to ask.
    pub fn held(&self) -> Result<(Containment, Confinement), HarnessError> {
        match self.held {
            Some(held) => Ok(held),
            None => {
                let mut keeper = Keeper::start(&self.launcher)?;
                Ok((keeper.containment()?, keeper.confinement()?))
            }
        }
    }

    /// How long one input may take.
    #[must_use]
    pub fn patience(&self) -> Duration {
        self.limits.patience
    }

    /// Begins a search in a fresh process, with inputs that showed something new before.
    ///
    /// # Errors
    /// Where we fail; a worker that dies is no failure of ours.
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

    /// Goes on with the search for a while, during which one input may take so long.
    ///
    /// # Errors
    /// Where we fail.
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
    /// Where we fail.
    pub fn attempt(&mut self, program: &str, until: &Until<'_>) -> Result<Heard, HarnessError> {
        self.process = None;
        self.attempt_within(program, self.limits.patience, until)
    }

    /// Tries one program, which must not take longer than this, in the process that is there.
    ///
    /// # Errors
    /// Where we fail.
    pub fn attempt_within(
        &mut self,
        program: &str,
        patience: Duration,
        until: &Until<'_>,
    ) -> Result<Heard, HarnessError> {
        let request = Request::Try { program: program.to_owned() };
        self.ask(&request, patience, until)
    }

    /// Ends the process that is there, so that the next request has a fresh one.
    pub fn refresh(&mut self) {
        self.process = None;
    }

    /// Asks the process that is there, or a new one. How long it takes to start counts apart.
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

    /// One request and its answer; the process is kept if it has answered.
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
        // A line that death cut short is no reply.
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
            // Why a domain cannot be loaded is said in one line.
            Request::Greet | Request::Begin { .. } => {
                String::from_utf8_lossy(&said.stderr).trim().to_owned()
            }
            Request::Search { .. } | Request::Try { .. } => last_words(&said.stderr),
        };
        Ok(Heard { replies, end: End::Died { death, input, words } })
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

//! The processes of one worker: a session that serves one script after another, and fresh processes
//! for single scripts. Their output is returned as it is; others interpret it.

use crate::process::{
    Confinement, Containment, Exchange, HarnessError, Keeper, Launcher, Limits, Process, Stop,
};
use crate::resolve::{Ask, Resolved};
use crate::spec::{Gaps, Session};
use assay_case::Ending;
use assay_smtlib::bytes_of;
use std::path::Path;
use std::time::Duration;

/// The time limit for a session to become ready.
const START: Duration = Duration::from_secs(10);

/// The word that a session echoes when it is ready.
const READY: &str = "assay-ready";

/// The name of the input in a process's scratch folder.
pub(crate) const FILE: &str = "input.smt2";

/// Runs scripts for one worker, which has at most one session at a time.
pub(crate) struct Processes {
    launcher: Launcher,
    state: State,
    /// Serves fresh processes while a session is alive.
    spare: Option<Keeper>,
}

/// The worker's own keeper, idle or with a session.
enum State {
    Idle(Option<Keeper>),
    Live(Box<Live>),
}

/// A process that serves one script after another.
struct Live {
    process: Process,
    containment: Containment,
    confinement: Confinement,
    arguments: Vec<String>,
    served: u32,
    /// The number of exchanges, each of which ends with its own marker.
    asked: u64,
    /// The beginning of the last text, if the rest stands in a scope.
    head: Option<String>,
}

/// The output for one text.
pub(crate) struct Said {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) ended: Ended,
    pub(crate) elapsed: Duration,
    pub(crate) containment: Containment,
    pub(crate) confinement: Confinement,
    /// The processor time; `None` while the process is alive.
    pub(crate) cpu: Option<Duration>,
}

/// The state of the process that served a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ended {
    /// It waits for the next text.
    LivesOn,
    /// It ended.
    By(Ending),
    /// We ended it because it wrote too much.
    Flooded,
}

impl Processes {
    /// No process is started yet.
    pub(crate) fn new(launcher: Launcher) -> Processes {
        Processes { launcher, state: State::Idle(None), spare: None }
    }

    /// Runs a text in a fresh process.
    pub(crate) fn fresh(
        &mut self,
        target: &Resolved,
        ask: &Ask<'_>,
        text: &str,
        limits: &Limits,
    ) -> Result<Said, HarnessError> {
        let keeper = match &mut self.state {
            State::Idle(Some(keeper)) => keeper,
            _ => match &mut self.spare {
                Some(keeper) => keeper,
                none => none.insert(Keeper::start(&self.launcher)?),
            },
        };
        let file = target.wants_file().then(|| Path::new(FILE));
        let ask = Ask { gaps: Gaps { file, ..ask.gaps }, ..*ask };
        if file.is_some() {
            let path = keeper.scratch()?.join(FILE);
            std::fs::write(&path, bytes_of(text))
                .map_err(|source| HarnessError::Pipe { doing: "write a file for", source })?;
        }
        let command = target.command_line(target.one_shot(&ask));
        let input = if file.is_some() { "" } else { text };
        let finished = keeper.run(&command, &bytes_of(input), limits)?;
        Ok(Said {
            stdout: finished.stdout,
            stderr: finished.stderr,
            ended: if finished.flooded { Ended::Flooded } else { Ended::By(finished.ending) },
            elapsed: finished.elapsed,
            containment: finished.containment,
            confinement: finished.confinement,
            cpu: Some(finished.cpu),
        })
    }

    /// Runs a text in the session, which is restarted if it died, has served enough scripts or was
    /// started with other arguments; `None` if the target has no sessions. What follows the head is
    /// read in a scope.
    pub(crate) fn in_session(
        &mut self,
        target: &Resolved,
        ask: &Ask<'_>,
        (head, text): (Option<&str>, &str),
        limits: &Limits,
    ) -> Result<Option<Said>, HarnessError> {
        let ask = Ask { incremental: ask.incremental || head.is_some(), ..*ask };
        let Some((arguments, session)) = target.session(&ask) else { return Ok(None) };
        let mut live = match std::mem::replace(&mut self.state, State::Idle(None)) {
            State::Live(live) if live.arguments == arguments && live.served < session.scripts => {
                live
            }
            other => {
                let keeper = match other {
                    State::Live(live) => live.process.into_keeper()?,
                    State::Idle(Some(keeper)) => keeper,
                    State::Idle(None) => Keeper::start(&self.launcher)?,
                };
                let mut live = Live::start(keeper, target, arguments, limits.memory)?;
                let hello = live.greet(session, limits.output)?;
                if hello.stop != Stop::Marker {
                    return Ok(Some(self.settle(live, hello)));
                }
                live
            }
        };
        let exchange = live.serve(session, (head, text), limits)?;
        Ok(Some(self.settle(live, exchange)))
    }

    /// Asks the session, if it is alive, another question about its last script.
    pub(crate) fn further(
        &mut self,
        session: &Session,
        text: &str,
        limits: &Limits,
    ) -> Result<Option<Said>, HarnessError> {
        match std::mem::replace(&mut self.state, State::Idle(None)) {
            State::Live(mut live) => {
                let exchange = live.exchange(session, text, limits)?;
                Ok(Some(self.settle(live, exchange)))
            }
            idle @ State::Idle(_) => {
                self.state = idle;
                Ok(None)
            }
        }
    }

    /// Ends the session, if it is alive.
    pub(crate) fn end_session(&mut self) -> Result<(), HarnessError> {
        self.state = match std::mem::replace(&mut self.state, State::Idle(None)) {
            State::Live(live) => State::Idle(Some(live.process.into_keeper()?)),
            idle @ State::Idle(_) => idle,
        };
        Ok(())
    }

    /// Keeps the session if it is still alive.
    fn settle(&mut self, live: Box<Live>, exchange: Exchange) -> Said {
        let (containment, confinement) = (live.containment, live.confinement);
        let Exchange { stdout, stderr, stop, elapsed } = exchange;
        let ended = match stop {
            Stop::Marker => Ended::LivesOn,
            Stop::Ended(ending) => Ended::By(ending),
            Stop::Timeout => Ended::By(Ending::TimedOut),
            Stop::Flood => Ended::Flooded,
        };
        let cpu = live.process.ended().map(|ended| ended.cpu);
        self.state = match stop {
            Stop::Marker => State::Live(live),
            _ => State::Idle(live.process.into_keeper().ok()),
        };
        Said { stdout, stderr, ended, elapsed, containment, confinement, cpu }
    }
}

impl Live {
    fn start(
        mut keeper: Keeper,
        target: &Resolved,
        arguments: Vec<String>,
        memory: Option<u64>,
    ) -> Result<Box<Live>, HarnessError> {
        let (containment, confinement) = (keeper.containment()?, keeper.confinement()?);
        let command = target.command_line(arguments.clone());
        let process = Process::spawn(keeper, &command, memory)?;
        Ok(Box::new(Live {
            process,
            containment,
            confinement,
            arguments,
            served: 0,
            asked: 0,
            head: None,
        }))
    }

    /// Waits until the session is ready, so that this does not count as time of the first script.
    fn greet(&mut self, session: &Session, output: usize) -> Result<Exchange, HarnessError> {
        let hello = format!("{}\n", echo(session, READY));
        self.process.exchange(hello.as_bytes(), Some(READY.as_bytes()), START, output)
    }

    fn serve(
        &mut self,
        session: &Session,
        (head, text): (Option<&str>, &str),
        limits: &Limits,
    ) -> Result<Exchange, HarnessError> {
        let reset = if self.served == 0 { "" } else { &session.reset };
        self.served += 1;
        let scoped = head.and_then(|head| Some((head, text.strip_prefix(head)?)));
        let input = match scoped {
            Some((head, body)) if self.head.as_deref() == Some(head) => {
                format!("(pop 1)\n(push 1)\n{body}")
            }
            Some((head, body)) => format!("{reset}\n{head}(push 1)\n{body}"),
            None => format!("{reset}\n{text}"),
        };
        let exchange = self.exchange(session, &input, limits)?;
        // Nobody knows what a script with an error leaves behind.
        let failed = exchange.stdout.windows(5).any(|word| word == b"error");
        self.head = scoped.filter(|_| !failed).map(|(head, _)| head.to_owned());
        Ok(exchange)
    }

    fn exchange(
        &mut self,
        session: &Session,
        text: &str,
        limits: &Limits,
    ) -> Result<Exchange, HarnessError> {
        let marker = format!("assay-{}", self.asked);
        let input = format!("{text}{}\n", echo(session, &marker));
        self.asked += 1;
        self.process.exchange(
            &bytes_of(&input),
            Some(marker.as_bytes()),
            limits.wall,
            limits.output,
        )
    }
}

/// The command that makes a session echo a word.
fn echo(session: &Session, marker: &str) -> String {
    let gaps = Gaps { marker: Some(marker), ..Gaps::default() };
    session.echo.fill(&gaps).unwrap_or_default()
}

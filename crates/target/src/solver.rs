//! A solver as a [`Target`]: its session, its fresh processes, and what it says in them.

use crate::by_hand::ByHand;
use crate::library::foreign;
use crate::process::{
    Confinement, Containment, Exchange, HarnessError, Keeper, Launcher, Limits, Process, Stop,
};
use crate::resolve::{Ask, Resolved};
use crate::runner::{Mode, Ran, Run, Target};
use crate::script;
use crate::spec::{Gaps, Session};
use assay_case::{
    Answer, Ending, Formula, FormulaTest, Kind, Observation, Output, Part, Size, Subject, TestCase,
};
use assay_smtlib::bytes_of;
use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How solvers are run in a campaign.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The limits of each case.
    pub limits: Limits,
    /// Starts the keepers.
    pub launcher: Launcher,
    /// The seed of the solver's own random numbers.
    pub seed: u64,
    /// Whether one process serves many cases, where the solver can do that.
    pub sessions: bool,
}

/// A solver in the hands of one worker.
pub struct Solver {
    pub(crate) target: Arc<Resolved>,
    settings: Settings,
    pub(crate) name: String,
    state: State,
    /// Serves fresh processes while a session lives.
    spare: Option<Keeper>,
}

/// The worker's own keeper, idle or with a session.
enum State {
    Idle(Option<Keeper>),
    Live(Box<Live>),
}

/// A process that serves one script after the other.
struct Live {
    process: Process,
    containment: Containment,
    confinement: Confinement,
    arguments: Vec<String>,
    served: u32,
}

/// A solver is given more time than it is told, so that it can say itself that time is over; and
/// a process of its own more than one that waits, because it has to begin.
const GRACE: Duration = Duration::from_millis(500);

/// The time in which a session must be ready for its first script.
const START: Duration = Duration::from_secs(10);

/// What a session says when it is ready.
const READY: &str = "assay-ready";

/// The input's name in a process' scratch folder.
const FILE: &str = "input.smt2";

impl Solver {
    /// A solver that has not been started yet.
    #[must_use]
    pub fn new(target: Arc<Resolved>, settings: Settings) -> Solver {
        let name = target.name.to_string();
        Solver { target, settings, name, state: State::Idle(None), spare: None }
    }

    /// Whether one process serves several questions.
    pub(crate) fn has_sessions(&self) -> bool {
        self.settings.sessions && self.target.behaviour.session.is_some()
    }

    /// Runs a text in a process of its own.
    fn fresh(&mut self, text: &str, ask: &Ask<'_>) -> Result<Said, HarnessError> {
        let keeper = match &mut self.state {
            State::Idle(Some(keeper)) => keeper,
            _ => match &mut self.spare {
                Some(keeper) => keeper,
                none => none.insert(Keeper::start(&self.settings.launcher)?),
            },
        };
        let limits = self.settings.limits;
        let file = self.target.wants_file().then(|| Path::new(FILE));
        let ask = Ask { gaps: Gaps { file, ..ask.gaps }, ..*ask };
        if file.is_some() {
            let path = keeper.scratch()?.join(FILE);
            std::fs::write(&path, bytes_of(text))
                .map_err(|source| HarnessError::Pipe { doing: "write a file for", source })?;
        }
        let command = self.target.command_line(self.target.one_shot(&ask));
        let input = if file.is_some() { "" } else { text };
        let limits = Limits { wall: limits.wall + GRACE, ..limits };
        let finished = keeper.run(&command, &bytes_of(input), &limits)?;
        Ok(Said {
            stdout: finished.stdout,
            stderr: finished.stderr,
            ending: if finished.flooded { Ended::Flooded } else { Ended::By(finished.ending) },
            elapsed: finished.elapsed,
            containment: finished.containment,
            confinement: finished.confinement,
            cpu: Some(finished.cpu),
        })
    }

    /// Runs a text in the session; none where the solver has no sessions.
    fn in_session(&mut self, text: &str, ask: &Ask<'_>) -> Result<Option<Said>, HarnessError> {
        let Some((arguments, session)) = self.target.session(ask) else { return Ok(None) };
        let mut live = match std::mem::replace(&mut self.state, State::Idle(None)) {
            State::Live(live) if live.arguments == arguments && live.served < session.scripts => {
                live
            }
            other => {
                let keeper = match other {
                    State::Live(live) => live.process.into_keeper()?,
                    State::Idle(Some(keeper)) => keeper,
                    State::Idle(None) => Keeper::start(&self.settings.launcher)?,
                };
                let (live, hello) = self.start(keeper, arguments, &echo(session, READY))?;
                if hello.stop != Stop::Marker {
                    return Ok(Some(self.settle(live, hello)));
                }
                live
            }
        };
        let marker = format!("assay-{}", live.served);
        let echo = echo(session, &marker);
        let reset = if live.served == 0 { "" } else { &session.reset };
        let input = format!("{reset}\n{text}{echo}\n");
        let limits = &self.settings.limits;
        let told = self.target.behaviour.is_told_time();
        let wall = if told { limits.wall + GRACE } else { limits.wall };
        let exchange = live.process.exchange(
            &bytes_of(&input),
            Some(marker.as_bytes()),
            wall,
            limits.output,
        )?;
        live.served += 1;
        Ok(Some(self.settle(live, exchange)))
    }

    /// Begins a session and waits until it is ready, so that the time this takes is not that of the
    /// first script.
    fn start(
        &self,
        mut keeper: Keeper,
        arguments: Vec<String>,
        hello: &str,
    ) -> Result<(Box<Live>, Exchange), HarnessError> {
        let (containment, confinement) = (keeper.containment()?, keeper.confinement()?);
        let command = self.target.command_line(arguments.clone());
        let limits = &self.settings.limits;
        let mut process = Process::spawn(keeper, &command, limits.memory)?;
        let hello = format!("{hello}\n");
        let marker = Some(READY.as_bytes());
        let said = process.exchange(hello.as_bytes(), marker, START, limits.output)?;
        let live = Live { process, containment, confinement, arguments, served: 0 };
        Ok((Box::new(live), said))
    }

    /// Keeps the session where it lives on.
    fn settle(&mut self, live: Box<Live>, exchange: Exchange) -> Said {
        let (containment, confinement) = (live.containment, live.confinement);
        let Exchange { stdout, stderr, stop, elapsed } = exchange;
        let ending = match stop {
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
        Said { stdout, stderr, ending, elapsed, containment, confinement, cpu }
    }

    /// What is asked about a case.
    fn asked(&self, test: &FormulaTest) -> Ask<'static> {
        script::ask(&self.target, test.formula(), test.oracle())
    }

    /// Asks this about a formula.
    pub(crate) fn exchange(
        &mut self,
        formula: &Formula,
        ask: &Ask<'_>,
        mode: Mode,
    ) -> Result<Ran, HarnessError> {
        let gaps = Gaps { effort: ask.gaps.effort, ..gaps(&self.settings) };
        let ask = &Ask { gaps, ..*ask };
        let text = match script::text(&self.target, formula, ask) {
            Ok(text) => text,
            Err(reason) => return Ok(Ran::Skipped(reason)),
        };
        let said = match mode {
            Mode::Session if self.settings.sessions => self.in_session(&text, ask)?,
            _ => None,
        };
        let said = match said {
            Some(said) => said,
            None => self.fresh(&text, ask)?,
        };
        let asked = script::parts(formula, ask);
        let mut run = said.interpret(&self.target, &self.settings.limits, (formula, &asked), text);
        run.observation.limit = Some(self.settings.limits.wall);
        Ok(Ran::Observed(Box::new(run)))
    }
}

impl Target for Solver {
    fn name(&self) -> &str {
        &self.name
    }

    fn by_hand(&self, case: &TestCase) -> Option<ByHand> {
        let file = Path::new(FILE);
        let gaps = Gaps { file: Some(file), ..gaps(&self.settings) };
        let arguments = self.target.typed(&Ask { gaps, ..self.asked(case.as_formula()?) });
        self.target.by_hand(&arguments, file)
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let Subject::Formula(test) = case.subject() else {
            return Ok(Ran::Skipped(foreign(Kind::Formula, case)));
        };
        self.exchange(test.formula(), &self.asked(test), mode)
    }
}

/// What makes a session say a word.
fn echo(session: &Session, marker: &str) -> String {
    let gaps = Gaps { marker: Some(marker), ..Gaps::default() };
    session.echo.fill(&gaps).unwrap_or_default()
}

fn gaps(settings: &Settings) -> Gaps<'static> {
    Gaps {
        seed: Some(settings.seed),
        timeout: Some(settings.limits.wall),
        memory_mb: settings.limits.memory.map(|bytes| bytes >> 20),
        ..Gaps::default()
    }
}

/// What a process said about one text.
struct Said {
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    ending: Ended,
    elapsed: Duration,
    containment: Containment,
    confinement: Confinement,
    cpu: Option<Duration>,
}

enum Ended {
    /// It waits for the next text.
    LivesOn,
    By(Ending),
    /// By us: it wrote too much.
    Flooded,
}

impl Said {
    fn interpret(
        self,
        target: &Resolved,
        limits: &Limits,
        (formula, asked): (&Formula, &[Part]),
        input: String,
    ) -> Run {
        let stdout = String::from_utf8_lossy(&self.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&self.stderr).into_owned();
        let ending = match self.ending {
            Ended::LivesOn | Ended::Flooded => Ending::Exited(0),
            Ended::By(ending) => ending,
        };
        let heard = without(&stdout, &target.behaviour.harmless);
        let elapsed = self.elapsed;
        let output = Output { stdout: &heard, stderr: &stderr, ending, elapsed, asked };
        let mut observation = Observation::from_output(&output, formula);
        match &observation.answer {
            Answer::Crash(signature) if speaks_of(&stderr, &target.behaviour.refusals) => {
                observation.answer = Answer::Rejected(signature.to_string());
            }
            _ if matches!(self.ending, Ended::Flooded) => {
                observation = Observation::new(Answer::Garbled(flood(limits)), self.elapsed);
            }
            _ => {}
        }
        let observation = observation.within(limits.memory, ending);
        let ending = match self.ending {
            Ended::LivesOn => None,
            _ => Some(ending),
        };
        let Said { containment, confinement, cpu, .. } = self;
        let attachments = Vec::new();
        Run {
            observation,
            input,
            stdout,
            stderr,
            ending,
            containment,
            confinement,
            cpu,
            attachments,
        }
    }
}

/// What is said of a tool that wrote too much, to whichever stream.
pub(crate) fn flood(limits: &Limits) -> String {
    format!("more than {} of output", Size(limits.output as u64))
}

fn speaks_of(text: &str, words: &[String]) -> bool {
    words.iter().any(|words| text.contains(words.as_str()))
}

/// The text without the lines that hold one of these words.
fn without<'t>(text: &'t str, words: &[String]) -> Cow<'t, str> {
    if !speaks_of(text, words) {
        return text.into();
    }
    let kept = text.lines().filter(|line| !speaks_of(line, words));
    kept.collect::<Vec<_>>().join("\n").into()
}

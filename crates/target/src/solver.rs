//! A solver as a [`Target`]: sends it texts and interprets its answers.

use crate::by_hand::ByHand;
use crate::library::foreign;
use crate::process::{HarnessError, Launcher, Limits};
use crate::resolve::{Ask, Resolved};
use crate::runner::{Mode, Ran, Run, Target};
use crate::session::{Ended, FILE, Processes, Said};
use crate::spec::Gaps;
use crate::statistics::{Sampling, features};
use crate::subject::{Asked, asked};
use assay_case::{Answer, Ending, Observation, Output, Size, TestCase};
use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// How solvers are run in a campaign.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The limits of each case.
    pub limits: Limits,
    /// The launcher of the keepers.
    pub launcher: Launcher,
    /// The seed of the solver's own random numbers.
    pub seed: u64,
    /// Whether one process serves many cases, if the solver supports that.
    pub sessions: bool,
}

/// A solver, as run by one worker.
pub struct Solver {
    pub(crate) target: Arc<Resolved>,
    settings: Settings,
    pub(crate) name: String,
    processes: Processes,
    /// The options of files that it accepts or rejects, as far as they were tried.
    takes: HashMap<String, bool>,
    sampling: Sampling,
}

/// The extra time beyond the limit that a solver is told, so that it can report the timeout itself;
/// a fresh process gets more than a waiting one, because it has to start.
const GRACE: Duration = Duration::from_millis(500);

/// What a plain question may take at least.
const TRIAL: Duration = Duration::from_secs(10);

/// The question for the reason of an `unknown`.
const WHY: &str = "(get-info :reason-unknown)\n";

impl Solver {
    /// A solver that has not been started yet.
    #[must_use]
    pub fn new(target: Arc<Resolved>, settings: Settings) -> Solver {
        let name = target.name.to_string();
        let processes = Processes::new(settings.launcher.clone());
        let (takes, sampling) = (HashMap::new(), Sampling::default());
        Solver { target, settings, name, processes, takes, sampling }
    }

    /// Whether one process serves several questions.
    pub(crate) fn has_sessions(&self) -> bool {
        self.settings.sessions && self.target.behaviour.session.is_some()
    }

    /// Runs a text in a fresh process, for at most this long.
    fn fresh(&mut self, text: &str, ask: &Ask<'_>, wall: Duration) -> Result<Said, HarnessError> {
        let limits = Limits { wall, ..self.settings.limits };
        self.processes.fresh(&self.target, ask, text, &limits)
    }

    /// Runs a text in the session, for at most this long; `None` if the solver has no sessions.
    fn in_session(
        &mut self,
        text: (Option<&str>, &str),
        ask: &Ask<'_>,
        wall: Duration,
    ) -> Result<Option<Said>, HarnessError> {
        let limits = Limits { wall, ..self.settings.limits };
        self.processes.in_session(&self.target, ask, text, &limits)
    }

    /// Asks a question about a subject, with the settings' seed and limits, and observes the
    /// answer.
    pub(crate) fn exchange(
        &mut self,
        subject: &dyn Asked,
        ask: &Ask<'_>,
        mode: Mode,
    ) -> Result<Ran, HarnessError> {
        let filled = Gaps { effort: ask.gaps.effort, ..gaps(&self.settings) };
        let options = self.taken(subject, &Ask { gaps: filled, ..*ask })?;
        let ask = &Ask { gaps: filled, options: &options, ..*ask };
        let text = match subject.text(&self.target, ask) {
            Ok(text) => text,
            Err(reason) => return Ok(Ran::Skipped(reason)),
        };
        // Options may survive a reset: a case that sets some gets a session of its own.
        if !options.is_empty() {
            self.processes.end_session()?;
        }
        let run = self.hear(text, subject, ask, mode)?;
        if !options.is_empty() {
            self.processes.end_session()?;
        }
        Ok(match self.refusal(&run) {
            Some(words) => Ran::Skipped(format!("{} does not support it: {words}", self.name)),
            None => Ran::Observed(Box::new(run)),
        })
    }

    /// The known words by which the solver says that it does not support what it was given.
    fn refusal(&self, run: &Run) -> Option<&str> {
        let said = match &run.observation.answer {
            Answer::Rejected(message) => message,
            Answer::Crash(_) => &run.stderr,
            _ => return None,
        };
        let refusals = self.target.behaviour.refusals.iter();
        refusals.map(String::as_str).find(|words| said.contains(words))
    }

    /// The subject's own options that the solver accepts: it still answers a plain question with
    /// each.
    fn taken(&mut self, subject: &dyn Asked, ask: &Ask<'_>) -> Result<Vec<String>, HarnessError> {
        let mut taken = subject.own_options();
        for option in &taken {
            if !self.takes.contains_key(option) {
                let text = format!("{}{option}\n(check-sat)\n", self.target.prelude(ask));
                let Some(said) = self.tried(&text, ask)? else { continue };
                let heard = String::from_utf8_lossy(&said.stdout);
                // Some solvers answer `unsupported` and continue.
                let takes = without(&heard, &self.target.behaviour.harmless).trim() == "sat";
                self.takes.insert(option.clone(), takes);
            }
        }
        taken.retain(|option| self.takes.get(option) == Some(&true));
        Ok(taken)
    }

    /// The answer to a plain question, if there was enough time for it: a limit that is meant for cases,
    /// or a busy machine, says nothing about options.
    fn tried(&mut self, text: &str, ask: &Ask<'_>) -> Result<Option<Said>, HarnessError> {
        let limits = self.settings.limits;
        let limits = Limits { wall: limits.wall.max(TRIAL), ..limits };
        let said = self.processes.fresh(&self.target, ask, text, &limits)?;
        Ok((said.ended != Ended::By(Ending::TimedOut)).then_some(said))
    }

    /// Sends the solver a text and observes the output.
    fn hear(
        &mut self,
        text: String,
        subject: &dyn Asked,
        ask: &Ask<'_>,
        mode: Mode,
    ) -> Result<Run, HarnessError> {
        let limit = self.settings.limits.wall;
        // Who is given up early needs no time to say so itself.
        let slice = match mode {
            Mode::Slice(slice) if slice < limit => Some(slice),
            _ => None,
        };
        let told = self.target.behaviour.takes_time_limit();
        let said = match mode {
            Mode::Session | Mode::Slice(_) if self.settings.sessions => {
                let whole = if told { limit + GRACE } else { limit };
                let head = subject.head(&self.target, ask);
                self.in_session((head.as_deref(), &text), ask, slice.unwrap_or(whole))?
            }
            _ => None,
        };
        let said = match said {
            Some(said) => said,
            None => self.fresh(&text, ask, slice.unwrap_or(limit + GRACE))?,
        };
        let lives = said.ended == Ended::LivesOn;
        let mut run = self.interpret(said, subject, ask, text);
        if lives && run.observation.answer == Answer::Unknown(None) {
            self.ask_why(&mut run, subject, ask)?;
        }
        if lives && self.sampling.is_due(run.observation.elapsed) {
            self.ask_counts(&mut run)?;
        }
        // Even after a verdict: its model or core is missing.
        let given_up = run.ending == Some(Ending::TimedOut);
        run.observation.limit = Some(slice.filter(|_| given_up).unwrap_or(limit));
        Ok(run)
    }

    /// Asks the session for the reason of its `unknown`. After other verdicts some solvers reject
    /// the question, so no script contains it.
    fn ask_why(
        &mut self,
        run: &mut Run,
        subject: &dyn Asked,
        ask: &Ask<'_>,
    ) -> Result<(), HarnessError> {
        let Some(session) = &self.target.behaviour.session else { return Ok(()) };
        let limits = Limits { wall: GRACE, ..self.settings.limits };
        let Some(said) = self.processes.further(session, WHY, &limits)? else { return Ok(()) };
        let said = String::from_utf8_lossy(&said.stdout).into_owned();
        if !said.contains(":reason-unknown") {
            return Ok(());
        }
        run.stdout += &said;
        let heard = without(&run.stdout, &self.target.behaviour.harmless);
        let elapsed = run.observation.elapsed;
        let ending = Ending::Exited(0);
        let asked = &subject.parts(ask);
        let output = Output { stdout: &heard, stderr: &run.stderr, ending, elapsed, asked };
        run.observation.answer = subject.observe(&self.target, &output).answer;
        Ok(())
    }

    /// Asks the session for the statistics of its last answer.
    fn ask_counts(&mut self, run: &mut Run) -> Result<(), HarnessError> {
        let Some(session) = &self.target.behaviour.session else { return Ok(()) };
        let Some(command) = &session.statistics else { return Ok(()) };
        let limits = Limits { wall: GRACE, ..self.settings.limits };
        let text = format!("{command}\n");
        let Some(said) = self.processes.further(session, &text, &limits)? else { return Ok(()) };
        self.sampling.took(said.elapsed);
        run.features = features(&String::from_utf8_lossy(&said.stdout));
        Ok(())
    }

    /// Interprets the solver's output.
    fn interpret(&self, said: Said, subject: &dyn Asked, ask: &Ask<'_>, input: String) -> Run {
        let (behaviour, limits) = (&self.target.behaviour, &self.settings.limits);
        let stdout = String::from_utf8_lossy(&said.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&said.stderr).into_owned();
        let ending = match said.ended {
            Ended::LivesOn | Ended::Flooded => Ending::Exited(0),
            Ended::By(ending) => ending,
        };
        let heard = without(&stdout, &behaviour.harmless);
        let elapsed = said.elapsed;
        let asked = &subject.parts(ask);
        let output = Output { stdout: &heard, stderr: &stderr, ending, elapsed, asked };
        let mut observation = subject.observe(&self.target, &output);
        if said.ended == Ended::Flooded {
            observation = Observation::new(Answer::Garbled(flood(limits)), elapsed);
        }
        let observation = observation.within(limits.memory, ending);
        let ending = (said.ended != Ended::LivesOn).then_some(ending);
        let Said { containment, confinement, cpu, .. } = said;
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
            features: Vec::new(),
        }
    }
}

impl Target for Solver {
    fn name(&self) -> &str {
        &self.name
    }

    fn sample_statistics(&mut self) {
        self.sampling.begin();
    }

    fn by_hand(&self, case: &TestCase) -> Option<ByHand> {
        let file = Path::new(FILE);
        let gaps = Gaps { file: Some(file), ..gaps(&self.settings) };
        let ask = asked(case.subject())?.ask(&self.target);
        let arguments = self.target.typed(&Ask { gaps, ..ask });
        self.target.by_hand(&arguments, file)
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        match asked(case.subject()) {
            Some(subject) => self.exchange(subject, &subject.ask(&self.target), mode),
            None => Ok(Ran::Skipped(foreign(&self.name, case))),
        }
    }
}

fn gaps(settings: &Settings) -> Gaps<'static> {
    Gaps {
        seed: Some(settings.seed),
        timeout: Some(settings.limits.wall),
        memory_mb: settings.limits.memory.map(|bytes| bytes >> 20),
        ..Gaps::default()
    }
}

/// The message about a tool that wrote too much, to either stream.
pub(crate) fn flood(limits: &Limits) -> String {
    format!("more than {} of output", Size(limits.output as u64))
}

fn mentions(text: &str, words: &[String]) -> bool {
    words.iter().any(|words| text.contains(words.as_str()))
}

/// The text without the lines that contain one of these words.
fn without<'t>(text: &'t str, words: &[String]) -> Cow<'t, str> {
    if !mentions(text, words) {
        return text.into();
    }
    let kept = text.lines().filter(|line| !mentions(line, words));
    kept.collect::<Vec<_>>().join("\n").into()
}

//! An analyzer of C programs as a [`Target`]: prints programs in its dialect and reads its output.

use crate::by_hand::ByHand;
use crate::c_text::{in_dialect, mentioned};
use crate::library::foreign;
use crate::process::{HarnessError, Keeper, Limits};
use crate::resolve::{Ask, Resolved};
use crate::runner::{Mode, Ran, Run, Target};
use crate::self_test;
use crate::solver::{Settings, flood};
use crate::spec::{Analyzer as Manner, Gaps, Promise};
use crate::vary::{Chosen, Vary, chosen};
use assay_case::{Answer, CrashSignature, Death, Ending, Observation, TestCase};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

/// An analyzer, as run by one worker.
pub struct Analyzer {
    usual: Arc<Resolved>,
    target: Arc<Resolved>,
    settings: Settings,
    name: String,
    /// What varies its options; `None` if they stay fixed.
    vary: Option<Vary>,
    options: Vec<String>,
    /// The accepted options, by the drawn ones.
    taken: HashMap<String, Vec<Chosen>>,
    keeper: Option<Keeper>,
}

/// The program's file name in the scratch folder.
const FILE: &str = "program.c";

/// The file name of the program in the analyzer's dialect in a finding's folder.
const KEPT: &str = "input.c";

impl Analyzer {
    /// An analyzer that has not been started yet; with an rng, its options vary from case to case.
    #[must_use]
    pub fn new(target: Arc<Resolved>, settings: Settings, vary: Option<Vary>) -> Analyzer {
        let name = target.name.to_string();
        let usual = Arc::clone(&target);
        Analyzer {
            usual,
            target,
            settings,
            name,
            vary,
            options: Vec::new(),
            taken: HashMap::new(),
            keeper: None,
        }
    }

    /// Its arguments; an option that consists of several words becomes several arguments.
    fn arguments(&self, file: &str) -> Vec<String> {
        let limits = &self.settings.limits;
        let gaps = Gaps {
            seed: Some(self.settings.seed),
            timeout: Some(limits.wall),
            memory_mb: limits.memory.map(|bytes| bytes >> 20),
            file: Some(Path::new(file)),
            ..Gaps::default()
        };
        let filled = self.target.one_shot(&Ask { gaps, ..Ask::default() });
        let lead = self.target.lead.len();
        let words = |(at, word): (usize, String)| -> Vec<String> {
            // The words that start the program may contain blanks in paths; quoted words stay
            // whole.
            match at < lead || word.contains('"') {
                true => vec![word.replace('"', "")],
                false => word.split_whitespace().map(str::to_owned).collect(),
            }
        };
        filled.into_iter().enumerate().flat_map(words).collect()
    }

    fn manner(&self) -> Result<&Manner, String> {
        let named = || format!("{} does not analyze programs", self.name);
        self.target.behaviour.analyzer.as_ref().ok_or_else(named)
    }

    /// The drawn options that it accepts, alone and together.
    fn accepted(&mut self, drawn: Vec<Chosen>) -> Vec<Chosen> {
        if self.takes(&drawn) {
            return drawn;
        }
        let taken: Vec<Chosen> =
            drawn.into_iter().filter(|option| self.takes(std::slice::from_ref(option))).collect();
        if self.takes(&taken) { taken } else { Vec::new() }
    }

    /// Whether it is right about trivial programs with these options: a version that does not know
    /// an option or a combination must not be blamed for cases.
    fn takes(&mut self, options: &[Chosen]) -> bool {
        if options.is_empty() {
            return true;
        }
        if !self.set(options) {
            return false;
        }
        let sees = self.says(&self_test::reachable()).is_ok_and(|answer| self_test::sees(&answer));
        // Some options remove all precision: a false alarm is not their fault.
        let clears = |answer| self_test::clears(&answer) || answer == Answer::Alarm;
        sees && self.says(&self_test::unreachable()).is_ok_and(clears)
    }

    /// The answer to a program, or why there is none.
    fn says(&mut self, program: &str) -> Result<Answer, String> {
        let text = in_dialect(program, self.manner()?).map_err(|error| error.to_string())?;
        let run = self.execute(&text, None).map_err(|error| error.to_string())?;
        Ok(run.observation.answer)
    }

    /// Whether it is right, without drawn options, about one program with a reachable error and one
    /// with an unreachable error. Tested once per command line in a process.
    ///
    /// # Errors
    /// The wrong answer; then none of its answers may count.
    pub fn self_test(&mut self) -> Result<(), String> {
        if !self.manner()?.self_test {
            return Ok(());
        }
        let drawn = std::mem::replace(&mut self.target, Arc::clone(&self.usual));
        let command = format!(
            "{} {:?} {:?} {:?}",
            self.target.program.display(),
            self.arguments(FILE),
            self.target.env,
            self.target.behaviour.analyzer,
        );
        let verdict = self_test::known(&command).unwrap_or_else(|| {
            let (verdict, lasting) = self.examined();
            if lasting {
                self_test::remember(command, verdict.clone());
            }
            verdict
        });
        self.target = drawn;
        verdict
    }

    /// The result of the self-test, and whether it would be the same again.
    fn examined(&mut self) -> (Result<(), String>, bool) {
        type Right = fn(&Answer) -> bool;
        let tests: [(&str, String, Right); 2] = [
            ("reachable", self_test::reachable(), self_test::sees),
            ("unreachable", self_test::unreachable(), self_test::clears),
        ];
        for (truth, program, right) in tests {
            let (said, lasting) = match self.says(&program) {
                Ok(answer) if right(&answer) => continue,
                Ok(answer) => (answer.to_string(), !self_test::is_passing(&answer)),
                Err(words) => (words, false),
            };
            let words = format!(
                "it fails its self-test (the error of a small program is {truth}, its answer is \
                 `{said}`), so none of its answers count"
            );
            return (Err(words), lasting);
        }
        (Ok(()), true)
    }

    /// Sets these options; false if it lacks one of them.
    fn set(&mut self, options: &[Chosen]) -> bool {
        let target = self.usual.with_options(options);
        let known = target.is_ok();
        self.options = if known { words(options) } else { Vec::new() };
        self.target = target.map_or_else(|_| Arc::clone(&self.usual), Arc::new);
        known
    }

    /// Runs it on a text, for the time of a slice at most if there is one.
    fn execute(&mut self, text: &str, slice: Option<Duration>) -> Result<Run, HarnessError> {
        let arguments = self.arguments(FILE);
        let keeper = match &mut self.keeper {
            Some(keeper) => keeper,
            none => none.insert(Keeper::start(&self.settings.launcher)?),
        };
        let scratch = keeper.scratch()?.to_owned();
        std::fs::write(scratch.join(FILE), text)
            .map_err(|source| HarnessError::Pipe { doing: "write a file for", source })?;
        // Frama-C trusts this variable more than the system.
        let command = self.target.command_line(arguments).env("PWD", scratch);
        let whole = self.settings.limits;
        let limits = Limits { wall: slice.unwrap_or(whole.wall).min(whole.wall), ..whole };
        let finished = keeper.run(&command, b"", &limits)?;
        let stdout = String::from_utf8_lossy(&finished.stdout).into_owned();
        let stderr = String::from_utf8_lossy(&finished.stderr).into_owned();
        let answer = match finished.flooded {
            true => Answer::Garbled(flood(&limits)),
            false => {
                let manner = self.target.behaviour.analyzer.clone().unwrap_or_default();
                let promises = &self.target.behaviour.promises;
                let printed = Printed { stdout: &stdout, stderr: &stderr };
                read(&manner, promises, printed, finished.ending)
            }
        };
        let cut_short = slice.is_some() && finished.ending == Ending::TimedOut;
        let mut observation =
            Observation::new(answer, finished.elapsed).within(limits.memory, finished.ending);
        observation.limit = cut_short.then_some(limits.wall);
        Ok(Run {
            observation,
            input: text.to_owned(),
            stdout,
            stderr,
            ending: Some(finished.ending),
            containment: finished.containment,
            confinement: finished.confinement,
            cpu: Some(finished.cpu),
            attachments: Vec::new(),
            features: Vec::new(),
        })
    }
}

impl Target for Analyzer {
    fn name(&self) -> &str {
        &self.name
    }

    fn by_hand(&self, _case: &TestCase) -> Option<ByHand> {
        let arguments = self.arguments(KEPT).split_off(self.target.lead.len());
        self.target.by_hand(&arguments, Path::new(KEPT))
    }

    fn options(&self, _case: &TestCase) -> Vec<String> {
        self.options.clone()
    }

    fn with_options(&self, options: &[String]) -> Option<Box<dyn Target>> {
        let chosen = chosen(options)?;
        let mut analyzer = Analyzer::new(Arc::clone(&self.usual), self.settings.clone(), None);
        let takes = analyzer.takes(&chosen) && analyzer.set(&chosen);
        takes.then(|| Box::new(analyzer) as Box<dyn Target>)
    }

    fn prepare(&mut self, ordinal: u64) {
        let Some(vary) = self.vary else { return };
        let drawn = self.usual.draw(vary, ordinal);
        let key = words(&drawn).join(" ");
        let taken = match self.taken.get(&key) {
            Some(taken) => taken.clone(),
            None => {
                let taken = self.accepted(drawn);
                self.taken.insert(key, taken.clone());
                taken
            }
        };
        self.set(&taken);
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        let Some(test) = case.as_program() else {
            return Ok(Ran::Skipped(foreign(&self.name, case)));
        };
        let manner = match self.manner() {
            Ok(manner) => manner,
            Err(words) => return Ok(Ran::Skipped(words)),
        };
        let text = match in_dialect(&test.program.text, manner) {
            Ok(text) => text,
            Err(error) => return Ok(Ran::Skipped(error.to_string())),
        };
        if let Some(word) = mentioned(&test.program.text, &manner.unread()) {
            return Ok(Ran::Skipped(format!("{} does not read `{word}`", self.name)));
        }
        let unsupported = manner.unsupported.clone();
        if let Err(words) = self.self_test() {
            return Ok(Ran::Skipped(format!("{}: {words}", self.name)));
        }
        let slice = match mode {
            Mode::Slice(slice) => Some(slice),
            Mode::Session | Mode::Fresh => None,
        };
        let run = self.execute(&text, slice)?;
        let ended = matches!(run.ending, Some(Ending::Exited(_)));
        let line = Printed { stdout: &run.stdout, stderr: &run.stderr }
            .line_with(&unsupported)
            .filter(|_| ended);
        Ok(match line {
            Some(line) => Ran::Skipped(format!("{}: {line}", self.name)),
            None => Ran::Observed(Box::new(run)),
        })
    }
}

fn words(options: &[Chosen]) -> Vec<String> {
    options.iter().map(ToString::to_string).collect()
}

/// The output of a tool.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Printed<'p> {
    /// Standard output.
    pub stdout: &'p str,
    /// Standard error.
    pub stderr: &'p str,
}

impl Printed<'_> {
    /// The first line that contains one of the words.
    fn line_with(self, words: &[String]) -> Option<String> {
        let mut all = self.stdout.lines().chain(self.stderr.lines());
        let found = all.find(|line| words.iter().any(|word| line.contains(word.as_str())));
        found.map(|line| line.trim().to_owned())
    }
}

/// Interprets an analyzer's output, given its promises.
#[must_use]
pub fn read(manner: &Manner, promises: &[Promise], printed: Printed<'_>, ending: Ending) -> Answer {
    let Printed { stdout, stderr } = printed;
    let has = |words: &[String]| {
        let last = stdout.trim_end().lines().last().unwrap_or_default();
        words.iter().any(|word| match manner.at_end {
            true => last == word,
            false => stdout.contains(word.as_str()) || stderr.contains(word.as_str()),
        })
    };
    let says = |words: &[String]| {
        words.iter().any(|word| stdout.contains(word.as_str()) || stderr.contains(word.as_str()))
    };
    let crash = |death| Answer::Crash(CrashSignature::new(death, stderr, stdout));
    match ending {
        Ending::TimedOut => return Answer::Timeout,
        Ending::OutOfMemory => return Answer::OutOfMemory,
        Ending::OverLimit(_) => return Answer::Unknown(Some(ending.to_string())),
        Ending::Signalled(number) => return crash(Death::Signal(number)),
        Ending::Exited(code) if says(&manner.failure) => return crash(Death::Exit(code)),
        Ending::Exited(code) if code > 128 => return crash(Death::Exit(code)),
        Ending::Exited(_) => {}
    }
    let line = |words: &[String]| printed.line_with(words).unwrap_or_default();
    if says(&manner.refusal) {
        return Answer::Rejected(line(&manner.refusal));
    }
    let promises = |promise| promises.contains(&promise);
    if has(&manner.alarm) {
        return if promises(Promise::Precise) { Answer::Reachable } else { Answer::Alarm };
    }
    if has(&manner.unknown) {
        return Answer::Unknown(Some(line(&manner.unknown)));
    }
    // Silence is an answer of tools that print nothing if they find nothing.
    let silent = manner.clear.is_empty() && ending == Ending::Exited(0);
    if silent || has(&manner.clear) {
        return match promises(Promise::Sound) && !promises(Promise::Bounded) {
            true => Answer::Unreachable,
            false => Answer::Silent,
        };
    }
    let last = stderr.lines().chain(stdout.lines()).rfind(|line| !line.trim().is_empty());
    Answer::Garbled(last.map_or_else(|| format!("no output, {ending}"), |l| l.trim().to_owned()))
}

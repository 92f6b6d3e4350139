//! Any script, any command: what the command says about the script is what is kept.

use super::{Event, Measure, Reduction, ReductionError, Watch, is_over};
use assay_case::Ending;
use assay_reduce::{
    Candidate, Learnt, Original, Progress, ScriptTester, Size, Tested, Tester, reduce,
};
use assay_smtlib::Dialect;
use assay_target::process::{CommandLine, Finished, HarnessError, Keeper, Launcher, Limits};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What a stream must be like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stream {
    /// Anything.
    Anything,
    /// It holds this text.
    Holds(String),
    /// It is this.
    Same(Vec<u8>),
}

impl Stream {
    /// Whether it is so.
    #[must_use]
    pub fn fits(&self, said: &[u8]) -> bool {
        match self {
            Stream::Anything => true,
            Stream::Holds(text) => String::from_utf8_lossy(said).contains(text.as_str()),
            Stream::Same(golden) => golden == said,
        }
    }
}

/// What a run must be like.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// How the command ends.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Stream,
    /// Its standard error.
    pub stderr: Stream,
}

/// A command, whose last argument is the script.
pub struct CommandBench {
    /// Who starts it.
    pub launcher: Launcher,
    /// The command without the script.
    pub command: CommandLine,
    /// What one run may cost.
    pub limits: Limits,
}

impl CommandBench {
    /// What the command says about a script.
    ///
    /// # Errors
    /// Where it cannot be run.
    pub fn run(&self, text: &str) -> Result<Finished, HarnessError> {
        self.runner(&Arc::default())?.run(text)
    }

    /// The smallest script on which the command does what it should, and the processor time of all
    /// its runs.
    ///
    /// # Errors
    /// Where it does not do that on the script itself, or cannot be run.
    pub fn reduce(
        &self,
        text: &str,
        expected: &Expectation,
        jobs: usize,
        watch: &mut Watch<'_>,
    ) -> Result<(Reduction, Duration), ReductionError> {
        let cpu = Arc::default();
        let mut testers: Vec<ScriptTester<'_>> = Vec::new();
        for _ in 0..jobs {
            testers.push(Box::new(Wanted { runner: self.runner(&cpu)?, expected }));
        }
        let dialects = Dialect::ALL.to_vec();
        let original = Original { dialects, asks: false, ..Original::new(text) };
        let end = watch.end;
        let mut progress = |progress: Progress<Size>| {
            (watch.tell)(Event::Smaller(progress.counts, Measure::Script(progress.size)));
        };
        let reduced = reduce(&original, testers, &|| is_over(end), &mut progress)?;
        let cpu = Duration::from_micros(cpu.load(Ordering::Relaxed));
        Ok((Reduction::of_script(&reduced, None, None), cpu))
    }

    fn runner(&self, cpu: &Arc<AtomicU64>) -> Result<Runner, HarnessError> {
        Ok(Runner {
            keeper: Keeper::start(&self.launcher)?,
            command: self.command.clone(),
            limits: self.limits,
            cpu: Arc::clone(cpu),
        })
    }
}

/// The command in the hands of one worker.
struct Runner {
    keeper: Keeper,
    command: CommandLine,
    limits: Limits,
    /// The processor time of all runs, in microseconds.
    cpu: Arc<AtomicU64>,
}

impl Runner {
    fn run(&mut self, text: &str) -> Result<Finished, HarnessError> {
        let path = self.keeper.scratch()?.join("input.smt2");
        std::fs::write(&path, text)
            .map_err(|source| HarnessError::Pipe { doing: "write a file for", source })?;
        let mut command = self.command.clone();
        command.args.push(path.into());
        let finished = self.keeper.run(&command, &[], &self.limits)?;
        let micros = u64::try_from(finished.cpu.as_micros()).unwrap_or(u64::MAX);
        self.cpu.fetch_add(micros, Ordering::Relaxed);
        Ok(finished)
    }
}

/// A run that must be like this.
struct Wanted<'w> {
    runner: Runner,
    expected: &'w Expectation,
}

impl Tester<Candidate, Learnt> for Wanted<'_> {
    fn test(&mut self, candidate: &Candidate) -> Tested {
        let Expectation { ending, stdout, stderr } = self.expected;
        match self.runner.run(&candidate.text) {
            Ok(it) => Tested::when(
                it.ending == *ending && stdout.fits(&it.stdout) && stderr.fits(&it.stderr),
                &format!("the command ends with {}", it.ending),
            ),
            Err(error) => Tested::Not(error.to_string()),
        }
    }
}

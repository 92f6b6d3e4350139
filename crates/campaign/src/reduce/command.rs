//! Reduces any script with any command: the command's output must stay the same.

use super::{Event, Measure, Reduction, ReductionError, Watch};
use assay_case::Ending;
use assay_reduce::{
    Candidate, Learnt, Original, Progress, ScriptTester, Size, Tested, Tester, reduce,
};
use assay_smtlib::Dialect;
use assay_target::process::{CommandLine, Finished, HarnessError, Keeper, Launcher, Limits};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// A condition on an output stream.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stream {
    /// No condition.
    Anything,
    /// Contains this text.
    Holds(String),
    /// Equals these bytes.
    Same(Vec<u8>),
}

impl Stream {
    /// Whether the output satisfies the condition.
    #[must_use]
    pub fn fits(&self, said: &[u8]) -> bool {
        match self {
            Stream::Anything => true,
            Stream::Holds(text) => String::from_utf8_lossy(said).contains(text.as_str()),
            Stream::Same(golden) => golden == said,
        }
    }
}

/// A condition on a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    /// How the command must end.
    pub ending: Ending,
    /// Its standard output.
    pub stdout: Stream,
    /// Its standard error.
    pub stderr: Stream,
}

/// A command that takes the script as its last argument.
pub struct CommandBench {
    /// The launcher that starts it.
    pub launcher: Launcher,
    /// The command without the script.
    pub command: CommandLine,
    /// The limits of one run.
    pub limits: Limits,
}

impl CommandBench {
    /// Runs the command on a script.
    ///
    /// # Errors
    /// Fails if it cannot be run.
    pub fn run(&self, text: &str) -> Result<Finished, HarnessError> {
        self.runner(&Arc::default())?.run(text)
    }

    /// The smallest script on which the command still behaves as expected, and the processor time
    /// of all its runs.
    ///
    /// # Errors
    /// Fails if the script itself does not satisfy the expectation, or the command cannot be run.
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
        let reduced = reduce(&original, testers, &|| end.is_over(), &mut progress)?;
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

/// The command as run by one worker.
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

/// The expectation that a run must satisfy.
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

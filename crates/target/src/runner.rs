//! A tool under test as those who run campaigns see it: a case goes in, what it said comes out.

use crate::by_hand::ByHand;
use crate::process::{Confinement, Containment, HarnessError};
use assay_case::{Ending, Observation, TestCase};
use std::time::Duration;

/// A tool under test, in the hands of one worker.
pub trait Target: Send {
    /// Its full name, with version and variant.
    fn name(&self) -> &str;

    /// How somebody without us runs it on the case's text in the file `input.smt2` (`input.c`); none
    /// where nobody can.
    fn by_hand(&self, case: &TestCase) -> Option<ByHand>;

    /// The options that it ran the case with beside the usual ones, as `name=value`.
    fn options(&self, _case: &TestCase) -> Vec<String> {
        Vec::new()
    }

    /// The same tool with exactly these of the options that it drew; none where it draws none.
    fn with_options(&self, _options: &[String]) -> Option<Box<dyn Target>> {
        None
    }

    /// Makes ready for the case at this place in a campaign, and for all runs until the next call.
    fn prepare(&mut self, _ordinal: u64) {}

    /// Runs one case.
    ///
    /// # Errors
    /// A failure of ours, never of the tool: what the tool does, however badly, is observed.
    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError>;
}

/// Which process serves a case.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// One that lives long and serves many cases, where the target allows it.
    Session,
    /// The same, but a case that is not done after this time is given up, if that is less than the time
    /// limit. The observation of such a case has this limit.
    Slice(Duration),
    /// A process of its own.
    Fresh,
}

/// What running a case came to.
#[derive(Clone, Debug)]
pub enum Ran {
    /// The target was run.
    Observed(Box<Run>),
    /// The target does not offer what the case needs, for this reason.
    Skipped(String),
}

/// A file that shows something of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    /// Its name.
    pub file: &'static str,
    /// What it holds.
    pub text: String,
}

/// A run, with all that is needed to show it to others.
#[derive(Clone, Debug)]
pub struct Run {
    /// What it came to.
    pub observation: Observation,
    /// The text that the target was given.
    pub input: String,
    /// What it wrote to standard output, as far as it was read.
    pub stdout: String,
    /// What it wrote to standard error, as far as it was read.
    pub stderr: String,
    /// How the process ended; none where it lives on.
    pub ending: Option<Ending>,
    /// How its limits were enforced.
    pub containment: Containment,
    /// How it was confined.
    pub confinement: Confinement,
    /// The processor time that the process tree took; none where it lives on.
    pub cpu: Option<Duration>,
    /// Further files that show what happened.
    pub attachments: Vec<Attachment>,
}

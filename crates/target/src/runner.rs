//! The interface of a tool under test: it runs a case and returns an observation.

use crate::by_hand::ByHand;
use crate::process::{Confinement, Containment, HarnessError};
use assay_case::{Ending, Observation, TestCase};
use std::time::Duration;

/// A tool under test, as run by one worker.
pub trait Target: Send {
    /// Its full name, with version and variant.
    fn name(&self) -> &str;

    /// How to run it without assay on the case's text in the file `input.smt2` (`input.c`); `None`
    /// if that is impossible.
    fn by_hand(&self, case: &TestCase) -> Option<ByHand>;

    /// The options that it ran the case with in addition to the usual ones, as `name=value`.
    fn options(&self, _case: &TestCase) -> Vec<String> {
        Vec::new()
    }

    /// The same tool with exactly these of the options that it drew; `None` if it draws none.
    fn with_options(&self, _options: &[String]) -> Option<Box<dyn Target>> {
        None
    }

    /// Prepares for the case at this place in a campaign, and for all runs until the next call.
    fn prepare(&mut self, _ordinal: u64) {}

    /// Has the tool tell from time to time what it counted, if it can.
    fn sample_statistics(&mut self) {}

    /// Runs one case.
    ///
    /// # Errors
    /// A failure of assay itself, never of the tool: the tool's behavior is an observation.
    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError>;
}

/// The process that a case runs in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Mode {
    /// A long-lived process that serves many cases, if the target supports it.
    Session,
    /// The same, but a case that is not done after this time is given up, if that is less than the time
    /// limit. The observation of such a case has this limit.
    Slice(Duration),
    /// A fresh process.
    Fresh,
}

/// The result of running a case.
#[derive(Clone, Debug)]
pub enum Ran {
    /// The target was run.
    Observed(Box<Run>),
    /// The target lacks a feature that the case needs, for this reason.
    Skipped(String),
}

/// A file with details of a run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attachment {
    /// The file name.
    pub file: &'static str,
    /// The contents.
    pub text: String,
}

/// A run, with everything needed to document it.
#[derive(Clone, Debug)]
pub struct Run {
    /// The result.
    pub observation: Observation,
    /// The text that the target received.
    pub input: String,
    /// Its standard output, as far as it was read.
    pub stdout: String,
    /// Its standard error, as far as it was read.
    pub stderr: String,
    /// How the process ended; `None` if it is still running.
    pub ending: Option<Ending>,
    /// How its limits were enforced.
    pub containment: Containment,
    /// How it was confined.
    pub confinement: Confinement,
    /// The processor time of the process tree; `None` if it is still running.
    pub cpu: Option<Duration>,
    /// Files with further details.
    pub attachments: Vec<Attachment>,
    /// What it counted while it worked, if it was asked: counters with their magnitudes.
    pub features: Vec<String>,
}

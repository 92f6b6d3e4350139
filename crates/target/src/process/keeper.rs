//! A keeper, as seen by its worker.

use super::HarnessError;
use super::command::{CommandLine, Containment, Launcher, Limits};
use super::link::Link;
use super::running::{Finished, Process, Stop};
use super::sandbox::Confinement;
use super::wire::Reply;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// A process that runs one job at a time for its worker and never leaves anything behind.
///
/// If it is lost, its current job fails with an error, and the next job starts a new keeper.
pub struct Keeper {
    launcher: Launcher,
    link: Option<Link>,
}

impl Keeper {
    /// Starts a keeper.
    ///
    /// # Errors
    /// If it cannot be started, or the containment that the launcher requests is not available.
    pub fn start(launcher: &Launcher) -> Result<Keeper, HarnessError> {
        let link = Some(Link::open(launcher)?);
        Ok(Keeper { launcher: launcher.clone(), link })
    }

    /// How limits are enforced.
    ///
    /// # Errors
    /// If the keeper was lost and cannot be started again.
    pub fn containment(&mut self) -> Result<Containment, HarnessError> {
        Ok(self.link()?.containment)
    }

    /// How jobs are confined.
    ///
    /// # Errors
    /// If the keeper was lost and cannot be started again.
    pub fn confinement(&mut self) -> Result<Confinement, HarnessError> {
        Ok(self.link()?.confinement)
    }

    /// A folder for the next job: its `TMPDIR`, and its working directory by default. Files put
    /// there before the job starts are available to it; the folder is emptied after the job, and
    /// removed with the keeper.
    ///
    /// # Errors
    /// If the keeper was lost and cannot be started again.
    pub fn scratch(&mut self) -> Result<&Path, HarnessError> {
        Ok(&self.link()?.scratch)
    }

    /// Starts a process with a memory limit for its whole tree, in bytes.
    ///
    /// # Errors
    /// If the program cannot be started, or the keeper fails.
    pub fn spawn(
        &mut self,
        command: &CommandLine,
        memory: Option<u64>,
    ) -> Result<Process<&mut Keeper>, HarnessError> {
        Process::spawn(self, command, memory)
    }

    /// Runs a command to its end: writes `input`, closes it, and reads the output.
    ///
    /// # Errors
    /// If the program cannot be started, or the keeper fails. No behavior of the program is an
    /// error.
    pub fn run(
        &mut self,
        command: &CommandLine,
        input: &[u8],
        limits: &Limits,
    ) -> Result<Finished, HarnessError> {
        let (containment, confinement) = (self.containment()?, self.confinement()?);
        let start = Instant::now();
        let mut process = self.spawn(command, limits.memory)?;
        let starting = start.elapsed();
        let exchange = process.exchange(input, None, limits.wall, limits.output)?;
        let ended = process.finish(Duration::ZERO)?;
        Ok(Finished {
            stdout: exchange.stdout,
            stderr: exchange.stderr,
            ending: ended.ending,
            flooded: exchange.stop == Stop::Flood,
            elapsed: starting + exchange.elapsed,
            cpu: ended.cpu,
            peak_memory: ended.peak_memory,
            containment,
            confinement,
        })
    }

    /// The running keeper; a new one if it was lost.
    pub(super) fn link(&mut self) -> Result<&mut Link, HarnessError> {
        let link = match self.link.take() {
            Some(link) => link,
            None => Link::open(&self.launcher)?,
        };
        Ok(self.link.insert(link))
    }

    /// The keeper that runs a job; `None` if it was lost since the job began.
    pub(super) fn current(&mut self) -> Option<&mut Link> {
        self.link.as_mut()
    }

    /// Gives up the running keeper, which makes it kill its job, and returns the error.
    pub(super) fn lose(&mut self, doing: &'static str, source: io::Error) -> HarnessError {
        self.link = None;
        HarnessError::Lost { doing, source }
    }

    /// Like [`lose`](Keeper::lose), for an unexpected reply.
    pub(super) fn lose_confused(&mut self, doing: &'static str, reply: &Reply) -> HarnessError {
        let source = io::Error::new(io::ErrorKind::InvalidData, format!("it said {reply:?}"));
        self.lose(doing, source)
    }
}

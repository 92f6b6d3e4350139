//! A keeper as its worker sees it.

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
/// Where it was lost, which is an error of the job it had, the next job starts a new one.
pub struct Keeper {
    launcher: Launcher,
    link: Option<Link>,
}

impl Keeper {
    /// Starts a keeper.
    ///
    /// # Errors
    /// If it cannot be started, or the containment that the launcher asks for is not to be had.
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

    /// A folder for the next job: its working directory unless the command says otherwise, and its
    /// `TMPDIR`. What is put there before the job starts is there for the job; the folder is
    /// emptied when the job has ended, and removed with the keeper.
    ///
    /// # Errors
    /// If the keeper was lost and cannot be started again.
    pub fn scratch(&mut self) -> Result<&Path, HarnessError> {
        Ok(&self.link()?.scratch)
    }

    /// Starts a process with a limit of memory for its whole tree, in bytes.
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
    /// If the program cannot be started, or the keeper fails. What the program does, however badly,
    /// is no error.
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

    /// The running keeper; a new one where it was lost.
    pub(super) fn link(&mut self) -> Result<&mut Link, HarnessError> {
        let link = match self.link.take() {
            Some(link) => link,
            None => Link::open(&self.launcher)?,
        };
        Ok(self.link.insert(link))
    }

    /// The keeper that runs a job; none where it was lost since the job began.
    pub(super) fn current(&mut self) -> Option<&mut Link> {
        self.link.as_mut()
    }

    /// Gives up the running keeper, which makes it kill its job, and says so.
    pub(super) fn lose(&mut self, doing: &'static str, source: io::Error) -> HarnessError {
        self.link = None;
        HarnessError::Lost { doing, source }
    }

    /// As [`lose`](Keeper::lose), for a reply out of place.
    pub(super) fn lose_confused(&mut self, doing: &'static str, reply: &Reply) -> HarnessError {
        let source = io::Error::new(io::ErrorKind::InvalidData, format!("it said {reply:?}"));
        self.lose(doing, source)
    }
}

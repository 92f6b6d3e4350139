//! A running process, and how it ended.

use super::HarnessError;
use super::command::{CommandLine, Containment};
use super::confine::{FILE_SIZE, PROCESSES};
use super::keeper::Keeper;
use super::link::timespec;
use super::sandbox::Confinement;
use super::stream::{Read, Stream};
use super::wire::{How, Reply, Request};
use assay_case::{Ending, Quota};
use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{OFlags, fcntl_setfl};
use rustix::io::Errno;
use rustix::pipe::{PipeFlags, pipe_with};
use std::borrow::BorrowMut;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// The maximum output of a process after its input was closed, which is discarded.
const LAST_WORDS: usize = 1 << 20;

/// The interval at which the stop flag is checked during an exchange.
const LOOK: Duration = Duration::from_millis(100);

/// A process with pipes to it, supervised by a keeper: a borrowed one, or its own.
///
/// Dropping it kills its whole tree.
pub struct Process<K: BorrowMut<Keeper> = Keeper> {
    keeper: Option<K>,
    /// `None` once it is closed.
    input: Option<OwnedFd>,
    output: Stream,
    errors: Stream,
    ended: Option<Ended>,
}

/// How a process and all its descendants ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ended {
    /// How the process itself ended. [`Ending::TimedOut`] stands for all reasons for which *we*
    /// ended it: the time limit, too much output, or the caller's request.
    pub ending: Ending,
    /// The processor time of the whole tree.
    pub cpu: Duration,
    /// The peak memory use of the whole tree, if it was measured.
    pub peak_memory: Option<u64>,
}

/// The limits of one exchange.
#[derive(Clone, Copy, Debug)]
pub struct Bounds<'b> {
    /// The time limit.
    pub wall: Duration,
    /// The limit for both output streams together, in bytes.
    pub output: usize,
    /// A flag that ends the exchange like a timeout once it is set.
    pub stop: Option<&'b AtomicBool>,
}

/// The result of one exchange.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// What was written to standard output, up to the marker.
    pub stdout: Vec<u8>,
    /// What was written to standard error.
    pub stderr: Vec<u8>,
    /// Why the exchange stopped. After anything but a marker the process is dead.
    pub stop: Stop,
    /// The duration.
    pub elapsed: Duration,
}

/// Why an exchange stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stop {
    /// The marker was read.
    Marker,
    /// The process ended by itself, or was ended by the memory limit.
    Ended(Ending),
    /// A timeout.
    Timeout,
    /// The output exceeded its limit and was truncated.
    Flood,
}

/// The result of running a command to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finished {
    /// Standard output, up to the limit.
    pub stdout: Vec<u8>,
    /// Standard error, up to the limit.
    pub stderr: Vec<u8>,
    /// How the process ended; meaningless if it flooded its output.
    pub ending: Ending,
    /// Whether it was ended because it wrote too much.
    pub flooded: bool,
    /// The duration.
    pub elapsed: Duration,
    /// The processor time of the whole tree.
    pub cpu: Duration,
    /// The peak memory use of the whole tree, if it was measured.
    pub peak_memory: Option<u64>,
    /// How the limits were enforced.
    pub containment: Containment,
    /// How it was confined.
    pub confinement: Confinement,
}

impl<K: BorrowMut<Keeper>> Process<K> {
    /// Starts a process with a memory limit for its whole tree, in bytes.
    ///
    /// # Errors
    /// If the program cannot be started, or the keeper fails.
    pub fn spawn(
        mut keeper: K,
        command: &CommandLine,
        memory: Option<u64>,
    ) -> Result<Process<K>, HarnessError> {
        let connect = |source: Errno| HarnessError::Pipe {
            doing: "make a connection to",
            source: source.into(),
        };
        let (their_input, input) = pipe_with(PipeFlags::CLOEXEC).map_err(connect)?;
        let (output, their_output) = pipe_with(PipeFlags::CLOEXEC).map_err(connect)?;
        let (errors, their_errors) = pipe_with(PipeFlags::CLOEXEC).map_err(connect)?;
        for ours in [&input, &output, &errors] {
            fcntl_setfl(ours, OFlags::NONBLOCK).map_err(connect)?;
        }
        let request = Request::Spawn { command: command.clone(), memory };
        let theirs = [their_input.as_fd(), their_output.as_fd(), their_errors.as_fd()];
        let keeping: &mut Keeper = keeper.borrow_mut();
        match keeping.link()?.ask(&request, &theirs) {
            Ok(Reply::Started) => Ok(Process {
                keeper: Some(keeper),
                input: Some(input),
                output: Stream::new(output),
                errors: Stream::new(errors),
                ended: None,
            }),
            Ok(Reply::Refused(why)) => {
                Err(HarnessError::Program { program: command.program.clone(), why })
            }
            Ok(reply) => Err(keeping.lose_confused("starting a process", &reply)),
            Err(source) => Err(keeping.lose("starting a process", source)),
        }
    }

    /// How it ended; `None` while it is alive.
    #[must_use]
    pub fn ended(&self) -> Option<Ended> {
        self.ended
    }

    /// Writes the input and reads the output until standard output has a line with the marker, the
    /// process ends, time runs out, or the output exceeds `bound`. In the last two cases the
    /// process is killed.
    ///
    /// Without a marker this is the last exchange: the input is closed after it is written. Output
    /// after a marker belongs to the next exchange.
    ///
    /// # Errors
    /// If a pipe fails or the keeper is lost.
    pub fn exchange(
        &mut self,
        input: &[u8],
        marker: Option<&[u8]>,
        wall: Duration,
        bound: usize,
    ) -> Result<Exchange, HarnessError> {
        self.exchange_within(input, marker, &Bounds { wall, output: bound, stop: None })
    }

    /// Like [`exchange`](Process::exchange), with bounds that may have a stop flag.
    ///
    /// # Errors
    /// If a pipe fails or the keeper is lost.
    pub fn exchange_within(
        &mut self,
        input: &[u8],
        marker: Option<&[u8]>,
        bounds: &Bounds<'_>,
    ) -> Result<Exchange, HarnessError> {
        let Bounds { wall, output: bound, stop } = *bounds;
        let start = Instant::now();
        let stopped = || stop.is_some_and(|stop| stop.load(Ordering::Relaxed));
        let mut rest = self.write(input)?;
        let (stop, stdout) = loop {
            if marker.is_none() && rest.is_empty() {
                self.close_input();
            }
            if self.output.len() + self.errors.len() > bound {
                break (Stop::Flood, None);
            }
            if let Some(stdout) = marker.and_then(|marker| self.output.take_until(marker)) {
                break (Stop::Marker, Some(stdout));
            }
            if let Some(ended) = self.ended {
                break (Stop::Ended(ended.ending), None);
            }
            let left = match wall.checked_sub(start.elapsed()) {
                Some(left) if !stopped() => left,
                _ => break (Stop::Timeout, None),
            };
            let left = if stop.is_some() { left.min(LOOK) } else { left };
            rest = self.step(rest, left, bound)?;
        };
        let elapsed = start.elapsed();
        let stop = self.settle(stop)?;
        let stdout = stdout.unwrap_or_else(|| self.output.take(bound));
        let stderr = self.errors.take(bound.saturating_sub(stdout.len()));
        Ok(Exchange { stdout, stderr, stop, elapsed })
    }

    /// Finishes an exchange that has stopped.
    fn settle(&mut self, stop: Stop) -> Result<Stop, HarnessError> {
        match stop {
            Stop::Marker => {
                // Error messages may still be in the pipe; one look is enough, because they were
                // written before the marker.
                self.errors.read().map_err(reading)?;
                Ok(stop)
            }
            Stop::Ended(_) => Ok(stop),
            Stop::Flood => {
                self.end()?;
                Ok(stop)
            }
            Stop::Timeout => match self.end()?.ending {
                Ending::TimedOut => Ok(stop),
                // It ended by itself at the last moment.
                ending => Ok(Stop::Ended(ending)),
            },
        }
    }

    /// Waits until a pipe is ready and serves it; returns the input that is still to be written.
    fn step<'i>(
        &mut self,
        rest: &'i [u8],
        left: Duration,
        bound: usize,
    ) -> Result<&'i [u8], HarnessError> {
        let ready = self.wait(!rest.is_empty(), left)?;
        if ready.output {
            self.output.read().map_err(reading)?;
        }
        if ready.errors {
            self.errors.read().map_err(reading)?;
        }
        if ready.ended {
            self.ended = Some(self.hear()?);
            self.drain(bound)?;
        }
        if ready.input { self.write(rest) } else { Ok(rest) }
    }

    fn wait(&mut self, writing: bool, left: Duration) -> Result<Ready, HarnessError> {
        let link = keeper(&mut self.keeper).current().ok_or_else(gone)?;
        let has_reply = link.has_reply();
        let left = if has_reply { Duration::ZERO } else { left };
        let mut fds = Vec::with_capacity(4);
        fds.push(PollFd::from_borrowed_fd(link.as_fd(), PollFlags::IN));
        let mut add = |fd, flags| {
            let fd = fd?;
            fds.push(PollFd::from_borrowed_fd(fd, flags));
            Some(fds.len() - 1)
        };
        let output = add(self.output.as_fd(), PollFlags::IN);
        let errors = add(self.errors.as_fd(), PollFlags::IN);
        let input = self.input.as_ref().filter(|_| writing).map(AsFd::as_fd);
        let input = add(input, PollFlags::OUT);
        match poll(&mut fds, Some(&timespec(left))) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(source) => {
                return Err(HarnessError::Pipe { doing: "wait for", source: source.into() });
            }
        }
        let is_ready = |at: Option<usize>| at.is_some_and(|at| !fds[at].revents().is_empty());
        Ok(Ready {
            ended: has_reply || is_ready(Some(0)),
            output: is_ready(output),
            errors: is_ready(errors),
            input: is_ready(input),
        })
    }

    /// Reads what a dead process has left in the pipes.
    fn drain(&mut self, bound: usize) -> Result<(), HarnessError> {
        for stream in [&mut self.output, &mut self.errors] {
            while stream.len() <= bound && stream.read().map_err(reading)? == Read::Some {}
        }
        Ok(())
    }

    /// Writes what fits into the pipe and returns the rest. A process may ignore its input.
    fn write<'i>(&mut self, bytes: &'i [u8]) -> Result<&'i [u8], HarnessError> {
        let Some(pipe) = self.input.as_ref().filter(|_| !bytes.is_empty()) else {
            return Ok(&[]);
        };
        loop {
            match rustix::io::write(pipe, bytes) {
                Ok(count) => return Ok(&bytes[count..]),
                Err(Errno::AGAIN) => return Ok(bytes),
                Err(Errno::INTR) => {}
                Err(Errno::PIPE) => {
                    self.input = None;
                    return Ok(&[]);
                }
                Err(source) => {
                    return Err(HarnessError::Pipe { doing: "write to", source: source.into() });
                }
            }
        }
    }

    /// Closes the standard input of the process.
    pub fn close_input(&mut self) {
        self.input = None;
    }

    /// Closes its input, gives it some time to end by itself, then kills it. Its remaining output
    /// is lost.
    ///
    /// # Errors
    /// If a pipe fails or the keeper is lost.
    pub fn finish(mut self, grace: Duration) -> Result<Ended, HarnessError> {
        self.exchange(&[], None, grace, LAST_WORDS)?;
        self.end()
    }

    /// Kills it, with all its descendants.
    ///
    /// # Errors
    /// If the keeper is lost; it kills them even then.
    pub fn kill(mut self) -> Result<Ended, HarnessError> {
        self.end()
    }

    /// Kills it, with all its descendants, and gives the keeper back.
    ///
    /// # Errors
    /// If the keeper is lost; it kills them even then.
    pub fn into_keeper(mut self) -> Result<K, HarnessError> {
        self.end()?;
        Ok(self.keeper.take().expect("taken only here, once"))
    }

    fn end(&mut self) -> Result<Ended, HarnessError> {
        if let Some(ended) = self.ended {
            return Ok(ended);
        }
        let keeper = keeper(&mut self.keeper);
        let link = keeper.current().ok_or_else(gone)?;
        link.send(&Request::Kill, &[]).map_err(|source| keeper.lose(ENDING, source))?;
        let ended = self.hear()?;
        self.ended = Some(ended);
        Ok(ended)
    }

    /// The keeper's report on how the process ended.
    fn hear(&mut self) -> Result<Ended, HarnessError> {
        let keeper = keeper(&mut self.keeper);
        let link = keeper.current().ok_or_else(gone)?;
        match link.reply() {
            Ok(Reply::Ended { how, cpu, peak_memory }) => {
                let ending = match how {
                    How::Exited(code) => Ending::Exited(code),
                    How::Signalled(number) => Ending::Signalled(number),
                    How::OutOfMemory => Ending::OutOfMemory,
                    How::TooManyProcesses => Ending::OverLimit(Quota::Processes(PROCESSES)),
                    How::FileTooLarge => Ending::OverLimit(Quota::FileSize(FILE_SIZE)),
                    How::Killed => Ending::TimedOut,
                };
                Ok(Ended { ending, cpu, peak_memory })
            }
            Ok(reply) => Err(keeper.lose_confused(RUNNING, &reply)),
            Err(source) => Err(keeper.lose(RUNNING, source)),
        }
    }
}

const RUNNING: &str = "running a process";
const ENDING: &str = "ending a process";

/// Which pipes are ready.
struct Ready {
    ended: bool,
    output: bool,
    errors: bool,
    input: bool,
}

/// The keeper in its option, from which only [`Process::into_keeper`] takes it.
fn keeper<K: BorrowMut<Keeper>>(keeper: &mut Option<K>) -> &mut Keeper {
    keeper.as_mut().expect("there until the process is consumed").borrow_mut()
}

fn reading(source: Errno) -> HarnessError {
    HarnessError::Pipe { doing: "read from", source: source.into() }
}

/// The error of a process whose keeper was lost in an earlier call.
fn gone() -> HarnessError {
    HarnessError::Lost { doing: RUNNING, source: std::io::ErrorKind::NotConnected.into() }
}

impl<K: BorrowMut<Keeper>> Drop for Process<K> {
    fn drop(&mut self) {
        if self.keeper.is_some() && self.ended.is_none() {
            // If this fails, the keeper was lost, and has killed the tree or been replaced.
            let _ = self.end();
        }
    }
}

//! One job: its first process is started, watched, and outlived by nobody.
//!
//! Memory is limited by looking at it, not by `RLIMIT_AS`: that limits addresses, which some tools
//! take far more of than memory, and a tool whose allocation fails may crash, which would look like
//! a fault of its own.

use super::super::command::CommandLine;
use super::super::link::timespec;
use super::super::orphans;
use super::super::wire::{How, Reply, Request};
use super::Worker;
use super::scratch::Scratch;
use super::tree;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitStatus, kill_process, pidfd_open};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

/// How fast a tree may take memory, in bytes per second. The time until the next look is chosen so
/// that it cannot pass the limit by much at this rate.
const APPETITE: u64 = 4 << 30;
const SHORTEST_LOOK: Duration = Duration::from_millis(2);
const LONGEST_LOOK: Duration = Duration::from_millis(25);

/// A job that runs.
pub(super) struct Job {
    leader: Pid,
    /// Becomes readable when the leader has ended.
    pidfd: OwnedFd,
    memory: Option<u64>,
    peak: Option<u64>,
    status: Option<WaitStatus>,
    /// What the kernel and our own children had used and suffered before.
    cpu_before: Duration,
    kernel_kills_before: u64,
}

/// How a job ended for the keeper.
pub(super) enum Outcome {
    /// The worker is to be told this.
    Ended(Reply),
    /// There is no worker any more.
    Deserted,
}

/// Why the keeper stopped watching.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Itself,
    Memory,
    Wish,
    Desertion,
}

impl Job {
    /// Starts the first process.
    pub(super) fn start(
        command: &CommandLine,
        streams: [OwnedFd; 3],
        memory: Option<u64>,
        scratch: &Scratch,
    ) -> io::Result<Job> {
        let cpu_before = tree::reaped_cpu();
        let kernel_kills_before = tree::kernel_kills();
        let [input, output, errors] = streams;
        let mut program = Command::new(&command.program);
        program
            .args(&command.args)
            .env(orphans::VARIABLE, scratch.path())
            .current_dir(command.dir.as_deref().unwrap_or(scratch.path()))
            .stdin(Stdio::from(input))
            .stdout(Stdio::from(output))
            .stderr(Stdio::from(errors))
            .process_group(0);
        for (name, value) in &command.env {
            match value {
                Some(value) => program.env(name, value),
                None => program.env_remove(name),
            };
        }
        let leader = Pid::from_child(&program.spawn()?);
        let pidfd = pidfd_open(leader, PidfdFlags::empty())?;
        Ok(Job { leader, pidfd, memory, peak: None, status: None, cpu_before, kernel_kills_before })
    }

    /// Watches the job to its end, and sees to it that it has one.
    pub(super) fn run(mut self, worker: &mut Worker) -> io::Result<Outcome> {
        let watched = worker.send(&Reply::Started).and_then(|()| self.watch(worker));
        // Whatever went wrong, the tree has to go.
        let cpu = self.end()?;
        let how = match watched? {
            Cause::Desertion => return Ok(Outcome::Deserted),
            Cause::Memory => How::OutOfMemory,
            cause @ (Cause::Wish | Cause::Itself) => self.how(cause),
        };
        Ok(Outcome::Ended(Reply::Ended { how, cpu, peak_memory: self.peak }))
    }

    fn watch(&mut self, worker: &mut Worker) -> io::Result<Cause> {
        let mut look = self.memory.map(|limit| pause(limit, 0));
        loop {
            let mut fds = [
                PollFd::new(&self.pidfd, PollFlags::IN),
                PollFd::new(&worker.socket, PollFlags::IN),
            ];
            match poll(&mut fds, look.map(timespec).as_ref()) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(error) => return Err(error.into()),
            }
            let [ended, asked] = fds.map(|fd| !fd.revents().is_empty());
            if ended {
                return Ok(Cause::Itself);
            }
            if asked {
                match worker.receive()? {
                    None => return Ok(Cause::Desertion),
                    Some(Request::Kill) => return Ok(Cause::Wish),
                    Some(_) => return Err(io::ErrorKind::InvalidData.into()),
                }
            }
            if let Some(limit) = self.memory {
                let used = tree::memory();
                self.peak = self.peak.max(Some(used));
                if used > limit {
                    return Ok(Cause::Memory);
                }
                look = Some(pause(limit, used));
                self.reap()?;
            }
        }
    }

    /// Kills what is left and takes every status; gives the processor time of all.
    fn end(&mut self) -> io::Result<Duration> {
        let mut leader_cpu = Duration::ZERO;
        if self.status.is_none() {
            // The leader's number is its own until it is reaped. It need not be in its group.
            tree::kill_group(self.leader);
            let _ = kill_process(self.leader, Signal::KILL);
            await_end(&self.pidfd)?;
            leader_cpu = tree::main_thread_cpu(self.leader);
        }
        let (leader, status) = (self.leader, &mut self.status);
        tree::kill_all(&mut |pid, seen| {
            if pid == leader {
                *status = Some(seen);
            }
        })?;
        Ok(leader_cpu.max(tree::reaped_cpu().saturating_sub(self.cpu_before)))
    }

    /// Takes the status of orphans, of which a long job may have many.
    fn reap(&mut self) -> io::Result<()> {
        let (leader, status) = (self.leader, &mut self.status);
        tree::reap(&mut |pid, seen| {
            if pid == leader {
                *status = Some(seen);
            }
        })?;
        Ok(())
    }

    fn how(&self, cause: Cause) -> How {
        let status = self.status.as_ref();
        if let Some(code) = status.and_then(|status| status.exit_status()) {
            return How::Exited(code);
        }
        let signal = status.and_then(|status| status.terminating_signal()).unwrap_or_default();
        let killed = signal == Signal::KILL.as_raw();
        match cause {
            Cause::Wish if killed => How::Killed,
            // The machine, or whoever contains us, ran out of memory.
            _ if killed && tree::kernel_kills() > self.kernel_kills_before => How::OutOfMemory,
            _ => How::Signalled(signal),
        }
    }
}

fn await_end(pidfd: &OwnedFd) -> io::Result<()> {
    loop {
        match poll(&mut [PollFd::from_borrowed_fd(pidfd.as_fd(), PollFlags::IN)], None) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// How long to wait until the next look at the memory.
fn pause(limit: u64, used: u64) -> Duration {
    let room = limit.saturating_sub(used);
    let nanoseconds = u128::from(room) * 1_000_000_000 / u128::from(APPETITE);
    let time = Duration::from_nanos(u64::try_from(nanoseconds).unwrap_or(u64::MAX));
    time.clamp(SHORTEST_LOOK, LONGEST_LOOK)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_come_more_often_near_the_limit() {
        assert_eq!(pause(8 << 30, 0), LONGEST_LOOK);
        assert_eq!(pause(1 << 20, 1 << 20), SHORTEST_LOOK);
        assert_eq!(pause(1 << 20, 2 << 20), SHORTEST_LOOK);
        let middle = pause(2 << 30, (2 << 30) - (40 << 20));
        assert!(SHORTEST_LOOK < middle && middle < LONGEST_LOOK, "{middle:?}");
    }
}

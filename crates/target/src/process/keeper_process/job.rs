//! One job: its first process is started and watched, and none of its processes survives it.
//!
//! Without a control group, memory is limited by polling, not by `RLIMIT_AS`: that limits address
//! space, of which some tools reserve far more than memory, and a tool whose allocation fails may
//! crash, which would look like a bug.

use super::super::command::CommandLine;
use super::super::confine::{PROCESSES, Rules};
use super::super::link::timespec;
use super::super::orphans;
use super::super::sandbox::Sandbox;
use super::super::wire::{How, Reply, Request};
use super::Worker;
use super::group::{Group, Shortage};
use super::scratch::Scratch;
use super::tree;
use rustix::event::{PollFd, PollFlags, poll};
use rustix::io::Errno;
use rustix::process::{Pid, PidfdFlags, Signal, WaitStatus, kill_process, pidfd_open};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// The assumed rate at which a tree allocates memory, in bytes per second. The polling interval is
/// chosen so that a tree cannot pass the limit by much at this rate.
const APPETITE: u64 = 4 << 30;
const SHORTEST_LOOK: Duration = Duration::from_millis(2);
const LONGEST_LOOK: Duration = Duration::from_millis(100);

/// A running job.
pub(super) struct Job<'k> {
    /// The group that limits its memory; `None` if we poll.
    group: Option<&'k Group>,
    sandbox: Sandbox,
    leader: Pid,
    /// Becomes readable when the leader has ended.
    pidfd: OwnedFd,
    memory: Option<u64>,
    peak: Option<u64>,
    status: Option<WaitStatus>,
    /// The usage and shortages of the kernel and our own children before the job.
    cpu_before: Duration,
    shortage_before: Shortage,
}

/// How a job ended, for the keeper.
pub(super) enum JobEnd {
    /// The reply for the worker.
    Ended(Reply),
    /// The worker is gone.
    Deserted,
}

/// Why the keeper stopped watching.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Cause {
    Itself,
    Memory,
    Crowd,
    Wish,
    Desertion,
}

/// What a keeper holds for all its jobs.
#[derive(Clone, Copy)]
pub(super) struct Premises<'k> {
    pub(super) scratch: &'k Scratch,
    pub(super) sandbox: Sandbox,
    /// The group that limits memory, if there is one.
    pub(super) group: Option<&'k Group>,
}

impl<'k> Job<'k> {
    /// Starts the first process.
    pub(super) fn start(
        command: &CommandLine,
        streams: [OwnedFd; 3],
        memory: Option<u64>,
        premises: Premises<'k>,
    ) -> io::Result<Job<'k>> {
        let Premises { scratch, sandbox, group } = premises;
        if let Some(group) = group {
            group.prepare(memory)?;
        }
        let cpu_before = cpu(group);
        let shortage_before = shortage(group)?;
        let [input, output, errors] = streams;
        let mut program = Command::new(&command.program);
        let rules = Rules { scratch: Some(scratch.path()), reads: &command.reads };
        if sandbox == Sandbox::On {
            rules.clear_environment(&mut program);
        }
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
        let start = |program: &mut Command| match sandbox {
            Sandbox::On => rules.spawn(program),
            Sandbox::Off => program.spawn(),
        };
        let leader = Pid::from_child(&exposed(group, || start(&mut program))?);
        let pidfd = pidfd_open(leader, PidfdFlags::empty())?;
        let (peak, status) = (None, None);
        Ok(Job { group, sandbox, leader, pidfd, memory, peak, status, cpu_before, shortage_before })
    }

    /// Watches the job until it ends or has to be ended.
    pub(super) fn run(mut self, worker: &mut Worker) -> io::Result<JobEnd> {
        let watched = worker.send(&Reply::Started).and_then(|()| self.watch(worker));
        // Whatever went wrong, the tree must be killed.
        let cpu = self.end()?;
        let how = match watched? {
            Cause::Desertion => return Ok(JobEnd::Deserted),
            Cause::Memory => How::OutOfMemory,
            Cause::Crowd => How::TooManyProcesses,
            cause @ (Cause::Wish | Cause::Itself) => self.how(cause)?,
        };
        let peak_memory = self.group.and_then(Group::peak).or(self.peak);
        Ok(JobEnd::Ended(Reply::Ended { how, cpu, peak_memory }))
    }

    fn watch(&mut self, worker: &mut Worker) -> io::Result<Cause> {
        let mut look = match (self.memory, self.sandbox) {
            (Some(limit), _) => Some(pause(limit, 0)),
            (None, Sandbox::On) => Some(LONGEST_LOOK),
            (None, Sandbox::Off) => None,
        };
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
                match self.look(limit)? {
                    None => return Ok(Cause::Memory),
                    pause => look = pause,
                }
                self.reap()?;
            }
            if self.sandbox == Sandbox::On && tree::count() > PROCESSES {
                return Ok(Cause::Crowd);
            }
        }
    }

    /// Polls the memory; returns the time until the next poll, or `None` if the limit was exceeded.
    fn look(&mut self, limit: u64) -> io::Result<Option<Duration>> {
        let (used, ran_out) = match self.group {
            Some(group) if limit >= Group::LEAST => {
                (group.usage()?, group.shortage()?.kills > self.shortage_before.kills)
            }
            _ => {
                let used = tree::memory();
                (used, used > limit)
            }
        };
        self.peak = self.peak.max(Some(used));
        // If the kernel enforces the limit, we only have to end what is left of the tree.
        let next = if self.group.is_some() { LONGEST_LOOK } else { pause(limit, used) };
        Ok((!ran_out).then_some(next))
    }

    /// Kills what is left and reaps every process; returns the processor time of all.
    fn end(&mut self) -> io::Result<Duration> {
        let mut leader_cpu = Duration::ZERO;
        if self.status.is_none() {
            // The leader's number is not reused until it is reaped. It need not be in its group.
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
        if let Some(group) = self.group {
            group.kill_others();
        }
        Ok(leader_cpu.max(cpu(self.group).saturating_sub(self.cpu_before)))
    }

    /// Reaps orphans, of which a long job may have many.
    fn reap(&mut self) -> io::Result<()> {
        let (leader, status) = (self.leader, &mut self.status);
        tree::reap(&mut |pid, seen| {
            if pid == leader {
                *status = Some(seen);
            }
        })?;
        Ok(())
    }

    fn how(&self, cause: Cause) -> io::Result<How> {
        let status = self.status.as_ref();
        let shortage = shortage(self.group)?;
        let kernel_killed = shortage.kills > self.shortage_before.kills;
        if self.group.is_some() && kernel_killed {
            // Whichever process of the tree it was: the tree has used up its limit.
            return Ok(How::OutOfMemory);
        }
        if let Some(code) = status.and_then(|status| status.exit_status()) {
            return Ok(How::Exited(code));
        }
        let signal = status.and_then(|status| status.terminating_signal()).unwrap_or_default();
        let killed = signal == Signal::KILL.as_raw();
        Ok(match cause {
            Cause::Wish if killed => How::Killed,
            // The machine or our container ran out of memory.
            _ if killed && kernel_killed => How::OutOfMemory,
            // A failed allocation may have caused the death, which is not the tool's fault.
            _ if shortage.refusals > self.shortage_before.refusals => How::OutOfMemory,
            _ if self.sandbox == Sandbox::On && signal == Signal::XFSZ.as_raw() => {
                How::FileTooLarge
            }
            _ => How::Signalled(signal),
        })
    }
}

/// Starts a program with the limits in force from the beginning.
fn exposed(group: Option<&Group>, spawn: impl FnOnce() -> io::Result<Child>) -> io::Result<Child> {
    let Some(group) = group else {
        return spawn();
    };
    group.expose()?;
    let spawned = spawn();
    // This was possible when the group was made, and the process must not be lost if it fails now.
    let _ = group.shelter();
    spawned
}

/// The processor time of all ended processes, as precisely as it is known.
fn cpu(group: Option<&Group>) -> Duration {
    group.and_then(Group::cpu).unwrap_or_else(tree::reaped_cpu)
}

/// The memory shortages so far, of the group or of the whole machine.
fn shortage(group: Option<&Group>) -> io::Result<Shortage> {
    group.map_or_else(|| Ok(Shortage { kills: tree::kernel_kills(), refusals: 0 }), Group::shortage)
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

/// The time until the next poll of the memory.
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
    fn memory_is_checked_more_often_near_the_limit() {
        assert_eq!(pause(8 << 30, 0), LONGEST_LOOK);
        assert_eq!(pause(1 << 20, 1 << 20), SHORTEST_LOOK);
        assert_eq!(pause(1 << 20, 2 << 20), SHORTEST_LOOK);
        let middle = pause(2 << 30, (2 << 30) - (40 << 20));
        assert!(SHORTEST_LOOK < middle && middle < LONGEST_LOOK, "{middle:?}");
    }
}

//! The process tree below the keeper: its members, its memory use, and how it is ended.
//!
//! Only children of the keeper are signalled by number: a child's number cannot be reused before
//! the keeper has reaped it. Deeper processes are signalled through a descriptor that was verified
//! to belong to the tree.

use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
    pidfd_open, pidfd_send_signal,
};
use std::fs;
use std::io;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

/// The time between two attempts to kill when nothing could be done.
const PAUSE: Duration = Duration::from_millis(1);

/// The processes below this one, parents first.
pub(super) fn descendants() -> Vec<(Pid, Pid)> {
    let mut found = Vec::new();
    children(getpid(), &mut found);
    let mut next = 0;
    while let Some(&(pid, _)) = found.get(next) {
        children(pid, &mut found);
        next += 1;
    }
    found
}

/// The number of processes in the tree.
pub(super) fn count() -> u64 {
    descendants().len() as u64
}

/// Adds the children of a process, with it as their parent. A process that ended meanwhile has
/// none.
fn children(parent: Pid, found: &mut Vec<(Pid, Pid)>) {
    let Ok(threads) = fs::read_dir(proc(parent, "task")) else {
        return;
    };
    for thread in threads.flatten() {
        let Ok(list) = fs::read_to_string(thread.path().join("children")) else {
            continue;
        };
        let pids = list.split_ascii_whitespace().filter_map(|pid| pid.parse().ok());
        found.extend(pids.filter_map(Pid::from_raw).map(|pid| (pid, parent)));
    }
}

fn proc(pid: Pid, file: &str) -> PathBuf {
    format!("/proc/{}/{file}", pid.as_raw_nonzero()).into()
}

/// The memory use of the tree, in bytes: private memory for each process, and possibly shared
/// memory once.
pub(super) fn memory() -> u64 {
    let page = rustix::param::page_size() as u64;
    let mut own = 0;
    let mut shared = 0;
    for (pid, _) in descendants() {
        let Some((process_resident, process_shared)) = resident(pid) else {
            continue;
        };
        own += process_resident.saturating_sub(process_shared);
        shared = process_shared.max(shared);
    }
    (own + shared) * page
}

/// The resident pages of a process, and those of them that may be shared.
fn resident(pid: Pid) -> Option<(u64, u64)> {
    let statm = fs::read_to_string(proc(pid, "statm")).ok()?;
    let mut fields = statm.split_ascii_whitespace().skip(1).map(str::parse);
    Some((fields.next()?.ok()?, fields.next()?.ok()?))
}

/// Kills the process group of a child that was not reaped yet. No member can escape by forking.
pub(super) fn kill_group(leader: Pid) {
    // It may have moved to another group, or be dead already.
    let _ = kill_process_group(leader, Signal::KILL);
}

/// Kills and reaps until no descendant is left. Each status is passed to `seen`.
pub(super) fn kill_all(seen: &mut impl FnMut(Pid, WaitStatus)) -> io::Result<()> {
    while reap(seen)? == Family::Remains {
        let mut killed = false;
        for (pid, parent) in descendants() {
            if parent == getpid() {
                killed |= kill_process(pid, Signal::KILL).is_ok();
            } else {
                kill_deeper(pid, parent);
            }
        }
        if killed {
            // A killed child that was not reaped yet is certain to end this wait.
            wait_once(WaitOptions::empty(), seen)?;
        } else {
            // A process that we may not kill, or one that became our child since we looked.
            sleep(PAUSE);
        }
    }
    Ok(())
}

/// Kills a process if it is still the child of its parent.
fn kill_deeper(pid: Pid, parent: Pid) {
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    let mut now = Vec::new();
    children(parent, &mut now);
    if now.contains(&(pid, parent)) {
        // It may be dead by now.
        let _ = pidfd_send_signal(pidfd, Signal::KILL);
    }
}

/// Whether the keeper has children.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Family {
    /// There is at least one.
    Remains,
    /// There is none; since every orphan becomes a child, there is no descendant either.
    None,
}

/// Reaps every child that has ended.
pub(super) fn reap(seen: &mut impl FnMut(Pid, WaitStatus)) -> io::Result<Family> {
    loop {
        match wait_once(WaitOptions::NOHANG, seen)? {
            Waited::Reaped => {}
            Waited::Nothing => return Ok(Family::Remains),
            Waited::NoChild => return Ok(Family::None),
        }
    }
}

enum Waited {
    Reaped,
    Nothing,
    NoChild,
}

fn wait_once(options: WaitOptions, seen: &mut impl FnMut(Pid, WaitStatus)) -> io::Result<Waited> {
    match rustix::process::wait(options) {
        Ok(Some((pid, status))) => {
            seen(pid, status);
            Ok(Waited::Reaped)
        }
        Ok(None) | Err(Errno::INTR) => Ok(Waited::Nothing),
        Err(Errno::CHILD) => Ok(Waited::NoChild),
        Err(error) => Err(error.into()),
    }
}

/// The processor time of all reaped descendants.
pub(super) fn reaped_cpu() -> Duration {
    let ticks = || -> Option<u64> {
        let stat = fs::read_to_string("/proc/self/stat").ok()?;
        // The name of the program, in parentheses, may contain anything.
        let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace().skip(13);
        let user: u64 = fields.next()?.parse().ok()?;
        let system: u64 = fields.next()?.parse().ok()?;
        Some(user + system)
    };
    let second = rustix::param::clock_ticks_per_second().max(1);
    Duration::from_millis(ticks().unwrap_or(0) * 1_000 / second)
}

/// The processor time of the main thread of a process that may have ended but was not reaped. It is
/// more precise than what is known about all threads.
pub(super) fn main_thread_cpu(pid: Pid) -> Duration {
    let nanoseconds = || -> Option<u64> {
        let schedstat = fs::read_to_string(proc(pid, "schedstat")).ok()?;
        schedstat.split_ascii_whitespace().next()?.parse().ok()
    };
    Duration::from_nanos(nanoseconds().unwrap_or(0))
}

/// The number of processes that the kernel killed because memory ran out.
pub(super) fn kernel_kills() -> u64 {
    let count = || -> Option<u64> {
        let vmstat = fs::read_to_string("/proc/vmstat").ok()?;
        vmstat.lines().find_map(|line| line.strip_prefix("oom_kill "))?.parse().ok()
    };
    count().unwrap_or(0)
}

//! Cleans up after a keeper that was itself killed: its jobs are found by the scratch folder in
//! their environment.

use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::thread::sleep;
use std::time::Duration;

/// The variable that holds the scratch folder. Its value is unique to one keeper.
pub(super) const VARIABLE: &str = "TMPDIR";

/// Processes that fork during a round are found in the next one.
const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);
/// A process in the middle of exec has no environment for a moment, so one round that finds nothing
/// proves little.
const QUIET: usize = 3;

/// Kills the processes of a dead keeper, and removes its folder.
pub(super) fn clear(scratch: &Path) {
    let mark = [VARIABLE.as_bytes(), b"=", scratch.as_os_str().as_bytes()].concat();
    let mut quiet = 0;
    for _ in 0..ROUNDS {
        quiet = if kill_marked(&mark) == 0 { quiet + 1 } else { 0 };
        if quiet == QUIET {
            break;
        }
        sleep(PAUSE);
    }
    // It may belong to another user, or another keeper may be clearing it.
    let _ = fs::remove_dir_all(scratch);
}

fn kill_marked(mark: &[u8]) -> usize {
    let Ok(entries) = fs::read_dir("/proc") else {
        return 0;
    };
    let names = entries.flatten().map(|entry| entry.file_name());
    let pids = names.filter_map(|name| Pid::from_raw(name.to_str()?.parse().ok()?));
    pids.filter(|pid| carries(*pid, mark) && kill_carrier(*pid, mark)).count()
}

fn kill_carrier(pid: Pid, mark: &[u8]) -> bool {
    // The number may have been reused meanwhile; the descriptor cannot refer to another process
    // after this check.
    pidfd_open(pid, PidfdFlags::empty())
        .is_ok_and(|pidfd| carries(pid, mark) && pidfd_send_signal(pidfd, Signal::KILL).is_ok())
}

fn carries(pid: Pid, mark: &[u8]) -> bool {
    fs::read(format!("/proc/{}/environ", pid.as_raw_nonzero()))
        .is_ok_and(|environment| environment.split(|byte| *byte == 0).any(|entry| entry == mark))
}

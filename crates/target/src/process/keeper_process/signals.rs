//! Restores the signals that programs expect at their start, whatever we inherited.
//!
//! `nohup`, a shell that runs a command in the background, and some job schedulers start programs that
//! ignore or block signals, and whatever those start inherits that. A tool under test must not: it would
//! survive its own `SIGINT`, and with `SIGCHLD` ignored the keeper could not learn how a job ended.

use nix::sys::signal::SigSet;
use signal_hook::consts::{FORBIDDEN, SIGPIPE};
use std::fs;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Ensures that jobs start with no signal ignored or blocked.
///
/// `exec` resets every signal that has a handler, so each ignored signal gets a handler that does
/// nothing. `SIGILL`, `SIGFPE` and `SIGSEGV` stay as they are, because handlers of them are unsafe; the
/// kernel ends a process at a fault of its own even where these are ignored.
pub(super) fn reset_for_jobs() -> io::Result<()> {
    SigSet::empty().thread_set_mask()?;
    let status = fs::read_to_string("/proc/self/status")?;
    let noticed = Arc::new(AtomicBool::new(false));
    for signal in ignored(&status).filter(|signal| !FORBIDDEN.contains(signal)) {
        // The C library reserves two signals for itself; programs that use it cannot ignore them.
        let _ = signal_hook::flag::register(signal, Arc::clone(&noticed));
    }
    Ok(())
}

/// The ignored signals in the kernel's status of a process, without `SIGPIPE`, which
/// [`std::process::Command`] resets.
fn ignored(status: &str) -> impl Iterator<Item = i32> + use<> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    (1..=64).filter(move |signal| mask >> (signal - 1) & 1 == 1 && *signal != SIGPIPE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ignored_signals_are_read_from_the_mask() {
        let signals = |mask: &str| -> Vec<i32> {
            ignored(&format!("SigBlk:\tffff\nSigIgn:\t{mask}\nSigCgt:\tffff\n")).collect()
        };
        assert_eq!(signals("0000000000001000"), [0; 0], "every Rust program ignores SIGPIPE");
        assert_eq!(signals("0000000000001007"), [1, 2, 3]);
        assert_eq!(signals("8000000000010000"), [17, 64]);
    }
}

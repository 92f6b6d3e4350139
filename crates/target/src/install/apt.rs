//! `apt-get`, which one process at a time may use: what another one holds is waited for.

use crate::subprocess::{self, Said};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// How long the package manager may take, waiting included.
const LIMIT: Duration = Duration::from_secs(600);
/// How long to wait before a lock is tried again.
const PAUSE: Duration = Duration::from_secs(2);

/// What the command says, which is run again as long as somebody else holds a lock of the package
/// manager.
pub(super) fn apt(command: &mut Command, note: &mut dyn FnMut(&str)) -> Result<String, String> {
    // The words about a lock are looked for, so they must be apt's own.
    command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive");
    patiently(LIMIT, PAUSE, note, |left| subprocess::run(command, "", left))
}

fn patiently(
    limit: Duration,
    pause: Duration,
    note: &mut dyn FnMut(&str),
    mut run: impl FnMut(Duration) -> std::io::Result<Said>,
) -> Result<String, String> {
    let end = Instant::now() + limit;
    let mut waits = false;
    loop {
        let left = end.saturating_duration_since(Instant::now());
        let said = run(left).map_err(|error| error.to_string())?;
        if said.succeeded() {
            return Ok(said.stdout);
        }
        if !is_locked(&said.stderr) || Instant::now() + pause >= end {
            return Err(said.last_words());
        }
        if !waits {
            note("waiting for another process that uses apt");
            waits = true;
        }
        sleep(pause);
    }
}

/// Whether apt says that somebody else holds one of its locks: of the lists, of the archives, or of
/// dpkg. A lock that this user may not open is no reason to wait.
fn is_locked(words: &str) -> bool {
    words.lines().any(|line| {
        line.starts_with("E: Could not get lock ") && !line.contains("Permission denied")
            || line.starts_with("E: Unable to acquire the dpkg frontend lock")
                && line.contains("is another process using it?")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    /// What apt-get 2.6 says while another apt-get runs.
    const LOCKED: &str = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4 \
                          (apt-get)\nE: Unable to lock directory /var/lib/apt/lists/";

    fn said(script: &str, folder: &Path, limit: Duration) -> (Result<String, String>, usize) {
        let mut notes = 0;
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("LOCKED", LOCKED).current_dir(folder);
        let pause = Duration::from_millis(5);
        let run = |left| subprocess::run(&mut command, "", left);
        let said = patiently(limit, pause, &mut |_| notes += 1, run);
        (said, notes)
    }

    #[test]
    fn a_lock_is_waited_for_and_nothing_else_is() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = Duration::from_secs(60);
        // Locked twice, then free; the wait is told once.
        let script = "echo x >> tries; test $(wc -l < tries) -gt 2 && echo done && exit
            echo \"$LOCKED\" >&2; exit 100";
        assert_eq!(said(script, folder.path(), long), (Ok("done\n".to_owned()), 1));
        // Another failure is told at once.
        let broken = "echo 'E: Unable to locate package x' >&2; exit 100";
        let words = "E: Unable to locate package x".to_owned();
        assert_eq!(said(broken, folder.path(), long), (Err(words), 0));
        let forbidden = "E: Could not get lock /var/lib/dpkg/lock - open (13: Permission denied)";
        assert!(!is_locked(forbidden));
        // A lock that stays is told when the time is over.
        let locked = "echo \"$LOCKED\" >&2; exit 100";
        let (failed, _) = said(locked, folder.path(), Duration::from_millis(50));
        assert!(failed.expect_err("it stays locked").contains("Could not get lock"));
    }
}

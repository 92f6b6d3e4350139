//! Runs `apt-get`, which one process at a time may use; waits if another process holds its lock.

use crate::subprocess::{self, Said};
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

/// The time limit for the package manager, including waiting.
const LIMIT: Duration = Duration::from_secs(600);
/// The time between two attempts to get a lock.
const PAUSE: Duration = Duration::from_secs(2);

/// The command's output. It is run again as long as another process holds a lock of the package
/// manager.
pub(super) fn apt(command: &mut Command, note: &mut dyn FnMut(&str)) -> Result<String, String> {
    // Lock errors are recognized by apt's own untranslated messages.
    command.env("LC_ALL", "C").env("DEBIAN_FRONTEND", "noninteractive");
    waiting_for_lock(LIMIT, PAUSE, note, |left| subprocess::run(command, "", left))
}

fn waiting_for_lock(
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

/// Whether apt reports that another process holds one of its locks: of the lists, of the archives,
/// or of dpkg. A lock that this user may not open is no reason to wait.
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

    /// The message of apt-get 2.6 while another apt-get runs.
    const LOCKED: &str = "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 4 \
                          (apt-get)\nE: Unable to lock directory /var/lib/apt/lists/";

    fn said(script: &str, folder: &Path, limit: Duration) -> (Result<String, String>, usize) {
        let mut notes = 0;
        let mut command = Command::new("sh");
        command.args(["-c", script]).env("LOCKED", LOCKED).current_dir(folder);
        let pause = Duration::from_millis(5);
        let run = |left| subprocess::run(&mut command, "", left);
        let said = waiting_for_lock(limit, pause, &mut |_| notes += 1, run);
        (said, notes)
    }

    #[test]
    fn only_a_lock_is_waited_for() {
        let folder = tempfile::tempdir().expect("a folder");
        let long = Duration::from_secs(60);
        // Locked twice, then free; the wait is announced once.
        let script = "echo x >> tries; test $(wc -l < tries) -gt 2 && echo done && exit
            echo \"$LOCKED\" >&2; exit 100";
        assert_eq!(said(script, folder.path(), long), (Ok("done\n".to_owned()), 1));
        // Other failures are reported at once.
        let broken = "echo 'E: Unable to locate package x' >&2; exit 100";
        let words = "E: Unable to locate package x".to_owned();
        assert_eq!(said(broken, folder.path(), long), (Err(words), 0));
        let forbidden = "E: Could not get lock /var/lib/dpkg/lock - open (13: Permission denied)";
        assert!(!is_locked(forbidden));
        // A permanent lock is reported when the time limit is reached.
        let locked = "echo \"$LOCKED\" >&2; exit 100";
        let (failed, _) = said(locked, folder.path(), Duration::from_millis(50));
        assert!(failed.expect_err("it stays locked").contains("Could not get lock"));
    }
}

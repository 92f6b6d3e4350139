//! The keeper's folder for what jobs write.

use super::super::orphans;
use rustix::process::{Pid, getpid};
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

const PREFIX: &str = "assay-scratch-";

/// A folder that is removed with its owner.
pub(super) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// Removes the folders of killed keepers and makes a new one.
    pub(super) fn make() -> io::Result<Scratch> {
        let parent = std::env::temp_dir();
        sweep(&parent);
        let path = parent.join(format!("{PREFIX}{}", own_name()?));
        DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Scratch { path })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// Removes its contents. Files that cannot be removed stay until the end and do no harm.
    pub(super) fn empty(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let _ = match entry.file_type() {
                Ok(kind) if kind.is_dir() => fs::remove_dir_all(path),
                _ => fs::remove_file(path),
            };
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// A name that shows whether its owner is still alive: the namespace of its process id, the id, and
/// its start time.
pub(super) fn own_name() -> io::Result<String> {
    let pid = getpid();
    let start = start_time(pid).ok_or(io::ErrorKind::NotFound)?;
    Ok(format!("{}-{}-{start}", namespace()?, pid.as_raw_nonzero()))
}

/// Whether this is the name of a process that is certainly dead.
pub(super) fn is_stale(name: &str) -> bool {
    let mut parts = name.split('-');
    let (Some(space), Some(pid), Some(start), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let Some(pid) = pid.parse().ok().and_then(Pid::from_raw) else {
        return false;
    };
    // Ids of other namespaces cannot be compared.
    namespace().is_ok_and(|ours| ours == space)
        && start_time(pid).is_none_or(|found| found != start)
}

fn namespace() -> io::Result<String> {
    let link = fs::read_link("/proc/self/ns/pid")?;
    Ok(link.to_string_lossy().chars().filter(char::is_ascii_digit).collect())
}

/// When the process started, in ticks since the machine did; `None` if it has ended.
fn start_time(pid: Pid) -> Option<String> {
    let stat = fs::read_to_string(format!("/proc/{}/stat", pid.as_raw_nonzero())).ok()?;
    // The name of the program, in parentheses, may contain anything.
    let mut fields = stat.rsplit_once(')')?.1.split_ascii_whitespace();
    // An ended process stays until its parent reaps it, which may be never.
    let lives = !matches!(fields.next()?, "Z" | "X");
    fields.nth(18).filter(|_| lives).map(str::to_owned)
}

fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(is_stale) {
            orphans::clear(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_of_dead_processes_are_stale() {
        let own = own_name().expect("a process has a start");
        assert!(!is_stale(&own));
        let (rest, start) = own.rsplit_once('-').expect("the name has three parts");
        let (space, pid) = rest.split_once('-').expect("the name has three parts");
        assert!(is_stale(&format!("{space}-{pid}-{start}1")), "another process had this id");
        assert!(is_stale(&format!("{space}-4194304-1")), "above the largest id of a process");
        for other in ["", "x", "1-2", &format!("{space}1-{pid}-{start}1"), &format!("{own}-1")] {
            assert!(!is_stale(other), "{other}");
        }
    }
}

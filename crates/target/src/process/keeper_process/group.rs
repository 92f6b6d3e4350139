//! A control group for the jobs of one keeper, through the kernel's files.
//!
//! The keeper is in the group too, so that every process it starts is in the group from its first
//! instruction. Moving in and out for each job would be no better: with version 2 the kernel may
//! take some milliseconds to move a process. The kernel must therefore not kill the whole group
//! when memory runs out; instead, jobs are its first choice, and the keeper ends the rest.

use super::group_parent::{GroupParent, Version};
use super::scratch::{is_stale, own_name};
use rustix::process::{Pid, PidfdFlags, Signal, getpid, pidfd_open, pidfd_send_signal};
use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

const PREFIX: &str = "assay-";
/// The amount of a job's cached files that may stay in memory for the next job. More would be
/// counted as that job's memory.
const LEFTOVER: u64 = 64 << 20;
/// Processes that fork while they are killed are found in another round.
const ROUNDS: usize = 200;
const PAUSE: Duration = Duration::from_millis(1);

/// The score that makes the kernel kill a process first when memory runs out.
const FIRST_CHOICE: &str = "1000";
const CHOICE: &str = "/proc/self/oom_score_adj";

/// A group that contains this process; it is left and removed at the end.
pub(super) struct Group {
    version: Version,
    folder: PathBuf,
    home: PathBuf,
    /// Kept open: since Linux 6.12 a reset holds for the file that it was written to.
    peak: Option<File>,
    /// The peak before the job, if it cannot be reset.
    peak_before: Cell<u64>,
    own_choice: String,
}

/// Counts of memory shortages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shortage {
    /// The number of the group's processes that the kernel killed.
    pub(super) kills: u64,
    /// The number of allocations that the kernel could not satisfy at once.
    pub(super) refusals: u64,
}

impl Group {
    /// The smallest possible limit: the keeper has to live in it.
    pub(super) const LEAST: u64 = 16 << 20;

    /// Removes the groups of killed keepers, makes a new one, and enters it.
    pub(super) fn make(parent: GroupParent) -> io::Result<Group> {
        sweep(&parent);
        let folder = parent.folder.join(format!("{PREFIX}{}", own_name()?));
        fs::create_dir(&folder)?;
        let group = Group::open(parent.version, folder, parent.home)?;
        // From here on, an error removes the group.
        group.write("cgroup.procs", "0")?;
        group.expose()?;
        group.shelter()?;
        Ok(group)
    }

    /// The group of this folder, if it has the required files.
    fn open(version: Version, folder: PathBuf, home: PathBuf) -> io::Result<Group> {
        let peak = match version {
            Version::V1 => "memory.max_usage_in_bytes",
            Version::V2 => "memory.peak",
        };
        let path = folder.join(peak);
        let mut group = Group {
            version,
            folder,
            home,
            peak: None,
            peak_before: Cell::new(0),
            own_choice: fs::read_to_string(CHOICE)?,
        };
        let readable = |_| File::open(&path);
        group.peak = OpenOptions::new().read(true).write(true).open(&path).or_else(readable).ok();
        group.limit(None)?;
        group.shortage()?;
        group.usage()?;
        Ok(group)
    }

    pub(super) fn version(&self) -> Version {
        self.version
    }

    /// Prepares the group for a job with this limit.
    pub(super) fn prepare(&self, limit: Option<u64>) -> io::Result<()> {
        let used = self.usage()?;
        if used > LEFTOVER {
            // Some kernels cannot do this; it only improves the measurement.
            let _ = match self.version {
                Version::V1 => self.write("memory.force_empty", "0"),
                Version::V2 => self.write("memory.reclaim", &used.to_string()),
            };
        }
        self.limit(limit)?;
        self.peak_before.set(self.reset_peak().unwrap_or(u64::MAX));
        Ok(())
    }

    fn limit(&self, bytes: Option<u64>) -> io::Result<()> {
        let none = match self.version {
            Version::V1 => "-1",
            Version::V2 => "max",
        };
        let limit = bytes.map_or(none.to_owned(), |bytes| bytes.max(Group::LEAST).to_string());
        match self.version {
            Version::V1 => {
                // The limit with swap must never be below the one without.
                const WITH_SWAP: &str = "memory.memsw.limit_in_bytes";
                self.write_if_there(WITH_SWAP, none)?;
                self.write("memory.limit_in_bytes", &limit)?;
                self.write_if_there(WITH_SWAP, &limit)
            }
            Version::V2 => {
                self.write_if_there("memory.swap.max", "0")?;
                self.write("memory.max", &limit)
            }
        }
    }

    /// The memory shortages so far.
    pub(super) fn shortage(&self) -> io::Result<Shortage> {
        match self.version {
            Version::V1 => Ok(Shortage {
                kills: field(&self.read("memory.oom_control")?, "oom_kill")?,
                refusals: number(&self.read("memory.failcnt")?)?,
            }),
            Version::V2 => {
                let events = self.read("memory.events")?;
                let (kills, refusals) = (field(&events, "oom_kill")?, field(&events, "oom")?);
                Ok(Shortage { kills, refusals })
            }
        }
    }

    /// The current memory use, in bytes.
    pub(super) fn usage(&self) -> io::Result<u64> {
        number(&self.read(match self.version {
            Version::V1 => "memory.usage_in_bytes",
            Version::V2 => "memory.current",
        })?)
    }

    /// The peak memory use since the job was prepared; `None` if unknown.
    pub(super) fn peak(&self) -> Option<u64> {
        self.read_peak().ok().filter(|peak| *peak > self.peak_before.get())
    }

    /// Starts a new measurement; returns the value that a new job's peak has to exceed.
    fn reset_peak(&self) -> io::Result<u64> {
        let mut file = self.peak.as_ref().ok_or(io::ErrorKind::NotFound)?;
        file.rewind()?;
        if file.write_all(b"0").is_ok() { Ok(0) } else { self.read_peak() }
    }

    fn read_peak(&self) -> io::Result<u64> {
        let mut file = self.peak.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let mut text = String::new();
        file.rewind()?;
        file.read_to_string(&mut text)?;
        number(&text)
    }

    /// The processor time of all processes that were ever in the group, without this process;
    /// `None` if another group measures that.
    pub(super) fn cpu(&self) -> Option<Duration> {
        let stat = self.read("cpu.stat").ok().filter(|_| self.version == Version::V2)?;
        let all = Duration::from_micros(field(&stat, "usage_usec").ok()?);
        Some(all.saturating_sub(super::tree::main_thread_cpu(getpid())))
    }

    /// Makes processes started from now on the kernel's first choice for killing when memory runs
    /// out.
    pub(super) fn expose(&self) -> io::Result<()> {
        fs::write(CHOICE, FIRST_CHOICE)
    }

    /// Restores the old score of this process, but not of those that it has started.
    pub(super) fn shelter(&self) -> io::Result<()> {
        fs::write(CHOICE, self.own_choice.trim_ascii_end())
    }

    /// Kills all other processes in the group. All of them were descendants of this process, so
    /// there should be none.
    pub(super) fn kill_others(&self) {
        empty(&self.folder);
    }

    fn read(&self, file: &str) -> io::Result<String> {
        let path = self.folder.join(file);
        fs::read_to_string(&path).map_err(|error| at(&path, &error))
    }

    fn write(&self, file: &str, text: &str) -> io::Result<()> {
        write(&self.folder.join(file), text)
    }

    fn write_if_there(&self, file: &str, text: &str) -> io::Result<()> {
        match self.write(file, text) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            result => result,
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // If this fails, the group is left to the next keeper.
        let _ = write(&self.home.join("cgroup.procs"), "0");
        remove(&self.folder);
    }
}

/// Writes into an existing file; a new one would mean that this is not a control group.
fn write(path: &Path, text: &str) -> io::Result<()> {
    OpenOptions::new()
        .write(true)
        .open(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| at(path, &error))
}

fn at(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn number(text: &str) -> io::Result<u64> {
    text.trim_ascii().parse().map_err(|_| io::ErrorKind::InvalidData.into())
}

/// The number after this name at the start of a line.
fn field(text: &str, name: &str) -> io::Result<u64> {
    let mut fields = text.lines().filter_map(|line| line.split_once(' '));
    let (_, value) = fields.find(|(found, _)| *found == name).ok_or(io::ErrorKind::InvalidData)?;
    number(value)
}

/// Removes the groups of killed keepers, with all processes in them.
fn sweep(parent: &GroupParent) {
    let Ok(entries) = fs::read_dir(&parent.folder) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name();
        if name.to_str().and_then(|name| name.strip_prefix(PREFIX)).is_some_and(is_stale) {
            // All at once, if the kernel supports it.
            let _ = write(&entry.path().join("cgroup.kill"), "1");
            empty(&entry.path());
            remove(&entry.path());
        }
    }
}

/// Removes a group; the kernel may need a moment after the last process has left.
fn remove(folder: &Path) {
    for _ in 0..ROUNDS {
        match fs::remove_dir(folder) {
            Err(error) if error.kind() == io::ErrorKind::ResourceBusy => sleep(PAUSE),
            _ => return,
        }
    }
}

/// Kills all processes of a group but this one.
fn empty(folder: &Path) {
    for _ in 0..ROUNDS {
        let others = others(folder);
        if others.is_empty() {
            return;
        }
        for pid in others {
            kill_member(folder, pid);
        }
        sleep(PAUSE);
    }
}

fn others(folder: &Path) -> Vec<Pid> {
    let list = fs::read_to_string(folder.join("cgroup.procs")).unwrap_or_default();
    let pids = list.lines().filter_map(|pid| Pid::from_raw(pid.parse().ok()?));
    pids.filter(|pid| *pid != getpid()).collect()
}

fn kill_member(folder: &Path, pid: Pid) {
    // The number may have been reused meanwhile; the descriptor cannot refer to another process
    // after this check.
    let Ok(pidfd) = pidfd_open(pid, PidfdFlags::empty()) else {
        return;
    };
    if others(folder).contains(&pid) {
        // It may be dead by now.
        let _ = pidfd_send_signal(pidfd, Signal::KILL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Files as the kernel shows them, in a folder where nothing happens by itself.
    const V1: [(&str, &str); 8] = [
        ("cgroup.procs", ""),
        ("memory.limit_in_bytes", "9223372036854771712\n"),
        ("memory.memsw.limit_in_bytes", "9223372036854771712\n"),
        ("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 3\n"),
        ("memory.failcnt", "5\n"),
        ("memory.usage_in_bytes", "1048576\n"),
        ("memory.max_usage_in_bytes", "2097152\n"),
        ("memory.force_empty", ""),
    ];
    const V2: [(&str, &str); 8] = [
        ("cgroup.procs", ""),
        ("memory.max", "max\n"),
        ("memory.swap.max", "max\n"),
        ("memory.events", "low 0\nhigh 0\nmax 9\noom 5\noom_kill 3\noom_group_kill 0\n"),
        ("memory.current", "1048576\n"),
        ("memory.peak", "2097152\n"),
        ("memory.reclaim", ""),
        ("cpu.stat", "usage_usec 3600000000\nuser_usec 1\n"),
    ];

    struct Fake {
        folder: tempfile::TempDir,
        home: tempfile::TempDir,
        version: Version,
    }

    impl Fake {
        fn new(version: Version) -> Fake {
            let [folder, home] =
                [(); 2].map(|()| tempfile::tempdir().expect("a folder can be made"));
            let fake = Fake { folder, home, version };
            for (name, text) in if version == Version::V1 { V1 } else { V2 } {
                fake.set(name, text);
            }
            fs::write(fake.home.path().join("cgroup.procs"), "")
                .expect("a folder of the test's own");
            fake
        }

        fn open(&self) -> io::Result<Group> {
            let [folder, home] = [&self.folder, &self.home].map(|path| path.path().to_owned());
            Group::open(self.version, folder, home)
        }

        fn set(&self, name: &str, text: &str) {
            fs::write(self.folder.path().join(name), text).expect("a folder of the test's own");
        }

        fn get(&self, name: &str) -> String {
            fs::read_to_string(self.folder.path().join(name)).expect("a folder of the test's own")
        }
    }

    #[test]
    fn memory_limits_are_written_to_the_group() {
        let fake = Fake::new(Version::V1);
        let group = fake.open().expect("the group is complete");
        for (limit, written) in [(Some(1 << 30), "1073741824"), (Some(1), "16777216"), (None, "-1")]
        {
            let files = ["memory.limit_in_bytes", "memory.memsw.limit_in_bytes"];
            for file in files {
                fake.set(file, "");
            }
            group.prepare(limit).expect("the files can be written");
            assert_eq!(files.map(|file| fake.get(file)), [written; 2]);
        }
        let fake = Fake::new(Version::V2);
        let group = fake.open().expect("the group is complete");
        for (limit, written) in
            [(Some(1 << 30), "1073741824"), (Some(1), "16777216"), (None, "max")]
        {
            fake.set("memory.max", "");
            group.prepare(limit).expect("the files can be written");
            assert_eq!(fake.get("memory.max"), written);
        }
        assert!(fake.get("memory.swap.max").starts_with('0'));
        assert_eq!(fake.get("memory.reclaim"), "", "there is nothing to be reclaimed");
        fake.set("memory.current", "104857600\n");
        group.prepare(None).expect("the files can be written");
        assert_eq!(fake.get("memory.reclaim"), "104857600");
    }

    #[test]
    fn the_counters_of_the_kernel_are_read() {
        for version in [Version::V1, Version::V2] {
            let group = Fake::new(version).open().expect("the group is complete");
            // The folder is gone with the fake, and so is what could be read.
            assert!(group.shortage().is_err());
            let fake = Fake::new(version);
            let group = fake.open().expect("the group is complete");
            assert_eq!(
                group.shortage().expect("the files are there"),
                Shortage { kills: 3, refusals: 5 }
            );
            assert_eq!(group.usage().expect("the files are there"), 1 << 20);
            let cpu = group.cpu();
            assert_eq!(cpu.is_some(), version == Version::V2);
            let hour = Duration::from_secs(3600);
            assert!(cpu.is_none_or(|cpu| cpu <= hour && cpu > hour / 2), "{cpu:?}");
        }
    }

    #[test]
    fn the_peak_of_another_job_is_not_reported() {
        let fake = Fake::new(Version::V2);
        let mut group = fake.open().expect("the group is complete");
        // As before Linux 6.12: the file cannot be written.
        group.peak = Some(
            File::open(fake.folder.path().join("memory.peak")).expect("the file was just written"),
        );
        group.prepare(None).expect("the files can be written");
        assert_eq!(group.peak(), None);
        fake.set("memory.peak", "2097153\n");
        assert_eq!(group.peak(), Some(2_097_153));
        group.peak = None;
        group.prepare(None).expect("the files can be written");
        assert_eq!(group.peak(), None);
    }

    #[test]
    fn a_group_without_the_necessary_files_is_refused() {
        for (version, names) in [
            (Version::V1, ["memory.limit_in_bytes", "memory.oom_control", "memory.failcnt"]),
            (Version::V2, ["memory.max", "memory.events", "memory.current"]),
        ] {
            for name in names {
                let fake = Fake::new(version);
                fs::remove_file(fake.folder.path().join(name)).expect("a folder of the test's own");
                let error = fake.open().err().expect("it is refused").to_string();
                assert!(error.contains(name), "{error}");
                assert!(!fake.folder.path().join(name).exists(), "{name} was made");
            }
        }
        let fake = Fake::new(Version::V1);
        fake.set("memory.oom_control", "oom_kill_disable 0\nunder_oom 0\n");
        assert!(fake.open().is_err(), "before Linux 4.13 kills are not counted");
    }

    #[test]
    fn dropping_a_group_leaves_it() {
        let fake = Fake::new(Version::V2);
        drop(fake.open().expect("the group is complete"));
        assert_eq!(
            fs::read_to_string(fake.home.path().join("cgroup.procs"))
                .expect("a folder of the test's own"),
            "0"
        );
    }

    #[test]
    fn only_members_are_killed() {
        let fake = Fake::new(Version::V1);
        let mut member =
            std::process::Command::new("sleep").arg("60").spawn().expect("sleep is everywhere");
        let mut stranger =
            std::process::Command::new("sleep").arg("60").spawn().expect("sleep is everywhere");
        let own = std::process::id();
        fake.set("cgroup.procs", &format!("{own}\n{}\n", member.id()));
        let group = fake.open().expect("the group is complete");
        // The fake does not notice that the member has gone, so this goes through all rounds.
        group.kill_others();
        assert!(!member.wait().expect("a child can be waited for").success());
        assert!(stranger.try_wait().expect("a child can be waited for").is_none());
        stranger.kill().expect("one may kill one's own");
        stranger.wait().expect("a child can be waited for");
    }

    #[test]
    fn groups_of_dead_keepers_are_removed() {
        let parent = tempfile::tempdir().expect("a folder can be made");
        let below = |folder: &Path| GroupParent {
            version: Version::V2,
            folder: folder.to_owned(),
            home: folder.to_owned(),
        };
        let own = own_name().expect("a process has a start");
        let stale = parent.path().join(format!("{PREFIX}{own}1"));
        let others = [format!("{PREFIX}{own}"), "assay-x".to_owned(), format!("{own}1")];
        let others = others.map(|name| parent.path().join(name));
        for path in others.iter().chain([&stale]) {
            fs::create_dir(path).expect("a folder of the test's own");
        }
        sweep(&below(parent.path()));
        assert!(!stale.exists());
        assert!(others.iter().all(|path| path.exists()));
    }
}

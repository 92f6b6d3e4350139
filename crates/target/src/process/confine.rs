//! The sandbox: restricts what a program may do once it is started here.
//!
//! Each program is started from a thread of its own. The thread gives up its rights, starts the
//! program, which inherits the rest, and ends. Nothing runs between fork and exec, nothing is
//! executed twice, and the rest of our process keeps its rights: a keeper must kill, clean up, and
//! report to its worker. Once that thread has ended, none of our threads is in the program's
//! Landlock domain, and none can be signalled. A program that guesses the thread's number in the
//! microseconds before that could end the keeper: its worker then kills what is left, starts
//! another keeper, and continues.
//!
//! The whole keeper gives up the network once, because it needs none.

use super::calls;
use super::sandbox::{Confinement, NetworkWall};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, Scope, path_beneath_rules,
};
use rustix::process::{Resource, Rlimit, getegid, geteuid, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets, UnshareFlags};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::thread;

/// The newest interface of Landlock that these rules were written for.
const NEWEST: ABI = ABI::V6;

/// The search path for programs.
pub(crate) const SEARCH_PATH: &str = "/usr/local/bin:/usr/bin:/bin";

/// The locale of every tool: its output is parsed.
const LANGUAGE: &str = "C.UTF-8";

/// The largest file that a job may write, in bytes.
pub(crate) const FILE_SIZE: u64 = 1 << 30;

/// The maximum number of processes of a job.
pub(crate) const PROCESSES: u64 = 256;

/// Parts of the system that every program may read and execute.
const SYSTEM: [&str; 9] =
    ["/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/nix/store", "/gnu/store"];

/// Files that every program may read: settings of loaders and interpreters, and kernel information.
/// Landlock closes the environment and memory of outside processes even though `/proc` is open.
const SETTINGS: [&str; 17] = [
    "/etc/alternatives",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/python3",
    "/etc/timezone",
    "/proc",
    "/sys/devices/system",
    "/sys/fs/cgroup",
    "/sys/kernel/mm",
    "/dev/random",
    "/dev/urandom",
];

/// Folders of settings whose names end in a version: of Python and of Java.
const VERSIONED_SETTINGS: [&str; 2] = ["python3.", "java-"];

/// Devices that every program may read and write.
const DEVICES: [&str; 3] = ["/dev/null", "/dev/zero", "/dev/full"];

/// The permissions of one program.
pub(crate) struct Rules<'r> {
    /// Its own folder, with all rights; `None` for a program that writes nothing.
    pub(crate) scratch: Option<&'r Path>,
    /// Files and folders that it may read and execute, apart from the system.
    pub(crate) reads: &'r [PathBuf],
}

impl Rules<'_> {
    /// Gives a program an environment without the user's variables.
    pub(crate) fn clear_environment(&self, program: &mut Command) {
        let home = self.scratch.map_or(OsStr::new("/"), Path::as_os_str);
        program
            .env_clear()
            .env("PATH", SEARCH_PATH)
            .env("LANG", LANGUAGE)
            .env("HOME", home)
            .env("TMPDIR", home);
    }

    /// Starts a program with these permissions.
    pub(crate) fn spawn(&self, program: &mut Command) -> io::Result<Child> {
        apart(|| {
            self.restrict()?;
            program.spawn()
        })
    }

    /// Gives up all other rights, for this thread and the processes that it starts. Says what Landlock
    /// did, and whether system calls are filtered.
    fn restrict(&self) -> io::Result<(LandlockStatus, bool)> {
        rustix::thread::set_no_new_privs(true)?;
        drop_capabilities()?;
        let status = self.ruleset().and_then(RulesetCreated::restrict_self);
        let landlock = status.map(|status| status.landlock).map_err(io::Error::other)?;
        Ok((landlock, calls::give_up().is_ok()))
    }

    fn ruleset(&self) -> Result<RulesetCreated, RulesetError> {
        let read = AccessFs::ReadFile | AccessFs::ReadDir;
        let all = AccessFs::from_all(NEWEST);
        // No tool needs to create a device.
        let own = all & !(AccessFs::MakeChar | AccessFs::MakeBlock | AccessFs::IoctlDev);
        let settings = SETTINGS.iter().map(PathBuf::from).chain(versioned_settings());
        Ruleset::default()
            .handle_access(all)?
            .handle_access(AccessNet::from_all(NEWEST))?
            .scope(Scope::from_all(NEWEST))?
            .create()?
            .add_rules(path_beneath_rules(SYSTEM, read | AccessFs::Execute))?
            .add_rules(path_beneath_rules(self.reads, read | AccessFs::Execute))?
            .add_rules(path_beneath_rules(settings, read))?
            .add_rules(path_beneath_rules(DEVICES, AccessFs::ReadFile | AccessFs::WriteFile))?
            .add_rules(
                self.scratch.and_then(|path| own_folder(path, own)).map(Ok::<_, RulesetError>),
            )
    }
}

fn own_folder(path: &Path, access: BitFlags<AccessFs>) -> Option<PathBeneath<PathFd>> {
    Some(PathBeneath::new(PathFd::new(path).ok()?, access))
}

fn versioned_settings() -> Vec<PathBuf> {
    let entries = std::fs::read_dir("/etc").into_iter().flatten().flatten();
    let versioned = |name: &OsStr| {
        let name = name.to_string_lossy();
        VERSIONED_SETTINGS.iter().any(|start| name.starts_with(start))
    };
    entries.filter(|entry| versioned(&entry.file_name())).map(|entry| entry.path()).collect()
}

/// Runs a function in a thread of its own, which then ends.
fn apart<T: Send>(work: impl FnOnce() -> io::Result<T> + Send) -> io::Result<T> {
    thread::scope(|scope| {
        let done = thread::Builder::new().spawn_scoped(scope, work)?.join();
        done.unwrap_or_else(|_| Err(io::Error::other("the thread that starts programs panicked")))
    })
}

/// Leaves root only the right to open what its rules allow, whoever owns it.
fn drop_capabilities() -> io::Result<()> {
    let files = CapabilitySet::DAC_OVERRIDE | CapabilitySet::DAC_READ_SEARCH;
    let held = rustix::thread::capabilities(None)?.permitted & files;
    let sets =
        CapabilitySets { effective: held, permitted: held, inheritable: CapabilitySet::empty() };
    Ok(rustix::thread::set_capabilities(None, sets)?)
}

/// Confines this process, a keeper, in all ways that apply to all of its jobs, and returns how they
/// will be confined. The process must have only one thread.
pub(super) fn confine_keeper(scratch: &Path) -> io::Result<Confinement> {
    let network = match leave_network() {
        true => NetworkWall::Namespace,
        false => NetworkWall::Landlock,
    };
    limit(Resource::Fsize, FILE_SIZE)?;
    let rules = Rules { scratch: Some(scratch), reads: &[] };
    // Reports what the kernel did, not what its version promises.
    let (landlock, calls) = apart(|| rules.restrict())?;
    let landlock = match landlock {
        LandlockStatus::Available { effective_abi, .. } => effective_abi as u8,
        _ => 0,
    };
    Ok(Confinement::On { landlock, network, calls })
}

fn limit(resource: Resource, amount: u64) -> io::Result<()> {
    let Rlimit { maximum, .. } = getrlimit(resource);
    let amount = maximum.map_or(amount, |maximum| maximum.min(amount));
    Ok(setrlimit(resource, Rlimit { current: Some(amount), maximum: Some(amount) })?)
}

/// Moves this process into a network namespace without devices: directly as root, otherwise through
/// a user namespace. A container may forbid both.
fn leave_network() -> bool {
    // The current user and group, for the user namespace.
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    if unshare(UnshareFlags::NEWNET).is_ok() {
        return true;
    }
    if unshare(UnshareFlags::NEWUSER | UnshareFlags::NEWNET).is_err() {
        return false;
    }
    // Without these a tool sees itself as nobody, which is harmless; some systems forbid them.
    let _ = std::fs::write("/proc/self/setgroups", "deny");
    let _ = std::fs::write("/proc/self/uid_map", format!("{user} {user} 1"));
    let _ = std::fs::write("/proc/self/gid_map", format!("{group} {group} 1"));
    true
}

#[allow(deprecated, reason = "it is unsafe with `UnshareFlags::FILES` only")]
fn unshare(flags: UnshareFlags) -> rustix::io::Result<()> {
    rustix::thread::unshare(flags)
}

//! Finds where a control group for jobs may be made.
//!
//! Groups have an owner: the service manager, a container, or whatever else put us into one. Root
//! can write to all of them, so permission does not show ownership. A group is divided only if its
//! owner says so through a variable, if it is the topmost visible one, or if it was delegated to a
//! user who is not root. The new group is always below our own, unless the owner says otherwise: no
//! limit is escaped.

use super::super::command::Containment;
use std::ffi::OsString;
use std::fs;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};

/// The variable with a folder of control groups that may be divided.
pub(super) const VARIABLE: &str = "ASSAY_CGROUP";

/// The two interfaces of the kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Version {
    V1,
    V2,
}

impl Version {
    pub(super) fn containment(self) -> Containment {
        match self {
            Version::V1 => Containment::CgroupV1,
            Version::V2 => Containment::CgroupV2,
        }
    }

    /// A file that exists only in folders of this version, if they can limit memory.
    fn mark(self) -> &'static str {
        match self {
            Version::V1 => "memory.limit_in_bytes",
            Version::V2 => "cgroup.subtree_control",
        }
    }
}

/// A place where groups can be made.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct GroupParent {
    pub(super) version: Version,
    /// The group to divide.
    pub(super) folder: PathBuf,
    /// The group that this process is in and has to return to.
    pub(super) home: PathBuf,
}

impl GroupParent {
    /// The place for groups of this version, or the reason why there is none.
    pub(super) fn find(version: Version) -> Result<GroupParent, String> {
        let read = |path| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
        let own = Own::find(version, &read("/proc/self/cgroup")?, &read("/proc/self/mountinfo")?)?;
        let given = std::env::var_os(VARIABLE).map(PathBuf::from);
        GroupParent::choose(version, own, given, rustix::process::geteuid().is_root())
    }

    fn choose(
        version: Version,
        own: Own,
        given: Option<PathBuf>,
        is_root: bool,
    ) -> Result<GroupParent, String> {
        let is_given = given.is_some();
        if !is_given && is_root && !own.is_topmost {
            return Err(format!(
                "the control group {} is not ours to divide; \
                 name one that may be divided in {VARIABLE}",
                own.folder.display()
            ));
        }
        let folder = given.unwrap_or_else(|| own.folder.clone());
        if !folder.join(version.mark()).exists() {
            let (name, kind) = (folder.display(), version.containment());
            return Err(format!("{name} is not a control group that can limit memory by {kind}"));
        }
        if version == Version::V2 {
            enable_memory(&folder, is_given)?;
        }
        Ok(GroupParent { version, folder, home: own.folder })
    }
}

/// Ensures that groups below this one have files for memory. If the group is not ours alone, this
/// must have been done before: a group with processes in it cannot be changed that way.
fn enable_memory(folder: &Path, may_change: bool) -> Result<(), String> {
    let file = folder.join("cgroup.subtree_control");
    let failed = |error| format!("{}: {error}", file.display());
    let enabled = fs::read_to_string(&file).map_err(failed)?;
    if enabled.split_ascii_whitespace().any(|controller| controller == "memory") {
        Ok(())
    } else if may_change {
        fs::write(&file, "+memory").map_err(failed)
    } else {
        Err(format!("{} does not name memory", file.display()))
    }
}

/// The group that this process is in.
#[derive(PartialEq, Eq, Debug)]
struct Own {
    folder: PathBuf,
    /// Whether no group above it is visible.
    is_topmost: bool,
}

impl Own {
    /// Finds it in the kernel's lists of a process's groups and of mounts.
    fn find(version: Version, groups: &str, mounts: &str) -> Result<Own, String> {
        let missing = || format!("there is no control group of {}", version.containment());
        let path = groups.lines().find_map(|line| group_in(version, line)).ok_or_else(missing)?;
        let mut mounts = mounts.lines().filter_map(|line| mount_in(version, line)).peekable();
        mounts.peek().ok_or_else(missing)?;
        mounts.find_map(|mount| mount.show(path)).ok_or_else(|| format!("{path} cannot be seen"))
    }
}

/// The path of the group in a line such as `4:memory:/a/b` or `0::/a/b`.
fn group_in(version: Version, line: &str) -> Option<&str> {
    let (number, rest) = line.split_once(':')?;
    let (controllers, path) = rest.split_once(':')?;
    let is_it = match version {
        Version::V1 => controllers.split(',').any(|controller| controller == "memory"),
        Version::V2 => number == "0" && controllers.is_empty(),
    };
    is_it.then_some(path)
}

/// A mount of control groups.
struct Mount {
    /// The group at the mount point.
    top: PathBuf,
    point: PathBuf,
}

/// The mount in a line such as `36 35 0:30 / /sys/fs/cgroup rw shared:4 - cgroup2 cgroup2 rw`.
fn mount_in(version: Version, line: &str) -> Option<Mount> {
    let (mount, system) = line.split_once(" - ")?;
    let mut mount = mount.split(' ').skip(3);
    let mut system = system.split(' ');
    let kind = system.next()?;
    let is_it = match version {
        Version::V1 => {
            let mut options = system.nth(1)?.split(',');
            kind == "cgroup" && options.any(|option| option == "memory")
        }
        Version::V2 => kind == "cgroup2",
    };
    let (top, point) = (unescape(mount.next()?), unescape(mount.next()?));
    is_it.then_some(Mount { top, point })
}

impl Mount {
    fn show(&self, path: &str) -> Option<Own> {
        let below = Path::new(path).strip_prefix(&self.top).ok()?;
        // A path outside our namespace is shown as a path upwards.
        if below.components().any(|part| part == Component::ParentDir) {
            return None;
        }
        let is_topmost = below == Path::new("");
        let folder = if is_topmost { self.point.clone() } else { self.point.join(below) };
        Some(Own { folder, is_topmost })
    }
}

/// A path in which the kernel has escaped white space and backslashes as `\040` and so on.
fn unescape(text: &str) -> PathBuf {
    let mut parts = text.split('\\');
    let mut bytes = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        let code = part.get(..3).and_then(|code| u8::from_str_radix(code, 8).ok());
        bytes.extend(code);
        bytes.extend_from_slice(&part.as_bytes()[if code.is_some() { 3 } else { 0 }..]);
    }
    OsString::from_vec(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOUNTS: &str = "\
22 1 0:20 / /sys rw,relatime - sysfs sysfs rw
30 22 0:26 / /sys/fs/cgroup/cpu rw shared:4 - cgroup cgroup rw,cpu
31 22 0:27 / /sys/fs/cgroup/memory rw shared:5 master:1 - cgroup cgroup rw,memory
32 22 0:28 / /sys/fs/cgroup/uni\\040fied rw - cgroup2 cgroup2 rw
";
    const BOXED: &str = "31 22 0:27 /docker/7 /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory";

    fn own(version: Version, groups: &str, mounts: &str) -> Result<(String, bool), String> {
        let own = Own::find(version, groups, mounts)?;
        Ok((own.folder.to_str().expect("the path is plain text").to_owned(), own.is_topmost))
    }

    #[test]
    fn the_own_group_is_found_from_the_mounts() {
        let groups = "9:name=memory:/no\n4:cpu,memory:/a/b:c\n1:cpu:/x\n0::/\n";
        let found = |folder: &str, is_topmost| Ok((folder.to_owned(), is_topmost));
        let v1 = found("/sys/fs/cgroup/memory/a/b:c", false);
        assert_eq!(own(Version::V1, groups, MOUNTS), v1);
        assert_eq!(own(Version::V2, groups, MOUNTS), found("/sys/fs/cgroup/uni fied", true));
        let boxed = |path| own(Version::V1, &format!("4:memory:{path}\n"), BOXED);
        assert_eq!(boxed("/docker/7"), found("/sys/fs/cgroup/memory", true));
        assert_eq!(boxed("/docker/7/x"), found("/sys/fs/cgroup/memory/x", false));
        assert_eq!(boxed("/docker/71"), Err("/docker/71 cannot be seen".to_owned()));
        assert!(boxed("/docker/7/../8").is_err());
        for (groups, mounts) in [("", MOUNTS), (groups, ""), ("1:cpu:/\n", MOUNTS)] {
            let error = own(Version::V1, groups, mounts).unwrap_err();
            assert_eq!(error, "there is no control group of cgroup-v1");
        }
        assert!(own(Version::V2, "4:memory:/\n", MOUNTS).is_err());
    }

    /// A folder with these files.
    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder can be made");
        for (name, text) in files {
            fs::write(folder.path().join(name), text).expect("a folder of the test's own");
        }
        folder
    }

    fn choose(
        version: Version,
        own: &Path,
        is_topmost: bool,
        given: Option<&Path>,
        is_root: bool,
    ) -> Result<PathBuf, String> {
        let own = Own { folder: own.to_owned(), is_topmost };
        GroupParent::choose(version, own, given.map(Path::to_owned), is_root)
            .map(|parent| parent.folder)
    }

    #[test]
    fn root_uses_its_own_group_only_at_the_top() {
        let own = folder(&[("memory.limit_in_bytes", "")]);
        let given = folder(&[("memory.limit_in_bytes", "")]);
        let (own, given) = (own.path(), given.path());
        let v1 = |is_topmost, given, is_root| choose(Version::V1, own, is_topmost, given, is_root);
        assert!(v1(false, None, true).unwrap_err().contains("ASSAY_CGROUP"));
        assert_eq!(v1(true, None, true), Ok(own.to_owned()));
        assert_eq!(v1(false, None, false), Ok(own.to_owned()));
        assert_eq!(v1(false, Some(given), true), Ok(given.to_owned()));
        assert!(v1(false, Some(Path::new("/nowhere")), true).is_err());
    }

    #[test]
    fn memory_is_enabled_only_in_a_given_group() {
        let ready = folder(&[("cgroup.subtree_control", "cpu memory pids\n")]);
        let other = folder(&[("cgroup.subtree_control", "cpu memory_recursiveprot\n")]);
        let (ready, other) = (ready.path(), other.path());
        let v2 = |own, given| choose(Version::V2, own, true, given, true);
        assert_eq!(v2(ready, None), Ok(ready.to_owned()));
        assert!(v2(other, None).unwrap_err().ends_with("does not name memory"));
        assert_eq!(v2(ready, Some(other)), Ok(other.to_owned()));
        assert_eq!(
            fs::read_to_string(other.join("cgroup.subtree_control"))
                .expect("a folder of the test's own"),
            "+memory"
        );
    }
}

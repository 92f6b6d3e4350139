//! Commands and their limits, as plain data.

use super::HarnessError;
use super::sandbox::Sandbox;
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

/// A program with its arguments.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CommandLine {
    /// The program: a path, or a name to look up.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Changes to its environment, which is clean in the sandbox and inherited otherwise: a new
    /// value, or `None` to remove the variable.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Its working directory; `None` for [the keeper's scratch folder](super::Keeper::scratch).
    pub dir: Option<PathBuf>,
    /// Files and folders that it may read and execute in the sandbox, apart from the system.
    pub reads: Vec<PathBuf>,
}

impl CommandLine {
    /// The program without arguments, in the keeper's scratch folder.
    #[must_use]
    pub fn new(program: impl Into<PathBuf>) -> CommandLine {
        CommandLine { program: program.into(), ..CommandLine::default() }
    }

    /// With one more argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> CommandLine {
        self.args.push(arg.into());
        self
    }

    /// With this variable set in its environment.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> CommandLine {
        self.env.push((name.into(), Some(value.into())));
        self
    }

    /// With one more file or folder that it may read and execute in the sandbox.
    #[must_use]
    pub fn reads(mut self, path: impl Into<PathBuf>) -> CommandLine {
        self.reads.push(path.into());
        self
    }
}

/// The limits of one run, for its whole process tree.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// The time limit.
    pub wall: Duration,
    /// The memory limit, in bytes.
    pub memory: Option<u64>,
    /// The limit for both output streams together, in bytes.
    pub output: usize,
}

/// How the limits of a process tree are enforced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Containment {
    /// A control group, version 2: the kernel limits memory and kills all processes at once.
    CgroupV2,
    /// A control group of the memory controller, version 1: the kernel limits memory.
    CgroupV1,
    /// The keeper adopts every orphan of the tree, sums the tree's memory, and kills until no
    /// process is left.
    Subreaper,
}

impl Containment {
    /// All of them, the best first.
    pub const ALL: [Containment; 3] =
        [Containment::CgroupV2, Containment::CgroupV1, Containment::Subreaper];

    fn name(self) -> &'static str {
        match self {
            Containment::CgroupV2 => "cgroup-v2",
            Containment::CgroupV1 => "cgroup-v1",
            Containment::Subreaper => "subreaper",
        }
    }
}

impl fmt::Display for Containment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Containment {
    type Err = String;

    fn from_str(name: &str) -> Result<Containment, String> {
        let found = Containment::ALL.into_iter().find(|containment| containment.name() == name);
        found.ok_or_else(|| {
            let names = Containment::ALL.map(Containment::name).join(", ");
            format!("`{name}` is not a containment; expected one of {names}")
        })
    }
}

/// How to start a keeper, and which containment it uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launcher {
    /// The program that calls [`keep`](super::keep).
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The containment; `None` for the one in the variable `ASSAY_CONTAINMENT`, or else the best
    /// that the machine offers.
    pub containment: Option<Containment>,
    /// Whether its jobs run in the sandbox.
    pub sandbox: Sandbox,
}

impl Launcher {
    /// The keeper is the running program itself, called with `__keep`.
    ///
    /// # Errors
    /// If the path of the running program cannot be found.
    pub fn this_program() -> Result<Launcher, HarnessError> {
        let program = std::env::current_exe()
            .map_err(|source| HarnessError::Keeper { program: "/proc/self/exe".into(), source })?;
        Ok(Launcher::of(program))
    }

    /// The keeper is this program, called with `__keep`.
    #[must_use]
    pub fn of(program: impl Into<PathBuf>) -> Launcher {
        Launcher {
            program: program.into(),
            args: vec!["__keep".into()],
            containment: None,
            sandbox: Sandbox::On,
        }
    }

    /// The same with or without the sandbox.
    #[must_use]
    pub fn sandboxed(self, sandbox: Sandbox) -> Launcher {
        Launcher { sandbox, ..self }
    }
}

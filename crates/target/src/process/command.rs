//! What is to be run, and within which limits: plain data.

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
    /// The program: a path, or a name to be looked up.
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Changes to its environment, which is clean in the sandbox and ours otherwise: a new value, or
    /// none where the variable is to be removed.
    pub env: Vec<(OsString, Option<OsString>)>,
    /// Its working directory; none for [the keeper's scratch folder](super::Keeper::scratch).
    pub dir: Option<PathBuf>,
    /// Files and folders that it may read and execute in the sandbox, beside the system.
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

/// The limits of one run, for its whole tree of processes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How long it may take.
    pub wall: Duration,
    /// How much memory it may use, in bytes.
    pub memory: Option<u64>,
    /// How much it may write to both output streams together, in bytes.
    pub output: usize,
}

/// How the limits of a tree of processes are enforced.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Containment {
    /// By a control group, version 2: the kernel limits memory and kills all at once.
    CgroupV2,
    /// By a control group of the memory controller, version 1: the kernel limits memory.
    CgroupV1,
    /// By the keeper, which inherits every orphan of the tree, adds up what the tree uses, and
    /// kills until none is left.
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
            format!("`{name}` is no way of containment; there are {names}")
        })
    }
}

/// How a keeper is started, and which containment it is to use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Launcher {
    /// The program that calls [`keep`](super::keep).
    pub program: PathBuf,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// The containment; none for the one that the variable `ASSAY_CONTAINMENT` names, or else the
    /// best that the machine offers.
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

    /// The same, with or without the sandbox.
    #[must_use]
    pub fn sandboxed(self, sandbox: Sandbox) -> Launcher {
        Launcher { sandbox, ..self }
    }
}

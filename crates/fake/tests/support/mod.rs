//! What the tests share: keepers of every kind, and proof that nothing was left behind.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]
#![allow(dead_code, reason = "each test uses a part")]

use assay_target::process::{
    CommandLine, Containment, Finished, HarnessError, Keeper, Launcher, Limits,
};
use std::fs;
use std::time::{Duration, Instant};

pub const FAKE: &str = env!("CARGO_BIN_EXE_assay-fake");
const MARK: &str = "ASSAY_FAKE_TEST";

/// A keeper in a test, whose jobs carry the test's name in their environment.
pub struct Bench {
    pub keeper: Keeper,
    name: String,
}

impl Bench {
    /// A keeper that the test `name` has for itself.
    pub fn new(name: &str, containment: Option<Containment>) -> Result<Bench, HarnessError> {
        Bench::of(name, &Launcher { containment, ..Launcher::of(FAKE) })
    }

    /// A keeper that is started like this.
    pub fn of(name: &str, launcher: &Launcher) -> Result<Bench, HarnessError> {
        let keeper = Keeper::start(launcher)?;
        Ok(Bench { keeper, name: format!("{name}-{}", std::process::id()) })
    }

    /// The fake in this way to misbehave.
    pub fn fake(&self, args: &[&str]) -> CommandLine {
        let mut command = CommandLine::new(FAKE).reads(FAKE).env(MARK, &self.name);
        command.args = args.iter().map(Into::into).collect();
        command
    }

    /// Runs the fake without input.
    pub fn run(&mut self, args: &[&str], limits: &Limits) -> Finished {
        let command = self.fake(args);
        let finished = self.keeper.run(&command, b"", limits).expect("the keeper does its work");
        self.assert_nothing_left();
        finished
    }

    /// No process of the test is there, not even a dead one.
    #[track_caller]
    pub fn assert_nothing_left(&self) {
        let left = processes_of(&self.name);
        assert!(left.is_empty(), "left behind: {left:?}");
    }
}

/// The test with each containment that the machine offers; the others are named. To root those with
/// control groups are offered where `ASSAY_CGROUP` names a group that may be divided.
pub fn with_each_containment(name: &str, test: impl Fn(&mut Bench)) {
    for containment in Containment::ALL {
        match Bench::new(&format!("{name}-{containment}"), Some(containment)) {
            Ok(mut bench) => {
                assert_eq!(bench.keeper.containment().expect("the keeper runs"), containment);
                test(&mut bench);
                bench.assert_nothing_left();
            }
            Err(HarnessError::Containment { why }) => {
                assert_ne!(containment, Containment::Subreaper, "{why}");
                eprintln!("skipped: {name} with {containment}: {why}");
            }
            Err(error) => panic!("{error}"),
        }
    }
}

pub fn limits(wall: Duration) -> Limits {
    Limits { wall, memory: Some(1 << 30), output: 1 << 20 }
}

/// Limits that are reached only by those who mean to.
pub fn generous() -> Limits {
    limits(Duration::from_secs(20))
}

/// The command lines of the processes that carry this mark in their environment.
pub fn processes_of(name: &str) -> Vec<String> {
    let mark = format!("{MARK}={name}");
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").expect("this is Linux").flatten() {
        let Ok(environment) = fs::read(entry.path().join("environ")) else {
            continue;
        };
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    found
}

/// Waits until the condition holds; one that does not hold by now never does, even on a busy machine.
pub fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(60), "not in time: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// The mark for a process that a test starts itself.
pub fn mark(name: &str) -> (&'static str, String) {
    (MARK, format!("{name}-{}", std::process::id()))
}

//! `assay` is its own keeper of processes.

use assay_case::Ending;
use assay_target::process::{CommandLine, Keeper, Launcher, Limits};
use std::process::{Command, Stdio};
use std::time::Duration;

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

#[test]
fn assay_starts_as_a_keeper_of_processes() {
    let mut keeper = Keeper::start(&Launcher::of(ASSAY)).expect("a keeper can be started");
    let command = CommandLine::new("sh").arg("-c").arg("read line; echo \"$line\" sat; exit 3");
    let limits = Limits { wall: Duration::from_secs(20), memory: Some(1 << 30), output: 1 << 20 };
    let finished = keeper.run(&command, b"really\n", &limits).expect("the keeper does its work");
    assert_eq!(finished.stdout, b"really sat\n");
    assert_eq!(finished.ending, Ending::Exited(3));
}

#[test]
fn the_keeper_command_is_hidden_and_silent() {
    let help = Command::new(ASSAY).arg("--help").output().expect("assay runs");
    assert!(!String::from_utf8_lossy(&help.stdout).contains("__keep"));
    // Without a worker there is nothing to do.
    let alone =
        Command::new(ASSAY).arg("__keep").stdin(Stdio::null()).output().expect("assay runs");
    assert_eq!(alone.status.code(), Some(2));
    assert_eq!((alone.stdout, alone.stderr), (vec![], vec![]));
}

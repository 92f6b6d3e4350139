//! What a hostile tool can do in the sandbox and without it, attack by attack.
//!
//! Where a kernel lacks something, the tool gets through, and the report must say so.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "tests")]

mod support;

use assay_case::{Ending, Quota};
use assay_target::process::{
    Barrier, CommandLine, Confinement, Finished, HarnessError, Keeper, Launcher, Limits, Sandbox,
    State,
};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::path::Path;
use std::time::Duration;
use support::{FAKE, generous, processes_of};

/// A variable of our own that tools must not see.
const SECRET: (&str, &str) = ("ASSAY_TEST_SECRET", "hunter2");

/// What the attacks are aimed at.
struct Prey {
    /// A folder that belongs to the user and not to the job.
    home: tempfile::TempDir,
    listener: TcpListener,
    _abstract_listener: UnixListener,
    _socket: UnixListener,
    abstract_name: String,
}

impl Prey {
    fn new() -> Prey {
        let home = tempfile::tempdir().expect("a folder can be made");
        for name in ["secret", "precious", "expendable"] {
            std::fs::write(home.path().join(name), "x").expect("a folder of the test's own");
        }
        let abstract_name = format!("assay-{}", std::process::id());
        let address = SocketAddr::from_abstract_name(&abstract_name).expect("it is a name");
        let socket = UnixListener::bind(home.path().join("socket")).expect("a folder of its own");
        Prey {
            home,
            listener: TcpListener::bind("127.0.0.1:0").expect("there is a loopback"),
            _abstract_listener: UnixListener::bind_addr(&address).expect("the name is free"),
            abstract_name,
            _socket: socket,
        }
    }

    fn path(&self, name: &str) -> String {
        self.home.path().join(name).display().to_string()
    }

    /// Every attack whose success the tool can tell, with what stands against it.
    fn attacks(&self) -> Vec<(Barrier, Vec<String>)> {
        let address = self.listener.local_addr().expect("it is bound").to_string();
        let table: [(Barrier, &[&str]); 14] = [
            (Barrier::Environment, &["environment", SECRET.0]),
            (Barrier::Files, &["parent-environment"]),
            (Barrier::Files, &["read", &self.path("secret")]),
            (Barrier::Files, &["list", &self.path("")]),
            (Barrier::Files, &["write", &self.path("new")]),
            (Barrier::Files, &["write", &self.path("precious")]),
            (Barrier::Files, &["truncate", &self.path("precious")]),
            (Barrier::Files, &["make-folder", &self.path("folder")]),
            (Barrier::Files, &["remove", &self.path("expendable")]),
            (Barrier::Network, &["connect", &address]),
            (Barrier::Signals, &["connect-abstract", &self.abstract_name]),
            (Barrier::Calls, &["connect-path", &self.path("socket")]),
            (Barrier::Calls, &["limit-parent"]),
            (Barrier::Calls, &["renice-parent"]),
        ];
        let owned = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        table.into_iter().map(|(barrier, words)| (barrier, owned(words))).collect()
    }
}

/// A keeper whose own environment holds the secret.
fn keeper(sandbox: Sandbox) -> Keeper {
    // The keeper is started with our environment and the secret beside it.
    let launcher = Launcher::of("/usr/bin/env").sandboxed(sandbox);
    let args = [format!("{}={}", SECRET.0, SECRET.1), FAKE.into(), "__keep".into()];
    let launcher = Launcher { args: args.map(Into::into).to_vec(), ..launcher };
    Keeper::start(&launcher).expect("a keeper can be started")
}

fn command(words: &[String]) -> CommandLine {
    words.iter().fold(CommandLine::new(FAKE).reads(FAKE).arg("attack"), |line, word| line.arg(word))
}

fn run(keeper: &mut Keeper, words: &[String]) -> Finished {
    keeper.run(&command(words), b"", &generous()).expect("the keeper does its work")
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn every_attack_is_denied_in_the_sandbox_and_possible_without_it() {
    for sandbox in [Sandbox::On, Sandbox::Off] {
        let prey = Prey::new();
        let mut keeper = keeper(sandbox);
        let confinement = keeper.confinement().expect("the keeper runs");
        assert_eq!(confinement == Confinement::Off, sandbox == Sandbox::Off);
        for (barrier, attack) in prey.attacks() {
            let finished = run(&mut keeper, &attack);
            assert_eq!(finished.confinement, confinement);
            assert_eq!(finished.ending, Ending::Exited(0), "{attack:?}");
            let said = String::from_utf8_lossy(&finished.stdout).into_owned();
            let partly = confinement
                .barriers()
                .iter()
                .any(|(at, state)| *at == barrier && matches!(state, State::Partly(_)));
            match confinement.has(barrier) {
                true => assert!(said.starts_with("denied: "), "{attack:?}: {said}"),
                // What is there in parts only may stop this attack or not.
                false if partly => eprintln!("{attack:?}: {said} ({confinement})"),
                false => {
                    assert_eq!(said, "possible\n", "{attack:?}");
                    if sandbox == Sandbox::On {
                        eprintln!("not denied by this kernel: {attack:?} ({confinement})");
                        assert!(confinement.to_string().contains(barrier.name()));
                    }
                }
            }
        }
    }
}

#[test]
fn a_tool_cannot_kill_its_keeper() {
    for sandbox in [Sandbox::On, Sandbox::Off] {
        let mut keeper = keeper(sandbox);
        let confinement = keeper.confinement().expect("the keeper runs");
        let killed = keeper.run(&command(&words(&["kill-parent"])), b"", &generous());
        match confinement.has(Barrier::Signals) {
            true => {
                let finished = killed.expect("the keeper lives");
                let said = String::from_utf8_lossy(&finished.stdout).into_owned();
                assert!(said.starts_with("denied: "), "{said}");
            }
            false => assert!(matches!(killed, Err(HarnessError::Lost { .. })), "{killed:?}"),
        }
        // In either case the next job is served.
        let again = run(&mut keeper, &words(&["environment", "HOME"]));
        assert_eq!(again.stdout, b"possible\n");
    }
}

#[test]
fn no_process_outside_can_be_signalled() {
    let mut keeper = keeper(Sandbox::On);
    if !keeper.confinement().expect("the keeper runs").has(Barrier::Signals) {
        eprintln!("skipped: this kernel does not scope signals");
        return;
    }
    // The signal does no harm where it gets through.
    let finished = run(&mut keeper, &words(&["kill-everybody", "28"]));
    assert_eq!(finished.stdout, b"denied: nobody could be signalled\n");
}

#[test]
fn limits_of_processes_and_files_hold() {
    let processes = Ending::OverLimit(Quota::Processes(256));
    let file_size = Ending::OverLimit(Quota::FileSize(1 << 30));
    for (attack, ending) in [(["fork", "300"], processes), (["fill", "2000000000"], file_size)] {
        let mut confined = keeper(Sandbox::On);
        assert_eq!(run(&mut confined, &words(&attack)).ending, ending, "{attack:?}");
        let mut free = keeper(Sandbox::Off);
        let finished = run(&mut free, &words(&attack));
        assert_eq!(finished.ending, Ending::Exited(0), "{attack:?}");
        assert_eq!(finished.stdout, b"possible\n", "{attack:?}");
        // What was just within the limit is nobody's fault.
        let modest = words(&[attack[0], "20"]);
        assert_eq!(run(&mut confined, &modest).stdout, b"possible\n", "{modest:?}");
    }
}

#[test]
fn a_tool_gets_its_own_folder_and_a_minimal_environment() {
    let mut keeper = keeper(Sandbox::On);
    let scratch = keeper.scratch().expect("the keeper has a folder").display().to_string();
    let script = "env | sort; echo hello > \"$HOME/file\" && cat \"$TMPDIR/file\"; pwd";
    let command = CommandLine::new("/bin/sh").arg("-c").arg(script).env("NAMED", "by the target");
    let limits = Limits { memory: None, ..generous() };
    let finished = keeper.run(&command, b"", &limits).expect("the keeper does its work");
    let said = String::from_utf8(finished.stdout).expect("it is text");
    let variables: Vec<&str> = said.lines().filter(|line| line.contains('=')).collect();
    let expected = [
        format!("HOME={scratch}"),
        "LANG=C.UTF-8".to_owned(),
        "NAMED=by the target".to_owned(),
        "PATH=/usr/local/bin:/usr/bin:/bin".to_owned(),
        format!("PWD={scratch}"),
        format!("TMPDIR={scratch}"),
    ];
    let known = |line: &&&str| !line.starts_with("OLDPWD=") && !line.starts_with("_=");
    let found: Vec<&str> = variables.iter().filter(known).copied().collect();
    assert_eq!(found, expected, "{said}");
    assert!(said.ends_with(&format!("hello\n{scratch}\n")), "{said}");
    assert!(!Path::new(&scratch).join("file").exists(), "the folder is emptied after the job");
}

#[test]
fn orphans_are_killed_in_and_outside_the_sandbox() {
    let mark = format!("away-{}", std::process::id());
    for sandbox in [Sandbox::On, Sandbox::Off] {
        let mut keeper = keeper(sandbox);
        let line = CommandLine::new(FAKE).reads(FAKE).arg("orphan").env("ASSAY_FAKE_TEST", &mark);
        let limits = Limits { wall: Duration::from_secs(20), ..generous() };
        let finished = keeper.run(&line, b"", &limits).expect("the keeper does its work");
        assert_eq!(finished.stdout, b"sat\n");
        assert!(processes_of(&mark).is_empty(), "{sandbox}");
    }
}

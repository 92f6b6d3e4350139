//! Runs that are interrupted, run twice at once, or cannot write: each ends with a message and the
//! right exit code, and nothing that was done is lost.

mod common;

use common::{assay, text};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

/// A target that takes a moment and then says this.
fn target(folder: &Path, seconds: &str, answer: &str) {
    let script = folder.join("slow");
    let text = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo slow 1.0; exit; fi\n\
         cat > /dev/null\nsleep {seconds}\necho {answer}\n"
    );
    fs::write(&script, text).expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let description = format!(
        "name = \"slow\"\ntitle = \"Slow\"\nkind = \"smt-solver\"\n[[source]]\npath = {script:?}\n\
         [run]\nargs = []\nversion-args = [\"--version\"]\nlogic = \"never\"\nfeatures = [\"ints\"]\n"
    );
    fs::create_dir_all(folder.join("targets")).expect("a folder");
    fs::write(folder.join("targets/slow.toml"), description).expect("a description");
}

const RUN: [&str; 11] = [
    "run",
    "ints",
    "--category",
    "operation",
    "--targets",
    "targets",
    "--target",
    "slow",
    "--out",
    "out",
    "--jobs=1",
];

fn start(folder: &Path) -> Child {
    Command::new(ASSAY)
        .args(RUN)
        .current_dir(folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("assay runs")
}

/// Waits until this is so.
fn wait(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < Duration::from_secs(60), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether the run holds results of at least one case.
fn has_begun(folder: &Path) -> bool {
    let log = folder.join("out/results.sqlite-wal");
    fs::metadata(log).is_ok_and(|file| file.len() > 0)
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill").args([name, &child.id().to_string()]).status();
    assert!(sent.expect("kill runs").success());
}

#[test]
fn an_interrupted_run_says_so_and_resumes() {
    for name in ["-INT", "-TERM", "-HUP"] {
        let folder = tempfile::tempdir().expect("a folder");
        target(folder.path(), "0.1", "unknown");
        let child = start(folder.path());
        wait("it begins", || has_begun(folder.path()));
        signal(&child, name);
        let output = child.wait_with_output().expect("it ends");
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(130), "{name}: {words}");
        assert!(words.contains("interrupted") && words.contains("--resume"), "{name}: {words}");
        assert!(text(&output.stdout).contains("operation"), "{name}: the table is shown");
        let args = [&RUN[..], &["--resume", "--budget", "1ms"]].concat();
        let resumed = assay(folder.path(), &args);
        assert_eq!(resumed.status.code(), Some(0), "{name}: {}", text(&resumed.stderr));
    }
}

#[test]
fn an_interrupted_run_with_findings_exits_with_1() {
    let folder = tempfile::tempdir().expect("a folder");
    target(folder.path(), "0.05", "unsat");
    let child = start(folder.path());
    let findings = folder.path().join("out/findings");
    let found = || {
        let mut folders = fs::read_dir(&findings).into_iter().flatten().flatten();
        folders.any(|folder| folder.path().join("finding.json").exists())
    };
    wait("it finds something", found);
    signal(&child, "-INT");
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    assert!(text(&output.stderr).contains("interrupted"), "{}", text(&output.stderr));
}

#[test]
fn a_campaign_folder_has_one_running_process() {
    let folder = tempfile::tempdir().expect("a folder");
    target(folder.path(), "0.2", "unknown");
    let mut first = start(folder.path());
    wait("it begins", || has_begun(folder.path()));
    let process = format!("process {}", first.id());
    for more in [&["--resume"][..], &[]] {
        let second = assay(folder.path(), &[&RUN[..], more].concat());
        let words = text(&second.stderr);
        assert_eq!(second.status.code(), Some(2), "{words}");
        assert!(words.contains("campaign.lock") && words.contains(&process), "{words}");
    }
    first.kill().expect("it can be killed");
    first.wait().expect("it is dead");
    let args = [&RUN[..], &["--resume", "--budget", "1ms"]].concat();
    let resumed = assay(folder.path(), &args);
    assert_eq!(resumed.status.code(), Some(0), "{}", text(&resumed.stderr));
}

/// Results that cannot be written are an error, whatever the command.
#[test]
fn a_full_standard_output_is_an_error_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    target(folder.path(), "0", "unknown");
    fs::write(folder.path().join("a.smt2"), "(assert true)(check-sat)").expect("a file");
    let run = [&RUN[..], &["--limit", "1", "--json"]].concat();
    let commands: [&[&str]; 6] = [
        &["--help"],
        &["run", "--help"],
        &["check", "a.smt2"],
        &["rules"],
        &["gen", "ints", "--count"],
        &run,
    ];
    for args in commands {
        let full = File::options().write(true).open("/dev/full").expect("Linux");
        let output = Command::new(ASSAY)
            .args(args)
            .current_dir(folder.path())
            .stdout(full)
            .output()
            .expect("assay runs");
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {words}");
        assert!(words.contains("No space left on device"), "{args:?}: {words}");
        assert!(!words.contains("panicked"), "{args:?}: {words}");
    }
}

/// A disk that takes only so much: the store says so, and assay ends.
#[test]
fn a_full_disk_is_an_error_with_a_message() {
    let folder = tempfile::tempdir().expect("a folder");
    target(folder.path(), "0", "unsat");
    for blocks in ["1", "16", "100"] {
        let out = format!("--out=full-{blocks}");
        let line = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
        let output = Command::new("sh")
            .args(["-c", &line, ASSAY, "run", "ints", "--targets", "targets", "--target", "slow"])
            .args([out.as_str(), "--jobs=1", "--limit", "400"])
            .current_dir(folder.path())
            .output()
            .expect("sh runs");
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{blocks}: {words}");
        assert!(words.contains("error: "), "{blocks}: {words}");
        assert!(!words.contains("panicked"), "{blocks}: {words}");
    }
}

/// Numbers of which zero makes no sense.
#[test]
fn zero_is_refused_for_every_number() {
    let flags = [
        ("run ints", "--jobs"),
        ("run ints", "--limit"),
        ("run ints", "--sample"),
        ("run ints", "--each"),
        ("run ints", "--depth"),
        ("run ints", "--chain"),
        ("run ints", "--timeout"),
        ("run ints", "--memory"),
        ("run ints", "--budget"),
        ("gen ints", "--limit"),
        ("run opmut", "--mutants"),
        ("run opmut", "--rounds"),
        ("run approx", "--places"),
        ("run fusion", "--pairs"),
        ("run recombine", "--assertions"),
        ("run recombine", "--height"),
        ("run grown", "--depth"),
        ("run grown", "--size"),
        ("run rewritten", "--assertions"),
        ("run rewritten", "--steps"),
        ("run horn", "--predicates"),
        ("run horn", "--transitions"),
        ("run domains", "--variables"),
        ("submit ints", "--shards"),
        ("reduce a.smt2", "--jobs"),
        ("reduce a.smt2", "--timeout"),
        ("trigger a.smt2", "--timeout"),
    ];
    for (command, flag) in flags {
        let args: Vec<&str> = command.split(' ').chain([flag, "0"]).collect();
        let output = assay(Path::new("."), &args);
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{command} {flag}: {words}");
        assert!(words.contains(flag) && words.contains("invalid value"), "{command}: {words}");
    }
}

/// Text that is no model is bad input; a value that we cannot represent is not.
#[test]
fn text_that_is_not_a_model_is_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = "(declare-const x Int)(assert (= x 5))(check-sat)";
    fs::write(folder.path().join("a.smt2"), file).expect("a file");
    let table = [
        ("((define-fun x () Int 5))", 0),
        ("sat\n((define-fun x () Int 5))", 0),
        ("((define-fun x () Int 6))", 1),
        ("((define-fun x () Int (root-obj 1 2)))", 0),
        ("", 2),
        ("hello world", 2),
        ("unsat", 2),
        ("(error \"no model\")", 2),
        ("(a b c)", 2),
        ("((hello world))", 2),
        ("((define-fun x () Int 5)", 2),
        ("((define-fun x () Int \"five\"))", 2),
    ];
    for (model, code) in table {
        fs::write(folder.path().join("m"), model).expect("a file");
        let output = assay(folder.path(), &["check", "--model", "m", "a.smt2"]);
        let words = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{model}: {words}{}", text(&output.stdout));
        assert!(code != 2 || words.starts_with("error: m: "), "{model}: {words}");
    }
}

/// A declared truth that few assignments prove or refute, on a target that says unsat.
#[test]
fn replay_certifies_declared_truths() {
    let folder = tempfile::tempdir().expect("a folder");
    target(folder.path(), "0", "unsat");
    let description = folder.path().join("targets/slow.toml");
    let text_of = fs::read_to_string(&description).expect("a description");
    fs::write(&description, text_of.replace("\"ints\"", "\"bit-vectors\"")).expect("a description");
    let files = [
        (
            "(= #b000 (bvadd (bvshl (bvshl #b111 v) v) (bvshl #b111 v)))",
            1,
            "wrong-unsat (certified)",
        ),
        ("(= (bvmul v #b010) #b001)", 0, "correct"),
    ];
    for (assertion, code, words) in files {
        let file = format!(
            "(set-info :status sat)(declare-const v (_ BitVec 3))(assert {assertion})(check-sat)"
        );
        fs::write(folder.path().join("a.smt2"), file).expect("a file");
        let args = ["replay", "a.smt2", "--targets", "targets", "--target", "slow"];
        let output = assay(folder.path(), &args);
        let told = text(&output.stdout) + &text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{told}");
        assert!(told.contains(words), "{told}");
        assert!(code == 1 || told.contains("note: none of the 8 assignments"), "{told}");
    }
}

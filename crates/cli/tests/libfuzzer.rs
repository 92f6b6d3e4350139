//! `assay run domains --engine libfuzzer`: where the engine is looked for, and that what it reports is
//! examined like everything else. Most tests let an engine of ours stand in for libFuzzer.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");
const BUG: &str = "builtin/octagon:octagon-join-minimum";

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("there is room for a folder")
}

/// A program that is a worker without libFuzzer, and what it says goes through a filter.
fn stand_in(folder: &Path, filter: &str) -> PathBuf {
    let path = folder.join("assay-libfuzzer");
    let plan = "s/\"engine\":\"libfuzzer\"/\"engine\":\"random\"/";
    let text = format!("#!/bin/sh\nsed -u '{plan}' | '{ASSAY}' __domain \"$@\" | {filter}\n");
    std::fs::write(&path, text).expect("there is room for a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it is ours");
    path
}

fn run(folder: &Path, engine: Option<&Path>, target: &str) -> Output {
    let mut command = Command::new(ASSAY);
    command.args(["run", "domains", "--engine", "libfuzzer", "--target", target]);
    command.args([
        "--law",
        "8",
        "--law",
        "9",
        "--variables",
        "2",
        "--budget",
        "15s",
        "--out",
        "out",
    ]);
    if let Some(engine) = engine {
        command.env("ASSAY_LIBFUZZER", engine);
    }
    command.current_dir(folder).output().expect("assay runs")
}

fn errors(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The only finding's folder.
fn finding(folder: &Path) -> String {
    let findings = folder.join("out/findings").read_dir().expect("there are findings");
    let first = findings.map(|entry| entry.expect("it can be read").path()).min();
    first.expect("there is one").display().to_string()
}

#[test]
fn a_missing_engine_gets_an_error_with_a_hint() {
    // A copy of assay, beside which nothing else is.
    let place = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("there is room");
    let alone = place.path().join("assay");
    std::fs::hard_link(ASSAY, &alone).expect("it is the same file system");
    let output = Command::new(&alone)
        .args(["run", "domains", "--engine", "libfuzzer", "--target", BUG, "--out", "out"])
        .env_remove("ASSAY_LIBFUZZER")
        .env("PATH", place.path())
        .current_dir(place.path())
        .output()
        .expect("assay runs");
    let words = errors(&output);
    assert!(words.contains("no assay-libfuzzer beside assay or on the search path"), "{words}");
    assert!(words.contains("build it with fuzz/engine"), "{words}");
    assert!(!place.path().join("out").exists(), "nothing was begun");
    let folder = folder();
    let words = errors(&run(folder.path(), Some(Path::new("/nowhere")), BUG));
    assert!(words.contains("ASSAY_LIBFUZZER names /nowhere, which is no program"), "{words}");
}

#[test]
fn a_worker_without_libfuzzer_refuses_the_engine() {
    let folder = folder();
    let path = folder.path().join("plain");
    std::fs::write(&path, format!("#!/bin/sh\nexec '{ASSAY}' __domain \"$@\"\n")).expect("room");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it is ours");
    let words = errors(&run(folder.path(), Some(&path), BUG));
    assert!(words.contains("this worker has no engine `libfuzzer`"), "{words}");
}

#[test]
fn findings_of_an_engine_are_confirmed_and_replay_without_it() {
    let folder = folder();
    let engine = stand_in(folder.path(), "cat");
    let output = run(folder.path(), Some(&engine), BUG);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let words = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(words.contains("(confirmed, after"), "{words}");
    // Neither the folder nor its bytes need the engine.
    let place = finding(folder.path());
    for more in [&[][..], &["--bytes"]] {
        let again = Command::new(ASSAY).args(["replay", &place]).args(more).output();
        assert_eq!(again.expect("assay runs").status.code(), Some(1), "{more:?}");
    }
}

#[test]
fn an_engine_that_reads_bytes_differently_is_refused() {
    let folder = folder();
    let engine = stand_in(folder.path(), "sed -u 's/\"input\":\"[0-9a-f]*\"/\"input\":\"00\"/'");
    let words = errors(&run(folder.path(), Some(&engine), BUG));
    assert!(words.contains("the engine was built from other sources"), "{words}");
    assert!(words.contains("rebuild it with fuzz/engine"), "{words}");
}

#[test]
fn libfuzzer_finds_a_seeded_bug_and_none_without() {
    let folder = folder();
    let output = run(folder.path(), None, BUG);
    if output.status.code() == Some(2) {
        eprintln!("skipped: {}", errors(&output));
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let again = Command::new(ASSAY).args(["replay", &finding(folder.path()), "--bytes"]).output();
    assert_eq!(again.expect("assay runs").status.code(), Some(1));
    let clean = run(self::folder().path(), None, "builtin/octagon");
    assert_eq!(clean.status.code(), Some(0), "{clean:?}");
}

//! The program `read`: readers that lose input or die are named, and do not stop the others.

use std::path::PathBuf;
use std::process::{Command, Output};

fn read(name: &str, script: &str) -> Output {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, script).expect("the folder for test files is writable");
    Command::new(env!("CARGO_BIN_EXE_read"))
        .args(["--rounds", "1"])
        .arg(path)
        .output()
        .expect("cargo built the program")
}

/// The cells of a reader's line.
fn cells(output: &Output, reader: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text
        .lines()
        .find(|line| line.starts_with(&format!("| {reader} ")))
        .unwrap_or_else(|| panic!("no line for {reader} in {text}"));
    line.split('|').map(|cell| cell.trim().to_owned()).collect()
}

#[test]
fn an_unknown_command_that_ends_the_script_silently() {
    let output = read("silent.smt2", "(check-sat)\n(define-const x Int 3)\n(check-sat)\n");
    let lost = "no error, but 1 of 3 commands";
    assert_eq!(cells(&output, "smtlib-lowlevel")[2], lost);
    assert_eq!(cells(&output, "yaspar-ir:untyped")[2], "tree");
    assert!(cells(&output, "smt2parser")[2].starts_with("rejects: "));
    assert!(output.status.success());
}

#[test]
fn a_reader_that_panics() {
    let output = read("panic.smt2", "(set-option :produce-models true)\n");
    assert!(cells(&output, "smtlib-lowlevel")[2].starts_with("dies reading: "));
    assert_eq!(cells(&output, "smt2parser")[2], "tree");
}

#[test]
fn annotations_that_vanish() {
    let output = read("annotation.smt2", "(declare-const p Bool)\n(assert (! p :named label))\n");
    assert_eq!(cells(&output, "aws-smt-ir")[3], "62.50 %");
    assert_eq!(cells(&output, "yaspar-ir:typed")[3], "100.00 %");
}

#[test]
fn a_file_that_is_not_balanced_is_our_error() {
    let output = read("open.smt2", "(assert (= 1 1)\n");
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8_lossy(&output.stderr);
    assert!(message.ends_with("open.smt2: 1 '(' still open at the end\n"), "{message}");
}

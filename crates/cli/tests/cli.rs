//! End-to-end cases: each file of `tests/cli` is a script of commands with what they must print.
//!
//! A case is a text of blocks. A block begins with `$ assay …`; the lines that follow are what it
//! prints, first on stdout, then (marked `! `) on stderr, and last `= N` if it does not exit with 0.
//! Paths are relative to `tests/cli/input`. `ASSAY_BLESS=1` rewrites the cases to what is printed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/cli")
}

/// What a command line prints, in the form of a block.
fn block(line: &str) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    let (args, input) = match words.iter().position(|word| *word == "<") {
        Some(at) => (&words[..at], Some(words[at + 1])),
        None => (&words[..], None),
    };
    let input_folder = folder().join("input");
    let stdin = match input {
        Some(file) => fs::File::open(input_folder.join(file)).expect("the case's input").into(),
        None => Stdio::null(),
    };
    let done = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(args)
        .current_dir(input_folder)
        .stdin(stdin)
        .output()
        .expect("assay runs");
    let mut text = format!("$ assay {line}\n");
    text.push_str(&String::from_utf8_lossy(&done.stdout));
    for line in String::from_utf8_lossy(&done.stderr).lines() {
        text.push_str(format!("! {line}").trim_end());
        text.push('\n');
    }
    match done.status.code() {
        Some(0) => {}
        Some(code) => text.push_str(&format!("= {code}\n")),
        None => text.push_str("= killed\n"),
    }
    text
}

fn check(case: &Path) {
    let expected = fs::read_to_string(case).expect("the case can be read");
    let (comment, _) = expected.split_once("$ assay ").expect("a case has commands");
    let mut actual = comment.to_owned();
    for line in expected.lines().filter_map(|line| line.strip_prefix("$ assay ")) {
        actual.push_str(&block(line));
    }
    if std::env::var_os("ASSAY_BLESS").is_some() {
        fs::write(case, actual).expect("the case can be written");
        return;
    }
    assert_eq!(actual, expected, "{} (ASSAY_BLESS=1 rewrites it)", case.display());
}

#[test]
fn case_files_have_the_expected_output() {
    let entries = fs::read_dir(folder()).expect("the cases are in the repository");
    let mut cases: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "case"))
        .collect();
    cases.sort();
    assert!(cases.len() >= 5, "the cases are missing");
    cases.iter().for_each(|case| check(case));
}

/// Runs `assay check` on bytes and returns its exit code and what it says on stderr.
fn refusal(bytes: &[u8]) -> (Option<i32>, String) {
    let name = format!("assay-cli-test-{}-{}.smt2", std::process::id(), bytes.len());
    let file = std::env::temp_dir().join(name);
    fs::write(&file, bytes).expect("a temporary file");
    let done = Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(["check", "--quiet"])
        .arg(&file)
        .output()
        .expect("assay runs");
    fs::remove_file(&file).expect("our own file");
    (done.status.code(), String::from_utf8_lossy(&done.stderr).into_owned())
}

#[test]
fn binary_input_is_refused_with_its_place() {
    let table: [(&[u8], &str); 3] = [
        (b"(assert true)\n(assert \xff)", "line 2, column 9: unexpected byte 0xff"),
        (b"(assert\n\0true)", "line 2, column 1: unexpected control character U+0000"),
        ("(assert é)".as_bytes(), "line 1, column 9: unexpected character `é` (U+00E9)"),
    ];
    for (bytes, words) in table {
        let (code, message) = refusal(bytes);
        assert_eq!(code, Some(2));
        assert!(message.contains(words), "{message}");
    }
}

#[test]
fn a_symbol_of_100_megabytes_is_refused() {
    let mut text = b"(declare-const ".to_vec();
    text.resize(text.len() + 100_000_000, b'x');
    text.extend(b" Int)");
    let (code, message) = refusal(&text);
    assert_eq!(code, Some(2));
    assert!(message.contains("a symbol of 100000000 bytes is longer than the limit"), "{message}");
    assert!(message.len() < 1_000, "the message shows a part of the line");
}

/// Every prefix of a script is a shorter script or an error, never a panic.
#[test]
fn truncated_scripts_are_refused() {
    let script = fs::read(folder().join("input/rich.smt2")).expect("the input is there");
    for end in (0..script.len()).step_by(7) {
        let (code, message) = refusal(&script[..end]);
        assert!(matches!(code, Some(0 | 2)), "{end}: {code:?} {message}");
    }
}

//! Reports on a campaign as a user makes them, on a real solver with known bugs.
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use serde_json::Value;
use std::path::Path;
use std::process::{Command, Output};

/// A version whose wrong answers are known.
const OLD: &str = "z3@4.8.0";

fn assay(folder: &Path, line: &str) -> Output {
    let words = line.split_whitespace();
    let mut command = Command::new(env!("CARGO_BIN_EXE_assay"));
    command.args(words).current_dir(folder).output().expect("assay runs")
}

/// What a command prints, which must end well.
fn printed(folder: &Path, line: &str) -> String {
    let output = assay(folder, line);
    assert!(output.status.success(), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("reports are UTF-8")
}

#[test]
fn a_campaign_is_reported_in_every_format() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    let installed = assay(folder, &format!("targets install {OLD}"));
    if !installed.status.success() {
        let words = String::from_utf8_lossy(&installed.stderr).into_owned();
        assert!(std::env::var_os("ASSAY_REQUIRE_TARGETS").is_none(), "{OLD}: {words}");
        eprintln!("skipped: {OLD} cannot be installed: {words}");
        return;
    }
    let run = "run strings --preset icse20 --category constant-assignment --shard 41/80 --out run";
    let ran = assay(folder, &format!("{run} --target {OLD} --timeout 5s"));
    let words = String::from_utf8_lossy(&ran.stderr).into_owned();
    assert_eq!(ran.status.code(), Some(1), "{OLD} is wrong on some of these: {words}");

    let markdown = printed(folder, "report run");
    assert!(markdown.starts_with("# strings on z3@4.8.0"), "{markdown}");
    assert!(markdown.contains("### wrong-unsat (certified): "), "{markdown}");

    assert_eq!(printed(folder, "report run --html page.html"), "");
    let page = std::fs::read_to_string(folder.join("page.html")).expect("the page");
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("str.replace"), "{page}");

    let document: Value = serde_json::from_str(&printed(folder, "report run --format json"))
        .expect("the document is JSON");
    let results = document["results"].as_array().expect("results");
    assert!(results.len() > 50, "{}", results.len());
    let first = document["findings"][0]["folder"].as_str().expect("a finding's folder");

    printed(folder, "report run --format junit --out junit.xml");
    let junit = std::fs::read_to_string(folder.join("junit.xml")).expect("the file");
    assert_eq!(junit.matches("<testcase ").count(), results.len());

    let sarif: Value = serde_json::from_str(&printed(folder, "report run --format sarif"))
        .expect("the log is JSON");
    let found = sarif["runs"][0]["results"].as_array().expect("results").len();
    assert_eq!(found, document["findings"].as_array().expect("findings").len());

    let issue = printed(folder, &format!("report --issue run/{first}"));
    for words in ["# z3 4.8.0", "from the Python wheel z3-solver", "## Input", "```smt2", "## Why"]
    {
        assert!(issue.contains(words), "{words}: {issue}");
    }
}

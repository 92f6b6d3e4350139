//! `--fuzz-options` as a user runs it, on a tool of a few lines that one option makes wrong.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

/// Says unsat to everything but the runner's own questions where it is told to be wrong.
const TOOL: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "tool 1.0"; exit;; esac
input=$(cat)
case "$input" in
    *"(not p)"*) echo unsat;;
    *"(declare-const p Bool)"*) echo sat;;
    *) case "$*" in *--wrong=true*|*--odd=true*) echo unsat;; *) echo sat;; esac;;
esac
"#;

const DESCRIPTION: &str = r#"
name = "tool"
title = "Tool"
kind = "smt-solver"
[[source]]
path = "tool.sh"
[run]
features = ["ints", "nonlinear", "cores"]
[[option]]
name = "wrong"
bool = true
argument = "--wrong={value}"
[[option]]
name = "other"
int = [1, 3]
argument = "--other={value}"
[[option]]
name = "odd"
bool = true
argument = "--odd={value}"
level = "expert"
"#;

fn assay(folder: &Path, line: &str) -> Output {
    Command::new(env!("CARGO_BIN_EXE_assay"))
        .args(line.split_whitespace())
        .current_dir(folder)
        .output()
        .expect("assay runs")
}

fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    text.lines().map(|line| serde_json::from_str(line).expect(line)).collect()
}

#[test]
fn a_finding_is_replayed_with_the_options_it_was_made_with() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("tool.sh"), TOOL).expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(folder.path().join("tool.sh"), mode).expect("it is ours");
    std::fs::write(folder.path().join("tool.toml"), DESCRIPTION).expect("a file");
    // The first block is run as usual, some of the later ones with the option that makes it wrong.
    let line = "run ints --category constant-assignment --limit 250 --rng 3 \
                --targets . --target tool --json --out run --jobs 1";
    let usual = records(&assay(folder.path(), &line.replace("--out run", "--out usual")));
    assert!(usual.iter().all(|record| record["finding"].is_null()), "it is right as it is");
    let output = assay(folder.path(), &format!("{line} --fuzz-options"));
    assert_eq!(output.status.code(), Some(1), "{}", String::from_utf8_lossy(&output.stderr));
    let records = records(&output);
    let found = |record: &&Value| record["finding"]["kind"] == "wrong-unsat";
    let wrong: Vec<&Value> = records.iter().filter(found).collect();
    assert!(!wrong.is_empty() && wrong.len() % 50 == 0, "whole blocks, {} cases", wrong.len());
    assert!(wrong.iter().all(|record| record["finding"]["stability"] == "confirmed"));

    let finding = wrong[0]["finding"]["folder"].as_str().expect("a folder");
    let read =
        |name: &str| std::fs::read_to_string(folder.path().join(finding).join(name)).expect(name);
    let record: Value = serde_json::from_str(&read("finding.json")).expect("a record");
    // Of all that were drawn, the one that it takes is kept. Options for experts are not drawn.
    for record in &wrong {
        let path = record["finding"]["folder"].as_str().expect("a folder");
        let text = std::fs::read_to_string(folder.path().join(path).join("finding.json"));
        let record: Value = serde_json::from_str(&text.expect("a file")).expect("a record");
        assert_eq!(record["options"], serde_json::json!(["wrong=true"]));
    }
    assert_eq!(record["options"], serde_json::json!(["wrong=true"]));
    let command = record["by-hand"]["command"].as_str().expect("a command");
    assert!(command.contains("--wrong=true"), "{command}");
    assert!(read("README.txt").contains("wrong=true"));

    let again = assay(folder.path(), &format!("replay {finding} --targets . --json"));
    assert_eq!(again.status.code(), Some(1), "{}", String::from_utf8_lossy(&again.stderr));
    assert_eq!(
        self::records(&again)[0]["command"],
        record["by-hand"]["command"],
        "the same command"
    );
    let right = assay(folder.path(), &format!("replay {finding} --targets . --option wrong=false"));
    assert_eq!(right.status.code(), Some(0), "{}", String::from_utf8_lossy(&right.stdout));
    // An option that its file lacks is passed on as a command.
    let other = format!("replay {finding} --targets . --option colour=red");
    assert_ne!(assay(folder.path(), &other).status.code(), Some(2));
    let unknown = assay(folder.path(), &format!("replay {finding} --targets . --option colour"));
    assert_eq!(unknown.status.code(), Some(2));
    let words = String::from_utf8_lossy(&unknown.stderr).into_owned();
    assert!(words.contains("expected `name=value`"), "{words}");
    // Options go by a case's place among all, so that shards are together what one run is.
    for part in ["1/2", "2/2"] {
        let shard = line.replace("--out run", &format!("--fuzz-options --shard {part}"));
        assay(folder.path(), &format!("{shard} --out shards/{}", &part[..1]));
    }
    let joined = assay(folder.path(), "merge shards/1 shards/2 --out joined --json");
    assert_eq!(self::records(&joined).last(), records.last(), "the same summary");
    let refused = assay(folder.path(), &format!("{line} --fuzz-options some"));
    assert_eq!(refused.status.code(), Some(2));
    let words = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(words.contains("expected one of default, regular, expert"), "{words}");
    // A campaign goes on only as it was begun.
    let mixed = assay(folder.path(), &format!("{line} --resume"));
    assert_eq!(mixed.status.code(), Some(2));
}

//! Cases of an earlier campaign that are run again, on a tool of a few lines whose faults are known.

mod common;

use common::{assay, text};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Wrong about quotients in version 1, which does not know remainders; right in version 2.
const TOOL: &str = r#"#!/bin/sh
version=$(basename "$0" .sh)
case "$*" in *--version*) echo "$version 1.0"; exit;; esac
input=$(cat)
case "$version:$input" in
    tool-1:*"(div "*) echo unsat;;
    tool-1:*"(mod "*) echo unknown;;
    *) echo sat;;
esac
"#;

const DESCRIPTION: &str = r#"
name = "tool"
title = "Tool"
kind = "smt-solver"
[[source]]
path = "tool-1.sh"
[run]
features = ["ints", "nonlinear"]
"#;

const OLD: &str = "run ints --category constant-assignment --sample 120 --rng 3 --timeout 20s \
                   --targets . --target tool@./tool-1.sh --out old";

const NEW: &str = "--timeout 20s --targets . --target tool@./tool-2.sh";

fn workshop() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["tool-1.sh", "tool-2.sh"] {
        let path = folder.path().join(name);
        fs::write(&path, TOOL).expect("a file");
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).expect("it is ours");
    }
    fs::write(folder.path().join("tool.toml"), DESCRIPTION).expect("a file");
    folder
}

/// Runs a line that must end with this code; gives its results and its notes.
fn run(folder: &Path, line: &str, code: i32) -> (String, String) {
    let output = assay(folder, &line.split_whitespace().collect::<Vec<_>>());
    let (out, notes) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(code), "{line}\n{out}{notes}");
    (out, notes)
}

/// The cases of a run with `--json`, by number, as far as their record is wanted.
fn cases(printed: &str, wanted: impl Fn(&Value) -> bool) -> BTreeSet<String> {
    let records = printed.lines().map(|line| serde_json::from_str::<Value>(line).expect(line));
    let wanted = records.filter(|record| record["id"].is_string() && wanted(record));
    wanted.map(|record| record["id"].as_str().expect("a number").to_owned()).collect()
}

fn every(printed: &str) -> BTreeSet<String> {
    cases(printed, |_| true)
}

#[test]
fn again_reruns_failed_cases_on_another_version() {
    let folder = workshop();
    let here = folder.path();
    let (old, _) = run(here, &format!("{OLD} --json"), 1);
    let wrong = cases(&old, |record| record["finding"]["kind"] == "wrong-unsat");
    let unknown = cases(&old, |record| record["answer"] == "unknown");
    let failed: BTreeSet<String> = wrong.union(&unknown).cloned().collect();
    assert!(wrong.len() > 5 && unknown.len() > 5 && failed.len() < 110, "{wrong:?} {unknown:?}");

    // The earlier campaign has the settings of the suite.
    let (new, notes) =
        run(here, &format!("run ints --again old --only failed {NEW} --json --out new"), 0);
    assert_eq!(every(&new), failed);
    assert!(notes.contains("ints --again old --only failed on tool@./tool-2.sh"), "{notes}");
    for (only, cases) in [("unknown", &unknown), ("finding", &wrong)] {
        let line = format!("run ints --again old --only {only} {NEW} --json --out {only}");
        assert_eq!(every(&run(here, &line, 0).0), *cases);
    }
    let (both, _) = run(
        here,
        &format!("run ints --again old --only unknown --only finding {NEW} --json --out both"),
        0,
    );
    assert_eq!(every(&both), failed);
    let (all, _) = run(here, &format!("run ints --again old {NEW} --json --out all"), 0);
    assert_eq!(every(&all), every(&old));

    // The campaigns are compared on the cases of both.
    let (compared, _) = run(here, "compare old new --json", 0);
    let whole: Value =
        serde_json::from_str(compared.lines().last().expect("a line")).expect("JSON");
    let text_ = run(here, "compare old new", 0).0;
    let rest = 120 - failed.len();
    assert!(text_.contains(&format!("not compared: {rest} cases that only A has run")), "{text_}");
    assert!(text_.contains(&format!("{} wrong → solved", wrong.len())), "{text_}");
    assert!(whole.is_object(), "{whole}");

    // The line that is printed runs the same again; so do shards, joined, and what resumes.
    let report = run(here, "report new --format json", 0).0;
    let report: Value = serde_json::from_str(&report).expect("JSON");
    let command = report["command"].as_str().expect("a command").to_owned();
    assert!(command.starts_with("assay run ints --again old --only failed --target"), "{command}");
    let line = command.strip_prefix("assay ").expect("the program");
    let (again, _) = run(here, &format!("{line} --json --out again"), 0);
    assert_eq!(every(&again), failed);
    run(here, &format!("{line} --out again --resume"), 0);
    let mut parts = BTreeSet::new();
    for shard in ["1/2", "2/2"] {
        let out = format!("--shard {shard} --out shards/{}", &shard[..1]);
        parts.extend(every(&run(here, &format!("{line} {out} --json"), 0).0));
    }
    assert_eq!(parts, failed);
    run(here, "merge shards/1 shards/2 --out whole", 0);
    let joined = run(here, "compare again whole", 0).0;
    assert!(!joined.contains("not compared"), "{joined}");

    // What the earlier campaign has come to since is another list of cases.
    fs::remove_dir_all(here.join("old")).expect("it is there");
    run(here, &OLD.replace("--rng 3", "--rng 4"), 1);
    let (_, refused) = run(here, &format!("{line} --out again --resume"), 2);
    assert!(
        refused.contains("started with different settings: the list of cases to run again"),
        "{refused}"
    );
}

#[test]
fn again_can_select_the_failures_of_one_target() {
    let folder = workshop();
    let here = folder.path();
    let both = OLD.replace("--out old", "--target tool@./tool-2.sh --out old");
    run(here, &both, 1);
    let first =
        format!("run ints --again old --only failed --of tool@./tool-1.sh {NEW} --out first");
    run(here, &first, 0);
    let none = format!("run ints --again old --only failed --of tool@./tool-2.sh {NEW} --out none");
    let (_, refused) = run(here, &none, 2);
    assert!(refused.contains("has no cases with these results (failed)"), "{refused}");
}

#[test]
fn contradicting_flags_are_refused() {
    let folder = workshop();
    let here = folder.path();
    run(here, &OLD.replace("--sample 120", "--sample 9"), 1);
    for (line, words) in [
        ("run ints --again nowhere --only failed", "nowhere: there is no results.sqlite"),
        ("run ints --again nowhere", "nowhere: there is no results.sqlite"),
        ("run strings --again old", "old is a campaign of ints, not of strings"),
        ("run ints --again old --depth 2", "leave out --depth"),
        ("run ints --again old --rng 5", "leave out --rng"),
        ("run ints --again old --sample 3", "cannot be used with"),
        ("run ints --only failed", "--again <CAMPAIGN>"),
        (
            "run ints --again old --only bad",
            "expected one of failed, unknown, timeout, rejected, finding",
        ),
        ("run ints --again old --of z3", "has no such target; it has tool@./tool-1.sh"),
        ("run ints --again old --only timeout", "there is nothing to run again"),
    ] {
        let (_, refused) = run(here, &format!("{line} {NEW} --out x"), 2);
        assert!(refused.contains(words), "{line}: {refused}");
        assert!(!here.join("x").exists(), "{line}");
    }
    // Cases are written by number as well.
    let (written, _) = run(here, "gen ints --again old --only failed --limit 1", 0);
    assert!(written.contains("(check-sat)"), "{written}");
}

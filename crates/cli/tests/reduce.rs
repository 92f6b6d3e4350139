//! Reductions as a user asks for them: by a command, and of findings of a real solver.

mod common;

use common::{assay, have, text};
use serde_json::Value;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::Output;

/// A version whose wrong answers are known.
const OLD: &str = "z3@4.8.0";

fn record(output: &Output) -> Value {
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("one record")
}

#[test]
fn a_command_can_decide_how_a_file_is_reduced() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let script = path.join("has-product");
    fs::write(&script, "#!/bin/sh\ngrep -c '[*]' \"$1\"\n").expect("a script");
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).expect("it can be run");
    let formula = "(set-logic QF_NIA)\n(declare-fun first () Int)\n(declare-fun second () Int)\n\
        (assert (or (> first 3) (= (+ first (* first second)) 77)))\n(assert (< second 9))\n(check-sat)\n";
    fs::write(path.join("file.smt2"), formula).expect("a file");
    let smallest = "(assert (= (* 0 0) 0))\n";
    for jobs in ["1", "3"] {
        let args = ["reduce", "file.smt2", "--cmd", "./has-product", "--jobs", jobs, "--json"];
        let told = record(&assay(path, &args));
        assert_eq!(told["text"], smallest, "{told}");
        assert!(told["tests"].as_u64() > Some(5), "{told}");
        assert!(told["before"]["bytes"].as_u64() > told["after"]["bytes"].as_u64(), "{told}");
        let written = fs::read_to_string(path.join("file.reduced.smt2")).expect("it is written");
        assert_eq!(written, smallest);
    }
    let again = ["reduce", "file.reduced.smt2", "--cmd", "./has-product", "--out", "x.smt2"];
    let output = assay(path, &again);
    assert_eq!(output.status.code(), Some(0), "nothing smaller is no failure");
    assert!(text(&output.stdout).contains("bytes"), "{}", text(&output.stdout));
    // Matching a part of what is said is enough, and so is the exit code alone.
    for more in [["--match-out", "1"], ["--ignore-output", "--ignore-out"]] {
        let args = [&again[..4], &["--out", "y.smt2"], &more].concat();
        let output = assay(path, &args);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    }
}

#[test]
fn a_reduced_finding_of_an_old_solver_stays_a_finding() {
    if !have(OLD) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let run = [
        "run",
        "strings",
        "--preset",
        "icse20",
        "--category",
        "constant-assignment",
        "--shard",
        "2/12",
        "--timeout",
        "5s",
        "--target",
        OLD,
        "--json",
        "--out",
        "run",
    ];
    let output = assay(path, &run);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let lines = text(&output.stdout);
    let cases: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let wrong = cases.iter().find(|case| case["finding"]["kind"] == "wrong-unsat");
    let finding = wrong.expect("an unsat that is wrong")["finding"]["folder"].as_str();
    let finding = finding.expect("a folder");

    let told = record(&assay(path, &["reduce", finding, "--json", "--agreement", "no"]));
    assert_eq!((&told["kind"], &told["grade"]), (&"wrong-unsat".into(), &"certified".into()));
    assert_eq!(told["stability"], "confirmed");
    assert!(told["after"]["bytes"].as_u64() < told["before"]["bytes"].as_u64(), "{told}");
    let reduced = path.join(finding).join("reduced.smt2");
    assert_eq!(fs::read_to_string(reduced).expect("it is written"), told["text"]);

    let again = format!("{finding}/reduced");
    let replayed = assay(path, &["replay", &again]);
    assert_eq!(replayed.status.code(), Some(1), "{}", text(&replayed.stderr));
    assert!(text(&replayed.stdout).contains("wrong-unsat (certified)"));
    assert_eq!(text(&replayed.stderr), "", "the reduced case is the file's");
}

#[test]
fn a_file_without_a_finding_is_refused_with_the_answer() {
    if !have(OLD) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("right.smt2"), "(declare-const x Int)(assert (> x 0))(check-sat)")
        .expect("a file");
    fs::write(path.join("x.model"), "((define-fun x () Int 1))").expect("a model");
    let args = ["reduce", "right.smt2", "--target", OLD, "--model", "x.model"];
    let output = assay(path, &args);
    assert_eq!(output.status.code(), Some(2));
    let words = text(&output.stderr);
    assert!(words.contains("says sat, which is right"), "{words}");
    // Without a model, nobody can prove a wrong unsat; the flag that helps is named.
    let wrong = "(set-info :status sat)(declare-const s String)
        (assert (= (str.replace \"\" s \"a\") \"a\"))(check-sat)";
    fs::write(path.join("wrong.smt2"), wrong).expect("a file");
    let output = assay(path, &["reduce", "wrong.smt2", "--target", OLD, "--agreement", "no"]);
    let words = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("it has no known model; ") && words.contains("--model"), "{words}");
}

/// A tool that dies of `>=`.
const FRAIL: &str = r#"#!/bin/sh
case "$*" in *--version*) echo "frail 1.0"; exit;; esac
case "$(cat)" in *">="*) kill -SEGV $$;; *"(not p)"*) echo unsat;; *) echo sat;; esac
"#;

const DESCRIPTION: &str = r#"
name = "frail"
title = "Frail"
kind = "smt-solver"
[[source]]
path = "frail.sh"
[run]
features = ["ints"]
"#;

/// A file that declares nothing: assignments are tried, as `replay` tries them.
#[test]
fn a_wrong_unsat_of_a_small_file_needs_no_declared_truth() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let gloomy = FRAIL.replace("kill -SEGV $$", "echo unsat").replace(">=", "bvult");
    fs::write(path.join("frail.sh"), gloomy).expect("a script");
    fs::set_permissions(path.join("frail.sh"), fs::Permissions::from_mode(0o755)).expect("ours");
    fs::write(path.join("frail.toml"), DESCRIPTION.replace("ints", "bit-vectors")).expect("a file");
    let file = "(set-logic QF_BV)(declare-const x (_ BitVec 4))(declare-const y (_ BitVec 4))\n\
                (assert (bvult x #x3))(assert (= y (bvadd x #x1)))(check-sat)\n";
    fs::write(path.join("file.smt2"), file).expect("a file");
    let target = ["file.smt2", "--target", "frail@./frail.sh", "--targets", "."];
    let output = assay(path, &[&["reduce", "--agreement", "no"], &target[..]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let told = text(&output.stdout);
    assert!(told.contains("bvult") && !told.contains("bvadd"), "{told}");
}

/// A bug report of a mutant has the seed and the mutations that are needed, and no others.
#[test]
fn a_report_shows_the_seed_with_the_mutations_that_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    fs::write(path.join("frail.sh"), FRAIL).expect("a script");
    fs::set_permissions(path.join("frail.sh"), fs::Permissions::from_mode(0o755)).expect("ours");
    fs::write(path.join("frail.toml"), DESCRIPTION).expect("a file");
    let seed = "(set-logic QF_LIA)\n(set-info :status sat)\n(declare-const x Int)\n(declare-const y Int)\n\
                (declare-const z Int)\n(assert (> x 5))\n(assert (> y 6))\n(assert (< (+ x y) z))\n(check-sat)\n";
    fs::create_dir(path.join("seeds")).expect("a folder");
    fs::write(path.join("seeds/one.smt2"), seed).expect("a file");
    let run = [
        "run",
        "approx",
        "--seeds",
        "seeds",
        "--mutants",
        "60",
        "--form",
        "kept",
        "--strategy",
        "pst",
        "--targets",
        ".",
        "--target",
        "frail@./frail.sh",
        "--timeout",
        "20s",
        "--out",
        "out",
        "--fresh",
    ];
    let output = assay(path, &run);
    assert_eq!(output.status.code(), Some(1), "{}{}", text(&output.stdout), text(&output.stderr));
    // The finding with the most mutations.
    let steps = |folder: &std::path::Path| {
        let record = fs::read_to_string(folder.join("finding.json")).expect("a record");
        let record: Value = serde_json::from_str(&record).expect("JSON");
        record["trace"].as_array().map_or(0, Vec::len)
    };
    let findings = fs::read_dir(path.join("out/findings")).expect("findings");
    let worst =
        findings.map(|entry| entry.expect("an entry").path()).max_by_key(|path| steps(path));
    let worst = worst.expect("a finding");
    assert!(steps(&worst) > 2, "{}", steps(&worst));
    let finding = worst.to_string_lossy();
    let output = assay(path, &["reduce", &finding, "--targets", ".", "--agreement", "no"]);
    assert_eq!(output.status.code(), Some(0), "{}{}", text(&output.stdout), text(&output.stderr));
    assert_eq!(steps(&worst.join("reduced")), 2, "the form, and one mutation");
    let told = text(&assay(path, &["report", "--issue", &finding, "--targets", "."]).stdout);
    let mutations = told.split_once("## Mutations").expect(&told).1;
    assert!(mutations.contains("a mutant of `one.smt2`. These mutations suffice:"), "{told}");
    let needed: Vec<&str> = mutations.lines().filter(|line| line.contains(">=")).collect();
    assert_eq!(needed.len(), 1, "{mutations}");
    assert!(mutations.contains("They are applied to this formula:"), "{mutations}");
    for line in seed.lines().filter(|line| line.starts_with("(assert")) {
        assert!(mutations.contains(line), "{line} in {mutations}");
    }
}

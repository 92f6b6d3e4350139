//! `assay rules` as a user runs it.

use serde_json::Value;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output};

fn rules(args: &[&str]) -> Output {
    let assay = env!("CARGO_BIN_EXE_assay");
    Command::new(assay).arg("rules").args(args).output().expect("assay runs")
}

fn records(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).expect("a record")).collect()
}

#[test]
fn every_rule_is_listed_with_its_source() {
    let output = rules(&["--json"]);
    assert!(output.status.success());
    let records = records(&output);
    assert!(records.len() > 900, "{}", records.len());
    let row = records.iter().find(|record| record["rule"] == "str-at-single").expect("a row");
    assert_eq!(row["kind"], "equality");
    assert_eq!(row["source"], "ICSE 2020, table 3, NC1");
    assert_eq!(row["text"], "(str.at s 0) = s if (= (str.len s) 1)");
    assert!(row.get("grade").is_none(), "nothing was put to the test");
}

#[test]
fn laws_of_domains_are_rules_too() {
    let output = rules(&["--certify", "--json", "--theory", "domains"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records = records(&output);
    assert!(records.len() > 80, "{}", records.len());
    let row = records.iter().find(|record| record["rule"] == "top-meet").expect("a row");
    assert_eq!(row["source"], "ASE 2018, figure 2.3, 17");
    for record in &records {
        assert_eq!(record["grade"], "exhaustive", "{record}");
        assert!(record["evidence"][0]["held"].as_u64() > Some(0), "{record}");
    }
}

#[test]
fn certification_gives_a_grade_and_evidence() {
    let output = rules(&["--certify", "--json", "--theory", "reals"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    for record in records(&output) {
        assert_eq!(record["grade"], "exhaustive", "{record}");
        assert!(record["evidence"][0]["held"].as_u64() > Some(0), "{record}");
    }
    let text = rules(&["--certify", "--theory", "reals"]);
    let text = String::from_utf8_lossy(&text.stdout).into_owned();
    assert!(text.contains("exhaustive reals real-add-zero"), "{text}");
}

#[test]
fn an_unknown_theory_is_an_error_that_names_the_known_ones() {
    let output = rules(&["--theory", "real"]);
    assert_eq!(output.status.code(), Some(2));
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(error.contains("no rules of `real`; there are rules of arithmetic, arrays"), "{error}");
}

/// A solver that says the same to everything, in a folder of targets.
fn add_solver(folder: &Path, name: &str, answer: &str) {
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then echo {name} 1.5; exit; fi\n\
         cat > /dev/null\nprintf '{answer}'\n"
    );
    let program = folder.join(name);
    std::fs::write(&program, script).expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&program, mode).expect("it is ours");
    let spec = format!(
        "name = \"{name}\"\ntitle = \"{name}\"\nkind = \"smt-solver\"\n[[source]]\n\
         path = \"{name}\"\n[run]\nfeatures = [\"models\", \"ints\", \"reals\", \"nonlinear\", \"quantifiers\"]\n"
    );
    std::fs::write(folder.join(format!("{name}.toml")), spec).expect("a file");
}

#[test]
fn solvers_add_evidence_but_cannot_refute_a_rule_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    add_solver(folder.path(), "prover", "unsat\\n");
    add_solver(folder.path(), "liar", "sat\\n(\\n)\\n");
    let targets = folder.path().display().to_string();
    let consulted = |name: &str, json: &[&str]| {
        let args =
            ["--certify", "--theory", "reals", "--target", name, "--targets", targets.as_str()];
        let output = rules(&[&args, json].concat());
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{errors}");
        (output, errors)
    };
    let (output, errors) = consulted("prover", &["--json"]);
    let records = records(&output);
    let proved = format!("prover@path proves {0} of {0} rules at all sorts", records.len());
    assert!(errors.contains(&proved), "{errors}");
    for record in records {
        assert_eq!(record["opinions"][0]["verdict"], "proved", "{record}");
        assert_eq!(record["grade"], "exhaustive", "{record}");
    }
    let (output, errors) = consulted("liar", &[]);
    assert!(errors.contains("liar@path proves 0 of"), "{errors}");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("liar@path says that it is wrong; not confirmed: "), "{text}");
}

#[test]
fn a_target_without_certification_is_an_error() {
    let output = rules(&["--target", "z3"]);
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_wrong_rule_of_a_configuration_is_refused_with_its_counterexample() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("own.toml");
    let row = "[[rules.equality]]\nname = 'first'\nparams = '(s String)'\nequals = 's'\n";
    std::fs::write(&file, format!("{row}term = '(str.at s 0)'\n")).expect("a file");
    let assay = env!("CARGO_BIN_EXE_assay");
    let args = ["gen", "strings", "--limit", "1", "--config"];
    let output = Command::new(assay).args(args).arg(&file).output().expect("assay runs");
    assert_eq!(output.status.code(), Some(2));
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    let words = "line 1: rule `first` is not certified: equality is wrong where s = ";
    assert!(text.contains(words), "{text}");
}

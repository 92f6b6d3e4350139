//! `assay rules` as a user runs it.

use serde_json::Value;
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
    assert!(records.len() > 400, "{}", records.len());
    let row = records.iter().find(|record| record["rule"] == "str-at-single").expect("a row");
    assert_eq!(row["kind"], "equality");
    assert_eq!(row["source"], "ICSE 2020, table 3, NC1");
    assert_eq!(row["text"], "(str.at s 0) = s if (= (str.len s) 1)");
    assert!(row.get("grade").is_none(), "nothing was put to the test");
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
    assert!(error.contains("no rules of `real`; there are rules of strings, regex"), "{error}");
}

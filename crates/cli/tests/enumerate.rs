//! The suite of all small formulas from the command line: counts, the guarantee, and a bug of an old solver.

mod common;

use common::{assay, text};
use std::path::Path;

/// A pool in which an old z3 is wrong about some formulas.
const POOL: &str = r#"
[[pool]]
name = "replacing"
size = 2
sorts = [{ sort = "Bool" }, { sort = "String", variables = 1, constants = ['""', '"a"'] }]
operators = ["=", "str.replace"]
"#;

#[test]
fn counts_match_the_generated_cases() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = "gen enumerate --theory booleans --size 2 --count";
    let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let counted = text(&output.stdout);
    let total: usize =
        counted.lines().filter_map(|line| line.rsplit(' ').next()?.parse::<usize>().ok()).sum();
    let line = "gen enumerate --theory booleans --size 2 --out made";
    let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let index = std::fs::read_to_string(folder.path().join("made/index.jsonl"));
    assert_eq!(index.expect("there is an index").lines().count(), total, "{counted}");
    assert!(counted.starts_with("size-0 "), "{counted}");
}

#[test]
fn an_unknown_theory_or_operator_is_refused() {
    for (flags, hint) in [("--theory logic", "bitvectors"), ("--operators frob", "frob")] {
        let line = format!("gen enumerate {flags} --count");
        let output = assay(Path::new("."), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(2), "{line}");
        assert!(text(&output.stderr).contains(hint), "{}", text(&output.stderr));
    }
}

#[test]
fn an_old_solver_is_wrong_about_a_small_formula_and_a_new_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::fs::write(folder.path().join("pools.toml"), POOL).expect("a file");
    let line = "run enumerate --config pools.toml --jobs 2 --timeout 10s --out out \
                --target z3@4.8.0 --target z3@4.8.14 --target z3";
    let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{words}{}", text(&output.stderr));
    let newest = words.lines().find(|line| line.starts_with("z3@5") && line.contains("formulas"));
    let newest = newest.unwrap_or_else(|| panic!("{words}"));
    assert!(newest.contains(": all ") && newest.ends_with(": no finding"), "{newest}");
    let oldest =
        words.lines().find(|line| line.starts_with("z3@4.8.0") && line.contains("formulas"));
    assert!(oldest.is_some_and(|line| line.contains("finding") && !line.contains("no finding")));
    assert!(words.contains("\nfindings"), "the versions side by side: {words}");
}

#[test]
fn a_limited_run_does_not_claim_completeness() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = "run enumerate --theory booleans --size 1 --limit 5 --jobs 1 --out out --target z3";
    let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
    let words = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{words}{}", text(&output.stderr));
    assert!(words.contains(": 5 of ") && !words.contains(": all "), "{words}");
}

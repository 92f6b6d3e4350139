//! `assay stability` with a real solver on planted queries: each has two independent choices, and one
//! of them decides whether a quantifier explodes before the contradiction is found.
//!
//! Where z3 cannot be had a test says `skipped`, unless `ASSAY_REQUIRE_TARGETS=1`.

mod common;

use common::{assay, have, text};
use serde_json::Value;
use std::fs;
use std::path::Path;

const Z3: &str = "z3@5.4.0";

const PRELUDE: &str = "(set-option :auto_config false)
(set-option :smt.mbqi false)
(declare-sort T 0)
(declare-fun P (T) Bool)
(declare-fun Q (T T) Bool)
(declare-fun pair (T T) T)
(declare-fun l (T) T)
(declare-fun r (T) T)
(declare-fun next (T) T)
(declare-fun g (T) Int)
(declare-fun k (Int) Int)
(declare-fun h (T) T)
(declare-const t0 T)
(declare-const t1 T)
(declare-const t2 T)
(declare-const m (Array Int Int))
(declare-const a Bool)
(declare-const b Bool)
(declare-const c Bool)
(declare-const d Bool)
";

/// Two cases that both trigger the exploding quantifier.
const CHOICE: &str = "(assert (or a b))
(assert (=> a (and (P t0) (P t1) (P t2))))
(assert (=> b (and (P t1) (P t2) (P (next t0)))))
";

/// Quantifiers that explode when triggered, by `:qid`.
const EXPLODING: [(&str, &str); 5] = [
    (
        "pairs",
        "(assert (forall ((x T) (y T)) (! (=> (and (P x) (P y)) (P (pair x y))) :pattern ((P x) (P y)) :qid pairs)))",
    ),
    (
        "tree",
        "(assert (forall ((x T)) (! (=> (P x) (and (P (l x)) (P (r x)) (P (h x)))) :pattern ((P x)) :qid tree)))",
    ),
    (
        "left",
        "(assert (forall ((x T) (y T)) (! (=> (P x) (=> (P y) (and (P (l (pair x y))) (P (r (pair y x)))))) :pattern ((P x) (P y)) :qid left)))",
    ),
    (
        "relation",
        "(assert (forall ((x T) (y T) (z T)) (! (=> (and (P x) (P y) (P z)) (P (pair x (pair y z)))) :pattern ((P x) (P y) (P z)) :qid relation)))",
    ),
    (
        "square",
        "(assert (forall ((x T)) (! (=> (P x) (and (P (pair x x)) (P (pair x (l x))) (P (pair (r x) x)))) :pattern ((P x)) :qid square)))",
    ),
];

/// Contradictions by two cases, each found after a few instances.
const CONTRADICTIONS: [(&str, &str); 5] = [
    (
        "order",
        "(assert (forall ((x T)) (! (< (g (next x)) (g x)) :pattern ((g x)) :qid step)))
(assert (or c d))
(assert (=> c (and (= (g t0) 5) (> (g (next (next (next t0)))) 2))))
(assert (=> d (and (= (g t1) 7) (> (g (next (next t1))) 5))))",
    ),
    (
        "fixpoint",
        "(assert (forall ((x T)) (! (= (h (h x)) x) :pattern ((h (h x))) :qid step)))
(assert (or c d))
(assert (=> c (distinct (h (h (h (h t0)))) t0)))
(assert (=> d (distinct (h (h (h t1))) (h t1))))",
    ),
    (
        "array",
        "(assert (forall ((i Int)) (! (=> (and (<= 0 i) (< i 9)) (> (select m i) i)) :pattern ((select m i)) :qid step)))
(assert (or c d))
(assert (=> c (= (select m 4) 3)))
(assert (=> d (< (+ (select m 1) (select m 7)) 8)))",
    ),
    (
        "succ",
        "(assert (forall ((x T)) (! (Q x (next x)) :pattern ((next x)) :qid step)))
(assert (or c d))
(assert (=> c (not (Q t0 (next t0)))))
(assert (=> d (not (Q (next t1) (next (next t1))))))",
    ),
    (
        "bound",
        "(assert (forall ((x Int)) (! (and (<= 0 (k x)) (< (k x) 9)) :pattern ((k x)) :qid step)))
(assert (or c d))
(assert (=> c (> (+ (k 1) (k 2)) 17)))
(assert (=> d (< (k (k 3)) 0)))",
    ),
];

/// Other axioms, which do not explode: none, one whose pattern nothing matches, one that is triggered
/// a few times, and an exploding one that nothing triggers.
const HARMLESS: [(&str, &str); 4] = [
    ("none", ""),
    (
        "unmatched",
        "(assert (forall ((x T) (y T)) (! (=> (and (P x) (P y)) (P (pair x y))) :pattern ((Q x y) (P (pair x y))))))\n",
    ),
    ("inverse", "(assert (forall ((x T)) (! (= (l (r x)) x) :pattern ((l (r x))))))\n"),
    ("few", "(assert (forall ((x T)) (! (=> (P x) (= (g x) (g x))) :pattern ((P x)))))\n"),
];

fn write(folder: &Path, name: &str, parts: &[&str]) {
    let text = format!("{PRELUDE}{}\n(check-sat)\n", parts.join("\n"));
    fs::write(folder.join(format!("{name}.smt2")), text).expect("a file");
}

/// The records of `--json`, by file stem.
fn records(folder: &Path, args: &[&str]) -> Vec<(String, Value)> {
    let output = assay(folder, &[&["stability", ".", "--target", Z3, "--json"], args].concat());
    assert!(output.status.code().is_some_and(|code| code < 2), "{}", text(&output.stderr));
    let all = text(&output.stdout);
    let records = all.lines().map(|line| serde_json::from_str::<Value>(line).expect("JSON"));
    records
        .map(|record| {
            let file = record["file"].as_str().expect("a file").to_owned();
            (Path::new(&file).file_stem().expect("a name").to_string_lossy().into_owned(), record)
        })
        .collect()
}

#[test]
fn planted_unstable_queries_are_unstable_in_both_runs() {
    if !have(Z3) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, exploding) in EXPLODING {
        for (kind, contradiction) in CONTRADICTIONS {
            let parts = [contradiction, exploding, CHOICE];
            write(folder.path(), &format!("{name}-{kind}"), &parts);
        }
    }
    let flags = ["--no-cause", "--floor", "50000", "--steps", "50000"];
    let found = records(folder.path(), &flags);
    assert_eq!(found.len(), 25);
    for (name, record) in &found {
        assert_eq!(record["category"], "unstable", "{name}: {record}");
    }
    assert_eq!(found, records(folder.path(), &flags));
}

#[test]
fn planted_stable_queries_are_stable() {
    if !have(Z3) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    for (name, harmless) in HARMLESS {
        for (kind, contradiction) in CONTRADICTIONS {
            write(folder.path(), &format!("{name}-{kind}"), &[contradiction, harmless, CHOICE]);
        }
    }
    let found = records(folder.path(), &["--floor", "50000", "--steps", "50000"]);
    assert_eq!(found.len(), 20);
    for (name, record) in &found {
        assert_eq!(record["category"], "stable", "{name}: {record}");
        assert_eq!(record["mutants"].as_array().expect("a list").len(), 60, "{name}");
    }
}

#[test]
fn the_exploding_quantifier_is_named_and_its_removal_verified() {
    if !have(Z3) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let contradiction = CONTRADICTIONS[0].1;
    write(folder.path(), "query", &[contradiction, EXPLODING[0].1, CHOICE]);
    let found = records(folder.path(), &["--floor", "50000", "--steps", "50000"]);
    let cause = &found[0].1["cause"];
    assert_eq!(cause["exploding"][0]["quantifier"], "pairs", "{cause}");
    let suggestions = cause["suggestions"].as_array().expect("a list");
    let dropped = suggestions.iter().find_map(|one| one["change"]["drop"].as_array());
    let dropped = dropped.unwrap_or_else(|| panic!("{cause}"));
    assert_eq!(dropped.len(), 1, "{cause}");
    assert_eq!(dropped[0]["axiom"], "pairs", "{cause}");
    assert!(suggestions.iter().all(|one| one["verified"] == true), "{cause}");
}

#[test]
fn each_check_is_a_query_and_baselines_are_respected() {
    if !have(Z3) {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    let (stable, unstable) = (CONTRADICTIONS[3].1, EXPLODING[0].1);
    let file = format!(
        "{PRELUDE}(set-option :timeout 9)\n(push 1)\n{stable}\n(check-sat)\n(pop 1)\n(push 1)\n{}\n{unstable}\n{CHOICE}(check-sat)\n(pop 1)\n",
        CONTRADICTIONS[0].1
    );
    fs::write(here.join("two.smt2"), file).expect("a file");
    let flags = ["--floor", "50000", "--steps", "50000", "--no-cause", "--target", Z3];
    let run = |more: &[&str]| assay(here, &[&["stability", "two.smt2"], &flags[..], more].concat());
    let first = run(&["--baseline", "known.toml", "--html", "page.html"]);
    let said = text(&first.stdout);
    assert_eq!(first.status.code(), Some(1), "{said}{}", text(&first.stderr));
    assert!(said.contains("1 stable, 1 unstable"), "{said}");
    assert!(fs::read_to_string(here.join("page.html")).expect("a page").contains("<circle"));
    assert_eq!(run(&["--baseline", "known.toml", "--update-baseline"]).status.code(), Some(0));
    let known = fs::read_to_string(here.join("known.toml")).expect("a baseline");
    assert!(known.contains("check = 2") && !known.contains("check = 1"), "{known}");
    assert_eq!(run(&["--baseline", "known.toml"]).status.code(), Some(0));
    let junit = text(&run(&["--format", "junit", "--fail-on", "none"]).stdout);
    assert!(junit.contains("tests=\"2\" failures=\"0\""), "{junit}");
}

#[test]
fn invalid_files_and_flags_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let here = folder.path();
    fs::write(here.join("bad.smt2"), "(assert (= 1 true))").expect("a file");
    let output = assay(here, &["stability", "bad.smt2"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("bad.smt2: "), "{}", text(&output.stderr));
    for (flag, value, words) in [
        ("--class", "sort", "expected one of order, names, arguments, seed, rewrite"),
        ("--fail-on", "stable", "expected unstable, unsolvable"),
    ] {
        let output = assay(here, &["stability", "bad.smt2", flag, value]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(words), "{}", text(&output.stderr));
    }
    let output = assay(here, &["stability", here.to_str().expect("a path")]);
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
}

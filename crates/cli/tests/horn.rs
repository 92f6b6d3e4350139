//! Horn clauses from the command line: files with invariants, and solvers that are wrong about systems, give
//! wrong invariants, or drop a clause.

mod common;

use common::{assay, text};
use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SPEC: &str = "name = \"liar\"\ntitle = \"liar\"\nkind = \"smt-solver\"\n\
                    [[source]]\npath = \"liar\"\n[run]\n\
                    features = [\"quantifiers\", \"uninterpreted-functions\", \"ints\", \"nonlinear\", \"models\"]\n";

/// Runs systems over integers on a solver that is this shell command.
fn run(folder: &Path, program: &str, flags: &str) -> (Option<i32>, String) {
    let path = folder.join("liar");
    let script =
        format!("#!/bin/sh\ncase \"$1\" in --version) echo liar 1.0; exit;; esac\n{program}\n");
    std::fs::write(&path, script).expect("a file");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("ours");
    std::fs::write(folder.join("liar.toml"), SPEC).expect("a file");
    let line = format!("{flags} --jobs 1 --timeout 20s --target liar --targets . --out out");
    let output = assay(folder, &line.split(' ').collect::<Vec<_>>());
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// The kinds of the findings in a folder, each once.
fn kinds(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).expect("there are findings");
    let kind = |entry: std::io::Result<std::fs::DirEntry>| {
        let file = entry.expect("an entry").path().join("finding.json");
        let text = std::fs::read_to_string(file).expect("a record");
        let record: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        record["kind"].as_str().expect("a kind").to_owned()
    };
    entries.map(kind).collect::<BTreeSet<String>>().into_iter().collect()
}

#[test]
fn wrong_verdicts_and_wrong_invariants_are_findings() {
    // Half of the cases are safe, the others are unsafe.
    let everything = "sed -n 's/(declare-fun \\(P[0-9]*\\) (\\(.*\\)) Bool)/\\1 \\2/p' | { echo sat; echo '('; \
                      while read name sorts; do printf '(define-fun %s (' $name; at=0; \
                      for sort in $sorts; do printf '(x%s %s)' $at $sort; at=$((at+1)); done; \
                      echo ') Bool VALUE)'; done; echo ')'; }";
    for (program, findings) in [
        ("cat >/dev/null; echo unsat".to_owned(), vec!["wrong-unsat"]),
        ("cat >/dev/null; echo sat".to_owned(), vec!["wrong-sat"]),
        // Every question is answered, and no initial fact holds.
        (everything.replace("VALUE", "true"), vec!["invalid-model", "wrong-sat"]),
        (everything.replace("VALUE", "false"), vec!["invalid-model", "wrong-sat"]),
    ] {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let (code, words) =
            run(folder.path(), &program, "run horn --category ints-linear --limit 6");
        assert_eq!(code, Some(1), "{program}: {words}");
        assert_eq!(kinds(&folder.path().join("out/findings")), findings, "{program}: {words}");
    }
}

#[test]
fn files_have_invariants_as_witnesses_that_hold_by_evaluation() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = "gen horn --limit 36 --rng 3 --out made";
    let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let index = std::fs::read_to_string(folder.path().join("made/index.jsonl")).expect("an index");
    let mut checked = 0;
    for line in index.lines() {
        let record: serde_json::Value = serde_json::from_str(line).expect("a record");
        let Some(model) = record["model"].as_str() else {
            assert_eq!(record["expected"], "unsat", "{line}");
            continue;
        };
        assert!(model.contains("define-fun P0"), "{line}");
        let file = format!("made/{}", record["file"].as_str().expect("a file"));
        std::fs::write(folder.path().join("model"), model).expect("a file");
        let output = assay(folder.path(), &["check", "--model", "model", &file]);
        assert_eq!(output.status.code(), Some(0), "{file}: {}", text(&output.stdout));
        checked += 1;
    }
    assert!(checked > 8, "{index}");
}

#[test]
fn gen_requires_a_limit_for_an_endless_suite() {
    let output = assay(Path::new("."), &["gen", "horn"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--limit"), "{}", text(&output.stderr));
}

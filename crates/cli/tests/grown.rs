//! Random formulas from the command line: files with their truth, and solvers that are wrong about them.

mod common;

use common::{assay, text};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SPEC: &str = "name = \"liar\"\ntitle = \"liar\"\nkind = \"smt-solver\"\n\
                    [[source]]\npath = \"liar\"\n[run]\n\
                    features = [\"quantifiers\", \"uninterpreted-functions\", \"cores\", \"models\"]\n";

/// Runs a suite on a solver that always gives this answer.
fn run(suite: &str, answer: &str) -> (Option<i32>, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = folder.path().join("liar");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in --version) echo liar 1.0; exit;; esac\ncat >/dev/null\necho {answer}\n"
    );
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    std::fs::write(folder.path().join("liar.toml"), SPEC).expect("a file");
    let line = format!(
        "run {suite} --category booleans --limit 4 --jobs 1 --timeout 10s --target liar --targets . --out out"
    );
    let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_wrong_verdict_is_a_finding() {
    for (suite, answer, finding) in
        [("grown", "unsat", "wrong-unsat"), ("rewritten", "sat", "wrong-sat")]
    {
        let (code, words) = run(suite, answer);
        assert_eq!(code, Some(1), "{suite}: {words}");
        assert!(words.contains(finding), "{suite}: {words}");
    }
}

#[test]
fn generated_files_state_their_truth() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let files = |suite: &str| -> Vec<String> {
        let line =
            format!("gen {suite} --category arrays --limit 6 --depth 4 --rng 3 --out {suite}");
        let output = assay(folder.path(), &line.split(' ').collect::<Vec<_>>());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let index = std::fs::read_to_string(folder.path().join(suite).join("index.jsonl"));
        index.expect("there is an index").lines().map(str::to_owned).collect()
    };
    let (grown, rewritten) = (files("grown"), files("rewritten"));
    assert_eq!(grown.len(), 6);
    assert!(!rewritten.is_empty());
    assert!(grown.iter().all(|line| line.contains("\"expected\":\"sat\"")), "{grown:?}");
    let refuted = |line: &String| line.contains("\"expected\":\"unsat\"") && line.contains("n0!");
    assert!(rewritten.iter().any(refuted), "{rewritten:?}");
}

#[test]
fn gen_requires_a_limit_for_an_endless_suite() {
    let output = assay(Path::new("."), &["gen", "grown"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("--limit"), "{}", text(&output.stderr));
}

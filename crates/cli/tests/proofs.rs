//! Proofs from the command line: a wrong step is found and shown again, a right proof is not, and a
//! proof in a file is examined without a solver.

mod common;

use common::{assay, text};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SPEC: &str = "name = \"prover\"\ntitle = \"prover\"\nkind = \"smt-solver\"\n\
                    [[source]]\npath = \"prover\"\n[run]\nfeatures = [\"ints\"]\n\
                    proof-options = [\"(set-option :produce-proofs true)\"]\n";

const FORMULA: &str = "(set-info :status unsat)\n(declare-const x Int)\n(assert (< x 0))\n\
                       (assert (> x 0))\n(check-sat)\n(get-proof)\n";

const RIGHT: &str = "((proof (unit-resolution ((_ th-lemma arith farkas 1 1) \
                     (or (not (< x 0)) (not (> x 0)))) (asserted (< x 0)) (asserted (> x 0)) false)))";

/// The same with a lemma that does not hold.
fn wrong() -> String {
    RIGHT.replacen("(not (> x 0))", "(> x 0)", 1)
}

fn folder_with(proof: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = folder.path().join("prover");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in --version) echo prover 1.0; exit;; esac\n\
         cat >/dev/null\necho unsat\necho '{proof}'\n"
    );
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    std::fs::write(folder.path().join("prover.toml"), SPEC).expect("a file");
    std::fs::write(folder.path().join("formula.smt2"), FORMULA).expect("a file");
    std::fs::write(folder.path().join("proof.txt"), format!("unsat\n{proof}\n")).expect("a file");
    folder
}

fn on(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = assay(folder, args);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn a_wrong_step_is_found_and_a_right_proof_is_not() {
    let replay = ["replay", "formula.smt2", "--target", "prover", "--targets", "."];
    let (code, words) = on(folder_with(&wrong()).path(), &replay);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("false-step (certified): step"), "{words}");
    assert!(words.contains("under x = "), "{words}");
    let (code, words) = on(folder_with(RIGHT).path(), &replay);
    assert_eq!(code, Some(0), "{words}");
}

#[test]
fn a_proof_in_a_file_is_examined() {
    let check = ["check", "formula.smt2", "--proof", "proof.txt"];
    let (code, words) = on(folder_with(RIGHT).path(), &check);
    assert_eq!(code, Some(0), "{words}");
    assert!(words.contains("every step follows: the formula is unsatisfiable"), "{words}");
    let (code, words) = on(folder_with(&wrong()).path(), &check);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("rule th-lemma arith farkas"), "{words}");
    let twice = [&check[..], &["formula.smt2"]].concat();
    let (code, words) = on(folder_with(RIGHT).path(), &twice);
    assert_eq!(code, Some(2), "{words}");
}

#[test]
fn samples_contain_only_formulas_that_may_have_a_proof() {
    let folder = tempfile::tempdir().expect("a folder");
    let output =
        assay(folder.path(), &["gen", "proofs", "--sample", "40", "--rng", "9", "--count"]);
    let counts = text(&output.stdout);
    let count = |line: &str| line.rsplit(' ').next().and_then(|count| count.parse::<u64>().ok());
    assert_eq!(counts.lines().filter_map(count).sum::<u64>(), 40, "{counts}");
}

/// A solver that answers every formula in the same way.
fn add_solver(folder: &Path, name: &str, answer: &str) {
    let program = folder.join(name);
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in --version) echo {name} 1.0; exit;; esac\n\
         cat >/dev/null\necho '{answer}'\n"
    );
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    let spec = SPEC.replace("prover", name);
    let spec: String = spec
        .lines()
        .filter(|line| !line.starts_with("proof-options"))
        .collect::<Vec<_>>()
        .join("\n");
    std::fs::write(folder.join(format!("{name}.toml")), spec).expect("a file");
}

/// A formula without a status that is unsatisfiable, and whose assignments cannot all be tried.
const OPEN: &str = "(declare-const x Int)\n(declare-const y Int)\n(assert (< x y))\n\
                    (assert (> x y))\n(check-sat)\n";

#[test]
fn a_proof_of_checked_steps_decides_who_is_wrong() {
    // The same with a further premise, which no step needs and nobody gives a reason for.
    let lemma = "((_ th-lemma arith) (>= (* x x) 0)) false)))";
    let right = RIGHT.replace(" 0)", " y)");
    let trusted = right.replace("false)))", lemma);
    for (proof, certain) in [(&right, true), (&trusted, false)] {
        let folder = folder_with(proof);
        std::fs::create_dir(folder.path().join("seeds")).expect("a folder");
        std::fs::write(folder.path().join("seeds/open.smt2"), OPEN).expect("a file");
        add_solver(folder.path(), "liar", "sat");
        let run =
            "run files seeds --prove --target prover --target liar --targets . --out out --jobs 1";
        let (code, words) = on(folder.path(), &run.split(' ').collect::<Vec<_>>());
        assert_eq!(code, Some(1), "{words}");
        let findings = folder.path().join("out/findings");
        let found: Vec<_> = std::fs::read_dir(&findings)
            .expect("findings")
            .map(|entry| entry.expect("an entry").path())
            .collect();
        let record = |path: &std::path::PathBuf| {
            std::fs::read_to_string(path.join("finding.json")).expect("a record")
        };
        let wrong: Vec<_> =
            found.iter().filter(|path| record(path).contains("\"wrong-sat\"")).collect();
        assert_eq!(wrong.len(), usize::from(certain), "{words}");
        let Some(folder_of_it) = wrong.first() else { continue };
        assert_eq!(found.len(), 1, "the prover is right: {words}");
        assert!(record(folder_of_it).contains("\"certified\""), "{}", record(folder_of_it));
        let kept = std::fs::read_to_string(folder_of_it.join("proof.txt")).expect("the proof");
        assert!(kept.contains("th-lemma"), "{kept}");
        // The folder alone is enough to judge the liar again.
        std::fs::remove_dir_all(folder.path().join("seeds")).expect("a folder");
        let path = folder_of_it.to_str().expect("a path of letters");
        let (code, words) = on(folder.path(), &["replay", path, "--targets", "."]);
        assert_eq!(code, Some(1), "{words}");
        assert!(words.contains("wrong-sat (certified)"), "{words}");
    }
}

//! Terms that solvers construct, from the command line: wrong answers of a fake solver and of a real old
//! one are found, reduced and bisected; right ones are not.

mod common;

use common::{assay, have, text};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SPEC: &str = "name = \"builder\"\ntitle = \"builder\"\nkind = \"smt-solver\"\n\
    [[source]]\npath = \"builder\"\n[run]\nfeatures = [\"ints\", \"quantifiers\"]\n\
    [run.synthesis]\nabduct = {}\nqe = { tactics = [\"qe\"] }\nsygus = {}\n";

const TASK: &str = "(declare-const x Int)\n(declare-const y Int)\n(declare-const z Int)\n\
    (assert (> x 0))\n(assert (< z 7))\n(get-abduct A (and (> (+ x y) 3) (< z 9)))\n";

/// A folder with a task and a solver that answers every task like this.
fn folder_with(task: &str, answer: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = folder.path().join("builder");
    let script = format!(
        "#!/bin/sh\ncase \"$1\" in --version) echo builder 1.0; exit;; esac\ncat >/dev/null\n\
         cat <<'END'\n{answer}\nEND\n"
    );
    std::fs::write(&program, script).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    std::fs::write(folder.path().join("builder.toml"), SPEC).expect("a file");
    std::fs::write(folder.path().join("task.smt2"), task).expect("a file");
    folder
}

/// Runs a command on a file with the solver of the folder.
fn on(folder: &Path, command: &str, file: &str, more: &[&str]) -> (Option<i32>, String) {
    let args = [command, file, "--target", "builder", "--targets", "."];
    let output = assay(folder, &[&args[..], more].concat());
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

fn replay(task: &str, answer: &str) -> (Option<i32>, String) {
    let folder = folder_with(task, answer);
    on(folder.path(), "replay", "task.smt2", &[])
}

#[test]
fn wrong_answers_are_found_and_right_ones_are_not() {
    let (code, words) = replay(TASK, "(define-fun A () Bool (= y 4))");
    assert_eq!(code, Some(0), "{words}");
    let (code, words) = replay(TASK, "(define-fun A () Bool true)");
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("wrong-abduct (certified): with the premises"), "{words}");
    assert!(words.contains(" under x = "), "{words}");
    let (code, words) = replay(TASK, "(define-fun A () Bool (= y");
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("unreadable-answer"), "{words}");
    let eliminate = "(declare-const x Int)\n(get-qe (exists ((y Int)) (and (< x y) (< y 9))))\n";
    let goal =
        |bound: &str| format!("(goals\n(goal\n  (<= x {bound})\n  :precision precise :depth 1)\n)");
    let (code, words) = replay(eliminate, &goal("7"));
    assert_eq!(code, Some(0), "{words}");
    let (code, words) = replay(eliminate, &goal("8"));
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("wrong-elimination (certified)") && words.contains("x = 8"), "{words}");
}

#[test]
fn what_a_target_does_not_offer_is_skipped() {
    let task = TASK.replace("(get-abduct A", "(get-interpolant I");
    let (code, words) = replay(&task, "true");
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("does not offer interpolant"), "{words}");
    let task =
        "(set-info :tactic qe2)\n(declare-const x Int)\n(get-qe (exists ((y Int)) (< x y)))\n";
    let (_, words) = replay(task, "true");
    assert!(words.contains("does not offer the tactic qe2"), "{words}");
}

#[test]
fn generated_tasks_are_read_again() {
    let folder = folder_with(TASK, "(define-fun A () Bool true)");
    for suite in ["interpolants", "abducts", "qe", "sygus"] {
        let output = assay(folder.path(), &["gen", suite, "--limit", "12", "--out", suite]);
        assert_eq!(output.status.code(), Some(0), "{suite}: {}", text(&output.stderr));
        let again = assay(folder.path(), &["gen", suite, "--limit", "12", "--out", "again"]);
        assert_eq!(again.status.code(), Some(0), "{suite}: {}", text(&again.stderr));
        let files = std::fs::read_dir(folder.path().join(suite)).expect("a folder");
        let mut count = 0;
        for file in files.map(|entry| entry.expect("a file").path()) {
            if file.extension().is_some_and(|extension| extension == "smt2") {
                let name = file.file_name().expect("a name");
                let other = folder.path().join("again").join(name);
                let (a, b) = (std::fs::read(&file), std::fs::read(other));
                assert_eq!(a.expect("a file"), b.expect("a file"), "{}", file.display());
                let path = file.to_str().expect("text");
                let (_, words) = on(folder.path(), "replay", path, &[]);
                let is_read = words.contains("builder@path") && !words.contains("garbled");
                assert!(is_read, "{path}: {words}");
                count += 1;
            }
        }
        assert_eq!(count, 12, "{suite}");
    }
    let endless = assay(folder.path(), &["gen", "abducts"]);
    assert_eq!(endless.status.code(), Some(2), "{}", text(&endless.stdout));
}

#[test]
fn a_wrong_answer_is_reduced_to_what_matters() {
    let folder = folder_with(TASK, "(define-fun A () Bool true)");
    let (code, words) = on(folder.path(), "reduce", "task.smt2", &["--jobs", "1"]);
    assert_eq!(code, Some(0), "{words}");
    let reduced = std::fs::read_to_string(folder.path().join("task.reduced.smt2"));
    let reduced = reduced.expect("it is written");
    assert!(reduced.contains("(get-abduct A "), "{reduced}");
    for gone in ["assert", "declare-const z", "(+ "] {
        assert!(!reduced.contains(gone), "{gone}: {reduced}");
    }
    let (code, words) = on(folder.path(), "replay", "task.reduced.smt2", &[]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("wrong-abduct"), "{words}");
}

/// Release 1.2.0 loses the equations by which it solved variables (cvc5 issue 11332).
#[test]
fn versions_with_a_wrong_interpolant_are_bisected() {
    if !have("cvc5@1.2.0") || !have("cvc5@1.4.2") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let task = "(declare-const x Int)\n(assert (= 0 x))\n(get-interpolant I (= 0 x))\n";
    std::fs::write(folder.path().join("task.smt2"), task).expect("a file");
    let output = assay(folder.path(), &["bisect", "task.smt2", "--target", "cvc5"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{said}{}", text(&output.stderr));
    let wrong = |line: &str| line.starts_with("1.2.0 ") && line.contains("wrong-interpolant");
    assert!(said.lines().any(wrong), "{said}");
}

#[test]
fn functions_of_cvc5_are_read() {
    if !have("cvc5@1.4.2") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let task = "(set-logic LIA)\n(synth-fun f ((x Int) (y Int)) Int)\n(declare-var x Int)\n\
        (declare-var y Int)\n(constraint (>= (f x y) x))\n(constraint (>= (f x y) y))\n\
        (constraint (or (= (f x y) x) (= (f x y) y)))\n(check-synth)\n";
    std::fs::write(folder.path().join("task.smt2"), task).expect("a file");
    let output = assay(folder.path(), &["replay", "task.smt2", "--target", "cvc5@1.4.2"]);
    let said = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}{}", text(&output.stderr));
    assert!(said.contains("constructed") && said.contains("correct"), "{said}");
}

#[test]
fn mistakes_in_tasks_exit_with_two() {
    let (code, words) = replay("(declare-const x Int)\n(get-abduct A (+ x 1))\n", "true");
    assert_eq!(code, Some(2), "{words}");
    let (code, words) =
        replay("(declare-const x Int)\n(get-abduct A (> x 1))\n(check-sat)\n", "true");
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("after the request"), "{words}");
}

//! The user's own files as a suite: each with the truth that it declares, as it was written.

mod common;

use common::{assay, have, text};
use std::path::Path;

const OPTIONS: &str = "(set-option :smt.auto_config false)(set-option :smt.mbqi false)
(declare-fun f (Int) Int)
(assert (forall ((x Int) (y Int)) (! (=> (< x y) (< (f x) (f y))) :pattern ((f x) (f y)))))
(assert (> (f 1) 3))
(check-sat)
";

const SCOPES: &str = "(set-logic QF_LIA)(declare-const x Int)(assert (> x 0))
(push 1)(assert (< x 0))(set-info :status unsat)(check-sat)(pop 1)
(set-info :status sat)(check-sat)
";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| {
        std::fs::write(folder.path().join(name), text).expect("a file can be written");
    };
    std::fs::create_dir(folder.path().join("formulas")).expect("a folder can be made");
    write("formulas/options.smt2", OPTIONS);
    write("formulas/scopes.smt2", SCOPES);
    write("formulas/broken.smt2", "(assert (> x 0))");
    let wrong = SCOPES.replace("status unsat", "status sat");
    write("formulas/wrong.smt2", &wrong);
    folder
}

fn run(folder: &Path, args: &[&str]) -> (Option<i32>, String) {
    let output = assay(folder, args);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn each_check_of_a_file_is_judged_by_its_own_status() {
    if !have("z3") {
        return;
    }
    let folder = folder();
    let args = ["run", "files", "formulas", "--target", "z3", "--out", "out"];
    let (code, words) = run(folder.path(), &args);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("wrong-unsat of z3"), "{words}");
    assert!(words.contains("(declared, confirmed): 1\n  wrong: check 1 of 2"), "{words}");
    assert!(words.contains("broken.smt2: line 1, column 12"), "{words}");
    assert!(words.contains("unknown: smt tactic failed"), "{words}");
    let fails_on = |what: &str| {
        let args = ["run", "files", "formulas", "--target", "z3", "--fail-on", what];
        run(folder.path(), &args).0
    };
    assert_eq!((fails_on("soundness"), fails_on("declared")), (Some(0), Some(1)));
    let report = run(folder.path(), &["report", "out", "--format", "md"]).1;
    assert!(report.contains("assay run files formulas"), "{report}");
}

#[test]
fn files_are_counted_and_written() {
    let folder = folder();
    let (code, counts) = run(folder.path(), &["gen", "files", "--seeds", "formulas", "--count"]);
    assert_eq!(code, Some(0), "{counts}");
    let (code, words) = run(folder.path(), &["run", "files", "--target", "z3"]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("name files or folders"), "{words}");
}

//! A model may not rest on results that the standard rules out: from the command line, with a solver
//! that says unsat to everything.

mod common;

use common::{assay, have, text};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SOLVER: &str = "#!/bin/sh\ncase \"$1\" in --version) echo denier 1.0; exit;; esac\n\
                      cat >/dev/null\necho unsat\n";
const SPEC: &str = "name = \"denier\"\ntitle = \"denier\"\nkind = \"smt-solver\"\n\
                    [[source]]\npath = \"denier\"\n[run]\nfeatures = [\"ints\", \"bit-vectors\", \
                    \"floats\", \"half-and-quad-floats\", \"datatypes\"]\n";

const ZEROS: &str = "(declare-const z (_ FloatingPoint 5 11))
    (assert (= z (fp.min (_ +zero 5 11) (_ -zero 5 11))))(check-sat)";
const NAN: &str = "(declare-const z (_ BitVec 16))
    (assert (= z (fp.to_ieee_bv (_ NaN 5 11))))(check-sat)";
const FIELD: &str =
    "(declare-datatype D ((a (f Int)) (b)))(declare-const y Int)(declare-const z Int)
    (assert (= y (f b)))(assert (= z (f b)))(check-sat)";

fn replay(folder: &Path, formula: &str, model: &str) -> (Option<i32>, String) {
    std::fs::write(folder.join("f.smt2"), formula).expect("a file");
    std::fs::write(folder.join("m.smt2"), model).expect("a file");
    let dir = folder.display().to_string();
    let args =
        ["replay", "f.smt2", "--model", "m.smt2", "--target", "denier", "--targets", dir.as_str()];
    let output = assay(folder, &args);
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

#[test]
fn an_excluded_result_certifies_nothing() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = folder.path().join("denier");
    std::fs::write(&program, SOLVER).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    std::fs::write(folder.path().join("denier.toml"), SPEC).expect("a file");

    let float = |value: &str| format!("((define-fun z () (_ FloatingPoint 5 11) {value}))");
    let bits = |value: &str| format!("((define-fun z () (_ BitVec 16) {value}))");
    let fixed = |value: &str| {
        format!(
            "((define-fun z () (_ FloatingPoint 5 11) {value})
              (define-fun fp.min_unspecified ((x (_ FloatingPoint 5 11)) (y (_ FloatingPoint 5 11)))
                (_ FloatingPoint 5 11) {value}))"
        )
    };
    let pair = |y: u32, z: u32| format!("((define-fun y () Int {y}) (define-fun z () Int {z}))");
    let one = "(fp #b0 #b01111 #b0000000000)";
    let refused = [
        (ZEROS, float(one), "leaves `fp.min` open"),
        (ZEROS, float("(_ NaN 5 11)"), "leaves `fp.min` open"),
        (ZEROS, fixed(one), "gives `fp.min` a result here that is not allowed"),
        (NAN, bits("#x0000"), "leaves `fp.to_ieee_bv` open"),
        (NAN, bits("#x7c00"), "leaves `fp.to_ieee_bv` open"),
        (FIELD, pair(1, 2), "a field is selected"),
    ];
    for (formula, model, reason) in refused {
        let (code, words) = replay(folder.path(), formula, &model);
        assert_eq!(code, Some(2), "{model}: {words}");
        assert!(words.contains(reason), "{model}: {words}");
        assert!(!words.contains("wrong-unsat"), "{model}: {words}");
    }
    // The same solver is wrong where the model stays within the standard.
    let accepted = [
        (ZEROS, float("(_ -zero 5 11)")),
        (ZEROS, fixed("(_ +zero 5 11)")),
        (NAN, bits("#xfe01")),
        (FIELD, pair(0, 0)),
    ];
    for (formula, model) in accepted {
        let (code, words) = replay(folder.path(), formula, &model);
        assert_eq!(code, Some(1), "{model}: {words}");
        assert!(words.contains("wrong-unsat (certified)"), "{model}: {words}");
    }
}

/// z3 is right that no zero is one, whatever a model says.
#[test]
fn a_model_with_a_disputed_result_convicts_no_solver() {
    if !have("z3") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    let model = "((define-fun z () (_ FloatingPoint 5 11) (fp #b0 #b01111 #b0000000000)))";
    std::fs::write(folder.path().join("m.smt2"), model).expect("a file");
    let claim = ZEROS.replace("(check-sat)", "(assert (not (fp.isZero z)))(check-sat)");
    std::fs::write(folder.path().join("f.smt2"), claim).expect("a file");
    let args = ["replay", "f.smt2", "--model", "m.smt2", "--target", "z3"];
    let output = assay(folder.path(), &args);
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{words}");
    assert!(words.contains("leaves `fp.min` open") && !words.contains("wrong-unsat"), "{words}");
    let free = assay(folder.path(), &["replay", "f.smt2", "--target", "z3"]);
    assert!(text(&free.stdout).contains("unsat"), "{}", text(&free.stdout));
}

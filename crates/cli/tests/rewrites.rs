//! Rewriting claims from the command line: a solver that simplifies wrongly is found, one that is right
//! is not, and a finding of a real solver is shown again.

mod common;

use common::{assay, have, text};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const SPEC: &str = "name = \"rewriter\"\ntitle = \"rewriter\"\nkind = \"smt-solver\"\n\
                    [[source]]\npath = \"rewriter\"\n[run]\nfeatures = [\"bit-vectors\", \"strings\"]\n\
                    rewrites = { simplify = true, parameters = [\"flat\"] }\n";

const CLAIM: &str = "(declare-const x (_ BitVec 8))\n(simplify (bvadd x #x01))\n";

/// A folder with a claim and a solver, whose script reads the request.
fn folder_with(claim: &str, solver: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let program = folder.path().join("rewriter");
    let version = "#!/bin/sh\ncase \"$1\" in --version) echo rewriter 1.0; exit;; esac\n";
    std::fs::write(&program, format!("{version}{solver}\n")).expect("a file");
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).expect("ours");
    std::fs::write(folder.path().join("rewriter.toml"), SPEC).expect("a file");
    std::fs::write(folder.path().join("claim.smt2"), claim).expect("a file");
    folder
}

/// Runs a command on a file with the solver of the folder.
fn on(folder: &Path, command: &str, file: &str, more: &[&str]) -> (Option<i32>, String) {
    let args = [command, file, "--target", "rewriter", "--targets", "."];
    let output = assay(folder, &[&args[..], more].concat());
    (output.status.code(), text(&output.stdout) + &text(&output.stderr))
}

/// Replays a claim on a solver that answers like this.
fn replay(answer: &str) -> (Option<i32>, String) {
    let folder = folder_with(CLAIM, &format!("cat >/dev/null\necho '{answer}'"));
    on(folder.path(), "replay", "claim.smt2", &[])
}

#[test]
fn a_wrong_result_is_found_and_a_right_one_is_not() {
    let (code, words) = replay("(bvor x #x01)");
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("wrong-rewrite (certified): the term is #x"), "{words}");
    assert!(words.contains("under x = #x"), "{words}");
    for right in ["(bvadd #x01 x)", "(let ((a!1 (bvneg #x01))) (bvsub x a!1))"] {
        let (code, words) = replay(right);
        assert_eq!(code, Some(0), "{right}: {words}");
    }
}

#[test]
fn a_result_with_unknown_names_decides_nothing() {
    let (_, words) = replay("(bvadd x k!1)");
    assert!(!words.contains("wrong-rewrite"), "{words}");
    assert!(words.contains("the answer mentions `k`"), "{words}");
}

#[test]
fn an_old_z3_rewrites_a_loop_wrongly() {
    if !have("z3@4.8.7") {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    // z3 4.8.7 takes a loop with crossed bounds for one with equal bounds.
    let claim = "(declare-const s String)\n\
                 (simplify (str.in_re s ((_ re.loop 2 1) (str.to_re \"a\"))))\n";
    std::fs::write(folder.path().join("claim.smt2"), claim).expect("a file");
    let output = assay(folder.path(), &["replay", "claim.smt2", "--target", "z3@4.8.7"]);
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("wrong-rewrite (certified)"), "{words}");

    let args = ["run", "rewrites", "--category", "rules", "--limit", "60", "--target", "z3@4.8.7"];
    let output = assay(folder.path(), &[&args[..], &["--out", "campaign"]].concat());
    let words = text(&output.stdout) + &text(&output.stderr);
    assert!(words.contains("equal   rules"), "{words}");
    assert!(folder.path().join("campaign/results.sqlite").exists(), "{words}");
}

#[test]
fn parameters_that_a_target_lacks_are_left_out() {
    let claim = CLAIM.replace("#x01))", "#x01) :unknown true)");
    let solver = "grep -q unknown && echo '(error \"unknown parameter\")' || echo '(bvor x #x01)'";
    let folder = folder_with(&claim, solver);
    let (_, words) = on(folder.path(), "replay", "claim.smt2", &[]);
    assert!(words.contains("wrong-rewrite"), "{words}");
}

#[test]
fn gen_writes_rewrites_up_to_a_limit() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let output = assay(folder, &["gen", "rewrites", "--limit", "3"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("; expected: equal\n"), "{}", text(&output.stdout));
    let endless = assay(folder, &["gen", "rewrites"]);
    assert_eq!(endless.status.code(), Some(2), "{}", text(&endless.stdout));
}

/// A solver that takes `bvor` for `bvand`, and parameters for nothing.
const CONFUSED: &str = "sed -n 's/bvor/bvand/g; s/ :flat true)$/)/; s/^(simplify \\(.*\\))$/\\1/p'";

#[test]
fn a_wrong_result_is_reduced_to_the_operator_at_fault() {
    let claim = "(declare-const x (_ BitVec 32))\n(declare-const y (_ BitVec 32))\n\
                 (declare-const s String)\n\
                 (simplify (ite (= (bvor (bvmul x #x00000003) (bvnot y)) (bvadd y x)) s \"a\") \
                 :flat true)\n";
    let folder = folder_with(claim, CONFUSED);
    let (code, words) = on(folder.path(), "reduce", "claim.smt2", &["--jobs", "1"]);
    assert_eq!(code, Some(0), "{words}");
    let reduced = std::fs::read_to_string(folder.path().join("claim.reduced.smt2"));
    let reduced = reduced.expect("it is written");
    // Neither the comparison around it, nor what is in it, nor the width matters.
    assert!(reduced.contains("(simplify (bvor "), "{reduced}");
    for gone in ["ite", "bvmul", "bvnot", "bvadd", "String", ":flat", "32"] {
        assert!(!reduced.contains(gone), "{gone}: {reduced}");
    }
    let (code, words) = on(folder.path(), "replay", "claim.reduced.smt2", &[]);
    assert_eq!(code, Some(1), "{words}");
    assert!(words.contains("wrong-rewrite (certified)"), "{words}");
}

#[test]
fn a_correct_rewrite_is_not_reduced() {
    let folder = folder_with(CLAIM, CONFUSED);
    let (code, words) = on(folder.path(), "reduce", "claim.smt2", &[]);
    assert_eq!(code, Some(2), "{words}");
    assert!(words.contains("the answer is right"), "{words}");
    let (code, words) = on(folder.path(), "reduce", "claim.smt2", &["--kind", "crash"]);
    assert_eq!(code, Some(2), "{words}");
}

/// A session reads each claim in a scope of its own, which is much faster than a reset; after an error it
/// is reset.
#[test]
fn a_session_forgets_claims_by_scopes() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let log = folder.path().join("log");
    let solver = format!(
        "while read -r line; do echo \"$$ $line\" >>'{}'; case \"$line\" in\n\
         '(echo '*) m=${{line#*\\\"}}; echo \"${{m%\\\"*}}\";;\n\
         '(simplify'*bvneg*) echo '(error \"no\")';;\n\
         '(simplify'*) echo 'k!1';;\nesac; done",
        log.display()
    );
    let folder_of_solver = folder_with(CLAIM, &solver);
    let path = folder_of_solver.path();
    let session = "[run.session]\nscripts = 1000\n";
    std::fs::write(path.join("rewriter.toml"), format!("{SPEC}{session}")).expect("a file");
    let args = ["run", "rewrites", "--limit", "400", "--jobs", "1", "--sandbox", "off"];
    let target = ["--target", "rewriter", "--targets", ".", "--out", "campaign"];
    let output = assay(path, &[&args[..], &target].concat());
    let log = std::fs::read_to_string(log).unwrap_or_else(|_| panic!("{}", text(&output.stderr)));
    let (mut scopes, mut resets) = (0, 0);
    let mut processes: Vec<&str> = log.lines().filter_map(|l| Some(l.split_once(' ')?.0)).collect();
    processes.sort_unstable();
    processes.dedup();
    for process in processes {
        let own = log.lines().filter_map(|line| line.strip_prefix(process)?.strip_prefix(' '));
        let own: Vec<&str> = own.filter(|line| !line.starts_with("(echo")).collect();
        for (at, claim) in own.iter().enumerate().filter(|(_, line)| line.starts_with("(simplify"))
        {
            match own.get(at + 1) {
                Some(&"(pop 1)") => scopes += 1,
                Some(&"(reset)") => resets += 1,
                Some(other) => panic!("{other} follows {claim}"),
                None => continue,
            }
            assert_eq!(own[at + 1] == "(reset)", claim.contains("bvneg"), "{claim}");
        }
    }
    assert!(scopes > 50 && resets > 0, "{scopes} scopes, {resets} resets\n{log}");
}

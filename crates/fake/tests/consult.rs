//! Solvers that are asked while cases are made.

mod targets;

use assay_case::{Answer, Consult, ConsultError, Formula, Question};
use assay_target::{Catalog, Installer, Repeatable, Solver};
use std::os::unix::fs::PermissionsExt;
use std::sync::Arc;
use targets::{TIGHT, fake_solver, real_solver, settings};

fn read(text: &str) -> Formula {
    Formula::read(text).expect("the text is right")
}

#[test]
fn a_real_solver_gives_status_model_and_core() {
    for name in ["z3", "z3@4.8.5", "cvc5", "cvc5@1.0.3", "cvc4"] {
        let Some(mut solver) = real_solver(name) else { continue };
        assert!(Consult::name(&solver).starts_with(name), "{}", Consult::name(&solver));
        let text = "(declare-const x Int)(assert (! (> x 4) :named a))";
        let mut formula = read(text);
        // Several in a row: what one question sets must not disturb the next.
        for _ in 0..2 {
            let said = solver.ask(&formula, Question::Model);
            assert_eq!(said.answer, Answer::Sat, "{name}");
            assert_eq!(said.checked_model(&mut formula).map(|_| ()), Ok(()), "{name}");
            let said = solver.ask(&formula, Question::Status);
            assert_eq!((said.answer, said.model, said.core), (Answer::Sat, None, None), "{name}");
            let refuted =
                read(&format!("{text}(assert (! (= x x) :named b))(assert (! (< x 4) :named c))"));
            let said = solver.ask(&refuted, Question::Core);
            assert_eq!(said.answer, Answer::Unsat, "{name}");
            let mut core = said.core.unwrap_or_else(|| panic!("{name} gives a core"));
            core.sort();
            assert!(core == ["a", "c"] || core == ["a", "b", "c"], "{name}: {core:?}");
            let said = solver.ask(&refuted, Question::Model);
            assert_eq!((&said.answer, &said.core), (&Answer::Unsat, &None), "{name}");
            let none = said.checked_model(&mut formula).map(|_| ());
            assert_eq!(none, Err(ConsultError::NoModel(said.who)), "{name}");
        }
    }
}

/// Scopes: what counts is what is in force at the last question.
#[test]
fn the_last_question_counts() {
    let Some(mut solver) = real_solver("cvc5@1.0.3") else { return };
    let text = "(declare-const x Int)(push 1)(assert (= x (+ x 1)))(check-sat)(pop 1)
                (assert (= x 7))(check-sat)";
    let said = solver.ask(&read(text), Question::Model);
    assert_eq!(said.answer, Answer::Sat);
    assert!(said.model.is_some_and(|model| model.contains("7")));
}

/// A session of z3 that was asked for a core gives other models of some of these.
#[test]
fn models_do_not_depend_on_earlier_questions() {
    let int = |name: &str| {
        format!("(declare-const {name} Int)(assert (<= (- 2147483648) {name} 2147483647))")
    };
    let (x, y) = (int("x"), int("y"));
    let bits = "(declare-const b (_ BitVec 4))(declare-const p Bool)";
    let array = "(declare-const a (Array (_ BitVec 4) (_ BitVec 4)))(declare-const c (_ BitVec 4))";
    let formulas = [
        format!("{x}{y}(assert (>= x 0 x (* x y)))"),
        format!("{bits}{array}(assert (distinct (select a b) (select a c)))(assert (bvult b #x8))"),
        format!("{x}{y}(assert (< x (- 1)))(assert (<= x y))(assert (< 0 y))"),
        format!("{bits}(assert (or (and p (= b #x1)) (and p (= b #x0))))"),
        format!("{x}(define-fun n () Int x)(assert (= x n))"),
        format!("{x}(assert (< x x))"),
    ]
    .map(|text| read(&text));
    let Some(first) = real_solver("z3") else { return };
    let Some(second) = real_solver("z3") else { return };
    let (mut first, mut second) = (Repeatable(first), Repeatable(second));
    let refuted =
        read("(declare-const q Bool)(assert (! q :named a))(assert (! (not q) :named b))");
    assert_eq!(first.ask(&refuted, Question::Core).core.map(|core| core.len()), Some(2));
    let forwards = formulas.iter().map(|formula| first.ask(formula, Question::Model));
    let forwards: Vec<_> = forwards.collect();
    let backwards = formulas.iter().rev().map(|formula| second.ask(formula, Question::Model));
    let mut backwards: Vec<_> = backwards.collect();
    backwards.reverse();
    assert_eq!(forwards, backwards);
    let with_models = forwards.iter().filter(|said| said.model.is_some()).count();
    assert_eq!((with_models, &forwards[5].answer), (5, &Answer::Unsat));
}

#[test]
fn unanswerable_questions_give_no_answer() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut solver = fake_solver(folder.path(), &["say", "sat"], false);
    let said = solver.ask(&read("(declare-const s String)"), Question::Status);
    let Answer::Unknown(Some(why)) = &said.answer else { panic!("{:?}", said.answer) };
    assert!(why.contains("does not offer strings"), "{why}");
    let said = solver.ask(&read("(declare-const x Int)"), Question::Model);
    assert_eq!((said.answer, said.model), (Answer::Sat, None));

    let mut hangs = fake_solver(folder.path(), &["hang"], false);
    let said = hangs.ask(&read("(declare-const x Int)"), Question::Status);
    assert_eq!(said.answer, Answer::Timeout);

    // A keeper that cannot be started is a failure of ours.
    let target = targets::fake(folder.path(), &["say", "sat"], "");
    let limits = assay_target::process::Limits {
        wall: std::time::Duration::from_secs(1),
        memory: None,
        output: 1 << 20,
    };
    let mut settings = targets::settings(limits, false);
    settings.launcher = assay_target::process::Launcher::of("/nowhere/assay");
    let mut solver = assay_target::Solver::new(std::sync::Arc::new(target), settings);
    let said = solver.ask(&read("(declare-const x Int)"), Question::Status);
    let Answer::Unknown(Some(why)) = &said.answer else { panic!("{:?}", said.answer) };
    assert!(why.contains("/nowhere/assay"), "{why}");
}

/// Hangs in sessions; a process of its own answers at once.
const SLOW_IN_SESSIONS: &str = r#"#!/bin/sh
case "$*" in
    *--version*) echo "tool 1.0"; exit;;
    *--session*) echo assay-ready; exec sleep 60;;
esac
echo sat
"#;

#[test]
fn a_question_that_times_out_is_not_repeated() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tool.sh");
    std::fs::write(&path, SLOW_IN_SESSIONS).expect("a file");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&path, mode).expect("it is ours");
    let text = "name = \"tool\"\ntitle = \"Tool\"\nkind = \"smt-solver\"\n\
                [[source]]\npath = \"tool.sh\"\n[run]\nfeatures = [\"ints\", \"models\"]\n\
                [run.session]\nargs = [\"--session\"]\n";
    std::fs::write(folder.path().join("tool.toml"), text).expect("a file");
    let catalog = Catalog::load(&[folder.path().to_owned()]).expect("a description");
    let installer = Installer::new(folder.path().join("cache"));
    let name = "tool".parse().expect("a name");
    let target = catalog.resolve(&name, &installer, &mut |_| {}).expect("a target");
    let mut solver = Repeatable(Solver::new(Arc::new(target), settings(TIGHT, true)));
    let formula = read("(declare-const x Int)(assert (> x 4))(check-sat)");
    assert_eq!(solver.ask(&formula, Question::Model).answer, Answer::Timeout);
    assert_eq!(solver.ask(&formula, Question::Core).answer, Answer::Sat, "it has no session");
}

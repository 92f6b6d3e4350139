//! What solvers construct: each wrong answer is a finding, right ones are right, and answers that cannot be
//! read are neither.

use assay_case::{Ending, Judgement, Observation, Origin, Output, SynthesisTest, TestCase, judge};
use std::time::Duration;

/// The finding about an answer, or a word for other judgements.
fn judged(task: &str, answer: &str) -> String {
    let test = SynthesisTest::read(task).unwrap_or_else(|error| panic!("{task}: {error}"));
    let output = Output {
        stdout: answer,
        stderr: "",
        ending: Ending::Exited(0),
        elapsed: Duration::ZERO,
        asked: &[],
    };
    let case = TestCase::new("task", test, Origin::default());
    match judge(&case, &Observation::from_construction(&output)) {
        Judgement::Finding(finding) => finding.to_string(),
        Judgement::Correct => "right".to_owned(),
        Judgement::Inconclusive(doubt) => format!("doubt: {doubt}"),
        Judgement::OracleContradicted(how) => how.to_string(),
    }
}

/// Each answer has a judgement that begins with these words.
fn check(task: &str, table: &[(&str, &str)]) {
    for (answer, expected) in table {
        let found = judged(task, answer);
        assert!(found.starts_with(expected), "{task}{answer}: {found}, not {expected}");
    }
}

#[test]
fn interpolants_lie_between_premises_and_conjecture() {
    let task = "(declare-const x Int)\n(declare-const y Int)\n(declare-const z Int)\n\
        (assert (> x y))\n(assert (> y 2))\n(get-interpolant I (or (> x z) (< z 100) (> x 0)))\n";
    let define = |body: &str| format!("(define-fun I () Bool {body})\n");
    for right in
        ["(> x 0)", "(>= x 3)", "(and (>= x 2) (< 0 x))", "(> x 3)", "(let ((a x)) (> a 1))"]
    {
        assert_eq!(judged(task, &define(right)), "right", "{right}");
    }
    let wrong = [
        ("(> x 4)", "wrong-interpolant (certified): the premises do not imply it under"),
        ("(> x 40)", "wrong-interpolant (certified): the premises do not imply it under"),
        ("(>= x (- 1))", "wrong-interpolant (certified): it does not imply the conjecture under"),
        ("true", "wrong-interpolant (certified): it does not imply the conjecture under"),
        ("false", "wrong-interpolant (certified): the premises do not imply it under"),
        ("(and (> x 0) (> y 0))", "wrong-interpolant (certified): it mentions y"),
        ("(or (> x 0) (> z z))", "wrong-interpolant (certified): it mentions z"),
        ("(> x k)", "unreadable-answer"),
        ("(> x 0", "unreadable-answer"),
        ("(+ x 1)", "unreadable-answer"),
        ("(> x 0) (> x 1)", "unreadable-answer"),
    ];
    for (body, expected) in wrong {
        let found = judged(task, &define(body));
        assert!(found.starts_with(expected), "{body}: {found}");
    }
    check(task, &[("fail\n", "doubt"), ("none\n", "doubt"), ("(> x 0)\n", "unreadable-answer")]);
}

/// cvc5 1.2.0 answers `true` where the premises do not imply the goal (cvc5 issue 11332).
#[test]
fn abducts_are_consistent_and_imply_the_goal() {
    let task = "(declare-const x Int)\n(declare-const y Int)\n(assert (> x 0))\n\
        (get-abduct A (> (+ x y) 3))\n";
    let define = |body: &str| format!("(define-fun A () Bool {body})\n");
    for right in ["(> y 2)", "(= y 4)", "(and (= x y) (= x 4))", "(> (+ x y) 3)"] {
        assert_eq!(judged(task, &define(right)), "right", "{right}");
    }
    let goal = "wrong-abduct (certified): with the premises it does not imply the goal under";
    let contradicts = "wrong-abduct (certified): it contradicts the premises";
    for (wrong, expected) in [
        ("true", goal),
        ("(> y 1)", goal),
        ("(>= x 3)", goal),
        ("false", contradicts),
        ("(< x 0)", contradicts),
        ("(and (> y 2) (= x (- 5)))", contradicts),
        ("(and (> y 2) (not (> y 2)))", contradicts),
        ("(> y q)", "unreadable-answer"),
    ] {
        let found = judged(task, &define(wrong));
        assert!(found.starts_with(expected), "{wrong}: {found}");
    }
}

#[test]
fn eliminated_formulas_are_equivalent() {
    let task = "(declare-const x Int)\n(get-qe (exists ((y Int)) (and (> (* 2 y) x) (< y 5))))\n";
    let wrong = "wrong-elimination (certified): it is not equivalent to the formula under x = ";
    check(
        task,
        &[
            ("(not (>= x 8))", "right"),
            ("(goals\n(goal\n  (<= x 7)\n  :precision precise :depth 2)\n)", "right"),
            ("(goals\n(goal\n  (<= x 6)\n  :precision precise :depth 2)\n)", wrong),
            ("(goals\n(goal\n  :precision precise :depth 2)\n)", wrong),
            ("(not (>= x 9))", wrong),
            ("(<= x 6)", wrong),
            ("true", wrong),
            ("(exists ((y Int)) (and (> (* 2 y) x) (< y 5)))", "kept-quantifier"),
            ("(< x y)", "unreadable-answer"),
            ("(< x 8) (< x 9)", "unreadable-answer"),
        ],
    );
    // A parity that only the quantifier says.
    let task = "(declare-const x Int)\n(get-qe (exists ((y Int)) (= (+ y y) x)))\n";
    check(
        task,
        &[
            ("(= (mod x 2) 0)", "right"),
            ("(= (* 2 (div x 2)) x)", "right"),
            ("(= (mod x 4) 0)", wrong),
            ("true", wrong),
        ],
    );
    // A universal real, and strictness at one point.
    let task = "(declare-const x Real)\n(declare-const z Real)\n\
        (get-qe (forall ((y Real)) (=> (and (<= x y) (<= y z)) (= y x))))\n";
    check(
        task,
        &[
            ("(<= z x)", "right"),
            ("(or (= z x) (< z x))", "right"),
            ("(< z x)", wrong.split(" under").next().expect("words")),
        ],
    );
    let task = "(declare-const x Real)\n(get-qe (exists ((y Real) (z Real)) \
        (and (< x y) (< y z) (< z 1.0))))\n";
    check(task, &[("(< x 1.0)", "right"), ("(<= x 1.0)", wrong), ("(< x 0.5)", wrong)]);
    // Over finite sorts everything is tried.
    let task = "(declare-const x (_ BitVec 3))\n\
        (get-qe (forall ((y (_ BitVec 3))) (exists ((b Bool)) (or (bvult y x) (and b (= x #b111))))))\n";
    check(task, &[("(= x #b111)", "right"), ("(= x #b110)", wrong), ("false", wrong)]);
}

#[test]
fn a_disjunct_implies_the_formula_and_is_not_empty() {
    let task = "(declare-const x Int)\n(get-qe-disjunct (exists ((y Int)) (and (> y x) (< y 5) (> y 0))))\n";
    check(
        task,
        &[
            ("(< x 4)", "right"),
            ("(= x 0)", "right"),
            ("(< x 5)", "wrong-elimination (certified): it does not imply the formula under x = 4"),
            ("false", "wrong-elimination (certified): it is unsatisfiable, but"),
        ],
    );
}

#[test]
fn functions_satisfy_every_constraint() {
    let task = "(set-info :solution ((define-fun f ((x Int) (y Int)) Int (ite (<= x y) y x))))\n\
        (set-logic LIA)\n(synth-fun f ((x Int) (y Int)) Int)\n\
        (declare-var x Int)\n(declare-var y Int)\n(constraint (>= (f x y) x))\n\
        (constraint (>= (f x y) y))\n(constraint (or (= (f x y) x) (= (f x y) y)))\n(check-synth)\n";
    let define = |body: &str| format!("(\n(define-fun f ((x Int) (y Int)) Int {body})\n)\n");
    for right in ["(ite (<= x y) y x)", "(ite (>= (+ x (* (- 1) y)) 0) x y)"] {
        assert_eq!(judged(task, &define(right)), "right", "{right}");
    }
    let broken = "wrong-function (certified): a constraint does not hold under";
    for (wrong, expected) in [
        ("x", broken),
        ("(ite (<= x y) x y)", broken),
        ("(ite (<= x y) y (+ x 1))", broken),
        ("(ite (<= x 100) y x)", broken),
        ("(+ x y)", broken),
        ("(g x)", "unreadable-answer"),
        ("(<= x y)", "unreadable-answer"),
    ] {
        let found = judged(task, &define(wrong));
        assert!(found.starts_with(expected), "{wrong}: {found}");
    }
    check(
        task,
        &[
            ("infeasible\n", "wrong-infeasible (certified): the truth is feasible: ((define-fun f"),
            ("fail\n", "doubt"),
            ("((define-fun g ((x Int) (y Int)) Int x))", "unreadable-answer"),
            ("((define-fun f ((x Int)) Int x))", "unreadable-answer"),
            ("()", "unreadable-answer"),
        ],
    );
    // Without a solution nobody knows.
    let lines = task.split_once('\n').expect("two lines").1;
    check(lines, &[("infeasible\n", "doubt")]);
    // A variable of the constraints is no parameter.
    let task = "(synth-fun f ((p Int)) Int)\n(declare-var v Int)\n(constraint (= (f v) v))\n(check-synth)\n";
    check(
        task,
        &[
            ("((define-fun f ((p Int)) Int p))", "right"),
            ("((define-fun f ((p Int)) Int v))", "wrong-function (certified): it mentions v"),
        ],
    );
}

#[test]
fn grammars_are_respected() {
    let task = "(synth-fun f ((x Int) (y Int)) Int ((I Int) (J Int) (B Bool)) \
        ((I Int (J (+ I I) (ite B I I))) (J Int (x y 0 (Constant Int))) (B Bool ((<= I I) (not B)))))\n\
        (declare-var a Int)\n(declare-var b Int)\n(constraint (>= (f a b) a))\n(check-synth)\n";
    let define = |body: &str| format!("((define-fun f ((x Int) (y Int)) Int {body}))");
    for right in ["x", "(ite (not (<= x 7)) x (+ x 1))", "(+ (+ x 0) 3)", "(+ x 2)"] {
        assert_eq!(judged(task, &define(right)), "right", "{right}");
    }
    let other = "wrong-function (certified): the grammar of f does not generate its body";
    for wrong in ["(- x (- 1))", "(ite (< y x) x x)", "(* 1 x)", "(ite (= x y) x x)"] {
        assert_eq!(judged(task, &define(wrong)), other, "{wrong}");
    }
}

#[test]
fn mistakes_in_files_are_told_with_their_place() {
    for (text, words) in [
        ("(declare-const x Int)\n", "nothing is to be constructed"),
        ("(get-qe (> x 0))\n", "x"),
        ("(declare-const x Int)(get-qe (> x 0))(get-qe (> x 1))", "after the request"),
        ("(declare-const x Int)(get-interpolant (> x 0))", "not understood"),
        ("(synth-fun f ((x Int)) Int)(constraint (= (f 1) 2))", "nothing is to be constructed"),
        ("(check-sat)", "not understood"),
        ("(declare-const x Int)(get-abduct A (+ x 1))", "Bool"),
    ] {
        let error = SynthesisTest::read(text).expect_err(text).to_string();
        assert!(error.contains(words), "{text}: {error}");
    }
}

#[test]
fn a_task_is_read_as_it_is_written() {
    let text = "(set-info :tactic qe2)\n(set-logic LIA)\n(declare-const x Int)\n\
        (get-qe (exists ((y Int)) (< x y)))\n";
    let test = SynthesisTest::read(text).expect("a task");
    let formulas = ["(exists ((y Int)) (< x y))".to_owned()];
    let same = test.with(test.declarations(), &formulas).expect("a task");
    assert_eq!(same.text(), text);
    assert_eq!(same.commands(), "(declare-const x Int)\n(get-qe (exists ((y Int)) (< x y)))\n");
    let text = "(set-info :solution ((define-fun f ((p Int)) Int p)))\n(set-logic LIA)\n\
        (declare-var v Int)\n(synth-fun f ((p Int)) Int)\n(constraint (= (f v) v))\n(check-synth)\n";
    let test = SynthesisTest::read(text).expect("a task");
    let same = test.with(test.declarations(), &["(= (f v) v)".to_owned()]).expect("a task");
    assert_eq!(same.text(), text);
}

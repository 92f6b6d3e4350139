//! Claims about terms: answers that are right withstand every attack, wrong ones are refuted with an
//! assignment, and what cannot be read with certainty is skipped by name.

use assay_case::rewrite::{
    Attack, Claimed, Effort, Promise, Request, Skipped, attack_equality, read, standard_escapes,
};
use assay_case::{Answer, Judgement, Observation, RewriteTest, Rewritten, Test};
use assay_rewrite::with_assignments;
use assay_term::Evaluator;
use std::time::Duration;

fn answered(test: &RewriteTest, answer: &str) -> Result<Claimed, Skipped> {
    let (mut store, mut env) = test.scope();
    read(&mut store, &mut env, test, answer)
}

fn test(text: &str) -> RewriteTest {
    let test = RewriteTest::read(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    with_assignments(test)
}

/// The attack on an answer to a simplification.
fn attacked(text: &str, answer: &str) -> Attack {
    let test = test(text);
    let (mut store, mut env) = test.scope();
    let claimed = read(&mut store, &mut env, &test, answer)
        .unwrap_or_else(|skipped| panic!("{answer}: {skipped}"));
    let terms = [test.term(), claimed.term];
    let outcome = attack_equality(&mut store, test.assignments(), terms, Effort::default());
    if let Attack::Refuted(difference) = &outcome {
        let mut evaluator = Evaluator::new(&store, &difference.assignment);
        let values = terms.map(|term| evaluator.eval(term).ok());
        assert_eq!(values, difference.values, "the values of the report are those of the terms");
        assert_ne!(values[0], values[1], "the values differ");
    }
    outcome
}

const BYTE: &str = "(declare-const x (_ BitVec 8)) (declare-const y (_ BitVec 8))";

#[test]
fn right_answers_are_not_refuted() {
    for (declarations, term, answer) in [
        (BYTE, "(bvmul x #x02)", "(concat ((_ extract 6 0) x) #b0)"),
        (BYTE, "(bvudiv x y)", "(bvudiv_i x y)"),
        (BYTE, "(bvsub x y)", "(let ((a!1 (bvneg y))) (bvadd x a!1))"),
        ("(declare-const i Int)", "(> i 3)", "(not (<= i 3))"),
        ("(declare-const r Real)", "(/ r 2.0)", "(* (/ 1.0 2.0) r)"),
        ("(declare-const s String)", "(str.++ s \"a\" \"b\")", "(str.++ s \"ab\")"),
        ("(declare-fun f (Int) Int)", "(f (+ 1 1))", "(f 2)"),
        ("(declare-sort U 0) (declare-const u U)", "(= u u)", "true"),
    ] {
        let text = format!("{declarations} (simplify {term})");
        match attacked(&text, answer) {
            Attack::Withstood { decided, .. } => assert!(decided > 0, "{term}"),
            Attack::Refuted(difference) => panic!("{term} => {answer}: {difference:?}"),
        }
    }
}

#[test]
fn wrong_answers_are_refuted() {
    for (declarations, term, answer) in [
        (BYTE, "(bvnego x)", "(= x #xff)"),
        (BYTE, "(bvult x y)", "(bvule x y)"),
        ("(declare-const i Int)", "(> i 1000000)", "false"),
        ("(declare-const r Real)", "(is_int r)", "true"),
        ("(declare-const s String)", "(str.prefixof \"ab\" s)", "(= s \"ab\")"),
        ("(declare-const s String)", "(str.in_re s ((_ re.loop 3 2) re.all))", "true"),
        ("(declare-fun f (Int) Int)", "(f 2)", "(f 3)"),
        ("(declare-sort U 0) (declare-const u U) (declare-const v U)", "(= u v)", "true"),
        ("(declare-const a (Array Int Int))", "(select (store a 0 1) 1)", "(select a 0)"),
    ] {
        let text = format!("{declarations} (simplify {term})");
        let outcome = attacked(&text, answer);
        assert!(matches!(outcome, Attack::Refuted(_)), "{term} => {answer}: {outcome:?}");
    }
}

#[test]
fn open_results_refute_nothing() {
    for (declarations, term, answer) in [
        ("(declare-const i Int)", "(div i 0)", "i"),
        ("(declare-const r Real)", "(/ r 0.0)", "0.0"),
        (
            "(declare-const z (_ FloatingPoint 3 5))",
            "(fp.min (_ +zero 3 5) (_ -zero 3 5))",
            "(_ -zero 3 5)",
        ),
    ] {
        let text = format!("{declarations} (simplify {term})");
        match attacked(&text, answer) {
            Attack::Withstood { decided, .. } => assert_eq!(decided, 0, "{term}"),
            Attack::Refuted(difference) => panic!("{term} => {answer}: {difference:?}"),
        }
    }
}

#[test]
fn unreadable_answers_are_skipped_with_a_reason() {
    let test = test(&format!("{BYTE} (simplify (bvsdiv x y))"));
    let skipped = |answer| answered(&test, answer);
    let foreign = |name: &str| Err(Skipped::Foreign(name.to_owned()));
    let named = skipped("(ite (= y #x00) (bvsdiv0 x) (bvsdiv_i x y))");
    assert!(matches!(&named, Err(Skipped::Unread(why)) if why.contains("`bvsdiv0`")), "{named:?}");
    assert_eq!(skipped("(bvadd x k!17)"), foreign("k"));
    assert_eq!(
        skipped("(error \"line 1: invalid\")"),
        Err(Skipped::Refused("line 1: invalid".into()))
    );
    assert_eq!(skipped("  \n"), Err(Skipped::Nothing));
    assert!(matches!(skipped("(bvadd x"), Err(Skipped::Unread(_))));
    assert!(matches!(skipped("(root-obj (+ (^ x 2) (- 2)) 1)"), Err(Skipped::Unread(_))));
}

#[test]
fn answers_of_another_sort_are_skipped() {
    let test = test(&format!("{BYTE} (simplify (bvsdiv x y))"));
    let answer = answered(&test, "true");
    assert_eq!(answer, Err(Skipped::Sort("Bool".into())));
}

#[test]
fn old_escapes_are_read_as_the_characters_they_stand_for() {
    let text = "(declare-const s String) (simplify (str.++ s \"\\u{0}\" \"\\u{5c}\"))";
    let answer = standard_escapes("(str.++ s \"\\x00\\\\\")").expect("known escapes");
    let outcome = attacked(text, &answer);
    assert!(matches!(outcome, Attack::Withstood { decided, .. } if decided > 0), "{outcome:?}");
}

#[test]
fn goals_are_a_disjunction_of_conjunctions() {
    let test = test(
        "(set-info :promise equivalent)\n(declare-const p Bool) (declare-const q Bool)
         (declare-const r Bool)\n(assert (and p (or q r)))\n(apply split-clause)\n",
    );
    let apply = Request::Apply { tactic: "split-clause".into(), promise: Promise::Equivalent };
    assert_eq!(test.request(), &apply);
    let refuted = |answer: &str| {
        let (mut store, mut env) = test.scope();
        let claimed = read(&mut store, &mut env, &test, answer)
            .unwrap_or_else(|skipped| panic!("{answer}: {skipped}"));
        let terms = [test.term(), claimed.term];
        let outcome = attack_equality(&mut store, test.assignments(), terms, Effort::default());
        matches!(outcome, Attack::Refuted(_))
    };
    let end = ":precision precise :depth 1)";
    assert!(!refuted(&format!("(goals\n(goal\n  p\n  q\n  {end}\n(goal\n  p\n  r\n  {end}\n)")));
    assert!(refuted(&format!("(goals (goal p q {end})")));
    assert!(refuted(&format!("(goals (goal {end})")), "a goal without formulas holds");
    assert!(refuted(&format!("(goals (goal false {end})")));
    let imprecise = "(goals (goal p :precision under :depth 1))";
    assert_eq!(answered(&test, imprecise), Err(Skipped::Imprecise));
    let garbled = "(goals (goal p";
    assert!(matches!(answered(&test, garbled), Err(Skipped::Unread(_))));
}

#[test]
fn large_numbers_are_not_evaluated() {
    let tower = "(^ (^ (^ i i) i) i)";
    let text = format!("(declare-const i Int) (simplify (mod 7 {tower}))");
    let outcome = attacked(&text, &format!("(mod 8 {tower})"));
    assert!(matches!(outcome, Attack::Refuted(_)), "small numbers refute it: {outcome:?}");
    let text = "(declare-const i Int) (simplify (= 0 (mod (^ (+ 3 (* i i)) 10000) 2)))";
    let outcome = attacked(text, "true");
    let Attack::Withstood { decided, unknown, .. } = outcome else { panic!("{outcome:?}") };
    assert!(decided == 0 && unknown > 0, "{decided} decided");
}

/// A formula with the goals that a tactic made of it, which promises to keep satisfiability.
fn judged(formula: &str, answer: &str) -> Judgement {
    let text = format!(
        "(set-info :promise equisatisfiable)\n{formula}\n(apply bit-blast :print_benchmark true)\n"
    );
    let test = test(&text);
    assert_eq!(RewriteTest::read(test.text()).expect("it was written").request(), test.request());
    let answer = Rewritten { text: answer.to_owned(), last_character: 0x2_FFFF };
    test.judge(&Observation::new(Answer::Rewritten(answer), Duration::from_secs(1)))
}

#[test]
fn goals_must_keep_satisfiability() {
    let sat = "(declare-const x (_ BitVec 4)) (assert (bvult x #x7))";
    let unsat = "(declare-const x (_ BitVec 4)) (assert (bvult x #x0))";
    let open = "(declare-const i Int) (assert (< (* i i) 0))";
    let goals =
        |formulas: &str| format!("(goals\n(goal\n {formulas}\n :precision precise :depth 1)\n)\n");
    let bits =
        "(declare-fun k!0 () Bool)\n(declare-fun k!1 () (_ BitVec 2))\n(assert k!0)\n(check-sat)";
    let with_bits = |formulas: &str| goals(formulas) + bits;
    let wrong = |judgement: &Judgement| match judgement {
        Judgement::Finding(finding) => Some(finding.to_string()),
        _ => None,
    };
    // A constant, the formula's own symbols, and invented ones.
    for (formula, answer) in [
        (sat, goals("false")),
        (sat, goals("(bvult x #x1) (bvult #x1 x)")),
        (sat, with_bits("k!0 (not k!0)")),
        (sat, with_bits("(bvult k!1 #b00)")),
        (unsat, goals("")),
        (unsat, goals("(= x #x3)")),
        (unsat, with_bits("k!0 (= k!1 #b10)")),
    ] {
        let judgement = judged(formula, &answer);
        assert!(wrong(&judgement).is_some(), "{formula} => {answer}: {judgement:?}");
    }
    for (formula, answer) in [
        (sat, goals("")),
        (sat, with_bits("k!0 (= k!1 #b10)")),
        (unsat, goals("false")),
        (unsat, with_bits("k!0 (not k!0)")),
    ] {
        let judgement = judged(formula, &answer);
        assert!(matches!(judgement, Judgement::Correct), "{formula} => {answer}: {judgement:?}");
    }
    // A tactic may refuse.
    let text = "(assert true)\n(apply diff-neq)\n";
    let refused = Answer::Rejected("tactic failed: goal is not diff neq".to_owned());
    let judgement = test(text).judge(&Observation::new(refused, Duration::from_secs(1)));
    assert!(matches!(judgement, Judgement::Inconclusive(_)), "{judgement:?}");
    // Integers cannot all be tried.
    for (formula, answer) in [(open, goals("")), (sat, with_bits("k!0 (= z!1 1)"))] {
        let judgement = judged(formula, &answer);
        assert!(matches!(judgement, Judgement::Inconclusive(_)), "{formula} => {answer}");
    }
}

#[test]
fn a_file_has_one_request() {
    let refused = |text: &str| match RewriteTest::read(text) {
        Ok(test) => panic!("{text} is read as {}", test.text()),
        Err(error) => error.to_string(),
    };
    for text in [
        "(declare-const x Int)\n(simplify (+ x 0))\n(simplify (- x x))\n",
        "(declare-const x Int)\n(assert (> x 0))\n(assert (< x 0))\n(apply simplify)\n",
        "(declare-const x Int)\n(assert (> x 0))\n(apply nnf)\n(apply simplify)\n",
        "(declare-const x Int)\n(assert (> x 0))\n(simplify (+ x 0))\n",
    ] {
        assert!(refused(text).contains("there are commands beside declarations"), "{text}");
    }
    let text = "(set-logic ALL)\n(declare-const x Int)\n(assert (> x 0)) ; positive\n(apply nnf)\n";
    assert!(RewriteTest::read(text).is_ok());
}

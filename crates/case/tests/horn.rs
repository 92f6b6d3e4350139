//! Horn clauses: derivations of false, invariants that are proved, and invariants that an assignment
//! refutes.

use assay_case::horn::{Clauses, Extent, explore, is_valid, refute};
use assay_case::{
    Ending, Evidence, Falsified, FindingKind, Formula, Judgement, ModelFault, Observation, Oracle,
    Origin, Output, Part, TestCase, Why, check_model, judge,
};
use assay_term::{Budget, Evaluator, Int, Interpretation, Model, Term, Value};
use std::time::Duration;

const COUNTER: &str = "(set-logic HORN)
(declare-fun Inv (Int Int) Bool)
(assert (forall ((x Int) (y Int)) (=> (and (= x 0) (= y 5)) (Inv x y))))
(assert (forall ((x Int) (y Int) (z Int))
  (=> (and (Inv x y) (= z (ite (< x y) (+ x 1) x))) (Inv z y))))
(assert (forall ((x Int) (y Int)) (=> (and (Inv x y) QUESTION) false)))
(check-sat)
(get-model)
";

fn counter(question: &str) -> Formula {
    Formula::read(COUNTER.replace("QUESTION", question)).unwrap_or_else(|e| panic!("{e}"))
}

fn budget() -> Budget {
    Budget::new(100_000_000, 1 << 24)
}

#[test]
fn a_derivation_of_false_shows_its_steps() {
    let formula = counter("(= x 4)");
    let derivation = refute(&formula, &mut budget()).expect("x reaches 4");
    assert_eq!(derivation.len(), 6);
    let text = derivation.show(&formula);
    assert!(text.starts_with("1: (Inv 0 5) by line 3\n2: (Inv 1 5) by line 4 from 1\n"), "{text}");
    assert!(text.ends_with("6: false by line 6 from 5\n"), "{text}");
    for unreachable in ["(= x 6)", "(< x 0)", "(> x y)"] {
        assert_eq!(refute(&counter(unreachable), &mut budget()), None, "{unreachable}");
    }
}

#[test]
fn derivations_have_trees_and_predicates_without_arguments() {
    let text = "(set-logic HORN)(declare-fun F (Int Int) Bool)(declare-fun Done () Bool)
(assert (F 0 1))(assert (F 1 1))
(assert (forall ((n Int) (a Int) (b Int)) (=> (and (F n a) (F (+ n 1) b) (< n 10)) (F (+ n 2) (+ a b)))))
(assert (=> (F 10 89) Done))
(assert (not Done))
(check-sat)";
    let formula = Formula::read(text).expect("a formula");
    let derivation = refute(&formula, &mut budget()).expect("the eleventh number is 89");
    assert!(derivation.facts().iter().any(|fact| fact.step.premises.len() == 2));
    let other = Formula::read(text.replace("89", "88")).expect("a formula");
    assert_eq!(refute(&other, &mut budget()), None);
    let clauses = Clauses::of(&other).expect("clauses");
    let run = explore(&other, &clauses, Extent::USUAL, &mut budget());
    assert!(run.is_complete, "{}", run.facts.len());
}

#[test]
fn formulas_that_are_not_horn_have_no_clauses() {
    for text in [
        "(declare-fun P (Int) Bool)(assert (or (P 0) (P 1)))",
        "(declare-fun P (Int) Bool)(assert (forall ((x Int)) (= (P x) (> x 0))))",
        "(declare-fun P (Int) Bool)(declare-const c Int)(assert (P c))",
        "(declare-fun P (Int) Bool)(declare-fun f (Int) Int)(assert (P (f 0)))",
        "(assert (forall ((x Int)) (> x 0)))",
    ] {
        let formula = Formula::read(text).expect("a formula");
        assert!(Clauses::of(&formula).is_none(), "{text}");
        assert_eq!(refute(&formula, &mut budget()), None, "{text}");
    }
}

/// What checking an invariant of the counter gives.
fn checked(question: &str, invariant: &str) -> Result<(), ModelFault> {
    let mut formula = counter(question);
    let model = format!("((define-fun Inv ((a Int) (b Int)) Bool {invariant}))");
    let model = formula.read_model(&model).unwrap_or_else(|e| panic!("{e}"));
    check_model(&formula, model).map(|_| ())
}

#[test]
fn invariants_over_integers_are_proved_or_refuted_by_an_assignment() {
    for invariant in [
        "(and (<= 0 a) (<= a b) (= b 5))",
        "(and (>= a 0) (<= (- a b) 0))",
        "(let ((c (- b a))) (and (>= a 0) (>= c 0)))",
        "(and (not (< a 0)) (or (< a b) (= a b)))",
    ] {
        assert_eq!(checked("(or (> x y) (< x 0))", invariant), Ok(()), "{invariant}");
    }
    for (invariant, line, assignment) in [
        ("(and (<= 0 a) (<= a 3))", 4, Some("x = 3")),
        ("false", 3, Some("x = 0, y = 5")),
        ("true", 6, None),
        ("(<= a b)", 6, None),
        ("(and (>= a 0) (<= a b) (not (= a 777)))", 4, Some("x = 776")),
    ] {
        let Err(ModelFault::False(Falsified { place, assignment: found })) =
            checked("(or (> x y) (< x 0))", invariant)
        else {
            panic!("{invariant} is not refuted");
        };
        let found = found.expect("an assignment");
        assert_eq!(place.line, line, "{invariant}: {found}");
        assert!(assignment.is_none_or(|part| found.contains(part)), "{invariant}: {found}");
    }
}

#[test]
fn a_printed_invariant_is_judged_with_the_assignment() {
    let judged = |question: &str, oracle: Oracle, model: &str| {
        let formula = counter(question);
        let stdout = format!("sat\n((define-fun Inv ((a Int) (b Int)) Bool {model}))\n");
        let output = Output {
            stdout: &stdout,
            stderr: "",
            ending: Ending::Exited(0),
            elapsed: Duration::from_millis(1),
            asked: &[Part::Model],
        };
        let seen = Observation::from_output(&output, &formula);
        let case = TestCase::formula("counter", formula, oracle, Origin::default());
        judge(&case.expect("a case"), &seen)
    };
    let right = judged("(> x y)", Oracle::Open, "(and (<= a b) (= b 5))");
    assert_eq!(right, Judgement::Correct);
    let Judgement::Finding(finding) = judged("(> x y)", Oracle::Open, "(<= a 4)") else {
        panic!("the invariant is wrong");
    };
    assert_eq!(finding.kind, FindingKind::InvalidModel);
    assert!(matches!(&finding.evidence, Evidence::FalseAssertion(at) if at.assignment.is_some()));
    assert!(finding.to_string().contains("is false under the model, for x = "), "{finding}");
    let derived = Oracle::Unsat { why: Why::Derived(6), core: None };
    let Judgement::Finding(finding) = judged("(= x 4)", derived, "(and (<= a b) (= b 5))") else {
        panic!("the system is unsatisfiable");
    };
    assert_eq!(finding.kind, FindingKind::WrongSat);
    assert!(finding.to_string().contains("deriving false in 6 steps"), "{finding}");
}

#[test]
fn a_declared_truth_is_refuted_by_a_derivation() {
    let text = COUNTER.replace("QUESTION", "(= x 4)");
    let formula = Formula::read(format!("(set-info :status sat)\n{text}")).expect("a formula");
    let oracle = Oracle::Sat(assay_case::Witness::Declared("a file".into()));
    let case = TestCase::formula("counter", formula, oracle, Origin::default()).expect("a case");
    let proved = case.proved().expect("false is derived");
    let refuted = assay_case::refutation(&case, &proved).expect("the file is wrong");
    assert!(refuted.to_string().contains("false is derived in 6 steps"), "{refuted}");
}

/// Sentences, and whether they are valid and provable, over integers and reals.
#[test]
fn proofs_know_linear_arithmetic_conditions_and_remainders() {
    for (variables, matrix, expected) in [
        ("(x Int)", "(=> (and (> (* 2 x) 0) (< (* 2 x) 2)) false)", true),
        ("(x Real)", "(=> (and (> (* 2 x) 0) (< (* 2 x) 2)) false)", false),
        ("(x Int)", "(=> (= (mod x 2) 0) (= (mod (+ x 4) 2) 0))", true),
        ("(x Int)", "(=> (= (mod x 2) 0) (= (mod (+ x 3) 2) 0))", false),
        (
            "(x Int) (y Int)",
            "(= (ite (< x y) (- y x) (- x y)) (ite (> x y) (- x y) (- y x)))",
            true,
        ),
        ("(x Int) (y Int)", "(=> (and (<= x y) (<= y x)) (= x y))", true),
        ("(x Int) (y Int) (b Bool)", "(=> (and (= x (ite b 1 y)) (>= y 0)) (>= x 0))", true),
        ("(x Int) (y Int)", "(=> (distinct x y) (or (< x y) (< y x)))", true),
        ("(x Int) (y Int)", "(=> (>= (+ x y) 0) (>= x 0))", false),
        ("(a (Array Int Int)) (i Int)", "(= (select (store a i 7) i) 7)", true),
        ("(a (Array Int Int)) (i Int)", "(= (select (store a i 7) 3) 7)", false),
        ("(x Real)", "(=> (< x 0.5) (< (/ x 2.0) 0.25))", true),
        ("(x Int)", "(let ((y (+ x 1))) (> y x))", true),
        ("(x (_ BitVec 4))", "(bvule x #xf)", true),
        ("(x (_ BitVec 4))", "(bvult x #xf)", false),
    ] {
        let text = format!("(assert (forall ({variables}) {matrix}))");
        let formula = Formula::read(text).expect("a formula");
        let sentence = formula.assertions()[0].term;
        assert_eq!(is_valid(formula.store(), sentence, &mut budget()), expected, "{matrix}");
    }
}

/// What is proved holds for small numbers, by nothing but the evaluator: random sentences.
#[test]
fn proved_sentences_hold_for_small_numbers() {
    let mut state = 7_u64;
    let mut draw = move |bound: u64| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) % bound
    };
    let number = |depth: u32, draw: &mut dyn FnMut(u64) -> u64| -> String {
        fn term(depth: u32, draw: &mut dyn FnMut(u64) -> u64) -> String {
            if depth == 0 || draw(3) == 0 {
                return ["x", "y", "z", "0", "1", "2", "3"][draw(7) as usize].to_owned();
            }
            let (a, b) = (term(depth - 1, draw), term(depth - 1, draw));
            match draw(6) {
                0 => format!("(- {a} {b})"),
                1 => format!("(ite (< {a} {b}) {b} {a})"),
                2 => format!("(* 2 {a})"),
                3 => format!("(mod {a} 3)"),
                4 => format!("(div {a} 2)"),
                _ => format!("(+ {a} {b})"),
            }
        }
        term(depth, draw)
    };
    let (mut proved, mut refuted) = (0, 0);
    for _ in 0..500 {
        let atom = |draw: &mut dyn FnMut(u64) -> u64| {
            let relation = ["<", "<=", "=", "distinct", ">="][draw(5) as usize];
            format!("({relation} {} {})", number(2, draw), number(1, draw))
        };
        let parts: Vec<String> = (0..4).map(|_| atom(&mut draw)).collect();
        let text = format!(
            "(assert (forall ((x Int) (y Int) (z Int)) (=> (and {} {} (or {} {})) {})))",
            parts[0],
            parts[1],
            parts[2],
            parts[3],
            atom(&mut draw)
        );
        let formula = Formula::read(text.clone()).expect("a formula");
        let sentence = formula.assertions()[0].term;
        let mut store = formula.store().clone();
        let Term::Quant(_, vars, body) = store.get(sentence) else { panic!("a quantifier") };
        let vars = vars.to_vec();
        let constants = ["cx", "cy", "cz"].map(|name| {
            let name = store.symbols.intern(name);
            store.declare_constant(name, assay_term::SortId::INT)
        });
        let mut by = vars.into_iter().zip(constants.iter().map(|c| c.1)).collect();
        let ground = store.replace(body, &mut by);
        let is_refuted = (0..343_i64).any(|n| {
            let mut model = Model::new();
            for ((func, _), n) in constants.iter().zip([n % 7 - 3, n / 7 % 7 - 3, n / 49 - 3]) {
                model.set(*func, Interpretation::Value(Value::Int(Int::from(n))));
            }
            Evaluator::new(&store, &model).holds(ground) == Ok(false)
        });
        let is_proved = is_valid(formula.store(), sentence, &mut Budget::new(3_000_000, 1 << 24));
        assert!(!(is_refuted && is_proved), "{text}");
        proved += usize::from(is_proved);
        refuted += usize::from(is_refuted);
    }
    assert!(proved > 30 && refuted > 100, "{proved} proved, {refuted} refuted");
}

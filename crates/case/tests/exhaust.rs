//! Formulas over few values: every assignment is tried, and what is not certain stays unknown.

use assay_case::{
    Answer, Comparison, Exhaustion, FindingKind, Formula, Grade, Judgement, Observation, Oracle,
    Origin, Statement, TestCase, Why, Witness, compare, exhaust, find_model, judge, refutation,
    usual_budget,
};
use assay_term::budget::Budget;
use std::time::Duration;

fn formula(text: &str) -> Formula {
    Formula::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn tried(text: &str) -> String {
    match exhaust(&formula(text), &mut usual_budget()) {
        Some(Exhaustion::Sat(_)) => "sat".into(),
        Some(Exhaustion::Unsat(count)) => format!("unsat {count}"),
        None => "unknown".into(),
    }
}

/// bitwuzla 0.9.1 calls it unsat.
const SHIFTS: &str = "(set-info :status sat)(declare-const v0 (_ BitVec 3))
    (assert (= #b000 (bvadd (bvshl (bvshl #b111 v0) v0) (bvshl #b111 v0))))(check-sat)";
const ODD: &str = "(set-info :status sat)(declare-const v (_ BitVec 3))
    (assert (= (bvmul v #b010) #b001))(check-sat)";

const ZERO: &str = "(declare-const b Bool)
    (assert (fp.isNegative (fp.min (_ +zero 5 11) (_ -zero 5 11))))(assert b)";
const NO_NAN: &str = "(assert (fp.isNaN (fp.min (_ +zero 5 11) (_ -zero 5 11))))";
const TWO_ZEROS: &str = "(declare-const b Bool)
    (assert (= b (fp.isNegative (fp.max (_ -zero 5 11) (_ +zero 5 11)))))
    (assert (= b (fp.isPositive (fp.max (_ -zero 5 11) (_ +zero 5 11)))))";

#[test]
fn no_model_is_found_where_a_constant_has_no_value() {
    let text = "(declare-const x Int)(declare-const y Int)(assert (and (> x 3) (< x 4)))
        (assert (and (> y 0) (< y 4)))";
    assert!(find_model(&formula(text), &mut usual_budget()).is_none());
}

#[test]
fn small_domains_are_searched_completely() {
    let table = [
        (SHIFTS, "sat"),
        (ODD, "unsat 8"),
        ("(assert false)", "unsat 1"),
        ("(assert true)", "sat"),
        ("(declare-const a Bool)(declare-const b Bool)(assert (and a (not b)))", "sat"),
        ("(declare-const a Bool)(assert (distinct a true false))", "unsat 2"),
        ("(declare-const a Bool)(define-fun f ((x Bool)) Bool (and x a))(assert (f true))", "sat"),
        ("(declare-const a Bool)(define-fun f () Bool (not a))(assert (and a f))", "unsat 2"),
        (
            "(declare-datatype C ((r) (g) (b)))(declare-const x C)(declare-const y C)
          (declare-const z C)(declare-const w C)(assert (distinct x y z w))",
            "unsat 81",
        ),
        ("(declare-const m RoundingMode)(assert (distinct m RNE RNA RTP RTN RTZ))", "unsat 5"),
        (
            "(declare-const b (_ BitVec 2))(assert (forall ((c (_ BitVec 2))) (bvult b c)))",
            "unsat 4",
        ),
        // An integer without a value, before another one.
        (
            "(declare-const x Int)(declare-const y Int)(assert (and (> x 3) (< x 4)))
          (assert (and (> y 0) (< y 4)))",
            "unsat 0",
        ),
        // A pop takes the contradiction back.
        (
            "(declare-const a Bool)(push 1)(assert false)(check-sat)(pop 1)(assert a)(check-sat)",
            "sat",
        ),
        // Too many, infinite, or functions: nothing is known.
        ("(declare-const v (_ BitVec 17))(assert (distinct v v))", "unknown"),
        ("(declare-const i Int)(assert (< i i))", "unknown"),
        ("(declare-sort U 0)(declare-const u U)(assert (distinct u u))", "unknown"),
        ("(declare-fun f (Bool) Bool)(assert (and (f true) (not (f true))))", "unknown"),
        // What the standard leaves open: one choice is enough.
        ("(declare-const b Bool)(assert (and b (= (div 1 0) 7)))", "sat"),
        ("(declare-const b Bool)(assert (and b (not b) (= (div 1 0) 7)))", "unsat 2"),
        (ZERO, "sat"),
        // No choice is: a zero is no NaN, and one application has one result.
        (NO_NAN, "unsat 1"),
        (TWO_ZEROS, "unsat 2"),
        // There are too many choices, none of which would do.
        ("(assert (distinct (* 2 (div 1 0)) (+ (div 1 0) (div 1 0))))", "unknown"),
        // A field of another constructor.
        (
            "(declare-datatype P ((a (x Bool)) (b)))(declare-const p P)
          (assert (and ((_ is b) p) (not (x p))))",
            "sat",
        ),
    ];
    for (text, expected) in table {
        assert_eq!(tried(text), expected, "{text}");
    }
}

/// Integers between bounds that are asserted are tried; bounds that need not hold are none.
#[test]
fn bounded_integers_are_searched_completely() {
    let int = |assertions: &str| {
        tried(&format!(
            "(declare-const x Int)(declare-const y Int)(declare-const b Bool){assertions}(check-sat)"
        ))
    };
    let table = [
        ("(assert (and (> x 3) (< x 4)))", "unsat 0"),
        ("(assert (and (>= x 3) (< x 4)))", "sat"),
        ("(assert (and (>= x 3) (< x 4) (distinct x 3)))", "unsat 1"),
        ("(assert (and (>= x 3) (<= x 4) (distinct x 3)))", "sat"),
        ("(assert (and (> x 3) (<= x 4) (distinct x 4)))", "unsat 1"),
        ("(assert (and (< 3 x) (<= x 6) (= (mod x 7) 0)))", "unsat 3"),
        (
            "(assert (! (and (! (>= 6 x) :named low) (> x (- 1))) :named n))(assert (= (* x x) 2))",
            "unsat 7",
        ),
        ("(assert (< (- 2) x 2))(assert (= (* x x) 2))", "unsat 3"),
        ("(assert (= x 5))(assert (= (mod x 2) 0))", "unsat 1"),
        ("(assert (not (or (< x 0) (not (<= x 1)))))(assert (= (* x x) 2))", "unsat 2"),
        ("(assert (<= 0 x 1))(assert (<= 0 y 1))(assert (> (+ x y) 2))", "unsat 4"),
        // The tighter bound counts, whichever comes first.
        ("(assert (<= 0 x 9))(assert (< x 3))(assert (= (* x x) 2))", "unsat 3"),
        ("(assert (< x 3))(assert (<= 0 x 9))(assert (= (* x x) 2))", "unsat 3"),
        ("(assert (<= x 3))(assert (< x 3))(assert (>= x 3))", "unsat 0"),
        // A pop takes a bound back.
        (
            "(push 1)(assert (< x 0))(check-sat)(pop 1)(assert (> x 0))(assert (= x (+ x 1)))(check-sat)",
            "unknown",
        ),
        // No bounds: not asserted, of something else, on one side, too far apart.
        ("(assert (or (> x 3) b))(assert (< x 4))(assert (not b))", "unknown"),
        ("(assert (or (and (> x 3) (< x 4)) (= x (+ x 1))))", "unknown"),
        ("(assert (not (and (> x 3) (< x 4))))(assert (= x (+ x 1)))", "unknown"),
        ("(assert (=> b (> x 3)))(assert (< x 4))", "unknown"),
        ("(assert (not (< 0 x 9)))(assert (= x (+ x 1)))", "unknown"),
        ("(assert (not (= x 3)))(assert (= x (+ x 1)))", "unknown"),
        ("(assert (ite b (> x 3) (< x 4)))(assert (= x (+ x 1)))", "unknown"),
        ("(assert (forall ((z Int)) (and (> z 3) (< z 4))))", "unknown"),
        ("(assert (forall ((x Int)) (and (> x 3) (< x 4))))", "unknown"),
        ("(assert (> (+ x 1) 3))(assert (< (+ x 1) 4))", "unknown"),
        ("(assert (> x y))(assert (< x 4))(assert (= x (+ x 1)))", "unknown"),
        ("(assert (<= 0 x 99999))(assert (= (* x x) 2))", "unknown"),
        ("(assert (xor (> x 3) (< x 4)))(assert (= x (+ x 1)))", "unknown"),
    ];
    for (text, expected) in table {
        assert_eq!(int(text), expected, "{text}");
    }
}

/// Of reals nothing is tried, but bounds can contradict each other.
#[test]
fn bounds_of_reals_may_contradict_each_other() {
    let real = |assertions: &str| tried(&format!("(declare-const x Real){assertions}"));
    let table = [
        ("(assert (and (> x 3.0) (< x 4.0)))", "unknown"),
        ("(assert (and (> x 4.0) (< x 3.0)))", "unsat 0"),
        ("(assert (and (>= x 0.5) (< x 0.5)))", "unsat 0"),
        ("(assert (and (> x 0.5) (<= x 0.5)))", "unsat 0"),
        ("(assert (and (>= x 0.5) (<= x 0.5)))", "unknown"),
        ("(assert (and (= x 0.5) (> x 0.25)))", "unknown"),
        ("(assert (= x 0.5))(assert (= 0.25 x))", "unsat 0"),
        ("(assert (or (> x 4.0) (< x 3.0)))", "unknown"),
    ];
    for (text, expected) in table {
        assert_eq!(real(text), expected, "{text}");
    }
}

#[test]
fn an_exhausted_budget_decides_nothing() {
    assert!(exhaust(&formula(ODD), &mut Budget::new(20, 1 << 20)).is_none());
}

fn case(text: &str, oracle: Oracle) -> TestCase {
    TestCase::formula("case", formula(text), oracle, Origin::default()).expect("a case")
}

fn said(answer: Answer, model: Option<&str>) -> Observation {
    let mut seen = Observation::new(answer, Duration::from_millis(1));
    seen.model = model.map(str::to_owned);
    seen
}

fn compared(case: &TestCase, seen: &[Observation]) -> Comparison {
    let said = seen.iter().map(|seen| Statement { who: "tool", seen });
    compare(case, &said.collect::<Vec<_>>())
}

fn declared_sat() -> Oracle {
    Oracle::Sat(Witness::Declared("a file".into()))
}

fn declared_unsat() -> Oracle {
    Oracle::Unsat { why: Why::Declared("a file".into()), core: None }
}

#[test]
fn a_contradicted_declaration_is_proved_or_refuted() {
    // Proved by exhaustion: the tool is certainly wrong.
    let shifts = case(SHIFTS, declared_sat());
    let unsat = said(Answer::Unsat, None);
    let Comparison::Decided(truth) = compared(&shifts, std::slice::from_ref(&unsat)) else {
        panic!("it is decided")
    };
    let Judgement::Finding(finding) = judge(&truth, &unsat) else { panic!("it is wrong") };
    assert_eq!((finding.kind, finding.grade), (FindingKind::WrongUnsat, Grade::Certified));
    assert_eq!(refutation(&shifts, &truth), None);
    // Refuted by exhaustion: the tool is right, and the file is wrong.
    let odd = case(ODD, declared_sat());
    let Comparison::Decided(truth) = compared(&odd, std::slice::from_ref(&unsat)) else {
        panic!("it is decided")
    };
    assert_eq!(judge(&truth, &unsat), Judgement::Correct);
    let words = refutation(&odd, &truth).expect("the file is wrong").to_string();
    assert_eq!(
        words,
        "none of the 8 assignments satisfies the formula, so sat, declared by a file, is wrong"
    );
    // A model of any tool decides where there are too many assignments.
    let large = "(declare-const x Int)(assert (> x 4))(check-sat)";
    let model = "((define-fun x () Int 5))";
    let both = [said(Answer::Unsat, None), said(Answer::Sat, Some(model))];
    for oracle in [declared_sat(), declared_unsat(), Oracle::Open] {
        let case = case(large, oracle);
        let Comparison::Decided(truth) = compared(&case, &both) else { panic!("it is decided") };
        assert_eq!(truth.grade(), Some(Grade::Certified));
        assert!(matches!(truth.as_formula().expect("a formula").oracle(), Oracle::Sat(_)));
    }
    // A wrong model decides nothing.
    let wrong = [said(Answer::Unsat, None), said(Answer::Sat, Some("((define-fun x () Int 1))"))];
    let seen = compared(&case(large, declared_sat()), &wrong);
    assert!(matches!(seen, Comparison::Contested), "{seen:?}");
}

/// One tool is enough: an assignment shows that its unsat is wrong.
#[test]
fn an_assignment_refutes_an_uncontradicted_unsat() {
    // A million assignments are searched, one of which is a model.
    let wide = "(declare-const v (_ BitVec 20))(assert (= (bvmul v v) #x9d9e9))(check-sat)";
    let unsat = said(Answer::Unsat, None);
    for (text, oracle) in [(SHIFTS, Oracle::Open), (SHIFTS, declared_unsat()), (wide, Oracle::Open)]
    {
        let case = case(text, oracle);
        let Comparison::Decided(truth) = compared(&case, std::slice::from_ref(&unsat)) else {
            panic!("{text} is decided")
        };
        let Judgement::Finding(finding) = judge(&truth, &unsat) else { panic!("it is wrong") };
        assert_eq!((finding.kind, finding.grade), (FindingKind::WrongUnsat, Grade::Certified));
    }
}

/// A wrong model of an unsatisfiable formula is the lesser mistake.
#[test]
fn a_wrong_model_of_an_unsatisfiable_formula_is_a_wrong_sat() {
    let model = "((define-fun v () (_ BitVec 3) #b000))";
    let sat = said(Answer::Sat, Some(model));
    let odd = case(ODD, Oracle::Open);
    let Judgement::Finding(first) = judge(&odd, &sat) else { panic!("the model is wrong") };
    assert_eq!(first.kind, FindingKind::InvalidModel);
    let Comparison::Decided(truth) = compared(&odd, std::slice::from_ref(&sat)) else {
        panic!("it is decided")
    };
    let Judgement::Finding(finding) = judge(&truth, &sat) else { panic!("it is wrong") };
    assert_eq!((finding.kind, finding.grade), (FindingKind::WrongSat, Grade::Certified));
    // The formula is satisfiable: the model stays what is wrong.
    let seen = compared(
        &case(SHIFTS, Oracle::Open),
        &[said(Answer::Sat, Some("((define-fun v0 () (_ BitVec 3) #b000))"))],
    );
    assert!(matches!(seen, Comparison::Agreed), "{seen:?}");
}

/// Where nobody contradicts anything, or the truth is certain, nothing is looked for.
#[test]
fn answers_that_agree_are_not_examined() {
    let agreed = |case: &TestCase, answer: Answer| {
        matches!(compared(case, &[said(answer, None)]), Comparison::Agreed)
    };
    assert!(agreed(&case(SHIFTS, declared_sat()), Answer::Sat));
    assert!(agreed(&case(SHIFTS, declared_sat()), Answer::Timeout));
    assert!(agreed(&case(ODD, declared_unsat()), Answer::Unsat));
    let certain = Oracle::Unsat { why: Why::Certified(Vec::new()), core: None };
    assert!(agreed(&case(ODD, certain), Answer::Sat));
}

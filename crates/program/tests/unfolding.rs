//! Recursive definitions, unfolded to a depth; mazes in a chain; mazes without constraints.

use assay_case::{
    CaseId, Category, Expected, Formula, MakeError, Oracle, Origin, Selection, Several, Suite,
    TestCase, Why, Witness, check_model,
};
use assay_program::{ProgramOptions, Programs};

/// One formula with its model, if it has one.
struct One {
    text: &'static str,
    model: Option<&'static str>,
}

impl Suite for One {
    fn name(&self) -> &str {
        "one"
    }

    fn categories(&self) -> Vec<Category> {
        vec![Category { name: "one".into(), group: "one".into(), expected: Expected::Open }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut(std::iter::once(CaseId { category: 0, index: 0 }))
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let mut formula = Formula::read(self.text).expect("a formula");
        let oracle = match self.model {
            Some(text) => {
                let model = formula.read_model(text).expect("a model");
                let model = check_model(&formula, model).expect("it holds");
                Oracle::Sat(Witness::Checked(model))
            }
            None => Oracle::Unsat { why: Why::Declared("the test".into()), core: None },
        };
        TestCase::formula("one", formula, oracle, Origin::default()).map_err(MakeError::fault)
    }
}

fn made(text: &'static str, model: Option<&'static str>, unfold: u32) -> Result<TestCase, String> {
    made_with(text, model, ProgramOptions { unfold, ..ProgramOptions::default() })
}

fn made_with(
    text: &'static str,
    model: Option<&'static str>,
    config: ProgramOptions,
) -> Result<TestCase, String> {
    let config = ProgramOptions { shapes: vec!["straight".into()], ..config };
    let programs = Programs::new(Box::new(One { text, model }), config, None);
    let made = programs.program(CaseId { category: 0, index: 0 });
    made.map(|(case, _)| case).map_err(|error| error.to_string())
}

const SUM: &str = "(declare-const n Int)
    (define-fun-rec sum ((i Int)) Int (ite (<= i 0) 0 (+ i (sum (- i 1)))))
    (assert (= (sum n) 10))";

#[test]
fn recursive_definitions_are_unfolded_as_deep_as_needed() {
    let model = Some("((define-fun n () Int 4))");
    let case = made(SUM, model, 8).expect("four calls are enough");
    assert_eq!(case.expected(), Expected::Reachable);
    // A bound that is too low leaves no program; it must not leave one with another truth.
    let shallow = made(SUM, model, 2).expect_err("two calls are not enough");
    assert!(shallow.contains("model"), "{shallow}");
    // Without a model the program is run towards its error, which it must not reach.
    let never = "(declare-const n Int)
        (define-fun-rec sum ((i Int)) Int (ite (<= i 0) 0 (+ i (sum (- i 1)))))
        (assert (= (sum n) 11)) (assert (= n 4))";
    let case = made(never, None, 8).expect("a program");
    assert_eq!(case.expected(), Expected::Unreachable);
}

#[test]
fn calls_beyond_the_depth_matter_only_where_they_decide() {
    // The second argument of `or` is beyond any depth, and the first one decides.
    let decided = "(declare-const b Bool)
        (define-fun-rec forever ((i Int)) Bool (forever (+ i 1)))
        (assert (or b (forever 0)))";
    assert!(made(decided, Some("((define-fun b () Bool true))"), 3).is_ok());
    let mutual = "(declare-const n Int)
        (define-funs-rec ((even ((i Int)) Bool) (odd ((i Int)) Bool))
          ((ite (= i 0) true (odd (- i 1))) (ite (= i 0) false (even (- i 1)))))
        (assert (and (even n) (> n 2)))";
    assert!(made(mutual, Some("((define-fun n () Int 4))"), 8).is_ok());
}

fn constructed() -> Box<dyn Suite> {
    let config = assay_forge::SuiteOptions::default();
    let tours = ["bitvectors", "ints", "arrays"]
        .map(|name| assay_forge::tour(name, &config).expect("there is such a suite"));
    Box::new(Several::new(tours.into()))
}

fn cases(config: ProgramOptions, count: u64) -> Vec<TestCase> {
    let programs = Programs::new(constructed(), config, None);
    let selection = Selection { sample: Some(count), ..Selection::default() };
    let ids: Vec<CaseId> = programs.cases(&selection).collect();
    ids.into_iter().filter_map(|id| programs.make(id).ok()).collect()
}

#[test]
fn chained_mazes_lead_through_every_maze() {
    let maze = || vec!["maze".to_owned()];
    let config = ProgramOptions {
        shapes: maze(),
        size: Some((3, 3)),
        chain: 3,
        random_exit: true,
        comparisons: 50,
        cycles: 30,
        ..ProgramOptions::default()
    };
    let cases = cases(config, 60);
    assert!(cases.len() > 20, "{}", cases.len());
    for case in &cases {
        let text = &case.as_program().expect("a program").program.text;
        let calls = |cell: u32| text.matches(&format!("func_{cell}(")).count();
        // The first cell of each maze is defined and entered.
        assert!([0, 9, 18].into_iter().all(|cell| calls(cell) >= 2), "{text}");
    }
}

#[test]
fn mazes_without_constraints_always_reach_the_error() {
    let config = ProgramOptions {
        size: Some((4, 5)),
        unguarded: true,
        comparisons: 50,
        ..ProgramOptions::default()
    };
    let made = cases(config, 30);
    assert_eq!(made.len(), 30);
    assert!(made.iter().all(|case| case.expected() == Expected::Reachable));
    let texts: std::collections::BTreeSet<_> = made.iter().map(TestCase::text).collect();
    assert!(texts.len() > 25, "{} different programs", texts.len());
}

#[test]
fn only_cases_with_the_requested_truth_are_made() {
    for (reached, expected) in [(true, Expected::Reachable), (false, Expected::Unreachable)] {
        let config = ProgramOptions { expected: Some(reached), ..ProgramOptions::default() };
        let made = cases(config, 120);
        assert!(made.len() > 5 && made.len() < 115, "{expected:?}: {}", made.len());
        assert!(made.iter().all(|case| case.expected() == expected));
    }
}

#[test]
fn reals_are_fractions_over_a_common_denominator() {
    let text = "(declare-const x Real) (declare-const y Real) (declare-const n Int)
        (define-fun half () Real (/ 1.0 2.0)) (define-fun large () Bool (> x half))
        (assert (= (+ x (* 3 y)) (/ 7.0 4.0)))
        (assert (> (ite large x (- x)) 0.3))
        (assert (= (to_int (* x 4)) n))
        (assert (not (is_int x)))
        (assert (distinct x y (to_real n)))";
    let model = "((define-fun x () Real (/ 3.0 4.0)) (define-fun y () Real (/ 1.0 3.0))
        (define-fun n () Int 3))";
    let case = made(text, Some(model), 0).expect("a program");
    assert_eq!(case.expected(), Expected::Reachable);
    let never = "(declare-const x Real) (assert (< 0.25 x)) (assert (< (* 2.0 x) 0.5))";
    assert_eq!(made(never, None, 0).expect("a program").expected(), Expected::Unreachable);
    let open = made("(declare-const x Real) (assert (= (/ 1.0 x) 2.0))", None, 0);
    assert!(open.expect_err("x may be zero").contains("Real"));
}

#[test]
fn functions_are_arrays_where_their_values_fit() {
    let config = || ProgramOptions { tables: true, ..ProgramOptions::default() };
    let text = "(declare-fun f ((_ BitVec 8) Int) (_ BitVec 8)) (declare-const x (_ BitVec 8))
        (declare-const n Int) (define-fun here () (_ BitVec 8) (f x n))
        (assert (= here #x07)) (assert (= (f (bvadd x #x01) n) #x08))
        (assert (not (= (f x 3) (f x n))))";
    let model = "((define-fun f ((a (_ BitVec 8)) (b Int)) (_ BitVec 8)
          (ite (= b 3) #x00 (bvadd a #x05)))
        (define-fun x () (_ BitVec 8) #x02) (define-fun n () Int 4))";
    let case = made_with(text, Some(model), config()).expect("a program");
    let looked_up = &case.as_program().expect("a program").program.text;
    assert!(looked_up.contains("[3]") || looked_up.contains("]["), "{looked_up}");
    // The same function value twice: no assignment of arrays reaches the error.
    let never = "(declare-fun f (Int) Int) (declare-const x Int) (declare-const y Int)
        (assert (= x y)) (assert (distinct (f x) (f y)))";
    let case = made_with(never, None, config()).expect("a program");
    assert_eq!(case.expected(), Expected::Unreachable);
    // Too far away for an array: written as before.
    let far =
        "(declare-fun f (Int) Int) (declare-const x Int) (assert (= (f x) 5)) (assert (> x 9999))";
    let model = "((define-fun f ((a Int)) Int 5) (define-fun x () Int 10000))";
    let case = made_with(far, Some(model), config()).expect("a program");
    assert!(!case.as_program().expect("a program").program.text.contains("]"));
}

#[test]
fn wide_vectors_are_read_in_two_halves() {
    let text = "(declare-const x (_ BitVec 100)) (declare-fun f ((_ BitVec 128)) (_ BitVec 72))
        (declare-const a (Array (_ BitVec 80) (_ BitVec 96)))
        (assert (bvugt x (bvshl (_ bv3 100) (_ bv90 100))))
        (assert (= (f (concat x #x0000001)) (f #x00000000000000000000000000000001)))
        (assert (= (select a (_ bv5 80)) (bvnot (_ bv0 96))))";
    let model = "((define-fun x () (_ BitVec 100) (bvnot (_ bv0 100)))
        (define-fun f ((y (_ BitVec 128))) (_ BitVec 72) (bvnot (_ bv6 72)))
        (define-fun a () (Array (_ BitVec 80) (_ BitVec 96))
          ((as const (Array (_ BitVec 80) (_ BitVec 96))) (bvnot (_ bv0 96)))))";
    let case = made(text, Some(model), 0).expect("a program");
    let test = case.as_program().expect("a program");
    assert!(test.program.text.contains("unsigned __int128"), "{}", test.program.text);
    let inputs = test.program.inputs.as_ref().expect("a witness");
    assert!(inputs.iter().all(|input| input.source == "ulong"), "{inputs:?}");
}

//! Finite fields, sets, bags, tuples and relations: scripts, and models as cvc5 and z3 print them.

mod support;

use assay_smtlib::{Lets, read_model, read_script};
use assay_term::{Evaluator, Store};
use support::round_trip;

const SCRIPT: &str = "
(define-sort F () (_ FiniteField 7))
(declare-const x F)
(declare-const s (Set Int))
(declare-const r (Relation Int String))
(declare-const b (Bag Bool))
(declare-const n (Nullable Int))
(declare-const m (Table Int))
(assert (= (ff.add x #f3m7) (as ff-6 F)))
(assert (= (ff.bitsum x x) (ff.mul x (as ff3 F))))
(assert (= s (set.insert 1 2 (as set.empty (Set Int)))))
(assert (set.member (tuple 1 \"a\") r))
(assert (= ((_ tuple.project 1 1) (tuple 1 \"a\")) ((_ tuple.update 0) (tuple \"b\" \"a\") \"a\")))
(assert (= (rel.join r (set.singleton (tuple \"a\" 2.5))) (set.singleton (tuple 1 2.5))))
(assert (= (bag.count true b) 2))
(assert (= (nullable.val n) 4))
(assert (= m (bag (tuple 0) 3)))
";

/// As cvc5 and z3 print values.
const MODEL: &str = "(
(define-fun x () (_ FiniteField 7) #f5m7)
(define-fun s () (Set Int) (set.union (set.singleton 2) (set.singleton 1)))
(define-fun r () (Set (Tuple Int String)) (set.singleton (tuple 1 \"a\")))
(define-fun b () (Bag Bool) (bag.union_disjoint (bag true 2) (bag false 1)))
(define-fun n () (Nullable Int) (nullable.some 4))
(define-fun m () (Bag (Tuple Int)) (bag (tuple 0) 3))
)";

#[test]
fn scripts_about_collections_round_trip() {
    round_trip(SCRIPT);
}

/// How many assertions are true, and how many false.
fn verdicts(model: &str) -> (usize, usize) {
    let mut store = Store::new();
    let (script, env) =
        read_script(&mut store, SCRIPT.as_bytes(), Lets::Keep).expect("the script is right");
    let model = read_model(&mut store, &env, model).expect("the model is right");
    let mut evaluator = Evaluator::new(&store, &model);
    let values: Vec<_> =
        script.active_assertions().into_iter().map(|(a, _)| evaluator.holds(a)).collect();
    let reasons: Vec<String> =
        values.iter().filter_map(|v| v.as_ref().err()).map(|u| u.words(&store)).collect();
    assert_eq!(reasons, Vec::<String>::new());
    let count = |value| values.iter().filter(|v| **v == Ok(value)).count();
    (count(true), count(false))
}

#[test]
fn models_of_solvers_are_evaluated() {
    assert_eq!(verdicts(MODEL), (9, 0));
    let z3 = MODEL.replace("#f5m7", "(as ff5 (_ FiniteField 7))");
    assert_eq!(verdicts(&z3), (9, 0));
    for (right, wrong) in [
        ("#f5m7", "#f4m7"),
        ("(set.singleton 2)", "(set.singleton 3)"),
        ("(bag true 2)", "(bag true 3)"),
        ("(nullable.some 4)", "(nullable.some 5)"),
        ("(bag (tuple 0) 3)", "(bag (tuple 0) 2)"),
    ] {
        assert_eq!(verdicts(&MODEL.replace(right, wrong)), (8, 1), "{wrong}");
    }
}

//! Small seeds, and the mutants that a suite makes of them.

use super::scripted::{all, consulted, folder, formula};
use assay_case::TestCase;
use assay_mutate::MutantOptions;
use assay_term::{AttributeValue, Term};

/// Seeds with a model each, and some that have none.
pub(crate) const SEEDS: &[(&str, &str, Option<&str>)] = &[
    (
        "ints.smt2",
        "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
         (assert (=> (> x 5) (xor p (< (+ x y) 10))))
         (assert (not (and (= x y) (distinct x 3))))
         (assert (ite p (<= x 7) (>= (* 2 y) 1)))(check-sat)",
        Some("((define-fun x () Int 6)(define-fun y () Int 1)(define-fun p () Bool false))"),
    ),
    (
        "arrays.smt2",
        "(set-logic QF_ABV)(declare-const a (Array (_ BitVec 2) (_ BitVec 8)))
         (declare-const b (Array (_ BitVec 2) (_ BitVec 8)))(declare-const i (_ BitVec 2))
         (assert (bvult (select a i) #x10))(assert (or (= a b) (bvsle (select b i) #x80)))
         (assert (= ((_ extract 3 0) (select a i)) #xf))(check-sat)",
        Some(
            "((define-fun a () (Array (_ BitVec 2) (_ BitVec 8))
               ((as const (Array (_ BitVec 2) (_ BitVec 8))) #x0f))
              (define-fun b () (Array (_ BitVec 2) (_ BitVec 8))
               ((as const (Array (_ BitVec 2) (_ BitVec 8))) #x0f))
              (define-fun i () (_ BitVec 2) #b01))",
        ),
    ),
    (
        "strings.smt2",
        "(set-logic QF_SLIA)(declare-const s String)(declare-const t String)
         (assert (str.prefixof s t))(assert (not (= s t)))
         (assert (str.in_re t (re.+ (str.to_re \"ab\"))))
         (assert (or (str.contains t \"c\") (< (str.len s) 3)))(check-sat)",
        Some("((define-fun s () String \"ab\")(define-fun t () String \"abab\"))"),
    ),
    (
        "booleans.smt2",
        "(set-logic QF_UF)(set-info :status unsat)(declare-const p Bool)(declare-const q Bool)
         (declare-const r Bool)(assert (or p q r))(assert (and (=> p q) (not q)))
         (assert (xor q r))(assert (ite r p (= p q)))(check-sat)",
        None,
    ),
    (
        "vectors.smt2",
        "(set-logic QF_BV)(set-info :status unsat)(declare-const p (_ BitVec 2))
         (declare-const q (_ BitVec 2))(declare-const r Bool)(assert (not (bvuge q p)))
         (assert (bvult p #b01))(assert (=> r (distinct p q)))(check-sat)",
        None,
    ),
    (
        "shifts.smt2",
        "(set-logic QF_BV)(declare-const p (_ BitVec 3))(declare-const q (_ BitVec 3))
         (assert (bvult (bvshl p q) (bvand p #b101)))(assert (distinct (bvadd p q) #b000))(check-sat)",
        Some("((define-fun p () (_ BitVec 3) #b101)(define-fun q () (_ BitVec 3) #b100))"),
    ),
    (
        "quantified.smt2",
        "(set-logic BV)(set-info :status unsat)(declare-const x (_ BitVec 2))
         (assert (forall ((y (_ BitVec 2))) (! (or (bvult y x) (= (bvadd y y) y)) :pattern ((bvult y x)))))
         (assert (! (= x #b01) :named one))(check-sat)",
        None,
    ),
];

/// The mutants of these seeds, without the seeds themselves.
pub(crate) fn mutants(suite: &str, mutants: u32) -> Vec<TestCase> {
    let files: Vec<(&str, &str)> = SEEDS.iter().map(|&(name, text, _)| (name, text)).collect();
    let folder = folder(&files);
    let config = MutantOptions {
        seeds: vec![folder.path().to_owned()],
        mutants,
        ..MutantOptions::default()
    };
    let models = SEEDS.iter().filter_map(|&(_, text, model)| Some((text, model?))).collect();
    let mut cases = all(&*consulted(suite, config, models));
    cases.retain(|case| case.origin().category == suite);
    cases.iter().for_each(patterns_stand_in_their_quantifiers);
    cases
}

/// Solvers reject the attributes of a quantifier anywhere else.
fn patterns_stand_in_their_quantifiers(case: &TestCase) {
    let formula = formula(case);
    let (store, assertions) = (formula.store(), formula.assertions());
    let assertions: Vec<_> = assertions.iter().map(|assertion| assertion.term).collect();
    for term in store.postorder(&assertions) {
        let is_binder = matches!(store.get(term), Term::Quant(..));
        for &part in store.children(term) {
            let Term::Annotated(_, attributes) = store.get(part) else { continue };
            let belongs = attributes
                .iter()
                .all(|attribute| matches!(attribute.value, AttributeValue::Name(_)));
            assert!(is_binder || belongs, "{}", formula.text());
        }
    }
}

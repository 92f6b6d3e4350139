//! Mutants by equalities keep their seed's truth in both directions, and can be made again.

mod scripted;

use assay_case::{Oracle, TestCase, Witness};
use assay_mutate::{MutantOptions, Seed, rebuild};
use scripted::{all, consulted, folder, formula, satisfiable};
use std::collections::BTreeSet;

/// Seeds with a model each, and some that have none.
const SEEDS: &[(&str, &str, Option<&str>)] = &[
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
         (assert (= x #b01))(check-sat)",
        None,
    ),
];

fn mutants(mutants: u32) -> Vec<TestCase> {
    let files: Vec<(&str, &str)> = SEEDS.iter().map(|&(name, text, _)| (name, text)).collect();
    let folder = folder(&files);
    let config = MutantOptions {
        seeds: vec![folder.path().to_owned()],
        mutants,
        ..MutantOptions::default()
    };
    let models = SEEDS.iter().filter_map(|&(_, text, model)| Some((text, model?))).collect();
    let mut cases = all(&*consulted("equal", config, models));
    cases.retain(|case| case.origin().category == "equal");
    cases
}

#[test]
fn mutants_keep_the_truth_and_are_made_again() {
    let cases = mutants(120);
    assert_eq!(cases.len(), SEEDS.len() * 120);
    let (mut rules, mut searched) = (BTreeSet::new(), 0);
    for (name, text, model) in SEEDS {
        let seed = Seed::read(name, text.as_bytes(), 10_000).expect("a seed");
        let mine: Vec<&TestCase> =
            cases.iter().filter(|case| case.origin().seeds == [(*name).to_owned()]).collect();
        let mut checked = 0;
        for case in &mine {
            let made = formula(case).text();
            assert_ne!(made, seed.formula().text());
            assert_eq!(
                rebuild(&seed, &case.origin().trace).expect("it can be followed").text(),
                made
            );
            rules.extend(case.origin().rules.iter().cloned());
            let found = satisfiable(formula(case));
            assert_ne!(found, Some(model.is_none()), "{name}: {made}");
            searched += usize::from(found.is_some());
            match case.as_formula().expect("a formula").oracle() {
                Oracle::Sat(Witness::Checked(_)) => checked += 1,
                Oracle::Sat(_) => assert!(model.is_some(), "{name}: {made}"),
                Oracle::Unsat { .. } => assert!(model.is_none(), "{name}: {made}"),
                _ => panic!("{name}: the truth was lost: {made}"),
            }
        }
        assert!(model.is_none() || checked * 20 >= mine.len() * 19, "{name}: {checked}");
    }
    assert!(searched > 350, "only {searched} were searched");
    assert!(rules.len() > 100, "only {} rules took part", rules.len());
}

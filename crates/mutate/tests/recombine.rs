//! Recombined mutants: true under a model, or around a core, or of no known status.

mod scripted;
mod texts;

use assay_case::{Grade, Oracle, TestCase, Witness};
use assay_mutate::{MutantOptions, Seed, rebuild};
use assay_term::{Store, TermId};
use scripted::{all, consulted, folder, formula, satisfiable};
use texts::renumbered;

const SAT: &[(&str, &str, &str)] = &[
    (
        "ints.smt2",
        "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
         (define-fun small ((n Int)) Bool (< n 10))
         (assert (=> (> x 5) (xor p (small (+ x y)))))(assert (not (and (= x y) (distinct x 3))))
         (assert (ite p (<= x 7) (>= (* 2 y) 1)))(check-sat)",
        "((define-fun x () Int 6)(define-fun y () Int 1)(define-fun p () Bool false))",
    ),
    (
        "strings.smt2",
        "(set-logic QF_SLIA)(declare-const s String)(declare-const t String)
         (assert (and (str.prefixof s t) (not (= s t))))
         (assert (or (str.contains t \"c\") (< (str.len s) 3)))(check-sat)",
        "((define-fun s () String \"ab\")(define-fun t () String \"abab\"))",
    ),
];

/// Unsatisfiable over few values, with more assertions than it takes.
const UNSAT: &[(&str, &str)] = &[
    (
        "booleans.smt2",
        "(set-logic QF_UF)(set-info :status unsat)(declare-const p Bool)(declare-const q Bool)
         (declare-const r Bool)(assert (or p q r))(assert (and (=> p q) (not q)))
         (assert (xor q r))(assert p)(assert (= r r))(check-sat)",
    ),
    (
        "vectors.smt2",
        "(set-logic QF_BV)(set-info :status unsat)(declare-const p (_ BitVec 2))
         (declare-const r Bool)(declare-const q (_ BitVec 2))(assert (bvult q p))
         (assert (bvult p #b01))(assert (ite r (= p #b10) (= p #b11)))(assert (or r (= p q)))
         (check-sat)",
    ),
];

/// Nobody knows about these.
const UNKNOWN: &[(&str, &str)] = &[(
    "unknown.smt2",
    "(set-logic UFNIA)(declare-const x Int)(declare-fun f (Int) Int)
     (assert (> (* x x x) (f x)))(assert (forall ((y Int)) (or (< (f y) x) (= y x))))(check-sat)",
)];

fn texts() -> Vec<(&'static str, &'static str)> {
    let sat = SAT.iter().map(|&(name, text, _)| (name, text));
    sat.chain(UNSAT.iter().copied()).chain(UNKNOWN.iter().copied()).collect()
}

fn mutants(config: MutantOptions) -> Vec<TestCase> {
    let folder = folder(&texts());
    let config = MutantOptions { seeds: vec![folder.path().to_owned()], ..config };
    let models = SAT.iter().map(|&(_, text, model)| (text, model)).collect();
    let mut cases = all(&*consulted("recombine", config, models));
    cases.retain(|case| case.origin().category == "recombine");
    cases
}

fn rule(case: &TestCase) -> &str {
    let [rule] = &case.origin().rules[..] else { panic!("one rule") };
    rule
}

#[test]
fn recombinations_true_under_the_model_are_checked() {
    let cases = mutants(MutantOptions { mutants: 200, ..MutantOptions::default() });
    let mut counts = std::collections::BTreeMap::new();
    for case in &cases {
        *counts.entry((case.origin().seeds[0].clone(), rule(case))).or_insert(0) += 1;
        if rule(case) == "recombine-true" {
            let checked = matches!(
                case.as_formula().expect("a formula").oracle(),
                Oracle::Sat(Witness::Checked(_))
            );
            assert!(checked, "{}", formula(case).text());
        }
    }
    let count = |seed: &str, rule| counts.get(&(seed.to_owned(), rule)).copied().unwrap_or(0);
    assert_eq!(count("ints.smt2", "recombine-true"), 160);
    assert_eq!(count("ints.smt2", "recombine-mixed"), 40);
    // Satisfiable ones come of any seed.
    assert_eq!(count("vectors.smt2", "recombine-true"), 40);
    assert_eq!(count("vectors.smt2", "recombine-core"), 120);
    assert_eq!(count("unknown.smt2", "recombine-true"), 160);
}

#[test]
fn recombinations_of_a_core_have_no_model() {
    let cases = mutants(MutantOptions { mutants: 150, assertions: 8, ..MutantOptions::default() });
    let mut dropped = 0;
    for case in cases.iter().filter(|case| rule(case) == "recombine-core") {
        let Oracle::Unsat { why, .. } = case.as_formula().expect("a formula").oracle() else {
            panic!("{}", formula(case).text())
        };
        assert_eq!(why.grade(), Grade::Declared);
        assert_eq!(why.to_string(), "declared by scripted of a core of the seed");
        let text = formula(case).text();
        assert_eq!(satisfiable(formula(case)), Some(false), "{text}");
        dropped += usize::from(!text.contains("(xor q r)") && !text.contains("(bvult q p)"));
    }
    assert!(dropped > 20, "only the core is always there: {dropped}");
}

#[test]
fn mixed_recombinations_have_no_declared_truth() {
    let cases = mutants(MutantOptions { mutants: 100, ..MutantOptions::default() });
    let mixed: Vec<&TestCase> =
        cases.iter().filter(|case| rule(case) == "recombine-mixed").collect();
    assert_eq!(mixed.len(), 20 * texts().len());
    assert!(
        mixed
            .iter()
            .all(|case| matches!(case.as_formula().expect("a formula").oracle(), Oracle::Open))
    );
    let known: Vec<bool> = mixed.iter().filter_map(|case| satisfiable(formula(case))).collect();
    assert!(known.contains(&true) && known.contains(&false), "{known:?}");
}

#[test]
fn assertions_and_height_are_bounded() {
    fn height(store: &Store, root: TermId) -> usize {
        let below = store.children(root).iter().map(|&part| height(store, part));
        1 + below.max().unwrap_or(0)
    }
    let config =
        MutantOptions { mutants: 100, assertions: 4, height: 6, ..MutantOptions::default() };
    for case in mutants(config) {
        let formula = formula(&case);
        let core = rule(&case) == "recombine-core";
        let most = if core { 5 } else { 4 };
        assert!(formula.assertions().len() <= most, "{}", formula.text());
        for assertion in formula.assertions().iter().filter(|_| !core) {
            // One more where it is negated.
            assert!(height(formula.store(), assertion.term) <= 7, "{}", formula.text());
        }
    }
}

#[test]
fn mutants_are_made_again_from_their_trace() {
    for case in mutants(MutantOptions { mutants: 40, ..MutantOptions::default() }) {
        let origin = case.origin();
        let files = texts();
        let (name, text) =
            files.iter().find(|(name, _)| *name == origin.seeds[0]).expect("a seed of ours");
        let seed = Seed::read(name, text.as_bytes(), 10_000).expect("a seed of ours");
        let again = rebuild(&seed, &origin.trace).expect("the trace can be followed");
        assert_eq!(renumbered(again.text()), renumbered(formula(&case).text()));
    }
}

#[test]
fn the_same_numbers_make_the_same_mutants() {
    let texts = |rng| -> Vec<String> {
        let cases = mutants(MutantOptions { mutants: 15, rng, ..MutantOptions::default() });
        cases.iter().map(|case| formula(case).text().to_owned()).collect()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

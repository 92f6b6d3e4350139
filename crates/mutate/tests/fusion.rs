//! Fused mutants keep the status of their seeds, and their models, and can be made again.

mod scripted;
mod texts;

use assay_case::{MakeError, Oracle, Selection, TestCase, Witness};
use assay_mutate::{MutantOptions, Seed, rebuild_fused};
use scripted::{all, consulted, folder, formula, satisfiable};
use texts::renumbered;

/// Satisfiable seeds, each with a model. Some names clash.
const SAT: &[(&str, &str, &str)] = &[
    (
        "ints.smt2",
        "(set-logic QF_LIA)(declare-const x Int)(declare-const y Int)(declare-const p Bool)
         (assert (=> (> x 5) (xor p (< (+ x y) 10))))(assert (not (and (= x y) (distinct x 3))))
         (assert (ite p (<= x 7) (>= (* 2 y) 1)))(check-sat)",
        "((define-fun x () Int 6)(define-fun y () Int 1)(define-fun p () Bool false))",
    ),
    (
        "more-ints.smt2",
        "(set-logic QF_LIA)(declare-const x Int)(declare-fun f () Int)
         (assert (< x f))(assert (or (= (mod f 3) 2) (> f (* 5 x))))(check-sat)",
        "((define-fun x () Int (- 4))(define-fun f () Int 8))",
    ),
    (
        "reals.smt2",
        "(set-logic QF_NRA)(declare-const x Real)(declare-const y Real)
         (assert (= (* x y) 1.0))(assert (> x 2.0))(check-sat)",
        "((define-fun x () Real 4.0)(define-fun y () Real (/ 1.0 4.0)))",
    ),
    (
        "division.smt2",
        "(set-logic QF_NRA)(declare-const x Real)
         (assert (= (/ x 0.0) 1.0))(assert (> x 0.0))(check-sat)",
        "((define-fun x () Real 1.0)(define-fun /0 ((a Real)) Real 1.0))",
    ),
    (
        "bits.smt2",
        "(set-logic QF_ABV)(declare-const a (Array (_ BitVec 2) (_ BitVec 8)))
         (declare-const b (Array (_ BitVec 2) (_ BitVec 8)))(declare-const i (_ BitVec 2))
         (declare-const v (_ BitVec 8))
         (assert (bvult (select a i) #x10))(assert (or (= a b) (bvsle (select b i) #x80)))
         (assert (= ((_ extract 3 0) (select a i)) #xf))(assert (bvugt v #x07))(check-sat)",
        "((define-fun a () (Array (_ BitVec 2) (_ BitVec 8))
           ((as const (Array (_ BitVec 2) (_ BitVec 8))) #x0f))
          (define-fun b () (Array (_ BitVec 2) (_ BitVec 8))
           ((as const (Array (_ BitVec 2) (_ BitVec 8))) #x0f))
          (define-fun i () (_ BitVec 2) #b01)(define-fun v () (_ BitVec 8) #x9c))",
    ),
    (
        "strings.smt2",
        "(set-logic QF_SLIA)(declare-const s String)(declare-const t String)(declare-const n Int)
         (assert (str.prefixof s t))(assert (not (= s t)))(assert (= n (str.len s)))
         (assert (str.in_re t (re.+ (str.to_re \"ab\"))))
         (assert (or (str.contains t \"c\") (< (str.len s) 3)))(check-sat)",
        "((define-fun s () String \"ab\")(define-fun t () String \"abab\")(define-fun n () Int 2))",
    ),
    (
        "floats.smt2",
        "(set-logic QF_FP)(declare-const x Float16)(declare-const y Float16)(declare-const p Bool)
         (assert (fp.lt x y))(assert (not (fp.isZero x)))
         (assert (or p (fp.eq (fp.add RNE x y) y)))(check-sat)",
        "((define-fun x () Float16 (fp #b0 #b01111 #b1000000000))(define-fun p () Bool true)
          (define-fun y () Float16 (fp #b0 #b10000 #b1000000000)))",
    ),
    (
        "data.smt2",
        "(set-logic ALL)(declare-sort U 0)
         (declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))
         (declare-const l L)(declare-const m L)(declare-const u U)(declare-fun f (U) U)
         (define-fun first ((x L)) Int (head x))
         (assert (= l (cons 3 m)))(assert (> (first l) 2))(assert (= (f u) u))
         (assert (match l ((nil false) ((cons h t) (= t m)))))
         (assert (exists ((x Bool)) (and x (distinct (head l) 5))))(check-sat)",
        "((define-fun l () L (cons 3 nil))(define-fun m () L nil)(define-fun u () U (as @U_0 U))
          (define-fun f ((a U)) U a))",
    ),
];

/// Unsatisfiable seeds over so few values that every assignment can be tried.
const UNSAT: &[(&str, &str)] = &[
    (
        "booleans.smt2",
        "(set-logic QF_UF)(set-info :status unsat)(declare-const p Bool)(declare-const q Bool)
         (assert (or p q))(assert (=> p q))(assert (not q))(check-sat)",
    ),
    (
        "vectors.smt2",
        "(set-logic QF_BV)(set-info :status unsat)(declare-const p (_ BitVec 2))
         (declare-const r Bool)(assert (bvult p #b01))(assert (ite r (= p #b10) (= p #b11)))
         (check-sat)",
    ),
    (
        "more-vectors.smt2",
        "(set-logic QF_BV)(set-info :status unsat)(declare-const p (_ BitVec 2))
         (declare-const q (_ BitVec 1))(assert (= (bvadd p ((_ zero_extend 1) q)) #b11))
         (assert (bvult p #b10))(check-sat)",
    ),
    (
        "bound.smt2",
        "(set-logic BV)(set-info :status unsat)(declare-const p (_ BitVec 2))
         (assert (forall ((q (_ BitVec 2))) (bvule q (bvand p #b01))))(check-sat)",
    ),
];

fn models() -> Vec<(&'static str, &'static str)> {
    SAT.iter().map(|&(_, text, model)| (text, model)).collect()
}

fn texts() -> Vec<(&'static str, &'static str)> {
    SAT.iter().map(|&(name, text, _)| (name, text)).chain(UNSAT.iter().copied()).collect()
}

fn mutants(config: MutantOptions) -> Vec<TestCase> {
    let files = texts();
    let folder = folder(&files);
    let config = MutantOptions { seeds: vec![folder.path().to_owned()], ..config };
    let mut cases = all(&*consulted("fusion", config, models()));
    cases.retain(|case| case.origin().category == "fusion");
    cases
}

#[test]
fn satisfiable_mutants_have_a_checked_model() {
    let cases = mutants(MutantOptions { mutants: 100, ..MutantOptions::default() });
    let names: Vec<&str> = SAT.iter().map(|(name, ..)| *name).collect();
    let sat: Vec<&TestCase> =
        cases.iter().filter(|case| names.contains(&case.origin().seeds[0].as_str())).collect();
    assert!(sat.len() >= 600, "{}", sat.len());
    for case in &sat {
        let seeds = &case.origin().seeds;
        assert!(names.contains(&seeds[1].as_str()), "the partner is satisfiable too: {seeds:?}");
        let checked = matches!(
            case.as_formula().expect("a formula").oracle(),
            Oracle::Sat(Witness::Checked(_))
        );
        assert!(checked, "{seeds:?}: {}", formula(case).text());
    }
    let rules: std::collections::BTreeSet<&String> =
        cases.iter().flat_map(|case| &case.origin().rules).collect();
    assert!(rules.len() > 40, "{rules:?}");
}

#[test]
fn unsatisfiable_mutants_have_no_model() {
    let cases = mutants(MutantOptions { mutants: 60, ..MutantOptions::default() });
    let mut seen = 0;
    for case in &cases {
        if UNSAT.iter().any(|(name, _)| *name == case.origin().seeds[0]) {
            assert!(
                matches!(case.as_formula().expect("a formula").oracle(), Oracle::Unsat { .. }),
                "{}",
                formula(case).text()
            );
            assert_eq!(satisfiable(formula(case)), Some(false), "{}", formula(case).text());
            seen += 1;
        }
    }
    assert_eq!(seen, 60 * UNSAT.len());
}

#[test]
fn mutants_are_made_again_from_their_trace() {
    let files = texts();
    let seed = |name: &str| {
        let (_, text) = files.iter().find(|(known, _)| *known == name).expect("a seed of ours");
        Seed::read(name, text.as_bytes(), 10_000).expect("a seed of ours")
    };
    for case in mutants(MutantOptions { mutants: 30, pairs: 3, ..MutantOptions::default() }) {
        let origin = case.origin();
        let [first, second] = &origin.seeds[..] else { panic!("two seeds") };
        let (first, second) = (seed(first), seed(second));
        let again = rebuild_fused(&first, &second, &origin.trace).expect("it can be followed");
        assert_eq!(renumbered(again.text()), renumbered(formula(&case).text()));
        // A replacement can be undone; the text then differs.
        let last = origin.trace.last().expect("a trace has lines");
        if !last.starts_with("declare") && !last.starts_with("assert") {
            let shorter = &origin.trace[..origin.trace.len() - 1];
            let shorter = rebuild_fused(&first, &second, shorter).expect("it can be followed");
            assert_ne!(shorter.text(), again.text());
        }
    }
}

#[test]
fn the_same_numbers_make_the_same_mutants() {
    let texts = |rng| -> Vec<String> {
        let cases = mutants(MutantOptions { mutants: 12, rng, ..MutantOptions::default() });
        cases.iter().map(|case| formula(case).text().to_owned()).collect()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

#[test]
fn names_that_are_bound_capture_nothing() {
    let text = "(set-logic LIA)(set-info :status sat)(declare-const x Int)
        (assert (forall ((y Int)) (or (< y x) (>= y x))))(check-sat)";
    let other = "(set-logic LIA)(set-info :status sat)(declare-const y Int)
        (assert (forall ((x Int)) (or (< x y) (>= x y))))(check-sat)";
    let folder = folder(&[("one.smt2", text), ("other.smt2", other)]);
    let config = MutantOptions {
        seeds: vec![folder.path().to_owned()],
        mutants: 20,
        ..MutantOptions::default()
    };
    for case in all(&*consulted("fusion", config, Vec::new())) {
        let text = formula(&case).text();
        let bound = |name: &str| text.contains(&format!("(({name} Int))"));
        let declared = |name: &str| text.contains(&format!("(declare-const {name} Int)"));
        if case.origin().category == "fusion" {
            assert!(["x", "y"].iter().all(|name| !(bound(name) && declared(name))), "{text}");
        }
    }
}

#[test]
fn seeds_that_cannot_be_fused_say_why() {
    // What one divides by zero to, the other does too, and nobody knows how.
    let open = "(set-logic QF_NRA)(set-info :status sat)(declare-const x Real)
        (assert (= (/ x 0.0) 1.0))(check-sat)";
    let folder = folder(&[("one.smt2", open), ("two.smt2", open)]);
    let config = MutantOptions {
        seeds: vec![folder.path().to_owned()],
        mutants: 1,
        ..MutantOptions::default()
    };
    let suite = consulted("fusion", config, Vec::new());
    let errors: Vec<MakeError> =
        suite.cases(&Selection::default()).filter_map(|id| suite.make(id).err()).collect();
    let reason = "it and its partner use operators that the standard leaves open".to_owned();
    assert_eq!(errors, vec![MakeError::Unsuitable(reason); 2]);
}

//! Approximated mutants keep their seed's status and model, and can be made again.

use assay_case::{
    Answer, Consult, Consultation, Formula, MakeError, Oracle, Payload, Question, Selection, Suite,
    TestCase, Witness,
};
use assay_mutate::{Config, Form, Seed, rebuild, suite};
use std::path::Path;

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
        "bits.smt2",
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
        "floats.smt2",
        "(set-logic QF_FP)(declare-const x Float16)(declare-const y Float16)
         (assert (fp.lt x y))(assert (not (fp.isZero x)))
         (assert (fp.eq (fp.add RNE x y) y))(check-sat)",
        Some(
            "((define-fun x () Float16 (fp #b0 #b00000 #b0000000001))
              (define-fun y () Float16 (fp #b0 #b11110 #b1111111111)))",
        ),
    ),
    (
        "data.smt2",
        "(set-logic QF_UFDT)(declare-sort U 0)
         (declare-datatypes ((L 0)) (((nil) (cons (head U) (tail L)))))
         (declare-const l L)(declare-const m L)(declare-const u U)(declare-fun f (U) U)
         (assert (= l (cons u m)))(assert (not ((_ is nil) l)))(assert (= (f u) u))(check-sat)",
        None,
    ),
    (
        "none.smt2",
        "(set-logic QF_LRA)(set-info :status unsat)(declare-const x Real)
         (assert (< x 1.0))(assert (> (+ x x) 2.0))(check-sat)",
        None,
    ),
    (
        "quantified.smt2",
        "(set-logic LIA)(set-info :status unsat)(declare-const x Int)
         (assert (forall ((y Int)) (< y x)))(check-sat)",
        None,
    ),
];

/// Answers with the model that belongs to the seed.
struct Scripted;

impl Consult for Scripted {
    fn name(&self) -> &str {
        "scripted"
    }

    fn ask(&mut self, formula: &Formula, _: Question) -> Consultation {
        let declares = |text: &str| {
            let mine: Vec<&str> = formula.text().lines().collect();
            let seed = Seed::read("", text.as_bytes(), 10_000).expect("a seed of ours");
            seed.formula().text().lines().collect::<Vec<_>>() == mine
        };
        let known = SEEDS.iter().find(|(_, text, _)| declares(text));
        let (model, unsat) = known.map_or((None, false), |(_, text, model)| {
            (model.map(str::to_owned), text.contains("unsat"))
        });
        let answer = if unsat { Answer::Unsat } else { Answer::Sat };
        Consultation { who: "scripted".into(), answer, model, core: None }
    }
}

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text, _) in SEEDS {
        std::fs::write(folder.path().join(name), text).expect("a file");
    }
    folder
}

fn approx(folder: &Path, config: Config) -> Box<dyn Suite> {
    let config = Config { seeds: vec![folder.to_owned()], ..config };
    let consultants = || vec![Box::new(Scripted) as Box<dyn Consult + Send>];
    suite("approx", config, Some(Box::new(consultants))).expect("a suite")
}

fn formula(case: &TestCase) -> &Formula {
    let Payload::Formula(formula) = case.payload();
    formula
}

fn all(suite: &dyn Suite) -> Vec<TestCase> {
    let cases = suite.cases(&Selection::default());
    cases.map(|id| suite.make(id).unwrap_or_else(|error| panic!("{id}: {error}"))).collect()
}

#[test]
fn satisfiable_mutants_keep_the_model() {
    let folder = folder();
    let config = Config { mutants: 200, rounds: 3, ..Config::default() };
    let cases = all(&*approx(folder.path(), config));
    assert_eq!(cases.len(), SEEDS.len() * 201);
    let mutants = || cases.iter().filter(|case| case.origin().category == "approx");
    for (name, _, model) in SEEDS.iter().filter(|(_, _, model)| model.is_some()) {
        let mine: Vec<&TestCase> =
            mutants().filter(|case| case.origin().seeds == [name.to_string()]).collect();
        assert!(!mine.is_empty() && model.is_some(), "{name}");
        for case in mine {
            let checked = matches!(case.oracle(), Oracle::Sat(Witness::Checked(_)));
            // A value that the standard leaves open may come in; then nothing is claimed.
            let open = ["(/ ", "div", "mod", "fp.to", "fp.min", "fp.max"];
            let text = formula(case).text();
            assert!(checked || open.iter().any(|op| text.contains(op)), "{text}");
        }
    }
    // What is drawn is not always the same.
    let rules: std::collections::BTreeSet<&String> =
        mutants().flat_map(|case| &case.origin().rules).collect();
    assert!(rules.len() > 60, "{rules:?}");
}

#[test]
fn unsatisfiable_mutants_are_declared_so() {
    let folder = folder();
    let cases = all(&*approx(folder.path(), Config { mutants: 30, ..Config::default() }));
    let of = |name: &'static str| {
        cases.iter().filter(move |case| case.origin().seeds == [name.to_owned()])
    };
    for case in of("none.smt2").chain(of("quantified.smt2")) {
        assert!(matches!(case.oracle(), Oracle::Unsat { .. }), "{}", case.name());
    }
    let linear = |case: &TestCase| !formula(case).text().contains("(* x x)");
    assert!(of("none.smt2").all(linear));
    // Quantifiers stay as they are.
    let kept = |case: &TestCase| formula(case).text().contains("(forall ((y Int)) (< y x))");
    assert!(of("quantified.smt2").all(kept));
}

#[test]
fn mutants_are_made_again_from_their_trace() {
    let folder = folder();
    for form in Form::ALL {
        let config = Config { mutants: 40, rounds: 2, form: Some(form), ..Config::default() };
        for case in all(&*approx(folder.path(), config)) {
            let origin = case.origin();
            let [name] = &origin.seeds[..] else { panic!("one seed") };
            if origin.category == "seed" {
                continue;
            }
            let text = SEEDS.iter().find(|(known, ..)| known == name).expect("a seed of ours").1;
            let seed = Seed::read(name, text.as_bytes(), 10_000).expect("a seed of ours");
            let again = rebuild(&seed, &origin.trace).expect("the trace can be followed");
            assert_eq!(again.text(), formula(&case).text());
            // With a step less it is another formula, and still one.
            let (last, shorter) = origin.trace.split_last().expect("a form and steps");
            if !last.starts_with("form") {
                let shorter = rebuild(&seed, shorter).expect("the trace can be followed");
                assert_ne!(shorter.text(), again.text());
            }
        }
    }
}

#[test]
fn the_same_numbers_make_the_same_mutants() {
    let folder = folder();
    let texts = |rng| -> Vec<String> {
        let config = Config { mutants: 20, rng, ..Config::default() };
        all(&*approx(folder.path(), config))
            .iter()
            .map(|case| formula(case).text().to_owned())
            .collect()
    };
    assert_eq!(texts(1), texts(1));
    assert_ne!(texts(1), texts(2));
}

#[test]
fn seeds_that_give_no_mutants_say_why() {
    let folder = tempfile::tempdir().expect("a folder");
    std::fs::write(folder.path().join("bad.smt2"), "(assert (> x 0))").expect("a file");
    std::fs::write(folder.path().join("open.smt2"), "(declare-const p Bool)(assert p)(check-sat)")
        .expect("a file");
    let config = Config { seeds: vec![folder.path().into()], mutants: 1, ..Config::default() };
    let suite = suite("approx", config, None).expect("a suite");
    let reasons: Vec<String> = suite
        .cases(&Selection::default())
        .filter_map(|id| match suite.make(id) {
            Err(MakeError::Unsuitable(reason)) => Some(reason),
            Err(other) => panic!("{other}"),
            Ok(_) => None,
        })
        .collect();
    assert_eq!(reasons.len(), 3, "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason == "its status is not known"), "{reasons:?}");
}

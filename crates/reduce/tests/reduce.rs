//! What comes out of a reduction, and what is never tested on the way.

use assay_case::{
    Answer, Consult, Consultation, Evidence, ExpectedCore, Finding, FindingKind, Formula, Grade,
    Observation, Oracle, Question, Selection, TestCase, Why, Witness, check_model,
};
use assay_forge::{SuiteOptions, suite, suites};
use assay_reduce::{
    Asked, Candidate, FindingTester, Original, Party, ReduceError, Reduced, Refusal, ScriptTester,
    Size, Tested, Tester, Truth, Wanted, reduce,
};
use assay_smtlib::{Lets, Printer, Sharing, read_script};
use assay_term::Store;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

fn verdict(shown: bool) -> Tested {
    Tested::when(shown, "it does not show")
}

fn by<'a>(
    text: &str,
    jobs: usize,
    shows: impl Fn(&str) -> bool + Send + Clone + 'a,
) -> Result<Reduced, ReduceError> {
    let tester = || -> ScriptTester<'a> {
        let shows = shows.clone();
        Box::new(move |candidate: &Candidate| verdict(shows(&candidate.text)))
    };
    let testers = (0..jobs).map(|_| tester()).collect();
    reduce(&Original::new(text), testers, &|| false, &mut |_| {})
}

#[test]
fn reduction_removes_irrelevant_parts() {
    let table = [
        (
            "(set-logic ALL)(set-info :status sat)(declare-fun long_name () Int)(declare-fun y () Int)
             (push 1)(assert (! (and (> long_name 5) (or (< y 3) (= (mod long_name 7) 12345))) :named n))
             (check-sat)(get-model)(pop 1)(exit)",
            "mod",
            "(assert (= (mod 0 0) 0))\n(check-sat)\n",
        ),
        (
            "(declare-const s String)(assert (str.in_re s (re.++ (re.* (str.to_re \"abc\"))
             ((_ re.loop 2 30) (re.union (re.range \"a\" \"z\") re.allchar)))))(check-sat)",
            "re.range",
            "(assert (str.in_re \"\" (re.range \"\" \"\")))\n(check-sat)\n",
        ),
        (
            "(declare-const x (_ BitVec 32))(declare-const y (_ BitVec 32))
             (assert (= (bvmul (bvadd x #x00000001) y) ((_ sign_extend 16) ((_ extract 15 0) x))))
             (check-sat)",
            "bvmul",
            "(assert (= (bvmul #b0 #b0) #b0))\n(check-sat)\n",
        ),
        (
            "(declare-sort U 0)(declare-fun f (U U) U)(declare-const a U)(declare-const b U)
             (define-fun g ((x U)) Bool (= (f x a) b))(assert (g (f a b)))(check-sat)",
            "(f ",
            "(declare-sort a 0)\n(declare-fun f (a) a)\n(declare-const b a)\n\
             (assert (= (f b) b))\n(check-sat)\n",
        ),
        (
            "(declare-datatypes ((List 0)) (((nil) (cons (head Int) (tail List)))))
             (declare-const l List)(assert ((_ is cons) l))(assert (> (head l) 3))(check-sat)",
            "is",
            "(declare-datatype a ((b)))\n(declare-const c a)\n(assert ((_ is b) c))\n(check-sat)\n",
        ),
        (
            "(declare-fun x () (_ FloatingPoint 8 24))
             (assert (fp.lt (fp.sqrt RNE x) (fp #b0 #b10000000 #b00000000000000000000000)))
             (check-sat)",
            "fp.sqrt",
            "(assert (fp.lt (fp.sqrt RNE (_ +zero 2 3)) (_ +zero 2 3)))\n(check-sat)\n",
        ),
        (
            "(assert (forall ((x Int) (y Int)) (=> (> x y) (exists ((z Int)) (> (+ x z) y)))))
             (check-sat)",
            "+",
            "(assert (> (+ 0 0) 0))\n(check-sat)\n",
        ),
    ];
    for (text, needle, expected) in table {
        let reduced = by(text, 1, |text| text.contains(needle)).expect(needle);
        assert!(reduced.after < reduced.before, "{text}");
        assert!(reduced.after <= Size::of(expected), "{needle}: {}", reduced.text);
    }
}

#[test]
fn uninteresting_trivial_and_unreadable_inputs_are_refused() {
    let dull = by("(assert true)(check-sat)", 1, |text| text.contains("false"));
    assert_eq!(dull, Err(ReduceError::Refused(Refusal::Dull("it does not show".into()))));
    assert_eq!(
        by("(assert true)(check-sat)", 1, |_| true),
        Err(ReduceError::Refused(Refusal::Trivial))
    );
    let unread = by("(assert (= 1 \"a\"))", 1, |_| true);
    assert!(
        matches!(&unread, Err(ReduceError::Unread(words)) if words.contains("line 1")),
        "{unread:?}"
    );
}

/// A verdict that depends on the text alone, and on nothing that the reducer could know.
fn whim(text: &str) -> bool {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    text.contains("assert") && hasher.finish() % 3 == 0
}

/// Formulas of all theories.
fn formulas() -> Vec<String> {
    let mut found = Vec::new();
    for name in suites() {
        let suite = suite(name, &SuiteOptions::default()).expect(name);
        let selection = Selection { sample: Some(6), rng: 7, ..Selection::default() };
        for id in suite.cases(&selection) {
            let case = suite.make(id).expect("a case of the suite");
            let formula = case.as_formula().expect("a formula").formula();
            found.push(formula.text().to_owned());
        }
    }
    found
}

#[test]
fn every_candidate_reads_back() {
    let formulas = formulas();
    assert!(formulas.len() > 30, "{} formulas of all theories", formulas.len());
    let tested = AtomicUsize::new(0);
    for text in &formulas {
        let first = std::sync::atomic::AtomicBool::new(true);
        let tester = |candidate: &Candidate| {
            tested.fetch_add(1, Ordering::Relaxed);
            let mut store = Store::new();
            let read = read_script(&mut store, candidate.text.as_bytes(), Lets::Expand);
            let (script, _) = read.unwrap_or_else(|error| {
                panic!("{error}\nof {text}\nthis was made: {}", candidate.text)
            });
            let prints = |sharing| Printer::new(&store).sharing(sharing).script(&script);
            let again = [Sharing::Auto, Sharing::Always].map(prints);
            assert!(again.contains(&candidate.text), "it prints as it was read: {again:?}");
            verdict(first.swap(false, Ordering::Relaxed) || whim(&candidate.text))
        };
        let testers: Vec<ScriptTester<'_>> = vec![Box::new(tester)];
        let reduced = reduce(&Original::new(text), testers, &|| false, &mut |_| {});
        let reduced = reduced.expect("the first test is passed, the empty one is not");
        assert!(reduced.after <= reduced.before, "{text}\n{}", reduced.text);
    }
    assert!(tested.into_inner() > 5 * formulas.len(), "there are candidates to look at");
}

#[test]
fn the_result_does_not_depend_on_the_number_of_jobs() {
    let mut shorter = 0;
    for text in formulas() {
        // The printed text, which is what is tested first.
        let reduced: Vec<Result<String, ReduceError>> =
            [1, 2, 5].map(|jobs| by(&text, jobs, whim).map(|reduced| reduced.text)).into();
        assert_eq!(reduced[0], reduced[1], "{text}");
        assert_eq!(reduced[0], reduced[2], "{text}");
        shorter += usize::from(reduced[0].is_ok());
    }
    assert!(shorter > 5, "{shorter} formulas were reduced");
}

/// A tool that always says the same.
struct Stubborn {
    answer: Answer,
    model: Option<String>,
    asked: Arc<AtomicUsize>,
}

impl Party for Stubborn {
    fn name(&self) -> &str {
        "stubborn"
    }

    fn observe(&mut self, _case: &TestCase) -> Result<Observation, String> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        let mut seen = Observation::new(self.answer.clone(), Duration::ZERO);
        seen.model.clone_from(&self.model);
        Ok(seen)
    }
}

/// A solver that always gives the same answer.
struct Oracular(Answer, Option<&'static str>);

impl Consult for Oracular {
    fn name(&self) -> &str {
        "oracular"
    }

    fn ask(&mut self, _formula: &Formula, _question: Question) -> Consultation {
        let (who, answer) = (self.name().to_owned(), self.0.clone());
        Consultation { who, answer, model: self.1.map(str::to_owned), core: None }
    }
}

fn stubborn(answer: Answer, asked: &Arc<AtomicUsize>) -> Vec<Box<dyn Party>> {
    vec![Box::new(Stubborn { answer, model: None, asked: Arc::clone(asked) })]
}

fn wanted(kind: FindingKind, truth: Truth) -> Wanted {
    Wanted { kind, signature: None, message: None, core: None, truth }
}

const SATISFIABLE: &str = "(declare-const x Int)\n(declare-const y Int)\n\
    (assert (= (+ x y) 7))\n(assert (or (> x 100) (distinct (* 2 y) 5)))\n(check-sat)\n";
const MODEL: &str = "((define-fun x () Int 3) (define-fun y () Int 4))";

fn satisfied(text: &str, model: &str) -> bool {
    let mut formula = Formula::read(text).expect("it reads");
    let model = formula.read_model(model).expect("it is a model");
    check_model(&formula, model).is_ok()
}

#[test]
fn a_step_that_loses_the_model_is_refused_without_asking_the_tool() {
    // The tool says unsat to everything: whatever keeps a model shows the finding.
    let asked = Arc::new(AtomicUsize::new(0));
    let mut tester = FindingTester::new(
        wanted(FindingKind::WrongUnsat, Truth::Model),
        stubborn(Answer::Unsat, &asked),
        Vec::new(),
    );
    let wrong = Candidate {
        text: SATISFIABLE.replace("(= (+ x y) 7)", "false"),
        witness: Some(MODEL.into()),
        keeps_core: false,
    };
    assert!(!tester.test(&wrong).is_shown());
    assert_eq!(asked.load(Ordering::Relaxed), 0);
    let right = Candidate { text: SATISFIABLE.into(), ..wrong };
    assert!(tester.test(&right).is_shown());
    assert_eq!(asked.load(Ordering::Relaxed), 1);

    // The empty script has a model too, so that this finding would be trivial: the tool must say
    // unsat only where something is asserted.
    let asked = Arc::new(AtomicUsize::new(0));
    let mut inner = FindingTester::new(
        wanted(FindingKind::WrongUnsat, Truth::Model),
        stubborn(Answer::Unsat, &asked),
        Vec::new(),
    );
    let tester = move |candidate: &Candidate| match candidate.text.contains("(* ") {
        true => inner.test(candidate),
        false => verdict(false),
    };
    let subject = Original { witness: Some(MODEL.into()), ..Original::new(SATISFIABLE) };
    let reduced = reduce(&subject, vec![Box::new(tester)], &|| false, &mut |_| {});
    let reduced = reduced.expect("it shows the finding");
    let witness = reduced.witness.expect("the model is kept");
    assert!(satisfied(&reduced.text, &witness), "{} {witness}", reduced.text);
    assert!(reduced.after < reduced.before, "{}", reduced.text);
}

#[test]
fn a_model_that_a_solver_gives_is_checked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let candidate = Candidate {
        text: "(declare-const x Int)\n(assert (= (* x x) 49))\n(check-sat)\n".into(),
        witness: Some("((define-fun x () Int 3))".into()),
        keeps_core: false,
    };
    for (model, shown) in
        [("((define-fun x () Int 7))", true), ("((define-fun x () Int 8))", false)]
    {
        let mut tester = FindingTester::new(
            wanted(FindingKind::WrongUnsat, Truth::Model),
            stubborn(Answer::Unsat, &asked),
            vec![Box::new(Oracular(Answer::Sat, Some(model)))],
        );
        let known = tester.known(&candidate);
        assert_eq!(known.is_ok(), shown, "{model}: {known:?}");
        if let Ok(known) = known {
            assert!(matches!(
                known.case.as_formula().expect("a formula").oracle(),
                Oracle::Sat(Witness::Checked(_))
            ));
            assert!(known.learnt.expect("it is new").contains('7'));
        }
    }
}

const CORE: &str = "(declare-const x Int)\n(declare-const y Int)\n(assert (> (* x x) y))\n\
    (assert (< x y))\n(assert (> (+ x 0) y))\n(check-sat)\n";

fn certified() -> Truth {
    Truth::Core(Why::Certified(vec!["rule".into()]))
}

#[test]
fn a_core_is_reduced_only_if_two_solvers_agree() {
    let run = |consultants: Vec<Answer>| {
        let asked = Arc::new(AtomicUsize::new(0));
        let tester = || {
            let consultants = consultants.iter().map(|answer| -> Box<dyn Consult + Send> {
                Box::new(Oracular(answer.clone(), None))
            });
            FindingTester::new(
                wanted(FindingKind::WrongSat, certified()),
                stubborn(Answer::Sat, &asked),
                consultants.collect(),
            )
        };
        let subject = Original { core: Some(vec![1, 2]), ..Original::new(CORE) };
        let mut inner = tester();
        // Over integers no number of assignments proves anything.
        let first = move |candidate: &Candidate| match candidate.text.contains("x Int") {
            true => inner.test(candidate),
            false => verdict(false),
        };
        let reduced = reduce(&subject, vec![Box::new(first)], &|| false, &mut |_| {});
        let reduced = reduced.expect("it shows the finding");
        let last =
            Candidate { text: reduced.text.clone(), witness: None, keeps_core: reduced.keeps_core };
        let known = tester().known(&last).expect("it still shows it");
        (reduced.text, known.case.grade())
    };
    let kept = "(declare-const x Int)\n(declare-const y Int)\n(assert (< x y))\n\
        (assert (> (+ x 0) y))\n(check-sat)\n";
    for nobody in [vec![], vec![Answer::Unsat], vec![Answer::Unsat, Answer::Sat]] {
        let (text, grade) = run(nobody);
        assert_eq!((text.as_str(), grade), (kept, Some(Grade::Certified)));
    }
    let (text, grade) = run(vec![Answer::Unsat, Answer::Unsat]);
    assert!(text.len() < kept.len(), "{text}");
    assert_eq!(grade, Some(Grade::Declared), "the grade says that it rests on agreement");
}

#[test]
fn reduction_keeps_the_definitions_used_by_a_core() {
    let defined = "(define-fun zero () Int 0)\n(declare-const y Int)\n(assert (> zero 0))\n\
        (assert (> y (* y y)))\n(check-sat)\n";
    let asked = Arc::new(AtomicUsize::new(0));
    let mut inner = FindingTester::new(
        wanted(FindingKind::WrongSat, certified()),
        stubborn(Answer::Sat, &asked),
        Vec::new(),
    );
    let tester = move |candidate: &Candidate| match candidate.text.contains("(assert (>") {
        true => inner.test(candidate),
        false => verdict(false),
    };
    let subject = Original { core: Some(vec![0]), ..Original::new(defined) };
    let reduced = reduce(&subject, vec![Box::new(tester)], &|| false, &mut |_| {});
    let reduced = reduced.expect("it shows the finding");
    assert!(reduced.keeps_core);
    assert_eq!(reduced.text, "(assert (> 0 0))\n(check-sat)\n", "written out, never only declared");
}

#[test]
fn the_kind_of_finding_decides_what_reduction_must_preserve() {
    let finding = |kind, evidence| Finding { kind, grade: Grade::Certified, evidence };
    let unsat = Oracle::Unsat {
        why: Why::Declared("somebody".into()),
        core: Some(ExpectedCore { names: vec!["a".into()] }),
    };
    let message = Evidence::Message("line 12: unknown function 'f' here".into());
    let rejected = Wanted::new(&finding(FindingKind::Rejected, message), &Oracle::Open);
    assert_eq!(rejected.message.as_deref(), Some("line unknown function here"));
    assert_eq!(rejected.truth, Truth::Needless(Asked::Open));
    let wrong = Wanted::new(&finding(FindingKind::WrongSat, Evidence::SatisfiableCore), &unsat);
    assert_eq!(wrong.truth, Truth::Core(Why::Declared("somebody".into())));
    assert_eq!(wrong.core, None);
    let larger = Wanted::new(&finding(FindingKind::LargerCore, Evidence::SatisfiableCore), &unsat);
    assert_eq!(larger.core.map(|core| core.names), Some(vec!["a".to_owned()]));
}

#[test]
fn an_invalid_model_proves_itself() {
    let asked = Arc::new(AtomicUsize::new(0));
    let liar = Stubborn {
        answer: Answer::Sat,
        model: Some("((define-fun x () Int 0) (define-fun y () Int 0))".into()),
        asked: Arc::clone(&asked),
    };
    let mut tester = FindingTester::new(
        wanted(FindingKind::InvalidModel, Truth::Needless(Asked::Sat)),
        vec![Box::new(liar)],
        Vec::new(),
    );
    let subject = Original::new(
        "(declare-const x Int)(declare-const y Int)(assert (> (+ x (* y 0)) 5))(check-sat)",
    );
    let reduced = reduce(
        &subject,
        vec![Box::new(move |candidate: &Candidate| tester.test(candidate))],
        &|| false,
        &mut |_| {},
    );
    assert_eq!(reduced.expect("it shows it").text, "(assert false)\n(check-sat)\n");
}

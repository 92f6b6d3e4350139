//! How truths are made: checked models, fitting oracles, refuted cores, consulted solvers.

use assay_case::{
    Answer, CaseError, ConsultError, Consultation, ExpectedCore, Extremum, Formula, Goal, Grade,
    ModelFault, Optima, Oracle, Origin, TestCase, Why, Witness, check_model, refute_core,
};
use assay_smtlib::{Lets, read_script};
use assay_term::{Evaluator, Store, Value};

fn read(text: &str) -> Formula {
    Formula::read(text).expect("the test's formula is read")
}

fn checked(formula: &mut Formula, model: &str) -> Result<Witness, ModelFault> {
    let model = formula.read_model(model).expect("the test's model is read");
    check_model(formula, model).map(Witness::Checked)
}

#[test]
fn only_true_models_are_checked() {
    let text = "(declare-const x Int)\n(assert (> x 3))\n(assert (< (div x 0) 9))";
    let table = [
        ("((define-fun x () Int 4))", "ok"),
        ("((define-fun x () Int 3))", "assertion 1 (line 2) is false"),
        ("()", "assertion 1 (line 2) is unknown: the model has no value for `x`"),
        (
            "((define-fun x () Int 4) (define-fun div0 ((a Int)) Int 9))",
            "assertion 2 (line 3) is false",
        ),
    ];
    for (model, expected) in table {
        let outcome = checked(&mut read(text), model);
        let words = outcome.map_or_else(|fault| fault.to_string(), |_| "ok".into());
        assert_eq!(words, expected, "{model}");
    }
}

#[test]
fn open_results_are_chosen_independently() {
    let nan = "((define-fun x () Float16 (_ NaN 5 11)) (define-fun y () (_ BitVec 8) #x07))";
    let table = [
        ("(bvult ((_ fp.to_sbv 8) RNE x) ((_ fp.to_ubv 8) RNE x))", true),
        ("(bvugt ((_ fp.to_sbv 8) RNE x) ((_ fp.to_ubv 8) RNE x))", true),
        ("(bvsgt y ((_ fp.to_ubv 8) RTZ x))", true),
        ("(= (bvneg ((_ fp.to_ubv 8) RTZ x)) ((_ fp.to_sbv 8) RTZ x) #x07)", false),
        ("(distinct ((_ fp.to_ubv 8) RTZ x) ((_ fp.to_ubv 8) RTZ x))", false),
    ];
    for (term, is_checked) in table {
        let text = format!(
            "(declare-const x Float16)(declare-const y (_ BitVec 8))(assert {term})(check-sat)"
        );
        assert_eq!(checked(&mut read(&text), nan).is_ok(), is_checked, "{term}");
    }
}

#[test]
fn a_checked_model_evaluates_what_the_script_defines() {
    let mut formula = read("(declare-const x Int)(define-fun y () Int (+ x 1))(assert (= y 2))");
    let model = formula.read_model("((define-fun x () Int 1))").unwrap();
    let checked = check_model(&formula, model).unwrap();
    assert!(checked.is_about(&formula));
    let mut evaluator = Evaluator::new(formula.store(), &checked);
    assert_eq!(evaluator.holds(formula.assertions()[0].term), Ok(true));
    assert!(!checked.is_about(&read("(declare-const x Int)(assert (= x 1))")));
}

#[test]
fn an_oracle_must_fit_its_formula() {
    let text = "(declare-const x Int)(assert (! (> x 3) :named a))(maximize x)(check-sat)";
    let mut other = read("(declare-const x Int)(assert (> x 4))");
    let foreign = checked(&mut other, "((define-fun x () Int 5))").unwrap();
    let why = Why::Certified(Vec::new());
    let core = |name: &str| Some(ExpectedCore { names: vec![name.to_owned()] });
    let optimum =
        |optima| Oracle::Optimum { optima: Optima::Each(optima), why: why.clone(), witness: None };
    let table = [
        (Oracle::Sat(foreign), Err(CaseError::ForeignWitness)),
        (Oracle::Unsat { why: why.clone(), core: core("a") }, Ok(())),
        (Oracle::Unsat { why: why.clone(), core: core("x") }, Err(CaseError::CoreName("x".into()))),
        (optimum(vec![Extremum::PlusInfinity]), Ok(())),
        (optimum(Vec::new()), Err(CaseError::Objectives { optima: 0, objectives: 1 })),
        (optimum(vec![Extremum::Value(Value::Bool(true))]), Err(CaseError::NotANumber(1))),
    ];
    for (oracle, expected) in table {
        let words = format!("{oracle:?}");
        let outcome = TestCase::formula("case", read(text), oracle, Origin::default());
        assert_eq!(outcome.map(|_| ()), expected, "{words}");
    }
}

#[test]
fn grades_follow_the_reason() {
    let certified = Why::Certified(vec!["a".into(), "b".into()]);
    assert_eq!(
        (certified.grade(), certified.to_string()),
        (Grade::Certified, "certified by a, b".into())
    );
    assert_eq!(Oracle::Unsat { why: certified, core: None }.grade(), Some(Grade::Certified));
    assert_eq!(Oracle::Sat(Witness::Declared("x".into())).grade(), Some(Grade::Declared));
    assert_eq!(Oracle::Open.grade(), None);
    assert!(Grade::Certified > Grade::Declared);
}

#[test]
fn assertions_in_force_at_the_last_check_count() {
    let text = "(set-logic ALL)\n(push 1)\n(define-fun f () Int 1)\n(declare-const x Int)\n\
        (assert (! (= x f) :named a))\n(maximize x)\n(check-sat)\n(pop 1)\n\
        (define-fun f () Int 2)\n(declare-const x Int)\n(assert (! (= x f) :named a))\n\
        (assert (or a (= x 7)))\n(minimize (- x))\n(check-sat)\n(reset)\n(define-fun f () Int 3)";
    let mut formula = read(text);
    assert_eq!(formula.checks(), 2);
    let lines: Vec<usize> = formula.assertions().iter().map(|a| a.place.line).collect();
    assert_eq!(lines, [11, 12]);
    assert_eq!(formula.assertions()[0].names, ["a"]);
    assert!(formula.assertions()[1].names.is_empty());
    assert_eq!(formula.objectives().len(), 1);
    assert_eq!(formula.objectives()[0].goal, Goal::Minimize);
    assert!(checked(&mut formula, "((define-fun x () Int 2))").is_ok());
    assert!(matches!(
        checked(&mut formula, "((define-fun x () Int 1))"),
        Err(ModelFault::False(_))
    ));
    assert!(matches!(
        checked(&mut formula, "((define-fun x () Int 3))"),
        Err(ModelFault::False(_))
    ));
}

#[test]
fn global_definitions_outlive_their_level() {
    let text = "(set-option :global-declarations true)(push 1)(define-fun f () Int 1)(pop 1)\
        (declare-const x Int)(assert (= x f))(check-sat)";
    assert!(checked(&mut read(text), "((define-fun x () Int 1))").is_ok());
}

#[test]
fn soft_assertions_are_one_objective_per_group() {
    let text = "(declare-const p Bool)(assert-soft p :weight 2 :id g)(maximize (ite p 1 0))\
        (assert-soft (not p) :weight 0.5 :id |g|)(assert-soft p)(assert-soft p :weight (- 1) :id h)\
        (assert-soft p :weight -0.5 :id i)(assert-soft p :weight -q :id j)";
    let mut formula = read(text);
    let groups: Vec<Option<&str>> =
        formula.objectives().iter().map(|objective| objective.group.as_deref()).collect();
    assert_eq!(groups, [Some("g"), None, Some(""), Some("h"), Some("i"), Some("j")]);
    let model = formula.read_model("((define-fun p () Bool false))").unwrap();
    let mut evaluator = Evaluator::new(formula.store(), &model);
    let costs: Vec<Option<Value>> =
        formula.objectives().iter().map(|objective| evaluator.eval(objective.cost?).ok()).collect();
    let numbers = ["Some(Real(Ratio { numer: 2, denom: 1 }))", "Some(Int(0))"];
    assert_eq!(format!("{:?}", costs[0]), numbers[0]);
    assert_eq!(format!("{:?}", costs[1]), numbers[1]);
    // A negative weight is a reward for what fails.
    let rewards =
        ["Some(Real(Ratio { numer: -1, denom: 1 }))", "Some(Real(Ratio { numer: -1, denom: 2 }))"];
    assert_eq!(format!("{:?}", costs[3]), rewards[0]);
    assert_eq!(format!("{:?}", costs[4]), rewards[1]);
    assert_eq!(costs[5], None, "a word is not a weight");
}

#[test]
fn a_core_with_a_model_is_refuted() {
    let mut formula = read(
        "(declare-const x Int)(assert (! (> x 3) :named a))(assert (! (< x 3) :named b))\
         (assert (< x 100))(check-sat)",
    );
    let core = ["a".to_owned()];
    let mut model = |text| formula.read_model(text).unwrap();
    let (fits, unnamed_fails) =
        (model("((define-fun x () Int 4))"), model("((define-fun x () Int 100))"));
    let finding = refute_core(&formula, &core, fits.clone()).unwrap();
    assert_eq!(
        finding.to_string(),
        "invalid-core (certified): the assertions of the core have a model"
    );
    assert!(refute_core(&formula, &core, unnamed_fails).is_err());
    assert!(refute_core(&formula, &["a".to_owned(), "b".to_owned()], fits).is_err());
}

#[test]
fn printed_scripts_keep_their_terms() {
    let mut store = Store::new();
    let text = b"; a comment\n(declare-const x Int)\n\n(assert\n (> x 3))\n(check-sat)";
    let (script, env) = read_script(&mut store, text, Lets::Keep).unwrap();
    let term = script.active_assertions()[0].0;
    let printed = "(declare-const x Int)\n(assert (> x 3))\n(check-sat)\n";
    let reread = Formula::from_script(store.clone(), &script).unwrap();
    let assembled = Formula::from_parts(store, script, env);
    for formula in [reread, assembled] {
        assert_eq!(formula.text(), printed);
        assert_eq!(formula.assertions()[0].term, term);
        let place = formula.assertions()[0].place;
        assert_eq!((place.line, &printed[place.offset..][..7]), (2, "(assert"));
    }
}

#[test]
fn a_consulted_model_is_checked() {
    let text = "(declare-const s String)(assert (= (str.len s) 1))";
    let ask = |model: Option<&str>| {
        let model = model.map(str::to_owned);
        let said = Consultation { who: "mock".into(), answer: Answer::Sat, model, core: None };
        said.checked_model(&mut read(text)).map(|_| ())
    };
    assert_eq!(ask(Some("((define-fun s () String \"a\"))")), Ok(()));
    assert_eq!(ask(Some("((define-fun s () String \"\\x07\"))")), Ok(()), "an old escape");
    assert_eq!(ask(None), Err(ConsultError::NoModel("mock".into())));
    assert!(matches!(ask(Some("((define-fun s () String \"\"))")), Err(ConsultError::Fault(_))));
    assert!(matches!(ask(Some("(1)")), Err(ConsultError::Unreadable(_))));
}

#[test]
fn cases_cross_threads() {
    fn crosses<T: Send + Sync>() {}
    crosses::<TestCase>();
}

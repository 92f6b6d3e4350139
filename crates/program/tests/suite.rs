//! Programs as numbered cases: made again from what was kept, and told as they are written.

use assay_case::{
    CaseId, Category, Expected, Formula, FormulaTest, MakeError, Oracle, Origin, ProgramTest,
    Selection, Several, Suite, TestCase, Why, Witness, check_model,
};
use assay_program::{ProgramOptions, Programs, Scope};
use assay_smtlib::{STANDARD, print_model};

fn constructed() -> Box<dyn Suite> {
    let config = assay_forge::SuiteOptions::default();
    let tours = ["bitvectors", "ints", "arrays"]
        .map(|name| assay_forge::tour(name, &config).expect("there is such a suite"));
    Box::new(Several::new(tours.into()))
}

/// A case as a finding's folder keeps it: texts.
fn kept(case: &TestCase) -> TestCase {
    let test = case.as_program().expect("a program");
    let source = test.source.as_ref().expect("it was made from a formula");
    let formula = source.formula();
    let mut again = Formula::read(formula.text()).expect("it reads back");
    let oracle = match source.oracle() {
        Oracle::Sat(Witness::Checked(model)) => {
            let text = print_model(&mut formula.store().clone(), model, STANDARD);
            let model = again.read_model(&text).expect("it reads back");
            Oracle::Sat(Witness::Checked(check_model(&again, model).expect("it holds")))
        }
        _ => Oracle::Unsat { why: Why::Declared("a file".into()), core: None },
    };
    let source = FormulaTest::new(again, oracle).expect("the oracle fits");
    let test = ProgramTest::from_formula(test.program.clone(), source);
    TestCase::program("kept", test, Origin::default())
}

#[test]
fn a_program_is_made_again_from_the_texts_of_its_formula_and_model() {
    let programs = Programs::new(constructed(), ProgramOptions::default(), None);
    let selection = Selection { sample: Some(120), ..Selection::default() };
    let ids: Vec<CaseId> = programs.cases(&selection).collect();
    assert_eq!(ids.len(), 120, "so many are drawn, however many suites there are");
    let (mut reachable, mut safe) = (0, 0);
    for id in ids {
        let Ok((case, _)) = programs.program(id) else { continue };
        let (again, _) = programs.retold(id, &kept(&case)).expect("what was made once");
        assert_eq!(again.text(), case.text(), "{id}");
        match case.expected() {
            Expected::Reachable => reachable += 1,
            _ => safe += 1,
        }
    }
    assert!(reachable > 20 && safe > 10, "{reachable} reachable, {safe} safe");
}

/// One formula with a function, over and over.
struct WithFunction;

impl Suite for WithFunction {
    fn name(&self) -> &str {
        "function"
    }

    fn categories(&self) -> Vec<Category> {
        let (name, group) = ("function".to_owned(), "none".to_owned());
        vec![Category { name, group, expected: Expected::Sat }]
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        selection.cut((0..12).map(|index| CaseId { category: 0, index }))
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let text = "(declare-fun f ((_ BitVec 8)) (_ BitVec 8))(declare-const x (_ BitVec 8))
                    (assert (= (f x) #x07))(check-sat)";
        let mut formula = Formula::read(text).expect("the text is right");
        let model = "((define-fun f ((a (_ BitVec 8))) (_ BitVec 8) #x07)
                      (define-fun x () (_ BitVec 8) #x00))";
        let model = formula.read_model(model).expect("the model is right");
        let witness = Witness::Checked(check_model(&formula, model).expect("it holds"));
        TestCase::formula("function", formula, Oracle::Sat(witness), Origin::default())
            .map_err(MakeError::fault)
    }
}

#[test]
fn variables_have_the_scope_named_in_the_trace() {
    let made = |scope: Option<Scope>| {
        let config = ProgramOptions {
            scope,
            shapes: vec!["straight".to_owned()],
            ..ProgramOptions::default()
        };
        let programs = Programs::new(Box::new(WithFunction), config, None);
        let ids: Vec<CaseId> = programs.cases(&Selection::default()).collect();
        ids.into_iter().map(|id| programs.make(id)).collect::<Vec<_>>()
    };
    for case in made(None).into_iter().chain(made(Some(Scope::Local))) {
        let case = case.expect("it can be written");
        assert_eq!(case.origin().trace, ["write straight local"]);
    }
    for scope in [Scope::Global, Scope::Pointer] {
        for case in made(Some(scope)) {
            let Err(MakeError::Unsuitable(words)) = case else { panic!("{case:?}") };
            assert!(words.contains("--scope local"), "{words}");
        }
    }
}

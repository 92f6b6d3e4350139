//! Scripts that ask several times, on a fake that is wrong once, and on real solvers.

mod targets;

use assay_case::{
    CaseId, Category, Formula, Incremental, Judgement, MakeError, Oracle, Origin, Selection, Suite,
    TestCase, Witness, check_model, judge,
};
use assay_target::{Mode, Ran, Solver, Target};
use targets::{fake, real_solver, settings};

/// Three assertions with a checked model.
struct One;

impl Suite for One {
    fn name(&self) -> &str {
        "one"
    }

    fn categories(&self) -> Vec<Category> {
        Vec::new()
    }

    fn cases(&self, _: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        Box::new(std::iter::empty())
    }

    fn make(&self, _: CaseId) -> Result<TestCase, MakeError> {
        let text = "(declare-const x Int)(assert (! (> x 4) :named a))(assert (< x 9))
                    (assert (distinct x 7))(check-sat)";
        let mut formula = Formula::read(text).expect("the text is right");
        let model = formula.read_model("((define-fun x () Int 5))").expect("a model");
        let model = check_model(&formula, model).expect("it holds");
        let oracle = Oracle::Sat(Witness::Checked(model));
        Ok(TestCase::formula("one", formula, oracle, Origin::default()).expect("a case"))
    }
}

fn judged(solver: &mut Solver, number: u128, mode: Mode) -> Judgement {
    let case = Incremental(Box::new(One)).make(CaseId { category: 0, index: number });
    let case = case.expect("it can be divided");
    match solver.run(&case, mode).expect("the harness works") {
        Ran::Observed(run) => judge(&case, &run.observation),
        Ran::Skipped(reason) => panic!("skipped: {reason}"),
    }
}

#[test]
fn a_fake_that_is_wrong_once_is_caught_at_that_question() {
    let folder = tempfile::tempdir().expect("a folder");
    let more = "[[for]]\nversions = \"*\"\nrun = { features = [\"scopes\"] }\n";
    let limits = assay_target::process::Limits {
        wall: std::time::Duration::from_secs(5),
        memory: None,
        output: 1 << 20,
    };
    for (said, expected) in [
        ("sat\nunsat\nsat\nunsat\nsat", None),
        ("sat\nunsat\nunsat\nunsat\nsat", Some("check 3 of 5: the truth is sat")),
        ("sat\nsat\nsat\nunsat\nsat", Some("check 2 of 5: the truth is unsat")),
    ] {
        let target = fake(folder.path(), &["say", said], more);
        let mut solver = Solver::new(std::sync::Arc::new(target), settings(limits, false));
        let evidence = match judged(&mut solver, 0, Mode::Fresh) {
            Judgement::Finding(finding) => Some(finding.evidence.to_string()),
            _ => None,
        };
        assert_eq!(evidence.as_deref(), expected, "{said}");
    }
}

#[test]
fn real_solvers_are_right_at_every_question() {
    for name in ["z3", "z3@4.8.5", "cvc5@1.0.3", "cvc4", "yices"] {
        let Some(mut solver) = real_solver(name) else { continue };
        for number in 0..9 {
            let judgement = judged(&mut solver, number, Mode::Session);
            assert_eq!(judgement, Judgement::Correct, "{name}, {number}");
        }
    }
}

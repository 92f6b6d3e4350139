//! Cases that ask more than once: how they are divided, and how each verdict is judged.

use assay_case::{
    CaseId, Category, Ending, Expected, Formula, Grade, Incremental, Judgement, MakeError,
    Observation, Oracle, Origin, Output, Selection, Suite, TestCase, Why, Witness, check_model,
    judge,
};
use std::time::Duration;

/// One formula with a truth, under every number.
struct One {
    text: &'static str,
    model: Option<&'static str>,
    unsat: bool,
}

const SAT: One = One {
    text: "(declare-const x Int)(assert (! (> x 4) :named a))(assert (< x 9))(assert (distinct x 7))\n(check-sat)(get-model)",
    model: Some("((define-fun x () Int 5))"),
    unsat: false,
};

const UNSAT: One = One {
    text: "(declare-const x Int)(assert (> x 4))(assert (< x 9))(assert (= x 1))(check-sat)",
    model: None,
    unsat: true,
};

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
        let mut formula = Formula::read(self.text).expect("the text is right");
        let oracle = match (self.model, self.unsat) {
            (Some(model), _) => {
                let model = formula.read_model(model).expect("a model");
                Oracle::Sat(Witness::Checked(check_model(&formula, model).expect("it holds")))
            }
            (None, true) => Oracle::Unsat { why: Why::Declared("a file".into()), core: None },
            (None, false) => Oracle::Open,
        };
        Ok(TestCase::formula("one", formula, oracle, Origin::default()).expect("a case"))
    }
}

fn divided(one: One, number: u128) -> Result<TestCase, MakeError> {
    Incremental(Box::new(one)).make(CaseId { category: 0, index: number })
}

fn formula(case: &TestCase) -> &Formula {
    case.as_formula().expect("a formula").formula()
}

fn judged(case: &TestCase, stdout: &str) -> Judgement {
    let (elapsed, ending) = (Duration::from_secs(1), Ending::Exited(0));
    let output = Output { stdout, stderr: "", ending, elapsed, asked: &[] };
    judge(case, &Observation::from_output(&output, formula(case)))
}

#[test]
fn parts_of_a_satisfiable_case_are_satisfiable() {
    use Expected::{Sat, Unsat};
    for number in 0..9 {
        let case = divided(SAT, number).expect("it can be divided");
        assert_eq!(case.as_formula().expect("a formula").steps(), [Sat, Unsat, Sat, Unsat, Sat]);
        assert!(
            matches!(
                case.as_formula().expect("a formula").oracle(),
                Oracle::Sat(Witness::Checked(_))
            ),
            "checked anew"
        );
        assert_eq!(formula(&case).checks(), 5);
    }
    let case = divided(SAT, 0).expect("it can be divided");
    let expected = "(declare-const x Int)\n(assert (! (> x 4) :named a))\n(check-sat)\n(push 1)\n\
                    (assert (not (> x 4)))\n(check-sat)\n(pop 1)\n(check-sat)\n(push 1)\n\
                    (assert (< x 9))\n(assert (distinct x 7))\n(declare-const assumed Bool)\n\
                    (assert (=> assumed (not (> x 4))))\n(check-sat-assuming (assumed))\n(check-sat)\n";
    assert_eq!(formula(&case).text(), expected);
}

#[test]
fn proper_parts_of_an_unsatisfiable_case_are_open() {
    use Expected::{Open, Unsat};
    let steps = |number| {
        divided(UNSAT, number)
            .expect("it can be divided")
            .as_formula()
            .expect("a formula")
            .steps()
            .to_vec()
    };
    assert_eq!(steps(0), [Open, Unsat, Open, Unsat, Unsat]);
    assert_eq!(steps(2), [Unsat, Unsat, Unsat, Unsat, Unsat], "all is asserted at once");
    let open = divided(One { unsat: false, ..UNSAT }, 2).expect("it can be divided");
    assert_eq!(open.as_formula().expect("a formula").steps(), [Open, Unsat, Open, Unsat, Open]);
}

#[test]
fn every_verdict_is_judged() {
    let sat = divided(SAT, 0).expect("it can be divided");
    let unsat = divided(UNSAT, 0).expect("it can be divided");
    let table = [
        (&sat, "sat\nunsat\nsat\nunsat\nsat", ""),
        (
            &sat,
            "sat\nunsat\nunsat\nunsat\nsat",
            "wrong-unsat (certified): check 3 of 5: the truth is sat",
        ),
        (
            &sat,
            "sat\nsat\nsat\nunsat\nsat",
            "wrong-sat (certified): check 2 of 5: the truth is unsat",
        ),
        (
            &sat,
            "sat\nunsat\nsat\nsat\nunknown",
            "wrong-sat (certified): check 4 of 5: the truth is unsat",
        ),
        // What was said before an error or the end counts.
        (&sat, "unsat\n(error \"no\")", "wrong-unsat (certified): check 1 of 5: the truth is sat"),
        (&sat, "unsat\n", "wrong-unsat (certified): check 1 of 5: the truth is sat"),
        (&sat, "unknown\nunknown\nsat\ntimeout\nsat", ""),
        // The last question is judged with all that belongs to it.
        (
            &sat,
            "sat\nunsat\nsat\nunsat\nunsat",
            "wrong-unsat (certified): the truth is sat, a model that was checked by evaluation",
        ),
        (
            &sat,
            "sat\nsat\nsat\nunsat\nsat\n((define-fun x () Int 3))",
            "invalid-model (certified): assertion 1 (line 2) is false under the model",
        ),
        // A part of an unsatisfiable formula may be either.
        (&unsat, "sat\nunsat\nsat\nunsat\nunsat", ""),
        (&unsat, "unsat\nunsat\nsat\nunsat\nunsat", ""),
        (
            &unsat,
            "sat\nsat\nsat\nunsat\nunsat",
            "wrong-sat (declared): check 2 of 5: the truth is unsat",
        ),
    ];
    for (case, stdout, expected) in table {
        let words = match judged(case, stdout) {
            Judgement::Finding(finding) => finding.to_string(),
            Judgement::OracleContradicted(how) => panic!("{how}"),
            Judgement::Correct | Judgement::Inconclusive(_) => String::new(),
        };
        assert_eq!(words, expected, "{stdout}");
    }
}

#[test]
fn unsuitable_cases_are_refused_with_a_reason() {
    let table = [
        ("(declare-const x Int)(push 1)(assert (> x 1))(check-sat)", "levels or assumptions"),
        ("(declare-const x Int)(assert (> x 1))(minimize x)(check-sat)", "objectives"),
        ("(declare-const x Int)(check-sat)", "asserts nothing"),
        ("(declare-const x Int)(assert (> x 1))(check-sat)(check-sat)", "several questions"),
        ("(declare-const p Bool)(assert p)(check-sat-assuming (p))", "levels or assumptions"),
    ];
    for (text, words) in table {
        let refused = divided(One { text, model: None, unsat: false }, 0);
        let Err(MakeError::Unsuitable(reason)) = refused else { panic!("{text}") };
        assert!(reason.contains(words), "{reason}");
    }
}

/// A name may be given once only, and a guard has a name of its own.
#[test]
fn names_do_not_clash() {
    let text = "(declare-const assumed Bool)(assert (and (! assumed :named a) assumed))(check-sat)";
    let case = divided(One { text, model: None, unsat: false }, 0).expect("it can be divided");
    let text = formula(&case).text();
    assert!(
        text.contains("(assert false)") && text.contains("(declare-const assumed_ Bool)"),
        "{text}"
    );
}

#[test]
fn a_wrong_number_of_verdicts_is_an_error() {
    let case = SAT.make(CaseId { category: 0, index: 0 }).expect("a case");
    let test = case.as_formula().expect("a formula").clone();
    let error = test
        .with_steps(vec![Expected::Sat, Expected::Sat], Grade::Certified)
        .expect_err("one question");
    assert_eq!(error.to_string(), "2 verdicts for 1 questions");
}

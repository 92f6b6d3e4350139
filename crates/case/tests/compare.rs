//! Several tools' answers to one case, and what they come to together.

use assay_case::{
    Comparison, Ending, FindingKind, Formula, Grade, Judgement, Observation, Oracle, Origin,
    Output, Statement, TestCase, Witness, compare, judge,
};
use std::time::Duration;

const NAMES: [&str; 4] = ["a", "b", "c", "d"];

fn formula() -> Formula {
    // The second assertion cannot be evaluated, so a model of the first two decides nothing.
    Formula::read(
        "(declare-const x Int)(assert (> x 4))
         (assert (forall ((y Int)) (exists ((z Int)) (> (* z z) (* x y)))))(check-sat)",
    )
    .expect("the text is right")
}

fn open(formula: Formula) -> TestCase {
    TestCase::formula("open", formula, Oracle::Open, Origin::default()).expect("a case")
}

fn observe(case: &TestCase, stdout: &str) -> Observation {
    let formula = case.as_formula().expect("a formula").formula();
    let (elapsed, ending) = (Duration::from_secs(1), Ending::Exited(0));
    Observation::from_output(&Output { stdout, stderr: "", ending, elapsed, asked: &[] }, formula)
}

fn compared(case: &TestCase, said: &[&str]) -> Comparison {
    let seen: Vec<Observation> = said.iter().map(|stdout| observe(case, stdout)).collect();
    let statements: Vec<Statement<'_>> =
        NAMES.iter().zip(&seen).map(|(who, seen)| Statement { who, seen }).collect();
    compare(case, &statements)
}

/// Who may be wrong, and who says what.
fn disputed(said: &[&str]) -> Option<(Vec<usize>, String)> {
    match compared(&open(formula()), said) {
        Comparison::Agreed | Comparison::Contested => None,
        Comparison::Decided(_) => panic!("nothing decides"),
        Comparison::Disputed { suspects, finding } => {
            assert_eq!((finding.kind, finding.grade), (FindingKind::Disagreement, Grade::Declared));
            Some((suspects, finding.evidence.to_string()))
        }
    }
}

/// What each says, whom to suspect, and the evidence; no evidence where nobody is contradicted.
type Row = (&'static [&'static str], &'static [usize], &'static str);

#[test]
fn contradicting_targets_are_named() {
    let table: &[Row] = &[
        (&["sat", "unsat"], &[0, 1], "a says sat; b says unsat"),
        (&["unsat", "sat", "sat"], &[0], "only a says unsat; b, c say sat"),
        (&["unsat", "sat", "unsat"], &[1], "only b says sat; a, c say unsat"),
        (&["unsat", "sat", "unsat", "sat"], &[0, 1, 2, 3], "b, d say sat; a, c say unsat"),
        (&["unsat", "unknown", "timeout", "sat"], &[0, 3], "d says sat; a says unsat"),
        (&["sat\n((define-fun x () Int 5))", "unsat"], &[0, 1], "a says sat; b says unsat"),
        (&["sat", "sat"], &[], ""),
        (&["unsat", "unsat"], &[], ""),
        (&["sat", "unknown"], &[], ""),
        (&["unsat", "timeout"], &[], ""),
        (&["unsat", "(error \"no\")"], &[], ""),
        (&["unsat", "(error \"no\")\nsat"], &[], ""),
        (&["sat"], &[], ""),
        (&[], &[], ""),
        // Who is wrong by its own model accuses nobody.
        (&["sat\n((define-fun x () Int 3))", "unsat"], &[], ""),
        (&["sat\n((define-fun x () Int 3))", "unsat", "sat"], &[1, 2], "c says sat; b says unsat"),
    ];
    for (said, suspects, evidence) in table {
        let expected = (!suspects.is_empty()).then(|| (suspects.to_vec(), (*evidence).to_owned()));
        assert_eq!(disputed(said), expected, "{said:?}");
    }
}

#[test]
fn a_checked_model_decides_a_dispute() {
    let formula = Formula::read("(declare-const x Int)(assert (> x 4))(check-sat)").expect("right");
    let case = open(formula);
    let comparison = compared(&case, &["unsat", "unsat", "sat\n((define-fun x () Int 5))"]);
    let Comparison::Decided(truth) = comparison else { panic!("{comparison:?}") };
    assert!(matches!(
        truth.as_formula().expect("a formula").oracle(),
        Oracle::Sat(Witness::Checked(_))
    ));
    let Judgement::Finding(finding) = judge(&truth, &observe(&case, "unsat")) else {
        panic!("unsat is wrong");
    };
    assert_eq!(
        finding.to_string(),
        "wrong-unsat (certified): the truth is sat, a model that was checked by evaluation"
    );
    // Where nobody is contradicted there is nothing to decide.
    let agreed = compared(&case, &["sat\n((define-fun x () Int 5))", "unknown"]);
    assert!(matches!(agreed, Comparison::Agreed), "{agreed:?}");
}

#[test]
fn disputes_about_declared_truths_stay_undecided() {
    let oracle = Oracle::Sat(Witness::Declared("a file".into()));
    let case = TestCase::formula("declared", formula(), oracle, Origin::default()).expect("a case");
    let contested = compared(&case, &["sat", "unsat"]);
    assert!(matches!(contested, Comparison::Contested), "{contested:?}");
    let agreed = compared(&case, &["sat", "unknown"]);
    assert!(matches!(agreed, Comparison::Agreed), "{agreed:?}");
}

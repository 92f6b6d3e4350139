//! How proofs that were examined are judged.

use assay_case::{
    Answer, Comparison, Contradiction, Finding, FindingKind, Formula, FormulaTest, Grade,
    Judgement, Observation, Oracle, Origin, ProofFault, ProofReport, RuleCount, Statement,
    TestCase, Witness, check_model, compare, judge, refutation,
};
use assay_term::Model;
use std::time::Duration;

fn judged(oracle: Oracle, report: ProofReport) -> Judgement {
    let formula = Formula::read("(assert false)(check-sat)(get-proof)").expect("a formula");
    assert!(formula.asks_for_proof());
    let test = FormulaTest::new(formula, oracle).expect("the truth fits");
    let mut seen = Observation::new(Answer::Unsat, Duration::ZERO);
    seen.examined = Some(Box::new(report));
    judge(&TestCase::new("proof", test, Origin::default()), &seen)
}

#[test]
fn each_fault_of_a_proof_is_a_finding_of_its_kind() {
    let words = || "x".to_owned();
    let false_step = ProofFault::FalseStep {
        step: words(),
        rule: words(),
        premises: Vec::new(),
        conclusion: words(),
        assignment: words(),
    };
    let foreign = ProofFault::Foreign { step: words(), formula: words(), assignment: words() };
    for (fault, expected) in [
        (false_step, FindingKind::FalseStep),
        (foreign, FindingKind::ForeignAssumption),
        (ProofFault::NotFalse(words()), FindingKind::OpenProof),
        (ProofFault::Undischarged(words()), FindingKind::OpenProof),
        (ProofFault::Unreadable(words()), FindingKind::UnreadableAnswer),
    ] {
        let report = ProofReport { fault: Some(fault), ..ProofReport::default() };
        let judgement = judged(Oracle::Open, report);
        let Judgement::Finding(Finding { kind, .. }) = judgement else { panic!("{judgement:?}") };
        assert_eq!(kind, expected);
    }
}

#[test]
fn a_proof_of_checked_steps_makes_unsat_right() {
    let complete = ProofReport { is_complete: true, ..ProofReport::default() };
    assert_eq!(judged(Oracle::Open, complete), Judgement::Correct);
    let judgement = judged(Oracle::Open, ProofReport::default());
    assert!(matches!(judgement, Judgement::Inconclusive(_)), "{judgement:?}");
}

/// A formula that no exhaustive search decides, with this truth.
fn unbounded(oracle: Oracle) -> TestCase {
    let text = "(declare-const x Int)(assert (= (* x x x) (+ x x 1)))(check-sat)(get-proof)";
    let test = FormulaTest::new(Formula::read(text).expect("a formula"), oracle);
    TestCase::new("unbounded", test.expect("the truth fits"), Origin::default())
}

fn report(is_complete: bool) -> ProofReport {
    let steps = RuleCount { checked: 3, ..RuleCount::default() };
    ProofReport { is_complete, rules: [("r".to_owned(), steps)].into(), ..ProofReport::default() }
}

fn proving(is_complete: bool) -> Observation {
    let mut seen = Observation::new(Answer::Unsat, Duration::ZERO);
    seen.proof = Some("(proof)".to_owned());
    seen.examined = Some(Box::new(report(is_complete)));
    seen
}

fn compared(case: &TestCase, first: &Observation, second: &Observation) -> Comparison {
    let said = [Statement { who: "prover", seen: first }, Statement { who: "other", seen: second }];
    compare(case, &said)
}

#[test]
fn a_proof_of_checked_steps_decides_between_tools() {
    let sat = Observation::new(Answer::Sat, Duration::ZERO);
    for oracle in [Oracle::Open, Oracle::Sat(Witness::Declared("a file".into()))] {
        let declared = matches!(oracle, Oracle::Sat(_));
        let case = unbounded(oracle);
        let Comparison::Decided(truth) = compared(&case, &proving(true), &sat) else {
            panic!("a proof decides")
        };
        assert_eq!(truth.grade(), Some(Grade::Certified));
        let Judgement::Finding(finding) = judge(&truth, &sat) else { panic!("sat is wrong") };
        assert_eq!((finding.kind, finding.grade), (FindingKind::WrongSat, Grade::Certified));
        assert!(finding.to_string().contains("the proof of prover"), "{finding}");
        assert_eq!(judge(&truth, &proving(true)), Judgement::Correct);
        assert_eq!(refutation(&case, &truth).is_some(), declared, "a declaration is refuted");
    }
    // A step that is only attacked or trusted leaves the question open.
    let comparison = compared(&unbounded(Oracle::Open), &proving(false), &sat);
    assert!(matches!(comparison, Comparison::Disputed { .. }), "{comparison:?}");
    // A text that was not examined proves nothing.
    let mut unexamined = proving(true);
    unexamined.examined = None;
    let comparison = compared(&unbounded(Oracle::Open), &unexamined, &sat);
    assert!(matches!(comparison, Comparison::Disputed { .. }), "{comparison:?}");
    // Another tool that answers unsat is right, too.
    let unsat = Observation::new(Answer::Unsat, Duration::ZERO);
    let case = unbounded(Oracle::Open);
    assert!(matches!(judge(&case, &unsat), Judgement::Inconclusive(_)));
    let Comparison::Decided(truth) = compared(&case, &unsat, &proving(true)) else {
        panic!("a proof decides")
    };
    assert_eq!(judge(&truth, &unsat), Judgement::Correct);
}

#[test]
fn a_checked_proof_against_a_checked_model_is_our_mistake() {
    let formula = Formula::read("(assert true)(check-sat)(get-proof)").expect("a formula");
    let model = check_model(&formula, Model::new()).expect("it holds");
    let oracle = Oracle::Sat(Witness::Checked(model));
    let test = FormulaTest::new(formula, oracle).expect("the truth fits");
    let case = TestCase::new("true", test, Origin::default());
    let judgement = judge(&case, &proving(true));
    let ours =
        Contradiction::Proof { why: "a model that was checked by evaluation".to_owned(), steps: 3 };
    assert_eq!(judgement, Judgement::OracleContradicted(ours));
    let Judgement::Finding(finding) = judge(&case, &proving(false)) else { panic!("it is wrong") };
    assert_eq!(finding.kind, FindingKind::WrongUnsat);
}

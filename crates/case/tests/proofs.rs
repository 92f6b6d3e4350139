//! How proofs that were examined are judged.

use assay_case::{
    Answer, Finding, FindingKind, Formula, FormulaTest, Judgement, Observation, Oracle, Origin,
    ProofFault, ProofReport, TestCase, judge,
};
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

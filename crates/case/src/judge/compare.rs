//! Several tools on one case whose truth is open: what they say together.
//!
//! A model that evaluates to true decides. Where nothing decides, those who contradict each other
//! cannot all be right, and whom to ask first is all that can be said.

use super::judge;
use crate::answer::Answer;
use crate::consult::checked;
use crate::finding::{Evidence, Finding, FindingKind, Judgement, Severity};
use crate::observation::Observation;
use crate::oracle::{Grade, Oracle, Witness};
use crate::test_case::{Payload, TestCase};

/// What one tool said about a case.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'s> {
    /// The tool's name.
    pub who: &'s str,
    /// What it said.
    pub seen: &'s Observation,
}

/// What statements about one case come to.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// Nobody contradicts anybody.
    Agreed,
    /// They contradict each other, and a model that one of them gave satisfies the formula: the
    /// case with that truth, by which each can be judged.
    Decided(Box<TestCase>),
    /// They contradict each other, and nothing decides.
    Disputed {
        /// Those who may well be wrong: the side that fewer take, or both where they are equal.
        suspects: Vec<usize>,
        /// What to report about each of them.
        finding: Finding,
    },
}

/// Compares what tools said about a case whose truth is open. Only verdicts count: who does not
/// know, or takes too long, contradicts nobody.
#[must_use]
pub fn compare(case: &TestCase, said: &[Statement<'_>]) -> Comparison {
    if !matches!(case.oracle(), Oracle::Open) {
        return Comparison::Agreed;
    }
    let those = |answer: &Answer| -> Vec<usize> {
        (0..said.len()).filter(|&at| said[at].seen.answer == *answer).collect()
    };
    let (mut sat, mut unsat) = (those(&Answer::Sat), those(&Answer::Unsat));
    if sat.is_empty() || unsat.is_empty() {
        return Comparison::Agreed;
    }
    if let Some(decided) = sat.iter().find_map(|&at| decide(case, said[at].seen)) {
        return Comparison::Decided(Box::new(decided));
    }
    // Who is already known to be wrong is no witness against others.
    let credible = |&at: &usize| match judge(case, said[at].seen) {
        Judgement::Correct | Judgement::Inconclusive(_) => true,
        Judgement::Finding(finding) => finding.severity() < Severity::Crash,
        Judgement::OracleContradicted(_) => false,
    };
    sat.retain(credible);
    unsat.retain(credible);
    if sat.is_empty() || unsat.is_empty() {
        return Comparison::Agreed;
    }
    let names = |side: &[usize]| side.iter().map(|&at| said[at].who.to_owned()).collect();
    let evidence = Evidence::Disagreement { sat: names(&sat), unsat: names(&unsat) };
    let finding = Finding { kind: FindingKind::Disagreement, grade: Grade::Declared, evidence };
    let mut suspects = match sat.len().cmp(&unsat.len()) {
        std::cmp::Ordering::Less => sat,
        std::cmp::Ordering::Greater => unsat,
        std::cmp::Ordering::Equal => [sat, unsat].concat(),
    };
    suspects.sort_unstable();
    Comparison::Disputed { suspects, finding }
}

/// The case with a model of this tool as its truth, if that model satisfies it.
fn decide(case: &TestCase, seen: &Observation) -> Option<TestCase> {
    let Payload::Formula(formula) = case.payload();
    let mut formula = (**formula).clone();
    let model = checked(&mut formula, seen.model.as_deref()?, &mut seen.budget()).ok()?;
    let oracle = Oracle::Sat(Witness::Checked(model));
    let truth = TestCase::formula(case.name(), formula, oracle, case.origin().clone()).ok()?;
    if case.steps().is_empty() { Some(truth) } else { truth.with_steps(case.steps().to_vec()).ok() }
}

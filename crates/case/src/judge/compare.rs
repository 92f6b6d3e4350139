//! Tools on a case whose truth nobody has proved: what they say together, and what decides.
//!
//! A model that evaluates to true decides, whoever printed it, and so does trying every assignment
//! where there are few. Where nothing decides, those who contradict each other cannot all be right,
//! and whom to ask first is all that can be said.

use super::judge;
use crate::answer::Answer;
use crate::consult::checked;
use crate::finding::{Evidence, Finding, FindingKind, Judgement, Severity};
use crate::observation::Observation;
use crate::oracle::{Grade, Oracle, Proof, Refutation, Why, Witness};
use crate::subject::FormulaTest;
use crate::test_case::TestCase;
use std::collections::HashSet;

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
    /// Nobody contradicts anybody, or the truth is certain.
    Agreed,
    /// They contradict each other, or a declared truth, and this is the case with a certain truth,
    /// by which each can be judged: a model that one of them gave satisfies the formula, or every
    /// assignment was tried.
    Decided(Box<TestCase>),
    /// Somebody contradicts a declared truth, and nothing decides.
    Contested,
    /// They contradict each other, nothing is declared, and nothing decides.
    Disputed {
        /// Those who may well be wrong: the side that fewer take, or both where they are equal.
        suspects: Vec<usize>,
        /// What to report about each of them.
        finding: Finding,
    },
}

/// Whether an answer is wrong if this is the truth.
#[must_use]
pub fn contradicts(answer: &Answer, truth: &Oracle) -> bool {
    match truth {
        Oracle::Sat(_) | Oracle::Optimum { .. } => *answer == Answer::Unsat,
        Oracle::Unsat { .. } => *answer == Answer::Sat,
        Oracle::Open => false,
    }
}

/// The claim of a case that its certain truth refutes.
#[must_use]
pub fn refutation(case: &TestCase, truth: &TestCase) -> Option<Refutation> {
    let oracles = (case.as_formula()?.oracle(), truth.as_formula()?.oracle());
    let (claim, proof) = match oracles {
        (Oracle::Unsat { why: Why::Declared(claim), .. }, Oracle::Sat(Witness::Checked(_))) => {
            (claim, Proof::Model)
        }
        (
            Oracle::Sat(Witness::Declared(claim)),
            Oracle::Unsat { why: Why::Exhausted(count), .. },
        ) => (claim, Proof::Exhaustion(*count)),
        _ => return None,
    };
    Some(Refutation { claim: claim.clone(), proof })
}

/// The declared verdict of a case, where no tool supports it and two or more different tools, versions
/// of one counting once, contradict it. Nothing proves who is right, but it is no longer one word
/// against one. Who gives a model that is false is known to be wrong, and does not count against it.
#[must_use]
pub fn outvoted(case: &TestCase, said: &[Statement<'_>]) -> Option<Refutation> {
    let (claim, declared, verdict) = match case.as_formula()?.oracle() {
        Oracle::Sat(Witness::Declared(claim)) => (claim, Answer::Sat, Answer::Unsat),
        Oracle::Unsat { why: Why::Declared(claim), .. } => (claim, Answer::Unsat, Answer::Sat),
        _ => return None,
    };
    if said.iter().any(|one| one.seen.answer == declared) {
        return None;
    }
    let wrong = |one: &&Statement<'_>| {
        matches!(
            judge(case, one.seen),
            Judgement::Finding(Finding {
                kind: FindingKind::WrongSat | FindingKind::WrongUnsat,
                evidence: Evidence::Truth(_),
                ..
            })
        )
    };
    let against: Vec<&str> = said.iter().filter(wrong).map(|one| one.who).collect();
    let tool = |who: &&str| who.split(['@', ':']).next().unwrap_or_default().to_owned();
    let tools: HashSet<String> = against.iter().map(tool).collect();
    if tools.len() < 2 {
        return None;
    }
    let who = against.into_iter().map(str::to_owned).collect();
    let proof = Proof::Agreement { who, verdict: verdict.name(), declared: declared.name() };
    Some(Refutation { claim: claim.clone(), proof })
}

/// Compares what tools said about a case whose truth is open or only declared. Only verdicts count:
/// who does not know, or takes too long, contradicts nobody. Where nobody contradicts anything,
/// evidence is looked for only against unsat and for those whose models are wrong, and only among few
/// assignments: that keeps it cheap. Only solvers are compared: the promises of analyzers
/// differ, so that different answers need not contradict each other.
#[must_use]
pub fn compare(case: &TestCase, said: &[Statement<'_>]) -> Comparison {
    let Some(test) = case.as_formula() else { return Comparison::Agreed };
    match test.oracle() {
        Oracle::Open => opposed(case, test, said),
        Oracle::Sat(Witness::Declared(_)) | Oracle::Unsat { why: Why::Declared(_), .. } => {
            let against = |one: &Statement<'_>| contradicts(&one.seen.answer, test.oracle());
            match said.iter().any(against) {
                true => {
                    decided(case, test, said).map_or(Comparison::Contested, Comparison::Decided)
                }
                false => unopposed(case, test, said),
            }
        }
        _ => Comparison::Agreed,
    }
}

/// The case with a truth that the models at hand, or all assignments, prove.
fn decided(case: &TestCase, test: &FormulaTest, said: &[Statement<'_>]) -> Option<Box<TestCase>> {
    let mut models = said.iter().filter(|one| one.seen.answer == Answer::Sat);
    let proved = models.find_map(|one| by_model(test, one.seen)).or_else(|| test.proved())?;
    Some(Box::new(case.with_test(proved)))
}

/// Where nobody contradicts anybody: an assignment may contradict those who say unsat, and the lack of
/// one those who say sat with a wrong model.
fn unopposed(case: &TestCase, test: &FormulaTest, said: &[Statement<'_>]) -> Comparison {
    let is_misled = |one: &Statement<'_>| {
        one.seen.answer == Answer::Sat
            && matches!(judge(case, one.seen), Judgement::Finding(finding)
                if finding.kind == FindingKind::InvalidModel)
    };
    let proved = if said.iter().any(|one| one.seen.answer == Answer::Unsat) {
        test.satisfied()
    } else if test.has_few_assignments() && said.iter().any(is_misled) {
        test.proved().filter(|test| matches!(test.oracle(), Oracle::Unsat { .. }))
    } else {
        None
    };
    proved.map_or(Comparison::Agreed, |test| Comparison::Decided(Box::new(case.with_test(test))))
}

/// Where nothing is declared.
fn opposed(case: &TestCase, test: &FormulaTest, said: &[Statement<'_>]) -> Comparison {
    let those = |answer: &Answer| -> Vec<usize> {
        (0..said.len()).filter(|&at| said[at].seen.answer == *answer).collect()
    };
    let (mut sat, mut unsat) = (those(&Answer::Sat), those(&Answer::Unsat));
    if sat.is_empty() || unsat.is_empty() {
        return unopposed(case, test, said);
    }
    if let Some(decided) = decided(case, test, said) {
        return Comparison::Decided(decided);
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

/// The test with a model of this tool as its truth, if that model satisfies it.
fn by_model(test: &FormulaTest, seen: &Observation) -> Option<FormulaTest> {
    let mut formula = test.formula().clone();
    let model = checked(&mut formula, seen.model.as_deref()?, &mut seen.budget()).ok()?;
    test.with_truth(formula, Oracle::Sat(Witness::Checked(model)))
}

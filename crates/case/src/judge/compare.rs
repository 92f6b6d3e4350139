//! Compares several tools on a case without a certified truth.
//!
//! A valid model decides, whichever tool printed it, and so does a proof whose every step was checked,
//! or trying every assignment if there are few. If nothing decides, tools that contradict each other
//! cannot all be right, and the most that can be said is which of them to suspect first.

use super::judge;
use crate::answer::Answer;
use crate::consult::checked;
use crate::finding::{Evidence, Finding, FindingKind, Judgement, Severity};
use crate::observation::Observation;
use crate::oracle::{Grade, Oracle, Proof, Proved, Refutation, Why, Witness};
use crate::subject::FormulaTest;
use crate::test_case::TestCase;
use std::collections::HashSet;

/// One tool's statement about a case.
#[derive(Clone, Copy, Debug)]
pub struct Statement<'s> {
    /// The tool's name.
    pub who: &'s str,
    /// Its answer.
    pub seen: &'s Observation,
}

/// The result of comparing statements about one case.
#[derive(Clone, Debug)]
pub enum Comparison {
    /// No contradiction, or the truth is certain.
    Agreed,
    /// The tools contradict each other or a declared truth, and this is the case with a certified
    /// truth, by which each can be judged: a tool's model satisfies the formula, every step of a
    /// tool's proof was checked, or every assignment was tried.
    Decided(Box<TestCase>),
    /// A tool contradicts a declared truth, and nothing decides.
    Contested,
    /// The tools contradict each other, nothing is declared, and nothing decides.
    Disputed {
        /// The tools to suspect: the smaller side, or both sides if they are equal.
        suspects: Vec<usize>,
        /// The finding to report about each of them.
        finding: Box<Finding>,
    },
}

/// Whether an answer is wrong given this truth.
#[must_use]
pub fn contradicts(answer: &Answer, truth: &Oracle) -> bool {
    match truth {
        Oracle::Sat(_) | Oracle::Optimum { .. } => *answer == Answer::Unsat,
        Oracle::Unsat { .. } => *answer == Answer::Sat,
        Oracle::Open => false,
    }
}

/// The claim of a case that its certified truth refutes.
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
        (Oracle::Sat(Witness::Declared(claim)), Oracle::Unsat { why: Why::Derived(count), .. }) => {
            (claim, Proof::Derivation(*count))
        }
        (Oracle::Sat(Witness::Declared(claim)), Oracle::Unsat { why: Why::Proved(proved), .. }) => {
            (claim, Proof::Steps(proved.steps()))
        }
        _ => return None,
    };
    Some(Refutation { claim: claim.clone(), proof })
}

/// The declared verdict of a case, if no tool supports it and at least two different tools
/// (versions of one count once) contradict it. That is no proof, but more than one word against
/// another. A tool that gives an invalid model does not count.
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

/// Compares tools' answers on a case whose truth is open or only declared. Only verdicts count:
/// unknowns and timeouts contradict nothing. Without a contradiction, evidence is sought only against
/// unsat and against wrong models, and only among few assignments, which keeps this cheap. Only
/// solvers are compared: analyzers make different promises, so different answers need not contradict
/// each other.
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

/// The case with a truth proved by the available models or by all assignments.
fn decided(case: &TestCase, test: &FormulaTest, said: &[Statement<'_>]) -> Option<Box<TestCase>> {
    let mut models = said.iter().filter(|one| one.seen.answer == Answer::Sat);
    let proved = models.find_map(|one| by_model(test, one.seen));
    let proved = proved.or_else(|| by_proof(test, said)).or_else(|| test.proved())?;
    Some(Box::new(case.with_test(proved)))
}

/// The test with a tool's proof as its truth, if each step was checked.
fn by_proof(test: &FormulaTest, said: &[Statement<'_>]) -> Option<FormulaTest> {
    let proved = said.iter().find_map(|one| Proved::of(one.who, one.seen))?;
    let oracle = Oracle::Unsat { why: Why::Proved(proved), core: None };
    test.with_truth(test.formula().clone(), oracle)
}

/// Compares tools that contradict nothing with a checked proof, which makes every unsat right, and with
/// assignments: one that satisfies the formula contradicts unsat, and the lack of any contradicts sat
/// with a wrong model.
fn unopposed(case: &TestCase, test: &FormulaTest, said: &[Statement<'_>]) -> Comparison {
    let is_misled = |one: &Statement<'_>| {
        one.seen.answer == Answer::Sat
            && matches!(judge(case, one.seen), Judgement::Finding(finding)
                if finding.kind == FindingKind::InvalidModel)
    };
    let by_proof = by_proof(test, said);
    let proved = if by_proof.is_some() {
        by_proof
    } else if said.iter().any(|one| one.seen.answer == Answer::Unsat) {
        test.satisfied()
    } else if test.has_few_assignments() && said.iter().any(is_misled) {
        test.proved().filter(|test| matches!(test.oracle(), Oracle::Unsat { .. }))
    } else {
        None
    };
    proved.map_or(Comparison::Agreed, |test| Comparison::Decided(Box::new(case.with_test(test))))
}

/// Compares the tools if nothing is declared.
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
    // A tool that is known to be wrong is no witness against others.
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
    Comparison::Disputed { suspects, finding: Box::new(finding) }
}

/// The test with this tool's model as its truth, if the model satisfies the formula.
fn by_model(test: &FormulaTest, seen: &Observation) -> Option<FormulaTest> {
    let mut formula = test.formula().clone();
    let model = checked(&mut formula, seen.model.as_deref()?, &mut seen.budget()).ok()?;
    test.with_truth(formula, Oracle::Sat(Witness::Checked(model)))
}

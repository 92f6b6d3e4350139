//! The judge: the only place where an answer is compared with a truth.
//!
//! A finding is certain or it is not made. What a tool proves by itself (a model that evaluates to
//! true) outranks what we believe; what we cannot read or evaluate decides nothing. A right verdict
//! beside a model, core or objectives that cannot be read is not called right.

mod compare;
mod core;
mod optimum;

pub use compare::{Comparison, Statement, compare, contradicts, refutation};

use crate::answer::Answer;
use crate::finding::{Contradiction, Doubt, Evidence, Finding, FindingKind, Judgement, Severity};
use crate::formula::Formula;
use crate::observation::{Observation, Size};
use crate::oracle::{Grade, Oracle, Proof, Refutation, Why};
use crate::readings::{Examined, Reading, examine};
use crate::reply::{Blame, Part, Spoiled};
use crate::suite::Expected;
use crate::test_case::{Payload, TestCase};
use assay_smtlib::ItemFault;

/// Compares what a tool said with the truth.
#[must_use]
pub fn judge(case: &TestCase, seen: &Observation) -> Judgement {
    let Payload::Formula(formula) = case.payload();
    let judgement = answer(formula, case.oracle(), seen);
    let judgement = match &judgement {
        Judgement::Correct | Judgement::Inconclusive(_) => steps(case, seen).unwrap_or(judgement),
        Judgement::Finding(finding) if finding.severity() < Severity::Soundness => {
            steps(case, seen).unwrap_or(judgement)
        }
        Judgement::Finding(_) | Judgement::OracleContradicted(_) => judgement,
    };
    let worse = match &judgement {
        Judgement::Correct | Judgement::Inconclusive(_) => false,
        Judgement::Finding(finding) => finding.severity() >= Severity::Crash,
        Judgement::OracleContradicted(_) => true,
    };
    match &seen.crash_after {
        Some(signature) if !worse => {
            certain(FindingKind::Crash, Evidence::Crash(signature.clone()))
        }
        _ => judgement,
    }
}

/// The first question before the last that was answered wrongly. Answers after it may follow from
/// the same mistake; answers before it were right.
fn steps(case: &TestCase, seen: &Observation) -> Option<Judgement> {
    // Where no truth is known, only what follows from logic alone is expected.
    let grade = case.oracle().grade().unwrap_or(Grade::Certified);
    let of = case.steps().len();
    for (at, (expected, verdict)) in case.steps().iter().zip(&seen.verdicts).enumerate() {
        let kind = match (expected, verdict) {
            (Expected::Unsat, Answer::Sat) => FindingKind::WrongSat,
            (Expected::Sat, Answer::Unsat) => FindingKind::WrongUnsat,
            _ => continue,
        };
        let (question, truth) = (at + 1, expected.name());
        return Some(found(kind, grade, Evidence::Question { question, of, truth }));
    }
    None
}

fn answer(formula: &Formula, oracle: &Oracle, seen: &Observation) -> Judgement {
    let elapsed = Evidence::Elapsed(seen.elapsed);
    match &seen.answer {
        Answer::Sat => sat(formula, oracle, seen),
        Answer::Unsat => unsat(formula, oracle, seen),
        Answer::Reachable | Answer::Alarm | Answer::Unreachable | Answer::Silent => {
            reach(oracle, &seen.answer)
        }
        Answer::Unknown(reason) => match oracle.grade() {
            Some(grade) => {
                let words = reason.clone().unwrap_or_else(|| "no reason is given".into());
                found(FindingKind::Unknown, grade, Evidence::Message(words))
            }
            None => Judgement::Inconclusive(Doubt::NoTruth),
        },
        Answer::Timeout => certain(FindingKind::Timeout, elapsed),
        Answer::OutOfMemory => {
            let limit = seen.memory_limit.map(|bytes| Evidence::MemoryLimit(Size(bytes)));
            certain(FindingKind::OutOfMemory, limit.unwrap_or(elapsed))
        }
        Answer::Crash(signature) => certain(FindingKind::Crash, Evidence::Crash(signature.clone())),
        Answer::Rejected(message) => {
            certain(FindingKind::Rejected, Evidence::Message(message.clone()))
        }
        // A tool that prints nonsense has a bug, but so has a harness that misreads: no finding.
        Answer::Garbled(excerpt) => Judgement::Inconclusive(Doubt::Garbled(excerpt.clone())),
    }
}

/// What an analyzer says about a program whose error is reached exactly where the formula has a
/// model.
fn reach(oracle: &Oracle, answer: &Answer) -> Judgement {
    let (reachable, why) = match oracle {
        Oracle::Sat(witness) => (true, witness.to_string()),
        Oracle::Unsat { why, .. } => (false, why.to_string()),
        Oracle::Optimum { .. } | Oracle::Open => return Judgement::Inconclusive(Doubt::NoTruth),
    };
    let kind = match (answer, reachable) {
        (Answer::Unreachable, true) => FindingKind::MissedError,
        (Answer::Reachable, false) => FindingKind::FalseError,
        (Answer::Alarm, false) => FindingKind::FalseAlarm,
        (Answer::Silent, true) => FindingKind::OverlookedError,
        _ => return Judgement::Correct,
    };
    let grade = oracle.grade().expect("something is known");
    let truth = if reachable { "reachable" } else { "unreachable" };
    found(kind, grade, Evidence::Truth(format!("{truth}, {why}")))
}

fn found(kind: FindingKind, grade: Grade, evidence: Evidence) -> Judgement {
    Judgement::Finding(Finding { kind, grade, evidence })
}

/// A finding that rests on no oracle.
fn certain(kind: FindingKind, evidence: Evidence) -> Judgement {
    found(kind, Grade::Certified, evidence)
}

fn sat(formula: &Formula, oracle: &Oracle, seen: &Observation) -> Judgement {
    let mut spoiled = seen.spoiled.clone();
    let model = seen.model.as_deref().and_then(|text| {
        let examined = examine(formula, text, &mut seen.budget());
        spoiled.extend(spoiled_model(&examined));
        (!matches!(examined, Examined::Unreadable(_))).then_some((text, examined))
    });
    spoiled.extend(spoiled_objectives(formula, seen.objectives.as_deref()));
    let judgement = match (oracle, model) {
        (Oracle::Unsat { why, .. }, model) => against_unsat(why, model),
        (_, Some((_, Examined::False(place)))) => {
            certain(FindingKind::InvalidModel, Evidence::FalseAssertion(place))
        }
        (Oracle::Optimum { optima, why, .. }, model) => {
            optimum::judge(formula, optima, why, seen.objectives.as_deref(), model.map(|m| m.1))
        }
        (_, Some((_, Examined::Doubtful(reason)))) => Judgement::Inconclusive(Doubt::Model(reason)),
        (_, Some((_, Examined::Slow))) => Judgement::Inconclusive(Doubt::Slow),
        (_, Some((_, Examined::True(_)))) | (Oracle::Sat(_), None) => Judgement::Correct,
        (_, None | Some((_, Examined::Unreadable(_)))) => Judgement::Inconclusive(Doubt::NoTruth),
    };
    unless_spoiled(judgement, &spoiled)
}

/// What is wrong with a model as a text.
fn spoiled_model(examined: &Examined) -> Option<Spoiled> {
    let (blame, words) = match examined {
        Examined::Unreadable(words) => (Blame::Tool, words.clone()),
        Examined::True(reading) => {
            let Reading { fault: Some(fault), .. } = &**reading else { return None };
            let blame = match fault {
                ItemFault::IllSorted { .. } => Blame::Tool,
                ItemFault::NotUnderstood { .. } => Blame::Nobody,
            };
            (blame, fault.to_string())
        }
        Examined::False(_) | Examined::Doubtful(_) | Examined::Slow => return None,
    };
    Some(Spoiled { part: Part::Model, blame, words })
}

/// What is wrong with a list of objectives as a text.
fn spoiled_objectives(formula: &Formula, text: Option<&str>) -> Option<Spoiled> {
    let read = formula.read_objectives_with(&mut formula.store().clone(), text?);
    let words = format!("cannot be read: {}", read.err()?.message);
    Some(Spoiled { part: Part::Objectives, blame: Blame::Tool, words })
}

/// What an answer comes to that seems right, or says nothing, where a part of it cannot be used.
fn unless_spoiled(judgement: Judgement, spoiled: &[Spoiled]) -> Judgement {
    let by_tool = spoiled.iter().find(|spoiled| spoiled.blame == Blame::Tool);
    match (&judgement, by_tool, spoiled.first()) {
        (Judgement::Correct | Judgement::Inconclusive(_), Some(spoiled), _) => {
            certain(FindingKind::UnreadableAnswer, Evidence::Unreadable(spoiled.clone()))
        }
        (Judgement::Correct | Judgement::Inconclusive(Doubt::NoTruth), None, Some(spoiled)) => {
            Judgement::Inconclusive(Doubt::Spoiled(spoiled.clone()))
        }
        _ => judgement,
    }
}

/// Sat where we believe unsat. A true model refutes us; a false one is certain even where our
/// belief is only somebody's word.
fn against_unsat(why: &Why, model: Option<(&str, Examined)>) -> Judgement {
    match model {
        Some((text, Examined::True(_))) => Judgement::OracleContradicted(match why {
            Why::Declared(claim) => {
                Contradiction::Claim(Refutation { claim: claim.clone(), proof: Proof::Model })
            }
            Why::Certified(_) | Why::Exhausted(_) => {
                Contradiction::Model { why: why.to_string(), model: text.to_owned() }
            }
        }),
        Some((_, Examined::False(place))) if why.grade() == Grade::Declared => {
            certain(FindingKind::InvalidModel, Evidence::FalseAssertion(place))
        }
        _ => found(FindingKind::WrongSat, why.grade(), Evidence::Truth(format!("unsat, {why}"))),
    }
}

fn unsat(formula: &Formula, oracle: &Oracle, seen: &Observation) -> Judgement {
    let wrong = |grade, why: String| {
        found(FindingKind::WrongUnsat, grade, Evidence::Truth(format!("sat, {why}")))
    };
    let expected = match oracle {
        Oracle::Sat(witness) => return wrong(witness.grade(), witness.to_string()),
        Oracle::Optimum { why, .. } => return wrong(why.grade(), why.to_string()),
        Oracle::Unsat { why, core } => core.as_ref().map(|core| (core, why.grade())),
        Oracle::Open => None,
    };
    let verdict = match oracle {
        Oracle::Open => Judgement::Inconclusive(Doubt::NoTruth),
        _ => Judgement::Correct,
    };
    let judgement = match &seen.core {
        Some(names) => core::judge(formula, names, expected).unwrap_or(verdict),
        None => verdict,
    };
    unless_spoiled(judgement, &seen.spoiled)
}

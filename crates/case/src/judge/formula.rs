//! Judges solvers on formulas: verdicts, models, cores and optima.

use super::{certain, core, failure, foreign, found, optimum};
use crate::answer::Answer;
use crate::answer::Expected;
use crate::finding::{Contradiction, Doubt, Evidence, FindingKind, Judgement, Severity};
use crate::formula::Formula;
use crate::kind::Test;
use crate::observation::Observation;
use crate::oracle::{Claim, Grade, Optima, Oracle, Proof, Refutation, Why};
use crate::proof::{ProofFault, ProofReport};
use crate::readings::{Examined, Reading, examine};
use crate::reply::{Blame, Part, Spoiled};
use crate::subject::FormulaTest;

impl Test for FormulaTest {
    fn text(&self) -> &str {
        self.formula().text()
    }

    fn expected(&self) -> Expected {
        match self.oracle() {
            Oracle::Sat(_) => Expected::Sat,
            Oracle::Unsat { .. } => Expected::Unsat,
            Oracle::Optimum { .. } => Expected::Optimum,
            Oracle::Open => Expected::Open,
        }
    }

    fn grade(&self) -> Option<Grade> {
        self.oracle().grade()
    }

    fn why(&self) -> Option<String> {
        Some(match self.oracle() {
            Oracle::Sat(witness) => witness.to_string(),
            Oracle::Unsat { why, .. } => why.to_string(),
            Oracle::Optimum { why, optima, .. } => {
                format!("{optima}, {why}")
            }
            Oracle::Open => return None,
        })
    }

    fn claim(&self) -> Option<&Claim> {
        match self.oracle() {
            Oracle::Sat(witness) => witness.claim(),
            Oracle::Unsat { why, .. } | Oracle::Optimum { why, .. } => why.claim(),
            Oracle::Open => None,
        }
    }

    fn judge(&self, seen: &Observation) -> Judgement {
        let (formula, oracle) = (self.formula(), self.oracle());
        let judgement = match &seen.answer {
            Answer::Sat => sat(formula, oracle, seen),
            Answer::MaybeSat => maybe_sat(oracle),
            Answer::Unsat => unsat(formula, oracle, seen),
            other => wrong_point(formula, oracle, seen)
                .or_else(|| failure(oracle.grade(), seen))
                .unwrap_or_else(|| foreign(other)),
        };
        match &judgement {
            Judgement::Correct | Judgement::Inconclusive(_) => {
                steps(self, seen).unwrap_or(judgement)
            }
            Judgement::Finding(finding) if finding.severity() < Severity::Soundness => {
                steps(self, seen).unwrap_or(judgement)
            }
            Judgement::Finding(_) | Judgement::OracleContradicted(_) => judgement,
        }
    }
}

/// The first wrong answer of a solver that did not finish a Pareto front.
fn wrong_point(formula: &Formula, oracle: &Oracle, seen: &Observation) -> Option<Judgement> {
    let Oracle::Optimum { optima: Optima::Front(points), why, .. } = oracle else { return None };
    let front = seen.front.as_ref()?;
    let judgement = optimum::judge_front(formula, points, why, front, &mut seen.budget());
    let certain = matches!(judgement, Judgement::Finding(_) | Judgement::OracleContradicted(_));
    certain.then_some(judgement)
}

/// The first wrong answer before the last question. Later answers may follow from the same mistake;
/// earlier ones were right.
fn steps(test: &FormulaTest, seen: &Observation) -> Option<Judgement> {
    let grade = test.steps_grade();
    let of = test.steps().len();
    for (at, (expected, verdict)) in test.steps().iter().zip(&seen.verdicts).enumerate() {
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

fn sat(formula: &Formula, oracle: &Oracle, seen: &Observation) -> Judgement {
    let mut spoiled = seen.spoiled.clone();
    let mut budget = seen.budget();
    let model = seen.model.as_deref().and_then(|text| {
        let examined = examine(formula, text, &mut budget);
        spoiled.extend(spoiled_model(&examined));
        (!matches!(examined, Examined::Unreadable(_))).then_some((text, examined))
    });
    spoiled.extend(spoiled_objectives(formula, seen.objectives.as_deref()));
    for point in seen.front.iter().flat_map(|front| &front.points) {
        spoiled.extend(point.spoiled.iter().cloned());
        spoiled.extend(spoiled_objectives(formula, point.objectives.as_deref()));
        let examined = point.model.as_ref().map(|model| examine(formula, model, &mut budget));
        spoiled.extend(examined.as_ref().and_then(spoiled_model));
    }
    let judgement = match (oracle, model) {
        (Oracle::Unsat { why, .. }, model) => against_unsat(why, model),
        (_, Some((_, Examined::False(place)))) => {
            certain(FindingKind::InvalidModel, Evidence::FalseAssertion(place))
        }
        (Oracle::Optimum { optima: Optima::Front(points), why, .. }, _) => match &seen.front {
            Some(front) => optimum::judge_front(formula, points, why, front, &mut budget),
            None => Judgement::Inconclusive(Doubt::Objectives("no point was reported".into())),
        },
        (Oracle::Optimum { optima: Optima::Each(optima), why, .. }, model) => {
            let (reported, model) = (seen.objectives.as_deref(), model.map(|m| m.1));
            optimum::judge(formula, optima, why, reported, model, &mut budget)
        }
        (_, Some((_, Examined::Doubtful(reason)))) => Judgement::Inconclusive(Doubt::Model(reason)),
        (_, Some((_, Examined::Slow))) => Judgement::Inconclusive(Doubt::Slow),
        (_, Some((_, Examined::True(reading)))) => {
            match optimum::at_odds(formula, seen.objectives.as_deref(), &reading, &mut budget) {
                Ok(Some(evidence)) => certain(FindingKind::WrongOptimum, evidence),
                Ok(None) => Judgement::Correct,
                Err(reason) => Judgement::Inconclusive(Doubt::Objectives(reason)),
            }
        }
        (Oracle::Sat(_), None) => Judgement::Correct,
        (_, None | Some((_, Examined::Unreadable(_)))) => Judgement::Inconclusive(Doubt::NoTruth),
    };
    unless_spoiled(judgement, &spoiled)
}

/// Sat from a tool that over-approximates, which it is not asked to prove.
fn maybe_sat(oracle: &Oracle) -> Judgement {
    match oracle {
        Oracle::Unsat { why, .. } => {
            let evidence = Evidence::Truth(format!("unsat, {why}"));
            found(FindingKind::ImpreciseSat, why.grade(), evidence)
        }
        Oracle::Sat(_) | Oracle::Optimum { .. } => Judgement::Correct,
        Oracle::Open => Judgement::Inconclusive(Doubt::NoTruth),
    }
}

/// What is wrong with the text of a model.
fn spoiled_model(examined: &Examined) -> Option<Spoiled> {
    let (blame, words) = match examined {
        Examined::Unreadable(words) => (Blame::Tool, words.clone()),
        Examined::True(reading) => {
            let Reading { fault: Some(fault), .. } = &**reading else { return None };
            let blame = if fault.is_certain() { Blame::Tool } else { Blame::Nobody };
            (blame, fault.to_string())
        }
        Examined::False(_) | Examined::Doubtful(_) | Examined::Slow => return None,
    };
    Some(Spoiled { part: Part::Model, blame, words })
}

/// What is wrong with the text of a list of objectives.
fn spoiled_objectives(formula: &Formula, text: Option<&str>) -> Option<Spoiled> {
    let read = formula.read_objectives_with(&mut formula.store().clone(), text?);
    let words = format!("cannot be read: {}", read.err()?.message);
    Some(Spoiled { part: Part::Objectives, blame: Blame::Tool, words })
}

/// The judgement of an answer that seems correct or inconclusive, if a part of it cannot be used.
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

/// The answer is sat, and our truth is unsat. A valid model refutes our truth; an invalid one is a
/// certain finding even if our truth is only declared.
fn against_unsat(why: &Why, model: Option<(&str, Examined)>) -> Judgement {
    match model {
        Some((text, Examined::True(_))) => Judgement::OracleContradicted(match why {
            Why::Declared(claim) => {
                Contradiction::Claim(Refutation { claim: claim.clone(), proof: Proof::Model })
            }
            Why::Certified(_)
            | Why::Evaluated
            | Why::Exhausted(_)
            | Why::Derived(_)
            | Why::Proved(_) => {
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
    let wrong = |claim: Option<&Claim>, grade, why: String| {
        against_sat(claim, &why, seen.examined.as_deref()).unwrap_or_else(|| {
            found(FindingKind::WrongUnsat, grade, Evidence::Truth(format!("sat, {why}")))
        })
    };
    let expected = match oracle {
        Oracle::Sat(witness) => {
            return wrong(witness.claim(), witness.grade(), witness.to_string());
        }
        Oracle::Optimum { why, .. } => return wrong(why.claim(), why.grade(), why.to_string()),
        Oracle::Unsat { why, core } => core.as_ref().map(|core| (core, why.grade())),
        Oracle::Open => None,
    };
    let verdict = match oracle {
        Oracle::Open => Judgement::Inconclusive(Doubt::NoTruth),
        _ => Judgement::Correct,
    };
    let judgement = match (&seen.core, &seen.examined) {
        (Some(names), _) => {
            core::judge(formula, names, seen.claims_minimal_core, expected).unwrap_or(verdict)
        }
        (None, Some(report)) => proof(report).unwrap_or(verdict),
        (None, None) => verdict,
    };
    unless_spoiled(judgement, &seen.spoiled)
}

/// The answer is unsat, and our truth is sat. A proof whose every step was checked refutes our truth;
/// otherwise `None`.
fn against_sat(
    claim: Option<&Claim>,
    why: &str,
    report: Option<&ProofReport>,
) -> Option<Judgement> {
    let report = report.filter(|report| report.is_complete)?;
    let steps = report.total().steps();
    Some(Judgement::OracleContradicted(match claim {
        Some(claim) => {
            Contradiction::Claim(Refutation { claim: claim.clone(), proof: Proof::Steps(steps) })
        }
        None => Contradiction::Proof { why: why.to_owned(), steps },
    }))
}

/// The judgement of a proof beyond the verdict; `None` if it proves nothing but has no fault either.
fn proof(report: &ProofReport) -> Option<Judgement> {
    let Some(fault) = &report.fault else {
        return report.is_complete.then_some(Judgement::Correct);
    };
    let kind = match fault {
        ProofFault::FalseStep { .. } => FindingKind::FalseStep,
        ProofFault::NotFalse(_) | ProofFault::Undischarged(_) => FindingKind::OpenProof,
        ProofFault::Foreign { .. } => FindingKind::ForeignAssumption,
        ProofFault::Unreadable(_) => FindingKind::UnreadableAnswer,
    };
    Some(certain(kind, Evidence::Proof(fault.clone())))
}

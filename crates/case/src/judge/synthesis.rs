//! Judges solvers that construct terms: whether the term has the properties that the request demands.
//!
//! What is demanded follows from the request alone, so a finding never rests on how a task was made.

use super::{certain, failure, foreign, found};
use crate::answer::{Answer, Expected};
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::kind::Test;
use crate::observation::Observation;
use crate::oracle::Grade;
use crate::synthesis::{
    Claims, Known, Must, Request, SynthesisTest, Unusable, claims, decide, solution,
};
use assay_term::Budget;

impl Test for SynthesisTest {
    fn text(&self) -> &str {
        SynthesisTest::text(self)
    }

    fn expected(&self) -> Expected {
        Expected::Constructed
    }

    fn grade(&self) -> Option<Grade> {
        Some(Grade::Certified)
    }

    fn why(&self) -> Option<String> {
        Some("the answer must have the properties that the request demands".to_owned())
    }

    fn judge(&self, seen: &Observation) -> Judgement {
        match &seen.answer {
            Answer::Constructed(text) => constructed(self, text, &mut seen.budget()),
            Answer::Infeasible => infeasible(self, &mut seen.budget()),
            // Nobody promises to find what exists.
            Answer::Unknown(reason) => Judgement::Inconclusive(match reason {
                Some(reason) => Doubt::Undecided(reason.clone()),
                None => Doubt::NoTruth,
            }),
            other => failure(self.grade(), seen).unwrap_or_else(|| foreign(other)),
        }
    }
}

/// The finding about a wrong answer to a request.
fn wrong(request: &Request) -> FindingKind {
    match request {
        Request::Interpolant(_) => FindingKind::WrongInterpolant,
        Request::Abduct(_) => FindingKind::WrongAbduct,
        Request::Eliminate(..) | Request::Disjunct(_) => FindingKind::WrongElimination,
        Request::Functions { .. } => FindingKind::WrongFunction,
    }
}

fn broken(kind: FindingKind, broken: String, assignment: String) -> Judgement {
    certain(kind, Evidence::Construction { broken, assignment })
}

fn constructed(test: &SynthesisTest, text: &str, budget: &mut Budget) -> Judgement {
    let kind = wrong(test.request());
    let claims = match claims(test, text) {
        Ok(claims) => claims,
        Err(Unusable::Unreadable(words)) => {
            let words = format!("it cannot be read: {words}");
            return broken(FindingKind::UnreadableAnswer, words, String::new());
        }
        Err(Unusable::Foreign(names)) => {
            let words = format!("it mentions {}, which it must not mention", names.join(" "));
            return broken(kind, words, String::new());
        }
        Err(Unusable::Quantified) => {
            return broken(
                FindingKind::KeptQuantifier,
                "it has a quantifier".into(),
                String::new(),
            );
        }
        Err(Unusable::Ungrammatical(name)) => {
            let words = format!("the grammar of {name} does not generate its body");
            return broken(kind, words, String::new());
        }
    };
    examined(&claims, kind, budget)
}

/// Tries every claim; one that does not hold is a finding.
fn examined(claims: &Claims, kind: FindingKind, budget: &mut Budget) -> Judgement {
    let mut doubt = None;
    for claim in &claims.list {
        let words = || claim.otherwise.to_owned();
        match (claim.must, decide(claims, claim.formula, budget)) {
            (Must::Hold, Known::False(assignment)) => return broken(kind, words(), assignment),
            (Must::Fail, Known::Valid) => return broken(kind, words(), String::new()),
            (Must::FailLike(other), Known::Valid) => {
                if let Known::False(assignment) = decide(claims, other, budget) {
                    return broken(kind, words(), assignment);
                }
            }
            (Must::Hold, Known::Open(0)) => {
                doubt = Some("no assignment that was tried gives a value".to_owned());
            }
            (Must::Fail, Known::Open(_)) => {
                doubt =
                    Some("no assignment that was tried satisfies it with the premises".to_owned());
            }
            _ => {}
        }
    }
    doubt.map_or(Judgement::Correct, |words| Judgement::Inconclusive(Doubt::Construction(words)))
}

/// The solver says that no functions satisfy the constraints: a known solution refutes it.
fn infeasible(test: &SynthesisTest, budget: &mut Budget) -> Judgement {
    let Request::Functions { wanted, constraints, solution: Some(known) } = test.request() else {
        return Judgement::Inconclusive(Doubt::NoTruth);
    };
    let Ok(claims) = solution(test, wanted, constraints, known) else {
        return Judgement::Inconclusive(Doubt::Construction(
            "the known solution does not satisfy the constraints".into(),
        ));
    };
    let mut grade = Grade::Certified;
    for claim in &claims.list {
        match decide(&claims, claim.formula, budget) {
            Known::Valid => {}
            Known::Open(tried) if tried > 0 => grade = Grade::Declared,
            Known::Open(_) | Known::False(_) => {
                return Judgement::Inconclusive(Doubt::Construction(
                    "the known solution does not satisfy the constraints".into(),
                ));
            }
        }
    }
    let known = known.split_whitespace().collect::<Vec<_>>().join(" ");
    found(FindingKind::WrongInfeasible, grade, Evidence::Truth(format!("feasible: {known}")))
}

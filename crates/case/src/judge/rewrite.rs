//! Judges solvers that rewrite terms: whether the result has the value of the term under every
//! assignment that is tried.

use super::{certain, failure, foreign};
use crate::answer::{Answer, Expected, Rewritten};
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::kind::Test;
use crate::observation::Observation;
use crate::oracle::Grade;
use crate::rewrite::{
    Attack, Effort, Promise, Request, RewriteTest, all_assignments, attack_equality,
    attack_satisfiability, read,
};
use assay_smtlib::Printer;
use assay_term::{FuncId, Interpretation, Model, Store, Value};

/// z3's error for a tactic that does not apply to the formula.
const NOT_APPLICABLE: &str = "tactic failed";

impl Test for RewriteTest {
    fn text(&self) -> &str {
        RewriteTest::text(self)
    }

    fn expected(&self) -> Expected {
        Expected::Equal
    }

    fn grade(&self) -> Option<Grade> {
        Some(Grade::Certified)
    }

    fn why(&self) -> Option<String> {
        Some("the result must have the value of the term everywhere".to_owned())
    }

    fn judge(&self, seen: &Observation) -> Judgement {
        match &seen.answer {
            Answer::Rewritten(rewritten) => claim(self, rewritten),
            Answer::Rejected(words) if words.starts_with(NOT_APPLICABLE) => {
                Judgement::Inconclusive(Doubt::Rewriting(words.clone()))
            }
            other => failure(self.grade(), seen).unwrap_or_else(|| foreign(other)),
        }
    }
}

/// Compares a term with a solver's rewriting.
fn claim(test: &RewriteTest, rewritten: &Rewritten) -> Judgement {
    let doubt = |words: String| Judgement::Inconclusive(Doubt::Rewriting(words));
    let (mut store, mut env) = test.scope();
    let claimed = match read(&mut store, &mut env, test, &rewritten.text) {
        Ok(claimed) => claimed,
        Err(skipped) => return doubt(skipped.to_string()),
    };
    let effort = Effort { last_character: rewritten.last_character, ..Effort::default() };
    let own = test.assignments();
    let is_equal =
        !matches!(test.request(), Request::Apply { promise: Promise::Equisatisfiable, .. });
    let attack = if is_equal {
        attack_equality(&mut store, own, [test.term(), claimed.term], effort)
    } else {
        let invented =
            (!claimed.invented.is_empty()).then(|| all_assignments(&store, claimed.term));
        let goals = (claimed.term, invented.as_ref().unwrap_or(own));
        attack_satisfiability(&mut store, [(test.term(), own), goals], effort)
    };
    match attack {
        Attack::Refuted(difference) => {
            let values = match is_equal {
                true => difference.values.clone().map(|value| match value {
                    Some(value) => shown(&mut store, &value),
                    None => "another value".to_owned(),
                }),
                false => difference.values.clone().map(|value| match value {
                    Some(Value::Bool(true)) => "true".to_owned(),
                    _ => "false under every assignment".to_owned(),
                }),
            };
            let functions = [test.functions(), &claimed.invented].concat();
            let assignment = assignment(&functions, &mut store, &difference.assignment);
            let [term, result] = values;
            certain(FindingKind::WrongRewrite, Evidence::Rewritten { assignment, term, result })
        }
        Attack::Withstood { decided: 0, .. } if is_equal => {
            doubt("no assignment that was tried gives both values".to_owned())
        }
        Attack::Withstood { decided: 0, .. } => {
            doubt("it is unknown whether the formula and its goals can be satisfied".to_owned())
        }
        Attack::Withstood { .. } => Judgement::Correct,
    }
}

/// The values of these symbols under an assignment, as text.
#[must_use]
pub fn assignment(functions: &[FuncId], store: &mut Store, model: &Model) -> String {
    let mut symbols: Vec<String> = Vec::new();
    for &func in functions {
        let name = store.func_name(func).to_owned();
        match model.get(func) {
            Some(Interpretation::Value(value)) => {
                symbols.push(format!("{name} = {}", shown(store, value)));
            }
            Some(Interpretation::Table { entries, default }) => {
                for (args, value) in entries {
                    let args: Vec<String> = args.iter().map(|arg| shown(store, arg)).collect();
                    symbols.push(format!("({name} {}) = {}", args.join(" "), shown(store, value)));
                }
                symbols.push(format!("({name} …) = {}", shown(store, default)));
            }
            Some(Interpretation::Definition { .. } | Interpretation::Opaque(_)) | None => {}
        }
    }
    symbols.join(", ")
}

fn shown(store: &mut Store, value: &Value) -> String {
    match store.value(value) {
        Some(term) => Printer::new(store).term(term),
        None => format!("{value:?}"),
    }
}

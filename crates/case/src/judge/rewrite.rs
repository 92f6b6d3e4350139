//! Solvers that rewrite terms: whether the result has the value of the term under every assignment
//! that is tried.

use super::{certain, failure, foreign};
use crate::answer::Expected;
use crate::answer::{Answer, Rewritten};
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::kind::Test;
use crate::observation::Observation;
use crate::oracle::Grade;
use crate::rewrite::{
    Attack, Difference, Effort, Promise, Relation, Request, RewriteTest, attack, read,
};
use assay_smtlib::Printer;
use assay_term::{Interpretation, Store, Value};

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
            other => failure(self.grade(), seen).unwrap_or_else(|| foreign(other)),
        }
    }
}

/// Compares a term with what a solver made of it.
fn claim(test: &RewriteTest, rewritten: &Rewritten) -> Judgement {
    let doubt = |words: String| Judgement::Inconclusive(Doubt::Rewriting(words));
    let (mut store, mut env) = test.scope();
    let claimed = match read(&mut store, &mut env, test, &rewritten.text) {
        Ok(claimed) => claimed,
        Err(skipped) => return doubt(skipped.to_string()),
    };
    let relation = match test.request() {
        Request::Apply { promise: Promise::Equisatisfiable, .. } => match claimed.constant {
            true => Relation::Implies,
            false => {
                return doubt("the goals are only satisfiable where the formula is".to_owned());
            }
        },
        Request::Simplify { .. } | Request::Apply { .. } => Relation::Equal,
    };
    let effort = Effort { last_character: rewritten.last_character, ..Effort::default() };
    let terms = [test.term(), claimed.term];
    match attack(&mut store, test.assignments(), terms, relation, effort) {
        Attack::Refuted(difference) => {
            certain(FindingKind::WrongRewrite, evidence(test, &mut store, &difference))
        }
        Attack::Withstood { decided: 0, .. } => {
            doubt("the values are known under no assignment that was tried".to_owned())
        }
        Attack::Withstood { .. } => Judgement::Correct,
    }
}

/// The assignment and both values.
fn evidence(test: &RewriteTest, store: &mut Store, difference: &Difference) -> Evidence {
    let model = &test.assignments()[difference.assignment];
    let mut symbols: Vec<String> = Vec::new();
    for &func in test.functions() {
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
    let mut value = |at: usize| match &difference.values[at] {
        Some(value) => shown(store, value),
        None => "another value".to_owned(),
    };
    let [term, result] = [value(0), value(1)];
    Evidence::Rewritten { assignment: symbols.join(", "), term, result }
}

fn shown(store: &mut Store, value: &Value) -> String {
    match store.value(value) {
        Some(term) => Printer::new(store).term(term),
        None => format!("{value:?}"),
    }
}

//! The objectives in force at a script's last `check-sat`.

use crate::formula::{Goal, Objective};
use crate::number::number;
use assay_smtlib::{Command, Environment, Script, Setting, read_term};
use assay_term::theories::{core, ints};
use assay_term::{Evaluator, Model, Store, TermId};
use num_rational::BigRational;
use num_traits::Zero;

/// Whether a command adds to an objective.
pub(crate) fn is_objective(command: &Command) -> bool {
    matches!(command, Command::Minimize(..) | Command::Maximize(..) | Command::AssertSoft { .. })
}

/// The objectives in force. Soft assertions of one group are one objective.
pub(crate) fn objectives(
    store: &mut Store,
    env: &mut Environment,
    script: &Script,
) -> Vec<Objective> {
    let mut parts = Vec::new();
    for (command, _) in script.commands_in_force() {
        match command {
            Command::Minimize(term, _) => parts.push(Part::Term(Goal::Minimize, *term)),
            Command::Maximize(term, _) => parts.push(Part::Term(Goal::Maximize, *term)),
            Command::AssertSoft { term, attributes } => {
                let group = attribute(attributes, ":id").unwrap_or_default();
                let group = group.trim_matches('|').to_owned();
                let cost = penalty(store, env, *term, attributes);
                parts.push(Part::Soft(group, cost));
            }
            _ => {}
        }
    }
    let mut objectives: Vec<Objective> = Vec::new();
    for part in parts {
        let (group, cost) = match part {
            Part::Term(goal, term) => {
                objectives.push(Objective { goal, group: None, cost: Some(term) });
                continue;
            }
            Part::Soft(group, cost) => (group, cost),
        };
        let known = objectives.iter_mut().find(|o| o.group.as_ref() == Some(&group));
        match known {
            Some(objective) => {
                objective.cost = match (objective.cost, cost) {
                    (Some(sum), Some(more)) => store.op(ints::ADD, &[sum, more]).ok(),
                    _ => None,
                };
            }
            None => {
                objectives.push(Objective { goal: Goal::Minimize, group: Some(group), cost });
            }
        }
    }
    objectives
}

enum Part {
    Term(Goal, TermId),
    Soft(String, Option<TermId>),
}

fn attribute<'a>(attributes: &'a [Setting], keyword: &str) -> Option<&'a str> {
    attributes.iter().find(|a| a.keyword == keyword)?.value.as_deref()
}

/// The cost of a soft assertion: zero if it holds, its weight if it fails.
fn penalty(
    store: &mut Store,
    env: &mut Environment,
    term: TermId,
    attributes: &[Setting],
) -> Option<TermId> {
    let known = |a: &Setting| [":weight", ":id"].contains(&a.keyword.as_str());
    if !attributes.iter().all(known) {
        return None;
    }
    let text = attribute(attributes, ":weight").unwrap_or("1");
    // z3 accepts negative numbers with the sign attached; to other solvers such a word is a symbol.
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => (true, rest),
        _ => (false, text),
    };
    let weight = read_term(store, env, text).ok()?;
    let nothing = Model::new();
    let weight = number(&Evaluator::new(store, &nothing).eval(weight).ok()?)?;
    let weight = if negative { -weight } else { weight };
    let (zero, weight) = (store.real(&BigRational::zero()), store.real(&weight));
    store.op(core::ITE, &[term, zero, weight]).ok()
}

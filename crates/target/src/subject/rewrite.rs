//! Terms to be rewritten.

use super::Asked;
use crate::resolve::{Ask, Resolved};
use crate::script;
use assay_case::rewrite::{Promise, Request, standard_escapes};
use assay_case::{Answer, Observation, Output, Part, RewriteTest};
use assay_smtlib::{Dialect, Escapes};

impl Asked for RewriteTest {
    fn ask(&self, _target: &Resolved) -> Ask<'static> {
        Ask::default()
    }

    fn text(&self, target: &Resolved, ask: &Ask<'_>) -> Result<String, String> {
        text(target, self, ask)
    }

    fn head(&self, target: &Resolved, ask: &Ask<'_>) -> Option<String> {
        Some(head(target, ask))
    }

    fn parts(&self, _ask: &Ask<'_>) -> Vec<Part> {
        Vec::new()
    }

    fn observe(&self, target: &Resolved, output: &Output<'_>) -> Observation {
        observed(output, target.behaviour.dialect)
    }
}

/// What comes before the term: options and the logic.
fn head(target: &Resolved, ask: &Ask<'_>) -> String {
    let logic = target.logic(None).map(|logic| format!("(set-logic {logic})\n"));
    target.prelude(ask) + &logic.unwrap_or_default()
}

/// The term and the request in the target's dialect.
///
/// # Errors
/// The features that the target lacks, or what its dialect cannot express. Parameters that it does
/// not offer are left out: the result equals the term whatever their values.
fn text(target: &Resolved, test: &RewriteTest, ask: &Ask<'_>) -> Result<String, String> {
    let rewrites = &target.behaviour.rewrites;
    let lacks = |what: String| Err(format!("{} does not offer {what}", target.name));
    if !rewrites.simplify {
        return lacks("simplify".to_owned());
    }
    if let Request::Apply { tactic, promise } = test.request() {
        match rewrites.tactics.get(tactic) {
            None => return lacks(format!("the tactic {tactic}")),
            Some(Promise::Equisatisfiable) if *promise == Promise::Equivalent => {
                return lacks(format!("the tactic {tactic} with equivalent goals"));
            }
            Some(_) => {}
        }
    }
    let (store, terms, declarations) = (test.store(), [test.term()], test.declarations());
    script::refusal(target, store, &declarations, &terms)?;
    let offered = |name: &str| rewrites.parameters.contains(name);
    let commands = test.commands(target.behaviour.dialect, &offered);
    Ok(head(target, ask) + &commands)
}

/// The output with the standard's escapes in its strings.
fn observed(output: &Output<'_>, dialect: Dialect) -> Observation {
    let mut observation = Observation::from_rewriting(output, dialect.last_character);
    if let Answer::Rewritten(rewritten) = &mut observation.answer {
        let standard = match dialect.escapes {
            Escapes::Unicode => return observation,
            Escapes::Hexadecimal => standard_escapes(&rewritten.text),
        };
        match standard {
            Ok(text) => rewritten.text = text,
            Err(escape) => {
                let words = format!("the escape {escape} is not understood");
                observation.answer = Answer::Garbled(words);
            }
        }
    }
    observation
}

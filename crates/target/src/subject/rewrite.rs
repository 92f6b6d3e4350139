//! Terms to be rewritten.

use super::Asked;
use crate::resolve::{Ask, Resolved};
use crate::script;
use assay_case::rewrite::{Request, standard_escapes};
use assay_case::{Answer, Observation, Output, Part, RewriteTest};
use assay_smtlib::{Dialect, Escapes};

impl Asked for RewriteTest {
    fn ask(&self, _target: &Resolved) -> Ask<'static> {
        Ask::default()
    }

    fn text(&self, target: &Resolved, ask: &Ask<'_>) -> Result<String, String> {
        text(target, self, ask)
    }

    fn parts(&self, _ask: &Ask<'_>) -> Vec<Part> {
        Vec::new()
    }

    fn observe(&self, target: &Resolved, output: &Output<'_>) -> Observation {
        observed(output, target.behaviour.dialect)
    }
}

/// The term and the request in the target's words.
///
/// # Errors
/// What the target does not rewrite, what it lacks, or what its dialect cannot say.
fn text(target: &Resolved, test: &RewriteTest, ask: &Ask<'_>) -> Result<String, String> {
    let rewrites = &target.behaviour.rewrites;
    let lacks = |what: String| Err(format!("{} does not offer {what}", target.name));
    if !rewrites.simplify {
        return lacks("simplify".to_owned());
    }
    match test.request() {
        Request::Simplify { parameters } => {
            let known = |name: &String| rewrites.parameters.contains(name);
            if let Some((name, _)) = parameters.iter().find(|(name, _)| !known(name)) {
                return lacks(format!("the parameter {name}"));
            }
        }
        Request::Apply { tactic, .. } => {
            if !rewrites.tactics.contains(tactic) {
                return lacks(format!("the tactic {tactic}"));
            }
        }
    }
    let (store, terms, declarations) = (test.store(), [test.term()], test.declarations());
    script::refusal(target, store, &declarations, &terms)?;
    let logic = target.logic(None).map(|logic| format!("(set-logic {logic})\n"));
    let commands = test.commands(target.behaviour.dialect);
    Ok(target.prelude(ask) + &logic.unwrap_or_default() + &commands)
}

/// What was said, with the standard's escapes in its strings.
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

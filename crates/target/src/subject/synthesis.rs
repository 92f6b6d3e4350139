//! Terms to be constructed.

use super::Asked;
use crate::resolve::{Ask, Resolved};
use crate::script;
use assay_case::synthesis::{Request, Task};
use assay_case::{Formula, Observation, Output, Part, SynthesisTest};
use assay_term::{Term, TermId};

/// The tactic where a task names none.
const TACTIC: &str = "qe";

impl Asked for SynthesisTest {
    fn ask(&self, _target: &Resolved) -> Ask<'static> {
        Ask { task: Some(self.request().task()), ..Ask::default() }
    }

    /// The features that the target lacks, or the tactic.
    fn text(&self, target: &Resolved, ask: &Ask<'_>) -> Result<String, String> {
        let task = self.request().task();
        let lacks = |what: &str| format!("{} does not offer {what}", target.name);
        let offer = target.behaviour.synthesis.get(&task).ok_or_else(|| lacks(task.name()))?;
        let formula = Formula::read(self.script()).map_err(|error| error.to_string())?;
        let terms = formula.script().terms();
        script::refusal(target, formula.store(), &formula.script().commands, &terms)?;
        let logic = target.logic(self.logic());
        let logic = logic.map(|logic| format!("(set-logic {logic})\n")).unwrap_or_default();
        let options = ask.options.iter().map(|option| format!("{option}\n")).collect::<String>();
        let head = target.prelude(ask) + &options + &logic;
        if offer.tactics.is_empty() {
            let is_quantified =
                |&term: &TermId| matches!(formula.store().get(term), Term::Quant(..));
            let fits = match task {
                Task::Qe | Task::QeDisjunct => terms.last().is_some_and(is_quantified),
                _ => true,
            };
            return match fits {
                true => Ok(head + &self.commands()),
                false => Err(lacks("to eliminate quantifiers below other operators")),
            };
        }
        let Request::Eliminate(formula, tactic) = self.request() else {
            return Err(lacks(task.name()));
        };
        let tactic = tactic.as_deref().unwrap_or(TACTIC);
        match offer.tactics.contains(tactic) {
            false => Err(lacks(&format!("the tactic {tactic}"))),
            true => {
                let declared = self.declarations();
                Ok(format!("{head}{declared}(assert {formula})\n(apply {tactic})\n"))
            }
        }
    }

    fn parts(&self, _ask: &Ask<'_>) -> Vec<Part> {
        Vec::new()
    }

    fn observe(&self, _target: &Resolved, output: &Output<'_>) -> Observation {
        Observation::from_construction(output)
    }
}

//! A solver that techniques may ask: the same sessions, limits and texts as in a campaign.

use crate::resolve::Ask;
use crate::runner::{Mode, Ran};
use crate::solver::Solver;
use crate::spec::Feature;
use assay_case::{Answer, Consult, Consultation, Formula, Question};
use assay_term::Op;

impl Consult for Solver {
    fn name(&self) -> &str {
        &self.name
    }

    fn knows(&self, operator: Op) -> bool {
        !self.target.behaviour.without_operators.contains(&operator)
    }

    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation {
        let has = |feature| self.target.behaviour.features.contains(&feature);
        let ask = Ask {
            models: question == Question::Model && has(Feature::Models),
            cores: question == Question::Core && has(Feature::Cores),
            incremental: formula.checks() > 1,
            ..Ask::default()
        };
        let unknown = |why: String| (Answer::Unknown(Some(why)), None, None);
        let (answer, model, core) = match self.exchange(formula, &ask, Mode::Session) {
            Ok(Ran::Observed(run)) => {
                let seen = run.observation;
                (seen.answer, seen.model, seen.core)
            }
            Ok(Ran::Skipped(reason)) => unknown(reason),
            Err(failure) => unknown(failure.to_string()),
        };
        Consultation { who: self.name.clone(), answer, model, core }
    }
}

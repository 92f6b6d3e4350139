//! A solver for techniques to consult, with the same sessions, limits and texts as in a campaign.

use crate::resolve::Ask;
use crate::runner::{Mode, Ran};
use crate::solver::Solver;
use crate::spec::{Feature, Gaps};
use assay_case::{Answer, Consult, Consultation, Formula, Proved, Question};
use assay_term::Op;

impl Consult for Solver {
    fn name(&self) -> &str {
        &self.name
    }

    fn knows(&self, operator: Op) -> bool {
        !self.target.behaviour.without_operators.contains(&operator)
    }

    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation {
        self.consult(formula, question, Mode::Session, None)
    }

    fn prove(&mut self, formula: &Formula) -> Option<Proved> {
        self.proved(formula, Mode::Session, None)
    }
}

impl Solver {
    fn proved(&mut self, formula: &Formula, mode: Mode, effort: Option<u64>) -> Option<Proved> {
        if self.target.behaviour.proof_options.is_empty() {
            return None;
        }
        let gaps = Gaps { effort, ..Gaps::default() };
        let ask = Ask { proofs: true, incremental: formula.checks() > 1, gaps, ..Ask::default() };
        match self.exchange(formula, &ask, mode) {
            Ok(Ran::Observed(run)) => Proved::of(&self.name, &run.observation),
            Ok(Ran::Skipped(_)) | Err(_) => None,
        }
    }

    fn consult(
        &mut self,
        formula: &Formula,
        question: Question,
        mode: Mode,
        effort: Option<u64>,
    ) -> Consultation {
        let has = |feature| self.target.behaviour.features.contains(&feature);
        let ask = Ask {
            models: question == Question::Model && has(Feature::Models),
            cores: question == Question::Core && has(Feature::Cores),
            incremental: formula.checks() > 1,
            gaps: Gaps { effort, ..Gaps::default() },
            ..Ask::default()
        };
        let unknown = |why: String| (Answer::Unknown(Some(why)), None, None);
        let (answer, model, core) = match self.exchange(formula, &ask, mode) {
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

/// A solver whose answers do not depend on earlier questions, so that cases that depend on its
/// answers can be generated again.
///
/// A session has memory: in z3, the option for cores outlives `(reset)` and leads to other models.
/// Satisfiability does not depend on that, so a session is asked first; models, cores and anything
/// that a session does not decide quickly are left to fresh processes. If a tool counts its own
/// steps, those are limited instead of the time.
pub struct Repeatable(pub Solver);

/// The limit of steps for a question in a fresh process; formulas of solvers' regression suites
/// take up to three million steps in z3.
const EFFORT: u64 = 10_000_000;

/// The lower limit in a session: what is decided there is decided in a fresh process as well.
const QUICK: u64 = EFFORT / 4;

impl Consult for Repeatable {
    fn name(&self) -> &str {
        Consult::name(&self.0)
    }

    fn knows(&self, operator: Op) -> bool {
        self.0.knows(operator)
    }

    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation {
        if question != Question::Core && self.0.has_sessions() {
            let said = self.0.consult(formula, Question::Status, Mode::Session, Some(QUICK));
            match (&said.answer, question) {
                (Answer::Unsat, _) | (Answer::Sat, Question::Status) => return said,
                // What takes all of the time here would take it again in a process of its own.
                (Answer::Timeout, _) => return said,
                _ => {}
            }
        }
        self.0.consult(formula, question, Mode::Fresh, Some(EFFORT))
    }

    fn prove(&mut self, formula: &Formula) -> Option<Proved> {
        self.0.proved(formula, Mode::Fresh, Some(EFFORT))
    }
}

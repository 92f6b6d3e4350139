//! How a technique may consult a solver while it generates test cases.
//!
//! A crate that makes oracles cannot start processes, so it is given an implementation of this
//! trait. An answer counts as declared ([`crate::Why::Declared`]) unless it can be checked, as models
//! and proofs can.

use crate::answer::Answer;
use crate::check::{Checked, ModelFault, check_model_within};
use crate::formula::Formula;
use crate::oracle::Proved;
use crate::readings::readings;
use assay_term::{Budget, Limits, Model, Op};

/// A solver that can be consulted.
pub trait Consult {
    /// The solver's name, for the record.
    fn name(&self) -> &str;

    /// Asks about the assertions in force at the formula's last `check-sat`, or at its end if it
    /// has none. If asking fails, the answer is [`Answer::Unknown`] with the reason.
    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation;

    /// Asks for a proof that the formula is unsatisfiable; `None` unless each of its steps was checked.
    fn prove(&mut self, formula: &Formula) -> Option<Proved> {
        let _ = formula;
        None
    }

    /// Whether the solver supports an operator. Formulas for it should avoid others.
    fn knows(&self, operator: Op) -> bool {
        let _ = operator;
        true
    }
}

/// A question about a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether it is satisfiable.
    Status,
    /// Whether it is satisfiable, with a model if so.
    Model,
    /// Whether it is satisfiable, with a core of the named assertions if not.
    Core,
}

/// A solver's reply to a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Consultation {
    /// The solver.
    pub who: String,
    /// Whether the formula is satisfiable.
    pub answer: Answer,
    /// A model as printed; `None` if it was not requested or is unknown.
    pub model: Option<String>,
    /// The names of an unsatisfiable core, without bars; `None` if it was not requested or is
    /// unknown.
    pub core: Option<Vec<String>>,
}

impl Consultation {
    /// The model, checked. Its terms join the formula's store.
    ///
    /// # Errors
    /// Fails if there is no model, or it is not known to satisfy the formula.
    pub fn checked_model(&self, formula: &mut Formula) -> Result<Checked<Model>, ConsultError> {
        let text = self.model.as_deref();
        let text = text.ok_or_else(|| ConsultError::NoModel(self.who.clone()))?;
        checked(formula, text, &mut Budget::new(Limits::default().steps, u64::MAX))
    }
}

/// Checks a printed model under every possible reading.
pub(crate) fn checked(
    formula: &mut Formula,
    text: &str,
    budget: &mut Budget,
) -> Result<Checked<Model>, ConsultError> {
    let mut first = None;
    for reading in readings(text) {
        let checked = match formula.read_model(&reading) {
            Ok(model) => check_model_within(formula, model, budget).map_err(ConsultError::from),
            Err(error) => Err(ConsultError::Unreadable(error.message)),
        };
        match checked {
            Ok(model) => return Ok(model),
            Err(error) => {
                first.get_or_insert(error);
            }
        }
    }
    Err(first.expect("there is at least one reading"))
}

/// Why there is no checked model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConsultError {
    /// The solver gave no model.
    #[error("{0} gave no model")]
    NoModel(String),
    /// The model cannot be read.
    #[error("the model cannot be read: {0}")]
    Unreadable(String),
    /// The model is wrong, or not known to be right.
    #[error("the model does not hold: {0}")]
    Fault(#[from] ModelFault),
}

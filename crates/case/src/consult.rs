//! What a technique may ask a solver while it makes test cases.
//!
//! A crate that makes oracles cannot start processes; it is handed something that answers these
//! questions. An answer is somebody's word ([`crate::Why::Declared`]) unless it can be checked.

use crate::answer::Answer;
use crate::check::{Checked, ModelFault, check_model_within};
use crate::formula::Formula;
use crate::readings::readings;
use assay_term::{Budget, Limits, Model, Op};

/// A solver that can be asked.
pub trait Consult {
    /// Who answers, for the record.
    fn name(&self) -> &str;

    /// Asks about what is in force at the formula's last `check-sat`, or at its end where it has
    /// none. A failure to ask is an [`Answer::Unknown`] with the reason.
    fn ask(&mut self, formula: &Formula, question: Question) -> Consultation;

    /// Whether it reads an operator at all. What is made for it had better not use others.
    fn knows(&self, operator: Op) -> bool {
        let _ = operator;
        true
    }
}

/// What is asked about a formula.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Question {
    /// Whether it is satisfiable.
    Status,
    /// The same, and a model where it is.
    Model,
    /// The same, and a core of the named assertions where it is not.
    Core,
}

/// What a solver says when it is asked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Consultation {
    /// Who says it.
    pub who: String,
    /// Whether the formula is satisfiable.
    pub answer: Answer,
    /// A model, as printed; none where it was not asked for, or is not known.
    pub model: Option<String>,
    /// The names of an unsatisfiable core, without bars; none where it was not asked for, or is not
    /// known.
    pub core: Option<Vec<String>>,
}

impl Consultation {
    /// The model, checked. Its terms join the formula's store.
    ///
    /// # Errors
    /// Where there is no model, or it is not known to satisfy the formula.
    pub fn checked_model(&self, formula: &mut Formula) -> Result<Checked<Model>, ConsultError> {
        let text = self.model.as_deref();
        let text = text.ok_or_else(|| ConsultError::NoModel(self.who.clone()))?;
        checked(formula, text, &mut Budget::new(Limits::default().steps, u64::MAX))
    }
}

/// A printed model, checked, in whichever way it is meant.
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

/// Why no checked model came back.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ConsultError {
    /// The solver gave no model.
    #[error("{0} gave no model")]
    NoModel(String),
    /// The text is not a model.
    #[error("the model cannot be read: {0}")]
    Unreadable(String),
    /// The model is wrong, or not known to be right.
    #[error("the model does not hold: {0}")]
    Fault(#[from] ModelFault),
}

//! What a technique may ask a solver while it makes test cases.
//!
//! A crate that makes oracles cannot start processes; it is handed something that answers these
//! questions. An answer is somebody's word ([`crate::Why::Declared`]) unless it can be checked.

use crate::answer::Answer;
use crate::check::{Checked, ModelFault, check_model};
use crate::formula::Formula;
use crate::readings::readings;
use assay_term::Model;

/// A solver that can be asked.
pub trait Consult {
    /// Who answers, for the record.
    fn name(&self) -> &str;

    /// Is the formula satisfiable?
    fn status(&mut self, formula: &Formula) -> Answer;

    /// A model, as printed; none where there is none or it is not known.
    fn model(&mut self, formula: &Formula) -> Option<String>;

    /// The names of an unsatisfiable core, without bars; none where it is not known.
    fn core(&mut self, formula: &Formula) -> Option<Vec<String>>;
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

/// Asks for a model and checks it. The model's terms join the formula's store.
///
/// # Errors
/// Where there is no model, or it is not known to satisfy the formula.
pub fn consult_model(
    solver: &mut dyn Consult,
    formula: &mut Formula,
) -> Result<Checked<Model>, ConsultError> {
    let text = solver.model(formula);
    let text = text.ok_or_else(|| ConsultError::NoModel(solver.name().to_owned()))?;
    let mut first = None;
    for reading in readings(&text) {
        let checked = match formula.read_model(&reading) {
            Ok(model) => check_model(formula, model).map_err(ConsultError::from),
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

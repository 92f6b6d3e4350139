//! Evaluates a formula's assertions under a model: the only way to obtain a [`Checked`] model, and
//! the only proof that a model is wrong.

use crate::finding::{Evidence, Finding, FindingKind};
use crate::formula::{Assertion, Fingerprint, Formula, Place};
use crate::oracle::Grade;
use assay_term::{Budget, Limits, Model, Store, TermId, Unknown, satisfies_within};
use std::ops::Deref;

/// A value that was checked against a formula; only this module can construct it.
#[derive(Clone, Debug)]
pub struct Checked<T> {
    value: T,
    subject: Fingerprint,
}

impl<T> Checked<T> {
    /// Whether it was checked against this formula.
    #[must_use]
    pub fn is_about(&self, formula: &Formula) -> bool {
        self.subject == formula.fingerprint()
    }

    /// The checked value.
    #[must_use]
    pub fn into_inner(self) -> T {
        self.value
    }
}

impl<T> Deref for Checked<T> {
    type Target = T;
    fn deref(&self) -> &T {
        &self.value
    }
}

/// Why a model is not known to satisfy a formula.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ModelFault {
    /// An assertion is certainly false.
    #[error("{0} is false")]
    False(Place),
    /// The value of an assertion is unknown.
    #[error("{place} is unknown: {reason}")]
    Unknown {
        /// The assertion.
        place: Place,
        /// The reason, in words.
        reason: String,
    },
    /// Evaluating the assertions took too long.
    #[error("{0} is unknown: the time limit was reached")]
    Slow(Place),
}

/// Evaluates every assertion in force. The result also holds the script's own definitions. If the
/// model is incomplete, the assertions hold with the defaults of
/// [`assay_term::Evaluator::completing`]: evaluate under the result in the same way.
///
/// # Errors
/// The first assertion that is false; otherwise the first with an unknown value.
pub fn check_model(formula: &Formula, model: Model) -> Result<Checked<Model>, ModelFault> {
    check_model_within(formula, model, &mut usual_budget())
}

/// Like [`check_model`], with a budget for all assertions together.
///
/// # Errors
/// Like [`check_model`]; if the budget runs out, the value is unknown.
pub fn check_model_within(
    formula: &Formula,
    model: Model,
    budget: &mut Budget,
) -> Result<Checked<Model>, ModelFault> {
    let value = satisfy(formula, formula.store(), model, budget, |_| true)?;
    Ok(Checked { value, subject: formula.fingerprint() })
}

/// Evaluates the assertions of a claimed core: those it names, and all unnamed ones. If the model
/// satisfies them, the core is certainly not unsatisfiable.
///
/// The model must have been read into the formula's store ([`Formula::read_model`]).
///
/// # Errors
/// The reason why the model does not refute the core.
pub fn refute_core(
    formula: &Formula,
    core: &[String],
    model: Model,
) -> Result<Finding, ModelFault> {
    let store = formula.store();
    satisfy(formula, store, model, &mut usual_budget(), |assertion| stands_in(assertion, core))?;
    Ok(Finding {
        kind: FindingKind::InvalidCore,
        grade: Grade::Certified,
        evidence: Evidence::SatisfiableCore,
    })
}

/// Whether a core with these names includes the assertion. Unnamed assertions always count, because
/// no core can mention them.
pub(crate) fn stands_in(assertion: &Assertion, core: &[String]) -> bool {
    assertion.names.is_empty() || assertion.names.iter().any(|name| core.contains(name))
}

/// Evaluates the chosen assertions. A result of false never rests on default values; true may,
/// because a model with defaults for missing symbols is a model too.
pub(crate) fn satisfy(
    formula: &Formula,
    store: &Store,
    mut model: Model,
    budget: &mut Budget,
    chosen: impl Fn(&Assertion) -> bool,
) -> Result<Model, ModelFault> {
    model.extend(formula.definitions());
    let chosen: Vec<&Assertion> = formula.assertions().iter().filter(|a| chosen(a)).collect();
    let terms: Vec<TermId> = chosen.iter().map(|assertion| assertion.term).collect();
    let satisfaction = satisfies_within(store, &model, &terms, budget);
    let judged = || chosen.iter().zip(&satisfaction.values);
    if let Some((assertion, _)) = judged().find(|(_, value)| **value == Ok(false)) {
        return Err(ModelFault::False(assertion.place));
    }
    for (assertion, value) in judged() {
        if *value == Err(Unknown::TIME) {
            return Err(ModelFault::Slow(assertion.place));
        }
        if let Err(reason) = value {
            let (place, reason) = (assertion.place, reason.words(store));
            return Err(ModelFault::Unknown { place, reason });
        }
    }
    Ok(satisfaction.completed.unwrap_or(model))
}

/// The evaluation budget if no time limit is known.
fn usual_budget() -> Budget {
    Budget::new(Limits::default().steps, u64::MAX)
}

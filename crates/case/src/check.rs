//! Evaluation of a formula's assertions under a model: the only way to a [`Checked`] model, and
//! the only proof that a model is wrong.

use crate::finding::{Evidence, Finding, FindingKind};
use crate::formula::{Assertion, Fingerprint, Formula, Place};
use crate::oracle::Grade;
use assay_term::{Budget, Limits, Model, Store, TermId, Unknown, satisfies_within};
use std::ops::Deref;

/// Something that was checked against a formula. Nothing outside this module can make one.
#[derive(Clone, Debug)]
pub struct Checked<T> {
    value: T,
    subject: Fingerprint,
}

impl<T> Checked<T> {
    /// Whether it was this formula that it was checked against.
    #[must_use]
    pub fn is_about(&self, formula: &Formula) -> bool {
        self.subject == formula.fingerprint()
    }

    /// What was checked.
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
    /// The value of an assertion is not known.
    #[error("{place} is unknown: {reason}")]
    Unknown {
        /// Which assertion.
        place: Place,
        /// Why, in words.
        reason: String,
    },
    /// The time to evaluate an assertion was used up.
    #[error("{0} is unknown: the limit of time was reached")]
    Slow(Place),
}

/// Evaluates every assertion in force. What comes back also holds the script's own definitions.
/// Where the model leaves something out, the assertions hold with the defaults of
/// [`assay_term::Evaluator::completing`]: evaluate under it in the same way.
///
/// # Errors
/// The first assertion that is false; otherwise the first whose value is unknown.
pub fn check_model(formula: &Formula, model: Model) -> Result<Checked<Model>, ModelFault> {
    check_model_within(formula, model, &mut usual_budget())
}

/// The same under a budget for all assertions together.
///
/// # Errors
/// As [`check_model`]; where the budget ends first, the value is unknown.
pub fn check_model_within(
    formula: &Formula,
    model: Model,
    budget: &mut Budget,
) -> Result<Checked<Model>, ModelFault> {
    let value = satisfy(formula, formula.store(), model, budget, |_| true)?;
    Ok(Checked { value, subject: formula.fingerprint() })
}

/// Evaluates the assertions that a claimed core stands for: those it names, and all that have no
/// name. If the model satisfies them, the core is certainly not unsatisfiable.
///
/// The model must have been read into the formula's store ([`Formula::read_model`]).
///
/// # Errors
/// Why the model does not refute the core.
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

/// Whether a core with these names includes the assertion. Unnamed assertions always count: no
/// core can mention them.
pub(crate) fn stands_in(assertion: &Assertion, core: &[String]) -> bool {
    assertion.names.is_empty() || assertion.names.iter().any(|name| core.contains(name))
}

/// Evaluates the chosen assertions. False is said only where no default value had a part in it;
/// true may rest on defaults for what the model leaves out, because they too make a model.
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

/// What evaluation may take where no time limit is known.
fn usual_budget() -> Budget {
    Budget::new(Limits::default().steps, u64::MAX)
}

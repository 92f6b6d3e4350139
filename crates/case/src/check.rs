//! Evaluation of a formula's assertions under a model: the only way to a [`Checked`] model, and
//! the only proof that a model is wrong.

use crate::finding::{Evidence, Finding, FindingKind};
use crate::formula::{Assertion, Fingerprint, Formula, Place};
use crate::oracle::Grade;
use assay_term::{Evaluator, Model, Store};
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
}

/// Evaluates every assertion in force. What comes back also holds the script's own definitions.
/// Where the model leaves something out, the assertions hold with the defaults of
/// [`Evaluator::completing`]: evaluate under it in the same way.
///
/// # Errors
/// The first assertion that is false; otherwise the first whose value is unknown.
pub fn check_model(formula: &Formula, model: Model) -> Result<Checked<Model>, ModelFault> {
    let value = satisfy(formula, formula.store(), model, |_| true)?;
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
    satisfy(formula, formula.store(), model, |assertion| stands_in(assertion, core))?;
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
    chosen: impl Fn(&Assertion) -> bool,
) -> Result<Model, ModelFault> {
    model.extend(formula.definitions());
    let mut unknown = Vec::new();
    let mut evaluator = Evaluator::new(store, &model);
    for assertion in formula.assertions().iter().filter(|assertion| chosen(assertion)) {
        match evaluator.holds(assertion.term) {
            Ok(true) => {}
            Ok(false) => return Err(ModelFault::False(assertion.place)),
            Err(reason) => unknown.push((assertion, reason)),
        }
    }
    let mut evaluator = Evaluator::new(store, &model).completing();
    for (assertion, gap) in unknown {
        let reason = match evaluator.holds(assertion.term) {
            Ok(true) => continue,
            Ok(false) => gap,
            Err(reason) => reason,
        };
        let (place, reason) = (assertion.place, reason.words(store));
        return Err(ModelFault::Unknown { place, reason });
    }
    Ok(model)
}

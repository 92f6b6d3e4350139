//! Evaluates a formula's assertions under a model: the only way to obtain a [`Checked`] model, and
//! the only proof that a model is wrong.

use crate::finding::{Evidence, Finding, FindingKind};
use crate::formula::{Assertion, Fingerprint, Formula, Place};
use crate::horn;
use crate::oracle::Grade;
use crate::universal::{Assignment, Verdict, decide};
use assay_smtlib::Printer;
use assay_term::{Budget, Limits, Model, Store, TermId, Unknown, satisfies_within};
use std::fmt;
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
    #[error("{0}")]
    False(Falsified),
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

/// An assertion that a model falsifies.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Falsified {
    /// The assertion.
    pub place: Place,
    /// Values of its universal variables under which it is false, if it has any: `x = 0, y = 3`.
    pub assignment: Option<String>,
}

impl Falsified {
    /// The same in words, if the model is one that a tool printed.
    #[must_use]
    pub fn under_the_model(&self) -> String {
        let assignment = self.assignment.as_ref().map(|values| format!(", for {values}"));
        format!("{} is false under the model{}", self.place, assignment.unwrap_or_default())
    }
}

impl fmt::Display for Falsified {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is false", self.place)?;
        self.assignment.as_ref().map_or(Ok(()), |values| write!(f, " under {values}"))
    }
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
        let (place, assignment) = (assertion.place, None);
        return Err(ModelFault::False(Falsified { place, assignment }));
    }
    let open =
        |value: &Result<bool, Unknown>| matches!(value, Err(unknown) if may_be_decided(unknown));
    if satisfaction.values.iter().any(open) {
        return by_instances(formula, store, model, budget, &chosen, &satisfaction.values);
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

/// Whether an assertion with this unknown value may be a universal sentence over too many values.
fn may_be_decided(unknown: &Unknown) -> bool {
    matches!(unknown, Unknown::Quantifier(_)) || *unknown == Unknown::Limit("evaluation steps")
}

/// Decides assertions that are not evaluated as a whole, because a variable ranges over too many values:
/// one assignment refutes such an assertion; all of them, or a proof, confirm it.
fn by_instances(
    formula: &Formula,
    store: &Store,
    model: Model,
    budget: &mut Budget,
    chosen: &[&Assertion],
    values: &[Result<bool, Unknown>],
) -> Result<Model, ModelFault> {
    let false_at = |place: Place, assignment: &Assignment| {
        let assignment = Some(words(store, assignment));
        ModelFault::False(Falsified { place, assignment })
    };
    if let Some((at, assignment)) = horn::falsified(formula, store, &model, budget) {
        let place = formula.assertions()[at].place;
        if chosen.iter().any(|assertion| assertion.place == place) {
            return Err(false_at(place, &assignment));
        }
    }
    let mut unknown = None;
    for (assertion, value) in chosen.iter().zip(values) {
        let Err(reason) = value else { continue };
        let verdict = match may_be_decided(reason) {
            true => decide(store, assertion.term, &model, budget),
            false => Verdict::Unknown,
        };
        match verdict {
            Verdict::Valid => {}
            Verdict::False(assignment) => return Err(false_at(assertion.place, &assignment)),
            Verdict::Unknown => {
                unknown.get_or_insert((assertion.place, reason.words(store)));
            }
        }
    }
    match unknown {
        Some((place, reason)) => Err(ModelFault::Unknown { place, reason }),
        None => Ok(model),
    }
}

/// An assignment as text.
pub(crate) fn words(store: &Store, Assignment(values): &Assignment) -> String {
    let mut store = store.clone();
    let one = |(name, value): &(String, assay_term::Value)| match store.value(value) {
        Some(term) => format!("{name} = {}", Printer::new(&store).term(term)),
        None => format!("{name} = {value:?}"),
    };
    values.iter().map(one).collect::<Vec<_>>().join(", ")
}

/// The evaluation budget if no time limit is known.
fn usual_budget() -> Budget {
    Budget::new(Limits::default().steps, u64::MAX)
}

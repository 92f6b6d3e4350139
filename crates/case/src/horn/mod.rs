//! Constrained Horn clauses: formulas over predicates whose assertions say that a predicate holds, or that
//! something is false, if predicates and constraints hold.
//!
//! A derivation of `false` proves such a formula unsatisfiable ([`Derivation`]); it is found by running the
//! clauses concretely, and each of its steps is evaluated on the assertion itself.

mod clauses;
mod derive;

pub use clauses::{Applied, Clause, Clauses};
pub use derive::{Derivation, Extent, Fact, Run, Step, explore, refute};

use crate::formula::Formula;
use crate::universal::{Assignment, Verdict, decide};
use assay_term::{Budget, Model, TermId};

/// Whether a sentence holds under all assignments of its universal variables: by trying them all, or by a
/// proof; or an assignment that falsifies it.
#[must_use]
pub fn holds(formula: &Formula, sentence: TermId, model: &Model, budget: &mut Budget) -> Verdict {
    decide(formula.store(), sentence, model, budget)
}

/// An assertion that a model falsifies, with the assignment, among those that a concrete run of the
/// clauses meets.
pub(crate) fn falsified(
    formula: &Formula,
    store: &assay_term::Store,
    model: &Model,
    budget: &mut Budget,
) -> Option<(usize, Assignment)> {
    let clauses = Clauses::of(formula)?;
    let run = explore(formula, &clauses, Extent::SHORT, budget);
    let mut opened: Vec<Option<crate::universal::Opened>> = Vec::new();
    opened.resize_with(clauses.clauses.len(), || None);
    for step in run.facts.iter().map(|fact| &fact.step).chain(&run.falsity) {
        let assertion = clauses.clauses[step.clause].assertion;
        let sentence = formula.assertions()[assertion].term;
        if opened[step.clause].is_none() {
            budget.spend(crate::universal::Opened::cost(store)).ok()?;
        }
        let opened = opened[step.clause]
            .get_or_insert_with(|| crate::universal::Opened::new(store, sentence));
        if opened.is_false(model, &step.values, budget) {
            return Some((assertion, opened.assignment(&step.values)));
        }
    }
    None
}

/// Whether a sentence without free symbols is known to be valid: by trying all assignments of its
/// variables, if there are few, or by a proof.
#[must_use]
pub fn is_valid(store: &assay_term::Store, sentence: TermId, budget: &mut Budget) -> bool {
    crate::universal::Opened::new(store, sentence).into_validity(budget)
}

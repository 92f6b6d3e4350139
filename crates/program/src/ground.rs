//! Floating-point terms without symbols, replaced by their values: conversions of decimals, named numbers
//! and constants that a rounding mode decides need no counterpart in C then.

use crate::expand::undefined;
use assay_term::theories::Theory;
use assay_term::{Evaluator, Func, Model, Replacements, Sort, Store, Term, TermId, Unexpanded};
use rustc_hash::FxHashSet;

/// Whether a term is a floating-point operation.
fn operates_in(store: &Store, term: TermId) -> bool {
    store.operator(term).is_some_and(|(op, _)| op.theory() == Theory::Floats)
}

/// The terms with every floating-point operation on constants evaluated; `None` if there is nothing to
/// evaluate. What the standard leaves open stays.
///
/// # Errors
/// If the terms without their definitions become too large.
pub(crate) fn ground(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
) -> Result<Option<(Store, Vec<TermId>)>, Unexpanded> {
    let bodies = definitions.iter().filter_map(|(_, meaning)| match meaning {
        assay_term::Interpretation::Definition { body, .. } => Some(*body),
        _ => None,
    });
    let all: Vec<TermId> = roots.iter().copied().chain(bodies).collect();
    if !store.postorder(&all).into_iter().any(|term| operates_in(store, term)) {
        return Ok(None);
    }
    let (mut store, roots) = undefined(store, roots, definitions)?;
    let order = store.postorder(&roots);
    let mut constant: FxHashSet<TermId> = FxHashSet::default();
    let mut values = Vec::new();
    let none = Model::new();
    let mut evaluator = Evaluator::new(&store, &none);
    for &term in &order {
        let known = match store.get(term) {
            Term::Literal(_) => true,
            Term::App(func, args) => {
                matches!(store.func(func), Func::Op(..))
                    && args.iter().all(|arg| constant.contains(arg))
            }
            _ => false,
        };
        if !known {
            continue;
        }
        constant.insert(term);
        let is_mode = *store.sorts.get(store.sort(term)) == Sort::RoundingMode;
        if operates_in(&store, term) && !is_mode {
            values.extend(evaluator.eval(term).map(|value| (term, value)));
        }
    }
    let mut by = Replacements::default();
    for (term, value) in values {
        by.extend(store.value(&value).filter(|&new| new != term).map(|new| (term, new)));
    }
    let roots = roots.iter().map(|&root| store.replace(root, &mut by)).collect();
    Ok(Some((store, roots)))
}

//! Inlines definitions with parameters.

use assay_term::{Budget, Interpretation, Model, Store, Term, TermId, Unexpanded};

/// Budget for inlining. Larger formulas are not written as programs anyway.
const STEPS: u64 = 5_000_000;
const CELLS: u64 = 4_000_000;

/// The terms with every application of a defined function replaced by its body. The store is copied
/// only if there is something to replace.
///
/// # Errors
/// If that does not terminate, or becomes too large.
pub(crate) fn expanded(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
) -> Result<Option<(Store, Vec<TermId>)>, Unexpanded> {
    let has_parameters = |term: TermId| match store.get(term) {
        Term::App(func, args) if !args.is_empty() => {
            matches!(definitions.get(func), Some(Interpretation::Definition { .. }))
        }
        _ => false,
    };
    let bodies = definitions.iter().filter_map(|(_, meaning)| match meaning {
        Interpretation::Definition { params, body } if params.is_empty() => Some(*body),
        _ => None,
    });
    let all: Vec<TermId> = roots.iter().copied().chain(bodies).collect();
    if !store.postorder(&all).into_iter().any(has_parameters) {
        return Ok(None);
    }
    let mut store = store.clone();
    let roots = store.expanded(roots, definitions, &mut Budget::new(STEPS, CELLS))?;
    Ok(Some((store, roots)))
}

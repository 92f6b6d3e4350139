//! Definitions with parameters, written out.

use assay_term::{Interpretation, Model, Replacements, Store, Term, TermId};

/// More terms than this are not made.
const LARGEST: usize = 200_000;

/// The terms with every application of a defined function replaced by what it stands for; none where
/// that does not end, or becomes too large. The store is only copied where it is needed.
pub(crate) fn expanded(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
) -> Option<Option<(Store, Vec<TermId>)>> {
    let with_parameters = |store: &Store, term: TermId| match store.get(term) {
        Term::App(func, args) if !args.is_empty() => match definitions.get(func) {
            Some(Interpretation::Definition { params, body }) => {
                Some((params.clone(), *body, args.to_vec()))
            }
            _ => None,
        },
        _ => None,
    };
    let bodies = definitions.iter().filter_map(|(_, meaning)| match meaning {
        Interpretation::Definition { params, body } if params.is_empty() => Some(*body),
        _ => None,
    });
    let all: Vec<TermId> = roots.iter().copied().chain(bodies).collect();
    let order = store.postorder(&all);
    if !order.iter().any(|&term| with_parameters(store, term).is_some()) {
        return Some(None);
    }
    let mut store = store.clone();
    let mut roots = roots.to_vec();
    // A definition may use others, but only those before it.
    for _ in 0..=definitions.len() {
        let mut by = Replacements::default();
        let mut changed = false;
        for term in store.postorder(&roots) {
            let constant = match store.get(term) {
                Term::App(func, []) => match definitions.get(func) {
                    Some(Interpretation::Definition { body, .. }) => Some(*body),
                    _ => None,
                },
                _ => None,
            };
            if let Some(body) = constant {
                by.insert(term, body);
                changed = true;
            } else if let Some((params, body, args)) = with_parameters(&store, term) {
                let args: Vec<TermId> =
                    args.into_iter().map(|arg| store.replace(arg, &mut by)).collect();
                let mut own: Replacements =
                    params.iter().copied().zip(args.iter().copied()).collect();
                let body = store.replaced(body, &mut own).ok()?;
                by.insert(term, body);
                changed = true;
            }
            if store.len() > LARGEST {
                return None;
            }
        }
        if !changed {
            return Some(Some((store, roots)));
        }
        roots = roots.iter().map(|&root| store.replace(root, &mut by)).collect();
    }
    None
}

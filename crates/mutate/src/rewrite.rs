//! Replaces parts of terms, without recursion.

use assay_term::{Store, Term, TermId};

/// The term with the part at the end of a path replaced by another of the same sort.
pub(crate) fn replace_at(store: &mut Store, root: TermId, path: &[u32], new: TermId) -> TermId {
    let mut spine = Vec::with_capacity(path.len());
    let mut term = root;
    for &at in path {
        spine.push(term);
        term = store.children(term)[at as usize];
    }
    let mut parts = Vec::new();
    let mut term = new;
    for (&parent, &at) in spine.iter().zip(path).rev() {
        parts.clear();
        parts.extend_from_slice(store.children(parent));
        parts[at as usize] = term;
        term = store.with_children(parent, &parts).expect("the sorts are the same");
    }
    term
}

/// The part at the end of a path.
pub(crate) fn part_at(store: &Store, root: TermId, path: &[u32]) -> Option<TermId> {
    path.iter().try_fold(root, |term, &at| store.children(term).get(at as usize).copied())
}

/// Whether a term has no free variable, including the patterns of its quantifiers.
pub(crate) fn is_closed(store: &Store, term: TermId) -> bool {
    if !store.mentions_variables(term) {
        return true;
    }
    let own = |part: TermId| match store.get(part) {
        Term::Quant(_, vars, body) => store
            .attribute_terms(body)
            .all(|pattern| store.free_variables(pattern).iter().all(|free| vars.contains(free))),
        _ => true,
    };
    store.free_variables(term).is_empty() && store.postorder(&[term]).into_iter().all(own)
}

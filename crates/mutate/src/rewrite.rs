//! Terms with parts replaced, without recursion.

use assay_term::{Store, Term, TermId};
use rustc_hash::FxHashSet;

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

/// The parts of some terms that are not closed: a variable occurs free in them, or in the pattern of one
/// of their quantifiers.
pub(crate) fn open_parts(store: &Store, roots: &[TermId]) -> FxHashSet<TermId> {
    let mut escaping: FxHashSet<TermId> = FxHashSet::default();
    for term in store.postorder(roots) {
        let mut parts = store.children(term).iter().copied().chain(store.attribute_terms(term));
        if parts.any(|part| escaping.contains(&part)) || has_escaping_pattern(store, term) {
            escaping.insert(term);
        }
    }
    escaping.extend(store.open_subterms(roots));
    escaping
}

/// Whether a term is a quantifier with a pattern about variables that it does not bind.
fn has_escaping_pattern(store: &Store, term: TermId) -> bool {
    let Term::Quant(_, vars, body) = store.get(term) else { return false };
    let escapes = |pattern| store.free_variables(pattern).iter().any(|free| !vars.contains(free));
    store.attribute_terms(body).any(escapes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::seed::Seed;

    /// The same about one term, by looking at all of it.
    fn is_closed(store: &Store, term: TermId) -> bool {
        let escapes = |part: TermId| has_escaping_pattern(store, part);
        store.free_variables(term).is_empty() && !store.postorder(&[term]).into_iter().any(escapes)
    }

    #[test]
    fn open_parts_agree_with_the_definition_of_closed_terms() {
        let many: String = (0..130).map(|at| format!("(x{at} Int)")).collect();
        let sum: String = (0..130).map(|at| format!(" x{at}")).collect();
        for body in [
            "(forall ((x Int)) (exists ((x Int)) (or (p x x) (exists ((y Int)) (p x y)))))".to_owned(),
            "(forall ((x Int)) (! (forall ((y Int)) (! (p y y) :pattern ((p x y)))) :pattern ((p x x))))"
                .to_owned(),
            "(forall ((x Int)) (and (let ((y x)) (p y y)) (exists ((z Int)) (p z z))))".to_owned(),
            format!("(forall ({many}) (or (p 0 (+{sum})) (exists ((x7 Int)) (p x7 x7))))"),
        ] {
            let text = format!("(declare-fun p (Int Int) Bool)(assert {body})(check-sat)");
            let seed = Seed::read("test", text.as_bytes(), 100_000).expect("it reads");
            let (store, roots) = (&seed.base.store, &seed.base.assertions);
            let open = open_parts(store, roots);
            let parts = store.postorder(roots);
            assert!(parts.iter().any(|part| open.contains(part)), "{body}");
            for part in parts {
                assert_eq!(open.contains(&part), !is_closed(store, part), "{body}: {part:?}");
            }
        }
    }
}

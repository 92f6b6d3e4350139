//! Replaces parts of terms. Rules are short, so recursion is safe.

use assay_term::{Attribute, AttributeValue, Store, Term, TermId};
use rustc_hash::FxHashMap;

/// The replacement of each term.
pub(crate) type Replacements = FxHashMap<TermId, TermId>;

/// The term with every occurrence of a key replaced, also in patterns and as a bound variable. The new
/// terms must have the sorts of the old ones and no variable that a binder would capture.
pub(crate) fn replace(store: &mut Store, term: TermId, by: &Replacements) -> TermId {
    if by.is_empty() {
        return term;
    }
    let mut known = by.clone();
    rebuild(store, term, &mut known)
}

fn rebuild(store: &mut Store, term: TermId, known: &mut Replacements) -> TermId {
    if let Some(&new) = known.get(&term) {
        return new;
    }
    let old: Vec<TermId> = store.children(term).to_vec();
    let parts: Vec<TermId> = old.iter().map(|&part| rebuild(store, part, known)).collect();
    let new = match store.get(term) {
        Term::Annotated(_, attributes) => {
            let attributes = attributes.to_vec();
            let attributes = attributes.into_iter().map(|a| attribute(store, a, known)).collect();
            store.annotated(parts[0], attributes)
        }
        _ => store.with_children(term, &parts).expect("the sorts are the same"),
    };
    known.insert(term, new);
    new
}

fn attribute(store: &mut Store, attribute: Attribute, known: &mut Replacements) -> Attribute {
    let value = match attribute.value {
        AttributeValue::Terms(terms) => {
            AttributeValue::Terms(terms.iter().map(|&t| rebuild(store, t, known)).collect())
        }
        value => value,
    };
    Attribute { value, ..attribute }
}

/// The term without the patterns of its quantifiers.
pub(crate) fn without_patterns(store: &mut Store, term: TermId) -> TermId {
    let mut plain = Replacements::default();
    for part in store.postorder(&[term]) {
        if let Term::Annotated(inner, _) = store.get(part) {
            let inner = rebuild(store, inner, &mut plain);
            plain.insert(part, inner);
        }
    }
    replace(store, term, &plain)
}

/// Every distinct subterm, each before its parts, in order of occurrence.
pub(crate) fn preorder(store: &Store, root: TermId) -> Vec<TermId> {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut order = Vec::new();
    let mut work = vec![root];
    while let Some(term) = work.pop() {
        if seen.insert(term) {
            order.push(term);
            work.extend(store.children(term).iter().rev());
        }
    }
    order
}

/// Whether a term contains another or is equal to it.
pub(crate) fn mentions(store: &Store, term: TermId, part: TermId) -> bool {
    preorder(store, term).contains(&part)
}

/// The parts of a conjunction.
pub(crate) fn conjuncts(store: &Store, term: TermId) -> Vec<TermId> {
    use assay_term::theories::core;
    let mut work = vec![term];
    let mut parts = Vec::new();
    while let Some(term) = work.pop() {
        match store.operator(term) {
            Some((core::AND, args)) => work.extend(args.iter().rev()),
            _ => parts.push(term),
        }
    }
    parts
}

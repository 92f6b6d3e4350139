//! Terms with parts replaced, without recursion.

use crate::term::{Attribute, AttributeValue, Store, Term, TermId};
use rustc_hash::FxHashMap;

/// What to put in place of which term.
pub type Replacements = FxHashMap<TermId, TermId>;

impl Store {
    /// The term with every occurrence of a key replaced, also in patterns. New terms have the sorts
    /// of the old ones. Grows `by` with what it learns, so that further terms can use it.
    ///
    /// Binders are not looked at: a variable that is replaced must not be bound inside the term, nor
    /// one that a new term mentions.
    ///
    /// # Panics
    /// Where a key and what takes its place differ in sort.
    pub fn replace(&mut self, root: TermId, by: &mut Replacements) -> TermId {
        for term in self.postorder(&[root]) {
            if by.contains_key(&term) {
                continue;
            }
            let old = self.children(term);
            let mut changed = false;
            let parts: Vec<TermId> = old
                .iter()
                .map(|part| {
                    let new = by.get(part).copied().unwrap_or(*part);
                    changed |= new != *part;
                    new
                })
                .collect();
            if let Term::Annotated(_, attributes) = self.get(term) {
                let renewed: Vec<Attribute> = attributes.iter().map(|a| renew(a, by)).collect();
                if changed || renewed != attributes {
                    let new = self.annotated(parts[0], renewed);
                    by.insert(term, new);
                }
            } else if changed {
                let new = self.with_children(term, &parts).expect("the sorts are the same");
                by.insert(term, new);
            }
        }
        by.get(&root).copied().unwrap_or(root)
    }
}

fn renew(attribute: &Attribute, by: &Replacements) -> Attribute {
    let value = match &attribute.value {
        AttributeValue::Terms(terms) => {
            let new = |term: &TermId| by.get(term).copied().unwrap_or(*term);
            AttributeValue::Terms(terms.iter().map(new).collect())
        }
        value => value.clone(),
    };
    Attribute { value, ..attribute.clone() }
}

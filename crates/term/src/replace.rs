//! Terms with parts replaced, without recursion.

use crate::budget::{Budget, Exhausted, Meter, as_steps};
use crate::expand::TERM_CELLS;
use crate::term::{Attribute, AttributeValue, SortError, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// Terms with their replacements.
pub type Replacements = FxHashMap<TermId, TermId>;

/// Why a part cannot be replaced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unreplaced {
    /// It does not fit.
    Sort(SortError),
    /// The budget is used up.
    Limit(Exhausted),
}

impl Store {
    /// The term with every occurrence of a key replaced, also in patterns. New terms have the sorts
    /// of the old ones. Grows `by` with what it learns, so that further terms can use it.
    ///
    /// Binders are ignored: a replaced variable must not be bound inside the term, nor may a
    /// variable in a new term.
    ///
    /// # Panics
    /// Panics if a key and its replacement differ in sort.
    pub fn replace(&mut self, root: TermId, by: &mut Replacements) -> TermId {
        self.replaced(root, by).expect("the sorts are the same")
    }

    /// The same if a new part may not fit: it has another sort, or would replace a bound variable.
    ///
    /// # Errors
    /// Fails if a new part does not fit.
    pub fn replaced(&mut self, root: TermId, by: &mut Replacements) -> Result<TermId, SortError> {
        match self.replaced_within(root, by, &mut Budget::unlimited()) {
            Ok(term) => Ok(term),
            Err(Unreplaced::Sort(error)) => Err(error),
            Err(Unreplaced::Limit(_)) => unreachable!("there is no limit"),
        }
    }

    /// The same under a budget: terms that grow with each of many replacements may grow without
    /// bound.
    ///
    /// # Errors
    /// Fails if a new part does not fit, or the budget is used up.
    pub fn replaced_within(
        &mut self,
        root: TermId,
        by: &mut Replacements,
        budget: &mut Budget,
    ) -> Result<TermId, Unreplaced> {
        let mut meter = Meter::default();
        for term in self.outside(root, by) {
            budget.spend(1 + as_steps(self.children(term).len())).map_err(Unreplaced::Limit)?;
            if let Some(new) = self.over_replaced(term, by).map_err(Unreplaced::Sort)? {
                meter.grow(TERM_CELLS, budget).map_err(Unreplaced::Limit)?;
                by.insert(term, new);
            }
        }
        Ok(by.get(&root).copied().unwrap_or(root))
    }

    /// The term over the replacements of its parts; `None` if nothing changes.
    pub(crate) fn over_replaced(
        &mut self,
        term: TermId,
        by: &Replacements,
    ) -> Result<Option<TermId>, SortError> {
        let mut changed = false;
        let parts: Vec<TermId> = self
            .children(term)
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
                return Ok(Some(self.annotated(parts[0], renewed)));
            }
        } else if changed {
            return self.with_children(term, &parts).map(Some);
        }
        Ok(None)
    }

    /// The subterms that are not keys and do not occur only inside keys, arguments first.
    pub(crate) fn outside(&self, root: TermId, by: &Replacements) -> Vec<TermId> {
        let mut seen = FxHashSet::default();
        let mut order = Vec::new();
        let mut work = vec![(root, false)];
        while let Some((term, ready)) = work.pop() {
            if ready {
                order.push(term);
            } else if !by.contains_key(&term) && seen.insert(term) {
                work.push((term, true));
                work.extend(self.children(term).iter().map(|&part| (part, false)));
                work.extend(self.attribute_terms(term).map(|part| (part, false)));
            }
        }
        order
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::SortId;
    use crate::theories::{core, ints};

    #[test]
    fn every_occurrence_is_replaced_and_ill_sorted_results_are_refused() {
        let mut store = Store::new();
        let [x, y] = ["x", "y"].map(|name| store.constant(name, SortId::INT));
        let sum = store.op(ints::ADD, &[x, y]).expect("a sum");
        let both = store.op(core::EQ, &[sum, x]).expect("an equation");
        let expected = store.op(core::EQ, &[y, y]).expect("an equation");
        let mut by = Replacements::from_iter([(sum, y), (x, y)]);
        assert_eq!(store.replaced(both, &mut by), Ok(expected));

        let name = store.symbols.intern("v");
        let var = store.var(name, SortId::INT);
        let body = store.op(core::EQ, &[var, x]).expect("an equation");
        let all = store.quantified(crate::Quantifier::Forall, &[var], body).expect("a formula");
        let mut by = Replacements::from_iter([(var, y)]);
        assert!(store.replaced(all, &mut by).is_err(), "a constant cannot be bound");
    }
}

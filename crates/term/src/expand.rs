//! Expands applications of defined functions.
//!
//! Every body and every call (a function with its arguments) is expanded once, so that sharing is
//! kept: a chain of functions that each use the last twice stays short. If calls differ, the result
//! may still be exponentially large; a [`Budget`] limits it.

use crate::budget::{Budget, Exhausted, Meter, as_steps};
use crate::model::{Interpretation, Model};
use crate::replace::{Replacements, Unreplaced};
use crate::term::{FuncId, SortError, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::fmt;

/// The cells of a term: its node, its entry in the table of all terms, and its share of a walk's
/// cache.
pub(crate) const TERM_CELLS: usize = 16;

/// Why definitions cannot be expanded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unexpanded {
    /// A function is defined in terms of itself.
    Recursive(FuncId),
    /// A part has the wrong sort for its place.
    Sort(SortError),
    /// The budget is used up.
    Limit(Exhausted),
}

impl fmt::Display for Unexpanded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unexpanded::Recursive(_) => f.write_str("a function is defined by recursion"),
            Unexpanded::Sort(_) => f.write_str("a definition does not fit its use"),
            Unexpanded::Limit(limit) => write!(f, "{limit} while expanding definitions"),
        }
    }
}

impl std::error::Error for Unexpanded {}

impl From<Exhausted> for Unexpanded {
    fn from(limit: Exhausted) -> Self {
        Unexpanded::Limit(limit)
    }
}

impl From<Unreplaced> for Unexpanded {
    fn from(error: Unreplaced) -> Self {
        match error {
            Unreplaced::Sort(error) => Unexpanded::Sort(error),
            Unreplaced::Limit(limit) => Unexpanded::Limit(limit),
        }
    }
}

impl Store {
    /// The terms with every application of a defined function replaced by its body.
    ///
    /// Binders are ignored: a variable that a body binds must not be bound anywhere else.
    ///
    /// # Errors
    /// Fails if a definition that the terms use is recursive, or the budget is used up. The store
    /// keeps the terms built so far.
    pub fn expanded(
        &mut self,
        roots: &[TermId],
        definitions: &Model,
        budget: &mut Budget,
    ) -> Result<Vec<TermId>, Unexpanded> {
        let mut work = Expansion {
            definitions,
            bodies: FxHashMap::default(),
            calls: FxHashMap::default(),
            by: Replacements::default(),
            meter: Meter::default(),
        };
        for func in self.used_definitions(roots, definitions, budget)? {
            let Some((_, body)) = definition(definitions, func) else { continue };
            let body = work.expand(self, body, budget)?;
            work.bodies.insert(func, body);
        }
        roots.iter().map(|&root| work.expand(self, root, budget)).collect()
    }

    /// The defined functions that the terms use, directly or in bodies, each after those in its own
    /// body.
    fn used_definitions(
        &self,
        roots: &[TermId],
        definitions: &Model,
        budget: &mut Budget,
    ) -> Result<Vec<FuncId>, Unexpanded> {
        let mut order = Vec::new();
        let mut state: FxHashMap<FuncId, Visit> = FxHashMap::default();
        let mut work: Vec<(FuncId, Visit)> = Vec::new();
        let called = |roots: &[TermId], budget: &mut Budget| -> Result<Vec<FuncId>, Exhausted> {
            let terms = self.postorder(roots);
            budget.spend(as_steps(terms.len()))?;
            let mut seen = FxHashSet::default();
            let defined = |term| match self.get(term) {
                Term::App(func, _) if definition(definitions, func).is_some() => Some(func),
                _ => None,
            };
            Ok(terms.into_iter().filter_map(defined).filter(|&func| seen.insert(func)).collect())
        };
        work.extend(called(roots, budget)?.into_iter().map(|func| (func, Visit::Open)));
        while let Some((func, visit)) = work.pop() {
            if visit == Visit::Done {
                state.insert(func, Visit::Done);
                order.push(func);
                continue;
            }
            match state.get(&func) {
                Some(Visit::Done) => continue,
                Some(Visit::Open) => return Err(Unexpanded::Recursive(func)),
                None => {}
            }
            state.insert(func, Visit::Open);
            work.push((func, Visit::Done));
            if let Some((_, body)) = definition(definitions, func) {
                let inner = called(&[body], budget)?.into_iter();
                let left = inner.filter(|callee| state.get(callee) != Some(&Visit::Done));
                work.extend(left.map(|callee| (callee, Visit::Open)).collect::<Vec<_>>());
            }
        }
        Ok(order)
    }
}

/// The state of a definition in the search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    Open,
    Done,
}

fn definition(definitions: &Model, func: FuncId) -> Option<(&[TermId], TermId)> {
    match definitions.get(func) {
        Some(Interpretation::Definition { params, body }) => Some((params, *body)),
        _ => None,
    }
}

struct Expansion<'m> {
    definitions: &'m Model,
    /// Expanded bodies.
    bodies: FxHashMap<FuncId, TermId>,
    /// The expansions of calls.
    calls: FxHashMap<(FuncId, Box<[TermId]>), TermId>,
    /// The expansions of terms, which map to themselves if unchanged.
    by: Replacements,
    meter: Meter,
}

impl Expansion<'_> {
    fn expand(
        &mut self,
        store: &mut Store,
        root: TermId,
        budget: &mut Budget,
    ) -> Result<TermId, Unexpanded> {
        for term in store.outside(root, &self.by) {
            let call = match store.get(term) {
                Term::App(func, args) if self.bodies.contains_key(&func) => {
                    Some((func, args.iter().map(|arg| self.by[arg]).collect()))
                }
                _ => None,
            };
            let before = store.len();
            let new = match call {
                Some((func, args)) => self.call(store, func, args, budget)?,
                None => {
                    budget.spend(1 + as_steps(store.children(term).len()))?;
                    let known = store.over_replaced(term, &self.by).map_err(Unexpanded::Sort)?;
                    known.unwrap_or(term)
                }
            };
            self.meter.grow((1 + store.len() - before) * TERM_CELLS, budget)?;
            self.by.insert(term, new);
        }
        Ok(self.by[&root])
    }

    /// The expansion of an application.
    fn call(
        &mut self,
        store: &mut Store,
        func: FuncId,
        args: Box<[TermId]>,
        budget: &mut Budget,
    ) -> Result<TermId, Unexpanded> {
        let key = (func, args);
        if let Some(&known) = self.calls.get(&key) {
            return Ok(known);
        }
        let (params, _) =
            definition(self.definitions, func).expect("only defined functions have bodies");
        let mut values: Replacements = params.iter().copied().zip(key.1.iter().copied()).collect();
        let new = store.replaced_within(self.bodies[&func], &mut values, budget)?;
        self.calls.insert(key, new);
        Ok(new)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sort::SortId;
    use crate::theories::ints;

    /// Functions of an integer that each apply the previous one twice, in a way chosen by the
    /// caller.
    fn chain(
        store: &mut Store,
        length: usize,
        twice: impl Fn(&mut Store, FuncId, TermId) -> TermId,
    ) -> (Model, FuncId) {
        let name = store.symbols.intern("x");
        let x = store.var(name, SortId::INT);
        let mut model = Model::new();
        let mut last: Option<FuncId> = None;
        for at in 0..length {
            let func = store.declare(&format!("f{at}"), &[SortId::INT], SortId::INT);
            let body = match last {
                Some(last) => twice(store, last, x),
                None => x,
            };
            let params = Box::from([x]);
            model.set(func, Interpretation::Definition { params, body });
            last = Some(func);
        }
        (model, last.expect("there are functions"))
    }

    fn apply(store: &mut Store, func: FuncId, arg: TermId) -> TermId {
        store.app(func, &[arg]).expect("of the right sort")
    }

    #[test]
    fn shared_calls_are_expanded_once() {
        let mut store = Store::new();
        let (model, last) = chain(&mut store, 60, |store, last, x| {
            let call = apply(store, last, x);
            store.op(ints::ADD, &[call, call]).expect("a sum")
        });
        let a = store.constant("a", SortId::INT);
        let root = apply(&mut store, last, a);
        let mut budget = Budget::new(100_000, 100_000);
        let made = store.expanded(&[root], &model, &mut budget).expect("it is small");
        assert_eq!(store.postorder(&made).len(), 60);
    }

    #[test]
    fn exponential_expansions_reach_the_limit() {
        for (limits, expected) in [
            (Budget::new(1_000_000, u64::MAX), Exhausted::Steps),
            (Budget::new(u64::MAX, 1_000_000), Exhausted::Space),
            (Budget::unlimited().until(std::time::Instant::now()), Exhausted::Time),
        ] {
            let mut store = Store::new();
            let (model, last) = chain(&mut store, 60, |store, last, x| {
                let inner = apply(store, last, x);
                let one = store.op(ints::SUB, &[inner]).expect("a difference");
                apply(store, last, one)
            });
            let a = store.constant("a", SortId::INT);
            let root = apply(&mut store, last, a);
            let mut budget = limits;
            let made = store.expanded(&[root], &model, &mut budget);
            assert_eq!(made, Err(Unexpanded::Limit(expected)));
        }
    }

    #[test]
    fn recursion_is_refused_only_where_it_is_used() {
        let mut store = Store::new();
        let name = store.symbols.intern("x");
        let x = store.var(name, SortId::INT);
        let func = store.declare("f", &[SortId::INT], SortId::INT);
        let body = apply(&mut store, func, x);
        let mut model = Model::new();
        model.set(func, Interpretation::Definition { params: Box::from([x]), body });
        let a = store.constant("a", SortId::INT);
        let call = apply(&mut store, func, a);
        let budget = &mut Budget::default();
        assert_eq!(store.expanded(&[call], &model, budget), Err(Unexpanded::Recursive(func)));
        assert_eq!(store.expanded(&[a], &model, budget), Ok(vec![a]));
    }
}

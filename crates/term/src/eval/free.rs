//! The free variables of the terms that an evaluation closes over. Each term is visited once: with
//! nested lambdas, every level needs the variables of all levels below it.

use super::EvalContext;
use crate::term::{MatchPattern, Store, Term, TermId};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// The maximum number of cached variables, counted once per set. Beyond it, every query walks the
/// term.
const MAX_CELLS: usize = 1 << 22;

/// Variables in ascending order, shared by terms with the same set.
type Variables = Arc<[TermId]>;

/// Cached free variables.
#[derive(Default)]
pub(super) struct FreeVariables {
    known: FxHashMap<TermId, Variables>,
    cells: usize,
}

impl FreeVariables {
    /// The free variables of a term; the work is recorded in the context.
    pub(super) fn of(&mut self, cx: &EvalContext<'_>, term: TermId) -> Variables {
        self.learn(cx, term);
        if let Some(known) = self.known.get(&term) {
            return known.clone();
        }
        let (free, visits) = cx.store.free_variables_counted(term);
        cx.charge(visits);
        free.into()
    }

    /// Caches a term and all its subterms as far as there is room.
    fn learn(&mut self, cx: &EvalContext<'_>, root: TermId) {
        let mut work = vec![(root, false)];
        while let Some((term, ready)) = work.pop() {
            if self.cells > MAX_CELLS {
                return;
            }
            cx.charge(1);
            if self.known.contains_key(&term) {
                continue;
            }
            if ready {
                let free = self.gather(cx, term);
                self.known.insert(term, free);
            } else {
                let open = |part: &&TermId| cx.store.mentions_variables(**part);
                work.push((term, true));
                work.extend(cx.store.children(term).iter().filter(open).map(|&part| (part, false)));
            }
        }
    }

    /// The free variables of a term from those of its parts.
    fn gather(&mut self, cx: &EvalContext<'_>, term: TermId) -> Variables {
        let parts = cx.store.scoped_parts(term);
        let own = matches!(cx.store.get(term), Term::Var(_)).then_some(term);
        let mut free: Vec<TermId> = own.into_iter().collect();
        for (part, bound) in &parts {
            let inner = self.known.get(part).map_or(&[][..], |known| known);
            free.extend(inner.iter().filter(|var| bound.binary_search(var).is_err()));
        }
        cx.charge(parts.len() + free.len());
        free.sort_unstable();
        free.dedup();
        let mut sets = parts.iter().filter_map(|(part, _)| self.known.get(part));
        if let Some(same) = sets.find(|set| ***set == *free) {
            return same.clone();
        }
        self.cells += free.len();
        free.into()
    }
}

impl Store {
    /// The parts of a term, each with the variables that the term binds in it, in ascending order.
    fn scoped_parts(&self, term: TermId) -> Vec<(TermId, Vec<TermId>)> {
        let sorted = |vars: &mut dyn Iterator<Item = TermId>| {
            let mut vars: Vec<TermId> = vars.collect();
            vars.sort_unstable();
            vars
        };
        match self.get(term) {
            Term::Quant(_, vars, body) | Term::Lambda(vars, body) => {
                vec![(body, sorted(&mut vars.iter().copied()))]
            }
            Term::Let(bindings, body) => {
                let values = bindings.iter().skip(1).step_by(2).map(|&value| (value, Vec::new()));
                let bound = sorted(&mut bindings.iter().step_by(2).copied());
                values.chain([(body, bound)]).collect()
            }
            Term::Match(scrutinee, patterns, bodies) => {
                let cases = patterns.iter().zip(bodies).map(|(pattern, &body)| {
                    let bound = match pattern {
                        MatchPattern::Any(var) => sorted(&mut var.iter().copied()),
                        MatchPattern::Constructor(_, vars) => {
                            sorted(&mut vars.iter().flatten().copied())
                        }
                    };
                    (body, bound)
                });
                std::iter::once((scrutinee, Vec::new())).chain(cases).collect()
            }
            _ => self.children(term).iter().map(|&part| (part, Vec::new())).collect(),
        }
    }
}

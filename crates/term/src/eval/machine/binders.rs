//! Terms that bind variables: `let`, `match`, lambdas and quantifiers.

use super::{Evaluator, Instances, Slot, Task};
use crate::eval::Unknown;
use crate::sort::SortId;
use crate::term::{MatchPattern, Quantifier, Term, TermId};
use crate::value::{ArrayValue, Closure, Default, Entries, Value};
use std::sync::Arc;

impl Evaluator<'_> {
    pub(super) fn bind_let(&mut self, term: TermId) -> Result<(), Unknown> {
        let Term::Let(bindings, body) = self.cx.store.get(term) else {
            unreachable!("scheduled for a let")
        };
        let mut slots: Vec<(TermId, Slot)> =
            bindings.chunks(2).rev().map(|pair| (pair[0], self.pop())).collect();
        slots.reverse();
        self.enter(slots.into_iter(), body)
    }

    pub(super) fn case(&mut self, term: TermId) -> Result<(), Unknown> {
        let Term::Match(_, patterns, bodies) = self.cx.store.get(term) else {
            unreachable!("scheduled for a match")
        };
        let data = match self.pop() {
            Ok(Value::Data(data)) => data,
            Ok(_) => unreachable!("typed as a datatype"),
            Err(reason) => {
                self.push(Err(reason));
                return Ok(());
            }
        };
        for (pattern, &body) in patterns.iter().zip(bodies) {
            let bindings: Vec<(TermId, Slot)> = match pattern {
                MatchPattern::Any(var) => {
                    var.iter().map(|&v| (v, Ok(Value::Data(data.clone())))).collect()
                }
                MatchPattern::Constructor(index, vars) if *index == data.constructor => {
                    let fields = vars.iter().zip(&data.fields);
                    fields.filter_map(|(v, f)| v.map(|v| (v, Ok(f.clone())))).collect()
                }
                MatchPattern::Constructor(..) => continue,
            };
            return self.enter(bindings.into_iter(), body);
        }
        unreachable!("a match has a case for every constructor")
    }

    pub(super) fn close_over(&mut self, term: TermId, var: TermId, body: TermId) -> Slot {
        let mut environment = Vec::new();
        for &free in &*self.free.of(&self.cx, term) {
            match self.environment.get(&free) {
                Some(Ok(value)) => environment.push((free, value.clone())),
                Some(Err(reason)) => return Err(reason.clone()),
                None => return Err(Unknown::Unbound(free)),
            }
        }
        let closure = Closure::new(var, body, environment);
        let array = ArrayValue {
            sort: self.cx.store.sort(term),
            default: Default::Closure(Arc::new(closure)),
            entries: Entries::new(),
        };
        Ok(Value::Array(Arc::new(array)))
    }

    pub(super) fn quantify(
        &mut self,
        which: Quantifier,
        vars: &[TermId],
        body: TermId,
    ) -> Result<(), Unknown> {
        let mut domains = Vec::with_capacity(vars.len());
        let mut left = self.cx.limits.instances;
        for &var in vars {
            let sort: SortId = self.cx.store.sort(var);
            let Some(domain) = self.cx.enumerate(sort, left) else {
                self.push(Err(Unknown::Quantifier(sort)));
                return Ok(());
            };
            left /= domain.len().max(1) as u64;
            self.cx.charge(domain.len());
            domains.push(domain);
        }
        let counter = vec![0; vars.len()];
        let state = Instances { which, vars: vars.into(), body, domains, counter, unknown: None };
        self.next_instance(Box::new(state))
    }

    pub(super) fn next_instance(&mut self, state: Box<Instances>) -> Result<(), Unknown> {
        let bindings: Vec<(TermId, Slot)> = state
            .vars
            .iter()
            .zip(&state.domains)
            .zip(&state.counter)
            .map(|((&var, domain), &at)| (var, Ok(domain[at].clone())))
            .collect();
        let body = state.body;
        self.tasks.push(Task::Instance(state));
        self.enter(bindings.into_iter(), body)
    }

    pub(super) fn instance(&mut self, mut state: Box<Instances>) -> Result<(), Unknown> {
        let decisive = state.which == Quantifier::Exists;
        match self.pop() {
            Ok(value) if value == Value::Bool(decisive) => {
                self.values.push(Value::Bool(decisive));
                return Ok(());
            }
            Ok(_) => {}
            Err(reason) => state.unknown = state.unknown.or(Some(reason)),
        }
        if state.advance() {
            return self.next_instance(state);
        }
        let slot = state.unknown.map_or(Ok(Value::Bool(!decisive)), Err);
        self.push(slot);
        Ok(())
    }
}

impl Instances {
    /// Advances like an odometer; false after the last combination.
    fn advance(&mut self) -> bool {
        for (at, domain) in self.counter.iter_mut().zip(&self.domains) {
            *at += 1;
            if *at < domain.len() {
                return true;
            }
            *at = 0;
        }
        false
    }
}

//! Work that takes several evaluations: a lambda as a table, a lambda at the arguments that an
//! operator needs, and a chain of binary applications.

use super::{Chain, Evaluator, Sampling, Tabulation, Task};
use crate::eval::Unknown;
use crate::op::{App, Op};
use crate::term::TermId;
use crate::theories::{Theory, functions};
use crate::value::{Default, Value};

impl Evaluator<'_> {
    pub(super) fn next_row(&mut self, mut state: Box<Tabulation>) -> Result<(), Unknown> {
        let index = state.left.pop().expect("the caller saw a row to come");
        let (var, body) = (state.var, state.body);
        state.entries.push((index.clone(), Value::Bool(false)));
        self.tasks.push(Task::Row(state));
        self.enter(std::iter::once((var, Ok(index))), body)
    }

    pub(super) fn row(&mut self, mut state: Box<Tabulation>) -> Result<(), Unknown> {
        match self.pop() {
            Ok(value) => state.entries.last_mut().expect("its row was begun").1 = value,
            Err(reason) => {
                self.push(Err(reason));
                return Ok(());
            }
        }
        if !state.left.is_empty() {
            return self.next_row(state);
        }
        let (sort, default) = (self.cx.store.sort(state.lambda), state.entries[0].1.clone());
        let slot = self.measure(Ok(self.cx.make_array(sort, default, state.entries)));
        self.push(slot);
        Ok(())
    }

    /// The sampling of a lambda that an operator needs before it can be applied, if any.
    #[inline]
    pub(super) fn sampling(&self, term: TermId, op: Op, base: usize) -> Option<Sampling> {
        if op.theory() != Theory::Functions {
            return None;
        }
        let Value::Array(function) = self.values.get(base)? else { return None };
        let Default::Closure(closure) = &function.default else { return None };
        let mut left = functions::asked(op, &self.values[base..])?;
        self.cx.charge(left.len());
        left.retain(|arg| self.cx.is_structural(arg) && function.entries.get(arg).is_none());
        let closure = closure.clone();
        (!left.is_empty()).then_some(Sampling { term, base, closure, left })
    }

    pub(super) fn next_sample(&mut self, state: Box<Sampling>) -> Result<(), Unknown> {
        let arg = state.left.last().expect("the caller saw an argument to come").clone();
        let closure = state.closure.clone();
        self.tasks.push(Task::Sample(state));
        self.enter_closure(&closure, arg)
    }

    /// Records the result of a lambda at an argument in the function on the stack. After the last
    /// one, the operator finds a table entry wherever it looks.
    pub(super) fn sample(&mut self, mut state: Box<Sampling>) -> Result<(), Unknown> {
        let arg = state.left.pop().expect("its sample was begun");
        let slot = self.pop().and_then(|result| match &self.values[state.base] {
            Value::Array(function) => self.cx.store(function, &arg, &result),
            _ => unreachable!("sampled as a function"),
        });
        match slot {
            Ok(function) => self.values[state.base] = function,
            Err(reason) => {
                self.finish(state.term, state.base, Err(reason));
                return Ok(());
            }
        }
        if state.left.is_empty() { self.apply(state.term) } else { self.next_sample(state) }
    }

    /// Applies a chain's operator to its value so far and the next argument.
    pub(super) fn link(&mut self, mut chain: Box<Chain>) -> Result<(), Unknown> {
        let total = match (self.pop(), chain.left.pop()) {
            (Ok(total), Some(next)) => [total, next],
            (slot, _) => {
                self.push(slot);
                return Ok(());
            }
        };
        let (term, op) = (chain.term, chain.op);
        self.tasks.push(Task::Link(chain));
        let base = self.values.len();
        self.values.extend(total);
        let app = App { op, indices: &[], sort: self.cx.store.sort(term) };
        match (op.row().eval)(&mut self.cx, app, &self.values[base..]) {
            Err(Unknown::Open(op)) => self.call_open(term, op, base),
            slot => {
                self.finish(term, base, slot);
                Ok(())
            }
        }
    }
}

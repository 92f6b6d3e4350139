//! Folds over sequences, sets and bags: the function, a table or a lambda, is applied to one
//! element after another.
//!
//! The elements of sets and bags have no order, so a fold over them has a value only if every order
//! gives the same. To decide this, every part of the collection is folded once, in every way that
//! extends a smaller part.

use super::{Evaluator, Task};
use crate::eval::{Element, EvalContext, Unknown};
use crate::int::Int;
use crate::op::Op;
use crate::term::TermId;
use crate::theories::functions::{self, Folded};
use crate::value::Value;

/// The state of a fold.
pub(super) struct Folding {
    term: TermId,
    function: Value,
    over: Folded,
    /// For a sequence, the result of the last finished prefix; for a set or a bag, the results of
    /// all finished subsets, whose numbers have a bit for each element.
    results: Vec<Value>,
    /// The part being folded, and its element beyond a smaller part.
    part: usize,
    element: usize,
    /// The arguments to which the function must still be applied, last first.
    arguments: Vec<Value>,
}

impl Folding {
    fn parts(&self) -> usize {
        match self.over.ordered {
            true => self.over.items.len() + 1,
            false => 1 << self.over.items.len(),
        }
    }

    /// The part without the element.
    fn smaller(&self) -> usize {
        match self.over.ordered {
            true => 0,
            false => self.part ^ (1 << self.element),
        }
    }

    /// Records a result of the current part; continues with the next element that could be its
    /// last, or with the next part.
    fn note(&mut self, cx: &EvalContext<'_>, result: Value) -> Result<(), Unknown> {
        if self.over.ordered {
            self.results[0] = result;
            (self.part, self.element) = (self.part + 1, self.part);
            return Ok(());
        }
        match self.results.get(self.part) {
            None => self.results.push(result),
            Some(known) if cx.equal(known, &result)? => {}
            Some(_) => {
                let reason = "a fold whose result depends on the order of the elements";
                return Err(Unknown::Unsupported(reason));
            }
        }
        let later = (self.part >> (self.element + 1)) << (self.element + 1);
        if later == 0 {
            self.part += 1;
        }
        let left = if later == 0 { self.part } else { later };
        self.element = left.trailing_zeros() as usize;
        Ok(())
    }

    /// The arguments for the current step, last first.
    fn step(&self) -> Vec<Value> {
        let so_far = self.results[self.smaller()].clone();
        let item = self.over.items[self.element].clone();
        match (&self.over.first, self.over.ordered) {
            (Some(first), _) => {
                let position = Value::Int(first + &Int::from(self.element as i64));
                vec![item, so_far, position]
            }
            (None, true) => vec![item, so_far],
            (None, false) => vec![so_far, item],
        }
    }
}

impl Evaluator<'_> {
    /// Begins a fold with arguments on the stack from `base`; false for any other operator.
    pub(super) fn begin_fold(
        &mut self,
        term: TermId,
        op: Op,
        base: usize,
    ) -> Result<bool, Unknown> {
        let Some(over) = functions::folded(op, &self.values[base..]) else { return Ok(false) };
        match over {
            Err(reason) => self.finish(term, base, Err(reason)),
            Ok(over) => {
                self.cx.charge(over.items.len());
                let function = self.values[base].clone();
                self.values.truncate(base);
                let results = vec![over.start.clone()];
                let (part, element, arguments) = (1, 0, Vec::new());
                let state = Folding { term, function, over, results, part, element, arguments };
                self.next_fold(Box::new(state))?;
            }
        }
        Ok(true)
    }

    fn next_fold(&mut self, mut state: Box<Folding>) -> Result<(), Unknown> {
        if state.part == state.parts() {
            let result = state.results.pop().expect("the empty part has a result");
            self.finish(state.term, self.values.len(), Ok(result));
            return Ok(());
        }
        state.arguments = state.step();
        let function = state.function.clone();
        self.feed(state, &function)
    }

    /// Applies a function to the next argument of a step.
    fn feed(&mut self, mut state: Box<Folding>, function: &Value) -> Result<(), Unknown> {
        let argument = state.arguments.pop().expect("the caller saw an argument to come");
        let Value::Array(table) = function else { unreachable!("typed as a function") };
        let selected = self.cx.select(table, &argument);
        self.tasks.push(Task::Fold(state));
        match selected {
            Ok(Element::Closure(closure)) => return self.enter_closure(&closure, argument),
            Ok(Element::Value(value)) => self.push(Ok(value)),
            Err(reason) => self.push(Err(reason)),
        }
        Ok(())
    }

    /// Continues a fold: the result of the last application is on the stack.
    pub(super) fn fold(&mut self, mut state: Box<Folding>) -> Result<(), Unknown> {
        let noted = match self.pop() {
            Ok(function) if !state.arguments.is_empty() => return self.feed(state, &function),
            Ok(result) => state.note(&self.cx, result),
            Err(reason) => Err(reason),
        };
        match noted {
            Ok(()) => self.next_fold(state),
            Err(reason) => {
                self.finish(state.term, self.values.len(), Err(reason));
                Ok(())
            }
        }
    }
}

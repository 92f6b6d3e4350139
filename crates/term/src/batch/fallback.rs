//! The exact evaluators, one for each lane that needs it.

use super::columns::Columns;
use super::register::{LANES, Slot};
use super::tape::Tape;
use crate::budget::Budget;
use crate::eval::{Evaluator, Limits};
use crate::model::Model;
use crate::term::{Store, TermId};
use crate::value::Value;
use std::cell::OnceCell;

/// The models of 64 lanes, built on demand.
#[derive(Default)]
pub(super) struct Models(OnceCell<Vec<OnceCell<Model>>>);

/// Evaluators for the lanes of one chunk.
pub(super) struct Fallback<'c> {
    store: &'c Store,
    limits: Limits,
    columns: &'c Columns<'c>,
    models: &'c Models,
    /// The number of the chunk of 64 assignments.
    chunk: usize,
    evaluators: Vec<Option<Evaluator<'c>>>,
}

impl<'c> Fallback<'c> {
    pub(super) fn new(
        tape: &'c Tape<'_>,
        columns: &'c Columns<'c>,
        models: &'c Models,
        chunk: usize,
    ) -> Fallback<'c> {
        let (store, limits) = (tape.store, tape.limits);
        Fallback { store, limits, columns, models, chunk, evaluators: Vec::new() }
    }

    /// The evaluator of a lane, limited by the budget.
    pub(super) fn evaluator(&mut self, lane: usize, budget: &Budget) -> &mut Evaluator<'c> {
        if self.evaluators.is_empty() {
            self.evaluators.resize_with(LANES, || None);
        }
        let (store, limits) = (self.store, self.limits);
        let (columns, models) = (self.columns, self.models);
        let assignment = self.chunk * LANES + lane;
        self.evaluators[lane].get_or_insert_with(|| {
            let model = columns.given(assignment).unwrap_or_else(|| {
                let lanes = models.0.get_or_init(|| vec![OnceCell::new(); LANES]);
                lanes[lane].get_or_init(|| columns.model(assignment))
            });
            Evaluator::new(store, model).with_limits(limits).with_budget(budget.clone())
        })
    }

    /// The value of an application to these values.
    pub(super) fn apply(
        &mut self,
        lane: usize,
        term: TermId,
        args: Vec<Value>,
        budget: &mut Budget,
    ) -> Slot {
        self.evaluator(lane, budget).apply_within(term, args.into_iter(), budget)
    }
}

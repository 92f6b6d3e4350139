//! Assignments by symbol: for each declared constant, its values in all assignments.

use super::register::{Class, LANES, Register};
use super::tape::Tape;
use crate::budget::{Budget, Exhausted};
use crate::eval::{Evaluator, Unknown};
use crate::model::{Interpretation, Model};
use crate::term::{Func, FuncId, Store};
use crate::value::Value;
use rustc_hash::FxHashMap;

/// Many assignments. Several tapes over the same store may share them.
pub struct Columns<'m> {
    count: usize,
    columns: FxHashMap<FuncId, Column>,
    meaning: Meaning<'m>,
}

/// The meaning of symbols without a column, and of operators that the standard leaves open.
enum Meaning<'m> {
    /// The same in every assignment.
    Shared(&'m Model),
    /// Each assignment's own model.
    Own(&'m [Model]),
}

struct Column {
    class: Class,
    chunks: Vec<Register>,
}

impl<'m> Columns<'m> {
    /// `count` assignments that agree with `base`, and with the columns that are set later.
    #[must_use]
    pub fn new(base: &'m Model, count: usize) -> Columns<'m> {
        Columns { count, columns: FxHashMap::default(), meaning: Meaning::Shared(base) }
    }

    /// One assignment for each model, with columns for the inputs of a tape.
    ///
    /// # Errors
    /// Fails if the budget is too small.
    pub fn from_models(
        tape: &Tape<'_>,
        models: &'m [Model],
        budget: &mut Budget,
    ) -> Result<Columns<'m>, Exhausted> {
        let meaning = Meaning::Own(models);
        let mut columns = Columns { count: models.len(), columns: FxHashMap::default(), meaning };
        for input in &tape.inputs {
            let mut column = Column::new(input.class, models.len());
            for (lane, model) in models.iter().enumerate() {
                budget.spend(1)?;
                let slot = match model.get(input.func) {
                    Some(Interpretation::Value(value)) => Ok(value.clone()),
                    None => Err(Unknown::Missing(input.func)),
                    Some(_) => {
                        let evaluator = Evaluator::new(tape.store, model);
                        let mut evaluator = evaluator.with_budget(budget.clone());
                        evaluator.eval_within(input.term, budget)
                    }
                };
                column.set(lane, slot);
            }
            columns.columns.insert(input.func, column);
        }
        Ok(columns)
    }

    /// Gives a declared constant its values, one for each assignment in order.
    ///
    /// # Panics
    /// Panics if there are fewer values than assignments.
    pub fn set(&mut self, store: &Store, func: FuncId, values: impl IntoIterator<Item = Value>) {
        let class = match store.func(func) {
            Func::Declared { result, .. } => Class::of(store, *result),
            _ => Class::Exact,
        };
        let mut column = Column::new(class, self.count);
        let mut values = values.into_iter();
        for lane in 0..self.count {
            column.set(lane, Ok(values.next().expect("a column has a value for each assignment")));
        }
        self.columns.insert(func, column);
    }

    /// The number of assignments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there is no assignment.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The value of a declared constant in one assignment, if it has a column.
    #[must_use]
    pub fn get(&self, func: FuncId, assignment: usize) -> Option<Result<Value, Unknown>> {
        let column = self.columns.get(&func)?;
        let register = column.chunks.get(assignment / LANES)?;
        (assignment < self.count).then(|| register.get(assignment % LANES, column.class))
    }

    /// One assignment as a model.
    ///
    /// # Panics
    /// Panics if there is no such assignment.
    #[must_use]
    pub fn model(&self, assignment: usize) -> Model {
        assert!(assignment < self.count, "there are {} assignments", self.count);
        let mut model = self.base(assignment).clone();
        for &func in self.columns.keys() {
            if let Some(Ok(value)) = self.get(func, assignment) {
                model.set(func, Interpretation::Value(value));
            }
        }
        model
    }

    /// The model of an assignment, if it was given as one.
    pub(super) fn given(&self, assignment: usize) -> Option<&Model> {
        match self.meaning {
            Meaning::Own(models) => Some(&models[assignment]),
            Meaning::Shared(_) => None,
        }
    }

    /// An assignment's meaning of everything without a column.
    pub(super) fn base(&self, assignment: usize) -> &Model {
        match self.meaning {
            Meaning::Own(models) => &models[assignment],
            Meaning::Shared(model) => model,
        }
    }

    /// The number of chunks of 64 assignments; the last chunk may be smaller.
    pub(super) fn chunks(&self) -> usize {
        self.count.div_ceil(LANES)
    }

    /// The lanes of a chunk that hold an assignment.
    pub(super) fn active(&self, chunk: usize) -> u64 {
        match self.count - chunk * LANES {
            rest if rest >= LANES => u64::MAX,
            rest => (1 << rest) - 1,
        }
    }

    /// The values of a declared constant in one chunk.
    pub(super) fn chunk(&self, func: FuncId, chunk: usize) -> Option<&Register> {
        self.columns.get(&func).map(|column| &column.chunks[chunk])
    }
}

impl Column {
    fn new(class: Class, count: usize) -> Column {
        Column { class, chunks: vec![Register::new(); count.div_ceil(LANES)] }
    }

    fn set(&mut self, at: usize, slot: Result<Value, Unknown>) {
        self.chunks[at / LANES].set(at % LANES, self.class, slot);
    }
}

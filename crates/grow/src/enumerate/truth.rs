//! The truth of a formula of a few symbols: by assignments of small values, by all of them where the sorts
//! are finite.

use super::pool::symbols;
use crate::literals::close;
use crate::values::Values;
use assay_mutate::Draw;
use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::eval::EvalContext;
use assay_term::{
    Budget, Evaluator, Func, FuncId, Interpretation, Limits, Model, SortId, Store, TermId, Value,
};
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The greatest number of assignments of finite sorts that are all tried.
const ALL: usize = 1024;

/// The number of assignments that are tried where these are not all.
const SOME: usize = 320;

/// The number of assignments that are tried before the others are prepared for being tried together.
const FIRST: usize = 24;

/// The number of sets of symbols whose assignments are kept.
const KEPT: usize = 48;

/// What the evaluation of a formula under one assignment may take.
const LIMITS: Limits =
    Limits { steps: 20_000, instances: 300, regex: 20_000, length: 1 << 10, bits: 1 << 10 };

/// What is known of a formula.
pub(crate) enum Truth {
    /// This model seems to satisfy it.
    Sat(Model),
    /// None of all assignments does: this many.
    Unsat(u64),
    /// Nothing.
    Open,
}

/// The assignments of the symbols of a pool.
pub(crate) struct Truths {
    values: Values,
    known: Mutex<FxHashMap<Vec<FuncId>, Arc<Assignments>>>,
}

/// Assignments of some symbols.
struct Assignments {
    models: Vec<Model>,
    /// Whether there are no others.
    complete: bool,
}

impl Truths {
    pub(crate) fn new(values: Values) -> Truths {
        Truths { values, known: Mutex::default() }
    }

    /// What is known of a formula.
    pub(crate) fn of(&self, store: &Store, formula: TermId) -> Truth {
        let assignments = self.assignments(store, symbols(store, formula));
        let Assignments { models, complete } = &*assignments;
        let value =
            |model: &Model| Evaluator::new(store, model).with_limits(LIMITS).holds(formula).ok();
        let mut is_certain = *complete;
        let (first, rest) = models.split_at(models.len().min(FIRST));
        for model in first {
            match value(model) {
                Some(true) => return Truth::Sat(model.clone()),
                Some(false) => {}
                None => is_certain = false,
            }
        }
        if let Some(model) = together(store, formula, rest) {
            return Truth::Sat(model.clone());
        }
        // Only the exact evaluator says that a formula is unsatisfiable.
        if is_certain && rest.iter().all(|model| value(model) == Some(false)) {
            return Truth::Unsat(models.len() as u64);
        }
        Truth::Open
    }

    fn assignments(&self, store: &Store, symbols: Vec<FuncId>) -> Arc<Assignments> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = known.get(&symbols) {
            return Arc::clone(found);
        }
        let made =
            Arc::new(self.all(store, &symbols).unwrap_or_else(|| self.some(store, &symbols)));
        if known.len() >= KEPT {
            known.clear();
        }
        known.insert(symbols, Arc::clone(&made));
        made
    }

    /// All assignments, if they are few.
    fn all(&self, store: &Store, symbols: &[FuncId]) -> Option<Assignments> {
        let mut models = vec![Model::new()];
        for &func in symbols {
            let meanings = meanings(store, func)?;
            if models.len() * meanings.len() > ALL {
                return None;
            }
            let with = |model: &Model| -> Vec<Model> {
                let set = |meaning: &Interpretation| {
                    let mut model = model.clone();
                    model.set(func, meaning.clone());
                    model
                };
                meanings.iter().map(set).collect()
            };
            models = models.iter().flat_map(with).collect();
        }
        // In another order, the first few are not all alike.
        let mut draw = Draw::new(&[models.len() as u64]);
        for at in (1..models.len()).rev() {
            models.swap(at, draw.below(at + 1));
        }
        Some(Assignments { models, complete: true })
    }

    /// Some assignments: simple values, values near the constants, random ones.
    fn some(&self, store: &Store, symbols: &[FuncId]) -> Assignments {
        let mut draw = Draw::new(&[symbols.len() as u64]);
        let mut models = Vec::with_capacity(SOME);
        for number in 0..SOME {
            let mut model = self.values.world().clone();
            close(&mut model, number % 6);
            let mut before = Vec::new();
            let meanings = symbols.iter().map(|&func| {
                Some((func, self.values.meaning(store, &mut draw, func, &mut before)?))
            });
            let Some(meanings) = meanings.collect::<Option<Vec<_>>>() else { break };
            meanings.into_iter().for_each(|(func, meaning)| model.set(func, meaning));
            models.push(model);
        }
        Assignments { models, complete: false }
    }
}

/// A model among these under which a formula holds.
fn together<'m>(store: &Store, formula: TermId, models: &'m [Model]) -> Option<&'m Model> {
    if models.is_empty() {
        return None;
    }
    let mut budget = Budget::new(2_000_000, 1 << 24);
    let tape = Tape::compile(store, &[formula], &mut budget).ok()?.with_limits(LIMITS);
    let columns = Columns::from_models(&tape, models, &mut budget).ok()?;
    let results = tape.run(&columns, &mut Scratch::default(), &mut budget).ok()?;
    let lane = results.values(0).position(|value| value == Ok(Value::Bool(true)))?;
    models.get(lane)
}

/// Everything that a symbol can mean, if its sorts have few values.
fn meanings(store: &Store, func: FuncId) -> Option<Vec<Interpretation>> {
    let Func::Declared { params, result, .. } = store.func(func) else { return None };
    // Without a universe, uninterpreted sorts have no end.
    let nothing = Model::new();
    let context = EvalContext::new(store, &nothing);
    let values = |sort: SortId| context.enumerate(sort, ALL as u64);
    let results = values(*result)?;
    let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
    for &sort in params {
        let values = values(sort)?;
        if rows.len() * values.len() > ALL {
            return None;
        }
        let longer = |row: &Vec<Value>| -> Vec<Vec<Value>> {
            let with = |value: &Value| [row.as_slice(), std::slice::from_ref(value)].concat();
            values.iter().map(with).collect()
        };
        rows = rows.iter().flat_map(longer).collect();
    }
    if params.is_empty() {
        return Some(results.into_iter().map(Interpretation::Value).collect());
    }
    let count = u32::try_from(rows.len()).ok().and_then(|rows| results.len().checked_pow(rows));
    let count = count.filter(|count| *count <= ALL)?;
    let table = |number: usize| {
        let mut rest = number;
        let mut entries = FxHashMap::default();
        for row in &rows {
            let value = results[rest % results.len()].clone();
            rest /= results.len();
            entries.insert(row.clone().into_boxed_slice(), value);
        }
        Some(Interpretation::Table { entries, default: results.first()?.clone() })
    };
    (0..count).map(table).collect()
}

//! Uninterpreted functions as arrays of their values: an application becomes a look-up. Both formulas have a
//! model or neither has one.

use crate::program::Unfit;
use assay_term::theories::arrays;
use assay_term::value::{ArrayValue, Default, Entries};
use assay_term::{
    Evaluator, Func, FuncId, Interpretation, Model, Replacements, Sort, SortId, Store, Term,
    TermId, Value,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// A formula with arrays instead of functions.
pub(crate) struct Tables {
    pub(crate) store: Store,
    pub(crate) roots: Vec<TermId>,
    pub(crate) model: Option<Model>,
}

const UNFIT: Unfit = Unfit::Model("its functions do not fit into arrays");

/// A function, and the array that stands for it.
struct Table {
    array: TermId,
    constant: FuncId,
    /// The sorts of the array and of its rows, outer ones first.
    sorts: Vec<SortId>,
    /// Arguments and results under the model.
    values: Vec<Known>,
}

/// Arguments of a function, and its result.
type Known = (Vec<Value>, Value);

/// The formula with an array for each function; `None` if it has no functions, or one over arrays. Definitions
/// must have been expanded.
///
/// # Errors
/// If the model does not hold any more.
pub(crate) fn with_tables(
    store: &Store,
    roots: &[TermId],
    model: Option<&Model>,
) -> Result<Option<Tables>, Unfit> {
    let mut new = store.clone();
    let mut tables: FxHashMap<FuncId, Table> = FxHashMap::default();
    let mut by = Replacements::default();
    let mut evaluator = model.map(|model| Evaluator::new(store, model).completing());
    for term in store.postorder(roots) {
        let Term::App(func, args) = store.get(term) else { continue };
        let Func::Declared { params, result, .. } = store.func(func) else { continue };
        if args.is_empty() {
            continue;
        }
        let (params, result) = (params.to_vec(), *result);
        let is_array = |&sort: &SortId| matches!(store.sorts.get(sort), Sort::Array(..));
        if params.iter().chain([&result]).any(is_array) {
            return Ok(None);
        }
        let number = tables.len();
        let table =
            tables.entry(func).or_insert_with(|| Table::new(&mut new, number, &params, result));
        if let Some(evaluator) = &mut evaluator {
            let values = args.iter().map(|&arg| evaluator.eval(arg)).collect::<Result<Vec<_>, _>>();
            let value = evaluator.eval(term).map_err(|_| UNFIT)?;
            table.values.push((values.map_err(|_| UNFIT)?, value));
        }
        let mut place = table.array;
        for &arg in args {
            let arg = new.replaced(arg, &mut by).map_err(|_| UNFIT)?;
            place = new.op(arrays::SELECT, &[place, arg]).map_err(|_| UNFIT)?;
        }
        by.insert(term, place);
    }
    if tables.is_empty() {
        return Ok(None);
    }
    let roots =
        roots.iter().map(|&root| new.replaced(root, &mut by)).collect::<Result<Vec<_>, _>>();
    let roots = roots.map_err(|_| UNFIT)?;
    let model = model.map(|model| {
        let mut model = model.clone();
        for Table { constant, sorts, values, .. } in tables.values() {
            let value = filled(sorts, values, 0);
            model.set(*constant, Interpretation::Value(value));
        }
        model
    });
    if let Some(model) = &model {
        let mut evaluator = Evaluator::new(&new, model).completing();
        if roots.iter().any(|&root| evaluator.eval(root) != Ok(Value::Bool(true))) {
            return Err(UNFIT);
        }
    }
    Ok(Some(Tables { store: new, roots, model }))
}

impl Table {
    fn new(store: &mut Store, number: usize, params: &[SortId], result: SortId) -> Table {
        let mut sorts = Vec::with_capacity(params.len());
        let mut inner = result;
        for &param in params.iter().rev() {
            inner = store.sorts.array(param, inner);
            sorts.insert(0, inner);
        }
        let name = store.symbols.intern(&format!("table {number} (ours)"));
        let (constant, array) = store.declare_constant(name, inner);
        Table { array, constant, sorts, values: Vec::new() }
    }
}

/// An array with these values, whose indices are the arguments from one on; elsewhere it holds the first.
fn filled(sorts: &[SortId], values: &[Known], from: usize) -> Value {
    if from == sorts.len() {
        return values[0].1.clone();
    }
    let mut rows: Vec<(&Value, Vec<Known>)> = Vec::new();
    for pair in values {
        let index = &pair.0[from];
        match rows.iter_mut().find(|(known, _)| *known == index) {
            Some((_, row)) => row.push(pair.clone()),
            None => rows.push((index, vec![pair.clone()])),
        }
    }
    let rows: Vec<(&Value, Value)> =
        rows.into_iter().map(|(index, row)| (index, filled(sorts, &row, from + 1))).collect();
    let usual = rows[0].1.clone();
    let mut entries = Entries::new();
    for (index, element) in rows.into_iter().filter(|(_, element)| *element != usual) {
        entries = entries.insert(index.clone(), element);
    }
    let default = Default::Element(usual);
    Value::Array(Arc::new(ArrayValue { sort: sorts[from], default, entries }))
}

//! The assignments under which a claim is tried.

use super::declared::symbols;
use assay_term::eval::EvalContext;
use assay_term::{Func, FuncId, Interpretation, Model, SortId, Store, TermId};

/// The maximum number of assignments of a goal's symbols.
const MOST: usize = 1 << 12;

/// Assignments of the symbols of a term.
#[derive(Clone, Debug, Default)]
pub struct Assignments {
    models: Vec<Model>,
    all: bool,
}

impl Assignments {
    /// A selection of the possible assignments.
    #[must_use]
    pub fn some(models: Vec<Model>) -> Assignments {
        Assignments { models, all: false }
    }

    /// All possible assignments: a formula that holds under none of them is unsatisfiable.
    #[must_use]
    pub fn all(models: Vec<Model>) -> Assignments {
        Assignments { models, all: true }
    }

    /// The assignments.
    #[must_use]
    pub fn models(&self) -> &[Model] {
        &self.models
    }

    /// Whether these are all possible assignments.
    #[must_use]
    pub fn are_all(&self) -> bool {
        self.all
    }
}

/// All assignments of the symbols of a term, if there are few; otherwise none.
#[must_use]
pub fn all_assignments(store: &Store, term: TermId) -> Assignments {
    let functions = symbols(store, term).functions;
    every_assignment(store, &Model::new(), &functions, MOST).unwrap_or_default()
}

/// All assignments of some constants that extend a model, if there are at most `most`.
#[must_use]
pub fn every_assignment(
    store: &Store,
    world: &Model,
    functions: &[FuncId],
    most: usize,
) -> Option<Assignments> {
    let constant = |&func: &FuncId| match store.func(func) {
        Func::Declared { params, result, .. } if params.is_empty() => Some((func, *result)),
        _ => None,
    };
    let constants: Vec<(FuncId, SortId)> = functions.iter().map(constant).collect::<Option<_>>()?;
    let cx = EvalContext::new(store, world);
    let mut models = vec![world.clone()];
    for (func, sort) in constants {
        let values = cx.enumerate(sort, most as u64)?;
        if models.len() * values.len() > most {
            return None;
        }
        let with = |model: &Model| -> Vec<Model> {
            let one = |value: &assay_term::Value| {
                let mut model = model.clone();
                model.set(func, Interpretation::Value(value.clone()));
                model
            };
            values.iter().map(one).collect()
        };
        models = models.iter().flat_map(with).collect();
    }
    Some(Assignments::all(models))
}

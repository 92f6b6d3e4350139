//! The meaning of a formula's symbols: constants, functions, universes of uninterpreted sorts, and
//! results that the standard leaves open (division by zero and the like).

use crate::op::Op;
use crate::sort::SortId;
use crate::term::{FuncId, TermId};
use crate::value::Value;
use rustc_hash::FxHashMap;

/// The meaning of one symbol.
#[derive(Clone, PartialEq, Debug)]
pub enum Interpretation {
    /// A constant.
    Value(Value),
    /// A function (or a constant without parameters) given by a term.
    Definition {
        /// The parameters, as variables.
        params: Box<[TermId]>,
        /// The body.
        body: TermId,
    },
    /// A function given by a finite table.
    Table {
        /// Arguments and result.
        entries: FxHashMap<Box<[Value]>, Value>,
        /// The result everywhere else.
        default: Value,
    },
    /// A meaning that was read but cannot be represented, with the reason.
    Opaque(String),
}

/// An interpretation of symbols.
#[derive(Clone, Debug, Default)]
pub struct Model {
    functions: FxHashMap<FuncId, Interpretation>,
    open: FxHashMap<(Op, SortId), Interpretation>,
    universes: FxHashMap<SortId, Vec<Value>>,
}

impl Model {
    /// An empty model.
    #[must_use]
    pub fn new() -> Model {
        Model::default()
    }

    /// Fixes the meaning of a symbol.
    pub fn set(&mut self, func: FuncId, meaning: Interpretation) {
        self.functions.insert(func, meaning);
    }

    /// The meaning of a symbol.
    #[must_use]
    pub fn get(&self, func: FuncId) -> Option<&Interpretation> {
        self.functions.get(&func)
    }

    /// All symbols with a meaning, in no order.
    pub fn iter(&self) -> impl Iterator<Item = (FuncId, &Interpretation)> {
        self.functions.iter().map(|(&func, meaning)| (func, meaning))
    }

    /// The number of symbols with a meaning.
    #[must_use]
    pub fn len(&self) -> usize {
        self.functions.len()
    }

    /// Whether no symbol has a meaning.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.functions.is_empty()
    }

    /// Sets the meaning of an operator with this result sort where the standard leaves it open, as
    /// a function of all of its arguments or of the first few.
    pub fn set_open(&mut self, op: Op, result: SortId, meaning: Interpretation) {
        self.open.insert((op, result), meaning);
    }

    /// The meaning of an operator where the standard leaves it open.
    #[must_use]
    pub fn open(&self, op: Op, result: SortId) -> Option<&Interpretation> {
        self.open.get(&(op, result))
    }

    /// The operators with a meaning where the standard leaves them open, in no order.
    pub fn opens(&self) -> impl Iterator<Item = (Op, SortId, &Interpretation)> {
        self.open.iter().map(|(&(op, result), meaning)| (op, result, meaning))
    }

    /// Sets the elements of an uninterpreted sort.
    pub fn set_universe(&mut self, sort: SortId, elements: Vec<Value>) {
        self.universes.insert(sort, elements);
    }

    /// The elements of an uninterpreted sort, if the model lists them.
    #[must_use]
    pub fn universe(&self, sort: SortId) -> Option<&[Value]> {
        self.universes.get(&sort).map(Vec::as_slice)
    }

    /// The uninterpreted sorts whose elements are listed, in no order.
    pub fn universes(&self) -> impl Iterator<Item = (SortId, &[Value])> {
        self.universes.iter().map(|(&sort, elements)| (sort, elements.as_slice()))
    }

    /// Adds the meanings in `other`, which take precedence.
    pub fn extend(&mut self, other: &Model) {
        self.functions.extend(other.functions.iter().map(|(&f, m)| (f, m.clone())));
        self.open.extend(other.open.iter().map(|(&op, m)| (op, m.clone())));
        self.universes.extend(other.universes.iter().map(|(&s, u)| (s, u.clone())));
    }
}

//! The trusted core of `assay`: SMT-LIB sorts, operators, terms, values, and their exact meaning.
//!
//! No input or output, no randomness, and no clock except the deadline of a [`Budget`]. An operator
//! is one row of a table in [`theories`]: its spellings, its typing as data, and its meaning on
//! values. A term lives in a [`Store`] and cannot be ill-sorted. [`Evaluator`] computes its value
//! under a [`Model`], or the reason why it is unknown.

mod answer_cache;
mod applied;
pub mod batch;
mod binders;
pub mod bitvec;
pub mod budget;
mod entries;
pub mod eval;
mod expand;
pub mod float;
mod functions;
mod int;
mod interner;
mod literals;
mod model;
mod node;
pub mod op;
mod open;
pub mod regex;
mod replace;
mod show;
pub mod sort;
mod symbol;
mod table;
mod term;
pub mod theories;
mod typing;
pub mod value;
mod walk;

pub use budget::{Budget, Exhausted};
pub use eval::{Evaluator, Limits, Unknown, refutes_within, satisfies, satisfies_within};
pub use expand::Unexpanded;
pub use int::Int;
pub use model::{Interpretation, Model};
pub use op::Op;
pub use open::Allowed;
pub use replace::{Replacements, Unreplaced};
pub use show::{Arrows, is_symbol_char, quoted};
pub use sort::{Cardinality, Constructor, Datatype, Sort, SortDecl, SortDeclId, SortId, Sorts};
pub use symbol::{Spelling, Symbol, Symbols};
pub use term::{
    Attribute, AttributeValue, Fault, Func, FuncId, MatchPattern, NamedOp, Quantifier, SortError,
    Store, Term, TermId,
};
pub use value::Value;

//! Evaluation of terms under a model: a value, or unknown with a reason, never a guess.
//!
//! [`Evaluator`] walks the term with an explicit stack, so only memory limits the nesting, and
//! caches results, so shared subterms are evaluated once. The meaning of operators is in their
//! rows.

mod arrays;
mod completion;
mod context;
mod free;
mod machine;

pub use arrays::Element;
pub use completion::{Satisfaction, refutes_within, satisfies, satisfies_within};
pub use context::{EvalContext, Limits};
pub use machine::Evaluator;

use crate::budget::Exhausted;
use crate::op::Op;
use crate::open::Allowed;
use crate::sort::SortId;
use crate::term::{FuncId, Store, TermId};

/// Why a term has no known value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unknown {
    /// The standard leaves the operator open here, and the model does not fix it.
    Open(Op),
    /// The standard leaves the operator open here, and the model's result is not among those
    /// allowed.
    Excluded(Op),
    /// The model gives no value to this symbol.
    Missing(FuncId),
    /// The model's value of this symbol could not be represented.
    Opaque(FuncId),
    /// A variable occurs outside its binder.
    Unbound(TermId),
    /// A quantifier over a sort with too many values to try.
    Quantifier(SortId),
    /// Equality of two lambdas, or of a lambda and an array.
    Lambda,
    /// The number of elements of an uninterpreted sort matters, and the model does not give it.
    Universe(SortId),
    /// A field of a datatype value that was made by another constructor.
    WrongConstructor,
    /// The limit named here was reached.
    Limit(&'static str),
    /// No exact meaning is known for this operator on these values.
    Unsupported(&'static str),
}

impl From<Exhausted> for Unknown {
    fn from(exhausted: Exhausted) -> Unknown {
        match exhausted {
            Exhausted::Steps => Unknown::Limit("evaluation steps"),
            Exhausted::Space => Unknown::Limit("memory"),
            Exhausted::Time => Unknown::TIME,
        }
    }
}

impl Unknown {
    /// The deadline of the evaluation has passed.
    pub const TIME: Unknown = Unknown::Limit("time");

    /// The reason in words.
    #[must_use]
    pub fn words(&self, store: &Store) -> String {
        match self {
            Unknown::Open(op) | Unknown::Excluded(op)
                if op.row().open == Some(Allowed::Disputed) =>
            {
                format!("solvers define `{}` differently here", op.name())
            }
            Unknown::Excluded(op) => {
                format!("the model gives `{}` a result here that is not allowed", op.name())
            }
            Unknown::Open(op) => {
                format!(
                    "the standard leaves `{}` open here and the model does not fix it",
                    op.name()
                )
            }
            Unknown::Missing(func) => {
                format!("the model has no value for `{}`", store.func_name(*func))
            }
            Unknown::Opaque(func) => {
                format!(
                    "the model's value for `{}` has no exact representation",
                    store.func_name(*func)
                )
            }
            Unknown::Unbound(_) => "a variable occurs outside its binder".into(),
            Unknown::Quantifier(sort) => {
                format!(
                    "a quantifier ranges over {}, which is too large to try",
                    store.sort_name(*sort)
                )
            }
            Unknown::Lambda => "two functions given by lambda are compared".into(),
            Unknown::Universe(sort) => {
                format!("the model does not say how many elements {} has", store.sort_name(*sort))
            }
            Unknown::WrongConstructor => {
                "a field is selected from another constructor's value".into()
            }
            Unknown::Limit(what) => format!("the limit of {what} was reached"),
            Unknown::Unsupported(what) => (*what).into(),
        }
    }
}

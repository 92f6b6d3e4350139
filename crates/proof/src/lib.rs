//! Proofs of solvers: reading them, and examining every step.
//!
//! A step claims that its premises imply its conclusion. Whatever its rule, a step is *checked* if a
//! small exact procedure of our own shows the implication ([`refutes`]), and otherwise *attacked*: an
//! assignment under which the premises are true and the conclusion is false refutes it. Steps that
//! introduce symbols, steps over bound variables and steps with operators that are not known are
//! skipped. Nothing here knows a truth about the formula.

mod attack;
mod binder;
mod closure;
mod cnf;
mod cvc5;
mod examine;
mod linear;
mod meet;
mod proof;
mod scope;
mod search;
mod tree;
mod z3;

pub use examine::examine;
pub use search::refutes;

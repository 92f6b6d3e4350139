//! Regular languages over SMT-LIB characters: the values of sort `RegLan`, and exact answers to
//! questions about them (membership, emptiness, inclusion, equivalence, matching).
//!
//! Every answer is exact or is [`Exhausted`]; nothing here guesses. The module performs no I/O,
//! reads no clock and uses no randomness, so equal calls give equal answers and cost equal steps.
//!
//! - [`RegLan`] is the immutable value; [`Node`] is its view for printers and translators.
//! - Questions lower the value into an arena private to the query, where expressions are
//!   hash-consed and normalised, and explore its derivatives. The arena never leaks out.
//! - [`Matcher`] keeps such an arena alive to match many words against one language.

mod arena;

mod build;
mod charset;
mod compare;
mod counts;
mod derive;
mod equivalence;
mod graph;
mod hashing;
mod lower;
mod matcher;
mod partition;
mod print;
mod query;
mod search;
mod value;

pub use crate::budget::{Budget, Exhausted};
pub use charset::MAX_CHAR;
pub use matcher::{Match, Matcher};
pub use value::{Node, RegLan};

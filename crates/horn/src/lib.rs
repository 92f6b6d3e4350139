//! Systems of constrained Horn clauses whose truth is known.
//!
//! A system is drawn at random and run concretely. If it is to be unsatisfiable, its question is answered
//! by facts that were met: the derivation of `false` is its certificate. If it is to be satisfiable,
//! formulas that hold for all facts met are kept if the clauses provably preserve them, and its questions
//! are those that these invariants exclude: they are a model, which is checked like any other. No solver
//! is asked.

mod invariant;
mod suite;
mod system;
mod words;

pub use suite::Horn;
pub use system::HornOptions;
pub use words::{Words, WordsError, and, is_number, not, or};

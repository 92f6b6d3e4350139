//! Evaluation of terms under many assignments at once.
//!
//! [`Tape::compile`] turns terms into a list of steps over registers, each shared subterm once.
//! [`Tape::run`] takes the steps for 64 assignments at a time: one assignment is one *lane* of
//! every register. Truth values are bits of a word; bit-vectors of up to 64 bits, integers that fit
//! a machine word, `Float32`, `Float64` and rounding modes are machine words. All else, and every
//! lane that a machine operation does not get exactly right (an integer that overflows, a division
//! by zero, another rounding mode), goes through [`crate::Evaluator`], lane by lane. So there is one
//! definition of every operator; the machine operations here are checked against it.
//!
//! A result is what [`crate::Evaluator::eval`] yields under the lane's model, without completion.

mod code;
mod columns;
mod compile;
mod fallback;
mod floats;
mod ints;
mod register;
mod results;
mod run;
mod tape;
mod truth;
mod words;

pub use columns::Columns;
pub use results::Results;
pub use run::Scratch;
pub use tape::Tape;

//! Tasks for solvers that construct terms, with known solutions: interpolants, abducts, equivalents without
//! quantifiers, and functions with a specification.
//!
//! What an answer must satisfy follows from its task and is judged by `case`. Here tasks are drawn, and
//! those are left out that every solver would answer alike, such as a goal that the premises imply. No
//! solver is asked.

mod abduct;
mod draft;
mod eliminate;
mod function;
mod interpolant;
mod suite;

pub use suite::{SynthesisOptions, Tasks};

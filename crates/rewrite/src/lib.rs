//! The suite `rewrites`: terms for solvers to rewrite, with the assignments under which the results are
//! tried.
//!
//! [`Generator`] makes terms from their numbers, [`Rewrites`] asks for a simplification or a tactic of
//! each, and [`with_assignments`] draws what is tried. No solver is started here, and nothing is judged.

mod assignments;
mod generator;
mod grow;
mod seeds;
mod suite;
mod systematic;
mod vocabulary;

pub use assignments::with_assignments;
pub use generator::{Generator, Part, RewriteError, RewriteOptions, Source};
pub use suite::Rewrites;
pub use vocabulary::{PARAMETERS, TACTICS};

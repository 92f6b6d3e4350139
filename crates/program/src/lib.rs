//! C programs made from constraints: a satisfiable formula becomes a program that can reach its error,
//! an unsatisfiable one becomes a program that cannot.
//!
//! Formulas and their truth come from suites of formulas ([`assay_mutate`], [`assay_forge`]). This
//! crate writes them in C (`lower`), embeds them in programs of many shapes (`shape`), and runs them
//! on their witness in its own interpreter, which rejects behavior that the C standard does not
//! define. It starts no compiler and no analyzer.

pub mod c;
mod compare;
mod expand;
mod fractions;
mod ground;
mod lower;
mod maze;
mod program;
pub mod prove;
pub mod reduce;
mod shape;
mod small_models;
mod suite;
pub mod svcomp;
mod tables;
mod union;
mod unused;
mod witness;

pub use lower::{Refusal, Style};
pub use maze::{Algorithm, Maze};
pub use program::{Plan, ProgramTree, Unfit, unguarded, write};
pub use shape::{MazePlan, Scope, Shape};
pub use small_models::SmallModels;
pub use suite::{ProgramOptions, Programs, UNFOLD};

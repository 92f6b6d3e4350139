//! C programs made from constraints: a formula that has a model becomes a program that can reach
//! its error, one that has none a program that cannot.
//!
//! Formulas and their truth come from suites of formulas ([`assay_mutate`], [`assay_forge`]); here
//! they are written in C (`lower`), put into programs of many forms (`shape`), and run on their
//! witness by an interpreter of our own, which also refuses what the standard of C does not define.
//! No compiler and no analyzer is started here.

pub mod c;
mod compare;
mod expand;
mod lower;
mod maze;
mod program;
pub mod reduce;
mod several;
mod shape;
mod small_models;
mod suite;
pub mod svcomp;
mod union;
mod unused;
mod witness;

pub use lower::{Refusal, Style};
pub use maze::{Algorithm, Maze};
pub use program::{Plan, ProgramTree, Unfit, write};
pub use several::Several;
pub use shape::{Scope, Shape};
pub use small_models::SmallModels;
pub use suite::{ProgramOptions, Programs};

//! A small subset of C as a tree: what is needed to express constraints as programs.
//!
//! Programs are built, printed, run and reduced as trees, never as strings. Data model LP64.

mod build;
mod every;
pub(crate) mod float;
mod print;
mod run;
mod tree;
mod types;

pub use every::{Runs, run_all};
pub(crate) use float::number;
pub use print::{Layout, print};
pub use run::{End, Execution, Fault, Feed, Limits, run};
pub use tree::{
    Binary, Block, Expr, Function, Global, Name, Param, Rounded, Stmt, Struct, Unary, Unit,
};
pub(crate) use tree::{called_early, each_call, each_call_mut};
pub use types::{Scalar, Type};

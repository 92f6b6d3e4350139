//! Random well-sorted terms over small signatures, and suites of formulas made of them.
//!
//! A [`Signature`] is a few sorts and every application of the operator table that stays within them;
//! [`Values`] are what its symbols may stand for. [`Grown`] makes formulas that hold under a model that
//! is drawn with them, [`Enumerate`] all small formulas, [`Rewritten`] formulas that claim a difference between a term and what certified
//! equalities make of it. No solver is started here, and nothing is judged.

mod enumerate;
mod grower;
mod grown;
mod literals;
mod numbering;
mod plan;
mod rewritten;
mod script;
mod signature;
mod values;

pub use enumerate::{Enumerate, EnumerateOptions, Extent};
pub use grown::Grown;
pub use numbering::{GrowError, in_turn};
pub use rewritten::Rewritten;
pub use signature::{Key, Maker, Producer, Row, Signature, Usage, is_ground, rows};
pub use values::Values;

use assay_case::Suite;

/// How formulas are grown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct GrowOptions {
    /// Greatest depth of a term.
    pub depth: u32,
    /// Greatest number of operators in a formula.
    pub size: usize,
    /// Greatest number of assertions.
    pub assertions: usize,
    /// Greatest number of rewriting steps, in [`Rewritten`].
    pub steps: usize,
    /// Decides what is drawn.
    pub rng: u64,
}

impl Default for GrowOptions {
    fn default() -> GrowOptions {
        GrowOptions { depth: 10, size: 60, assertions: 6, steps: 6, rng: 0 }
    }
}

/// The names of the suites.
pub const SUITES: [&str; 2] = [Grown::NAME, Rewritten::NAME];

/// Creates a suite.
///
/// # Errors
/// If there is no such suite, or a table cannot be read.
pub fn suite(name: &str, options: GrowOptions) -> Result<Box<dyn Suite>, GrowError> {
    match name {
        Grown::NAME => Ok(Box::new(Grown::new(options)?)),
        Rewritten::NAME => Ok(Box::new(Rewritten::new(options)?)),
        _ => Err(GrowError::Unknown(name.to_owned())),
    }
}

/// The least depth of the first term of a formula, where the options allow it.
const LEAST_DEPTH: u32 = 3;

/// The least number of operators that a formula may have, where the options allow it.
const LEAST_SIZE: usize = 6;

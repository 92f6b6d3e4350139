//! The simplifications of a script. Each pass offers steps to the search, those with the greatest
//! gain first, and knows nothing about tests.

mod characters;
mod commands;
mod constants;
mod definitions;
mod names;
mod recast;
mod sorts;
mod terms;

pub(crate) use characters::characters;
pub(crate) use commands::{assertions, bare, conjuncts, question, tidy, unused};
pub(crate) use definitions::inline;
pub(crate) use names::shorten;
pub(crate) use sorts::{arities, datatypes, widths};
pub(crate) use terms::{coarse, fine, solve};

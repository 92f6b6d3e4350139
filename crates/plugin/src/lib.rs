//! Abstract domains that live in shared libraries.
//!
//! A loaded library may crash, loop, print and change the state of the whole process. This crate is
//! therefore only for supervised worker processes, with one library each. It is the only crate with
//! unsafe code, and knows nothing about laws, cases and findings.

mod apron;
mod channel;
mod header;
mod library;
mod ppl;
mod serve;

pub use apron::{APRON_NAMES, Apron, Variables};
pub use channel::private_channel;
pub use header::PlugIn;
pub use library::LoadError;
pub use ppl::{PPL_NAMES, Ppl};
pub use serve::load;

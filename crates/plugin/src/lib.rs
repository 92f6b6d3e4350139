//! Abstract domains that live in shared libraries.
//!
//! What is loaded here may crash, loop, print and change the state of the whole process: this room
//! is for worker processes that somebody watches, one library in each. It is the only one with
//! unsafe code, and knows nothing of laws, cases and findings.

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

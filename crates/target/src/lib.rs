//! The tools under test: how to get them, and how to run them safely.
//!
//! This is the only crate that starts processes. It makes no test case and judges no answer.

pub mod process;

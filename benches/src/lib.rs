//! Compares our SMT-LIB reader with the public Rust ones: time, memory, and how much of the script survives.
//!
//! Two programs share this library. `make-corpus` writes a deterministic, well-sorted script of a
//! chosen size; `read` runs every reader over given scripts and prints one table per script. The
//! script `run` beside the manifest does both.
//!
//! Nothing here decides whether a script is satisfiable, and no reader is given work beyond the
//! fastest documented way from text to its own tree.

pub mod corpus;
pub mod measure;
pub mod readers;
pub mod scan;
pub mod table;

//! What solvers claim about terms without any search: that a term equals its simplified form, that a
//! formula and the goals of a tactic are equivalent.
//!
//! Such a claim is about all assignments, so one assignment under which the two sides differ refutes
//! it. [`Generator`] makes the terms, [`Request`] is the text that a solver is given, [`read`] reads
//! what it answered, and [`attack`] looks for the assignment. No solver is started here, and what
//! cannot be read with certainty is skipped by name, never guessed.

mod assignments;
mod attack;
mod conventions;
mod declared;
mod escapes;
mod generator;
mod grow;
mod read;
mod request;
mod seeds;
mod signature;
mod subject;

pub use attack::{Attack, Difference, Effort, Relation, attack};
pub use generator::{Config, Generator, Part, RewriteError, Source};
pub use read::{Claimed, Skipped, read};
pub use request::{Promise, Request};
pub use subject::Subject;

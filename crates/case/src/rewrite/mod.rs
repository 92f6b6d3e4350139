//! What solvers claim about terms without any search: that a term equals its simplified form, that a
//! formula and the goals of a tactic are equivalent.
//!
//! Such a claim is about all assignments, so one assignment under which the two sides differ refutes
//! it. [`RewriteTest`] is what a solver is asked with the assignments to try, [`read`] reads what it
//! answered, and [`attack`] tries the assignments. What cannot be read with certainty is skipped by
//! name, never guessed.

mod attack;
mod conventions;
mod declared;
mod escapes;
mod read;
mod request;
mod test;

pub use attack::{Attack, Difference, Effort, Relation, attack};
pub use conventions::is_disputed;
pub use escapes::standard as standard_escapes;
pub use read::{Claimed, Skipped, read};
pub use request::{Promise, Request};
pub use test::RewriteTest;

//! Claims that solvers make about terms without search: that a term equals its simplified form, or
//! that a formula and the goals of a tactic are equivalent.
//!
//! Such a claim is about all assignments, so one assignment under which the two sides differ
//! refutes it. [`RewriteTest`] is a request with the assignments to try, [`read`] reads the answer,
//! and [`attack_equality`] and [`attack_satisfiability`] try the assignments. Answers that cannot
//! be read with certainty are skipped by name, never guessed.

mod assignments;
mod attack;
mod conventions;
mod declared;
mod escapes;
mod read;
mod request;
mod test;

pub use assignments::{Assignments, all_assignments, every_assignment};
pub use attack::{Attack, Difference, Effort, attack_equality, attack_satisfiability, is_writable};
pub use conventions::is_disputed;
pub(crate) use declared::symbols;
pub use escapes::standard as standard_escapes;
pub use read::{Claimed, Skipped, read};
pub(crate) use read::{goal_texts, list};
pub use request::{Promise, Request};
pub use test::RewriteTest;
pub(crate) use test::first_end;

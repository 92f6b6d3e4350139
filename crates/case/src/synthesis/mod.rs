//! Terms that a solver is asked to construct: interpolants, abducts, equivalents without quantifiers, and
//! functions with a specification.
//!
//! All four are judged in the same way. What the answer must satisfy follows from the request alone, as
//! sentences over all assignments of the declared constants (`claim`); an assignment that
//! falsifies one of them is a certain finding.

mod claim;
mod eliminate;
mod grammar;
mod telling;
mod test;

pub(crate) use claim::{Claims, Known, Must, Unusable, claims, decide, solution};
pub use test::{Request, SynthesisTest, Task, Wanted};

//! Whether a verifier's query is robust, and if not, why.
//!
//! A query is changed in ways that keep its meaning; a robust one is still solved, at a similar
//! cost. Costs are the solver's own deterministic steps, so results are the same on every machine.
//! The solver is asked through [`Engine`]; nothing here starts a process, prints or reads a clock.

mod cause;
mod decide;
mod engine;
mod examine;
mod mutant;
mod patterns;
mod profile;
mod query;
mod sexpr;
mod upgrade;

pub use cause::{Cause, Change, Suggestion};
pub use decide::{Category, Design, ERROR, FIXED, Next, STABLE, Tally, UNSOLVABLE, next};
pub use engine::{Answer, Counted, Engine, Meter, Run};
pub use examine::{ClassResult, Examined, Sample, Settings, examine};
pub use mutant::{Class, Mutator, Stated, Which};
pub use profile::Instances;
pub use query::{Part, Piece, Query, queries};
pub use upgrade::{Difference, difference};

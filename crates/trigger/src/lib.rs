//! Terms that make E-matching find a contradiction, and explanations of contradictions.
//!
//! E-matching may never instantiate the right quantifier: then an inconsistency of a verifier's
//! axioms stays hidden, or a true assertion does not verify. [`synthesise`] searches for the missing
//! terms. It queries a solver through [`Engine`] and starts no process itself; it reports a term only
//! if a separate run of the solver on the file with the term answers `unsat`.

mod artefacts;
mod cvc5;
mod diagnosis;
mod draw;
mod driver;
mod engine;
mod enumerate;
mod evidence;
mod examples;
mod explain;
mod first_order;
mod inferred;
mod kinds;
mod local;
mod loops;
mod minimise;
mod nnf;
mod normal;
mod patterns;
mod pool;
mod problem;
mod proof;
mod search;
mod similarity;
mod spine;
mod strategy;
mod suggest;
mod synthesis;
mod tptp;
mod unify;
mod workbench;

pub use artefacts::{Artefact, KnownArtefact, artefacts};
pub use diagnosis::{CoreAxiom, Diagnosis, Evidence, Refutation, Report, Triggered, Verdict, Way};
pub use driver::synthesise;
pub use engine::{Engine, FirstOrderProver, RunEnd, Said, SatResult};
pub use explain::{Example, ExampleFormula, Explanation, Origin, explain};
pub use normal::{Axiom, Bound, Doing, MultiPattern, NormalForm, PrepareError, prepare};
pub use problem::{Fact, Part, Problem, UnknownAxiom};
pub use proof::Instance;
pub use strategy::{Artefacts, PatternSource, Settings, Tuning};

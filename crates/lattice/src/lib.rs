//! Tests numerical abstract domains by their laws.
//!
//! A trace is a short program that builds elements and an assertion that a law holds for them
//! ([`Trace`]); it is generated from bytes alone ([`decode`]). A domain is any type that implements
//! [`Domain`]; the built-in ones ([`reference`](mod@reference)) serve as reference and, with one of their
//! seeded [`Bug`]s, as benchmark of the tester.
//!
//! This crate generates traces and checks them in process. It starts no process, reads no clock except
//! for engines with a budget, and prints nothing.

mod boxes;
mod bug;
mod certify;
mod check;
mod domain;
mod engine;
mod first;
mod input;
mod law;
mod laws;
mod linear;
pub mod lines;
mod lossy;
mod picture;
mod points;
mod pool;
mod program;
pub mod protocol;
mod reduce;
pub mod reference;
mod tester;
mod text;

pub use bug::{BUGS, Bug, BugRow};
pub use certify::{Certificate, certify};
pub use check::{Firmness, Outcome, Tally, Trial, Violation, violations};
pub use domain::{Domain, Profile, Shape, Truth, point};
pub use engine::{
    Engine, FirstCases, Guided, Hit, Inputs, RandomInputs, Search, Systematic, laws_for,
};
pub use first::first_trace;
pub use input::Input;
pub use law::{BoxOperation, Claim, Class, Law, Need, Term};
pub use laws::LAWS;
pub use linear::{Constraint, Linear, Relation, named_number};
pub use picture::picture;
pub use points::Point;
pub use pool::{Boundaries, Decoder, TraceOptions, decode};
pub use program::{Check, OPERATIONS, Step, Trace, Uses};
pub use reduce::reduce;
pub use tester::Tester;
pub use text::ReadError;

//! The built-in domains, written for readability, not for speed.
//!
//! Without a seeded [`Bug`] they satisfy all the laws that they claim.

mod cone;
mod congruence;
mod inclusion;
mod interval;
mod octagon;
mod polyhedron;
mod simplex;
mod zonotope;

pub use congruence::Congruences;
pub use interval::{Bound, Double, Intervals};
pub use octagon::Octagons;
pub use polyhedron::Polyhedra;
pub use zonotope::Zonotopes;

use crate::bug::Bug;
use crate::domain::Shape;
use crate::tester::Tester;
use num_bigint::BigInt;
use num_rational::BigRational;

/// The names of the built-in domains.
pub const NAMES: [&str; 7] = [
    "interval-int",
    "interval",
    "interval-double",
    "octagon",
    "polyhedron",
    "congruence",
    "zonotope",
];

/// The built-in domain of this name, possibly with a seeded bug.
#[must_use]
pub fn by_name(name: &str, bug: Option<Bug>) -> Option<Box<dyn Tester>> {
    Some(match name {
        "interval-int" => Box::new(Intervals::<i64>::new(name, bug)),
        "interval" => Box::new(Intervals::<BigRational>::new(name, bug)),
        "interval-double" => Box::new(Intervals::<Double>::new(name, bug)),
        "octagon" => Box::new(Octagons::new(bug)),
        "polyhedron" => Box::new(Polyhedra::new(bug)),
        "congruence" => Box::new(Congruences::new(bug)),
        "zonotope" => Box::new(Zonotopes::new(bug)),
        _ => return None,
    })
}

/// The built-in domain that has a bug, with the bug.
#[must_use]
pub fn seeded(bug: Bug) -> Box<dyn Tester> {
    let name = match (bug, bug.row().shape) {
        (Bug::IntervalNearest, _) => "interval-double",
        (_, Shape::Intervals) => "interval-int",
        (_, Shape::Octagons) => "octagon",
        (_, Shape::Polyhedra | Shape::Grids) => "polyhedron",
        (_, Shape::Congruences) => "congruence",
        (_, Shape::Zonotopes) => "zonotope",
    };
    by_name(name, Some(bug)).expect("it is one of the built-in names")
}

fn whole(value: impl Into<BigInt>) -> BigRational {
    BigRational::from_integer(value.into())
}

//! Concrete points: what the program of an element implies about its points, without the domain.
//!
//! Everything here follows from the meaning of the program alone. If arithmetic overflows, or nothing
//! is known, nothing is claimed.

use crate::domain::Shape;
use crate::linear::{Constraint, LIMIT, Relation};
use crate::program::{Step, Trace};

/// A point with integer coordinates.
pub type Point = Vec<i128>;

/// Coordinates beyond this are dropped, so that sums of a few fit into 128 bits.
const FARTHEST: u128 = 1 << 100;

/// Number of points kept for each element.
const KEPT: usize = 6;

/// Facts that follow from the history of elements.
pub(crate) struct Histories<'c> {
    case: &'c Trace,
    known: Vec<Option<Vec<Point>>>,
}

impl<'c> Histories<'c> {
    pub(crate) fn new(case: &'c Trace) -> Histories<'c> {
        Histories { case, known: vec![None; case.steps.len()] }
    }

    /// Points that certainly belong to an element.
    pub(crate) fn inside(&mut self, at: usize) -> Vec<Point> {
        if let Some(points) = &self.known[at] {
            return points.clone();
        }
        let case = self.case;
        let mut points = match &case.steps[at] {
            Step::Top => seeds(case.dimensions),
            Step::Bottom => Vec::new(),
            Step::Element(constraints) => satisfying(case.dimensions, constraints),
            Step::Join(a, b) | Step::Widen(a, b) => both(self.inside(*a), self.inside(*b)),
            Step::Meet(a, b) => {
                let candidates = [self.inside(*a), self.inside(*b), self.mixed(*a, *b)].concat();
                let common = |p: &Point| self.surely(*a, p) && self.surely(*b, p);
                candidates.into_iter().filter(common).collect()
            }
            Step::Assign(a, variable, sum) => {
                let after = |point: Point| {
                    let value = sum.at(&point)?;
                    Some(with(point, *variable, value))
                };
                self.inside(*a).into_iter().filter_map(after).collect()
            }
            Step::Project(a, variable) => {
                let values = [-7, 0, 12_345];
                let points = self.inside(*a);
                let moved =
                    |point: &Point| values.map(|value| with(point.clone(), *variable, value));
                let moved: Vec<Point> = points.iter().flat_map(moved).collect();
                both(moved, points)
            }
            Step::Guard(a, constraint) => {
                let mut candidates = self.inside(*a);
                let near = candidates.iter().filter_map(|p| moved_onto(p.clone(), constraint, 0));
                candidates.extend(near.collect::<Vec<_>>());
                let common = |p: &Point| constraint.holds(p) == Some(true) && self.surely(*a, p);
                candidates.into_iter().filter(common).collect()
            }
            Step::Queried(a) => self.inside(*a),
        };
        points.retain(|point| point.iter().all(|value| value.unsigned_abs() <= FARTHEST));
        points.sort();
        points.dedup();
        // Some of the smallest and some of the largest, so that both ends are tested.
        if points.len() > KEPT {
            points.drain(KEPT / 2..points.len() - KEPT / 2);
        }
        self.known[at] = Some(points.clone());
        points
    }

    /// Points of one element, moved onto the constraints of the other.
    fn mixed(&mut self, a: usize, b: usize) -> Vec<Point> {
        let mut points = Vec::new();
        for (of, by) in [(a, b), (b, a)] {
            let constraints = self.constraints(by);
            for point in self.inside(of) {
                let moved =
                    constraints.iter().try_fold(point, |point, constraint| {
                        match constraint.holds(&point) {
                            Some(true) => Some(point),
                            _ => moved_onto(point, constraint, 0),
                        }
                    });
                points.extend(moved);
            }
        }
        points
    }

    /// Whether a point certainly belongs to an element.
    fn surely(&mut self, at: usize, point: &Point) -> bool {
        let case = self.case;
        match &case.steps[at] {
            Step::Top => true,
            Step::Bottom => false,
            Step::Element(constraints) => constraints.iter().all(|c| c.holds(point) == Some(true)),
            Step::Join(a, b) | Step::Widen(a, b) => {
                self.surely(*a, point) || self.surely(*b, point)
            }
            Step::Meet(a, b) => self.surely(*a, point) && self.surely(*b, point),
            Step::Guard(a, c) => c.holds(point) == Some(true) && self.surely(*a, point),
            Step::Queried(a) => self.surely(*a, point),
            Step::Project(a, _) => self.surely(*a, point) || self.inside(at).contains(point),
            Step::Assign(..) => self.inside(at).contains(point),
        }
    }

    /// Points that certainly do not belong to an element, for a domain that represents exactly what its
    /// shape does.
    pub(crate) fn outside(&mut self, at: usize, shape: Shape) -> Vec<Point> {
        let dimensions = self.case.dimensions;
        let mut candidates = seeds(dimensions);
        for constraint in self.constraints(at) {
            for seed in seeds(dimensions) {
                // One unit beyond the border, on the wrong side.
                candidates.extend(moved_onto(seed, &constraint, -1));
            }
        }
        // Larger numbers may be rounded by design.
        candidates
            .retain(|point| point.iter().all(|value| value.unsigned_abs() <= u128::from(LIMIT)));
        candidates.retain(|point| self.surely_not(at, shape, point));
        candidates.truncate(2 * KEPT);
        candidates
    }

    fn surely_not(&self, at: usize, shape: Shape, point: &Point) -> bool {
        let violates = |c: &Constraint| shape.represents(c) && c.holds(point) == Some(false);
        match &self.case.steps[at] {
            Step::Bottom => true,
            Step::Element(constraints) => constraints.iter().any(violates),
            Step::Meet(a, b) => {
                self.surely_not(*a, shape, point) || self.surely_not(*b, shape, point)
            }
            Step::Guard(a, c) => violates(c) || self.surely_not(*a, shape, point),
            Step::Queried(a) => self.surely_not(*a, shape, point),
            Step::Top | Step::Join(..) | Step::Widen(..) | Step::Assign(..) | Step::Project(..) => {
                false
            }
        }
    }

    /// Constraints that every point of an element satisfies.
    pub(crate) fn constraints(&self, at: usize) -> Vec<Constraint> {
        match &self.case.steps[at] {
            Step::Element(constraints) => constraints.to_vec(),
            Step::Meet(a, b) => [self.constraints(*a), self.constraints(*b)].concat(),
            Step::Guard(a, c) => [self.constraints(*a), vec![c.clone()]].concat(),
            Step::Queried(a) => self.constraints(*a),
            _ => Vec::new(),
        }
    }

    /// Whether two elements have contradictory representable constraints: sums that are negations of each
    /// other, with constants that exclude a common point.
    pub(crate) fn disjoint(&self, a: usize, b: usize, shape: Shape) -> bool {
        let (ours, theirs) = (self.constraints(a), self.constraints(b));
        let opposite = |one: &Constraint, other: &Constraint| {
            let pairs = one.sum.coefficients.iter().zip(other.sum.coefficients.iter());
            let mut pairs = pairs.map(|(c, d)| i128::from(*c) + i128::from(*d));
            shape.represents(one)
                && shape.represents(other)
                && one.sum.terms().next().is_some()
                && pairs.all(|sum| sum == 0)
                && one.sum.constant + other.sum.constant < 0
        };
        ours.iter().any(|one| theirs.iter().any(|other| opposite(one, other)))
    }
}

fn both(mut one: Vec<Point>, mut other: Vec<Point>) -> Vec<Point> {
    one.append(&mut other);
    one
}

fn with(mut point: Point, variable: usize, value: i128) -> Point {
    point[variable] = value;
    point
}

/// A few initial points.
fn seeds(dimensions: usize) -> Vec<Point> {
    let climbing = (0..dimensions as i128).map(|variable| 3 * variable - 5).collect();
    let spread =
        (0..dimensions as i128).map(|variable| (variable * variable * 1_237) % 9_001 - 4_500);
    let far = (0..dimensions as i128).map(|variable| 1_000_003 + 17 * variable);
    vec![vec![0; dimensions], climbing, vec![-1; dimensions], spread.collect(), far.collect()]
}

/// Points that satisfy all constraints.
fn satisfying(dimensions: usize, constraints: &[Constraint]) -> Vec<Point> {
    let moved = |seed: Point| {
        constraints.iter().try_fold(seed, |point, constraint| match constraint.holds(&point) {
            Some(true) => Some(point),
            _ => moved_onto(point, constraint, 0),
        })
    };
    let onto = |seed: Point| {
        constraints.iter().try_fold(seed, |point, constraint| moved_onto(point, constraint, 0))
    };
    let candidates =
        seeds(dimensions).into_iter().flat_map(|seed| [moved(seed.clone()), onto(seed)]);
    let all = |point: &Point| constraints.iter().all(|c| c.holds(point) == Some(true));
    candidates.flatten().filter(all).collect()
}

/// The point with one coordinate changed so that the constraint's sum is close to `wanted`: equal for
/// equations and if a coefficient divides, otherwise above it.
fn moved_onto(point: Point, constraint: &Constraint, wanted: i128) -> Option<Point> {
    let value = constraint.sum.at(&point)?;
    let mut best = None;
    for (variable, coefficient) in constraint.sum.terms() {
        let coefficient = i128::from(coefficient);
        let rest = value.checked_sub(coefficient.checked_mul(point[variable])?)?;
        let rest = wanted.checked_sub(rest)?;
        let mut quotient = rest / coefficient;
        if quotient * coefficient < rest && wanted >= 0 {
            quotient += coefficient.signum();
        }
        let exact = quotient * coefficient == rest;
        if let Ok(moved) = i64::try_from(quotient) {
            let fits = exact || constraint.relation == Relation::AtLeast;
            if fits {
                best = Some((variable, i128::from(moved)));
                if exact {
                    break;
                }
            }
        }
    }
    best.map(|(variable, value)| with(point, variable, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn case(text: &str) -> Trace {
        Trace::read(text).expect("it is a program")
    }

    #[test]
    fn points_are_carried_through_every_operation() {
        let case = case(
            "octagons, 3 variables\noct1 <- oct(x0 - x1 - 4 = 0)\noct2 <- assign(oct1, x2, 2*x0 + 1)\n\
             oct3 <- oct(x2 - 9 >= 0)\noct4 <- meet(oct2, oct3)\noct5 <- project(oct4, x0)\n\
             oct6 <- guard(oct5, x0 - 3 >= 0)\noct7 <- join(oct6, oct1)\noct8 <- queried(oct7)\n",
        );
        let mut histories = Histories::new(&case);
        for at in 0..case.steps.len() {
            let points = histories.inside(at);
            assert!(!points.is_empty(), "step {at}");
        }
        for point in histories.inside(3) {
            assert!(point[0] - point[1] == 4 && point[2] == 2 * point[0] + 1 && point[2] >= 9);
        }
    }

    #[test]
    fn points_outside_violate_an_exact_constraint() {
        let case = case(
            "octagons, 2 variables\noct1 <- oct(x0 + x1 - 4 >= 0)\noct2 <- oct(x0 - 7 >= 0)\n\
             oct3 <- meet(oct1, oct2)\noct4 <- join(oct3, oct1)\n",
        );
        let mut histories = Histories::new(&case);
        let outside = histories.outside(2, Shape::Octagons);
        assert!(outside.iter().any(|p| p[0] + p[1] == 3), "{outside:?}");
        assert!(outside.iter().all(|p| p[0] + p[1] < 4 || p[0] < 7));
        assert!(histories.outside(3, Shape::Octagons).is_empty(), "a join may hold more");
        assert!(!histories.disjoint(0, 1, Shape::Octagons));
    }

    #[test]
    fn opposite_constraints_are_disjoint() {
        let case = case(
            "polyhedra, 2 variables\npoly1 <- poly(2*x0 - x1 + 4 >= 0)\n\
             poly2 <- poly(-2*x0 + x1 - 5 >= 0)\npoly3 <- poly(-2*x0 + x1 - 4 >= 0)\n",
        );
        let histories = Histories::new(&case);
        assert!(histories.disjoint(0, 1, Shape::Polyhedra));
        assert!(!histories.disjoint(0, 2, Shape::Polyhedra), "they share a border");
    }
}

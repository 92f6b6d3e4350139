//! Small boxes: the results of operations on them, by arithmetic alone and without the domain.
//!
//! Boxes have few integer points, which can be enumerated, and their best bounds over all numbers
//! follow from a sum's smallest and largest values. If numbers are so large that they may be rounded by
//! design, no best bounds are claimed.

use crate::law::BoxOperation;
use crate::linear::{Constraint, LIMIT, Relation};
use crate::points::Point;
use crate::program::{Check, Step, Trace};

/// The smallest and the largest value of each variable.
pub(crate) type Bounds = Vec<(i128, i128)>;

/// The best result of an operation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Best {
    /// It has no point.
    Empty,
    /// These bounds of its variables; a variable without bounds is unbounded.
    Within(Vec<Option<(i128, i128)>>),
}

/// Numbers in a test that are larger than this may be rounded so much that integer bounds move.
const SMALL: u128 = 1_000;

/// The best bounds after an operation on small boxes; `None` if the operands are not boxes.
///
/// Fractional bounds are rounded outwards, because some domains have only integer ones.
pub(crate) fn best(operation: BoxOperation, case: &Trace, check: &Check) -> Option<Best> {
    let bounds = box_bounds(case, check.elements[0])?;
    let second = || box_bounds(case, check.elements[1]);
    Some(match operation {
        BoxOperation::Assign => {
            let after = assigned(bounds, check).filter(|_| check.sum.is_plain())?;
            let (low, high) = after[check.variable];
            if low.unsigned_abs().max(high.unsigned_abs()) > u128::from(LIMIT) {
                return None;
            }
            Best::within(after)
        }
        BoxOperation::Join => Best::within(joined(bounds, second()?)),
        BoxOperation::Meet => met(bounds, second()?).map_or(Best::Empty, Best::within),
        BoxOperation::Guard => tested(bounds, &check.constraint)?,
        BoxOperation::Project => {
            let mut kept: Vec<Option<(i128, i128)>> = bounds.into_iter().map(Some).collect();
            kept[check.variable] = None;
            Best::Within(kept)
        }
    })
}

/// The smallest and the largest integer value of each variable after an operation on small boxes; none
/// if the operands are not boxes, or no integer point is left.
pub(crate) fn ends(operation: BoxOperation, case: &Trace, check: &Check) -> Option<Bounds> {
    let bounds = box_bounds(case, check.elements[0])?;
    let second = || box_bounds(case, check.elements[1]);
    match operation {
        BoxOperation::Assign => assigned(bounds, check),
        BoxOperation::Join => Some(joined(bounds, second()?)),
        BoxOperation::Meet => met(bounds, second()?),
        BoxOperation::Guard => {
            let points = box_points(&bounds)?;
            let holding = |point: &&Point| check.constraint.holds(point) == Some(true);
            let mut left = points.iter().filter(holding);
            let first = left.next()?;
            let one = first.iter().map(|value| (*value, *value)).collect();
            Some(left.fold(one, |hull: Bounds, point| {
                let pairs = hull.into_iter().zip(point);
                pairs.map(|((low, high), &value)| (low.min(value), high.max(value))).collect()
            }))
        }
        BoxOperation::Project => {
            let mut freed = bounds;
            freed[check.variable] = (-FAR, FAR);
            Some(freed)
        }
    }
}

/// The variables to check: all that an operation may change and, if it names some, one more that stands
/// for those that it must not change.
pub(crate) fn watched(operation: BoxOperation, case: &Trace, check: &Check) -> Vec<usize> {
    let dimensions = case.dimensions;
    let mut named: Vec<usize> = match operation {
        BoxOperation::Join | BoxOperation::Meet => return (0..dimensions).collect(),
        BoxOperation::Assign | BoxOperation::Project => vec![check.variable],
        BoxOperation::Guard => check.constraint.sum.terms().map(|(variable, _)| variable).collect(),
    };
    let next = named.last().map_or(0, |last| (last + 1) % dimensions);
    if !named.contains(&next) {
        named.push(next);
    }
    named
}

/// An arbitrary value for a variable without bounds.
const FAR: i128 = 12_345;

impl Best {
    fn within(bounds: Bounds) -> Best {
        Best::Within(bounds.into_iter().map(Some).collect())
    }
}

/// The bounds after assigning the sum to the variable, enumerated over all points.
fn assigned(mut bounds: Bounds, check: &Check) -> Option<Bounds> {
    let points = box_points(&bounds)?;
    // If one value is missing, another would be taken for the largest.
    let values: Vec<i128> =
        points.iter().map(|point| check.sum.at(point)).collect::<Option<_>>()?;
    bounds[check.variable] = (*values.iter().min()?, *values.iter().max()?);
    Some(bounds)
}

fn joined(left: Bounds, right: Bounds) -> Bounds {
    left.into_iter().zip(right).map(|(a, b)| (a.0.min(b.0), a.1.max(b.1))).collect()
}

fn met(left: Bounds, right: Bounds) -> Option<Bounds> {
    let pairs = left.into_iter().zip(right).map(|(a, b)| (a.0.max(b.0), a.1.min(b.1)));
    pairs.map(|(low, high)| (low <= high).then_some((low, high))).collect()
}

/// The best bounds over all numbers where a test holds: for each variable, from the extreme values of
/// the others, which are independent in a box.
fn tested(bounds: Bounds, constraint: &Constraint) -> Option<Best> {
    let sum = &constraint.sum;
    let small = |number: i128| number.unsigned_abs() <= SMALL;
    if !sum.coefficients.iter().all(|number| small(i128::from(*number))) || !small(sum.constant) {
        return None;
    }
    let equal = constraint.relation == Relation::Equal;
    let extremes = |(variable, coefficient): (usize, i64)| {
        let (low, high) = bounds[variable];
        let coefficient = i128::from(coefficient);
        let (one, other) = (coefficient * low, coefficient * high);
        (one.min(other), one.max(other))
    };
    let (least, greatest) = sum
        .terms()
        .map(extremes)
        .fold((sum.constant, sum.constant), |(least, greatest), (low, high)| {
            (least + low, greatest + high)
        });
    if greatest < 0 || equal && least > 0 {
        return Some(Best::Empty);
    }
    let mut best = bounds.clone();
    for term in sum.terms() {
        let (low, high) = extremes(term);
        // coefficient * variable >= -(the largest rest), and for an equation <= -(the smallest rest)
        let (at_least, at_most) = (high - greatest, equal.then_some(low - least));
        let (range, coefficient) = (&mut best[term.0], i128::from(term.1));
        if coefficient > 0 {
            range.0 = range.0.max(at_least.div_euclid(coefficient));
            range.1 = at_most.map_or(range.1, |most| range.1.min(ceiling(most, coefficient)));
        } else {
            range.1 = range.1.min(ceiling(-at_least, -coefficient));
            range.0 = at_most.map_or(range.0, |most| range.0.max((-most).div_euclid(-coefficient)));
        }
    }
    Some(Best::within(best))
}

/// The ceiling of a quotient by a positive number.
fn ceiling(dividend: i128, divisor: i128) -> i128 {
    -(-dividend).div_euclid(divisor)
}

/// The smallest and largest value of each variable in a box; `None` if the step is not a box with small
/// bounds on all sides.
pub(crate) fn box_bounds(case: &Trace, at: usize) -> Option<Vec<(i128, i128)>> {
    let Step::Element(constraints) = &case.steps[at] else { return None };
    let mut bounds = vec![(None, None); case.dimensions];
    for constraint in constraints.iter() {
        let mut terms = constraint.sum.terms();
        let ((variable, coefficient), None) = (terms.next()?, terms.next()) else { return None };
        let constant = constraint.sum.constant;
        if constraint.relation != Relation::AtLeast || constant.unsigned_abs() > 100 {
            return None;
        }
        let (low, high) = &mut bounds[variable];
        match coefficient {
            1 => *low = Some(low.map_or(-constant, |low: i128| low.max(-constant))),
            -1 => *high = Some(high.map_or(constant, |high: i128| high.min(constant))),
            _ => return None,
        }
    }
    bounds.into_iter().map(|(low, high)| Some((low?, high?)).filter(|(l, h)| l <= h)).collect()
}

/// Every integer point of a box, up to a maximum number.
pub(crate) fn box_points(bounds: &[(i128, i128)]) -> Option<Vec<Point>> {
    let mut points = vec![Vec::new()];
    for &(low, high) in bounds {
        let longer = |point: &Point| {
            let point = point.clone();
            (low..=high).map(move |value| [&point[..], &[value]].concat())
        };
        points = points.iter().flat_map(longer).collect();
        if points.len() > 5_000 {
            return None;
        }
    }
    Some(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::Linear;

    fn case(text: &str) -> Trace {
        Trace::read(text).expect("it is a program")
    }

    #[test]
    fn boxes_are_recognised_and_enumerated() {
        let case = case(
            "intervals, 2 variables\nbox1 <- box(x0 + 1 >= 0, -x0 + 1 >= 0, x1 - 2 >= 0, -x1 + 2 >= 0)\n\
             box2 <- box(x0 + 1 >= 0)\n",
        );
        let bounds = box_bounds(&case, 0).expect("it is a box");
        assert_eq!(bounds, [(-1, 1), (2, 2)]);
        assert_eq!(box_points(&bounds).map(|points| points.len()), Some(3));
        assert_eq!(box_bounds(&case, 1), None);
    }

    fn guarded(low: i128, high: i128, constraint: &Constraint) -> Option<Best> {
        tested(vec![(low, high); 2], constraint)
    }

    #[test]
    fn no_point_that_passes_a_test_is_beyond_its_best_bounds() {
        for (a, b) in (-3..=3).flat_map(|a| (-3..=3).map(move |b| (a, b))) {
            for (constant, relation) in
                (-7..=7).flat_map(|k| [(k, Relation::AtLeast), (k, Relation::Equal)])
            {
                let sum = Linear::of(2, &[(0, a), (1, b)], constant);
                let constraint = Constraint { sum, relation };
                let found = guarded(-2, 3, &constraint).expect("the numbers are small");
                let points = box_points(&[(-2, 3), (-2, 3)]).expect("they are few");
                let holding: Vec<&Point> =
                    points.iter().filter(|p| constraint.holds(p) == Some(true)).collect();
                let Best::Within(best) = found else {
                    assert!(holding.is_empty(), "{constraint}");
                    continue;
                };
                for (variable, range) in best.iter().enumerate() {
                    let (low, high) = range.expect("boxes have bounds");
                    let has = |value: i128| holding.iter().any(|point| point[variable] == value);
                    assert!(holding.iter().all(|p| (low..=high).contains(&p[variable])));
                    // If all coefficients are units, the bounds are integers and attained.
                    if (a.abs().max(b.abs()), a.abs() + b.abs() > 0) == (1, true) {
                        assert!(has(low) && has(high), "{constraint}: {low} {high}");
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_between_whole_numbers_are_rounded_outwards_and_large_ones_left_alone() {
        let equal = |terms: &[(usize, i64)], k: i64| Constraint::equal(Linear::of(2, terms, k));
        // x1 = 3/2 x0: over all numbers x0 reaches 10/3, although no integer point exceeds 2.
        let slope = guarded(0, 5, &equal(&[(0, 3), (1, -2)], 0));
        assert_eq!(slope, Some(Best::Within(vec![Some((0, 4)), Some((0, 5))])));
        let half = guarded(0, 2, &equal(&[(0, 2)], -1));
        assert_eq!(half, Some(Best::Within(vec![Some((0, 1)), Some((0, 2))])));
        assert_eq!(guarded(0, 2, &equal(&[(0, 1)], -3)), Some(Best::Empty));
        assert_eq!(guarded(0, 2, &equal(&[(0, 1_001)], 0)), None);
    }
}

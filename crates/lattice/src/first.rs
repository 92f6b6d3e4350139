//! The first cases of a search: small elements in all pairs, with every law.
//!
//! Random elements over eight variables rarely meet in the one place where an operation is wrong: two
//! intervals of opposite sign, a bound at the limit of machine integers, coefficients that nearly
//! cancel. These cases go through such elements systematically, over two variables. Their number is
//! their input, so they are repeated and stored like all others.

use crate::domain::Shape;
use crate::law::{BoxOperation, Law};
use crate::linear::{Constraint, Linear, Relation};
use crate::pool::{Boundaries, TraceOptions};
use crate::program::{Check, Step, Trace, Uses};

/// Inputs of first cases begin with this; a number follows.
const TAG: [u8; 8] = [0xff, b'f', b'i', b'r', b's', b't', 0x00, 0xff];

/// The input of a first case.
pub(crate) fn input(number: u32) -> Vec<u8> {
    [&TAG[..], &number.to_le_bytes()].concat()
}

/// The number of the first case that an input stands for.
#[must_use]
pub fn first_trace(input: &[u8]) -> Option<u32> {
    let number = input.strip_prefix(&TAG)?;
    Some(u32::from_le_bytes(number.try_into().ok()?))
}

/// The first cases for a shape.
pub(crate) struct Firsts {
    shape: Shape,
    strict: bool,
    hinted: bool,
    dimensions: usize,
    elements: Vec<Step>,
    /// How many of the elements, from the first, are boxes with small bounds on all sides.
    boxes: usize,
    sums: Vec<Linear>,
}

impl Firsts {
    pub(crate) fn new(shape: Shape, config: &TraceOptions) -> Firsts {
        let dimensions = config.dimensions.min(2);
        let maker = Maker { shape, dimensions, boundaries: config.boundaries };
        let (elements, boxes) = maker.elements();
        let sums = maker.sums();
        let TraceOptions { strict, hinted, .. } = *config;
        Firsts { shape, strict, hinted, dimensions, elements, boxes, sums }
    }

    fn pairs(&self) -> usize {
        self.elements.len() * self.elements.len()
    }

    /// The number of cases.
    pub(crate) fn count(&self) -> usize {
        self.pairs() + self.elements.len() * self.sums.len()
    }

    /// A case; its number selects a pair of elements, or an element and a sum.
    pub(crate) fn case(&self, number: u32, laws: &[&'static Law]) -> Option<Trace> {
        let count = self.count();
        // Neighbors have much in common, so the order is mixed: a stride without common factor.
        let stride = (count * 5 / 13..).find(|stride| gcd(*stride, count) == 1)?;
        let number = usize::try_from(number).ok().filter(|number| *number < count)?;
        let place = number * stride % count;
        let mut case = Trace {
            shape: self.shape,
            dimensions: self.dimensions,
            strict: self.strict,
            steps: self.elements.clone(),
            checks: Vec::new(),
        };
        match place.checked_sub(self.pairs()) {
            None => self.pair(place, laws, &mut case),
            Some(place) => self.transformed(place, laws, &mut case),
        }
        Some(case)
    }

    fn check(&self, law: &'static Law, elements: [usize; 3]) -> Check {
        let zero = Linear::constant(self.dimensions, 0);
        Check {
            law,
            elements,
            variable: 0,
            sum: zero.clone(),
            constraint: Constraint::at_least(zero),
            chain: vec![elements[1], elements[2]],
            head: (self.hinted && Uses::of(law).head).then_some(elements[2]),
        }
    }

    /// Laws without sums, on two elements and what operations make of them.
    fn pair(&self, place: usize, laws: &[&'static Law], case: &mut Trace) {
        let count = self.elements.len();
        let (x, y) = (place / count, place % count);
        let made = case.steps.len();
        case.steps.extend([
            Step::Join(x, y),
            Step::Meet(x, y),
            Step::Widen(x, y),
            Step::Widen(x, made),
            Step::Queried(made),
        ]);
        let z = (3 * x + 5 * y + 1) % count;
        for law in laws {
            let uses = Uses::of(law);
            if uses.sum || uses.constraint || uses.variable {
                continue;
            }
            let on_boxes = law.conclusion.on_boxes().is_some();
            if on_boxes && x.max(y) >= self.boxes {
                continue;
            }
            let thirds = match uses.elements {
                _ if on_boxes => vec![[x, y, z]],
                // One element: its own, and what was made of two.
                [_, false, false] if x == y => vec![[x, y, z]],
                [_, false, false] => (made..case.steps.len()).map(|at| [at, y, z]).collect(),
                [_, _, false] => vec![[x, y, z], [x, made, z], [made + 1, y, z]],
                // A bound that is likely: the join of both, or their meet.
                _ => vec![[x, y, z], [x, y, made], [x, y, made + 1]],
            };
            case.checks.extend(thirds.into_iter().map(|elements| self.check(law, elements)));
        }
    }

    /// Laws with sums, on one element.
    fn transformed(&self, place: usize, laws: &[&'static Law], case: &mut Trace) {
        let (x, at) = (place / self.sums.len(), place % self.sums.len());
        let sum = &self.sums[at];
        let variable = (x + at) % self.dimensions;
        let both = [Relation::AtLeast, Relation::Equal];
        let constraints = both.map(|relation| Constraint { sum: sum.clone(), relation });
        let made = case.steps.len();
        case.steps.push(Step::Assign(x, variable, sum.clone()));
        case.steps.extend(constraints.iter().map(|c| Step::Guard(x, c.clone())));
        case.steps.push(Step::Project(x, variable));
        let y = (7 * x + at + 1) % self.elements.len();
        case.steps.push(Step::Join(made, y));
        case.steps.push(Step::Join(x, y));
        let above = case.steps.len() - 1;
        for law in laws {
            let uses = Uses::of(law);
            let transforms = uses.sum || uses.constraint || uses.variable;
            let only_one = !uses.elements[1] && !uses.elements[2];
            match law.conclusion.on_boxes() {
                Some(BoxOperation::Join | BoxOperation::Meet) => continue,
                Some(_) if x >= self.boxes => continue,
                None if !transforms && !only_one => continue,
                _ => {}
            }
            if !transforms {
                case.checks.extend((made..above).map(|at| self.check(law, [at, y, y])));
                continue;
            }
            let checks = constraints.iter().take(if uses.constraint { 2 } else { 1 });
            case.checks.extend(checks.map(|constraint| Check {
                variable,
                sum: sum.clone(),
                constraint: constraint.clone(),
                ..self.check(law, [x, above, y])
            }));
        }
    }
}

fn gcd(a: usize, b: usize) -> usize {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The material of first cases.
struct Maker {
    shape: Shape,
    dimensions: usize,
    boundaries: Boundaries,
}

impl Maker {
    fn sum(&self, terms: [i64; 2], constant: impl Into<i128>) -> Linear {
        let terms: Vec<(usize, i64)> =
            terms.into_iter().take(self.dimensions).enumerate().collect();
        Linear::of(self.dimensions, &terms, constant)
    }

    /// `low <= variable <= high`, an equation if both are the same.
    fn range(&self, variable: usize, low: i64, high: i64) -> Vec<Constraint> {
        let unary = |sign, constant: i128| {
            Linear::of(self.dimensions, &[(variable % self.dimensions, sign)], constant)
        };
        vec![
            Constraint::at_least(unary(1, -i128::from(low))),
            Constraint::at_least(unary(-1, i128::from(high))),
        ]
    }

    fn limits(&self) -> Option<(i64, i64)> {
        match self.boundaries {
            Boundaries::None => None,
            Boundaries::Int => Some((i32::MIN.into(), i32::MAX.into())),
            Boundaries::Long => Some((i64::MIN, i64::MAX)),
        }
    }

    /// The elements, boxes with small bounds first, and the number of these.
    fn elements(&self) -> (Vec<Step>, usize) {
        let bounded = !matches!(self.shape, Shape::Congruences | Shape::Grids);
        let mut steps = Vec::new();
        if bounded {
            let small = [
                ((1, 1), (2, 3)),
                ((-1, -1), (-2, -2)),
                ((3, 3), (3, 3)),
                ((-2, -1), (1, 1)),
                ((1, 2), (-3, -3)),
                ((-1, 1), (0, 0)),
                ((0, 3), (-1, 2)),
                ((-3, -3), (-3, -3)),
            ];
            for (x, y) in small {
                let mut both = self.range(0, x.0, x.1);
                if self.dimensions > 1 {
                    both.extend(self.range(1, y.0, y.1));
                }
                steps.push(Step::Element(both.into()));
            }
        } else {
            for (x, y) in [(0, 0), (2, 1), (-1, 3), (5, -4), (6, 1)] {
                let at = |terms, value: i64| Constraint::equal(self.sum(terms, -value));
                let mut both = vec![at([1, 0], x)];
                if self.dimensions > 1 {
                    both.push(at([0, 1], y));
                }
                steps.push(Step::Element(both.into()));
            }
        }
        let boxes = if bounded { steps.len() } else { 0 };
        steps.extend([Step::Top, Step::Bottom]);
        if bounded && self.shape != Shape::Zonotopes {
            let at_least = |terms, constant: i64| {
                Step::Element([Constraint::at_least(self.sum(terms, constant))].into())
            };
            steps.push(at_least([1, 0], -1));
            steps.push(at_least([-1, 0], -1));
            if self.dimensions > 1 && self.shape != Shape::Intervals {
                steps.extend([at_least([1, -1], 0), at_least([-1, -1], 4)]);
            }
        }
        steps.extend([Step::Join(0, 1), Step::Assign(0, 0, self.sum([1, 0], 5))]);
        if let Some((least, most)) = self.limits() {
            if bounded {
                let far = self.range(0, most - 1, most);
                let low = self.range(1, least, least + 1);
                steps.push(Step::Element(far.into()));
                steps.push(Step::Element(low.into()));
            } else {
                let far = Constraint::equal(self.sum([1, 0], -i128::from(most)));
                steps.push(Step::Element([far].into()));
            }
        }
        (steps, boxes)
    }

    fn sums(&self) -> Vec<Linear> {
        let small = [
            ([0, 0], 0),
            ([0, 0], -2),
            ([1, 0], 1),
            ([-1, 0], 1),
            ([0, 1], 0),
            ([1, 1], -1),
            ([1, -1], 2),
            ([2, 0], -3),
            ([-3, 2], 1),
        ];
        let mut sums: Vec<Linear> =
            small.into_iter().map(|(terms, constant)| self.sum(terms, constant)).collect();
        if let Some((least, most)) = self.limits() {
            let large = [
                ([0, 0], least),
                ([1, 0], most),
                ([-1, 0], least),
                ([0, 1], most),
                ([most, 0], 0),
                ([0, least], 1),
                // Nearly nothing is left of these, where two variables are equal.
                ([most, -(most - 1)], 0),
                ([most, least], -2),
                ([least, most], 0),
                ([most, most], 0),
            ];
            sums.extend(large.map(|(terms, constant)| self.sum(terms, constant)));
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LAWS;

    #[test]
    fn first_cases_cover_every_law_and_encode_as_inputs() {
        let laws: Vec<&Law> = LAWS.iter().collect();
        let config = TraceOptions::preset("C2").expect("it is a preset");
        let config = TraceOptions { hinted: true, ..config };
        for (shape, ..) in Shape::ALL {
            let firsts = Firsts::new(shape, &config);
            let mut asserted = std::collections::BTreeSet::new();
            for number in 0..firsts.count() as u32 {
                let case = firsts.case(number, &laws).expect("there are as many");
                asserted.extend(case.checks.iter().map(|check| check.law.name));
                assert_eq!(first_trace(&input(number)), Some(number));
                assert_eq!(crate::decode(&input(number), shape, &config, &laws), case);
                for part in [case.slice(number as usize % case.checks.len()), case] {
                    let text = part.to_string();
                    assert_eq!(Trace::read(&text).map(|read| read.to_string()), Ok(text));
                }
            }
            let boxes = firsts.boxes > 0;
            let expected = LAWS.iter().filter(|law| boxes || law.conclusion.on_boxes().is_none());
            assert_eq!(asserted.len(), expected.count(), "{}", shape.name());
            assert_eq!(firsts.case(firsts.count() as u32, &laws), None);
        }
        assert_eq!(first_trace(&[0; 12]), None);
    }
}

//! The laws themselves, put to the test: exhaustively, on a lattice small enough to hold in hand.
//!
//! The sets of points of a grid of two by two are a lattice in which join is union, meet is
//! intersection and transformers are images: no operation can be better. A law that fails there, or
//! whose premises never hold there, is no law.

use crate::check::{Outcome, Trial};
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::law::Law;
use crate::linear::{Constraint, Linear};
use crate::program::{Case, Check, Step, Uses};

/// What the test of a law came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The law.
    pub law: &'static Law,
    /// How often it was tried with its premises satisfied, and held.
    pub held: u64,
    /// The first case in which it did not.
    pub broken: Option<Case>,
}

impl Certificate {
    /// Whether it holds and says something.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.held > 0 && self.broken.is_none()
    }
}

/// The coordinates of the grid's points, modulo which arithmetic is done.
const SIDE: i64 = 2;

/// All sets of points of a grid, as bits.
pub(crate) struct PointSets {
    profile: Profile,
}

impl PointSets {
    pub(crate) fn new() -> PointSets {
        let mut profile = Profile::new("point sets", Shape::Polyhedra);
        profile.monotone_widening = false;
        profile.narrowing = true;
        profile.closure = true;
        PointSets { profile }
    }

    fn points() -> impl Iterator<Item = (u16, [i64; 2])> {
        (0..SIDE * SIDE).map(|at| (1 << at, [at % SIDE, at / SIDE]))
    }

    fn bit(point: [i64; 2]) -> u16 {
        1 << (point[0] + SIDE * point[1])
    }

    fn value(sum: &Linear, point: [i64; 2]) -> i64 {
        let value = sum.at(&point).expect("the numbers are small");
        (value.rem_euclid(i128::from(SIDE))) as i64
    }
}

impl Domain for PointSets {
    type Element = u16;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn top(&self, _dimensions: usize) -> u16 {
        PointSets::points().map(|(bit, _)| bit).sum()
    }

    fn bottom(&self, _dimensions: usize) -> u16 {
        0
    }

    fn leq(&self, left: &u16, right: &u16) -> Truth {
        (left & !right == 0).into()
    }

    fn eq(&self, left: &u16, right: &u16) -> Truth {
        (left == right).into()
    }

    fn is_bottom(&self, element: &u16) -> Truth {
        (*element == 0).into()
    }

    fn is_top(&self, element: &u16) -> Truth {
        (*element == self.top(2)).into()
    }

    fn join(&self, left: &u16, right: &u16) -> u16 {
        left | right
    }

    fn meet(&self, left: &u16, right: &u16) -> u16 {
        left & right
    }

    fn widen(&self, left: &u16, right: &u16) -> u16 {
        left | right
    }

    fn assign(&self, element: &u16, variable: usize, sum: &Linear) -> u16 {
        let inside = PointSets::points().filter(|(bit, _)| element & bit != 0);
        inside.fold(0, |image, (_, mut point)| {
            point[variable] = PointSets::value(sum, point);
            image | PointSets::bit(point)
        })
    }

    fn project(&self, element: &u16, variable: usize) -> u16 {
        let inside = PointSets::points().filter(|(bit, _)| element & bit != 0);
        inside.fold(0, |image, (_, mut point)| {
            (0..SIDE).fold(image, |image, value| {
                point[variable] = value;
                image | PointSets::bit(point)
            })
        })
    }

    fn guard(&self, element: &u16, constraint: &Constraint) -> u16 {
        let inside = PointSets::points().filter(|(bit, _)| element & bit != 0);
        let fits = |point: &[i64; 2]| constraint.holds(point) == Some(true);
        inside.filter(|(_, point)| fits(point)).map(|(bit, _)| bit).sum()
    }

    fn show(&self, element: &u16) -> String {
        let inside = PointSets::points().filter(|(bit, _)| element & bit != 0);
        format!("{:?}", inside.map(|(_, point)| point).collect::<Vec<_>>())
    }
}

/// Tries a law on every choice of operands.
#[must_use]
pub fn certify(law: &'static Law) -> Certificate {
    certify_on(law, &PointSets::new(), &elements())
}

/// A step for each set of points: joins of the single ones, and the empty set.
fn elements() -> Vec<Step> {
    let mut steps = vec![Step::Bottom];
    for (_, point) in PointSets::points() {
        let at = |variable: usize| Linear::of(2, &[(variable, 1)], -point[variable]);
        let pair = [Constraint::equal(at(0)), Constraint::equal(at(1))];
        steps.push(Step::Element(pair.into()));
    }
    // The number of the step that makes the set, which is where its two parts are.
    let mut of_set = [0; 1 << (SIDE * SIDE)];
    for set in 1usize..of_set.len() {
        let rest = set & (set - 1);
        let single = 1 + (set & set.wrapping_neg()).trailing_zeros() as usize;
        if rest == 0 {
            of_set[set] = single;
        } else {
            of_set[set] = steps.len();
            steps.push(Step::Join(of_set[rest], single));
        }
    }
    steps
}

fn sums() -> Vec<Linear> {
    let small = [-1, 0, 1];
    let pairs = small.into_iter().flat_map(|a| small.map(|b| (a, b)));
    let all = pairs.flat_map(|(a, b)| [-1, 0, 1].map(|k| Linear::of(2, &[(0, a), (1, b)], k)));
    all.collect()
}

fn certify_on<D: Domain>(law: &'static Law, domain: &D, steps: &[Step]) -> Certificate {
    let uses = Uses::of(law);
    let nothing = Linear::constant(2, 0);
    let range = |used: bool| if used { 0..steps.len() } else { 0..1 };
    let sums = if uses.sum || uses.constraint { sums() } else { vec![nothing.clone()] };
    let mut checks = Vec::new();
    for x in range(uses.elements[0]) {
        for y in range(uses.elements[1]) {
            for z in range(uses.elements[2]) {
                for variable in 0..if uses.variable { 2 } else { 1 } {
                    for sum in &sums {
                        checks.push(Check {
                            law,
                            elements: [x, y, z],
                            variable,
                            sum: sum.clone(),
                            constraint: Constraint::at_least(sum.clone()),
                            chain: if uses.chain {
                                vec![x, (x * 7 + 3) % steps.len()]
                            } else {
                                Vec::new()
                            },
                        });
                    }
                }
            }
        }
    }
    let case = Case { shape: Shape::Polyhedra, dimensions: 2, steps: steps.to_vec(), checks };
    let mut trial = Trial::new(domain, &case);
    let mut certificate = Certificate { law, held: 0, broken: None };
    for at in 0..case.checks.len() {
        match trial.check(at) {
            Outcome::Holds => certificate.held += 1,
            Outcome::Inapplicable => {}
            Outcome::Violated(_) => {
                certificate.broken = Some(case.slice(at));
                break;
            }
        }
    }
    certificate
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LAWS;
    use crate::law::Claim;

    /// Laws about points of the plane, boxes and bounds say nothing about a grid of four points.
    fn is_about_the_plane(law: &Law) -> bool {
        matches!(
            law.conclusion,
            Claim::HasPoints
                | Claim::HasPointsOf
                | Claim::LacksPoints
                | Claim::BestAssign
                | Claim::BestJoin
                | Claim::KeepsBounds
        ) || law.premises.contains(&Claim::Disjoint)
    }

    #[test]
    fn every_law_of_the_lattice_is_certified() {
        for law in LAWS.iter().filter(|law| !is_about_the_plane(law)) {
            let certificate = certify(law);
            if let Some(case) = &certificate.broken {
                panic!("{} does not hold:\n{case}", law.title());
            }
            assert!(certificate.stands(), "{} is never tried", law.title());
        }
    }
}

//! Certifies the laws exhaustively, on small lattices.
//!
//! The sets of points of a two-by-two grid form a lattice in which join is union, meet is intersection
//! and transformers are images: every operation is the best possible. Intervals, octagons and
//! congruences over small numbers are lattices in which joins add points. A statement that fails in a
//! lattice with the required promises, or whose premises never hold, is not a law.
//!
//! Each law is also tested with operations that return more than necessary wherever the law requires no
//! promise (`lossy.rs`): what remains follows from soundness.

use crate::check::{Outcome, Trial};
use crate::domain::{Domain, Profile, Shape, Truth};
use crate::law::{Claim, Law};
use crate::linear::{Constraint, Linear};
use crate::lossy::Lossy;
use crate::program::{Check, Step, Trace, Uses};
use crate::reference::{Congruences, Intervals, Octagons};
use num_rational::BigRational;

/// The result of testing a law.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Certificate {
    /// The law.
    pub law: &'static Law,
    /// The number of tests in which its premises and conclusion held.
    pub held: u64,
    /// The first counterexample.
    pub broken: Option<Trace>,
}

impl Certificate {
    /// Whether it holds and was tested.
    #[must_use]
    pub fn stands(&self) -> bool {
        self.held > 0 && self.broken.is_none()
    }
}

/// The coordinates of the grid's points; arithmetic is modulo this number.
const SIDE: i128 = 2;

/// All sets of points of a grid, as bit sets.
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

    fn points() -> impl Iterator<Item = (u16, [i128; 2])> {
        (0..SIDE * SIDE).map(|at| (1 << at, [at % SIDE, at / SIDE]))
    }

    fn bit(point: [i128; 2]) -> u16 {
        1 << (point[0] + SIDE * point[1])
    }

    fn value(sum: &Linear, point: [i128; 2]) -> i128 {
        let value = sum.at(&point).expect("the numbers are small");
        value.rem_euclid(SIDE)
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

    fn narrow(&self, left: &u16, right: &u16) -> u16 {
        left & right
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
        let fits = |point: &[i128; 2]| constraint.holds(point) == Some(true);
        inside.filter(|(_, point)| fits(point)).map(|(bit, _)| bit).sum()
    }

    fn show(&self, element: &u16) -> String {
        let inside = PointSets::points().filter(|(bit, _)| element & bit != 0);
        format!("{:?}", inside.map(|(_, point)| point).collect::<Vec<_>>())
    }
}

/// Tests a law on every choice of operands, in every lattice.
#[must_use]
pub fn certify(law: &'static Law) -> Certificate {
    let mut certificate = Certificate { law, held: 0, broken: None };
    if !is_about_the_plane(law) {
        certificate.add(&PointSets::new(), &elements(), &sums());
    }
    certificate.add(&Intervals::<BigRational>::new("interval", None), &plane(), &few_sums());
    certificate.add(&Octagons::new(None), &plane(), &few_sums());
    certificate.add(&Congruences::new(None), &plane(), &few_sums());
    certificate
}

/// Laws about points of the plane, boxes and bounds do not apply to a grid of four points.
fn is_about_the_plane(law: &Law) -> bool {
    law.trusts_history()
        || law.conclusion.on_boxes().is_some()
        || matches!(law.conclusion, Claim::HasPoints | Claim::HasPointsOf | Claim::KeepsBounds)
}

impl Certificate {
    /// Tests the law in one more lattice, if it applies.
    fn add<D: Domain>(&mut self, domain: &D, steps: &[Step], sums: &[Linear]) {
        if self.broken.is_none() && self.law.applies_to(domain.profile()) {
            self.try_on(domain, steps, sums);
            self.try_on(&Lossy::new(domain, self.law.needs), steps, sums);
        }
    }

    fn try_on<D: Domain>(&mut self, domain: &D, steps: &[Step], sums: &[Linear]) {
        let checks = choices(self.law, steps.len(), sums);
        let shape = domain.profile().shape;
        let case = Trace { shape, dimensions: 2, strict: false, steps: steps.to_vec(), checks };
        let mut trial = Trial::new(domain, &case);
        for at in 0..case.checks.len() {
            match trial.check(at) {
                Outcome::Holds => self.held += 1,
                Outcome::Inapplicable => {}
                Outcome::Violated(_) => {
                    self.broken.get_or_insert(case.slice(at));
                    break;
                }
            }
        }
    }
}

/// One step per set of points: joins of the singletons, and the empty set.
fn elements() -> Vec<Step> {
    let mut steps = vec![Step::Bottom];
    for (_, point) in PointSets::points() {
        let at = |variable: usize| Linear::of(2, &[(variable, 1)], -point[variable]);
        let pair = [Constraint::equal(at(0)), Constraint::equal(at(1))];
        steps.push(Step::Element(pair.into()));
    }
    // The index of the step that makes the set, from the indices of its two parts.
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
    let all = pairs.flat_map(|(a, b)| [-1i64, 0, 1].map(|k| Linear::of(2, &[(0, a), (1, b)], k)));
    all.collect()
}

/// A few elements of the plane with different sets of bounds, and elements made from them.
fn plane() -> Vec<Step> {
    let at_least = |terms: &[(usize, i64)], k: i64| Constraint::at_least(Linear::of(2, terms, k));
    let equal = |terms: &[(usize, i64)], k: i64| Constraint::equal(Linear::of(2, terms, k));
    let range = |variable, low: i64, high: i64| {
        [at_least(&[(variable, 1)], -low), at_least(&[(variable, -1)], high)]
    };
    let boxed = |x: (i64, i64), y: (i64, i64)| {
        Step::Element([range(0, x.0, x.1), range(1, y.0, y.1)].concat().into())
    };
    vec![
        Step::Bottom,
        Step::Top,
        Step::Element([at_least(&[(0, 1)], 0)].into()),
        Step::Element([at_least(&[(0, -1)], -1)].into()),
        Step::Element([equal(&[(1, 1)], -1)].into()),
        Step::Element([equal(&[(0, 1)], 1), equal(&[(1, 1)], 0)].into()),
        boxed((-1, 1), (0, 1)),
        boxed((2, 3), (0, 0)),
        boxed((0, 2), (1, 2)),
        Step::Element([at_least(&[(0, 1), (1, -1)], 0)].into()),
        Step::Join(4, 5),
        Step::Meet(6, 9),
        Step::Assign(6, 1, Linear::of(2, &[(0, 1)], 1)),
    ]
}

fn few_sums() -> Vec<Linear> {
    let of = |a, b, k: i64| Linear::of(2, &[(0, a), (1, b)], k);
    vec![of(0, 0, 1), of(1, 0, 0), of(0, -1, 2), of(1, 1, -1), of(-2, 1, 0)]
}

/// Every assertion of a law about this many elements.
fn choices(law: &'static Law, count: usize, sums: &[Linear]) -> Vec<Check> {
    let uses = Uses::of(law);
    let nothing = [Linear::constant(2, 0)];
    let range = |used: bool| if used { 0..count } else { 0..1 };
    let sums = if uses.sum || uses.constraint { sums } else { &nothing };
    let mut checks = Vec::new();
    for x in range(uses.elements[0]) {
        for y in range(uses.elements[1]) {
            for z in range(uses.elements[2]) {
                for variable in 0..if uses.variable { 2 } else { 1 } {
                    for sum in sums {
                        let chain = if uses.chain { vec![x, (x * 7 + 3) % count] } else { vec![] };
                        let check = Check {
                            law,
                            elements: [x, y, z],
                            variable,
                            sum: sum.clone(),
                            constraint: Constraint::at_least(sum.clone()),
                            chain,
                            head: None,
                        };
                        if uses.constraint {
                            let constraint = Constraint::equal(sum.clone());
                            checks.push(Check { constraint, ..check.clone() });
                        }
                        checks.push(check);
                    }
                }
            }
        }
    }
    checks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LAWS;
    use crate::law::{BoxOperation, Class, Need, Term};
    use Claim::{Eq, Leq, NotBottom};
    use Term::{Assign, Bottom, Join, Meet, X, Y, Z};

    #[test]
    fn every_law_is_certified() {
        for law in LAWS {
            let certificate = certify(law);
            if let Some(case) = &certificate.broken {
                panic!("{} does not hold:\n{case}", law.title());
            }
            assert!(certificate.stands(), "{} is never tried", law.title());
        }
    }

    const fn wrong(
        name: &'static str,
        needs: &'static [Need],
        premises: &'static [Claim],
        conclusion: Claim,
    ) -> Law {
        Law { number: None, name, class: Class::Precision, needs, premises, conclusion }
    }

    const ALL: &[Need] = &[Need::LeastJoin, Need::ExactMeet, Need::BestTransformers];

    /// Set lattices are distributive, other lattices are not; the rest needs promises that it does not
    /// name, or has no content.
    static WRONG: [Law; 12] = [
        wrong(
            "distributive",
            ALL,
            &[],
            Eq(Meet(&X, &Join(&Y, &Z)), Join(&Meet(&X, &Y), &Meet(&X, &Z))),
        ),
        wrong(
            "assign-over-meet",
            ALL,
            &[],
            Eq(Assign(&Meet(&X, &Y)), Meet(&Assign(&X), &Assign(&Y))),
        ),
        wrong("join-of-all", &[], &[], Eq(Join(&X, &X), X)),
        wrong("join-of-bottom", &[], &[], Eq(Join(&Bottom, &X), X)),
        wrong("meet-of-all", &[], &[], Eq(Meet(&X, &X), X)),
        wrong("meet-below", &[Need::LeastJoin], &[], Leq(Meet(&X, &Y), X)),
        wrong("informative", &[], &[Claim::Representable], Claim::NotTop(Assign(&X))),
        wrong("best-meet-of-all", &[Need::Bounds], &[], Claim::Best(BoxOperation::Meet)),
        wrong(
            "best-guard-of-all",
            &[Need::Bounds],
            &[Claim::RepresentableGuard],
            Claim::Best(BoxOperation::Guard),
        ),
        wrong(
            "best-test-of-exact",
            &[Need::ExactMeet, Need::Bounds],
            &[],
            Claim::Best(BoxOperation::Guard),
        ),
        wrong(
            "best-project-of-exact",
            &[Need::ExactMeet, Need::Bounds],
            &[],
            Claim::Best(BoxOperation::Project),
        ),
        wrong("silent", ALL, &[NotBottom(Bottom)], Leq(X, Y)),
    ];

    #[test]
    fn wrong_laws_are_not_certified() {
        for law in &WRONG {
            assert!(!certify(law).stands(), "{}", law.name);
        }
    }
}

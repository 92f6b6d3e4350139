//! Type-erased domains, for engines, reducers and workers.

use crate::check::{Outcome, Tally, Trial, Violation, firmest_first, violations};
use crate::domain::{Domain, Profile, Truth, point};
use crate::points::Point;
use crate::program::{Step, Trace};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// A domain that cases can be tested on.
pub trait Tester {
    /// Its operations and promises.
    fn profile(&self) -> &Profile;

    /// Checks a case's assertions; returns those that fail, hard violations first.
    fn run(&self, case: &Trace, tally: &mut Tally) -> Vec<(usize, Violation)>;

    /// The same, with features of the run: numbers that are new if the behavior is new.
    fn explore(
        &self,
        case: &Trace,
        tally: &mut Tally,
        features: &mut Vec<u64>,
    ) -> Vec<(usize, Violation)>;

    /// An element of a case as text.
    fn show(&self, case: &Trace, step: usize) -> String;

    /// The points of an element of a case.
    fn sample(&self, case: &Trace, step: usize, points: &[Point]) -> Vec<Truth>;
}

impl<D: Domain> Tester for D {
    fn profile(&self) -> &Profile {
        Domain::profile(self)
    }

    fn run(&self, case: &Trace, tally: &mut Tally) -> Vec<(usize, Violation)> {
        violations(self, case, tally)
    }

    fn explore(
        &self,
        case: &Trace,
        tally: &mut Tally,
        features: &mut Vec<u64>,
    ) -> Vec<(usize, Violation)> {
        let mut trial = Trial::new(self, case);
        let mut failed = Vec::new();
        for (at, check) in case.checks.iter().enumerate() {
            let outcome = trial.check(at);
            let kinds = check.operands().into_iter().map(|operand| kind(&case.steps[operand]));
            let answer = match &outcome {
                Outcome::Inapplicable => 0,
                Outcome::Holds => 1,
                Outcome::Violated(_) => 2,
            };
            features.push(mixed(&(check.law.name, answer, kinds.collect::<Vec<_>>())));
            tally.count(check.law, &outcome);
            if let Outcome::Violated(violation) = outcome {
                failed.push((at, violation));
            }
        }
        firmest_first(&mut failed);
        for (at, step) in case.steps.iter().enumerate() {
            if let Some(element) = trial.made(at) {
                let operands: Vec<u8> = step.operands().map(|at| kind(&case.steps[at])).collect();
                features.push(mixed(&(kind(step), operands, self.features(element))));
            }
        }
        failed
    }

    fn show(&self, case: &Trace, step: usize) -> String {
        let mut trial = Trial::new(self, case);
        let element = trial.element(step);
        Domain::show(self, element)
    }

    fn sample(&self, case: &Trace, step: usize, points: &[Point]) -> Vec<Truth> {
        let mut trial = Trial::new(self, case);
        let element = trial.element(step);
        points.iter().map(|coordinates| self.leq(&point(self, coordinates), element)).collect()
    }
}

fn kind(step: &Step) -> u8 {
    match step {
        Step::Top => 0,
        Step::Bottom => 1,
        Step::Element(_) => 2,
        Step::Join(..) => 3,
        Step::Meet(..) => 4,
        Step::Widen(..) => 5,
        Step::Assign(..) => 6,
        Step::Project(..) => 7,
        Step::Guard(..) => 8,
        Step::Queried(_) => 9,
    }
}

fn mixed(value: &impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

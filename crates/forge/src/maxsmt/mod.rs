//! Formulas with hard and weighted soft constraints whose optimum is known by construction.
//!
//! Four sources: `finite` tries all assignments of a small random formula; `planted` adds soft
//! constraints that hold under a known assignment, and ones that contradict it; `refuted` uses
//! refutations with a known core; `linear` has numbers whose bounds follow from sums of constraints. An assignment that attains the optimum is checked by evaluation.
//! No solver is asked.

mod finite;
mod grow;
mod linear;
mod planted;
mod polyhedron;
mod problem;
mod refuted;
mod spec;

pub(crate) use spec::MaxSmtSpec;

use crate::error::ForgeError;
use crate::refute::Refutations;
use crate::space::Spaces;
use crate::theory::Theory;
use assay_case::{Category, Expected, MakeError, Origin, TestCase};
use finite::Finite;
use grow::Flavour;
use linear::{Linear, Numbers};
use planted::Planted;
use refuted::Refuted;
use spec::Style;
use std::sync::Arc;

/// The formulas of a category, numbered.
pub(crate) struct Problems {
    cases: u64,
    source: Source,
}

enum Source {
    Finite(Finite),
    Planted(Planted),
    Refuted(Refuted),
    Linear(Linear),
}

/// Number of cases of another suite that are tried before giving up.
const TRIES: usize = 1000;

impl Problems {
    /// The number of cases; every number below it is a case.
    pub(crate) fn size(&self) -> u128 {
        self.cases.into()
    }

    /// The case with this number.
    pub(crate) fn case(
        &self,
        theory: &Theory,
        number: u128,
        name: String,
        origin: Origin,
    ) -> Result<TestCase, MakeError> {
        if number >= self.size() {
            return Err(MakeError::NoSuchCase(format!("{name}: there is no such case")));
        }
        match &self.source {
            Source::Finite(finite) => finite.case(number, name, origin),
            Source::Planted(planted) => planted.case(theory, number, name, origin),
            Source::Refuted(refuted) => refuted.case(theory, number, name, origin),
            Source::Linear(linear) => linear.case(number, name, origin),
        }
    }
}

/// The categories of a description, in order.
pub(crate) fn categories(
    spec: &MaxSmtSpec,
    spaces: Vec<Spaces>,
    refutations: Vec<Refutations>,
) -> Result<Vec<(Category, Problems)>, ForgeError> {
    let weights = spec.weights()?;
    let (spaces, refutations) = (Arc::new(spaces), Arc::new(refutations));
    let mut all = Vec::new();
    for &style in &spec.categories {
        let expected = match style {
            Style::UnsatHard => Expected::Unsat,
            _ => Expected::Optimum,
        };
        let mut add = |group: &str, source: Source| {
            let category = Category { name: style.name().into(), group: group.into(), expected };
            all.push((category, Problems { cases: spec.cases, source }));
        };
        for flavour in Flavour::ALL {
            let finite = Finite { flavour, style, weights: weights.clone() };
            if finite.is_possible() {
                add(flavour.name(), Source::Finite(finite));
            }
        }
        for numbers in Numbers::ALL {
            let linear = Linear { numbers, style, weights: weights.clone() };
            if linear.is_possible() {
                add(numbers.name(), Source::Linear(linear));
            }
        }
        let by_operations = matches!(
            style,
            Style::AllSoftHold | Style::SubsetHolds | Style::OnlySoft | Style::SeveralObjectives
        );
        if by_operations && !spaces.is_empty() {
            let planted = Planted { spaces: Arc::clone(&spaces), style, weights: weights.clone() };
            add("operations", Source::Planted(planted));
        }
        if matches!(style, Style::OnlySoft | Style::UnsatHard) && !refutations.is_empty() {
            let refutations = Arc::clone(&refutations);
            add(
                "refutations",
                Source::Refuted(Refuted { refutations, style, weights: weights.clone() }),
            );
        }
    }
    Ok(all)
}

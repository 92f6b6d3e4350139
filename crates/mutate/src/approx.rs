//! Skeletal approximation: weakens literals of a satisfiable formula, or strengthens literals of an
//! unsatisfiable one, so the mutant keeps the seed's status.

use crate::Strategy;
use crate::approximation::{Approximator, Direction};
use crate::library::SeedForm;
use crate::occurrences::Site;
use crate::skeleton::{junctions, literals};
use crate::snippet::Snippets;
use crate::suite::{self, Belief, Mutant, Order};
use crate::trace::{self, TraceStep};
use assay_case::MakeError;
use assay_term::{Store, TermId};

/// The suite `approx`.
pub(crate) struct Approx;

impl suite::Strategy for Approx {
    fn name(&self) -> &'static str {
        "approx"
    }

    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError> {
        let truth = order.prepared.truth().map_err(MakeError::Unsuitable)?;
        let direction = if truth.satisfiable { Direction::Over } else { Direction::Under };
        let seed = order.prepared.in_form(order.form());
        let (formula, steps) =
            seed.mutant(|store| Ok(approximate(order, seed, store, direction)))?;
        let rules: Vec<String> = steps.iter().map(|step| step.rule.clone()).collect();
        let belief = match direction {
            Direction::Over => Belief::Sat(seed.model.clone(), truth.source.clone()),
            Direction::Under => Belief::Unsat(truth.unsat()),
        };
        let trace = trace::lines(order.form(), &steps);
        Ok(Mutant { formula, belief, rules, trace, partners: Vec::new() })
    }
}

/// The seed's assertions with some literals approximated, and the steps that did it.
pub(crate) fn approximate(
    order: &Order<'_>,
    seed: &SeedForm,
    store: &mut Store,
    direction: Direction,
) -> (Vec<TermId>, Vec<TraceStep>) {
    let mut draw = order.draw();
    let mut assertions = seed.base.assertions.clone();
    let mut steps = Vec::new();
    let approximator = Approximator {
        rules: &order.prepared.rules,
        strategy: order.config.strategy,
        snippets: Snippets {
            vocabulary: &order.prepared.vocabulary,
            scope: &[],
            depth: order.config.depth,
        },
    };
    for round in 0..=order.number % order.config.rounds.max(1) {
        let again;
        let literals = match round {
            0 => &seed.literals,
            _ => {
                again = literals(store, &assertions);
                &again
            }
        };
        let most = order.config.literals.min(literals.len()).max(1);
        let mut sites: Vec<Site> = Vec::new();
        if order.config.strategy != Some(Strategy::Lpi) && draw.one_in(4) {
            let changes = |term| order.prepared.rules.changes(store, term);
            let junctions = junctions(store, &assertions, changes);
            if let Some(place) = junctions.draw(&mut draw) {
                let way = (direction, place.polarity);
                if let Some(new) = approximator.transform(store, &mut draw, place.term, way) {
                    sites.push(place.site.clone());
                    let step =
                        TraceStep::take(store, &mut assertions, new.rule, place.site, new.new);
                    steps.push(step);
                }
            }
        }
        for _ in 0..=draw.below(most) {
            let Some(literal) = literals.draw(&mut draw) else { break };
            // What is above a literal may have changed, and it with it.
            if sites.iter().any(|site| site.holds(&literal.site)) {
                continue;
            }
            let way = (direction, literal.polarity);
            let Some(new) = approximator.approximate(store, &mut draw, literal.term, way) else {
                continue;
            };
            sites.push(literal.site.clone());
            steps.push(TraceStep::take(store, &mut assertions, new.rule, literal.site, new.new));
        }
    }
    (assertions, steps)
}

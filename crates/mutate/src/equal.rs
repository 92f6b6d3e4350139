//! Replaces terms of a seed by equal ones: the mutant has the same models as the seed, so it keeps the seed's
//! truth in both directions.

use crate::draw::Draw;
use crate::equalities::Equalities;
use crate::operators;
use crate::rewrite::replace_at;
use crate::snippet::Snippets;
use crate::suite::{Belief, Mutant, Needs, Order, Strategy};
use crate::trace::TraceStep;
use crate::{Form, trace};
use assay_case::MakeError;
use assay_forge::rules::random_value;
use assay_term::{Sort, SortId, Store, TermId};

/// The suite `equal`.
pub(crate) struct Rewriting;

/// Maximum number of places tried for one step.
const TRIES: usize = 16;

/// A mutant has at most this many times the terms of its seed, plus a constant.
const GROWTH: (usize, usize) = (2, 100);

impl Strategy for Rewriting {
    fn name(&self) -> &'static str {
        "equal"
    }

    fn needs(&self) -> Needs {
        Needs { truth: true, equalities: true }
    }

    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError> {
        let truth = order.prepared.truth().map_err(MakeError::Unsuitable)?;
        let equalities = order.prepared.equalities.as_ref().expect("the suite needs them");
        let seed = order.prepared.in_form(Form::Kept);
        let (formula, steps) = seed.mutant(|store| steps(order, equalities, store))?;
        let rules = steps.iter().map(|step| step.rule.clone()).collect();
        let belief = match truth.satisfiable {
            true => Belief::Sat(seed.model.clone(), truth.source.clone()),
            false => Belief::Unsat(truth.unsat()),
        };
        let trace = trace::lines(Form::Kept, &steps);
        Ok(Mutant { formula, belief, rules, trace, partners: Vec::new() })
    }
}

/// The seed's assertions after some steps, and those steps.
fn steps(
    order: &Order<'_>,
    equalities: &Equalities,
    store: &mut Store,
) -> Result<(Vec<TermId>, Vec<TraceStep>), MakeError> {
    let seed = &order.prepared.seed.base.assertions;
    let most = store.postorder(seed).len() * GROWTH.0 + GROWTH.1;
    let mut assertions = seed.clone();
    let mut draw = order.draw();
    let vocabulary = &order.prepared.vocabulary;
    let snippets = Snippets { vocabulary, scope: &[], depth: order.config.depth };
    let mut fill = |store: &mut Store, draw: &mut Draw, sort: SortId| {
        let number = matches!(store.sorts.get(sort), Sort::Int | Sort::Real);
        let constant = sort == SortId::REGLAN || number && vocabulary.is_linear();
        match constant || draw.one_in(2) {
            true => snippets.constant(store, draw, sort),
            false => snippets.term(store, draw, sort),
        }
    };
    let mut steps: Vec<TraceStep> = Vec::new();
    for _ in 0..=draw.below(order.config.literals.max(1)) {
        let again;
        let places = match steps.is_empty() {
            true => order.prepared.parts(),
            false => {
                again = operators::parts(store, &assertions);
                &again
            }
        };
        let made = (0..TRIES).find_map(|_| {
            let place = places.draw(&mut draw)?;
            let equal = equalities.step(store, &mut draw, place.term, &mut fill)?;
            let new = equal.guarded(store, place.term)?;
            (new != place.term).then_some((place.site, equal.rule, new))
        });
        let Some((site, rule, new)) = made else { break };
        let before = assertions.clone();
        let step = TraceStep::take(store, &mut assertions, rule, site, new);
        // A later step may undo earlier ones.
        if assertions == *seed || store.postorder(&assertions).len() > most {
            assertions = before;
        } else {
            steps.push(step);
        }
    }
    match steps.is_empty() {
        true => Err(MakeError::Unsuitable("no rule applies to it".to_owned())),
        false => Ok((assertions, steps)),
    }
}

/// Some assertions with up to this many terms replaced by equal ones, without side conditions and
/// outside of patterns; `None` if no rule applies.
pub fn rewritten(
    store: &mut Store,
    assertions: &[TermId],
    equalities: &Equalities,
    draw: &mut Draw,
    places: usize,
) -> Option<Vec<TermId>> {
    let mut now = assertions.to_vec();
    let most = store.postorder(assertions).len() * GROWTH.0 + GROWTH.1;
    let mut fill = |store: &mut Store, draw: &mut Draw, sort: SortId| {
        let simple = [SortId::BOOL, SortId::INT, SortId::REAL].contains(&sort);
        let value = simple.then(|| random_value(draw.rng(), store, sort)).flatten()?;
        store.value(&value)
    };
    for _ in 0..places {
        let parts = operators::parts(store, &now);
        let made = (0..TRIES).find_map(|_| {
            let place = parts.draw(draw)?;
            let equal = equalities.step(store, draw, place.term, &mut fill)?;
            (equal.when.is_none() && equal.new != place.term).then_some((place.site, equal.new))
        });
        let Some((site, new)) = made else { break };
        let mut next = now.clone();
        next[site.assertion] = replace_at(store, now[site.assertion], &site.path, new);
        if store.postorder(&next).len() <= most {
            now = next;
        }
    }
    (now != assertions).then_some(now)
}

//! Proves which assertions of a refutation are needed.
//!
//! An assertion is in every unsatisfiable set of names if all the others have a common model. The
//! search for such a model uses simple values, and evaluation checks it. If none is found, no core is
//! claimed.

use super::build::{Refuted, assertion_name};
use crate::rules::rewrite::preorder;
use crate::rules::{AssignmentSearch, Conjunction, Level, Sight, Symbols, Variable, blank, seeds};
use assay_term::{Func, Model, Store, Term, TermId, Value};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// Number of attempts to find a model, and of evaluations in each.
const ATTEMPTS: usize = 30;
const EFFORT: u64 = 10_000;

/// The names of the unique minimal core, if it is known.
pub(crate) fn core_names(refuted: &Refuted) -> Option<Vec<String>> {
    let assertions = refuted.assertions(refuted.evaluable);
    let links = refuted.links.iter().map(|(_, needed)| *needed);
    let needed: Vec<bool> = [true, true].into_iter().chain(links).collect();
    let mut names = Vec::new();
    for (position, _) in needed.iter().enumerate().filter(|(_, needed)| **needed) {
        let mut others = assertions.clone();
        others.remove(position);
        if !has_model(&refuted.store, &others, &assertions) {
            return None;
        }
        names.push(assertion_name(position));
    }
    Some(names)
}

/// Whether a model of the formulas is found. All assertions suggest values.
fn has_model(store: &Store, formulas: &[TermId], all: &[TermId]) -> bool {
    let mut store = store.clone();
    let mut variables = variables(&store, formulas);
    let conjunction = Conjunction::new(&mut store, formulas);
    let mut rng = ChaCha8Rng::seed_from_u64(0);
    let symbols = Symbols::of(&store, formulas);
    let worlds: Vec<Model> = (0..ATTEMPTS).map(|_| symbols.draw(&mut store, &mut rng)).collect();
    for (attempt, world) in worlds.iter().enumerate() {
        let level = Level::ALL[attempt % 3];
        let domain =
            |v: &Variable| level.domain(&store, world, v.sort, &seeds(&store, all, v.sort));
        let mut domains: Vec<Vec<Value>> = variables.iter().map(|v| domain(v).values).collect();
        if attempt > 0 {
            domains.iter_mut().for_each(|values| shuffle(&mut rng, values));
        }
        let mut search = AssignmentSearch {
            sight: Sight { store: &store, left: EFFORT },
            given: &[],
            sought: &variables,
            domains: &domains,
            formulas: &conjunction,
            suggestions: attempt % 2 == 0,
            met_unknown: false,
        };
        if search.run(&mut blank(world, &variables)).is_some() {
            return true;
        }
        // A bad first choice can hide all models: start elsewhere.
        shuffle(&mut rng, &mut variables);
    }
    false
}

fn shuffle<T>(rng: &mut ChaCha8Rng, items: &mut [T]) {
    for at in (1..items.len()).rev() {
        items.swap(at, (rng.next_u64() % (at as u64 + 1)) as usize);
    }
}

/// The declared constants, in order of declaration.
fn variables(store: &Store, formulas: &[TermId]) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    for term in formulas.iter().flat_map(|&formula| preorder(store, formula)) {
        let Term::App(func, []) = store.get(term) else { continue };
        let declared = matches!(store.func(func), Func::Declared { .. });
        if declared && found.iter().all(|known| known.term != term) {
            found.push(Variable { func, term, sort: store.sort(term) });
        }
    }
    found
}

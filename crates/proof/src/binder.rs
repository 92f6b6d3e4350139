//! Exact checks of steps about quantified formulas.

use crate::scope::Scope;
use assay_term::theories::core;
use assay_term::{Replacements, Store, Term, TermId};
use rustc_hash::FxHashMap;

/// Whether a conclusion states of two quantified formulas what the premise states of their bodies,
/// with constants in place of the variables.
pub(crate) fn lifts(
    store: &mut Store,
    premise: TermId,
    constants: &[TermId],
    conclusion: TermId,
) -> bool {
    let pair = |store: &Store, term: TermId| match store.operator(term) {
        Some((core::EQ, &[a, b])) => Some((a, b)),
        _ => None,
    };
    let (Some(bodies), Some(wholes)) = (pair(store, premise), pair(store, conclusion)) else {
        return false;
    };
    let kind = |term: TermId| match store.get(term) {
        Term::Quant(kind, _, _) => Some(kind),
        _ => None,
    };
    kind(wholes.0).is_some()
        && kind(wholes.0) == kind(wholes.1)
        && instance(store, wholes.0, constants) == Some(bodies.0)
        && instance(store, wholes.1, constants) == Some(bodies.1)
}

/// The body of a quantified formula with terms in place of its variables.
fn instance(store: &mut Store, quantified: TermId, terms: &[TermId]) -> Option<TermId> {
    let Term::Quant(_, vars, body) = store.get(quantified) else { return None };
    let vars = vars.to_vec();
    if vars.len() != terms.len() || rebinds(store, body, &vars) {
        return None;
    }
    let mut by = Replacements::default();
    for (&var, &term) in vars.iter().zip(terms) {
        if store.sort(var) != store.sort(term) {
            return None;
        }
        by.insert(var, term);
    }
    store.replaced(body, &mut by).ok()
}

/// Whether a part binds one of these variables again.
fn rebinds(store: &Store, body: TermId, vars: &[TermId]) -> bool {
    store.postorder(&[body]).into_iter().any(|part| match store.get(part) {
        Term::Quant(_, inner, _) | Term::Lambda(inner, _) => {
            inner.iter().any(|var| vars.contains(var))
        }
        Term::Let(..) | Term::Match(..) => true,
        _ => false,
    })
}

/// Whether a clause is `(or (not (forall (x …) body)) instance)` of a universal formula, in which the
/// instance may be written as several literals.
pub(crate) fn is_instance(scope: &mut Scope, clause: TermId) -> bool {
    let store = &mut scope.store;
    let literals = flattened(store, clause);
    for (at, &literal) in literals.iter().enumerate() {
        let Some((core::NOT, &[quantified])) = store.operator(literal) else { continue };
        let Term::Quant(assay_term::Quantifier::Forall, vars, body) = store.get(quantified) else {
            continue;
        };
        let (vars, pattern) = (vars.to_vec(), flattened(store, body));
        let mut rest = literals.clone();
        rest.remove(at);
        if rest.len() != pattern.len() || rebinds(store, body, &vars) {
            continue;
        }
        let mut found: FxHashMap<TermId, TermId> = FxHashMap::default();
        let matched = pattern
            .iter()
            .zip(&rest)
            .all(|(&pattern, &term)| matches(store, &vars, pattern, term, &mut found));
        // No quantifier around the clause may bind a variable.
        let closed = found.values().all(|&term| !store.mentions_variables(term));
        if !matched || !closed {
            continue;
        }
        let mut by: Replacements = found.into_iter().collect();
        let instances: Option<Vec<TermId>> =
            pattern.iter().map(|&part| store.replaced(part, &mut by).ok()).collect();
        if instances.is_some_and(|instances| instances == rest) {
            return true;
        }
    }
    false
}

/// The literals of nested disjunctions.
fn flattened(store: &Store, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        match store.operator(term) {
            Some((core::OR, args)) => work.extend(args.iter().rev()),
            _ => found.push(term),
        }
    }
    found
}

/// Collects what stands in place of variables.
fn matches(
    store: &Store,
    vars: &[TermId],
    pattern: TermId,
    term: TermId,
    found: &mut FxHashMap<TermId, TermId>,
) -> bool {
    let mut work = vec![(pattern, term)];
    let mut steps = 0;
    while let Some((pattern, term)) = work.pop() {
        steps += 1;
        if steps > 100_000 {
            return false;
        }
        if vars.contains(&pattern) {
            if *found.entry(pattern).or_insert(term) != term {
                return false;
            }
            continue;
        }
        if pattern == term {
            continue;
        }
        match (store.get(pattern), store.get(term)) {
            (Term::App(f, a), Term::App(g, b)) if f == g && a.len() == b.len() => {
                work.extend(a.iter().copied().zip(b.iter().copied()));
            }
            _ => return false,
        }
    }
    true
}

//! Infers patterns for quantifiers that have none: the smallest applications of declared functions
//! that mention all variables, or a few that do so together.

use crate::nnf::declared;
use crate::normal::MultiPattern;
use assay_term::budget::{Meter, as_steps};
use assay_term::{Budget, Exhausted, Func, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum number of alternatives.
const MAX_ALTERNATIVES: usize = 6;

/// Patterns for a quantifier over these variables, inside others.
pub(crate) fn infer(
    store: &Store,
    body: TermId,
    vars: &[TermId],
    scope: &[TermId],
    budget: &mut Budget,
) -> Result<Vec<MultiPattern>, Exhausted> {
    let candidates = candidates(store, body, vars, scope, budget)?;
    let full: FxHashSet<TermId> = candidates
        .iter()
        .filter(|one| one.covers.len() == vars.len())
        .map(|one| one.term)
        .collect();
    if !full.is_empty() {
        let above = containing(store, body, &full);
        let smallest = candidates.iter().map(|one| one.term);
        let smallest = smallest.filter(|term| full.contains(term) && !above.contains(term));
        return Ok(smallest.take(MAX_ALTERNATIVES).map(|term| vec![term]).collect());
    }
    // No single term mentions all variables: greedily choose a few that do together.
    let mut missing: FxHashSet<TermId> = vars.iter().copied().collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |one: &Candidate| one.covers.iter().filter(|var| missing.contains(var)).count();
        // The first of the best, so that the text's order decides.
        let best = candidates.iter().rev().max_by_key(|one| gain(one));
        let Some(best) = best.filter(|one| gain(one) > 0) else { return Ok(Vec::new()) };
        budget.spend(as_steps(candidates.len()))?;
        best.covers.iter().for_each(|var| {
            missing.remove(var);
        });
        chosen.push(best.term);
    }
    Ok(vec![chosen])
}

/// The subterms of a formula that strictly contain one of these.
fn containing(store: &Store, body: TermId, inner: &FxHashSet<TermId>) -> FxHashSet<TermId> {
    let mut above = FxHashSet::default();
    for term in store.postorder(&[body]) {
        if store.children(term).iter().any(|part| inner.contains(part) || above.contains(part)) {
            above.insert(term);
        }
    }
    above
}

struct Candidate {
    term: TermId,
    covers: Vec<TermId>,
}

/// Applications of declared functions to declared functions, variables in scope and literals, that
/// mention a variable of the quantifier.
fn candidates(
    store: &Store,
    body: TermId,
    vars: &[TermId],
    scope: &[TermId],
    budget: &mut Budget,
) -> Result<Vec<Candidate>, Exhausted> {
    let (own, outer): (FxHashSet<_>, FxHashSet<_>) =
        (vars.iter().copied().collect(), scope.iter().copied().collect());
    let mut covers: FxHashMap<TermId, Option<Vec<TermId>>> = FxHashMap::default();
    let mut meter = Meter::default();
    let mut found = Vec::new();
    for term in store.postorder(&[body]) {
        let known = match store.get(term) {
            Term::Var(_) if own.contains(&term) => Some(vec![term]),
            Term::Var(_) if outer.contains(&term) => Some(Vec::new()),
            Term::Literal(_) => Some(Vec::new()),
            Term::App(func, args) => {
                let plain = matches!(
                    store.func(func),
                    Func::Declared { .. } | Func::Constructor(..) | Func::Selector(..)
                );
                let parts: Option<Vec<&Vec<TermId>>> =
                    args.iter().map(|arg| covers.get(arg).and_then(Option::as_ref)).collect();
                parts.filter(|_| plain).map(|parts| {
                    let mut all: Vec<TermId> = parts.into_iter().flatten().copied().collect();
                    all.sort_unstable();
                    all.dedup();
                    all
                })
            }
            _ => None,
        };
        // The information about a term is stored twice.
        meter.grow(2 + 2 * known.as_ref().map_or(0, Vec::len), budget)?;
        if let Some(known) = &known {
            let applies = declared(store, term).is_some_and(|(_, args)| !args.is_empty());
            if applies && !known.is_empty() {
                found.push(Candidate { term, covers: known.clone() });
            }
        }
        covers.insert(term, known);
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use crate::normal::prepare;
    use crate::problem::Problem;
    use crate::suggest::plain;
    use assay_term::Budget;

    /// The inferred patterns, without the numbers of variables.
    fn inferred(body: &str) -> Vec<String> {
        let text = format!(
            "(declare-fun f (Int) Int)(declare-fun g (Int Int) Int)
             (assert (forall ((x Int) (y Int)) {body}))"
        );
        let mut problem = Problem::read(&text).expect("it is well formed");
        let form = prepare(&mut problem, &mut Budget::default()).expect("it nests little");
        let bound = &form.quantifiers[0];
        assert!(bound.inferred);
        let shown = |all: &Vec<_>| {
            let terms: Vec<String> = all.iter().map(|&term| plain(&problem.show(term))).collect();
            terms.join(" & ")
        };
        bound.patterns.iter().map(shown).collect()
    }

    #[test]
    fn patterns_are_the_smallest_terms_that_mention_all_variables() {
        assert_eq!(inferred("(= (f (g x y)) (f x))"), ["(g x y)"]);
        assert_eq!(inferred("(< (g x y) (g y x))"), ["(g x y)", "(g y x)"]);
        assert_eq!(inferred("(< (f x) (f y))"), ["(f x) & (f y)"]);
        assert_eq!(inferred("(< (f (+ x 1)) (g x y))"), ["(g x y)"]);
        assert_eq!(inferred("(= x y)"), Vec::<String>::new());
        assert_eq!(inferred("(= (f (+ x y)) 0)"), Vec::<String>::new());
    }
}

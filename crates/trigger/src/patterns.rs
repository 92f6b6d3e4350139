//! Patterns for quantifiers that have none: the smallest applications of declared functions that
//! mention all variables, or a few that do so together.

use crate::nnf::declared;
use crate::normal::MultiPattern;
use assay_term::{Func, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// More alternatives than this are not tried.
const MAX_ALTERNATIVES: usize = 6;

/// Patterns for a quantifier over these variables, inside others.
pub(crate) fn infer(
    store: &Store,
    body: TermId,
    vars: &[TermId],
    scope: &[TermId],
) -> Vec<MultiPattern> {
    let candidates = candidates(store, body, vars, scope);
    let full: Vec<&Candidate> =
        candidates.iter().filter(|one| one.covers.len() == vars.len()).collect();
    if !full.is_empty() {
        let mut found: Vec<TermId> = full
            .iter()
            .filter(|one| !full.iter().any(|other| one.contains(store, other)))
            .map(|one| one.term)
            .collect();
        found.truncate(MAX_ALTERNATIVES);
        return found.into_iter().map(|term| vec![term]).collect();
    }
    // No single term mentions all: greedily a few that do.
    let mut missing: FxHashSet<TermId> = vars.iter().copied().collect();
    let mut chosen = Vec::new();
    while !missing.is_empty() {
        let gain = |one: &Candidate| one.covers.iter().filter(|var| missing.contains(var)).count();
        // The first of the best, so that the order of the text decides.
        let best = candidates.iter().rev().max_by_key(|one| gain(one));
        let Some(best) = best.filter(|one| gain(one) > 0) else { return Vec::new() };
        best.covers.iter().for_each(|var| {
            missing.remove(var);
        });
        chosen.push(best.term);
    }
    vec![chosen]
}

struct Candidate {
    term: TermId,
    covers: Vec<TermId>,
}

impl Candidate {
    fn contains(&self, store: &Store, other: &Candidate) -> bool {
        self.term != other.term && store.postorder(&[self.term]).contains(&other.term)
    }
}

/// Applications of declared functions, with arguments made of declared functions, variables in scope
/// and literals, that mention a variable of the quantifier.
fn candidates(store: &Store, body: TermId, vars: &[TermId], scope: &[TermId]) -> Vec<Candidate> {
    let mut covers: FxHashMap<TermId, Option<Vec<TermId>>> = FxHashMap::default();
    let mut found = Vec::new();
    for term in store.postorder(&[body]) {
        let known = match store.get(term) {
            Term::Var(_) if vars.contains(&term) => Some(vec![term]),
            Term::Var(_) if scope.contains(&term) => Some(Vec::new()),
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
        if let Some(known) = &known {
            let applies = declared(store, term).is_some_and(|(_, args)| !args.is_empty());
            if applies && !known.is_empty() {
                found.push(Candidate { term, covers: known.clone() });
            }
        }
        covers.insert(term, known);
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::normal::prepare;
    use crate::problem::Problem;
    use crate::suggest::plain;

    /// The inferred patterns, with the numbers of variables taken off.
    fn inferred(body: &str) -> Vec<String> {
        let text = format!(
            "(declare-fun f (Int) Int)(declare-fun g (Int Int) Int)
             (assert (forall ((x Int) (y Int)) {body}))"
        );
        let mut problem = Problem::read(&text).expect("it is well formed");
        let form = prepare(&mut problem).expect("it nests little");
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

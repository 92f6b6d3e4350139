//! Rewritings: equations between variables and terms under which two formulas share a term.
//!
//! Unification is syntactic and simplified: an equation has a variable on its left, and a variable
//! has at most one equation.

use crate::nnf::declared;
use crate::problem::Problem;
use assay_term::theories::ints;
use assay_term::{FuncId, Store, Term, TermId};
use rustc_hash::FxHashSet;

/// A variable and its equal term.
pub(crate) type Rewriting = (TermId, TermId);

/// The terms to consider.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reach {
    /// Applications that are not subterms of others.
    Outermost,
    /// All applications.
    Parts,
}

/// The maximum number of sets of rewritings for two formulas.
const MAX_SETS: usize = 12;

/// Applications of declared functions, with arguments.
pub(crate) fn applications(store: &Store, roots: &[TermId], reach: Reach) -> Vec<TermId> {
    let is_application = |term: TermId| declared(store, term).is_some_and(|(_, a)| !a.is_empty());
    if reach == Reach::Parts {
        return store.postorder(roots).into_iter().filter(|&term| is_application(term)).collect();
    }
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut work: Vec<TermId> = roots.iter().rev().copied().collect();
    while let Some(term) = work.pop() {
        if !seen.insert(term) {
            continue;
        }
        if is_application(term) {
            found.push(term);
        } else {
            work.extend(store.children(term).iter().rev());
        }
    }
    found
}

/// The sets of rewritings under which two lists of applications share a term: first single pairs,
/// then all compatible ones together.
pub(crate) fn rewritings(
    problem: &mut Problem,
    ours: &[TermId],
    theirs: &[TermId],
    skolems: &[FuncId],
) -> Vec<Vec<Rewriting>> {
    let mut sets: Vec<Vec<Rewriting>> = Vec::new();
    for &left in ours {
        for &right in theirs {
            let (Some((f, _)), Some((g, _))) =
                (declared(&problem.store, left), declared(&problem.store, right))
            else {
                continue;
            };
            if f != g || sets.len() >= MAX_SETS {
                continue;
            }
            if let Some(set) = unified(problem, left, right, skolems) {
                if !set.is_empty() && !sets.contains(&set) {
                    sets.push(set);
                }
            }
        }
    }
    sets.sort_by_key(Vec::len);
    let all = merged(&sets);
    if sets.len() > 1 && !sets.contains(&all) {
        sets.push(all);
    }
    sets
}

/// The compatible rewritings, preferring earlier ones.
fn merged(sets: &[Vec<Rewriting>]) -> Vec<Rewriting> {
    let mut all: Vec<Rewriting> = Vec::new();
    for &(var, term) in sets.iter().flatten() {
        let clashes =
            all.iter().any(|&(known, value)| known == var || (known, value) == (term, var));
        if !clashes {
            all.push((var, term));
        }
    }
    all
}

/// The equations that make two terms equal; `None` if there are none of this form.
fn unified(
    problem: &mut Problem,
    left: TermId,
    right: TermId,
    skolems: &[FuncId],
) -> Option<Vec<Rewriting>> {
    let mut found: Vec<Rewriting> = Vec::new();
    let mut work = vec![(left, right)];
    while let Some((a, b)) = work.pop() {
        if a == b {
            continue;
        }
        let equation = match (problem.store.get(a), problem.store.get(b)) {
            (Term::Var(_), _) => Some((a, b)),
            (_, Term::Var(_)) => Some((b, a)),
            _ => solved(problem, a, b).or_else(|| solved(problem, b, a)),
        };
        if let Some((var, term)) = equation {
            if problem.store.free_variables(term).contains(&var) {
                return None;
            }
            if !found.iter().any(|&(known, _)| known == var) {
                found.push((var, term));
            }
            continue;
        }
        let store = &problem.store;
        match (declared(store, a), declared(store, b)) {
            // A skolem function may be equal to anything.
            (Some((f, _)), _) if skolems.contains(&f) => {}
            (_, Some((g, _))) if skolems.contains(&g) => {}
            (Some((f, xs)), Some((g, ys))) if f == g => {
                work.extend(xs.iter().copied().zip(ys.iter().copied()));
            }
            _ => return None,
        }
    }
    Some(found)
}

/// Solves `x + c = t` and `x - c = t` for the variable.
fn solved(problem: &mut Problem, sum: TermId, term: TermId) -> Option<Rewriting> {
    let (op, args) = problem.store.operator(sum)?;
    let &[x, y] = args else { return None };
    let is_var = |store: &Store, term| matches!(store.get(term), Term::Var(_));
    let is_fixed = |store: &Store, term| !store.mentions_variables(term);
    let (var, by, inverse) = match op {
        ints::ADD if is_var(&problem.store, x) && is_fixed(&problem.store, y) => (x, y, ints::SUB),
        ints::ADD if is_var(&problem.store, y) && is_fixed(&problem.store, x) => (y, x, ints::SUB),
        ints::SUB if is_var(&problem.store, x) && is_fixed(&problem.store, y) => (x, y, ints::ADD),
        _ => return None,
    };
    let value = problem.store.op(inverse, &[term, by]).ok()?;
    Some((var, value))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normal::prepare;

    /// The rewritings of two quantified assertions, without the numbers of variables.
    fn sets(first: &str, second: &str, reach: Reach) -> Vec<String> {
        let text = format!(
            "(declare-fun f (Int) Int)(declare-fun g (Int) Int)(declare-fun h (Int Int) Int)
             (assert (forall ((x Int) (y Int)) {first}))(assert (forall ((u Int) (v Int)) {second}))"
        );
        let mut problem = Problem::read(&text).expect("it is well formed");
        let form =
            prepare(&mut problem, &mut assay_term::Budget::default()).expect("it nests little");
        let terms: Vec<Vec<TermId>> = form
            .axioms
            .iter()
            .map(|axiom| applications(&problem.store, &axiom.disjuncts, reach))
            .collect();
        let sets = rewritings(&mut problem, &terms[0], &terms[1], &[]);
        let plain = |text: String| crate::suggest::plain(&text);
        sets.iter()
            .map(|set| {
                let shown = |&(var, term): &Rewriting| {
                    format!("{}={}", plain(problem.show(var)), plain(problem.show(term)))
                };
                set.iter().map(shown).collect::<Vec<_>>().join(",")
            })
            .collect()
    }

    #[test]
    fn shapes_of_rewritings() {
        let outer = Reach::Outermost;
        assert_eq!(sets("(= (f x) y)", "(= (f (g u)) v)", outer), ["x=(g u)"]);
        assert_eq!(sets("(= (f (g x)) y)", "(= (f u) v)", outer), ["u=(g x)"]);
        assert_eq!(sets("(= (f 7) y)", "(= (f (+ u 1)) v)", outer), ["u=(- 7 1)"]);
        assert_eq!(sets("(= (f 7) y)", "(= (f 8) v)", outer), Vec::<String>::new());
        assert_eq!(sets("(= (f (g x)) y)", "(= (g 3) v)", outer), Vec::<String>::new());
        assert_eq!(sets("(= (f (g x)) y)", "(= (g 3) v)", Reach::Parts), ["x=3"]);
    }

    #[test]
    fn sets_of_equations_are_also_merged() {
        let found = sets("(= (f x) (g y))", "(= (f u) (g v))", Reach::Outermost);
        assert_eq!(found, ["x=u", "y=v", "x=u,y=v"]);
    }
}

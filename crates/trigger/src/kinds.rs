//! Kinds of terms within one sort: many encodings use one sort for heaps, objects, fields and types
//! alike. The kinds are inferred from where terms occur: the same argument of the same function,
//! the two sides of an equation, a variable and the terms in its positions.
//!
//! The kind of a function's result may depend on its last argument, as a value read from a heap
//! depends on the field; if that argument is a constant, the results are distinguished by it.

use crate::nnf::declared;
use crate::workbench::Workbench;
use assay_term::theories::core;
use assay_term::{FuncId, SortId, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A position for terms of one kind.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Place {
    /// An argument of a function.
    Argument(FuncId, usize),
    /// The result of a function, with its last argument if that is a constant.
    Result(FuncId, Option<TermId>),
    /// A variable, or an `ite`.
    Term(TermId),
    /// Numbers in arithmetic.
    Number(SortId),
}

/// Equivalence classes of positions.
#[derive(Default)]
struct Classes {
    numbers: FxHashMap<Place, usize>,
    above: Vec<usize>,
}

impl Classes {
    fn number(&mut self, place: Place) -> usize {
        let next = self.above.len();
        let number = *self.numbers.entry(place).or_insert(next);
        if number == next {
            self.above.push(next);
        }
        number
    }

    fn class(&mut self, place: Place) -> usize {
        let mut at = self.number(place);
        while self.above[at] != at {
            self.above[at] = self.above[self.above[at]];
            at = self.above[at];
        }
        at
    }

    fn unite(&mut self, one: Place, other: Place) {
        let (one, other) = (self.class(one), self.class(other));
        self.above[one] = other;
    }
}

/// The file's ground terms of each variable's kind, those that occur in the most formulas and terms
/// first.
pub(crate) fn terms_by_variable(bench: &Workbench<'_>) -> FxHashMap<TermId, Vec<TermId>> {
    let store = &bench.problem.store;
    let roots: Vec<TermId> = bench.form.statements.iter().map(|&(_, term)| term).collect();
    let parts = store.postorder(&roots);
    let mut classes = Classes::default();
    let mut counts: FxHashMap<TermId, usize> = FxHashMap::default();
    let mut seen = FxHashSet::default();
    for &part in parts.iter().filter(|&&part| seen.insert(part)) {
        if is_plain_comparison(store, part) {
            continue;
        }
        place_children(store, part, &mut classes);
        for &child in store.children(part) {
            if !store.mentions_variables(child) && declared(store, child).is_some() {
                *counts.entry(child).or_default() += 1;
            }
        }
    }
    let mut members: FxHashMap<(usize, SortId), Vec<(usize, TermId)>> = FxHashMap::default();
    for (&term, &count) in &counts {
        if !bench.is_expressible(term) {
            continue;
        }
        if let Some(place) = place(store, term) {
            let class = classes.class(place);
            members.entry((class, store.sort(term))).or_default().push((count, term));
        }
    }
    for terms in members.values_mut() {
        terms.sort_by_key(|&(count, term)| (std::cmp::Reverse(count), term));
    }
    let vars = bench.form.quantifiers.iter().flat_map(|bound| bound.vars.iter().copied());
    vars.filter_map(|var| {
        let class = classes.class(Place::Term(var));
        let terms = members.get(&(class, store.sort(var)))?;
        Some((var, terms.iter().map(|&(_, term)| term).collect()))
    })
    .collect()
}

/// Whether a formula only compares two constants: constants are stated to be distinct whatever
/// their kind.
fn is_plain_comparison(store: &Store, term: TermId) -> bool {
    let constant = |&arg: &TermId| declared(store, arg).is_some_and(|(_, args)| args.is_empty());
    match store.operator(term) {
        Some((core::EQ | core::DISTINCT, args)) => args.iter().all(constant),
        _ => false,
    }
}

fn place(store: &Store, term: TermId) -> Option<Place> {
    match store.get(term) {
        Term::Var(_) => Some(Place::Term(term)),
        Term::App(func, args) => match store.operator(term) {
            None => {
                let last = args.last().copied().filter(|_| args.len() > 1);
                let constant = |&arg: &TermId| {
                    store.children(arg).is_empty() && declared(store, arg).is_some()
                };
                Some(Place::Result(func, last.filter(constant)))
            }
            Some((core::ITE, _)) => Some(Place::Term(term)),
            Some(_) if store.sort(term) == SortId::BOOL => None,
            Some(_) => Some(Place::Number(store.sort(term))),
        },
        _ => None,
    }
}

/// Merges the parts of a term into the classes of their positions.
fn place_children(store: &Store, term: TermId, classes: &mut Classes) {
    let Term::App(func, args) = store.get(term) else { return };
    match store.operator(term) {
        None => {
            for (at, &arg) in args.iter().enumerate() {
                if let Some(place) = place(store, arg) {
                    classes.unite(place, Place::Argument(func, at));
                }
            }
        }
        Some((core::EQ | core::DISTINCT, _)) => {
            let places: Vec<Place> = args.iter().filter_map(|&arg| place(store, arg)).collect();
            for pair in places.windows(2) {
                classes.unite(pair[0], pair[1]);
            }
        }
        Some((core::ITE, _)) => {
            for &branch in &args[1..] {
                if let Some(place) = place(store, branch) {
                    classes.unite(place, Place::Term(term));
                }
            }
        }
        Some(_) => {
            for &arg in args {
                if let Some(place) = place(store, arg).filter(|_| store.sort(arg) != SortId::BOOL) {
                    classes.unite(place, Place::Number(store.sort(arg)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Engine, RunEnd, Said};
    use crate::normal::prepare;
    use crate::problem::Problem;
    use crate::strategy::{Artefacts, PatternSource, Settings, Tuning};
    use assay_term::Budget;
    use std::time::Duration;

    struct Silent;

    impl Engine for Silent {
        fn name(&self) -> &str {
            "silent"
        }

        fn elapsed(&self) -> Duration {
            Duration::ZERO
        }

        fn run(&mut self, _: &str, _: Duration) -> Said {
            Said { text: String::new(), log: String::new(), end: RunEnd::Finished }
        }

        fn ask(&mut self, script: &str, limit: Duration) -> Said {
            self.run(script, limit)
        }
    }

    #[test]
    fn terms_of_one_sort_are_distinguished_by_position() {
        let text = "(declare-fun read (Int Int Int) Int)(declare-fun kind (Int) Int)
            (declare-const heap Int)(declare-const this Int)(declare-const owner Int)
            (declare-const type Int)(declare-const node Int)
            (assert (and (not (= heap this)) (not (= heap owner)) (not (= this node)) (not (= type node))))
            (assert (= (read heap this type) node))
            (assert (= (read heap (read heap this owner) type) (kind this)))
            (assert (forall ((h Int) (o Int) (f Int)) (! (= (read h o f) (read h o f)) :pattern ((read h o f)))))
            (assert (forall ((t Int)) (! (not (= (kind t) t)) :pattern ((kind t)))))";
        let mut problem = Problem::read(text).expect("it is well formed");
        let form = prepare(&mut problem, &mut Budget::default()).expect("it nests little");
        let settings = Settings {
            budget: Duration::from_secs(1),
            rng: 0,
            only: None,
            all: false,
            suggest: false,
            patterns: PatternSource::Ours,
            tuning: Tuning::default(),
            artefacts: Artefacts::Kept,
        };
        let mut engine = Silent;
        let bench = Workbench::new(problem, form, &mut engine, &settings, Budget::default());
        let found = terms_by_variable(&bench);
        let of = |quantifier: usize, at: usize| -> Vec<String> {
            let var = bench.form.quantifiers[quantifier].vars[at];
            let terms = found.get(&var).map(Vec::as_slice).unwrap_or_default();
            terms.iter().map(|&term| bench.problem.show(term)).collect()
        };
        assert_eq!(of(0, 0), ["heap"]);
        assert_eq!(of(0, 2), ["type", "owner"]);
        assert!(of(0, 1).contains(&"this".to_owned()) && !of(0, 1).contains(&"heap".to_owned()));
        assert!(of(0, 1).contains(&"(read heap this owner)".to_owned()));
    }
}

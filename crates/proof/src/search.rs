//! A small search for a contradiction: clauses, equality and linear arithmetic. It is exact where it
//! says yes; where it says no, nothing is known.

use crate::closure::Closure;
use crate::cnf::{Clauses, Literal};
use assay_term::theories::core;
use assay_term::{Budget, Store, TermId};

/// The maximum numbers of connectives that are looked at, one attempt each.
const DEPTHS: [usize; 2] = [24, 600];

/// The maximum number of decisions.
const DECISIONS: usize = 300;

/// Whether no assignment satisfies all of these formulas, shown by propositional reasoning, equality
/// and linear arithmetic. `false` says nothing.
pub fn refutes(store: &Store, formulas: &[TermId], budget: &mut Budget) -> bool {
    let mut before = None;
    DEPTHS.into_iter().any(|most| {
        let clauses = Clauses::of(store, formulas, most);
        // Looking deeper changes nothing if there is nothing deeper.
        let size = clauses.clauses.len();
        before.replace(size) != Some(size) && Search::new(store, clauses).run(budget)
    })
}

struct Search<'s> {
    store: &'s Store,
    clauses: Vec<Vec<Literal>>,
    terms: Vec<TermId>,
    /// The clauses with a literal, by literal.
    with: Vec<Vec<usize>>,
    values: Vec<Option<bool>>,
    trail: Vec<Literal>,
    /// The next literal of the trail to propagate.
    next: usize,
}

impl<'s> Search<'s> {
    fn new(store: &'s Store, clauses: Clauses) -> Search<'s> {
        let Clauses { clauses, terms, .. } = clauses;
        let mut with = vec![Vec::new(); 2 * terms.len()];
        for (at, clause) in clauses.iter().enumerate() {
            for literal in clause {
                with[literal.index()].push(at);
            }
        }
        let values = vec![None; terms.len()];
        Search { store, clauses, terms, with, values, trail: Vec::new(), next: 0 }
    }

    fn value(&self, literal: Literal) -> Option<bool> {
        self.values[literal.variable()].map(|value| value == literal.is_true())
    }

    fn set(&mut self, literal: Literal) {
        self.values[literal.variable()] = Some(literal.is_true());
        self.trail.push(literal);
    }

    /// Whether the clauses certainly contradict each other.
    fn run(mut self, budget: &mut Budget) -> bool {
        // The literals that were decided, with the length of the trail before.
        let mut decided: Vec<(Literal, usize)> = Vec::new();
        let mut decisions = 0;
        let units: Vec<usize> = (0..self.clauses.len()).collect();
        let mut conflict = units.into_iter().any(|clause| !self.visit(clause));
        loop {
            conflict = conflict || !self.propagate(budget) || self.theory(budget);
            if conflict {
                // The other value of the last decision follows.
                let Some((literal, length)) = decided.pop() else { return true };
                self.undo(length);
                self.set(literal.negation());
                conflict = false;
                continue;
            }
            decisions += 1;
            let Some(literal) = self.undecided() else { return false };
            if decisions > DECISIONS || budget.spend(1).is_err() {
                return false;
            }
            decided.push((literal, self.trail.len()));
            self.set(literal);
        }
    }

    fn undo(&mut self, length: usize) {
        for literal in self.trail.drain(length..) {
            self.values[literal.variable()] = None;
        }
        self.next = self.next.min(length);
    }

    /// A literal without a value of a clause that is not satisfied.
    fn undecided(&self) -> Option<Literal> {
        let open = |clause: &&Vec<Literal>| {
            !clause.iter().any(|&literal| self.value(literal) == Some(true))
        };
        let clause = self.clauses.iter().find(open)?;
        clause.iter().copied().find(|&literal| self.value(literal).is_none())
    }

    /// Draws the conclusion from a clause; false if it is violated.
    fn visit(&mut self, clause: usize) -> bool {
        let mut free = None;
        for &literal in &self.clauses[clause] {
            match self.value(literal) {
                Some(true) => return true,
                Some(false) => {}
                None if free.is_some_and(|other| other != literal) => return true,
                None => free = Some(literal),
            }
        }
        match free {
            Some(literal) => {
                self.set(literal);
                true
            }
            None => false,
        }
    }

    fn propagate(&mut self, budget: &mut Budget) -> bool {
        while let Some(&literal) = self.trail.get(self.next) {
            self.next += 1;
            for clause in self.with[literal.negation().index()].clone() {
                if budget.spend(4).is_err() {
                    return true;
                }
                if !self.visit(clause) {
                    return false;
                }
            }
        }
        true
    }

    /// Whether the literals so far contradict each other by their meaning.
    fn theory(&self, budget: &mut Budget) -> bool {
        let mut literals: Vec<(TermId, bool)> = self
            .trail
            .iter()
            .map(|literal| (self.terms[literal.variable()], literal.is_true()))
            .collect();
        let roots: Vec<TermId> = literals.iter().map(|&(term, _)| term).collect();
        let closure = Closure::of(self.store, &roots);
        if budget.spend(40 * (closure.len() as u64 + 1)).is_err() {
            return false;
        }
        // `true` and `false` are what they are.
        for &term in closure.terms() {
            match self.store.operator(term) {
                Some((core::TRUE, [])) => literals.push((term, true)),
                Some((core::FALSE, [])) => literals.push((term, false)),
                _ => {}
            }
        }
        closure.contradicts(&literals)
    }
}

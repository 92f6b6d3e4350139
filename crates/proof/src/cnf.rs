//! Formulas as clauses. Connectives down to some depth become variables with clauses that define
//! them; everything below stands for itself.

use assay_term::theories::core;
use assay_term::{SortId, Store, Term, TermId};
use rustc_hash::FxHashMap;
use std::collections::VecDeque;

/// A variable or its negation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct Literal(u32);

impl Literal {
    fn of(variable: usize, is_true: bool) -> Literal {
        Literal((variable as u32) << 1 | u32::from(is_true))
    }

    pub(crate) fn variable(self) -> usize {
        (self.0 >> 1) as usize
    }

    pub(crate) fn is_true(self) -> bool {
        self.0 & 1 == 1
    }

    pub(crate) fn negation(self) -> Literal {
        Literal(self.0 ^ 1)
    }

    /// Its position among all literals.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// Clauses over terms.
pub(crate) struct Clauses {
    pub(crate) clauses: Vec<Vec<Literal>>,
    /// The terms of the variables.
    pub(crate) terms: Vec<TermId>,
    by_term: FxHashMap<TermId, usize>,
    queue: VecDeque<usize>,
}

impl Clauses {
    /// Clauses that are satisfiable if the formulas are, with at most `most` connectives.
    pub(crate) fn of(store: &Store, formulas: &[TermId], most: usize) -> Clauses {
        let mut clauses = Clauses {
            clauses: Vec::new(),
            terms: Vec::new(),
            by_term: FxHashMap::default(),
            queue: VecDeque::new(),
        };
        for &formula in formulas {
            let literal = clauses.literal(store, formula);
            clauses.clauses.push(vec![literal]);
        }
        let mut expanded = 0;
        while let Some(variable) = clauses.queue.pop_front() {
            clauses.define(store, variable);
            expanded += 1;
            if expanded == most {
                break;
            }
        }
        clauses
    }

    fn literal(&mut self, store: &Store, mut term: TermId) -> Literal {
        let mut is_true = true;
        loop {
            match (store.get(term), store.operator(term)) {
                (Term::Annotated(inner, _), _) => term = inner,
                (_, Some((core::NOT, &[inner]))) => {
                    is_true = !is_true;
                    term = inner;
                }
                _ => break,
            }
        }
        let next = self.terms.len();
        let variable = *self.by_term.entry(term).or_insert(next);
        if variable == next {
            self.terms.push(term);
            self.queue.push_back(next);
        }
        Literal::of(variable, is_true)
    }

    /// Adds the clauses that define a connective.
    fn define(&mut self, store: &Store, variable: usize) {
        let Some((op, args)) = store.operator(self.terms[variable]) else { return };
        let args = args.to_vec();
        let yes = Literal::of(variable, true);
        let is_formula = |term: &TermId| store.sort(*term) == SortId::BOOL;
        match op {
            core::TRUE => self.clauses.push(vec![yes]),
            core::FALSE => self.clauses.push(vec![yes.negation()]),
            core::AND => {
                let args: Vec<Literal> =
                    args.iter().map(|&arg| self.literal(store, arg).negation()).collect();
                self.junction(yes.negation(), args);
            }
            core::OR => {
                let args = args.iter().map(|&arg| self.literal(store, arg)).collect();
                self.junction(yes, args);
            }
            core::IMPLIES => {
                let last = args.len() - 1;
                let literal = |(at, &arg): (usize, &TermId)| {
                    let literal = self.literal(store, arg);
                    if at == last { literal } else { literal.negation() }
                };
                let args = args.iter().enumerate().map(literal).collect();
                self.junction(yes, args);
            }
            core::EQ | core::XOR | core::DISTINCT
                if args.len() == 2 && args.iter().all(is_formula) =>
            {
                let [a, b] = [args[0], args[1]].map(|arg| self.literal(store, arg));
                let same = if op == core::EQ { yes } else { yes.negation() };
                self.clauses.push(vec![same.negation(), a.negation(), b]);
                self.clauses.push(vec![same.negation(), a, b.negation()]);
                self.clauses.push(vec![same, a, b]);
                self.clauses.push(vec![same, a.negation(), b.negation()]);
            }
            core::ITE if args.iter().all(is_formula) => {
                let [c, a, b] = [args[0], args[1], args[2]].map(|arg| self.literal(store, arg));
                self.clauses.push(vec![yes.negation(), c.negation(), a]);
                self.clauses.push(vec![yes.negation(), c, b]);
                self.clauses.push(vec![yes, c.negation(), a.negation()]);
                self.clauses.push(vec![yes, c, b.negation()]);
                self.clauses.push(vec![yes, a.negation(), b.negation()]);
                self.clauses.push(vec![yes.negation(), a, b]);
            }
            _ => {}
        }
    }

    /// The literal holds if and only if one of these does.
    fn junction(&mut self, whole: Literal, args: Vec<Literal>) {
        for &arg in &args {
            self.clauses.push(vec![whole, arg.negation()]);
        }
        let mut clause = args;
        clause.push(whole.negation());
        self.clauses.push(clause);
    }
}

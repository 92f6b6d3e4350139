//! Whether literals contradict each other by equality, distinct values and linear arithmetic.
//!
//! Equal arguments give equal results for every operator and function, so that no operator but those
//! of linear arithmetic needs a meaning here.

use crate::linear::{Poly, System};
use assay_term::theories::{core, ints, reals};
use assay_term::value::Value;
use assay_term::{FuncId, Op, SortId, Store, Term, TermId};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashMap;

/// The maximum number of terms that are looked at.
const TERMS: usize = 3_000;

/// The maximum number of disequalities that are split into inequalities.
const SPLITS: usize = 12;

/// How often equalities and arithmetic inform each other.
const ROUNDS: usize = 6;

/// Equalities between terms.
pub(crate) struct Closure<'s> {
    store: &'s Store,
    /// The terms, each after its arguments.
    terms: Vec<TermId>,
    index: FxHashMap<TermId, usize>,
    parent: Vec<usize>,
}

impl<'s> Closure<'s> {
    /// Every term is equal only to itself, among the terms of these.
    pub(crate) fn of(store: &'s Store, roots: &[TermId]) -> Closure<'s> {
        let mut closure =
            Closure { store, terms: Vec::new(), index: FxHashMap::default(), parent: Vec::new() };
        // Breadth first: what is nearest to the roots matters most.
        let mut queue: Vec<TermId> = roots.to_vec();
        let mut at = 0;
        while at < queue.len() && closure.terms.len() < TERMS {
            let term = queue[at];
            at += 1;
            if !closure.index.contains_key(&term) {
                closure.index.insert(term, closure.terms.len());
                closure.parent.push(closure.terms.len());
                closure.terms.push(term);
                if let Term::App(_, args) = store.get(term) {
                    queue.extend_from_slice(args);
                }
            }
        }
        closure
    }

    /// The number of terms.
    pub(crate) fn len(&self) -> usize {
        self.terms.len()
    }

    /// The terms.
    pub(crate) fn terms(&self) -> &[TermId] {
        &self.terms
    }

    fn root(&self, mut at: usize) -> usize {
        while self.parent[at] != at {
            at = self.parent[at];
        }
        at
    }

    fn class(&self, term: TermId) -> Option<usize> {
        self.index.get(&term).map(|&at| self.root(at))
    }

    fn merge(&mut self, a: TermId, b: TermId) -> bool {
        match (self.class(a), self.class(b)) {
            (Some(a), Some(b)) if a != b => {
                self.parent[a] = b;
                true
            }
            _ => false,
        }
    }

    /// Whether these literals contradict each other.
    pub(crate) fn contradicts(mut self, literals: &[(TermId, bool)]) -> bool {
        let mut distinct: Vec<(TermId, TermId)> = Vec::new();
        let mut truths: [Option<TermId>; 2] = [None, None];
        for &(term, is_true) in literals {
            // All true formulas are equal, and all false ones.
            match truths[usize::from(is_true)] {
                Some(other) => {
                    self.merge(term, other);
                }
                None => truths[usize::from(is_true)] = Some(term),
            }
            match (self.store.operator(term), is_true) {
                (Some((core::EQ, args)), true) => {
                    for pair in args.windows(2) {
                        self.merge(pair[0], pair[1]);
                    }
                }
                (Some((core::EQ, &[a, b])), false) => distinct.push((a, b)),
                (Some((core::DISTINCT, &[a, b])), false) => {
                    self.merge(a, b);
                }
                (Some((core::DISTINCT, args)), true) => {
                    for (at, &a) in args.iter().enumerate() {
                        distinct.extend(args[..at].iter().map(|&b| (a, b)));
                    }
                }
                _ => {}
            }
        }
        if let [Some(no), Some(yes)] = truths {
            distinct.push((no, yes));
        }
        for round in 0..ROUNDS {
            self.close();
            let is_same = |&(a, b): &(TermId, TermId)| {
                a == b || self.class(a).is_some_and(|class| self.class(b) == Some(class))
            };
            if distinct.iter().any(is_same) || self.has_distinct_values() {
                return true;
            }
            if !self.merge_by_arithmetic() || round + 1 == ROUNDS {
                break;
            }
        }
        self.arithmetic(literals, &distinct)
    }

    /// Merges applications to equal arguments.
    fn close(&mut self) {
        loop {
            let mut changed = false;
            let mut known: FxHashMap<(FuncId, SortId, Vec<usize>), usize> = FxHashMap::default();
            for at in 0..self.terms.len() {
                let term = self.terms[at];
                let Term::App(func, args) = self.store.get(term) else { continue };
                if args.is_empty() {
                    continue;
                }
                let Some(args) = args.iter().map(|&arg| self.class(arg)).collect() else {
                    continue;
                };
                let key = (func, self.store.sort(term), args);
                let own = self.root(at);
                match known.get(&key) {
                    Some(&other) => {
                        let other = self.root(other);
                        if other != own {
                            self.parent[own] = other;
                            changed = true;
                        }
                    }
                    None => {
                        known.insert(key, own);
                    }
                }
                changed |= self.reflexive(term);
            }
            if !changed {
                return;
            }
        }
    }

    /// Merges `a = b` with `true` where both are equal, and `ite` with the branch that is taken.
    fn reflexive(&mut self, term: TermId) -> bool {
        let truth = |closure: &Closure<'_>, wanted: Op| {
            let is = |&term: &TermId| matches!(closure.store.operator(term), Some((op, [])) if op == wanted);
            closure.terms.iter().copied().find(is)
        };
        match self.store.operator(term) {
            Some((core::EQ, &[a, b]))
                if self.class(a).is_some() && self.class(a) == self.class(b) =>
            {
                truth(self, core::TRUE).is_some_and(|yes| self.merge(term, yes))
            }
            Some((core::ITE, &[c, a, b])) => {
                let class = self.class(c);
                let is = |wanted| {
                    let constant = truth(self, wanted);
                    constant.is_some_and(|constant| self.class(constant) == class)
                };
                if class.is_none() {
                    false
                } else if is(core::TRUE) {
                    self.merge(term, a)
                } else if is(core::FALSE) {
                    self.merge(term, b)
                } else {
                    false
                }
            }
            _ => false,
        }
    }

    /// Whether two different values are in one class. Only values whose equality is that of their
    /// representation count.
    fn has_distinct_values(&self) -> bool {
        let mut values: FxHashMap<usize, TermId> = FxHashMap::default();
        for (at, &term) in self.terms.iter().enumerate() {
            let is_value = match self.store.get(term) {
                Term::Literal(
                    Value::Int(_) | Value::Real(_) | Value::BitVec(_) | Value::Str(_),
                ) => true,
                Term::App(..) => {
                    matches!(self.store.operator(term), Some((core::TRUE | core::FALSE, [])))
                }
                _ => false,
            };
            if is_value && *values.entry(self.root(at)).or_insert(term) != term {
                let other = values[&self.root(at)];
                if self.store.sort(other) == self.store.sort(term) {
                    return true;
                }
            }
        }
        false
    }

    fn is_number(&self, term: TermId) -> bool {
        matches!(self.store.sort(term), SortId::INT | SortId::REAL)
    }

    /// The polynomials of the numeric terms, arguments first.
    fn polynomials(&self) -> FxHashMap<TermId, Poly> {
        let mut polys: FxHashMap<TermId, Poly> = FxHashMap::default();
        // Terms are listed before their arguments.
        let mut order: Vec<TermId> = self.terms.clone();
        order.sort_unstable_by_key(|term| term.index());
        for term in order {
            if self.is_number(term) {
                let poly = self.polynomial(term, &polys);
                polys.insert(term, poly);
            }
        }
        polys
    }

    fn polynomial(&self, term: TermId, polys: &FxHashMap<TermId, Poly>) -> Poly {
        let leaf = || Poly::variable(self.class(term).unwrap_or_default() as u32);
        let one = BigRational::one();
        match self.store.get(term) {
            Term::Literal(Value::Int(n)) => {
                return Poly::constant(BigRational::from_integer(n.to_big()));
            }
            Term::Literal(Value::Real(x)) => return Poly::constant(x.as_ref().clone()),
            _ => {}
        }
        let Some((op, args)) = self.store.operator(term) else { return leaf() };
        let Some(args) = args.iter().map(|arg| polys.get(arg)).collect::<Option<Vec<&Poly>>>()
        else {
            return leaf();
        };
        let poly = match (op, &args[..]) {
            (ints::ADD, [first, rest @ ..]) => {
                Some(rest.iter().fold((*first).clone(), |sum, arg| sum.plus(arg, &one)))
            }
            (ints::SUB, [only]) => Some(Poly::default().minus(only)),
            (ints::SUB, [first, rest @ ..]) => {
                Some(rest.iter().fold((*first).clone(), |sum, arg| sum.minus(arg)))
            }
            (ints::MUL, [first, rest @ ..]) => {
                rest.iter().try_fold((*first).clone(), |product, arg| product.times(arg))
            }
            (reals::DIVIDE, [a, b]) => {
                let divisor = b.as_constant().filter(|value| !value.is_zero());
                divisor.map(|value| Poly::default().plus(a, &value.recip()))
            }
            (reals::TO_REAL, [only]) => Some((*only).clone()),
            _ => None,
        };
        poly.unwrap_or_else(leaf)
    }

    /// Merges numeric terms with equal polynomials.
    fn merge_by_arithmetic(&mut self) -> bool {
        let polys = self.polynomials();
        let mut known: FxHashMap<(&Poly, SortId), TermId> = FxHashMap::default();
        let mut changed = false;
        for &term in &self.terms.clone() {
            let Some(poly) = polys.get(&term) else { continue };
            let sort = self.store.sort(term);
            match known.get(&(poly, sort)) {
                Some(&other) => changed |= self.merge(term, other),
                None => {
                    known.insert((poly, sort), term);
                }
            }
        }
        changed
    }

    /// Whether the inequalities among the literals have no solution.
    fn arithmetic(&self, literals: &[(TermId, bool)], distinct: &[(TermId, TermId)]) -> bool {
        let polys = self.polynomials();
        let mut system = System::default();
        for (at, &term) in self.terms.iter().enumerate() {
            if self.store.sort(term) == SortId::INT {
                system.integer(self.root(at) as u32);
            }
        }
        let mut is_empty = true;
        for &(term, is_true) in literals {
            let Some((op, &[a, b])) = self.store.operator(term) else { continue };
            let (Some(a), Some(b)) = (polys.get(&a), polys.get(&b)) else { continue };
            // a < b is b - a > 0; its negation is a - b >= 0.
            let (poly, is_strict) = match (op, is_true) {
                (ints::LE, true) | (ints::GT, false) => (b.minus(a), false),
                (ints::LT, true) | (ints::GE, false) => (b.minus(a), true),
                (ints::GE, true) | (ints::LT, false) => (a.minus(b), false),
                (ints::GT, true) | (ints::LE, false) => (a.minus(b), true),
                (core::EQ, true) => {
                    system.zero(a.minus(b));
                    is_empty = false;
                    continue;
                }
                _ => continue,
            };
            system.positive(poly, is_strict);
            is_empty = false;
        }
        let split = distinct.iter().filter(|(a, _)| self.is_number(*a)).take(SPLITS);
        let split: Vec<Poly> =
            split.filter_map(|(a, b)| Some(polys.get(a)?.minus(polys.get(b)?))).collect();
        if is_empty && split.is_empty() {
            return false;
        }
        if system.clone().has_no_solution() {
            return true;
        }
        split.into_iter().any(|difference| {
            [difference.clone(), Poly::default().minus(&difference)].into_iter().all(|positive| {
                let mut system = system.clone();
                system.positive(positive, true);
                system.has_no_solution()
            })
        })
    }
}

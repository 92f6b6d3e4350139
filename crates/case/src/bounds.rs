//! Bounds that a formula asserts for its constants: `(> x 3)` and `(< x 9)`.
//!
//! Only comparisons that must hold count: conjuncts of assertions, and disjuncts of negated
//! disjunctions. A comparison below a disjunction, an implication or a binder bounds nothing.

use crate::formula::Formula;
use assay_term::budget::Budget;
use assay_term::theories::{core, ints, reals};
use assay_term::{Func, FuncId, Int, Op, Sort, Term, TermId, Value};
use num_rational::BigRational;
use std::collections::{HashMap, HashSet};

/// The bounds of each numeric constant.
pub(crate) struct Bounds(HashMap<FuncId, Range>);

/// The range of a constant.
#[derive(Default)]
struct Range {
    lower: Option<Bound>,
    upper: Option<Bound>,
}

#[derive(Clone)]
struct Bound {
    value: BigRational,
    /// Whether the bound itself is excluded.
    strict: bool,
}

/// The side of a number on which a constant lies.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Below,
    Above,
    On,
}

impl Bounds {
    /// Collects the bounds from the assertions; `None` if the budget runs out.
    pub(crate) fn of(
        formula: &Formula,
        assertions: Vec<TermId>,
        budget: &mut Budget,
    ) -> Option<Bounds> {
        let store = formula.store();
        let mut bounds = Bounds(HashMap::new());
        // Terms with the truth value that they must have.
        let mut open: Vec<(TermId, bool)> =
            assertions.into_iter().map(|assertion| (assertion, true)).collect();
        let mut seen: HashSet<(TermId, bool)> = HashSet::new();
        while let Some((term, holds)) = open.pop() {
            if !seen.insert((term, holds)) {
                continue;
            }
            budget.spend(1).ok()?;
            let (func, args) = match store.get(term) {
                Term::Annotated(inner, _) => {
                    open.push((inner, holds));
                    continue;
                }
                Term::App(func, args) => (func, args),
                _ => continue,
            };
            let Func::Op(op, _) = store.func(func) else { continue };
            budget.spend(args.len() as u64).ok()?;
            match (*op, holds) {
                (core::NOT, _) => open.extend(args.iter().map(|&arg| (arg, !holds))),
                (core::AND, true) | (core::OR, false) => {
                    open.extend(args.iter().map(|&arg| (arg, holds)));
                }
                // A false chain may fail at any of its links.
                (op, true) => {
                    args.windows(2).for_each(|pair| bounds.compare(formula, op, pair, true))
                }
                (op, false) if args.len() == 2 => bounds.compare(formula, op, args, false),
                _ => {}
            }
        }
        Some(bounds)
    }

    /// Records a comparison of a constant with a number.
    fn compare(&mut self, formula: &Formula, op: Op, pair: &[TermId], holds: bool) {
        let (side, strict) = match (op, holds) {
            (ints::LT, true) | (ints::GE, false) => (Side::Below, true),
            (ints::LE, true) | (ints::GT, false) => (Side::Below, false),
            (ints::GT, true) | (ints::LE, false) => (Side::Above, true),
            (ints::GE, true) | (ints::LT, false) => (Side::Above, false),
            (core::EQ, true) => (Side::On, false),
            _ => return,
        };
        let flipped = match side {
            Side::Below => Side::Above,
            Side::Above => Side::Below,
            Side::On => Side::On,
        };
        let [left, right] = pair else { return };
        for (constant, number, side) in [(left, right, side), (right, left, flipped)] {
            let constant = constant_of(formula, *constant);
            let (Some(constant), Some(value)) = (constant, number_of(formula, *number)) else {
                continue;
            };
            self.0.entry(constant).or_default().cut(side, &Bound { value, strict });
        }
    }

    /// Whether the bounds of some constant exclude all numbers.
    pub(crate) fn contradict(&self, formula: &Formula) -> bool {
        self.0.iter().any(|(&constant, range)| match is_int(formula, constant) {
            true => range.integers().is_some_and(|(least, greatest)| least > greatest),
            false => range.is_empty(),
        })
    }

    /// The possible values of a constant of sort `Int`, if there are at most `most`.
    pub(crate) fn integers(&self, constant: FuncId, most: u64) -> Option<Vec<Value>> {
        let (least, greatest) = self.0.get(&constant)?.integers()?;
        if greatest > &least + &Int::from(i64::try_from(most).ok()?) {
            return None;
        }
        let next = |number: &Int| Some(number + &Int::ONE);
        let all = std::iter::successors(Some(least), next).take_while(|n| *n <= greatest);
        let all: Vec<Value> = all.map(Value::Int).collect();
        (all.len() as u64 <= most).then_some(all)
    }
}

impl Range {
    fn cut(&mut self, side: Side, bound: &Bound) {
        if side != Side::Below && self.lower.as_ref().is_none_or(|old| bound.tighter(old, true)) {
            self.lower = Some(bound.clone());
        }
        if side != Side::Above && self.upper.as_ref().is_none_or(|old| bound.tighter(old, false)) {
            self.upper = Some(bound.clone());
        }
    }

    /// The smallest and largest integer in the range, if it is bounded on both sides.
    fn integers(&self) -> Option<(Int, Int)> {
        let (lower, upper) = (self.lower.as_ref()?, self.upper.as_ref()?);
        let one = || BigRational::from_integer(1.into());
        let least = match lower.strict {
            true => lower.value.floor() + one(),
            false => lower.value.ceil(),
        };
        let greatest = match upper.strict {
            true => upper.value.ceil() - one(),
            false => upper.value.floor(),
        };
        Some((Int::from(least.to_integer()), Int::from(greatest.to_integer())))
    }

    fn is_empty(&self) -> bool {
        match (&self.lower, &self.upper) {
            (Some(lower), Some(upper)) => {
                lower.value > upper.value
                    || lower.value == upper.value && (lower.strict || upper.strict)
            }
            _ => false,
        }
    }
}

impl Bound {
    /// Whether it excludes more than another bound on the same side.
    fn tighter(&self, old: &Bound, lower: bool) -> bool {
        match self.value == old.value {
            true => self.strict && !old.strict,
            false => (self.value > old.value) == lower,
        }
    }
}

fn is_int(formula: &Formula, constant: FuncId) -> bool {
    let store = formula.store();
    match store.func(constant) {
        Func::Declared { result, .. } => *store.sorts.get(*result) == Sort::Int,
        _ => false,
    }
}

/// The constant, if the term is one.
fn constant_of(formula: &Formula, term: TermId) -> Option<FuncId> {
    let store = formula.store();
    match store.get(bare(formula, term)) {
        Term::App(func, []) => {
            matches!(store.func(func), Func::Declared { params, .. } if params.is_empty())
                .then_some(func)
        }
        _ => None,
    }
}

/// A term without its annotations.
fn bare(formula: &Formula, mut term: TermId) -> TermId {
    while let Term::Annotated(inner, _) = formula.store().get(term) {
        term = inner;
    }
    term
}

/// The number, if the term is a literal, possibly negated.
fn number_of(formula: &Formula, mut term: TermId) -> Option<BigRational> {
    let store = formula.store();
    let mut negative = false;
    loop {
        term = bare(formula, term);
        let number = match store.get(term) {
            Term::Literal(Value::Int(number)) => BigRational::from_integer(number.to_big()),
            Term::Literal(Value::Real(number)) => number.as_ref().clone(),
            Term::App(func, &[argument]) => {
                match store.func(func) {
                    Func::Op(ints::SUB, _) => negative = !negative,
                    Func::Op(reals::TO_REAL, _) => {}
                    _ => return None,
                }
                term = argument;
                continue;
            }
            _ => return None,
        };
        return Some(if negative { -number } else { number });
    }
}

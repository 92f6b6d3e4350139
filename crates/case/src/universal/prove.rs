//! Proves that a formula holds under all assignments of its constants.
//!
//! The formula is assumed to be false. Connectives and conditional terms are split into cases; each
//! case must end in a contradiction: a formula and its negation, or linear constraints without a
//! solution ([`super::linear`]). Terms that are not linear count as variables, and terms that are
//! not understood never close a case. The answer is therefore "proved" or "not known".

use super::linear::{Relation, Row, common, refuted, small};
use super::simplify::{Simplifier, is_numeric, let_body};
use assay_term::theories::{core, ints, reals};
use assay_term::{Budget, Exhausted, Func, Replacements, SortId, Store, Term, TermId, Value};
use num_rational::Ratio;
use num_traits::{CheckedAdd, CheckedDiv, CheckedMul, One, Signed, ToPrimitive, Zero};
use rustc_hash::{FxHashMap, FxHashSet};
use std::collections::BTreeMap;

type Number = Ratio<i128>;

/// The most cases that are open at a time.
const MOST_CASES: usize = 400;

/// Formulas that are assumed to be true, or to be false.
#[derive(Clone, Default)]
struct Case {
    open: Vec<(TermId, bool)>,
    atoms: FxHashMap<TermId, bool>,
    /// Atoms in order, for the same work on the same formula.
    order: Vec<TermId>,
}

/// The effect of an assumption on a case.
enum Next {
    Go,
    Closed,
    Split(Vec<Case>),
}

/// Whether a formula without free variables is true under all assignments of its constants.
pub(super) fn valid(store: &mut Store, formula: TermId, budget: &mut Budget) -> bool {
    let mut prover = Prover { store, simplifier: Simplifier::default() };
    prover.valid(formula, budget).unwrap_or(false)
}

struct Prover<'s> {
    store: &'s mut Store,
    simplifier: Simplifier,
}

impl Prover<'_> {
    fn valid(&mut self, formula: TermId, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut cases = vec![Case { open: vec![(formula, false)], ..Case::default() }];
        while let Some(mut case) = cases.pop() {
            let mut is_closed = false;
            while let Some((term, is_true)) = case.open.pop() {
                budget.spend(16)?;
                match self.assume(&mut case, term, is_true, budget)? {
                    Next::Go => {}
                    Next::Closed => {
                        is_closed = true;
                        break;
                    }
                    Next::Split(parts) => {
                        cases.extend(parts);
                        is_closed = true;
                        break;
                    }
                }
            }
            if cases.len() > MOST_CASES {
                return Ok(false);
            }
            if !is_closed && !self.contradicts(&case, budget)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn assume(
        &mut self,
        case: &mut Case,
        term: TermId,
        is_true: bool,
        budget: &mut Budget,
    ) -> Result<Next, Exhausted> {
        let term = self.simplifier.simplify(self.store, term, budget)?;
        let store = &mut *self.store;
        let (op, args) = match store.get(term) {
            Term::Let(..) => match let_body(store, term) {
                Some(body) => {
                    case.open.push((body, is_true));
                    return Ok(Next::Go);
                }
                None => return Ok(atom(case, term, is_true)),
            },
            Term::App(func, args) => match store.func(func) {
                Func::Op(op, _) => (*op, args.to_vec()),
                _ => return Ok(atom(case, term, is_true)),
            },
            _ => return Ok(atom(case, term, is_true)),
        };
        let is_formula = args.first().is_some_and(|&arg| store.sort(arg) == SortId::BOOL);
        match (op, args.as_slice()) {
            (core::TRUE, _) => return Ok(if is_true { Next::Go } else { Next::Closed }),
            (core::FALSE, _) => return Ok(if is_true { Next::Closed } else { Next::Go }),
            (core::NOT, &[arg]) => case.open.push((arg, !is_true)),
            (core::AND, args) if is_true => case.open.extend(args.iter().map(|&arg| (arg, true))),
            (core::OR, args) if !is_true => case.open.extend(args.iter().map(|&arg| (arg, false))),
            (core::AND | core::OR, args) => {
                let literals: Vec<_> = args.iter().map(|&arg| (arg, is_true)).collect();
                return Ok(split(case, &literals));
            }
            (core::IMPLIES, args) => {
                let Some((&last, first)) = args.split_last() else { return Ok(Next::Go) };
                if !is_true {
                    case.open.push((last, false));
                    case.open.extend(first.iter().map(|&arg| (arg, true)));
                    return Ok(Next::Go);
                }
                let mut literals: Vec<_> = first.iter().map(|&arg| (arg, false)).collect();
                literals.push((last, true));
                return Ok(split(case, &literals));
            }
            (core::EQ | core::XOR, &[a, b]) if is_formula => {
                let same = (op == core::EQ) == is_true;
                let part = |value: bool| {
                    let mut part = case.clone();
                    part.open.extend([(a, value), (b, value == same)]);
                    part
                };
                return Ok(Next::Split(vec![part(true), part(false)]));
            }
            (core::ITE, &[condition, then, other]) => {
                let part = |value: bool, branch: TermId| {
                    let mut part = case.clone();
                    part.open.extend([(branch, is_true), (condition, value)]);
                    part
                };
                return Ok(Next::Split(vec![part(true, then), part(false, other)]));
            }
            (core::DISTINCT, &[a, b]) => match store.op(core::EQ, &[a, b]) {
                Ok(equation) => case.open.push((equation, !is_true)),
                Err(_) => return Ok(atom(case, term, is_true)),
            },
            _ => return self.atom_of(case, term, is_true, budget),
        }
        Ok(Next::Go)
    }

    /// An atom about terms of a theory.
    fn atom_of(
        &mut self,
        case: &mut Case,
        term: TermId,
        is_true: bool,
        budget: &mut Budget,
    ) -> Result<Next, Exhausted> {
        let store = &mut *self.store;
        if let Some((choice, [condition, then, other])) = conditional(store, term, budget)? {
            let mut parts = Vec::new();
            for (value, branch) in [(true, then), (false, other)] {
                let mut by = Replacements::from_iter([(choice, branch)]);
                let Ok(chosen) = store.replaced(term, &mut by) else {
                    return Ok(atom(case, term, is_true));
                };
                let mut part = case.clone();
                part.open.extend([(chosen, is_true), (condition, value)]);
                parts.push(part);
            }
            return Ok(Next::Split(parts));
        }
        let Some((core::EQ, &[a, b])) = store.operator(term) else {
            return Ok(atom(case, term, is_true));
        };
        let numeric = is_numeric(store, a);
        if is_true {
            for (symbol, by) in [(a, b), (b, a)] {
                if is_constant(store, symbol) && !store.postorder(&[by]).contains(&symbol) {
                    budget.spend(32)?;
                    return self.substituted(case, symbol, by, budget);
                }
            }
        }
        // One order of the sides for an equation and its negation.
        let (a, b) = (a.min(b), a.max(b));
        let term = if numeric { term } else { store.op(core::EQ, &[a, b]).unwrap_or(term) };
        Ok(atom(case, term, is_true))
    }

    /// The case with a term in the place of a constant that equals it.
    fn substituted(
        &mut self,
        case: &mut Case,
        symbol: TermId,
        by: TermId,
        budget: &mut Budget,
    ) -> Result<Next, Exhausted> {
        let mut replacements = Replacements::from_iter([(symbol, by)]);
        let mut all = std::mem::take(&mut case.open);
        for atom in std::mem::take(&mut case.order).into_iter().rev() {
            all.push((atom, case.atoms[&atom]));
        }
        case.atoms.clear();
        for (term, is_true) in all {
            budget.spend(16)?;
            // Without one of the assumptions, less is proved.
            if let Ok(term) = self.store.replaced(term, &mut replacements) {
                case.open.push((term, is_true));
            }
        }
        Ok(Next::Go)
    }

    /// Whether the atoms of a case without anything else have linear constraints without a solution.
    fn contradicts(&mut self, case: &Case, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut sums = Sums::default();
        let mut rows = Vec::new();
        let mut different = Vec::new();
        for &term in &case.order {
            budget.spend(16)?;
            let Some((op, &[a, b])) = self.store.operator(term) else { continue };
            if !is_numeric(self.store, a) {
                continue;
            }
            // The difference of the sides, compared with zero.
            let Some(difference) = sums.difference(self.store, a, b) else { continue };
            let (relation, sign) = match (op, case.atoms[&term]) {
                (core::EQ, true) => (Relation::Equal, 1),
                (core::EQ, false) => {
                    different.push(difference);
                    continue;
                }
                (ints::LE, true) | (ints::GT, false) => (Relation::AtMost, 1),
                (ints::LT, true) | (ints::GE, false) => (Relation::Below, 1),
                (ints::GE, true) | (ints::LT, false) => (Relation::AtMost, -1),
                (ints::GT, true) | (ints::LE, false) => (Relation::Below, -1),
                _ => continue,
            };
            rows.extend(difference.row(relation, sign));
        }
        rows.append(&mut sums.rows);
        let integers: Vec<bool> =
            sums.variables.iter().map(|&term| self.store.sort(term) == SortId::INT).collect();
        if refuted(&rows, &integers, budget) {
            return Ok(true);
        }
        // A difference is positive or negative; where one is impossible, it is the other.
        let mut is_new = true;
        while is_new {
            is_new = false;
            for difference in std::mem::take(&mut different) {
                budget.spend(16)?;
                let sides = [1, -1].map(|sign| difference.row(Relation::Below, sign));
                let [Some(below), Some(above)] = sides else { continue };
                let refuted_with = |row: &Row, budget: &mut Budget| {
                    let rows: Vec<Row> = rows.iter().chain([row]).cloned().collect();
                    refuted(&rows, &integers, budget)
                };
                match [refuted_with(&below, budget), refuted_with(&above, budget)] {
                    [true, true] => return Ok(true),
                    [true, false] => rows.push(above),
                    [false, true] => rows.push(below),
                    [false, false] => {
                        different.push(difference);
                        continue;
                    }
                }
                is_new = true;
            }
        }
        Ok(false)
    }
}

/// Adds an atom to a case.
fn atom(case: &mut Case, term: TermId, is_true: bool) -> Next {
    match case.atoms.get(&term) {
        Some(&known) if known != is_true => Next::Closed,
        Some(_) => Next::Go,
        None => {
            case.atoms.insert(term, is_true);
            case.order.push(term);
            Next::Go
        }
    }
}

/// A case for each of these assumptions, in which those before it do not hold.
fn split(case: &Case, literals: &[(TermId, bool)]) -> Next {
    let part = |at: usize| {
        let mut part = case.clone();
        part.open.extend(literals[..at].iter().map(|&(term, is_true)| (term, !is_true)));
        part.open.push(literals[at]);
        part
    };
    Next::Split((0..literals.len()).map(part).collect())
}

/// A declared constant.
fn is_constant(store: &Store, term: TermId) -> bool {
    matches!(store.get(term), Term::App(func, []) if matches!(store.func(func), Func::Declared { .. }))
}

/// An innermost conditional term that is not a formula, with its parts.
fn conditional(
    store: &Store,
    root: TermId,
    budget: &mut Budget,
) -> Result<Option<(TermId, [TermId; 3])>, Exhausted> {
    let parts = store.postorder(&[root]);
    budget.spend(parts.len() as u64)?;
    // Variables that are bound inside have no value here.
    if parts.iter().any(|&part| matches!(store.get(part), Term::Quant(..) | Term::Lambda(..))) {
        return Ok(None);
    }
    Ok(parts.into_iter().find_map(|part| match store.operator(part) {
        Some((core::ITE, &[condition, then, other]))
            if store.sort(part) != SortId::BOOL && !store.mentions_variables(part) =>
        {
            Some((part, [condition, then, other]))
        }
        _ => None,
    }))
}

/// A sum of variables with factors, and a constant.
#[derive(Clone, Default)]
struct Sum {
    factors: BTreeMap<u32, Number>,
    constant: Number,
}

impl Sum {
    fn add(&mut self, other: &Sum, times: Number) -> Option<()> {
        for (&variable, factor) in &other.factors {
            let total = self.factors.entry(variable).or_insert_with(Number::zero);
            *total = total.checked_add(&factor.checked_mul(&times)?)?;
        }
        self.factors.retain(|_, factor| !factor.is_zero());
        self.constant = self.constant.checked_add(&other.constant.checked_mul(&times)?)?;
        Some(())
    }

    /// The sum, or its negation, compared with zero, with whole factors.
    fn row(&self, relation: Relation, sign: i128) -> Option<Row> {
        let numbers = || self.factors.values().chain([&self.constant]);
        let mut scale: i128 = 1;
        for number in numbers() {
            scale = (scale / common(scale, *number.denom())).checked_mul(*number.denom())?;
        }
        let whole = |number: &Number| -> Option<i128> {
            let whole = (scale / number.denom()).checked_mul(*number.numer())?.checked_mul(sign)?;
            small(whole)
        };
        let factors =
            self.factors.iter().map(|(&variable, factor)| Some((variable, whole(factor)?)));
        Some(Row {
            factors: factors.collect::<Option<_>>()?,
            constant: whole(&self.constant)?,
            relation,
        })
    }
}

/// Linear sums over shared variables.
#[derive(Default)]
struct Sums {
    /// The terms that are variables.
    variables: Vec<TermId>,
    numbers: FxHashMap<TermId, u32>,
    /// What is known of quotients.
    rows: Vec<Row>,
    divided: FxHashSet<TermId>,
}

/// The deepest nesting of sums.
const DEEPEST: usize = 40;

impl Sums {
    fn difference(&mut self, store: &mut Store, a: TermId, b: TermId) -> Option<Sum> {
        let mut sum = Sum::default();
        self.add(store, &mut sum, a, Number::one(), DEEPEST)?;
        self.add(store, &mut sum, b, -Number::one(), DEEPEST)?;
        Some(sum)
    }

    /// Adds a term, this many times.
    fn add(
        &mut self,
        store: &mut Store,
        sum: &mut Sum,
        term: TermId,
        times: Number,
        depth: usize,
    ) -> Option<()> {
        if let Some(number) = number(store, term) {
            sum.constant = sum.constant.checked_add(&number.checked_mul(&times)?)?;
            return Some(());
        }
        let (op, args) = match store.operator(term) {
            Some((op, args)) if depth > 0 => (op, args.to_vec()),
            _ => return self.variable(sum, term, times),
        };
        match (op, args.as_slice()) {
            (ints::ADD, args) => {
                for &arg in args {
                    self.add(store, sum, arg, times, depth - 1)?;
                }
                Some(())
            }
            (ints::SUB, &[arg]) => self.add(store, sum, arg, -times, depth - 1),
            (ints::SUB, &[first, ref rest @ ..]) => {
                self.add(store, sum, first, times, depth - 1)?;
                for &arg in rest {
                    self.add(store, sum, arg, -times, depth - 1)?;
                }
                Some(())
            }
            (ints::MUL, args) => {
                let mut times = times;
                let mut other = None;
                for &arg in args {
                    match number(store, arg) {
                        Some(factor) => times = times.checked_mul(&factor)?,
                        None if other.is_none() => other = Some(arg),
                        None => {
                            return self.variable(sum, term, Number::one().checked_mul(&times)?);
                        }
                    }
                }
                match other {
                    Some(other) => self.add(store, sum, other, times, depth - 1),
                    None => {
                        sum.constant = sum.constant.checked_add(&times)?;
                        Some(())
                    }
                }
            }
            (reals::DIVIDE, &[a, b]) => match number(store, b) {
                Some(divisor) if !divisor.is_zero() => {
                    self.add(store, sum, a, times.checked_mul(&divisor.recip())?, depth - 1)
                }
                _ => self.variable(sum, term, times),
            },
            (reals::TO_REAL, &[arg]) => self.add(store, sum, arg, times, depth - 1),
            (ints::MOD | ints::DIV, &[a, b]) => match number(store, b) {
                Some(divisor) if divisor.is_positive() => {
                    let quotient = store.op(ints::DIV, &[a, b]).ok()?;
                    self.divide(store, a, quotient, divisor, depth - 1)?;
                    if op == ints::DIV {
                        return self.variable(sum, term, times);
                    }
                    self.add(store, sum, a, times, depth - 1)?;
                    self.variable(sum, quotient, -times.checked_mul(&divisor)?)
                }
                _ => self.variable(sum, term, times),
            },
            _ => self.variable(sum, term, times),
        }
    }

    fn variable(&mut self, sum: &mut Sum, term: TermId, times: Number) -> Option<()> {
        let next = u32::try_from(self.variables.len()).ok()?;
        let number = *self.numbers.entry(term).or_insert(next);
        if number == next {
            self.variables.push(term);
        }
        let one = Sum { factors: BTreeMap::from([(number, Number::one())]), ..Sum::default() };
        sum.add(&one, times)
    }

    /// The remainder of a division is at least zero and below the divisor.
    fn divide(
        &mut self,
        store: &mut Store,
        term: TermId,
        quotient: TermId,
        divisor: Number,
        depth: usize,
    ) -> Option<()> {
        if !self.divided.insert(quotient) {
            return Some(());
        }
        let mut remainder = Sum::default();
        self.add(store, &mut remainder, term, Number::one(), depth)?;
        self.variable(&mut remainder, quotient, -divisor)?;
        let mut beyond = remainder.clone();
        beyond.constant = beyond.constant.checked_add(&-divisor)?;
        self.rows.extend(remainder.row(Relation::AtMost, -1));
        self.rows.extend(beyond.row(Relation::Below, 1));
        Some(())
    }
}

/// The number that a term is as it is written.
fn number(store: &Store, term: TermId) -> Option<Number> {
    match store.get(term) {
        Term::Literal(Value::Int(number)) => Some(Number::from_integer(number.to_i64()?.into())),
        Term::Literal(Value::Real(number)) => {
            Some(Number::new(number.numer().to_i128()?, number.denom().to_i128()?))
        }
        _ => match store.operator(term) {
            Some((ints::SUB, &[arg])) if matches!(store.get(arg), Term::Literal(_)) => {
                number(store, arg).map(|number| -number)
            }
            Some((reals::DIVIDE, &[a, b]))
                if [a, b].iter().all(|&x| matches!(store.get(x), Term::Literal(_))) =>
            {
                let (a, b) = (number(store, a)?, number(store, b)?);
                if b.is_zero() { None } else { a.checked_div(&b) }
            }
            _ => None,
        },
    }
}

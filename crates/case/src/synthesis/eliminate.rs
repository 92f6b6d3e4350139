//! Equivalents without quantifiers, by substitution of test points.
//!
//! Where the truth value of a formula depends on a numeric variable only through linear comparisons and
//! remainders, finitely many terms stand for all values of the variable: the points where a comparison
//! changes and points between and beside them; for integers all points within one period of the
//! remainders. This is slow and simple on purpose: what solvers compute is compared with it.

use assay_term::eval::EvalContext;
use assay_term::theories::{core, ints, reals};
use assay_term::{
    Budget, Int, Model, Op, Quantifier, Replacements, SortId, Store, Term, TermId, Value,
};
use num_integer::Integer;
use num_rational::BigRational;
use num_traits::{One, Signed, ToPrimitive, Zero};
use rustc_hash::{FxHashMap, FxHashSet};

/// The most values of a sort that are all substituted.
const FEW: u64 = 64;

/// The most test points of a variable.
const MOST_POINTS: usize = 600;

/// The largest period of remainders.
const MOST_PERIOD: i64 = 60;

/// An equivalent formula without quantifiers; `None` if it is not found.
pub(super) fn quantifier_free(
    store: &mut Store,
    formula: TermId,
    budget: &mut Budget,
) -> Option<TermId> {
    let mut known: FxHashMap<TermId, TermId> = FxHashMap::default();
    for part in store.postorder(&[formula]) {
        budget.spend(8).ok()?;
        let new = match store.get(part) {
            Term::Quant(quantifier, bound, body) => {
                let (bound, body) = (bound.to_vec(), known[&body]);
                eliminated(store, quantifier, &bound, body, budget)?
            }
            Term::App(..) => {
                let parts: Vec<TermId> = store.children(part).iter().map(|p| known[p]).collect();
                store.with_children(part, &parts).ok()?
            }
            Term::Literal(_) | Term::Var(_) => part,
            _ => return None,
        };
        known.insert(part, new);
    }
    known.get(&formula).copied()
}

fn eliminated(
    store: &mut Store,
    quantifier: Quantifier,
    bound: &[TermId],
    body: TermId,
    budget: &mut Budget,
) -> Option<TermId> {
    let negates = quantifier == Quantifier::Forall;
    let mut body = if negates { store.op(core::NOT, &[body]).ok()? } else { body };
    for &variable in bound.iter().rev() {
        body = without(store, variable, body, budget)?;
    }
    if negates { store.op(core::NOT, &[body]).ok() } else { Some(body) }
}

/// A formula that holds if and only if some value of the variable satisfies the body.
fn without(
    store: &mut Store,
    variable: TermId,
    body: TermId,
    budget: &mut Budget,
) -> Option<TermId> {
    let with = containing(store, body, variable);
    if !with.contains(&body) {
        return Some(body);
    }
    let sort = store.sort(variable);
    let points = match sort {
        SortId::INT | SortId::REAL => {
            Atoms::of(store, body, variable, &with, budget)?.points(store, sort)?
        }
        _ => {
            let values = EvalContext::new(store, &Model::new()).enumerate(sort, FEW)?;
            values.iter().map(|value| store.value(value)).collect::<Option<_>>()?
        }
    };
    if points.len() > MOST_POINTS {
        return None;
    }
    let mut cases = vec![store.bool(false)];
    for point in points {
        budget.spend(8 * with.len() as u64).ok()?;
        let mut by = Replacements::from_iter([(variable, point)]);
        cases.push(store.replaced(body, &mut by).ok()?);
    }
    store.op(core::OR, &cases).ok().or(cases.first().copied())
}

/// The parts of a formula that contain a variable.
fn containing(store: &Store, formula: TermId, variable: TermId) -> FxHashSet<TermId> {
    let mut with = FxHashSet::default();
    for part in store.postorder(&[formula]) {
        if part == variable || store.children(part).iter().any(|child| with.contains(child)) {
            with.insert(part);
        }
    }
    with
}

/// `factor · variable + rest`.
#[derive(Clone)]
struct Linear {
    factor: BigRational,
    /// Constants and other symbols, each with its factor.
    rest: TermId,
}

/// How the truth value of a formula depends on a variable.
struct Atoms {
    /// Differences of compared terms: the truth value may change where one is zero.
    differences: Vec<Linear>,
    /// A common period of all remainders.
    period: i64,
}

impl Atoms {
    /// `None` if the formula depends on the variable in another way.
    fn of(
        store: &mut Store,
        body: TermId,
        variable: TermId,
        with: &FxHashSet<TermId>,
        budget: &mut Budget,
    ) -> Option<Atoms> {
        let mut atoms = Atoms { differences: Vec::new(), period: 1 };
        let mut linear: FxHashMap<TermId, Option<Linear>> = FxHashMap::default();
        for part in store.postorder(&[body]) {
            budget.spend(8).ok()?;
            let args = store.children(part).to_vec();
            let op = store.operator(part).map(|(op, _)| op);
            if store.sort(part) != SortId::BOOL {
                let form = match with.contains(&part) {
                    true => form(store, part, op, &args, variable, &linear),
                    false => Some(Linear { factor: BigRational::zero(), rest: part }),
                };
                linear.insert(part, form);
            } else if with.contains(&part) {
                match op {
                    // Connectives depend on the variable only through their arguments.
                    Some(_) if args.iter().all(|&arg| store.sort(arg) == SortId::BOOL) => {}
                    Some(core::EQ) if atoms.is_remainder(store, &args, &linear) => {}
                    Some(core::EQ | core::DISTINCT | ints::LT | ints::LE | ints::GT | ints::GE) => {
                        for (at, a) in args.iter().enumerate() {
                            for b in &args[..at] {
                                let (a, b) = (linear[a].clone()?, linear[b].clone()?);
                                atoms.differences.push(difference(store, &a, &b)?);
                            }
                        }
                    }
                    _ => return None,
                }
            }
        }
        atoms.differences.retain(|difference| !difference.factor.is_zero());
        Some(atoms)
    }

    /// Notes the period of `(= (mod s n) c)`, where `s` is linear with integer factors.
    fn is_remainder(
        &mut self,
        store: &Store,
        args: &[TermId],
        linear: &FxHashMap<TermId, Option<Linear>>,
    ) -> bool {
        let &[a, b] = args else { return false };
        for (remainder, other) in [(a, b), (b, a)] {
            let Some((ints::MOD, &[number, divisor])) = store.operator(remainder) else { continue };
            let is_constant =
                |term: &TermId| linear[term].as_ref().is_some_and(|form| form.factor.is_zero());
            let Term::Literal(Value::Int(n)) = store.get(divisor) else { continue };
            let Some(n) = n.to_i64().filter(|n| (1..=MOST_PERIOD).contains(n)) else { continue };
            let whole = linear[&number].as_ref().is_some_and(|form| form.factor.is_integer());
            if whole && is_constant(&other) {
                self.period = self.period.lcm(&n);
                return self.period <= MOST_PERIOD;
            }
        }
        false
    }

    /// Terms that stand for all values of the variable.
    fn points(&self, store: &mut Store, sort: SortId) -> Option<Vec<TermId>> {
        let mut points = Vec::new();
        if sort == SortId::REAL {
            let roots: Vec<TermId> = self
                .differences
                .iter()
                .map(|difference| scaled(store, difference.rest, &-difference.factor.recip()))
                .collect::<Option<_>>()?;
            let one = BigRational::one();
            let half = BigRational::new(1.into(), 2.into());
            for (at, &root) in roots.iter().enumerate() {
                points.push(root);
                for beside in [one.clone(), -one.clone()] {
                    let beside = store.real(&beside);
                    points.push(store.op(ints::ADD, &[root, beside]).ok()?);
                }
                for &other in &roots[..at] {
                    let both = store.op(ints::ADD, &[root, other]).ok()?;
                    points.push(scaled(store, both, &half)?);
                }
            }
            if points.is_empty() {
                points.push(store.real(&BigRational::zero()));
            }
        } else {
            for difference in &self.differences {
                // Below the root: the floor of -rest / factor.
                let factor = difference.factor.numer();
                let rest = match factor.is_positive() {
                    true => scaled(store, difference.rest, &-BigRational::one())?,
                    false => difference.rest,
                };
                let divisor = store.int(&Int::from(factor.abs().to_i64()?));
                let floor = store.op(ints::DIV, &[rest, divisor]).ok()?;
                for beside in -self.period..=self.period {
                    let beside = store.int(&Int::from(beside));
                    points.push(store.op(ints::ADD, &[floor, beside]).ok()?);
                }
            }
            if points.is_empty() {
                points.extend((0..self.period).map(|n| store.int(&Int::from(n))));
            }
        }
        Some(points)
    }
}

/// The linear form of an application that contains the variable.
fn form(
    store: &mut Store,
    part: TermId,
    op: Option<Op>,
    args: &[TermId],
    variable: TermId,
    linear: &FxHashMap<TermId, Option<Linear>>,
) -> Option<Linear> {
    let sort = store.sort(part);
    if part == variable {
        let zero = number(store, sort, &BigRational::zero())?;
        return Some(Linear { factor: BigRational::one(), rest: zero });
    }
    let forms = args.iter().map(|arg| linear.get(arg)?.clone());
    let forms: Vec<Linear> = forms.collect::<Option<_>>()?;
    match (op?, forms.as_slice()) {
        (ints::ADD, forms) => {
            let rests: Vec<TermId> = forms.iter().map(|form| form.rest).collect();
            let rest = store.op(ints::ADD, &rests).ok()?;
            Some(Linear { factor: forms.iter().map(|form| form.factor.clone()).sum(), rest })
        }
        (ints::SUB, [only]) => {
            let rest = store.op(ints::SUB, &[only.rest]).ok()?;
            Some(Linear { factor: -only.factor.clone(), rest })
        }
        (ints::SUB, [first, others @ ..]) => {
            let rests: Vec<TermId> = forms.iter().map(|form| form.rest).collect();
            let rest = store.op(ints::SUB, &rests).ok()?;
            let taken: BigRational = others.iter().map(|form| form.factor.clone()).sum();
            Some(Linear { factor: first.factor.clone() - taken, rest })
        }
        (ints::MUL, [a, b]) => {
            let by = literal(store, args[0]).map(|by| (by, b));
            let (by, form) = by.or_else(|| Some((literal(store, args[1])?, a)))?;
            let rest = scaled(store, form.rest, &by)?;
            Some(Linear { factor: form.factor.clone() * by, rest })
        }
        (reals::DIVIDE, [form, _]) => {
            let by = literal(store, args[1]).filter(|by| !by.is_zero())?.recip();
            let rest = scaled(store, form.rest, &by)?;
            Some(Linear { factor: form.factor.clone() * by, rest })
        }
        _ => None,
    }
}

/// `a - b`.
fn difference(store: &mut Store, a: &Linear, b: &Linear) -> Option<Linear> {
    let rest = store.op(ints::SUB, &[a.rest, b.rest]).ok()?;
    Some(Linear { factor: a.factor.clone() - b.factor.clone(), rest })
}

/// A term times a number; of an integer term, times an integer.
fn scaled(store: &mut Store, term: TermId, by: &BigRational) -> Option<TermId> {
    if by.is_one() {
        return Some(term);
    }
    let by = number(store, store.sort(term), by)?;
    store.op(ints::MUL, &[by, term]).ok()
}

/// A number of a sort.
fn number(store: &mut Store, sort: SortId, number: &BigRational) -> Option<TermId> {
    match sort {
        SortId::REAL => Some(store.real(number)),
        SortId::INT if number.is_integer() => Some(store.int(&Int::from(number.numer().to_i64()?))),
        _ => None,
    }
}

/// The value of a literal number, perhaps negated or a quotient.
fn literal(store: &Store, term: TermId) -> Option<BigRational> {
    let of = |term: TermId| match store.get(term) {
        Term::Literal(Value::Int(n)) => Some(BigRational::from_integer(n.to_i64()?.into())),
        Term::Literal(Value::Real(x)) => Some(x.as_ref().clone()),
        _ => None,
    };
    match store.operator(term) {
        Some((ints::SUB, &[inner])) => of(inner).map(|n| -n),
        Some((reals::DIVIDE, &[a, b])) => {
            let under = of(b).filter(|n| !n.is_zero())?;
            let over = match store.operator(a) {
                Some((ints::SUB, &[inner])) => -of(inner)?,
                _ => of(a)?,
            };
            Some(over / under)
        }
        _ => of(term),
    }
}

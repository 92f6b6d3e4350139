//! Real numbers as fractions: each real constant becomes an integer over a common denominator, and what is
//! computed from constants keeps an exact scale. The result is a formula over integers, which is stricter:
//! a formula without a model stays without one.

use crate::expand::undefined;
use crate::lower::Refusal;
use crate::program::Unfit;
use assay_forge::rules::random_value;
use assay_mutate::Draw;
use assay_term::theories::{core, ints, reals};
use assay_term::{
    Evaluator, Func, FuncId, Int, Interpretation, Model, Op, Replacements, Sort, SortId, Store,
    Term, TermId, Value,
};
use rustc_hash::FxHashMap;

/// A formula over integers instead of reals.
pub(crate) struct Fractions {
    pub(crate) store: Store,
    pub(crate) roots: Vec<TermId>,
    pub(crate) model: Option<Model>,
}

/// The largest common denominator of the constants, and the largest part of a scale.
const LARGEST: i128 = 1_000_000;

/// The common denominator if there is no model to take it from.
const USUAL: i128 = 6;

/// Number of assignments under which both formulas are compared.
const TRIALS: usize = 4;

/// The formula without reals; `None` if it has none.
///
/// # Errors
/// If reals are used in a way that fractions do not cover, or the result is not the same formula, which
/// would be a bug of ours.
pub(crate) fn without_reals(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
    model: Option<&Model>,
    draw: &mut Draw,
) -> Result<Option<Fractions>, Unfit> {
    let bodies = definitions.iter().filter_map(|(_, meaning)| match meaning {
        Interpretation::Definition { body, .. } => Some(*body),
        _ => None,
    });
    let all: Vec<TermId> = roots.iter().copied().chain(bodies).collect();
    if store.postorder(&all).iter().all(|&term| store.sort(term) != SortId::REAL) {
        return Ok(None);
    }
    let (store, roots) = undefined(store, roots, definitions).map_err(|_| Refusal::Size)?;
    let (store, roots) = (&store, roots.as_slice());
    let order = store.postorder(roots);
    let mut work = Work {
        store: store.clone(),
        by: Replacements::default(),
        scaled: FxHashMap::default(),
        constants: Vec::new(),
        denominator: USUAL,
    };
    if let Some(model) = model {
        work.denominator = denominator(store, &order, model)?;
    }
    for &term in &order {
        work.take(term)?;
    }
    let new = roots.iter().map(|&root| work.replaced(root)).collect::<Result<Vec<_>, _>>()?;
    let model = model.map(|model| work.translated(store, model)).transpose()?;
    for _ in 0..TRIALS {
        work.compare(store, roots, &new, draw)?;
    }
    Ok(Some(Fractions { store: work.store, roots: new, model }))
}

/// A real number: a multiple of an integer term.
#[derive(Clone, Copy)]
struct Scaled {
    term: TermId,
    /// The factor, as a fraction in lowest terms; both parts are positive.
    factor: (i128, i128),
}

struct Work {
    store: Store,
    by: Replacements,
    scaled: FxHashMap<TermId, Scaled>,
    /// Real constants, with the integers that stand for them.
    constants: Vec<(TermId, FuncId, FuncId)>,
    denominator: i128,
}

fn refused() -> Unfit {
    Refusal::Sort("Real, used in a way that fractions do not cover").into()
}

fn gcd(a: i128, b: i128) -> i128 {
    let (mut a, mut b) = (a.abs(), b.abs());
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a.max(1)
}

fn lcm(a: i128, b: i128) -> Result<i128, Unfit> {
    bounded((a / gcd(a, b)).checked_mul(b))
}

fn bounded(value: Option<i128>) -> Result<i128, Unfit> {
    value.filter(|value| value.abs() <= LARGEST).ok_or_else(|| Refusal::Large.into())
}

/// A fraction in lowest terms with small parts.
fn fraction(num: Option<i128>, den: Option<i128>) -> Result<(i128, i128), Unfit> {
    let (num, den) = (num.ok_or(Refusal::Large)?, den.ok_or(Refusal::Large)?);
    let common = gcd(num, den);
    Ok((bounded(Some(num / common))?, bounded(Some(den / common))?))
}

/// The numerator and denominator of a value.
fn parts(value: &Value) -> Result<(i128, i128), Unfit> {
    let Value::Real(number) = value else { return Err(refused()) };
    let num = i128::try_from(number.numer()).map_err(|_| Refusal::Large)?;
    let den = i128::try_from(number.denom()).map_err(|_| Refusal::Large)?;
    Ok((num, den))
}

/// The constant that a term is, if it is one without arguments.
fn constant(store: &Store, term: TermId) -> Option<FuncId> {
    match store.get(term) {
        Term::App(func, []) if matches!(store.func(func), Func::Declared { .. }) => Some(func),
        _ => None,
    }
}

/// The least common denominator of the real constants under a model.
fn denominator(store: &Store, order: &[TermId], model: &Model) -> Result<i128, Unfit> {
    let mut evaluator = Evaluator::new(store, model).completing();
    let mut all = 1;
    for &term in order {
        if store.sort(term) == SortId::REAL && constant(store, term).is_some() {
            let value = evaluator.eval(term).map_err(|_| refused())?;
            all = lcm(all, parts(&value)?.1)?;
        }
    }
    Ok(all)
}

impl Work {
    fn replaced(&mut self, term: TermId) -> Result<TermId, Unfit> {
        self.store.replaced(term, &mut self.by).map_err(|_| refused())
    }

    fn op(&mut self, op: Op, args: &[TermId]) -> Result<TermId, Unfit> {
        self.store.op(op, args).map_err(|_| refused())
    }

    fn int(&mut self, value: i128) -> Result<TermId, Unfit> {
        let value = i64::try_from(value).map_err(|_| Refusal::Large)?;
        Ok(self.store.int(&Int::from(value)))
    }

    /// The number of a literal.
    fn number(&self, term: TermId) -> Option<i128> {
        match self.store.get(term) {
            Term::Literal(Value::Int(number)) => number.to_i64().map(i128::from),
            _ => None,
        }
    }

    fn times(&mut self, by: i128, term: TermId) -> Result<TermId, Unfit> {
        if by == 1 {
            return Ok(term);
        }
        if let Some(number) = self.number(term) {
            return self.int(number.checked_mul(by).ok_or(Refusal::Large)?);
        }
        let by = self.int(by)?;
        self.op(ints::MUL, &[by, term])
    }

    /// Notes what a term becomes, whose parts have been taken.
    fn take(&mut self, term: TermId) -> Result<(), Unfit> {
        let is_real = self.store.sort(term) == SortId::REAL;
        let args: Vec<TermId> = self.store.children(term).to_vec();
        let has_reals = args.iter().any(|&arg| self.mentions_reals(self.store.sort(arg)));
        if !is_real && !has_reals {
            return if self.mentions_reals(self.store.sort(term)) {
                Err(refused())
            } else {
                Ok(())
            };
        }
        if let Some(func) = constant(&self.store, term) {
            let name = format!("fraction {} (ours)", self.constants.len());
            let stands = self.store.constant(&name, SortId::INT);
            let stands_func = constant(&self.store, stands).ok_or_else(refused)?;
            self.constants.push((term, func, stands_func));
            self.scaled.insert(term, Scaled { term: stands, factor: (1, self.denominator) });
            return Ok(());
        }
        let literal = match self.store.get(term) {
            Term::Literal(value) => Some(parts(value)?),
            _ => None,
        };
        if let Some((num, den)) = literal {
            let number = self.int(num)?;
            self.scaled.insert(term, Scaled { term: number, factor: (1, bounded(Some(den))?) });
            return Ok(());
        }
        let (op, kept) = match self.store.get(term) {
            Term::App(func, _) => match self.store.func(func) {
                Func::Op(op, _) => (*op, None),
                _ => return Err(refused()),
            },
            Term::Annotated(inner, _) => (core::AND, Some(inner)),
            _ => return Err(refused()),
        };
        if let Some(inner) = kept {
            let inner = self.argument(inner)?;
            self.scaled.insert(term, inner);
            return Ok(());
        }
        if is_real {
            let made = self.real(op, &args)?;
            self.scaled.insert(term, made);
        } else {
            let made = self.about_reals(op, &args)?;
            self.by.insert(term, made);
        }
        Ok(())
    }

    fn mentions_reals(&self, sort: SortId) -> bool {
        match *self.store.sorts.get(sort) {
            Sort::Real => true,
            Sort::Array(index, element) => {
                self.mentions_reals(index) || self.mentions_reals(element)
            }
            _ => false,
        }
    }

    /// An argument as a number; integers may stand among reals.
    fn argument(&mut self, arg: TermId) -> Result<Scaled, Unfit> {
        if let Some(&known) = self.scaled.get(&arg) {
            return Ok(known);
        }
        match self.store.sort(arg) == SortId::INT {
            true => Ok(Scaled { term: self.replaced(arg)?, factor: (1, 1) }),
            false => Err(refused()),
        }
    }

    fn arguments(&mut self, args: &[TermId]) -> Result<Vec<Scaled>, Unfit> {
        args.iter().map(|&arg| self.argument(arg)).collect()
    }

    /// Numbers as multiples of one factor.
    fn common(&mut self, all: &[Scaled]) -> Result<(Vec<TermId>, (i128, i128)), Unfit> {
        let mut unit = all.first().ok_or_else(refused)?.factor;
        for Scaled { factor, .. } in all {
            unit = fraction(Some(gcd(unit.0, factor.0)), Some(lcm(unit.1, factor.1)?))?;
        }
        let mut terms = Vec::with_capacity(all.len());
        for Scaled { term, factor } in all {
            // The unit divides every factor.
            let by = factor.0 / unit.0 * (unit.1 / factor.1);
            terms.push(self.times(by, *term)?);
        }
        Ok((terms, unit))
    }

    fn real(&mut self, op: Op, args: &[TermId]) -> Result<Scaled, Unfit> {
        if op == core::ITE {
            let [test, yes, no] = args else { return Err(refused()) };
            let test = self.replaced(*test)?;
            let branches = self.arguments(&[*yes, *no])?;
            let (terms, factor) = self.common(&branches)?;
            let term = self.op(core::ITE, &[test, terms[0], terms[1]])?;
            return Ok(Scaled { term, factor });
        }
        let all = self.arguments(args)?;
        match op {
            reals::TO_REAL => all.first().copied().ok_or_else(refused),
            ints::SUB if all.len() == 1 => {
                Ok(Scaled { term: self.times(-1, all[0].term)?, ..all[0] })
            }
            ints::ADD | ints::SUB => {
                let (terms, factor) = self.common(&all)?;
                Ok(Scaled { term: self.op(op, &terms)?, factor })
            }
            ints::MUL => {
                let mut product = *all.first().ok_or_else(refused)?;
                for next in &all[1..] {
                    let ((a, b), (c, d)) = (product.factor, next.factor);
                    let factor = fraction(a.checked_mul(c), b.checked_mul(d))?;
                    let term = match (self.number(product.term), self.number(next.term)) {
                        (Some(by), _) => self.times(by, next.term)?,
                        (_, Some(by)) => self.times(by, product.term)?,
                        _ => self.op(ints::MUL, &[product.term, next.term])?,
                    };
                    product = Scaled { term, factor };
                }
                Ok(product)
            }
            reals::DIVIDE => {
                let mut quotient = *all.first().ok_or_else(refused)?;
                for next in &all[1..] {
                    let by = self.number(next.term).filter(|&by| by != 0).ok_or_else(refused)?;
                    let ((a, b), (c, d)) = (quotient.factor, next.factor);
                    let den = b.checked_mul(c).and_then(|den| den.checked_mul(by.abs()));
                    let factor = fraction(a.checked_mul(d), den)?;
                    quotient = Scaled { term: self.times(by.signum(), quotient.term)?, factor };
                }
                Ok(quotient)
            }
            _ => Err(refused()),
        }
    }

    /// A term that is no real, with arguments that are.
    fn about_reals(&mut self, op: Op, args: &[TermId]) -> Result<TermId, Unfit> {
        let all = self.arguments(args)?;
        match op {
            core::EQ | core::DISTINCT | ints::LE | ints::LT | ints::GE | ints::GT => {
                let (terms, _) = self.common(&all)?;
                self.op(op, &terms)
            }
            reals::TO_INT | reals::IS_INT => {
                let Scaled { term, factor: (num, den) } = all[0];
                let (whole, den) = (self.times(num, term)?, self.int(den)?);
                if op == reals::TO_INT {
                    return self.op(ints::DIV, &[whole, den]);
                }
                let (rest, zero) = (self.op(ints::MOD, &[whole, den])?, self.int(0)?);
                self.op(core::EQ, &[rest, zero])
            }
            _ => Err(refused()),
        }
    }

    /// The model with integers for the real constants.
    fn translated(&self, store: &Store, model: &Model) -> Result<Model, Unfit> {
        let mut evaluator = Evaluator::new(store, model).completing();
        let mut new = model.clone();
        for &(term, _, stands) in &self.constants {
            let value = evaluator.eval(term).map_err(|_| refused())?;
            let (num, den) = parts(&value)?;
            let whole = num.checked_mul(self.denominator / den);
            let whole = whole.and_then(|whole| i64::try_from(whole).ok()).ok_or(Refusal::Large)?;
            new.set(stands, Interpretation::Value(Value::Int(Int::from(whole))));
        }
        Ok(new)
    }

    /// Compares both formulas under an assignment.
    fn compare(
        &mut self,
        store: &Store,
        roots: &[TermId],
        new: &[TermId],
        draw: &mut Draw,
    ) -> Result<(), Unfit> {
        let mut model = Model::new();
        for term in store.postorder(roots) {
            let Some(func) = constant(store, term).filter(|_| store.sort(term) != SortId::REAL)
            else {
                continue;
            };
            if let Some(value) = random_value(draw.rng(), store, store.sort(term)) {
                model.set(func, Interpretation::Value(value));
            }
        }
        for (_, real, stands) in self.constants.clone() {
            let number = draw.below(41) as i64 - 20;
            model.set(stands, Interpretation::Value(Value::Int(Int::from(number))));
            let (num, den) = (self.int(number.into())?, self.int(self.denominator)?);
            let (num, den) = (self.op(reals::TO_REAL, &[num])?, self.op(reals::TO_REAL, &[den])?);
            let quotient = self.op(reals::DIVIDE, &[num, den])?;
            let value = Evaluator::new(&self.store, &model).eval(quotient);
            model.set(real, Interpretation::Value(value.map_err(|_| refused())?));
        }
        for (&old, &new) in roots.iter().zip(new) {
            let before = Evaluator::new(store, &model).completing().eval(old);
            let after = Evaluator::new(&self.store, &model).completing().eval(new);
            match (before, after) {
                (Ok(Value::Bool(a)), Ok(Value::Bool(b))) if a != b => return Err(Unfit::Weaker),
                _ => {}
            }
        }
        Ok(())
    }
}

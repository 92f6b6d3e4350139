//! Changes of an assignment after which the two sides of an equation or a comparison are equal, or
//! nearly so: what random values of two symbols hardly ever are.

use assay_mutate::Draw;
use assay_term::{
    Budget, Evaluator, Func, FuncId, Int, Interpretation, Limits, Model, Store, Term, TermId, Value,
};
use num_rational::BigRational;
use num_traits::{One, Zero};
use rustc_hash::FxHashSet;
use std::sync::Arc;

/// Steps of evaluating one side.
const STEPS: u64 = 2_000;

/// The maximum number of atoms that are considered.
const MOST: usize = 200;

/// An atom with two sides of one sort, and the constants in it.
struct Atom {
    sides: [TermId; 2],
    constants: Vec<FuncId>,
}

/// The atoms of some formulas that compare two terms with constants in them.
pub(crate) struct Meetings {
    atoms: Vec<Atom>,
    limits: Limits,
}

impl Meetings {
    /// The atoms among these parts. Only these functions may be given other values.
    pub(crate) fn of(
        store: &Store,
        parts: &[TermId],
        functions: &[FuncId],
        limits: Limits,
    ) -> Meetings {
        let free: FxHashSet<FuncId> = functions.iter().copied().collect();
        let constants = |sides: &[TermId; 2]| -> Vec<FuncId> {
            let parts = store.postorder(sides).into_iter();
            let own = parts.filter_map(|part| match store.get(part) {
                Term::App(func, []) if free.contains(&func) => Some(func),
                _ => None,
            });
            own.collect()
        };
        let sides = parts.iter().filter_map(|&part| match store.get(part) {
            Term::App(_, &[a, b]) if a != b && store.sort(a) == store.sort(b) => Some([a, b]),
            _ => None,
        });
        let atoms = sides.filter(|sides| !sides.iter().any(|&it| store.mentions_variables(it)));
        let atoms = atoms.take(MOST).map(|sides| Atom { constants: constants(&sides), sides });
        Meetings { atoms: atoms.filter(|atom| !atom.constants.is_empty()).collect(), limits }
    }

    /// Gives a constant another value, so that the sides of an atom meet or differ by one.
    pub(crate) fn meet(&self, store: &Store, draw: &mut Draw, model: &mut Model) {
        let Some(atom) = draw.of(&self.atoms) else { return };
        let Some(&func) = draw.of(&atom.constants) else { return };
        let [a, b] = atom.sides;
        let is = |side| matches!(store.get(side), Term::App(own, []) if own == func);
        let step = BigRational::from_integer((draw.below(3) as i64 - 1).into());
        let value = match (is(a), is(b)) {
            (true, _) => self.value(store, model, b).map(|value| moved(value, &step)),
            (_, true) => self.value(store, model, a).map(|value| moved(value, &step)),
            _ => self.solved(store, model, atom, func).and_then(|it| {
                let Func::Declared { result, .. } = store.func(func) else { return None };
                let value = it + step;
                Some(match *result == assay_term::SortId::INT {
                    true => Value::Int(Int::from(value.floor().to_integer())),
                    false => Value::Real(Arc::new(value)),
                })
            }),
        };
        if let Some(value) = value {
            model.set(func, Interpretation::Value(value));
        }
    }

    fn value(&self, store: &Store, model: &Model, term: TermId) -> Option<Value> {
        let evaluator = Evaluator::new(store, model).with_limits(self.limits);
        evaluator.with_budget(Budget::new(STEPS, u64::MAX)).eval(term).ok()
    }

    /// The value of a numeric constant for which the sides are equal, if they are linear in it.
    fn solved(
        &self,
        store: &Store,
        model: &mut Model,
        atom: &Atom,
        func: FuncId,
    ) -> Option<BigRational> {
        let Some(Interpretation::Value(before)) = model.get(func).cloned() else { return None };
        let place = number(&before)?;
        let difference = |model: &Model| {
            let [a, b] = atom.sides.map(|side| self.value(store, model, side));
            Some(number(&a?)? - number(&b?)?)
        };
        let here = difference(model)?;
        model.set(func, Interpretation::Value(moved(before.clone(), &BigRational::one())));
        let there = difference(model);
        model.set(func, Interpretation::Value(before));
        let slope = there? - &here;
        (!slope.is_zero()).then(|| place - here / slope)
    }
}

fn number(value: &Value) -> Option<BigRational> {
    match value {
        Value::Int(n) => Some(BigRational::from_integer(n.to_big())),
        Value::Real(x) => Some(x.as_ref().clone()),
        _ => None,
    }
}

/// A number with another one added; other values stay.
fn moved(value: Value, step: &BigRational) -> Value {
    match &value {
        Value::Int(n) => Value::Int(Int::from(n.to_big() + step.to_integer())),
        Value::Real(x) => Value::Real(Arc::new(x.as_ref() + step)),
        _ => value,
    }
}

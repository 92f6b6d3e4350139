//! Narrows a seed's solutions: to a cube, between bounds, away from other values. What is added to a
//! satisfiable seed holds under its model; what is added to an unsatisfiable one may be anything.

use crate::draw::Draw;
use crate::suite::{Belief, Mutant, Needs, Order, Strategy};
use crate::trace::TraceStep;
use crate::{Form, occurrences::Site, trace};
use assay_case::MakeError;
use assay_forge::rules::random_value;
use assay_term::bitvec::BitVec;
use assay_term::theories::{arrays, bv, core, ints, seq, strings};
use assay_term::{Evaluator, Int, Limits, Model, Op, Sort, SortId, Store, Term, TermId, Value};
use num_rational::BigRational;

/// The suite `confine`.
pub(crate) struct Confine;

/// Budget for the value of a term.
const SMALL: Limits =
    Limits { steps: 20_000, instances: 256, regex: 4_000, length: 1 << 10, bits: 1 << 10 };

/// Number of terms tried for one step.
const TRIES: usize = 12;

/// How far bounds are from the value between them.
const DISTANCE: usize = 4;

impl Strategy for Confine {
    fn name(&self) -> &'static str {
        "confine"
    }

    fn needs(&self) -> Needs {
        Needs { truth: true, equalities: false }
    }

    fn mutate(&self, order: &Order<'_>) -> Result<Mutant, MakeError> {
        let truth = order.prepared.truth().map_err(MakeError::Unsuitable)?;
        let seed = order.prepared.in_form(Form::Kept);
        let model = match (truth.satisfiable, &seed.model) {
            (true, None) => {
                return Err(MakeError::Unsuitable("no model of it is known".to_owned()));
            }
            (_, model) => model.clone(),
        };
        let (formula, steps) = seed.mutant(|store| steps(order, store, model.as_ref()))?;
        let rules = steps.iter().map(|step| step.rule.clone()).collect();
        let belief = match truth.satisfiable {
            true => Belief::Sat(model, truth.source.clone()),
            false => Belief::Unsat(truth.unsat()),
        };
        let trace = trace::lines(Form::Kept, &steps);
        Ok(Mutant { formula, belief, rules, trace, partners: Vec::new() })
    }
}

/// The seed's assertions, some of them joined with another formula, and the steps that did so.
fn steps(
    order: &Order<'_>,
    store: &mut Store,
    model: Option<&Model>,
) -> Result<(Vec<TermId>, Vec<TraceStep>), MakeError> {
    let mut draw = order.draw();
    let mut assertions = order.prepared.seed.base.assertions.clone();
    let parts: Vec<TermId> =
        store.postorder(&assertions).into_iter().filter(|&part| is_open(store, part)).collect();
    let mut steps = Vec::new();
    for _ in 0..=draw.below(order.config.literals.max(1)) {
        let made = (0..TRIES).find_map(|_| {
            let part = *draw.of(&parts)?;
            let value = match model {
                Some(model) => Evaluator::new(store, model).with_limits(SMALL).eval(part).ok()?,
                None => random_value(draw.rng(), store, store.sort(part))?,
            };
            narrowed(store, &mut draw, part, &value)
        });
        let Some((rule, formula)) = made else { break };
        let at = draw.below(assertions.len());
        let sides = match draw.one_in(2) {
            true => [assertions[at], formula],
            false => [formula, assertions[at]],
        };
        let Ok(both) = store.op(core::AND, &sides) else { continue };
        let site = Site { assertion: at, path: Vec::new() };
        steps.push(TraceStep::take(store, &mut assertions, rule.to_owned(), site, both));
    }
    match steps.is_empty() {
        true => Err(MakeError::Unsuitable("no term of it has a value to keep to".to_owned())),
        false => Ok((assertions, steps)),
    }
}

/// Whether a term has no bound variables, is more than a value, and has values that can be written.
fn is_open(store: &Store, term: TermId) -> bool {
    let plain = match store.get(term) {
        Term::App(func, args) => {
            !args.is_empty() || matches!(store.func(func), assay_term::Func::Declared { .. })
        }
        _ => false,
    };
    let sort = store.sorts.get(store.sort(term));
    plain && !store.mentions_variables(term) && !matches!(sort, Sort::RegLan | Sort::Fun(..))
}

/// A formula about a term that holds where the term has this value, and what it is.
fn narrowed(
    store: &mut Store,
    draw: &mut Draw,
    term: TermId,
    value: &Value,
) -> Option<(&'static str, TermId)> {
    if let Value::Bool(truth) = value {
        let formula = if *truth { term } else { store.op(core::NOT, &[term]).ok()? };
        return Some(("cube", formula));
    }
    match draw.below(4) {
        0 => {
            let other = random_value(draw.rng(), store, store.sort(term))?;
            let other = (other != *value).then(|| store.value(&other)).flatten()?;
            Some(("apart", store.op(core::DISTINCT, &[term, other]).ok()?))
        }
        1 => {
            let value = store.value(value)?;
            Some(("cube", store.op(core::EQ, &[term, value]).ok()?))
        }
        _ => Some(("bounds", bounds(store, draw, term, value)?)),
    }
}

/// A range that a value is in; for values with parts, one of them.
fn bounds(store: &mut Store, draw: &mut Draw, term: TermId, value: &Value) -> Option<TermId> {
    let between = |store: &mut Store, op: Op, [low, high]: [Value; 2]| {
        let (low, high) = (store.value(&low)?, store.value(&high)?);
        let above = store.op(op, &[low, term]).ok()?;
        let below = store.op(op, &[term, high]).ok()?;
        store.op(core::AND, &[above, below]).ok()
    };
    let [down, up] = [draw.below(DISTANCE) as u64, draw.below(DISTANCE) as u64];
    match value {
        Value::Int(n) => {
            let ends = [n - &Int::from(down as i64), n + &Int::from(up as i64)];
            between(store, ints::LE, ends.map(Value::Int))
        }
        Value::Real(x) => {
            let step = |n: u64| BigRational::from_integer(n.into());
            let ends = [x.as_ref() - step(down), x.as_ref() + step(up)];
            between(store, ints::LE, ends.map(Value::rational))
        }
        Value::BitVec(bits) => {
            let all = BitVec::ones(bits.width()).to_big();
            let number = bits.to_big();
            let low = if number < down.into() { 0u8.into() } else { &number - down };
            let high = (&number + up).min(all);
            let ends = [low, high].map(|end| BitVec::from_big(bits.width(), &end));
            between(store, bv::ULE, ends.map(Value::BitVec))
        }
        Value::Str(text) => {
            let length = store.op(strings::LEN, &[term]).ok()?;
            let count = store.int(&Int::from(text.len() as i64));
            store.op(core::EQ, &[length, count]).ok()
        }
        Value::Seq(_, items) => {
            let length = store.op(seq::LEN, &[term]).ok()?;
            let count = store.int(&Int::from(items.len() as i64));
            store.op(core::EQ, &[length, count]).ok()
        }
        Value::Array(_) => element(store, draw, term, value),
        _ => {
            let value = store.value(value)?;
            store.op(core::EQ, &[term, value]).ok()
        }
    }
}

/// What an array has at some index.
fn element(store: &mut Store, draw: &mut Draw, term: TermId, array: &Value) -> Option<TermId> {
    let (index, _): (SortId, SortId) = store.array_sorts(store.sort(term))?;
    let at = random_value(draw.rng(), store, index)?;
    let (array, at) = (store.value(array)?, store.value(&at)?);
    let nothing = Model::new();
    let known = store.op(arrays::SELECT, &[array, at]).ok()?;
    let known = Evaluator::new(store, &nothing).with_limits(SMALL).eval(known).ok()?;
    let known = store.value(&known)?;
    let selected = store.op(arrays::SELECT, &[term, at]).ok()?;
    store.op(core::EQ, &[selected, known]).ok()
}

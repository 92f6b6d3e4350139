//! Decides whether a model can be completed to one that satisfies a formula.
//!
//! A solver need not print values that the standard leaves open (`x/0`, a field of another
//! constructor): its model is right if *some* choice satisfies the formula. Choices are therefore
//! searched for; if none is found, the answer is unknown, never false.

use super::{EvalContext, Evaluator, Limits, Unknown};
use crate::bitvec::BitVec;
use crate::budget::Budget;
use crate::int::Int;
use crate::model::{Interpretation, Model};
use crate::op::Op;
use crate::sort::SortId;
use crate::term::{Store, Term, TermId};
use crate::value::Value;
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// An application that the standard and the model leave open.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Gap {
    pub(super) op: Op,
    pub(super) sort: SortId,
    pub(super) args: Box<[Value]>,
}

/// The maximum number of evaluations of the whole formula in a search.
const MOST_TRIALS: usize = 400;

/// The maximum number of values that are tried for one gap.
const MOST_CANDIDATES: usize = 40;

/// The truth of each assertion under the model, with its gaps filled: if some choice makes every
/// assertion true, all are true. An assertion that is false for every choice is false; if choices
/// matter and none was found, it is unknown.
#[must_use]
pub fn satisfies(store: &Store, model: &Model, assertions: &[TermId]) -> Satisfaction {
    let mut budget = Budget::new(Limits::default().steps, u64::MAX);
    satisfies_within(store, model, assertions, &mut budget)
}

/// The same under a budget for all evaluations of all assertions together. If it runs out before an
/// assertion is decided, that one is unknown.
#[must_use]
pub fn satisfies_within(
    store: &Store,
    model: &Model,
    assertions: &[TermId],
    budget: &mut Budget,
) -> Satisfaction {
    let mut evaluator = Evaluator::new(store, model).with_budget(budget.clone());
    let certain: Vec<_> = assertions.iter().map(|&a| evaluator.holds(a)).collect();
    *budget = evaluator.into_budget();
    if certain.contains(&Ok(false)) || certain.iter().all(Result::is_ok) {
        return Satisfaction { values: certain, completed: None };
    }
    let first = Trial::run(store, model, assertions, budget);
    if first.all_true() {
        return Satisfaction { values: first.values, completed: None };
    }
    let candidates = FxHashMap::default();
    let search = Search { store, model, assertions, candidates, left: MOST_TRIALS, budget };
    search.run(&first).unwrap_or(Satisfaction { values: certain, completed: None })
}

/// Whether some assertion is false for all results that the standard and the model leave open.
/// Every choice is tried; if there are too many, or infinitely many, the answer is no.
#[must_use]
pub fn refutes_within(
    store: &Store,
    model: &Model,
    assertions: &[TermId],
    budget: &mut Budget,
) -> bool {
    let cx = EvalContext::new(store, model);
    let mut open: Vec<FxHashMap<Gap, Value>> = vec![FxHashMap::default()];
    let mut left = MOST_TRIALS;
    while let Some(choices) = open.pop() {
        let mut evaluator = Evaluator::new(store, model).with_budget(budget.clone());
        evaluator = evaluator.choosing(choices.clone());
        let is_false = assertions.iter().any(|&a| evaluator.holds(a) == Ok(false));
        let gap = evaluator.take_gaps().into_iter().next();
        *budget = evaluator.into_budget();
        if is_false {
            continue;
        }
        let Some(gap) = gap else { return false };
        let allowed = gap.op.row().open.and_then(|a| a.all(&cx, gap.sort, &gap.args, MOST_CHOICES));
        let Some(results) = allowed.filter(|results| results.len() <= left) else { return false };
        left -= results.len();
        for result in results {
            let mut longer = choices.clone();
            longer.insert(gap.clone(), result);
            open.push(longer);
        }
    }
    true
}

/// The maximum number of results of one application for which all are tried.
const MOST_CHOICES: u64 = 64;

/// The result of evaluating a formula under a model.
#[derive(Clone, Debug)]
pub struct Satisfaction {
    /// The truth of each assertion, or why it is unknown.
    pub values: Vec<Result<bool, Unknown>>,
    /// The model with choices for its gaps, if choices other than the defaults of
    /// [`Evaluator::completing`] were needed.
    pub completed: Option<Model>,
}

/// One evaluation of all assertions.
struct Trial {
    values: Vec<Result<bool, Unknown>>,
    gaps: Vec<Gap>,
}

impl Trial {
    fn run(store: &Store, model: &Model, assertions: &[TermId], budget: &mut Budget) -> Trial {
        let mut evaluator = Evaluator::new(store, model).with_budget(budget.clone()).completing();
        let values = assertions.iter().map(|&assertion| evaluator.holds(assertion)).collect();
        let gaps = evaluator.take_gaps();
        *budget = evaluator.into_budget();
        Trial { values, gaps }
    }

    fn all_true(&self) -> bool {
        self.score() == self.values.len()
    }

    fn score(&self) -> usize {
        self.values.iter().filter(|value| **value == Ok(true)).count()
    }
}

/// Changes one gap at a time, keeping what makes more assertions true.
struct Search<'a> {
    store: &'a Store,
    model: &'a Model,
    assertions: &'a [TermId],
    candidates: FxHashMap<SortId, Vec<Value>>,
    left: usize,
    budget: &'a mut Budget,
}

impl Search<'_> {
    fn run(mut self, first: &Trial) -> Option<Satisfaction> {
        let mut chosen: FxHashMap<Gap, Value> = FxHashMap::default();
        let mut gaps = first.gaps.clone();
        let mut best = first.score();
        let mut at = 0;
        while at < gaps.len() {
            let gap = gaps[at].clone();
            at += 1;
            for value in self.results(&gap) {
                self.left = self.left.checked_sub(1)?;
                self.budget.spend(1).ok()?;
                let before = chosen.insert(gap.clone(), value);
                let model = self.with(&chosen);
                let trial = Trial::run(self.store, &model, self.assertions, self.budget);
                if trial.all_true() {
                    return Some(Satisfaction { values: trial.values, completed: Some(model) });
                }
                if trial.score() > best {
                    // A better choice may open new gaps and make old alternatives useful again.
                    best = trial.score();
                    gaps.extend(trial.gaps.into_iter().filter(|new| !chosen.contains_key(new)));
                    gaps.push(gap.clone());
                    break;
                }
                match before {
                    Some(value) => chosen.insert(gap.clone(), value),
                    None => chosen.remove(&gap),
                };
            }
        }
        None
    }

    /// The model with the chosen values.
    fn with(&self, chosen: &FxHashMap<Gap, Value>) -> Model {
        type Entries = FxHashMap<Box<[Value]>, Value>;
        let mut tables: FxHashMap<(Op, SortId), Entries> = FxHashMap::default();
        for (gap, value) in chosen {
            let table = tables.entry((gap.op, gap.sort)).or_default();
            table.insert(gap.args.clone(), value.clone());
        }
        let mut model = self.model.clone();
        let cx = EvalContext::new(self.store, self.model);
        for ((op, sort), entries) in tables {
            let some = entries
                .keys()
                .next()
                .and_then(|args| op.row().open?.examples(&cx, sort, args).into_iter().next());
            if let Some(default) = some {
                model.set_open(op, sort, Interpretation::Table { entries, default });
            }
        }
        model
    }

    /// Allowed results for one gap that are worth trying.
    fn results(&mut self, gap: &Gap) -> Vec<Value> {
        let Some(allowed) = gap.op.row().open else { return Vec::new() };
        let cx = EvalContext::new(self.store, self.model);
        let mut found = allowed.examples(&cx, gap.sort, &gap.args);
        let mentioned = self.candidates(gap.sort).into_iter();
        let others = mentioned.filter(|value| allowed.allows(&gap.args, value));
        for value in others {
            if !found.contains(&value) {
                found.push(value);
            }
        }
        found
    }

    /// Values of a sort that are worth trying: those in the formula and the model and, for numbers
    /// and bit-vectors, their neighbors.
    fn candidates(&mut self, sort: SortId) -> Vec<Value> {
        if let Some(known) = self.candidates.get(&sort) {
            return known.clone();
        }
        let mut found: BTreeSet<Value> = BTreeSet::new();
        let mut evaluator = Evaluator::new(self.store, self.model).with_budget(self.budget.clone());
        for term in self.store.postorder(self.assertions) {
            let ground = self.store.sort(term) == sort && !self.store.mentions_variables(term);
            let small = matches!(self.store.get(term), Term::Literal(_) | Term::App(..));
            if ground && small && found.len() < MOST_CANDIDATES {
                found.extend(evaluator.eval(term));
            }
        }
        *self.budget = evaluator.into_budget();
        found.extend(EvalContext::new(self.store, self.model).default_value(sort));
        let neighbours: Vec<Value> = found.iter().flat_map(neighbours).collect();
        found.extend(neighbours);
        let values: Vec<Value> = found.into_iter().take(MOST_CANDIDATES).collect();
        self.candidates.insert(sort, values.clone());
        values
    }
}

fn neighbours(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(n) => vec![Value::Int(n + &Int::ONE), Value::Int(n - &Int::ONE), Value::Int(-n)],
        Value::Real(x) => {
            let one = BigRational::one();
            let (up, down) = (x.as_ref() + &one, x.as_ref() - &one);
            vec![Value::rational(up), Value::rational(down), Value::rational(-x.as_ref())]
        }
        Value::BitVec(bits) => {
            let one = BitVec::from_u64(bits.width(), 1);
            let most_negative = BitVec::min_signed(bits.width());
            [bits.add(&one), bits.sub(&one), bits.not(), most_negative].map(Value::from).into()
        }
        Value::Float(float) => vec![float.neg().into()],
        _ => Vec::new(),
    }
}

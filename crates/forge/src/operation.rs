//! An operation of a suite: an operator of the table (or a symbol of the prelude) at fixed sorts, and
//! its results on the constants of the pools.

use crate::history::Made;
use crate::languages::Representatives;
use crate::spec::OperationSpec;
use crate::theory::{Constant, LIMITS, Theory};
use assay_term::{Evaluator, FuncId, Interpretation, Model, SortId, TermId, Value};
use rustc_hash::FxHashMap;
use std::sync::OnceLock;

/// The head of an application.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    /// The function.
    pub(crate) func: FuncId,
    /// The sort of `(as f sort)`, if it is needed.
    pub(crate) ascribed: Option<SortId>,
    /// The sort of the application.
    pub(crate) result: SortId,
}

/// Operations that reports count together.
pub(crate) struct Group {
    /// Its name.
    pub(crate) name: String,
    /// The operations: the same at several sorts or indices.
    pub(crate) members: Vec<usize>,
    /// The required result, if the two results have separate groups.
    pub(crate) truth: Option<bool>,
}

impl Group {
    pub(crate) fn new(name: &str, members: Vec<usize>, truth: Option<bool>) -> Group {
        Group { name: name.into(), members, truth }
    }
}

/// An operator at fixed sorts.
pub(crate) struct Operation {
    /// Its name in the suite.
    pub(crate) name: String,
    /// Its name if the result is fixed to false.
    pub(crate) negated: Option<String>,
    pub(crate) head: Head,
    pub(crate) params: Vec<SortId>,
    pub(crate) result: SortId,
    /// The variables that `template` applies it to.
    vars: Vec<FuncId>,
    template: TermId,
    results: OnceLock<Option<Box<[u32]>>>,
    /// Its applications to constants of the short pools.
    pub(crate) short: OnceLock<Vec<Made>>,
}

/// The result of an operation on a tuple of constants. Outcomes of one operation can be compared.
#[derive(Clone, Debug)]
pub(crate) enum OperationResult {
    /// The value with this index among those of the operation.
    Class(u32),
    /// This value.
    Value(Value),
}

/// Outcomes are cached for operations with at most this many tuples, in 4 bytes each.
const REMEMBERED: u128 = 1 << 16;

const UNDEFINED: u32 = 0;
const FALSE: u32 = 1;
const TRUE: u32 = 2;

impl OperationResult {
    pub(crate) fn truth(&self) -> Option<bool> {
        match self {
            OperationResult::Class(class) => Some(*class == TRUE),
            OperationResult::Value(value) => value.as_bool(),
        }
    }

    /// Whether it is the same as another result of the operation.
    pub(crate) fn is(&self, other: &OperationResult, theory: &Theory) -> bool {
        match (self, other) {
            (OperationResult::Class(a), OperationResult::Class(b)) => a == b,
            (OperationResult::Value(a), OperationResult::Value(b)) => {
                a == b || matches!(a, Value::RegLan(_)) && theory.equal(a, b)
            }
            _ => false,
        }
    }
}

impl Operation {
    pub(crate) fn new(
        spec: &OperationSpec,
        head: Head,
        params: Vec<SortId>,
        result: SortId,
        vars: Vec<FuncId>,
        template: TermId,
    ) -> Operation {
        Operation {
            name: spec.name.clone(),
            negated: spec.negated.clone(),
            head,
            params,
            result,
            vars,
            template,
            results: OnceLock::new(),
            short: OnceLock::new(),
        }
    }

    /// Its name if it yields this value.
    pub(crate) fn name_for(&self, value: &Value) -> &str {
        match &self.negated {
            Some(negated) if *value == Value::Bool(false) => negated,
            _ => &self.name,
        }
    }

    /// Its result; `None` if that is open, unknown, or cannot be written.
    pub(crate) fn eval<'v>(
        &self,
        theory: &Theory,
        args: impl IntoIterator<Item = &'v Value>,
    ) -> Option<Value> {
        self.eval_in(theory, &mut theory.model.clone(), args)
    }

    fn eval_in<'v>(
        &self,
        theory: &Theory,
        model: &mut Model,
        args: impl IntoIterator<Item = &'v Value>,
    ) -> Option<Value> {
        for (&var, value) in self.vars.iter().zip(args) {
            model.set(var, Interpretation::Value(value.clone()));
        }
        let value =
            Evaluator::new(&theory.store, model).with_limits(LIMITS).eval(self.template).ok()?;
        let nameless =
            matches!(value, Value::Element(..)) && theory.constant(self.result, &value).is_none();
        (!nameless).then_some(value)
    }

    /// The number of tuples of constants.
    pub(crate) fn tuples(&self, theory: &Theory) -> u128 {
        let pools = self.params.iter().map(|&sort| theory.pool(sort).full.len() as u128);
        pools.fold(1, u128::saturating_mul)
    }

    /// The tuple of constants with this number; the last one varies fastest.
    pub(crate) fn tuple<'t>(&self, theory: &'t Theory, mut number: u128) -> Vec<&'t Constant> {
        let mut tuple: Vec<&Constant> = Vec::with_capacity(self.params.len());
        for &sort in self.params.iter().rev() {
            let pool = &theory.pool(sort).full;
            tuple.push(&pool[(number % pool.len() as u128) as usize]);
            number /= pool.len() as u128;
        }
        tuple.reverse();
        tuple
    }

    /// Its result on the tuple with this number.
    pub(crate) fn result_on(&self, theory: &Theory, number: u128) -> Option<OperationResult> {
        match self.results.get_or_init(|| self.all_results(theory)) {
            Some(classes) => match classes[number as usize] {
                UNDEFINED => None,
                class => Some(OperationResult::Class(class)),
            },
            None => {
                let tuple = self.tuple(theory, number);
                self.eval(theory, tuple.iter().map(|c| &c.value)).map(OperationResult::Value)
            }
        }
    }

    /// The first tuple on which it has a result.
    pub(crate) fn first(&self, theory: &Theory) -> Option<u128> {
        (0..self.tuples(theory)).find(|&number| self.result_on(theory, number).is_some())
    }

    fn all_results(&self, theory: &Theory) -> Option<Box<[u32]>> {
        let tuples = self.tuples(theory);
        if tuples > REMEMBERED {
            return None;
        }
        let mut classes: FxHashMap<Value, u32> = FxHashMap::default();
        classes.insert(Value::Bool(false), FALSE);
        classes.insert(Value::Bool(true), TRUE);
        let (mut model, mut languages) = (theory.model.clone(), Representatives::default());
        let results = (0..tuples).map(|number| {
            let tuple = self.tuple(theory, number);
            let value = self.eval_in(theory, &mut model, tuple.iter().map(|c| &c.value));
            let value = value.map(|value| languages.of(theory, value));
            let next = classes.len() as u32 + 1;
            value.map_or(UNDEFINED, |value| *classes.entry(value).or_insert(next))
        });
        Some(results.collect())
    }
}

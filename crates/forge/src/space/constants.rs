//! Constant assignment: an operation on constants of the pools and its result, some of which become
//! variables. Two cases are the same if the same slots are variables and the others have the same
//! constants.

use super::Space;
use crate::equation::{Equation, Tree, build};
use crate::languages::simplified;
use crate::operation::{Operation, OperationResult};
use crate::theory::Theory;
use assay_term::{SortId, Value};

/// The assignments of one operation. Slots are its arguments and, last, its result.
///
/// A number encodes a set of slots that become variables, the largest sets first, and a tuple of
/// constants.
pub(super) struct Assignments {
    operation: usize,
    /// The required result, if the two results have separate groups.
    truth: Option<bool>,
    /// Sets of slots, one bit each.
    sets: Vec<u32>,
    /// The distance between tuples that differ by one in this argument, and its number of values.
    strides: Vec<(u128, u128)>,
    tuples: u128,
}

impl Assignments {
    pub(super) fn new(theory: &Theory, operation: usize, truth: Option<bool>) -> Assignments {
        let op = &theory.operations[operation];
        let slots = op.params.iter().chain([&op.result]);
        let vary: Vec<bool> = slots.map(|&sort| theory.may_vary(sort)).collect();
        let all = (1u32 << vary.len()) - 1;
        let fixed = |set: u32| vary.iter().enumerate().any(|(i, &may)| !may && set >> i & 1 == 1);
        // With a variable in every slot, it is the case of the category `operation`.
        let mut sets: Vec<u32> = (0..all).filter(|&set| !fixed(set)).collect();
        sets.sort_by_key(|set| (std::cmp::Reverse(set.count_ones()), *set));
        let mut strides = Vec::new();
        let mut stride = 1u128;
        for &sort in op.params.iter().rev() {
            let len = theory.pool(sort).full.len() as u128;
            strides.push((stride, len));
            stride = stride.saturating_mul(len);
        }
        strides.reverse();
        Assignments { operation, truth, sets, strides, tuples: op.tuples(theory) }
    }

    fn decode(&self, number: u128) -> (u32, u128) {
        (self.sets[(number / self.tuples) as usize], number % self.tuples)
    }

    /// If some slots can only be constants, that case is an assignment too.
    fn repeats_operation(&self, theory: &Theory, set: u32, tuple: u128) -> bool {
        let op = &theory.operations[self.operation];
        let result = op.params.len();
        let varies = |slot: usize| set >> slot & 1 == 1;
        let may_vary = |slot: usize| theory.may_vary(*op.params.get(slot).unwrap_or(&op.result));
        if set == 0 || (0..=result).any(|slot| may_vary(slot) != varies(slot)) {
            return false;
        }
        let Some(first) = op.first(theory) else {
            return false;
        };
        let agree = |slot: usize| {
            let (stride, len) = self.strides[slot];
            varies(slot) || tuple / stride % len == first / stride % len
        };
        let same_result = || {
            let results = [tuple, first].map(|at| op.result_on(theory, at));
            matches!(&results, [Some(a), Some(b)] if a.is(b, theory))
        };
        (0..result).all(agree) && (varies(result) || same_result())
    }

    /// Whether both sides are the same regular language, written alike. Then there is nothing to solve.
    fn is_identity(&self, theory: &Theory, set: u32, tuple: u128) -> bool {
        let operation = &theory.operations[self.operation];
        // With a variable, the sides differ.
        set == 0
            && operation.result == SortId::REGLAN
            && assign(theory, operation, |_| false, tuple).is_some_and(|equation| {
                let mut store = theory.store.clone();
                let sides = [&equation.left, &equation.right];
                let [left, right] = sides.map(|tree| build(&mut store, tree, &[]));
                left == right
            })
    }

    /// The tuples that agree with `tuple` outside of the slots in `set`, in order.
    fn completions(&self, set: u32, tuple: u128) -> impl Iterator<Item = u128> {
        let free: Vec<(u128, u128)> = self
            .strides
            .iter()
            .enumerate()
            .filter(|(i, _)| set >> i & 1 == 1)
            .map(|(_, &stride)| stride)
            .collect();
        let base =
            free.iter().fold(tuple, |rest, &(stride, len)| rest - tuple / stride % len * stride);
        let count: u128 = free.iter().map(|&(_, len)| len).product();
        (0..count).map(move |mut number| {
            let mut completion = base;
            for &(stride, len) in free.iter().rev() {
                completion += number % len * stride;
                number /= len;
            }
            completion
        })
    }
}

impl Space for Assignments {
    fn size(&self) -> u128 {
        self.tuples.saturating_mul(self.sets.len() as u128)
    }

    fn contains(&self, theory: &Theory, number: u128) -> bool {
        let operation = &theory.operations[self.operation];
        let (set, tuple) = self.decode(number);
        let Some(yielded) = operation.result_on(theory, tuple) else {
            return false;
        };
        if self.truth.is_some() && yielded.truth() != self.truth {
            return false;
        }
        if self.repeats_operation(theory, set, tuple) || self.is_identity(theory, set, tuple) {
            return false;
        }
        let open = set >> operation.params.len() & 1 == 1;
        // The same with a variable for the result belongs to the group in which it is true.
        let shared = open && self.truth == Some(false);
        let same = |other: &OperationResult| match self.truth {
            Some(truth) => shared && other.truth() == Some(true) || other.truth() == Some(truth),
            None => open || other.is(&yielded, theory),
        };
        for other in self.completions(set, tuple) {
            if other >= tuple && !shared {
                break;
            }
            let Some(found) = operation.result_on(theory, other) else {
                continue;
            };
            if same(&found) && (other < tuple || found.truth() == Some(true)) {
                return false;
            }
        }
        true
    }

    fn equation(&self, theory: &Theory, number: u128) -> Option<Equation> {
        let (set, tuple) = self.decode(number);
        let operation = &theory.operations[self.operation];
        let mut equation = assign(theory, operation, |slot| set >> slot & 1 == 1, tuple)?;
        if self.truth == Some(false) {
            equation.rules = operation.negated.iter().cloned().collect();
        }
        Some(equation)
    }
}

/// An operation on a tuple of constants and its result, with variables in some slots if the sort
/// allows it.
pub(super) fn assign(
    theory: &Theory,
    operation: &Operation,
    varies: impl Fn(usize) -> bool,
    tuple: u128,
) -> Option<Equation> {
    let tuple = operation.tuple(theory, tuple);
    let result = operation.eval(theory, tuple.iter().map(|constant| &constant.value))?;
    let mut variables: Vec<(SortId, Value)> = Vec::new();
    let mut slot = |slot: usize, sort: SortId, value: &Value, constant: Tree| {
        if !varies(slot) || !theory.may_vary(sort) {
            return constant;
        }
        variables.push((sort, value.clone()));
        Tree::Variable(variables.len() - 1)
    };
    let args = tuple.iter().enumerate().map(|(i, constant)| {
        slot(i, constant.sort, &constant.value, Tree::Constant((*constant).clone()))
    });
    let left = Tree::Apply(operation.head, args.collect());
    let written = match &result {
        Value::RegLan(language) => Value::RegLan(simplified(theory, language)),
        _ => result.clone(),
    };
    let written = match theory.constant(operation.result, &written) {
        Some(constant) => Tree::Constant(constant.clone()),
        None => Tree::Value(written),
    };
    let right = slot(operation.params.len(), operation.result, &result, written);
    Some(Equation { left, right, variables, rules: vec![operation.name.clone()] })
}

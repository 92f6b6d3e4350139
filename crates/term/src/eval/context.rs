//! The context of an operator's evaluation: the sorts, the model, the limits, and equality.

use super::Unknown;
use crate::bitvec::BitVec;
use crate::budget::{Budget, Exhausted, as_steps};
use crate::float::{Float, RoundingMode, Sign};
use crate::int::Int;
use crate::model::Model;
use crate::regex;
use crate::sort::{Cardinality, Sort, SortId};
use crate::term::Store;
use crate::theories::nullables;
use crate::value::{ArrayValue, DataValue, Default, Entries, MAX_DEPTH, Value};
use num_bigint::BigUint;
use rustc_hash::FxHashMap;
use std::cell::Cell;
use std::sync::Arc;
use std::time::Instant;

/// Limits of evaluation, beyond which a value is unknown.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Steps of the machine.
    pub steps: u64,
    /// Instances of one quantifier.
    pub instances: u64,
    /// Work on regular languages.
    pub regex: u64,
    /// Length of a string or sequence.
    pub length: usize,
    /// Bits of an integer.
    pub bits: u64,
}

impl std::default::Default for Limits {
    fn default() -> Limits {
        Limits {
            steps: 50_000_000,
            instances: 65_536,
            regex: 1_000_000,
            length: 1 << 22,
            bits: 1 << 22,
        }
    }
}

/// The state of a search for default values.
#[derive(std::default::Default)]
struct Defaults {
    known: FxHashMap<SortId, Value>,
    open: Vec<SortId>,
    tried: usize,
}

/// The maximum nesting, and the maximum number, of datatypes in a search for a default value.
const MOST_OPEN: usize = 250;
const MOST_TRIED: usize = 10_000;

/// The maximum size of values in a sort that is enumerated.
const MOST_PARTS: usize = 1 << 16;

/// The context of one evaluation.
pub struct EvalContext<'a> {
    /// The terms and sorts.
    pub store: &'a Store,
    /// The meaning of symbols.
    pub model: &'a Model,
    /// The limits.
    pub limits: Limits,
    /// The deadline of the evaluation.
    pub(super) deadline: Option<Instant>,
    /// Steps that operators took beyond one per application, to be charged by the machine.
    work: Cell<u64>,
}

impl<'a> EvalContext<'a> {
    /// A context with the default limits.
    #[must_use]
    pub fn new(store: &'a Store, model: &'a Model) -> EvalContext<'a> {
        let (deadline, work) = (None, Cell::new(0));
        EvalContext { store, model, limits: Limits::default(), deadline, work }
    }

    /// Records work of an operator beyond the cost of every application.
    pub fn charge(&self, steps: usize) {
        self.work.set(self.work.get().saturating_add(as_steps(steps)));
    }

    /// The work recorded since the last call.
    pub(super) fn take_work(&self) -> u64 {
        self.work.take()
    }

    /// Answers one question about regular languages with a budget of its own. A memory cell costs a
    /// step, so one number limits both.
    ///
    /// # Errors
    /// Fails if the budget is used up.
    pub fn within_budget<T>(
        &self,
        question: impl FnOnce(&mut Budget) -> Result<T, Exhausted>,
    ) -> Result<T, Unknown> {
        let mut budget = Budget::new(self.limits.regex, self.limits.regex);
        if let Some(deadline) = self.deadline {
            budget = budget.until(deadline);
        }
        let answer = question(&mut budget);
        self.work.set(self.work.get().saturating_add(self.limits.regex - budget.steps_left()));
        answer.map_err(|exhausted| match exhausted {
            Exhausted::Time => Unknown::TIME,
            Exhausted::Steps | Exhausted::Space => Unknown::Limit("work on regular languages"),
        })
    }

    /// Whether two values of one sort are equal.
    ///
    /// # Errors
    /// Fails if the limits or the model leave it undecided.
    pub fn equal(&self, a: &Value, b: &Value) -> Result<bool, Unknown> {
        match (a, b) {
            (Value::RegLan(x), Value::RegLan(y)) => {
                if x == y {
                    return Ok(true);
                }
                self.within_budget(|budget| x.equivalent(y, budget))
            }
            (Value::Array(x), Value::Array(y)) => self.arrays_equal(x, y),
            (Value::Seq(_, x), Value::Seq(_, y)) => {
                if x.len() != y.len() {
                    Ok(false)
                } else {
                    self.all_equal(x, y)
                }
            }
            (Value::Data(x), Value::Data(y)) => {
                if x.constructor == y.constructor {
                    self.all_equal(&x.fields, &y.fields)
                } else {
                    Ok(false)
                }
            }
            _ => Ok(a == b),
        }
    }

    /// Whether two lists of the same length are equal. One certain difference decides, even if
    /// another position is unknown.
    fn all_equal(&self, xs: &[Value], ys: &[Value]) -> Result<bool, Unknown> {
        self.charge(xs.len());
        let mut unknown = None;
        for (x, y) in xs.iter().zip(ys) {
            match self.equal(x, y) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(reason) => unknown = unknown.or(Some(reason)),
            }
        }
        unknown.map_or(Ok(true), Err)
    }

    /// Whether equality with this value is structural: it contains no regular language, no closure,
    /// and no array over a sort of unknown size.
    #[must_use]
    pub fn is_structural(&self, value: &Value) -> bool {
        match value {
            Value::RegLan(_) => false,
            Value::Array(array) => {
                self.charge(array.entries.len());
                let known_size = self
                    .store
                    .map_sorts(array.sort)
                    .is_some_and(|(index, _)| self.cardinality(index) != Cardinality::Open);
                known_size
                    && matches!(&array.default, Default::Element(v) if self.is_structural(v))
                    && array
                        .entries
                        .iter()
                        .all(|(i, e)| self.is_structural(i) && self.is_structural(e))
            }
            Value::Seq(_, items) | Value::Set(_, items) => {
                items.iter().all(|item| self.is_structural(item))
            }
            Value::Bag(_, items) => items.iter().all(|(item, _)| self.is_structural(item)),
            Value::Data(data) => data.fields.iter().all(|field| self.is_structural(field)),
            _ => true,
        }
    }

    /// The number of values of a sort, with the universes of the model.
    #[must_use]
    pub fn cardinality(&self, sort: SortId) -> Cardinality {
        let universe = |s| self.model.universe(s).map(|elements| elements.len() as u64);
        self.store.sorts.cardinality(sort, &universe)
    }

    /// A value of a datatype.
    ///
    /// # Errors
    /// Fails if it is nested too deeply.
    pub fn data(&self, sort: SortId, constructor: u32, fields: &[Value]) -> Result<Value, Unknown> {
        let data = Value::Data(Arc::new(DataValue::new(sort, constructor, fields.into())));
        if data.depth() > MAX_DEPTH {
            return Err(Unknown::Limit("nested values"));
        }
        Ok(data)
    }

    /// All values of a sort, if there are at most `limit`.
    #[must_use]
    pub fn enumerate(&self, sort: SortId, limit: u64) -> Option<Vec<Value>> {
        self.enumerate_within(sort, limit, &mut FxHashMap::default())
    }

    fn enumerate_within(
        &self,
        sort: SortId,
        limit: u64,
        known: &mut FxHashMap<SortId, Vec<Value>>,
    ) -> Option<Vec<Value>> {
        match self.cardinality(sort) {
            Cardinality::Finite(n) if n <= limit => {}
            _ => return None,
        }
        if let Some(values) = known.get(&sort) {
            return Some(values.clone());
        }
        let values = self.enumerate_new(sort, limit, known)?;
        // Values with shared parts may be exponentially large.
        if values.iter().any(|value| value.parts(MOST_PARTS).is_none()) {
            return None;
        }
        known.insert(sort, values.clone());
        Some(values)
    }

    fn enumerate_new(
        &self,
        sort: SortId,
        limit: u64,
        known: &mut FxHashMap<SortId, Vec<Value>>,
    ) -> Option<Vec<Value>> {
        match self.store.sorts.get(sort) {
            Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
            Sort::RoundingMode => Some(RoundingMode::ALL.map(Value::RoundingMode).into()),
            Sort::BitVec(w) => {
                Some((0..1u64 << w).map(|n| Value::BitVec(BitVec::from_u64(*w, n))).collect())
            }
            Sort::Float(format) => {
                let mut values: Vec<Value> = (0..1u64
                    << (format.exponent_bits() + format.significand_bits()))
                    .filter_map(|n| Float::from_bits(*format, &BigUint::from(n)).map(Value::Float))
                    .collect();
                values.sort();
                values.dedup();
                Some(values)
            }
            Sort::Array(..) | Sort::Fun(..) => self.enumerate_arrays(sort, limit, known),
            Sort::FiniteField(order) => {
                let residues = 0..order.to_u64()?;
                Some(residues.map(|n| Value::Field(sort, Int::from(n))).collect())
            }
            Sort::Set(element) => {
                let elements = self.enumerate_within(*element, limit, known)?;
                Some(subsets(sort, &elements))
            }
            Sort::Tuple(parts) => {
                let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
                for &part in parts {
                    rows = product(rows, &self.enumerate_within(part, limit, known)?);
                }
                rows.iter().map(|row| self.data(sort, 0, row).ok()).collect()
            }
            Sort::Nullable(element) => {
                let null = self.data(sort, nullables::NULL_INDEX, &[]).ok();
                let elements = self.enumerate_within(*element, limit, known)?;
                let some = |value| self.data(sort, nullables::SOME_INDEX, &[value]).ok();
                std::iter::once(null).chain(elements.into_iter().map(some)).collect()
            }
            Sort::Declared(..) => match self.model.universe(sort) {
                Some(elements) => Some(elements.to_vec()),
                None => self.enumerate_data(sort, limit, known),
            },
            _ => None,
        }
    }

    fn enumerate_data(
        &self,
        sort: SortId,
        limit: u64,
        known: &mut FxHashMap<SortId, Vec<Value>>,
    ) -> Option<Vec<Value>> {
        let (_, datatype, args) = self.store.sorts.datatype(sort)?;
        let mut values = Vec::new();
        for (index, constructor) in datatype.constructors.iter().enumerate() {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for &(_, field) in &constructor.fields {
                let field = self.store.sorts.resolve(field, &datatype.params, args)?;
                rows = product(rows, &self.enumerate_within(field, limit, known)?);
            }
            for row in rows {
                values.push(self.data(sort, index as u32, &row).ok()?);
            }
        }
        Some(values)
    }

    fn enumerate_arrays(
        &self,
        sort: SortId,
        limit: u64,
        known: &mut FxHashMap<SortId, Vec<Value>>,
    ) -> Option<Vec<Value>> {
        let (index, element) = self.store.map_sorts(sort)?;
        let elements = self.enumerate_within(element, limit, known)?;
        let Some(indices) = self.enumerate_within(index, limit, known) else {
            // Finite even if the index sort is infinite: there is only one element.
            let [only] = elements.as_slice() else {
                return None;
            };
            let default = Default::Element(only.clone());
            let entries = Entries::new();
            return Some(vec![Value::Array(Arc::new(ArrayValue { sort, default, entries }))]);
        };
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for _ in &indices {
            rows = product(rows, &elements);
        }
        let build = |row: Vec<Value>| {
            self.make_array(sort, elements[0].clone(), indices.iter().cloned().zip(row))
        };
        Some(rows.into_iter().map(build).collect())
    }

    /// The simplest value of a sort.
    #[must_use]
    pub fn default_value(&self, sort: SortId) -> Option<Value> {
        self.default_within(sort, &mut Defaults::default())
    }

    fn default_within(&self, sort: SortId, found: &mut Defaults) -> Option<Value> {
        Some(match self.store.sorts.get(sort) {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(Int::ZERO),
            Sort::Real => Value::rational(num_traits::Zero::zero()),
            Sort::RoundingMode => Value::RoundingMode(RoundingMode::NearestEven),
            Sort::String => Value::Str(Arc::new([])),
            Sort::RegLan => Value::RegLan(regex::RegLan::none()),
            Sort::BitVec(w) => Value::BitVec(BitVec::from_u64(*w, 0)),
            Sort::Float(format) => Value::Float(Float::zero(*format, Sign::Positive)),
            Sort::Seq(_) => Value::Seq(sort, Arc::new([])),
            Sort::Array(_, element) | Sort::Fun(_, element) => {
                let default = Default::Element(self.default_within(*element, found)?);
                Value::Array(Arc::new(ArrayValue { sort, default, entries: Entries::new() }))
            }
            Sort::Declared(..) => {
                if let Some(elements) = self.model.universe(sort) {
                    return elements.first().cloned();
                }
                if let Some(value) = found.known.get(&sort) {
                    return Some(value.clone());
                }
                found.tried += 1;
                if found.open.contains(&sort)
                    || found.open.len() >= MOST_OPEN
                    || found.tried > MOST_TRIED
                {
                    return None;
                }
                found.open.push(sort);
                let value = self.default_data(sort, found);
                found.open.pop();
                found.known.insert(sort, value.clone()?);
                value?
            }
            Sort::Set(_) => Value::Set(sort, Arc::new([])),
            Sort::Bag(_) => Value::Bag(sort, Arc::new([])),
            Sort::FiniteField(_) => Value::Field(sort, Int::ZERO),
            Sort::Nullable(_) => self.data(sort, nullables::NULL_INDEX, &[]).ok()?,
            Sort::Tuple(parts) => {
                let parts: Option<Vec<Value>> =
                    parts.iter().map(|&part| self.default_within(part, found)).collect();
                self.data(sort, 0, &parts?).ok()?
            }
            Sort::Param(_) => return None,
        })
    }

    fn default_data(&self, sort: SortId, found: &mut Defaults) -> Option<Value> {
        let (_, datatype, args) = self.store.sorts.datatype(sort)?;
        datatype.constructors.iter().enumerate().find_map(|(index, constructor)| {
            let fields: Option<Vec<Value>> = constructor
                .fields
                .iter()
                .map(|&(_, field)| {
                    let field = self.store.sorts.resolve(field, &datatype.params, args)?;
                    self.default_within(field, found)
                })
                .collect();
            self.data(sort, index as u32, &fields?).ok()
        })
    }
}

/// All subsets of these distinct elements.
fn subsets(sort: SortId, elements: &[Value]) -> Vec<Value> {
    let mut sorted = elements.to_vec();
    sorted.sort();
    let chosen = |set: u64| {
        let items = sorted.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
        Value::Set(sort, items.map(|(_, item)| item.clone()).collect())
    };
    (0..1u64 << sorted.len()).map(chosen).collect()
}

/// Every row extended by every item.
fn product(rows: Vec<Vec<Value>>, items: &[Value]) -> Vec<Vec<Value>> {
    let mut longer = Vec::with_capacity(rows.len() * items.len());
    for row in rows {
        for item in items {
            let mut next = row.clone();
            next.push(item.clone());
            longer.push(next);
        }
    }
    longer
}

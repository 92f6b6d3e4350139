//! Arrays as a default and the entries that differ from it. Equality is extensional, also over
//! finite index sorts, where the entries may cover every index so that the default has no meaning.

use super::{EvalContext, Unknown};
use crate::sort::{Cardinality, SortId};
use crate::value::{ArrayValue, Closure, Default, Entries, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Steps for each level of a path that is copied or looked up.
const PATH_COST: usize = 4;

/// An array's element at an index.
pub enum Element {
    /// This value.
    Value(Value),
    /// The value of a lambda's body at that index.
    Closure(Arc<Closure>),
}

impl EvalContext<'_> {
    /// The element at an index.
    ///
    /// # Errors
    /// Fails if it is unknown whether an entry has that index.
    pub fn select(&self, array: &ArrayValue, index: &Value) -> Result<Element, Unknown> {
        match self.entry(array, index)? {
            Some((_, element)) => Ok(Element::Value(element.clone())),
            None => Ok(match &array.default {
                Default::Element(value) => Element::Value(value.clone()),
                Default::Closure(closure) => Element::Closure(closure.clone()),
            }),
        }
    }

    /// The entry at an index, under the array's own representation of it.
    fn entry<'v>(
        &self,
        array: &'v ArrayValue,
        index: &'v Value,
    ) -> Result<Option<(&'v Value, &'v Value)>, Unknown> {
        if self.is_structural(index) {
            return Ok(array.entries.get(index).map(|element| (index, element)));
        }
        self.charge(array.entries.len());
        for (known, element) in &array.entries {
            if self.equal(known, index)? {
                return Ok(Some((known, element)));
            }
        }
        Ok(None)
    }

    /// The array with one element replaced.
    ///
    /// # Errors
    /// Fails if it is unknown whether an entry has that index.
    pub fn store(
        &self,
        array: &ArrayValue,
        index: &Value,
        element: &Value,
    ) -> Result<Value, Unknown> {
        let index = self.entry(array, index)?.map_or(index, |(known, _)| known);
        self.charge(PATH_COST * (array.entries.len() + 2).ilog2() as usize);
        let sort = array.sort;
        let (default, entries) = match &array.default {
            Default::Element(default) if default == element => {
                self.canonical(sort, default.clone(), array.entries.remove(index))
            }
            Default::Element(default) => {
                let entries = array.entries.insert(index.clone(), element.clone());
                self.canonical(sort, default.clone(), entries)
            }
            Default::Closure(_) => {
                let entries = array.entries.insert(index.clone(), element.clone());
                (array.default.clone(), entries)
            }
        };
        Ok(Value::Array(Arc::new(ArrayValue { sort, default, entries })))
    }

    /// An array in canonical form; if an index occurs twice, the last element counts.
    #[must_use]
    pub fn make_array(
        &self,
        sort: SortId,
        default: Value,
        entries: impl IntoIterator<Item = (Value, Value)>,
    ) -> Value {
        let all: Entries = entries.into_iter().collect();
        let others = all.iter().filter(|(_, element)| **element != default);
        let entries = others.map(|(i, e)| (i.clone(), e.clone())).collect();
        let (default, entries) = self.canonical(sort, default, entries);
        Value::Array(Arc::new(ArrayValue { sort, default, entries }))
    }

    /// If the entries fill at least half of a finite index sort, the default becomes the most
    /// frequent element (the smallest of equals), so that equal arrays are equal structures. No
    /// entry has the default as its element.
    fn canonical(&self, sort: SortId, default: Value, entries: Entries) -> (Default, Entries) {
        let (index, _) = self.store.map_sorts(sort).expect("an array value has an array sort");
        let filled = entries.len() as u64;
        let size = match self.cardinality(index) {
            Cardinality::Finite(n) if n <= 2 * filled => n,
            _ => return (Default::Element(default), entries),
        };
        self.charge(entries.len());
        let mut frequency: BTreeMap<&Value, u64> = BTreeMap::new();
        for (_, element) in &entries {
            *frequency.entry(element).or_default() += 1;
        }
        *frequency.entry(&default).or_default() += size - filled;
        let most = frequency.values().max().copied().unwrap_or(0);
        let chosen =
            frequency.iter().find(|(_, n)| **n == most).map_or(&default, |(v, _)| *v).clone();
        if chosen == default {
            return (Default::Element(default), entries);
        }
        let Some(all) = self.enumerate(index, size) else {
            return (Default::Element(default), entries);
        };
        self.charge(all.len() * PATH_COST);
        let at = |index: Value| {
            let element = entries.get(&index).unwrap_or(&default).clone();
            (index, element)
        };
        let others = all.into_iter().map(at).filter(|(_, element)| *element != chosen);
        let entries = others.collect();
        (Default::Element(chosen), entries)
    }

    pub(super) fn arrays_equal(
        &self,
        a: &Arc<ArrayValue>,
        b: &Arc<ArrayValue>,
    ) -> Result<bool, Unknown> {
        if Arc::ptr_eq(a, b) || a == b {
            return Ok(true);
        }
        let mut unknown = None;
        let mut agree = |x: Element, y: Element| match (x, y) {
            (Element::Value(x), Element::Value(y)) => match self.equal(&x, &y) {
                Ok(equal) => equal,
                Err(reason) => {
                    unknown.get_or_insert(reason);
                    true
                }
            },
            (Element::Closure(x), Element::Closure(y)) if x == y => true,
            _ => {
                unknown.get_or_insert(Unknown::Lambda);
                true
            }
        };
        self.charge(a.entries.len() + b.entries.len());
        for (index, element) in &a.entries {
            if !agree(Element::Value(element.clone()), self.select(b, index)?) {
                return Ok(false);
            }
        }
        let mut covered = a.entries.len() as u64;
        for (index, element) in &b.entries {
            if self.entry(a, index)?.is_none() {
                covered += 1;
                if !agree(self.select(a, index)?, Element::Value(element.clone())) {
                    return Ok(false);
                }
            }
        }
        let defaults_agree = match (&a.default, &b.default) {
            (Default::Element(x), Default::Element(y)) => self.equal(x, y),
            (x, y) if x == y => Ok(true),
            _ => Err(Unknown::Lambda),
        };
        let (index, _) = self.store.map_sorts(a.sort).expect("an array value has an array sort");
        match (defaults_agree, unknown, self.cardinality(index)) {
            (_, None, Cardinality::Finite(n)) if n == covered => Ok(true),
            (Ok(true), None, _) => Ok(true),
            (Ok(false), _, Cardinality::Finite(n)) if n > covered => Ok(false),
            (Ok(false), _, Cardinality::Huge | Cardinality::Infinite) => Ok(false),
            (Ok(false), _, Cardinality::Open) => Err(Unknown::Universe(index)),
            (Err(reason), _, _) | (_, Some(reason), _) => Err(reason),
            (Ok(false), None, Cardinality::Finite(_)) => Err(Unknown::Universe(index)),
        }
    }
}

//! Arrays as a default and the entries that differ from it. Equality is extensional, also over
//! finite index sorts, where the entries may cover every index and the default then means nothing.

use super::{EvalContext, Unknown};
use crate::sort::{Cardinality, SortId};
use crate::value::{ArrayValue, Closure, Default, Value};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What an array holds at an index.
pub enum Element {
    /// This value.
    Value(Value),
    /// The value of a lambda's body at that index.
    Closure(Arc<Closure>),
}

impl EvalContext<'_> {
    /// What the array holds at an index.
    ///
    /// # Errors
    /// Where it is unknown whether an entry has that index.
    pub fn select(&self, array: &ArrayValue, index: &Value) -> Result<Element, Unknown> {
        match self.entry(array, index)? {
            Some(at) => Ok(Element::Value(array.entries[at].1.clone())),
            None => Ok(match &array.default {
                Default::Element(value) => Element::Value(value.clone()),
                Default::Closure(closure) => Element::Closure(closure.clone()),
            }),
        }
    }

    fn entry(&self, array: &ArrayValue, index: &Value) -> Result<Option<usize>, Unknown> {
        if self.is_structural(index) {
            return Ok(array.entries.binary_search_by(|(i, _)| i.cmp(index)).ok());
        }
        for (at, (i, _)) in array.entries.iter().enumerate() {
            if self.equal(i, index)? {
                return Ok(Some(at));
            }
        }
        Ok(None)
    }

    /// The array with one element replaced.
    ///
    /// # Errors
    /// Where it is unknown whether an entry has that index.
    pub fn store(
        &self,
        array: &ArrayValue,
        index: &Value,
        element: &Value,
    ) -> Result<Value, Unknown> {
        let mut entries = array.entries.clone();
        match self.entry(array, index)? {
            Some(at) => entries[at].1 = element.clone(),
            None => {
                let at = entries.partition_point(|(i, _)| i < index);
                entries.insert(at, (index.clone(), element.clone()));
            }
        }
        match &array.default {
            Default::Element(default) => self.make_array(array.sort, default.clone(), entries),
            Default::Closure(_) => {
                let (sort, default) = (array.sort, array.default.clone());
                Ok(Value::Array(Arc::new(ArrayValue { sort, default, entries })))
            }
        }
    }

    /// An array in its canonical form. The entries are sorted by index, each index once.
    pub(super) fn make_array(
        &self,
        sort: SortId,
        default: Value,
        entries: Vec<(Value, Value)>,
    ) -> Result<Value, Unknown> {
        let (default, entries) = self.canonical(sort, default, entries);
        Ok(Value::Array(Arc::new(ArrayValue { sort, default: Default::Element(default), entries })))
    }

    /// Over a finite index sort that the entries fill at least by half, the default becomes the
    /// most frequent element (the least such), so that equal arrays are equal structures.
    fn canonical(
        &self,
        sort: SortId,
        default: Value,
        mut entries: Vec<(Value, Value)>,
    ) -> (Value, Vec<(Value, Value)>) {
        let (index, _) = self.store.map_sorts(sort).expect("an array value has an array sort");
        let size = match self.cardinality(index) {
            Cardinality::Finite(n) if n <= 2 * entries.len() as u64 => n,
            _ => {
                entries.retain(|(_, e)| *e != default);
                return (default, entries);
            }
        };
        let mut frequency: BTreeMap<&Value, u64> = BTreeMap::new();
        for (_, element) in &entries {
            *frequency.entry(element).or_default() += 1;
        }
        *frequency.entry(&default).or_default() += size - entries.len() as u64;
        let most = frequency.values().max().copied().unwrap_or(0);
        let chosen =
            frequency.iter().find(|(_, n)| **n == most).map_or(&default, |(v, _)| *v).clone();
        if chosen != default {
            if let Some(all) = self.enumerate(index, size) {
                for i in all {
                    if let Err(at) = entries.binary_search_by(|(j, _)| j.cmp(&i)) {
                        entries.insert(at, (i, default.clone()));
                    }
                }
            } else {
                entries.retain(|(_, e)| *e != default);
                return (default, entries);
            }
        }
        entries.retain(|(_, e)| *e != chosen);
        (chosen, entries)
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

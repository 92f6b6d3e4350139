//! A search for one assignment that makes formulas true.

use super::conjunction::{Conjunction, Part, Sight};
use super::rule::Variable;
use super::unfold::{parts, unassigned};
use assay_term::value::Text;
use assay_term::{Evaluator, Interpretation, Model, Sort, SortId, Store, TermId, Value};

/// A search for values that make formulas true, guided by the formulas: a variable that is equated
/// with a term gets that term's value first, and strings are parts of other strings.
pub(crate) struct AssignmentSearch<'a> {
    pub(crate) sight: Sight<'a>,
    /// Variables that already have values.
    pub(crate) given: &'a [Variable],
    /// Variables without a value.
    pub(crate) sought: &'a [Variable],
    /// Simple initial values for each of them.
    pub(crate) domains: &'a [Vec<Value>],
    pub(crate) formulas: &'a Conjunction,
    /// Whether equations anywhere in the formulas suggest values, or only those that must hold.
    pub(crate) suggestions: bool,
    /// Whether some assignment left a formula unknown.
    pub(crate) met_unknown: bool,
}

impl AssignmentSearch<'_> {
    /// Values for the variables in the given order; the model gets them too.
    pub(crate) fn run(&mut self, model: &mut Model) -> Option<Vec<Value>> {
        for variable in self.sought {
            model.set(variable.func, unassigned());
        }
        let store = self.sight.store;
        let definitions = |v: &Variable| match self.suggestions {
            true => self.formulas.definitions(store, v.term),
            false => Vec::new(),
        };
        let definitions: Vec<Vec<TermId>> = self.sought.iter().map(definitions).collect();
        let mut values = vec![None; self.sought.len()];
        let open: Vec<&Part> = self.formulas.parts.iter().collect();
        let found = self.descend(model, &open, &mut values, &definitions);
        let values: Option<Vec<Value>> = values.into_iter().collect();
        values.filter(|_| found)
    }

    fn descend(
        &mut self,
        model: &mut Model,
        open: &[&Part],
        values: &mut Vec<Option<Value>>,
        definitions: &[Vec<TermId>],
    ) -> bool {
        if self.sight.left == 0 {
            return false;
        }
        let Some(open) = self.sight.narrow(model, open) else { return false };
        let Some((next, candidates)) = self.next(model, &open, values, definitions) else {
            self.met_unknown |= !open.is_empty();
            return open.is_empty();
        };
        let variable = self.sought[next];
        for value in candidates {
            model.set(variable.func, Interpretation::Value(value.clone()));
            values[next] = Some(value);
            if self.descend(model, &open, values, definitions) {
                return true;
            }
        }
        values[next] = None;
        model.set(variable.func, unassigned());
        false
    }

    /// The variable to decide next, with the values to try: one that an equation determines, else one
    /// whose definition has a value, else the first.
    fn next(
        &self,
        model: &Model,
        open: &[&Part],
        values: &[Option<Value>],
        definitions: &[Vec<TermId>],
    ) -> Option<(usize, Vec<Value>)> {
        if let Some(tightest) = self.sight.tightest(model, open, self.sought, values) {
            return Some(tightest);
        }
        let mut suggested = None;
        for at in (0..values.len()).filter(|&at| values[at].is_none()) {
            let mut evaluator = Evaluator::new(self.sight.store, model);
            let known: Vec<Value> =
                definitions[at].iter().filter_map(|&term| evaluator.eval(term).ok()).collect();
            let better = match &suggested {
                None => true,
                Some((_, values)) => Vec::is_empty(values) && !known.is_empty(),
            };
            if better {
                suggested = Some((at, known));
            }
        }
        let (at, first) = suggested?;
        Some((at, self.candidates(model, at, first, values)))
    }

    fn candidates(
        &self,
        model: &Model,
        at: usize,
        mut candidates: Vec<Value>,
        values: &[Option<Value>],
    ) -> Vec<Value> {
        let (store, variable) = (self.sight.store, self.sought[at]);
        candidates.extend(self.domains[at].iter().cloned());
        let meaning = |v: &Variable| match model.get(v.func) {
            Some(Interpretation::Value(value)) => Some(value.clone()),
            _ => None,
        };
        let assigned: Vec<Value> =
            self.given.iter().filter_map(meaning).chain(values.iter().flatten().cloned()).collect();
        let texts = assigned.iter().filter_map(|value| match value {
            Value::Str(text) if text.len() <= LONGEST => Some(text),
            _ => None,
        });
        let texts: Vec<&Text> = texts.collect();
        match store.sorts.get(variable.sort) {
            Sort::String => {
                candidates.extend(texts.iter().flat_map(|text| parts(text)).map(Value::Str));
            }
            Sort::Int => {
                let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
                candidates.extend((0..=longest).map(|n| Value::Int(n.into())));
            }
            _ => {
                let same = |value: &&Value| simple_sort(store, value) == Some(variable.sort);
                candidates.extend(assigned.iter().filter(same).cloned());
            }
        }
        let parts = assigned.iter().flat_map(fields);
        candidates.extend(parts.filter(|part| simple_sort(store, part) == Some(variable.sort)));
        let mut seen = rustc_hash::FxHashSet::default();
        candidates.retain(|value| seen.insert(value.clone()));
        candidates
    }
}

/// Longer strings have too many parts to try.
const LONGEST: usize = 8;

/// The values in the fields of a datatype value, recursively.
fn fields(value: &Value) -> Vec<Value> {
    let mut found = Vec::new();
    let mut work = vec![value];
    while let Some(value) = work.pop() {
        let Value::Data(data) = value else { continue };
        found.extend(data.fields.iter().cloned());
        work.extend(&data.fields);
    }
    found
}

/// The sort of a value, if it can be determined.
fn simple_sort(store: &Store, value: &Value) -> Option<SortId> {
    match value {
        Value::Bool(_) => Some(SortId::BOOL),
        Value::Int(_) => Some(SortId::INT),
        Value::Str(_) => Some(SortId::STRING),
        Value::Array(array) => Some(array.sort),
        Value::BitVec(bits) => store.sorts.find(&Sort::BitVec(bits.width())),
        Value::Float(float) => store.sorts.find(&Sort::Float(float.format())),
        Value::RegLan(_) => Some(SortId::REGLAN),
        Value::Real(_) => Some(SortId::REAL),
        Value::Data(data) => Some(data.sort),
        Value::Element(sort, _) => Some(*sort),
        _ => None,
    }
}

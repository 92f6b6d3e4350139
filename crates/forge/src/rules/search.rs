//! Assignments of values to variables, tried one after the other. A formula is evaluated as soon
//! as enough of its variables have values to decide it, and where it is false the rest of the
//! assignment is not tried.

use super::domain::{Domain, simple};
use super::rewrite::{conjuncts, operator, preorder};
use super::rule::Variable;
use super::unfold::{Unfolded, parts, unassigned};
use assay_term::theories::core;
use assay_term::value::Text;
use assay_term::{
    Evaluator, Interpretation, Model, Sort, SortId, Store, Term, TermId, Unknown, Value,
};

/// How many values of each kind of sort are tried.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Level {
    strings: usize,
    numbers: usize,
    /// Sorts of no more values are tried wholly.
    finite: usize,
}

impl Level {
    /// From few values to many. The third has all strings of up to two letters, the fourth of up
    /// to three.
    pub(crate) const ALL: [Level; 4] = [
        Level { strings: 4, numbers: 3, finite: 5 },
        Level { strings: 6, numbers: 5, finite: 16 },
        Level { strings: 15, numbers: 7, finite: 64 },
        Level { strings: 42, numbers: 11, finite: 256 },
    ];

    pub(crate) fn domain(self, store: &Store, sort: SortId, seeds: &[Value]) -> Domain {
        let most = match store.sorts.get(sort) {
            Sort::String => self.strings,
            Sort::Int | Sort::Real => self.numbers,
            Sort::RegLan => self.numbers + 4,
            Sort::Array(..) => self.finite.min(32),
            _ => self.finite,
        };
        simple(store, sort, most, seeds)
    }
}

/// Formulas that must all hold.
#[derive(Clone, Debug)]
pub(crate) struct Conjunction {
    parts: Vec<Unfolded>,
    /// The terms themselves, for finding out what defines a variable.
    terms: Vec<TermId>,
}

impl Conjunction {
    pub(crate) fn new(store: &mut Store, formulas: &[TermId]) -> Conjunction {
        let terms: Vec<TermId> = formulas.iter().flat_map(|&f| conjuncts(store, f)).collect();
        let parts: Vec<Unfolded> = terms.iter().map(|&term| Unfolded::new(store, term)).collect();
        let terms = parts.iter().map(Unfolded::matrix).collect();
        Conjunction { parts, terms }
    }

    /// Of the parts that were open, those that still are; nothing if one is false.
    fn narrow(
        &self,
        store: &Store,
        model: &mut Model,
        open: &[usize],
        left: &mut u64,
    ) -> Option<Vec<usize>> {
        let mut still = Vec::new();
        for &part in open {
            *left = left.saturating_sub(1);
            match self.parts[part].holds(store, model) {
                Ok(true) => {}
                Ok(false) => return None,
                Err(_) => still.push(part),
            }
        }
        Some(still)
    }

    /// Whether all hold.
    pub(crate) fn holds(&self, store: &Store, model: &mut Model) -> Result<bool, Unknown> {
        let mut unknown = None;
        for part in &self.parts {
            match part.holds(store, model) {
                Ok(true) => {}
                Ok(false) => return Ok(false),
                Err(reason) => unknown = Some(reason),
            }
        }
        unknown.map_or(Ok(true), Err)
    }

    /// The terms that some part equates with a variable.
    fn definitions(&self, store: &Store, variable: TermId) -> Vec<TermId> {
        let mut found = Vec::new();
        for part in self.terms.iter().flat_map(|&term| preorder(store, term)) {
            let Some((core::EQ, &[a, b])) = operator(store, part) else { continue };
            for (side, other) in [(a, b), (b, a)] {
                let own = preorder(store, other).contains(&variable);
                if side == variable && !own && !found.contains(&other) {
                    found.push(other);
                }
            }
        }
        found
    }
}

/// What is to follow wherever the premise holds.
pub(crate) enum Conclusion {
    /// These hold.
    Holds(Conjunction),
    /// These hold for some values of the variables.
    HoldsFor(Vec<Variable>, Conjunction),
}

/// What an enumeration came to.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tally {
    /// Assignments, those included that were seen to be pointless from their first few values.
    pub(crate) assignments: u128,
    /// Those among them for which the premise held and the conclusion did too.
    pub(crate) held: u64,
    /// Those for which something was unknown.
    pub(crate) unknown: u64,
}

/// Why an enumeration stopped early.
pub(crate) enum Stop {
    /// The premise holds here and the conclusion does not.
    Counterexample(Vec<Value>),
    /// There was too much to do.
    Budget,
}

/// An enumeration of all assignments from given domains.
pub(crate) struct Enumeration<'a> {
    pub(crate) store: &'a Store,
    pub(crate) variables: &'a [Variable],
    pub(crate) domains: &'a [Vec<Value>],
    pub(crate) premise: &'a Conjunction,
    pub(crate) conclusion: &'a Conclusion,
    /// How many evaluations are left.
    pub(crate) left: u64,
}

impl Enumeration<'_> {
    pub(crate) fn run(&mut self) -> Result<Tally, Stop> {
        let mut tally = Tally::default();
        let mut model = blank(self.variables);
        let open: Vec<usize> = (0..self.premise.parts.len()).collect();
        let mut values = Vec::new();
        self.descend(&mut model, &open, &mut values, &mut tally)?;
        Ok(tally)
    }

    fn descend(
        &mut self,
        model: &mut Model,
        open: &[usize],
        values: &mut Vec<Value>,
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if self.left == 0 {
            return Err(Stop::Budget);
        }
        let depth = values.len();
        let Some(open) = self.premise.narrow(self.store, model, open, &mut self.left) else {
            let rest = self.domains[depth..].iter().map(|domain| domain.len() as u128);
            tally.assignments = tally.assignments.saturating_add(rest.product());
            return Ok(());
        };
        let Some(variable) = self.variables.get(depth) else {
            tally.assignments += 1;
            return self.conclude(model, &open, values, tally);
        };
        for value in &self.domains[depth] {
            model.set(variable.func, Interpretation::Value(value.clone()));
            values.push(value.clone());
            self.descend(model, &open, values, tally)?;
            values.pop();
        }
        model.set(variable.func, unassigned());
        Ok(())
    }

    fn conclude(
        &mut self,
        model: &mut Model,
        open: &[usize],
        values: &[Value],
        tally: &mut Tally,
    ) -> Result<(), Stop> {
        if !open.is_empty() {
            tally.unknown += 1;
            return Ok(());
        }
        match self.conclusion.holds(self.store, model, self.variables, &mut self.left) {
            Ok(true) => tally.held += 1,
            Ok(false) => return Err(Stop::Counterexample(values.to_vec())),
            Err(_) => tally.unknown += 1,
        }
        Ok(())
    }
}

impl Conclusion {
    /// Whether it holds. Where values had to be found and none were, it does not.
    pub(crate) fn holds(
        &self,
        store: &Store,
        model: &mut Model,
        given: &[Variable],
        left: &mut u64,
    ) -> Result<bool, Unknown> {
        match self {
            Conclusion::Holds(formulas) => {
                *left = left.saturating_sub(1);
                formulas.holds(store, model)
            }
            Conclusion::HoldsFor(sought, formulas) => {
                let mut hunt = Hunt { store, given, sought, formulas, level: Level::ALL[0], left: HUNT };
                let found = hunt.run(model);
                *left = left.saturating_sub(HUNT - hunt.left);
                match found {
                    Some(_) => Ok(true),
                    None if hunt.left == 0 => Err(Unknown::Limit("values for variables")),
                    None => Ok(false),
                }
            }
        }
    }
}

/// How many evaluations a search for auxiliary values may take.
const HUNT: u64 = 40_000;

/// A search for values that make formulas true, guided by what the formulas say: a variable that
/// is equated with a term gets that term's value first, and strings are parts of other strings.
pub(crate) struct Hunt<'a> {
    pub(crate) store: &'a Store,
    /// Variables that have values already.
    pub(crate) given: &'a [Variable],
    /// Variables that need one.
    pub(crate) sought: &'a [Variable],
    pub(crate) formulas: &'a Conjunction,
    pub(crate) level: Level,
    /// How many evaluations are left.
    pub(crate) left: u64,
}

impl Hunt<'_> {
    /// Values for the variables in the order given; the model gets them too.
    pub(crate) fn run(&mut self, model: &mut Model) -> Option<Vec<Value>> {
        for variable in self.sought {
            model.set(variable.func, unassigned());
        }
        let definitions: Vec<Vec<TermId>> =
            self.sought.iter().map(|v| self.formulas.definitions(self.store, v.term)).collect();
        let mut values = vec![None; self.sought.len()];
        let open: Vec<usize> = (0..self.formulas.parts.len()).collect();
        let found = self.descend(model, &open, &mut values, &definitions);
        let values: Option<Vec<Value>> = values.into_iter().collect();
        values.filter(|_| found)
    }

    fn descend(
        &mut self,
        model: &mut Model,
        open: &[usize],
        values: &mut Vec<Option<Value>>,
        definitions: &[Vec<TermId>],
    ) -> bool {
        if self.left == 0 {
            return false;
        }
        let Some(open) = self.formulas.narrow(self.store, model, open, &mut self.left) else {
            return false;
        };
        let Some((next, first)) = self.next(model, values, definitions) else {
            return open.is_empty();
        };
        let variable = self.sought[next];
        for value in self.candidates(model, variable, first, values) {
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

    /// The variable to decide next, with the values of its definitions: one whose definition has a
    /// value, else the first.
    fn next(
        &self,
        model: &Model,
        values: &[Option<Value>],
        definitions: &[Vec<TermId>],
    ) -> Option<(usize, Vec<Value>)> {
        let mut first = None;
        for at in (0..values.len()).filter(|&at| values[at].is_none()) {
            let mut evaluator = Evaluator::new(self.store, model);
            let known: Vec<Value> =
                definitions[at].iter().filter_map(|&term| evaluator.eval(term).ok()).collect();
            if !known.is_empty() {
                return Some((at, known));
            }
            first = first.or(Some((at, Vec::new())));
        }
        first
    }

    fn candidates(
        &self,
        model: &Model,
        variable: Variable,
        mut candidates: Vec<Value>,
        values: &[Option<Value>],
    ) -> Vec<Value> {
        candidates.extend(self.level.domain(self.store, variable.sort, &[]).values);
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
        match self.store.sorts.get(variable.sort) {
            Sort::String => {
                candidates.extend(texts.iter().flat_map(|text| parts(text)).map(Value::Str));
            }
            Sort::Int => {
                let longest = texts.iter().map(|text| text.len()).max().unwrap_or(0);
                candidates.extend((0..=longest).map(|n| Value::Int(n.into())));
            }
            _ => candidates.extend(assigned.iter().cloned().filter(|value| {
                simple_sort(self.store, value).is_some_and(|sort| sort == variable.sort)
            })),
        }
        let mut seen = rustc_hash::FxHashSet::default();
        candidates.retain(|value| seen.insert(value.clone()));
        candidates
    }
}

/// Longer strings have too many parts to try.
const LONGEST: usize = 8;

/// The sort of an array or a bit-vector.
fn simple_sort(store: &Store, value: &Value) -> Option<SortId> {
    match value {
        Value::Array(array) => Some(array.sort),
        Value::BitVec(bits) => store.sorts.find(&Sort::BitVec(bits.width())),
        Value::Float(float) => store.sorts.find(&Sort::Float(float.format())),
        Value::RegLan(_) => Some(SortId::REGLAN),
        Value::Real(_) => Some(SortId::REAL),
        _ => None,
    }
}

/// A model that gives no variable a value.
pub(crate) fn blank(variables: &[Variable]) -> Model {
    let mut model = Model::new();
    for variable in variables {
        model.set(variable.func, unassigned());
    }
    model
}

/// The constants in a term, each value once: numbers with their neighbours.
pub(crate) fn seeds(store: &Store, terms: &[TermId], sort: SortId) -> Vec<Value> {
    let mut found: Vec<Value> = Vec::new();
    let mut add = |value: Value| {
        if !found.contains(&value) {
            found.push(value);
        }
    };
    for part in terms.iter().flat_map(|&term| preorder(store, term)) {
        if store.sort(part) != sort {
            continue;
        }
        match store.get(part) {
            Term::Literal(Value::Int(n)) => {
                let n = n.to_big();
                for near in [n.clone(), &n - 1, &n + 1, -n] {
                    add(Value::Int(near.into()));
                }
            }
            Term::Literal(value @ (Value::Str(_) | Value::Real(_))) => add(value.clone()),
            _ => {}
        }
    }
    found
}

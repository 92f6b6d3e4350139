//! Values for the symbols of formulas: boundary values, values near the constants of some terms, values that
//! other symbols have, random ones.

use crate::signature::is_ground;
use assay_forge::rules::{random_value_in, simple_values};
use assay_mutate::Draw;
use assay_term::bitvec::BitVec;
use assay_term::{
    Evaluator, Func, FuncId, Int, Interpretation, Model, Sort, SortId, Store, TermId, Value,
};
use num_rational::BigRational;
use rustc_hash::FxHashMap;

/// Elements of an uninterpreted sort.
const ELEMENTS: usize = 3;

/// Simple values of each sort.
const SIMPLE: usize = 32;

/// Values near constants of the terms, of each sort.
const DERIVED: usize = 48;

/// Rows of the table of a function.
const ROWS: usize = 6;

/// The values that symbols of some sorts are drawn from.
pub struct Values {
    /// The universes of uninterpreted sorts.
    world: Model,
    /// Whether there are uninterpreted sorts.
    is_open: bool,
    simple: FxHashMap<SortId, Vec<Value>>,
    derived: FxHashMap<SortId, Vec<Value>>,
}

impl Values {
    /// Values of the sorts of these functions; the terms say which constants matter. The universe of
    /// each uninterpreted sort needs names, which the store has to know.
    pub fn new(store: &mut Store, functions: &[FuncId], terms: &[TermId]) -> Values {
        let mut world = Model::new();
        let mut is_open = false;
        let mut sorts: Vec<SortId> = Vec::new();
        for &func in functions {
            if let Func::Declared { params, result, .. } = store.func(func) {
                sorts.extend(params.iter().chain([result]));
            }
        }
        for sort in parts(store, &sorts) {
            if is_uninterpreted(store, sort) {
                is_open = true;
                let elements = (0..ELEMENTS).map(|number| {
                    let name = store.symbols.intern(&format!("{}!{number}", sort.index()));
                    Value::Element(sort, name)
                });
                let elements = elements.collect();
                world.set_universe(sort, elements);
            }
        }
        let derived = derived(store, terms);
        let mut simple: FxHashMap<SortId, Vec<Value>> = FxHashMap::default();
        for &sort in &sorts {
            simple.entry(sort).or_insert_with(|| simple_values(store, &world, sort, SIMPLE));
        }
        Values { world, is_open, simple, derived }
    }

    /// The universes of uninterpreted sorts.
    #[must_use]
    pub fn world(&self) -> &Model {
        &self.world
    }

    /// Whether there are uninterpreted sorts, which may have more elements than those that are tried.
    #[must_use]
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The simple values of a sort.
    #[must_use]
    pub fn simple(&self, sort: SortId) -> &[Value] {
        self.simple.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// A random meaning of a declared symbol; `None` if a sort has no values that can be made. The value
    /// of a constant joins those that were drawn before.
    pub fn meaning(
        &self,
        store: &Store,
        draw: &mut Draw,
        func: FuncId,
        before: &mut Vec<(SortId, Value)>,
    ) -> Option<Interpretation> {
        let Func::Declared { params, result, .. } = store.func(func) else { return None };
        if !params.is_empty() {
            return self.table(store, draw, params, *result, before);
        }
        let value = self.value(store, draw, *result, before)?;
        before.push((*result, value.clone()));
        Some(Interpretation::Value(value))
    }

    fn table(
        &self,
        store: &Store,
        draw: &mut Draw,
        params: &[SortId],
        result: SortId,
        before: &[(SortId, Value)],
    ) -> Option<Interpretation> {
        let mut entries = FxHashMap::default();
        for _ in 0..draw.below(ROWS) {
            let args: Option<Box<[Value]>> =
                params.iter().map(|&sort| self.value(store, draw, sort, before)).collect();
            entries.insert(args?, self.value(store, draw, result, before)?);
        }
        let default = self.value(store, draw, result, before)?;
        Some(Interpretation::Table { entries, default })
    }

    /// A value of a sort: often a boundary, near a constant, or what another symbol has.
    pub fn value(
        &self,
        store: &Store,
        draw: &mut Draw,
        sort: SortId,
        before: &[(SortId, Value)],
    ) -> Option<Value> {
        let pool = match draw.below(8) {
            0 => {
                let same: Vec<Value> = before
                    .iter()
                    .filter(|(other, _)| *other == sort)
                    .map(|(_, value)| value.clone())
                    .collect();
                draw.of(&same).cloned()
            }
            1..=3 => self.simple.get(&sort).and_then(|values| draw.of(values)).cloned(),
            4 | 5 => self.derived.get(&sort).and_then(|values| draw.of(values)).cloned(),
            _ => None,
        };
        pool.or_else(|| random_value_in(draw.rng(), store, &self.world, sort))
    }
}

/// These sorts and all that they are made of.
fn parts(store: &Store, sorts: &[SortId]) -> Vec<SortId> {
    let mut found: Vec<SortId> = Vec::new();
    let mut work = sorts.to_vec();
    while let Some(sort) = work.pop() {
        if found.contains(&sort) {
            continue;
        }
        found.push(sort);
        work.extend(store.sorts.get(sort).parts());
        if let Some((_, datatype, args)) = store.sorts.datatype(sort) {
            let fields = datatype.constructors.iter().flat_map(|c| &c.fields);
            work.extend(
                fields.filter_map(|&(_, f)| store.sorts.resolve(f, &datatype.params, args)),
            );
        }
    }
    found
}

fn is_uninterpreted(store: &Store, sort: SortId) -> bool {
    matches!(store.sorts.get(sort), Sort::Declared(..)) && store.sorts.datatype(sort).is_none()
}

/// The constants of the terms and what is next to them, by sort.
fn derived(store: &Store, terms: &[TermId]) -> FxHashMap<SortId, Vec<Value>> {
    let mut found: FxHashMap<SortId, Vec<Value>> = FxHashMap::default();
    let empty = Model::new();
    let mut evaluator = Evaluator::new(store, &empty);
    for term in store.postorder(terms) {
        if store.sort(term) == SortId::BOOL || !is_ground(store, term) {
            continue;
        }
        let Ok(value) = evaluator.eval(term) else { continue };
        let values = found.entry(store.sort(term)).or_default();
        for near in neighbours(&value) {
            if values.len() < DERIVED && !values.contains(&near) {
                values.push(near);
            }
        }
    }
    found
}

/// A value and those next to it.
fn neighbours(value: &Value) -> Vec<Value> {
    let mut found = vec![value.clone()];
    match value {
        Value::Int(n) => {
            let near = [n + &Int::ONE, n - &Int::ONE, -n];
            found.extend(near.map(Value::Int));
        }
        Value::Real(x) => {
            let one = BigRational::from_integer(1.into());
            let near = [x.as_ref() + &one, x.as_ref() - &one, -x.as_ref()];
            found.extend(near.map(Value::rational));
        }
        Value::BitVec(bits) => {
            let one = BitVec::from_u64(bits.width(), 1);
            found.extend([bits.add(&one), bits.sub(&one), bits.not()].map(Value::BitVec));
        }
        Value::Str(text) if !text.is_empty() => {
            found.push(Value::Str(text[1..].into()));
            found.push(Value::Str(text[..text.len() - 1].into()));
            found.push(Value::Str([&text[..], &text[..]].concat().into()));
        }
        _ => {}
    }
    found
}

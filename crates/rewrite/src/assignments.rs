//! Assignments to try: boundary values, values near the constants of the terms, random ones.

use crate::signature::is_ground;
use assay_case::RewriteTest;
use assay_case::rewrite::{Assignments as TestAssignments, every_assignment};
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

/// Assignments drawn at random.
const DRAWN: usize = 64;

/// All assignments are tried where there are at most this many.
const EXHAUSTIVE: usize = 256;

/// The same test with assignments to try: all where there are few, otherwise such as its text alone
/// decides, so that a test that is read back from a file is tried in the same way.
#[must_use]
pub fn with_assignments(test: RewriteTest) -> RewriteTest {
    let mut store = test.store().clone();
    let made = Assignments::new(&mut store, test.functions(), &[test.term()]);
    let assignments = made.all(EXHAUSTIVE).unwrap_or_else(|| {
        let mut draw = Draw::new(&test.text().bytes().map(u64::from).collect::<Vec<_>>());
        TestAssignments::some((0..DRAWN).map_while(|_| made.random(&mut draw)).collect())
    });
    test.tried(store, assignments)
}

/// Makes assignments of some symbols.
struct Assignments<'a> {
    store: &'a Store,
    functions: &'a [FuncId],
    /// The universes of uninterpreted sorts.
    world: Model,
    /// Whether there are uninterpreted sorts.
    is_open: bool,
    simple: FxHashMap<SortId, Vec<Value>>,
    derived: FxHashMap<SortId, Vec<Value>>,
}

impl<'a> Assignments<'a> {
    /// Assignments of these symbols; the terms say which constants matter. The universe of each
    /// uninterpreted sort needs names, which the store has to know.
    fn new(store: &'a mut Store, functions: &'a [FuncId], terms: &[TermId]) -> Assignments<'a> {
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
        let store: &'a Store = store;
        let derived = derived(store, terms);
        let mut made =
            Assignments { store, functions, world, is_open, simple: FxHashMap::default(), derived };
        for &sort in &sorts {
            if !made.simple.contains_key(&sort) {
                let values = simple_values(store, &made.world, sort, SIMPLE);
                made.simple.insert(sort, values);
            }
        }
        made
    }

    /// All assignments, where there are at most so many. An uninterpreted sort may have more elements
    /// than those that are tried.
    fn all(&self, most: usize) -> Option<TestAssignments> {
        let all = every_assignment(self.store, &self.world, self.functions, most)?;
        Some(match self.is_open {
            true => TestAssignments::some(all.models().to_vec()),
            false => all,
        })
    }

    /// A random assignment; none where a sort has no values that can be made.
    fn random(&self, draw: &mut Draw) -> Option<Model> {
        let mut model = self.world.clone();
        let mut before: Vec<(SortId, Value)> = Vec::new();
        for &func in self.functions {
            let Func::Declared { params, result, .. } = self.store.func(func) else { continue };
            let meaning = if params.is_empty() {
                let value = self.value(draw, *result, &before)?;
                before.push((*result, value.clone()));
                Interpretation::Value(value)
            } else {
                self.table(draw, params, *result, &before)?
            };
            model.set(func, meaning);
        }
        Some(model)
    }

    fn table(
        &self,
        draw: &mut Draw,
        params: &[SortId],
        result: SortId,
        before: &[(SortId, Value)],
    ) -> Option<Interpretation> {
        let mut entries = FxHashMap::default();
        for _ in 0..draw.below(ROWS) {
            let args: Option<Box<[Value]>> =
                params.iter().map(|&sort| self.value(draw, sort, before)).collect();
            entries.insert(args?, self.value(draw, result, before)?);
        }
        Some(Interpretation::Table { entries, default: self.value(draw, result, before)? })
    }

    /// A value of a sort: often a boundary, near a constant, or what another variable has.
    fn value(&self, draw: &mut Draw, sort: SortId, before: &[(SortId, Value)]) -> Option<Value> {
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
        let random = |draw: &mut Draw| random_value_in(draw.rng(), self.store, &self.world, sort);
        pool.or_else(|| random(draw))
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

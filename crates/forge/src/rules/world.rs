//! Interpretations of declared sorts and functions. A rule about uninterpreted functions makes a claim
//! about all interpretations: it is tested under every one over a few elements, or under many random
//! ones.

use super::domain::{below, extended, random_in, simple};
use super::rewrite::preorder;
use assay_term::{Func, FuncId, Interpretation, Model, Sort, SortId, Store, Term, TermId, Value};
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

/// The uninterpreted sorts and functions of some terms.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    sorts: Vec<SortId>,
    functions: Vec<FuncId>,
}

/// Maximum size of a universe.
const MOST_ELEMENTS: usize = 3;

/// Number of values of infinite sorts that are used.
const FEW: usize = 3;

impl Symbols {
    /// The uninterpreted symbols that occur in terms.
    pub(crate) fn of(store: &Store, terms: &[TermId]) -> Symbols {
        let mut found = Symbols::default();
        for term in terms.iter().flat_map(|&term| preorder(store, term)) {
            found.add_sort(store, store.sort(term));
            let Term::App(func, args) = store.get(term) else { continue };
            let declared = matches!(store.func(func), Func::Declared { .. });
            if declared && !args.is_empty() && !found.functions.contains(&func) {
                found.functions.push(func);
            }
        }
        found
    }

    fn add_sort(&mut self, store: &Store, sort: SortId) {
        match store.sorts.get(sort) {
            Sort::Declared(..)
                if store.sorts.datatype(sort).is_none() && !self.sorts.contains(&sort) =>
            {
                self.sorts.push(sort);
            }
            Sort::Declared(..) => {}
            shape => shape.parts().into_iter().for_each(|part| self.add_sort(store, part)),
        }
    }

    /// Whether there is nothing to interpret.
    pub(crate) fn is_empty(&self) -> bool {
        self.sorts.is_empty() && self.functions.is_empty()
    }

    /// Their names.
    pub(crate) fn names(&self, store: &Store) -> String {
        let sorts = self.sorts.iter().map(|&sort| store.sort_name(sort));
        let functions = self.functions.iter().map(|&func| store.func_name(func));
        sorts.chain(functions).collect::<Vec<_>>().join(", ")
    }

    /// Interpretations over one to a few elements: all for each number of elements, or a number of random
    /// ones.
    pub(crate) fn worlds(
        &self,
        store: &mut Store,
        rng: &mut ChaCha8Rng,
        most: usize,
    ) -> Vec<Model> {
        if self.is_empty() {
            return vec![Model::new()];
        }
        let sizes = if self.sorts.is_empty() { 1..=1 } else { 1..=MOST_ELEMENTS };
        let mut worlds = Vec::new();
        for size in sizes {
            let universe = self.universe(store, size);
            match self.every_world(store, &universe, most) {
                Some(all) => worlds.extend(all),
                None => worlds.extend((0..most).map(|_| self.fill(store, rng, &universe))),
            }
        }
        worlds
    }

    /// A random interpretation.
    pub(crate) fn draw(&self, store: &mut Store, rng: &mut ChaCha8Rng) -> Model {
        let size = 1 + below(rng, MOST_ELEMENTS);
        let universe = self.universe(store, size);
        self.fill(store, rng, &universe)
    }

    /// A universe with this many elements for each sort, and no functions yet.
    fn universe(&self, store: &mut Store, size: usize) -> Model {
        let mut model = Model::new();
        for &sort in &self.sorts {
            let stem = store.sort_name(sort);
            let name = |n| store.symbols.intern(&format!("{stem}!val!{n}"));
            let elements = (0..size).map(name).map(|name| Value::Element(sort, name)).collect();
            model.set_universe(sort, elements);
        }
        model
    }

    /// Every interpretation of the functions over a universe, if there are few enough.
    fn every_world(&self, store: &Store, universe: &Model, most: usize) -> Option<Vec<Model>> {
        let mut worlds = vec![universe.clone()];
        for &func in &self.functions {
            let (keys, results) = points(store, universe, func);
            let count = results.len().checked_pow(u32::try_from(keys.len()).ok()?)?;
            if count.checked_mul(worlds.len())? > most {
                return None;
            }
            let mut longer = Vec::with_capacity(count * worlds.len());
            for world in &worlds {
                for number in 0..count {
                    let mut rest = number;
                    let mut chosen = Vec::with_capacity(keys.len());
                    for _ in &keys {
                        chosen.push(results[rest % results.len()].clone());
                        rest /= results.len();
                    }
                    longer.push(with_table(world, func, &keys, chosen));
                }
            }
            worlds = longer;
        }
        Some(worlds)
    }

    fn fill(&self, store: &Store, rng: &mut ChaCha8Rng, universe: &Model) -> Model {
        let mut world = universe.clone();
        for &func in &self.functions {
            let (keys, results) = points(store, universe, func);
            let result = result_sort(store, func);
            let mut chosen = Vec::with_capacity(keys.len());
            for _ in &keys {
                // Occasionally large and unusual values.
                let strange = match below(rng, 4) {
                    0 => random_in(rng, store, universe, result),
                    _ => None,
                };
                chosen.push(strange.unwrap_or_else(|| results[below(rng, results.len())].clone()));
            }
            world = with_table(&world, func, &keys, chosen);
        }
        world
    }
}

fn result_sort(store: &Store, func: FuncId) -> SortId {
    match store.func(func) {
        Func::Declared { result, .. } => *result,
        _ => SortId::BOOL,
    }
}

/// The arguments for which a function's table has entries, and the possible results.
fn points(store: &Store, universe: &Model, func: FuncId) -> (Vec<Box<[Value]>>, Vec<Value>) {
    let Func::Declared { params, result, .. } = store.func(func) else {
        return (Vec::new(), Vec::new());
    };
    let few = |sort: SortId| simple(store, universe, sort, FEW, &[]).values;
    let mut keys: Vec<Vec<Value>> = vec![Vec::new()];
    for &sort in params {
        keys = extended(&keys, &few(sort));
    }
    (keys.into_iter().map(Vec::into_boxed_slice).collect(), few(*result))
}

/// The same with a table for a function; for other arguments it has the value of the last entry.
fn with_table(world: &Model, func: FuncId, keys: &[Box<[Value]>], chosen: Vec<Value>) -> Model {
    let mut world = world.clone();
    let default = chosen.last().cloned();
    let entries: FxHashMap<Box<[Value]>, Value> = keys.iter().cloned().zip(chosen).collect();
    if let Some(default) = default {
        world.set(func, Interpretation::Table { entries, default });
    }
    world
}

/// The functions of a world, as one equation per entry.
pub(crate) fn describe(
    store: &Store,
    world: &Model,
    show: impl Fn(&Value) -> String,
) -> Vec<String> {
    let mut tables: Vec<String> = Vec::new();
    for (func, meaning) in world.iter() {
        let Interpretation::Table { entries, .. } = meaning else { continue };
        let name = store.func_name(func);
        for (key, value) in entries {
            let key: Vec<String> = key.iter().map(&show).collect();
            tables.push(format!("({name} {}) = {}", key.join(" "), show(value)));
        }
    }
    tables.sort();
    tables
}

//! The functions that fuse two terms, at given sorts.

use crate::certified::Entry;
use crate::draw::Draw;
use crate::import::Import;
use assay_forge::rules::{Fused, Rule, RuleError, random_value, read_rules};
use assay_term::{Evaluator, Int, Model, Sort, SortId, Store, TermId};
use num_rational::BigRational;
use rustc_hash::FxHashMap;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// The rules for fusing variables of two formulas.
///
/// # Errors
/// The error in the table.
pub fn fusions() -> Result<Vec<Rule>, RuleError> {
    read_rules(include_str!("../rules/fusion.toml"))
}

fn entries() -> &'static [Entry] {
    static ENTRIES: OnceLock<Vec<Entry>> = OnceLock::new();
    ENTRIES.get_or_init(|| {
        let rules = fusions().expect("a test reads the table");
        rules.into_iter().map(Entry::new).collect()
    })
}

/// A rule at the sorts of x and y, in its own store.
pub(crate) struct Recipe {
    entry: &'static Entry,
    store: Store,
    fused: Fused,
}

/// The required result of a side condition.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Demand {
    /// True: the formula's model must stay a model.
    Holds,
    /// Not false: the inverses are asserted, so what follows from them is sound anyway.
    MayHold,
}

/// A function of two terms and constants, in the store of the terms.
pub(crate) struct Prepared<'r> {
    recipe: &'r Recipe,
    import: Import<'r>,
    pub(crate) fused: TermId,
}

/// The inverses.
pub(crate) struct Inverses {
    pub(crate) left: TermId,
    pub(crate) right: TermId,
}

/// Maximum number of constants tried for a side condition.
const TRIES: usize = 6;

impl Recipe {
    /// The name of the rule.
    pub(crate) fn name(&self) -> &str {
        self.entry.rule.name()
    }

    /// Whether it multiplies or divides by a term that is not a constant.
    pub(crate) fn is_nonlinear(&self) -> bool {
        self.entry.rule.has_tag("nonlinear")
    }

    /// The function of two terms, with constants that satisfy its side condition as required.
    pub(crate) fn prepare(
        &self,
        to: &mut Store,
        draw: &mut Draw,
        [x, y]: [TermId; 2],
        model: Option<&Model>,
        demand: Demand,
    ) -> Option<Prepared<'_>> {
        let Fused { params, law } = &self.fused;
        for _ in 0..TRIES {
            let mut import = Import::with(&self.store, FxHashMap::default());
            import.set(params[0], x);
            import.set(params[1], y);
            for &param in &params[2..] {
                let sort = import.sort(to, self.store.sort(param)).ok()?;
                import.set(param, constant(to, draw, sort)?);
            }
            let holds = match law.when {
                None => Some(true),
                Some(when) => {
                    let when = import.term(to, when).ok()?;
                    match model {
                        // Values that a model omits have a default, here and in every check.
                        Some(model) => Evaluator::new(to, model).completing().holds(when).ok(),
                        None => Evaluator::new(to, &Model::new()).holds(when).ok(),
                    }
                }
            };
            if holds == Some(true) || demand == Demand::MayHold && holds.is_none() {
                let fused = import.term(to, law.fused).ok()?;
                let certain = self.entry.is_certified();
                return certain.then_some(Prepared { recipe: self, import, fused });
            }
            if params.len() == 2 {
                return None;
            }
        }
        None
    }
}

impl Prepared<'_> {
    /// The inverses, with this for the function's value.
    pub(crate) fn inverses(mut self, to: &mut Store, z: TermId) -> Option<Inverses> {
        let law = self.recipe.fused.law;
        self.import.set(law.z, z);
        let left = self.import.term(to, law.left).ok()?;
        let right = self.import.term(to, law.right).ok()?;
        Some(Inverses { left, right })
    }
}

/// A constant, often a small number.
fn constant(store: &mut Store, draw: &mut Draw, sort: SortId) -> Option<TermId> {
    let small = draw.below(25) as i64 - 12;
    let value = match store.sorts.get(sort) {
        Sort::Int if draw.one_in(2) => return Some(store.int(&Int::from(small))),
        Sort::Real if draw.one_in(2) => {
            return Some(store.real(&BigRational::from_integer(small.into())));
        }
        _ => random_value(draw.rng(), store, sort)?,
    };
    store.value(&value)
}

/// The recipes for pairs of sorts, read when they are first needed.
#[derive(Default)]
pub(crate) struct Recipes {
    known: Mutex<FxHashMap<[String; 2], Arc<Vec<Recipe>>>>,
}

impl Recipes {
    /// The recipes for an x and a y of these sorts.
    pub(crate) fn at(&self, store: &Store, x: SortId, y: SortId) -> Arc<Vec<Recipe>> {
        let names = [store.sort_name(x), store.sort_name(y)];
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(recipes) = known.get(&names) {
            return recipes.clone();
        }
        let recipes = Arc::new(read(store, [x, y], &names));
        known.insert(names, recipes.clone());
        recipes
    }
}

/// The rules that are about these sorts.
fn read(sorts: &Store, pair: [SortId; 2], names: &[String; 2]) -> Vec<Recipe> {
    let kinds: &[&str] = match sorts.sorts.get(pair[0]) {
        Sort::Bool => &["bool"],
        Sort::Int => &["number", "int"],
        Sort::Real => &["number", "real"],
        Sort::BitVec(_) => &["bv"],
        Sort::String => &["string"],
        Sort::Float(_) => &["fp"],
        Sort::Array(..) => &["array"],
        _ => &[],
    };
    let words = words(sorts, pair);
    let fits = entries().iter().filter(|entry| kinds.iter().any(|kind| entry.rule.has_tag(kind)));
    fits.filter_map(|entry| {
        let mut store = Store::new();
        // Where a word is missing or does not fit, the rule is about other sorts.
        let fused = entry.rule.fusion(&words, &mut store).ok()??;
        let name = |at: usize| store.sort_name(store.sort(fused.params[at]));
        (names[0] == name(0) && names[1] == name(1)).then(|| Recipe { entry, store, fused })
    })
    .collect()
}

/// What the words of the table stand for.
fn words(store: &Store, [x, y]: [SortId; 2]) -> Vec<(&'static str, String)> {
    let mut words = Vec::new();
    match store.sorts.get(x) {
        Sort::Int | Sort::Real => words.push(("N", store.sort_name(x))),
        Sort::BitVec(width) => words.push(("W", width.to_string())),
        Sort::Float(format) => {
            words.push(("E", format.exponent_bits().to_string()));
            words.push(("S", format.significand_bits().to_string()));
        }
        Sort::Array(index, _) => words.push(("I", store.sort_name(*index))),
        _ => {}
    }
    match store.sorts.get(y) {
        Sort::Int | Sort::Real if x != SortId::INT && x != SortId::REAL => {
            words.push(("N", store.sort_name(y)));
        }
        Sort::BitVec(width) => words.push(("V", width.to_string())),
        _ => {}
    }
    words
}

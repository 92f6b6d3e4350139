//! Evaluates formulas with quantifiers exactly if a guard bounds the ranges of the quantified
//! variables.
//!
//! `(forall ((x S) …) (=> guard body))` is true wherever its guard is false. A guard such as
//! `(= (str.++ x y) s)` implies that `x` is a part of `s`; `(and (<= 0 i) (< i n))` implies that
//! `i` is one of finitely many integers. Only such values need to be tried: for all others the
//! instance is true. The same holds for `exists`, whose body is false there. A variable that no
//! guard bounds makes the formula unknown, unless its sort is small enough to be enumerated.

use super::rewrite::{Replacements, conjuncts, preorder, replace};
use assay_term::eval::EvalContext;
use assay_term::theories::{core, ints, strings};
use assay_term::value::Text;
use assay_term::{
    Evaluator, FuncId, Interpretation, Model, Quantifier, Sort, SortId, Store, Term, TermId,
    Unknown, Value,
};
use rustc_hash::FxHashSet;

/// A formula with its quantifiers separated.
#[derive(Clone, Debug)]
pub(crate) struct Unfolded {
    /// The formula, with a constant for each of its outermost quantifiers.
    root: TermId,
    quantifiers: Vec<Unrolled>,
}

/// A quantifier over constants that stand for its variables.
#[derive(Clone, Debug)]
struct Unrolled {
    which: Quantifier,
    /// The constant that represents its truth.
    truth: FuncId,
    /// Its variables, ordered so that each one's range depends only on those before.
    vars: Vec<(FuncId, Range)>,
    /// Whether every variable has a range.
    bounded: bool,
    body: Unfolded,
}

/// The range of a variable.
#[derive(Clone, Debug)]
enum Range {
    /// These values, which are all.
    All(Vec<Value>),
    /// The elements of an uninterpreted sort.
    Universe(SortId),
    /// The value of a term.
    Exactly(TermId),
    /// The parts of a string.
    PartsOf(TermId),
    /// The integers between two bounds, both included.
    Between(TermId, TermId),
}

/// Maximum size of a sort that is enumerated.
const MOST_VALUES: u64 = 1 << 10;

/// Maximum length of a range of integers.
const LONGEST: i64 = 1 << 16;

impl Unfolded {
    /// Separates the quantifiers of a formula. The store gets constants with names that no rule uses.
    pub(crate) fn new(store: &mut Store, formula: TermId) -> Unfolded {
        let mut by = Replacements::default();
        let mut quantifiers = Vec::new();
        for part in outermost(store, formula) {
            let Term::Quant(which, vars, body) = store.get(part) else { continue };
            let (vars, body) = (vars.to_vec(), body);
            let truth = fresh(store, "truth", SortId::BOOL);
            let truth_term = store.app(truth, &[]).expect("a declared constant");
            quantifiers.push(Unrolled::new(store, which, &vars, body, truth));
            by.insert(part, truth_term);
        }
        Unfolded { root: replace(store, formula, &by), quantifiers }
    }

    /// The truth of the formula. Opaque values of the model are unknown. Evaluations are counted.
    pub(crate) fn holds(
        &self,
        store: &Store,
        model: &mut Model,
        left: &mut u64,
    ) -> Result<bool, Unknown> {
        *left = left.saturating_sub(1);
        for quantifier in &self.quantifiers {
            model.set(quantifier.truth, unassigned());
        }
        let known = Evaluator::new(store, model).holds(self.root);
        if known.is_ok() || self.quantifiers.is_empty() {
            return known;
        }
        for quantifier in &self.quantifiers {
            if let Ok(truth) = quantifier.holds(store, model, left) {
                model.set(quantifier.truth, Interpretation::Value(Value::Bool(truth)));
            }
        }
        Evaluator::new(store, model).holds(self.root)
    }

    /// The formula without its quantifiers.
    pub(crate) fn matrix(&self) -> TermId {
        self.root
    }
}

/// The interpretation of an unassigned symbol.
pub(crate) fn unassigned() -> Interpretation {
    Interpretation::Opaque("not assigned yet".into())
}

fn fresh(store: &mut Store, stem: &str, sort: SortId) -> FuncId {
    let name = format!("{stem}!{}", store.len());
    // The term makes the store grow, so the next name is different.
    store.constant(&name, sort);
    store.declare(&name, &[], sort)
}

/// The outermost quantifiers.
fn outermost(store: &Store, formula: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut work = vec![formula];
    while let Some(term) = work.pop() {
        match store.get(term) {
            Term::Quant(..) => found.push(term),
            _ => work.extend(store.children(term).iter().rev()),
        }
    }
    found.dedup();
    found
}

impl Unrolled {
    fn new(
        store: &mut Store,
        which: Quantifier,
        vars: &[TermId],
        body: TermId,
        truth: FuncId,
    ) -> Unrolled {
        let mut by = Replacements::default();
        let mut constants: Vec<(FuncId, TermId)> = Vec::new();
        for &var in vars {
            let sort = store.sort(var);
            let func = fresh(store, "bound", sort);
            let term = store.app(func, &[]).expect("a declared constant");
            by.insert(var, term);
            constants.push((func, term));
        }
        let body = replace(store, body, &by);
        let guards = guards(store, which, body);
        let mut open: Vec<(FuncId, TermId)> = constants;
        let mut vars = Vec::new();
        while let Some(next) = (0..open.len()).find_map(|at| {
            let unknown: FxHashSet<TermId> = open.iter().map(|(_, term)| *term).collect();
            range(store, open[at].1, &guards, &unknown).map(|range| (at, range))
        }) {
            let (func, _) = open.remove(next.0);
            vars.push((func, next.1));
        }
        let bounded = open.is_empty();
        Unrolled { which, truth, vars, bounded, body: Unfolded::new(store, body) }
    }

    fn holds(&self, store: &Store, model: &mut Model, left: &mut u64) -> Result<bool, Unknown> {
        if !self.bounded {
            return Err(Unknown::Unsupported("no guard bounds a quantified variable"));
        }
        let decided = self.which == Quantifier::Exists;
        match self.search(store, model, 0, decided, left)? {
            true => Ok(decided),
            false => Ok(!decided),
        }
    }

    /// Whether some instance has this truth value.
    fn search(
        &self,
        store: &Store,
        model: &mut Model,
        depth: usize,
        wanted: bool,
        left: &mut u64,
    ) -> Result<bool, Unknown> {
        if *left == 0 {
            return Err(Unknown::Limit("instances of a quantifier"));
        }
        let Some((func, range)) = self.vars.get(depth) else {
            return Ok(self.body.holds(store, model, left)? == wanted);
        };
        let values = range.values(store, model)?;
        let mut unknown = None;
        for value in values {
            model.set(*func, Interpretation::Value(value));
            match self.search(store, model, depth + 1, wanted, left) {
                Ok(true) => return Ok(true),
                Ok(false) => {}
                Err(reason) => unknown = Some(reason),
            }
        }
        unknown.map_or(Ok(false), Err)
    }
}

impl Range {
    fn values(&self, store: &Store, model: &Model) -> Result<Vec<Value>, Unknown> {
        let mut evaluator = Evaluator::new(store, model);
        match self {
            Range::All(values) => Ok(values.clone()),
            Range::Universe(sort) => match model.universe(*sort) {
                Some(elements) => Ok(elements.to_vec()),
                None => Err(Unknown::Unsupported("a sort whose elements are not known")),
            },
            Range::Exactly(term) => Ok(vec![evaluator.eval(*term)?]),
            Range::PartsOf(term) => match evaluator.eval(*term)? {
                Value::Str(text) => Ok(parts(&text).into_iter().map(Value::Str).collect()),
                _ => Err(Unknown::Unsupported("the parts of something that is not a string")),
            },
            Range::Between(low, high) => {
                let (low, high) = (evaluator.eval(*low)?, evaluator.eval(*high)?);
                let (Value::Int(low), Value::Int(high)) = (&low, &high) else {
                    return Err(Unknown::Unsupported("bounds that are not integers"));
                };
                let small = low.to_i64().zip(high.to_i64());
                let (low, high) = small.ok_or(Unknown::Limit("instances of a quantifier"))?;
                if high.saturating_sub(low) > LONGEST {
                    return Err(Unknown::Limit("instances of a quantifier"));
                }
                Ok((low..=high).map(|n| Value::Int(n.into())).collect())
            }
        }
    }
}

/// Every part of a string, without duplicates, the empty one first.
pub(crate) fn parts(text: &Text) -> Vec<Text> {
    let mut seen: FxHashSet<&[u32]> = FxHashSet::default();
    let mut found: Vec<Text> = vec![Text::from([])];
    for length in 1..=text.len() {
        for window in text.windows(length) {
            if seen.insert(window) {
                found.push(window.into());
            }
        }
    }
    found
}

/// Formulas that hold in every relevant instance.
fn guards(store: &Store, which: Quantifier, body: TermId) -> Vec<TermId> {
    let body = match store.get(body) {
        Term::Annotated(inner, _) => inner,
        _ => body,
    };
    match (which, store.operator(body)) {
        (Quantifier::Exists, _) => conjuncts(store, body),
        (Quantifier::Forall, Some((core::IMPLIES, args))) => {
            let antecedents = &args[..args.len() - 1];
            antecedents.iter().flat_map(|&guard| conjuncts(store, guard)).collect()
        }
        (Quantifier::Forall, _) => Vec::new(),
    }
}

/// The range of a constant, if the guards give one in terms without unknown symbols.
fn range(
    store: &mut Store,
    constant: TermId,
    guards: &[TermId],
    unknown: &FxHashSet<TermId>,
) -> Option<Range> {
    let sort = store.sort(constant);
    let declared = matches!(store.sorts.get(sort), Sort::Declared(..));
    if declared && store.sorts.datatype(sort).is_none() {
        return Some(Range::Universe(sort));
    }
    if !matches!(store.sorts.get(sort), Sort::Int | Sort::String | Sort::Real) {
        let nothing = Model::new();
        return EvalContext::new(store, &nothing).enumerate(sort, MOST_VALUES).map(Range::All);
    }
    let known = |store: &Store, term: TermId| {
        !preorder(store, term).iter().any(|part| unknown.contains(part))
    };
    let (mut low, mut high) = (None, None);
    for &guard in guards {
        let Some((op, args)) = store.operator(guard) else { continue };
        let &[a, b] = args else { continue };
        match op {
            core::EQ => {
                for (side, other) in [(a, b), (b, a)] {
                    if !known(store, other) {
                        continue;
                    }
                    if side == constant {
                        return Some(Range::Exactly(other));
                    }
                    if is_piece(store, side, constant) {
                        return Some(Range::PartsOf(other));
                    }
                }
            }
            strings::PREFIXOF | strings::SUFFIXOF if a == constant && known(store, b) => {
                return Some(Range::PartsOf(b));
            }
            strings::CONTAINS if b == constant && known(store, a) => {
                return Some(Range::PartsOf(a));
            }
            ints::GE | ints::GT | ints::LE | ints::LT if sort == SortId::INT => {
                let strict = matches!(op, ints::GT | ints::LT);
                let below = matches!(op, ints::LE | ints::LT);
                let (bound, is_low) = if a == constant { (b, !below) } else { (a, below) };
                if ![a, b].contains(&constant) || !known(store, bound) {
                    continue;
                }
                let bound = if strict { beside(store, bound, is_low) } else { bound };
                if is_low { low = Some(bound) } else { high = Some(bound) }
            }
            _ => {}
        }
    }
    Some(Range::Between(low?, high?))
}

/// The next integer.
fn beside(store: &mut Store, term: TermId, upwards: bool) -> TermId {
    let one = store.int(&assay_term::Int::from(1u32));
    let op = if upwards { ints::ADD } else { ints::SUB };
    store.op(op, &[term, one]).expect("integers have neighbours")
}

/// Whether a concatenation has the constant as one of its pieces.
fn is_piece(store: &Store, term: TermId, constant: TermId) -> bool {
    match store.operator(term) {
        Some((strings::CONCAT, args)) => {
            args.iter().any(|&arg| arg == constant || is_piece(store, arg, constant))
        }
        _ => false,
    }
}

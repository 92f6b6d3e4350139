//! Terms: replaces each by a part of it, a constant or a symbol, or drops an argument.

use super::constants;
use crate::search::{Gain, Search};
use crate::state::{State, Witness, is_asserted};
use assay_smtlib::Command;
use assay_term::theories::{arrays, bv, core, ints, strings};
use assay_term::value::Value;
use assay_term::{
    Evaluator, Func, Interpretation, Model, Op, Quantifier, Replacements, SortId, Store, Term,
    TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::cell::OnceCell;

/// Replaces one term by another everywhere.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Edit {
    from: TermId,
    to: TermId,
}

/// The terms of a script, with the data that orders the steps.
struct Graph {
    /// The terms, larger ones first.
    terms: Vec<TermId>,
    /// The printed size of each term.
    sizes: FxHashMap<TermId, u64>,
    /// The number of occurrences in the printed script.
    places: FxHashMap<TermId, u64>,
    /// The distance from an assertion.
    depths: FxHashMap<TermId, u32>,
    /// Symbols and literals by sort, the most frequent first.
    leaves: FxHashMap<SortId, Vec<TermId>>,
    /// Whole assertions, which are handled by dropping them.
    asserted: FxHashSet<TermId>,
}

impl Graph {
    fn new(store: &Store, state: &State) -> Graph {
        let roots = state.roots();
        let order = store.postorder(&roots);
        let mut sizes: FxHashMap<TermId, u64> = FxHashMap::default();
        for &term in &order {
            let parts = store.children(term).iter().map(|part| sizes[part]);
            let size = parts.fold(1u64, u64::saturating_add);
            sizes.insert(term, size);
        }
        let mut places: FxHashMap<TermId, u64> = FxHashMap::default();
        let mut depths: FxHashMap<TermId, u32> = FxHashMap::default();
        for &root in &roots {
            *places.entry(root).or_default() += 1;
            depths.insert(root, 0);
        }
        for &term in order.iter().rev() {
            let (here, depth) = (places.get(&term).copied().unwrap_or(1), depths.get(&term));
            let below = depth.copied().unwrap_or(0) + 1;
            for &part in store.children(term) {
                let place = places.entry(part).or_default();
                *place = place.saturating_add(here);
                let known = depths.entry(part).or_insert(below);
                *known = below.min(*known);
            }
        }
        let mut leaves: FxHashMap<SortId, Vec<TermId>> = FxHashMap::default();
        for &term in &order {
            if is_leaf(store, term) {
                leaves.entry(store.sort(term)).or_default().push(term);
            }
        }
        for list in leaves.values_mut() {
            let often = |term: &TermId| places.get(term).copied().unwrap_or(0);
            list.sort_by_key(|term| (std::cmp::Reverse(often(term)), *term));
        }
        let mut terms = order;
        // The sort is stable, so terms of equal size keep their printed order.
        terms.sort_by_key(|term| std::cmp::Reverse(sizes[term]));
        let asserted = state.commands.iter().filter_map(is_asserted).collect();
        Graph { terms, sizes, places, depths, leaves, asserted }
    }

    fn gain(&self, edit: Edit) -> u64 {
        let size = |term: TermId| self.sizes.get(&term).copied().unwrap_or(1);
        let saved = size(edit.from).saturating_sub(size(edit.to));
        saved.saturating_mul(self.places.get(&edit.from).copied().unwrap_or(1))
    }
}

/// A symbol or a literal.
fn is_leaf(store: &Store, term: TermId) -> bool {
    match store.get(term) {
        Term::Literal(_) => true,
        Term::App(func, []) => matches!(store.func(func), Func::Declared { .. }),
        _ => false,
    }
}

fn is_symbol(store: &Store, term: TermId) -> bool {
    is_leaf(store, term) && !matches!(store.get(term), Term::Literal(_))
}

/// Whether one term may replace another: no variable may leave its binder.
fn fits(store: &Store, from: TermId, to: TermId) -> bool {
    fits_below(store, from, &OnceCell::new(), to)
}

/// The same for many replacements: the free variables of the old term are computed once.
fn fits_below(store: &Store, from: TermId, free: &OnceCell<Vec<TermId>>, to: TermId) -> bool {
    if from == to || store.sort(from) != store.sort(to) {
        return false;
    }
    if !store.mentions_variables(to) {
        return true;
    }
    let outer = free.get_or_init(|| store.free_variables(from));
    store.free_variables(to).iter().all(|var| outer.binary_search(var).is_ok())
}

/// The nearest parts of a term that have its sort.
fn nearest(store: &Store, term: TermId, most: usize) -> Vec<TermId> {
    const FAR: usize = 200;
    let mut found = Vec::new();
    let mut work: std::collections::VecDeque<TermId> =
        store.children(term).iter().copied().collect();
    let mut seen = FxHashSet::default();
    let free = OnceCell::new();
    while let Some(part) = work.pop_front() {
        if found.len() >= most || seen.len() > FAR {
            break;
        }
        if !seen.insert(part) {
            continue;
        }
        if fits_below(store, term, &free, part) {
            found.push(part);
        } else {
            work.extend(store.children(part));
        }
    }
    found
}

/// How many terms are replaced at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Choice {
    Constant(usize),
    Part(usize),
}

/// Replaces many terms at a time, level by level: large irrelevant parts go in few tests.
pub(crate) fn coarse(search: &mut Search<'_>) {
    const LARGE: usize = 60;
    const LEAST: usize = 4;
    let mut depth = 1;
    while !search.is_over() {
        let graph = Graph::new(&search.home, &search.state);
        if graph.terms.len() < LARGE || !graph.depths.values().any(|&d| d >= depth) {
            return;
        }
        let level: Vec<TermId> = graph
            .terms
            .iter()
            .copied()
            .filter(|term| graph.depths.get(term) == Some(&depth) && graph.sizes[term] > 1)
            .collect();
        for choice in [Choice::Constant(0), Choice::Part(0), Choice::Constant(1), Choice::Part(1)] {
            let edits: Vec<Edit> = level
                .iter()
                .filter_map(|&from| {
                    let to = match choice {
                        Choice::Constant(at) => {
                            let sort = search.home.sort(from);
                            constants::of(&mut search.home, sort).get(at).copied()
                        }
                        Choice::Part(at) => nearest(&search.home, from, at + 1).get(at).copied(),
                    }?;
                    fits(&search.home, from, to).then_some(Edit { from, to })
                })
                .collect();
            let least = if edits.len() > 4 * LEAST { edits.len() / 16 } else { 1 };
            search.bisect(
                edits.len(),
                true,
                least.max(1),
                Gain::Smaller,
                &|store, state, which| {
                    state.replaced(
                        store,
                        which.iter().map(|&at| (edits[at].from, edits[at].to)).collect(),
                    )
                },
            );
        }
        depth += 1;
    }
}

/// Replaces terms one by one, the greatest gain first, until nothing gets smaller.
pub(crate) fn fine(search: &mut Search<'_>) {
    let mut tried: FxHashSet<Edit> = FxHashSet::default();
    while !search.is_over() {
        let graph = Graph::new(&search.home, &search.state);
        let witness = search.state.witness.clone();
        let mut edits: Vec<Edit> = Vec::new();
        for &term in &graph.terms {
            if search.is_over() {
                return;
            }
            let new = replacements(&mut search.home, &graph, witness.as_ref(), term);
            let mut seen = FxHashSet::default();
            let free = OnceCell::new();
            for to in new {
                // Finding the variables of a wide term takes long.
                if search.is_over() {
                    return;
                }
                let edit = Edit { from: term, to };
                let fits = fits_below(&search.home, term, &free, to);
                if fits && seen.insert(to) && !tried.contains(&edit) {
                    edits.push(edit);
                }
            }
        }
        edits.sort_by_key(|&edit| std::cmp::Reverse(graph.gain(edit)));
        let taken = search.first_of(
            edits.len(),
            &|store, state, at| apply(store, state, edits[at]),
            Gain::Smaller,
        );
        let Some(taken) = taken else { return };
        tried.extend(&edits[..=taken]);
    }
}

/// The state after an edit; a literal changes in the model too if the model still holds.
fn apply(store: &mut Store, state: &State, edit: Edit) -> Option<State> {
    let mut new = state.replaced(store, Replacements::from_iter([(edit.from, edit.to)]))?;
    let model = state.witness.as_ref().and_then(|witness| witness.model.clone());
    if let (Some(model), Some(old), Some(value)) =
        (model, literal(store, edit.from), literal(store, edit.to))
    {
        if !holds(store, &new, &model) {
            let moved = with_value(&model, &old, &value);
            if holds(store, &new, &moved) {
                new.witness = Some(Witness::of(store, moved));
            }
        }
    }
    Some(new)
}

fn literal(store: &Store, term: TermId) -> Option<Value> {
    match store.get(term) {
        Term::Literal(value) => Some(value.clone()),
        _ => None,
    }
}

/// Whether a model satisfies all assertions.
pub(super) fn holds(store: &Store, state: &State, model: &Model) -> bool {
    let terms: Vec<TermId> = state.commands.iter().filter_map(is_asserted).collect();
    let satisfaction = assay_term::satisfies(store, model, &terms);
    satisfaction.values.iter().all(|value| *value == Ok(true))
}

/// The model with a new value for every symbol that had the old one.
fn with_value(model: &Model, old: &Value, new: &Value) -> Model {
    let mut moved = model.clone();
    for (func, meaning) in model.iter() {
        if *meaning == Interpretation::Value(old.clone()) {
            moved.set(func, Interpretation::Value(new.clone()));
        }
    }
    moved
}

/// Possible replacements of a term.
fn replacements(
    store: &mut Store,
    graph: &Graph,
    witness: Option<&Witness>,
    term: TermId,
) -> Vec<TermId> {
    const PARTS: usize = 4;
    const SYMBOLS: usize = 2;
    const LEAVES: usize = 4;
    let sort = store.sort(term);
    let leaf = is_leaf(store, term);
    let mut found = Vec::new();
    if let Term::Var(_) = store.get(term) {
        return found;
    }
    if !graph.asserted.contains(&term) {
        if let Some(model) = witness.and_then(|witness| witness.model.as_deref()) {
            if !store.mentions_variables(term) && !matches!(store.get(term), Term::Literal(_)) {
                let value = Evaluator::new(store, model).completing().eval(term).ok();
                found.extend(value.and_then(|value| store.value(&value)));
            }
        }
        found.extend(constants::of(store, sort));
    }
    found.extend(nearest(store, term, PARTS));
    let same: &[TermId] = graph.leaves.get(&sort).map_or(&[], Vec::as_slice);
    if leaf {
        let others = same.iter().copied().filter(|&other| other != term);
        found.extend(others.take(LEAVES));
    } else if !graph.asserted.contains(&term) {
        let symbols = same.iter().copied().filter(|&other| is_symbol(store, other));
        found.extend(symbols.take(SYMBOLS));
    }
    found.extend(constants::smaller(store, term));
    found.extend(arguments(store, term));
    found.extend(rewritten(store, term));
    found
}

/// The maximum number of arguments that are dropped one at a time.
const SINGLY: usize = 64;

/// The application with one argument fewer; with several fewer if it has many.
fn arguments(store: &mut Store, term: TermId) -> Vec<TermId> {
    let Term::App(func, args) = store.get(term) else { return Vec::new() };
    let args = args.to_vec();
    // A single argument replaces the application elsewhere.
    if args.len() < 3 || !matches!(store.func(func), Func::Op(..)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    if args.len() >= 4 {
        let (left, right) = args.split_at(args.len() / 2);
        found.extend([left, right].iter().filter_map(|half| store.app(func, half).ok()));
    }
    let few = args.len().div_ceil(SINGLY);
    for gone in (0..args.len()).step_by(few) {
        let mut rest = args.clone();
        rest.drain(gone..args.len().min(gone + few));
        found.extend(store.app(func, &rest).ok());
    }
    found
}

/// Equivalent terms that are shorter or allow further steps.
fn rewritten(store: &mut Store, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    match store.get(term) {
        Term::Quant(which, vars, body) => {
            let (vars, body) = (vars.to_vec(), body);
            found.extend(instances(store, which, &vars, body));
        }
        Term::App(func, args) => {
            let args = args.to_vec();
            if let Func::Op(op, indices) = store.func(func).clone() {
                found.extend(shorter(store, op, &indices, &args));
                if !args.is_empty() && !store.mentions_variables(term) {
                    let model = Model::new();
                    let value = Evaluator::new(store, &model).eval(term).ok();
                    found.extend(value.and_then(|value| store.value(&value)));
                }
            }
        }
        _ => {}
    }
    found
}

/// A quantified formula with one variable replaced by a constant.
fn instances(store: &mut Store, which: Quantifier, vars: &[TermId], body: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    for &var in vars {
        let sort = store.sort(var);
        for value in constants::of(store, sort) {
            let mut by = Replacements::from_iter([(var, value)]);
            let Ok(body) = store.replaced(body, &mut by) else { continue };
            let rest: Vec<TermId> = vars.iter().copied().filter(|&it| it != var).collect();
            match rest.is_empty() {
                true => found.push(body),
                false => found.extend(store.quantified(which, &rest, body).ok()),
            }
        }
    }
    found
}

/// Equivalent or similar operators that are shorter.
fn shorter(store: &mut Store, op: Op, indices: &[u64], args: &[TermId]) -> Vec<TermId> {
    let mut found = Vec::new();
    let inner = |store: &Store, term: TermId| match store.get(term) {
        Term::App(func, args) => match store.func(func) {
            Func::Op(op, _) => Some((*op, args.to_vec())),
            _ => None,
        },
        _ => None,
    };
    if op == core::NOT {
        if let Some((below, args)) = inner(store, args[0]) {
            let opposite = match below {
                core::EQ if args.len() == 2 => Some(core::DISTINCT),
                core::DISTINCT if args.len() == 2 => Some(core::EQ),
                ints::LT => Some(ints::GE),
                ints::LE => Some(ints::GT),
                ints::GT => Some(ints::LE),
                ints::GE => Some(ints::LT),
                bv::ULT => Some(bv::UGE),
                bv::ULE => Some(bv::UGT),
                bv::UGT => Some(bv::ULE),
                bv::UGE => Some(bv::ULT),
                bv::SLT => Some(bv::SGE),
                bv::SLE => Some(bv::SGT),
                bv::SGT => Some(bv::SLE),
                bv::SGE => Some(bv::SLT),
                _ => None,
            };
            found.extend(opposite.and_then(|op| store.op(op, &args).ok()));
        }
    }
    // An equation or relation of complex terms becomes one of their arguments.
    if matches!(op, core::EQ | core::DISTINCT) && args.len() == 2 {
        if let (Some((left, these)), Some((right, those))) =
            (inner(store, args[0]), inner(store, args[1]))
        {
            if left == right && these.len() == those.len() {
                for (&this, &that) in these.iter().zip(&those) {
                    if this != that {
                        found.extend(store.op(op, &[this, that]).ok());
                    }
                }
            }
        }
    }
    // A comparison with a Boolean may become a negation.
    if let (core::EQ | core::DISTINCT | core::XOR, &[left, right]) = (op, args) {
        let truths = [store.bool(true), store.bool(false)];
        for (compared, other) in [(left, right), (right, left)] {
            if truths.contains(&other) {
                found.extend(store.op(core::NOT, &[compared]).ok());
            }
        }
    }
    // Longer operators that usually behave like a shorter one.
    let plain = match op {
        strings::REPLACE_ALL => Some(strings::REPLACE),
        strings::PREFIXOF | strings::SUFFIXOF | strings::CONTAINS | strings::LE => Some(core::EQ),
        core::DISTINCT | core::IMPLIES | core::XOR => Some(core::EQ),
        ints::LE => Some(ints::LT),
        ints::GE => Some(ints::GT),
        _ => None,
    };
    if let Some(plain) = plain.filter(|_| indices.is_empty()) {
        found.extend(store.op(plain, args).ok());
    }
    if op == arrays::SELECT {
        if let Some((arrays::STORE, below)) = inner(store, args[0]) {
            found.push(below[2]);
            found.extend(store.op(arrays::SELECT, &[below[0], args[1]]).ok());
        }
    }
    found
}

/// Substitutes the term that an assertion equates with a symbol for that symbol, and drops the
/// assertion.
pub(crate) fn solve(search: &mut Search<'_>) {
    loop {
        let mut equations = Vec::new();
        for command in &search.state.commands {
            let Some(term) = is_asserted(command) else { continue };
            let Term::App(func, &[left, right]) = search.home.get(term) else { continue };
            if !matches!(search.home.func(func), Func::Op(core::EQ, _)) {
                continue;
            }
            for (symbol, value) in [(left, right), (right, left)] {
                let parts = search.home.postorder(&[value]);
                if is_symbol(&search.home, symbol) && !parts.contains(&symbol) {
                    equations.push((term, symbol, value));
                }
            }
        }
        let step = |store: &mut Store, state: &State, at: usize| -> Option<State> {
            let (equation, symbol, value) = equations[at];
            let rest = state.commands.iter().filter(|c| is_asserted(c) != Some(equation));
            let rest: Vec<Command> = rest.cloned().collect();
            state.with(rest).replaced(store, Replacements::from_iter([(symbol, value)]))
        };
        if search.first_of(equations.len(), &step, Gain::Smaller).is_none() {
            return;
        }
    }
}

//! Pools: terms to substitute for variables, by sort.
//!
//! A pool is either rich, with everything in the file up to a level, or small, with a few terms
//! that may belong together. Small pools instantiate all patterns with the same few terms, while
//! rich ones begin matching loops.

use crate::draw::Draw;
use crate::nnf::declared;
use crate::workbench::Workbench;
use assay_term::{Func, FuncId, Int, Sort, SortId, Term, TermId, Value};
use rustc_hash::FxHashMap;

/// The richness of a pool.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// One constant of each sort, and 0, 1, -1, 2.
    Simple,
    /// Also the file's constants and numbers.
    Constants,
    /// Also applications to these.
    Applications,
}

impl Level {
    /// The maximum number of instances of a pattern.
    pub(crate) fn cap(self) -> usize {
        match self {
            Level::Simple => 32,
            Level::Constants => 60,
            Level::Applications => 400,
        }
    }
}

/// The number of the file's numbers that are used.
const MAX_NUMBERS: usize = 8;

/// The number of terms of each sort to which functions of several arguments are applied; unary
/// functions are applied to more.
const APPLIED_TO: usize = 4;
const ALONE: usize = 10;

/// The number of the file's constants of each sort in a small pool.
const SLICE: usize = 3;

/// The maximum number of small pools of one kind.
const MAX_POOLS: usize = 120;

/// Terms by sort.
pub(crate) type Pool = FxHashMap<SortId, Vec<TermId>>;

/// The pool of a level.
pub(crate) fn pool(bench: &mut Workbench<'_>, level: Level) -> Pool {
    let mut pool = simple(bench);
    if level >= Level::Constants {
        add_constants(bench, &mut pool);
        add_numbers(bench, &mut pool);
    }
    if level >= Level::Applications {
        add_ground(bench, &mut pool);
        add_applications(bench, &mut pool);
    }
    pool
}

/// Small pools, each with a few of the file's constants and numbers.
pub(crate) fn slices(bench: &mut Workbench<'_>) -> Vec<Pool> {
    let simple = simple(bench);
    let rich = pool(bench, Level::Constants);
    let longest = rich.values().map(Vec::len).max().unwrap_or(0);
    let count = longest.div_ceil(SLICE).min(MAX_POOLS);
    let slice = |at: usize| {
        let cut = |(&sort, terms): (&SortId, &Vec<TermId>)| {
            let known = &simple[&sort];
            let own = &terms[known.len()..];
            // Sorts with few constants wrap around.
            let from = if own.is_empty() { 0 } else { at * SLICE % own.len() };
            let few = own.iter().cycle().skip(from).take(SLICE.min(own.len()));
            let mut all: Vec<TermId> = few.copied().collect();
            all.extend(known.iter().take(2));
            (sort, all)
        };
        rich.iter().map(cut).collect()
    };
    (0..count).map(slice).collect()
}

/// Small pools, each with the values of one function into a sort without values: if the function is
/// injective, they are distinct elements.
pub(crate) fn by_function(bench: &mut Workbench<'_>) -> Vec<Pool> {
    let simple = simple(bench);
    let mut pools = Vec::new();
    for func in makers(bench, &simple) {
        if pools.len() >= MAX_POOLS {
            break;
        }
        let (params, result) = signature(bench, func);
        let choices: Vec<&[TermId]> = params.iter().map(|sort| simple[sort].as_slice()).collect();
        let mut draw = Draw::new(&[bench.rng, 11]);
        let mut values = Vec::new();
        for row in rows(&choices, APPLIED_TO, &mut draw).into_iter().take(APPLIED_TO) {
            values.extend(bench.problem.store.app(func, &row).ok());
        }
        let mut pool = simple.clone();
        pool.insert(result, values);
        pools.push(pool);
    }
    pools
}

/// The file's functions into a sort without values, from terms of the pool; those with few
/// arguments, and of numbers, first.
pub(crate) fn makers(bench: &Workbench<'_>, pool: &Pool) -> Vec<FuncId> {
    let used = crate::normal::symbols(&bench.problem, &roots(bench));
    let store = &bench.problem.store;
    let mut found: Vec<(usize, bool, usize, FuncId)> = Vec::new();
    for (at, &func) in bench.problem.functions.iter().enumerate() {
        let Func::Declared { params, result, .. } = store.func(func) else { continue };
        let opaque = matches!(store.sorts.get(*result), Sort::Declared(..));
        let known = params.iter().chain([result]).all(|sort| pool.contains_key(sort));
        if opaque && known && !params.is_empty() && used.contains(&func) {
            let of_values = params.iter().all(|&sort| sort == SortId::INT);
            found.push((params.len(), !of_values, at, func));
        }
    }
    found.sort_unstable();
    found.into_iter().map(|(_, _, _, func)| func).collect()
}

/// A constant of each sort that quantifiers range over or functions take, and a few numbers.
pub(crate) fn simple(bench: &mut Workbench<'_>) -> Pool {
    let store = &bench.problem.store;
    let quantified = bench.form.quantifiers.iter();
    let mut sorts: Vec<SortId> =
        quantified.flat_map(|bound| bound.vars.iter().map(|&var| store.sort(var))).collect();
    let used = crate::normal::symbols(&bench.problem, &roots(bench));
    for &func in bench.problem.functions.iter().filter(|func| used.contains(func)) {
        sorts.extend(signature(bench, func).0);
    }
    sorts.sort_unstable();
    sorts.dedup();
    sorts.into_iter().map(|sort| (sort, simple_terms(bench, sort))).collect()
}

fn simple_terms(bench: &mut Workbench<'_>, sort: SortId) -> Vec<TermId> {
    let problem = &mut bench.problem;
    match sort {
        SortId::INT => [0i64, 1, -1, 2].map(|n| problem.store.int(&Int::from(n))).to_vec(),
        SortId::BOOL => [true, false].map(|b| problem.store.bool(b)).to_vec(),
        _ => vec![problem.any(sort, 0)],
    }
}

fn push(pool: &mut Pool, sort: SortId, term: TermId) {
    if let Some(terms) = pool.get_mut(&sort) {
        if !terms.contains(&term) {
            terms.push(term);
        }
    }
}

/// The file's constants, those that occur in most formulas first.
fn add_constants(bench: &mut Workbench<'_>, pool: &mut Pool) {
    let mut counts: FxHashMap<TermId, usize> = FxHashMap::default();
    for root in roots(bench) {
        let store = &bench.problem.store;
        for term in store.postorder(&[root]) {
            if declared(store, term).is_some_and(|(_, args)| args.is_empty()) {
                *counts.entry(term).or_default() += 1;
            }
        }
    }
    let mut constants: Vec<(TermId, usize)> = counts.into_iter().collect();
    constants.sort_by_key(|&(term, count)| (std::cmp::Reverse(count), term));
    for (term, _) in constants {
        if bench.is_expressible(term) {
            let sort = bench.problem.store.sort(term);
            push(pool, sort, term);
        }
    }
}

fn roots(bench: &Workbench<'_>) -> Vec<TermId> {
    bench.form.statements.iter().map(|&(_, term)| term).collect()
}

fn add_numbers(bench: &mut Workbench<'_>, pool: &mut Pool) {
    let mut found: Vec<Int> = Vec::new();
    for term in bench.problem.store.postorder(&roots(bench)) {
        if let Term::Literal(Value::Int(value)) = bench.problem.store.get(term) {
            if !found.contains(value) {
                found.push(value.clone());
            }
        }
    }
    for value in found.into_iter().take(MAX_NUMBERS) {
        let term = bench.problem.store.int(&value);
        push(pool, SortId::INT, term);
    }
}

/// The file's ground applications of declared functions.
fn add_ground(bench: &mut Workbench<'_>, pool: &mut Pool) {
    const MAX_GROUND: usize = 40;
    let mut counts: FxHashMap<SortId, usize> = FxHashMap::default();
    for term in bench.problem.store.postorder(&roots(bench)) {
        let store = &bench.problem.store;
        if store.mentions_variables(term) || declared(store, term).is_none() {
            continue;
        }
        let sort = store.sort(term);
        let count = counts.entry(sort).or_default();
        if *count < MAX_GROUND && bench.is_expressible(term) {
            *count += 1;
            push(pool, sort, term);
        }
    }
}

/// Functions applied to simple terms, if a quantifier ranges over their result sort. There are
/// enough numbers and Booleans; sorts without values lack terms.
fn add_applications(bench: &mut Workbench<'_>, pool: &mut Pool) {
    let before = pool.clone();
    let mut draw = Draw::new(&[bench.rng, 7]);
    for func in makers(bench, &before) {
        let (params, result) = signature(bench, func);
        let (most, count) =
            if params.len() == 1 { (ALONE, ALONE) } else { (APPLIED_TO, 2 * APPLIED_TO) };
        let few = |sort| &before[sort][..most.min(before[sort].len())];
        let choices: Vec<&[TermId]> = params.iter().map(few).collect();
        for row in rows(&choices, count, &mut draw) {
            if let Ok(term) = bench.problem.store.app(func, &row) {
                push(pool, result, term);
            }
        }
    }
}

/// The argument sorts of a declared function, and its result sort.
pub(crate) fn signature(bench: &Workbench<'_>, func: FuncId) -> (Vec<SortId>, SortId) {
    match bench.problem.store.func(func) {
        Func::Declared { params, result, .. } => (params.to_vec(), *result),
        _ => unreachable!("the file's functions are declared"),
    }
}

/// Combinations of choices: all if there are few; otherwise those that treat equal sorts equally,
/// and some at random.
pub(crate) fn rows(choices: &[&[TermId]], cap: usize, draw: &mut Draw) -> Vec<Vec<TermId>> {
    let count = choices.iter().try_fold(1usize, |product, choice| {
        product.checked_mul(choice.len()).filter(|&product| product <= cap)
    });
    if let Some(count) = count {
        let row = |mut number: usize| {
            let pick = |choice: &&[TermId]| {
                let term = choice[number % choice.len()];
                number /= choice.len();
                term
            };
            choices.iter().map(pick).collect()
        };
        return (0..count).map(row).collect();
    }
    let longest = choices.iter().map(|choice| choice.len()).max().unwrap_or(0);
    let mut rows: Vec<Vec<TermId>> = (0..longest.min(cap))
        .map(|at| choices.iter().map(|choice| choice[at % choice.len()]).collect())
        .collect();
    if choices.len() == 1 {
        return rows;
    }
    // The same shifted, so that neighboring variables differ.
    rows.extend((0..longest.min(cap)).map(|at| {
        let shifted = choices.iter().enumerate();
        shifted.map(|(by, choice)| choice[(at + by) % choice.len()]).collect()
    }));
    while rows.len() < cap {
        rows.push(choices.iter().map(|choice| choice[draw.below(choice.len())]).collect());
    }
    rows
}

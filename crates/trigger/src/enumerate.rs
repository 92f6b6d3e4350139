//! Candidate terms without a search: every pattern with simple terms in the places of its variables.
//!
//! Many contradictions need no particular term, only some. Levels add ever more terms to the pool:
//! constants of ours and small numbers, then the file's constants and numbers, then applications.

use crate::draw::Draw;
use crate::nnf::declared;
use crate::normal::MultiPattern;
use crate::workbench::Workbench;
use assay_term::{Func, Int, Replacements, Sort, SortId, Term, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// How rich the pool is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Level {
    /// One constant of each sort, and 0, 1, -1, 2.
    Simple,
    /// The file's constants and numbers too.
    Constants,
    /// Applications to these too.
    Applications,
}

impl Level {
    /// How many instances of a pattern are made at most.
    fn cap(self) -> usize {
        match self {
            Level::Simple => 32,
            Level::Constants => 60,
            Level::Applications => 400,
        }
    }
}

/// No more terms than this together.
const MAX_TERMS: usize = 16_000;

/// Numbers of the file that are used.
const MAX_NUMBERS: usize = 8;

/// Functions of several arguments are applied to so many terms of each sort, those of one to more.
const APPLIED_TO: usize = 4;
const ALONE: usize = 10;

/// Terms by sort.
type Pool = FxHashMap<SortId, Vec<TermId>>;

/// The instances of patterns, by quantifier.
pub(crate) fn instances(bench: &mut Workbench<'_>, level: Level) -> Vec<Vec<TermId>> {
    let pool = pool(bench, level);
    let mut draw = Draw::new(&[bench.rng, level as u64]);
    let quantifiers: Vec<Vec<MultiPattern>> =
        bench.form.quantifiers.iter().map(|bound| bound.patterns.clone()).collect();
    let cap = level.cap().min((MAX_TERMS / quantifiers.len().max(1)).max(4));
    let mut seen = FxHashSet::default();
    let mut groups = Vec::with_capacity(quantifiers.len());
    for patterns in quantifiers {
        let mut group = Vec::new();
        for pattern in patterns {
            for term in filled(bench, &pattern, &pool, cap, &mut draw) {
                if bench.is_expressible(term) && seen.insert(term) {
                    group.push(term);
                }
            }
        }
        groups.push(group);
    }
    groups
}

/// A pattern's terms with terms of the pool in the places of variables.
fn filled(
    bench: &mut Workbench<'_>,
    pattern: &[TermId],
    pool: &Pool,
    cap: usize,
    draw: &mut Draw,
) -> Vec<TermId> {
    let store = &bench.problem.store;
    let mut vars: Vec<TermId> =
        pattern.iter().flat_map(|&term| store.free_variables(term)).collect();
    vars.sort_unstable();
    vars.dedup();
    let choices: Option<Vec<&[TermId]>> =
        vars.iter().map(|&var| pool.get(&store.sort(var)).map(Vec::as_slice)).collect();
    let Some(choices) = choices else { return Vec::new() };
    let mut found = Vec::new();
    for row in rows(&choices, cap, draw) {
        let mut by: Replacements = vars.iter().copied().zip(row).collect();
        for &term in pattern {
            found.push(bench.problem.store.replace(term, &mut by));
        }
    }
    found
}

/// Combinations of choices: all where they are few; otherwise those that treat equal sorts equally,
/// and some at random.
fn rows(choices: &[&[TermId]], cap: usize, draw: &mut Draw) -> Vec<Vec<TermId>> {
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
    // The same shifted: neighbouring variables differ.
    rows.extend((0..longest.min(cap)).map(|at| {
        let shifted = choices.iter().enumerate();
        shifted.map(|(by, choice)| choice[(at + by) % choice.len()]).collect()
    }));
    while rows.len() < cap {
        rows.push(choices.iter().map(|choice| choice[draw.below(choice.len())]).collect());
    }
    rows
}

fn pool(bench: &mut Workbench<'_>, level: Level) -> Pool {
    let mut sorts: Vec<SortId> = bench
        .form
        .quantifiers
        .iter()
        .flat_map(|bound| bound.vars.iter().map(|&var| bench.problem.store.sort(var)))
        .collect();
    sorts.sort_unstable();
    sorts.dedup();
    let mut pool = Pool::default();
    for &sort in &sorts {
        let simple = simple_terms(bench, sort);
        pool.insert(sort, simple);
    }
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

/// The file's constants, those that most formulas mention first.
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

/// Ground applications of declared functions that the file has.
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

/// Functions applied to simple terms, where a quantifier ranges over what they give.
fn add_applications(bench: &mut Workbench<'_>, pool: &mut Pool) {
    let used = crate::normal::symbols(&bench.problem, &roots(bench));
    let before = pool.clone();
    let mut draw = Draw::new(&[bench.rng, 7]);
    let mut functions = bench.problem.functions.clone();
    functions.sort_by_key(|&func| match bench.problem.store.func(func) {
        Func::Declared { params, .. } => params.len(),
        _ => 0,
    });
    for func in functions {
        let Func::Declared { params, result, .. } = bench.problem.store.func(func) else {
            continue;
        };
        let (params, result) = (params.to_vec(), *result);
        if params.is_empty() || !used.contains(&func) || !pool.contains_key(&result) {
            continue;
        }
        // Numbers and truth values are plenty; what a sort without values lacks are terms.
        if !matches!(bench.problem.store.sorts.get(result), Sort::Declared(..)) {
            continue;
        }
        let (most, count) =
            if params.len() == 1 { (ALONE, ALONE) } else { (APPLIED_TO, 2 * APPLIED_TO) };
        let few = |sort| before.get(sort).map(|terms| &terms[..most.min(terms.len())]);
        let choices: Option<Vec<&[TermId]>> = params.iter().map(few).collect();
        let Some(choices) = choices else { continue };
        for row in rows(&choices, count, &mut draw) {
            if let Ok(term) = bench.problem.store.app(func, &row) {
                push(pool, result, term);
            }
        }
    }
}

//! Deep terms: a container built step by step, such as a map with two entries.
//!
//! Some axioms about containers contradict each other only for contents of some size. A spine is a
//! term whose first argument of its own sort is a spine again; its other arguments are simple
//! terms, either the same at each step or new ones.

use crate::enumerate::variables;
use crate::pool::{self, Level, Pool};
use crate::workbench::Workbench;
use assay_term::{FuncId, Int, Replacements, Sort, SortId, TermId};
use rustc_hash::FxHashSet;

/// The maximum number of steps in a spine.
const DEPTH: usize = 2;

/// The maximum number of spines of one sort and depth with the same outermost function, and of
/// terms of a kind to begin with.
const MAX_SPINES: usize = 120;
const MAX_CONSTANTS: usize = 3;

/// The number of spines that are tried together in all patterns.
const TOGETHER: usize = 4;

/// Candidates: the instances of all patterns over a few spines, the simple spines first.
pub(crate) fn candidates(bench: &mut Workbench<'_>) -> Vec<Vec<TermId>> {
    let pool = pool::pool(bench, Level::Constants);
    let makers = pool::makers(bench, &pool);
    let mut sorts: Vec<SortId> =
        makers.iter().map(|&func| pool::signature(bench, func).1).collect();
    sorts.sort_unstable();
    sorts.dedup();
    let mut found = Vec::new();
    for sort in sorts {
        let material = Material { sort, makers: &makers, pool: &pool };
        let mut spines = Vec::new();
        let mut layer = material.beginnings(bench);
        for depth in 1..=DEPTH {
            layer = material.longer(bench, &layer, depth);
            spines.extend(layer.iter().map(|spine| spine.term));
        }
        // Spines made by one function alone come first.
        let uniform: FxHashSet<TermId> =
            layer.iter().filter(|spine| spine.by.is_some()).map(|spine| spine.term).collect();
        spines.sort_by_key(|term| !uniform.contains(term));
        for few in spines.chunks(TOGETHER) {
            let candidate = material.instances(bench, few);
            if !candidate.is_empty() {
                found.push(candidate);
            }
        }
    }
    found
}

#[derive(Clone, Copy)]
struct Spine {
    term: TermId,
    /// The function of all its steps; `None` if they differ.
    by: Option<FuncId>,
}

/// The parts from which spines of a sort are built.
struct Material<'m> {
    sort: SortId,
    makers: &'m [FuncId],
    pool: &'m Pool,
}

impl Material<'_> {
    /// The innermost terms of spines: constants, and functions of other sorts.
    fn beginnings(&self, bench: &mut Workbench<'_>) -> Vec<Spine> {
        let mut found: Vec<TermId> = Vec::new();
        for number in 0..MAX_CONSTANTS {
            for &func in self.makers {
                let (params, result) = pool::signature(bench, func);
                if result != self.sort || params.contains(&self.sort) {
                    continue;
                }
                let args: Option<Vec<TermId>> =
                    params.iter().map(|&param| self.constant(bench, param, number)).collect();
                found.extend(args.and_then(|args| bench.problem.store.app(func, &args).ok()));
            }
        }
        found.extend(self.pool.get(&self.sort).into_iter().flatten().take(MAX_CONSTANTS));
        found.into_iter().map(|term| Spine { term, by: None }).collect()
    }

    /// The constant with this number: from the file if it has enough, otherwise ours.
    fn constant(&self, bench: &Workbench<'_>, sort: SortId, number: usize) -> Option<TermId> {
        let known = self.pool.get(&sort)?;
        let opaque = matches!(bench.problem.store.sorts.get(sort), Sort::Declared(..));
        // The first constant of a sort without values is an unconstrained one.
        known.get(number + usize::from(opaque && known.len() > 1)).copied()
    }

    /// Spines with one more step.
    fn longer(&self, bench: &mut Workbench<'_>, layer: &[Spine], depth: usize) -> Vec<Spine> {
        let mut found = Vec::new();
        for &func in self.makers {
            let (params, result) = pool::signature(bench, func);
            if result != self.sort || !params.contains(&self.sort) {
                continue;
            }
            let same = |spine: &&Spine| depth == 1 || spine.by == Some(func);
            let others = layer.iter().filter(|spine| !same(spine));
            let ordered = layer.iter().filter(same).chain(others);
            let choices = 1usize << (params.len() - 1).min(3);
            for inner in ordered.take(MAX_SPINES.div_ceil(choices)) {
                for choice in 0..choices {
                    let args = self.arguments(bench, &params, inner.term, choice, depth);
                    let Some(args) = args else { continue };
                    if let Ok(term) = bench.problem.store.app(func, &args) {
                        let uniform = same(&inner);
                        found.push(Spine { term, by: uniform.then_some(func) });
                    }
                }
            }
        }
        found
    }

    /// The arguments of a step: the spine so far as the first argument of its sort, and simple
    /// terms; the bits of the choice say which of them are new at this depth.
    fn arguments(
        &self,
        bench: &mut Workbench<'_>,
        params: &[SortId],
        inner: TermId,
        choice: usize,
        depth: usize,
    ) -> Option<Vec<TermId>> {
        let place = params.iter().position(|&param| param == self.sort);
        let mut args = Vec::with_capacity(params.len());
        let mut bit = 0;
        for (at, &param) in params.iter().enumerate() {
            if Some(at) == place {
                args.push(inner);
                continue;
            }
            let number = if choice >> bit & 1 == 1 { depth } else { 0 };
            bit += 1;
            args.push(self.leaf(bench, param, number)?);
        }
        Some(args)
    }

    /// A simple term of a sort; different numbers give distinct terms if the file can express them.
    fn leaf(&self, bench: &mut Workbench<'_>, sort: SortId, number: usize) -> Option<TermId> {
        match sort {
            SortId::INT => return Some(bench.problem.store.int(&Int::from(number as i64))),
            SortId::BOOL => return Some(bench.problem.store.bool(number == 0)),
            _ => {}
        }
        let of_numbers = self.makers.iter().copied().find(|&func| {
            let (params, result) = pool::signature(bench, func);
            result == sort && params == [SortId::INT]
        });
        if let Some(func) = of_numbers {
            let value = bench.problem.store.int(&Int::from(number as i64));
            return bench.problem.store.app(func, &[value]).ok();
        }
        self.constant(bench, sort, number).or_else(|| Some(bench.problem.any(sort, number)))
    }

    /// The instances of all patterns with a variable of the sort over these spines.
    fn instances(&self, bench: &mut Workbench<'_>, spines: &[TermId]) -> Vec<TermId> {
        let patterns: Vec<Vec<TermId>> =
            bench.form.quantifiers.iter().flat_map(|bound| bound.patterns.clone()).collect();
        let mut found = Vec::new();
        let mut seen = FxHashSet::default();
        for pattern in patterns {
            let vars = variables(bench, &pattern);
            let of_sort = |&var: &TermId| bench.problem.store.sort(var) == self.sort;
            let Some(place) = vars.iter().position(of_sort) else { continue };
            // A container is queried at a constant, and at the terms that its steps contain.
            for (&spine, asked) in spines.iter().flat_map(|spine| [(spine, false), (spine, true)]) {
                let mut by = Replacements::default();
                for (at, &var) in vars.iter().enumerate() {
                    let of = bench.problem.store.sort(var);
                    let value = match (at == place, asked) {
                        (true, _) => Some(spine),
                        (false, false) => self.constant(bench, of, 0),
                        (false, true) => self.leaf(bench, of, 0),
                    };
                    by.insert(var, value.unwrap_or_else(|| bench.problem.any(of, 0)));
                }
                for &term in &pattern {
                    let term = bench.problem.store.replace(term, &mut by);
                    if bench.is_expressible(term) && seen.insert(term) {
                        found.push(term);
                    }
                }
            }
        }
        found
    }
}

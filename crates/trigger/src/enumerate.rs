//! Enumerates candidate terms: instantiates every pattern with terms of a pool.
//!
//! Many contradictions do not need particular terms.

use crate::draw::Draw;
use crate::normal::MultiPattern;
use crate::pool::{Pool, rows};
use crate::workbench::Workbench;
use assay_term::{Replacements, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The maximum total number of terms.
const MAX_TERMS: usize = 16_000;

/// Limits on the instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limit {
    /// The maximum number of instances of one pattern.
    pub(crate) cap: usize,
    /// The maximum number of variables in a pattern.
    pub(crate) variables: usize,
}

/// The possible terms for each variable.
pub(crate) type ByVariable = FxHashMap<TermId, Vec<TermId>>;

/// The instances of patterns over a pool, by quantifier.
pub(crate) fn instances(bench: &mut Workbench<'_>, pool: &Pool, limit: Limit) -> Vec<Vec<TermId>> {
    instances_over(bench, &ByVariable::default(), pool, limit)
}

/// Like [`instances`], with specific terms for some variables.
pub(crate) fn instances_over(
    bench: &mut Workbench<'_>,
    own: &ByVariable,
    pool: &Pool,
    limit: Limit,
) -> Vec<Vec<TermId>> {
    let Limit { cap, variables: most } = limit;
    let mut draw = Draw::new(&[bench.rng, cap as u64]);
    let quantifiers: Vec<Vec<MultiPattern>> =
        bench.form.quantifiers.iter().map(|bound| bound.patterns.clone()).collect();
    let cap = cap.min((MAX_TERMS / quantifiers.len().max(1)).max(4));
    let mut seen = FxHashSet::default();
    let mut groups = Vec::with_capacity(quantifiers.len());
    for patterns in quantifiers {
        let mut group = Vec::new();
        for pattern in patterns {
            if variables(bench, &pattern).len() > most {
                continue;
            }
            for term in filled(bench, &pattern, (own, pool), cap, &mut draw) {
                if bench.is_expressible(term) && seen.insert(term) {
                    group.push(term);
                }
            }
        }
        groups.push(group);
    }
    groups
}

/// The variables of a pattern.
pub(crate) fn variables(bench: &Workbench<'_>, pattern: &[TermId]) -> Vec<TermId> {
    let store = &bench.problem.store;
    let mut vars: Vec<TermId> =
        pattern.iter().flat_map(|&term| store.free_variables(term)).collect();
    vars.sort_unstable();
    vars.dedup();
    vars
}

/// The terms of a pattern with terms of the pool for its variables.
fn filled(
    bench: &mut Workbench<'_>,
    pattern: &[TermId],
    (own, pool): (&ByVariable, &Pool),
    cap: usize,
    draw: &mut Draw,
) -> Vec<TermId> {
    let vars = variables(bench, pattern);
    let store = &bench.problem.store;
    let choices: Option<Vec<&[TermId]>> = vars
        .iter()
        .map(|var| own.get(var).or_else(|| pool.get(&store.sort(*var))).map(Vec::as_slice))
        .collect();
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

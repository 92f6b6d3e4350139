//! Fewer and smaller terms that still suffice.

use crate::engine::SatResult;
use crate::strategy::Sufficient;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::{Replacements, SortId, TermId};
use rustc_hash::FxHashSet;
use std::time::Duration;

/// The smallest set that was found, all of whose members are needed.
///
/// Each try gets as much effort as the terms are known to suffice with.
pub(crate) fn minimised(
    bench: &mut Workbench<'_>,
    found: Sufficient,
    deadline: Duration,
) -> Vec<TermId> {
    let Sufficient { terms, mut effort } = found;
    let terms = from_proof(bench, terms, effort);
    tighten(bench, &terms, &mut effort);
    let terms = needed(bench, terms, &mut effort, deadline);
    tighten(bench, &terms, &mut effort);
    let terms = smaller(bench, terms, effort, deadline);
    needed(bench, terms, &mut effort, deadline)
}

/// Fewer terms are refuted faster: a try that takes much longer than the set at hand is in vain.
fn tighten(bench: &mut Workbench<'_>, terms: &[TermId], effort: &mut Effort) {
    if let Some(cost) = bench.refuting(terms, *effort) {
        *effort = (*effort).min(Effort(SLACK * cost.0 + Effort::TINY.0));
    }
}

/// From so many terms on, the effort is measured again after each success.
const MANY: usize = 32;

/// A smaller set may take so many times as long.
const SLACK: u64 = 3;

/// What a refutation used: with fewer instances than the terms make, it is found faster.
fn from_proof(bench: &mut Workbench<'_>, terms: Vec<TermId>, effort: Effort) -> Vec<TermId> {
    const FEW: usize = 4;
    if terms.len() <= FEW {
        return terms;
    }
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    let proof = bench.proof_of(&all, &terms, Instantiation::Ematching, effort);
    let Ok(instances) = proof else { return terms };
    let used: FxHashSet<TermId> =
        instances.iter().flat_map(|instance| instance.patterns.iter().flatten().copied()).collect();
    let mentioned: Vec<TermId> = terms.iter().copied().filter(|term| used.contains(term)).collect();
    if !mentioned.is_empty() && mentioned.len() < terms.len() && suffice(bench, &mentioned, effort)
    {
        return mentioned;
    }
    let mut matched: Vec<TermId> =
        used.into_iter().filter(|&term| bench.is_expressible(term)).collect();
    matched.sort_unstable();
    if matched.len() < terms.len() && suffice(bench, &matched, effort) { matched } else { terms }
}

fn suffice(bench: &mut Workbench<'_>, terms: &[TermId], effort: Effort) -> bool {
    bench.ematching(terms, effort) == SatResult::Unsat
}

/// Delta debugging: parts that suffice alone, then parts that can be left out, ever smaller.
fn needed(
    bench: &mut Workbench<'_>,
    mut terms: Vec<TermId>,
    effort: &mut Effort,
    deadline: Duration,
) -> Vec<TermId> {
    let mut parts = 2;
    while terms.len() > 1 {
        let size = terms.len().div_ceil(parts);
        let chunks: Vec<Vec<TermId>> = terms.chunks(size).map(<[TermId]>::to_vec).collect();
        let mut found = None;
        for (at, chunk) in chunks.iter().enumerate() {
            if bench.engine.elapsed() > deadline || bench.is_over() {
                return terms;
            }
            // A chunk alone is worth a try only while it is large; later it hardly ever suffices.
            if parts <= 4 && suffice(bench, chunk, *effort) {
                found = Some((chunk.clone(), 2));
                break;
            }
            if chunks.len() > 2 || parts > 4 {
                let others = chunks.iter().enumerate().filter(|(other, _)| *other != at);
                let rest: Vec<TermId> = others.flat_map(|(_, chunk)| chunk.clone()).collect();
                if suffice(bench, &rest, *effort) {
                    found = Some((rest, parts.saturating_sub(1).max(2)));
                    break;
                }
            }
        }
        match found {
            Some((fewer, next)) => {
                // Where there were many terms, the next tries are worth less.
                if terms.len() > MANY {
                    tighten(bench, &fewer, effort);
                }
                (terms, parts) = (fewer, next);
            }
            None if size == 1 => break,
            None => parts = (2 * parts).min(terms.len()),
        }
    }
    terms
}

/// Terms with smaller ones in their places: their own parts, or parts replaced by simple ones.
fn smaller(
    bench: &mut Workbench<'_>,
    mut terms: Vec<TermId>,
    effort: Effort,
    deadline: Duration,
) -> Vec<TermId> {
    let mut at = 0;
    let mut tried: FxHashSet<TermId> = FxHashSet::default();
    'next: while at < terms.len() {
        for simpler in simplifications(bench, terms[at]) {
            if bench.engine.elapsed() > deadline || bench.is_over() {
                return terms;
            }
            if !tried.insert(simpler) || terms.contains(&simpler) {
                continue;
            }
            let old = std::mem::replace(&mut terms[at], simpler);
            if suffice(bench, &terms, effort) {
                tried.clear();
                continue 'next;
            }
            terms[at] = old;
        }
        at += 1;
        tried.clear();
    }
    terms
}

/// Terms that are simpler than one, the simplest first.
fn simplifications(bench: &mut Workbench<'_>, term: TermId) -> Vec<TermId> {
    let parts = bench.problem.store.postorder(&[term]);
    let size = parts.len();
    let applied = |bench: &Workbench<'_>, part: TermId| {
        crate::nnf::declared(&bench.problem.store, part).is_some_and(|(_, args)| !args.is_empty())
    };
    let mut found: Vec<TermId> =
        parts.iter().copied().filter(|&part| part != term && applied(bench, part)).collect();
    for &part in &parts {
        if part == term || bench.problem.store.children(part).is_empty() {
            continue;
        }
        let sort = bench.problem.store.sort(part);
        let simple = match sort {
            SortId::INT => bench.problem.store.word_int(0),
            SortId::BOOL => bench.problem.store.bool(true),
            _ => bench.problem.any(sort, 0),
        };
        let mut by: Replacements = [(part, simple)].into_iter().collect();
        let new = bench.problem.store.replace(term, &mut by);
        if bench.problem.store.postorder(&[new]).len() < size {
            found.push(new);
        }
    }
    found.retain(|&term| bench.is_expressible(term));
    found.sort_by_key(|&term| bench.problem.store.postorder(&[term]).len());
    found
}

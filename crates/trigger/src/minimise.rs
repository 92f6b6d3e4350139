//! Fewer and smaller terms that still suffice.

use crate::strategy::Sufficient;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_search::{Candidate, Counts, Gain, Panel, Reducible, Search, Tested};
use assay_term::{Replacements, SortId, TermId};
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::time::Duration;

/// The smallest sufficient set found, of which every member is needed.
///
/// Each try gets as much effort as the known sufficient terms need.
pub(crate) fn minimised(
    bench: &mut Workbench<'_>,
    found: Sufficient,
    deadline: Duration,
) -> Vec<TermId> {
    let Sufficient { terms, effort } = found;
    let start = Terms { terms: terms.clone(), cost: effort };
    let tries = Tries { bench, effort, deadline };
    let Ok(mut search) = Search::begin((), [start], None, tries) else { return terms };
    from_proof(&mut search);
    tighten(&mut search);
    needed(&mut search);
    tighten(&mut search);
    smaller(&mut search);
    needed(&mut search);
    search.state.terms
}

/// A set of terms, with the cost of refuting the file with them.
#[derive(Clone)]
struct Terms {
    terms: Vec<TermId>,
    cost: Effort,
}

impl Terms {
    /// Other terms, whose cost is unknown.
    fn with(&self, terms: Vec<TermId>) -> Terms {
        Terms { terms, cost: self.cost }
    }
}

impl Reducible for Terms {
    type Home = ();
    type Candidate = Terms;
    type Learnt = Effort;

    fn candidate(&mut self, (): &(), _: Option<(&Terms, &Terms)>) -> Option<Terms> {
        (!self.terms.is_empty()).then(|| self.clone())
    }

    fn taken(&mut self, (): &mut (), cost: Effort) {
        self.cost = cost;
    }
}

impl Candidate for Terms {
    type Size = usize;

    fn size(&self) -> usize {
        self.terms.len()
    }

    fn key(&self, mut state: &mut dyn Hasher) {
        self.terms.hash(&mut state);
    }
}

/// Tries of E-matching with limited effort.
struct Tries<'b, 'e> {
    bench: &'b mut Workbench<'e>,
    effort: Effort,
    deadline: Duration,
}

impl Panel<Terms> for Tries<'_, '_> {
    fn test(&mut self, sets: &[&Terms]) -> Vec<Tested<Effort>> {
        let test = |set: &&Terms| match self.bench.refuting(&set.terms, self.effort) {
            Some(cost) => Tested::Shown(cost),
            None => Tested::Not("they do not suffice".to_owned()),
        };
        sets.iter().map(test).collect()
    }

    fn is_over(&self, _: &Counts) -> bool {
        self.bench.engine.elapsed() > self.deadline || self.bench.is_over()
    }
}

type Minimising<'b, 'e> = Search<Terms, Tries<'b, 'e>>;

/// Fewer terms are refuted faster: a try that takes much longer than the current set is futile.
fn tighten(search: &mut Minimising<'_, '_>) {
    let enough = Effort(SLACK * search.state.cost.0 + Effort::TINY.0);
    search.panel.effort = search.panel.effort.min(enough);
}

/// The number of terms from which the effort is measured again after each success.
const MANY: usize = 32;

/// The factor by which a smaller set may take longer.
const SLACK: u64 = 3;

/// Keeps only the terms that a refutation used: with fewer instances it is faster.
fn from_proof(search: &mut Minimising<'_, '_>) {
    const FEW: usize = 4;
    let terms = search.state.terms.clone();
    if terms.len() <= FEW {
        return;
    }
    let Tries { bench, effort, .. } = &mut search.panel;
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    let proof = bench.proof_of(&all, &terms, Instantiation::Ematching, *effort);
    let Ok(instances) = proof else { return };
    let used: FxHashSet<TermId> =
        instances.iter().flat_map(|instance| instance.patterns.iter().flatten().copied()).collect();
    let mentioned: Vec<TermId> = terms.into_iter().filter(|term| used.contains(term)).collect();
    let mut matched: Vec<TermId> =
        used.into_iter().filter(|&term| bench.is_expressible(term)).collect();
    matched.sort_unstable();
    let sets = [mentioned, matched];
    search.first_of(sets.len(), &|(), now, at| Some(now.with(sets[at].clone())), Gain::Smaller);
}

/// Delta debugging: parts that suffice alone, then parts that can be left out, in smaller and
/// smaller chunks.
fn needed(search: &mut Minimising<'_, '_>) {
    let mut parts = 2;
    while search.state.terms.len() > 1 && !search.is_over() {
        let terms = &search.state.terms;
        let (count, size) = (terms.len(), terms.len().div_ceil(parts));
        let chunks: Vec<Vec<TermId>> = terms.chunks(size).map(<[TermId]>::to_vec).collect();
        let mut tries: Vec<(Vec<TermId>, usize)> = Vec::new();
        for (at, chunk) in chunks.iter().enumerate() {
            // A chunk alone is worth a try only if it is large; a small one hardly ever suffices.
            if parts <= 4 {
                tries.push((chunk.clone(), 2));
            }
            if chunks.len() > 2 || parts > 4 {
                let others = chunks.iter().enumerate().filter(|(other, _)| *other != at);
                let rest = others.flat_map(|(_, chunk)| chunk.clone()).collect();
                tries.push((rest, parts.saturating_sub(1).max(2)));
            }
        }
        let fewer = |(): &mut (), now: &Terms, at: usize| Some(now.with(tries[at].0.clone()));
        match search.first_of(tries.len(), &fewer, Gain::Smaller) {
            Some(taken) => {
                // With many terms, the next tries need less effort.
                if count > MANY {
                    tighten(search);
                }
                parts = tries[taken].1;
            }
            None if size == 1 => break,
            None => parts = (2 * parts).min(count),
        }
    }
}

/// Replaces terms by smaller ones: by their own subterms, or with subterms replaced by simple ones.
fn smaller(search: &mut Minimising<'_, '_>) {
    let mut at = 0;
    while at < search.state.terms.len() && !search.is_over() {
        let simpler = simplifications(search.panel.bench, search.state.terms[at]);
        let replaced = |(): &mut (), now: &Terms, which: usize| {
            let mut terms = now.terms.clone();
            terms[at] = simpler[which];
            (!now.terms.contains(&simpler[which])).then(|| now.with(terms))
        };
        if search.first_of(simpler.len(), &replaced, Gain::Any).is_none() {
            at += 1;
        }
    }
}

/// Simplifications of a term, the simplest first.
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

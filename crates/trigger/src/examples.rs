//! Terms from refutations by models: those that make E-matching produce their instances.

use crate::engine::SatResult;
use crate::explain;
use crate::proof::Instance;
use crate::strategy::Sufficient;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashSet;

/// The terms that match the patterns of these instances, without repetition.
pub(crate) fn pattern_terms(bench: &Workbench<'_>, instances: &[Instance]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let all = instances.iter().flat_map(|instance| instance.patterns.iter().flatten().copied());
    all.filter(|&term| bench.is_expressible(term) && seen.insert(term)).collect()
}

/// The terms that match one alternative of each instance's patterns: the first, or the last.
fn one_each(bench: &Workbench<'_>, instances: &[Instance], last: bool) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let chosen = instances.iter().filter_map(|instance| {
        let expressible =
            |terms: &&Vec<TermId>| terms.iter().all(|&term| bench.is_expressible(term));
        let mut usable = instance.patterns.iter().filter(expressible);
        if last { usable.next_back() } else { usable.next() }
    });
    chosen.flatten().copied().filter(|&term| seen.insert(term)).collect()
}

/// Sufficient terms from a refutation of the file by models.
pub(crate) fn from_models(
    bench: &mut Workbench<'_>,
    effort: Effort,
) -> Result<Option<Sufficient>, SatResult> {
    let all: Vec<usize> = (0..bench.form.statements.len()).collect();
    let instances = bench.proof_of(&all, &[], Instantiation::Models, effort)?;
    Ok(from_instances(bench, &instances))
}

/// Sufficient terms from the instances of a refutation: all terms of their patterns or, if these
/// begin a matching loop or do not suffice, those of fewer and fewer relevant instances.
pub(crate) fn from_instances(
    bench: &mut Workbench<'_>,
    instances: &[Instance],
) -> Option<Sufficient> {
    let mut sets = vec![pattern_terms(bench, instances)];
    if let Some(found) = refuting(bench, &sets[0], Effort::SMALL) {
        return Some(found);
    }
    let core = explain::core_instances(bench, instances)?;
    for set in
        [pattern_terms(bench, &core), one_each(bench, &core, false), one_each(bench, &core, true)]
    {
        if !set.is_empty() && !sets.contains(&set) {
            sets.push(set);
        }
    }
    for effort in [Effort::SMALL, Effort::MEDIUM] {
        for set in sets.iter().skip(1) {
            if let Some(found) = refuting(bench, set, effort) {
                return Some(found);
            }
        }
    }
    refuting(bench, &sets[0], Effort::MEDIUM)
}

fn refuting(bench: &mut Workbench<'_>, terms: &[TermId], effort: Effort) -> Option<Sufficient> {
    let known = !terms.is_empty() && !bench.is_over();
    (known && bench.ematching(terms, effort) == SatResult::Unsat)
        .then(|| Sufficient { terms: terms.to_vec(), effort })
}

/// The terms, with the least effort in which E-matching refutes the file with them.
pub(crate) fn sufficient(bench: &mut Workbench<'_>, terms: Vec<TermId>) -> Option<Sufficient> {
    for effort in [Effort::SMALL, Effort::MEDIUM] {
        match bench.ematching(&terms, effort) {
            SatResult::Unsat => return Some(Sufficient { terms, effort }),
            SatResult::Diverged => {}
            _ => return None,
        }
    }
    None
}

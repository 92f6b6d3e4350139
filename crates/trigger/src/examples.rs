//! The proof way: refutations by models, and the terms that let E-matching make their instances.

use crate::engine::Verdict;
use crate::proof::Instance;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashSet;

/// The terms that match the patterns of these instances, each once.
pub(crate) fn pattern_terms(bench: &Workbench<'_>, instances: &[Instance]) -> Vec<TermId> {
    let mut seen = FxHashSet::default();
    let all = instances.iter().flat_map(|instance| instance.patterns.iter().flatten().copied());
    all.filter(|&term| bench.is_expressible(term) && seen.insert(term)).collect()
}

/// Terms that suffice, from a refutation of these formulas by models.
pub(crate) fn from_models(
    bench: &mut Workbench<'_>,
    statements: &[usize],
    effort: Effort,
) -> Result<Option<(Vec<TermId>, Effort)>, Verdict> {
    let instances = bench.proof_of(statements, &[], Instantiation::Models, effort)?;
    let terms = pattern_terms(bench, &instances);
    Ok(sufficient(bench, terms))
}

/// The terms with the least effort in which E-matching refutes the file with them.
pub(crate) fn sufficient(
    bench: &mut Workbench<'_>,
    terms: Vec<TermId>,
) -> Option<(Vec<TermId>, Effort)> {
    for effort in [Effort::SMALL, Effort::MEDIUM] {
        match bench.ematching(&terms, effort) {
            Verdict::Unsat => return Some((terms, effort)),
            Verdict::Diverged => {}
            _ => return None,
        }
    }
    None
}

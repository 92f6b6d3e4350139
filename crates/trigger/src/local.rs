//! Small parts of the file: a formula and those most similar to it, refuted on their own.
//!
//! A contradiction of a part is one of the whole, and the solver finds it faster if there is
//! nothing else to instantiate. As always, validation decides whether the terms also suffice in the
//! whole file.

use crate::examples::{from_instances, sufficient};
use crate::similarity::Similarity;
use crate::strategy::Sufficient;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::{Term, TermId};
use rustc_hash::FxHashSet;

/// How parts are chosen and refuted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Parts {
    /// The number of formulas in addition to the first.
    pub(crate) neighbours: usize,
    /// How they are instantiated: with candidate terms, or by models.
    pub(crate) how: Instantiation,
}

/// The maximum number of candidate terms of a quantifier.
const TERMS: usize = 16;

/// Searches for a part that contradicts itself.
pub(crate) fn refuted_part(
    bench: &mut Workbench<'_>,
    parts: Parts,
    groups: &[Vec<TermId>],
    avoid: &mut FxHashSet<Vec<usize>>,
) -> Option<Sufficient> {
    let formulas: Vec<Vec<TermId>> =
        bench.form.statements.iter().map(|&(_, term)| vec![term]).collect();
    let similarity = Similarity::new(bench, &formulas);
    let own = own_quantifiers(bench);
    for at in 0..formulas.len() {
        if bench.is_over() {
            return None;
        }
        if own[at].is_empty() {
            continue;
        }
        let mut part = similarity.neighbours(at, 1);
        part.truncate(parts.neighbours);
        part.push(at);
        part.sort_unstable();
        if !avoid.insert(part.clone()) {
            continue;
        }
        let found = match parts.how {
            Instantiation::Ematching => {
                let numbers = part.iter().flat_map(|&one| own[one].iter());
                let known = numbers.filter_map(|&number| groups.get(number));
                let terms: Vec<TermId> =
                    known.flat_map(|group| group.iter().take(TERMS).copied()).collect();
                let refuted = bench.refutes_few(&part, &terms, Effort::TINY);
                if refuted { sufficient(bench, terms) } else { None }
            }
            Instantiation::Models => bench
                .proof_of(&part, &[], Instantiation::Models, Effort::TINY)
                .ok()
                .and_then(|instances| from_instances(bench, &instances)),
        };
        if found.is_some() {
            return found;
        }
    }
    None
}

/// The quantifiers of each prepared formula.
fn own_quantifiers(bench: &Workbench<'_>) -> Vec<Vec<usize>> {
    let numbers = bench.form.numbers();
    let store = &bench.problem.store;
    let of = |term: TermId| {
        let parts = store.postorder(&[term]).into_iter();
        parts
            .filter_map(|part| match store.get(part) {
                Term::Quant(_, vars, _) => numbers.get(vars).copied(),
                _ => None,
            })
            .collect()
    };
    bench.form.statements.iter().map(|&(_, term)| of(term)).collect()
}

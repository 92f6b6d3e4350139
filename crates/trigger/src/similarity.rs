//! The similarity of formulas: the share of declared functions that they have in common (the
//! Jaccard index).

use crate::normal::symbols;
use crate::workbench::Workbench;
use assay_term::{FuncId, TermId};
use rustc_hash::FxHashMap;

/// The declared functions of formulas, and the formulas of each function.
pub(crate) struct Similarity {
    features: Vec<Vec<FuncId>>,
    owners: FxHashMap<FuncId, Vec<usize>>,
}

impl Similarity {
    /// From one list of terms per formula.
    pub(crate) fn new(bench: &Workbench<'_>, formulas: &[Vec<TermId>]) -> Similarity {
        let mut features = Vec::with_capacity(formulas.len());
        let mut owners: FxHashMap<FuncId, Vec<usize>> = FxHashMap::default();
        for (at, terms) in formulas.iter().enumerate() {
            let mut own: Vec<FuncId> = symbols(&bench.problem, terms).into_iter().collect();
            own.sort_unstable();
            for &func in &own {
                owners.entry(func).or_default().push(at);
            }
            features.push(own);
        }
        Similarity { features, owners }
    }

    /// The Jaccard index of two formulas, as a fraction.
    fn index(&self, a: usize, b: usize) -> (usize, usize) {
        let (a, b) = (&self.features[a], &self.features[b]);
        let common = a.iter().filter(|func| b.binary_search(func).is_ok()).count();
        (common, a.len() + b.len() - common)
    }

    /// Formulas whose index with this one is positive and at least this percentage, the most
    /// similar first.
    pub(crate) fn neighbours(&self, of: usize, percent: usize) -> Vec<usize> {
        let mut found: Vec<usize> = self.features[of]
            .iter()
            // A function in nearly all formulas is not informative.
            .filter(|func| self.owners[func].len() <= 400)
            .flat_map(|func| self.owners[func].iter().copied())
            .filter(|&other| other != of)
            .collect();
        found.sort_unstable();
        found.dedup();
        let mut scored: Vec<(usize, usize)> = found
            .into_iter()
            .filter_map(|other| {
                let (common, all) = self.index(of, other);
                (common * 100 >= percent * all).then(|| (common * 10_000 / all, other))
            })
            .collect();
        scored.sort_by_key(|&(score, other)| (std::cmp::Reverse(score), other));
        scored.into_iter().map(|(_, other)| other).collect()
    }
}

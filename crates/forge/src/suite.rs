//! A suite of satisfiable formulas, as those see it who run it.

use crate::equation::Equation;
use crate::error::ForgeError;
use crate::history::Histories;
use crate::permutation::Permutation;
use crate::space::Spaces;
use crate::spec::Spec;
use crate::theory::Theory;
use assay_case::{CaseId, Category, Expected, MakeError, Origin, Selection, Suite, TestCase};
use std::sync::Arc;

/// Formulas that are satisfiable by construction.
pub(crate) struct Satisfiable {
    name: String,
    theory: Theory,
    categories: Vec<Category>,
    /// The cases of each category.
    spaces: Vec<Spaces>,
}

impl Satisfiable {
    pub(crate) fn new(name: &str, spec: &Spec) -> Result<Satisfiable, ForgeError> {
        let theory = Theory::new(spec)?;
        let (mut categories, mut spaces) = (Vec::new(), Vec::new());
        let histories = Arc::new(Histories::new(&theory, spec.depth.unwrap_or(1)));
        for &construction in spec.categories.iter().flatten() {
            for group in &theory.groups {
                let Some(space) = Spaces::new(&theory, &histories, group, construction)? else {
                    continue;
                };
                categories.push(Category {
                    name: construction.name().into(),
                    group: group.name.clone(),
                    expected: Expected::Sat,
                });
                spaces.push(space);
            }
        }
        Ok(Satisfiable { name: name.into(), theory, categories, spaces })
    }

    fn contains(&self, id: CaseId) -> bool {
        self.spaces[id.category as usize].contains(&self.theory, id.index)
    }

    fn equation(&self, id: CaseId) -> Option<Equation> {
        self.spaces.get(id.category as usize)?.equation(&self.theory, id.index)
    }

    /// The case at a position in the concatenation of some categories.
    fn locate(&self, wanted: &[u32], mut position: u128) -> CaseId {
        for &category in wanted {
            match position.checked_sub(self.spaces[category as usize].size()) {
                None => return CaseId { category, index: position },
                Some(rest) => position = rest,
            }
        }
        unreachable!("positions are below the sum of the sizes")
    }
}

impl Suite for Satisfiable {
    fn name(&self) -> &str {
        &self.name
    }

    fn categories(&self) -> Vec<Category> {
        self.categories.clone()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let wanted: Vec<u32> = (0..self.categories.len())
            .filter(|&at| selection.wants(&self.categories[at]))
            .map(|at| u32::try_from(at).expect("descriptions are short"))
            .collect();
        let Some(sample) = selection.sample else {
            let ids = wanted.into_iter().flat_map(|category| {
                let numbers = 0..self.spaces[category as usize].size();
                numbers.map(move |index| CaseId { category, index })
            });
            return selection.cut(ids.filter(|&id| self.contains(id)));
        };
        let sizes = wanted.iter().map(|&category| self.spaces[category as usize].size());
        let total = sizes.fold(0, u128::saturating_add);
        let order = Permutation::new(total, selection.rng);
        let ids = (0..total).map(move |position| self.locate(&wanted, order.apply(position)));
        let sample = usize::try_from(sample).unwrap_or(usize::MAX);
        selection.cut(ids.filter(|&id| self.contains(id)).take(sample))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let equation = self
            .equation(id)
            .ok_or_else(|| MakeError(format!("suite `{}` has no case {id}", self.name)))?;
        let Category { name, group, .. } = &self.categories[id.category as usize];
        let origin = Origin {
            suite: self.name.clone(),
            category: name.clone(),
            index: id.index,
            ..Origin::default()
        };
        let name = format!("{name}/{group}/{}", id.index);
        equation.into_case(&self.theory, name, origin)
    }
}

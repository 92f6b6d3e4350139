//! A suite of formulas with known truth, as its users see it.

use crate::error::ForgeError;
use crate::history::Histories;
use crate::maxsmt::{self, Problems};
use crate::permutation::Permutation;
use crate::quantified::{self, Sentences};
use crate::refute::{self, Refutations};
use crate::space::Spaces;
use crate::spec::Spec;
use crate::theory::Theory;
use crate::tour::in_turn;
use assay_case::{CaseId, Category, Expected, MakeError, Origin, Selection, Suite, TestCase};
use std::sync::Arc;

/// Formulas that are satisfiable or unsatisfiable, or have a known optimum, by construction.
pub(crate) struct Forged {
    name: String,
    theory: Theory,
    categories: Vec<Category>,
    /// The cases of each category.
    spaces: Vec<Cases>,
}

/// The cases of a category.
enum Cases {
    Satisfiable(Spaces),
    Unsatisfiable(Refutations),
    Optimizing(Problems),
    Quantified(Sentences),
}

impl Cases {
    fn size(&self) -> u128 {
        match self {
            Cases::Satisfiable(spaces) => spaces.size(),
            Cases::Unsatisfiable(refutations) => refutations.size(),
            Cases::Optimizing(problems) => problems.size(),
            Cases::Quantified(sentences) => sentences.size(),
        }
    }

    /// The numbers of the cases, in order.
    fn numbers<'s>(&'s self, theory: &'s Theory) -> Box<dyn Iterator<Item = u128> + Send + 's> {
        match self {
            Cases::Satisfiable(spaces) => Box::new(spaces.numbers(theory)),
            Cases::Unsatisfiable(refutations) => {
                let numbers = 0..refutations.size();
                Box::new(numbers.filter(|&number| refutations.contains(theory, number)))
            }
            Cases::Optimizing(problems) => Box::new(0..problems.size()),
            Cases::Quantified(sentences) => Box::new(0..sentences.size()),
        }
    }
}

impl Forged {
    pub(crate) fn new(name: &str, spec: &Spec) -> Result<Forged, ForgeError> {
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
                spaces.push(Cases::Satisfiable(space));
            }
        }
        if let Some(refute) = &spec.refute {
            let made = refute::categories(refute, &spec.certified, &theory, &histories)?;
            for (category, refutations) in made {
                categories.push(category);
                spaces.push(Cases::Unsatisfiable(refutations));
            }
        }
        if let Some(quantified) = &spec.quantified {
            for (category, sentences) in quantified::categories(quantified)? {
                categories.push(category);
                spaces.push(Cases::Quantified(sentences));
            }
        }
        if let Some(maxsmt) = &spec.maxsmt {
            let (mut satisfiable, mut unsatisfiable) = (Vec::new(), Vec::new());
            for part in spaces.drain(..) {
                match part {
                    Cases::Satisfiable(spaces) => satisfiable.push(spaces),
                    Cases::Unsatisfiable(refutations) => unsatisfiable.push(refutations),
                    Cases::Optimizing(_) | Cases::Quantified(_) => {}
                }
            }
            categories.clear();
            for (category, problems) in maxsmt::categories(maxsmt, satisfiable, unsatisfiable)? {
                categories.push(category);
                spaces.push(Cases::Optimizing(problems));
            }
        }
        Ok(Forged { name: name.into(), theory, categories, spaces })
    }

    fn contains(&self, id: CaseId) -> bool {
        match &self.spaces[id.category as usize] {
            Cases::Satisfiable(spaces) => spaces.contains(&self.theory, id.index),
            Cases::Unsatisfiable(refutations) => refutations.contains(&self.theory, id.index),
            Cases::Optimizing(problems) => id.index < problems.size(),
            Cases::Quantified(sentences) => id.index < sentences.size(),
        }
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

/// Numbers in a row without a case that end a category, which may have far more numbers than cases.
const BARREN: u32 = 1 << 15;

/// Numbers that are tried before another category has its turn.
const TRIED: usize = 64;

/// At most `most` of the numbers that have a case, with `None` for each stretch without any, so
/// that a sparse category does not delay the others.
fn sparse<T>(
    mut numbers: impl Iterator<Item = T>,
    most: usize,
    has_case: impl Fn(&T) -> bool,
) -> impl Iterator<Item = Option<T>> {
    let (mut left, mut barren) = (most, 0);
    std::iter::from_fn(move || {
        if left == 0 {
            return None;
        }
        for _ in 0..TRIED {
            let number = numbers.next()?;
            if has_case(&number) {
                (left, barren) = (left - 1, 0);
                return Some(Some(number));
            }
            barren += 1;
            if barren == BARREN {
                left = 0;
                return None;
            }
        }
        Some(None)
    })
}

/// A separate seed for each category.
fn selection_seed(rng: u64, category: u32) -> u64 {
    rng ^ u64::from(category + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

impl Suite for Forged {
    fn name(&self) -> &str {
        &self.name
    }

    fn categories(&self) -> Vec<Category> {
        self.categories.clone()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let rng = selection.rng;
        let wanted: Vec<u32> = (0..self.categories.len())
            .filter(|&at| selection.wants(&self.categories[at]))
            .map(|at| u32::try_from(at).expect("descriptions are short"))
            .collect();
        if let Some(each) = selection.each {
            let each = usize::try_from(each).unwrap_or(usize::MAX);
            let drawn = |category: u32| -> Box<dyn Iterator<Item = Option<CaseId>> + Send + '_> {
                let size = self.spaces[category as usize].size();
                let order = Permutation::new(size, selection_seed(rng, category));
                let ids = (0..size).map(move |at| CaseId { category, index: order.apply(at) });
                Box::new(sparse(ids, each, |&id| self.contains(id)))
            };
            // In turn, so that a run that ends early has covered a bit of everything.
            let drawn = wanted.into_iter().map(drawn).collect();
            return selection.cut(in_turn(drawn).flatten());
        }
        let Some(sample) = selection.sample else {
            let ids = wanted.into_iter().flat_map(|category| {
                let numbers = self.spaces[category as usize].numbers(&self.theory);
                numbers.map(move |index| CaseId { category, index })
            });
            return selection.cut(ids);
        };
        let sizes = wanted.iter().map(|&category| self.spaces[category as usize].size());
        let total = sizes.fold(0, u128::saturating_add);
        let order = Permutation::new(total, rng);
        let ids = (0..total).map(move |position| self.locate(&wanted, order.apply(position)));
        let sample = usize::try_from(sample).unwrap_or(usize::MAX);
        selection.cut(ids.filter(|&id| self.contains(id)).take(sample))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("suite `{}` has no case {id}", self.name));
        let cases = self.spaces.get(id.category as usize).ok_or_else(none)?;
        let Category { name, group, .. } = &self.categories[id.category as usize];
        let origin = Origin {
            suite: self.name.clone(),
            category: name.clone(),
            index: id.index,
            ..Origin::default()
        };
        let name = format!("{name}/{group}/{}", id.index);
        match cases {
            Cases::Satisfiable(spaces) => {
                let equation = spaces.equation(&self.theory, id.index).ok_or_else(none)?;
                equation.into_case(&self.theory, name, origin)
            }
            Cases::Unsatisfiable(refutations) => {
                refutations.case(&self.theory, id.index, name, origin)
            }
            Cases::Optimizing(problems) => problems.case(&self.theory, id.index, name, origin),
            Cases::Quantified(sentences) => sentences.case(id.index, name, origin),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sparse_categories_do_not_delay_others() {
        // Its cases are the first ten of very many numbers.
        let few = |most| sparse(0..u128::MAX, most, |&number| number < 10);
        let dense = sparse(100..u128::MAX, 5_000, |_| true);
        let both: Vec<Box<dyn Iterator<Item = Option<u128>> + Send>> =
            vec![Box::new(few(usize::MAX)), Box::new(dense)];
        let cases: Vec<u128> = in_turn(both).flatten().collect();
        let of_the_first = cases.iter().filter(|&&case| case < 10).count();
        assert_eq!((of_the_first, cases.len()), (10, 5_010));
        assert!(cases[..20].iter().filter(|&&case| case < 10).count() == 10, "in turn");
        assert_eq!(few(3).flatten().collect::<Vec<_>>(), [0, 1, 2]);
        assert_eq!(few(0).count(), 0);
    }
}

//! A tour of a suite that is too large to run completely: first the quick cases of the papers' pools, then
//! all others, of every operation in every category in turn.

use crate::{ForgeError, SuiteOptions, suite};
use assay_case::{CaseId, Category, MakeError, Selection, Suite, TestCase};

/// The preset whose satisfiable cases come first, if a suite has it.
const CLASSIC: &str = "icse20";

/// Its categories that solvers answer quickly.
const CLASSIC_CATEGORIES: [&str; 3] = ["operation", "constant-assignment", "term-synthesis"];

struct Tour {
    classic: Option<Box<dyn Suite>>,
    own: Box<dyn Suite>,
}

/// A tour of a suite's default preset.
///
/// # Errors
/// If there is no such suite, or the description is wrong.
pub fn tour(name: &str, config: &SuiteOptions) -> Result<Box<dyn Suite>, ForgeError> {
    let own = suite(name, config)?;
    let classic = match crate::presets(name).contains(&CLASSIC) {
        true => Some(suite(
            name,
            &SuiteOptions { preset: Some(CLASSIC.into()), ..SuiteOptions::default() },
        )?),
        false => None,
    };
    Ok(Box::new(Tour { classic, own }))
}

impl Tour {
    /// The index of the first category of its own.
    fn first_own(&self) -> u32 {
        let classic = self.classic.as_ref().map_or(0, |suite| suite.categories().len());
        u32::try_from(classic).expect("descriptions are short")
    }
}

impl Suite for Tour {
    fn name(&self) -> &str {
        self.own.name()
    }

    fn categories(&self) -> Vec<Category> {
        let classic = self.classic.iter().flat_map(|suite| suite.categories());
        classic.chain(self.own.categories()).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let quick = |name: &&str| {
            selection.categories.is_empty() || selection.categories.iter().any(|c| c == name)
        };
        let quick: Vec<String> =
            CLASSIC_CATEGORIES.into_iter().filter(quick).map(Into::into).collect();
        let classic = self
            .classic
            .as_ref()
            .filter(|_| !quick.is_empty())
            .map(|suite| suite.cases(&Selection { categories: quick, ..Selection::default() }));
        let own = self.own.cases(&Selection {
            categories: selection.categories.clone(),
            each: selection.each.or(Some(u64::MAX)),
            rng: selection.rng,
            ..Selection::default()
        });
        let first = self.first_own();
        let own = own.map(move |id| CaseId { category: id.category + first, ..id });
        selection.cut(classic.into_iter().flatten().chain(own))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        match (id.category.checked_sub(self.first_own()), &self.classic) {
            (Some(category), _) => self.own.make(CaseId { category, ..id }),
            (None, Some(classic)) => classic.make(id),
            (None, None) => Err(MakeError::NoSuchCase(format!("the tour has no case {id}"))),
        }
    }
}

/// Takes one of each in turn until all are done.
pub fn in_turn<'i, T: 'i>(
    mut parts: Vec<Box<dyn Iterator<Item = T> + Send + 'i>>,
) -> impl Iterator<Item = T> + Send + 'i {
    let mut next = 0;
    std::iter::from_fn(move || {
        while !parts.is_empty() {
            next %= parts.len();
            if let Some(item) = parts[next].next() {
                next += 1;
                return Some(item);
            }
            // The next one is now at this index.
            drop(parts.remove(next));
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_take_turns() {
        let parts: Vec<Box<dyn Iterator<Item = u32> + Send>> =
            vec![Box::new(0..3), Box::new(10..11), Box::new(20..22)];
        assert_eq!(in_turn(parts).collect::<Vec<_>>(), [0, 10, 20, 1, 21, 2]);
    }

    #[test]
    fn a_tour_begins_with_the_papers_cases_and_visits_everything() {
        let tour = tour("strings", &SuiteOptions::default()).expect("a tour");
        let categories = tour.categories();
        let ids: Vec<CaseId> = tour.cases(&Selection::default()).collect();
        assert_eq!(ids, tour.cases(&Selection::default()).collect::<Vec<_>>());
        let classic = ids[..6120].iter().map(|id| categories[id.category as usize].expected);
        assert!(classic.into_iter().all(|expected| expected == assay_case::Expected::Sat));
        let own = suite("strings", &SuiteOptions::default()).expect("the suite");
        let first = categories.len() - own.categories().len();
        let one = Selection { each: Some(1), ..Selection::default() };
        for CaseId { category, .. } in own.cases(&one) {
            let at = category as usize + first;
            let visited = ids.iter().any(|id| id.category as usize == at);
            assert!(visited, "{} {}", categories[at].name, categories[at].group);
        }
        for id in ids.iter().step_by(997) {
            assert_eq!(tour.make(*id).expect("a case").origin().index, id.index);
        }
    }
}

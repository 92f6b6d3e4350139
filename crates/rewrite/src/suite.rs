//! The suite: each number of each part is a term with a request.

use crate::assignments::with_assignments;
use crate::generator::{Generator, Part, RewriteError, RewriteOptions};
use crate::vocabulary;
use assay_case::rewrite::Request;
use assay_case::{
    CaseId, Category, Expected, MakeError, Origin, RewriteTest, Selection, Subject, Suite, TestCase,
};
use assay_grow::in_turn;
use assay_mutate::Draw;
use assay_term::SortId;

/// The suite `rewrites`.
pub struct Rewrites {
    generator: Generator,
    rng: u64,
}

impl Rewrites {
    /// Its name.
    pub const NAME: &'static str = "rewrites";

    /// Reads what terms are made from.
    ///
    /// # Errors
    /// Where a part of it cannot be read.
    pub fn new(config: RewriteOptions) -> Result<Rewrites, RewriteError> {
        let rng = config.rng;
        let generator = Generator::new(config)?;
        Ok(Rewrites { generator, rng })
    }
}

impl Suite for Rewrites {
    fn name(&self) -> &str {
        Rewrites::NAME
    }

    fn categories(&self) -> Vec<Category> {
        let category = |part: &Part| Category {
            name: part.source.name().to_owned(),
            group: part.group.clone(),
            expected: Expected::Equal,
        };
        self.generator.parts().iter().map(category).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let turns: Vec<u64> = self.generator.parts().iter().map(|part| part.turns).collect();
        in_turn(&self.categories(), &turns, selection)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("{} has no case {id}", self.name()));
        let part = id.category as usize;
        let described = self.generator.parts().get(part).ok_or_else(none)?;
        let index = u64::try_from(id.index).map_err(|_| none())?;
        let Some((store, term)) = self.generator.make(part, index) else {
            let words = "the number makes no term that solvers read alike";
            return Err(MakeError::Unsuitable(words.to_owned()));
        };
        let is_formula = store.sort(term) == SortId::BOOL;
        let request = match self.generator.is_plain(part, index) {
            true => Request::SIMPLIFY,
            false => {
                vocabulary::request(&mut Draw::new(&[self.rng, part as u64, index, 1]), is_formula)
            }
        };
        // Read back, the test has a small store of its own, and is what a file of it would be.
        let written = RewriteTest::new(store, term, request);
        let test = RewriteTest::read(written.text())
            .map_err(|error| MakeError::Unsuitable(error.to_string()))?;
        let test = with_assignments(test);
        let origin = Origin {
            suite: self.name().to_owned(),
            category: described.source.name().to_owned(),
            seed: self.rng,
            index: id.index,
            ..Origin::default()
        };
        let name = format!("{}-{}-{index}", described.source.name(), described.group);
        Ok(TestCase::new(name, Subject::Rewrite(Box::new(test)), origin))
    }
}

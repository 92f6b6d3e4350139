//! Turns any suite's formulas into scripts that ask for a proof. The truth stays.

use crate::answer::Expected;
use crate::formula::Formula;
use crate::oracle::Oracle;
use crate::subject::FormulaTest;
use crate::suite::{CaseId, Category, MakeError, Selection, Suite};
use crate::test_case::TestCase;

/// The command that asks for a proof.
const GET_PROOF: &str = "(get-proof)";

/// A suite whose formulas ask for proofs, unless they are known to be satisfiable.
pub struct Proving {
    suite: Box<dyn Suite>,
    /// Whether satisfiable formulas are left out.
    only_unsat: bool,
}

impl Proving {
    /// The name of a suite of refutations.
    pub const NAME: &'static str = "proofs";

    /// The same suite; satisfiable formulas stay as they are.
    #[must_use]
    pub fn new(suite: Box<dyn Suite>) -> Proving {
        Proving { suite, only_unsat: false }
    }

    /// The same suite without the formulas that are known to be satisfiable.
    #[must_use]
    pub fn refutations(suite: Box<dyn Suite>) -> Proving {
        Proving { suite, only_unsat: true }
    }
}

impl Suite for Proving {
    fn name(&self) -> &str {
        if self.only_unsat { Proving::NAME } else { self.suite.name() }
    }

    fn categories(&self) -> Vec<Category> {
        self.suite.categories()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        if !self.only_unsat {
            return self.suite.cases(selection);
        }
        let unsat =
            |category: &Category| matches!(category.expected, Expected::Unsat | Expected::Open);
        let categories = self.suite.categories();
        let wanted: Vec<bool> = categories.iter().map(unsat).collect();
        // A sample is drawn only from the wanted categories.
        let chosen = categories.into_iter().filter(|one| unsat(one) && selection.wants(one));
        let mut names: Vec<String> = chosen.map(|category| category.name).collect();
        names.dedup();
        if names.is_empty() {
            return Box::new(std::iter::empty());
        }
        let all = Selection { limit: None, shard: None, categories: names, ..selection.clone() };
        let cases = self.suite.cases(&all);
        selection.cut(cases.filter(move |id| wanted[id.category as usize]))
    }

    fn round(&self, id: CaseId) -> u64 {
        self.suite.round(id)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let case = self.suite.make(id)?;
        let Some(test) = case.as_formula() else { return Ok(case) };
        match test.oracle() {
            Oracle::Sat(_) | Oracle::Optimum { .. } if self.only_unsat => {
                Err(MakeError::Unsuitable("it is satisfiable".to_owned()))
            }
            Oracle::Sat(_) | Oracle::Optimum { .. } => Ok(case),
            Oracle::Unsat { .. } | Oracle::Open => {
                let fault = |words: String| MakeError::fault(format!("{}: {words}", case.name()));
                Ok(case.with_test(asking(test).map_err(fault)?))
            }
        }
    }
}

/// The test over the formula's text with the question for a proof at its end.
fn asking(test: &FormulaTest) -> Result<FormulaTest, String> {
    if test.formula().asks_for_proof() {
        return Ok(test.clone());
    }
    let check = if test.formula().checks() == 0 { "(check-sat)\n" } else { "" };
    let text = format!("{}\n{check}{GET_PROOF}\n", test.formula().text().trim_end());
    let formula = Formula::read(text).map_err(|error| error.to_string())?;
    // The core may be less than the proof uses.
    let oracle = match test.oracle() {
        Oracle::Unsat { why, .. } => Oracle::Unsat { why: why.clone(), core: None },
        other => other.clone(),
    };
    FormulaTest::new(formula, oracle).map_err(|error| error.to_string())
}

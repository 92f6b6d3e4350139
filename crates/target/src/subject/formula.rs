//! Formulas: satisfiable or not, with a model, objectives or a core.

use super::Asked;
use crate::resolve::{Ask, Resolved};
use crate::script;
use crate::spec::Feature;
use assay_case::{Answer, Formula, FormulaTest, Observation, Optima, Oracle, Output, Part};
use assay_term::Budget;

/// Steps of examining a proof.
const STEPS: u64 = 400_000_000;

impl Asked for Formula {
    fn ask(&self, _target: &Resolved) -> Ask<'static> {
        Ask::default()
    }

    fn text(&self, target: &Resolved, ask: &Ask<'_>) -> Result<String, String> {
        script::text(target, self, ask)
    }

    fn own_options(&self) -> Vec<String> {
        Formula::own_options(self)
    }

    fn parts(&self, ask: &Ask<'_>) -> Vec<Part> {
        script::parts(self, ask)
    }

    fn observe(&self, target: &Resolved, output: &Output<'_>) -> Observation {
        let seen = Observation::from_output(output, self);
        let minimizes = target.behaviour.features.contains(&Feature::MinimalCores);
        let mut seen = if minimizes { seen } else { seen.with_any_core() };
        if let (Some(proof), Answer::Unsat) = (&seen.proof, &seen.answer) {
            let mut budget = Budget::new(STEPS, u64::MAX);
            let dialect = target.behaviour.dialect;
            let report = assay_proof::examine(self.text(), proof, dialect, &mut budget);
            seen.examined = Some(Box::new(report));
        }
        if target.behaviour.over_approximates() { seen.overapproximated() } else { seen }
    }
}

/// The requests depend on the truth as well.
impl Asked for FormulaTest {
    fn ask(&self, target: &Resolved) -> Ask<'static> {
        script::ask(target, self.formula(), self.oracle())
    }

    fn text(&self, target: &Resolved, ask: &Ask<'_>) -> Result<String, String> {
        script::text(target, self.formula(), ask)
    }

    fn own_options(&self) -> Vec<String> {
        self.formula().own_options()
    }

    fn parts(&self, ask: &Ask<'_>) -> Vec<Part> {
        self.formula().parts(ask)
    }

    fn observe(&self, target: &Resolved, output: &Output<'_>) -> Observation {
        match self.oracle() {
            Oracle::Optimum { optima: Optima::Front(_), .. } => {
                Observation::from_front(output, self.formula())
            }
            _ => self.formula().observe(target, output),
        }
    }
}

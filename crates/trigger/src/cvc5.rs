//! cvc5 as a source of instances in addition to z3: it uses conflict-based and enumerative
//! instantiation, and prints the instances in its refutation.
//!
//! Its answer is only a source of terms: they are validated like all candidates.

use crate::engine::SatResult;
use crate::proof::{Instance, instance_rows};
use crate::workbench::{Effort, Workbench};
use assay_term::{Replacements, TermId};
use std::fmt::Write;

/// Its options: choose its own patterns, leave quantifiers unchanged so that their names remain,
/// and print the relevant instances without abbreviations.
const OPTIONS: [&str; 6] = [
    ":dump-instantiations true",
    ":produce-proofs true",
    ":user-pat ignore",
    ":prenex-quant none",
    ":miniscope-quant off",
    ":dag-thresh 0",
];

/// The number of z3's steps that cost as much as one of its steps.
const STEPS: u64 = 15;

impl Workbench<'_> {
    /// The instances of a refutation by cvc5.
    pub(crate) fn cvc5_proof(&mut self, effort: Effort) -> Result<Vec<Instance>, SatResult> {
        let all: Vec<usize> = (0..self.form.statements.len()).collect();
        let mut script = String::new();
        for option in OPTIONS {
            let _ = writeln!(script, "(set-option {option})");
        }
        let _ = writeln!(script, "(set-option :rlimit {})\n(set-logic ALL)", effort.0 / STEPS);
        let prepared = self.prepared(&all, &[]);
        for line in prepared.split_inclusive('\n').filter(|line| !line.starts_with("(set-logic")) {
            script.push_str(line);
        }
        script.push_str("(check-sat)\n");
        // Its steps are less even than z3's; few runs should end by the clock.
        let limit = (3 * effort.wall()).min(self.left());
        let Some(said) = self.engine.run_cvc5(&script, limit) else {
            return Err(SatResult::Failed);
        };
        match said.sat_result() {
            SatResult::Unsat => Ok(self.instances_of(said.after_result())),
            result => Err(result),
        }
    }

    /// The instances of quantifiers that kept their names.
    fn instances_of(&mut self, text: &str) -> Vec<Instance> {
        let sorts = |bench: &Workbench<'_>, qid: &str| {
            let vars = &bench.form.quantifiers[bench.quantifier(qid)?].vars;
            Some(vars.iter().map(|&var| bench.problem.store.sort(var)).collect::<Vec<_>>())
        };
        let known: Vec<(String, Vec<_>)> = (0..self.form.quantifiers.len())
            .filter_map(|number| {
                let qid = format!("{}{number}", crate::normal::QID);
                sorts(self, &qid).map(|sorts| (qid, sorts))
            })
            .collect();
        let rows = instance_rows(&mut self.problem, text, &known);
        rows.into_iter().filter_map(|(qid, values)| self.instance(qid, values)).collect()
    }

    /// An instance with the patterns of its quantifier.
    fn instance(&mut self, qid: String, values: Vec<Option<TermId>>) -> Option<Instance> {
        let bound = self.form.quantifiers[self.quantifier(&qid)?].clone();
        let mut by: Replacements = bound
            .vars
            .iter()
            .zip(&values)
            .filter_map(|(&var, value)| Some((var, (*value)?)))
            .collect();
        let store = &mut self.problem.store;
        let mut filled = |terms: &Vec<TermId>| -> Vec<TermId> {
            terms.iter().map(|&term| store.replace(term, &mut by)).collect()
        };
        let patterns = bound.patterns.iter().map(&mut filled).collect();
        let name = |&var: &TermId| self.problem.show(var).trim_matches('|').to_owned();
        let values = bound.vars.iter().map(name).zip(values).collect();
        Some(Instance { qid, values, patterns })
    }
}

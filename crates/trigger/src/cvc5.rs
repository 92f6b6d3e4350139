//! cvc5 as a source of instances beside z3: it instantiates by conflicts and by enumeration, and prints
//! the instances that its refutation rests on.
//!
//! Its word is only a source of terms: what comes of it is validated as all candidates are.

use crate::engine::SatResult;
use crate::proof::{Instance, instance_rows};
use crate::workbench::{Effort, Workbench};
use assay_term::{Replacements, TermId};
use std::fmt::Write;

/// What it is told: to choose patterns of its own, to leave quantifiers as they are, so that their
/// names remain, and to print the instances that matter without abbreviations.
const OPTIONS: [&str; 6] = [
    ":dump-instantiations true",
    ":produce-proofs true",
    ":user-pat ignore",
    ":prenex-quant none",
    ":miniscope-quant off",
    ":dag-thresh 0",
];

/// One of its steps costs as much as this many of z3's.
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
        // Its steps are less even than those of z3: the clock is to end few runs.
        let limit = (3 * effort.wall()).min(self.left());
        let Some(said) = self.engine.run_cvc5(&script, limit) else {
            return Err(SatResult::Failed);
        };
        match said.sat_result() {
            SatResult::Unsat => Ok(self.instances_of(said.after_result())),
            result => Err(result),
        }
    }

    /// The instances of quantifiers that have kept their names.
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

//! Matching loops: quantifiers whose instances cause ever more instances.
//!
//! The solver counts instances by quantifier and reports their depth. Terms for the patterns of
//! runaway quantifiers are not worth another try.

use crate::engine::{Said, SatResult};
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashMap;

/// The number of instances from which a quantifier counts as runaway, if their depth matches.
const MANY: u64 = 200;
const FAR: u64 = 5;

/// The interval of the solver's reports: a killed solver reports nothing at its end.
const OFTEN: u64 = 5_000;

impl Workbench<'_> {
    /// The runaway quantifiers with these terms, by number, the most active first.
    pub(crate) fn runaways(&mut self, terms: &[TermId], effort: Effort) -> Vec<usize> {
        let all: Vec<usize> = (0..self.form.statements.len()).collect();
        let said = self.profiled(&all, terms, effort);
        let mut found: Vec<(u64, usize)> = counts(&said.log)
            .into_iter()
            .filter(|(_, count)| count.instances >= MANY && count.steps >= FAR)
            .filter_map(|(qid, count)| Some((count.instances, self.quantifier(qid)?)))
            .collect();
        found.sort_unstable_by_key(|&(instances, at)| (std::cmp::Reverse(instances), at));
        found.into_iter().map(|(_, at)| at).collect()
    }

    /// The result of E-matching on prepared formulas with these terms, and the depth of the last
    /// instance. The solver itself ends most matching loops at a depth of about twenty.
    pub(crate) fn depth(&mut self, statements: &[usize], terms: &[TermId]) -> (SatResult, u64) {
        let said = self.profiled(statements, terms, Effort::SMALL);
        let steps = counts(&said.log).into_values().map(|count| count.steps).max();
        (said.sat_result(), steps.unwrap_or(0))
    }

    /// E-matching on prepared formulas, with its counts of instances.
    fn profiled(&mut self, statements: &[usize], terms: &[TermId], effort: Effort) -> Said {
        let mut script = format!(
            "(set-option :rlimit {})\n(set-option :smt.qi.profile true)\n\
             (set-option :smt.qi.profile_freq {OFTEN})\n",
            effort.0
        );
        script.push_str(&self.options(Instantiation::Ematching));
        script.push_str(&self.prepared(statements, terms));
        script.push_str("(check-sat)\n(get-info :reason-unknown)\n");
        self.run(&script, effort)
    }

    /// The names of the quantifiers' assertions, without repetition.
    pub(crate) fn names_of(&self, quantifiers: &[usize]) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for &at in quantifiers {
            let name = &self.problem.facts[self.form.quantifiers[at].fact].name;
            if !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }
}

/// The solver's counts for one quantifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Count {
    instances: u64,
    /// The depth of the last instance.
    steps: u64,
}

/// Reads lines such as `[quantifier_instances] q!1 : 20 : 0 : 0 : 20 : 21`; older versions have
/// fewer numbers. The depth is the last but one. Later lines replace earlier ones.
fn counts(log: &str) -> FxHashMap<&str, Count> {
    let mut found = FxHashMap::default();
    for line in log.lines() {
        let Some(rest) = line.trim().strip_prefix("[quantifier_instances]") else { continue };
        let mut parts = rest.split(" : ").map(str::trim);
        let Some(qid) = parts.next() else { continue };
        let numbers: Vec<u64> = parts.filter_map(|part| part.parse().ok()).collect();
        if let [instances, .., steps, _] = numbers[..] {
            found.insert(qid.trim_matches('|'), Count { instances, steps });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_counts_of_a_quantifier_are_kept() {
        let log = "[quantifier_instances]        q!1 :     20 :   0 :   0 :  4 : 5\n\
                   other words : 1 : 2\n\
                   [quantifier_instances]      |q!2| :      1 :   0 : 1\n\
                   [quantifier_instances]        q!1 :     2000 :   0 :   0 :  20 : 21\n\
                   [quantifier_instances] k!3 : many";
        let found = counts(log);
        assert_eq!(found["q!1"], Count { instances: 2000, steps: 20 });
        assert_eq!(found["q!2"], Count { instances: 1, steps: 0 });
        assert_eq!(found.len(), 2);
    }
}

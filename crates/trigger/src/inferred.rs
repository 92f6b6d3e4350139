//! Patterns inferred by the solver, for quantifiers without patterns in the file.

use crate::normal::MultiPattern;
use crate::proof::{lists, open_term};
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// The prefix of the solver's report of its chosen patterns.
const SAYS: &str = "(smt.inferred-patterns :qid";

impl Workbench<'_> {
    /// Asks the solver for patterns, and replaces ours by those that mention all variables; returns
    /// the number of replaced quantifiers. Ours stay if the budget is used up.
    pub(crate) fn ask_patterns(&mut self) -> usize {
        if self.form.quantifiers.iter().all(|bound| !bound.inferred) {
            return 0;
        }
        let mut form = self.form.clone();
        let Ok(statements) = form.without_inferred(&mut self.problem, &mut self.walks) else {
            return 0;
        };
        let terms: Vec<TermId> = statements.iter().map(|&(_, term)| term).collect();
        let mut script = format!("(set-option :rlimit {})\n", Effort::TINY.0);
        script.push_str(&self.options(Instantiation::Ematching));
        script.push_str("(set-option :verbose 10)\n");
        script.push_str(&self.problem.declarations_for(&terms));
        for &term in &terms {
            let _ = writeln!(script, "(assert {})", self.problem.show(term));
        }
        script.push_str("(check-sat)\n");
        let said = self.run(&script, Effort::SMALL);
        let mut given: FxHashMap<usize, Vec<MultiPattern>> = FxHashMap::default();
        for (at, _) in said.log.match_indices(SAYS) {
            if let Some((number, patterns)) = self.inferred(&said.log[at..]) {
                given.insert(number, patterns);
            }
        }
        if form.replace_patterns(&mut self.problem, &given, &mut self.walks).is_err() {
            return 0;
        }
        self.form = form;
        given.len()
    }

    /// Reads `(smt.inferred-patterns :qid q!1 ((f (:var 0))) …)`: alternatives of lists.
    fn inferred(&mut self, text: &str) -> Option<(usize, Vec<MultiPattern>)> {
        let whole = lists(text).first().copied()?;
        let rest = whole[SAYS.len()..whole.len() - 1].trim_start();
        let end = rest.find(|c: char| c.is_whitespace())?;
        let number = self.quantifier(rest[..end].trim_matches('|'))?;
        let bound = &self.form.quantifiers[number];
        if !bound.inferred {
            return None;
        }
        // Variables are numbered from the innermost outwards.
        let vars: Vec<TermId> = bound.outer.iter().chain(&bound.vars).rev().copied().collect();
        let own = bound.vars.clone();
        let names: Vec<(String, TermId)> =
            vars.iter().enumerate().map(|(at, &var)| (format!("{PLACE}{at}"), var)).collect();
        let mut patterns = Vec::new();
        for alternative in lists(&rest[end..]) {
            let inner = &alternative[1..alternative.len() - 1];
            let terms: Option<MultiPattern> = lists(inner)
                .into_iter()
                .map(|term| open_term(&mut self.problem, &with_names(term), &names))
                .collect();
            let Some(terms) = terms else { continue };
            let store = &self.problem.store;
            let covers =
                |var: &TermId| terms.iter().any(|&t| store.free_variables(t).contains(var));
            if !terms.is_empty() && own.iter().all(covers) {
                patterns.push(terms);
            }
        }
        (!patterns.is_empty()).then_some((number, patterns))
    }
}

/// The prefix of our names for numbered variables.
const PLACE: &str = "place!";

/// `(:var 3)` as a name.
fn with_names(text: &str) -> String {
    let mut shown = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("(:var ") {
        shown.push_str(&rest[..at]);
        rest = &rest[at + "(:var ".len()..];
        let end = rest.find(')').unwrap_or(rest.len());
        shown.push_str(PLACE);
        shown.push_str(rest[..end].trim());
        rest = rest.get(end + 1..).unwrap_or_default();
    }
    shown + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbered_variables_get_names() {
        assert_eq!(with_names("(g (:var 1) (f (:var 0)))"), "(g place!1 (f place!0))");
        assert_eq!(with_names("(f 1)"), "(f 1)");
        assert_eq!(with_names("(f (:var 3"), "(f place!3");
    }
}

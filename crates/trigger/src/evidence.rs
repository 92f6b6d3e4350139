//! Evidence that a file is satisfiable: the solver's model, and whether it was checked.
//!
//! A model is checked by replacing the file's declarations with its definitions and asking, for
//! each assertion, whether its negation is satisfiable. Another version of the solver is asked if
//! there is one.

use crate::diagnosis::Evidence;
use crate::engine::{RunEnd, SatResult};
use crate::proof::lists;
use crate::workbench::{Effort, Instantiation, Workbench};
use assay_term::TermId;
use std::fmt::Write;

/// The maximum number of assertions of a file whose model is checked.
const MAX_FACTS: usize = 300;

impl Workbench<'_> {
    /// Evidence for a model of the file that the solver found with this kind of instantiation.
    pub(crate) fn evidence(&mut self, how: Instantiation) -> Evidence {
        let who = self.engine.name().to_owned();
        let by = match how {
            Instantiation::Ematching => "",
            Instantiation::Models => " by instantiation with models",
        };
        let mut evidence =
            Evidence { why: format!("{who} finds a model{by}"), ..Evidence::default() };
        let mut script = self.options(how);
        script.push_str(&self.problem.declarations());
        for fact in &self.problem.facts {
            let _ = writeln!(script, "(assert {})", self.unnamed(fact.term));
        }
        script.push_str("(check-sat)\n(get-model)\n");
        let said = self.run(&script, Effort::MEDIUM);
        if said.sat_result() != SatResult::Sat || said.end != RunEnd::Finished {
            return evidence;
        }
        let model = said.after_result().trim().to_owned();
        evidence.checked = self.checked(&model);
        evidence.why += if evidence.checked {
            "; no assertion can be false under its definitions"
        } else {
            "; its model was not checked"
        };
        evidence.model = Some(model);
        evidence
    }

    /// A formula without its own name, which would become part of the model.
    pub(crate) fn unnamed(&self, term: TermId) -> String {
        self.problem.show(self.problem.unnamed(term))
    }

    /// Whether no assertion can be false under a model.
    fn checked(&mut self, model: &str) -> bool {
        if self.problem.facts.len() > MAX_FACTS {
            return false;
        }
        let Some(definitions) = definitions(model) else { return false };
        let mut script = String::from("(set-option :smt.mbqi true)\n");
        script.push_str(&self.problem.declarations_under(&definitions));
        for fact in &self.problem.facts {
            let shown = self.unnamed(fact.term);
            let _ = writeln!(script, "(push 1)\n(assert (not {shown}))\n(check-sat)\n(pop 1)");
        }
        let limit = Effort::SMALL.wall().min(self.left());
        let said = match self.engine.run_other_version(&script, limit) {
            Some(said) => said,
            None => self.engine.run(&script, limit),
        };
        let answers: Vec<&str> = said.text.lines().map(str::trim).collect();
        answers.len() == self.problem.facts.len() && answers.iter().all(|&word| word == "unsat")
    }
}

/// The commands that express a model, with the names they define, ordered so that each uses only
/// earlier ones; `None` if there is no such order, or the model contains anything else.
fn definitions(model: &str) -> Option<Vec<(String, String)>> {
    let plain: String = model
        .lines()
        .filter(|line| !line.trim_start().starts_with(";;"))
        .flat_map(|line| [line, "\n"])
        .collect();
    let whole = lists(&plain).first().copied()?;
    let inner = whole[1..whole.len() - 1].trim_start();
    let inner = inner.strip_prefix("model").unwrap_or(inner);
    if inner.starts_with("error") {
        return None;
    }
    let mut elements = Vec::new();
    let mut open: Vec<(String, String)> = Vec::new();
    for entry in lists(inner) {
        let words = entry[1..].trim_start();
        let (head, rest) = words.split_once(char::is_whitespace)?;
        let name: String = name_of(rest)?.to_owned();
        match head {
            "declare-fun" => elements.push((name, entry.to_owned())),
            "define-fun" => open.push((name, entry.to_owned())),
            "forall" => elements.push((String::new(), format!("(assert {entry})"))),
            _ => return None,
        }
    }
    let mut ordered = elements;
    ordered.extend(apart(&ordered));
    while !open.is_empty() {
        let ready = open.iter().position(|(_, text)| {
            open.iter().all(|(name, other)| other == text || !mentions(text, name))
        })?;
        ordered.push(open.remove(ready));
    }
    Some(ordered)
}

/// Constraints that make the elements of a sort distinct.
fn apart(elements: &[(String, String)]) -> Vec<(String, String)> {
    let mut by_sort: Vec<(&str, Vec<&str>)> = Vec::new();
    for (name, text) in elements.iter().filter(|(name, _)| !name.is_empty()) {
        let sort = text.trim_end_matches(')').rsplit(char::is_whitespace).next().unwrap_or("");
        match by_sort.iter_mut().find(|(known, _)| *known == sort) {
            Some((_, names)) => names.push(name),
            None => by_sort.push((sort, vec![name])),
        }
    }
    let several = by_sort.into_iter().filter(|(_, names)| names.len() > 1);
    let command = |names: Vec<&str>| format!("(assert (distinct |{}|))", names.join("| |"));
    several.map(|(_, names)| (String::new(), command(names))).collect()
}

fn name_of(text: &str) -> Option<&str> {
    let text = text.trim_start();
    if let Some(quoted) = text.strip_prefix('|') {
        return quoted.split('|').next();
    }
    text.split(|c: char| c.is_whitespace() || c == ')' || c == '(').next()
}

/// Whether a name occurs in a text as a word.
fn mentions(text: &str, name: &str) -> bool {
    let edge = |c: Option<char>| c.is_none_or(|c| c.is_whitespace() || "()|".contains(c));
    text.match_indices(name).any(|(at, _)| {
        edge(text[..at].chars().next_back()) && edge(text[at + name.len()..].chars().next())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_come_after_what_they_use() {
        let model = "(model\n  ;; universe for U:\n  (declare-fun U!val!0 () U)\n\
            (forall ((x U)) (= x U!val!0))\n  (define-fun f ((x!0 Int)) Int (k!1 x!0))\n\
            (define-fun k!1 ((x!0 Int)) Int (ite (= x!0 2) 3 k))\n (define-fun k () Int 1))";
        let found = definitions(model).expect("there is an order");
        let names: Vec<&str> = found.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["U!val!0", "", "k", "k!1", "f"]);
        assert_eq!(found[1].1, "(assert (forall ((x U)) (= x U!val!0)))");
        let circular = "((define-fun f () Int g) (define-fun g () Int f))";
        assert!(definitions(circular).is_none());
        assert!(definitions("(error)").is_none());
        assert!(definitions("").is_none());
    }
}

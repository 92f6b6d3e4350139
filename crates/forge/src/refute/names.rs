//! Checks that the names in a description of refutations exist. An unknown name would otherwise
//! select nothing, and its refutations would be missing silently.

use super::book::Book;
use super::spec::RefuteSpec;
use crate::error::{ForgeError, known};
use crate::rules::{Rule, Variable};
use assay_smtlib::{Lets, read_script};
use assay_term::Store;

/// Checks the theories and the collection, which select rules.
pub(super) fn check_selection(spec: &RefuteSpec, rules: &[Rule]) -> Result<(), ForgeError> {
    let theories: Vec<&str> = rules.iter().map(Rule::theory).collect();
    known("refute.definitions", "theory", &spec.definitions, &theories)?;
    known("refute.equalities", "theory", &spec.equalities, &theories)?;
    let tags: Vec<&str> = rules.iter().flat_map(Rule::tags).collect();
    known("refute.collection", "collection", &spec.collection, &tags)
}

/// Checks the names that are about the selected rules.
pub(super) fn check_details(spec: &RefuteSpec, book: &Book) -> Result<(), ForgeError> {
    for sort in &spec.constant_sorts {
        check_sort(sort, &book.prelude)?;
    }
    let rules: Vec<&str> = book.definitions.iter().map(|d| d.entry.rule.name()).collect();
    known("refute.fixed", "rule", spec.fixed.keys(), &rules)?;
    for (rule, names) in &spec.fixed {
        let defining = book.definitions.iter().filter(|d| d.entry.rule.name() == rule);
        let laws = defining.map(|definition| &definition.entry.law);
        let variables = laws.flat_map(|law| law.params.iter().chain(&law.auxiliary));
        let name = |variable: &Variable| book.store.func_name(variable.func);
        let variables: Vec<String> = variables.map(name).collect();
        known(&format!("refute.fixed.{rule}"), "variable", names, &variables)?;
    }
    Ok(())
}

fn check_sort(sort: &str, prelude: &str) -> Result<(), ForgeError> {
    let script = format!("{prelude}\n(define-sort constant-sort () {sort})");
    match read_script(&mut Store::new(), script.as_bytes(), Lets::Keep) {
        Ok(_) => Ok(()),
        Err(fault) => Err(ForgeError::Read {
            place: "refute.constant-sorts".into(),
            text: sort.into(),
            fault: Box::new(fault),
        }),
    }
}

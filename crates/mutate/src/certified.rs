//! A rule that is put to the test before the first formula rests on it.

use assay_forge::rules::{Effort, Rule, certify};
use std::sync::OnceLock;

/// A rule, certified before it is used.
pub(crate) struct Entry {
    pub(crate) rule: Rule,
    certified: OnceLock<bool>,
}

impl Entry {
    pub(crate) fn new(rule: Rule) -> Entry {
        Entry { rule, certified: OnceLock::new() }
    }

    /// Whether a formula may rest on it. A table of ours that is wrong is found by `assay rules
    /// --certify`, which continuous integration runs; here a wrong rule is not used.
    pub(crate) fn is_certified(&self) -> bool {
        *self.certified.get_or_init(|| certify(&self.rule, Effort::QUICK).is_ok())
    }
}

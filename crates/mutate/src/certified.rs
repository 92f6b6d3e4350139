//! A rule that is certified before the first formula uses it.

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

    /// Whether a formula may use it. `assay rules --certify`, which continuous integration runs, reports
    /// a wrong table of ours; here a wrong rule is just not used.
    pub(crate) fn is_certified(&self) -> bool {
        *self.certified.get_or_init(|| certify(&self.rule, Effort::QUICK).is_ok())
    }
}

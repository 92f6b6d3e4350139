//! The result of examining a proof: how each rule's steps fared, and what is wrong with the proof.
//!
//! Proofs are read and examined elsewhere; this module has the facts that the judge needs.

use std::collections::BTreeMap;

/// A proof that was examined step by step.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ProofReport {
    /// The steps by rule.
    pub rules: BTreeMap<String, RuleCount>,
    /// Why terms of steps cannot be read, with how often: unknown operators by their names.
    pub unread: BTreeMap<String, u64>,
    /// What is wrong with the proof.
    pub fault: Option<ProofFault>,
    /// Whether every step was checked exactly, the last one is `false`, and nothing but the
    /// assertions is assumed: the formula is unsatisfiable.
    pub is_complete: bool,
    /// Whether the budget ended the examination early.
    pub is_cut_short: bool,
}

/// The steps of one rule. Each is checked, attacked or skipped.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, serde::Serialize, serde::Deserialize)]
pub struct RuleCount {
    /// Steps that follow, by an exact check.
    pub checked: u64,
    /// Steps that no assignment refutes, although at least one gives their formulas values.
    pub attacked: u64,
    /// Steps that were not examined: a term is unknown, or no assignment gives the formulas values.
    pub skipped: u64,
    /// Steps for which the solver itself gives no reason; each is also one of the above.
    pub trusted: u64,
    /// The assignments that gave the formulas of attacked steps values.
    pub assignments: u64,
    /// Steps that an assignment refutes.
    pub refuted: u64,
    /// Steps with a term that cannot be read; each is also skipped.
    pub unread: u64,
}

impl RuleCount {
    /// All steps.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.checked + self.attacked + self.skipped + self.refuted
    }

    /// Adds the steps of another count.
    pub fn add(&mut self, other: &RuleCount) {
        self.checked += other.checked;
        self.attacked += other.attacked;
        self.skipped += other.skipped;
        self.trusted += other.trusted;
        self.assignments += other.assignments;
        self.refuted += other.refuted;
        self.unread += other.unread;
    }
}

impl ProofReport {
    /// The steps of all rules.
    #[must_use]
    pub fn total(&self) -> RuleCount {
        let mut total = RuleCount::default();
        self.rules.values().for_each(|count| total.add(count));
        total
    }
}

/// What is wrong with a proof.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ProofFault {
    /// A step whose premises hold and whose conclusion does not.
    #[error(
        "step {step} by rule {rule}: {}the conclusion {conclusion} is false{}",
        given(.premises), under(.assignment)
    )]
    FalseStep {
        /// Its name or number.
        step: String,
        /// Its rule.
        rule: String,
        /// The premises, as text.
        premises: Vec<String>,
        /// The conclusion, as text.
        conclusion: String,
        /// The values of the symbols.
        assignment: String,
    },
    /// The last step is not `false`.
    #[error("the last step is {0}, not false")]
    NotFalse(String),
    /// The last step rests on a hypothesis.
    #[error("the last step rests on the hypothesis {0}, which no step discharges")]
    Undischarged(String),
    /// An assumption that differs in value from every assertion.
    #[error("step {step} assumes {formula}, which was not asserted{}", under(.assignment))]
    Foreign {
        /// Its name or number.
        step: String,
        /// What it assumes.
        formula: String,
        /// An assignment under which all assertions that could be meant have another value.
        assignment: String,
    },
    /// The text is not a proof.
    #[error("the proof cannot be read: {0}")]
    Unreadable(String),
}

fn given(premises: &[String]) -> String {
    match premises {
        [] => String::new(),
        [one] => format!("the premise {one} holds and "),
        many => format!("the premises {} hold and ", many.join(", ")),
    }
}

fn under(assignment: &str) -> String {
    if assignment.is_empty() { String::new() } else { format!(" under {assignment}") }
}

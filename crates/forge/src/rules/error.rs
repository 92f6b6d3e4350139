//! What can be wrong with a table of rules.

use assay_smtlib::ReadError;

/// Why a table cannot be used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RuleError {
    /// The table is not TOML of the right shape.
    #[error("{0}")]
    Toml(String),
    /// A text is not a term, a sort or a list of variables.
    #[error("rule `{rule}`, {part}: `{text}`: {fault}")]
    Read {
        /// The rule.
        rule: String,
        /// Which part of it.
        part: &'static str,
        /// The text.
        text: String,
        /// What is wrong with it.
        fault: Box<ReadError>,
    },
    /// A rule that says something else than its kind does.
    #[error("rule `{rule}`: {fault}")]
    Shape {
        /// The rule.
        rule: String,
        /// What is wrong with it.
        fault: String,
    },
    /// Two rules have one name.
    #[error("rule `{0}` is there twice")]
    Twice(String),
    /// No rule has this name.
    #[error("unknown rule `{0}`")]
    Unknown(String),
    /// A rule whose certification failed must not be used.
    #[error("rule `{rule}` is not certified: {reason}")]
    NotCertified {
        /// The rule.
        rule: String,
        /// Why.
        reason: String,
    },
}

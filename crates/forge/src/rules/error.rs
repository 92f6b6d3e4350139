//! Errors in a table of rules.

use assay_smtlib::ReadError;

/// Why a table cannot be used.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum RuleError {
    /// The table is not TOML of the expected form.
    #[error("{0}")]
    Toml(String),
    /// A text is not a term, a sort or a list of variables.
    #[error("rule `{rule}`, {part}: `{text}`: {fault}")]
    Read {
        /// The rule.
        rule: String,
        /// The part of the rule.
        part: &'static str,
        /// The text.
        text: String,
        /// The error.
        fault: Box<ReadError>,
    },
    /// A rule whose form does not match its kind.
    #[error("rule `{rule}`: {fault}")]
    Shape {
        /// The rule.
        rule: String,
        /// The error.
        fault: String,
    },
    /// Two rules have the same name.
    #[error("duplicate rule `{0}`")]
    Twice(String),
    /// No rule has this name.
    #[error("unknown rule `{0}`")]
    Unknown(String),
    /// A rule whose certification failed must not be used.
    #[error("rule `{rule}` is not certified: {reason}")]
    NotCertified {
        /// The rule.
        rule: String,
        /// The reason.
        reason: String,
    },
}

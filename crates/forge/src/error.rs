//! Errors in the description of a suite.

use assay_smtlib::ReadError;
use std::collections::BTreeSet;

/// Why a suite cannot be created.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum ForgeError {
    /// No suite has this name.
    #[error("unknown suite `{name}`; known suites are {known}")]
    Suite {
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// The suite has no such preset.
    #[error("suite `{suite}` has no preset `{name}`; it has {known}")]
    Preset {
        /// The suite.
        suite: String,
        /// The requested name.
        name: String,
        /// The known names.
        known: String,
    },
    /// A description is not TOML of the expected form.
    #[error("{0}")]
    Toml(String),
    /// A name in a description that names nothing.
    #[error("{place}: unknown {what} `{name}`; expected one of {known}")]
    Unknown {
        /// Where it stands in the description.
        place: String,
        /// What it should name.
        what: &'static str,
        /// The name.
        name: String,
        /// What there is.
        known: String,
    },
    /// A parameter that no text mentions.
    #[error("parameters: no pool and no operation mentions `{name}`; they mention {known}")]
    Unmentioned {
        /// The parameter.
        name: String,
        /// The parameters that are mentioned.
        known: String,
    },
    /// A pool without constants.
    #[error("pool of {0}: there are no constants in it")]
    EmptyPool(String),
    /// A text inside a description is not SMT-LIB.
    #[error("{place}: `{text}`: {fault}")]
    Read {
        /// The position in the description.
        place: String,
        /// The text.
        text: String,
        /// The error.
        fault: Box<ReadError>,
    },
    /// A constant of a pool has no known value.
    #[error("pool of {sort}: `{text}` has no known value: {reason}")]
    NoValue {
        /// The pool.
        sort: String,
        /// The constant.
        text: String,
        /// The reason.
        reason: String,
    },
    /// A constant is in the pool of another sort.
    #[error("pool of {sort}: `{text}` has sort {got}")]
    WrongPool {
        /// The pool.
        sort: String,
        /// The constant.
        text: String,
        /// Its sort.
        got: String,
    },
    /// An operation takes arguments of a sort without a pool.
    #[error(
        "operation `{operation}`: there is no pool for its arguments of sort {sort}; \
         there are pools of {known}"
    )]
    NoPool {
        /// The operation.
        operation: String,
        /// The sort.
        sort: String,
        /// The sorts that have pools.
        known: String,
    },
    /// A head that cannot be read as one application to variables of the given sorts.
    #[error("operation `{0}`: its head cannot be applied to arguments of exactly these sorts")]
    NotAnApplication(String),
    /// Two operations have the same name.
    #[error("duplicate operation `{0}`; list its sorts in one entry")]
    Twice(String),
    /// An operation with a name for its negation whose result is not a Boolean.
    #[error("operation `{0}` has a name for its negation, but its result is not a Boolean")]
    NotBoolean(String),
    /// A reference to a constant that is not in its pool.
    #[error("{place}: `{text}` asks for constant {index} of {sort}, whose pool is shorter")]
    NoConstant {
        /// The position in the description.
        place: String,
        /// The text.
        text: String,
        /// The sort.
        sort: String,
        /// The index of the constant, from zero.
        index: usize,
    },
    /// A weight of a soft constraint that is not a positive number.
    #[error("maxsmt: `{0}` is not a weight; expected a positive number such as 2 or 0.5")]
    Weight(String),
    /// The operations do not make enough regular languages.
    #[error("random-regexes: {wanted} different languages are wanted, but only {found} were found")]
    FewRegexes {
        /// The number that the description asks for.
        wanted: usize,
        /// The number that was found.
        found: usize,
    },
    /// The rules cannot be used.
    #[error(transparent)]
    Rules(#[from] crate::rules::RuleError),
    /// A rule of the description that must not be used.
    #[error("line {line}: {error}")]
    UserRule {
        /// The line in which it begins.
        line: usize,
        /// What is wrong with it.
        error: crate::rules::RuleError,
    },
    /// The space of cases is too large to be numbered.
    #[error("operation `{0}` has more than 2^100 cases at this depth; choose a smaller depth")]
    TooMany(String),
}

/// Checks that there is something behind each name of a list.
pub(crate) fn known<'n>(
    place: &str,
    what: &'static str,
    names: impl IntoIterator<Item = &'n String>,
    known: &[impl AsRef<str>],
) -> Result<(), ForgeError> {
    let is_unknown = |name: &&String| known.iter().all(|other| other.as_ref() != name.as_str());
    let Some(name) = names.into_iter().find(is_unknown) else { return Ok(()) };
    Err(ForgeError::Unknown {
        place: place.into(),
        what,
        name: name.clone(),
        known: listed(known.iter().map(AsRef::as_ref)),
    })
}

/// Names in alphabetical order, each once.
pub(crate) fn listed<'n>(names: impl Iterator<Item = &'n str>) -> String {
    let distinct: BTreeSet<&str> = names.collect();
    match distinct.is_empty() {
        true => "none".into(),
        false => distinct.into_iter().collect::<Vec<_>>().join(", "),
    }
}

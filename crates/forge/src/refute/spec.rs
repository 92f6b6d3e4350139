//! The unsatisfiable formulas of a suite, as data.

use serde::Deserialize;
use std::collections::BTreeMap;

/// How unsatisfiable formulas are built.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Refutation {
    /// An operation does not hold, but its definition does.
    EquivalentFormula,
    /// The same, and an additional assertion equates a new variable of the definition with a variable of
    /// the operation or a constant.
    LargerCore,
    /// The same for variables that only the definition has: the additional assertion is not needed.
    Redundancy,
    /// An additional assertion about a term of the definition that is always true.
    RedundancyLet,
    /// Several of these in one formula.
    Chain,
    /// An operation on constants equals a constant that is not its result.
    DifferentResult,
    /// An operation on constants equals a term that has another value.
    ComplexDifferentResult,
    /// An operation on constants and terms equals one that has another value.
    Hybrid,
}

impl Refutation {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Refutation::EquivalentFormula => "equivalent-formula",
            Refutation::LargerCore => "larger-core",
            Refutation::Redundancy => "redundancy",
            Refutation::RedundancyLet => "redundancy-let",
            Refutation::Chain => "chain",
            Refutation::DifferentResult => "different-result",
            Refutation::ComplexDifferentResult => "complex-different-result",
            Refutation::Hybrid => "hybrid",
        }
    }

    /// Whether it is built from rules, as opposed to constants.
    pub(crate) fn needs_rules(self) -> bool {
        !matches!(
            self,
            Refutation::DifferentResult | Refutation::ComplexDifferentResult | Refutation::Hybrid
        )
    }
}

/// Which formulas are also written with patterns on their quantifiers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Patterns {
    /// None.
    None,
    /// Those that have quantifiers.
    #[default]
    Quantified,
    /// All: those without quantifiers are repeated unchanged.
    All,
}

/// The part of a description about unsatisfiable formulas.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct RefuteSpec {
    /// The categories.
    #[serde(default)]
    pub(crate) categories: Vec<Refutation>,
    /// The theories whose definitions are used.
    #[serde(default)]
    pub(crate) definitions: Vec<String>,
    /// Additional theories whose equalities are used.
    #[serde(default)]
    pub(crate) equalities: Vec<String>,
    /// Only rules of this collection.
    pub(crate) collection: Option<String>,
    #[serde(default)]
    pub(crate) patterns: Patterns,
    /// The number of replacements in a chain.
    pub(crate) depth: Option<u8>,
    /// Whether redundancies also apply to the terms of patterns.
    #[serde(default)]
    pub(crate) pattern_terms: bool,
    /// Variables of a definition that are never replaced, by the name of the rule.
    #[serde(default)]
    pub(crate) fixed: BTreeMap<String, Vec<String>>,
    /// Sorts that have no variables.
    #[serde(default)]
    pub(crate) constant_sorts: Vec<String>,
}

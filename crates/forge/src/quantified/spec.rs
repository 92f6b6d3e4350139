//! Which quantified formulas a suite has, as data.

use assay_case::Expected;
use serde::Deserialize;

/// The kind of a quantified formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Style {
    /// Sentences that hold in a known model.
    Satisfiable,
    /// The same with patterns.
    SatisfiablePatterns,
    /// Sentences without declared symbols that are true.
    TrueSentence,
    /// The same with one that is false.
    FalseSentence,
    /// A universal sentence and ground formulas that contradict an instance of it.
    Instance,
    /// The same with patterns.
    InstancePatterns,
    /// A sentence with nested quantifiers and a quantified formula that contradicts an instance of it.
    NestedInstance,
    /// Several universal sentences whose instances contradict ground formulas together.
    Chain,
    /// The same with patterns.
    ChainPatterns,
    /// Sentences that are false in every interpretation of the declared symbols, all of which are
    /// tried.
    Exhausted,
}

impl Style {
    /// Its name in reports.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Style::Satisfiable => "satisfiable",
            Style::SatisfiablePatterns => "satisfiable-patterns",
            Style::TrueSentence => "true-sentence",
            Style::FalseSentence => "false-sentence",
            Style::Instance => "instance",
            Style::InstancePatterns => "instance-patterns",
            Style::NestedInstance => "nested-instance",
            Style::Chain => "chain",
            Style::ChainPatterns => "chain-patterns",
            Style::Exhausted => "exhausted",
        }
    }

    /// The truth of its formulas.
    pub(crate) fn expected(self) -> Expected {
        match self {
            Style::Satisfiable | Style::SatisfiablePatterns | Style::TrueSentence => Expected::Sat,
            _ => Expected::Unsat,
        }
    }

    /// Whether universal quantifiers have patterns.
    pub(crate) fn patterns(self) -> Patterns {
        match self {
            Style::SatisfiablePatterns | Style::InstancePatterns | Style::ChainPatterns => {
                Patterns::Some
            }
            _ => Patterns::None,
        }
    }
}

/// Whether universal quantifiers have patterns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Patterns {
    None,
    /// Where terms of the body can be one.
    Some,
}

/// The part of a description about quantified formulas.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct QuantifiedSpec {
    /// The categories.
    pub(crate) categories: Vec<Style>,
    /// The number of cases of each vocabulary in a category.
    pub(crate) cases: u64,
    /// What formulas are made of.
    pub(crate) vocabulary: Vec<VocabularySpec>,
}

/// Finite sorts with symbols and operations.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct VocabularySpec {
    /// Its name in reports.
    pub(crate) name: String,
    /// Datatypes and symbols. Functions without definition can be in patterns.
    pub(crate) declarations: String,
    /// The sorts of variables.
    pub(crate) sorts: Vec<String>,
    /// Operations of theories: heads with the sorts of arguments.
    #[serde(default)]
    pub(crate) operations: Vec<TermSpec>,
}

/// An operation.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(crate) struct TermSpec {
    /// The head of its applications.
    pub(crate) head: String,
    /// The sorts of its arguments.
    pub(crate) args: Vec<String>,
}

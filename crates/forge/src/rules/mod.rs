//! Rules of theories as data, and their certification.
//!
//! A rule is a named row of a table in `presets/rules`: an equality between a variable or a
//! constant and a term, or an operation with its definition. Code that builds a formula on a rule
//! must present its [`Certificate`]. Nothing here knows which formulas are built.

mod assignment_search;
mod certify;
mod claim;
mod conjunction;
mod domain;
mod enumerate;
mod error;
mod identity;
mod level;
mod prove;
mod relation;
pub(crate) mod rewrite;
mod rule;
mod table;
mod unfold;
mod user;
mod world;

pub use certify::{Assurance, Certificate, Effort, Evidence, Failure, certify};
pub use domain::{random as random_value, random_in as random_value_in, simple_values};
pub use error::RuleError;
pub use identity::Identity;
pub use prove::{Opinion, ProofStatus, consult};
pub use relation::{Fused, Fusion, Implication, Implied};
pub use rule::{Kind, Rule, Sides};
pub use table::Direction;

pub(crate) use assignment_search::AssignmentSearch;
pub(crate) use conjunction::{Conjunction, Sight};
pub(crate) use domain::below;
pub(crate) use level::{Level, blank, seeds};
pub(crate) use rule::{Body, Instance, Law, Variable};
pub(crate) use user::{Refused, USER, UserRules};
pub(crate) use world::Symbols;

/// The tables that come with the program.
const TABLES: &[&str] = &[
    include_str!("../../presets/rules/strings.toml"),
    include_str!("../../presets/rules/regex.toml"),
    include_str!("../../presets/rules/regex-constants.toml"),
    include_str!("../../presets/rules/ints.toml"),
    include_str!("../../presets/rules/reals.toml"),
    include_str!("../../presets/rules/bitvectors.toml"),
    include_str!("../../presets/rules/arrays.toml"),
    include_str!("../../presets/rules/arrays-finite.toml"),
    include_str!("../../presets/rules/floats.toml"),
    include_str!("../../presets/rules/booleans.toml"),
    include_str!("../../presets/rules/uf.toml"),
    include_str!("../../presets/rules/datatypes.toml"),
    include_str!("../../presets/rules/sequences.toml"),
    include_str!("../../presets/rules/ff.toml"),
    include_str!("../../presets/rules/sets.toml"),
    include_str!("../../presets/rules/bags.toml"),
    include_str!("../../presets/rules/higher-order.toml"),
    include_str!("../../presets/rules/combined.toml"),
];

/// Every rule of every table.
///
/// # Errors
/// If a table is wrong.
pub fn rules() -> Result<Vec<Rule>, RuleError> {
    let mut all = Vec::new();
    for text in TABLES {
        all.extend(read_rules(text)?);
    }
    distinct(&all)?;
    Ok(all)
}

/// The rules of a table.
///
/// # Errors
/// If the table is wrong.
pub fn read_rules(text: &str) -> Result<Vec<Rule>, RuleError> {
    let rules = rule::read_table(text)?;
    distinct(&rules)?;
    Ok(rules)
}

pub(crate) fn distinct(rules: &[Rule]) -> Result<(), RuleError> {
    let mut names = std::collections::HashSet::new();
    match rules.iter().find(|rule| !names.insert(rule.name())) {
        Some(rule) => Err(RuleError::Twice(rule.name().into())),
        None => Ok(()),
    }
}

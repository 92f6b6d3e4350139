//! Rules in a user's description of a suite. Each is certified before any formula uses it.

use super::certify::{Effort, Failure, certify};
use super::error::RuleError;
use super::rule::{Rule, read_table};
use serde::Deserialize;
use toml::{Spanned, Table, Value};

/// The theory that these rules are counted under.
pub(crate) const USER: &str = "user";

/// The rules of a description: rows as in `presets/rules`, where `source` may be missing.
#[derive(Clone, PartialEq, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UserRules {
    #[serde(default)]
    equality: Vec<Spanned<Table>>,
    #[serde(default)]
    equivalence: Vec<Spanned<Table>>,
}

/// A rule that must not be used, and where it begins in the description.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Refused {
    /// The position in bytes.
    pub(crate) start: usize,
    pub(crate) error: RuleError,
}

impl UserRules {
    /// The rules, all of which are certified.
    pub(crate) fn certified(&self) -> Result<Vec<Rule>, Refused> {
        let equalities = self.equality.iter().map(|row| ("equality", row));
        let equivalences = self.equivalence.iter().map(|row| ("equivalence", row));
        let mut rules = Vec::new();
        for (kind, row) in equalities.chain(equivalences) {
            let start = row.span().start;
            let read = read(kind, row.get_ref()).map_err(|error| Refused { start, error })?;
            for rule in read {
                certify(&rule, Effort::FULL).map_err(|failure| {
                    let error = match failure {
                        Failure::Unreadable(error) => error,
                        wrong => RuleError::NotCertified {
                            rule: rule.name().into(),
                            reason: wrong.to_string(),
                        },
                    };
                    Refused { start, error }
                })?;
                rules.push(rule);
            }
        }
        Ok(rules)
    }
}

/// The rules of a row, read like those of our tables.
fn read(kind: &str, row: &Table) -> Result<Vec<Rule>, RuleError> {
    let mut row = row.clone();
    row.entry("source").or_insert_with(|| Value::String("the configuration".into()));
    let mut table = Table::new();
    table.insert("theory".into(), Value::String(USER.into()));
    table.insert(kind.into(), Value::Array(vec![Value::Table(row)]));
    let text = toml::to_string(&table).map_err(|error| RuleError::Toml(error.to_string()))?;
    read_table(&text)
}

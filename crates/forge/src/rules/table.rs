//! Tables of rules as data. A row's texts are SMT-LIB; `{W}` or `{W-1}` in a text is a word that
//! the table or the row gives several values, such as the width of a bit-vector.

use super::error::RuleError;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The values of words.
pub(crate) type Words = BTreeMap<String, String>;

/// The rules of one theory.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    /// Its theory.
    pub(crate) theory: String,
    /// Declarations of sorts, datatypes and functions in its rules; if they are uninterpreted, a rule is
    /// about all interpretations.
    #[serde(default)]
    pub(crate) prelude: String,
    /// The values of words during certification: sorts small enough to try all values.
    #[serde(default)]
    pub(crate) check: Vec<Words>,
    /// The values of words in formulas.
    #[serde(default, rename = "use")]
    pub(crate) used: Vec<Words>,
    /// The equalities.
    #[serde(default)]
    pub(crate) equality: Vec<Row<Equality>>,
    /// The definitions of operations.
    #[serde(default)]
    pub(crate) equivalence: Vec<Row<Equivalence>>,
    /// The implications.
    #[serde(default)]
    pub(crate) implication: Vec<Row<Implication>>,
    /// Invertible functions of two variables.
    #[serde(default)]
    pub(crate) fusion: Vec<Row<Fusion>>,
}

/// A row: the common fields, and those of its kind.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Row<T> {
    pub(crate) name: String,
    pub(crate) source: String,
    /// Collections that contain it.
    #[serde(default)]
    pub(crate) tags: Vec<String>,
    /// Words with several values: each choice is a separate rule, whose name mentions them.
    #[serde(default)]
    pub(crate) each: BTreeMap<String, Vec<String>>,
    #[serde(flatten)]
    pub(crate) texts: T,
    /// Unknown fields: [`Table::read`] rejects them.
    #[serde(flatten)]
    unknown: BTreeMap<String, toml::Value>,
}

impl<T> Row<T> {
    fn has_no_unknown_field(&self) -> Result<(), RuleError> {
        let Some(field) = self.unknown.keys().next() else { return Ok(()) };
        let (rule, fault) = (self.name.clone(), format!("unknown field `{field}`"));
        Err(RuleError::Shape { rule, fault })
    }
}

/// `term` equals `equals` for all values of the parameters if `when` holds.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Equality {
    /// Sorted variables, as after `forall`.
    #[serde(default)]
    pub(crate) params: String,
    /// A parameter, or a constant.
    pub(crate) equals: String,
    pub(crate) term: String,
    /// The side condition.
    pub(crate) when: Option<String>,
}

/// An operation and its definition.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Equivalence {
    /// The group of reports that counts it.
    pub(crate) operation: String,
    /// The arguments and the result of the operation.
    pub(crate) params: String,
    /// Whether the definition has additional free variables.
    #[serde(default)]
    pub(crate) auxiliary: String,
    /// The operation.
    pub(crate) left: String,
    /// Its definition.
    pub(crate) right: String,
    pub(crate) direction: Direction,
}

/// If `when` and `from` hold, so does `to`.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Implication {
    pub(crate) params: String,
    pub(crate) from: String,
    pub(crate) to: String,
    /// The side condition.
    pub(crate) when: Option<String>,
}

/// With z for `fused`, `left` equals x and `right` equals y if `when` holds.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct Fusion {
    /// The variables x and y, and others, which stand for constants.
    pub(crate) params: String,
    /// The sort of z.
    pub(crate) sort: String,
    pub(crate) fused: String,
    /// A term over y and z.
    pub(crate) left: String,
    /// A term over x and z.
    pub(crate) right: String,
    /// The side condition.
    pub(crate) when: Option<String>,
}

/// The claim of an equivalence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Direction {
    /// The operation holds if and only if the definition does for some auxiliary values.
    Both,
    /// The definition implies the operation, but not necessarily conversely.
    RightImpliesLeft,
}

impl Direction {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Direction::Both => "equivalence",
            Direction::RightImpliesLeft => "implication",
        }
    }
}

impl Table {
    pub(crate) fn read(text: &str) -> Result<Table, RuleError> {
        let table: Table = toml::from_str(text)
            .map_err(|error| RuleError::Toml(error.to_string().trim_end().into()))?;
        table.equality.iter().try_for_each(Row::has_no_unknown_field)?;
        table.equivalence.iter().try_for_each(Row::has_no_unknown_field)?;
        table.implication.iter().try_for_each(Row::has_no_unknown_field)?;
        table.fusion.iter().try_for_each(Row::has_no_unknown_field)?;
        Ok(table)
    }
}

/// Every choice of a value for each word.
pub(crate) fn choices(each: &BTreeMap<String, Vec<String>>) -> Vec<Words> {
    let mut all = vec![Words::new()];
    for (word, values) in each {
        let longer = |words: &Words| {
            let words = words.clone();
            values.iter().map(move |value| {
                let mut words = words.clone();
                words.insert(word.clone(), value.clone());
                words
            })
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The text with its words replaced by their values.
pub(crate) fn fill(text: &str, words: &Words) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some(start) = rest.find('{') {
        let (before, after) = rest.split_at(start);
        filled.push_str(before);
        let inside = after[1..].find('}').map(|end| &after[1..=end]);
        match inside.and_then(|inside| Some((inside.len() + 2, value(inside, words)?))) {
            Some((length, value)) => {
                filled.push_str(&value);
                rest = &after[length..];
            }
            None => {
                filled.push('{');
                rest = &after[1..];
            }
        }
    }
    filled.push_str(rest);
    filled
}

/// The value of a word, or of a sum, difference or product of words and numbers, from left to
/// right.
fn value(text: &str, words: &Words) -> Option<String> {
    if let Some(value) = words.get(text) {
        return Some(value.clone());
    }
    let number = |text: &str| match words.get(text) {
        Some(value) => value.parse::<i64>().ok(),
        None => text.parse().ok(),
    };
    let signs: Vec<(usize, char)> =
        text.char_indices().filter(|(_, c)| "+-*".contains(*c)).collect();
    let ends = signs.iter().map(|(at, _)| *at).skip(1).chain([text.len()]);
    let mut value = number(&text[..signs.first()?.0])?;
    for ((at, sign), end) in signs.iter().zip(ends) {
        let operand = number(&text[at + 1..end])?;
        value = match sign {
            '+' => value.checked_add(operand)?,
            '-' => value.checked_sub(operand)?,
            _ => value.checked_mul(operand)?,
        };
    }
    Some(value.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_in_and_escapes_kept() {
        let words = Words::from([("W".into(), "8".into()), ("S".into(), "Int".into())]);
        let text = r#"((_ extract {W-1} 0) x{S} "\u{7}" {2*W-1} {X}"#;
        assert_eq!(fill(text, &words), r#"((_ extract 7 0) xInt "\u{7}" 15 {X}"#);
    }

    #[test]
    fn a_field_that_no_row_has_is_an_error() {
        let row = |field: &str| {
            format!(
                "theory = \"t\"\n[[implication]]\nname = \"r\"\nsource = \"s\"\n\
                 params = \"\"\nfrom = 'true'\nto = 'true'\n{field}"
            )
        };
        assert!(Table::read(&row("when = 'true'")).is_ok());
        let error = Table::read(&row("whne = 'true'")).expect_err("a slip of the pen");
        assert_eq!(error.to_string(), "rule `r`: unknown field `whne`");
    }

    #[test]
    fn every_combination_of_choices_is_listed() {
        let each = BTreeMap::from([
            ("A".into(), vec!["1".into(), "2".into()]),
            ("B".into(), vec!["x".into(), "y".into(), "z".into()]),
        ]);
        assert_eq!(choices(&each).len(), 6);
        assert_eq!(choices(&BTreeMap::new()), [Words::new()]);
    }
}

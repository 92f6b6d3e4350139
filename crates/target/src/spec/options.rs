//! Options worth fuzzing: the truth stays the same whatever their values.

use super::Template;
use crate::version::VersionRange;
use serde::Deserialize;

/// An option worth fuzzing.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "Fields")]
pub struct FuzzOption {
    /// The tool's name for it.
    pub name: String,
    /// The values it may take.
    pub values: Values,
    /// How it is passed; `{value}` is the value.
    pub pass: Pass,
    /// The versions that have it.
    pub versions: VersionRange,
}

/// The values an option may take.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Values {
    /// `true` and `false`.
    Bool,
    /// One of these.
    Choice(Vec<String>),
    /// A whole number in a closed interval.
    Int {
        /// The smallest value.
        least: i64,
        /// The largest value.
        greatest: i64,
    },
}

/// How an option is passed.
#[derive(Clone, PartialEq, Debug)]
pub enum Pass {
    /// As an argument.
    Argument(Template),
    /// As a line before the script.
    Line(Template),
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Fields {
    name: String,
    #[serde(default)]
    bool: bool,
    choice: Option<Vec<String>>,
    int: Option<[i64; 2]>,
    argument: Option<Template>,
    line: Option<Template>,
    #[serde(default)]
    versions: VersionRange,
}

impl TryFrom<Fields> for FuzzOption {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<FuzzOption, &'static str> {
        let values = match (fields.bool, fields.choice, fields.int) {
            (true, None, None) => Values::Bool,
            (false, Some(words), None) if words.len() > 1 => Values::Choice(words),
            (false, None, Some([least, greatest])) if least < greatest => {
                Values::Int { least, greatest }
            }
            _ => {
                return Err(
                    "an option needs one of `bool = true`, `choice` with two or more words, `int = [least, greatest]`",
                );
            }
        };
        let pass = match (fields.argument, fields.line) {
            (Some(text), None) if text.has("value") => Pass::Argument(text),
            (None, Some(text)) if text.has("value") => Pass::Line(text),
            _ => return Err("an option needs `argument` or `line`, with the gap {value} in it"),
        };
        Ok(FuzzOption { name: fields.name, values, pass, versions: fields.versions })
    }
}

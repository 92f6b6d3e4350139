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
    /// Who is meant to set it.
    pub level: Level,
}

/// Who is meant to set an option. Developers want to hear of bugs under options of the first two
/// levels; bugs under options for experts are often declined.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default, Deserialize, serde::Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Level {
    /// Everybody: the options that a tool's manual begins with.
    Default,
    /// Users.
    #[default]
    Regular,
    /// Developers of the tool, and users who know its warnings.
    Expert,
}

impl Level {
    /// Every level, from the options for everybody to those for experts.
    pub const ALL: [Level; 3] = [Level::Default, Level::Regular, Level::Expert];

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Level::Default => "default",
            Level::Regular => "regular",
            Level::Expert => "expert",
        }
    }
}

impl std::str::FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Level, String> {
        let found = Level::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| format!("expected one of {}", Level::ALL.map(Level::name).join(", ")))
    }
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
    #[serde(default)]
    level: Level,
}

impl TryFrom<Fields> for FuzzOption {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<FuzzOption, &'static str> {
        let values = match (fields.bool, &fields.choice, fields.int) {
            (true, None, None) => Values::Bool,
            (false, Some(words), None) if words.len() > 1 => Values::Choice(words.clone()),
            (false, None, Some([least, greatest])) if least < greatest => {
                Values::Int { least, greatest }
            }
            _ => {
                return Err(
                    "an option needs one of `bool = true`, `choice` with two or more words, `int = [least, greatest]`",
                );
            }
        };
        let pass = match (&fields.argument, &fields.line) {
            (Some(text), None) if text.has("value") => Pass::Argument(text.clone()),
            (None, Some(text)) if text.has("value") => Pass::Line(text.clone()),
            _ => return Err("an option needs `argument` or `line`, with the gap {value} in it"),
        };
        let Fields { name, versions, level, .. } = fields;
        Ok(FuzzOption { name, values, pass, versions, level })
    }
}

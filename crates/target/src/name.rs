//! Names of targets: `name[@version][:variant]`.

use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A target: `z3`, `z3@4.8.14`, `z3@4.8.5:z3str3`, `z3@/opt/z3/bin/z3`, `z3@path`.
///
/// The version is that of a release or its shortest unambiguous prefix, a program's path (with a
/// `/`), or `path` for the command on the search path. Without a version, it is the newest release.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct TargetName {
    /// The tool's name in the catalogue.
    pub name: String,
    /// The release or program.
    pub version: Option<String>,
    /// The way to run it.
    pub variant: Option<String>,
}

impl TargetName {
    /// The newest release of a tool, without a variant.
    #[must_use]
    pub fn newest(name: impl Into<String>) -> TargetName {
        TargetName { name: name.into(), version: None, variant: None }
    }

    /// The same tool and variant with another version.
    #[must_use]
    pub fn at(&self, version: impl Into<String>) -> TargetName {
        TargetName { version: Some(version.into()), ..self.clone() }
    }
}

/// A target's name that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "`{text}` does not name a target: {trouble}; write name[@version][:variant], for example z3, z3@4.8.5 or z3@4.8.5:z3str3"
)]
pub struct NameError {
    text: String,
    trouble: &'static str,
}

impl FromStr for TargetName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<TargetName, NameError> {
        let error = |trouble| NameError { text: text.to_owned(), trouble };
        // The variant is the last part; a colon inside a program's path does not separate one.
        let (rest, variant) = match text.rsplit_once(':') {
            Some((rest, variant)) if !(rest.contains('@') && variant.contains('/')) => {
                (rest, Some(variant))
            }
            _ => (text, None),
        };
        let (name, version) = match rest.split_once('@') {
            Some((name, version)) => (name, Some(version)),
            None => (rest, None),
        };
        let plain =
            |word: &str| word.chars().all(|c| c.is_ascii_alphanumeric() || "-_./+".contains(c));
        if name.is_empty() {
            return Err(error("the name is missing"));
        }
        if version == Some("") {
            return Err(error("the version after `@` is missing"));
        }
        if variant == Some("") {
            return Err(error("the variant after `:` is missing"));
        }
        if !plain(name) || !variant.is_none_or(plain) {
            return Err(error("names are made of letters, digits and -_./+"));
        }
        if version.is_some_and(|version| !version.contains('/') && !plain(version)) {
            return Err(error("a version is made of letters, digits and -_.+"));
        }
        Ok(TargetName {
            name: name.to_owned(),
            version: version.map(str::to_owned),
            variant: variant.map(str::to_owned),
        })
    }
}

impl fmt::Display for TargetName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(version) = &self.version {
            write!(f, "@{version}")?;
        }
        if let Some(variant) = &self.variant {
            write!(f, ":{variant}")?;
        }
        Ok(())
    }
}

impl TryFrom<String> for TargetName {
    type Error = NameError;

    fn try_from(text: String) -> Result<TargetName, NameError> {
        text.parse()
    }
}

impl From<TargetName> for String {
    fn from(name: TargetName) -> String {
        name.to_string()
    }
}

/// The most similar of some words, if one is similar enough.
#[must_use]
pub fn nearest<'w>(word: &str, words: impl IntoIterator<Item = &'w str>) -> Option<&'w str> {
    let distant = |known: &&'w str| distance(word, known);
    let best = words.into_iter().min_by_key(distant)?;
    (distance(word, best) <= word.len().max(3) / 3 + 1).then_some(best)
}

/// The edit distance: insertions, deletions and substitutions.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, y) in b.iter().enumerate() {
            let change = diagonal + usize::from(!x.eq_ignore_ascii_case(y));
            diagonal = row[j + 1];
            row[j + 1] = change.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, Option<String>, Option<String>) {
        let name: TargetName = text.parse().expect("it is a name");
        assert_eq!(name.to_string(), text);
        (name.name, name.version, name.variant)
    }

    #[test]
    fn names_are_read_and_written() {
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(parts("z3"), ("z3".into(), None, None));
        assert_eq!(parts("z3@4.8.14"), ("z3".into(), some("4.8.14"), None));
        assert_eq!(parts("z3@4.8.5:z3str3"), ("z3".into(), some("4.8.5"), some("z3str3")));
        assert_eq!(
            parts("goto-analyzer:intervals"),
            ("goto-analyzer".into(), None, some("intervals"))
        );
        assert_eq!(parts("apron/octD"), ("apron/octD".into(), None, None));
        assert_eq!(parts("z3@/opt/a b/z3"), ("z3".into(), some("/opt/a b/z3"), None));
        assert_eq!(parts("z3@/opt/a:b/z3"), ("z3".into(), some("/opt/a:b/z3"), None));
        assert_eq!(parts("z3@./z3:seq"), ("z3".into(), some("./z3"), some("seq")));
    }

    #[test]
    fn malformed_target_names_are_refused() {
        for text in ["", "@4.8", "z3@", "z3:", "z 3", "z3@4 8", "z3@4.8:", "z3@4.8:a b", "(z3)"] {
            let error = text.parse::<TargetName>().expect_err(text);
            assert!(error.to_string().contains("name[@version][:variant]"), "{error}");
        }
    }

    #[test]
    fn names_are_strings_in_json() {
        let name: TargetName = serde_json::from_str("\"z3@4.8.5:seq\"").expect("it is a name");
        assert_eq!(serde_json::to_string(&name).expect("it is text"), "\"z3@4.8.5:seq\"");
        assert!(serde_json::from_str::<TargetName>("\"z3@\"").is_err());
    }

    #[test]
    fn similar_words_are_suggested() {
        let known = ["z3", "cvc4", "cvc5", "yices", "bitwuzla"];
        for (word, expected) in [
            ("Z3", Some("z3")),
            ("cvc", Some("cvc4")),
            ("yces", Some("yices")),
            ("bitwulza", Some("bitwuzla")),
            ("mathsat", None),
        ] {
            assert_eq!(nearest(word, known), expected, "{word}");
        }
    }
}

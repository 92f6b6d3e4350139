//! Versions of tools, and ranges of versions. They support the many formats in use (`4.8.5.0`,
//! `4.8.0.0.post1`, `1.0.3-dev`), not one standard.

use serde::Deserialize;
use std::cmp::Ordering;
use std::fmt;
use std::str::FromStr;

/// A version: words separated by dots or dashes. Missing words count as 0.
#[derive(Clone, Debug)]
pub struct Version {
    text: String,
    parts: Vec<Part>,
}

/// One word of a version. The order of the variants is the order of releases: `1.0rc1`, `1.0`,
/// `1.0.post1`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Part {
    Before(u64),
    Number(u64),
    After(u64),
}

impl Part {
    /// Reads `8`, `rc2` or `post1`; a missing number counts as the first.
    fn read(word: &str) -> Part {
        let digits = word.trim_start_matches(|c: char| !c.is_ascii_digit());
        let letters = &word[..word.len() - digits.len()];
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        let number = digits[..end].parse().unwrap_or(0);
        match letters {
            "" => Part::Number(number),
            "post" | "p" | "r" => Part::After(number),
            _ => Part::Before(number),
        }
    }
}

impl Version {
    /// The original text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether the first words of this version are the words of `prefix`: `4.8.5.0` begins with
    /// `4.8.5`, but not with `4.8.5.0.0`, and `4.8.10` does not begin with `4.8.1`.
    #[must_use]
    pub fn begins_with(&self, prefix: &Version) -> bool {
        self.parts.starts_with(&prefix.parts)
    }

    /// Compares only as many words as `bound` has.
    fn compare_with_bound(&self, bound: &Version) -> Ordering {
        let part = |parts: &[Part], at: usize| parts.get(at).copied().unwrap_or(Part::Number(0));
        (0..bound.parts.len())
            .map(|at| part(&self.parts, at).cmp(&bound.parts[at]))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl From<&str> for Version {
    fn from(text: &str) -> Version {
        let words = text.split(['.', '-', '+']).filter(|word| !word.is_empty());
        Version { text: text.to_owned(), parts: words.map(Part::read).collect() }
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.text)
    }
}

impl Ord for Version {
    fn cmp(&self, other: &Version) -> Ordering {
        let part = |parts: &[Part], at: usize| parts.get(at).copied().unwrap_or(Part::Number(0));
        (0..self.parts.len().max(other.parts.len()))
            .map(|at| part(&self.parts, at).cmp(&part(&other.parts, at)))
            .find(|order| order.is_ne())
            .unwrap_or(Ordering::Equal)
    }
}

impl PartialOrd for Version {
    fn partial_cmp(&self, other: &Version) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Version {
    fn eq(&self, other: &Version) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Version {}

/// A range of versions: bounds separated by commas, which must all hold: `>=4.8.9, <=4.13`.
///
/// A bound compares as many words as it has: `<=4.13` includes 4.13.4.0, `=4.8.0` includes
/// 4.8.0.0.post1, and `>4.8.8` excludes everything that begins with 4.8.8. `*` includes every
/// version.
#[derive(Clone, PartialEq, Eq, Debug, Default, Deserialize)]
#[serde(try_from = "String")]
pub struct VersionRange {
    text: String,
    bounds: Vec<(Bound, Version)>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Bound {
    AtLeast,
    AtMost,
    Above,
    Below,
    Exactly,
}

/// Longer signs first: `>` is a prefix of `>=`.
const SIGNS: [(&str, Bound); 5] = [
    (">=", Bound::AtLeast),
    ("<=", Bound::AtMost),
    (">", Bound::Above),
    ("<", Bound::Below),
    ("=", Bound::Exactly),
];

impl VersionRange {
    /// Whether a version is in the range.
    #[must_use]
    pub fn contains(&self, version: &Version) -> bool {
        self.bounds.iter().all(|(bound, end)| {
            let order = version.compare_with_bound(end);
            match bound {
                Bound::AtLeast => order.is_ge(),
                Bound::AtMost => order.is_le(),
                Bound::Above => order.is_gt(),
                Bound::Below => order.is_lt(),
                Bound::Exactly => order.is_eq(),
            }
        })
    }

    /// Whether it contains every version.
    #[must_use]
    pub fn is_everything(&self) -> bool {
        self.bounds.is_empty()
    }
}

impl fmt::Display for VersionRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_everything() { "*" } else { &self.text })
    }
}

/// A range of versions that cannot be read.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("`{0}` is not a range of versions; write for example `>=4.8.9, <=4.13` or `=1.0.3`")]
pub struct RangeError(String);

impl FromStr for VersionRange {
    type Err = RangeError;

    fn from_str(text: &str) -> Result<VersionRange, RangeError> {
        let trouble = || RangeError(text.to_owned());
        if text.trim() == "*" {
            return Ok(VersionRange::default());
        }
        let mut bounds = Vec::new();
        for word in text.split(',').map(str::trim) {
            let read = |(sign, bound): &(&str, Bound)| Some((word.strip_prefix(sign)?, *bound));
            let (version, bound) = SIGNS.iter().find_map(read).ok_or_else(trouble)?;
            let version = version.trim();
            let numbered = version.starts_with(|c: char| c.is_ascii_digit());
            if !numbered || version.contains(char::is_whitespace) {
                return Err(trouble());
            }
            bounds.push((bound, Version::from(version)));
        }
        Ok(VersionRange { text: text.to_owned(), bounds })
    }
}

impl TryFrom<String> for VersionRange {
    type Error = RangeError;

    fn try_from(text: String) -> Result<VersionRange, RangeError> {
        text.parse()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_ordered_as_they_were_released() {
        let ascending = [
            "4.5.1.0.post2",
            "4.8.0.0",
            "4.8.0.0.post1",
            "4.8.5.0",
            "4.8.9",
            "4.8.10.0",
            "4.13.0.0rc1",
            "5.0.0.0",
            "5.4",
        ];
        for pair in ascending.windows(2) {
            assert!(Version::from(pair[0]) < Version::from(pair[1]), "{pair:?}");
        }
        assert_eq!(Version::from("4.8.5"), Version::from("4.8.5.0"));
        assert!(Version::from("1.0-dev") < Version::from("1.0"));
    }

    #[test]
    fn bounds_compare_only_the_components_they_have() {
        let table = [
            ("<=4.8.8", "4.8.8.0", true),
            ("<=4.8.8", "4.8.9.0", false),
            ("<=4.8", "4.8.17.0", true),
            (">4.8.8", "4.8.8.0.post1", false),
            (">4.8.8", "4.8.10.0", true),
            ("<4.8.9", "4.8.9.0", false),
            ("=4.8.0", "4.8.0.0.post1", true),
            ("=1.0.3", "1.0.30", false),
            (">=4.8.9, <=4.13", "4.13.4.0", true),
            (">=4.8.9, <=4.13", "4.15.4.0", false),
            (">=1.2.1", "1.2", false),
            ("*", "0.1", true),
        ];
        for (range, version, expected) in table {
            let parsed: VersionRange = range.parse().expect("it is a range");
            assert_eq!(parsed.contains(&Version::from(version)), expected, "{version} in {range}");
        }
    }

    #[test]
    fn malformed_ranges_are_refused() {
        for text in ["", "4.8", ">=", "~4.8", ">=4.8,", ">=newest", ">=4.8 <5", "<=*"] {
            assert!(text.parse::<VersionRange>().is_err(), "{text:?}");
        }
    }
}

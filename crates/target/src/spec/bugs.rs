//! Bugs that are known, with a condition that a machine can check.

use crate::version::{Version, VersionRange};
use assay_case::FindingKind;
use assay_term::Op;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;

/// A known bug.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KnownBug {
    /// Its name here, in kebab case.
    pub id: String,
    /// What it is.
    pub title: String,
    /// Where it was reported, if that is public.
    pub link: Option<String>,
    /// Which versions have it.
    #[serde(default)]
    pub versions: VersionRange,
    /// The variants that show it; empty where all do.
    #[serde(default)]
    pub variants: Vec<String>,
    /// What the finding must look like.
    pub symptom: Symptom,
}

/// What a finding looks like that a known bug may explain. Every condition given must hold.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Symptom {
    /// The kinds of findings.
    pub kinds: Vec<Kind>,
    /// Operators that all occur in the formula, by their standard names.
    #[serde(default, deserialize_with = "operators")]
    pub operators: BTreeSet<Op>,
    /// Operators of which at least one occurs.
    #[serde(default, deserialize_with = "operators")]
    pub one_of: BTreeSet<Op>,
    /// Words in the signature of a crash.
    pub crash: Option<String>,
}

/// A kind of finding, by its stable name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Kind(pub FindingKind);

impl TryFrom<String> for Kind {
    type Error = String;

    fn try_from(name: String) -> Result<Kind, String> {
        FindingKind::by_name(&name).map(Kind).ok_or_else(|| {
            let known = FindingKind::ALL.map(|row| row.1).join(", ");
            format!("there is no kind of finding `{name}`; there are {known}")
        })
    }
}

/// Operators by their standard names.
pub(super) fn operators<'de, D: Deserializer<'de>>(file: D) -> Result<BTreeSet<Op>, D::Error> {
    let operator = |name: String| {
        Op::by_name(&name)
            .filter(|op| op.name() == name)
            .ok_or_else(|| D::Error::custom(format!("there is no operator `{name}`")))
    };
    Vec::<String>::deserialize(file)?.into_iter().map(operator).collect()
}

impl KnownBug {
    /// Whether this version and variant have it.
    #[must_use]
    pub fn concerns(&self, version: &Version, variant: Option<&str>) -> bool {
        let named = |variant: &str| self.variants.iter().any(|known| known == variant);
        self.versions.contains(version) && (self.variants.is_empty() || variant.is_some_and(named))
    }

    /// Whether it may explain a finding: of this kind, on a formula with these operators, with this
    /// crash signature if it was one.
    ///
    /// This only ever says "perhaps known": a report shows the finding all the same.
    #[must_use]
    pub fn may_explain(
        &self,
        kind: FindingKind,
        operators: &BTreeSet<Op>,
        crash: Option<&str>,
    ) -> bool {
        let Symptom { kinds, operators: all, one_of, crash: words } = &self.symptom;
        let occurs = |op: &Op| operators.contains(op);
        kinds.contains(&Kind(kind))
            && all.iter().all(occurs)
            && (one_of.is_empty() || one_of.iter().any(occurs))
            && words.as_ref().is_none_or(|words| crash.is_some_and(|said| said.contains(words)))
    }
}

//! Bugs that are known, with a condition that a machine can check.

use crate::version::{Version, VersionRange};
use assay_case::{Application, Class, FindingKind};
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
    /// Applications of which at least one occurs.
    #[serde(default)]
    pub applications: Vec<Pattern>,
    /// Words in the signature of a crash.
    pub crash: Option<String>,
}

/// What an application of an operator looks like. Every condition given must hold.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pattern {
    /// The operator, by its standard name.
    #[serde(deserialize_with = "operator")]
    pub operator: Op,
    /// The classes of the first arguments, in order; `any` where it does not matter.
    #[serde(default)]
    pub arguments: Vec<Wanted>,
    /// The classes of the application as a whole.
    #[serde(default)]
    pub is: Vec<Wanted>,
}

/// A class by its stable name, or `any`, which is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub struct Wanted(pub Option<Class>);

impl TryFrom<String> for Wanted {
    type Error = String;

    fn try_from(name: String) -> Result<Wanted, String> {
        match (name.as_str(), Class::by_name(&name)) {
            ("any", _) => Ok(Wanted(None)),
            (_, Some(class)) => Ok(Wanted(Some(class))),
            (_, None) => {
                let known = Class::ALL.map(|row| row.1).join(", ");
                Err(format!("there is no class of arguments `{name}`; there are any, {known}"))
            }
        }
    }
}

impl Pattern {
    /// Whether an application looks like this.
    #[must_use]
    pub fn matches(&self, application: &Application) -> bool {
        let wanted = |position: usize, Wanted(class): &Wanted| {
            let has = |class: &Class| {
                application.arguments.get(position).is_some_and(|all| all.contains(class))
            };
            class.as_ref().is_none_or(has)
        };
        let whole = |Wanted(class): &Wanted| {
            class.as_ref().is_none_or(|class| application.whole.contains(class))
        };
        self.operator == application.op
            && self.arguments.iter().enumerate().all(|(position, class)| wanted(position, class))
            && self.is.iter().all(whole)
    }
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

fn named<E: Error>(name: String) -> Result<Op, E> {
    Op::by_name(&name)
        .filter(|op| op.name() == name)
        .ok_or_else(|| E::custom(format!("there is no operator `{name}`")))
}

fn operator<'de, D: Deserializer<'de>>(file: D) -> Result<Op, D::Error> {
    named(String::deserialize(file)?)
}

/// Operators by their standard names.
pub(super) fn operators<'de, D: Deserializer<'de>>(file: D) -> Result<BTreeSet<Op>, D::Error> {
    Vec::<String>::deserialize(file)?.into_iter().map(named).collect()
}

impl KnownBug {
    /// Whether this version and variant have it.
    #[must_use]
    pub fn concerns(&self, version: &Version, variant: Option<&str>) -> bool {
        let named = |variant: &str| self.variants.iter().any(|known| known == variant);
        self.versions.contains(version) && (self.variants.is_empty() || variant.is_some_and(named))
    }

    /// Whether it may explain a finding: of this kind, on a formula that applies operators so, with
    /// this crash signature if it was one.
    ///
    /// This only ever says "perhaps known": a report shows the finding all the same.
    #[must_use]
    pub fn may_explain(
        &self,
        kind: FindingKind,
        applications: &BTreeSet<Application>,
        crash: Option<&str>,
    ) -> bool {
        let Symptom { kinds, operators, one_of, applications: patterns, crash: words } =
            &self.symptom;
        let occurs = |op: &Op| applications.iter().any(|application| application.op == *op);
        let found = |pattern: &Pattern| applications.iter().any(|a| pattern.matches(a));
        kinds.contains(&Kind(kind))
            && operators.iter().all(occurs)
            && (one_of.is_empty() || one_of.iter().any(occurs))
            && (patterns.is_empty() || patterns.iter().any(found))
            && words.as_ref().is_none_or(|words| crash.is_some_and(|said| said.contains(words)))
    }
}

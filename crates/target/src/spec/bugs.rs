//! Known bugs, with a machine-checkable condition.

use crate::version::{Version, VersionRange};
use assay_case::{Application, Class, FindingKind};
use assay_lattice::{Law, OPERATIONS, Trace};
use assay_term::Op;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::collections::BTreeSet;

/// A known bug.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct KnownBug {
    /// Its identifier, in kebab case.
    pub id: String,
    /// Its title.
    pub title: String,
    /// The public report, if any.
    pub link: Option<String>,
    /// The affected versions.
    #[serde(default)]
    pub versions: VersionRange,
    /// The affected variants; empty for all.
    #[serde(default)]
    pub variants: Vec<String>,
    /// The affected domains of a library, by the name after the slash; empty for all.
    #[serde(default)]
    pub domains: Vec<String>,
    /// What its findings look like.
    pub symptom: Symptom,
}

/// What the findings of a known bug look like. Every given condition must hold.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Symptom {
    /// The kinds of findings.
    pub kinds: Vec<Kind>,
    /// Operators that all occur in the formula, by their standard names.
    #[serde(default, deserialize_with = "operators")]
    pub operators: BTreeSet<Op>,
    /// Operators of which at least one must occur.
    #[serde(default, deserialize_with = "operators")]
    pub one_of: BTreeSet<Op>,
    /// Applications of which at least one must occur.
    #[serde(default)]
    pub applications: Vec<Pattern>,
    /// Words in a crash signature.
    pub crash: Option<String>,
    /// Laws of abstract domains of which one must be broken; empty for any law or a crash.
    #[serde(default, deserialize_with = "laws")]
    pub laws: Vec<String>,
    /// Operations that must all occur in a program about abstract domains.
    #[serde(default, deserialize_with = "operations")]
    pub operations: Vec<String>,
    /// Whether the program must contain a number beyond 2^53, up to which doubles represent all
    /// integers.
    #[serde(default)]
    pub large_numbers: bool,
    /// Whether it also explains findings where the library itself says that it may be imprecise.
    #[serde(default)]
    pub soft: bool,
}

/// A program about an abstract domain, and what it shows.
#[derive(Clone, Copy, Debug)]
pub struct Shown<'s> {
    /// The kind of finding; `None` if the library itself says that it may be imprecise.
    pub kind: Option<FindingKind>,
    /// The broken law; `None` for a crash.
    pub law: Option<&'s str>,
    /// The program.
    pub case: &'s Trace,
}

/// The bound up to which doubles represent all integers.
const DOUBLE: u64 = 1 << 53;

/// A pattern for applications of an operator. Every given condition must hold.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Pattern {
    /// The operator, by its standard name.
    #[serde(deserialize_with = "operator")]
    pub operator: Op,
    /// The classes of the first arguments, in order; `any` matches all.
    #[serde(default)]
    pub arguments: Vec<Wanted>,
    /// The classes of the application as a whole.
    #[serde(default)]
    pub is: Vec<Wanted>,
}

/// A class by its stable name, or `any` (`None`).
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
                Err(format!("unknown class of arguments `{name}`; expected any, {known}"))
            }
        }
    }
}

impl Pattern {
    /// Whether an application matches.
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
            let known = FindingKind::names();
            format!("unknown kind of finding `{name}`; expected one of {known}")
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

/// Reads names that must all be known.
fn known<'de, D: Deserializer<'de>>(
    file: D,
    trouble: impl Fn(&str) -> Option<String>,
) -> Result<Vec<String>, D::Error> {
    let names = Vec::<String>::deserialize(file)?;
    names.iter().find_map(|name| trouble(name)).map_or(Ok(()), |why| Err(D::Error::custom(why)))?;
    Ok(names)
}

fn laws<'de, D: Deserializer<'de>>(file: D) -> Result<Vec<String>, D::Error> {
    known(file, |name| {
        let is_law = Law::find(name).is_some_and(|law| law.name == name);
        let why = || format!("there is no law `{name}`; `assay rules --theory domains` lists them");
        (!is_law).then(why)
    })
}

fn operations<'de, D: Deserializer<'de>>(file: D) -> Result<Vec<String>, D::Error> {
    known(file, |name| {
        let known = OPERATIONS.join(", ");
        let why = || format!("unknown operation `{name}` on elements; expected one of {known}");
        (!OPERATIONS.contains(&name)).then(why)
    })
}

/// Operators by their standard names.
pub(super) fn operators<'de, D: Deserializer<'de>>(file: D) -> Result<BTreeSet<Op>, D::Error> {
    Vec::<String>::deserialize(file)?.into_iter().map(named).collect()
}

impl KnownBug {
    /// Whether this version and variant are affected.
    #[must_use]
    pub fn concerns(&self, version: &Version, variant: Option<&str>) -> bool {
        let named = |variant: &str| self.variants.iter().any(|known| known == variant);
        self.versions.contains(version) && (self.variants.is_empty() || variant.is_some_and(named))
    }

    /// Whether a domain of a library is affected.
    #[must_use]
    pub fn concerns_domain(&self, domain: &str) -> bool {
        self.domains.is_empty() || self.domains.iter().any(|known| known == domain)
    }

    /// Whether it may explain a finding about an abstract domain.
    #[must_use]
    pub fn may_explain_law(&self, shown: &Shown<'_>) -> bool {
        let Symptom { kinds, laws, operations, large_numbers, soft, .. } = &self.symptom;
        let made_by = shown.case.operations();
        shown.kind.map_or(*soft, |kind| kinds.contains(&Kind(kind)))
            && (laws.is_empty() || shown.law.is_some_and(|law| laws.iter().any(|l| l == law)))
            && operations.iter().all(|operation| made_by.contains(operation.as_str()))
            && (!large_numbers || shown.case.greatest_number() > DOUBLE)
    }

    /// Whether it may explain a finding of this kind, on a formula with these applications, with
    /// this crash signature if it is a crash.
    ///
    /// The result only means "perhaps known": a report shows the finding anyway.
    #[must_use]
    pub fn may_explain(
        &self,
        kind: FindingKind,
        applications: &BTreeSet<Application>,
        crash: Option<&str>,
    ) -> bool {
        let Symptom { kinds, operators, one_of, applications: patterns, crash: words, .. } =
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

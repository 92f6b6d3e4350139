//! What is known about a tool: the contents of one file `targets/NAME.toml`.
//!
//! Everything here is data; reading it starts nothing and touches no file but the one read.
//! `docs/targets.md` describes the format for those who write such files.

mod analyzer;
mod behaviour;
mod bugs;
mod check;
mod checksum;
mod feature;
mod options;
mod source;
mod template;

pub use analyzer::{Analyzer, Promise};
pub use behaviour::{Behaviour, Changes, Input, Logic, Rewrites, Session};
pub use bugs::{KnownBug, Pattern, Shown, Symptom, Wanted};
pub use check::SpecError;
pub use checksum::Checksum;
pub use feature::{Feature, Features};
pub use options::{FuzzOption, Level, Pass, Values};
pub use source::{Asset, Source, SourceKind};
pub use template::{Gaps, Template, TemplateError};

use crate::version::{Version, VersionRange};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A tool.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Spec {
    /// What users call it.
    pub name: String,
    /// What its makers call it.
    pub title: String,
    /// What sort of tool it is.
    pub kind: Kind,
    /// Where it lives.
    pub homepage: Option<String>,
    /// Where its bugs are reported.
    pub tracker: Option<String>,
    /// The release that is meant where none is said; otherwise the newest.
    pub default_version: Option<String>,
    /// Where it comes from.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// How it is run, in every version.
    #[serde(default)]
    pub run: Changes,
    /// What is different in some versions, in order.
    #[serde(rename = "for", default)]
    pub exceptions: Vec<Exception>,
    /// Other ways to run it.
    #[serde(rename = "variant", default)]
    pub variants: Vec<Variant>,
    /// Options worth fuzzing.
    #[serde(rename = "option", default)]
    pub options: Vec<FuzzOption>,
    /// The checksums of the wheels that it may be installed from, by their files' names.
    #[serde(default)]
    pub sha256: BTreeMap<String, Checksum>,
    /// Bugs that are known.
    #[serde(rename = "known-bug", default)]
    pub known_bugs: Vec<KnownBug>,
    /// The folder of the file, for drivers beside it; none where it is built in.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// Sorts of tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Decides SMT-LIB scripts.
    SmtSolver,
    /// A library of numerical abstract domains, each of which is a target.
    AbstractDomains,
    /// Says whether C programs can reach an error.
    Analyzer,
    /// Refutes formulas of first-order logic, and prints proofs.
    FirstOrderProver,
}

impl Kind {
    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Kind::SmtSolver => "smt-solver",
            Kind::AbstractDomains => "abstract-domains",
            Kind::Analyzer => "analyzer",
            Kind::FirstOrderProver => "first-order-prover",
        }
    }
}

/// What is different in some versions.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Exception {
    /// Which versions.
    pub versions: VersionRange,
    /// What is different.
    pub run: Changes,
}

/// Another way to run a tool.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variant {
    /// What users call it.
    pub name: String,
    /// What it is.
    pub about: String,
    /// Which versions have it.
    #[serde(default)]
    pub versions: VersionRange,
    /// What is different.
    pub run: Changes,
}

impl Spec {
    /// Every version that is known by its number, ascending.
    #[must_use]
    pub fn versions(&self) -> Vec<Version> {
        let mut all: Vec<Version> =
            self.sources.iter().flat_map(|source| source.releases().cloned()).collect();
        all.sort();
        all.dedup_by(|a, b| a.as_str() == b.as_str());
        all
    }

    /// The wheel that it comes from, if it does.
    #[must_use]
    pub fn wheel_source(&self) -> Option<&Source> {
        self.sources.iter().find(|source| matches!(source.kind, SourceKind::Wheel { .. }))
    }

    pub(crate) fn wheel_source_mut(&mut self) -> Option<&mut Source> {
        self.sources.iter_mut().find(|source| matches!(source.kind, SourceKind::Wheel { .. }))
    }

    /// The version that is meant where none is said.
    #[must_use]
    pub fn default_release(&self) -> Option<Version> {
        match &self.default_version {
            Some(version) => Some(Version::from(version.as_str())),
            None => self.versions().pop(),
        }
    }

    /// The variant of this name.
    #[must_use]
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// How a version is run, in a variant or the usual way.
    #[must_use]
    pub fn behaviour(&self, version: &Version, variant: Option<&Variant>) -> Behaviour {
        let mut behaviour = Behaviour::default();
        behaviour.apply(&self.run);
        for exception in self.exceptions.iter().filter(|e| e.versions.contains(version)) {
            behaviour.apply(&exception.run);
        }
        if let Some(variant) = variant {
            behaviour.apply(&variant.run);
        }
        behaviour
    }
}

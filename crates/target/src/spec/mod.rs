//! The description of a tool: the contents of one file `targets/NAME.toml`.
//!
//! Everything here is plain data; reading it starts nothing and opens no other file.
//! `docs/targets.md` describes the format for those who write such files.

mod analyzer;
mod behaviour;
mod bugs;
mod build;
mod check;
mod checksum;
mod feature;
mod options;
mod source;
mod template;

pub use analyzer::{Analyzer, Promise};
pub use behaviour::{Behaviour, Changes, Input, Logic, Offer, Rewrites, Session};
pub use bugs::{KnownBug, Pattern, Shown, Symptom, Wanted};
pub use build::Build;
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
    /// Its name in commands.
    pub name: String,
    /// Its makers' name for it.
    pub title: String,
    /// The kind of tool.
    pub kind: Kind,
    /// Its home page.
    pub homepage: Option<String>,
    /// Its bug tracker.
    pub tracker: Option<String>,
    /// The default release; if missing, the newest.
    pub default_version: Option<String>,
    /// Its sources.
    #[serde(rename = "source")]
    pub sources: Vec<Source>,
    /// How it is run, in every version.
    #[serde(default)]
    pub run: Changes,
    /// The differences of some versions, in order.
    #[serde(rename = "for", default)]
    pub exceptions: Vec<Exception>,
    /// Other ways to run it.
    #[serde(rename = "variant", default)]
    pub variants: Vec<Variant>,
    /// How its releases are built from source.
    #[serde(rename = "build", default)]
    pub builds: Vec<Build>,
    /// Options worth fuzzing.
    #[serde(rename = "option", default)]
    pub options: Vec<FuzzOption>,
    /// The checksums of the wheels that it may be installed from, by their files' names.
    #[serde(default)]
    pub sha256: BTreeMap<String, Checksum>,
    /// Known bugs.
    #[serde(rename = "known-bug", default)]
    pub known_bugs: Vec<KnownBug>,
    /// The folder of the file, for drivers next to it; `None` if it is built in.
    #[serde(skip)]
    pub folder: Option<PathBuf>,
}

/// The kinds of tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Decides SMT-LIB scripts.
    SmtSolver,
    /// A library of numerical abstract domains, each of which is a target.
    AbstractDomains,
    /// Decides whether C programs can reach an error.
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

/// The differences of some versions.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Exception {
    /// The versions.
    pub versions: VersionRange,
    /// The differences.
    pub run: Changes,
}

/// Another way to run a tool.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Variant {
    /// Its name in commands.
    pub name: String,
    /// A description.
    pub about: String,
    /// The versions that have it.
    #[serde(default)]
    pub versions: VersionRange,
    /// The flags of a build from source, if it is one.
    pub build: Option<Vec<String>>,
    /// The differences.
    #[serde(default)]
    pub run: Changes,
}

impl Spec {
    /// All numbered versions, ascending.
    #[must_use]
    pub fn versions(&self) -> Vec<Version> {
        let mut all: Vec<Version> =
            self.sources.iter().flat_map(|source| source.releases().cloned()).collect();
        all.sort();
        all.dedup_by(|a, b| a.as_str() == b.as_str());
        all
    }

    /// The wheel that it comes from, if any.
    #[must_use]
    pub fn wheel_source(&self) -> Option<&Source> {
        self.sources.iter().find(|source| matches!(source.kind, SourceKind::Wheel { .. }))
    }

    pub(crate) fn wheel_source_mut(&mut self) -> Option<&mut Source> {
        self.sources.iter_mut().find(|source| matches!(source.kind, SourceKind::Wheel { .. }))
    }

    /// The default version.
    #[must_use]
    pub fn default_release(&self) -> Option<Version> {
        match &self.default_version {
            Some(version) => Some(Version::from(version.as_str())),
            None => self.versions().pop(),
        }
    }

    /// The variant with this name.
    #[must_use]
    pub fn variant(&self, name: &str) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.name == name)
    }

    /// How to run a version, in a variant or the usual way.
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

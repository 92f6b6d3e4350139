//! Reads a target's file and checks what its syntax cannot express.

use super::{Feature, Input, Kind, Promise, SourceKind, Spec};
use crate::name::TargetName;
use crate::version::Version;
use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;

/// An error in a target's file.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub struct SpecError {
    /// The file.
    pub file: String,
    /// The line, if known, from 1.
    pub line: Option<usize>,
    /// The error, and a hint.
    pub message: String,
}

impl fmt::Display for SpecError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.file)?;
        if let Some(line) = self.line {
            write!(f, "line {line}: ")?;
        }
        f.write_str(&self.message)
    }
}

impl Spec {
    /// Reads the description of a tool. `file` is its name in errors.
    ///
    /// # Errors
    /// Fails if the text is not TOML, has unknown words, or contradicts itself.
    pub fn read(text: &str, file: &Path) -> Result<Spec, SpecError> {
        let file = file.display().to_string();
        let spec: Spec = toml::from_str(text).map_err(|error| SpecError {
            file: file.clone(),
            line: error.span().map(|span| line_of(text, span.start)),
            message: error.message().trim().replace('\n', "; "),
        })?;
        match spec.trouble() {
            None => Ok(spec),
            Some(message) => Err(SpecError { file, line: None, message }),
        }
    }

    /// The first contradiction.
    fn trouble(&self) -> Option<String> {
        self.name_trouble()
            .or_else(|| self.source_trouble())
            .or_else(|| self.version_trouble())
            .or_else(|| self.build_trouble())
            .or_else(|| self.run_trouble())
            .or_else(|| self.claim_trouble())
            .or_else(|| self.bug_trouble())
    }

    fn name_trouble(&self) -> Option<String> {
        let bare = |text: &str| text.parse::<TargetName>() == Ok(TargetName::newest(text));
        if !bare(&self.name) {
            return Some(format!("`{}` cannot be a target's name", self.name));
        }
        let names: Vec<&str> = self.variants.iter().map(|variant| variant.name.as_str()).collect();
        if let Some(name) = names.iter().find(|name| !bare(name)) {
            return Some(format!("`{name}` cannot be a variant's name"));
        }
        duplicate(&names).map(|name| format!("the variant `{name}` is described twice"))
    }

    fn source_trouble(&self) -> Option<String> {
        if self.sources.is_empty() {
            return Some("a tool needs at least one [[source]]".to_owned());
        }
        let all: Vec<&str> =
            self.sources.iter().flat_map(|source| source.releases().map(Version::as_str)).collect();
        if let Some(version) = duplicate(&all) {
            return Some(format!("the version {version} comes from two sources"));
        }
        let unnumbered =
            |kind: &SourceKind| matches!(kind, SourceKind::Command(_) | SourceKind::Path(_));
        if self.sources.iter().filter(|source| unnumbered(&source.kind)).count() > 1 {
            return Some("at most one source can be a `command` or a `path`".to_owned());
        }
        None
    }

    fn version_trouble(&self) -> Option<String> {
        let versions = self.versions();
        if let Some(default) = &self.default_version {
            if !versions.iter().any(|version| version.as_str() == default) {
                return Some(format!("default-version {default} comes from no source"));
            }
        }
        if versions.is_empty() {
            return None;
        }
        let empty = |variant: &&super::Variant| {
            !versions.iter().any(|version| variant.versions.contains(version))
        };
        self.variants.iter().find(empty).map(|variant| {
            format!(
                "no known version is in `{}`, the versions of the variant {}",
                variant.versions, variant.name
            )
        })
    }

    /// A variant that is a build has a recipe for each of its versions.
    fn build_trouble(&self) -> Option<String> {
        let versions = self.versions();
        let missing = |variant: &&super::Variant| {
            let of_variant = versions.iter().filter(|version| variant.versions.contains(version));
            let built = |version: &Version| self.builds.iter().any(|build| build.builds(version));
            variant.build.is_some() && !of_variant.clone().all(built)
        };
        if let Some(build) = self.builds.iter().find(|b| b.commands.iter().any(Vec::is_empty)) {
            return Some(format!("the build of {} has an empty command", build.sdist));
        }
        self.variants.iter().find(missing).map(|variant| {
            format!("no [[build]] is for all versions of the variant {}", variant.name)
        })
    }

    fn run_trouble(&self) -> Option<String> {
        // Exceptions without a number may apply to any version, so each version is checked
        // separately.
        let mut versions = self.versions();
        versions.push(Version::from("0"));
        let wrong = |version: &Version| {
            let behaviour = self.behaviour(version, None);
            let named = behaviour.args.iter().any(|argument| argument.has("file"));
            named != (behaviour.input == Input::File)
        };
        versions
            .iter()
            .any(wrong)
            .then(|| "the argument {file} and `input = \"file\"` go together".to_owned())
    }

    /// A solver's unsat must be right; if its sat need not be, it has no models to show.
    fn claim_trouble(&self) -> Option<String> {
        if self.kind != Kind::SmtSolver {
            return None;
        }
        let mut versions = self.versions();
        versions.push(Version::from("0"));
        let variants = || self.variants.iter().map(Some).chain([None]);
        let mut all = versions
            .iter()
            .flat_map(|version| variants().map(move |variant| self.behaviour(version, variant)));
        all.find_map(|behaviour| {
            let claims = &behaviour.promises;
            let odd = claims.contains(&Promise::Bounded) || !claims.contains(&Promise::Sound);
            if !claims.is_empty() && odd {
                let words = "a solver claims [\"sound\"] if it over-approximates, and otherwise [\"sound\", \"precise\"]";
                return Some(words.to_owned());
            }
            let shows = behaviour.features.contains(&Feature::Models);
            (behaviour.over_approximates() && shows).then(|| {
                "a solver that does not claim to be precise is not asked for models: leave out the \
                 feature `models`"
                    .to_owned()
            })
        })
    }

    fn bug_trouble(&self) -> Option<String> {
        let ids: Vec<&str> = self.known_bugs.iter().map(|bug| bug.id.as_str()).collect();
        if let Some(id) = duplicate(&ids) {
            return Some(format!("the bug `{id}` is described twice"));
        }
        for bug in &self.known_bugs {
            let symptom = &bug.symptom;
            if symptom.kinds.is_empty() && !symptom.soft {
                return Some(format!("the bug `{}` needs a kind of finding", bug.id));
            }
            let of_domains = symptom.soft
                || symptom.large_numbers
                || [&bug.domains, &symptom.laws, &symptom.operations].iter().any(|l| !l.is_empty());
            if of_domains && self.kind != Kind::AbstractDomains {
                return Some(format!(
                    "the bug `{}` has laws or domains, but the tool's kind is not `{}`",
                    bug.id,
                    Kind::AbstractDomains.name()
                ));
            }
            // The variants of a library's domains are known only where they are loaded.
            if self.kind == Kind::AbstractDomains {
                continue;
            }
            if let Some(name) = bug.variants.iter().find(|name| self.variant(name).is_none()) {
                return Some(format!(
                    "the bug `{}` names a variant `{name}` that does not exist",
                    bug.id
                ));
            }
        }
        None
    }
}

fn duplicate<'w>(words: &[&'w str]) -> Option<&'w str> {
    let mut seen = BTreeSet::new();
    words.iter().find(|word| !seen.insert(**word)).copied()
}

fn line_of(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|&byte| byte == b'\n').count() + 1
}

//! From a name to a tool that can be opened, for any kind of subject.

use crate::folder::FindingRecord;
use crate::kind::profile;
use crate::store::TargetRecord;
use assay_case::Kind;
use assay_lattice::{BUGS, reference};
use assay_target::domain::{DomainLimits, DomainWorker, Until};
use assay_target::process::Launcher;
use assay_target::spec::{self, Spec};
use assay_target::{
    Analyzer, Catalog, Choice, Chosen, Installer, Library, OptionError, ResolveError, Resolved,
    Settings, Solver, Target, TargetName, Varied, Vary, Version,
};
use std::path::PathBuf;
use std::sync::Arc;

/// Finds tools and installs missing ones.
#[derive(Clone, Copy)]
pub struct Toolbox<'t> {
    /// The known tools.
    pub catalog: &'t Catalog,
    /// The installer.
    pub installer: &'t Installer,
}

/// An installed tool.
#[derive(Clone)]
pub enum Tool {
    /// A solver.
    Solver(Arc<Resolved>),
    /// An analyzer.
    Analyzer(Arc<Resolved>),
    /// An abstract domain of a library.
    Domain(Domain),
}

/// An abstract domain of a library.
#[derive(Clone, Debug)]
pub struct Domain {
    /// Its full name.
    pub name: TargetName,
    /// The installed version.
    pub reported: String,
    /// The folder of its libraries, or its file; `None` for a built-in domain.
    pub path: Option<PathBuf>,
}

/// Why a tool cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    /// The tool takes subjects of another kind.
    #[error("{name} takes {takes}s, and this is a {given}; {hint}")]
    Foreign {
        /// Which tool.
        name: TargetName,
        /// The kind that it takes.
        takes: Kind,
        /// The kind that it would be given.
        given: Kind,
        /// A hint.
        hint: String,
    },
    /// The domain, or its variant, does not exist.
    #[error("{0}")]
    Domain(String),
    /// The tool can only be consulted, not tested.
    #[error("{0} cannot be tested; `assay trigger` uses its proofs")]
    Untested(TargetName),
    /// The tool cannot be found or installed.
    #[error(transparent)]
    Resolve(#[from] ResolveError),
    /// The tool does not have this option.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// No version of the tool is installed.
    #[error("no version of {name} is installed; --install all installs all {known} of them")]
    NoVersion {
        /// The tool.
        name: TargetName,
        /// The number of versions that are known.
        known: usize,
    },
    /// Only versions can be installed.
    #[error("--install takes versions, and `{0}` is not one")]
    NotAVersion(String),
    /// A path cannot be made absolute.
    #[error("{0}")]
    Path(#[from] std::io::Error),
}

/// The named domains, by family.
const FAMILIES: [(&str, &[&str]); 3] = [
    (BUILTIN, &reference::NAMES),
    ("apron", &assay_plugin::APRON_NAMES),
    ("ppl", &assay_plugin::PPL_NAMES),
];

/// The family of the built-in domains.
const BUILTIN: &str = "builtin";

/// The families of users' domains, with their file.
const FILES: [(&str, &str); 2] = [("plugin", "domain.so"), ("command", "program")];

impl Toolbox<'_> {
    /// The tool of this name, for subjects of this kind. A missing tool is installed, which is
    /// announced.
    ///
    /// # Errors
    /// Fails if the tool does not exist, or takes other subjects.
    pub fn find(
        &self,
        kind: Kind,
        name: &TargetName,
        note: &mut dyn FnMut(&str),
    ) -> Result<Tool, ToolError> {
        self.check(kind, name)?;
        let resolved = |note: &mut dyn FnMut(&str)| {
            Ok::<_, ToolError>(Arc::new(self.catalog.resolve(name, self.installer, note)?))
        };
        Ok(match profile(kind).tools {
            spec::Kind::SmtSolver => Tool::Solver(resolved(note)?),
            spec::Kind::Analyzer => Tool::Analyzer(resolved(note)?),
            spec::Kind::AbstractDomains => Tool::Domain(self.domain(name, note)?),
            spec::Kind::FirstOrderProver => return Err(ToolError::Untested(name.clone())),
        })
    }

    /// Refuses a tool for subjects of another kind, which it could not read.
    fn check(&self, kind: Kind, name: &TargetName) -> Result<(), ToolError> {
        let takes = match is_domain(name) {
            true => spec::Kind::AbstractDomains,
            false => match self.catalog.find(name.name.split('/').next().unwrap_or_default()) {
                Ok(spec) => spec.kind,
                Err(_) => return Ok(()),
            },
        };
        let wanted = profile(kind);
        if wanted.tools == takes {
            return Ok(());
        }
        match Kind::ALL.iter().find(|kind| profile(**kind).tools == takes) {
            Some(&takes) => {
                let hint = format!("name {}, for example --target {}", wanted.tool, wanted.example);
                Err(ToolError::Foreign { name: name.clone(), takes, given: kind, hint })
            }
            None => Err(ToolError::Untested(name.clone())),
        }
    }

    fn domain(&self, name: &TargetName, note: &mut dyn FnMut(&str)) -> Result<Domain, ToolError> {
        let (family, domain) = match name.name.split_once('/') {
            Some((family, domain)) => (family, Some(domain)),
            None => (name.name.as_str(), None),
        };
        let file = FILES.iter().find(|(known, _)| *known == family && domain.is_none());
        if let Some((_, what)) = file {
            let Some(path) = name.version.as_deref() else {
                let words = format!("`{family}` needs a file: {family}@/path/to/{what}");
                return Err(ToolError::Domain(words));
            };
            let (name, reported) = (name.clone(), path.to_owned());
            return Ok(Domain { name, reported, path: Some(std::path::absolute(path)?) });
        }
        let Some(domain) = domain.filter(|domain| is_known(family, domain)) else {
            let words = format!("unknown domain `{}`; known domains are {}", name.name, domains());
            return Err(ToolError::Domain(words));
        };
        variant(family, domain, name.variant.as_deref()).map_err(ToolError::Domain)?;
        if family == BUILTIN {
            let reported = env!("CARGO_PKG_VERSION").to_owned();
            return Ok(Domain { name: name.clone(), reported, path: None });
        }
        if let Some(path) = name.version.as_deref().filter(|path| path.contains('/')) {
            let (name, reported) = (name.clone(), path.to_owned());
            return Ok(Domain { name, reported, path: Some(std::path::absolute(path)?) });
        }
        let library = TargetName { name: family.to_owned(), variant: None, ..name.clone() };
        let found = self.catalog.resolve(&library, self.installer, note)?;
        Ok(Domain {
            name: name.at(found.version.as_str()),
            reported: found.reported_version,
            path: Some(found.program),
        })
    }
}

impl Toolbox<'_> {
    /// The versions of a tool that are installed, or that are to be installed (`all`, or their
    /// numbers), the oldest first, with their short names.
    ///
    /// # Errors
    /// If there is no such tool or version, or none is installed.
    pub fn versions(
        &self,
        kind: Kind,
        name: &TargetName,
        install: &[String],
        note: &mut dyn FnMut(&str),
    ) -> Result<Vec<(String, Tool)>, ToolError> {
        // The domains of a library have its versions.
        let library = name.name.split('/').next().unwrap_or_default();
        let spec = self.catalog.find(library)?;
        let asked = self.asked(spec, &TargetName::newest(library), install)?;
        let variant = name.variant.as_deref().and_then(|variant| spec.variant(variant));
        let mut found = Vec::new();
        let all = spec.versions();
        for version in &all {
            if variant.is_some_and(|variant| !variant.versions.contains(version)) {
                continue;
            }
            let plain = TargetName::newest(library).at(version.as_str());
            if asked.contains(version)
                || self.catalog.resolve_installed(&plain, self.installer)?.is_some()
            {
                let tool = self.find(kind, &name.at(version.as_str()), note)?;
                found.push((short(version, &all), tool));
            }
        }
        if found.is_empty() {
            return Err(ToolError::NoVersion { name: name.clone(), known: all.len() });
        }
        Ok(found)
    }

    /// The versions that are to be installed.
    fn asked(
        &self,
        spec: &Spec,
        name: &TargetName,
        words: &[String],
    ) -> Result<Vec<Version>, ToolError> {
        if words.iter().any(|word| word == "all") {
            return Ok(spec.versions());
        }
        let version = |word: &String| match self.catalog.choose(&name.at(word))?.1 {
            Choice::Release(version) => Ok(version),
            Choice::Program(_) => Err(ToolError::NotAVersion(word.clone())),
        };
        words.iter().map(version).collect()
    }
}

/// The shortest prefix of a version, of at least three numbers, that no other version has.
fn short(version: &Version, all: &[Version]) -> String {
    let words: Vec<&str> = version.as_str().split('.').collect();
    let unique = |text: &String| {
        let prefix = Version::from(text.as_str());
        all.iter().filter(|other| other.begins_with(&prefix)).count() == 1
    };
    let beginnings = (3..words.len()).map(|count| words[..count].join("."));
    beginnings.into_iter().find(unique).unwrap_or_else(|| version.as_str().to_owned())
}

impl Tool {
    /// Its full name.
    #[must_use]
    pub fn name(&self) -> &TargetName {
        match self {
            Tool::Solver(resolved) | Tool::Analyzer(resolved) => &resolved.name,
            Tool::Domain(domain) => &domain.name,
        }
    }

    /// The solver, if it is one.
    #[must_use]
    pub fn solver(&self) -> Option<Arc<Resolved>> {
        match self {
            Tool::Solver(resolved) => Some(Arc::clone(resolved)),
            Tool::Analyzer(_) | Tool::Domain(_) => None,
        }
    }

    /// The analyzer, if it is one.
    #[must_use]
    pub fn analyzer(&self) -> Option<Arc<Resolved>> {
        match self {
            Tool::Analyzer(resolved) => Some(Arc::clone(resolved)),
            Tool::Solver(_) | Tool::Domain(_) => None,
        }
    }

    /// The tool as a campaign records it.
    #[must_use]
    pub fn record(&self) -> TargetRecord {
        let reported = match self {
            Tool::Solver(resolved) | Tool::Analyzer(resolved) => &resolved.reported_version,
            Tool::Domain(domain) => &domain.reported,
        };
        TargetRecord { name: self.name().to_string(), reported: reported.clone() }
    }

    /// The tool with these options. Domains have none.
    ///
    /// # Errors
    /// Fails if the tool lacks one of them.
    pub fn with_options(&self, options: &[Chosen]) -> Result<Tool, ToolError> {
        Ok(match self {
            Tool::Solver(resolved) => Tool::Solver(Arc::new(resolved.with_any_options(options)?)),
            Tool::Analyzer(resolved) => Tool::Analyzer(Arc::new(resolved.with_options(options)?)),
            Tool::Domain(domain) => match options {
                [] => Tool::Domain(domain.clone()),
                [first, ..] => {
                    let words = format!("{} has no options, so not {first}", domain.name);
                    return Err(ToolError::Domain(words));
                }
            },
        })
    }

    /// The tool with the options that a finding was made with, and those that this version lacks.
    #[must_use]
    pub fn as_found(self, record: &FindingRecord) -> (Tool, Vec<ToolError>) {
        let name = self.name().to_string();
        let own = record.against.iter().find(|opinion| opinion.target == name);
        let found = record.target.parse::<TargetName>().is_ok_and(|n| n.name == self.name().name);
        let options = match own {
            Some(opinion) if record.target != name => &opinion.options,
            _ if found => &record.options,
            _ => return (self, Vec::new()),
        };
        let mut kept = Vec::new();
        let mut lacking = Vec::new();
        for option in options.iter().filter_map(|option| option.parse::<Chosen>().ok()) {
            match self.with_options(std::slice::from_ref(&option)) {
                Ok(_) => kept.push(option),
                Err(error) => lacking.push(error),
            }
        }
        match self.with_options(&kept) {
            Ok(tool) => (tool, lacking),
            Err(error) => (self, vec![error]),
        }
    }

    /// Opens the tool for one worker; the number varies its options.
    #[must_use]
    pub fn open(&self, settings: &Settings, vary: Option<Vary>) -> Box<dyn Target> {
        let settings = settings.clone();
        match (self, vary) {
            (Tool::Solver(resolved), None) => Box::new(Solver::new(Arc::clone(resolved), settings)),
            (Tool::Solver(resolved), Some(vary)) => {
                Box::new(Varied::new(Arc::clone(resolved), settings, vary))
            }
            (Tool::Analyzer(resolved), vary) => {
                Box::new(Analyzer::new(Arc::clone(resolved), settings, vary))
            }
            (Tool::Domain(domain), _) => Box::new(domain.open(&settings)),
        }
    }
}

impl Domain {
    /// Opens the domain for one worker.
    #[must_use]
    pub fn open(&self, settings: &Settings) -> Library<'static> {
        let memory = settings.limits.memory.unwrap_or(u64::MAX);
        let limits = DomainLimits { memory, patience: settings.limits.wall };
        Library::new(self.worker(&settings.launcher, limits), Until::ANSWERED)
    }

    /// A worker for it.
    #[must_use]
    pub fn worker(&self, launcher: &Launcher, limits: DomainLimits) -> DomainWorker {
        DomainWorker::new(&self.name, launcher, self.path.clone(), limits)
    }
}

/// The names of all domains.
#[must_use]
pub fn domains() -> String {
    let names = FAMILIES
        .iter()
        .flat_map(|(family, names)| names.iter().map(move |name| format!("{family}/{name}")));
    let files = FILES.iter().map(|(family, what)| format!("{family}@/path/to/{what}"));
    names.chain(files).collect::<Vec<_>>().join(", ")
}

/// The domains of a library.
#[must_use]
pub fn domains_of(library: &str) -> &'static [&'static str] {
    let named = FAMILIES.iter().find(|(family, _)| *family == library && *family != BUILTIN);
    named.map_or(&[], |(_, names)| names)
}

fn is_known(family: &str, domain: &str) -> bool {
    FAMILIES.iter().any(|(name, domains)| *name == family && domains.contains(&domain))
}

/// Whether a target is an abstract domain, by its name.
#[must_use]
pub fn is_domain(target: &TargetName) -> bool {
    let file = FILES.iter().any(|(family, _)| *family == target.name);
    file || target.name.split_once('/').is_some_and(|(family, domain)| is_known(family, domain))
}

/// Refuses an unknown variant of a domain before anything is started.
fn variant(family: &str, domain: &str, variant: Option<&str>) -> Result<(), String> {
    let Some(variant) = variant else { return Ok(()) };
    let known: Vec<&str> = match family {
        BUILTIN => {
            let shape = reference::by_name(domain, None).map(|tester| tester.profile().shape);
            BUGS.iter().filter(|row| Some(row.shape) == shape).map(|row| row.name).collect()
        }
        "apron" => vec!["int"],
        _ => Vec::new(),
    };
    match (known.contains(&variant), known.is_empty()) {
        (true, _) => Ok(()),
        (false, true) => Err(format!("{family}/{domain} has no variants, so no `{variant}`")),
        (false, false) => Err(format!(
            "{family}/{domain} has no variant `{variant}`; it has {}",
            known.join(", ")
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_shortened_while_they_stay_unique() {
        let all = ["4.8.0.0.post1", "4.8.8.0", "4.8.8.1", "1.0.3", "1.0"].map(Version::from);
        let names: Vec<String> = all.iter().map(|version| short(version, &all)).collect();
        assert_eq!(names, ["4.8.0", "4.8.8.0", "4.8.8.1", "1.0.3", "1.0"]);
    }
}

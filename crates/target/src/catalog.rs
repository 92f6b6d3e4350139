//! The catalogue of known tools: the built-in ones and the user's own.

use crate::by_hand::Handle;
use crate::install::{BuildJob, InstallError, Installed, Installer, is_program, on_path};
use crate::name::{TargetName, nearest};
use crate::process::confine::SEARCH_PATH;
use crate::reach::installation;
use crate::resolve::Resolved;
use crate::spec::{KnownBug, Source, SourceKind, Spec, SpecError, Variant};
use crate::version::Version;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The files that are built into every assay.
const FILES: [(&str, &str); 22] = [
    ("2ls.toml", include_str!("../../../targets/2ls.toml")),
    ("apron.toml", include_str!("../../../targets/apron.toml")),
    ("bitwuzla.toml", include_str!("../../../targets/bitwuzla.toml")),
    ("cbmc.toml", include_str!("../../../targets/cbmc.toml")),
    ("clang-analyzer.toml", include_str!("../../../targets/clang-analyzer.toml")),
    ("cpachecker.toml", include_str!("../../../targets/cpachecker.toml")),
    ("cvc4.toml", include_str!("../../../targets/cvc4.toml")),
    ("cvc5.toml", include_str!("../../../targets/cvc5.toml")),
    ("eprover.toml", include_str!("../../../targets/eprover.toml")),
    ("esbmc.toml", include_str!("../../../targets/esbmc.toml")),
    ("eva.toml", include_str!("../../../targets/eva.toml")),
    ("gcc-analyzer.toml", include_str!("../../../targets/gcc-analyzer.toml")),
    ("goto-analyzer.toml", include_str!("../../../targets/goto-analyzer.toml")),
    ("mopsa.toml", include_str!("../../../targets/mopsa.toml")),
    ("ppl.toml", include_str!("../../../targets/ppl.toml")),
    ("seahorn.toml", include_str!("../../../targets/seahorn.toml")),
    ("symbiotic.toml", include_str!("../../../targets/symbiotic.toml")),
    ("ultimate.toml", include_str!("../../../targets/ultimate.toml")),
    ("vampire.toml", include_str!("../../../targets/vampire.toml")),
    ("yices.toml", include_str!("../../../targets/yices.toml")),
    ("z3.toml", include_str!("../../../targets/z3.toml")),
    ("z3-python.toml", include_str!("../../../targets/z3-python.toml")),
];

/// The scripts that turn libraries into programs, and their shared code.
pub(crate) const DRIVERS: [(&str, &str); 7] = [
    ("assay_api.py", include_str!("../../../targets/drivers/assay_api.py")),
    ("assay_session.py", include_str!("../../../targets/drivers/assay_session.py")),
    ("bitwuzla.py", include_str!("../../../targets/drivers/bitwuzla.py")),
    ("bitwuzla_api.py", include_str!("../../../targets/drivers/bitwuzla_api.py")),
    ("cvc5.py", include_str!("../../../targets/drivers/cvc5.py")),
    ("cvc5_api.py", include_str!("../../../targets/drivers/cvc5_api.py")),
    ("z3_api.py", include_str!("../../../targets/drivers/z3_api.py")),
];

/// The known tools.
#[derive(Clone, Debug)]
pub struct Catalog {
    specs: BTreeMap<String, Spec>,
}

/// A catalogue that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    /// A folder or a file in it.
    #[error("{path}: {error}")]
    Files {
        /// Which.
        path: String,
        /// Why.
        error: std::io::Error,
    },
    /// A file's contents.
    #[error(transparent)]
    Spec(#[from] SpecError),
}

/// Why a name does not resolve to a target.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The tool does not exist.
    #[error("unknown target `{name}`{}; known targets are {known}", hint(nearest))]
    UnknownTarget {
        /// The requested name.
        name: String,
        /// A similar name.
        nearest: Option<String>,
        /// The known names.
        known: String,
    },
    /// The version does not exist.
    #[error("{name} has no version {wanted}; known versions are {known}{}", unpinned_hint(name, wanted, *from_index))]
    UnknownVersion {
        /// The tool.
        name: String,
        /// The requested version.
        wanted: String,
        /// The known versions.
        known: String,
        /// Whether the package index may have it.
        from_index: bool,
    },
    /// The version prefix is ambiguous.
    #[error(
        "{name}@{wanted} is ambiguous: it could be any of {candidates}; write more of the version"
    )]
    AmbiguousVersion {
        /// The tool.
        name: String,
        /// The requested version.
        wanted: String,
        /// The possible versions.
        candidates: String,
    },
    /// The variant does not exist.
    #[error("{name} has no variant `{variant}`{}; {known}", hint(nearest))]
    UnknownVariant {
        /// The tool.
        name: String,
        /// The requested variant.
        variant: String,
        /// A similar name.
        nearest: Option<String>,
        /// The known variants, in words.
        known: String,
    },
    /// The version lacks the variant.
    #[error("{name} has the variant `{variant}` only in the versions {range}, not in {version}")]
    VariantMissing {
        /// The tool.
        name: String,
        /// The variant.
        variant: String,
        /// The version.
        version: String,
        /// The versions that have it.
        range: String,
    },
    /// The name does not stand for a build from source.
    #[error("{name} is not built from source; {}", builds_hint(known))]
    NotABuild {
        /// The requested name.
        name: String,
        /// The variants that are.
        known: Vec<String>,
    },
    /// There is no program at the path.
    #[error("{path} is not a program")]
    NoProgram {
        /// The path.
        path: String,
    },
    /// There is no such command.
    #[error("there is no command `{command}` on the search path")]
    NoCommand {
        /// The command.
        command: String,
    },
    /// The tool's file names no command.
    #[error("{name} is not known as a command; write {name}@/path/to/program")]
    NotACommand {
        /// The tool.
        name: String,
    },
    /// A program that the tool starts itself has another name.
    #[error("{name} starts `{need}` itself, and {found} is not a program of that name")]
    NeedsProgram {
        /// The tool.
        name: String,
        /// The program that it starts.
        need: String,
        /// The program that was found.
        found: String,
    },
    /// The search path cannot be represented.
    #[error("the search path for {name} cannot be made: {error}")]
    SearchPath {
        /// The tool.
        name: String,
        /// The reason.
        error: std::env::JoinPathsError,
    },
    /// It cannot be installed.
    #[error(transparent)]
    Install(#[from] InstallError),
}

fn hint(nearest: &Option<String>) -> String {
    nearest.as_ref().map_or(String::new(), |word| format!(" (did you mean `{word}`?)"))
}

fn builds_hint(known: &[String]) -> String {
    match known {
        [] => "its file has no variant with `build`".to_owned(),
        known => format!("name one of its builds, such as NAME@VERSION:{}", known.join(" or :")),
    }
}

fn unpinned_hint(name: &str, wanted: &str, from_index: bool) -> String {
    match from_index {
        true => format!(
            "; to try another release of the package index, without a known checksum: assay targets \
             install {name}@{wanted} --unpinned"
        ),
        false => String::new(),
    }
}

/// The meaning of a name, before anything is installed or started.
#[derive(Clone, PartialEq, Debug)]
pub enum Choice {
    /// This release.
    Release(Version),
    /// The program at this path.
    Program(PathBuf),
}

impl Catalog {
    /// The built-in tools.
    #[must_use]
    pub fn builtin() -> Catalog {
        let specs = FILES.iter().map(|(file, text)| {
            let spec = Spec::read(text, Path::new(file)).expect("a test reads every built-in file");
            (spec.name.clone(), spec)
        });
        Catalog { specs: specs.collect() }
    }

    /// The built-in tools, plus those that the files `*.toml` in these folders add or replace.
    /// Later folders win.
    ///
    /// # Errors
    /// Fails if a folder or a file cannot be read or understood.
    pub fn load(folders: &[PathBuf]) -> Result<Catalog, CatalogError> {
        let mut catalog = Catalog::builtin();
        for folder in folders {
            // Tools run in other working directories, so relative paths must be resolved now.
            let folder = &std::path::absolute(folder).map_err(CatalogError::files(folder))?;
            for file in toml_files(folder)? {
                let text = std::fs::read_to_string(&file).map_err(CatalogError::files(&file))?;
                let mut spec = Spec::read(&text, &file)?;
                spec.folder = Some(folder.clone());
                catalog.specs.insert(spec.name.clone(), spec);
            }
        }
        Ok(catalog)
    }

    /// The user's own folder of tools: `$XDG_CONFIG_HOME/assay/targets` or
    /// `~/.config/assay/targets`, if it exists.
    #[must_use]
    pub fn user_folder() -> Option<PathBuf> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let configuration = variable("XDG_CONFIG_HOME").map(PathBuf::from);
        let home = || variable("HOME").map(|home| Path::new(&home).join(".config"));
        let folder = configuration.or_else(home)?.join("assay").join("targets");
        folder.is_dir().then_some(folder)
    }

    /// Offers a release of a wheel that the tool's file does not list. Does nothing if the tool
    /// does not come from a wheel.
    ///
    /// # Errors
    /// Fails if the tool does not exist.
    pub fn offer(&mut self, name: &TargetName) -> Result<(), ResolveError> {
        self.find(&name.name)?;
        let known = self.choose(&TargetName { variant: None, ..name.clone() }).is_ok();
        let spec = self.specs.get_mut(&name.name);
        let source = spec.and_then(Spec::wheel_source_mut).filter(|_| !known);
        if let (Some(source), Some(version)) = (source, &name.version) {
            source.offer(Version::from(version.as_str()));
        }
        Ok(())
    }

    /// Offers releases that are installed although no file lists them.
    #[must_use]
    pub fn with_installed(mut self, installer: &Installer) -> Catalog {
        for spec in self.specs.values_mut() {
            let installed = installer.unlisted(spec);
            if let Some(source) = spec.wheel_source_mut() {
                installed.into_iter().for_each(|version| source.offer(version));
            }
        }
        self
    }

    /// Every tool, by name.
    pub fn specs(&self) -> impl Iterator<Item = &Spec> {
        self.specs.values()
    }

    /// The tool with this name.
    ///
    /// # Errors
    /// Fails if the tool does not exist, with the nearest name.
    pub fn find(&self, name: &str) -> Result<&Spec, ResolveError> {
        self.specs.get(name).ok_or_else(|| {
            let known: Vec<&str> = self.specs.keys().map(String::as_str).collect();
            ResolveError::UnknownTarget {
                name: name.to_owned(),
                nearest: nearest(name, known.iter().copied()).map(str::to_owned),
                known: known.join(", "),
            }
        })
    }

    /// The meaning of a name. Nothing is installed or started.
    ///
    /// # Errors
    /// Fails if the tool, version, variant, program or command does not exist.
    pub fn choose(&self, name: &TargetName) -> Result<(&Spec, Choice), ResolveError> {
        let spec = self.find(&name.name)?;
        let choice = match name.version.as_deref() {
            Some("path") => Choice::Program(command(spec)?),
            Some(path) if path.contains('/') => Choice::Program(program(path)?),
            Some(version) => Choice::Release(release(spec, version)?),
            None => match spec.default_release() {
                Some(version) => Choice::Release(version),
                None => Choice::Program(command(spec)?),
            },
        };
        let variant = name.variant.as_deref().map(|variant| find_variant(spec, variant));
        if let (Some(variant), Choice::Release(version)) = (variant.transpose()?, &choice) {
            within(spec, variant, version)?;
        }
        Ok((spec, choice))
    }

    /// The known bugs of a target with this full name; for a program that is not a release, by the
    /// version that it reports. Empty if the tool is unknown.
    #[must_use]
    pub fn known_bugs(&self, name: &TargetName, reported: &str) -> Vec<&KnownBug> {
        // The domains of a library are targets of their own: apron/octD.
        let (family, domain) = match name.name.split_once('/') {
            Some((family, domain)) if !self.specs.contains_key(&name.name) => (family, domain),
            _ => (name.name.as_str(), ""),
        };
        let Some(spec) = self.specs.get(family) else { return Vec::new() };
        let version = match name.version.as_deref() {
            Some(version) if version != "path" && !version.contains('/') => Version::from(version),
            _ => Version::from(reported),
        };
        let variant = name.variant.as_deref();
        let has = |bug: &&KnownBug| {
            bug.concerns(&version, variant) && (domain.is_empty() || bug.concerns_domain(domain))
        };
        spec.known_bugs.iter().filter(has).collect()
    }

    /// Resolves a name to everything needed to run the target. A missing tool is installed, which
    /// is announced.
    ///
    /// # Errors
    /// Fails if the name is unknown, or the tool cannot be installed.
    pub fn resolve(
        &self,
        name: &TargetName,
        installer: &Installer,
        note: &mut dyn FnMut(&str),
    ) -> Result<Resolved, ResolveError> {
        let mut target = self.brought(name, installer, note)?;
        let needs = target.behaviour.needs.clone();
        let needed: Result<Vec<Resolved>, ResolveError> =
            needs.iter().map(|need| self.brought(need, installer, note)).collect();
        target.find_first(&needed?)?;
        Ok(target)
    }

    /// Builds a release from source, with `jobs` compilers at once. Progress is reported to `note`.
    ///
    /// # Errors
    /// Fails if the name does not stand for a build, or the build fails.
    pub fn build(
        &self,
        name: &TargetName,
        installer: &Installer,
        jobs: usize,
        note: &mut dyn FnMut(&str),
    ) -> Result<Installed, ResolveError> {
        let (spec, choice) = self.choose(name)?;
        let not_a_build = || {
            let builds = spec.variants.iter().filter(|variant| variant.build.is_some());
            ResolveError::NotABuild {
                name: name.to_string(),
                known: builds.map(|variant| variant.name.clone()).collect(),
            }
        };
        let Choice::Release(version) = choice else { return Err(not_a_build()) };
        let build = build(spec, name, &version, installer)?.ok_or_else(not_a_build)?;
        Ok(build.make(jobs, note)?)
    }

    /// A tool, installed if necessary, without those that it starts.
    fn brought(
        &self,
        name: &TargetName,
        installer: &Installer,
        note: &mut dyn FnMut(&str),
    ) -> Result<Resolved, ResolveError> {
        let (spec, choice) = self.choose(name)?;
        let installed = match &choice {
            Choice::Release(version) => match build(spec, name, version, installer)? {
                Some(build) => build.ensure()?,
                None => installer.ensure(spec, version, note)?,
            },
            Choice::Program(path) => installer.adopt(spec, path)?,
        };
        resolved(spec, name, &choice, installed)
    }

    /// Compares an installed release with its checksums. System packages have none.
    ///
    /// # Errors
    /// Fails if the name is unknown, or a file differs.
    pub fn verify(&self, name: &TargetName, installer: &Installer) -> Result<(), ResolveError> {
        let (spec, Choice::Release(version)) = self.choose(name)? else { return Ok(()) };
        let installed = installer.find(spec, &version)?;
        match installed.and_then(|installed| installed.manifest) {
            Some(manifest) => Ok(manifest.verify()?),
            None => Ok(()),
        }
    }

    /// Like [`Catalog::resolve`] for an installed tool; `None` if it is not installed.
    ///
    /// # Errors
    /// Fails if the name is unknown, or the installation is damaged.
    pub fn resolve_installed(
        &self,
        name: &TargetName,
        installer: &Installer,
    ) -> Result<Option<Resolved>, ResolveError> {
        let Some(mut target) = self.found(name, installer)? else { return Ok(None) };
        let mut needed = Vec::new();
        for need in &target.behaviour.needs {
            match self.found(need, installer)? {
                Some(found) => needed.push(found),
                None => return Ok(None),
            }
        }
        target.find_first(&needed)?;
        Ok(Some(target))
    }

    /// An installed tool, without those that it starts.
    fn found(
        &self,
        name: &TargetName,
        installer: &Installer,
    ) -> Result<Option<Resolved>, ResolveError> {
        let (spec, choice) = self.choose(name)?;
        let installed = match &choice {
            Choice::Release(version) => match build(spec, name, version, installer)? {
                Some(build) => build.find()?,
                None => installer.find(spec, version)?,
            },
            Choice::Program(path) => Some(installer.adopt(spec, path)?),
        };
        installed.map(|installed| resolved(spec, name, &choice, installed)).transpose()
    }
}

impl Resolved {
    /// Puts the programs of these targets first on its search path.
    fn find_first(&mut self, needed: &[Resolved]) -> Result<(), ResolveError> {
        if needed.is_empty() {
            return Ok(());
        }
        let mut folders = Vec::new();
        for need in needed {
            let named =
                need.program.file_name().is_some_and(|file| file == need.name.name.as_str());
            let folder = need.program.parent().filter(|_| named && need.lead.is_empty());
            let folder = folder.ok_or_else(|| ResolveError::NeedsProgram {
                name: self.name.to_string(),
                need: need.name.name.clone(),
                found: need.name.to_string(),
            })?;
            folders.push(folder.to_owned());
            self.behaviour.reads.extend(installation(&need.program, &need.lead, &need.env));
            self.handle.get.extend(need.handle.get.iter().cloned());
        }
        folders.extend(std::env::split_paths(SEARCH_PATH));
        let path = std::env::join_paths(folders)
            .map_err(|error| ResolveError::SearchPath { name: self.name.to_string(), error })?;
        self.env.insert("PATH".to_owned(), path.to_string_lossy().into_owned());
        Ok(())
    }
}

/// The build that a name stands for, if its variant is one.
fn build<'b>(
    spec: &'b Spec,
    name: &'b TargetName,
    version: &'b Version,
    installer: &'b Installer,
) -> Result<Option<BuildJob<'b>>, ResolveError> {
    let variant = name.variant.as_deref().map(|variant| find_variant(spec, variant)).transpose()?;
    Ok(BuildJob::of(installer, spec, version, variant)?)
}

fn resolved(
    spec: &Spec,
    name: &TargetName,
    choice: &Choice,
    installed: Installed,
) -> Result<Resolved, ResolveError> {
    let variant = name.variant.as_deref().map(|variant| find_variant(spec, variant)).transpose()?;
    let version = &installed.version;
    if let Some(variant) = variant {
        within(spec, variant, version)?;
    }
    let full = match choice {
        Choice::Release(version) => name.at(version.as_str()),
        Choice::Program(_) => name.at(name.version.as_deref().unwrap_or("path")),
    };
    let behaviour = spec.behaviour(version, variant);
    let handle = match choice {
        Choice::Release(version) => match variant.and_then(|variant| variant.build.as_deref()) {
            Some(flags) => Handle::of_build(spec, version, flags),
            None => Handle::of_release(spec, version)?,
        },
        Choice::Program(path) => {
            let known = spec.sources.iter().find_map(|source| match &source.kind {
                SourceKind::Command(command) => Some(command.as_str()),
                _ => None,
            });
            match (name.version.as_deref(), known) {
                (None | Some("path"), Some(command)) => Handle::command(command),
                _ => Handle::command(path.display().to_string()),
            }
        }
    };
    let mut env = behaviour.env.clone();
    env.extend(installed.start.env);
    let options = spec.options.iter().filter(|option| option.versions.contains(version));
    let bugs = spec.known_bugs.iter().filter(|bug| bug.concerns(version, name.variant.as_deref()));
    Ok(Resolved {
        name: full,
        title: spec.title.clone(),
        tracker: spec.tracker.clone(),
        options: options.cloned().collect(),
        known_bugs: bugs.cloned().collect(),
        version: installed.version,
        reported_version: installed.reported_version,
        program: installed.start.program,
        lead: installed.start.lead,
        env,
        handle,
        behaviour,
    })
}

/// The release that `wanted` names or is an unambiguous prefix of.
fn release(spec: &Spec, wanted: &str) -> Result<Version, ResolveError> {
    let mut versions = spec.versions();
    let unlisted = spec.sources.iter().flat_map(Source::unlisted);
    versions.extend(unlisted.cloned());
    let prefix = Version::from(wanted);
    let list =
        |versions: &[Version]| versions.iter().map(Version::as_str).collect::<Vec<_>>().join(", ");
    // `1.0` means exactly 1.0, even if there is a 1.0.1.
    if let Some(version) = versions.iter().find(|version| version.as_str() == wanted) {
        return Ok(version.clone());
    }
    let candidates: Vec<Version> =
        versions.iter().filter(|version| version.begins_with(&prefix)).cloned().collect();
    match &candidates[..] {
        [version] => Ok(version.clone()),
        [] => Err(ResolveError::UnknownVersion {
            name: spec.name.clone(),
            wanted: wanted.to_owned(),
            known: list(&versions),
            from_index: spec.wheel_source().is_some(),
        }),
        _ => Err(ResolveError::AmbiguousVersion {
            name: spec.name.clone(),
            wanted: wanted.to_owned(),
            candidates: list(&candidates),
        }),
    }
}

fn find_variant<'s>(spec: &'s Spec, name: &str) -> Result<&'s Variant, ResolveError> {
    spec.variant(name).ok_or_else(|| {
        let names: Vec<&str> = spec.variants.iter().map(|variant| variant.name.as_str()).collect();
        let known = if names.is_empty() {
            "it has none".to_owned()
        } else {
            format!("known variants are {}", names.join(", "))
        };
        let nearest = nearest(name, names).map(str::to_owned);
        ResolveError::UnknownVariant {
            name: spec.name.clone(),
            variant: name.to_owned(),
            nearest,
            known,
        }
    })
}

fn within(spec: &Spec, variant: &Variant, version: &Version) -> Result<(), ResolveError> {
    if variant.versions.contains(version) {
        return Ok(());
    }
    Err(ResolveError::VariantMissing {
        name: spec.name.clone(),
        variant: variant.name.clone(),
        version: version.to_string(),
        range: variant.versions.to_string(),
    })
}

fn program(path: &str) -> Result<PathBuf, ResolveError> {
    let home = || std::env::var_os("HOME").map(PathBuf::from);
    let file = match path.strip_prefix("~/") {
        Some(rest) => home().map_or_else(|| path.into(), |home| home.join(rest)),
        None => PathBuf::from(path),
    };
    let trouble = || ResolveError::NoProgram { path: path.to_owned() };
    let file = std::path::absolute(file).map_err(|_| trouble())?;
    if is_program(&file) { Ok(file) } else { Err(trouble()) }
}

/// The program named in the tool's file.
fn command(spec: &Spec) -> Result<PathBuf, ResolveError> {
    let place = spec.sources.iter().find_map(|source| match &source.kind {
        SourceKind::Command(command) => Some(
            on_path(command).ok_or_else(|| ResolveError::NoCommand { command: command.clone() }),
        ),
        SourceKind::Path(path) => {
            let path = spec.folder.as_ref().map_or_else(|| path.clone(), |at| at.join(path));
            Some(program(&path.display().to_string()))
        }
        SourceKind::Wheel { .. } | SourceKind::Debian { .. } | SourceKind::Unpacked { .. } => None,
    });
    place.unwrap_or_else(|| Err(ResolveError::NotACommand { name: spec.name.clone() }))
}

impl CatalogError {
    fn files(path: &Path) -> impl FnOnce(std::io::Error) -> CatalogError + use<> {
        let path = path.display().to_string();
        move |error| CatalogError::Files { path, error }
    }
}

fn toml_files(folder: &Path) -> Result<Vec<PathBuf>, CatalogError> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(CatalogError::files(folder))? {
        let path = entry.map_err(CatalogError::files(folder))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

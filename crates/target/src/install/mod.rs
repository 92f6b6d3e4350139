//! Installs tools into a folder of the user, once, and finds them there later without a network.
//!
//! Nothing is written outside that folder, except by `apt-get` if the user allows it.

mod apt;
mod archive;
mod built;
mod debian;
mod folder;
mod pin;
mod python;
mod unpacked;
mod wheel;

use crate::name::TargetName;
use crate::process::Sandbox;
use crate::reach::installation;
use crate::spec::{Source, SourceKind, Spec};
use crate::subprocess;
use crate::version::Version;
pub(crate) use built::Job as BuildJob;
pub use folder::{Item, Manifest};
pub use pin::Mismatch;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Installs tools into a folder.
#[derive(Clone, Debug)]
pub struct Installer {
    cache: PathBuf,
    python: OsString,
    network: Network,
    system: SystemPackages,
    unpinned: Unpinned,
    sandbox: Sandbox,
}

/// Whether the network may be used.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Network {
    /// It may be used.
    Allowed,
    /// Only installed tools are used.
    Forbidden,
}

/// Whether system packages may be installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SystemPackages {
    /// Only by the superuser.
    IfRoot,
    /// By any user, through `sudo`.
    Allowed,
}

/// Whether wheels without a listed checksum may be installed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Unpinned {
    /// They are refused.
    Refused,
    /// They are accepted as the package index serves them.
    Allowed,
}

/// An installed tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Installed {
    /// Its release.
    pub version: Version,
    /// The version that it reports.
    pub reported_version: String,
    /// How it is started.
    pub start: Start,
    /// The installed files with their checksums; `None` for system packages.
    pub manifest: Option<Manifest>,
}

/// How a tool is started.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The program; for libraries, their folder.
    pub program: PathBuf,
    /// Arguments that come first.
    pub lead: Vec<String>,
    /// Environment variables.
    pub env: BTreeMap<String, String>,
}

/// Why a tool cannot be installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// No source offers the version.
    #[error("{name}: no source offers the version {version}")]
    NoSource {
        /// The tool.
        name: String,
        /// The version.
        version: Version,
    },
    /// The tool is not installed, and fetching is forbidden.
    #[error("{name} {version} is not installed, and nothing may be fetched (--offline)")]
    Offline {
        /// The tool.
        name: String,
        /// The version.
        version: Version,
    },
    /// There is no Python interpreter.
    #[error("cannot run `{python}`: {error}; install Python 3, or name it in ASSAY_PYTHON")]
    NoPython {
        /// The command.
        python: String,
        /// The reason.
        error: String,
    },
    /// pip is missing.
    #[error(
        "`{python} -m pip` does not work: {words}; install pip (on Debian: apt-get install python3-pip), or name another Python in ASSAY_PYTHON"
    )]
    NoPip {
        /// The interpreter.
        python: String,
        /// Its output.
        words: String,
    },
    /// The package index cannot be reached.
    #[error(
        "cannot fetch {package}: the package index cannot be reached ({words}); installed tools work without a network"
    )]
    NoNetwork {
        /// The package.
        package: String,
        /// pip's output.
        words: String,
    },
    /// There is no wheel for this machine or interpreter.
    #[error("the package index has no wheel of {package} for {machine}: {words}")]
    NoWheel {
        /// The package.
        package: String,
        /// The machine or interpreter.
        machine: String,
        /// pip's output.
        words: String,
    },
    /// pip failed for another reason.
    #[error("fetching {package} failed: {words}")]
    Fetch {
        /// The package.
        package: String,
        /// pip's output.
        words: String,
    },
    /// The wheel does not match the catalogue.
    #[error("the wheel {wheel}: {trouble}")]
    BadWheel {
        /// The file.
        wheel: String,
        /// The mismatch.
        trouble: String,
    },
    /// A checksum differs.
    #[error("the checksum of {file} differs from that in {wanted_by}; the file is not used")]
    BadChecksum {
        /// The file.
        file: String,
        /// The source of the right checksum.
        wanted_by: &'static str,
    },
    /// The fetched wheel is not the one that the target's file lists.
    #[error(
        "the wheel {mismatch}; nothing was installed\n{}\n\
         the download was damaged, or the package index serves another file: try again, and look \
         at the index that pip uses (`python3 -m pip config list`) if it happens again",
        mismatch.checksums()
    )]
    WrongPin {
        /// The difference.
        mismatch: Box<Mismatch>,
    },
    /// The installed wheel is not the one that the target's file lists.
    #[error(
        "{folder} was installed from the wheel {mismatch}; it is not used\n{}\n\
         remove that folder to install it again", mismatch.checksums()
    )]
    InstalledWithWrongPin {
        /// The folder.
        folder: String,
        /// The difference.
        mismatch: Box<Mismatch>,
    },
    /// The target's file lists no checksum for the wheel.
    #[error(
        "the description of `{target}` lists no checksum for {wheel}; nothing was installed\n\
         to install it anyway: assay targets install {target} --unpinned\n\
         to pin it, add this line under [sha256] in a description of your own (docs/targets.md):\n  \
         \"{wheel}\" = \"{got}\""
    )]
    NotPinned {
        /// The file.
        wheel: String,
        /// Its actual checksum.
        got: String,
        /// The tool, with its version.
        target: TargetName,
    },
    /// No recipe builds the release.
    #[error("{name} {version} cannot be built from source: no `[[build]]` of its file is for it")]
    NoRecipe {
        /// The tool.
        name: String,
        /// The version.
        version: Version,
    },
    /// The build was not made yet.
    #[error("{target} is built from source, which was not done yet: assay targets build {target}")]
    NotBuilt {
        /// The tool, with version and variant.
        target: String,
    },
    /// A build failed.
    #[error(
        "{what}: the build failed:\n{words}\nall of its output is in {log}; run the command again to continue it"
    )]
    Build {
        /// The build.
        what: String,
        /// The end of its output.
        words: String,
        /// The file with all of it.
        log: String,
    },
    /// The system package is missing, and we may not install it.
    #[error("{name} comes with the Debian package `{package}`; install it: {command}")]
    NeedsSystemPackage {
        /// The tool.
        name: String,
        /// The package.
        package: String,
        /// The command to run.
        command: String,
    },
    /// The system's package manager failed.
    #[error("apt-get could not install {package}: {words}")]
    Apt {
        /// The package.
        package: String,
        /// Its output.
        words: String,
    },
    /// The system provides another version.
    #[error(
        "the system's `{command}` is version {found}, not {wanted}; to test it as it is, write {name}@path"
    )]
    OtherVersion {
        /// The tool.
        name: String,
        /// The command.
        command: String,
        /// The reported version.
        found: String,
        /// The requested version.
        wanted: String,
    },
    /// The program does not report its version.
    #[error(
        "{program} does not report its version: {words}; set `version-args` in its file, or, if it \
         cannot, `version` in its `[[source]]`"
    )]
    Mute {
        /// The program.
        program: String,
        /// Its output.
        words: String,
    },
    /// A driver script is missing.
    #[error("there is no driver {0}; drivers must be next to the file that names them")]
    NoDriver(String),
    /// Files cannot be read or written.
    #[error("{path}: {error}")]
    Files {
        /// The path.
        path: String,
        /// The reason.
        error: std::io::Error,
    },
}

impl InstallError {
    pub(crate) fn files(path: &Path) -> impl FnOnce(std::io::Error) -> InstallError + use<> {
        let path = path.display().to_string();
        move |error| InstallError::Files { path, error }
    }

    /// Whether the cause is external: no network, no pip, no permission to install. A test that
    /// needs the tool may then be skipped.
    #[must_use]
    pub fn is_circumstance(&self) -> bool {
        matches!(
            self,
            InstallError::Offline { .. }
                | InstallError::NoPython { .. }
                | InstallError::NoPip { .. }
                | InstallError::NoNetwork { .. }
                | InstallError::NoWheel { .. }
                | InstallError::NeedsSystemPackage { .. }
                | InstallError::NotBuilt { .. }
                | InstallError::Apt { .. }
        )
    }
}

impl Installer {
    /// Installs into this folder, which need not exist yet. The interpreter is `ASSAY_PYTHON` or
    /// `python3`.
    #[must_use]
    pub fn new(cache: impl Into<PathBuf>) -> Installer {
        let python = std::env::var_os("ASSAY_PYTHON").unwrap_or_else(|| "python3".into());
        Installer {
            cache: cache.into(),
            python,
            network: Network::Allowed,
            system: SystemPackages::IfRoot,
            unpinned: Unpinned::Refused,
            sandbox: Sandbox::On,
        }
    }

    /// Installs into [the folder of this user](Installer::default_cache).
    #[must_use]
    pub fn for_user() -> Installer {
        Installer::new(Installer::default_cache())
    }

    /// The folder of this user: `$ASSAY_CACHE`, `$XDG_CACHE_HOME/assay` or `~/.cache/assay`. It is
    /// made absolute, because tools run in other working directories.
    #[must_use]
    pub fn default_cache() -> PathBuf {
        let folder = Installer::named_cache();
        std::path::absolute(&folder).unwrap_or(folder)
    }

    fn named_cache() -> PathBuf {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        if let Some(folder) = variable("ASSAY_CACHE") {
            return folder.into();
        }
        let caches = variable("XDG_CACHE_HOME").map(PathBuf::from);
        // If HOME is not set, the system knows the user's folder.
        let home = || std::env::home_dir().map(|home| home.join(".cache"));
        caches.or_else(home).unwrap_or_else(std::env::temp_dir).join("assay")
    }

    /// The same with another interpreter.
    #[must_use]
    pub fn python(self, python: impl Into<OsString>) -> Installer {
        Installer { python: python.into(), ..self }
    }

    /// The same with or without a network.
    #[must_use]
    pub fn network(self, network: Network) -> Installer {
        Installer { network, ..self }
    }

    /// The same, with or without the sandbox for tools that are asked for their version.
    #[must_use]
    pub fn sandbox(self, sandbox: Sandbox) -> Installer {
        Installer { sandbox, ..self }
    }

    /// The same with other permissions on the system.
    #[must_use]
    pub fn system_packages(self, system: SystemPackages) -> Installer {
        Installer { system, ..self }
    }

    /// The same, with or without wheels that have no listed checksum.
    #[must_use]
    pub fn unpinned(self, unpinned: Unpinned) -> Installer {
        Installer { unpinned, ..self }
    }

    /// The folder.
    #[must_use]
    pub fn cache(&self) -> &Path {
        &self.cache
    }

    /// The tool, if it is installed. Nothing is fetched.
    ///
    /// # Errors
    /// Fails if the installation is damaged, or cannot be run.
    pub fn find(&self, spec: &Spec, version: &Version) -> Result<Option<Installed>, InstallError> {
        let source = source(spec, version)?;
        match &source.kind {
            SourceKind::Wheel { package, asset } => {
                wheel::Job::new(self, spec, version, package, asset).find()
            }
            SourceKind::Debian { command, .. } => debian::find(self, spec, version, command),
            SourceKind::Unpacked { suite, packages, program } => {
                let program = program.as_deref();
                Ok(unpacked::Job { installer: self, spec, version, suite, packages, program }
                    .find())
            }
            SourceKind::Command(_) | SourceKind::Path(_) => Ok(None),
        }
    }

    /// The tool, installed if necessary. Progress is reported to `note`.
    ///
    /// # Errors
    /// Fails if it cannot be installed, with a hint.
    pub fn ensure(
        &self,
        spec: &Spec,
        version: &Version,
        note: &mut dyn FnMut(&str),
    ) -> Result<Installed, InstallError> {
        if let Some(installed) = self.find(spec, version)? {
            return Ok(installed);
        }
        let source = source(spec, version)?;
        match &source.kind {
            SourceKind::Wheel { package, asset } => {
                wheel::Job::new(self, spec, version, package, asset).install(note)
            }
            SourceKind::Debian { package, command } => {
                debian::install(self, spec, version, &[package], note)?;
                debian::find(self, spec, version, command)?.ok_or_else(|| InstallError::Apt {
                    package: package.clone(),
                    words: format!("it brought no command `{command}`"),
                })
            }
            SourceKind::Unpacked { suite, packages, program } => {
                let program = program.as_deref();
                unpacked::Job { installer: self, spec, version, suite, packages, program }
                    .install(note)
            }
            SourceKind::Command(_) | SourceKind::Path(_) => {
                Err(InstallError::NoSource { name: spec.name.clone(), version: version.clone() })
            }
        }
    }

    /// The package that a release was installed from, with its version or checksum, for display;
    /// `None` if it is not installed or did not come from a package.
    #[must_use]
    pub fn provenance(&self, spec: &Spec, version: &Version) -> Option<String> {
        let source = source(spec, version).ok()?;
        if let SourceKind::Debian { package, .. } = &source.kind {
            let release = debian::package_version(package)?;
            return Some(format!("the Debian package {package} {release}, verified by apt"));
        }
        let manifest = self.find(spec, version).ok()??.manifest?;
        let Manifest { wheel, sha256, .. } = &manifest;
        let trust = match (&source.kind, manifest.unpinned) {
            (SourceKind::Wheel { .. }, false) => ", as pinned",
            (SourceKind::Wheel { .. }, true) => ", not pinned",
            _ => ", verified by apt",
        };
        Some(format!("{wheel} (SHA-256 {sha256}){trust}"))
    }

    /// The installed releases of a tool's wheel that its file does not list.
    pub(crate) fn unlisted(&self, spec: &Spec) -> Vec<Version> {
        let folder = self.cache.join("targets").join(&spec.name);
        let Ok(entries) = std::fs::read_dir(folder) else { return Vec::new() };
        let manifests = entries.flatten().filter_map(|entry| Manifest::load(&entry.path()));
        let unlisted = manifests
            .filter(|manifest| manifest.unpinned)
            .map(|manifest| Version::from(manifest.version.as_str()))
            .filter(|version| source(spec, version).is_err());
        let mut versions: Vec<Version> = unlisted.collect();
        versions.sort();
        versions
    }

    /// A program at a path, used as it is, in the version that the tool's file states or that the
    /// program reports.
    ///
    /// # Errors
    /// Fails if there is neither.
    pub fn adopt(&self, spec: &Spec, program: &Path) -> Result<Installed, InstallError> {
        if let Some(version) = spec.sources.iter().find_map(Source::stated) {
            return Ok(Installed {
                version: version.clone(),
                reported_version: version.to_string(),
                start: Start::program(program),
                manifest: None,
            });
        }
        // Version arguments do not depend on the version, which is not known yet.
        let behaviour = spec.behaviour(&Version::from("0"), None);
        Installed::of_program(program, &behaviour.version_args, self.sandbox)
    }
}

impl Installed {
    /// A program with the version that it reports.
    fn of_program(
        program: &Path,
        version_args: &[String],
        sandbox: Sandbox,
    ) -> Result<Installed, InstallError> {
        let start = Start::program(program);
        let reported_version = start.reported_version(version_args, sandbox)?;
        let version = Version::from(reported_version.as_str());
        Ok(Installed { version, reported_version, start, manifest: None })
    }
}

fn source<'s>(spec: &'s Spec, version: &Version) -> Result<&'s Source, InstallError> {
    let offers = |source: &&Source| source.release(version).is_some();
    spec.sources
        .iter()
        .find(offers)
        .ok_or_else(|| InstallError::NoSource { name: spec.name.clone(), version: version.clone() })
}

/// The time limit for reporting a version; an interpreter's first start on a busy machine is slow.
const VERSION_LIMIT: Duration = Duration::from_secs(60);

impl Start {
    /// A program that is started by itself.
    fn program(program: &Path) -> Start {
        Start { program: program.to_owned(), lead: Vec::new(), env: BTreeMap::new() }
    }

    /// Asks a tool for its version: the first word of its output that looks like one.
    fn reported_version(&self, args: &[String], sandbox: Sandbox) -> Result<String, InstallError> {
        let name = self.program.display().to_string();
        let mute = |words: String| InstallError::Mute { program: name, words };
        let reads = installation(&self.program, &self.lead, &self.env);
        let command = |command: &mut Command| {
            command.args(&self.lead).args(args).envs(&self.env);
        };
        let program = &self.program;
        let said = match subprocess::ask_tool(program, command, &reads, sandbox, VERSION_LIMIT) {
            Ok(said) => said,
            Err(error) => return Err(mute(error.to_string())),
        };
        let like_version =
            |word: &&str| word.starts_with(|c: char| c.is_ascii_digit()) && word.contains('.');
        let word = said.stdout.split([' ', '\n', ',', '(', ')', '[', ']']).find(like_version);
        word.map(str::to_owned).ok_or_else(|| mute(said.last_words()))
    }
}

/// The command with this name on the search path.
pub(crate) fn on_path(command: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(command)).find(|file| is_program(file))
}

/// Whether a file can be executed.
pub(crate) fn is_program(file: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    file.metadata().is_ok_and(|facts| facts.is_file() && facts.permissions().mode() & 0o111 != 0)
}

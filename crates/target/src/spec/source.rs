//! Sources of tools.

use crate::version::Version;
use serde::Deserialize;
use std::path::PathBuf;

/// One way to get a tool.
#[derive(Clone, PartialEq, Debug, Deserialize)]
#[serde(try_from = "Fields")]
pub struct Source {
    /// The kind of source.
    pub kind: SourceKind,
    versions: Vec<Version>,
    /// The version of a command or program that cannot report it.
    stated: Option<Version>,
    /// Releases that the file does not list but the user asked for.
    unlisted: Vec<Version>,
}

/// The ways to get a tool.
#[derive(Clone, PartialEq, Debug)]
pub enum SourceKind {
    /// A wheel of Python's package index.
    Wheel {
        /// The package.
        package: String,
        /// The part of the wheel that is run.
        asset: Asset,
    },
    /// A package of Debian and its children.
    Debian {
        /// The package.
        package: String,
        /// The command that it provides.
        command: String,
    },
    /// Packages of a release of Debian, unpacked into a folder of their own and not installed. If
    /// they include a C library, the program is started by the loader that comes with it.
    Unpacked {
        /// The release: `trixie`.
        suite: String,
        /// The packages, starting with the tool's own.
        packages: Vec<String>,
        /// The program in them; `None` if they are libraries.
        program: Option<String>,
    },
    /// A command on the search path.
    Command(String),
    /// A program at a path.
    Path(PathBuf),
}

/// The part of a wheel that is run.
#[derive(Clone, PartialEq, Debug)]
pub enum Asset {
    /// A program in the wheel; `*` stands for a part of a name.
    Program(String),
    /// Our script over the library in the wheel.
    Driver {
        /// Its name.
        script: String,
        /// The name of a script that calls the library without assay, if there is one.
        by_hand: Option<String>,
    },
}

impl Source {
    /// The releases that this source offers by number.
    pub fn releases(&self) -> impl Iterator<Item = &Version> {
        self.versions.iter()
    }

    /// The offered release that equals this version, in the source's spelling.
    #[must_use]
    pub fn release(&self, version: &Version) -> Option<&Version> {
        let known = self.versions.iter().chain(&self.unlisted);
        known.into_iter().find(|known| known.as_str() == version.as_str())
    }

    /// The version that the file states for a command or program.
    pub(crate) fn stated(&self) -> Option<&Version> {
        self.stated.as_ref()
    }

    /// The releases that the file does not list.
    pub(crate) fn unlisted(&self) -> impl Iterator<Item = &Version> {
        self.unlisted.iter()
    }

    /// Offers a release that the file does not list. It never becomes the default.
    pub(crate) fn offer(&mut self, version: Version) {
        if self.release(&version).is_none() {
            self.unlisted.push(version);
        }
    }

    /// A short description.
    #[must_use]
    pub fn words(&self) -> String {
        match &self.kind {
            SourceKind::Wheel { package, .. } => format!("the Python wheel {package}"),
            SourceKind::Debian { package, .. } => format!("the Debian package {package}"),
            SourceKind::Unpacked { suite, packages, .. } => {
                format!("the packages {} of Debian {suite}, unpacked", packages.join(", "))
            }
            SourceKind::Command(command) => format!("the command {command}"),
            SourceKind::Path(path) => format!("the program {}", path.display()),
        }
    }
}

/// The fields of a source in the file.
#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct Fields {
    wheel: Option<String>,
    debian: Option<String>,
    command: Option<String>,
    path: Option<PathBuf>,
    program: Option<String>,
    driver: Option<String>,
    by_hand: Option<String>,
    suite: Option<String>,
    #[serde(default)]
    packages: Vec<String>,
    #[serde(default)]
    versions: Vec<String>,
    version: Option<String>,
}

impl TryFrom<Fields> for Source {
    type Error = &'static str;

    fn try_from(fields: Fields) -> Result<Source, &'static str> {
        let Fields {
            wheel,
            debian,
            command,
            path,
            program,
            driver,
            by_hand,
            suite,
            packages,
            versions,
            version,
        } = fields;
        if by_hand.is_some() && driver.is_none() {
            return Err("`by-hand` goes with `driver`");
        }
        if let Some(suite) = suite {
            let others = [wheel, debian, command, driver].iter().any(Option::is_some);
            let others = others || path.is_some() || version.is_some();
            if others || packages.is_empty() || versions.is_empty() {
                return Err("a `suite` of Debian needs `packages` and `versions`, and takes a \
                            `program` inside of them and nothing else");
            }
            let versions = versions.iter().map(|text| Version::from(text.as_str())).collect();
            return Ok(Source {
                kind: SourceKind::Unpacked { suite, packages, program },
                versions,
                stated: None,
                unlisted: Vec::new(),
            });
        }
        let kind = match (wheel, debian, path) {
            (Some(package), None, None) => {
                let asset = match (program, driver, command) {
                    (Some(file), None, None) => Asset::Program(file),
                    (None, Some(script), None) => Asset::Driver { script, by_hand },
                    _ => {
                        return Err(
                            "a wheel needs either `program`, a file inside it, or `driver`, a script",
                        );
                    }
                };
                SourceKind::Wheel { package, asset }
            }
            (None, Some(package), None) => match (command, program, driver) {
                (Some(command), None, None) => SourceKind::Debian { package, command },
                _ => {
                    return Err(
                        "a Debian package needs `command`, the program that it brings, and nothing else",
                    );
                }
            },
            (None, None, path) => {
                if program.is_some() || driver.is_some() {
                    return Err("`program` and `driver` go with `wheel`");
                }
                match (command, path) {
                    (Some(command), None) => SourceKind::Command(command),
                    (None, Some(path)) => SourceKind::Path(path),
                    _ => return Err("a source is one of `wheel`, `debian`, `command` and `path`"),
                }
            }
            _ => return Err("a source is one of `wheel`, `debian`, `command` and `path`"),
        };
        let numbered = !matches!(kind, SourceKind::Command(_) | SourceKind::Path(_));
        match (numbered, versions.is_empty()) {
            (true, true) => Err("a package needs `versions`, a list of releases"),
            (true, false) if version.is_some() => {
                Err("`version` goes with `command` and `path`; a package needs `versions`")
            }
            (false, false) => Err("a command or a program reports its version itself; leave \
                                   `versions` out, or state one `version` if it does not"),
            _ => {
                let versions = versions.iter().map(|text| Version::from(text.as_str())).collect();
                let stated = version.as_deref().map(Version::from);
                Ok(Source { kind, versions, stated, unlisted: Vec::new() })
            }
        }
    }
}

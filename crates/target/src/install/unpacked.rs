//! Packages of any release of Debian, unpacked into a folder: a program, started by its own loader
//! if it comes with one, or shared libraries.

use super::archive::Wanted;
use super::folder::{Birth, Item, Manifest, sha256};
use super::{InstallError, Installed, Installer, Network, Start, is_program, on_path};
use crate::spec::Spec;
use crate::version::Version;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The library folder of packages, relative to the folder.
const LIBRARIES: &str = "usr/lib";

/// A release to find or install.
pub(super) struct Job<'j> {
    pub(super) installer: &'j Installer,
    pub(super) spec: &'j Spec,
    pub(super) version: &'j Version,
    pub(super) suite: &'j str,
    /// The packages; the first one is that of the tool itself.
    pub(super) packages: &'j [String],
    /// The program in them; `None` for a library.
    pub(super) program: Option<&'j str>,
}

impl Job<'_> {
    pub(super) fn find(&self) -> Option<Installed> {
        let manifest = Manifest::load(&self.folder())?;
        let start = self.start(&manifest.folder);
        let whole = self.program.is_none() || is_program(&start.program);
        if manifest.version != self.version.as_str() || !whole {
            return None;
        }
        Some(Installed {
            version: self.version.clone(),
            reported_version: manifest.reported_version.clone(),
            start,
            manifest: Some(manifest),
        })
    }

    pub(super) fn install(&self, note: &mut dyn FnMut(&str)) -> Result<Installed, InstallError> {
        let (name, version) = (self.spec.name.clone(), self.version.clone());
        if self.installer.network == Network::Forbidden {
            return Err(InstallError::Offline { name, version });
        }
        if on_path("apt-get").is_none() || on_path("dpkg-deb").is_none() {
            let place = match self.program {
                Some(_) => format!("the program instead: {name}@/path/to/program"),
                None => {
                    format!("the folder of the libraries instead: {name}/DOMAIN@/path/to/folder")
                }
            };
            return Err(self.trouble(format!("there is no `apt-get` here; name {place}")));
        }
        let birth = Birth::begin(&self.folder(), note)?;
        // Another process may have installed it while this one waited.
        if let Some(installed) = self.find() {
            return Ok(installed);
        }
        let packages = self.packages.join(", ");
        note(&format!("{name} {version}: fetching {packages} of Debian {}", self.suite));
        let draft = birth.draft();
        let scratch = draft.join("apt");
        let fetched = self.wanted().fetch(&scratch)?;
        for package in &fetched {
            let mut unpack = Command::new("dpkg-deb");
            let unpacked = unpack.arg("-x").arg(package).arg(draft).output();
            let unpacked = unpacked.map_err(|error| self.trouble(error.to_string()))?;
            if !unpacked.status.success() {
                let words = String::from_utf8_lossy(&unpacked.stderr).into_owned();
                return Err(self.trouble(words));
            }
        }
        let manifest = self.manifest(&fetched, draft)?;
        fs::remove_dir_all(&scratch).map_err(InstallError::files(&scratch))?;
        birth.finish(&manifest)?;
        self.find()
            .ok_or_else(|| self.trouble("what was looked for is not in the packages".to_owned()))
    }

    fn folder(&self) -> PathBuf {
        let release = format!("{}-{}", self.version, std::env::consts::ARCH);
        self.installer.cache.join("targets").join(&self.spec.name).join(release)
    }

    fn wanted(&self) -> Wanted<'_> {
        Wanted { suite: self.suite, packages: self.packages }
    }

    fn trouble(&self, words: String) -> InstallError {
        self.wanted().trouble(words)
    }

    /// The program, started by its own loader if it has one; or the folder of the libraries.
    fn start(&self, folder: &Path) -> Start {
        let Some(program) = self.program else {
            let program = folder.join(LIBRARIES);
            return Start { program, lead: Vec::new(), env: BTreeMap::new() };
        };
        let program = folder.join(program);
        let libraries = ["usr/lib/x86_64-linux-gnu", LIBRARIES];
        let libraries = libraries.map(|below| folder.join(below).display().to_string()).join(":");
        let loader = folder.join("usr/lib64/ld-linux-x86-64.so.2");
        if !loader.exists() {
            let env = [("LD_LIBRARY_PATH".to_owned(), libraries)];
            return Start { program, lead: Vec::new(), env: env.into() };
        }
        let lead = vec!["--library-path".to_owned(), libraries, program.display().to_string()];
        Start { program: loader, lead, env: BTreeMap::new() }
    }

    fn manifest(&self, fetched: &[PathBuf], draft: &Path) -> Result<Manifest, InstallError> {
        // The name of a package's file contains its release: `libapron_0.9.10-9.1+b2_amd64.deb`.
        let package = self.packages.first().map_or("", String::as_str);
        let own = format!("{package}_");
        let file = fetched.iter().find(|path| file_name(path).starts_with(&own));
        let file =
            file.ok_or_else(|| self.trouble(format!("the archive has no package `{package}`")))?;
        let release = file_name(file)[own.len()..].split('_').next().unwrap_or_default().to_owned();
        // An epoch, used only by Debian, comes before a colon.
        let release = release.rsplit("%3a").next().unwrap_or_default().to_owned();
        if !Version::from(release.as_str()).begins_with(self.version) {
            return Err(self.trouble(format!("the archive has release {release}")));
        }
        let reported_version = match self.program {
            None => release,
            Some(_) => {
                let behaviour = self.spec.behaviour(self.version, None);
                self.start(draft)
                    .reported_version(&behaviour.version_args, self.installer.sandbox)?
            }
        };
        let mut files = Vec::new();
        list(draft, &draft.join(LIBRARIES), &mut files)?;
        if let Some(program) = self.program {
            files.push(item(draft, &draft.join(program))?);
        }
        let bytes = fs::read(file).map_err(InstallError::files(file))?;
        Ok(Manifest {
            package: package.to_owned(),
            version: self.version.as_str().to_owned(),
            wheel: file_name(file),
            sha256: sha256(&bytes),
            // apt verified it by its signed lists.
            unpinned: false,
            reported_version,
            program: self.program.map(PathBuf::from),
            files,
            folder: draft.to_owned(),
        })
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The shared libraries in a folder, which may be missing.
fn list(root: &Path, folder: &Path, items: &mut Vec<Item>) -> Result<(), InstallError> {
    if !folder.is_dir() {
        return Ok(());
    }
    let entries = fs::read_dir(folder).map_err(InstallError::files(folder))?;
    let mut paths: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            list(root, &path, items)?;
        } else if path.is_file() && file_name(&path).contains(".so") {
            items.push(item(root, &path)?);
        }
    }
    Ok(())
}

fn item(root: &Path, path: &Path) -> Result<Item, InstallError> {
    let bytes = fs::read(path).map_err(InstallError::files(path))?;
    let below = path.strip_prefix(root).expect("it is below the folder").to_owned();
    Ok(Item { path: below, bytes: bytes.len() as u64, sha256: sha256(&bytes) })
}

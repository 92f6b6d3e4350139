//! Shared libraries of Debian: fetched by `apt-get` from the archive that the catalogue names, and
//! unpacked into the user's folder. Neither the superuser nor the system's packages are needed, and
//! the release is the same on every Debian and its children.

use super::folder::{Birth, Item, Manifest, sha256};
use super::{InstallError, Installed, Installer, Network, Start, on_path};
use crate::errand;
use crate::spec::Spec;
use crate::version::Version;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// How long the package manager may take.
const LIMIT: Duration = Duration::from_secs(600);

/// Where packages keep their libraries, below the folder.
const PLACE: &str = "usr/lib";

/// One release to find or to install.
pub(super) struct Job<'j> {
    pub(super) installer: &'j Installer,
    pub(super) spec: &'j Spec,
    pub(super) version: &'j Version,
    /// The packages; the first one is that of the tool itself.
    pub(super) packages: &'j [String],
    /// The archive: address, suite and component, as `apt` writes them.
    pub(super) archive: &'j str,
}

impl Job<'_> {
    fn folder(&self) -> PathBuf {
        let release = format!("{}-{}", self.version, std::env::consts::ARCH);
        self.installer.cache.join("targets").join(&self.spec.name).join(release)
    }

    /// The package of the tool itself.
    fn package(&self) -> &str {
        self.packages.first().map_or("", String::as_str)
    }

    pub(super) fn find(&self) -> Option<Installed> {
        let manifest = Manifest::load(&self.folder())?;
        if manifest.package != self.package() || manifest.version != self.version.as_str() {
            return None;
        }
        let program = manifest.folder.join(PLACE);
        Some(Installed {
            version: self.version.clone(),
            reported_version: manifest.reported_version.clone(),
            start: Start { program, lead: Vec::new(), env: BTreeMap::new() },
            manifest: Some(manifest),
        })
    }

    pub(super) fn install(&self, note: &mut dyn FnMut(&str)) -> Result<Installed, InstallError> {
        let (name, version) = (self.spec.name.clone(), self.version.clone());
        if self.installer.network == Network::Forbidden {
            return Err(InstallError::Offline { name, version });
        }
        if on_path("apt-get").is_none() || on_path("dpkg-deb").is_none() {
            let package = self.packages.join(" ");
            let words = "there is no `apt-get` here; name the folder of the libraries instead: \
                         NAME/DOMAIN@/path/to/folder";
            return Err(InstallError::Apt { package, words: words.to_owned() });
        }
        let birth = Birth::begin(&self.folder(), note)?;
        // Another process may have installed it while this one waited.
        if let Some(installed) = self.find() {
            return Ok(installed);
        }
        note(&format!(
            "{name} {version}: fetching {} from {}",
            self.packages.join(", "),
            self.archive
        ));
        let fetched = self.fetch(birth.draft())?;
        for package in &fetched {
            let unpacked =
                Command::new("dpkg-deb").arg("-x").arg(package).arg(birth.draft()).output();
            let trouble = |words: String| self.trouble(words);
            let unpacked = unpacked.map_err(|error| trouble(error.to_string()))?;
            if !unpacked.status.success() {
                return Err(trouble(String::from_utf8_lossy(&unpacked.stderr).into_owned()));
            }
        }
        let manifest = self.manifest(&fetched, birth.draft())?;
        fs::remove_dir_all(birth.draft().join("apt"))
            .map_err(InstallError::files(birth.draft()))?;
        birth.finish(&manifest)?;
        self.find()
            .ok_or_else(|| self.trouble("its files vanished after they were unpacked".into()))
    }

    fn trouble(&self, words: String) -> InstallError {
        InstallError::Apt { package: self.packages.join(" "), words }
    }

    /// The packages as files, fetched with lists of our own.
    fn fetch(&self, draft: &Path) -> Result<Vec<PathBuf>, InstallError> {
        let apt = draft.join("apt");
        for folder in ["lists/partial", "cache/archives/partial", "packages"] {
            let folder = apt.join(folder);
            fs::create_dir_all(&folder).map_err(InstallError::files(&folder))?;
        }
        let sources = apt.join("sources.list");
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let line = format!("deb [signed-by={keys}] {}\n", self.archive);
        fs::write(&sources, line).map_err(InstallError::files(&sources))?;
        // What the system has installed is of no concern.
        let status = apt.join("status");
        fs::write(&status, "").map_err(InstallError::files(&status))?;
        let settings = [
            format!("Dir::Etc::sourcelist={}", sources.display()),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            format!("Dir::State::lists={}", apt.join("lists").display()),
            format!("Dir::State::status={}", status.display()),
            format!("Dir::Cache={}", apt.join("cache").display()),
        ];
        let run = |words: &[&str]| {
            let mut command = Command::new("apt-get");
            settings.iter().for_each(|setting| {
                command.args(["-o", setting]);
            });
            command.args(words).current_dir(apt.join("packages"));
            let said = errand::run(&mut command, "", LIMIT);
            let said = said.map_err(|error| self.trouble(error.to_string()))?;
            if said.succeeded() { Ok(()) } else { Err(self.trouble(said.last_words())) }
        };
        run(&["update", "-q"])?;
        let names: Vec<&str> = self.packages.iter().map(String::as_str).collect();
        run(&[&["download", "-q"], &names[..]].concat())?;
        let packages = apt.join("packages");
        let listed = fs::read_dir(&packages).map_err(InstallError::files(&packages))?;
        let mut files: Vec<PathBuf> = listed.filter_map(Result::ok).map(|e| e.path()).collect();
        files.sort();
        Ok(files)
    }

    fn manifest(&self, fetched: &[PathBuf], draft: &Path) -> Result<Manifest, InstallError> {
        // A package's file is named after its release: `libapron_0.9.10-9.1+b2_amd64.deb`.
        let own = format!("{}_", self.package());
        let named = |path: &&PathBuf| file_name(path).starts_with(&own);
        let file = fetched.iter().find(named).ok_or_else(|| {
            self.trouble(format!("the archive has no package `{}`", self.package()))
        })?;
        let release = file_name(file)[own.len()..].split('_').next().unwrap_or_default().to_owned();
        // An epoch, which only Debian knows, is written before a colon.
        let reported = release.rsplit("%3a").next().unwrap_or_default().to_owned();
        if !Version::from(reported.as_str()).begins_with(self.version) {
            return Err(self.trouble(format!("the archive has release {reported}")));
        }
        let bytes = fs::read(file).map_err(InstallError::files(file))?;
        let mut files = Vec::new();
        list(draft, &draft.join(PLACE), &mut files)?;
        Ok(Manifest {
            package: self.package().to_owned(),
            version: self.version.as_str().to_owned(),
            wheel: file_name(file),
            sha256: sha256(&bytes),
            reported_version: reported,
            program: None,
            files,
            folder: draft.to_owned(),
        })
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// The shared libraries below a folder.
fn list(root: &Path, folder: &Path, items: &mut Vec<Item>) -> Result<(), InstallError> {
    let entries = fs::read_dir(folder).map_err(InstallError::files(folder))?;
    let mut paths: Vec<PathBuf> =
        entries.filter_map(Result::ok).map(|entry| entry.path()).collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            list(root, &path, items)?;
        } else if path.is_file() && file_name(&path).contains(".so") {
            let bytes = fs::read(&path).map_err(InstallError::files(&path))?;
            let below = path.strip_prefix(root).expect("it is below the folder").to_owned();
            items.push(Item { path: below, bytes: bytes.len() as u64, sha256: sha256(&bytes) });
        }
    }
    Ok(())
}

//! Packages of another release of Debian, fetched with lists of our own and unpacked into a folder:
//! the system stays as it is.

use super::folder::{Birth, Manifest};
use super::{InstallError, Installed, Installer, Network, Start, is_program, on_path};
use crate::errand;
use crate::spec::Spec;
use crate::version::Version;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// One release to find or to install.
pub(super) struct Job<'j> {
    pub(super) installer: &'j Installer,
    pub(super) spec: &'j Spec,
    pub(super) version: &'j Version,
    pub(super) suite: &'j str,
    pub(super) packages: &'j [String],
    pub(super) program: &'j str,
}

/// How long fetching may take.
const LIMIT: Duration = Duration::from_secs(600);

/// Where packages come from, and whose signatures count.
const MIRROR: &str = "http://deb.debian.org/debian";
const KEYS: &str = "/usr/share/keyrings/debian-archive-keyring.gpg";

impl Job<'_> {
    pub(super) fn find(&self) -> Result<Option<Installed>, InstallError> {
        let folder = self.folder();
        let Some(manifest) = Manifest::load(&folder) else { return Ok(None) };
        let start = self.start(&folder);
        if manifest.version != self.version.as_str() || !is_program(&start.program) {
            return Ok(None);
        }
        Ok(Some(Installed {
            version: self.version.clone(),
            reported_version: manifest.reported_version.clone(),
            start,
            manifest: Some(manifest),
        }))
    }

    pub(super) fn install(&self, note: &mut dyn FnMut(&str)) -> Result<Installed, InstallError> {
        let named = self.packages.join(" ");
        if self.installer.network == Network::Forbidden {
            let (name, version) = (self.spec.name.clone(), self.version.clone());
            return Err(InstallError::Offline { name, version });
        }
        if on_path("apt-get").is_none() || on_path("dpkg").is_none() {
            return Err(InstallError::Apt {
                package: named,
                words: "there is no apt-get and no dpkg here".to_owned(),
            });
        }
        let birth = Birth::begin(&self.folder(), note)?;
        if let Some(installed) = self.find()? {
            return Ok(installed);
        }
        note(&format!(
            "{} {}: fetching {named} of Debian {}",
            self.spec.name, self.version, self.suite
        ));
        let draft = birth.draft();
        self.fetch(draft)?;
        let start = self.start(draft);
        let behaviour = self.spec.behaviour(self.version, None);
        let reported_version = start.reported_version(&behaviour.version_args)?;
        let manifest = Manifest {
            package: named,
            version: self.version.to_string(),
            wheel: format!("packages of Debian {}", self.suite),
            // apt compared the packages with the signed lists.
            sha256: String::new(),
            reported_version,
            program: Some(self.program.into()),
            files: Vec::new(),
            folder: self.folder(),
        };
        birth.finish(&manifest)?;
        self.find()?.ok_or_else(|| InstallError::Apt {
            package: manifest.package,
            words: format!("they brought no program {}", self.program),
        })
    }

    fn folder(&self) -> PathBuf {
        let release = format!("{}-{}", self.version, std::env::consts::ARCH);
        self.installer.cache.join("targets").join(&self.spec.name).join(release)
    }

    /// The program, started by its own loader where it has one.
    fn start(&self, folder: &Path) -> Start {
        let program = folder.join(self.program);
        let libraries = ["usr/lib/x86_64-linux-gnu", "usr/lib"];
        let libraries = libraries.map(|below| folder.join(below).display().to_string()).join(":");
        let loader = folder.join("usr/lib64/ld-linux-x86-64.so.2");
        if !loader.exists() {
            let env = [("LD_LIBRARY_PATH".to_owned(), libraries)];
            return Start { program, lead: Vec::new(), env: env.into() };
        }
        let lead = vec!["--library-path".to_owned(), libraries, program.display().to_string()];
        Start { program: loader, lead, env: BTreeMap::new() }
    }

    /// Fetches the packages with lists of their own, and unpacks them.
    fn fetch(&self, draft: &Path) -> Result<(), InstallError> {
        let apt = draft.join("apt");
        for below in ["lists/partial", "archives/partial", "state", "debs"] {
            let folder = apt.join(below);
            fs::create_dir_all(&folder).map_err(InstallError::files(&folder))?;
        }
        let write = |name: &str, text: &str| {
            let path = apt.join(name);
            fs::write(&path, text).map_err(InstallError::files(&path))
        };
        write("sources.list", &format!("deb [signed-by={KEYS}] {MIRROR} {} main\n", self.suite))?;
        write("status", "")?;
        let at = |below: &str| apt.join(below).display().to_string();
        let options = [
            format!("Dir::Etc::sourcelist={}", at("sources.list")),
            "Dir::Etc::sourceparts=/dev/null".to_owned(),
            format!("Dir::State={}", at("state")),
            format!("Dir::State::lists={}", at("lists")),
            format!("Dir::State::status={}", at("status")),
            format!("Dir::Cache={}", at("")),
            format!("Dir::Cache::archives={}", at("archives")),
            // The folder belongs to the user; apt's own user may not enter it.
            "APT::Sandbox::User=root".to_owned(),
        ];
        let mut update = Command::new("apt-get");
        options.iter().for_each(|option| _ = update.args(["-o", option]));
        self.must(update.args(["update", "-q"]))?;
        let debs = apt.join("debs");
        let mut download = Command::new("apt-get");
        options.iter().for_each(|option| _ = download.args(["-o", option]));
        download.args(["download", "-q"]).args(self.packages).current_dir(&debs);
        self.must(&mut download)?;
        for entry in fs::read_dir(&debs).map_err(InstallError::files(&debs))? {
            let path = entry.map_err(InstallError::files(&debs))?.path();
            self.must(Command::new("dpkg").arg("-x").arg(&path).arg(draft))?;
        }
        fs::remove_dir_all(&apt).map_err(InstallError::files(&apt))
    }

    fn must(&self, command: &mut Command) -> Result<(), InstallError> {
        let trouble = |words| InstallError::Apt { package: self.packages.join(" "), words };
        let said = errand::run(command, "", LIMIT).map_err(|error| trouble(error.to_string()))?;
        if said.succeeded() { Ok(()) } else { Err(trouble(said.last_words())) }
    }
}

//! Releases built from source, with flags that a variant of the tool asks for: with assertions, with
//! a sanitizer.
//!
//! The folder of a build is kept until the build succeeds, so that an interrupted one continues.

use super::folder::{Birth, Item, Manifest, sha256};
use super::pin::Fetched;
use super::{InstallError, Installed, Installer, Network, Start, debian, is_program, python};
use crate::by_hand::shell_word;
use crate::spec::{Build, Spec, Variant};
use crate::version::Version;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

/// A build to find or make.
#[derive(Clone, Copy)]
pub(crate) struct Job<'j> {
    installer: &'j Installer,
    spec: &'j Spec,
    version: &'j Version,
    variant: &'j str,
    flags: &'j [String],
    recipe: &'j Build,
}

impl<'j> Job<'j> {
    /// The build that a variant of a release stands for; `None` if the variant is not a build.
    pub(crate) fn of(
        installer: &'j Installer,
        spec: &'j Spec,
        version: &'j Version,
        variant: Option<&'j Variant>,
    ) -> Result<Option<Job<'j>>, InstallError> {
        let Some((variant, flags)) = variant.and_then(|v| Some((v, v.build.as_ref()?))) else {
            return Ok(None);
        };
        let recipe = spec.builds.iter().find(|build| build.builds(version));
        let recipe = recipe.ok_or_else(|| InstallError::NoRecipe {
            name: spec.name.clone(),
            version: version.clone(),
        })?;
        Ok(Some(Job { installer, spec, version, variant: &variant.name, flags, recipe }))
    }

    /// Its name in the cache.
    fn label(&self) -> String {
        format!("{}-{}-{}", self.version, self.variant, std::env::consts::ARCH)
    }

    fn folder(&self) -> PathBuf {
        self.installer.cache.join("targets").join(&self.spec.name).join(self.label())
    }

    /// The build, if it was made.
    pub(crate) fn find(&self) -> Result<Option<Installed>, InstallError> {
        let folder = self.folder();
        let Some(manifest) = Manifest::load(&folder) else { return Ok(None) };
        if !manifest.admitted(self.spec)? {
            return Ok(None);
        }
        let Some(program) = manifest.program.as_ref().map(|program| folder.join(program)) else {
            return Ok(None);
        };
        Ok(Some(Installed {
            version: self.version.clone(),
            reported_version: manifest.reported_version.clone(),
            start: start(program),
            manifest: Some(manifest),
        }))
    }

    /// The build, or how to make it.
    pub(crate) fn ensure(&self) -> Result<Installed, InstallError> {
        self.find()?.ok_or_else(|| InstallError::NotBuilt {
            target: format!("{}@{}:{}", self.spec.name, self.version, self.variant),
        })
    }

    /// Makes the build. Progress is reported to `note`.
    pub(crate) fn make(
        &self,
        jobs: usize,
        note: &mut dyn FnMut(&str),
    ) -> Result<Installed, InstallError> {
        let birth = Birth::begin(&self.folder(), note)?;
        if let Some(installed) = self.find()? {
            return Ok(installed);
        }
        if self.installer.network == Network::Forbidden {
            let (name, version) = (self.spec.name.clone(), self.version.clone());
            return Err(InstallError::Offline { name, version });
        }
        let what = format!("{} {}, {}", self.spec.name, self.version, self.variant);
        let packages = debian::missing(&self.recipe.packages);
        if !packages.is_empty() {
            debian::install(self.installer, self.spec, self.version, &packages, note)?;
        }
        let site = self.installer.cache.join("builds").join(&self.spec.name).join(self.label());
        let (source, tools, build) = (site.join("source"), site.join("tools"), site.join("build"));
        for folder in [&source, &tools, &build] {
            fs::create_dir_all(folder).map_err(InstallError::files(folder))?;
        }
        let package = &self.recipe.sdist;
        let fetched = match python::archive_in(&site, "gz") {
            Some(fetched) => fetched,
            None => {
                note(&format!("{what}: fetching the source package {package}"));
                python::download_source(&self.installer.python, package, self.version, &site)?
            }
        };
        let bytes = fs::read(&fetched).map_err(InstallError::files(&fetched))?;
        let file = fetched.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let checksum = sha256(&bytes);
        let unpinned = self.installer.unpinned;
        Fetched { wheel: &file, sha256: &checksum }.admit(self.spec, self.version, unpinned)?;
        let mut unpack = Command::new("tar");
        unpack.arg("-xzf").arg(&fetched).arg("--strip-components=1").current_dir(&source);
        let log = Log::create(&site, &what)?;
        log.run(&mut unpack, &mut |_| ())?;
        python::install_tools(&self.installer.python, &self.recipe.wheels, &tools)?;

        let (source, jobs) = (source.display().to_string(), jobs.to_string());
        for words in self.recipe.filled(&source, &jobs, self.flags) {
            let (program, arguments) = words.split_first().ok_or_else(|| log.failed())?;
            let typed: Vec<_> = words.iter().map(|word| shell_word(word)).collect();
            note(&format!("{what}: {}", typed.join(" ")));
            let mut command = Command::new(program);
            command.args(arguments).current_dir(&build).env("PYTHONPATH", &tools);
            command.env("PATH", path_with(&tools.join("bin")));
            let mut told = 0;
            log.run(&mut command, &mut |line| {
                if let Some((done, all)) =
                    counted(line).filter(|(done, all)| done * 20 / all > told)
                {
                    told = done * 20 / all;
                    note(&format!("{what}: {done} of {all} steps"));
                }
            })?;
        }
        let built = build.join(&self.recipe.program);
        if !is_program(&built) {
            return Err(log.failed());
        }
        let manifest = self.manifest(&built, birth.draft(), file, checksum)?;
        birth.finish(&manifest)?;
        // The remaining files can fill many gigabytes.
        fs::remove_dir_all(&site).map_err(InstallError::files(&site))?;
        self.ensure()
    }

    /// Copies the program into its folder.
    fn manifest(
        &self,
        built: &Path,
        folder: &Path,
        wheel: String,
        sha256_of_source: String,
    ) -> Result<Manifest, InstallError> {
        let path = PathBuf::from("bin").join(built.file_name().unwrap_or_default());
        let program = folder.join(&path);
        fs::create_dir_all(folder.join("bin")).map_err(InstallError::files(folder))?;
        fs::copy(built, &program).map_err(InstallError::files(built))?;
        let bytes = fs::read(&program).map_err(InstallError::files(&program))?;
        let behaviour = self.spec.behaviour(self.version, None);
        let reported_version =
            start(program).reported_version(&behaviour.version_args, self.installer.sandbox)?;
        Ok(Manifest {
            package: self.recipe.sdist.clone(),
            version: self.version.as_str().to_owned(),
            unpinned: !self.spec.sha256.contains_key(&wheel),
            wheel,
            sha256: sha256_of_source,
            reported_version,
            program: Some(path.clone()),
            files: vec![Item { path, bytes: bytes.len() as u64, sha256: sha256(&bytes) }],
            folder: folder.to_owned(),
        })
    }
}

fn start(program: PathBuf) -> Start {
    Start { program, lead: Vec::new(), env: BTreeMap::new() }
}

/// The search path with this folder first.
fn path_with(folder: &Path) -> std::ffi::OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(rest) = std::env::var_os("PATH") {
        path.push(":");
        path.push(rest);
    }
    path
}

/// The progress in a line of ninja (`[12/900] …`) or make (`[ 12%] …`).
fn counted(line: &str) -> Option<(usize, usize)> {
    let inner = line.strip_prefix('[')?.split_once(']')?.0.trim();
    let pair = match inner.strip_suffix('%') {
        Some(percent) => (percent.parse().ok()?, 100),
        None => {
            let (done, all) = inner.split_once('/')?;
            (done.parse().ok()?, all.parse().ok()?)
        }
    };
    Some(pair).filter(|&(_, all)| all > 0)
}

/// What the commands of a build print.
struct Log {
    path: PathBuf,
    what: String,
}

/// The time between two looks at the output of a command.
const GLANCE: Duration = Duration::from_millis(200);

impl Log {
    fn create(site: &Path, what: &str) -> Result<Log, InstallError> {
        let path = site.join("log.txt");
        File::create(&path).map_err(InstallError::files(&path))?;
        Ok(Log { path, what: what.to_owned() })
    }

    /// Runs a command to its end, however long that takes, and passes on the newest line that it
    /// printed.
    fn run(&self, command: &mut Command, newest: &mut dyn FnMut(&str)) -> Result<(), InstallError> {
        let files = InstallError::files(&self.path);
        let trouble = |error: std::io::Error| InstallError::Build {
            what: self.what.clone(),
            words: error.to_string(),
            log: self.path.display().to_string(),
        };
        let open = || File::options().append(true).open(&self.path);
        let (stdout, stderr) = (open().and_then(|file| Ok((file, open()?)))).map_err(files)?;
        let mut child =
            command.stdin(Stdio::null()).stdout(stdout).stderr(stderr).spawn().map_err(trouble)?;
        loop {
            let ended = child.try_wait().map_err(trouble)?;
            if let Some(line) = self.tail().lines().rev().find(|line| !line.trim().is_empty()) {
                newest(line);
            }
            match ended {
                Some(status) if status.success() => return Ok(()),
                Some(_) => return Err(self.failed()),
                None => std::thread::sleep(GLANCE),
            }
        }
    }

    /// The end of what was printed.
    fn tail(&self) -> String {
        const LENGTH: u64 = 4096;
        let read = || {
            let mut file = File::open(&self.path)?;
            let start = file.metadata()?.len().saturating_sub(LENGTH);
            file.seek(SeekFrom::Start(start))?;
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            std::io::Result::Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        read().unwrap_or_default()
    }

    fn failed(&self) -> InstallError {
        let tail = self.tail();
        let lines: Vec<&str> = tail.lines().filter(|line| !line.trim().is_empty()).collect();
        InstallError::Build {
            what: self.what.clone(),
            words: lines[lines.len().saturating_sub(6)..].join("\n"),
            log: self.path.display().to_string(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_read_from_ninja_and_make() {
        let table = [
            ("[12/900] Building CXX object a.o", Some((12, 900))),
            ("[ 45%] Building CXX object a.o", Some((45, 100))),
            ("[0/0] nothing", None),
            ("[warning] odd", None),
            ("plain", None),
        ];
        for (line, expected) in table {
            assert_eq!(counted(line), expected, "{line}");
        }
    }

    #[test]
    fn a_failed_build_shows_its_output_and_names_the_log() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = Log::create(folder.path(), "tool 1.0, debug").expect("a log");
        let mut lines = Vec::new();
        let script = "echo '[1/2] one'; sleep 0.5; echo '[2/2] two' >&2; exit 3";
        let run = log.run(Command::new("sh").args(["-c", script]), &mut |line| {
            lines.push(line.to_owned());
        });
        let words = run.expect_err("it failed").to_string();
        assert!(words.contains("tool 1.0, debug: the build failed"), "{words}");
        assert!(words.contains("[2/2] two") && words.contains("log.txt"), "{words}");
        lines.dedup();
        assert_eq!(lines, ["[1/2] one", "[2/2] two"]);
    }
}

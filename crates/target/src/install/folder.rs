//! The folder of an installed release: its manifest, checksums, lock and creation.

use super::InstallError;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// The manifest of an installed release.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Manifest {
    /// The package.
    pub package: String,
    /// Its release.
    pub version: String,
    /// The fetched file.
    pub wheel: String,
    /// Its checksum.
    pub sha256: String,
    /// Whether it was installed without a listed checksum.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unpinned: bool,
    /// The version as the tool reports it.
    pub reported_version: String,
    /// The program, relative to the folder; `None` for a library.
    pub program: Option<PathBuf>,
    /// The unpacked files.
    pub files: Vec<Item>,
    /// The folder.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// An unpacked file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Item {
    /// Its path below the folder.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Its checksum.
    pub sha256: String,
}

const MANIFEST: &str = "manifest.json";

impl Manifest {
    /// The manifest of a folder, if all listed files exist with their sizes.
    pub(super) fn load(folder: &Path) -> Option<Manifest> {
        let text = fs::read_to_string(folder.join(MANIFEST)).ok()?;
        let mut manifest: Manifest = serde_json::from_str(&text).ok()?;
        manifest.folder = folder.to_owned();
        let there = |item: &Item| {
            folder.join(&item.path).metadata().is_ok_and(|facts| facts.len() == item.bytes)
        };
        manifest.files.iter().all(there).then_some(manifest)
    }

    pub(super) fn save(&self, folder: &Path) -> Result<(), InstallError> {
        let path = folder.join(MANIFEST);
        let text = serde_json::to_string_pretty(self).expect("a manifest is plain data");
        fs::write(&path, text + "\n").map_err(InstallError::files(&path))
    }

    /// Compares every file with its checksum.
    ///
    /// # Errors
    /// The first file that differs.
    pub fn verify(&self) -> Result<(), InstallError> {
        for item in &self.files {
            let path = self.folder.join(&item.path);
            let bytes = fs::read(&path).map_err(InstallError::files(&path))?;
            if sha256(&bytes) != item.sha256 {
                let file = path.display().to_string();
                return Err(InstallError::BadChecksum { file, wanted_by: "its manifest" });
            }
        }
        Ok(())
    }
}

/// The checksum, in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A folder under construction: it is locked against other processes, and gets its name only when
/// it is complete.
pub(super) struct Birth {
    place: PathBuf,
    draft: PathBuf,
    /// Held until the end: the lock ends with the file.
    _lock: File,
}

impl Birth {
    /// Waits for the lock on this folder.
    pub(super) fn begin(place: &Path, note: &mut dyn FnMut(&str)) -> Result<Birth, InstallError> {
        let parent = place.parent().expect("a release lies in the folder of its tool");
        fs::create_dir_all(parent).map_err(InstallError::files(parent))?;
        let release = place.file_name().expect("a release has a name").to_string_lossy();
        let lock = parent.join(format!(".{release}.lock"));
        let file = File::create(&lock).map_err(InstallError::files(&lock))?;
        let trouble = |errno: Errno| InstallError::files(&lock)(errno.into());
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(Errno::WOULDBLOCK) => {
                note(&format!("waiting for another assay that installs {release}"));
                flock(&file, FlockOperation::LockExclusive).map_err(trouble)?;
            }
            Err(errno) => return Err(trouble(errno)),
        }
        let draft = parent.join(format!(".{release}.draft"));
        // A killed process may have left its draft.
        remove(&draft)?;
        fs::create_dir_all(&draft).map_err(InstallError::files(&draft))?;
        Ok(Birth { place: place.to_owned(), draft, _lock: file })
    }

    /// The folder to fill.
    pub(super) fn draft(&self) -> &Path {
        &self.draft
    }

    /// Gives the folder its final name.
    pub(super) fn finish(self, manifest: &Manifest) -> Result<(), InstallError> {
        manifest.save(&self.draft)?;
        remove(&self.place)?;
        fs::rename(&self.draft, &self.place).map_err(InstallError::files(&self.place))
    }
}

impl Drop for Birth {
    fn drop(&mut self) {
        // After `finish` nothing is left; after a failure there is.
        let _ = fs::remove_dir_all(&self.draft);
    }
}

fn remove(folder: &Path) -> Result<(), InstallError> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(InstallError::files(folder)(error))
        }
        _ => Ok(()),
    }
}

//! Allows one run at a time in a campaign's folder.
//!
//! The kernel holds the lock on an open file, so it ends with its process, however that ends.

use crate::file::FileError;
use rustix::fs::{FlockOperation, flock};
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The right to write into a campaign's folder, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a campaign's folder cannot be written to.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Another run is using it.
    #[error(
        "{path} is locked: {who} is running in this folder (wait for it, or use another --out)"
    )]
    Held {
        /// The file.
        path: PathBuf,
        /// The process that holds the lock, in words.
        who: String,
    },
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
}

impl Lock {
    /// The name of the lock file in the campaign's folder.
    pub const FILE: &str = "campaign.lock";

    /// Locks a folder, which must exist.
    ///
    /// # Errors
    /// Fails if another process holds it, or the file cannot be made.
    pub fn take(folder: &Path) -> Result<Lock, LockError> {
        let path = folder.join(Lock::FILE);
        let failed = |source: io::Error| LockError::File(FileError::new(&path, source));
        let open = File::options().read(true).write(true).create(true).truncate(false).open(&path);
        let mut file = open.map_err(failed)?;
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => {}
            Err(rustix::io::Errno::WOULDBLOCK) => {
                let mut process = String::new();
                // The process is named only to improve the message.
                let _ = file.read_to_string(&mut process);
                let who = match process.trim() {
                    "" => "another process".to_owned(),
                    number => format!("process {number}"),
                };
                return Err(LockError::Held { path, who });
            }
            Err(error) => return Err(failed(error.into())),
        }
        let write = |file: &mut File| {
            file.set_len(0)?;
            writeln!(file, "{}", std::process::id())
        };
        write(&mut file).map_err(failed)?;
        Ok(Lock { _file: file })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer_at_a_time() {
        let folder = tempfile::tempdir().expect("a folder");
        let first = Lock::take(folder.path()).expect("nobody holds it");
        let refused = Lock::take(folder.path()).expect_err("it is held").to_string();
        let process = format!("process {}", std::process::id());
        assert!(refused.contains(&process) && refused.contains(Lock::FILE), "{refused}");
        drop(first);
        Lock::take(folder.path()).expect("it was let go");
        let missing = Lock::take(&folder.path().join("nothing")).expect_err("no folder");
        assert!(matches!(missing, LockError::File(_)));
    }
}

//! What is wrong with a file.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written, or that is not what it should be.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {what}")]
pub struct FileError {
    path: PathBuf,
    what: String,
}

impl FileError {
    /// What is wrong with a file.
    pub(crate) fn new(path: impl AsRef<Path>, what: impl Display) -> FileError {
        FileError { path: path.as_ref().to_owned(), what: what.to_string() }
    }
}

//! Errors in files.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// A file that cannot be read or written, or whose contents are invalid.
#[derive(Debug, thiserror::Error)]
#[error("{path}: {what}")]
pub struct FileError {
    path: PathBuf,
    what: String,
}

impl FileError {
    /// An error in a file.
    pub(crate) fn new(path: impl AsRef<Path>, what: impl Display) -> FileError {
        FileError { path: path.as_ref().to_owned(), what: what.to_string() }
    }
}

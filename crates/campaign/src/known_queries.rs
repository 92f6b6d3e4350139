//! Baselines of `assay stability`: queries whose category is known and fails no build.

use crate::file::FileError;
use assay_stability::Category;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Queries with known categories.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownQueries {
    /// The queries, sorted.
    #[serde(default)]
    pub known: Vec<KnownQuery>,
}

/// A query with a known category.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KnownQuery {
    /// The file, as it was given.
    pub file: String,
    /// The number of the `check-sat` in the file: lines move more often.
    pub check: usize,
    /// The target, with its version: an upgrade that breaks a query is new.
    pub target: String,
    /// The known category.
    pub category: String,
}

impl KnownQueries {
    /// Reads a baseline; one that does not exist is empty.
    ///
    /// # Errors
    /// Fails if the file cannot be read or is not a baseline.
    pub fn read(path: &Path) -> Result<KnownQueries, FileError> {
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok(KnownQueries::default());
            }
            Err(error) => return Err(FileError::new(path, error)),
        };
        let known: KnownQueries =
            toml::from_str(&text).map_err(|error| FileError::new(path, error))?;
        for KnownQuery { category, .. } in &known.known {
            if Category::by_name(category).is_none() {
                let names = Category::ALL.map(Category::name).join(", ");
                let what = format!("`{category}` is not a category; expected one of {names}");
                return Err(FileError::new(path, what));
            }
        }
        Ok(known)
    }

    /// Whether a query with its category is known.
    #[must_use]
    pub fn has(&self, query: &KnownQuery) -> bool {
        self.known.contains(query)
    }

    /// Writes a baseline with these queries.
    ///
    /// # Errors
    /// Fails if the file cannot be written.
    pub fn write(path: &Path, mut known: Vec<KnownQuery>) -> Result<(), FileError> {
        known.sort();
        known.dedup();
        let text = toml::to_string(&KnownQueries { known })
            .map_err(|error| FileError::new(path, error))?;
        std::fs::write(path, text).map_err(|error| FileError::new(path, error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_queries_read_back_as_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("known.toml");
        assert_eq!(KnownQueries::read(&path).expect("it is empty"), KnownQueries::default());
        let query = |category: &str| KnownQuery {
            file: "a.smt2".into(),
            check: 2,
            target: "z3@5.4.0".into(),
            category: category.into(),
        };
        KnownQueries::write(&path, vec![query("unstable")]).expect("it is written");
        let known = KnownQueries::read(&path).expect("it reads");
        assert!(known.has(&query("unstable")) && !known.has(&query("unsolvable")));
        std::fs::write(
            &path,
            "[[known]]\nfile = \"a\"\ncheck = 1\ntarget = \"z3\"\ncategory = \"odd\"\n",
        )
        .expect("it is written");
        let error = KnownQueries::read(&path).expect_err("no such category").to_string();
        assert!(error.contains("expected one of stable"), "{error}");
    }
}

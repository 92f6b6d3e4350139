//! A finding's folder, read back.

use crate::folder::FindingRecord;
use assay_target::ByHand;
use std::io;
use std::path::{Path, PathBuf};

/// What a finding's folder holds.
#[derive(Clone, PartialEq, Debug)]
pub struct Dossier {
    /// The record.
    pub record: FindingRecord,
    /// The case in today's SMT-LIB.
    pub case: String,
    /// The case as the target was given it.
    pub input: String,
    /// The case as a program, where it was written as one.
    pub program: Option<String>,
    /// The inputs on which the program reaches its error, as a C file.
    pub inputs: Option<String>,
    /// A model that satisfies the case, where one is known.
    pub witness: Option<String>,
    /// A smaller case that shows the same, with all that shows it, where somebody asked for it.
    pub reduced: Option<Box<Dossier>>,
    /// The elements of a program as a picture (SVG), where two variables suffice.
    pub picture: Option<String>,
    /// What the target said.
    pub stdout: String,
    /// What the target said on its error stream.
    pub stderr: String,
}

/// Why a finding's folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum DossierError {
    /// There is no finding.
    #[error("{0} is no finding's folder (it has no finding.json)")]
    NoFinding(PathBuf),
    /// A file cannot be read.
    #[error("{path}: {source}")]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The record is not ours.
    #[error("{path}: {source}")]
    Record {
        /// Which file.
        path: PathBuf,
        /// What is wrong with it.
        source: serde_json::Error,
    },
}

impl Dossier {
    /// Reads a finding's folder.
    ///
    /// # Errors
    /// Where it is none, or a file in it cannot be read.
    pub fn read(folder: &Path) -> Result<Dossier, DossierError> {
        let optional = |name: &str| {
            let path = folder.join(name);
            match std::fs::read(&path) {
                Ok(bytes) => Ok(Some(String::from_utf8_lossy(&bytes).into_owned())),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(source) => Err(DossierError::File { path, source }),
            }
        };
        let required = |name: &str| {
            let missing = || io::Error::from(io::ErrorKind::NotFound);
            let path = folder.join(name);
            optional(name)?.ok_or_else(|| DossierError::File { path, source: missing() })
        };
        let json =
            optional("finding.json")?.ok_or_else(|| DossierError::NoFinding(folder.to_owned()))?;
        let record: FindingRecord = serde_json::from_str(&json)
            .map_err(|source| DossierError::Record { path: folder.join("finding.json"), source })?;
        let case = required(record.case_file())?;
        // A program is given to the target as it is.
        let input = match (&record.domain, optional("input.c")?) {
            (Some(_), _) => case.clone(),
            (None, Some(program)) => program,
            (None, None) => required("input.smt2")?,
        };
        Ok(Dossier {
            record,
            case,
            input,
            picture: optional(FindingRecord::PICTURE)?,
            program: optional("program.c")?,
            inputs: optional("witness.c")?,
            witness: optional("witness.smt2")?,
            reduced: match Dossier::read(&folder.join("reduced")) {
                Ok(reduced) => Some(Box::new(reduced)),
                Err(DossierError::NoFinding(_)) => None,
                Err(error) => return Err(error),
            },
            stdout: optional("stdout.txt")?.unwrap_or_default(),
            stderr: optional("stderr.txt")?.unwrap_or_default(),
        })
    }

    /// What a reader should see, and the file of the folder that holds it: the program where there is
    /// one, otherwise the case.
    #[must_use]
    pub fn subject(&self) -> (&'static str, &str) {
        match &self.program {
            Some(program) => ("program.c", program),
            None => (self.record.case_file(), &self.case),
        }
    }

    /// How somebody without us runs the target on it.
    #[must_use]
    pub fn by_hand(&self) -> Option<&ByHand> {
        self.record.by_hand.as_ref()
    }

    /// The smallest case there is: the reduced one, or this.
    #[must_use]
    pub fn smallest(&self) -> &Dossier {
        self.reduced.as_deref().unwrap_or(self)
    }
}

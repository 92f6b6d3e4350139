//! A finding's folder as reports show it.

use super::{FindingRecord, FolderError, SEED, read_file, read_optional};
use crate::kind::profile;
use assay_target::ByHand;
use std::path::Path;

/// The contents of a finding's folder.
#[derive(Clone, PartialEq, Debug)]
pub struct Dossier {
    /// The record.
    pub record: FindingRecord,
    /// The subject in its own language.
    pub case: String,
    /// The subject as the target received it.
    pub input: String,
    /// The inputs on which a program reaches its error, as a C file.
    pub inputs: Option<String>,
    /// A model that satisfies a formula, if one is known.
    pub witness: Option<String>,
    /// A smaller case that shows the same finding, if the finding was reduced.
    pub reduced: Option<Box<Dossier>>,
    /// The formula that the mutations of a reduced mutant are applied to.
    pub seed: Option<String>,
    /// The elements of a trace as a picture (SVG), if two variables suffice.
    pub picture: Option<String>,
    /// The target's standard output.
    pub stdout: String,
    /// The target's standard error.
    pub stderr: String,
}

impl Dossier {
    /// Reads a finding's folder.
    ///
    /// # Errors
    /// If it is not a finding's folder, or a file in it cannot be read.
    pub fn read(folder: &Path) -> Result<Dossier, FolderError> {
        let record = FindingRecord::read(folder)?;
        let optional = |name: &str| read_optional(folder, name);
        let exhibits = profile(record.subject).exhibits;
        let exhibit = |file: Option<&str>| file.map_or(Ok(None), optional);
        Ok(Dossier {
            case: read_file(folder, record.case_file())?,
            input: read_file(folder, record.input_file())?,
            inputs: exhibit(exhibits.inputs)?,
            witness: exhibit(exhibits.witness)?,
            picture: exhibit(exhibits.picture)?,
            seed: optional(SEED)?,
            reduced: match Dossier::read(&folder.join("reduced")) {
                Ok(reduced) => Some(Box::new(reduced)),
                Err(FolderError::NoFinding(_)) => None,
                Err(error) => return Err(error),
            },
            stdout: optional("stdout.txt")?.unwrap_or_default(),
            stderr: optional("stderr.txt")?.unwrap_or_default(),
            record,
        })
    }

    /// How to run the target without assay.
    #[must_use]
    pub fn by_hand(&self) -> Option<&ByHand> {
        self.record.by_hand.as_ref()
    }

    /// The reduced case if there is one, otherwise this one.
    #[must_use]
    pub fn smallest(&self) -> &Dossier {
        self.reduced.as_deref().unwrap_or(self)
    }
}

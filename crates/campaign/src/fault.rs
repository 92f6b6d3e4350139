//! Failures of assay itself in one case, kept for inspection while the campaign continues.
//!
//! ```text
//! fault.json   which case, what went wrong, and the campaign that it belongs to
//! …            the files made so far, such as case.smt2, program.c and witness.c
//! ```

use crate::header::Header;
use assay_case::{CaseId, Fault};
use serde_json::json;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// The folder with a campaign's faults, next to the folder with its findings.
pub const FAULTS: &str = "faults";

/// The fault folder of the case at this place, next to the campaign's findings folder.
pub(crate) fn folder(findings: &Path, ordinal: u64) -> PathBuf {
    findings.with_file_name(FAULTS).join(format!("{ordinal:06}"))
}

/// Writes a fault.
pub(crate) fn write(path: &Path, header: &Header, id: CaseId, fault: &Fault) -> io::Result<()> {
    fs::create_dir_all(path)?;
    for (name, text) in &fault.files {
        fs::write(path.join(name), text)?;
    }
    let record = json!({ "id": id.to_string(), "fault": fault.words, "campaign": header });
    let text = serde_json::to_string_pretty(&record).expect("a record is plain data");
    fs::write(path.join("fault.json"), text + "\n")
}

//! A finding's folder: everything that is needed to reproduce it. Only this module writes and reads
//! it.
//!
//! ```text
//! finding.json   what was found, where, how sure, and the case's origin
//! README.txt     the finding in words, and the commands that show it again
//! stdout.txt, stderr.txt   what the target said
//! run-TARGET.py  runs the target without assay, if it is a library
//! seed.smt2      in the folder of a reduced mutant: the formula that its mutations are applied to
//! reduced/       a smaller case that shows the same, in a folder of the same form
//! ```
//!
//! and, by the kind of subject,
//!
//! ```text
//! case.smt2      a formula in standard SMT-LIB; input.smt2: as the target received it
//! witness.smt2   a model that satisfies it, if it is satisfiable
//! proof.txt      another tool's proof that it is unsatisfiable, if that is how its truth is known
//! program.c      a C program; input.c: as the target received it
//! source.smt2    the formula that the program was made from, if any; witness.smt2 is its model
//! witness.c      the inputs on which the program reaches its error: gcc program.c witness.c
//! trace.txt      operations on an abstract domain; picture.svg shows its elements, and plan.json how it
//!                was found
//! ```

mod dossier;
mod record;

pub use dossier::Dossier;
pub use record::{FindingRecord, Matter, Other};

use crate::confirm::Settled;
use crate::file::FileError;
use crate::kind::handling;
use crate::replay::read_text;
use crate::shown::shown;
use assay_case::TestCase;
use assay_smtlib::bytes_of;
use std::path::{Path, PathBuf};
use std::{fs, io};

/// Why a finding's folder cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// The folder has no finding.
    #[error("{0} is not a finding's folder (it has no finding.json)")]
    NoFinding(PathBuf),
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
}

/// Reads a file in a finding's folder.
pub(crate) fn read_file(folder: &Path, name: &str) -> Result<String, FolderError> {
    Ok(read_text(&folder.join(name))?)
}

/// Reads an optional file in a finding's folder.
pub(crate) fn read_optional(folder: &Path, name: &str) -> Result<Option<String>, FolderError> {
    folder.join(name).exists().then(|| read_file(folder, name)).transpose()
}

/// Writes a finding's folder. The record is written last, so a folder with a record is complete.
pub(crate) fn write_folder(
    path: &Path,
    record: &FindingRecord,
    case: &TestCase,
    settled: &Settled,
) -> io::Result<()> {
    let truth = settled.truth.as_deref().unwrap_or(case);
    let run = &settled.run;
    fs::create_dir_all(path)?;
    fs::write(path.join(record.input_file()), bytes_of(&run.input))?;
    fs::write(path.join(record.case_file()), bytes_of(truth.text()))?;
    for (name, bytes) in handling(record.subject).files(truth) {
        fs::write(path.join(name), bytes)?;
    }
    for attachment in &run.attachments {
        fs::write(path.join(attachment.file), &attachment.text)?;
    }
    fs::write(path.join("stdout.txt"), &run.stdout)?;
    fs::write(path.join("stderr.txt"), &run.stderr)?;
    for script in record.scripts() {
        fs::write(path.join(&script.file), &script.text)?;
    }
    let words = words(record, truth.text(), &run.stdout);
    fs::write(path.join("README.txt"), shown(&words))?;
    record.write(path)
}

/// The file with the formula that a mutant's mutations are applied to.
pub(crate) const SEED: &str = "seed.smt2";

/// Writes what the mutations of a reduced mutant are applied to into its folder.
pub(crate) fn write_seed(path: &Path, text: &str) -> io::Result<()> {
    fs::write(path.join(SEED), bytes_of(text))
}

/// The finding in words.
fn words(record: &FindingRecord, text: &str, stdout: &str) -> String {
    let FindingRecord { kind, target, case, evidence, answer, .. } = record;
    let truth = record.truth().map_or(String::new(), |truth| format!("{truth}.\n"));
    let mut words = format!(
        "{} of {target} on {case} ({})\n\n{truth}The answer was {answer}; {evidence}.\n",
        kind.name(),
        record.stability.name()
    );
    if let Some(core) = &record.core {
        words += &format!("The only minimal core is {}.\n", core.join(" "));
    }
    if !record.options.is_empty() {
        words += &format!("It ran with {}.\n", record.options.join(" "));
    }
    words.extend(record.runs().map(|runs| format!("{runs}\n")));
    if record.law.is_some() {
        words += &format!("\n{text}\n");
        let elements: String = stdout.lines().map(|element| format!("  {element}\n")).collect();
        if !elements.is_empty() {
            words += &format!("The elements, in the order of the trace:\n{elements}");
        }
    }
    if !record.seeds.is_empty() {
        words += &format!("\nIt was made from {} by\n", record.seeds.join(", "));
        words.extend(record.trace.iter().map(|step| format!("  {step}\n")));
    }
    words + "\n" + &record.again()
}

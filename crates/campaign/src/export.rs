//! Cases as files: what `assay gen` writes, and `index.jsonl` with their ground truth.

use crate::file::FileError;
use crate::header::Header;
use crate::kind::handling;
use assay_case::{CaseId, Category, Fault, Kind, MakeError, Selection, Suite, TestCase};
use assay_smtlib::Dialect;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// A case as it is written.
pub struct Written {
    /// Its file, relative to the folder.
    pub file: String,
    /// The text of the file.
    pub text: String,
    /// Further files, with their texts.
    pub beside: Vec<(String, String)>,
    /// The fields of the index that only this kind has.
    pub record: Value,
}

/// The folder that is written.
pub(crate) struct Folder {
    path: PathBuf,
    index: BufWriter<File>,
    /// The latest folder of a category; cases of one category mostly come together.
    latest: PathBuf,
}

impl Folder {
    pub(crate) fn create(path: &Path, kind: Kind) -> Result<Folder, FileError> {
        fs::create_dir_all(path).map_err(|error| FileError::new(path, error))?;
        let index = path.join("index.jsonl");
        let file = File::create(&index).map_err(|error| FileError::new(&index, error))?;
        let index = BufWriter::new(file);
        let mut folder = Folder { path: path.into(), index, latest: PathBuf::new() };
        for (name, text) in handling(kind).shared_files() {
            folder.write(name, text)?;
        }
        Ok(folder)
    }

    pub(crate) fn write(&mut self, name: &str, text: &str) -> Result<(), FileError> {
        let path = self.path.join(name);
        let parent = path.parent().unwrap_or(&self.path);
        if self.latest != parent {
            fs::create_dir_all(parent).map_err(|error| FileError::new(parent, error))?;
            self.latest = parent.into();
        }
        fs::write(&path, text).map_err(|error| FileError::new(&path, error))
    }

    pub(crate) fn record(&mut self, record: &Value) -> Result<(), FileError> {
        let written = writeln!(self.index, "{record}");
        written.map_err(|error| FileError::new("index.jsonl", error))
    }

    pub(crate) fn finish(mut self) -> Result<(), FileError> {
        self.index.flush().map_err(|error| FileError::new("index.jsonl", error))
    }
}

/// An event while cases are written.
pub enum Exporting<'e> {
    /// A case, if there is no folder.
    Text(&'e str),
    /// We failed to make a case.
    Fault(CaseId, &'e Fault),
}

/// The numbers of cases that were written and left out.
#[derive(Default)]
pub struct Exported {
    /// The number of cases.
    pub written: u64,
    /// The cases that were left out, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The number of cases that we failed to make.
    pub faults: u64,
}

/// Why cases cannot be written.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    /// A file cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// No case can be made.
    #[error(transparent)]
    Make(#[from] MakeError),
}

/// Writes the cases of a campaign into a folder, or hands over their texts.
///
/// # Errors
/// If no case can be made, or a file cannot be written.
pub fn export(
    campaign: &Header,
    suite: &dyn Suite,
    dialect: Dialect,
    out: Option<&Path>,
    tell: &mut dyn FnMut(Exporting<'_>),
) -> Result<Exported, ExportError> {
    let categories = suite.categories();
    let mut folder = out.map(|out| Folder::create(out, campaign.kind())).transpose()?;
    let mut exported = Exported::default();
    for id in suite.cases(&campaign.selection()) {
        let made = suite.make(id).and_then(|case| {
            let written = handling(case.kind()).written(&case, dialect);
            Ok((written.map_err(MakeError::Unsuitable)?, case))
        });
        let (written, case) = match made {
            Ok(made) => made,
            Err(MakeError::Unsuitable(reason)) => {
                *exported.left_out.entry(reason).or_default() += 1;
                continue;
            }
            Err(MakeError::Fault(fault)) => {
                exported.faults += 1;
                tell(Exporting::Fault(id, &fault));
                continue;
            }
            Err(error) => return Err(error.into()),
        };
        match &mut folder {
            None => tell(Exporting::Text(&written.text)),
            Some(folder) => {
                folder.write(&written.file, &written.text)?;
                for (name, text) in &written.beside {
                    folder.write(name, text)?;
                }
                folder.record(&record(id, &case, &categories[id.category as usize], written))?;
            }
        }
        exported.written += 1;
    }
    folder.map_or(Ok(()), Folder::finish)?;
    Ok(exported)
}

/// What `index.jsonl` says about a case.
fn record(id: CaseId, case: &TestCase, category: &Category, written: Written) -> Value {
    let origin = case.origin();
    let mut record = json!({
        "file": written.file,
        "suite": origin.suite,
        "category": category.name,
        "operation": category.group,
        "rules": origin.rules,
        "expected": case.expected().name(),
        "origin": {
            "case": id.to_string(),
            "seed": origin.seed,
            "index": origin.index.to_string(),
            "seeds": origin.seeds,
            "trace": origin.trace,
        },
    });
    if let (Some(record), Value::Object(more)) = (record.as_object_mut(), written.record) {
        record.extend(more);
    }
    record
}

/// The number of chosen cases, by category or by category and operation.
#[must_use]
pub fn counts(suite: &dyn Suite, selection: &Selection, by_operation: bool) -> Vec<(String, u64)> {
    let categories = suite.categories();
    let mut counts = vec![0u64; categories.len()];
    suite.cases(selection).for_each(|id| counts[id.category as usize] += 1);
    let mut lines: Vec<(String, u64)> = Vec::new();
    for (category, count) in categories.iter().zip(counts) {
        if !selection.wants(category) {
            continue;
        }
        let name = match by_operation {
            true => format!("{} {}", category.name, category.group),
            false => category.name.clone(),
        };
        match lines.iter_mut().find(|(known, _)| *known == name) {
            Some((_, sum)) => *sum += count,
            None => lines.push((name, count)),
        }
    }
    lines
}

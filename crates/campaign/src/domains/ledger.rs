//! The results of a search on domains: a row for each law and target, and finding folders.

use super::symptom::{DEATHS, SURVIVAL};
use super::{DomainError, DomainFinding, DomainTally, Exhibit, Symptom};
use crate::file::FileError;
use crate::folder::{FindingRecord, write_folder};
use crate::header::Header;
use crate::outcome::Outcome;
use crate::rows::{Shows, Stored};
use crate::run::folder_name;
use crate::store::Results;
use crate::units::counted;
use assay_case::{CaseId, Category, Expected, Grade, Kind};
use assay_lattice::protocol::Plan;
use assay_lattice::{Input, LAWS, Law};
use assay_target::spec::KnownBug;
use assay_target::{Attachment, Library};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// How a trace was found: the contents of `plan.json`.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct Recipe {
    /// The plan that found it.
    pub plan: Plan,
    /// The bytes that the plan made the trace from, with more assertions than this one.
    pub input: Option<Input>,
}

impl Recipe {
    /// The file of a finding's folder that holds it.
    pub const FILE: &str = "plan.json";
}

/// The categories of a campaign on domains: the class and name of each law, then the kinds of
/// crash.
#[must_use]
pub fn domain_categories() -> Vec<Category> {
    let category = |name: &str, group: &str| Category {
        name: name.to_owned(),
        group: group.to_owned(),
        expected: Expected::Law,
    };
    let laws = LAWS.iter().map(|law| category(law.class.name(), law.name));
    laws.chain(DEATHS.map(|death| category(SURVIVAL, death))).collect()
}

/// The results of one target; findings are written as soon as they are reported.
pub struct Ledger<'l> {
    results: &'l mut Results,
    findings: PathBuf,
    target: usize,
    name: String,
    bugs: Vec<&'l KnownBug>,
    header: Header,
    categories: Vec<Category>,
    rows: BTreeMap<usize, Stored>,
}

impl<'l> Ledger<'l> {
    /// A ledger for the target with this index and name and these known bugs, with finding folders
    /// in `findings`.
    ///
    /// # Errors
    /// Fails if the results cannot be read.
    pub fn new(
        results: &'l mut Results,
        findings: &Path,
        (target, name): (usize, &str),
        bugs: Vec<&'l KnownBug>,
    ) -> Result<Ledger<'l>, DomainError> {
        let header = results.header()?;
        let (findings, name) = (findings.to_owned(), name.to_owned());
        let (categories, rows) = (domain_categories(), BTreeMap::new());
        Ok(Ledger { results, findings, target, name, bugs, header, categories, rows })
    }

    /// The known bug that may explain a finding.
    #[must_use]
    pub fn known(&self, finding: &DomainFinding) -> Option<&'l KnownBug> {
        finding.symptom.known(&finding.smallest().trace, &self.bugs)
    }

    fn row(&self, at: usize) -> Stored {
        Stored {
            target: self.target,
            ordinal: at as u64,
            id: CaseId { category: u32::try_from(at).expect("laws are few"), index: 0 },
            expected: Some(Expected::Law),
            outcome: Outcome::Holds,
            elapsed: Duration::ZERO,
            shows: Shows::Nothing,
            detail: None,
        }
    }

    /// Writes a finding, or updates one that was written before.
    ///
    /// # Errors
    /// Fails if the finding cannot be written.
    pub fn keep(
        &mut self,
        finding: &DomainFinding,
        library: &Library<'_>,
    ) -> Result<(), DomainError> {
        let symptom = &finding.symptom;
        let named = |category: &Category| category.group == symptom.name();
        let at = self.categories.iter().position(named).expect("every law has its category");
        // A law may be broken softly first and firmly later; then the soft violation is dropped.
        let firm = |row: &Stored| matches!(row.shows, Shows::Finding(..));
        if !symptom.is_hard() && self.rows.get(&at).is_some_and(firm) {
            return Ok(());
        }
        let mut row = self.row(at);
        row.elapsed = finding.after;
        let settled = &finding.found.settled;
        row.outcome = Outcome::of(Kind::Trace, &settled.run.observation.answer, &settled.judgement);
        let known = self.known(finding).map(|bug| bug.id.as_str());
        row.detail = Some(match known {
            Some(id) => format!("{} [known: {id}]", detail(finding)),
            None => detail(finding),
        });
        row.shows = match symptom.kind {
            Some(kind) => Shows::Finding(kind, Grade::Certified, finding.stability()),
            None => Shows::Doubt,
        };
        let path = self.findings.join(folder_name(row.ordinal, &self.name));
        write(&path, &self.header, row.id, finding, library)?;
        self.results.append(std::slice::from_ref(&row))?;
        self.rows.insert(at, row);
        Ok(())
    }

    /// Adds a row for every law that was not broken, and returns all rows.
    ///
    /// # Errors
    /// Fails if the row cannot be made.
    pub fn close(mut self, tally: &DomainTally) -> Result<Vec<Stored>, DomainError> {
        let mut quiet = Vec::new();
        for (at, category) in self.categories.iter().enumerate() {
            if self.rows.contains_key(&at) {
                continue;
            }
            let mut row = self.row(at);
            if category.name != SURVIVAL {
                let tried = tally.counts.get(&category.group).copied().unwrap_or(0);
                if tried == 0 {
                    row.outcome = Outcome::Skipped;
                }
                row.detail = Some(untouched(tally, &category.group, tried));
            }
            quiet.push((at, row));
        }
        self.results.append(&quiet.iter().map(|(_, row)| row.clone()).collect::<Vec<_>>())?;
        self.rows.extend(quiet);
        Ok(self.rows.into_values().collect())
    }
}

/// The detail of a law that was not broken.
fn untouched(tally: &DomainTally, law: &str, tried: u64) -> String {
    match tried {
        0 if tally.laws.iter().any(|known| known == law) => {
            "it was never tried: its premises never held"
        }
        0 => "the domain does not promise what the law needs, or the law was not selected",
        _ => return format!("tried {}", counted(tried, "time")),
    }
    .to_owned()
}

/// The evidence on one line.
fn detail(finding: &DomainFinding) -> String {
    let evidence = finding.smallest().evidence();
    let law = finding.symptom.law.as_deref().and_then(Law::find);
    match law {
        Some(law) => format!("{}: {law}; {evidence}", law.title()),
        None => evidence,
    }
}

fn write(
    path: &Path,
    header: &Header,
    id: CaseId,
    finding: &DomainFinding,
    library: &Library<'_>,
) -> Result<(), DomainError> {
    let failed = |error| DomainError::File(FileError::new(path, error));
    let clear = |folder: &Path| match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    };
    let name = path.file_name().expect("a finding has a name").to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}"));
    clear(&fresh)?;
    let recipe = Recipe { plan: finding.plan.clone(), input: finding.input.clone() };
    let text = serde_json::to_string_pretty(&recipe).expect("a recipe is plain data") + "\n";
    let mut found = finding.found.clone();
    found.settled.run.attachments.push(Attachment { file: Recipe::FILE, text });
    let case = finding.symptom.case(&found.trace);
    let record = FindingRecord::new(header, id, &case, library, &found.settled);
    write_folder(&fresh, &record, &case, &found.settled).map_err(failed)?;
    if let Some(reduced) = &finding.reduced {
        write_reduced(&fresh, &record, &finding.symptom, reduced, library).map_err(failed)?;
    }
    replace(&fresh, path).map_err(failed)?;
    clear(&fresh)
}

/// Replaces an older folder, which may hold a soft violation or an unreduced trace. The two are
/// exchanged atomically: if the process is killed, one or the other remains, complete.
fn replace(fresh: &Path, path: &Path) -> std::io::Result<()> {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    if !path.exists() {
        return std::fs::rename(fresh, path);
    }
    Ok(renameat_with(CWD, fresh, CWD, path, RenameFlags::EXCHANGE)?)
}

/// Writes the inputs that showed something new, a file for each; gives the folder.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn keep_corpus(
    folder: &Path,
    (target, name): (usize, &str),
    corpus: &[Input],
) -> Result<PathBuf, DomainError> {
    let path = folder.join("corpus").join(folder_name(target as u64, name));
    let failed = |error| FileError::new(&path, error);
    std::fs::create_dir_all(&path).map_err(failed)?;
    for (at, input) in corpus.iter().enumerate() {
        std::fs::write(path.join(format!("{at:06}")), &input.0).map_err(failed)?;
    }
    Ok(path)
}

/// Writes a smaller trace that shows the same finding into its folder.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn keep_reduced(
    folder: &Path,
    record: &FindingRecord,
    symptom: &Symptom,
    reduced: &Exhibit,
    library: &Library<'_>,
) -> Result<PathBuf, DomainError> {
    write_reduced(folder, record, symptom, reduced, library)
        .map_err(|error| FileError::new(folder, error).into())
}

fn write_reduced(
    folder: &Path,
    record: &FindingRecord,
    symptom: &Symptom,
    reduced: &Exhibit,
    library: &Library<'_>,
) -> std::io::Result<PathBuf> {
    let case = symptom.case(&reduced.trace);
    let id = record.id.parse().unwrap_or(CaseId { category: 0, index: 0 });
    let made = FindingRecord::new(&record.campaign, id, &case, library, &reduced.settled);
    let record = FindingRecord { reduced: true, stability: record.stability, ..made };
    let path = folder.join("reduced");
    write_folder(&path, &record, &case, &reduced.settled)?;
    Ok(path)
}

//! What a search on domains leaves behind: a row for each law and target, and findings' folders.

use super::{DomainError, DomainFault, DomainFinding, DomainTally, Exhibit, Symptom};
use crate::folder::FindingRecord;
use crate::header::Header;
use crate::outcome::Outcome;
use crate::rows::{Shows, Stored};
use crate::run::folder_name;
use crate::shown::shown;
use crate::store::Results;
use assay_case::{CaseId, Category, Expected, Grade, Severity};
use assay_lattice::protocol::Plan;
use assay_lattice::{Input, LAWS, Law};
use assay_target::spec::KnownBug;
use assay_target::{ByHand, shell_word};
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What `finding.json` says of a program about abstract domains.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub struct DomainRecord {
    /// What is wrong, and by which law.
    #[serde(flatten)]
    pub symptom: Symptom,
    /// The law in words: `meet(top, x) == x`.
    pub statement: Option<String>,
    /// The class of the law.
    pub class: Option<String>,
    /// The elements of the program in words.
    pub elements: Vec<String>,
    /// The plan that found it.
    pub plan: Plan,
    /// The bytes that the plan made the program from, with more assertions than this one.
    pub input: Option<Input>,
    /// The known bug that may explain it, by its name in the target's file.
    #[serde(default)]
    pub known: Option<String>,
}

/// The category of what no law speaks of: that the library survives.
const SURVIVAL: &str = "survival";

/// The categories of a campaign on domains: for each law its class and its name, then the ways to
/// die.
#[must_use]
pub fn domain_categories() -> Vec<Category> {
    let category = |name: &str, group: &str| Category {
        name: name.to_owned(),
        group: group.to_owned(),
        expected: Expected::Law,
    };
    let laws = LAWS.iter().map(|law| category(law.class.name(), law.name));
    laws.chain(DomainFault::DEATHS.map(|death| category(SURVIVAL, death.name()))).collect()
}

/// What is known of one target: findings are written as soon as they are told.
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
    /// For the target of this number and name with these known bugs, whose findings go into folders
    /// of `findings`.
    ///
    /// # Errors
    /// Where the results cannot be read.
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
        finding.symptom.known(&finding.smallest().program, &self.bugs)
    }

    fn row(&self, at: usize) -> Stored {
        Stored {
            target: self.target,
            ordinal: at as u64,
            id: CaseId { category: u32::try_from(at).expect("laws are few"), index: 0 },
            outcome: Outcome::Holds,
            elapsed: Duration::ZERO,
            shows: Shows::Nothing,
            detail: None,
        }
    }

    /// Writes a finding, or what is new about one that was written before.
    ///
    /// # Errors
    /// Where that is not possible.
    pub fn keep(&mut self, finding: &DomainFinding) -> Result<(), DomainError> {
        let symptom = &finding.symptom;
        let named = |category: &Category| category.group == symptom.name();
        let at = self.categories.iter().position(named).expect("every law has its category");
        // A law may be broken softly first and firmly later; then the soft violation is forgotten.
        let firm = |row: &Stored| matches!(row.shows, Shows::Finding(..));
        if !symptom.is_hard() && self.rows.get(&at).is_some_and(firm) {
            return Ok(());
        }
        let mut row = self.row(at);
        row.elapsed = finding.after;
        row.outcome = outcome(symptom.fault);
        let known = self.known(finding).map(|bug| bug.id.as_str());
        row.detail = Some(match known {
            Some(id) => format!("{} [known: {id}]", detail(finding)),
            None => detail(finding),
        });
        row.shows = match symptom.fault.kind() {
            Some(kind) => Shows::Finding(kind, Grade::Certified, finding.stability),
            None => Shows::Doubt,
        };
        let path = self.findings.join(folder_name(row.ordinal, &self.name));
        write(&path, &self.header, (row.id, &self.categories[at]), finding, known)?;
        self.results.append(std::slice::from_ref(&row))?;
        self.rows.insert(at, row);
        Ok(())
    }

    /// Adds a row for every law that was not broken; gives all rows.
    ///
    /// # Errors
    /// Where that is not possible.
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

/// What is to be said of a law that was not broken.
fn untouched(tally: &DomainTally, law: &str, tried: u64) -> String {
    match tried {
        0 if tally.laws.iter().any(|known| known == law) => {
            "it was never tried: its premises never held"
        }
        0 => "the domain does not promise what the law needs, or it was not asked for",
        _ => return format!("tried {tried} times"),
    }
    .to_owned()
}

fn outcome(fault: DomainFault) -> Outcome {
    match fault {
        DomainFault::Unsound | DomainFault::Imprecise | DomainFault::Restless => Outcome::Violated,
        DomainFault::Soft => Outcome::Unknown,
        DomainFault::Hang => Outcome::Timeout,
        DomainFault::Crash | DomainFault::Flood => Outcome::Error,
    }
}

/// What shows it, in a line.
fn detail(finding: &DomainFinding) -> String {
    let evidence = &finding.smallest().evidence;
    let law = finding.symptom.law.as_deref().and_then(Law::find);
    match law {
        Some(law) => format!("{}: {law}; {evidence}", law.title()),
        None => evidence.clone(),
    }
}

fn write(
    path: &Path,
    header: &Header,
    case: (CaseId, &Category),
    finding: &DomainFinding,
    known: Option<&str>,
) -> Result<(), DomainError> {
    let failed = |source| DomainError::Finding { path: path.to_owned(), source };
    let clear = |folder: &Path| match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(failed(error)),
        _ => Ok(()),
    };
    let name = path.file_name().expect("a finding has a name").to_string_lossy();
    let fresh = path.with_file_name(format!(".{name}"));
    clear(&fresh)?;
    let mut record = record(header, case, finding, &finding.found);
    if let Some(domain) = &mut record.domain {
        domain.known = known.map(str::to_owned);
    }
    write_folder(&fresh, &record, &finding.found).map_err(failed)?;
    if let Some(reduced) = &finding.reduced {
        write_reduced(&fresh, &record, reduced).map_err(failed)?;
    }
    // What may be there is about a soft violation, or not yet reduced. It stays until all is written, so
    // that whoever kills us now finds one or the other.
    clear(path)?;
    std::fs::rename(&fresh, path).map_err(failed)
}

/// Writes the inputs that showed something new, a file for each; gives the folder.
///
/// # Errors
/// Where that is not possible.
pub fn keep_corpus(
    folder: &Path,
    (target, name): (usize, &str),
    corpus: &[Input],
) -> Result<PathBuf, DomainError> {
    let path = folder.join("corpus").join(folder_name(target as u64, name));
    let failed = |source| DomainError::Finding { path: path.clone(), source };
    std::fs::create_dir_all(&path).map_err(failed)?;
    for (at, input) in corpus.iter().enumerate() {
        std::fs::write(path.join(format!("{at:06}")), &input.0).map_err(failed)?;
    }
    Ok(path)
}

/// Writes a smaller program that shows the same beside a finding.
///
/// # Errors
/// Where that is not possible.
pub fn keep_reduced(
    folder: &Path,
    record: &FindingRecord,
    reduced: &Exhibit,
) -> Result<PathBuf, DomainError> {
    write_reduced(folder, record, reduced)
        .map_err(|source| DomainError::Finding { path: folder.to_owned(), source })
}

fn write_reduced(
    folder: &Path,
    record: &FindingRecord,
    reduced: &Exhibit,
) -> std::io::Result<PathBuf> {
    let mut record = record.clone();
    record.reduced = true;
    record.evidence.clone_from(&reduced.evidence);
    if let Some(domain) = &mut record.domain {
        domain.elements.clone_from(&reduced.elements);
    }
    let path = folder.join("reduced");
    write_folder(&path, &record, reduced)?;
    Ok(path)
}

fn write_folder(path: &Path, record: &FindingRecord, exhibit: &Exhibit) -> std::io::Result<()> {
    std::fs::create_dir_all(path)?;
    std::fs::write(path.join(FindingRecord::PROGRAM), &exhibit.program)?;
    std::fs::write(path.join("README.txt"), shown(&words(record, &exhibit.program)))?;
    if let Some(picture) = &exhibit.picture {
        std::fs::write(path.join(FindingRecord::PICTURE), picture)?;
    }
    // Last, so that a folder with a record is complete.
    record.write(path)
}

fn record(
    header: &Header,
    (id, category): (CaseId, &Category),
    finding: &DomainFinding,
    exhibit: &Exhibit,
) -> FindingRecord {
    let DomainFinding { symptom, target, stability, plan, .. } = finding;
    let law = symptom.law.as_deref().and_then(Law::find);
    let kind = symptom.fault.kind();
    let severity = kind.map_or(Severity::Note, |kind| kind.severity());
    let why = match law {
        Some(law) => format!("law {}: {law}", law.title()),
        None => "a library of domains neither dies nor hangs nor floods its output".to_owned(),
    };
    FindingRecord {
        kind: kind.map_or(symptom.fault.name(), |kind| kind.name()).to_owned(),
        severity: severity.name().to_owned(),
        grade: Grade::Certified.name().to_owned(),
        stability: *stability,
        evidence: exhibit.evidence.clone(),
        expected: Outcome::Holds.name().to_owned(),
        why,
        core: None,
        answer: outcome(symptom.fault).name().to_owned(),
        seconds: finding.after.as_secs_f64(),
        target: target.clone(),
        by_hand: Some(ByHand::plain(format!(
            "assay replay {} --target {}",
            FindingRecord::PROGRAM,
            shell_word(target)
        ))),
        options: Vec::new(),
        against: Vec::new(),
        containment: "a worker process".to_owned(),
        sandbox: String::new(),
        case: format!("{}/{}/{}", category.name, category.group, id.index),
        id: id.to_string(),
        category: category.name.clone(),
        rules: symptom.law.iter().cloned().collect(),
        seeds: Vec::new(),
        trace: Vec::new(),
        reduced: false,
        domain: Some(DomainRecord {
            symptom: symptom.clone(),
            statement: law.map(ToString::to_string),
            class: law.map(|law| law.class.name().to_owned()),
            elements: exhibit.elements.clone(),
            plan: plan.clone(),
            input: finding.input.clone(),
            known: None,
        }),
        campaign: header.clone(),
    }
}

fn words(record: &FindingRecord, program: &str) -> String {
    let FindingRecord { kind, target, stability, evidence, why, .. } = record;
    let mut words =
        format!("{kind} of {target} ({})\n\n{why}\n\n{program}\n{evidence}\n", stability.name());
    if let Some(known) = record.domain.as_ref().and_then(|domain| domain.known.as_ref()) {
        words += &format!("\nPerhaps the known bug `{known}`.\n");
    }
    let elements = record.domain.as_ref().map_or(&[][..], |domain| &domain.elements);
    if !elements.is_empty() {
        words += "\nThe elements, in the order of the program:\n";
        words.extend(elements.iter().map(|element| format!("  {element}\n")));
    }
    words + "\n" + &record.again()
}

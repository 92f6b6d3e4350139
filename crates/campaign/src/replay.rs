//! The case of a finding's folder, or of a user's file, ready to be run again.

use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError};
use crate::kind::handling;
use assay_case::{
    Answer, CaseId, Comparison, Contradiction, Expected, Grade, Judgement, Kind, MakeError,
    Observation, Origin, Refutation, Statement, Suite, TestCase, compare, contradicts, judge,
    outvoted, refutation,
};
use assay_target::TargetName;
use std::fmt;
use std::path::Path;

/// The case to run, and its truth, which may have become known only after the case was made.
pub struct Replayed {
    /// The case to run.
    pub case: TestCase,
    /// The case with its truth.
    pub truth: TestCase,
    /// Why the case was read from its files although a suite generates it.
    pub note: Option<String>,
}

impl From<TestCase> for Replayed {
    fn from(case: TestCase) -> Replayed {
        Replayed { truth: case.clone(), case, note: None }
    }
}

/// Why there is no case to replay.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A finding's folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
}

/// A user's file.
pub struct File<'f> {
    /// Its path.
    pub path: &'f Path,
    /// Its contents.
    pub text: String,
    /// A file with a model, if the user gave one.
    pub model: Option<&'f Path>,
}

impl File<'_> {
    /// An error in the file.
    pub(crate) fn wrong(&self, what: impl fmt::Display) -> ReplayError {
        FileError::new(self.path, what).into()
    }
}

/// Reads a text in any encoding.
pub(crate) fn read_text(path: &Path) -> Result<String, FileError> {
    let bytes = std::fs::read(path).map_err(|error| FileError::new(path, error))?;
    Ok(assay_smtlib::text_of(&bytes).into_owned())
}

/// The kind of subject in a file: by its name and text, otherwise by the given targets, otherwise a
/// formula.
#[must_use]
pub fn kind_of_file(path: &Path, targets: &[TargetName]) -> Kind {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let all = || Kind::ALL.iter().copied();
    let found = all().find(|&kind| handling(kind).is_in(path, &text));
    let wanted = || all().find(|&kind| targets.iter().any(|name| handling(kind).is_for(name)));
    found.or_else(wanted).unwrap_or(Kind::Formula)
}

/// The case of a file: its truth is what the file, or the task next to it, declares; a model is
/// checked.
///
/// # Errors
/// Fails if the file or the model cannot be read or is invalid.
pub fn case_of_file(
    path: &Path,
    kind: Kind,
    model: Option<&Path>,
) -> Result<TestCase, ReplayError> {
    let subject = handling(kind).of_file(&File { path, text: read_text(path)?, model })?;
    Ok(TestCase::new(path.display().to_string(), subject, Origin::default()))
}

/// The case in a finding's folder.
///
/// # Errors
/// Fails if a file is missing or invalid.
pub fn kept_case(folder: &Path, record: &FindingRecord) -> Result<TestCase, FolderError> {
    let subject = handling(record.subject).read(folder, record)?;
    Ok(TestCase::new(&record.case, subject, Origin::default()))
}

/// The case of a finding: generated again by its suite, so that its truth is as certain as it was;
/// read from its files if the suite now generates a different case or none.
///
/// # Errors
/// Fails if the files cannot be read.
pub fn case_of_finding(
    folder: &Path,
    record: &FindingRecord,
    suite: Option<&dyn Suite>,
) -> Result<Replayed, ReplayError> {
    let kept = kept_case(folder, record)?;
    let note = match suite.filter(|_| !record.reduced).map(|suite| remade(suite, record)) {
        None => None,
        Some(Ok(case)) if case.text() == kept.text() => {
            return Ok(with_evidence(case, kept));
        }
        Some(Ok(_)) => Some("this version makes a different case for this number".to_owned()),
        Some(Err(error)) => Some(format!("the case cannot be made again ({error})")),
    };
    Ok(Replayed { note, ..kept.into() })
}

fn remade(suite: &dyn Suite, record: &FindingRecord) -> Result<TestCase, MakeError> {
    let id: CaseId = record.id.parse()?;
    suite.make(id)
}

/// A case whose truth became certain later, if its own truth is not certain.
fn with_evidence(case: TestCase, kept: TestCase) -> Replayed {
    let certain = Some(Grade::Certified);
    let better = case.grade() != certain && kept.grade() == certain;
    let truth = if better { kept } else { case.clone() };
    Replayed { case, truth, note: None }
}

/// The case as targets receive it: if unsat is only declared, also with a request for a model,
/// since a model would decide.
#[must_use]
pub fn asked(case: &TestCase) -> TestCase {
    let declared = case.expected() == Expected::Unsat && case.grade() == Some(Grade::Declared);
    case.open().filter(|_| declared).unwrap_or_else(|| case.clone())
}

/// The judgement of several tools' answers to a case.
pub struct Judged {
    /// One judgement per tool.
    pub judgements: Vec<Judgement>,
    /// The refuted declaration, if it is wrong.
    pub refuted: Option<Refutation>,
}

/// Judges each tool's answer, and compares them if no truth is known.
#[must_use]
pub fn judge_all(truth: &TestCase, said: &[(&str, &Observation)]) -> Judged {
    let all = |truth: &TestCase| -> Vec<Judgement> {
        said.iter().map(|(who, seen)| judge(truth, seen).about(who)).collect()
    };
    let statements: Vec<Statement<'_>> =
        said.iter().map(|&(who, seen)| Statement { who, seen }).collect();
    match compare(truth, &statements) {
        Comparison::Agreed => Judged { judgements: all(truth), refuted: None },
        Comparison::Contested => {
            let refuted = outvoted(truth, &statements);
            let opposed = |answer: &Answer| {
                truth.as_formula().is_some_and(|test| contradicts(answer, test.oracle()))
            };
            let judgement = |(&(who, seen), own): (&(&str, &Observation), Judgement)| {
                let declared = matches!(&own, Judgement::Finding(finding)
                    if finding.grade == Grade::Declared);
                match &refuted {
                    Some(refuted) if declared && opposed(&seen.answer) => {
                        let claim = Contradiction::Claim(refuted.clone());
                        Judgement::OracleContradicted(claim).about(who)
                    }
                    _ => own,
                }
            };
            let judgements = said.iter().zip(all(truth)).map(judgement).collect();
            Judged { judgements, refuted }
        }
        Comparison::Decided(proved) => {
            Judged { judgements: all(&proved), refuted: refutation(truth, &proved) }
        }
        Comparison::Disputed { suspects, finding } => {
            let mut judgements = all(truth);
            for suspect in suspects {
                judgements[suspect] = Judgement::Finding((*finding).clone());
            }
            Judged { judgements, refuted: None }
        }
    }
}

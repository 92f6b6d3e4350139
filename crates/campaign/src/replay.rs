//! The case of a finding's folder, or of a file of the user's, ready to be run again.

use crate::folder::{FindingRecord, FolderError};
use crate::kind::handling;
use crate::tool::is_domain;
use assay_case::{
    CaseId, Claim, Comparison, Expected, Formula, FormulaTest, Grade, Judgement, Kind, MakeError,
    Observation, Oracle, Origin, Program, ProgramTest, Reach, Refutation, RewriteTest, Statement,
    Subject, Suite, TestCase, Why, Witness, check_model, compare, judge, refutation,
};
use assay_lattice::Case;
use assay_program::svcomp;
use assay_rewrite::with_assignments;
use assay_target::TargetName;
use std::path::{Path, PathBuf};

/// What is run, and the truth about it, which may have become known only after it was made.
pub struct Replayed {
    /// What is run.
    pub case: TestCase,
    /// The truth.
    pub truth: TestCase,
    /// Why the case was taken from its files although a suite made it.
    pub note: Option<String>,
}

impl From<TestCase> for Replayed {
    fn from(case: TestCase) -> Replayed {
        Replayed { truth: case.clone(), case, note: None }
    }
}

/// Why there is no case.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// A finding's folder cannot be used.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be used.
    #[error("{path}: {what}")]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

fn wrong(path: &Path, what: impl std::fmt::Display) -> ReplayError {
    ReplayError::File { path: path.to_owned(), what: what.to_string() }
}

fn read(path: &Path) -> Result<String, ReplayError> {
    let bytes = std::fs::read(path).map_err(|error| wrong(path, error))?;
    Ok(assay_smtlib::text_of(&bytes).into_owned())
}

/// The kind of subject that a file holds. A file that is to be run on abstract domains is a trace, even
/// one with a mistake in it.
#[must_use]
pub fn kind_of_file(path: &Path, targets: &[TargetName]) -> Kind {
    if path.extension().is_some_and(|extension| extension == "c") {
        return Kind::Program;
    }
    let head = std::fs::read_to_string(path).unwrap_or_default();
    if asks_for_rewriting(&head) {
        return Kind::Rewrite;
    }
    // The first line of a trace names the kind of elements: `octagons, 8 variables`.
    let head = head.lines().next().and_then(|line| line.split_once(','));
    let is_trace = head.is_some_and(|(_, rest)| counts_variables(rest));
    match is_trace || targets.iter().any(is_domain) {
        true => Kind::Trace,
        false => Kind::Formula,
    }
}

/// Whether a script asks for a rewriting and for nothing else.
fn asks_for_rewriting(text: &str) -> bool {
    let asks = |command: &str| text.lines().any(|line| line.starts_with(command));
    (asks("(simplify ") || asks("(apply ")) && !asks("(check-sat")
}

fn counts_variables(words: &str) -> bool {
    let mut words = words.split_whitespace();
    words.next().is_some_and(|count| count.parse::<usize>().is_ok())
        && words.next().is_some_and(|word| word.starts_with("variable"))
}

/// The case of a file: its truth is what the file, or the task beside it, declares; a model is checked.
///
/// # Errors
/// Where the file, or the model, cannot be read, or is not what it should be.
pub fn case_of_file(
    path: &Path,
    kind: Kind,
    model: Option<&Path>,
) -> Result<TestCase, ReplayError> {
    let text = read(path)?;
    let subject = match kind {
        Kind::Formula => Subject::Formula(Box::new(formula(path, text, model)?)),
        Kind::Program => Subject::Program(Box::new(program(path, text)?)),
        Kind::Trace => return trace(path, text),
        Kind::Rewrite => {
            let test = RewriteTest::read(&text).map_err(|error| wrong(path, error))?;
            Subject::Rewrite(Box::new(with_assignments(test)))
        }
    };
    Ok(TestCase::new(path.display().to_string(), subject, Origin::default()))
}

fn formula(path: &Path, text: String, model: Option<&Path>) -> Result<FormulaTest, ReplayError> {
    let mut formula = Formula::read(text).map_err(|error| wrong(path, error))?;
    let declared = || Claim::from("the file's :status");
    let oracle = match (model, formula.script().status()) {
        (Some(model), _) => checked(&mut formula, model)?,
        (None, Some("sat")) => Oracle::Sat(Witness::Declared(declared())),
        (None, Some("unsat")) => Oracle::Unsat { why: Why::Declared(declared()), core: None },
        (None, _) => Oracle::Open,
    };
    FormulaTest::new(formula, oracle).map_err(|error| wrong(path, error))
}

/// A model in a file as the truth about a formula.
fn checked(formula: &mut Formula, model: &Path) -> Result<Oracle, ReplayError> {
    let values = formula.read_model(&read(model)?).map_err(|error| wrong(model, error))?;
    let checked = check_model(formula, values).map_err(|error| wrong(model, error))?;
    Ok(Oracle::Sat(Witness::Checked(checked)))
}

/// A C program; what is true of it is what the task beside it says.
fn program(path: &Path, text: String) -> Result<ProgramTest, ReplayError> {
    let beside = path.with_extension("yml");
    let expected = match std::fs::read_to_string(&beside) {
        Ok(task) => svcomp::expected(&task).map_err(|error| wrong(&beside, error))?,
        Err(_) => None,
    };
    let why = || Why::Declared("the task file".into());
    let truth = match expected {
        Some(true) => Reach::Reachable(why()),
        Some(false) => Reach::Unreachable(why()),
        None => Reach::Open,
    };
    Ok(ProgramTest { program: Program { text, inputs: None }, truth, source: None })
}

fn trace(path: &Path, text: String) -> Result<TestCase, ReplayError> {
    let case = Case::read(&text).map_err(|error| wrong(path, error))?;
    if case.checks.is_empty() {
        let last = text.lines().count();
        let hint = "add one such as `assert order-reflexive(top)`";
        return Err(wrong(path, format!("nothing is asserted; after line {last} {hint}")));
    }
    Ok(TestCase::trace(path.display().to_string(), text, Origin::default()))
}

/// The case of a finding: made again by its suite, so that its truth is as certain as it was; from its
/// files where the suite makes another now, or none.
///
/// # Errors
/// Where the files cannot be read.
pub fn case_of_finding(
    folder: &Path,
    record: &FindingRecord,
    suite: Option<&dyn Suite>,
) -> Result<Replayed, ReplayError> {
    let kept = handling(record.subject).read(folder, record)?;
    let note = match suite.filter(|_| !record.reduced).map(|suite| remade(suite, record)) {
        None => None,
        Some(Ok(case)) if case.text() == kept.text() => {
            return Ok(with_evidence(case, kept));
        }
        Some(Ok(_)) => Some("this version makes another case of this number".to_owned()),
        Some(Err(error)) => Some(format!("the case cannot be made again ({error})")),
    };
    Ok(Replayed { note, ..kept.into() })
}

fn remade(suite: &dyn Suite, record: &FindingRecord) -> Result<TestCase, MakeError> {
    let id: CaseId = record.id.parse()?;
    suite.make(id)
}

/// A case with the model that came to light after it was made, where its own truth is not certain.
fn with_evidence(case: TestCase, kept: TestCase) -> Replayed {
    let better = case.grade() != Some(Grade::Certified)
        && case.kind() == Kind::Formula
        && kept.grade() == Some(Grade::Certified);
    let truth = if better { kept } else { case.clone() };
    Replayed { case, truth, note: None }
}

/// The case as targets are asked about it: where unsat is only declared, for a model too, since one
/// would decide.
#[must_use]
pub fn asked(case: &TestCase) -> TestCase {
    let declared = case.expected() == Expected::Unsat && case.grade() == Some(Grade::Declared);
    case.open().filter(|_| declared).unwrap_or_else(|| case.clone())
}

/// What several tools said about a case comes to.
pub struct Judged {
    /// One for each of them.
    pub judgements: Vec<Judgement>,
    /// What was declared of the case, and is wrong.
    pub refuted: Option<Refutation>,
}

/// Judges what tools said, each by itself, and all together where no truth is known.
#[must_use]
pub fn judge_all(truth: &TestCase, said: &[(&str, &Observation)]) -> Judged {
    let all = |truth: &TestCase| -> Vec<Judgement> {
        said.iter().map(|(who, seen)| judge(truth, seen).about(who)).collect()
    };
    let statements: Vec<Statement<'_>> =
        said.iter().map(|&(who, seen)| Statement { who, seen }).collect();
    match compare(truth, &statements) {
        Comparison::Agreed | Comparison::Contested => {
            Judged { judgements: all(truth), refuted: None }
        }
        Comparison::Decided(proved) => {
            Judged { judgements: all(&proved), refuted: refutation(truth, &proved) }
        }
        Comparison::Disputed { suspects, finding } => {
            let mut judgements = all(truth);
            for suspect in suspects {
                judgements[suspect] = Judgement::Finding(finding.clone());
            }
            Judged { judgements, refuted: None }
        }
    }
}

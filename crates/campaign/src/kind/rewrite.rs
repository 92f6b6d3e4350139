//! Terms to be rewritten, for solvers that simplify or apply tactics.

use super::{Exhibits, Handling, Language, Profile};
use crate::cluster::{Detail, Traits, features};
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch, reduce_claim};
use crate::replay::{File, ReplayError};
use assay_case::rewrite::Request;
use assay_case::{Answer, Judgement, RewriteTest, Subject, TestCase, applications_in};
use assay_rewrite::with_assignments;
use assay_smtlib::Printer;
use assay_target::spec;
use std::path::Path;

pub(super) struct Rewrites;

impl Handling for Rewrites {
    fn profile(&self) -> &'static Profile {
        &Profile {
            default_target: Some("z3"),
            example: "z3",
            tool: "a solver that simplifies",
            tools: spec::Kind::SmtSolver,
            input_file: "input.smt2",
            language: Language::Smt2,
            columns: &[
                Outcome::Unknown,
                Outcome::Timeout,
                Outcome::Error,
                Outcome::Rejected,
                Outcome::Skipped,
                Outcome::Holds,
                Outcome::Violated,
                Outcome::Unreadable,
            ],
            renamed: &[],
            legend: "K unknown, T timeout, E error, – not offered, H equal wherever it was tried, \
                     V different",
            clusters_reduced: false,
            numbered: true,
            exhibits: Exhibits::NONE,
            truth_hint: "a term is always equal to its result",
            output: "Output of the target",
            by_hand: "or without assay",
        }
    }

    /// A script that only asks for a rewriting.
    fn is_in(&self, _path: &Path, text: &str) -> bool {
        let asks = |command: &str| text.lines().any(|line| line.starts_with(command));
        (asks("(simplify ") || asks("(apply ")) && !asks("(check-sat")
    }

    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError> {
        let test = RewriteTest::read(&file.text).map_err(|error| file.wrong(error))?;
        Ok(with_assignments(test).into())
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError> {
        Ok(with_assignments(read_test(folder, record)?).into())
    }

    fn essence(&self, text: &str) -> String {
        RewriteTest::read(text).map_or_else(|_| text.to_owned(), |test| essence(&test))
    }

    fn outcome(&self, answer: &Answer, judgement: &Judgement) -> Option<Outcome> {
        match (answer, judgement) {
            (Answer::Rewritten(_), Judgement::Finding(_)) => Some(Outcome::Violated),
            (Answer::Rewritten(_), Judgement::Inconclusive(_)) => Some(Outcome::Unreadable),
            (Answer::Rewritten(_), _) => Some(Outcome::Holds),
            _ => None,
        }
    }

    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError> {
        reduce_claim(job, watch)
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        Ok(traits(&read_test(folder, record)?))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        case.as_test().map_or_else(Traits::default, traits)
    }
}

fn read_test(folder: &Path, record: &FindingRecord) -> Result<RewriteTest, FolderError> {
    let test = RewriteTest::read(&read_file(folder, record.case_file())?);
    Ok(test.map_err(|error| FileError::new(folder.join(record.case_file()), error))?)
}

fn traits(test: &RewriteTest) -> Traits {
    let applications = applications_in(test.store(), &[test.term()]);
    Traits {
        features: features(&applications),
        essence: essence(test),
        part: match test.request() {
            Request::Simplify { .. } => None,
            Request::Apply { tactic, .. } => Some(tactic.clone()),
        },
        detail: Detail::Formula(applications),
    }
}

/// The term, after the tactic if there is one.
fn essence(test: &RewriteTest) -> String {
    let term = Printer::new(test.store()).term(test.term());
    match test.request() {
        Request::Simplify { .. } => term,
        Request::Apply { tactic, .. } => format!("{tactic}: {term}"),
    }
}

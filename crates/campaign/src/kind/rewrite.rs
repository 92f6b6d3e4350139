//! Terms to be rewritten, for solvers that simplify or apply tactics.

use super::Handling;
use crate::cluster::{Detail, Traits, features};
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use assay_case::rewrite::Request;
use assay_case::{Kind, Origin, RewriteTest, Subject, TestCase, applications_in};
use assay_rewrite::with_assignments;
use assay_smtlib::Printer;
use assay_target::spec;
use std::path::Path;

pub(super) struct Rewrites;

impl Handling for Rewrites {
    fn kind(&self) -> Kind {
        Kind::Rewrite
    }

    fn default_target(&self) -> Option<&'static str> {
        Some("z3")
    }

    fn tool(&self) -> &'static str {
        "a solver that simplifies"
    }

    fn tools(&self) -> spec::Kind {
        spec::Kind::SmtSolver
    }

    fn input_file(&self) -> &'static str {
        "input.smt2"
    }

    fn language(&self) -> &'static str {
        "smt2"
    }

    fn files(&self, _case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<TestCase, FolderError> {
        let test = with_assignments(read_test(folder, record)?);
        Ok(TestCase::new(&record.case, Subject::Rewrite(Box::new(test)), Origin::default()))
    }

    fn essence(&self, text: &str) -> String {
        RewriteTest::read(text).map_or_else(|_| text.to_owned(), |test| essence(&test))
    }

    fn columns(&self) -> &'static [Outcome] {
        &[
            Outcome::Unknown,
            Outcome::Timeout,
            Outcome::Error,
            Outcome::Skipped,
            Outcome::Holds,
            Outcome::Violated,
            Outcome::Unreadable,
        ]
    }

    fn legend(&self) -> &'static str {
        "K unknown, T timeout, E error, – not offered, H the same value wherever it was tried, \
         V another value"
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        Ok(traits(&read_test(folder, record)?))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        match case.subject() {
            Subject::Rewrite(test) => traits(test),
            Subject::Formula(_) | Subject::Program(_) | Subject::Trace(_) => Traits::default(),
        }
    }

    fn clusters_reduced(&self) -> bool {
        false
    }
}

fn read_test(folder: &Path, record: &FindingRecord) -> Result<RewriteTest, FolderError> {
    let file = record.case_file();
    let malformed = |what: String| FolderError::Malformed { path: folder.join(file), what };
    RewriteTest::read(&read_file(folder, file)?).map_err(|error| malformed(error.to_string()))
}

fn traits(test: &RewriteTest) -> Traits {
    let applications = applications_in(test.store(), &[test.term()]);
    Traits {
        features: features(&applications),
        essence: essence(test),
        detail: Detail::Formula(applications),
    }
}

/// The term, after the tactic where there is one.
fn essence(test: &RewriteTest) -> String {
    let term = Printer::new(test.store()).term(test.term());
    match test.request() {
        Request::Simplify { .. } => term,
        Request::Apply { tactic, .. } => format!("{tactic}: {term}"),
    }
}

//! Traces of operations on abstract domains, for libraries of domains.

use super::Handling;
use crate::cluster::{Detail, Traits};
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use assay_case::{Kind, Origin, TestCase};
use assay_lattice::Case;
use assay_target::spec;
use std::path::Path;

pub(super) struct Traces;

impl Handling for Traces {
    fn kind(&self) -> Kind {
        Kind::Trace
    }

    fn default_target(&self) -> Option<&'static str> {
        None
    }

    fn tool(&self) -> &'static str {
        "an abstract domain"
    }

    fn tools(&self) -> spec::Kind {
        spec::Kind::AbstractDomains
    }

    fn input_file(&self) -> &'static str {
        self.kind().file()
    }

    fn language(&self) -> &'static str {
        "text"
    }

    fn files(&self, _case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        Vec::new()
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<TestCase, FolderError> {
        let text = read_file(folder, record.case_file())?;
        Ok(TestCase::trace(&record.case, text, Origin::default()))
    }

    fn essence(&self, text: &str) -> String {
        text.lines().last().unwrap_or_default().to_owned()
    }

    fn columns(&self) -> &'static [Outcome] {
        &[
            Outcome::Unknown,
            Outcome::Timeout,
            Outcome::Error,
            Outcome::Skipped,
            Outcome::Holds,
            Outcome::Violated,
        ]
    }

    fn legend(&self) -> &'static str {
        "K may be imprecise, by the library's own word, T hang, E crash, – not promised, H holds, \
         V violated"
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        let text = read_file(folder, record.case_file())?;
        Ok(traits(&text).breaking(record.law.as_deref()))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        traits(case.text())
    }

    fn clusters_reduced(&self) -> bool {
        true
    }
}

/// What tells a trace from others, but for the law that it breaks.
fn traits(text: &str) -> Traits {
    Traits {
        essence: Traces.essence(text),
        detail: match Case::read(text) {
            Ok(case) => Detail::Trace(Box::new(case)),
            Err(_) => Detail::Plain,
        },
        ..Traits::default()
    }
}

//! Traces of operations on abstract domains, for libraries of domains.

use super::{Exhibits, Handling, Language, Profile};
use crate::cluster::{Detail, Feature, Traits};
use crate::domains::Recipe;
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch, reduce_trace};
use crate::replay::{File, ReplayError};
use crate::tool::is_domain;
use assay_case::{Answer, Exactness, FindingKind, Judgement, Subject, TestCase, TraceTest};
use assay_lattice::Trace;
use assay_lattice::protocol::trace_of;
use assay_target::process::Launcher;
use assay_target::{TargetName, spec};
use std::fmt::Display;
use std::path::Path;

pub(super) struct Traces;

impl Handling for Traces {
    fn profile(&self) -> &'static Profile {
        &Profile {
            default_target: None,
            example: "builtin/octagon",
            tool: "an abstract domain",
            tools: spec::Kind::AbstractDomains,
            input_file: "trace.txt",
            language: Language::Plain,
            columns: &[
                Outcome::Unknown,
                Outcome::Timeout,
                Outcome::Error,
                Outcome::Skipped,
                Outcome::Holds,
                Outcome::Violated,
            ],
            renamed: &[],
            legend: "K may be imprecise, as the library says itself, T hang, E crash, – not promised, \
                     H holds, V violated",
            clusters_reduced: true,
            numbered: false,
            exhibits: Exhibits { inputs: None, witness: None, picture: Some("picture.svg") },
            truth_hint: "a trace needs an assertion",
            output: "The elements, in the order of the trace",
            // Domain libraries have no command line of their own.
            by_hand: "or on any target",
        }
    }

    /// The first line of a trace names the kind of elements: `octagons, 8 variables`.
    fn is_in(&self, _path: &Path, text: &str) -> bool {
        let head = text.lines().next().and_then(|line| line.split_once(','));
        head.is_some_and(|(_, rest)| counts_variables(rest))
    }

    fn is_for(&self, target: &TargetName) -> bool {
        is_domain(target)
    }

    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError> {
        let text = file.text.clone();
        let case = Trace::read(&text).map_err(|error| file.wrong(error))?;
        if case.checks.is_empty() {
            let last = text.lines().count();
            let hint = "add one such as `assert order-reflexive(top)`";
            return Err(file.wrong(format!("nothing is asserted; after line {last} {hint}")));
        }
        Ok(TraceTest { text }.into())
    }

    /// Our own reader accepted the trace, so a domain that rejects it has a different shape.
    fn bad_input(&self, _text: &str, rejected: &str, _launcher: &Launcher) -> Option<String> {
        Some(format!(" {rejected}"))
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError> {
        Ok(TraceTest { text: read_file(folder, record.case_file())? }.into())
    }

    fn whole(&self, folder: &Path, case: &TestCase) -> Result<TestCase, ReplayError> {
        // A reduced trace uses the input of the finding that it belongs to.
        let own = folder.join(Recipe::FILE);
        let path = if own.exists() { own } else { folder.join("..").join(Recipe::FILE) };
        let none = |_| FileError::new(folder, "no bytes are kept with it");
        let malformed = |what: &dyn Display| FileError::new(&path, what);
        let text = std::fs::read_to_string(&path).map_err(none)?;
        let Recipe { plan, input } =
            serde_json::from_str(&text).map_err(|error| malformed(&error))?;
        let input = input.ok_or_else(|| malformed(&"no bytes are kept"))?;
        let shape = Trace::read(case.text()).map_err(|error| malformed(&error))?.shape;
        let whole = trace_of(&plan, shape, &input).map_err(|error| malformed(&error))?;
        Ok(TestCase::trace(case.name(), whole.to_string(), case.origin().clone()))
    }

    fn essence(&self, text: &str) -> String {
        text.lines().last().unwrap_or_default().to_owned()
    }

    /// Everything is run again: a library is searched for a long time and shows few findings.
    fn confirms(&self, _finding: FindingKind) -> bool {
        true
    }

    fn outcome(&self, answer: &Answer, _judgement: &Judgement) -> Option<Outcome> {
        match answer {
            Answer::Holds => Some(Outcome::Holds),
            Answer::Violated(violation) => Some(match violation.claim {
                Exactness::Exact => Outcome::Violated,
                Exactness::MayBeImprecise => Outcome::Unknown,
            }),
            _ => None,
        }
    }

    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError> {
        reduce_trace(job, watch)
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        let text = read_file(folder, record.case_file())?;
        Ok(traits(&text).breaking(record.law.as_deref()))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        traits(case.text())
    }
}

/// The traits of a trace, except for the law that it breaks.
fn traits(text: &str) -> Traits {
    let essence = Traces.essence(text);
    match Trace::read(text) {
        Ok(case) => Traits {
            essence,
            features: case.operations().into_iter().map(Feature::Operation).collect(),
            part: None,
            detail: Detail::Trace(Box::new(case)),
        },
        Err(_) => Traits { essence, ..Traits::default() },
    }
}

fn counts_variables(words: &str) -> bool {
    let mut words = words.split_whitespace();
    words.next().is_some_and(|count| count.parse::<usize>().is_ok())
        && words.next().is_some_and(|word| word.starts_with("variable"))
}

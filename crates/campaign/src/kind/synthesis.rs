//! Terms to be constructed, for solvers that interpolate, abduce, eliminate quantifiers or synthesize
//! functions.

use super::{Exhibits, Handling, Language, Profile};
use crate::cluster::{Detail, Traits, features};
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError, read_file};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch, reduce_task};
use crate::replay::{File, ReplayError};
use assay_case::synthesis::Request;
use assay_case::{Answer, Formula, Judgement, Subject, SynthesisTest, TestCase, applications_in};
use assay_target::spec;
use assay_term::TermId;
use std::path::Path;

pub(super) struct Tasks;

/// The requests, as files have them.
const REQUESTS: [&str; 4] = ["(get-interpolant ", "(get-abduct ", "(get-qe", "(check-synth"];

impl Handling for Tasks {
    fn profile(&self) -> &'static Profile {
        &Profile {
            default_target: Some("cvc5"),
            example: "cvc5",
            tool: "a solver that constructs such terms",
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
            legend: "K nothing found, T timeout, E error, – not offered, H the required properties wherever \
                     they were tried, V a property is missing",
            clusters_reduced: true,
            numbered: true,
            exhibits: Exhibits::NONE,
            truth_hint: "an answer must have the properties that its request demands",
            output: "Output of the target",
            by_hand: "or without assay",
        }
    }

    fn is_in(&self, _path: &Path, text: &str) -> bool {
        text.lines().any(|line| REQUESTS.iter().any(|request| line.starts_with(request)))
    }

    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError> {
        Ok(SynthesisTest::read(&file.text).map_err(|error| file.wrong(error))?.into())
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError> {
        Ok(read_test(folder, record)?.into())
    }

    fn essence(&self, text: &str) -> String {
        SynthesisTest::read(text).map_or_else(|_| text.to_owned(), |test| essence(&test))
    }

    fn outcome(&self, answer: &Answer, judgement: &Judgement) -> Option<Outcome> {
        match (answer, judgement) {
            (Answer::Constructed(_) | Answer::Infeasible, Judgement::Finding(_)) => {
                Some(Outcome::Violated)
            }
            (Answer::Constructed(_), Judgement::Inconclusive(_)) => Some(Outcome::Unreadable),
            (Answer::Constructed(_), _) => Some(Outcome::Holds),
            (Answer::Infeasible, _) => Some(Outcome::Unknown),
            _ => None,
        }
    }

    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError> {
        reduce_task(job, watch)
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        Ok(traits(&read_test(folder, record)?))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        case.as_test().map_or_else(Traits::default, traits)
    }
}

fn read_test(folder: &Path, record: &FindingRecord) -> Result<SynthesisTest, FolderError> {
    let test = SynthesisTest::read(&read_file(folder, record.case_file())?);
    Ok(test.map_err(|error| FileError::new(folder.join(record.case_file()), error))?)
}

fn traits(test: &SynthesisTest) -> Traits {
    let applications = Formula::read(test.script()).map_or_else(
        |_| Default::default(),
        |formula| {
            let terms: Vec<TermId> = formula.assertions().iter().map(|a| a.term).collect();
            applications_in(formula.store(), &terms)
        },
    );
    Traits {
        features: features(&applications),
        essence: essence(test),
        part: match test.request() {
            Request::Eliminate(_, Some(tactic)) => Some(tactic.clone()),
            request => Some(request.task().name().to_owned()),
        },
        detail: Detail::Formula(applications),
    }
}

/// The request, with what it is about.
fn essence(test: &SynthesisTest) -> String {
    let about = match test.request() {
        Request::Interpolant(formula)
        | Request::Abduct(formula)
        | Request::Eliminate(formula, _)
        | Request::Disjunct(formula) => formula.clone(),
        Request::Functions { constraints, .. } => constraints.join(" "),
    };
    let premises = test.premises().join(" ");
    format!("{}: {premises} {about}", test.request().task().name())
}

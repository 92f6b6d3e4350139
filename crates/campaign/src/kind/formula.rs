//! Formulas, for SMT and MaxSMT solvers.

use super::Handling;
use crate::cluster::{Detail, Traits, features};
use crate::folder::{FindingRecord, FolderError, read_file, read_optional};
use crate::outcome::Outcome;
use assay_case::{
    Application, Claim, Ending, Expected, FindingKind, Formula, FormulaTest, Kind, Observation,
    Oracle, Origin, Output, TestCase, Why, Witness, applications, check_model,
};
use assay_smtlib::{Printer, STANDARD, print_model};
use assay_target::spec;
use assay_term::{Term, TermId};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

pub(super) struct Formulas;

/// The file with a formula's model.
pub(super) const WITNESS: &str = "witness.smt2";

impl Handling for Formulas {
    fn kind(&self) -> Kind {
        Kind::Formula
    }

    fn default_target(&self) -> Option<&'static str> {
        Some("z3")
    }

    fn tool(&self) -> &'static str {
        "a solver"
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

    fn files(&self, case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        case.as_formula().and_then(witness_file).into_iter().collect()
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<TestCase, FolderError> {
        let test = read_test(folder, record.case_file(), record)?;
        let subject = assay_case::Subject::Formula(Box::new(test));
        Ok(TestCase::new(&record.case, subject, Origin::default()))
    }

    fn essence(&self, text: &str) -> String {
        Formula::read(text).map_or_else(|_| text.to_owned(), |formula| assertions(&formula))
    }

    fn columns(&self) -> &'static [Outcome] {
        &[
            Outcome::IncorrectModel,
            Outcome::IncorrectCore,
            Outcome::Sat,
            Outcome::Unsat,
            Outcome::Unknown,
            Outcome::Timeout,
            Outcome::Error,
            Outcome::Skipped,
            Outcome::Unreadable,
        ]
    }

    fn legend(&self) -> &'static str {
        "IM incorrect model, IC incorrect core, S sat, U unsat, K unknown, T timeout, E error"
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        let mut formula = read_formula(folder, record.case_file())?;
        // The values under which the target failed: its own model, if that is what is wrong, or ours.
        let model = match record.kind.finding() {
            Some(FindingKind::InvalidModel | FindingKind::WrongSat) => {
                printed_model(&read_file(folder, "stdout.txt")?, &formula)
            }
            _ => read_optional(folder, WITNESS)?,
        };
        // A model that cannot be read leaves the constants, which say a good deal by themselves.
        let model = model.and_then(|text| formula.read_model(&text).ok());
        let applications = applications(&formula, model.as_ref());
        Ok(traits(&formula, applications))
    }

    fn traits_of(&self, case: &TestCase) -> Traits {
        let Some(test) = case.as_formula() else { return Traits::default() };
        let model = match test.oracle() {
            Oracle::Sat(Witness::Checked(model))
            | Oracle::Optimum { witness: Some(Witness::Checked(model)), .. } => Some(&**model),
            _ => None,
        };
        traits(test.formula(), applications(test.formula(), model))
    }

    fn clusters_reduced(&self) -> bool {
        false
    }
}

fn traits(formula: &Formula, applications: BTreeSet<Application>) -> Traits {
    Traits {
        features: features(&applications),
        essence: assertions(formula),
        detail: Detail::Formula(applications),
    }
}

/// The model of a formula, as a file.
pub(super) fn witness_file(test: &FormulaTest) -> Option<(&'static str, Vec<u8>)> {
    let (Oracle::Sat(witness) | Oracle::Optimum { witness: Some(witness), .. }) = test.oracle()
    else {
        return None;
    };
    let Witness::Checked(model) = witness else { return None };
    let mut store = test.formula().store().clone();
    Some((WITNESS, print_model(&mut store, model, STANDARD).into_bytes()))
}

fn read_formula(folder: &Path, file: &str) -> Result<Formula, FolderError> {
    let malformed = |what: String| FolderError::Malformed { path: folder.join(file), what };
    Formula::read(read_file(folder, file)?).map_err(|error| malformed(error.to_string()))
}

/// A formula of a finding's folder with its truth: a model beside it is checked; anything else is what
/// the record says.
pub(super) fn read_test(
    folder: &Path,
    file: &str,
    record: &FindingRecord,
) -> Result<FormulaTest, FolderError> {
    let mut formula = read_formula(folder, file)?;
    let oracle = match record.expected {
        Expected::Sat | Expected::Reachable => match read_optional(folder, WITNESS)? {
            Some(text) => {
                let malformed =
                    |what: String| FolderError::Malformed { path: folder.join(WITNESS), what };
                let model =
                    formula.read_model(&text).map_err(|error| malformed(error.to_string()))?;
                let model = check_model(&formula, model);
                Oracle::Sat(Witness::Checked(model.map_err(|fault| malformed(fault.to_string()))?))
            }
            None => Oracle::Sat(Witness::Declared(claim(record))),
        },
        Expected::Unsat | Expected::Unreachable => {
            Oracle::Unsat { why: Why::Declared(claim(record)), core: None }
        }
        _ => Oracle::Open,
    };
    FormulaTest::new(formula, oracle).map_err(|error| FolderError::Malformed {
        path: folder.join(file),
        what: error.to_string(),
    })
}

/// Who vouches for the truth of a case that is read from its files.
pub(super) fn claim(record: &FindingRecord) -> Claim {
    match &record.claim {
        Some(who) if record.reduced => Claim { who: who.clone(), of: None },
        _ => format!("finding.json of assay {}", record.campaign.assay).into(),
    }
}

/// The model that a target printed.
fn printed_model(stdout: &str, formula: &Formula) -> Option<String> {
    let ending = Ending::Exited(0);
    let output = Output { stdout, stderr: "", ending, elapsed: Duration::ZERO, asked: &[] };
    Observation::from_output(&output, formula).model
}

/// What a formula asserts, on one line, without the names of assertions.
fn assertions(formula: &Formula) -> String {
    let printer = Printer::new(formula.store());
    let bare = |mut term: TermId| {
        while let Term::Annotated(inner, _) = formula.store().get(term) {
            term = inner;
        }
        printer.term(term)
    };
    let terms = formula.assertions().iter().map(|assertion| bare(assertion.term));
    terms.collect::<Vec<_>>().join(" ")
}

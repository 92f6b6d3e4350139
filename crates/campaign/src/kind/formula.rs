//! Formulas, for SMT and MaxSMT solvers.

use super::{Exhibits, Handling, Language, Profile};
use crate::cluster::{Detail, Traits, features};
use crate::export::Written;
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError, read_file, read_optional};
use crate::outcome::Outcome;
use crate::reduce::{Job, Reduction, ReductionError, Watch, reduce_formula};
use crate::replay::{File, ReplayError, read_text};
use assay_case::{
    Answer, Application, Claim, Ending, Expected, Extremum, FindingKind, Formula, FormulaTest,
    Judgement, Observation, Optima, Oracle, Output, Proved, Subject, TestCase, Why, Witness,
    applications, check_model, horn::refute, usual_budget,
};
use assay_smtlib::{Command, Dialect, Plain, Printer, STANDARD, print_model};
use assay_target::spec;
use assay_term::{Budget, Term, TermId};
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;
use std::time::Duration;

pub(super) struct Formulas;

/// The file with a formula's model.
pub(super) const WITNESS: &str = "witness.smt2";

/// The file with a derivation of false.
const DERIVATION: &str = "derivation.txt";

/// The file with a tool's proof that a formula is unsatisfiable.
const PROOF: &str = "proof.txt";

/// Steps of examining that proof again.
const STEPS: u64 = 400_000_000;

impl Handling for Formulas {
    fn profile(&self) -> &'static Profile {
        &Profile {
            default_target: Some("z3"),
            example: "z3",
            tool: "a solver",
            tools: spec::Kind::SmtSolver,
            input_file: "input.smt2",
            language: Language::Smt2,
            columns: &[
                Outcome::IncorrectModel,
                Outcome::IncorrectCore,
                Outcome::Sat,
                Outcome::Unsat,
                Outcome::Unknown,
                Outcome::Timeout,
                Outcome::Error,
                Outcome::Rejected,
                Outcome::Skipped,
                Outcome::Unreadable,
            ],
            renamed: &[],
            legend: "IM incorrect model, IC incorrect core, S sat, U unsat, K unknown, T timeout, \
                     E error",
            clusters_reduced: false,
            numbered: true,
            exhibits: Exhibits { inputs: None, witness: Some(WITNESS), picture: None },
            truth_hint: "a file needs a :status or --model FILE",
            output: "Output of the target",
            by_hand: "or without assay",
        }
    }

    /// A file of no other kind is taken for a formula.
    fn is_in(&self, _path: &Path, _text: &str) -> bool {
        false
    }

    fn of_file(&self, file: &File<'_>) -> Result<Subject, ReplayError> {
        let mut formula = Formula::read(&*file.text).map_err(|error| file.wrong(error))?;
        let test = match file.model {
            Some(model) => {
                let oracle = checked(&mut formula, model)?;
                FormulaTest::new(formula, oracle)
            }
            None => FormulaTest::declared(formula),
        };
        Ok(test.map_err(|error| file.wrong(error))?.into())
    }

    fn files(&self, case: &TestCase) -> Vec<(&'static str, Vec<u8>)> {
        let Some(test) = case.as_formula() else { return Vec::new() };
        let derivation = derivation(test).map(|text| (DERIVATION, text.into_bytes()));
        let proof = proof(test).map(|text| (PROOF, text.as_bytes().to_vec()));
        witness_file(test).into_iter().chain(derivation).chain(proof).collect()
    }

    fn written(&self, case: &TestCase, dialect: Dialect) -> Result<Written, String> {
        let test = case.as_formula().ok_or("it is not a formula")?;
        let formula = test.formula();
        if let Some(words) = dialect.refusal(formula.store(), &formula.script().terms()) {
            return Err(words);
        }
        let (model, core) = evidence(test, dialect);
        let optima = optima(test.oracle());
        let mut record =
            json!({ "model": model, "core": core, "optima": optima.map(optima_record) });
        if let Some(derivation) = derivation(test) {
            record["derivation"] = derivation.into();
        }
        let expected = match optima {
            Some(optima) => format!("sat, {optima}"),
            None => case.expected().name().into(),
        };
        let (name, text) = (case.name(), runnable(formula, dialect));
        Ok(Written {
            file: format!("{name}.smt2"),
            text: format!("; {name}\n; expected: {expected}\n{text}"),
            beside: Vec::new(),
            record,
        })
    }

    fn read(&self, folder: &Path, record: &FindingRecord) -> Result<Subject, FolderError> {
        Ok(read_test(folder, record.case_file(), record)?.into())
    }

    fn essence(&self, text: &str) -> String {
        Formula::read(text).map_or_else(|_| text.to_owned(), |formula| assertions(&formula))
    }

    fn outcome(&self, answer: &Answer, judgement: &Judgement) -> Option<Outcome> {
        if let Judgement::Finding(finding) = judgement {
            match finding.kind {
                FindingKind::InvalidModel | FindingKind::WrongOptimum => {
                    return Some(Outcome::IncorrectModel);
                }
                FindingKind::InvalidCore | FindingKind::LargerCore => {
                    return Some(Outcome::IncorrectCore);
                }
                _ => {}
            }
        }
        match answer {
            Answer::Sat | Answer::MaybeSat => Some(Outcome::Sat),
            Answer::Unsat => Some(Outcome::Unsat),
            _ => None,
        }
    }

    fn reduce(&self, job: Job<'_>, watch: &mut Watch<'_>) -> Result<Reduction, ReductionError> {
        reduce_formula(job, watch)
    }

    fn traits(&self, folder: &Path, record: &FindingRecord) -> Result<Traits, FolderError> {
        let mut formula = read_formula(folder, record.case_file())?;
        // The values under which the target failed: its own model if that is wrong, otherwise ours.
        let model = match record.kind.finding() {
            Some(FindingKind::InvalidModel | FindingKind::WrongSat) => {
                printed_model(&read_file(folder, "stdout.txt")?, &formula)
            }
            _ => read_optional(folder, WITNESS)?,
        };
        // If a model cannot be read, the constants alone are still informative.
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
}

/// The script of a formula as a solver takes it: options come first, then the logic.
fn runnable(formula: &Formula, dialect: Dialect) -> String {
    let script = match dialect == STANDARD {
        true => formula.text().to_owned(),
        false => {
            let printer = Printer::new(formula.store()).dialect(dialect);
            printer.script(formula.script())
        }
    };
    let own: usize = script
        .split_inclusive('\n')
        .take_while(|line| line.starts_with("(set-option "))
        .map(str::len)
        .sum();
    let (own, rest) = script.split_at(own);
    let mut options = own.to_owned();
    let commands = &formula.script().commands;
    for (plain, option) in [
        (Plain::GetModel, "(set-option :produce-models true)\n"),
        (Plain::GetUnsatCore, "(set-option :produce-unsat-cores true)\n"),
    ] {
        if commands.contains(&Command::Plain(plain)) && !own.contains(option) {
            options.push_str(option);
        }
    }
    // A formula from a seed has the seed's logic.
    let logic = formula.script().logic().map_or("(set-logic ALL)\n", |_| "");
    format!("{options}{logic}{rest}")
}

/// The model that satisfies a case, or the core that contradicts itself, where one is known.
pub(super) fn evidence(
    test: &FormulaTest,
    dialect: Dialect,
) -> (Option<String>, Option<&[String]>) {
    match test.oracle() {
        Oracle::Sat(Witness::Checked(model))
        | Oracle::Optimum { witness: Some(Witness::Checked(model)), .. } => {
            (Some(print_model(&mut test.formula().store().clone(), model, dialect)), None)
        }
        Oracle::Unsat { core, .. } => (None, core.as_ref().map(|core| &core.names[..])),
        _ => (None, None),
    }
}

/// The derivation of false that proves a set of Horn clauses unsatisfiable, one step in each line.
fn derivation(test: &FormulaTest) -> Option<String> {
    let Oracle::Unsat { why: Why::Derived(_), .. } = test.oracle() else { return None };
    let derivation = refute(test.formula(), &mut usual_budget())?;
    Some(derivation.show(test.formula()))
}

/// The proof that a formula is known to be unsatisfiable by.
fn proof(test: &FormulaTest) -> Option<&str> {
    match test.oracle() {
        Oracle::Unsat { why: Why::Proved(proved), .. } => proved.text(),
        _ => None,
    }
}

/// The optima of the objectives.
fn optima(oracle: &Oracle) -> Option<&Optima> {
    let Oracle::Optimum { optima, .. } = oracle else { return None };
    Some(optima)
}

/// One text for each objective, or a list of these for each Pareto-optimal point.
fn optima_record(optima: &Optima) -> Value {
    let texts = |values: &[Extremum]| values.iter().map(ToString::to_string).collect::<Vec<_>>();
    match optima {
        Optima::Each(optima) => json!(texts(optima)),
        Optima::Front(points) => json!(points.iter().map(|p| texts(&p.0)).collect::<Vec<_>>()),
    }
}

fn traits(formula: &Formula, applications: BTreeSet<Application>) -> Traits {
    Traits {
        features: features(&applications),
        essence: assertions(formula),
        part: None,
        detail: Detail::Formula(applications),
    }
}

/// Checks the model in a file and makes it the truth of a formula.
fn checked(formula: &mut Formula, model: &Path) -> Result<Oracle, FileError> {
    let values = formula.read_model(&read_text(model)?);
    let values = values.map_err(|error| FileError::new(model, error))?;
    let checked = check_model(formula, values).map_err(|error| FileError::new(model, error))?;
    Ok(Oracle::Sat(Witness::Checked(checked)))
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
    let formula = Formula::read(read_file(folder, file)?);
    Ok(formula.map_err(|error| FileError::new(folder.join(file), error))?)
}

/// A formula of a finding's folder with its truth: from the model or the proof next to it, which is
/// checked; otherwise from the record.
pub(super) fn read_test(
    folder: &Path,
    file: &str,
    record: &FindingRecord,
) -> Result<FormulaTest, FolderError> {
    let mut formula = read_formula(folder, file)?;
    let oracle = match record.expected {
        Expected::Sat | Expected::Reachable if folder.join(WITNESS).exists() => {
            checked(&mut formula, &folder.join(WITNESS))?
        }
        Expected::Sat | Expected::Reachable => Oracle::Sat(Witness::Declared(claim(record))),
        Expected::Unsat | Expected::Unreachable => {
            let proved = read_optional(folder, PROOF)?.and_then(|text| {
                let mut budget = Budget::new(STEPS, u64::MAX);
                let report = assay_proof::examine(formula.text(), &text, STANDARD, &mut budget);
                Proved::new(PROOF, &text, &report)
            });
            let why = proved.map_or_else(|| Why::Declared(claim(record)), Why::Proved);
            Oracle::Unsat { why, core: None }
        }
        _ => Oracle::Open,
    };
    let test = FormulaTest::new(formula, oracle);
    Ok(test.map_err(|error| FileError::new(folder.join(file), error))?)
}

/// The source of the truth of a case that is read from its files.
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

/// A formula's assertions on one line, without their names.
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

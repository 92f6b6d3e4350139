//! A finding with its case, as far as clusters look at it.

use super::feature::{Features, features};
use super::{ClusterError, Member, folder_of};
use crate::folder::FindingRecord;
use crate::store::{Listed, TargetRecord};
use assay_case::{
    Application, Ending, FindingKind, Formula, Observation, Output, Payload, Suite, applications,
};
use assay_smtlib::Printer;
use assay_term::{Term, TermId};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A failing case.
pub(super) struct Failure {
    pub member: Member,
    pub applications: BTreeSet<Application>,
    pub features: Features,
    pub rules: Vec<String>,
}

/// What a finding's folder, or the suite, says about its case.
struct Case {
    name: String,
    rules: Vec<String>,
    formula: Formula,
    /// Under what values the target failed: its own model, if that is what is wrong, or ours.
    model: Option<String>,
}

impl Failure {
    /// Reads a finding's folder; where it is gone, the suite makes the case again.
    pub fn read(
        campaign: &Path,
        finding: &Listed,
        target: &TargetRecord,
        suite: Option<&dyn Suite>,
    ) -> Result<Failure, ClusterError> {
        let folder = folder_of(finding, target);
        let path = campaign.join(&folder);
        let Case { name, rules, mut formula, model } = match path.join("finding.json").exists() {
            true => recorded(&path, finding.kind)?,
            false => suite.and_then(|suite| remade(suite, finding)).ok_or_else(|| {
                let what = "the folder of a finding is missing, and nothing makes its case again";
                ClusterError::Finding { path: path.clone(), what: what.into() }
            })?,
        };
        // A model that cannot be read leaves the constants, which say a good deal by themselves.
        let model = model.and_then(|text| formula.read_model(&text).ok());
        let applications = applications(&formula, model.as_ref());
        let assertions = assertions(&formula);
        let member = Member {
            ordinal: finding.ordinal,
            id: finding.id.to_string(),
            case: name,
            kind: finding.kind,
            grade: finding.grade,
            stability: finding.stability,
            evidence: finding.detail.clone(),
            folder,
            size: assertions.chars().count(),
            assertions,
        };
        Ok(Failure { member, features: features(&applications), applications, rules })
    }

    /// The signature of the crash, where it is one.
    pub fn crash(&self) -> Option<&str> {
        (self.member.kind == FindingKind::Crash).then_some(self.member.evidence.as_str())
    }
}

fn remade(suite: &dyn Suite, finding: &Listed) -> Option<Case> {
    let case = suite.make(finding.id).ok()?;
    let Payload::Formula(formula) = case.payload();
    Some(Case {
        name: case.name().to_owned(),
        rules: case.origin().rules.clone(),
        formula: (**formula).clone(),
        model: None,
    })
}

fn recorded(path: &Path, kind: FindingKind) -> Result<Case, ClusterError> {
    let wrong = |path: PathBuf, what: String| ClusterError::Finding { path, what };
    let read = |name: &str| {
        let path = path.join(name);
        std::fs::read_to_string(&path).map_err(|error| wrong(path, error.to_string()))
    };
    let record: FindingRecord = serde_json::from_str(&read("finding.json")?)
        .map_err(|error| wrong(path.join("finding.json"), error.to_string()))?;
    let formula = Formula::read(read("case.smt2")?)
        .map_err(|error| wrong(path.join("case.smt2"), error.to_string()))?;
    let model = match kind {
        FindingKind::InvalidModel | FindingKind::WrongSat => {
            printed_model(&read("stdout.txt")?, &formula)
        }
        _ => read("witness.smt2").ok(),
    };
    Ok(Case { name: record.case, rules: record.rules, formula, model })
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

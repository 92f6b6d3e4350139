//! A finding with its case, as far as clusters look at it.

use super::{ClusterError, Member, folder_of};
use crate::folder::FindingRecord;
use crate::store::{Listed, TargetRecord};
use assay_case::{Application, Formula, Payload, Suite, applications};
use assay_smtlib::Printer;
use std::collections::BTreeSet;
use std::path::Path;

/// A failing case.
pub(super) struct Failure {
    pub member: Member,
    pub applications: BTreeSet<Application>,
    pub rules: Vec<String>,
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
        let remade = |suite: &dyn Suite| {
            let case = suite.make(finding.id).ok()?;
            let Payload::Formula(formula) = case.payload();
            Some((case.name().to_owned(), case.origin().rules.clone(), (**formula).clone()))
        };
        let (case, rules, formula) = match path.join("finding.json").exists() {
            true => recorded(&path)?,
            false => suite.and_then(remade).ok_or_else(|| ClusterError::Finding {
                path: path.clone(),
                what: "the folder of a finding is missing".into(),
            })?,
        };
        let assertions = assertions(&formula);
        let member = Member {
            ordinal: finding.ordinal,
            id: finding.id.to_string(),
            case,
            kind: finding.kind,
            stability: finding.stability,
            evidence: finding.detail.clone(),
            folder,
            size: assertions.chars().count(),
            assertions,
        };
        Ok(Failure { member, applications: applications(&formula, None), rules })
    }
}

fn recorded(path: &Path) -> Result<(String, Vec<String>, Formula), ClusterError> {
    let read = |name: &str| {
        let path = path.join(name);
        std::fs::read_to_string(&path)
            .map_err(|error| ClusterError::Finding { path, what: error.to_string() })
    };
    let wrong = |name: &str, what: String| ClusterError::Finding { path: path.join(name), what };
    let record: FindingRecord = serde_json::from_str(&read("finding.json")?)
        .map_err(|error| wrong("finding.json", error.to_string()))?;
    let formula =
        Formula::read(read("case.smt2")?).map_err(|error| wrong("case.smt2", error.to_string()))?;
    Ok((record.case, record.rules, formula))
}

/// What a formula asserts, on one line.
fn assertions(formula: &Formula) -> String {
    let printer = Printer::new(formula.store());
    let terms = formula.assertions().iter().map(|assertion| printer.term(assertion.term));
    terms.collect::<Vec<_>>().join(" ")
}

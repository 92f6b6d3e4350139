//! A finding with the parts of its case that clustering looks at.

use super::feature::Traits;
use super::{ClusterError, Member, folder_of};
use crate::folder::{FindingRecord, FolderError};
use crate::kind::handling;
use crate::store::{Listed, TargetRecord};
use assay_case::{FindingKind, Suite};
use std::path::Path;

/// A failing case.
pub(super) struct Failure {
    pub member: Member,
    pub traits: Traits,
    pub rules: Vec<String>,
    /// Whether a tool that crashed said something, which names the place.
    pub placed: bool,
}

/// What a finding's folder, or the suite, records about a case.
struct Known {
    name: String,
    rules: Vec<String>,
    traits: Traits,
    placed: bool,
}

impl Failure {
    /// Reads a finding's folder; if it is missing, the suite generates the case again.
    pub fn read(
        campaign: &Path,
        finding: &Listed,
        target: &TargetRecord,
        suite: Option<&dyn Suite>,
    ) -> Result<Failure, ClusterError> {
        let folder = folder_of(finding, target);
        let path = campaign.join(&folder);
        let Known { name, rules, traits, placed } = match recorded(&path) {
            Err(FolderError::NoFinding(_)) => {
                suite.and_then(|suite| remade(suite, finding)).ok_or_else(|| {
                    let what =
                        "the folder of a finding is missing, and nothing makes its case again";
                    ClusterError::Missing { path: path.clone(), what: what.into() }
                })?
            }
            known => known?,
        };
        let member = Member {
            ordinal: finding.ordinal,
            id: finding.id.to_string(),
            case: name,
            kind: finding.kind,
            grade: finding.grade,
            stability: finding.stability,
            evidence: finding.detail.clone(),
            folder,
            size: traits.essence.chars().count(),
            assertions: traits.essence.clone(),
        };
        Ok(Failure { member, traits, rules, placed })
    }

    /// The crash signature, if the finding is a crash.
    pub fn crash(&self) -> Option<&str> {
        (self.member.kind == FindingKind::Crash).then_some(self.member.evidence.as_str())
    }
}

fn remade(suite: &dyn Suite, finding: &Listed) -> Option<Known> {
    let case = suite.make(finding.id).ok()?;
    let traits = handling(case.kind()).traits_of(&case);
    let (name, rules) = (case.name().to_owned(), case.origin().rules.clone());
    Some(Known { name, rules, traits, placed: false })
}

fn recorded(path: &Path) -> Result<Known, FolderError> {
    let record = FindingRecord::read(path)?;
    let handling = handling(record.subject);
    // A reduced case has only the features that the finding needs. Formulas are used unreduced,
    // because they are compared with passing cases, which are not reduced.
    let reduced = path.join("reduced");
    let traits =
        match handling.profile().clusters_reduced && reduced.join(FindingRecord::FILE).exists() {
            true => handling.traits(&reduced, &record)?,
            false => handling.traits(path, &record)?,
        };
    let placed = record.crash.is_some();
    Ok(Known { name: record.case, rules: record.rules, traits, placed })
}

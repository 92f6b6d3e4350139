//! A finding with the parts of its case that clustering looks at.

use super::feature::Traits;
use super::{ClusterError, Member, folder_of};
use crate::bisect::Timeline;
use crate::folder::{FindingRecord, FolderError, read_optional};
use crate::follow::AGREEMENT;
use crate::kind::handling;
use crate::store::{Listed, TargetRecord};
use assay_case::{FindingKind, Suite};
use assay_term::Op;
use assay_term::theories::Theory;
use std::collections::BTreeSet;
use std::path::Path;

/// A failing case.
pub(super) struct Failure {
    pub member: Member,
    pub traits: Traits,
    pub rules: Vec<String>,
    /// The operators of its smallest form, except connectives and equality.
    pub operators: BTreeSet<Op>,
    /// Which versions show it, if it was bisected.
    pub timeline: Option<Timeline>,
    /// Whether a tool that crashed said something, which names the place.
    pub placed: bool,
}

/// The facts about a case in a finding's folder, or from the suite.
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
        let reduced = reduced(&path)?;
        let timeline = match Timeline::of_finding(&path) {
            Ok(timeline) => timeline,
            Err(error) => return Err(FolderError::from(error).into()),
        };
        let operators = operators(reduced.as_ref().unwrap_or(&traits));
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
            reduced: reduced.map(|traits| traits.essence),
            versions: timeline.as_ref().map(Timeline::story),
            agreement: read_optional(&path, AGREEMENT)?.map(|text| text.trim().to_owned()),
        };
        Ok(Failure { member, traits, rules, placed, operators, timeline })
    }

    /// The crash signature, if the finding is a crash.
    pub fn crash(&self) -> Option<&str> {
        (self.member.kind == FindingKind::Crash).then_some(self.member.evidence.as_str())
    }
}

/// The operators that say something about a case.
fn operators(traits: &Traits) -> BTreeSet<Op> {
    let all = traits.applications().map(|application| application.op);
    all.filter(|op| op.theory() != Theory::Core).collect()
}

/// The traits of the reduced case, if there is one.
fn reduced(path: &Path) -> Result<Option<Traits>, FolderError> {
    let folder = path.join("reduced");
    match FindingRecord::read(&folder) {
        Ok(record) => handling(record.subject).traits(&folder, &record).map(Some),
        Err(FolderError::NoFinding(_)) => Ok(None),
        Err(error) => Err(error),
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

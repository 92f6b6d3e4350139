//! From many failing cases to the few bugs behind them.
//!
//! Findings of one target are grouped by what they share: a known bug, a crash, or the applications
//! that distinguish them from cases that the target got right. Reads a campaign's folder; runs
//! nothing and prints nothing.

mod build;
mod contrast;
mod cover;
mod failure;
mod feature;
mod group;
mod sentence;
mod words;

use crate::folder::FolderError;
use crate::folder_name;
use crate::kind::handling;
use crate::store::{Listed, Results, StoreError, TargetRecord};
use assay_case::{Doubt, Evidence, FindingKind, Grade, Judgement, Suite, TestCase};
use assay_target::spec::KnownBug;
use assay_target::{Catalog, TargetName};
use failure::Failure;
pub use feature::Traits;
pub(crate) use feature::{Detail, Feature, features};
use std::path::{Path, PathBuf};

/// Failing cases of one target that the same bug most likely explains.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Cluster {
    /// Its name in kebab case, unique within the campaign and always the same for the same
    /// campaign.
    pub id: String,
    /// The target's full name.
    pub target: String,
    /// The kind of most of its findings.
    pub kind: FindingKind,
    /// The grade of its findings; a cluster never mixes grades.
    pub grade: Grade,
    /// One sentence: what its cases have in common, what is wrong with them, and which other
    /// versions of the tool show the same.
    pub sentence: String,
    /// The known bug that explains it.
    pub known: Option<Known>,
    /// The crash signature, if the target crashes.
    pub crash: Option<String>,
    /// The operators that all of its cases have and that distinguish them from others.
    pub operators: Vec<String>,
    /// The rules that made its cases, the commonest first.
    pub rules: Vec<String>,
    /// What is special about the operators' arguments, as stable names: `empty-string`.
    pub arguments: Vec<String>,
    /// Its findings, the smallest case first. There is at least one.
    pub members: Vec<Member>,
}

/// A known bug of a target, as its file describes it.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Known {
    /// Its name.
    pub id: String,
    /// Its title.
    pub title: String,
    /// Where it was reported.
    pub link: Option<String>,
}

impl Known {
    fn of(bug: &KnownBug) -> Known {
        Known { id: bug.id.clone(), title: bug.title.clone(), link: bug.link.clone() }
    }
}

/// A finding of a cluster.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Member {
    /// The case's place in the campaign.
    pub ordinal: u64,
    /// The case within its suite, as [`assay_case::CaseId`] prints.
    pub id: String,
    /// The case's name.
    pub case: String,
    /// What was found.
    pub kind: FindingKind,
    /// The grade of its truth.
    pub grade: Grade,
    /// How reproducible it is.
    pub stability: crate::Stability,
    /// The evidence for it.
    pub evidence: String,
    /// The finding's folder, relative to the campaign's.
    pub folder: PathBuf,
    /// The number of characters in the case's assertions.
    pub size: usize,
    /// The case's assertions on one line.
    pub assertions: String,
    /// Those of the reduced case, if the finding was reduced.
    pub reduced: Option<String>,
    /// Which versions of the tool show it, in words, if it was bisected.
    pub versions: Option<String>,
    /// The solvers that agree that the formula is unsatisfiable, if they were asked because a model is
    /// wrong.
    pub agreement: Option<String>,
}

impl Cluster {
    /// The number of findings.
    #[must_use]
    pub fn count(&self) -> usize {
        self.members.len()
    }

    /// Its smallest form on one line, and the finding that it belongs to.
    #[must_use]
    pub fn essence(&self) -> (&str, &Member) {
        let reduced =
            self.members.iter().filter_map(|member| Some((member.reduced.as_deref()?, member)));
        let smallest = self.smallest();
        reduced
            .min_by_key(|(text, _)| text.chars().count())
            .unwrap_or((&smallest.assertions, smallest))
    }

    /// Which versions of the tool show it, in words, if one of its findings was bisected.
    #[must_use]
    pub fn versions(&self) -> Option<&str> {
        self.members.iter().find_map(|member| member.versions.as_deref())
    }

    /// The solvers that agree that the formula of one of its wrong models is unsatisfiable.
    #[must_use]
    pub fn agreement(&self) -> Option<&str> {
        self.members.iter().find_map(|member| member.agreement.as_deref())
    }

    /// The finding with the smallest case.
    #[must_use]
    pub fn smallest(&self) -> &Member {
        self.members.first().expect("a cluster is made of findings")
    }
}

/// Why a campaign's findings cannot be clustered.
#[derive(Debug, thiserror::Error)]
pub enum ClusterError {
    /// The results cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A finding's folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A finding's folder is missing.
    #[error("{path}: {what}")]
    Missing {
        /// The folder.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
}

/// The clusters of a campaign's confirmed and unstable findings, ordered by target, then by the
/// worst kind, then by size.
///
/// Everything is read from the campaign's folder. With the suite, cases that the targets got right
/// are generated again for contrast; without it, clusters are coarser.
///
/// # Errors
/// Fails if the results or a finding's folder cannot be read.
pub fn clusters(
    campaign: &Path,
    suite: Option<&dyn Suite>,
    catalog: &Catalog,
) -> Result<Vec<Cluster>, ClusterError> {
    let results = Results::open(&campaign.join("results.sqlite"))?;
    let targets = results.targets()?;
    let findings = results.findings()?;
    let passing = contrast::passing(&results, suite, targets.len())?;
    let mut groups = Vec::with_capacity(targets.len());
    for (at, target) in targets.iter().enumerate() {
        let own = findings.iter().filter(|finding| finding.target == at);
        let failures = own
            .map(|finding| Failure::read(campaign, finding, target, suite))
            .collect::<Result<Vec<_>, _>>()?;
        let name: Option<TargetName> = target.name.parse().ok();
        let bugs = name.map(|name| catalog.known_bugs(&name, &target.reported)).unwrap_or_default();
        groups.push((target, group::groups(failures, &bugs, &passing[at])));
    }
    Ok(build::clusters(&groups))
}

/// The known bug that may explain a judgement of a case.
#[must_use]
pub fn known_bug<'b>(
    case: &TestCase,
    judgement: &Judgement,
    bugs: &[&'b KnownBug],
) -> Option<&'b KnownBug> {
    let (kind, law, crash) = match judgement {
        Judgement::Finding(finding) => match &finding.evidence {
            Evidence::Law { law, .. } => (Some(finding.kind), Some(law.as_str()), None),
            Evidence::Crash(signature) => (Some(finding.kind), None, Some(signature.to_string())),
            _ => (Some(finding.kind), None, None),
        },
        Judgement::Inconclusive(Doubt::Soft { law, .. }) => (None, Some(law.as_str()), None),
        _ => return None,
    };
    let traits = handling(case.kind()).traits_of(case).breaking(law);
    bugs.iter().copied().find(|bug| traits.explained_by(bug, kind, crash.as_deref()))
}

/// The folder of a finding, relative to the campaign's.
fn folder_of(finding: &Listed, target: &TargetRecord) -> PathBuf {
    Path::new("findings").join(folder_name(finding.ordinal, &target.name))
}

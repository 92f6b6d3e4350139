//! The data behind every report.

use assay_campaign::bisect::Timeline;
use assay_campaign::cluster::{Cluster, Member};
use assay_campaign::{
    Dossier, Header, Outcome, Results, Shows, Spent, Stability, StoreError, Stored, Summary,
    TargetRecord, folder_name,
};
use assay_case::{Category, FindingKind, Grade, Severity};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A campaign, prepared for reports.
#[derive(Clone, Debug)]
pub struct Report {
    /// The campaign's description.
    pub header: Header,
    /// Its targets.
    pub targets: Vec<TargetRecord>,
    /// The categories of its suite, by number.
    pub categories: Vec<Category>,
    /// The papers' table.
    pub summary: Summary,
    /// Where the workers' time went.
    pub spent: Spent,
    /// Every result, in the order of targets and cases.
    pub rows: Vec<Stored>,
    /// The commonest reasons for inconclusive answers: target, words, count.
    pub doubts: Vec<(usize, String, u64)>,
    /// The commonest errors other than crashes: target, words, count.
    pub errors: Vec<(usize, String, u64)>,
    /// The commonest messages with which cases were rejected: target, words, how many.
    pub rejections: Vec<(usize, String, u64)>,
    /// The commonest reasons for skipped cases: target, words, count.
    pub skips: Vec<(usize, String, u64)>,
    /// The findings, clustered.
    pub clusters: Vec<Cluster>,
    /// The contents of the findings' folders, by folder.
    pub dossiers: BTreeMap<PathBuf, Dossier>,
    /// The versions that show a finding, by folder, if it was bisected.
    pub timelines: BTreeMap<PathBuf, Timeline>,
}

impl Report {
    /// A campaign's results, with its clusters.
    ///
    /// # Errors
    /// Fails if the results cannot be read.
    pub fn new(results: &Results, clusters: Vec<Cluster>) -> Result<Report, StoreError> {
        Ok(Report {
            header: results.header()?,
            targets: results.targets()?,
            categories: results.categories()?,
            summary: results.summary()?,
            spent: results.spent()?,
            rows: results.rows()?,
            doubts: results.doubts()?,
            errors: results.errors()?,
            rejections: results.rejections()?,
            skips: results.skips()?,
            clusters,
            dossiers: BTreeMap::new(),
            timelines: BTreeMap::new(),
        })
    }

    /// Adds the contents of a finding's folder, given its path relative to the campaign's.
    pub fn add(&mut self, folder: &Path, dossier: Dossier, timeline: Option<Timeline>) {
        self.dossiers.insert(folder.to_owned(), dossier);
        self.timelines.extend(timeline.map(|timeline| (folder.to_owned(), timeline)));
    }

    /// The title of the campaign: `strings on z3@4.8.0, cvc5@1.4.2`.
    pub(crate) fn title(&self) -> String {
        let names: Vec<&str> = self.targets.iter().map(|target| target.name.as_str()).collect();
        format!("{} on {}", self.header.suite, names.join(", "))
    }

    /// The command that runs the campaign again.
    pub(crate) fn command(&self) -> String {
        self.header.command(self.targets.iter().map(|target| target.name.as_str()))
    }

    /// The number of cases, regardless of the number of targets.
    pub(crate) fn cases(&self) -> u64 {
        let mut ordinals: Vec<u64> = self.rows.iter().map(|row| row.ordinal).collect();
        ordinals.sort_unstable();
        ordinals.dedup();
        ordinals.len() as u64
    }

    /// The category of a row.
    pub(crate) fn category(&self, row: &Stored) -> Option<&Category> {
        self.categories.get(row.id.category as usize)
    }

    /// The name of a row's case: `constant-assignment/replace/3073`.
    pub(crate) fn case_name(&self, row: &Stored) -> String {
        let index = row.id.index;
        match self.category(row) {
            Some(category) if category.group.is_empty() => format!("{}/{index}", category.name),
            Some(category) => format!("{}/{}/{index}", category.name, category.group),
            None => row.id.to_string(),
        }
    }

    /// The folder of a row's finding, relative to the campaign's.
    pub(crate) fn folder(&self, row: &Stored) -> PathBuf {
        Path::new("findings").join(folder_name(row.ordinal, &self.targets[row.target].name))
    }

    /// The index of each row's cluster, by target and place.
    pub(crate) fn cluster_of(&self) -> BTreeMap<(&str, u64), usize> {
        let members = |(at, cluster)| {
            let Cluster { target, members, .. }: &Cluster = cluster;
            members.iter().map(move |member| ((target.as_str(), member.ordinal), at))
        };
        self.clusters.iter().enumerate().flat_map(members).collect()
    }

    /// The contents of a member's folder.
    pub(crate) fn dossier(&self, member: &Member) -> Option<&Dossier> {
        self.dossiers.get(&member.folder)
    }

    /// The folder of a member's smallest case.
    pub(crate) fn folder_of_smallest(&self, member: &Member) -> PathBuf {
        match self.dossier(member) {
            Some(Dossier { reduced: Some(_), .. }) => member.folder.join("reduced"),
            _ => member.folder.clone(),
        }
    }

    /// The timelines of a cluster's findings, the smallest cases first.
    pub(crate) fn timelines<'r>(
        &'r self,
        cluster: &'r Cluster,
    ) -> impl Iterator<Item = (&'r Member, &'r Timeline)> {
        let timeline = |member: &'r Member| Some((member, self.timelines.get(&member.folder)?));
        cluster.members.iter().filter_map(timeline)
    }
}

/// The meaning of a result: the papers' columns, with wrong verdicts separate.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Meaning {
    Sat,
    Unsat,
    LargerCore,
    Unknown,
    Timeout,
    Error,
    Skipped,
    Holds,
    Violated,
    Wrong,
    Declared,
    Unreadable,
}

impl Meaning {
    /// Every meaning with its name, which is also its CSS class.
    pub(crate) const ALL: [(Meaning, &'static str); 12] = [
        (Meaning::Sat, "sat"),
        (Meaning::Unsat, "unsat"),
        (Meaning::LargerCore, "larger-core"),
        (Meaning::Unknown, "unknown"),
        (Meaning::Timeout, "timeout"),
        (Meaning::Error, "error"),
        (Meaning::Skipped, "skipped"),
        (Meaning::Holds, "holds"),
        (Meaning::Violated, "violated"),
        (Meaning::Wrong, "wrong"),
        (Meaning::Declared, "declared"),
        (Meaning::Unreadable, "unreadable"),
    ];

    pub(crate) fn of(row: &Stored) -> Meaning {
        let declared = matches!(row.shows, Shows::Finding(_, Grade::Declared, _));
        match (row.outcome, finding(row).map(FindingKind::severity)) {
            (_, Some(Severity::Soundness)) if declared => Meaning::Declared,
            (_, Some(Severity::Soundness)) => Meaning::Wrong,
            (Outcome::Unreadable, _) => Meaning::Unreadable,
            (Outcome::Sat | Outcome::IncorrectModel, _) => Meaning::Sat,
            (Outcome::IncorrectCore, _) => Meaning::LargerCore,
            (Outcome::Unsat, _) => Meaning::Unsat,
            (Outcome::Unknown, _) => Meaning::Unknown,
            (Outcome::Timeout, _) => Meaning::Timeout,
            (Outcome::Error | Outcome::Rejected, _) => Meaning::Error,
            (Outcome::Skipped, _) => Meaning::Skipped,
            (Outcome::Holds, _) => Meaning::Holds,
            (Outcome::Violated, _) => Meaning::Violated,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        Meaning::ALL[self as usize].1
    }
}

/// The kind of a row's finding, if it was repeated in a fresh process.
pub(crate) fn finding(row: &Stored) -> Option<FindingKind> {
    match row.shows {
        Shows::Finding(kind, _, stability) if stability != Stability::Single => Some(kind),
        _ => None,
    }
}

/// Whether a target printed more than its answer.
pub(crate) fn said_more(dossier: &Dossier) -> bool {
    let said = dossier.stdout.trim();
    !said.is_empty() && said != dossier.record.answer
}

/// A description of a kind of finding, as a sentence without a full stop.
pub(crate) fn describe(kind: FindingKind) -> String {
    format!("The tool {}", kind.phrase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_is_at_its_own_index() {
        for (position, (meaning, name)) in Meaning::ALL.into_iter().enumerate() {
            assert_eq!((meaning as usize, meaning.name()), (position, name));
        }
    }
}

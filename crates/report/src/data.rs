//! What a report is made of.

use crate::timeline::Timeline;
use assay_campaign::cluster::{Cluster, Member};
use assay_campaign::{
    Dossier, Header, Outcome, Results, Shows, Spent, Stability, StoreError, Stored, Summary,
    TargetRecord, folder_name,
};
use assay_case::{Category, FindingKind, Grade, Severity};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A campaign, as a report tells of it.
#[derive(Clone, Debug)]
pub struct Report {
    /// What the campaign is.
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
    /// The commonest reasons why answers are inconclusive: target, words, how many.
    pub doubts: Vec<(usize, String, u64)>,
    /// The commonest errors that are no crashes: target, words, how many.
    pub errors: Vec<(usize, String, u64)>,
    /// The commonest reasons why cases were not run: target, words, how many.
    pub skips: Vec<(usize, String, u64)>,
    /// The findings, put together by what they share.
    pub clusters: Vec<Cluster>,
    /// What is in the findings' folders, by folder.
    pub dossiers: BTreeMap<PathBuf, Dossier>,
    /// Which versions show a finding, by folder, where somebody asked.
    pub timelines: BTreeMap<PathBuf, Timeline>,
}

impl Report {
    /// A campaign's results, with its clusters.
    ///
    /// # Errors
    /// Where the results cannot be read.
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
            skips: results.skips()?,
            clusters,
            dossiers: BTreeMap::new(),
            timelines: BTreeMap::new(),
        })
    }

    /// Adds what a finding's folder holds, by its name relative to the campaign's.
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

    /// How many cases there are, however many targets they ran on.
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

    /// Which cluster a row belongs to, by target and place.
    pub(crate) fn cluster_of(&self) -> BTreeMap<(&str, u64), usize> {
        let members = |(at, cluster)| {
            let Cluster { target, members, .. }: &Cluster = cluster;
            members.iter().map(move |member| ((target.as_str(), member.ordinal), at))
        };
        self.clusters.iter().enumerate().flat_map(members).collect()
    }

    /// What a member's folder holds.
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

    /// The timelines of a cluster's findings, those of the smallest cases first.
    pub(crate) fn timelines<'r>(
        &'r self,
        cluster: &'r Cluster,
    ) -> impl Iterator<Item = (&'r Member, &'r Timeline)> {
        let timeline = |member: &'r Member| Some((member, self.timelines.get(&member.folder)?));
        cluster.members.iter().filter_map(timeline)
    }
}

/// What a result means to its reader: the papers' columns, with wrong verdicts apart.
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
    /// Every meaning with its name, which is also its class in a page.
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
            (Outcome::Error, _) => Meaning::Error,
            (Outcome::Skipped, _) => Meaning::Skipped,
            (Outcome::Holds, _) => Meaning::Holds,
            (Outcome::Violated, _) => Meaning::Violated,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        Meaning::ALL[self as usize].1
    }
}

/// The kind of a row's finding, if it counts as one: it was run again and stood.
pub(crate) fn finding(row: &Stored) -> Option<FindingKind> {
    match row.shows {
        Shows::Finding(kind, _, stability) if stability != Stability::Single => Some(kind),
        _ => None,
    }
}

/// Whether a target said more than its answer.
pub(crate) fn said_more(dossier: &Dossier) -> bool {
    let said = dossier.stdout.trim();
    !said.is_empty() && said != dossier.record.answer
}

/// What a kind of finding is, in a sentence without a full stop.
pub(crate) fn describe(kind: FindingKind) -> String {
    format!("The tool {}", kind.phrase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_meaning_has_its_row() {
        for (position, (meaning, name)) in Meaning::ALL.into_iter().enumerate() {
            assert_eq!((meaning as usize, meaning.name()), (position, name));
        }
    }
}

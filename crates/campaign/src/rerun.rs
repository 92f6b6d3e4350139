//! Cases of an earlier campaign that are run again, chosen by their results.
//!
//! The earlier campaign says what its suite was and which of its cases had the wanted results; the
//! cases are made again from their numbers.

use crate::confirm::Stability;
use crate::file::FileError;
use crate::header::Header;
use crate::merge::RESULTS;
use crate::outcome::Outcome;
use crate::rows::{Shows, Stored};
use crate::settings::{CaseLimits, Choice};
use crate::store::{Results, StoreError, TargetRecord};
use assay_case::{CaseId, Category, MakeError, Selection, Suite, TestCase};
use std::collections::BTreeMap;
use std::path::PathBuf;

assay_case::named! {
    /// Results by which cases of an earlier campaign are chosen.
    #[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Wanted {
        /// Everything that is no right answer: findings, unknown, timeouts, errors, rejections.
        Failed = "failed",
        /// The target did not know.
        Unknown = "unknown",
        /// The target was too slow.
        Timeout = "timeout",
        /// The target refused the input, and nothing explains that.
        Rejected = "rejected",
        /// A finding that was run again in fresh processes.
        Finding = "finding",
    }
}

impl Wanted {
    /// Whether a row has this result. Cases that were not run have none.
    fn matches(self, row: &Stored) -> bool {
        let is_finding = matches!(row.shows, Shows::Finding(..));
        match self {
            Wanted::Failed => {
                let unanswered = matches!(
                    row.outcome,
                    Outcome::Unknown
                        | Outcome::Timeout
                        | Outcome::Error
                        | Outcome::Rejected
                        | Outcome::Unreadable
                );
                is_finding || unanswered
            }
            Wanted::Unknown => row.outcome == Outcome::Unknown,
            Wanted::Timeout => row.outcome == Outcome::Timeout,
            Wanted::Rejected => row.outcome == Outcome::Rejected,
            Wanted::Finding => {
                is_finding && !matches!(row.shows, Shows::Finding(.., Stability::Single))
            }
        }
    }
}

/// The record of an earlier campaign whose cases are run again.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct Source {
    /// The cases: how many they are, and a checksum. If the earlier campaign has gone on since, they
    /// are others.
    pub cases: String,
    /// The targets that were asked about seeds when the cases were first made.
    pub asked: Vec<String>,
    /// The limits of these questions.
    pub limits: CaseLimits,
}

/// An earlier campaign, and those of its cases that are run again.
#[derive(Clone, Debug)]
pub struct Earlier {
    /// Its description.
    pub header: Header,
    /// Its targets.
    pub targets: Vec<TargetRecord>,
    cases: Vec<CaseId>,
}

/// Why cases of an earlier campaign cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum EarlierError {
    /// Its results cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Its results cannot be found.
    #[error(transparent)]
    File(#[from] FileError),
    /// It was written by another version, which numbers cases in another way.
    #[error(
        "{folder} was written by assay {was}, and its cases may have other numbers in assay {}: run \
         it again with this version first",
        env!("CARGO_PKG_VERSION")
    )]
    Version {
        /// The campaign.
        folder: PathBuf,
        /// The version that wrote it.
        was: String,
    },
    /// It has no such target.
    #[error("--of {wanted}: {folder} has no such target; it has {known}")]
    Target {
        /// The campaign.
        folder: PathBuf,
        /// The name that was given.
        wanted: String,
        /// Its targets.
        known: String,
    },
    /// No case has the wanted results.
    #[error("{folder} has no cases with these results ({wanted}): there is nothing to run again")]
    Nothing {
        /// The campaign.
        folder: PathBuf,
        /// The results.
        wanted: String,
    },
}

impl Earlier {
    /// The campaign that a choice of cases names, with the cases that it chooses; `None` if it names
    /// no campaign.
    ///
    /// # Errors
    /// If the campaign cannot be read, or has no such cases.
    pub fn of(choice: &Choice) -> Result<Option<Earlier>, EarlierError> {
        let Some(folder) = &choice.again else { return Ok(None) };
        let file = folder.join(RESULTS);
        if !file.exists() {
            let what = format!("there is no {RESULTS} (name the folder of a campaign)");
            return Err(FileError::new(folder, what).into());
        }
        let results = Results::open(&file)?;
        let (header, targets) = (results.header()?, results.targets()?);
        if header.assay != env!("CARGO_PKG_VERSION") {
            let was = header.assay.clone();
            return Err(EarlierError::Version { folder: folder.clone(), was });
        }
        let is_meant = |target: &TargetRecord| match &choice.of {
            Some(wanted) => wanted == &target.name,
            None => true,
        };
        let meant: Vec<bool> = targets.iter().map(is_meant).collect();
        if let (Some(wanted), false) = (&choice.of, meant.contains(&true)) {
            let known: Vec<&str> = targets.iter().map(|target| target.name.as_str()).collect();
            let (folder, wanted, known) = (folder.clone(), wanted.clone(), known.join(", "));
            return Err(EarlierError::Target { folder, wanted, known });
        }
        // In the order of the earlier campaign; what several targets failed at is run once.
        let mut cases: BTreeMap<u64, CaseId> = BTreeMap::new();
        results.each_row::<StoreError>(|row| {
            let wanted = choice.only.is_empty() || choice.only.iter().any(|one| one.matches(&row));
            if wanted && meant.get(row.target) == Some(&true) {
                cases.insert(row.ordinal, row.id);
            }
            Ok(())
        })?;
        if cases.is_empty() {
            let wanted: Vec<&str> = choice.only.iter().map(|one| one.name()).collect();
            let wanted = if wanted.is_empty() { "any".to_owned() } else { wanted.join(", ") };
            return Err(EarlierError::Nothing { folder: folder.clone(), wanted });
        }
        Ok(Some(Earlier { header, targets, cases: cases.into_values().collect() }))
    }

    /// Its record for the new campaign.
    #[must_use]
    pub fn source(&self) -> Source {
        let Earlier { header, targets, .. } = self;
        let cases = self.digest();
        match &header.choice.earlier {
            Some(first) => Source { cases, ..first.clone() },
            None => {
                let asked = targets.iter().map(|target| target.name.clone()).collect();
                Source { cases, asked, limits: header.limits }
            }
        }
    }

    fn digest(&self) -> String {
        // FNV-1a.
        let mut sum = 0xcbf2_9ce4_8422_2325_u64;
        for case in &self.cases {
            for byte in format!("{case}\n").bytes() {
                sum = (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
            }
        }
        format!("{} cases ({sum:016x})", self.cases.len())
    }

    /// The cases that are run again, as a suite.
    #[must_use]
    pub fn suite(&self, suite: Box<dyn Suite>) -> Box<dyn Suite> {
        Box::new(Rerun { suite, cases: self.cases.clone() })
    }
}

/// A suite of which only some cases are run, by their numbers.
struct Rerun {
    suite: Box<dyn Suite>,
    cases: Vec<CaseId>,
}

impl Suite for Rerun {
    fn name(&self) -> &str {
        self.suite.name()
    }

    fn categories(&self) -> Vec<Category> {
        self.suite.categories()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let categories = self.categories();
        let wanted = categories.iter().map(|category| selection.wants(category));
        let wanted: Vec<bool> = wanted.collect();
        let is_wanted = move |id: &CaseId| wanted.get(id.category as usize) == Some(&true);
        selection.cut(self.cases.iter().copied().filter(is_wanted))
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        self.suite.make(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_case::{FindingKind, Grade};
    use std::time::Duration;

    fn row(outcome: Outcome, shows: Shows) -> Stored {
        let id = CaseId { category: 0, index: 0 };
        let elapsed = Duration::ZERO;
        Stored { target: 0, ordinal: 0, id, expected: None, outcome, elapsed, shows, detail: None }
    }

    #[test]
    fn each_result_matches_its_rerun_filters() {
        let found = |kind, stability| Shows::Finding(kind, Grade::Certified, stability);
        let (single, confirmed) = (Stability::Single, Stability::Confirmed);
        let table = [
            (Outcome::Sat, Shows::Nothing, ""),
            // No truth is known: nothing failed.
            (Outcome::Sat, Shows::Doubt, ""),
            (Outcome::Skipped, Shows::Nothing, ""),
            (Outcome::Skipped, Shows::Contradiction, ""),
            (Outcome::Unsat, found(FindingKind::WrongUnsat, confirmed), "failed finding"),
            (Outcome::Unknown, found(FindingKind::Unknown, single), "failed unknown"),
            (Outcome::Unknown, Shows::Doubt, "failed unknown"),
            (Outcome::Timeout, found(FindingKind::Timeout, single), "failed timeout"),
            (Outcome::Error, found(FindingKind::Crash, confirmed), "failed finding"),
            (Outcome::Rejected, found(FindingKind::Rejected, single), "failed rejected"),
            (Outcome::Error, Shows::Doubt, "failed"),
        ];
        for (outcome, shows, expected) in table {
            let row = row(outcome, shows);
            let has = |wanted: &&Wanted| wanted.matches(&row);
            let names: Vec<&str> = Wanted::ALL.iter().filter(has).map(|it| it.name()).collect();
            assert_eq!(names.join(" "), expected, "{outcome:?} {shows:?}");
        }
    }
}

//! Works on findings while the campaign runs: groups them, reduces one of each cluster, and runs it
//! on the installed versions of its tool.
//!
//! Workers do this in a set share of their time, and continue when no case is left. The findings'
//! folders show which work is done, so that a resumed campaign continues.

use crate::bisect::{Candidate, Question, Timeline, bisect, write_timeline};
use crate::cluster::{Cluster, ClusterError, Member, clusters};
use crate::confirm::Stability;
use crate::folder::{FindingRecord, FolderError, Matter};
use crate::kind::handling;
use crate::reduce::{End, Job, ReductionError, Watch, agreed_unsat};
use crate::reduced::{ReducedError, write_reduction};
use crate::replay::{ReplayError, case_of_finding};
use crate::suites::{Askers, SuiteError};
use crate::tool::{Tool, ToolError, Toolbox};
use assay_case::{Expected, FindingKind, Severity, Suite, TestCase};
use assay_target::{ByHand, HarnessError, Mode, Ran, Settings, Target, TargetName};
use std::collections::{HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, io};

/// The longest that one finding is reduced.
const LONGEST: Duration = Duration::from_secs(60);

/// Maximum number of findings of a cluster that are tried until one can be reduced.
const TRIES: usize = 3;

/// The file of a finding's folder that says why it was not reduced.
const NOT_REDUCED: &str = "not-reduced.txt";

/// The file of a finding's folder that says which solvers agree that its formula is unsatisfiable.
pub(crate) const AGREEMENT: &str = "agreement.txt";

/// How a campaign's findings are followed up while it runs.
pub struct FollowUp<'f> {
    /// The campaign's folder.
    pub folder: PathBuf,
    /// The percentage of the workers' time for it.
    pub share: u8,
    /// The known tools, and those that are installed.
    pub toolbox: Toolbox<'f>,
    /// The solvers that suites ask about seeds.
    pub askers: &'f Askers,
    /// How targets are run.
    pub settings: Settings,
}

/// Why a finding was not followed up.
#[derive(Debug, thiserror::Error)]
enum FollowError {
    #[error(transparent)]
    Cluster(#[from] ClusterError),
    #[error(transparent)]
    Folder(#[from] FolderError),
    #[error(transparent)]
    Replay(#[from] ReplayError),
    #[error(transparent)]
    Reduction(#[from] ReductionError),
    #[error(transparent)]
    Reduced(#[from] ReducedError),
    #[error(transparent)]
    Tool(#[from] ToolError),
    #[error(transparent)]
    Suite(#[from] SuiteError),
    #[error(transparent)]
    Harness(#[from] HarnessError),
    #[error(transparent)]
    File(#[from] crate::file::FileError),
    #[error("{0}")]
    Name(String),
    #[error(transparent)]
    Write(#[from] io::Error),
}

/// A piece of work on findings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Task {
    /// Group them, and plan further tasks.
    Group,
    /// Reduce the finding in this folder, then run it on other versions.
    Reduce(PathBuf),
    /// Run the finding in this folder on other versions.
    Bisect(PathBuf),
}

/// The plan for a campaign's findings.
#[derive(Default)]
pub(crate) struct Following {
    queue: VecDeque<Task>,
    /// Findings whose reduction or bisection has begun, so that none is begun twice.
    begun: HashSet<(PathBuf, bool)>,
    /// How many findings there were when they were last grouped.
    grouped: u64,
    /// Whether something was done since.
    is_stale: bool,
    is_grouping: bool,
}

impl Following {
    /// The next task. Findings are grouped again when there are an eighth more of them, or, in the `end`,
    /// one more.
    pub(crate) fn next(&mut self, found: u64, end: bool) -> Option<Task> {
        let task = self.queue.pop_front();
        if task.is_some() || self.is_grouping {
            return task;
        }
        let new = found.saturating_sub(self.grouped);
        let enough = new > if end { 0 } else { self.grouped / 8 };
        if !enough && !self.is_stale {
            return None;
        }
        (self.is_grouping, self.is_stale, self.grouped) = (true, false, found);
        Some(Task::Group)
    }

    /// Plans the work on the clusters: each is reduced and bisected once, the worst first; then
    /// further findings of the larger ones are bisected, because a cluster may hold several bugs.
    pub(crate) fn grouped(&mut self, campaign: &Path, clusters: &[Cluster]) {
        self.is_grouping = false;
        let worth = |cluster: &&Cluster| cluster.kind.severity() >= Severity::Crash;
        let mut clusters: Vec<&Cluster> = clusters.iter().filter(worth).collect();
        clusters.sort_by_key(|cluster| {
            (cluster.known.is_some(), std::cmp::Reverse(cluster.kind.severity()))
        });
        let (mut first, mut more) = (Vec::new(), Vec::new());
        for cluster in clusters {
            let is_confirmed = |member: &&Member| member.stability == Stability::Confirmed;
            let confirmed: Vec<PathBuf> = cluster
                .members
                .iter()
                .filter(is_confirmed)
                .map(|member| campaign.join(&member.folder))
                .collect();
            let (done, open): (Vec<&PathBuf>, Vec<&PathBuf>) =
                confirmed.iter().partition(|folder| {
                    was_reduced(folder) || self.begun.contains(&((*folder).clone(), true))
                });
            let represented = done.iter().any(|folder| !folder.join(NOT_REDUCED).exists());
            if let (false, true, Some(next)) = (represented, done.len() < TRIES, open.first()) {
                first.push(Task::Reduce((*next).clone()));
                continue;
            }
            let is_bisected = |folder: &PathBuf| {
                self.begun.contains(&(folder.clone(), false))
                    || matches!(Timeline::of_finding(folder), Ok(Some(_)))
            };
            let wanted = 1 + confirmed.len().max(1).ilog2() as usize;
            let known = confirmed.iter().filter(|folder| is_bisected(folder)).count();
            // Those of very different size are the likeliest to be different bugs.
            let others = confirmed.iter().rev().filter(|folder| !is_bisected(folder));
            more.extend(others.take(wanted.saturating_sub(known)).cloned().map(Task::Bisect));
        }
        for task in first.into_iter().chain(more) {
            let is_new = match &task {
                Task::Reduce(folder) => {
                    self.begun.insert((folder.clone(), false));
                    self.begun.insert((folder.clone(), true))
                }
                Task::Bisect(folder) => self.begun.insert((folder.clone(), false)),
                Task::Group => false,
            };
            if is_new {
                self.queue.push_back(task);
            }
        }
    }

    /// Takes note of a task that was done, after which findings may be grouped differently.
    pub(crate) fn done(&mut self, task: &Task) {
        self.is_stale |= *task != Task::Group;
        self.is_grouping &= *task != Task::Group;
    }
}

/// Whether a reduction of the finding was tried.
fn was_reduced(folder: &Path) -> bool {
    let reduced = folder.join("reduced").join(FindingRecord::FILE);
    reduced.exists() || folder.join(NOT_REDUCED).exists()
}

impl FollowUp<'_> {
    /// Whether there is time for it: `spent` of `total`.
    pub(crate) fn is_due(&self, spent: Duration, total: Duration) -> bool {
        spent < total * u32::from(self.share) / 100
    }

    /// The clusters of the campaign as they are now.
    pub(crate) fn group(&self, suite: &dyn Suite) -> Vec<Cluster> {
        // Where a folder cannot be read now, it may be the next time.
        clusters(&self.folder, Some(suite), self.toolbox.catalog).unwrap_or_default()
    }

    /// Does a task until then. What goes wrong is written into the finding's folder.
    pub(crate) fn work(&self, suite: &dyn Suite, task: &Task, end: End<'_>) {
        let longest = Instant::now() + LONGEST;
        let end = End { at: Some(end.at.map_or(longest, |at| at.min(longest))), ..end };
        match task {
            Task::Group => {}
            Task::Reduce(folder) => {
                if let Err(error) = self.reduce(suite, folder, end) {
                    if !end.is_over() {
                        // A folder that cannot be written to is met again at the next finding.
                        let _ = fs::write(folder.join(NOT_REDUCED), format!("{error}\n"));
                    }
                }
                let _ = self.bisect(suite, folder, end);
            }
            Task::Bisect(folder) => {
                let _ = self.bisect(suite, folder, end);
            }
        }
    }

    fn reduce(&self, suite: &dyn Suite, folder: &Path, end: End<'_>) -> Result<(), FollowError> {
        let record = FindingRecord::read(folder)?;
        let others = record.against.iter().map(|opinion| &opinion.target);
        let names = [&record.target].into_iter().chain(others);
        let tools: Vec<Tool> =
            names.map(|name| self.tool(&record, name)).collect::<Result<_, _>>()?;
        let job = Job {
            case: case_of_finding(folder, &record, Some(suite))?.truth,
            what: folder,
            record: Some(&record),
            kind: record.kind.finding(),
            tools: &tools,
            toolbox: self.toolbox,
            programs: record.campaign.programs_suite(self.askers)?,
            agreement: None,
            settings: Settings { sessions: true, ..self.settings.clone() },
            jobs: 1,
            in_folder: true,
        };
        let watch = &mut Watch { end, tell: &mut |_| {} };
        let reduction = handling(record.subject).reduce(job, watch)?;
        if reduction.folder.is_none() {
            let extension = record.subject.file().rsplit('.').next().unwrap_or_default();
            let file = folder.join(format!("reduced.{extension}"));
            fs::write(file, assay_smtlib::bytes_of(&reduction.text))?;
            write_reduction(&folder.join("reduced"), &reduction, &record, &tools, &self.settings)?;
        }
        Ok(())
    }

    fn tool(&self, record: &FindingRecord, name: &str) -> Result<Tool, FollowError> {
        let name: TargetName = name.parse().map_err(|_| FollowError::Name(name.to_owned()))?;
        Ok(self.toolbox.find(record.subject, &name, &mut |_| {})?.as_found(record).0)
    }

    /// Runs the reduced case, or the finding itself, on all installed versions.
    fn bisect(&self, suite: &dyn Suite, folder: &Path, end: End<'_>) -> Result<(), FollowError> {
        let (whole, reduced) = (folder, folder.join("reduced"));
        let folder = if reduced.join(FindingRecord::FILE).exists() { &reduced } else { whole };
        let record = FindingRecord::read(folder)?;
        let again = case_of_finding(folder, &record, Some(suite))?;
        let target: TargetName =
            record.target.parse().map_err(|_| FollowError::Name(record.target.clone()))?;
        let name = TargetName { version: None, ..target };
        let settings = Settings { sessions: false, ..self.settings.clone() };
        let versions = self.toolbox.versions(record.subject, &name, &[], &mut |_| {})?;
        let candidate = |(version, tool): (String, Tool)| {
            let target = tool.as_found(&record).0.open(&settings, None);
            Candidate { version, target: Box::new(Until { target, end }) as Box<dyn Target> }
        };
        let mut candidates: Vec<Candidate<'_>> = versions.into_iter().map(candidate).collect();
        let sought = record.kind.finding();
        let agreed = self.agreed(&record, &again.truth, &settings);
        if let Some((_, who)) = &agreed {
            fs::write(whole.join(AGREEMENT), format!("{who}\n"))?;
        }
        let truth = agreed.as_ref().map_or(&again.truth, |(case, _)| case);
        let question = Question { case: &again.case, truth, sought };
        let timeline = bisect(question, &mut candidates, &mut |_| {})?;
        if !end.is_over() {
            write_timeline(folder, &timeline.records(&name))?;
        }
        Ok(())
    }
}

impl FollowUp<'_> {
    /// Whether other solvers agree that a formula with a wrong model has none: then the tool's verdict is
    /// wrong, not only its model.
    fn agreed(
        &self,
        record: &FindingRecord,
        truth: &TestCase,
        settings: &Settings,
    ) -> Option<(TestCase, String)> {
        let is_open = truth.expected() == Expected::Open
            && record.kind == Matter::Finding(FindingKind::InvalidModel);
        let suspect: TargetName = record.target.parse().ok()?;
        is_open.then(|| agreed_unsat(truth, &suspect.name, self.toolbox, settings)).flatten()
    }
}

/// A target that is run until the time is over.
struct Until<'t> {
    target: Box<dyn Target + 't>,
    end: End<'t>,
}

impl Target for Until<'_> {
    fn name(&self) -> &str {
        self.target.name()
    }

    fn by_hand(&self, case: &TestCase) -> Option<ByHand> {
        self.target.by_hand(case)
    }

    fn run(&mut self, case: &TestCase, mode: Mode) -> Result<Ran, HarnessError> {
        match self.end.is_over() {
            true => Ok(Ran::Skipped("the time is over".to_owned())),
            false => self.target.run(case, mode),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use assay_case::Grade;

    /// A cluster of as many findings, in folders of these names.
    fn cluster(kind: FindingKind, folders: &[&str]) -> Cluster {
        let member = |folder: &&str| Member {
            ordinal: 0,
            id: "0.0".into(),
            case: (*folder).into(),
            kind,
            grade: Grade::Certified,
            stability: Stability::Confirmed,
            evidence: String::new(),
            folder: folder.into(),
            size: 1,
            assertions: String::new(),
            reduced: None,
            versions: None,
            agreement: None,
        };
        Cluster {
            id: folders[0].into(),
            target: "t".into(),
            kind,
            grade: Grade::Certified,
            sentence: String::new(),
            known: None,
            crash: None,
            operators: Vec::new(),
            rules: Vec::new(),
            arguments: Vec::new(),
            members: folders.iter().map(member).collect(),
        }
    }

    /// The tasks until findings are grouped again.
    fn tasks(following: &mut Following, found: u64) -> Vec<Task> {
        let mut tasks = Vec::new();
        while let Some(task) = following.next(found, false) {
            following.done(&task);
            tasks.push(task);
            if tasks.last() == Some(&Task::Group) {
                break;
            }
        }
        tasks
    }

    #[test]
    fn each_cluster_gets_one_reduction_and_large_ones_more_bisections() {
        let campaign = tempfile::tempdir().expect("a folder");
        let path = |name: &str| campaign.path().join(name);
        let crashes = cluster(FindingKind::Crash, &["c"]);
        let names = ["a", "b", "d", "e", "f", "g", "h", "i"];
        let wrong = cluster(FindingKind::WrongSat, &names);
        let slow = cluster(FindingKind::Timeout, &["s"]);
        let clusters = [crashes, slow, wrong];
        let mut following = Following::default();
        assert_eq!(following.next(0, true), None, "nothing was found");
        assert_eq!(tasks(&mut following, 9), [Task::Group]);
        following.grouped(campaign.path(), &clusters);
        let reduce = |name| Task::Reduce(path(name));
        assert_eq!(tasks(&mut following, 9), [reduce("a"), reduce("c"), Task::Group]);
        // The first cannot be reduced.
        std::fs::create_dir_all(path("a")).expect("a folder");
        std::fs::create_dir_all(path("c").join("reduced")).expect("a folder");
        std::fs::write(path("a").join(NOT_REDUCED), "").expect("a file");
        std::fs::write(path("c").join("reduced").join(FindingRecord::FILE), "").expect("a file");
        following.grouped(campaign.path(), &clusters);
        assert_eq!(tasks(&mut following, 9), [reduce("b"), Task::Group]);
        std::fs::create_dir_all(path("b").join("reduced")).expect("a folder");
        std::fs::write(path("b").join("reduced").join(FindingRecord::FILE), "").expect("a file");
        following.grouped(campaign.path(), &clusters);
        let more = ["i", "h"].map(|name| Task::Bisect(path(name)));
        assert_eq!(tasks(&mut following, 9), [&more[..], &[Task::Group]].concat());
        following.grouped(campaign.path(), &clusters);
        assert_eq!(tasks(&mut following, 10), [], "one more is not enough");
        assert_eq!(following.next(10, true), Some(Task::Group), "but for the end");
        assert_eq!(following.next(99, true), None, "somebody groups them already");
    }
}

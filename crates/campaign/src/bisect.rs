//! Which version of a tool introduced an error and which one fixed it: one case on all versions.
//!
//! Every version runs in a process of its own. Neighboring versions that disagree are both run
//! again, and a change counts only if the second run agrees with the first.

use crate::confirm::ROUNDS;
use crate::file::FileError;
use crate::replay::read_text;
use crate::shown::shortened;
use assay_case::{
    Comparison, Expected, FindingKind, Judgement, Severity, Statement, TestCase, compare, judge,
};
use assay_target::{HarnessError, Mode, Ran, Target, TargetName};
use serde::Deserialize;
use serde_json::{Value, json};
use std::path::Path;

/// The result of one version on a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reading {
    /// It shows this finding.
    Wrong(FindingKind),
    /// Its answer is right.
    Right,
    /// It answers unknown, or its answer proves nothing.
    Unknown,
    /// It exceeds the time or memory limit.
    Timeout,
    /// It rejects the case.
    Rejected,
    /// It lacks a feature that the case needs and was not run.
    Skipped,
    /// Its answers differ between runs.
    Unstable,
}

impl Reading {
    /// Its stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Reading::Wrong(_) => "wrong",
            Reading::Right => "right",
            Reading::Unknown => "unknown",
            Reading::Timeout => "timeout",
            Reading::Rejected => "rejected",
            Reading::Skipped => "skipped",
            Reading::Unstable => "unstable",
        }
    }

    /// The reading of a name, with the kind of a finding.
    fn by_name(name: &str, kind: Option<FindingKind>) -> Option<Reading> {
        let plain = [
            Reading::Right,
            Reading::Unknown,
            Reading::Timeout,
            Reading::Rejected,
            Reading::Skipped,
            Reading::Unstable,
        ];
        kind.map(Reading::Wrong).into_iter().chain(plain).find(|reading| reading.name() == name)
    }

    /// Whether the version is wrong; `None` if that is undecided.
    fn errs(&self) -> Option<bool> {
        match self {
            Reading::Wrong(_) => Some(true),
            Reading::Right => Some(false),
            _ => None,
        }
    }
}

/// One version on a timeline.
#[derive(Clone, PartialEq, Debug)]
pub struct Entry {
    /// The version.
    pub version: String,
    /// Its result on the case.
    pub reading: Reading,
    /// Its answer, or why it was not run.
    pub detail: String,
    /// How long the first run took.
    pub seconds: f64,
    /// The number of runs.
    pub runs: usize,
}

/// A version of a tool, ready to run.
pub struct Candidate<'c> {
    /// The version.
    pub version: String,
    /// The target that runs it.
    pub target: Box<dyn Target + 'c>,
}

/// A change between two versions that are neighbors among the decided ones.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Change {
    /// Whether the later version is wrong or right.
    pub what: Turn,
    /// The last decided version before the change.
    pub before: String,
    /// The first decided version after the change.
    pub after: String,
    /// The undecided versions between the two.
    pub between: Vec<String>,
}

/// The direction of a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Turn {
    /// From right to wrong.
    Introduced,
    /// From wrong to right.
    Fixed,
}

impl Turn {
    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Turn::Introduced => "introduced",
            Turn::Fixed => "fixed",
        }
    }
}

impl std::fmt::Display for Change {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let was = match self.what {
            Turn::Introduced => "right",
            Turn::Fixed => "wrong",
        };
        let (name, before, after) = (self.what.name(), &self.before, &self.after);
        match self.between[..] {
            [] => write!(f, "{name} in {after} ({before} {was})"),
            _ => {
                let between = self.between.join(", ");
                write!(f, "{name} in {after} or earlier ({before} {was}; {between} undecided)")
            }
        }
    }
}

/// The results of a tool's versions on a case, the oldest first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Timeline {
    /// One entry for each version.
    pub entries: Vec<Entry>,
}

impl Timeline {
    /// The changes from right to wrong and back, in order.
    #[must_use]
    pub fn changes(&self) -> Vec<Change> {
        let decided = self.decided();
        let pairs = decided.iter().zip(decided.iter().skip(1));
        let change = |(&(a, before), &(b, after)): (&(usize, bool), &(usize, bool))| {
            let what = match (before, after) {
                (false, true) => Turn::Introduced,
                (true, false) => Turn::Fixed,
                _ => return None,
            };
            let version = |at: usize| self.entries[at].version.clone();
            let between = (a + 1..b).map(version).collect();
            Some(Change { what, before: version(a), after: version(b), between })
        };
        pairs.filter_map(change).collect()
    }

    /// Whether a version is wrong.
    #[must_use]
    pub fn is_wrong(&self) -> bool {
        self.entries.iter().any(|entry| entry.reading.errs() == Some(true))
    }

    /// Whether no version decides the case.
    #[must_use]
    pub fn is_undecided(&self) -> bool {
        self.decided().is_empty()
    }

    /// The positions of the decided entries, with whether each is wrong.
    fn decided(&self) -> Vec<(usize, bool)> {
        let entries = self.entries.iter().enumerate();
        entries.filter_map(|(at, entry)| Some((at, entry.reading.errs()?))).collect()
    }

    /// The undecided versions, the oldest first.
    #[must_use]
    pub fn undecided(&self) -> Vec<&str> {
        let undecided = self.entries.iter().filter(|entry| entry.reading.errs().is_none());
        undecided.map(|entry| entry.version.as_str()).collect()
    }

    /// A one-sentence summary that names every undecided version.
    #[must_use]
    pub fn story(&self) -> String {
        let changes = self.changes();
        let mut named: Vec<&str> =
            changes.iter().flat_map(|change| &change.between).map(String::as_str).collect();
        let decided = self.decided();
        let version = |at: &usize| self.entries[*at].version.as_str();
        let mut parts = Vec::new();
        if let Some((at, true)) = decided.first() {
            parts.push(format!("wrong since {} or earlier", version(at)));
        }
        parts.extend(changes.iter().map(Change::to_string));
        match decided.last() {
            Some((at, true)) if at + 1 == self.entries.len() => {
                parts.push(format!("still wrong in {}", version(at)));
            }
            Some((at, true)) => {
                let undecided: Vec<usize> = (at + 1..self.entries.len()).collect();
                let undecided: Vec<&str> = undecided.iter().map(version).collect();
                named.extend(&undecided);
                let undecided = undecided.join(", ");
                parts.push(format!("not fixed by {} ({undecided} undecided)", version(at)));
            }
            Some((_, false)) if parts.is_empty() => {
                parts.push("right in every version that decides it".to_owned());
            }
            Some((_, false)) => {}
            None => return "no version decides it".to_owned(),
        }
        let mut story = parts.join(", ");
        let others: Vec<&str> =
            self.undecided().into_iter().filter(|version| !named.contains(version)).collect();
        if !others.is_empty() {
            story += &format!("; undecided: {}", others.join(", "));
        }
        story
    }

    /// The readings of a tool's versions and what happened, in words.
    #[must_use]
    pub fn words(&self, tool: &TargetName) -> String {
        let line = |entry: &Entry| {
            let Entry { version, reading, detail, seconds, .. } = entry;
            let detail = match reading {
                Reading::Wrong(kind) if *kind != FindingKind::Crash => kind.name().to_owned(),
                _ => shortened(detail),
            };
            format!("{version:10} {:8} {seconds:6.2} s  {detail}\n", reading.name())
        };
        let lines: String = self.entries.iter().map(line).collect();
        format!("{lines}{tool}: {}\n", self.story())
    }

    /// The same as JSON Lines: a record for each version, and a last one with the changes.
    #[must_use]
    pub fn records(&self, tool: &TargetName) -> String {
        let tool = tool.to_string();
        let record = |entry: &Entry| {
            let kind = match &entry.reading {
                Reading::Wrong(kind) => Some(kind.name()),
                _ => None,
            };
            json!({
                "target": tool, "version": entry.version, "reading": entry.reading.name(),
                "kind": kind, "detail": entry.detail, "seconds": entry.seconds, "runs": entry.runs,
            })
        };
        let change = |change: &Change| {
            json!({
                "what": change.what.name(), "before": change.before, "after": change.after,
                "between": change.between,
            })
        };
        let changes: Vec<Value> = self.changes().iter().map(change).collect();
        let summary = json!({ "target": tool, "changes": changes, "story": self.story(),
                "undecided": self.undecided() });
        let all = self.entries.iter().map(record).chain([json!({ "summary": summary })]);
        all.map(|record| format!("{record}\n")).collect()
    }
}

/// A record of a timeline that cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("line {line}: {what} (expected what `assay bisect --json` prints)")]
pub struct TimelineError {
    line: usize,
    what: String,
}

/// A line of [`Timeline::records`].
#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Summary {
        #[serde(rename = "summary")]
        _summary: Value,
    },
    Trial {
        version: String,
        reading: String,
        #[serde(default)]
        kind: Option<FindingKind>,
        #[serde(default)]
        detail: String,
        #[serde(default)]
        seconds: f64,
        #[serde(default)]
        runs: usize,
    },
}

impl Timeline {
    /// Reads the records of a timeline.
    ///
    /// # Errors
    /// Fails on any other text.
    pub fn read(text: &str) -> Result<Timeline, TimelineError> {
        let mut entries = Vec::new();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let wrong = |what: String| TimelineError { line: at + 1, what };
            let read = serde_json::from_str(line).map_err(|error| wrong(error.to_string()))?;
            let Line::Trial { version, reading, kind, detail, seconds, runs } = read else {
                continue;
            };
            let reading = Reading::by_name(&reading, kind)
                .ok_or_else(|| wrong(format!("`{reading}` is no reading")))?;
            entries.push(Entry { version, reading, detail, seconds, runs });
        }
        Ok(Timeline { entries })
    }

    /// The timeline that [`write_timeline`] wrote into a finding's folder, or into that of its reduced
    /// case.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn of_finding(folder: &Path) -> Result<Option<Timeline>, FileError> {
        let files = [folder.join(FILE), folder.join("reduced").join(FILE)];
        let Some(file) = files.iter().find(|file| file.exists()) else { return Ok(None) };
        let text = read_text(file)?;
        Timeline::read(&text).map(Some).map_err(|error| FileError::new(file, error))
    }

    /// Whether a version is wrong on one and right on the other.
    #[must_use]
    pub fn contradicts(&self, other: &Timeline) -> bool {
        self.entries.iter().any(|one| {
            let same = other.entries.iter().filter(|entry| entry.version == one.version);
            let errs = one.reading.errs();
            same.filter_map(|entry| entry.reading.errs()).any(|other| errs == Some(!other))
        })
    }
}

/// The file of a finding's folder with the records of its versions.
const FILE: &str = "bisect.json";

/// Writes the records of a timeline into a finding's folder.
///
/// # Errors
/// If the file cannot be written.
pub fn write_timeline(folder: &Path, records: &str) -> Result<(), FileError> {
    // Whoever reads a running campaign finds all of it or nothing.
    let (file, draft) = (folder.join(FILE), folder.join("bisect.draft"));
    std::fs::write(&draft, records)
        .and_then(|()| std::fs::rename(&draft, &file))
        .map_err(|error| FileError::new(&file, error))
}

/// The case that each version is run on.
#[derive(Clone, Copy)]
pub struct Question<'s> {
    /// The case to run.
    pub case: &'s TestCase,
    /// The case with its truth, which may have become known only after the case was made.
    pub truth: &'s TestCase,
    /// A kind of finding to look for in addition to wrong answers and crashes.
    pub sought: Option<FindingKind>,
}

/// Runs a case on versions of a tool, the oldest first. If no truth is known, a model that a version
/// prints, or few enough assignments to try, may show it.
///
/// # Errors
/// Fails if a version cannot be run for a reason outside the tool.
pub fn bisect(
    question: Question<'_>,
    candidates: &mut [Candidate<'_>],
    watch: &mut dyn FnMut(&str),
) -> Result<Timeline, HarnessError> {
    let mut runs = Vec::new();
    for candidate in candidates.iter_mut() {
        runs.push(candidate.target.run(question.case, Mode::Fresh)?);
        watch(&candidate.version);
    }
    let decided = question.decided(candidates, &runs);
    let question = Question { truth: decided.as_deref().unwrap_or(question.truth), ..question };
    let versions = candidates.iter().map(|candidate| candidate.version.clone());
    let entries = versions.zip(&runs).map(|(version, ran)| question.first(version, ran)).collect();
    let mut timeline = Timeline { entries };
    // An entry that confirmation makes undecided can only move a boundary to unconfirmed versions.
    while let Some(at) = boundary(&timeline) {
        question.confirm(&mut candidates[at], &mut timeline.entries[at])?;
    }
    Ok(timeline)
}

/// An entry next to a change that was run only once.
fn boundary(timeline: &Timeline) -> Option<usize> {
    let decided = timeline.decided();
    let pairs = decided.iter().zip(decided.iter().skip(1)).filter(|(a, b)| a.1 != b.1);
    let sides = pairs.flat_map(|(a, b)| [a.0, b.0]);
    sides.into_iter().find(|&at| timeline.entries[at].runs == 1)
}

impl Question<'_> {
    /// The case with the truth that the runs show, if none is known.
    fn decided(&self, candidates: &[Candidate<'_>], runs: &[Ran]) -> Option<Box<TestCase>> {
        if self.truth.expected() != Expected::Open {
            return None;
        }
        let said = candidates.iter().zip(runs).filter_map(|(candidate, ran)| match ran {
            Ran::Observed(run) => {
                Some(Statement { who: candidate.target.name(), seen: &run.observation })
            }
            Ran::Skipped(_) => None,
        });
        match compare(self.truth, &said.collect::<Vec<_>>()) {
            Comparison::Decided(case) => Some(case),
            _ => None,
        }
    }

    fn first(&self, version: String, ran: &Ran) -> Entry {
        match ran {
            Ran::Skipped(detail) => Entry {
                version,
                reading: Reading::Skipped,
                detail: detail.clone(),
                seconds: 0.0,
                runs: 0,
            },
            Ran::Observed(run) => {
                let judgement = judge(self.truth, &run.observation);
                let reading = self.reading(&judgement);
                let detail = match &judgement {
                    Judgement::Correct => run.observation.answer.to_string(),
                    Judgement::Inconclusive(doubt) => doubt.to_string(),
                    Judgement::Finding(finding) => finding.to_string(),
                    Judgement::OracleContradicted(how) => how.to_string(),
                };
                let seconds = run.observation.elapsed.as_secs_f64();
                Entry { version, reading, detail, seconds, runs: 1 }
            }
        }
    }

    fn confirm(
        &self,
        candidate: &mut Candidate<'_>,
        entry: &mut Entry,
    ) -> Result<(), HarnessError> {
        for _ in 0..ROUNDS {
            entry.runs += 1;
            let again = match candidate.target.run(self.case, Mode::Fresh)? {
                Ran::Observed(run) => self.reading(&judge(self.truth, &run.observation)),
                Ran::Skipped(_) => Reading::Skipped,
            };
            if again.errs() != entry.reading.errs() {
                entry.detail = format!("{}, then {}", entry.reading.name(), again.name());
                entry.reading = Reading::Unstable;
                return Ok(());
            }
        }
        Ok(())
    }

    fn reading(&self, judgement: &Judgement) -> Reading {
        let kind = match judgement {
            Judgement::Correct => return Reading::Right,
            Judgement::Inconclusive(_) | Judgement::OracleContradicted(_) => {
                return Reading::Unknown;
            }
            Judgement::Finding(finding) => finding.kind,
        };
        match kind {
            _ if kind.severity() >= Severity::Crash || Some(kind) == self.sought => {
                Reading::Wrong(kind)
            }
            FindingKind::Timeout | FindingKind::OutOfMemory => Reading::Timeout,
            FindingKind::Rejected => Reading::Rejected,
            FindingKind::LargerCore => Reading::Right,
            _ => Reading::Unknown,
        }
    }
}

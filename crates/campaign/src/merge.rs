//! Merges the shards of a campaign into what a single machine would have produced.
//!
//! A shard numbers its cases as the whole campaign does, so merging is a union of rows. This module
//! checks that the shards belong to one campaign, lists what is missing, and resolves contradicting
//! rows by a rule that does not depend on the order of the shards.

use crate::confirm::Stability;
use crate::coverage::{Coverage, Missing};
use crate::fault::FAULTS;
use crate::file::FileError;
use crate::folder::{FindingRecord, FolderError};
use crate::header::{Difference, Header};
use crate::outcome::Outcome;
use crate::rows::{Done, Shows, Stored};
use crate::run::folder_name;
use crate::spent::Spent;
use crate::store::{Results, StoreError, TargetRecord, other_parts};
use assay_case::{CaseId, Category, Shard};
use std::cmp::Reverse;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file in a campaign's folder that holds its results.
pub const RESULTS: &str = "results.sqlite";

/// The folder with the findings, in a campaign's folder.
pub const FINDINGS: &str = "findings";

/// The number of rows that are written at once.
const BATCH: usize = 8192;

/// The result of a merge.
pub struct Merged {
    /// The campaign.
    pub results: Results,
    /// The number of parts.
    pub parts: usize,
    /// The number of rows that occurred more than once.
    pub repeated: u64,
    /// Repeated rows that contradicted each other.
    pub settled: Vec<Settlement>,
    /// What is missing.
    pub missing: Missing,
}

/// A case on which two parts contradict each other.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settlement {
    /// The target.
    pub target: String,
    /// The case.
    pub id: CaseId,
    /// The outcome that was kept.
    pub kept: Outcome,
    /// The outcome that was dropped.
    pub dropped: Outcome,
}

/// Why parts cannot be merged.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A store cannot be used.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// A finding's folder cannot be read.
    #[error(transparent)]
    Folder(#[from] FolderError),
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// No folder holds a campaign.
    #[error("none of the folders holds a campaign ({RESULTS})")]
    Nothing,
    /// The output folder already exists.
    #[error("{0} already exists (choose another --out)")]
    Occupied(PathBuf),
    /// The parts belong to different campaigns.
    #[error(
        "{first} and {second} are parts of different campaigns: {what} is {was} in the first, {now} in the second"
    )]
    Differs {
        /// A part.
        first: PathBuf,
        /// A part of another campaign.
        second: PathBuf,
        /// Which setting differs.
        what: &'static str,
        /// Its value in the first part.
        was: String,
        /// Its value in the second part.
        now: String,
    },
    /// The parts number their cases differently.
    #[error("{folder}: {what}")]
    Places {
        /// The part.
        folder: PathBuf,
        /// The problem.
        what: String,
    },
    /// Something is missing.
    #[error("{0} (run the missing parts, or merge what there is with --partial)")]
    Incomplete(Missing),
}

/// An existing part.
struct Part {
    folder: PathBuf,
    results: Results,
    shard: Shard,
}

/// Merges parts of a campaign into a new folder. If something is missing, this fails unless
/// `partial` is set. The folder gets its name only when everything is done.
///
/// # Errors
/// Fails if the parts cannot be merged.
pub fn merge(folders: &[PathBuf], out: &Path, partial: bool) -> Result<Merged, MergeError> {
    if fs::read_dir(out).is_ok_and(|mut entries| entries.next().is_some()) || out.is_file() {
        return Err(MergeError::Occupied(out.to_owned()));
    }
    let (parts, lost) = survey(folders)?;
    let whole = same_campaign(&parts)?;
    let draft = draft(out);
    remove(&draft)?;
    fs::create_dir_all(&draft).map_err(|source| files(&draft, source))?;
    let joined = join(&parts, &whole, &draft).and_then(|union| {
        // Cases that wait for the whole time limit have a row, but are not done.
        let done = union.results.done(whole.targets.len())?;
        let missing = union.coverage.missing(&done, lost);
        if !missing.is_nothing() && !partial {
            return Err(MergeError::Incomplete(missing));
        }
        Ok((union, missing))
    });
    let (union, missing) = match joined {
        Ok(joined) => joined,
        Err(error) => {
            // The original error counts, whether or not the draft can be removed.
            let _ = remove(&draft);
            return Err(error);
        }
    };
    let Union { mut results, repeated, settled, .. } = union;
    if let Some(cases) = missing.cases().filter(|_| missing.is_nothing()) {
        results.finish(cases)?;
    }
    drop(results);
    fs::rename(&draft, out).map_err(|source| files(out, source))?;
    let results = Results::open(&out.join(RESULTS))?;
    Ok(Merged { results, parts: parts.len(), repeated, settled, missing })
}

/// The temporary folder in which the campaign is built.
fn draft(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(".merging");
    out.with_file_name(name)
}

fn remove(draft: &Path) -> Result<(), MergeError> {
    match fs::remove_dir_all(draft) {
        Err(source) if source.kind() != io::ErrorKind::NotFound => Err(files(draft, source)),
        _ => Ok(()),
    }
}

/// The existing parts, and the folders without one, from tasks that died before they began.
fn survey(folders: &[PathBuf]) -> Result<(Vec<Part>, Vec<PathBuf>), MergeError> {
    let (mut parts, mut lost) = (Vec::new(), Vec::new());
    let mut folders = folders.to_vec();
    folders.sort();
    folders.dedup();
    for folder in folders {
        if !folder.is_dir() {
            let source = io::Error::new(io::ErrorKind::NotFound, "there is no such folder");
            return Err(files(&folder, source));
        }
        match Results::open(&folder.join(RESULTS)) {
            Ok(results) => {
                let shard = results.header()?.shard();
                parts.push(Part { folder, results, shard });
            }
            Err(StoreError::Missing(_)) => lost.push(folder),
            Err(error) => return Err(error.into()),
        }
    }
    if parts.is_empty() {
        return Err(MergeError::Nothing);
    }
    Ok((parts, lost))
}

/// The campaign that all parts belong to.
struct Whole {
    header: Header,
    targets: Vec<TargetRecord>,
    categories: Vec<Category>,
}

fn same_campaign(parts: &[Part]) -> Result<Whole, MergeError> {
    let whole = |part: &Part| -> Result<Whole, StoreError> {
        Ok(Whole {
            header: part.results.header()?.whole(),
            targets: part.results.targets()?,
            categories: part.results.categories()?,
        })
    };
    let first = whole(&parts[0])?;
    for part in &parts[1..] {
        let other = whole(part)?;
        let made_of = (&first.targets[..], &first.categories[..]);
        let difference = first
            .header
            .difference(&other.header)
            .or_else(|| other_parts(made_of, (&other.targets, &other.categories)));
        if let Some(Difference { what, was, now }) = difference {
            let (first, second) = (parts[0].folder.clone(), part.folder.clone());
            return Err(MergeError::Differs { first, second, what, was, now });
        }
    }
    Ok(first)
}

/// The rows merged so far.
struct Union {
    results: Results,
    done: Vec<Done>,
    repeated: u64,
    settled: Vec<Settlement>,
    coverage: Coverage,
}

fn join(parts: &[Part], whole: &Whole, draft: &Path) -> Result<Union, MergeError> {
    let Whole { header, targets, categories } = whole;
    let mut union = Union {
        results: Results::create(&draft.join(RESULTS), header, categories, targets)?,
        done: std::iter::repeat_with(Done::default).take(targets.len()).collect(),
        repeated: 0,
        settled: Vec::new(),
        coverage: Coverage::default(),
    };
    let mut spent = Spent::default();
    for part in parts {
        union.add(part, targets)?;
        spent.merge(&part.results.spent()?);
        union.results.add_steps(&part.results.steps()?)?;
        let novel = part.results.novel()?;
        if !novel.is_empty() {
            union.results.add_novel(&novel)?;
        }
    }
    union.results.keep_spent(&spent)?;
    for part in parts {
        union.copy_findings(part, whole, draft)?;
        copy_faults(part, draft)?;
    }
    Ok(union)
}

impl Union {
    fn add(&mut self, part: &Part, targets: &[TargetRecord]) -> Result<(), MergeError> {
        let refused = |what: String| MergeError::Places { folder: part.folder.clone(), what };
        let mut batch = Vec::with_capacity(BATCH);
        let mut rows = 0;
        part.results.each_row::<MergeError>(|row| {
            if row.ordinal % part.shard.of != part.shard.index {
                let what = "it counts its cases from zero, as earlier versions of assay did; run \
                            it again";
                return Err(refused(what.to_owned()));
            }
            let done = self.done.get_mut(row.target);
            let done = done.ok_or_else(|| refused(format!("it has no target {}", row.target)))?;
            rows += 1;
            if done.contains(row.ordinal) {
                batch.extend(self.repeat(row, targets).map_err(|error| match error {
                    Repeat::Store(error) => error.into(),
                    Repeat::OtherCase(what) => refused(what),
                })?);
            } else {
                done.insert(row.ordinal);
                batch.push(row);
            }
            if batch.len() >= BATCH {
                self.results.append(&batch)?;
                batch.clear();
            }
            Ok(())
        })?;
        self.results.append(&batch)?;
        self.coverage.add(&part.folder, part.shard, part.results.finished()?, rows);
        Ok(())
    }

    /// The row, if it outranks the existing one.
    fn repeat(&mut self, row: Stored, targets: &[TargetRecord]) -> Result<Option<Stored>, Repeat> {
        self.repeated += 1;
        let known = self.results.row(row.target, row.ordinal)?;
        let known = known.expect("rows of other parts were written before this one's");
        if known.id != row.id {
            let (at, id, other) = (row.ordinal, row.id, known.id);
            return Err(Repeat::OtherCase(format!("case {at} of all is {id}, elsewhere {other}")));
        }
        let replaces = weight(&row) > weight(&known);
        let (kept, dropped) = if replaces { (&row, &known) } else { (&known, &row) };
        if (kept.outcome, kept.shows) != (dropped.outcome, dropped.shows) {
            self.settled.push(Settlement {
                target: targets[row.target].name.clone(),
                id: row.id,
                kept: kept.outcome,
                dropped: dropped.outcome,
            });
        }
        Ok(replaces.then_some(row))
    }

    /// Copies the folders of the findings whose rows come from this part.
    fn copy_findings(&self, part: &Part, whole: &Whole, draft: &Path) -> Result<(), MergeError> {
        let findings = part.folder.join(FINDINGS);
        let entries = match fs::read_dir(&findings) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            entries => entries.map_err(|source| files(&findings, source))?,
        };
        for entry in entries {
            let from = entry.map_err(|source| files(&findings, source))?.path();
            let Some((target, ordinal)) = place(&from, &whole.targets) else { continue };
            // A folder without a row was left by a task that died, or another part outranks it.
            let row = part.results.row(target, ordinal)?;
            let to = draft.join(FINDINGS).join(folder_name(ordinal, &whole.targets[target].name));
            if row.is_none() || row != self.results.row(target, ordinal)? || to.exists() {
                continue;
            }
            copy_folder(&from, &to)?;
            adopt(&to, &whole.header)?;
        }
        Ok(())
    }
}

/// Why a repeated row cannot be merged.
enum Repeat {
    Store(StoreError),
    OtherCase(String),
}

impl From<StoreError> for Repeat {
    fn from(error: StoreError) -> Repeat {
        Repeat::Store(error)
    }
}

fn files(path: &Path, source: io::Error) -> MergeError {
    FileError::new(path, source).into()
}

/// The target and the place of the case that a finding's folder belongs to.
fn place(folder: &Path, targets: &[TargetRecord]) -> Option<(usize, u64)> {
    let name = folder.file_name()?.to_str()?;
    let ordinal: u64 = name.split_once('-')?.0.parse().ok()?;
    let of_target = |target: &TargetRecord| folder_name(ordinal, &target.name) == Path::new(name);
    Some((targets.iter().position(of_target)?, ordinal))
}

fn copy_folder(from: &Path, to: &Path) -> Result<(), MergeError> {
    fs::create_dir_all(to).map_err(|source| files(to, source))?;
    for entry in fs::read_dir(from).map_err(|source| files(from, source))? {
        let path = entry.map_err(|source| files(from, source))?.path();
        let copy = to.join(path.file_name().expect("an entry has a name"));
        if path.is_dir() {
            copy_folder(&path, &copy)?;
        } else {
            fs::copy(&path, &copy).map_err(|source| files(&path, source))?;
        }
    }
    Ok(())
}

/// Copies a part's faults.
fn copy_faults(part: &Part, draft: &Path) -> Result<(), MergeError> {
    let (from, to) = (part.folder.join(FAULTS), draft.join(FAULTS));
    if from.is_dir() { copy_folder(&from, &to) } else { Ok(()) }
}

/// Makes a finding part of the whole campaign.
fn adopt(folder: &Path, header: &Header) -> Result<(), MergeError> {
    let failed = |source| files(&folder.join(FindingRecord::FILE), source);
    let record = FindingRecord::read(folder)?;
    FindingRecord { campaign: header.clone(), ..record }.write(folder).map_err(failed)
}

/// The rank of a row among rows of the same case; the highest is kept.
///
/// A contradicted oracle ranks highest, then confirmed findings, the worst first; an answer
/// outranks none, because an overloaded machine causes timeouts. Ties are broken by name, then by
/// the shorter time, so the order of the parts never matters.
fn weight(row: &Stored) -> impl Ord {
    let (kind, grade, stability) = match row.shows {
        Shows::Finding(kind, grade, stability) => (Some(kind), Some(grade), stability),
        _ => (None, None, Stability::Single),
    };
    let firm = match stability {
        Stability::Confirmed => 3,
        Stability::Unstable => 2,
        Stability::SessionOnly => 1,
        Stability::Single => 0,
    };
    let found = kind.filter(|_| firm > 0).map(|kind| (kind.severity(), grade));
    let answered = match row.outcome {
        Outcome::Sat
        | Outcome::Unsat
        | Outcome::IncorrectModel
        | Outcome::IncorrectCore
        | Outcome::Holds
        | Outcome::Violated
        | Outcome::Unreadable => 4,
        Outcome::Unknown => 3,
        Outcome::Error | Outcome::Rejected => 2,
        // A case that was given up early says less than a timeout.
        Outcome::Timeout if row.shows != Shows::Waiting => 1,
        Outcome::Timeout | Outcome::Skipped => 0,
    };
    let ours = row.shows == Shows::Contradiction;
    let names = (row.outcome, kind, row.shows == Shows::Doubt);
    (ours, found, firm, answered, Reverse(names), Reverse(row.elapsed), row.detail.clone())
}

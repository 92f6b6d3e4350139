//! The results of a campaign in one SQLite file.
//!
//! Rows are appended in transactions that reach the disk before they count (write-ahead log, full
//! synchronisation). However the process ends, the file holds a prefix of the campaign's history,
//! and a resumed run does only the rest.

use crate::confirm::Stability;
use crate::file::FileError;
use crate::header::{Difference, Header};
use crate::outcome::Outcome;
use crate::rows::Shows;
use crate::summary::{Cell, Row, Summary};
use assay_case::{CaseId, Category, Doubt, Expected, FindingKind, Grade};
use rusqlite::{Connection, OpenFlags, OptionalExtension, params};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A target of a campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetRecord {
    /// Its full name, with version and variant.
    pub name: String,
    /// The version that it reports.
    pub reported: String,
}

/// Why the results cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file already holds a campaign.
    #[error("{0} already holds a campaign (use --resume to continue it, or another --out)")]
    Exists(PathBuf),
    /// The file holds no campaign.
    #[error("{0} holds no campaign (run without --resume to start one)")]
    Missing(PathBuf),
    /// The campaign has different settings.
    #[error(
        "the campaign in {path} was started with different settings: {what} was {was}, now {now}"
    )]
    Differs {
        /// The file.
        path: PathBuf,
        /// Which setting differs.
        what: &'static str,
        /// Its recorded value.
        was: String,
        /// Its value now.
        now: String,
    },
}

/// Writes a campaign's description into a new file.
fn begin(
    path: &Path,
    header: &Header,
    categories: &[Category],
    targets: &[TargetRecord],
) -> rusqlite::Result<()> {
    let header = serde_json::to_string(header).expect("a header is plain data");
    let mut connection = Connection::open(path)?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(SCHEMA)?;
    transaction.execute("INSERT INTO campaign VALUES (?1)", [header])?;
    for (id, category) in categories.iter().enumerate() {
        transaction.execute(
            "INSERT INTO category VALUES (?1, ?2, ?3, ?4)",
            params![id, category.name, category.group, category.expected.name()],
        )?;
    }
    for (id, target) in targets.iter().enumerate() {
        transaction.execute(
            "INSERT INTO target VALUES (?1, ?2, ?3)",
            params![id, target.name, target.reported],
        )?;
    }
    transaction.commit()
}

const SCHEMA: &str = "
CREATE TABLE campaign (header TEXT NOT NULL);
CREATE TABLE category (id INTEGER PRIMARY KEY, name TEXT NOT NULL, family TEXT NOT NULL,
                       expected TEXT NOT NULL);
CREATE TABLE target (id INTEGER PRIMARY KEY, name TEXT NOT NULL, reported TEXT NOT NULL);
CREATE TABLE result (
    target INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    category INTEGER NOT NULL, number TEXT NOT NULL,
    outcome INTEGER NOT NULL, micros INTEGER NOT NULL, shows INTEGER NOT NULL,
    kind TEXT, grade TEXT, stability TEXT, detail TEXT, expected TEXT,
    PRIMARY KEY (target, ordinal)
) WITHOUT ROWID;
CREATE INDEX finding ON result (target, ordinal) WHERE kind IS NOT NULL;
";

/// The results of a campaign.
pub struct Results {
    pub(crate) connection: Connection,
    path: PathBuf,
}

/// The targets or categories in which two campaigns differ.
pub(crate) fn other_parts(
    was: (&[TargetRecord], &[Category]),
    now: (&[TargetRecord], &[Category]),
) -> Option<Difference> {
    let list = |all: &[TargetRecord]| {
        let one = |t: &TargetRecord| format!("{} ({})", t.name, t.reported);
        all.iter().map(one).collect::<Vec<_>>().join(", ")
    };
    let categories = |all: &[Category]| format!("{all:?}");
    Difference::between("the list of targets", list(was.0), list(now.0)).or_else(|| {
        Difference::between("the list of categories", categories(was.1), categories(now.1))
    })
}

/// The papers' table under construction.
struct Table<'t> {
    categories: &'t [Category],
    targets: usize,
    /// The rows, each with the position of its first category in the suite's order.
    rows: Vec<(usize, Row)>,
}

impl Table<'_> {
    /// The cell of a target for cases of a category with this right answer.
    fn cell(
        &mut self,
        target: usize,
        category: usize,
        expected: Option<Expected>,
    ) -> Option<&mut Cell> {
        let known = self.categories.get(category)?;
        let expected = expected.unwrap_or(known.expected);
        let same = |row: &Row| row.category == known.name && row.expected == expected;
        let at = self.rows.iter().position(|(_, row)| same(row)).unwrap_or_else(|| {
            let first = self.categories.iter().position(|other| other.name == known.name);
            let cells = vec![Cell::default(); self.targets];
            let row = Row { category: known.name.clone(), expected, cells };
            self.rows.push((first.unwrap_or(category), row));
            self.rows.len() - 1
        });
        self.rows[at].1.cells.get_mut(target)
    }

    /// The rows, in the order of categories and right answers.
    fn rows(mut self) -> Vec<Row> {
        self.rows.sort_by_key(|(first, row)| (*first, row.expected));
        self.rows.into_iter().map(|(_, row)| row).collect()
    }
}

/// A finding as listed by a campaign.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Listed {
    /// The index of the target.
    pub target: usize,
    /// The case's place in the campaign.
    pub ordinal: u64,
    /// The case.
    pub id: CaseId,
    /// What was found.
    pub kind: FindingKind,
    /// The grade of its truth.
    pub grade: Grade,
    /// How reproducible it is.
    pub stability: Stability,
    /// The evidence for it.
    pub detail: String,
}

impl Results {
    /// Creates a campaign in a new file.
    ///
    /// # Errors
    /// Fails if the file already holds a campaign, or cannot be written.
    pub fn create(
        path: &Path,
        header: &Header,
        categories: &[Category],
        targets: &[TargetRecord],
    ) -> Result<Results, StoreError> {
        if path.exists() {
            return Err(StoreError::Exists(path.to_owned()));
        }
        // The file gets its name only when it holds a campaign.
        let draft = path.with_extension("draft");
        let files = |source| FileError::new(&draft, source);
        match std::fs::remove_file(&draft) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(files(error).into());
            }
            _ => {}
        }
        let begun = begin(&draft, header, categories, targets);
        begun.map_err(|error| FileError::new(&draft, error))?;
        std::fs::rename(&draft, path).map_err(files)?;
        Results::open(path)
    }

    /// Resumes a campaign.
    ///
    /// # Errors
    /// Fails if there is no campaign, or its settings, categories or targets differ.
    pub fn resume(
        path: &Path,
        header: &Header,
        categories: &[Category],
        targets: &[TargetRecord],
    ) -> Result<Results, StoreError> {
        let results = Results::open(path)?;
        let differs = |d: Difference| StoreError::Differs {
            path: path.to_owned(),
            what: d.what,
            was: d.was,
            now: d.now,
        };
        results.header()?.difference(header).map_or(Ok(()), |found| Err(differs(found)))?;
        let made_of = (results.targets()?, results.categories()?);
        let found = other_parts((&made_of.0, &made_of.1), (targets, categories));
        found.map_or(Ok(()), |found| Err(differs(found)))?;
        Ok(results)
    }

    /// Opens a campaign for reading.
    ///
    /// # Errors
    /// Fails if there is no campaign.
    pub fn open(path: &Path) -> Result<Results, StoreError> {
        if !path.exists() {
            return Err(StoreError::Missing(path.to_owned()));
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connect = || {
            let connection = Connection::open_with_flags(path, flags)?;
            connection.busy_timeout(Duration::from_secs(5))?;
            connection.pragma_update(None, "journal_mode", "wal")?;
            connection.pragma_update(None, "synchronous", "full")?;
            Ok(connection)
        };
        let connection = connect().map_err(|error: rusqlite::Error| FileError::new(path, error))?;
        Ok(Results { connection, path: path.to_owned() })
    }

    pub(crate) fn error(&self, source: rusqlite::Error) -> StoreError {
        FileError::new(&self.path, source).into()
    }

    pub(crate) fn malformed(&self, what: impl Into<String>) -> StoreError {
        FileError::new(&self.path, what.into()).into()
    }

    /// The campaign's description.
    ///
    /// # Errors
    /// Fails if the file is not a campaign of assay's.
    pub fn header(&self) -> Result<Header, StoreError> {
        let text: Option<String> = self
            .connection
            .query_row("SELECT header FROM campaign", [], |row| row.get(0))
            .optional()
            .map_err(|source| self.error(source))?;
        let text = text.ok_or_else(|| self.malformed("the campaign was never started"))?;
        serde_json::from_str(&text).map_err(|error| self.malformed(error.to_string()))
    }

    /// Its targets, in order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn targets(&self) -> Result<Vec<TargetRecord>, StoreError> {
        self.all("SELECT name, reported FROM target ORDER BY id", |row| {
            Ok(TargetRecord { name: row.get(0)?, reported: row.get(1)? })
        })
    }

    /// Its categories, in order.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn categories(&self) -> Result<Vec<Category>, StoreError> {
        let rows: Vec<(String, String, String)> = self
            .all("SELECT name, family, expected FROM category ORDER BY id", |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?))
            })?;
        let category = |(name, group, expected): (String, String, String)| {
            let expected = Expected::by_name(&expected)
                .ok_or_else(|| self.malformed(format!("`{expected}` is not an expected result")))?;
            Ok(Category { name, group, expected })
        };
        rows.into_iter().map(category).collect()
    }

    pub(crate) fn all<T>(
        &self,
        query: &str,
        read: impl FnMut(&rusqlite::Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>, StoreError> {
        let collect = || {
            let mut statement = self.connection.prepare(query)?;
            let rows = statement.query_map([], read)?;
            rows.collect::<rusqlite::Result<Vec<T>>>()
        };
        collect().map_err(|source| self.error(source))
    }

    /// The papers' table.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn summary(&self) -> Result<Summary, StoreError> {
        let targets = self.targets()?;
        let categories = self.categories()?;
        let mut table = Table { categories: &categories, targets: targets.len(), rows: Vec::new() };
        let counts = self.all(
            "SELECT target, category, outcome, shows, kind, grade, stability, count(*), expected
             FROM result
             GROUP BY category, expected, target, outcome, shows, kind, grade, stability",
            |row| {
                let place: (usize, usize, Option<String>) = (row.get(0)?, row.get(1)?, row.get(8)?);
                let words: [Option<String>; 3] = [row.get(4)?, row.get(5)?, row.get(6)?];
                let shown: (u8, [Option<String>; 3]) = (row.get(3)?, words);
                Ok((place, row.get::<_, u8>(2)?, shown, row.get::<_, u64>(7)?))
            },
        )?;
        for ((target, category, expected), outcome, (shows, words), count) in counts {
            let expected = expected.and_then(|name| Expected::by_name(&name));
            let cell = table.cell(target, category, expected);
            let (Some(cell), Some(outcome)) = (cell, Outcome::from_code(outcome)) else {
                return Err(self.malformed("a result has an unknown category, target or outcome"));
            };
            cell.add(outcome, count);
            let shows = Shows::read(shows, words)
                .ok_or_else(|| self.malformed("a result has an invalid column `shows`"))?;
            cell.show(shows, count);
        }
        let rows = table.rows();
        let targets = targets.into_iter().map(|target| target.name).collect();
        Ok(Summary { targets, rows, kind: self.header()?.kind(), steps: self.steps()? })
    }

    /// The commonest errors other than crashes, by target, in the target's words.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn errors(&self) -> Result<Vec<(usize, String, u64)>, StoreError> {
        self.reasons(Outcome::Error)
    }

    /// The commonest messages with which cases were rejected, by target.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn rejections(&self) -> Result<Vec<(usize, String, u64)>, StoreError> {
        self.reasons(Outcome::Rejected)
    }

    /// The commonest reasons for skipped cases, by target.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn skips(&self) -> Result<Vec<(usize, String, u64)>, StoreError> {
        self.reasons(Outcome::Skipped)
    }

    /// The commonest reasons that targets give for `unknown` if the truth is known, by target.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn unknowns(&self) -> Result<Vec<(usize, String, u64)>, StoreError> {
        let (unknown, doubt) = (Outcome::Unknown.code(), Shows::Doubt.code());
        self.commonest(&format!("outcome = {unknown} AND shows <> {doubt}"))
    }

    /// The commonest reasons for inconclusive verdicts, by target, except that no truth is known.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn doubts(&self) -> Result<Vec<(usize, String, u64)>, StoreError> {
        self.commonest(&format!(
            "shows = {} AND detail IS NOT '{}'",
            Shows::Doubt.code(),
            Doubt::NoTruth
        ))
    }

    /// The commonest details of rows with this outcome, except crashes.
    fn reasons(&self, outcome: Outcome) -> Result<Vec<(usize, String, u64)>, StoreError> {
        let crash = FindingKind::Crash.name();
        self.commonest(&format!("outcome = {} AND kind IS NOT '{crash}'", outcome.code()))
    }

    /// The commonest details of rows under a condition, by target.
    fn commonest(&self, condition: &str) -> Result<Vec<(usize, String, u64)>, StoreError> {
        let mut sums: BTreeMap<(usize, String), u64> = BTreeMap::new();
        let query = format!(
            "SELECT target, detail, count(*) FROM result
             WHERE {condition} AND detail IS NOT NULL GROUP BY target, detail"
        );
        self.all(&query, |row| {
            let detail: String = row.get(1)?;
            *sums.entry((row.get(0)?, placeless(&detail))).or_default() += row.get::<_, u64>(2)?;
            Ok(())
        })?;
        let mut reasons: Vec<(usize, String, u64)> =
            sums.into_iter().map(|((target, words), count)| (target, words, count)).collect();
        reasons.sort_by_key(|(.., count)| std::cmp::Reverse(*count));
        reasons.truncate(8);
        Ok(reasons)
    }

    /// Up to about `most` cases that were answered correctly, each with its target, at regular
    /// places in the campaign.
    pub(crate) fn right(&self, most: u64) -> Result<Vec<(usize, CaseId)>, StoreError> {
        let condition = format!(
            "FROM result WHERE shows = 0 AND outcome IN ({}, {})",
            Outcome::Sat.code(),
            Outcome::Unsat.code()
        );
        let places = self.all(&format!("SELECT count(DISTINCT ordinal) {condition}"), |row| {
            row.get::<_, u64>(0)
        })?;
        let step = places.iter().sum::<u64>().div_ceil(most).max(1);
        let query = format!(
            "SELECT target, category, number {condition} AND ordinal % {step} = 0
             ORDER BY ordinal, target"
        );
        let rows: Vec<(usize, u32, String)> =
            self.all(&query, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
        let id = |(target, category, number): (usize, u32, String)| {
            let index = number.parse().map_err(|_| self.malformed("a case without a number"))?;
            Ok((target, CaseId { category, index }))
        };
        rows.into_iter().map(id).collect()
    }

    /// Confirmed and unstable findings, the worst kinds first.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn findings(&self) -> Result<Vec<Listed>, StoreError> {
        let rows = self.all(
            "SELECT target, ordinal, category, number, kind, grade, stability, detail FROM result
             WHERE kind IS NOT NULL AND stability IS NOT 'single' ORDER BY target, ordinal",
            |row| {
                let place: (usize, u64, u32, String) =
                    (row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?);
                let words: (String, String, String, Option<String>) =
                    (row.get(4)?, row.get(5)?, row.get(6)?, row.get(7)?);
                Ok((place, words))
            },
        )?;
        let mut listed = Vec::with_capacity(rows.len());
        for ((target, ordinal, category, number), (kind, grade, stability, detail)) in rows {
            let finding = || {
                Some(Listed {
                    target,
                    ordinal,
                    id: CaseId { category, index: number.parse().ok()? },
                    kind: FindingKind::by_name(&kind)?,
                    grade: Grade::by_name(&grade)?,
                    stability: Stability::by_name(&stability)?,
                    detail: detail.unwrap_or_default(),
                })
            };
            listed.push(finding().ok_or_else(|| self.malformed("an invalid finding"))?);
        }
        listed.sort_by_key(|finding| std::cmp::Reverse(finding.kind.severity()));
        Ok(listed)
    }
}

/// A message without the place in the input that it begins with, so that equal messages about
/// different places are counted together.
fn placeless(words: &str) -> String {
    let parts = words.split(": ").enumerate();
    let kept = parts.filter(|(at, part)| match at {
        0 => !is_line(part) && !is_offset(part),
        1 => !is_offset(part),
        _ => true,
    });
    kept.map(|(_, part)| part).collect::<Vec<_>>().join(": ")
}

/// Whether a message begins with a line of the input: `line 3 column 4` or `at line 3, column 4`.
/// Behind the name of a file, the place is one that its author looks for.
fn is_line(part: &str) -> bool {
    part.starts_with("line ") || part.starts_with("at line ")
}

/// Whether this part of a message is a place in a text without a name: `<stdin>:3.4` or
/// `[error] <stdin>:3:4`.
fn is_offset(part: &str) -> bool {
    let counted = |c: char| c.is_ascii_digit() || matches!(c, '.' | ':');
    let number = &part[part.trim_end_matches(counted).len()..];
    number.starts_with(':') && number.ends_with(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::Stored;

    #[test]
    fn messages_about_different_places_are_counted_together() {
        for (told, message) in [
            ("line 3 column 4: unknown constant f", "unknown constant f"),
            (
                "Parse Error: <stdin>:1053.22: Symbol `a' is shadowed",
                "Parse Error: Symbol `a' is shadowed",
            ),
            ("[error] <stdin>:3:4: expected a sort", "expected a sort"),
            ("at line 3, column 4: undefined term", "undefined term"),
            (
                "a.smt2: line 1, column 2: unknown symbol",
                "a.smt2: line 1, column 2: unknown symbol",
            ),
            ("unsupported: fp.rem: 3", "unsupported: fp.rem: 3"),
            ("logic: 3 is no exponent", "logic: 3 is no exponent"),
        ] {
            assert_eq!(placeless(told), message);
        }
    }

    /// A hundred thousand results: the table is right, and quick to make (the test prints the time;
    /// `cargo test -p assay-campaign hundred -- --nocapture`).
    #[test]
    fn a_hundred_thousand_results_have_the_right_totals() {
        let folder = tempfile::tempdir().expect("a folder");
        let header = Header::constructed("numbers");
        let category = |group: &str| Category {
            name: "equation".into(),
            group: group.into(),
            expected: Expected::Sat,
        };
        let targets =
            ["a", "b"].map(|name| TargetRecord { name: name.into(), reported: "1".into() });
        let path = folder.path().join("results.sqlite");
        let categories = [category("even"), category("odd")];
        let mut results = Results::create(&path, &header, &categories, &targets).expect("a store");
        for batch in 0..100 {
            let row = |n: u64| {
                let ordinal = batch * 500 + n / 2;
                let wrong = ordinal % 1000 == 7;
                let found =
                    Shows::Finding(FindingKind::WrongUnsat, Grade::Certified, Stability::Confirmed);
                Stored {
                    target: (n % 2) as usize,
                    ordinal,
                    id: CaseId { category: (ordinal % 2) as u32, index: u128::from(ordinal) },
                    expected: Some(Expected::Sat),
                    outcome: if wrong { Outcome::Unsat } else { Outcome::Sat },
                    elapsed: Duration::from_millis(5),
                    shows: if wrong { found } else { Shows::Nothing },
                    detail: None,
                }
            };
            let rows: Vec<Stored> = (0..1000).map(row).collect();
            results.append(&rows).expect("rows are kept");
        }
        let begun = std::time::Instant::now();
        let summary = results.summary().expect("a summary");
        eprintln!("100,000 results summed up in {:?}", begun.elapsed());
        for total in summary.totals() {
            assert_eq!((total.total(), total.certified.soundness), (50_000, 50));
        }
        let done = results.done(2).expect("what is done");
        assert!(done.iter().all(|done| done.count() == 50_000 && !done.contains(50_000)));
        assert_eq!(results.findings().expect("findings").len(), 100);
    }
}

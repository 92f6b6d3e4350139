//! The rows of a store: one case on one target each, as they are written and read.

use crate::confirm::Stability;
use crate::outcome::Outcome;
use crate::store::{Results, StoreError};
use assay_case::{CaseId, Expected, FindingKind, Grade};
use rusqlite::{Row, params};
use std::time::Duration;

/// The result of one case on one target, as it is kept.
#[derive(Clone, PartialEq, Debug)]
pub struct Stored {
    /// The index of the target.
    pub target: usize,
    /// The case's place in the campaign.
    pub ordinal: u64,
    /// The case.
    pub id: CaseId,
    /// The right answer, if the case was run; otherwise its category has it.
    pub expected: Option<Expected>,
    /// Its column in the table.
    pub outcome: Outcome,
    /// The target's time.
    pub elapsed: Duration,
    /// What the result shows.
    pub shows: Shows,
    /// The evidence, the reason why it is inconclusive, or the target's own words.
    pub detail: Option<String>,
}

/// What a row shows in addition to its outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shows {
    /// Nothing.
    Nothing,
    /// An inconclusive judgement.
    Doubt,
    /// A finding.
    Finding(FindingKind, Grade, Stability),
    /// A contradicted oracle.
    Contradiction,
    /// That it was given up early and waits for the whole time limit.
    Waiting,
}

/// How the column `shows` says that a case waits for the whole time limit.
const WAITING: u8 = 4;
/// The value of the column `shows` for a contradicted oracle.
const CONTRADICTION: u8 = 3;

impl Shows {
    pub(crate) fn code(self) -> u8 {
        match self {
            Shows::Nothing => 0,
            Shows::Doubt => 1,
            Shows::Finding(..) => 2,
            Shows::Contradiction => CONTRADICTION,
            Shows::Waiting => WAITING,
        }
    }

    /// Whether it is a finding that fresh processes were asked about.
    pub(crate) fn is_confirmed(self) -> bool {
        matches!(self, Shows::Finding(.., stability) if stability != Stability::Single)
    }

    fn finding(self) -> Option<(FindingKind, Grade, Stability)> {
        match self {
            Shows::Finding(kind, grade, stability) => Some((kind, grade, stability)),
            _ => None,
        }
    }

    /// Decodes the columns; `None` if the values are invalid.
    pub(crate) fn read(code: u8, words: [Option<String>; 3]) -> Option<Shows> {
        match (code, words) {
            (0, _) => Some(Shows::Nothing),
            (1, _) => Some(Shows::Doubt),
            (2, [Some(kind), Some(grade), Some(stability)]) => Some(Shows::Finding(
                FindingKind::by_name(&kind)?,
                Grade::by_name(&grade)?,
                Stability::by_name(&stability)?,
            )),
            (CONTRADICTION, _) => Some(Shows::Contradiction),
            (WAITING, _) => Some(Shows::Waiting),
            _ => None,
        }
    }
}

/// The cases that a target has done, by their place in the campaign.
#[derive(Default)]
pub(crate) struct Done(Vec<u64>);

impl Done {
    pub(crate) fn insert(&mut self, ordinal: u64) {
        let word =
            usize::try_from(ordinal / 64).expect("a campaign's cases fit into memory as bits");
        if word >= self.0.len() {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (ordinal % 64);
    }

    pub(crate) fn remove(&mut self, ordinal: u64) {
        let word = usize::try_from(ordinal / 64).ok().and_then(|word| self.0.get_mut(word));
        if let Some(word) = word {
            *word &= !(1 << (ordinal % 64));
        }
    }

    pub(crate) fn count(&self) -> u64 {
        self.0.iter().map(|word| u64::from(word.count_ones())).sum()
    }

    pub(crate) fn contains(&self, ordinal: u64) -> bool {
        let word = usize::try_from(ordinal / 64).ok().and_then(|word| self.0.get(word));
        word.is_some_and(|word| word >> (ordinal % 64) & 1 == 1)
    }
}

/// The columns of a row, in the order of [`read`].
const COLUMNS: &str = "target, ordinal, category, number, outcome, micros, shows, \
                       kind, grade, stability, detail, expected";

/// Decodes a row; `None` if the values are invalid.
fn read(row: &Row<'_>) -> rusqlite::Result<Option<Stored>> {
    let number: String = row.get(3)?;
    let expected: Option<String> = row.get(11)?;
    let shows = Shows::read(row.get(6)?, [row.get(7)?, row.get(8)?, row.get(9)?]);
    let (Ok(index), Some(outcome), Some(shows)) =
        (number.parse(), Outcome::from_code(row.get(4)?), shows)
    else {
        return Ok(None);
    };
    Ok(Some(Stored {
        target: row.get(0)?,
        ordinal: row.get(1)?,
        id: CaseId { category: row.get(2)?, index },
        expected: expected.and_then(|name| Expected::by_name(&name)),
        outcome,
        elapsed: Duration::from_micros(row.get(5)?),
        shows,
        detail: row.get(10)?,
    }))
}

/// A case that waits for the whole time limit.
pub(crate) struct Late {
    pub(crate) id: CaseId,
    pub(crate) ordinal: u64,
    /// The targets on which it was given up.
    pub(crate) targets: Vec<usize>,
}

impl Results {
    /// The cases that each target has finished, without those that wait for the whole time limit.
    pub(crate) fn done(&self, targets: usize) -> Result<Vec<Done>, StoreError> {
        let mut done: Vec<Done> = std::iter::repeat_with(Done::default).take(targets).collect();
        let query = format!("SELECT target, ordinal FROM result WHERE shows <> {WAITING}");
        self.all(&query, |row| {
            let (target, ordinal): (usize, u64) = (row.get(0)?, row.get(1)?);
            if let Some(done) = done.get_mut(target) {
                done.insert(ordinal);
            }
            Ok(())
        })?;
        Ok(done)
    }

    /// The cases that wait for the whole time limit, in order.
    pub(crate) fn waiting(&self) -> Result<Vec<Late>, StoreError> {
        let query = format!(
            "SELECT ordinal, target, category, number FROM result WHERE shows = {WAITING}
             ORDER BY ordinal, target"
        );
        let rows: Vec<(u64, usize, u32, String)> =
            self.all(&query, |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?)))?;
        let mut waiting: Vec<Late> = Vec::new();
        for (ordinal, target, category, number) in rows {
            match waiting.last_mut().filter(|last| last.ordinal == ordinal) {
                Some(last) => last.targets.push(target),
                None => {
                    let number = number.parse();
                    let index = number.map_err(|_| self.malformed("a case without a number"))?;
                    let (id, targets) = (CaseId { category, index }, vec![target]);
                    waiting.push(Late { id, ordinal, targets });
                }
            }
        }
        Ok(waiting)
    }

    pub(crate) fn append(&mut self, rows: &[Stored]) -> Result<(), StoreError> {
        self.try_append(rows).map_err(|source| self.error(source))
    }

    fn try_append(&mut self, rows: &[Stored]) -> rusqlite::Result<()> {
        let transaction = self.connection.transaction()?;
        {
            let mut insert = transaction.prepare_cached(
                "INSERT OR REPLACE INTO result VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)",
            )?;
            for row in rows {
                let finding = row.shows.finding();
                insert.execute(params![
                    row.target,
                    row.ordinal,
                    row.id.category,
                    row.id.index.to_string(),
                    row.outcome.code(),
                    u64::try_from(row.elapsed.as_micros()).unwrap_or(u64::MAX >> 1),
                    row.shows.code(),
                    finding.map(|(kind, ..)| kind.name()),
                    finding.map(|(_, grade, _)| grade.name()),
                    finding.map(|(.., stability)| stability.name()),
                    row.detail,
                    row.expected.map(Expected::name),
                ])?;
            }
        }
        transaction.commit()
    }

    /// Every row, in the order of targets and cases.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn rows(&self) -> Result<Vec<Stored>, StoreError> {
        let mut rows = Vec::new();
        self.each_row::<StoreError>(|row| {
            rows.push(row);
            Ok(())
        })?;
        Ok(rows)
    }

    /// Calls `take` with every row, in the order of targets and cases, until it returns an error.
    pub(crate) fn each_row<E: From<StoreError>>(
        &self,
        mut take: impl FnMut(Stored) -> Result<(), E>,
    ) -> Result<(), E> {
        let failed = |source| E::from(self.error(source));
        let query = format!("SELECT {COLUMNS} FROM result ORDER BY target, ordinal");
        let mut statement = self.connection.prepare(&query).map_err(failed)?;
        let mut rows = statement.query([]).map_err(failed)?;
        while let Some(row) = rows.next().map_err(failed)? {
            let stored = read(row).map_err(failed)?;
            take(stored.ok_or_else(|| self.malformed("an invalid result"))?)?;
        }
        Ok(())
    }

    /// The row of a case on a target.
    pub(crate) fn row(&self, target: usize, ordinal: u64) -> Result<Option<Stored>, StoreError> {
        let query = format!("SELECT {COLUMNS} FROM result WHERE target = ?1 AND ordinal = ?2");
        let find = || {
            let mut statement = self.connection.prepare_cached(&query)?;
            let mut rows = statement.query(params![target, ordinal])?;
            rows.next()?.map(read).transpose()
        };
        let found = find().map_err(|source| self.error(source))?;
        found.map(|row| row.ok_or_else(|| self.malformed("an invalid result"))).transpose()
    }

    /// Records that every case was done, and their number.
    pub(crate) fn finish(&mut self, cases: u64) -> Result<(), StoreError> {
        let finish = |results: &mut Results| {
            let transaction = results.connection.transaction()?;
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS finished (cases INTEGER NOT NULL); DELETE FROM finished",
            )?;
            transaction.execute("INSERT INTO finished VALUES (?1)", [cases])?;
            transaction.commit()
        };
        finish(self).map_err(|source| self.error(source))
    }

    /// Whether there is a table of this name.
    pub(crate) fn has_table(&self, name: &str) -> Result<bool, StoreError> {
        let query = format!("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '{name}'");
        Ok(!self.all(&query, |_| Ok(()))?.is_empty())
    }

    /// The number of cases, once all of them are done.
    ///
    /// # Errors
    /// Fails if the file cannot be read.
    pub fn finished(&self) -> Result<Option<u64>, StoreError> {
        // Campaigns of earlier versions do not record it.
        if !self.has_table("finished")? {
            return Ok(None);
        }
        Ok(self.all("SELECT cases FROM finished", |row| row.get(0))?.pop())
    }
}

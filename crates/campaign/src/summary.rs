//! The papers' table, as data.

use crate::outcome::Outcome;
use assay_case::Expected;

/// How many cases of each outcome, for each target and category.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// The targets, in the order they were given.
    pub targets: Vec<String>,
    /// One row for each category, in the suite's order.
    pub rows: Vec<Row>,
}

/// A row of the table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The category.
    pub category: String,
    /// The right answer.
    pub expected: Expected,
    /// One cell for each target.
    pub cells: Vec<Cell>,
}

/// What a target made of a category.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    counts: [u64; Outcome::ALL.len()],
    /// How many of these are confirmed soundness findings.
    pub soundness: u64,
    /// How many findings of other kinds were confirmed.
    pub other: u64,
    /// How many findings only some runs showed.
    pub unstable: u64,
    /// How many cases showed that our own truth is wrong.
    pub contradicted: u64,
}

impl Cell {
    /// How many cases had this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.counts[usize::from(outcome.code())]
    }

    /// How many cases there were.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(crate) fn add(&mut self, outcome: Outcome, count: u64) {
        self.counts[usize::from(outcome.code())] += count;
    }

    fn merge(&mut self, other: &Cell) {
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
        self.soundness += other.soundness;
        self.other += other.other;
        self.unstable += other.unstable;
        self.contradicted += other.contradicted;
    }
}

impl Summary {
    /// The sums over all categories, one cell for each target.
    #[must_use]
    pub fn totals(&self) -> Vec<Cell> {
        let mut totals = vec![Cell::default(); self.targets.len()];
        for row in &self.rows {
            for (total, cell) in totals.iter_mut().zip(&row.cells) {
                total.merge(cell);
            }
        }
        totals
    }

    /// Whether anything is worth telling a tool's developers.
    #[must_use]
    pub fn has_findings(&self) -> bool {
        self.totals().iter().any(|cell| cell.soundness + cell.other + cell.unstable > 0)
    }

    /// Whether our own truth was shown to be wrong somewhere.
    #[must_use]
    pub fn contradicted(&self) -> u64 {
        self.totals().iter().map(|cell| cell.contradicted).sum()
    }
}

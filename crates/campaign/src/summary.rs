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
    /// Whether the cases are programs.
    pub programs: bool,
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

    /// The columns of a table with these sums: laws have columns of their own, and where every case
    /// was run there is none for those that were not.
    #[must_use]
    pub fn columns(&self) -> Vec<Outcome> {
        let laws = self.count(Outcome::Holds) + self.count(Outcome::Violated) > 0;
        let shown = |outcome: &Outcome| match outcome {
            Outcome::Holds | Outcome::Violated => laws,
            Outcome::IncorrectModel | Outcome::IncorrectCore | Outcome::Sat | Outcome::Unsat => {
                !laws
            }
            Outcome::Skipped => self.count(Outcome::Skipped) > 0,
            Outcome::Unknown | Outcome::Timeout | Outcome::Error => true,
        };
        Outcome::ALL.into_iter().map(|row| row.0).filter(shown).collect()
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

    /// What is true of the cases of a row, in a word.
    #[must_use]
    pub fn expected(&self, row: &Row) -> &'static str {
        match row.expected {
            Expected::Sat if self.programs => "reached",
            Expected::Unsat if self.programs => "safe",
            other => other.name(),
        }
    }

    /// What the headings of its columns mean.
    #[must_use]
    pub fn legend(&self) -> &'static str {
        let law = |row: &Row| row.expected == Expected::Law;
        match self.rows.iter().any(law) {
            _ if self.programs => {
                "S says that the error can be reached, U says or shows nothing of the kind, K unknown, \
                 T timeout, E error, – not run"
            }
            true => {
                "K may be imprecise, by its own words, T hang, E crash, – not promised, \
                     H holds, V violated"
            }
            false => {
                "IM incorrect model, IC incorrect core, S sat, U unsat, K unknown, T timeout, \
                      E error, – not run"
            }
        }
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

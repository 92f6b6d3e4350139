//! The papers' table, as data.

use crate::confirm::Stability;
use crate::kind::profile;
use crate::outcome::Outcome;
use crate::rows::Shows;
use crate::steps::Steps;
use assay_case::{Expected, Grade, Kind, Severity};

/// The number of cases of each outcome, for each target and category.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Summary {
    /// The targets, in the order they were given.
    pub targets: Vec<String>,
    /// One row for each category, in the suite's order.
    pub rows: Vec<Row>,
    /// The kind of subjects.
    pub kind: Kind,
    /// The steps of the targets' proofs.
    pub steps: Steps,
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

/// The results of a target in a category.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    counts: [u64; Outcome::ALL.len()],
    /// Findings that rest only on evaluation or on certified rules.
    pub certified: Findings,
    /// Findings that rest on a declared truth.
    pub declared: Findings,
    /// The number of inconclusive answers.
    pub inconclusive: u64,
    /// The number of contradicted oracles.
    pub contradicted: u64,
    /// How many of the timeouts were given up early and wait for the whole time limit.
    pub waiting: u64,
}

/// The number of findings of one grade.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Findings {
    /// Confirmed wrong answers.
    pub soundness: u64,
    /// Confirmed findings of other kinds.
    pub other: u64,
    /// Unstable findings.
    pub unstable: u64,
}

impl Findings {
    fn merge(&mut self, other: &Findings) {
        self.soundness += other.soundness;
        self.other += other.other;
        self.unstable += other.unstable;
    }

    fn all(&self) -> u64 {
        self.soundness + self.other + self.unstable
    }
}

/// On how many safe programs an analyzer reports no error: how precise it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cleared {
    /// The programs without a report.
    pub quiet: u64,
    /// The safe programs that it was run on.
    pub run: u64,
}

impl std::fmt::Display for Cleared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Cleared { quiet, run } = self;
        write!(
            f,
            "no warning on {quiet} of {run} safe programs ({} %)",
            100 * quiet / (*run).max(1)
        )
    }
}

/// A column that is not an outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Extra {
    /// Certified soundness findings.
    Soundness,
    /// Soundness findings by a declared truth.
    Declared,
    /// Inconclusive answers.
    Inconclusive,
    /// Timeouts that wait for the whole time limit.
    Waiting,
}

impl Extra {
    /// The heading of the column.
    #[must_use]
    pub fn heading(self) -> &'static str {
        match self {
            Extra::Soundness => "soundness",
            Extra::Declared => "declared",
            Extra::Inconclusive => "inconclusive",
            Extra::Waiting => "waiting",
        }
    }
}

impl Cell {
    /// The findings of a grade.
    pub(crate) fn findings(&mut self, grade: Grade) -> &mut Findings {
        match grade {
            Grade::Certified => &mut self.certified,
            Grade::Declared => &mut self.declared,
        }
    }

    /// The value of a column that is not an outcome.
    #[must_use]
    pub fn extra(&self, column: Extra) -> u64 {
        match column {
            Extra::Soundness => self.certified.soundness,
            Extra::Declared => self.declared.soundness,
            Extra::Inconclusive => self.inconclusive,
            Extra::Waiting => self.waiting,
        }
    }

    /// The additional columns of a table with these sums: soundness always, others if they are not
    /// empty.
    #[must_use]
    pub fn extras(&self) -> Vec<Extra> {
        let mut columns = vec![Extra::Soundness];
        let more = [Extra::Declared, Extra::Inconclusive, Extra::Waiting];
        columns.extend(more.into_iter().filter(|column| self.extra(*column) > 0));
        columns
    }

    /// The number of cases with this outcome.
    #[must_use]
    pub fn count(&self, outcome: Outcome) -> u64 {
        self.counts[usize::from(outcome.code())]
    }

    /// The number of cases.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The columns of a table with these sums. Columns for skipped and rejected cases and for
    /// unreadable answers are left out if they are empty.
    #[must_use]
    pub fn columns(&self, kind: Kind) -> Vec<Outcome> {
        let shown = |outcome: &Outcome| match outcome {
            Outcome::Skipped | Outcome::Unreadable | Outcome::Rejected => self.count(*outcome) > 0,
            _ => true,
        };
        profile(kind).columns.iter().copied().filter(shown).collect()
    }

    pub(crate) fn add(&mut self, outcome: Outcome, count: u64) {
        self.counts[usize::from(outcome.code())] += count;
    }

    /// Counts what results show in addition to their outcome.
    pub(crate) fn show(&mut self, shows: Shows, count: u64) {
        match shows {
            Shows::Nothing => {}
            Shows::Doubt => self.inconclusive += count,
            Shows::Contradiction => self.contradicted += count,
            Shows::Waiting => self.waiting += count,
            Shows::Finding(kind, grade, stability) => {
                let findings = self.findings(grade);
                match (stability, kind.severity()) {
                    (Stability::Confirmed, Severity::Soundness) => findings.soundness += count,
                    (Stability::Confirmed, _) => findings.other += count,
                    (Stability::Unstable | Stability::SessionOnly, _) => findings.unstable += count,
                    (Stability::Single, _) => {}
                }
            }
        }
    }

    /// The number of findings, whatever they rest on.
    #[must_use]
    pub fn findings_of_any_kind(&self) -> u64 {
        self.certified.all() + self.declared.all()
    }

    fn merge(&mut self, other: &Cell) {
        for (sum, count) in self.counts.iter_mut().zip(other.counts) {
            *sum += count;
        }
        self.certified.merge(&other.certified);
        self.declared.merge(&other.declared);
        self.inconclusive += other.inconclusive;
        self.contradicted += other.contradicted;
        self.waiting += other.waiting;
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

    /// On how many of the programs whose error cannot be reached a target reports none; `None` if it was
    /// run on no such program.
    #[must_use]
    pub fn cleared(&self, target: usize) -> Option<Cleared> {
        let safe = self.rows.iter().filter(|row| row.expected == Expected::Unreachable);
        let mut all = Cleared { quiet: 0, run: 0 };
        for cell in safe.filter_map(|row| row.cells.get(target)) {
            all.quiet += cell.count(Outcome::Unsat);
            all.run += cell.total() - cell.count(Outcome::Skipped);
        }
        (all.run > 0).then_some(all)
    }

    /// The counts of a target by category, with the right answers of its cases, in the order of
    /// tables.
    #[must_use]
    pub fn by_category(&self, target: usize) -> Vec<(&str, Vec<Expected>, Cell)> {
        let mut all: Vec<(&str, Vec<Expected>, Cell)> = Vec::new();
        for row in &self.rows {
            let cell = &row.cells[target];
            match all.iter_mut().find(|(name, ..)| *name == row.category) {
                Some((_, expected, sum)) => {
                    expected.push(row.expected);
                    sum.merge(cell);
                }
                None => all.push((&row.category, vec![row.expected], *cell)),
            }
        }
        all
    }

    /// The legend of its columns.
    #[must_use]
    pub fn legend(&self) -> String {
        let mut words = profile(self.kind).legend.to_owned();
        let totals = self.totals();
        let any = |count: &dyn Fn(&Cell) -> u64| totals.iter().any(|cell| count(cell) > 0);
        let explained = words.contains(Outcome::Skipped.heading(self.kind));
        let more = [
            (!explained && any(&|cell| cell.count(Outcome::Skipped)), "– not run"),
            (any(&|cell| cell.count(Outcome::Rejected)), "R rejected, with the messages below"),
            (
                any(&|cell| cell.count(Outcome::Unreadable)),
                "UR unreadable model, core or objectives, or a result that is not compared",
            ),
            (
                any(&|cell| cell.declared.soundness),
                "declared: wrong if a file or another tool is right",
            ),
            (
                any(&|cell| cell.waiting),
                "waiting: timeouts (in T) given up early and not yet run to the full time limit (--resume does)",
            ),
        ];
        for (_, item) in more.iter().filter(|(shown, _)| *shown) {
            words += ", ";
            words += item;
        }
        words
    }

    /// Whether there are findings to report to a tool's developers.
    #[must_use]
    pub fn has_findings(&self) -> bool {
        self.totals().iter().any(|cell| cell.certified.all() + cell.declared.all() > 0)
    }

    /// The number of contradicted oracles.
    #[must_use]
    pub fn contradicted(&self) -> u64 {
        self.totals().iter().map(|cell| cell.contradicted).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn precision_counts_only_safe_programs_that_were_run() {
        let row = |expected, outcomes: &[(Outcome, u64)]| {
            let mut cell = Cell::default();
            outcomes.iter().for_each(|&(outcome, count)| cell.add(outcome, count));
            Row { category: "c".into(), expected, cells: vec![cell] }
        };
        let outcomes = [(Outcome::Unsat, 3), (Outcome::Sat, 4), (Outcome::Timeout, 1)];
        let safe = row(Expected::Unreachable, &[&outcomes[..], &[(Outcome::Skipped, 9)]].concat());
        let reached = row(Expected::Reachable, &[(Outcome::Unsat, 5)]);
        let summary = |rows| Summary {
            targets: vec!["t".into()],
            rows,
            kind: Kind::Program,
            steps: Steps::default(),
        };
        let cleared = summary(vec![safe, reached.clone()]).cleared(0).expect("safe programs");
        assert_eq!(cleared.to_string(), "no warning on 3 of 8 safe programs (37 %)");
        assert_eq!(summary(vec![reached]).cleared(0), None);
    }
}

//! The allowance of a query: how many steps it may take and how much it may remember.
//!
//! Both are counted, never measured, so that exhaustion is as reproducible as an answer.

use std::error::Error;
use std::fmt;

/// Why a query stopped without an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The steps of the budget are used up.
    Steps,
    /// The query needed more cells of memory at once than the budget allows.
    Space,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhausted::Steps => "regular-language query ran out of steps",
            Exhausted::Space => "regular-language query ran out of space",
        })
    }
}

impl Error for Exhausted {}

/// The allowance of one or more queries.
///
/// Steps are consumed for good: a budget shared by several queries bounds their total. Space is
/// a ceiling on what a single query holds at one time, in cells of about eight bytes; it is free
/// again when the query ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    steps: u64,
    space: u64,
}

impl Budget {
    /// A budget of `steps` elementary steps in total and `space` cells for each query.
    pub const fn new(steps: u64, space: u64) -> Self {
        Budget { steps, space }
    }

    /// The steps that are left.
    pub const fn steps_left(&self) -> u64 {
        self.steps
    }

    /// The number of cells that a query may hold at one time.
    pub const fn space(&self) -> u64 {
        self.space
    }

    /// Takes `steps` from the budget; a budget that cannot pay is left empty.
    pub const fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        if steps > self.steps {
            self.steps = 0;
            return Err(Exhausted::Steps);
        }
        self.steps -= steps;
        Ok(())
    }
}

impl Default for Budget {
    /// Five million steps and four million cells: less than a second of optimised code, and some
    /// tens of megabytes.
    fn default() -> Self {
        Budget::new(5_000_000, 4_000_000)
    }
}

/// The cells that a query holds, checked against the ceiling of its budget.
#[derive(Debug, Default)]
pub(super) struct Meter {
    cells: u64,
}

impl Meter {
    /// Notes `cells` more cells and pays one step for each, as writing them takes time too.
    pub(super) fn grow(&mut self, cells: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        let cells = as_steps(cells);
        budget.spend(cells)?;
        let total = self.cells.saturating_add(cells);
        if total > budget.space {
            return Err(Exhausted::Space);
        }
        self.cells = total;
        Ok(())
    }
}

/// A length as a number of steps.
pub(super) fn as_steps(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

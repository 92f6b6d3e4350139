//! Limits for walks that could blow up: steps, memory and a deadline, in one value that is passed
//! down from the caller that knows how much the answer is worth.
//!
//! Steps and memory are counted, never measured, so that running out of them is as reproducible as an
//! answer. Only a deadline reads the clock, rarely, and only where the caller set one.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

/// The exhausted limit of a [`Budget`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exhausted {
    /// The steps are used up.
    Steps,
    /// More memory cells were needed at once than allowed.
    Space,
    /// The deadline has passed.
    Time,
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Exhausted::Steps => "step limit reached",
            Exhausted::Space => "memory limit reached",
            Exhausted::Time => "time limit reached",
        })
    }
}

impl Error for Exhausted {}

/// The number of steps between two looks at the clock.
const STEPS_PER_CLOCK: u64 = 1 << 12;

/// The allowance of one or more walks.
///
/// Steps are consumed for good: a budget shared by several walks limits their total. Space limits
/// what a single walk holds at one time, in cells of about eight bytes; a [`Meter`] counts it, and
/// it is released when the walk ends. A step should cost about the same everywhere, some ten
/// nanoseconds: a walk that does more at once spends more at once, and so notices its deadline in
/// time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    steps: u64,
    space: u64,
    deadline: Option<Instant>,
    since_clock: u64,
}

impl Budget {
    /// A budget of `steps` elementary steps in total and `space` cells for each walk.
    #[must_use]
    pub const fn new(steps: u64, space: u64) -> Self {
        Budget { steps, space, deadline: None, since_clock: 0 }
    }

    /// A budget without any bound.
    #[must_use]
    pub const fn unlimited() -> Self {
        Budget::new(u64::MAX, u64::MAX)
    }

    /// The same budget with a deadline, or with the earlier of two.
    #[must_use]
    pub fn until(self, deadline: Instant) -> Self {
        let deadline = self.deadline.map_or(deadline, |known| known.min(deadline));
        // The next step reads the clock, so that a past deadline is noticed at once.
        Budget { deadline: Some(deadline), since_clock: STEPS_PER_CLOCK, ..self }
    }

    /// The same budget with a deadline at most `time` from now.
    #[must_use]
    pub fn within(self, time: Duration) -> Self {
        match Instant::now().checked_add(time) {
            Some(deadline) => self.until(deadline),
            None => self,
        }
    }

    /// The steps that are left.
    #[must_use]
    pub const fn steps_left(&self) -> u64 {
        self.steps
    }

    /// The number of cells that a walk may hold at one time.
    #[must_use]
    pub const fn space(&self) -> u64 {
        self.space
    }

    /// The deadline, independent of steps and space.
    #[must_use]
    pub const fn deadline(&self) -> Option<Instant> {
        self.deadline
    }

    /// The time until the deadline.
    #[must_use]
    pub fn time_left(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }

    /// Takes `steps` from the budget; if it has fewer, it becomes empty.
    ///
    /// # Errors
    /// Fails if the steps or the time are used up.
    pub fn spend(&mut self, steps: u64) -> Result<(), Exhausted> {
        if steps > self.steps {
            self.steps = 0;
            return Err(Exhausted::Steps);
        }
        self.steps -= steps;
        self.since_clock = self.since_clock.saturating_add(steps);
        if self.since_clock >= STEPS_PER_CLOCK { self.look_at_clock() } else { Ok(()) }
    }

    /// Lets a walk use at most `steps` of this budget, under the same ceiling and deadline.
    ///
    /// # Errors
    /// What the walk fails with; in particular [`Exhausted::Steps`] if its share is used up,
    /// though this budget may have steps left.
    pub fn share<T>(
        &mut self,
        steps: u64,
        walk: impl FnOnce(&mut Budget) -> Result<T, Exhausted>,
    ) -> Result<T, Exhausted> {
        let steps = steps.min(self.steps);
        let mut share = Budget { steps, ..self.clone() };
        let outcome = walk(&mut share);
        self.steps -= steps - share.steps;
        self.since_clock = share.since_clock;
        outcome
    }

    #[cold]
    fn look_at_clock(&mut self) -> Result<(), Exhausted> {
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            // The next step reads the clock again and fails like this one.
            return Err(Exhausted::Time);
        }
        self.since_clock = 0;
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

/// The cells that a walk holds, checked against the ceiling of its budget.
#[derive(Debug, Default)]
pub struct Meter {
    cells: u64,
}

impl Meter {
    /// Notes `cells` more cells and pays one step for each, as writing them takes time too.
    ///
    /// # Errors
    /// Fails if the budget does not allow for them.
    pub fn grow(&mut self, cells: usize, budget: &mut Budget) -> Result<(), Exhausted> {
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
#[must_use]
pub fn as_steps(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_passed_deadline_ends_the_first_step_and_every_later_one() {
        let mut budget = Budget::unlimited().until(Instant::now());
        for _ in 0..3 {
            assert_eq!(budget.spend(1), Err(Exhausted::Time));
        }
    }

    #[test]
    fn the_earlier_deadline_counts() {
        let early = Instant::now();
        let late = early + Duration::from_secs(3600);
        for budget in [
            Budget::unlimited().until(early).until(late),
            Budget::unlimited().until(late).until(early),
        ] {
            assert_eq!(budget.deadline(), Some(early));
        }
    }

    #[test]
    fn a_share_is_paid_by_its_owner() {
        let mut budget = Budget::new(10, 1);
        assert_eq!(budget.share(4, |share| share.spend(3)), Ok(()));
        assert_eq!(budget.steps_left(), 7);
        assert_eq!(budget.share(4, |share| share.spend(5)), Err(Exhausted::Steps));
        assert_eq!(budget.steps_left(), 3);
    }

    #[test]
    fn a_budget_without_a_deadline_counts_steps_only() {
        let mut budget = Budget::new(10, 1);
        assert_eq!(budget.spend(10), Ok(()));
        assert_eq!(budget.spend(1), Err(Exhausted::Steps));
        assert_eq!(Meter::default().grow(2, &mut Budget::new(10, 1)), Err(Exhausted::Space));
    }
}

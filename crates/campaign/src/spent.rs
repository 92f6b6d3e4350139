//! Where the time of a campaign's workers goes.

use crate::store::{Results, StoreError};
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// What workers spend time on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Use {
    /// Targets that answered.
    Answers,
    /// Targets that did not answer in time.
    Timeouts,
    /// Targets that answered a case of the late queue.
    LateAnswers,
    /// Targets that did not answer a case of the late queue.
    LateTimeouts,
    /// Findings that were run again.
    Confirmation,
    /// Cases that were made, with the questions to solvers that this takes.
    Making,
    /// Answers that were judged, and findings that were written.
    Judging,
    /// Findings that were grouped, reduced and run on other versions.
    Reducing,
}

impl Use {
    /// Every use with its stable name.
    pub const ALL: [(Use, &'static str); 8] = [
        (Use::Answers, "answers"),
        (Use::Timeouts, "timeouts"),
        (Use::LateAnswers, "late-answers"),
        (Use::LateTimeouts, "late-timeouts"),
        (Use::Confirmation, "confirmation"),
        (Use::Making, "making"),
        (Use::Judging, "judging"),
        (Use::Reducing, "reducing"),
    ];

    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Use::ALL[self as usize].1
    }
}

/// The time of all workers together, by use.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Spent([Duration; Use::ALL.len()]);

impl Spent {
    /// The time for one use.
    #[must_use]
    pub fn on(&self, what: Use) -> Duration {
        self.0[what as usize]
    }

    /// The time for all uses.
    #[must_use]
    pub fn total(&self) -> Duration {
        self.0.iter().sum()
    }

    /// The time in the late queue.
    #[must_use]
    pub fn late(&self) -> Duration {
        self.on(Use::LateAnswers) + self.on(Use::LateTimeouts)
    }

    /// Adds time for a use.
    pub fn add(&mut self, what: Use, time: Duration) {
        self.0[what as usize] += time;
    }

    pub(crate) fn merge(&mut self, other: &Spent) {
        for (what, _) in Use::ALL {
            self.add(what, other.on(what));
        }
    }
}

/// Shares in percent: `answers 61 %, timeouts 12 %, late queue 14 % (3 % answers), confirmation 1 %,
/// making cases 8 %, judging 4 %`; nothing where no time was spent.
impl fmt::Display for Spent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.total().as_secs_f64();
        if total <= 0.0 {
            return Ok(());
        }
        let share = |time: Duration| (100.0 * time.as_secs_f64() / total).round();
        write!(f, "answers {} %, ", share(self.on(Use::Answers)))?;
        write!(f, "timeouts {} %, ", share(self.on(Use::Timeouts)))?;
        if !self.late().is_zero() {
            let answers = share(self.on(Use::LateAnswers));
            write!(f, "late queue {} % ({answers} % answers), ", share(self.late()))?;
        }
        if !self.on(Use::Reducing).is_zero() {
            write!(f, "reducing {} %, ", share(self.on(Use::Reducing)))?;
        }
        write!(f, "confirmation {} %, ", share(self.on(Use::Confirmation)))?;
        write!(f, "making cases {} %, ", share(self.on(Use::Making)))?;
        write!(f, "judging {} %", share(self.on(Use::Judging)))
    }
}

/// The sums that all workers add to.
#[derive(Default)]
pub(crate) struct Clock([AtomicU64; Use::ALL.len()]);

impl Clock {
    pub(crate) fn add(&self, what: Use, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        self.0[what as usize].fetch_add(nanos, Ordering::Relaxed);
    }

    pub(crate) fn read(&self) -> Spent {
        Spent(std::array::from_fn(|at| Duration::from_nanos(self.0[at].load(Ordering::Relaxed))))
    }
}

impl Results {
    /// Where the time went, in all runs.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn spent(&self) -> Result<Spent, StoreError> {
        let mut spent = Spent::default();
        // Campaigns of earlier versions do not tell.
        if !self.has_table("spent")? {
            return Ok(spent);
        }
        let rows = self.all("SELECT use, nanos FROM spent", |row| {
            Ok((row.get::<_, String>(0)?, row.get::<_, u64>(1)?))
        })?;
        for (name, nanos) in rows {
            let known = Use::ALL.iter().find(|(_, known)| *known == name);
            let (what, _) = known.ok_or_else(|| self.malformed("time for an unknown use"))?;
            spent.add(*what, Duration::from_nanos(nanos));
        }
        Ok(spent)
    }

    /// Stores where the time went, in all runs.
    pub(crate) fn keep_spent(&mut self, spent: &Spent) -> Result<(), StoreError> {
        let keep = |results: &mut Results| {
            let transaction = results.connection.transaction()?;
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS spent (use TEXT PRIMARY KEY, nanos INTEGER NOT NULL)",
            )?;
            for (what, name) in Use::ALL {
                let nanos = i64::try_from(spent.on(what).as_nanos()).unwrap_or(i64::MAX);
                transaction
                    .execute("INSERT OR REPLACE INTO spent VALUES (?1, ?2)", (name, nanos))?;
            }
            transaction.commit()
        };
        keep(self).map_err(|source| self.error(source))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_use_is_at_its_own_index() {
        for (position, (what, name)) in Use::ALL.into_iter().enumerate() {
            assert_eq!((what as usize, what.name()), (position, name));
        }
    }

    #[test]
    fn shares_print_in_percent() {
        let mut spent = Spent::default();
        assert_eq!(spent.to_string(), "");
        let seconds = Duration::from_secs;
        for (what, time) in [
            (Use::Answers, 60),
            (Use::Timeouts, 10),
            (Use::Confirmation, 1),
            (Use::Making, 9),
            (Use::Judging, 5),
        ] {
            spent.add(what, seconds(time));
        }
        let words = "answers 71 %, timeouts 12 %, confirmation 1 %, making cases 11 %, judging 6 %";
        assert_eq!(spent.to_string(), words);
        let mut more = Spent::default();
        more.add(Use::LateTimeouts, seconds(12));
        more.add(Use::LateAnswers, seconds(3));
        spent.merge(&more);
        assert!(spent.to_string().contains("late queue 15 % (3 % answers), "), "{spent}");
        assert!(!spent.to_string().contains("reducing"), "{spent}");
        assert_eq!((spent.total(), spent.late()), (seconds(100), seconds(15)));
        spent.add(Use::Reducing, seconds(25));
        assert!(spent.to_string().contains("reducing 20 %, "), "{spent}");
    }
}

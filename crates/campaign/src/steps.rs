//! The steps of the proofs that targets printed, by rule.

use crate::store::{Results, StoreError};
use assay_case::{ProofReport, RuleCount};
use rusqlite::params;
use std::collections::BTreeMap;

/// The steps of each target's proofs, by rule.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Steps(BTreeMap<(usize, String), RuleCount>);

impl Steps {
    /// Adds the steps of a proof.
    pub(crate) fn add(&mut self, target: usize, proof: &ProofReport) {
        for (rule, count) in &proof.rules {
            self.0.entry((target, rule.clone())).or_default().add(count);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The rules in the proofs of a target, the most frequent first.
    #[must_use]
    pub fn of(&self, target: usize) -> Vec<(&str, RuleCount)> {
        let own = self.0.iter().filter(|((of, _), _)| *of == target);
        let mut rules: Vec<(&str, RuleCount)> =
            own.map(|((_, rule), count)| (rule.as_str(), *count)).collect();
        rules.sort_by_key(|(_, count)| std::cmp::Reverse(count.steps()));
        rules
    }
}

impl Results {
    /// The steps of all proofs.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn steps(&self) -> Result<Steps, StoreError> {
        if !self.has_table("step")? {
            return Ok(Steps::default());
        }
        let query = "SELECT target, rule, checked, attacked, skipped, trusted, assignments, \
                     refuted, unread FROM step";
        let rows = self.all(query, |row| {
            let count = RuleCount {
                checked: row.get(2)?,
                attacked: row.get(3)?,
                skipped: row.get(4)?,
                trusted: row.get(5)?,
                assignments: row.get(6)?,
                refuted: row.get(7)?,
                unread: row.get(8)?,
            };
            Ok(((row.get(0)?, row.get(1)?), count))
        })?;
        Ok(Steps(rows.into_iter().collect()))
    }

    /// Adds steps to the stored ones.
    pub(crate) fn add_steps(&mut self, steps: &Steps) -> Result<(), StoreError> {
        let keep = |results: &mut Results| {
            let transaction = results.connection.transaction()?;
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS step (
                     target INTEGER NOT NULL, rule TEXT NOT NULL, checked INTEGER NOT NULL,
                     attacked INTEGER NOT NULL, skipped INTEGER NOT NULL,
                     trusted INTEGER NOT NULL, assignments INTEGER NOT NULL,
                     refuted INTEGER NOT NULL, unread INTEGER NOT NULL,
                     PRIMARY KEY (target, rule)
                 ) WITHOUT ROWID",
            )?;
            for ((target, rule), count) in &steps.0 {
                transaction.execute(
                    "INSERT INTO step VALUES (?1,?2,?3,?4,?5,?6,?7,?8,?9)
                     ON CONFLICT (target, rule) DO UPDATE SET checked = checked + ?3,
                         attacked = attacked + ?4, skipped = skipped + ?5,
                         trusted = trusted + ?6, assignments = assignments + ?7,
                         refuted = refuted + ?8, unread = unread + ?9",
                    params![
                        target,
                        rule,
                        count.checked,
                        count.attacked,
                        count.skipped,
                        count.trusted,
                        count.assignments,
                        count.refuted,
                        count.unread,
                    ],
                )?;
            }
            transaction.commit()
        };
        keep(self).map_err(|source| self.error(source))
    }
}

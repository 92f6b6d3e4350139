//! What was new in targets' statistics, and which case showed it: what the schedule decides by it can be
//! decided again.

use crate::store::{Results, StoreError};
use rusqlite::params;

/// A feature of a target's statistics that no case before had.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Novel {
    /// The index of the target.
    pub target: usize,
    /// A counter with its magnitude.
    pub feature: String,
    /// The case's place in the campaign.
    pub ordinal: u64,
    /// The case's category.
    pub category: u32,
}

impl Results {
    /// What was new in statistics, by target.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn novel(&self) -> Result<Vec<Novel>, StoreError> {
        if !self.has_table("novel")? {
            return Ok(Vec::new());
        }
        self.all("SELECT target, feature, ordinal, category FROM novel", |row| {
            Ok(Novel {
                target: row.get(0)?,
                feature: row.get(1)?,
                ordinal: row.get(2)?,
                category: row.get(3)?,
            })
        })
    }

    /// Adds to what was new. Of shards that showed the same, the first case counts.
    pub(crate) fn add_novel(&mut self, novel: &[Novel]) -> Result<(), StoreError> {
        let keep = |results: &mut Results| {
            let transaction = results.connection.transaction()?;
            transaction.execute_batch(
                "CREATE TABLE IF NOT EXISTS novel (
                     target INTEGER NOT NULL, feature TEXT NOT NULL, ordinal INTEGER NOT NULL,
                     category INTEGER NOT NULL, PRIMARY KEY (target, feature)
                 ) WITHOUT ROWID",
            )?;
            for Novel { target, feature, ordinal, category } in novel {
                transaction.execute(
                    "INSERT INTO novel VALUES (?1, ?2, ?3, ?4)
                     ON CONFLICT (target, feature) DO UPDATE SET ordinal = ?3, category = ?4
                         WHERE ordinal > ?3",
                    params![target, feature, ordinal, category],
                )?;
            }
            transaction.commit()
        };
        keep(self).map_err(|source| self.error(source))
    }
}

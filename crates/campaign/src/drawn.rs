//! The cases of a campaign, drawn once and listed for all tasks that share the work.
//!
//! Drawing a case may take longer than skipping a line of a list, and a task that runs every N-th
//! case would have to draw all others too. The list is a text: a header that describes the
//! campaign, then one case per line.

use crate::file::FileError;
use crate::header::{Difference, Header};
use assay_case::{CaseId, Category, MakeError, Selection, Suite, TestCase};
use std::fs::File;
use std::io::{self, BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A suite whose cases were drawn beforehand.
pub struct Drawn<'s> {
    suite: &'s dyn Suite,
    cases: Vec<CaseId>,
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum DrawnError {
    /// A file cannot be read or written, or its contents are invalid.
    #[error(transparent)]
    File(#[from] FileError),
    /// The file lists the cases of another campaign.
    #[error("{path} lists the cases of another campaign: {what} was {was}, now {now}")]
    Differs {
        /// The file.
        path: PathBuf,
        /// Which setting differs.
        what: &'static str,
        /// Its value in the list.
        was: String,
        /// Its value now.
        now: String,
    },
}

/// Lists the cases of a campaign and returns their number.
///
/// # Errors
/// Fails if the file cannot be written.
pub fn list_cases(
    path: &Path,
    header: &Header,
    cases: impl Iterator<Item = CaseId>,
) -> Result<u64, DrawnError> {
    let write = || -> io::Result<u64> {
        let mut out = BufWriter::new(File::create(path)?);
        writeln!(out, "{}", serde_json::to_string(&header.whole())?)?;
        let mut count = 0;
        for case in cases {
            writeln!(out, "{case}")?;
            count += 1;
        }
        out.flush()?;
        Ok(count)
    };
    Ok(write().map_err(|error| FileError::new(path, error))?)
}

impl<'s> Drawn<'s> {
    /// The listed cases that belong to the campaign's shard.
    ///
    /// # Errors
    /// Fails if the list belongs to another campaign, or cannot be read.
    pub fn read(
        path: &Path,
        header: &Header,
        suite: &'s dyn Suite,
    ) -> Result<Drawn<'s>, DrawnError> {
        let files = |error| FileError::new(path, error);
        let malformed = |line: usize, what| FileError::new(path, format!("line {line}: {what}"));
        let mut lines = BufReader::new(File::open(path).map_err(files)?).lines();
        let first = lines.next().transpose().map_err(files)?.unwrap_or_default();
        let listed: Header =
            serde_json::from_str(&first).map_err(|error| malformed(1, error.to_string()))?;
        if let Some(Difference { what, was, now }) = listed.other_cases(&header.whole()) {
            return Err(DrawnError::Differs { path: path.to_owned(), what, was, now });
        }
        let mut places = header.shard().places().peekable();
        let mut cases = Vec::new();
        for (place, line) in (0..).zip(lines) {
            let line = line.map_err(files)?;
            if places.next_if_eq(&place).is_some() {
                let number = usize::try_from(place).unwrap_or(usize::MAX).saturating_add(2);
                let case = line.parse::<CaseId>();
                cases.push(case.map_err(|error| malformed(number, error.to_string()))?);
            }
        }
        Ok(Drawn { suite, cases })
    }
}

impl Suite for Drawn<'_> {
    fn name(&self) -> &str {
        self.suite.name()
    }

    fn categories(&self) -> Vec<Category> {
        self.suite.categories()
    }

    /// The listed cases: they were selected before.
    fn cases(&self, _: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        Box::new(self.cases.iter().copied())
    }

    fn round(&self, id: CaseId) -> u64 {
        self.suite.round(id)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        self.suite.make(id)
    }
}

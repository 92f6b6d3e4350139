//! Programs about abstract domains: the same law must be broken, or the worker must die in the same
//! way.

use super::{Measure, Reduction};
use crate::domains::{DomainError, Exhibit, Patience, Symptom};
use assay_lattice::Case;
use assay_search::Counts;
use assay_target::domain::{DomainWorker, Until};
use std::time::Instant;

/// The smallest program that shows a symptom in a fresh process; of one with several assertions, for
/// the first that shows it. None where nothing shows it. Candidates are tried until `end`.
///
/// # Errors
/// A failure of ours.
pub fn reduce_domain(
    worker: &mut DomainWorker,
    case: &Case,
    symptom: &Symptom,
    end: Instant,
) -> Result<Option<(Reduction, Exhibit)>, DomainError> {
    let mut counts = Counts::default();
    let patience = Patience { candidates: end, until: Until::ANSWERED };
    for slice in (0..case.checks.len()).map(|check| case.slice(check)) {
        let reduced = symptom.reduce(worker, &slice, &patience, &mut |_| {
            counts.tests += 1;
            Ok(())
        })?;
        if let Some(exhibit) = reduced {
            let text = exhibit.program.clone();
            let (before, after) = (Measure::lines(&slice.to_string()), Measure::lines(&text));
            let stopped = Instant::now() >= end;
            let reduction =
                Reduction { text, before, after, counts, stopped, kind: None, case: None };
            return Ok(Some((reduction, exhibit)));
        }
    }
    Ok(None)
}

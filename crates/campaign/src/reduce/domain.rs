//! Traces of operations on abstract domains: the same law must be violated, or the worker must die in
//! the same way.

use super::{Measure, Reduction};
use crate::domains::{DomainError, Exhibit, Patience, Symptom};
use assay_lattice::Case;
use assay_search::Counts;
use assay_target::Library;
use assay_target::domain::Until;
use std::time::Instant;

/// The smallest trace that shows a symptom in a fresh process; of one with several assertions, for the
/// first that shows it. None where nothing shows it. Candidates are tried until `end`.
///
/// # Errors
/// A failure of ours.
pub fn reduce_domain(
    library: &mut Library<'_>,
    case: &Case,
    symptom: &Symptom,
    end: Instant,
) -> Result<Option<(Reduction, Exhibit)>, DomainError> {
    let mut counts = Counts::default();
    let patience = Patience { candidates: end, until: Until::ANSWERED };
    for slice in (0..case.checks.len()).map(|check| case.slice(check)) {
        let reduced = symptom.reduce(library, &slice, &patience, &mut |_| {
            counts.tests += 1;
            Ok(())
        })?;
        if let Some(exhibit) = reduced {
            let reduction = Reduction {
                text: exhibit.trace.clone(),
                before: Measure::lines(&slice.to_string()),
                after: Measure::lines(&exhibit.trace),
                counts,
                stopped: Instant::now() >= end,
                kind: symptom.kind,
                case: Some(symptom.case(&exhibit.trace)),
            };
            return Ok(Some((reduction, exhibit)));
        }
    }
    Ok(None)
}

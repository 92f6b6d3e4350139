//! Reduces traces of operations on abstract domains: the same law must be violated, or the worker
//! must crash in the same way.

use super::{Job, Measure, Reduction, ReductionError, Watch};
use crate::domains::{Patience, Symptom, keep_reduced};
use crate::tool::Tool;
use assay_case::{Answer, judge};
use assay_lattice::Trace;
use assay_search::Counts;
use assay_target::domain::Until;
use assay_target::{Mode, Ran, Target};
use std::time::{Duration, Instant};

/// The default time for a reduction.
const BUDGET: Duration = Duration::from_secs(300);

/// The smallest trace that still breaks the same law or crashes the target in the same way. In a
/// trace with several assertions, the first one that shows it counts.
///
/// Fails if the target does not show it, or cannot be run.
/// Fails if the target does not show it, or cannot be run.
pub(crate) fn reduce_trace(
    job: Job<'_>,
    watch: &mut Watch<'_>,
) -> Result<Reduction, ReductionError> {
    let not = |words: String| ReductionError::NotShown(words);
    let Some(Tool::Domain(domain)) = job.tools.first() else {
        return Err(not("a trace needs an abstract domain".to_owned()));
    };
    let name = &domain.name;
    let library = &mut domain.open(&job.settings);
    let Ran::Observed(run) = library.run(&job.case, Mode::Fresh)? else {
        return Err(not(format!("{name} gave no answer")));
    };
    if let Answer::Rejected(why) = &run.observation.answer {
        return Err(not(why.clone()));
    }
    let symptom = Symptom::of(&judge(&job.case, &run.observation))
        .ok_or_else(|| not(format!("{name} shows no finding on it: there is nothing to reduce")))?;
    let case = Trace::read(job.case.text()).map_err(|error| not(error.to_string()))?;
    let candidates = *watch.end.at.get_or_insert_with(|| Instant::now() + BUDGET);
    let patience = Patience { candidates, until: Until::ANSWERED };
    let mut counts = Counts::default();
    for slice in (0..case.checks.len()).map(|check| case.slice(check)) {
        let exhibit = symptom.reduce(library, &slice, &patience, &mut |_| {
            counts.tests += 1;
            Ok(())
        })?;
        let Some(exhibit) = exhibit else { continue };
        let folder = match job.record.filter(|_| job.in_folder) {
            Some(record) => Some(keep_reduced(job.what, record, &symptom, &exhibit, library)?),
            None => None,
        };
        let trace = exhibit.trace.as_str();
        let (before, after) = (Measure::lines(&slice.to_string()), Measure::lines(trace));
        return Ok(Reduction {
            stopped: watch.end.is_over(),
            kind: symptom.kind,
            case: Some(symptom.case(trace)),
            folder,
            evidence: Some(format!("{}: {}", symptom.name(), exhibit.evidence())),
            ..Reduction::new(trace, before, after, counts)
        });
    }
    Err(not(format!("{name} does not show `{}` on it", symptom.name())))
}

//! Cases that targets got right, for contrast: features common among them explain no failure.

use super::feature::Features;
use crate::kind::handling;
use crate::store::{Results, StoreError};
use assay_case::{CaseId, Suite};
use std::collections::BTreeMap;

/// The approximate maximum number of cases that are generated again.
const SAMPLE: u64 = 2_000;

/// The features of a sample of the cases that each target got right.
pub(super) fn passing(
    results: &Results,
    suite: Option<&dyn Suite>,
    targets: usize,
) -> Result<Vec<Vec<Features>>, StoreError> {
    let mut passing = vec![Vec::new(); targets];
    let Some(suite) = suite else { return Ok(passing) };
    let mut made: BTreeMap<CaseId, Option<Features>> = BTreeMap::new();
    for (target, id) in results.right(SAMPLE)? {
        let case = made.entry(id).or_insert_with(|| {
            let case = suite.make(id).ok()?;
            Some(handling(case.kind()).traits_of(&case).features)
        });
        if let (Some(case), Some(passing)) = (case, passing.get_mut(target)) {
            passing.push(case.clone());
        }
    }
    Ok(passing)
}

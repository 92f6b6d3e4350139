//! Cases that targets got right: what is common among them explains no failure.

use super::feature::{Features, features};
use crate::store::{Results, StoreError};
use assay_case::{CaseId, Oracle, Payload, Suite, TestCase, Witness, applications};
use std::collections::BTreeMap;

/// At most about so many cases are made again.
const SAMPLE: u64 = 2_000;

/// The features of cases that each target got right, a sample of them.
pub(super) fn passing(
    results: &Results,
    suite: Option<&dyn Suite>,
    targets: usize,
) -> Result<Vec<Vec<Features>>, StoreError> {
    let mut passing = vec![Vec::new(); targets];
    let Some(suite) = suite else { return Ok(passing) };
    let mut made: BTreeMap<CaseId, Option<Features>> = BTreeMap::new();
    for (target, id) in results.right(SAMPLE)? {
        let case = made.entry(id).or_insert_with(|| suite.make(id).ok().map(|case| of(&case)));
        if let (Some(case), Some(passing)) = (case, passing.get_mut(target)) {
            passing.push(case.clone());
        }
    }
    Ok(passing)
}

/// The features of a case under the model that it was made with.
fn of(case: &TestCase) -> Features {
    let Payload::Formula(formula) = case.payload();
    let model = match case.oracle() {
        Oracle::Sat(Witness::Checked(model))
        | Oracle::Optimum { witness: Some(Witness::Checked(model)), .. } => Some(&**model),
        _ => None,
    };
    features(&applications(formula, model))
}

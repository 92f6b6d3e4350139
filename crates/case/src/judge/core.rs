//! Judging unsatisfiable cores.

use super::{certain, found};
use crate::check::stands_in;
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::formula::{CoreName, Formula};
use crate::oracle::{ExpectedCore, Grade};

/// What a core says beyond the verdict; none where there is nothing to object.
pub(super) fn judge(
    formula: &Formula,
    names: &[String],
    expected: Option<(&ExpectedCore, Grade)>,
) -> Option<Judgement> {
    let which = |kind: CoreName| -> Vec<String> {
        names.iter().filter(|name| formula.core_name(name) == kind).cloned().collect()
    };
    let foreign = which(CoreName::Foreign);
    if !foreign.is_empty() {
        return Some(certain(FindingKind::InvalidCore, Evidence::ForeignNames(foreign)));
    }
    let others = which(CoreName::Symbol);
    if !others.is_empty() {
        return Some(Judgement::Inconclusive(Doubt::Core(others)));
    }
    if !formula.assertions().iter().any(|assertion| stands_in(assertion, names)) {
        // No assertion at all: every model satisfies that.
        return Some(certain(FindingKind::InvalidCore, Evidence::SatisfiableCore));
    }
    let (expected, grade) = expected?;
    let lacking = without(&expected.names, names);
    if !lacking.is_empty() {
        return Some(found(FindingKind::InvalidCore, grade, Evidence::CoreLacks(lacking)));
    }
    let excess = without(names, &expected.names);
    // Beside objectives no solver offers to make a core small.
    if !excess.is_empty() && formula.objectives().is_empty() {
        return Some(found(FindingKind::LargerCore, grade, Evidence::CoreExceeds(excess)));
    }
    None
}

/// The names that are not among the others.
fn without(names: &[String], others: &[String]) -> Vec<String> {
    names.iter().filter(|name| !others.contains(name)).cloned().collect()
}

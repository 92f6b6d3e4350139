//! Judging unsatisfiable cores.

use super::{certain, found};
use crate::check::{refute_core, stands_in};
use crate::exhaust::core_model;
use crate::finding::{Doubt, Evidence, FindingKind, Judgement};
use crate::formula::{CoreName, Formula};
use crate::oracle::{ExpectedCore, Grade};

/// The judgement of a core beyond the verdict; `None` if it is acceptable.
pub(super) fn judge(
    formula: &Formula,
    names: &[String],
    claims_minimal: bool,
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
        // The core is empty: every model satisfies it.
        return Some(certain(FindingKind::InvalidCore, Evidence::SatisfiableCore));
    }
    let Some((expected, grade)) = expected else { return satisfiable(formula, names) };
    let lacking = without(&expected.names, names);
    if !lacking.is_empty() {
        return Some(found(FindingKind::InvalidCore, grade, Evidence::CoreLacks(lacking)));
    }
    let excess = without(names, &expected.names);
    // With objectives, no solver claims to minimize cores.
    if claims_minimal && !excess.is_empty() && formula.objectives().is_empty() {
        return Some(found(FindingKind::LargerCore, grade, Evidence::CoreExceeds(excess)));
    }
    None
}

/// The finding about a core that one of few assignments satisfies.
fn satisfiable(formula: &Formula, names: &[String]) -> Option<Judgement> {
    if formula.assertions().iter().all(|assertion| stands_in(assertion, names)) {
        return None;
    }
    let model = core_model(formula, names)?;
    refute_core(formula, names, model).ok().map(Judgement::Finding)
}

/// The names that are not in the other list.
fn without(names: &[String], others: &[String]) -> Vec<String> {
    names.iter().filter(|name| !others.contains(name)).cloned().collect()
}

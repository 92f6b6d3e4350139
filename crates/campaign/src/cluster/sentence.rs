//! What is wrong, in one sentence.

use super::Known;
use assay_case::FindingKind;

pub(super) fn sentence(
    kind: FindingKind,
    operators: &[String],
    known: Option<&Known>,
    count: usize,
) -> String {
    let subject = match known {
        Some(known) => known.title.clone(),
        None => operators.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", "),
    };
    let cases = if count == 1 { "case" } else { "cases" };
    format!("{subject}: {} ({count} {cases})", wrong(kind))
}

/// What is wrong with findings of a kind.
fn wrong(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::WrongSat => "says sat although there is no model",
        FindingKind::WrongUnsat => "says unsat although the witness satisfies it",
        FindingKind::InvalidModel => "gives a model that falsifies an assertion",
        FindingKind::InvalidCore => "gives a core that is satisfiable",
        FindingKind::LargerCore => "gives a core that is larger than it needs to be",
        FindingKind::WrongOptimum => "gives an optimum that is none",
        FindingKind::Disagreement => "says the opposite of what others say",
        FindingKind::Inconsistency => "contradicts what it said of another formula",
        FindingKind::Crash => "crashes",
        FindingKind::Timeout => "takes too long",
        FindingKind::OutOfMemory => "takes too much memory",
        FindingKind::Unknown => "does not know",
        FindingKind::Rejected => "does not accept the input",
    }
}

//! What is wrong, in one sentence.

use super::words::listed;
use assay_case::FindingKind;

/// What cases are about, what is wrong with them, and who else has it.
pub(super) fn sentence(subject: &str, kinds: &[FindingKind], also: &[String]) -> String {
    let wrongs: Vec<String> = kinds.iter().map(|kind| wrong(*kind).to_owned()).collect();
    let others = match also {
        [] => String::new(),
        _ => format!("; also in {}", listed(also)),
    };
    format!("{subject}: {}{others}", wrongs.join(", or "))
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
        FindingKind::Unsound => "loses points",
        FindingKind::Imprecise => "has more points than necessary",
        FindingKind::Restless => "does not come to rest",
        FindingKind::Flood => "writes without end",
        FindingKind::MissedError => "misses an error that can be reached",
        FindingKind::FalseError => "reports an error that cannot be reached",
        FindingKind::FalseAlarm => "warns of an error that cannot be reached",
        FindingKind::OverlookedError => "does not report an error that can be reached",
        FindingKind::UnreadableAnswer => "prints a model, core or objectives that cannot be read",
    }
}

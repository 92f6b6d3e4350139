//! What is wrong, in one sentence.

use super::words::listed;
use assay_case::FindingKind;

/// What cases are about, what is wrong with them, and who else has it.
pub(super) fn sentence(subject: &str, kinds: &[FindingKind], also: &[String]) -> String {
    let wrongs: Vec<&str> = kinds.iter().map(|kind| kind.phrase()).collect();
    let others = match also {
        [] => String::new(),
        _ => format!("; also in {}", listed(also)),
    };
    format!("{subject}: {}{others}", wrongs.join(", or "))
}

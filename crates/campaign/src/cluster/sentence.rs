//! A cluster's sentence.

use super::words::listed;
use assay_case::FindingKind;

/// One sentence: the subject of the cases, what is wrong, and which other targets show it.
pub(super) fn sentence(subject: &str, kinds: &[FindingKind], also: &[String]) -> String {
    let wrongs: Vec<&str> = kinds.iter().map(|kind| kind.phrase()).collect();
    let others = match also {
        [] => String::new(),
        _ => format!("; also in {}", listed(also)),
    };
    format!("{subject}: {}{others}", wrongs.join(", or "))
}

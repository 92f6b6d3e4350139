//! Applications that the operator table allows but that solvers read in different ways. No claim
//! about a term with one of them is certain.

use assay_term::theories::{ints, reals};
use assay_term::{SortId, Store, TermId};

/// Whether solvers read the term in different ways.
#[must_use]
pub fn is_disputed(store: &Store, term: TermId) -> bool {
    store.postorder(&[term]).into_iter().any(|part| match store.operator(part) {
        // z3 takes the real argument for an integer and rounds it.
        Some((reals::TO_REAL | ints::ABS, [argument])) => store.sort(*argument) == SortId::REAL,
        _ => false,
    })
}

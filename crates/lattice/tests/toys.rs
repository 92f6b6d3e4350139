//! Bugs planted in a domain of a user are found soon, and nothing is found without.

#[path = "../../../tests/examples/toy.rs"]
mod toy;

use std::time::Duration;
use toy::{BUGS, Toy, search};

#[test]
fn planted_bugs_are_found_and_a_correct_domain_passes() {
    let limit = Duration::from_secs(10);
    for bug in BUGS {
        for rng in [0, 1] {
            assert!(search(&Toy::new(bug), rng, limit).is_some(), "{bug} with {rng}");
        }
    }
    if let Some(hit) = search(&Toy::new(""), 3, Duration::from_secs(4)) {
        panic!("{}\n{}{}", hit.violation.law.title(), hit.case, hit.violation.evidence);
    }
}

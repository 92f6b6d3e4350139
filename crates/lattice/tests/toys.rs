//! Bugs planted in a domain of a user are found soon, and nothing is found without.

#[path = "../../../tests/examples/toy.rs"]
mod toy;

use std::time::Duration;
use toy::{BUGS, Toy, search};

#[test]
fn every_planted_bug_is_found_and_none_without() {
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

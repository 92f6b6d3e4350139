//! Panels of testers, each with a thread of its own.

use crate::{Counts, Reducible, SizeOf, Tested};
use std::thread;

/// The progress of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<Z> {
    /// The size of the smallest candidate so far.
    pub size: Z,
    /// Counts of the search.
    pub counts: Counts,
}

/// Tests candidates, and decides when to stop.
pub trait Panel<S: Reducible> {
    /// The number of candidates that are tested in parallel.
    fn width(&self) -> usize {
        1
    }

    /// Tests up to `width` candidates and returns a result for each.
    fn test(&mut self, candidates: &[&S::Candidate]) -> Vec<Tested<S::Learnt>>;

    /// Whether the search must stop.
    fn is_over(&self, counts: &Counts) -> bool;

    /// Called when something smaller was accepted.
    fn taken(&mut self, progress: Progress<SizeOf<S>>) {
        let _ = progress;
    }
}

/// Tests whether a candidate still shows what it should. Each worker has its own.
pub trait Tester<C, L>: Send {
    /// Tests a candidate.
    fn test(&mut self, candidate: &C) -> Tested<L>;
}

impl<C, L, F: FnMut(&C) -> Tested<L> + Send> Tester<C, L> for F {
    fn test(&mut self, candidate: &C) -> Tested<L> {
        self(candidate)
    }
}

/// A panel of testers that work in parallel.
pub struct Workers<'a, S: Reducible> {
    /// The testers; at least one.
    pub testers: Vec<Box<dyn Tester<S::Candidate, S::Learnt> + 'a>>,
    /// Whether the search must stop.
    pub stop: &'a dyn Fn() -> bool,
    /// Receives progress.
    pub progress: &'a mut dyn FnMut(Progress<SizeOf<S>>),
}

impl<S: Reducible> Panel<S> for Workers<'_, S> {
    fn width(&self) -> usize {
        self.testers.len()
    }

    fn test(&mut self, candidates: &[&S::Candidate]) -> Vec<Tested<S::Learnt>> {
        if let [only] = candidates {
            return vec![self.testers[0].test(only)];
        }
        thread::scope(|scope| {
            let pairs = candidates.iter().zip(self.testers.iter_mut());
            let workers: Vec<_> = pairs
                .map(|(candidate, tester)| scope.spawn(move || tester.test(candidate)))
                .collect();
            let lost = |_| Tested::Not("the test panicked".to_owned());
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(lost)).collect()
        })
    }

    fn is_over(&self, _: &Counts) -> bool {
        (self.stop)()
    }

    fn taken(&mut self, progress: Progress<SizeOf<S>>) {
        (self.progress)(progress);
    }
}

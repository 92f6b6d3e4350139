//! Who tests candidates: any number of testers, each with a thread of its own.

use crate::{Counts, Reducible, SizeOf, Tested};
use std::thread;

/// What is told while a search goes on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress<Z> {
    /// How large the smallest candidate is now.
    pub size: Z,
    /// What was done.
    pub counts: Counts,
}

/// Who tests candidates, and for how long.
pub trait Panel<S: Reducible> {
    /// How many candidates are tested at the same time.
    fn width(&self) -> usize {
        1
    }

    /// Tests candidates, as many as the panel is wide or fewer, and says something about each.
    fn test(&mut self, candidates: &[&S::Candidate]) -> Vec<Tested<S::Learnt>>;

    /// Whether no more may be tested.
    fn is_over(&self, counts: &Counts) -> bool;

    /// Hears that something smaller was found.
    fn taken(&mut self, progress: Progress<SizeOf<S>>) {
        let _ = progress;
    }
}

/// Tells whether a candidate still shows what it should. One is in the hands of each worker.
pub trait Tester<C, L>: Send {
    /// Tests a candidate.
    fn test(&mut self, candidate: &C) -> Tested<L>;
}

impl<C, L, F: FnMut(&C) -> Tested<L> + Send> Tester<C, L> for F {
    fn test(&mut self, candidate: &C) -> Tested<L> {
        self(candidate)
    }
}

/// A panel of testers that work at the same time.
pub struct Workers<'a, S: Reducible> {
    /// The testers; at least one.
    pub testers: Vec<Box<dyn Tester<S::Candidate, S::Learnt> + 'a>>,
    /// Whether no more may be tested.
    pub stop: &'a dyn Fn() -> bool,
    /// Hears of progress.
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

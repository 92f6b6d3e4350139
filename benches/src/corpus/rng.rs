//! The corpus's own random numbers.
//!
//! A corpus must be the same bytes on every machine and after every upgrade, or dated results
//! could not be compared; so the generator is written out here (SplitMix64) rather than taken from
//! a crate whose streams may change.

/// A seeded stream of numbers.
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn new(seed: u64) -> Self {
        Rng(seed)
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number of `low..=high`; the slight bias of the remainder does not matter here.
    pub(super) fn between(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A number of `0..bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        let bound = u64::try_from(bound).expect("usize has at most 64 bits");
        usize::try_from(self.next() % bound).expect("below a usize")
    }

    /// True in `percent` of a hundred calls.
    pub(super) fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// An element of a non-empty slice.
    pub(super) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first outputs for seed 0 that the algorithm's published reference gives.
    #[test]
    fn is_splitmix64() {
        let mut rng = Rng::new(0);
        assert_eq!(rng.next(), 0xE220_A839_7B1D_CDAF);
        assert_eq!(rng.next(), 0x6E78_9E6A_A1B9_65F4);
    }

    #[test]
    fn stays_in_range() {
        let mut rng = Rng::new(7);
        let drawn: Vec<usize> = (0..1000).map(|_| rng.between(3, 5)).collect();
        for value in 3..=5 {
            assert!(drawn.contains(&value));
        }
        assert!(drawn.iter().all(|value| (3..=5).contains(value)));
    }
}

//! Reproducible random choices, seeded by a few numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A stream of choices.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// The stream seeded by these numbers.
    pub(crate) fn new(name: &[u64]) -> Draw {
        let seed = name.iter().fold(0u64, |seed, &part| {
            seed.rotate_left(17).wrapping_mul(0x9E37_79B9_7F4A_7C15).wrapping_add(part)
        });
        Draw(ChaCha8Rng::seed_from_u64(seed))
    }

    /// A number below a bound, which is not zero.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }
}

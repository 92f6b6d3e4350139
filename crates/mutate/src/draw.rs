//! Choices that can be made again: a stream of random numbers decided by a few numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A stream of choices.
#[derive(Clone)]
pub struct Draw {
    rng: ChaCha8Rng,
}

impl Draw {
    /// The stream that these numbers name.
    #[must_use]
    pub fn new(name: &[u64]) -> Draw {
        // Multiplication by an odd number and a rotation keep different lists apart.
        let mix = |state: u64, &part: &u64| {
            (state ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
        };
        Draw { rng: ChaCha8Rng::seed_from_u64(name.iter().fold(name.len() as u64, mix)) }
    }

    /// A number below a bound, which is not zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound as u64) as usize
    }

    /// True once in so many times.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these, unless there are none.
    pub fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    /// The source of the stream, for values.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.rng
    }
}

//! Reproducible choices: a stream of random numbers determined by a few numbers.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A stream of choices.
#[derive(Clone)]
pub struct Draw {
    rng: ChaCha8Rng,
}

impl Draw {
    /// The stream for these numbers.
    #[must_use]
    pub fn new(name: &[u64]) -> Draw {
        // Multiplication by an odd number and a rotation separate different lists.
        let mix = |state: u64, &part: &u64| {
            (state ^ part).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
        };
        Draw { rng: ChaCha8Rng::seed_from_u64(name.iter().fold(name.len() as u64, mix)) }
    }

    /// A number below a nonzero bound.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.rng.next_u64() % bound as u64) as usize
    }

    /// True with probability 1/`times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these; `None` if the list is empty.
    pub fn of<'a, T>(&mut self, items: &'a [T]) -> Option<&'a T> {
        if items.is_empty() { None } else { items.get(self.below(items.len())) }
    }

    /// The underlying generator, for values.
    pub fn rng(&mut self) -> &mut ChaCha8Rng {
        &mut self.rng
    }
}

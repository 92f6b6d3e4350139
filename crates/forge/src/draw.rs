//! Random choices that depend only on a case's number.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A source of choices.
pub(crate) struct Draw(ChaCha8Rng);

impl Draw {
    /// The choices of a case: other numbers and categories give independent choices.
    pub(crate) fn new(category: &str, number: u128) -> Draw {
        let mut seed = [0; 32];
        seed[..16].copy_from_slice(&number.to_le_bytes());
        seed[16..24].copy_from_slice(&hash(category).to_le_bytes());
        Draw(ChaCha8Rng::from_seed(seed))
    }

    /// A number below a nonzero bound. The bias is less than one in 2^32.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.0.next_u64() % bound as u64) as usize
    }

    /// The same for large bounds.
    pub(crate) fn below_large(&mut self, bound: u128) -> u128 {
        let word = u128::from(self.0.next_u64()) << 64 | u128::from(self.0.next_u64());
        word % bound
    }

    /// A number between two, both included.
    pub(crate) fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most - least + 1)
    }

    /// One of some items; there must be at least one.
    pub(crate) fn pick<'i, T>(&mut self, items: &'i [T]) -> &'i T {
        &items[self.below(items.len())]
    }
}

/// A hash of a name that stays the same in later versions (FNV-1a).
fn hash(name: &str) -> u64 {
    let mix = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01B3);
    name.bytes().fold(0xCBF2_9CE4_8422_2325, mix)
}

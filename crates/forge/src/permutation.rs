//! All numbers below a bound, each once, in a pseudo-random order: sampling without repetition, with
//! constant memory whatever the bound.

use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::{RngCore, SeedableRng};

/// A permutation of the numbers below a bound: a Feistel network on the next larger power of four,
/// iterated until the result is below the bound.
pub struct Permutation {
    bound: u128,
    /// Half the bits of a number.
    half: u32,
    keys: [u64; ROUNDS],
}

const ROUNDS: usize = 8;

impl Permutation {
    /// The permutation of the numbers below a bound for a given key.
    #[must_use]
    pub fn new(bound: u128, seed: u64) -> Permutation {
        let bits = u128::BITS - bound.saturating_sub(1).leading_zeros();
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let keys = std::array::from_fn(|_| rng.next_u64());
        Permutation { bound, half: bits.div_ceil(2).max(1), keys }
    }

    /// The image of a number below the bound, which is also below the bound.
    #[must_use]
    pub fn apply(&self, number: u128) -> u128 {
        let mut image = self.shuffle(number);
        while image >= self.bound {
            image = self.shuffle(image);
        }
        image
    }

    fn shuffle(&self, number: u128) -> u128 {
        let mask = u64::MAX >> (u64::BITS - self.half);
        let (mut left, mut right) = ((number >> self.half) as u64 & mask, number as u64 & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (mix(right ^ key) & mask));
        }
        u128::from(left) << self.half | u128::from(right)
    }
}

/// Every bit of the result depends on every bit of the word (the finalizer of splitmix64).
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let word = (word ^ word >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let word = (word ^ word >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ word >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_once() {
        for bound in [1u128, 2, 3, 17, 64, 65, 1000] {
            let permutation = Permutation::new(bound, 7);
            let mut images: Vec<u128> = (0..bound).map(|n| permutation.apply(n)).collect();
            images.sort_unstable();
            assert!(images.into_iter().eq(0..bound), "{bound}");
        }
    }

    #[test]
    fn the_first_image_is_spread_over_all_numbers() {
        // 4000 seeds over 16 numbers: 250 each, with a standard deviation of about 15.
        let mut counts = [0u32; 16];
        for seed in 0..4000 {
            counts[Permutation::new(16, seed).apply(0) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (170..330).contains(count)), "{counts:?}");
    }

    #[test]
    fn the_largest_bound_works() {
        let permutation = Permutation::new(u128::MAX, 1);
        assert_ne!(permutation.apply(0), permutation.apply(1));
    }
}

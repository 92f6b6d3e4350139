//! What the floating-point tests share: a seeded generator and operands that provoke rounding.

use assay_term::float::{Float, Format, Sign};
use num_bigint::BigUint;

/// A deterministic generator (xorshift64*), so that a failing case comes back on every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// A number below `bound`, which is not zero.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    /// Uniform among the numbers of at most `width` bits.
    pub fn bits(&mut self, width: u32) -> BigUint {
        let words = (0..width.div_ceil(32)).map(|_| (self.next() >> 32) as u32);
        let number = BigUint::new(words.collect());
        number & ones(width)
    }

    /// A number of the format: often special, often with long runs of equal bits.
    pub fn float(&mut self, format: Format) -> Float {
        let sign = if self.next() & 1 == 0 { Sign::Positive } else { Sign::Negative };
        let (exponent, fraction) = (self.exponent(format), self.fraction(format));
        Float::from_parts(format, sign, exponent, &fraction).expect("the fields fit the format")
    }

    fn exponent(&mut self, format: Format) -> u64 {
        let last = (1u64 << format.exponent_bits()) - 1;
        let bias = last / 2;
        match self.below(8) {
            0 => self.below(3).min(last),
            1 => last - self.below(3).min(last),
            2..=5 => {
                let spread = u64::from(format.significand_bits()) + 2;
                let offset = self.below(2 * spread + 1);
                (bias + offset).saturating_sub(spread).min(last)
            }
            _ => self.next() & last,
        }
    }

    fn fraction(&mut self, format: Format) -> BigUint {
        let width = format.fraction_bits();
        let run = ones(self.below(u64::from(width) + 1) as u32);
        match self.below(6) {
            0 => BigUint::ZERO,
            1 => ones(width),
            2 => run,
            3 => ones(width) ^ run,
            4 => BigUint::from(1u32) << self.below(u64::from(width)),
            _ => self.bits(width),
        }
    }
}

pub fn ones(width: u32) -> BigUint {
    (BigUint::from(1u32) << width) - 1u32
}

/// Zeros, ones, infinities, NaN and the numbers at the borders of the classes.
pub fn landmarks(format: Format) -> Vec<Float> {
    let bias = (1u64 << (format.exponent_bits() - 1)) - 1;
    let fraction = ones(format.fraction_bits());
    let mut found = vec![Float::nan(format)];
    for sign in [Sign::Positive, Sign::Negative] {
        let parts = |exponent, significand: &BigUint| {
            Float::from_parts(format, sign, exponent, significand)
                .expect("the fields fit the format")
        };
        found.extend([
            Float::zero(format, sign),
            Float::infinity(format, sign),
            Float::largest(format, sign),
            Float::smallest_normal(format, sign),
            Float::smallest_subnormal(format, sign),
            parts(0, &fraction),
            parts(1, &BigUint::from(1u32)),
            parts(bias, &BigUint::ZERO),
            parts(bias, &BigUint::from(1u32)),
            parts(bias, &(BigUint::from(1u32) << (format.fraction_bits() - 1))),
            parts(bias - 1, &BigUint::ZERO),
            parts(bias - 1, &fraction),
            parts(bias + 1, &BigUint::ZERO),
            parts(2 * bias, &BigUint::ZERO),
        ]);
    }
    found
}

//! The formats `(_ FloatingPoint eb sb)` and the numbers that follow from their two indices.

use std::fmt;

/// A binary floating-point format: how many bits its exponent and its significand have.
///
/// The significand counts its hidden leading bit, as in SMT-LIB: `(_ FloatingPoint 8 24)` is the
/// 32-bit format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Format {
    exponent_bits: u32,
    significand_bits: u32,
}

impl Format {
    /// The most exponent bits a format may have, so that sums of exponents fit an `i64`.
    pub const MAX_EXPONENT_BITS: u32 = 60;
    /// The most significand bits a format may have, so that every operation ends within a second.
    pub const MAX_SIGNIFICAND_BITS: u32 = 1 << 16;

    /// SMT-LIB's `Float16`.
    pub const FLOAT16: Format = Format::literal(5, 11);
    /// SMT-LIB's `Float32`.
    pub const FLOAT32: Format = Format::literal(8, 24);
    /// SMT-LIB's `Float64`.
    pub const FLOAT64: Format = Format::literal(11, 53);
    /// SMT-LIB's `Float128`.
    pub const FLOAT128: Format = Format::literal(15, 113);

    const fn literal(exponent_bits: u32, significand_bits: u32) -> Format {
        Format { exponent_bits, significand_bits }
    }

    /// The format `(_ FloatingPoint eb sb)`; `None` when SMT-LIB has no such format (an index
    /// below 2) or when it is beyond [`Format::MAX_EXPONENT_BITS`] or
    /// [`Format::MAX_SIGNIFICAND_BITS`].
    #[must_use]
    pub fn new(eb: u32, sb: u32) -> Option<Format> {
        let supported = (2..=Format::MAX_EXPONENT_BITS).contains(&eb)
            && (2..=Format::MAX_SIGNIFICAND_BITS).contains(&sb);
        supported.then_some(Format::literal(eb, sb))
    }

    /// The number of exponent bits, SMT-LIB's `eb`.
    #[must_use]
    pub fn exponent_bits(self) -> u32 {
        self.exponent_bits
    }

    /// The number of significand bits with the hidden one, SMT-LIB's `sb`.
    #[must_use]
    pub fn significand_bits(self) -> u32 {
        self.significand_bits
    }

    /// The number of significand bits that are stored.
    #[must_use]
    pub fn fraction_bits(self) -> u32 {
        self.significand_bits - 1
    }

    /// The number of bits of the interchange encoding, sign included.
    #[must_use]
    pub fn width(self) -> u32 {
        self.exponent_bits + self.significand_bits
    }

    /// The exponent of the largest finite numbers: they lie in `[2^e, 2^(e+1))`.
    #[must_use]
    pub fn max_exponent(self) -> i64 {
        (1 << (self.exponent_bits - 1)) - 1
    }

    /// The exponent of the smallest normal numbers: they lie in `[2^e, 2^(e+1))`.
    #[must_use]
    pub fn min_exponent(self) -> i64 {
        1 - self.max_exponent()
    }

    /// The exponent of the smallest subnormal number, of which every finite number is a multiple.
    #[must_use]
    pub fn quantum_exponent(self) -> i64 {
        self.min_exponent() - i64::from(self.fraction_bits())
    }

    /// The stored exponent of infinities and NaN: all ones.
    pub(super) fn special_exponent_field(self) -> u64 {
        (1 << self.exponent_bits) - 1
    }
}

impl fmt::Display for Format {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (eb, sb) = (self.exponent_bits, self.significand_bits);
        write!(out, "(_ FloatingPoint {eb} {sb})")
    }
}

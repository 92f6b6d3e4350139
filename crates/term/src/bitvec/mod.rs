//! Bit-vector values of fixed width, and every operation of the theory on them.
//!
//! Up to 64 bits a value is a machine word and no operation allocates; above it is a shared big
//! number. The representation is canonical by width, so equality and hashing are structural.
//! Typing, indices and spellings belong to the table (`theories/bv.rs`), not to this module.

mod arithmetic;
mod bitwise;
mod structure;
mod text;

use crate::int::Int;
use num_bigint::{BigInt, BigUint, Sign};
use num_traits::{One, Zero};
use std::borrow::Cow;
use std::sync::Arc;

/// The maximum width. Wider sorts cannot be built, so that an index cannot exhaust the memory.
pub const MAX_WIDTH: u32 = 1 << 20;

/// The widest value that is a machine word.
const WORD: u32 = u64::BITS;

/// A bit-vector. The order is by width, then as unsigned numbers.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BitVec(Repr);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    /// At most [`WORD`] bits; those above the width are zero.
    Small { width: u32, bits: u64 },
    /// More than [`WORD`] bits; the number is below two to the power of the width.
    Big { width: u32, bits: Arc<BigUint> },
}

impl BitVec {
    /// The low `width` bits of `n`.
    ///
    /// # Panics
    /// Panics if the width is not from 1 to [`MAX_WIDTH`], like all constructors that take a width.
    #[inline]
    #[must_use]
    pub fn from_u64(width: u32, n: u64) -> BitVec {
        if (1..=WORD).contains(&width) {
            BitVec::word(width, n)
        } else {
            BitVec::wide(width, BigUint::from(n))
        }
    }

    /// `n` modulo two to the power of `width`.
    #[must_use]
    pub fn from_big(width: u32, n: &BigUint) -> BitVec {
        if width <= WORD {
            BitVec::from_u64(width, low_word(n))
        } else {
            BitVec::wide(width, n.clone())
        }
    }

    /// `n` modulo two to the power of `width`: a negative number in two's complement.
    #[must_use]
    pub fn from_int(width: u32, n: &Int) -> BitVec {
        match n.to_i64() {
            // The cast keeps the low 64 bits of the two's complement.
            Some(small) if width <= WORD => BitVec::from_u64(width, small as u64),
            _ => BitVec::from_bigint(width, n.to_big()),
        }
    }

    /// All bits zero.
    #[must_use]
    pub fn zero(width: u32) -> BitVec {
        BitVec::from_u64(width, 0)
    }

    /// All bits one.
    #[must_use]
    pub fn ones(width: u32) -> BitVec {
        if width <= WORD {
            BitVec::from_u64(width, u64::MAX)
        } else {
            BitVec::wide(width, power(width) - 1u32)
        }
    }

    /// Only the sign bit set: the smallest signed number.
    #[must_use]
    pub fn min_signed(width: u32) -> BitVec {
        if width <= WORD {
            BitVec::from_u64(width, sign_bit(width))
        } else {
            BitVec::wide(width, power(width - 1))
        }
    }

    /// One bit.
    #[inline]
    #[must_use]
    pub fn from_bool(bit: bool) -> BitVec {
        BitVec(Repr::Small { width: 1, bits: bit.into() })
    }

    /// The low bits of `n`, for a width from 1 to [`WORD`].
    #[inline(always)]
    fn word(width: u32, n: u64) -> BitVec {
        let bits = n & mask(width);
        BitVec(Repr::Small { width, bits })
    }

    fn from_bigint(width: u32, n: BigInt) -> BitVec {
        let (sign, magnitude) = n.into_parts();
        let positive = BitVec::from_owned(width, magnitude);
        if sign == Sign::Minus { positive.neg() } else { positive }
    }

    fn from_owned(width: u32, n: BigUint) -> BitVec {
        if width <= WORD { BitVec::from_u64(width, low_word(&n)) } else { BitVec::wide(width, n) }
    }

    fn wide(width: u32, mut n: BigUint) -> BitVec {
        assert!(width > WORD && width <= MAX_WIDTH, "a bit-vector has from 1 to {MAX_WIDTH} bits");
        if n.bits() > u64::from(width) {
            n &= power(width) - 1u32;
        }
        BitVec(Repr::Big { width, bits: Arc::new(n) })
    }

    /// The number of bits.
    #[inline]
    #[must_use]
    pub fn width(&self) -> u32 {
        match self.0 {
            Repr::Small { width, .. } | Repr::Big { width, .. } => width,
        }
    }

    /// As an unsigned machine word, if the number fits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small { bits, .. } => Some(*bits),
            Repr::Big { bits, .. } => (bits.bits() <= WORD.into()).then(|| low_word(bits)),
        }
    }

    /// As an unsigned big number.
    #[must_use]
    pub fn to_big(&self) -> BigUint {
        self.big().into_owned()
    }

    /// As an unsigned number.
    #[must_use]
    pub fn to_unsigned(&self) -> Int {
        match &self.0 {
            Repr::Small { bits, .. } => Int::from(*bits),
            Repr::Big { bits, .. } => BigInt::from(bits.as_ref().clone()).into(),
        }
    }

    /// As a signed number in two's complement.
    #[must_use]
    pub fn to_signed(&self) -> Int {
        match &self.0 {
            Repr::Small { width, bits } => Int::from(signed(*width, *bits)),
            Repr::Big { width, bits } => signed_big(*width, bits).into(),
        }
    }

    /// The bit at this position, zero being the least significant; false beyond the width.
    #[must_use]
    pub fn bit(&self, position: u32) -> bool {
        match &self.0 {
            Repr::Small { bits, .. } => position < WORD && bits >> position & 1 == 1,
            Repr::Big { bits, .. } => bits.bit(position.into()),
        }
    }

    /// The sign bit.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.bit(self.width() - 1)
    }

    /// Whether every bit is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        match &self.0 {
            Repr::Small { bits, .. } => *bits == 0,
            Repr::Big { bits, .. } => bits.is_zero(),
        }
    }

    /// Whether every bit is one.
    #[must_use]
    pub fn is_ones(&self) -> bool {
        self.count_ones() == self.width()
    }

    /// The number of one bits.
    #[must_use]
    pub fn count_ones(&self) -> u32 {
        match &self.0 {
            Repr::Small { bits, .. } => bits.count_ones(),
            Repr::Big { bits, .. } => bits.iter_u64_digits().map(u64::count_ones).sum(),
        }
    }

    fn big(&self) -> Cow<'_, BigUint> {
        match &self.0 {
            Repr::Small { bits, .. } => Cow::Owned(BigUint::from(*bits)),
            Repr::Big { bits, .. } => Cow::Borrowed(bits.as_ref()),
        }
    }

    /// A value of the same width, computed from the words or the big numbers of two values.
    ///
    /// Inlined without the case of big numbers, so that the result of an operation on words is
    /// built in place: passing it through memory costs more than the operation.
    #[inline(always)]
    fn combine(
        &self,
        other: &BitVec,
        small: impl FnOnce(u32, u64, u64) -> u64,
        big: impl FnOnce(u32, &BigUint, &BigUint) -> BigUint,
    ) -> BitVec {
        match (&self.0, &other.0) {
            (Repr::Small { width, bits: a }, Repr::Small { width: w, bits: b }) if width == w => {
                BitVec::word(*width, small(*width, *a, *b))
            }
            _ => self.combine_wide(other, big),
        }
    }

    #[inline(never)]
    fn combine_wide(
        &self,
        other: &BitVec,
        big: impl FnOnce(u32, &BigUint, &BigUint) -> BigUint,
    ) -> BitVec {
        match (&self.0, &other.0) {
            (Repr::Big { width, bits: a }, Repr::Big { width: w, bits: b }) if width == w => {
                BitVec::wide(*width, big(*width, a, b))
            }
            _ => differ(self, other),
        }
    }

    /// Whether a relation holds between the words, or the big numbers, of two.
    #[inline]
    fn relate(
        &self,
        other: &BitVec,
        small: impl FnOnce(u32, u64, u64) -> bool,
        big: impl FnOnce(u32, &BigUint, &BigUint) -> bool,
    ) -> bool {
        match (&self.0, &other.0) {
            (Repr::Small { width, bits: a }, Repr::Small { width: w, bits: b }) if width == w => {
                small(*width, *a, *b)
            }
            (Repr::Big { width, bits: a }, Repr::Big { width: w, bits: b }) if width == w => {
                big(*width, a, b)
            }
            _ => differ(self, other),
        }
    }
}

#[cold]
fn differ(a: &BitVec, b: &BitVec) -> ! {
    panic!("an operation on bit-vectors of {} and {} bits", a.width(), b.width())
}

/// Ones below a width from 1 to [`WORD`].
#[inline]
fn mask(width: u32) -> u64 {
    u64::MAX >> (WORD - width)
}

/// The sign bit of a width from 1 to [`WORD`].
#[inline]
fn sign_bit(width: u32) -> u64 {
    1 << (width - 1)
}

/// The signed number of a word of this width.
#[inline]
fn signed(width: u32, bits: u64) -> i64 {
    let unused = WORD - width;
    (bits << unused) as i64 >> unused
}

fn signed_big(width: u32, bits: &BigUint) -> BigInt {
    let n = BigInt::from(bits.clone());
    if bits.bit(u64::from(width) - 1) { n - BigInt::from(power(width)) } else { n }
}

fn low_word(n: &BigUint) -> u64 {
    n.iter_u64_digits().next().unwrap_or(0)
}

/// Two to the power of `exponent`.
fn power(exponent: u32) -> BigUint {
    BigUint::one() << exponent
}

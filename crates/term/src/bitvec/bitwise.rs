//! Operations on single bits, and shifts.

use super::{BitVec, Repr, power, signed};
use num_bigint::BigUint;
use num_traits::Zero;

impl BitVec {
    /// Bitwise negation.
    #[inline]
    #[must_use]
    pub fn not(&self) -> BitVec {
        match &self.0 {
            Repr::Small { width, bits } => BitVec::word(*width, !bits),
            Repr::Big { width, bits } => BitVec::wide(*width, power(*width) - 1u32 - bits.as_ref()),
        }
    }

    /// Bitwise conjunction.
    #[inline]
    #[must_use]
    pub fn and(&self, other: &BitVec) -> BitVec {
        self.combine(other, |_, a, b| a & b, |_, a, b| a & b)
    }

    /// Bitwise disjunction.
    #[inline]
    #[must_use]
    pub fn or(&self, other: &BitVec) -> BitVec {
        self.combine(other, |_, a, b| a | b, |_, a, b| a | b)
    }

    /// Bitwise exclusive or.
    #[inline]
    #[must_use]
    pub fn xor(&self, other: &BitVec) -> BitVec {
        self.combine(other, |_, a, b| a ^ b, |_, a, b| a ^ b)
    }

    /// Shift to the left; zero if the amount is at least the width.
    #[must_use]
    pub fn shl(&self, amount: &BitVec) -> BitVec {
        self.combine(
            amount,
            |width, a, n| if n < width.into() { a << n } else { 0 },
            |width, a, n| below(n, width).map_or_else(BigUint::zero, |n| a << n),
        )
    }

    /// Shift to the right, filling with zeros.
    #[must_use]
    pub fn lshr(&self, amount: &BitVec) -> BitVec {
        self.combine(
            amount,
            |width, a, n| if n < width.into() { a >> n } else { 0 },
            |width, a, n| below(n, width).map_or_else(BigUint::zero, |n| a >> n),
        )
    }

    /// Shift to the right, filling with the sign bit.
    #[must_use]
    pub fn ashr(&self, amount: &BitVec) -> BitVec {
        self.combine(
            amount,
            // For a word of any width, an amount of 63 or more leaves only the sign.
            |width, a, n| (signed(width, a) >> n.min(63)) as u64,
            |width, a, n| {
                let n = below(n, width).unwrap_or(width);
                let shifted = a >> n;
                if a.bit(u64::from(width) - 1) {
                    shifted + (power(width) - power(width - n))
                } else {
                    shifted
                }
            },
        )
    }

    /// Rotation to the left by an index, modulo the width.
    #[must_use]
    pub fn rotate_left(&self, amount: u64) -> BitVec {
        let width = self.width();
        let amount = (amount % u64::from(width)) as u32;
        if amount == 0 {
            return self.clone();
        }
        match &self.0 {
            Repr::Small { bits, .. } => {
                BitVec::from_u64(width, bits << amount | bits >> (width - amount))
            }
            Repr::Big { bits, .. } => {
                BitVec::wide(width, bits.as_ref() << amount | bits.as_ref() >> (width - amount))
            }
        }
    }

    /// Rotation to the right by an index.
    #[must_use]
    pub fn rotate_right(&self, amount: u64) -> BitVec {
        let width = u64::from(self.width());
        self.rotate_left(width - amount % width)
    }

    /// Rotation to the left by the unsigned number of another.
    #[must_use]
    pub fn rotate_left_by(&self, amount: &BitVec) -> BitVec {
        self.rotate_left(amount.modulo(self.width()))
    }

    /// Rotation to the right by the unsigned number of another.
    #[must_use]
    pub fn rotate_right_by(&self, amount: &BitVec) -> BitVec {
        self.rotate_right(amount.modulo(self.width()))
    }

    fn modulo(&self, divisor: u32) -> u64 {
        match &self.0 {
            Repr::Small { bits, .. } => bits % u64::from(divisor),
            Repr::Big { bits, .. } => super::low_word(&(bits.as_ref() % divisor)),
        }
    }

    /// Whether an odd number of bits is one.
    #[must_use]
    pub fn parity(&self) -> bool {
        self.count_ones() % 2 == 1
    }

    /// Whether both are equal; the widths must agree.
    #[inline]
    #[must_use]
    pub fn same(&self, other: &BitVec) -> bool {
        self.relate(other, |_, a, b| a == b, |_, a, b| a == b)
    }
}

/// A shift amount below the width.
fn below(amount: &BigUint, width: u32) -> Option<u32> {
    let small = u32::try_from(amount).ok()?;
    (small < width).then_some(small)
}

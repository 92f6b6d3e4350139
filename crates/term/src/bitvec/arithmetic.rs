//! Arithmetic modulo two to the power of the width, order, and overflow.

use super::{BitVec, Repr, mask, power, sign_bit, signed, signed_big};
use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, Zero};

impl BitVec {
    /// Two's complement negation.
    #[inline]
    #[must_use]
    pub fn neg(&self) -> BitVec {
        match &self.0 {
            Repr::Small { width, bits } => BitVec::word(*width, bits.wrapping_neg()),
            Repr::Big { width, bits } => BitVec::wide(*width, power(*width) - bits.as_ref()),
        }
    }

    /// Sum.
    #[inline]
    #[must_use]
    pub fn add(&self, other: &BitVec) -> BitVec {
        self.combine(other, |_, a, b| a.wrapping_add(b), |_, a, b| a + b)
    }

    /// Difference.
    #[inline]
    #[must_use]
    pub fn sub(&self, other: &BitVec) -> BitVec {
        self.combine(other, |_, a, b| a.wrapping_sub(b), |width, a, b| a + power(width) - b)
    }

    /// Product.
    #[inline]
    #[must_use]
    pub fn mul(&self, other: &BitVec) -> BitVec {
        self.combine(other, |_, a, b| a.wrapping_mul(b), |_, a, b| a * b)
    }

    /// Unsigned quotient; all ones if the divisor is zero.
    #[must_use]
    pub fn udiv(&self, divisor: &BitVec) -> BitVec {
        self.combine(
            divisor,
            |_, a, b| a.checked_div(b).unwrap_or(u64::MAX),
            |width, a, b| {
                if b.is_zero() { power(width) - 1u32 } else { a / b }
            },
        )
    }

    /// Unsigned remainder; the dividend if the divisor is zero.
    #[must_use]
    pub fn urem(&self, divisor: &BitVec) -> BitVec {
        self.combine(
            divisor,
            |_, a, b| a.checked_rem(b).unwrap_or(a),
            |_, a, b| if b.is_zero() { a.clone() } else { a % b },
        )
    }

    /// Signed quotient, rounded towards zero. Division by zero yields 1 for a negative dividend,
    /// else -1.
    #[must_use]
    pub fn sdiv(&self, divisor: &BitVec) -> BitVec {
        self.signed_combine(
            divisor,
            |a, b| match (a, b) {
                (_, 0) => {
                    if a < 0 {
                        1
                    } else {
                        -1
                    }
                }
                _ => a.wrapping_div(b),
            },
            |a, b| match b.is_zero() {
                true => BigInt::from(if a.is_negative() { 1 } else { -1 }),
                false => a / b,
            },
        )
    }

    /// Signed remainder with the sign of the dividend; the dividend if the divisor is zero.
    #[must_use]
    pub fn srem(&self, divisor: &BitVec) -> BitVec {
        self.signed_combine(
            divisor,
            |a, b| if b == 0 { a } else { a.wrapping_rem(b) },
            |a, b| if b.is_zero() { a } else { a % b },
        )
    }

    /// Signed remainder with the sign of the divisor; the dividend if the divisor is zero.
    #[must_use]
    pub fn smod(&self, divisor: &BitVec) -> BitVec {
        self.signed_combine(
            divisor,
            |a, b| {
                let rest = if b == 0 { a } else { a.wrapping_rem(b) };
                if b != 0 && rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
            },
            |a, b| if b.is_zero() { a } else { a.mod_floor(&b) },
        )
    }

    /// A value of the same width from the signed numbers of two.
    #[inline]
    fn signed_combine(
        &self,
        other: &BitVec,
        small: impl FnOnce(i64, i64) -> i64,
        big: impl FnOnce(BigInt, BigInt) -> BigInt,
    ) -> BitVec {
        self.combine(
            other,
            |width, a, b| small(signed(width, a), signed(width, b)) as u64,
            |width, a, b| {
                let n = big(signed_big(width, a), signed_big(width, b));
                let (negative, magnitude) = (n.is_negative(), n.into_parts().1);
                if negative { power(width) - magnitude } else { magnitude }
            },
        )
    }

    /// Unsigned less.
    #[inline]
    #[must_use]
    pub fn ult(&self, other: &BitVec) -> bool {
        self.relate(other, |_, a, b| a < b, |_, a, b| a < b)
    }

    /// Unsigned less or equal.
    #[inline]
    #[must_use]
    pub fn ule(&self, other: &BitVec) -> bool {
        self.relate(other, |_, a, b| a <= b, |_, a, b| a <= b)
    }

    /// Signed less.
    #[inline]
    #[must_use]
    pub fn slt(&self, other: &BitVec) -> bool {
        self.relate(
            other,
            |width, a, b| signed(width, a) < signed(width, b),
            |width, a, b| ordered(width, a, b, a < b),
        )
    }

    /// Signed less or equal.
    #[inline]
    #[must_use]
    pub fn sle(&self, other: &BitVec) -> bool {
        self.relate(
            other,
            |width, a, b| signed(width, a) <= signed(width, b),
            |width, a, b| ordered(width, a, b, a <= b),
        )
    }

    /// Whether the negation of the signed number does not fit.
    #[must_use]
    pub fn neg_overflows(&self) -> bool {
        match &self.0 {
            Repr::Small { width, bits } => *bits == sign_bit(*width),
            Repr::Big { width, bits } => **bits == power(*width - 1),
        }
    }

    /// Whether the unsigned sum does not fit.
    #[must_use]
    pub fn uadd_overflows(&self, other: &BitVec) -> bool {
        self.relate(
            other,
            |width, a, b| a > mask(width) - b,
            |width, a, b| (a + b).bits() > width.into(),
        )
    }

    /// Whether the signed sum does not fit.
    #[must_use]
    pub fn sadd_overflows(&self, other: &BitVec) -> bool {
        self.signed_overflows(other, |a, b| a + b, |a, b| a + b)
    }

    /// Whether the unsigned difference is negative.
    #[must_use]
    pub fn usub_overflows(&self, other: &BitVec) -> bool {
        self.ult(other)
    }

    /// Whether the signed difference does not fit.
    #[must_use]
    pub fn ssub_overflows(&self, other: &BitVec) -> bool {
        self.signed_overflows(other, |a, b| a - b, |a, b| a - b)
    }

    /// Whether the unsigned product does not fit.
    #[must_use]
    pub fn umul_overflows(&self, other: &BitVec) -> bool {
        self.relate(
            other,
            |width, a, b| u128::from(a) * u128::from(b) > mask(width).into(),
            |width, a, b| (a * b).bits() > width.into(),
        )
    }

    /// Whether the signed product does not fit.
    #[must_use]
    pub fn smul_overflows(&self, other: &BitVec) -> bool {
        self.signed_overflows(other, |a, b| a * b, |a, b| a * b)
    }

    /// Whether the signed product is too large to fit.
    #[must_use]
    pub fn smul_above(&self, other: &BitVec) -> bool {
        self.is_negative() == other.is_negative() && self.smul_overflows(other)
    }

    /// Whether the signed product is too small to fit.
    #[must_use]
    pub fn smul_below(&self, other: &BitVec) -> bool {
        self.is_negative() != other.is_negative() && self.smul_overflows(other)
    }

    /// Whether the signed quotient does not fit: the smallest number divided by -1.
    #[must_use]
    pub fn sdiv_overflows(&self, divisor: &BitVec) -> bool {
        self.neg_overflows() && divisor.is_ones()
    }

    /// Whether an exact operation on signed numbers leaves the signed range.
    #[inline]
    fn signed_overflows(
        &self,
        other: &BitVec,
        small: impl FnOnce(i128, i128) -> i128,
        big: impl FnOnce(BigInt, BigInt) -> BigInt,
    ) -> bool {
        self.relate(
            other,
            |width, a, b| {
                let n = small(signed(width, a).into(), signed(width, b).into());
                let bound = i128::from(sign_bit(width));
                n < -bound || n >= bound
            },
            |width, a, b| {
                let n = big(signed_big(width, a), signed_big(width, b));
                let bound = BigInt::from(power(width - 1));
                n < -&bound || n >= bound
            },
        )
    }
}

/// The signed order from the unsigned one: they agree only if the signs agree.
fn ordered(width: u32, a: &BigUint, b: &BigUint, unsigned: bool) -> bool {
    let sign = u64::from(width) - 1;
    match (a.bit(sign), b.bit(sign)) {
        (true, false) => true,
        (false, true) => false,
        _ => unsigned,
    }
}

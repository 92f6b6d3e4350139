//! Sums, products, quotients and square roots.

use std::cmp::Ordering;

use num_bigint::BigUint;

use super::exact::{Dyadic, Exact, bit_length};
use super::format::Format;
use super::mode::{RoundingMode, Sign};
use super::round::{Tail, Unrounded, bits_before_tail, round, round_exact, round_quotient};
use super::value::Float;

impl Float {
    /// SMT-LIB's `fp.add`.
    #[must_use]
    pub fn add(&self, other: &Float, mode: RoundingMode) -> Float {
        let format = self.common_format(other);
        round_sum(format, mode, self.exact(), other.exact())
    }

    /// SMT-LIB's `fp.sub`.
    #[must_use]
    pub fn sub(&self, other: &Float, mode: RoundingMode) -> Float {
        self.add(&other.neg(), mode)
    }

    /// SMT-LIB's `fp.mul`.
    #[must_use]
    pub fn mul(&self, other: &Float, mode: RoundingMode) -> Float {
        let format = self.common_format(other);
        round_exact(format, mode, self.exact().times(&other.exact()))
    }

    /// SMT-LIB's `fp.fma`: `self * factor + addend`, rounded once.
    #[must_use]
    pub fn fma(&self, factor: &Float, addend: &Float, mode: RoundingMode) -> Float {
        self.common_format(factor);
        let format = self.common_format(addend);
        let product = self.exact().times(&factor.exact());
        round_sum(format, mode, product, addend.exact())
    }

    /// SMT-LIB's `fp.div`.
    #[must_use]
    pub fn div(&self, other: &Float, mode: RoundingMode) -> Float {
        let format = self.common_format(other);
        let (dividend, divisor) = match (self.exact(), other.exact()) {
            (Exact::Finite(dividend), Exact::Finite(divisor)) => (dividend, divisor),
            (Exact::Nan, _)
            | (_, Exact::Nan)
            | (Exact::Infinite(_), Exact::Infinite(_))
            | (Exact::Zero(_), Exact::Zero(_)) => return Float::nan(format),
            (Exact::Infinite(_), _) | (_, Exact::Zero(_)) => {
                return Float::infinity(format, self.sign_bit().times(other.sign_bit()));
            }
            (Exact::Zero(_), _) | (_, Exact::Infinite(_)) => {
                return Float::zero(format, self.sign_bit().times(other.sign_bit()));
            }
        };
        round_quotient(
            format,
            mode,
            dividend.sign.times(divisor.sign),
            (&dividend.significand, &divisor.significand),
            dividend.exponent - divisor.exponent,
        )
    }

    /// SMT-LIB's `fp.sqrt`; the root of `-0` is `-0`.
    #[must_use]
    pub fn sqrt(&self, mode: RoundingMode) -> Float {
        let format = self.format();
        match self.exact() {
            Exact::Nan | Exact::Infinite(Sign::Negative) => Float::nan(format),
            Exact::Infinite(Sign::Positive) | Exact::Zero(_) => self.clone(),
            Exact::Finite(number) if number.sign == Sign::Negative => Float::nan(format),
            Exact::Finite(number) => round_root(format, mode, &number),
        }
    }

    /// The common format of both operands; different formats are a caller's mistake.
    pub(super) fn common_format(&self, other: &Float) -> Format {
        assert_eq!(self.format(), other.format(), "operands must have one format");
        self.format()
    }
}

fn round_sum(format: Format, mode: RoundingMode, left: Exact, right: Exact) -> Float {
    match (left, right) {
        (Exact::Nan, _) | (_, Exact::Nan) => Float::nan(format),
        (Exact::Infinite(a), Exact::Infinite(b)) if a != b => Float::nan(format),
        (Exact::Infinite(sign), _) | (_, Exact::Infinite(sign)) => Float::infinity(format, sign),
        (Exact::Zero(a), Exact::Zero(b)) => {
            let sign = if a == b { a } else { cancelled_sign(mode) };
            Float::zero(format, sign)
        }
        (Exact::Zero(_), finite) | (finite, Exact::Zero(_)) => round_exact(format, mode, finite),
        (Exact::Finite(a), Exact::Finite(b)) => round_finite_sum(format, mode, a, b),
    }
}

/// The sign of a sum that is zero although its terms have different signs.
fn cancelled_sign(mode: RoundingMode) -> Sign {
    match mode {
        RoundingMode::TowardNegative => Sign::Negative,
        _ => Sign::Positive,
    }
}

fn round_finite_sum(format: Format, mode: RoundingMode, a: Dyadic, b: Dyadic) -> Float {
    let (large, small) = if a.top() >= b.top() { (a, b) } else { (b, a) };
    let scale = (bits_before_tail(format) - bit_length(&large.significand)).max(0);
    let unit = large.exponent - scale;
    if small.top() <= unit {
        // Aligning could take 2^60 bits, and only the sign of the small term matters.
        return round_with_negligible(format, mode, &large, unit, small.sign);
    }
    let unit = large.exponent.min(small.exponent);
    let (large_units, small_units) = (large.significand_at(unit), small.significand_at(unit));
    let (sign, significand) = if large.sign == small.sign {
        (large.sign, large_units + small_units)
    } else {
        match large_units.cmp(&small_units) {
            Ordering::Less => (small.sign, small_units - large_units),
            Ordering::Equal => (cancelled_sign(mode), BigUint::ZERO),
            Ordering::Greater => (large.sign, large_units - small_units),
        }
    };
    round_exact(format, mode, Exact::dyadic(sign, significand, unit))
}

/// Rounds `large` plus a nonzero number of the given sign and of magnitude below `2^unit`.
fn round_with_negligible(
    format: Format,
    mode: RoundingMode,
    large: &Dyadic,
    unit: i64,
    negligible: Sign,
) -> Float {
    let mut significand = large.significand_at(unit);
    if large.sign != negligible {
        // n - t is (n - 1) + (1 - t), which has its tail on the right side.
        significand -= 1u32;
    }
    let unrounded =
        Unrounded { sign: large.sign, significand, exponent: unit, tail: Tail::Positive };
    round(format, mode, &unrounded)
}

fn round_root(format: Format, mode: RoundingMode, square: &Dyadic) -> Float {
    let wanted = 2 * bits_before_tail(format);
    let scale = (wanted - bit_length(&square.significand)).max(0);
    // The exponent has to be halved.
    let unit = (square.exponent - scale).div_euclid(2) * 2;
    let radicand = square.significand_at(unit);
    let significand = radicand.sqrt();
    let tail = if &significand * &significand == radicand { Tail::Zero } else { Tail::Positive };
    let unrounded = Unrounded { sign: Sign::Positive, significand, exponent: unit / 2, tail };
    round(format, mode, &unrounded)
}

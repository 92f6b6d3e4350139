//! Exact values outside any format: what operations compute before they round.

use num_bigint::BigUint;

use super::mode::Sign;

/// An exact result. Zeros keep a sign because a rounded result needs one.
pub(super) enum Exact {
    Nan,
    Infinite(Sign),
    Zero(Sign),
    Finite(Dyadic),
}

/// The nonzero number `± significand * 2^exponent`.
pub(super) struct Dyadic {
    pub(super) sign: Sign,
    pub(super) significand: BigUint,
    pub(super) exponent: i64,
}

impl Exact {
    /// `± significand * 2^exponent`, a zero of that sign when the significand is zero.
    pub(super) fn dyadic(sign: Sign, significand: BigUint, exponent: i64) -> Exact {
        if significand == BigUint::ZERO {
            return Exact::Zero(sign);
        }
        Exact::Finite(Dyadic { sign, significand, exponent })
    }

    /// The exact product.
    pub(super) fn times(&self, other: &Exact) -> Exact {
        match (self, other) {
            (Exact::Nan, _) | (_, Exact::Nan) => Exact::Nan,
            (Exact::Infinite(_), Exact::Zero(_)) | (Exact::Zero(_), Exact::Infinite(_)) => {
                Exact::Nan
            }
            (Exact::Infinite(a), Exact::Infinite(b)) => Exact::Infinite(a.times(*b)),
            (Exact::Infinite(a), Exact::Finite(b)) | (Exact::Finite(b), Exact::Infinite(a)) => {
                Exact::Infinite(a.times(b.sign))
            }
            (Exact::Zero(a), Exact::Zero(b)) => Exact::Zero(a.times(*b)),
            (Exact::Zero(a), Exact::Finite(b)) | (Exact::Finite(b), Exact::Zero(a)) => {
                Exact::Zero(a.times(b.sign))
            }
            (Exact::Finite(a), Exact::Finite(b)) => Exact::Finite(Dyadic {
                sign: a.sign.times(b.sign),
                significand: &a.significand * &b.significand,
                exponent: a.exponent + b.exponent,
            }),
        }
    }
}

impl Dyadic {
    /// The least `t` with `|self| < 2^t`.
    pub(super) fn top(&self) -> i64 {
        self.exponent + bit_length(&self.significand)
    }

    /// The significand in units of `2^exponent`, which must not exceed its own exponent.
    pub(super) fn significand_at(&self, exponent: i64) -> BigUint {
        debug_assert!(exponent <= self.exponent);
        &self.significand << (self.exponent - exponent).unsigned_abs()
    }
}

/// The number of bits, as a type that exponents are added in.
pub(super) fn bit_length(number: &BigUint) -> i64 {
    i64::try_from(number.bits()).expect("a number in memory has fewer than 2^63 bits")
}

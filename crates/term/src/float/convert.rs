//! Conversions between formats and to and from integers and rationals.

use std::fmt;

use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::ToPrimitive;

use super::exact::{Dyadic, Exact};
use super::format::Format;
use super::mode::{RoundingMode, Sign};
use super::round::{round_exact, round_quotient};
use super::value::Float;

/// The maximum size in bits of an integer, numerator or denominator that a conversion computes.
pub const EXACT_BITS_LIMIT: i64 = 1 << 20;

/// An exponent far beyond those of all formats, and far from overflow.
const FAR_EXPONENT: i64 = 1 << 61;

/// Why a floating-point number has no exact value outside its format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoExactValue {
    /// The number is NaN.
    Nan,
    /// The number is an infinity.
    Infinite(Sign),
    /// The value exists, but takes more than [`EXACT_BITS_LIMIT`] bits.
    TooLarge,
}

impl fmt::Display for NoExactValue {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoExactValue::Nan => out.write_str("NaN is not a number"),
            NoExactValue::Infinite(_) => out.write_str("an infinity is not a number"),
            NoExactValue::TooLarge => {
                write!(out, "the exact value takes more than {EXACT_BITS_LIMIT} bits")
            }
        }
    }
}

impl std::error::Error for NoExactValue {}

impl Float {
    /// Rounds a rational number, as `(_ to_fp eb sb)` does for a `Real`; zero becomes `+0`, and a
    /// number that rounds to zero keeps its sign.
    #[must_use]
    pub fn from_rational(format: Format, mode: RoundingMode, number: &BigRational) -> Float {
        Float::from_scaled(format, mode, number, &BigInt::ZERO)
    }

    /// Rounds `number * 2^exponent`, as z3's `(_ to_fp eb sb)` does for a `Real` and an `Int`.
    #[must_use]
    pub fn from_scaled(
        format: Format,
        mode: RoundingMode,
        number: &BigRational,
        exponent: &BigInt,
    ) -> Float {
        let Some((sign, numerator)) = split(number.numer()) else {
            return Float::zero(format, Sign::Positive);
        };
        // No number in memory brings a power beyond this back into the range of a format.
        let far = BigInt::from(FAR_EXPONENT);
        let exponent = exponent.clamp(&-&far, &far).to_i64().expect("between bounds that fit");
        let fraction = (numerator, number.denom().magnitude());
        round_quotient(format, mode, sign, fraction, exponent)
    }

    /// Rounds an integer, as `(_ to_fp eb sb)` and `(_ to_fp_unsigned eb sb)` do for the value of
    /// a bit vector; zero becomes `+0`.
    #[must_use]
    pub fn from_integer(format: Format, mode: RoundingMode, number: &BigInt) -> Float {
        let value = match split(number) {
            None => Exact::Zero(Sign::Positive),
            Some((sign, magnitude)) => Exact::dyadic(sign, magnitude.clone(), 0),
        };
        round_exact(format, mode, value)
    }

    /// Rounds this number into another format.
    #[must_use]
    pub fn convert(&self, format: Format, mode: RoundingMode) -> Float {
        round_exact(format, mode, self.exact())
    }

    /// The exact value, as `fp.to_real` gives it; both zeros give 0.
    ///
    /// # Errors
    ///
    /// NaN and infinities have no value; one whose numerator or denominator has more than
    /// [`EXACT_BITS_LIMIT`] bits is not written down.
    pub fn to_rational(&self) -> Result<BigRational, NoExactValue> {
        let number = match self.exact() {
            Exact::Nan => return Err(NoExactValue::Nan),
            Exact::Infinite(sign) => return Err(NoExactValue::Infinite(sign)),
            Exact::Zero(_) => return Ok(BigRational::from_integer(BigInt::ZERO)),
            Exact::Finite(number) => number.reduced(),
        };
        if number.top() > EXACT_BITS_LIMIT || number.exponent <= -EXACT_BITS_LIMIT {
            return Err(NoExactValue::TooLarge);
        }
        if number.exponent >= 0 {
            let integer = signed(number.sign, number.significand_at(0));
            return Ok(BigRational::from_integer(integer));
        }
        // In lowest terms already: the numerator is odd and the denominator a power of two.
        let denominator = BigInt::from(1) << number.exponent.unsigned_abs();
        let numerator = signed(number.sign, number.significand);
        Ok(BigRational::new_raw(numerator, denominator))
    }
}

impl Dyadic {
    /// The same number with an odd significand.
    fn reduced(self) -> Dyadic {
        let zeros = self.significand.trailing_zeros().unwrap_or(0);
        let shift = i64::try_from(zeros).expect("a number in memory has fewer than 2^63 bits");
        Dyadic {
            sign: self.sign,
            significand: self.significand >> zeros,
            exponent: self.exponent + shift,
        }
    }
}

/// Sign and magnitude; `None` for zero.
fn split(number: &BigInt) -> Option<(Sign, &BigUint)> {
    let sign = match number.sign() {
        num_bigint::Sign::NoSign => return None,
        num_bigint::Sign::Plus => Sign::Positive,
        num_bigint::Sign::Minus => Sign::Negative,
    };
    Some((sign, number.magnitude()))
}

/// The integer with this sign and magnitude.
pub(super) fn signed(sign: Sign, magnitude: BigUint) -> BigInt {
    match sign {
        Sign::Positive => BigInt::from(magnitude),
        Sign::Negative => -BigInt::from(magnitude),
    }
}

//! Rounding to integers, inside the format and out of it.

use num_bigint::{BigInt, BigUint};

use super::convert::{EXACT_BITS_LIMIT, NoExactValue, signed};
use super::exact::{Dyadic, Exact};
use super::mode::RoundingMode;
use super::round::{Tail, round_exact, shift_right_rounding};
use super::value::Float;

impl Float {
    /// SMT-LIB's `fp.roundToIntegral`; a zero result has the sign of `self`.
    ///
    /// If the significand is longer than the exponents reach (such as eb 2, sb 4), rounding away
    /// from zero may leave the format: there is no integer above 3.5 in it. The integer is then
    /// rounded into the format by the same mode, which gives an infinity. IEEE-754 does not cover
    /// this case, so a caller that must not guess treats an infinite result of a finite number as
    /// open.
    #[must_use]
    pub fn round_to_integral(&self, mode: RoundingMode) -> Float {
        let number = match self.exact() {
            Exact::Finite(number) if number.exponent < 0 => number,
            _ => return self.clone(),
        };
        let integer = Exact::dyadic(number.sign, integer_magnitude(&number, mode), 0);
        round_exact(self.format(), mode, integer)
    }

    /// The integer this number rounds to, the basis of `fp.to_ubv` and `fp.to_sbv`.
    ///
    /// # Errors
    ///
    /// NaN and infinities have no integer; one of more than [`EXACT_BITS_LIMIT`] bits is not
    /// computed.
    pub fn round_to_integer(&self, mode: RoundingMode) -> Result<BigInt, NoExactValue> {
        let number = match self.exact() {
            Exact::Nan => return Err(NoExactValue::Nan),
            Exact::Infinite(sign) => return Err(NoExactValue::Infinite(sign)),
            Exact::Zero(_) => return Ok(BigInt::ZERO),
            Exact::Finite(number) => number,
        };
        if number.top() > EXACT_BITS_LIMIT {
            return Err(NoExactValue::TooLarge);
        }
        Ok(signed(number.sign, integer_magnitude(&number, mode)))
    }
}

/// The magnitude of the integer that a number rounds to; the caller must limit its size.
fn integer_magnitude(number: &Dyadic, mode: RoundingMode) -> BigUint {
    if number.exponent >= 0 {
        return number.significand_at(0);
    }
    let places = number.exponent.unsigned_abs();
    shift_right_rounding(mode, number.sign, &number.significand, places, Tail::Zero)
}

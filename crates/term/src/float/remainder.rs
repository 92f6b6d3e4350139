//! The IEEE remainder, without computing a quotient that may have 2^60 bits.

use num_bigint::BigUint;

use super::exact::{Dyadic, Exact};
use super::mode::RoundingMode;
use super::round::round_exact;
use super::value::Float;

impl Float {
    /// SMT-LIB's `fp.rem`: `self - other * n` for the integer `n` nearest to `self / other`, the
    /// even one of two. The result is always exact, and has the sign of `self` when it is zero.
    #[must_use]
    pub fn rem(&self, other: &Float) -> Float {
        let format = self.common_format(other);
        match (self.exact(), other.exact()) {
            (Exact::Nan | Exact::Infinite(_), _) | (_, Exact::Nan | Exact::Zero(_)) => {
                Float::nan(format)
            }
            (Exact::Zero(_), _) | (_, Exact::Infinite(_)) => self.clone(),
            (Exact::Finite(dividend), Exact::Finite(divisor)) => {
                let remainder = nearest_remainder(dividend, &divisor);
                round_exact(format, RoundingMode::NearestEven, remainder)
            }
        }
    }
}

fn nearest_remainder(dividend: Dyadic, divisor: &Dyadic) -> Exact {
    if dividend.top() < divisor.top() - 1 {
        // The dividend is below half the divisor, possibly by more than can be aligned.
        return Exact::Finite(dividend);
    }
    let unit = dividend.exponent.min(divisor.exponent);
    let modulus = divisor.significand_at(unit);
    let places = (dividend.exponent - unit).unsigned_abs();
    // Modulo twice the divisor, because a tie needs the parity of the quotient.
    let residue = shifted_residue(&dividend.significand, places, &(&modulus << 1u32));
    let quotient_is_odd = residue >= modulus;
    let floor_remainder = if quotient_is_odd { residue - &modulus } else { residue };
    let doubled = &floor_remainder << 1u32;
    let next_is_nearer = doubled > modulus || (doubled == modulus && quotient_is_odd);
    let (sign, significand) = if next_is_nearer {
        (dividend.sign.flipped(), modulus - floor_remainder)
    } else {
        (dividend.sign, floor_remainder)
    };
    // A zero comes from the second case, so it has the sign of the dividend as required.
    Exact::dyadic(sign, significand, unit)
}

/// `number * 2^places` modulo `modulus`.
fn shifted_residue(number: &BigUint, places: u64, modulus: &BigUint) -> BigUint {
    let power = BigUint::from(2u32).modpow(&BigUint::from(places), modulus);
    number * power % modulus
}

//! The one rounding: from an exact value to a number of a format.

use num_bigint::BigUint;
use num_integer::Integer;

use super::exact::{Exact, bit_length};
use super::format::Format;
use super::mode::{RoundingMode, Sign};
use super::value::Float;

/// What an exact value has below the last bit of the significand it comes with.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    /// Nothing.
    Zero,
    /// Something strictly between zero and one unit of that last bit.
    Positive,
}

/// The nonzero value `± (significand + tail) * 2^exponent` before rounding.
pub(super) struct Unrounded {
    pub(super) sign: Sign,
    pub(super) significand: BigUint,
    pub(super) exponent: i64,
    pub(super) tail: Tail,
}

/// How many significand bits suffice in front of a positive tail: the tail must lie below the
/// last bit kept and below the half of it, and a subtraction may have cost one more bit.
pub(super) fn bits_before_tail(format: Format) -> i64 {
    i64::from(format.significand_bits()) + 3
}

/// Rounds an exact value that needs no tail.
pub(super) fn round_exact(format: Format, mode: RoundingMode, value: Exact) -> Float {
    match value {
        Exact::Nan => Float::nan(format),
        Exact::Infinite(sign) => Float::infinity(format, sign),
        Exact::Zero(sign) => Float::zero(format, sign),
        Exact::Finite(number) => {
            let unrounded = Unrounded {
                sign: number.sign,
                significand: number.significand,
                exponent: number.exponent,
                tail: Tail::Zero,
            };
            round(format, mode, &unrounded)
        }
    }
}

/// Rounds a nonzero value. With a positive tail the significand needs at least one bit more than
/// the format keeps; [`bits_before_tail`] is always enough.
pub(super) fn round(format: Format, mode: RoundingMode, value: &Unrounded) -> Float {
    let precision = i64::from(format.significand_bits());
    let leading = value.exponent + bit_length(&value.significand) - 1;
    // Below the normal range the last bit kept stays where it is for the smallest normal number.
    let mut last = leading.max(format.min_exponent()) - (precision - 1);
    let dropped = last - value.exponent;
    debug_assert!(value.tail == Tail::Zero || dropped > 0);
    let mut kept = if dropped > 0 {
        let dropped = dropped.unsigned_abs();
        shift_right_rounding(mode, value.sign, &value.significand, dropped, value.tail)
    } else {
        &value.significand << dropped.unsigned_abs()
    };
    if bit_length(&kept) > precision {
        // Rounding carried into a new bit, so what was kept is a power of two.
        kept >>= 1u32;
        last += 1;
    }
    let exponent = last + precision - 1;
    if exponent > format.max_exponent() {
        return overflow(format, mode, value.sign);
    }
    if bit_length(&kept) < precision {
        return Float::assemble(format, value.sign, 0, &kept);
    }
    kept.set_bit(u64::from(format.fraction_bits()), false);
    let field = (exponent + format.max_exponent()).unsigned_abs();
    Float::assemble(format, value.sign, field, &kept)
}

/// The integer that `± (significand + tail) / 2^places` rounds to, without its sign.
pub(super) fn shift_right_rounding(
    mode: RoundingMode,
    sign: Sign,
    significand: &BigUint,
    places: u64,
    tail: Tail,
) -> BigUint {
    if significand.bits() < places {
        // Less than a half, and checked first because `places` may be astronomical.
        let up = rounds_up(mode, sign, Parity::Even, Discarded::BelowHalf);
        return BigUint::from(u32::from(up));
    }
    let kept = significand >> places;
    let discarded = discarded_part(significand, places, tail);
    let parity = if kept.bit(0) { Parity::Odd } else { Parity::Even };
    if rounds_up(mode, sign, parity, discarded) { kept + 1u32 } else { kept }
}

/// Whether the last bit kept is set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Parity {
    Even,
    Odd,
}

/// The discarded part, compared with one half of the last bit kept.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Discarded {
    Nothing,
    BelowHalf,
    Half,
    AboveHalf,
}

fn discarded_part(significand: &BigUint, places: u64, tail: Tail) -> Discarded {
    let half = places > 0 && significand.bit(places - 1);
    let below_half_bit = tail == Tail::Positive
        || significand.trailing_zeros().is_some_and(|zeros| zeros + 1 < places);
    match (half, below_half_bit) {
        (false, false) => Discarded::Nothing,
        (false, true) => Discarded::BelowHalf,
        (true, false) => Discarded::Half,
        (true, true) => Discarded::AboveHalf,
    }
}

fn rounds_up(mode: RoundingMode, sign: Sign, kept: Parity, discarded: Discarded) -> bool {
    if discarded == Discarded::Nothing {
        return false;
    }
    match mode {
        RoundingMode::NearestEven => match discarded {
            Discarded::Nothing | Discarded::BelowHalf => false,
            Discarded::Half => kept == Parity::Odd,
            Discarded::AboveHalf => true,
        },
        RoundingMode::NearestAway => discarded != Discarded::BelowHalf,
        RoundingMode::TowardPositive => sign == Sign::Positive,
        RoundingMode::TowardNegative => sign == Sign::Negative,
        RoundingMode::TowardZero => false,
    }
}

fn overflow(format: Format, mode: RoundingMode, sign: Sign) -> Float {
    let stays_finite = match mode {
        RoundingMode::NearestEven | RoundingMode::NearestAway => false,
        RoundingMode::TowardPositive => sign == Sign::Negative,
        RoundingMode::TowardNegative => sign == Sign::Positive,
        RoundingMode::TowardZero => true,
    };
    if stays_finite { Float::largest(format, sign) } else { Float::infinity(format, sign) }
}

/// Rounds `± numerator / denominator * 2^exponent`, both positive.
pub(super) fn round_quotient(
    format: Format,
    mode: RoundingMode,
    sign: Sign,
    (numerator, denominator): (&BigUint, &BigUint),
    exponent: i64,
) -> Float {
    let wanted = bits_before_tail(format) + bit_length(denominator);
    let scale = (wanted - bit_length(numerator)).max(0);
    let scaled = numerator << scale.unsigned_abs();
    let (significand, rest) = scaled.div_rem(denominator);
    let tail = if rest == BigUint::ZERO { Tail::Zero } else { Tail::Positive };
    let unrounded = Unrounded { sign, significand, exponent: exponent - scale, tail };
    round(format, mode, &unrounded)
}

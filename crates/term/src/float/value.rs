//! The value type: how a number is stored, taken apart, put together and classified.
//!
//! A number is stored as its interchange encoding, so structural equality is SMT-LIB's `=` and
//! magnitudes compare as integers. Two invariants make that true: NaN has one pattern, and the
//! width of the format alone decides between the inline and the shared representation.

use std::sync::Arc;

use num_bigint::BigUint;
use num_traits::{One, ToPrimitive};

use super::exact::{Dyadic, Exact};
use super::format::Format;
use super::mode::Sign;

/// A floating-point number of some format: finite, infinite or NaN.
///
/// `==` is SMT-LIB's `=`: NaN equals itself and the two zeros differ. For `fp.eq` see
/// [`Float::ieee_eq`]. Numbers of different formats are different values.
///
/// Operations on two numbers panic if the formats differ: terms are well sorted before they are
/// evaluated, so that is a caller's mistake.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Float {
    format: Format,
    bits: Bits,
}

/// The interchange encoding; `Inline` exactly when the format is at most 64 bits wide.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Bits {
    Inline(u64),
    Shared(Arc<BigUint>),
}

/// The three bit fields of a number, as in the SMT-LIB literal `(fp s e f)`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Parts {
    /// The sign bit.
    pub sign: Sign,
    /// The exponent as it is stored, with its bias.
    pub exponent: u64,
    /// The significand without its hidden bit.
    pub significand: BigUint,
}

impl Float {
    /// NaN; a format has one.
    #[must_use]
    pub fn nan(format: Format) -> Float {
        let quiet_bit = BigUint::one() << (format.fraction_bits() - 1);
        let exponent = format.special_exponent_field();
        Float::assemble(format, Sign::Positive, exponent, &quiet_bit)
    }

    /// The infinity of this sign.
    #[must_use]
    pub fn infinity(format: Format, sign: Sign) -> Float {
        let exponent = format.special_exponent_field();
        Float::assemble(format, sign, exponent, &BigUint::ZERO)
    }

    /// The zero of this sign.
    #[must_use]
    pub fn zero(format: Format, sign: Sign) -> Float {
        Float::assemble(format, sign, 0, &BigUint::ZERO)
    }

    /// The finite number of the largest magnitude.
    #[must_use]
    pub fn largest(format: Format, sign: Sign) -> Float {
        let ones = (BigUint::one() << format.fraction_bits()) - 1u32;
        Float::assemble(format, sign, format.special_exponent_field() - 1, &ones)
    }

    /// The normal number of the smallest magnitude.
    #[must_use]
    pub fn smallest_normal(format: Format, sign: Sign) -> Float {
        Float::assemble(format, sign, 1, &BigUint::ZERO)
    }

    /// The subnormal number of the smallest magnitude.
    #[must_use]
    pub fn smallest_subnormal(format: Format, sign: Sign) -> Float {
        Float::assemble(format, sign, 0, &BigUint::one())
    }

    /// The number with this interchange encoding, where every NaN pattern gives the one NaN;
    /// `None` when the pattern has more bits than the format.
    #[must_use]
    pub fn from_bits(format: Format, bits: &BigUint) -> Option<Float> {
        if bits.bits() > u64::from(format.width()) {
            return None;
        }
        let packed = Bits::new(format, bits.clone());
        Some(Float::canonical(format, packed))
    }

    /// The number with these bit fields, as in `(fp s e f)`; `None` when a field is too wide.
    #[must_use]
    pub fn from_parts(
        format: Format,
        sign: Sign,
        exponent: u64,
        significand: &BigUint,
    ) -> Option<Float> {
        let fits = exponent <= format.special_exponent_field()
            && significand.bits() <= u64::from(format.fraction_bits());
        fits.then(|| {
            let raw = Float::assemble(format, sign, exponent, significand);
            Float::canonical(format, raw.bits)
        })
    }

    /// The interchange encoding; NaN gives a positive quiet one with no payload.
    #[must_use]
    pub fn to_bits(&self) -> BigUint {
        match &self.bits {
            Bits::Inline(bits) => BigUint::from(*bits),
            Bits::Shared(bits) => bits.as_ref().clone(),
        }
    }

    /// The bit fields of the interchange encoding.
    #[must_use]
    pub fn to_parts(&self) -> Parts {
        Parts {
            sign: self.sign_bit(),
            exponent: self.exponent_field(),
            significand: self.fraction(),
        }
    }

    /// The format this number belongs to.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// The sign; `None` for NaN.
    #[must_use]
    pub fn sign(&self) -> Option<Sign> {
        (!self.is_nan()).then(|| self.sign_bit())
    }

    /// SMT-LIB's `fp.isNaN`.
    #[must_use]
    pub fn is_nan(&self) -> bool {
        self.has_special_exponent() && !self.has_zero_fraction()
    }

    /// SMT-LIB's `fp.isInfinite`.
    #[must_use]
    pub fn is_infinite(&self) -> bool {
        self.has_special_exponent() && self.has_zero_fraction()
    }

    /// SMT-LIB's `fp.isZero`.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        self.exponent_field() == 0 && self.has_zero_fraction()
    }

    /// SMT-LIB's `fp.isSubnormal`; zeros are not subnormal.
    #[must_use]
    pub fn is_subnormal(&self) -> bool {
        self.exponent_field() == 0 && !self.has_zero_fraction()
    }

    /// SMT-LIB's `fp.isNormal`.
    #[must_use]
    pub fn is_normal(&self) -> bool {
        self.exponent_field() != 0 && !self.has_special_exponent()
    }

    /// SMT-LIB's `fp.isNegative`: true of `-0`, false of NaN.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        self.sign() == Some(Sign::Negative)
    }

    /// SMT-LIB's `fp.isPositive`: true of `+0`, false of NaN.
    #[must_use]
    pub fn is_positive(&self) -> bool {
        self.sign() == Some(Sign::Positive)
    }

    /// SMT-LIB's `fp.abs`.
    #[must_use]
    pub fn abs(&self) -> Float {
        self.with_sign(Sign::Positive)
    }

    /// SMT-LIB's `fp.neg`.
    #[must_use]
    pub fn neg(&self) -> Float {
        self.with_sign(self.sign_bit().flipped())
    }

    fn with_sign(&self, sign: Sign) -> Float {
        if self.is_nan() || self.sign_bit() == sign {
            return self.clone();
        }
        Float::assemble(self.format, sign, self.exponent_field(), &self.fraction())
    }

    /// The number as an exact value outside any format.
    pub(super) fn exact(&self) -> Exact {
        if self.is_nan() {
            return Exact::Nan;
        }
        let sign = self.sign_bit();
        if self.has_special_exponent() {
            return Exact::Infinite(sign);
        }
        if self.is_zero() {
            return Exact::Zero(sign);
        }
        let mut significand = self.fraction();
        let mut exponent = self.format.quantum_exponent();
        let field = self.exponent_field();
        if field > 0 {
            significand.set_bit(u64::from(self.format.fraction_bits()), true);
            exponent += i64::try_from(field).expect("an exponent field has at most 60 bits") - 1;
        }
        Exact::Finite(Dyadic { sign, significand, exponent })
    }

    /// Puts fields that fit the format together; the caller keeps NaN canonical.
    pub(super) fn assemble(format: Format, sign: Sign, exponent: u64, fraction: &BigUint) -> Float {
        let signed_exponent = (u64::from(sign.bit()) << format.exponent_bits()) | exponent;
        let shift = format.fraction_bits();
        let bits = match fraction.to_u64() {
            Some(fraction) if format.width() <= u64::BITS => {
                Bits::Inline((signed_exponent << shift) | fraction)
            }
            _ => Bits::Shared(Arc::new((BigUint::from(signed_exponent) << shift) | fraction)),
        };
        Float { format, bits }
    }

    /// Gives every NaN pattern the one representation of NaN.
    fn canonical(format: Format, bits: Bits) -> Float {
        let raw = Float { format, bits };
        if raw.is_nan() { Float::nan(format) } else { raw }
    }

    pub(super) fn raw_bits(&self) -> &Bits {
        &self.bits
    }

    pub(super) fn sign_bit(&self) -> Sign {
        let position = self.format.width() - 1;
        let negative = match &self.bits {
            Bits::Inline(bits) => (bits >> position) & 1 == 1,
            Bits::Shared(bits) => bits.bit(u64::from(position)),
        };
        if negative { Sign::Negative } else { Sign::Positive }
    }

    fn exponent_field(&self) -> u64 {
        let shift = self.format.fraction_bits();
        let signed_exponent = match &self.bits {
            Bits::Inline(bits) => bits >> shift,
            Bits::Shared(bits) => {
                (bits.as_ref() >> shift).to_u64().expect("sign and exponent have at most 61 bits")
            }
        };
        signed_exponent & self.format.special_exponent_field()
    }

    fn fraction(&self) -> BigUint {
        let width = self.format.fraction_bits();
        match &self.bits {
            Bits::Inline(bits) => BigUint::from(bits & ((1 << width) - 1)),
            Bits::Shared(bits) => bits.as_ref() & ((BigUint::one() << width) - 1u32),
        }
    }

    fn has_special_exponent(&self) -> bool {
        self.exponent_field() == self.format.special_exponent_field()
    }

    fn has_zero_fraction(&self) -> bool {
        let width = self.format.fraction_bits();
        match &self.bits {
            Bits::Inline(bits) => bits & ((1 << width) - 1) == 0,
            Bits::Shared(bits) => {
                bits.trailing_zeros().is_none_or(|zeros| zeros >= u64::from(width))
            }
        }
    }
}

impl Bits {
    fn new(format: Format, bits: BigUint) -> Bits {
        match bits.to_u64() {
            Some(bits) if format.width() <= u64::BITS => Bits::Inline(bits),
            _ => Bits::Shared(Arc::new(bits)),
        }
    }
}

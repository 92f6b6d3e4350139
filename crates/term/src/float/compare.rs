//! Comparisons, minimum and maximum.

use std::cmp::Ordering;

use super::mode::Sign;
use super::value::{Bits, Float};

impl Float {
    /// The order of the values; `None` when one is NaN. The two zeros are equal.
    #[must_use]
    pub fn ieee_cmp(&self, other: &Float) -> Option<Ordering> {
        self.common_format(other);
        if self.is_nan() || other.is_nan() {
            return None;
        }
        if self.is_zero() && other.is_zero() {
            return Some(Ordering::Equal);
        }
        Some(match (self.sign_bit(), other.sign_bit()) {
            (Sign::Positive, Sign::Negative) => Ordering::Greater,
            (Sign::Negative, Sign::Positive) => Ordering::Less,
            // Encodings of one sign are ordered as the magnitudes are.
            (Sign::Positive, Sign::Positive) => self.raw_bits().cmp(other.raw_bits()),
            (Sign::Negative, Sign::Negative) => other.raw_bits().cmp(self.raw_bits()),
        })
    }

    /// SMT-LIB's `fp.eq`.
    #[must_use]
    pub fn ieee_eq(&self, other: &Float) -> bool {
        self.ieee_cmp(other) == Some(Ordering::Equal)
    }

    /// SMT-LIB's `fp.lt`.
    #[must_use]
    pub fn lt(&self, other: &Float) -> bool {
        self.ieee_cmp(other).is_some_and(Ordering::is_lt)
    }

    /// SMT-LIB's `fp.leq`.
    #[must_use]
    pub fn le(&self, other: &Float) -> bool {
        self.ieee_cmp(other).is_some_and(Ordering::is_le)
    }

    /// SMT-LIB's `fp.gt`.
    #[must_use]
    pub fn gt(&self, other: &Float) -> bool {
        other.lt(self)
    }

    /// SMT-LIB's `fp.geq`.
    #[must_use]
    pub fn ge(&self, other: &Float) -> bool {
        other.le(self)
    }

    /// SMT-LIB's `fp.min`: the other operand when one is NaN, and `None` for two zeros of
    /// different sign, of which the standard allows either.
    #[must_use]
    pub fn min(&self, other: &Float) -> Option<Float> {
        self.extremum(other, Ordering::Less)
    }

    /// SMT-LIB's `fp.max`: the other operand when one is NaN, and `None` for two zeros of
    /// different sign, of which the standard allows either.
    #[must_use]
    pub fn max(&self, other: &Float) -> Option<Float> {
        self.extremum(other, Ordering::Greater)
    }

    fn extremum(&self, other: &Float, wanted: Ordering) -> Option<Float> {
        let chosen = match self.ieee_cmp(other) {
            None if self.is_nan() => other,
            None => self,
            Some(Ordering::Equal) if self != other => return None,
            Some(order) if order == wanted => self,
            Some(_) => other,
        };
        Some(chosen.clone())
    }

    /// A total order without numeric meaning that agrees with `==`, for sorted collections.
    ///
    /// `Float` has no `Ord` on purpose: `<` would then compile and mean this.
    #[must_use]
    pub fn structural_cmp(&self, other: &Float) -> Ordering {
        let formats = self.format().cmp(&other.format());
        formats.then_with(|| Bits::cmp(self.raw_bits(), other.raw_bits()))
    }
}

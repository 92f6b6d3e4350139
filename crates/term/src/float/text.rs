//! SMT-LIB literals, for printing only.

use std::fmt;

use super::mode::Sign;
use super::value::Float;

impl fmt::Display for Float {
    /// The SMT-LIB literal: a named constant for NaN, infinities and zeros, `(fp s e f)` in binary
    /// for every other number.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let format = self.format();
        let (eb, sb) = (format.exponent_bits(), format.significand_bits());
        let sign = match self.sign_bit() {
            Sign::Positive => '+',
            Sign::Negative => '-',
        };
        if self.is_nan() {
            return write!(out, "(_ NaN {eb} {sb})");
        }
        if self.is_infinite() {
            return write!(out, "(_ {sign}oo {eb} {sb})");
        }
        if self.is_zero() {
            return write!(out, "(_ {sign}zero {eb} {sb})");
        }
        let parts = self.to_parts();
        let (exponent_width, fraction_width) = (eb as usize, format.fraction_bits() as usize);
        write!(
            out,
            "(fp #b{} #b{:0exponent_width$b} #b{:0fraction_width$b})",
            parts.sign.bit(),
            parts.exponent,
            parts.significand
        )
    }
}

impl fmt::Debug for Float {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, out)
    }
}

//! Literals: `#x…` if the width allows it, `#b…` otherwise, read and written in linear time.

use super::{BitVec, MAX_WIDTH, Repr};
use num_bigint::BigUint;
use std::fmt;

impl BitVec {
    /// From binary digits, the most significant first: as many bits as there are digits. `None`
    /// for no digits, for more than [`MAX_WIDTH`], or for anything that is not a digit.
    #[must_use]
    pub fn from_binary(digits: &str) -> Option<BitVec> {
        BitVec::from_digits(digits, 1)
    }

    /// From hexadecimal digits in either case: four bits for each.
    #[must_use]
    pub fn from_hex(digits: &str) -> Option<BitVec> {
        BitVec::from_digits(digits, 4)
    }

    fn from_digits(digits: &str, bits_each: u32) -> Option<BitVec> {
        let width = u32::try_from(digits.len()).ok()?.checked_mul(bits_each)?;
        let radix = 1 << bits_each;
        // Checked here because the parsers of numbers also take signs and underscores.
        let valid = digits.bytes().all(|c| char::from(c).is_digit(radix));
        if !valid || !(1..=MAX_WIDTH).contains(&width) {
            return None;
        }
        if width <= super::WORD {
            return Some(BitVec::from_u64(width, u64::from_str_radix(digits, radix).ok()?));
        }
        Some(BitVec::wide(width, BigUint::parse_bytes(digits.as_bytes(), radix)?))
    }

    /// All its binary digits, without a prefix.
    #[must_use]
    pub fn to_binary(&self) -> String {
        let width = self.width() as usize;
        match &self.0 {
            Repr::Small { bits, .. } => format!("{bits:0width$b}"),
            Repr::Big { bits, .. } => padded(&bits.to_str_radix(2), width),
        }
    }

    /// All its hexadecimal digits, without a prefix, if the width is a multiple of four.
    #[must_use]
    pub fn to_hex(&self) -> Option<String> {
        if self.width() % 4 != 0 {
            return None;
        }
        let digits = self.width() as usize / 4;
        Some(match &self.0 {
            Repr::Small { bits, .. } => format!("{bits:0digits$x}"),
            Repr::Big { bits, .. } => padded(&bits.to_str_radix(16), digits),
        })
    }
}

/// Padded with leading zeros; the width field of a format string is too small for long literals.
fn padded(digits: &str, width: usize) -> String {
    let mut text = "0".repeat(width - digits.len());
    text.push_str(digits);
    text
}

impl fmt::Display for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.to_hex() {
            Some(digits) => write!(f, "#x{digits}"),
            None => write!(f, "#b{}", self.to_binary()),
        }
    }
}

impl fmt::Debug for BitVec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

//! Unbounded integers that stay in a machine word while they fit.
//!
//! Almost every integer in a test case is small; an allocation per addition would make evaluation
//! several times slower. The representation is canonical (`Big` only outside `i64`), so equality
//! and hashing are structural.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;
use std::fmt;
use std::sync::Arc;

/// An integer of any size.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Int(Repr);

#[derive(Clone, PartialEq, Eq, Hash)]
enum Repr {
    Small(i64),
    Big(Arc<BigInt>),
}

impl Int {
    /// Zero.
    pub const ZERO: Int = Int(Repr::Small(0));
    /// One.
    pub const ONE: Int = Int(Repr::Small(1));

    /// As a machine integer, if it fits.
    #[must_use]
    pub fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Repr::Small(n) => Some(n),
            Repr::Big(_) => None,
        }
    }

    /// As an unsigned machine integer, if it fits.
    #[must_use]
    pub fn to_u64(&self) -> Option<u64> {
        match &self.0 {
            Repr::Small(n) => u64::try_from(*n).ok(),
            Repr::Big(n) => n.to_u64(),
        }
    }

    /// As a big integer.
    #[must_use]
    pub fn to_big(&self) -> BigInt {
        match &self.0 {
            Repr::Small(n) => BigInt::from(*n),
            Repr::Big(n) => n.as_ref().clone(),
        }
    }

    /// Whether it is zero.
    #[must_use]
    pub fn is_zero(&self) -> bool {
        matches!(self.0, Repr::Small(0))
    }

    /// Whether it is below zero.
    #[must_use]
    pub fn is_negative(&self) -> bool {
        match &self.0 {
            Repr::Small(n) => *n < 0,
            Repr::Big(n) => n.is_negative(),
        }
    }

    /// The number of bits of the absolute value.
    #[must_use]
    pub fn bit_length(&self) -> u64 {
        match &self.0 {
            Repr::Small(n) => u64::from(64 - n.unsigned_abs().leading_zeros()),
            Repr::Big(n) => n.bits(),
        }
    }

    /// The absolute value.
    #[must_use]
    pub fn abs(&self) -> Int {
        if self.is_negative() { -self } else { self.clone() }
    }

    /// Quotient and remainder as SMT-LIB defines `div` and `mod`: the remainder is never
    /// negative. `None` when the divisor is zero.
    #[must_use]
    pub fn div_mod(&self, divisor: &Int) -> Option<(Int, Int)> {
        if divisor.is_zero() {
            return None;
        }
        if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &divisor.0) {
            if let (Some(q), Some(r)) = (a.checked_div_euclid(*b), a.checked_rem_euclid(*b)) {
                return Some((q.into(), r.into()));
            }
        }
        let (a, b) = (self.to_big(), divisor.to_big());
        let (mut q, mut r) = a.div_mod_floor(&b);
        if r.is_negative() {
            r -= &b;
            q += 1;
        }
        Some((q.into(), r.into()))
    }

    /// `self` to the power of `exponent`, unless the result would exceed `max_bits`.
    #[must_use]
    pub fn pow(&self, exponent: &Int, max_bits: u64) -> Option<Int> {
        if exponent.is_negative() {
            return None;
        }
        if let (Some(base @ -1..=1), Repr::Small(e)) = (self.to_i64(), &exponent.0) {
            return Some(if base == -1 && e % 2 == 0 || *e == 0 { Int::ONE } else { base.into() });
        }
        let e = exponent.to_u64()?;
        if self.bit_length().checked_mul(e)? > max_bits {
            return None;
        }
        Some(self.to_big().pow(u32::try_from(e).ok()?).into())
    }
}

impl From<i64> for Int {
    fn from(n: i64) -> Int {
        Int(Repr::Small(n))
    }
}

impl From<u32> for Int {
    fn from(n: u32) -> Int {
        Int(Repr::Small(n.into()))
    }
}

impl From<u64> for Int {
    fn from(n: u64) -> Int {
        i64::try_from(n).map_or_else(|_| BigInt::from(n).into(), Int::from)
    }
}

impl From<usize> for Int {
    fn from(n: usize) -> Int {
        Int::from(n as u64)
    }
}

impl From<BigInt> for Int {
    fn from(n: BigInt) -> Int {
        match n.to_i64() {
            Some(small) => Int(Repr::Small(small)),
            None => Int(Repr::Big(Arc::new(n))),
        }
    }
}

macro_rules! arithmetic {
    ($($trait:ident :: $method:ident by $checked:ident),*) => {$(
        impl std::ops::$trait for &Int {
            type Output = Int;
            fn $method(self, other: &Int) -> Int {
                if let (Repr::Small(a), Repr::Small(b)) = (&self.0, &other.0) {
                    if let Some(n) = a.$checked(*b) {
                        return Int(Repr::Small(n));
                    }
                }
                std::ops::$trait::$method(self.to_big(), other.to_big()).into()
            }
        }
    )*};
}
arithmetic!(Add::add by checked_add, Sub::sub by checked_sub, Mul::mul by checked_mul);

impl std::ops::Neg for &Int {
    type Output = Int;
    fn neg(self) -> Int {
        match &self.0 {
            Repr::Small(n) => n.checked_neg().map_or_else(|| (-BigInt::from(*n)).into(), Int::from),
            Repr::Big(n) => (-n.as_ref()).into(),
        }
    }
}

impl Ord for Int {
    fn cmp(&self, other: &Int) -> Ordering {
        match (&self.0, &other.0) {
            (Repr::Small(a), Repr::Small(b)) => a.cmp(b),
            (Repr::Big(a), Repr::Big(b)) => a.cmp(b),
            (Repr::Small(_), Repr::Big(b)) => BigInt::zero().cmp(b),
            (Repr::Big(a), Repr::Small(_)) => a.as_ref().cmp(&BigInt::zero()),
        }
    }
}

impl PartialOrd for Int {
    fn partial_cmp(&self, other: &Int) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Small(n) => n.fmt(f),
            Repr::Big(n) => n.fmt(f),
        }
    }
}

impl fmt::Debug for Int {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn interesting() -> Vec<Int> {
        let edge: Vec<i64> =
            vec![0, 1, -1, 2, -2, 3, -3, 7, -7, 63, i64::MAX, i64::MIN, i64::MIN + 1];
        let mut all: Vec<Int> = edge.iter().map(|&n| Int::from(n)).collect();
        for &n in &edge {
            all.push((BigInt::from(n) * BigInt::from(i64::MAX) - BigInt::from(5)).into());
        }
        all
    }

    #[test]
    fn arithmetic_agrees_with_big_integers() {
        for a in &interesting() {
            for b in &interesting() {
                let (x, y) = (a.to_big(), b.to_big());
                assert_eq!((a + b).to_big(), &x + &y);
                assert_eq!((a - b).to_big(), &x - &y);
                assert_eq!((a * b).to_big(), &x * &y);
                assert_eq!(a.cmp(b), x.cmp(&y));
                assert_eq!(a == b, x == y);
            }
            assert_eq!((-a).to_big(), -a.to_big());
            assert_eq!(a.abs().to_big(), a.to_big().abs());
        }
    }

    /// The axioms of the theory Ints: m = n * (div m n) + (mod m n) and 0 <= (mod m n) < |n|.
    #[test]
    fn division_obeys_the_axioms() {
        let mut numbers = interesting();
        numbers.extend((-20..=20).map(|n: i64| Int::from(n)));
        for m in &numbers {
            for n in &numbers {
                match m.div_mod(n) {
                    None => assert!(n.is_zero()),
                    Some((q, r)) => {
                        assert_eq!(&(&(n * &q) + &r), m, "{m} by {n}");
                        assert!(!r.is_negative() && r < n.abs(), "{m} by {n}");
                    }
                }
            }
        }
    }

    #[test]
    fn powers_stop_at_their_limit() {
        let two = Int::from(2i64);
        assert_eq!(two.pow(&Int::from(10i64), 64), Some(Int::from(1024i64)));
        assert_eq!(two.pow(&Int::from(100i64), 64), None);
        assert_eq!(two.pow(&Int::from(-1i64), 64), None);
        assert_eq!(Int::ZERO.pow(&Int::ZERO, 64), Some(Int::ONE));
        assert_eq!(Int::ZERO.pow(&Int::from(5i64), 64), Some(Int::ZERO));
        assert_eq!(Int::from(-1i64).pow(&Int::from(i64::MAX), 64), Some(Int::from(-1i64)));
        assert_eq!(Int::from(-1i64).pow(&Int::from(4i64), 64), Some(Int::ONE));
    }
}

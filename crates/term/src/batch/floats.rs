//! `Float32` and `Float64` in machine arithmetic, where that rounds as IEEE 754 requires: basic
//! operations, round to nearest, ties to even.

use super::register::{LANES, Words};
use super::tape::Args;
use super::truth::compare;
use super::words;
use crate::float::RoundingMode;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// An operation that yields a number. Rounding operations take their mode as the first operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Arith {
    Add,
    Sub,
    Mul,
    Div,
    Fma,
    Sqrt,
    RoundToIntegral,
    Neg,
    Abs,
    Min,
    Max,
    /// From an encoding, which may be any NaN's.
    Decode,
    /// From the fields of an encoding: sign, exponent, significand.
    Assemble,
    /// From the other machine format.
    Convert,
    /// From a signed bit-vector of this width.
    FromSigned(u32),
    FromUnsigned,
}

/// A relation between neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Leq,
    Lt,
    Geq,
    Gt,
    Eq,
}

/// A class of numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Normal,
    Subnormal,
    Zero,
    Infinite,
    Nan,
    Negative,
    Positive,
}

/// A machine format.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Precision {
    Single,
    Double,
}

/// The position of the machine's rounding mode.
const MACHINE_MODE: u64 = {
    assert!(matches!(RoundingMode::ALL[0], RoundingMode::NearestEven));
    0
};

/// A machine number: the operations on `f32` and `f64` that the kernels need.
trait Number:
    Copy
    + PartialOrd
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
{
    fn decode(word: u64) -> Self;
    /// The encoding; every NaN has the same one.
    fn encode(self) -> u64;
    fn fma(self, b: Self, c: Self) -> Self;
    fn sqrt(self) -> Self;
    fn round(self) -> Self;
    fn abs(self) -> Self;
    /// The number of an encoding in the other format.
    fn convert(word: u64) -> Self;
    fn from_signed(n: i64) -> Self;
    fn from_unsigned(n: u64) -> Self;
    fn is(self, kind: Kind) -> bool;
}

macro_rules! number {
    ($float:ident, $bits:ident, $nan:expr, $other:ident) => {
        impl Number for $float {
            #[inline(always)]
            fn decode(word: u64) -> $float {
                $float::from_bits(word as $bits)
            }
            #[inline(always)]
            fn encode(self) -> u64 {
                if self.is_nan() { $nan } else { u64::from(self.to_bits()) }
            }
            #[inline(always)]
            fn fma(self, b: $float, c: $float) -> $float {
                self.mul_add(b, c)
            }
            #[inline(always)]
            fn sqrt(self) -> $float {
                $float::sqrt(self)
            }
            #[inline(always)]
            fn round(self) -> $float {
                self.round_ties_even()
            }
            #[inline(always)]
            fn abs(self) -> $float {
                $float::abs(self)
            }
            #[inline(always)]
            fn convert(word: u64) -> $float {
                $other::decode(word) as $float
            }
            #[inline(always)]
            fn from_signed(n: i64) -> $float {
                n as $float
            }
            #[inline(always)]
            fn from_unsigned(n: u64) -> $float {
                n as $float
            }
            #[inline(always)]
            fn is(self, kind: Kind) -> bool {
                match kind {
                    Kind::Normal => self.is_normal(),
                    Kind::Subnormal => self.is_subnormal(),
                    Kind::Zero => self == 0.0,
                    Kind::Infinite => self.is_infinite(),
                    Kind::Nan => self.is_nan(),
                    Kind::Negative => !self.is_nan() && self.is_sign_negative(),
                    Kind::Positive => !self.is_nan() && self.is_sign_positive(),
                }
            }
        }
    };
}
number!(f32, u32, 0x7FC0_0000, f64);
number!(f64, u64, 0x7FF8_0000_0000_0000, f32);

impl Arith {
    /// Whether the first operand is a rounding mode.
    fn rounds(self) -> bool {
        use Arith::{Abs, Assemble, Decode, Max, Min, Neg};
        !matches!(self, Neg | Abs | Min | Max | Decode | Assemble)
    }

    /// Returns the lanes in which the result is right.
    pub(super) fn apply(self, precision: Precision, out: &mut Words, args: Args<'_>) -> u64 {
        let right = match precision {
            Precision::Single => self.compute::<f32>(out, args),
            Precision::Double => self.compute::<f64>(out, args),
        };
        if !self.rounds() {
            return right;
        }
        right & compare(args.words(0), &[MACHINE_MODE; LANES], |mode, machine| mode == machine)
    }

    fn compute<F: Number>(self, out: &mut Words, args: Args<'_>) -> u64 {
        match self {
            Arith::Add => zip(out, args, |a: F, b| a + b),
            Arith::Sub => zip(out, args, |a: F, b| a - b),
            Arith::Mul => zip(out, args, |a: F, b| a * b),
            Arith::Div => zip(out, args, |a: F, b| a / b),
            Arith::Fma => {
                let (a, b, c) = (args.words(1), args.words(2), args.words(3));
                for lane in 0..LANES {
                    let [a, b, c] = [a[lane], b[lane], c[lane]].map(F::decode);
                    out[lane] = a.fma(b, c).encode();
                }
            }
            Arith::Sqrt => map(out, args.words(1), |a| F::decode(a).sqrt()),
            Arith::RoundToIntegral => map(out, args.words(1), |a| F::decode(a).round()),
            Arith::Neg => map(out, args.words(0), |a| -F::decode(a)),
            Arith::Abs => map(out, args.words(0), |a| F::decode(a).abs()),
            Arith::Min => return extremum(out, args, |a: F, b| a < b),
            Arith::Max => return extremum(out, args, |a: F, b| a > b),
            Arith::Decode => map(out, args.words(0), F::decode),
            Arith::Assemble => {
                words::concat(out, args);
                out.iter_mut().for_each(|word| *word = F::decode(*word).encode());
            }
            Arith::Convert => map(out, args.words(1), F::convert),
            Arith::FromSigned(width) => {
                map(out, args.words(1), |a| F::from_signed(words::signed(width, a)));
            }
            Arith::FromUnsigned => map(out, args.words(1), F::from_unsigned),
        }
        u64::MAX
    }
}

#[inline(always)]
fn map<F: Number>(out: &mut Words, a: &Words, f: impl Fn(u64) -> F) {
    for lane in 0..LANES {
        out[lane] = f(a[lane]).encode();
    }
}

/// An operation on the second and the third operand.
#[inline(always)]
fn zip<F: Number>(out: &mut Words, args: Args<'_>, f: impl Fn(F, F) -> F) {
    let (a, b) = (args.words(1), args.words(2));
    for lane in 0..LANES {
        out[lane] = f(F::decode(a[lane]), F::decode(b[lane])).encode();
    }
}

/// The better of two numbers; if one is NaN, the other. Zeros with different signs are left open.
#[inline(always)]
fn extremum<F: Number>(out: &mut Words, args: Args<'_>, better: impl Fn(F, F) -> bool) -> u64 {
    let (xs, ys) = (args.words(0), args.words(1));
    for lane in 0..LANES {
        let (x, y) = (F::decode(xs[lane]), F::decode(ys[lane]));
        let first = y.is(Kind::Nan) || better(x, y);
        out[lane] = if first { xs[lane] } else { ys[lane] };
    }
    compare(xs, ys, |x, y| x == y || F::decode(x) != F::decode(y))
}

impl Order {
    /// The lanes in which all neighbors are in this order.
    pub(super) fn apply(self, precision: Precision, args: Args<'_>) -> u64 {
        match precision {
            Precision::Single => self.compute::<f32>(args),
            Precision::Double => self.compute::<f64>(args),
        }
    }

    fn compute<F: Number>(self, args: Args<'_>) -> u64 {
        use super::truth::chain;
        match self {
            Order::Leq => chain(args, |a, b| F::decode(a) <= F::decode(b)),
            Order::Lt => chain(args, |a, b| F::decode(a) < F::decode(b)),
            Order::Geq => chain(args, |a, b| F::decode(a) >= F::decode(b)),
            Order::Gt => chain(args, |a, b| F::decode(a) > F::decode(b)),
            Order::Eq => chain(args, |a, b| F::decode(a) == F::decode(b)),
        }
    }
}

impl Kind {
    /// The lanes whose number is of this kind.
    pub(super) fn apply(self, precision: Precision, a: &Words) -> u64 {
        match precision {
            Precision::Single => compare(a, a, |a, _| f32::decode(a).is(self)),
            Precision::Double => compare(a, a, |a, _| f64::decode(a).is(self)),
        }
    }
}

//! Bit-vectors of up to 64 bits.
//!
//! A register's words have no bits above their width, except in unused lanes, on which nothing here
//! may panic.

use super::register::{LANES, Words};
use super::tape::Args;
use super::truth::compare;

/// An operation on two bit-vectors of one width, or a fold over more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fold {
    And,
    Or,
    Xor,
    Nand,
    Nor,
    Xnor,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Smod,
    Shl,
    Lshr,
    Ashr,
    RotateLeft,
    RotateRight,
    Comp,
}

/// An operation on one bit-vector.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Map {
    Not,
    Neg,
    Inc,
    Dec,
    /// Drops this many of the lowest bits.
    Drop(u32),
    ZeroExtend,
    /// From this width.
    SignExtend(u32),
    /// This many copies.
    Repeat(u32),
    /// By less than the width.
    RotateLeft(u32),
    Redor,
    Redand,
    Redxor,
}

/// A relation between two bit-vectors.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    Ult,
    Ule,
    Ugt,
    Uge,
    Slt,
    Sle,
    Sgt,
    Sge,
    Uaddo,
    Saddo,
    Usubo,
    Ssubo,
    Umulo,
    Smulo,
    Sdivo,
    Umulno,
    /// The signed product is at most the largest number.
    SmulNotAbove,
    /// The signed product is at least the smallest number.
    SmulNotBelow,
}

/// Ones below a width from 1 to 64.
#[inline(always)]
pub(super) fn mask(width: u32) -> u64 {
    u64::MAX >> (u64::BITS - width)
}

/// The signed number of a word of this width.
#[inline(always)]
pub(super) fn signed(width: u32, bits: u64) -> i64 {
    let unused = u64::BITS - width;
    (bits << unused) as i64 >> unused
}

#[inline(always)]
pub(super) fn map(out: &mut Words, a: &Words, f: impl Fn(u64) -> u64) {
    for lane in 0..LANES {
        out[lane] = f(a[lane]);
    }
}

#[inline(always)]
fn fold(out: &mut Words, args: Args<'_>, f: impl Fn(u64, u64) -> u64) {
    let (a, b) = (args.words(0), args.words(1));
    for lane in 0..LANES {
        out[lane] = f(a[lane], b[lane]);
    }
    for position in 2..args.len() {
        let next = args.words(position);
        for lane in 0..LANES {
            out[lane] = f(out[lane], next[lane]);
        }
    }
}

impl Fold {
    /// Folds the operands, which have this width.
    pub(super) fn apply(self, width: u32, out: &mut Words, args: Args<'_>) {
        let ones = mask(width);
        // Both numbers are signed, and so is the result.
        let sign = |f: fn(i64, i64) -> i64| {
            move |a, b| f(signed(width, a), signed(width, b)) as u64 & ones
        };
        match self {
            Fold::And => fold(out, args, |a, b| a & b),
            Fold::Or => fold(out, args, |a, b| a | b),
            Fold::Xor => fold(out, args, |a, b| a ^ b),
            Fold::Nand => fold(out, args, |a, b| !(a & b) & ones),
            Fold::Nor => fold(out, args, |a, b| !(a | b) & ones),
            Fold::Xnor => fold(out, args, |a, b| !(a ^ b) & ones),
            Fold::Add => fold(out, args, |a, b| a.wrapping_add(b) & ones),
            Fold::Sub => fold(out, args, |a, b| a.wrapping_sub(b) & ones),
            Fold::Mul => fold(out, args, |a, b| a.wrapping_mul(b) & ones),
            Fold::Udiv => fold(out, args, |a, b| a.checked_div(b).unwrap_or(ones)),
            Fold::Urem => fold(out, args, |a, b| a.checked_rem(b).unwrap_or(a)),
            Fold::Sdiv => fold(out, args, sign(sdiv)),
            Fold::Srem => fold(out, args, sign(srem)),
            Fold::Smod => fold(out, args, sign(smod)),
            Fold::Shl => fold(out, args, |a, n| if n < width.into() { a << n & ones } else { 0 }),
            Fold::Lshr => fold(out, args, |a, n| if n < width.into() { a >> n } else { 0 }),
            Fold::Ashr => {
                fold(out, args, |a, n| (signed(width, a) >> n.min(63)) as u64 & ones);
            }
            Fold::RotateLeft => fold(out, args, |a, n| rotate(width, a, turn(width, n))),
            Fold::RotateRight => {
                fold(out, args, |a, n| rotate(width, a, width - turn(width, n)));
            }
            Fold::Comp => fold(out, args, |a, b| u64::from(a == b)),
        }
    }
}

fn sdiv(a: i64, b: i64) -> i64 {
    match b {
        0 if a < 0 => 1,
        0 => -1,
        _ => a.wrapping_div(b),
    }
}

fn srem(a: i64, b: i64) -> i64 {
    if b == 0 { a } else { a.wrapping_rem(b) }
}

fn smod(a: i64, b: i64) -> i64 {
    let rest = srem(a, b);
    if b != 0 && rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }
}

/// A rotation amount modulo the width.
fn turn(width: u32, amount: u64) -> u32 {
    (amount % u64::from(width)) as u32
}

/// Rotation to the left by at most the width.
#[inline(always)]
fn rotate(width: u32, a: u64, amount: u32) -> u64 {
    if amount == 0 || amount == width {
        return a;
    }
    (a << amount | a >> (width - amount)) & mask(width)
}

impl Map {
    /// The operation with a result of this width.
    pub(super) fn apply(self, width: u32, out: &mut Words, a: &Words, from: u32) {
        let ones = mask(width);
        match self {
            Map::Not => map(out, a, |a| !a & ones),
            Map::Neg => map(out, a, |a| a.wrapping_neg() & ones),
            Map::Inc => map(out, a, |a| a.wrapping_add(1) & ones),
            Map::Dec => map(out, a, |a| a.wrapping_sub(1) & ones),
            Map::Drop(low) => map(out, a, |a| a >> low & ones),
            Map::ZeroExtend => *out = *a,
            Map::SignExtend(from) => map(out, a, |a| signed(from, a) as u64 & ones),
            Map::Repeat(times) => map(out, a, |a| repeat(a, width / times, times)),
            Map::RotateLeft(amount) => map(out, a, |a| rotate(width, a, amount)),
            Map::Redor => map(out, a, |a| u64::from(a != 0)),
            Map::Redand => map(out, a, |a| u64::from(a == mask(from))),
            Map::Redxor => map(out, a, |a| u64::from(a.count_ones() % 2)),
        }
    }
}

fn repeat(a: u64, width: u32, times: u32) -> u64 {
    (1..times).fold(a, |bits, _| bits << (width % u64::BITS) | a)
}

/// The operands in a row, the most significant first. All of them together fit a word.
pub(super) fn concat(out: &mut Words, args: Args<'_>) {
    *out = *args.words(0);
    for position in 1..args.len() {
        let super::register::Class::Word(width) = args.class(position) else {
            unreachable!("only words are concatenated here")
        };
        let low = args.words(position);
        for lane in 0..LANES {
            // A part of a whole word would be alone.
            out[lane] = out[lane] << (width % u64::BITS) | low[lane];
        }
    }
}

impl Relation {
    /// The lanes in which it holds between words of this width.
    pub(super) fn apply(self, width: u32, a: &Words, b: &Words) -> u64 {
        let sign = |f: fn(&i64, &i64) -> bool| move |a, b| f(&signed(width, a), &signed(width, b));
        let wide = |f: fn(i128, i128) -> i128| {
            move |a, b| !fits(width, f(signed(width, a).into(), signed(width, b).into()))
        };
        let product = |a, b| i128::from(signed(width, a)) * i128::from(signed(width, b));
        let bound = 1i128 << (width - 1);
        match self {
            Relation::Ult | Relation::Usubo => compare(a, b, |a, b| a < b),
            Relation::Ule => compare(a, b, |a, b| a <= b),
            Relation::Ugt => compare(a, b, |a, b| a > b),
            Relation::Uge => compare(a, b, |a, b| a >= b),
            Relation::Slt => compare(a, b, sign(i64::lt)),
            Relation::Sle => compare(a, b, sign(i64::le)),
            Relation::Sgt => compare(a, b, sign(i64::gt)),
            Relation::Sge => compare(a, b, sign(i64::ge)),
            Relation::Uaddo => compare(a, b, |a, b| a > mask(width).wrapping_sub(b)),
            Relation::Saddo => compare(a, b, wide(|a, b| a + b)),
            Relation::Ssubo => compare(a, b, wide(|a, b| a - b)),
            Relation::Smulo => compare(a, b, wide(|a, b| a * b)),
            Relation::Umulo => compare(a, b, |a, b| umulo(width, a, b)),
            Relation::Umulno => compare(a, b, |a, b| !umulo(width, a, b)),
            Relation::SmulNotAbove => compare(a, b, |a, b| product(a, b) < bound),
            Relation::SmulNotBelow => compare(a, b, |a, b| product(a, b) >= -bound),
            Relation::Sdivo => compare(a, b, |a, b| a == 1 << (width - 1) && b == mask(width)),
        }
    }
}

fn umulo(width: u32, a: u64, b: u64) -> bool {
    u128::from(a) * u128::from(b) > mask(width).into()
}

/// Whether a number is in the signed range of a width.
#[inline(always)]
fn fits(width: u32, n: i128) -> bool {
    let bound = 1i128 << (width - 1);
    -bound <= n && n < bound
}

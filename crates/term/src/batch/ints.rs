//! Integers that fit into a machine word. Lanes that overflow are left to exact arithmetic.

use super::register::{LANES, Words};
use super::tape::Args;
use super::words::signed;

/// An operation on two integers, or a fold over one or more.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Fold {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    /// z3's remainder, with the sign of the divisor.
    Rem,
}

/// A conversion, or an operation on one integer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Map {
    Neg,
    Abs,
    /// The unsigned number of a bit-vector.
    Unsigned,
    /// The signed number of a bit-vector of this width.
    Signed(u32),
}

/// A result, and whether it overflowed.
type Flagged = (i64, bool);

/// Computes the words of the result. Returns the lanes in which they are right.
#[inline(always)]
fn fold(out: &mut Words, args: Args<'_>, f: impl Fn(i64, i64) -> Flagged) -> u64 {
    let mut wrong = 0;
    *out = *args.words(0);
    for position in 1..args.len() {
        let next = args.words(position);
        for lane in 0..LANES {
            let (n, flag) = f(out[lane] as i64, next[lane] as i64);
            out[lane] = n as u64;
            wrong |= u64::from(flag) << lane;
        }
    }
    !wrong
}

#[inline(always)]
fn map(out: &mut Words, a: &Words, f: impl Fn(u64) -> Flagged) -> u64 {
    let mut wrong = 0;
    for lane in 0..LANES {
        let (n, flag) = f(a[lane]);
        out[lane] = n as u64;
        wrong |= u64::from(flag) << lane;
    }
    !wrong
}

impl Fold {
    /// Folds the operands. Returns the lanes in which the result is right.
    pub(super) fn apply(self, out: &mut Words, args: Args<'_>) -> u64 {
        match self {
            Fold::Add => fold(out, args, i64::overflowing_add),
            Fold::Sub => fold(out, args, i64::overflowing_sub),
            Fold::Mul => fold(out, args, i64::overflowing_mul),
            Fold::Div => fold(out, args, |a, b| flagged(a.checked_div_euclid(b))),
            Fold::Mod => fold(out, args, |a, b| flagged(a.checked_rem_euclid(b))),
            Fold::Rem => fold(out, args, |a, b| {
                let rest = a.checked_rem_euclid(b);
                flagged(rest.map(|rest| if b < 0 { -rest } else { rest }))
            }),
        }
    }
}

#[inline(always)]
fn flagged(n: Option<i64>) -> Flagged {
    (n.unwrap_or(0), n.is_none())
}

impl Map {
    /// Returns the lanes in which the result is right.
    pub(super) fn apply(self, out: &mut Words, a: &Words) -> u64 {
        match self {
            Map::Neg => map(out, a, |a| (a as i64).overflowing_neg()),
            Map::Abs => map(out, a, |a| (a as i64).overflowing_abs()),
            Map::Unsigned => map(out, a, |a| (a as i64, (a as i64) < 0)),
            Map::Signed(width) => map(out, a, |a| (signed(width, a), false)),
        }
    }
}

/// An order of integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    Le,
    Lt,
    Ge,
    Gt,
}

impl Order {
    /// The lanes in which all neighbors are in this order.
    pub(super) fn apply(self, args: Args<'_>) -> u64 {
        use super::truth::chain;
        match self {
            Order::Le => chain(args, |a, b| a as i64 <= b as i64),
            Order::Lt => chain(args, |a, b| (a as i64) < b as i64),
            Order::Ge => chain(args, |a, b| a as i64 >= b as i64),
            Order::Gt => chain(args, |a, b| a as i64 > b as i64),
        }
    }
}

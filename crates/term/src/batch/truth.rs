//! Booleans, 64 in a word, and equality.
//!
//! Known arguments can decide a conjunction, disjunction, implication or `ite` while others are
//! unknown, as in the evaluator; the result includes the lanes that remain unknown.

use super::register::{LANES, Register, Words};
use super::tape::Args;

/// An operation on Booleans.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Truth {
    Not,
    And,
    Or,
    Implies,
    Xor,
    Same,
    Distinct,
}

/// Truth values, and the lanes in which they are known.
pub(super) type Known = (u64, u64);

impl Truth {
    pub(super) fn apply(self, args: Args<'_>) -> Known {
        let last = args.len() - 1;
        match self {
            Truth::Not => (!args.get(0).bits, args.plain()),
            Truth::Xor => (args.iter().fold(0, |bits, arg| bits ^ arg.bits), args.plain()),
            Truth::And => {
                let (some, plain) = any(args.iter().map(negated));
                (!some, plain)
            }
            Truth::Or => any(args.iter().map(truths)),
            Truth::Implies => {
                let premises = (0..last).map(|position| negated(args.get(position)));
                any(premises.chain([truths(args.get(last))]))
            }
            Truth::Same => {
                let pairs = (0..last).map(|at| args.get(at).bits ^ args.get(at + 1).bits);
                (!pairs.fold(0, |some, differ| some | differ), args.plain())
            }
            Truth::Distinct => {
                let pairs = pairs(args.len()).map(|(i, j)| args.get(i).bits ^ args.get(j).bits);
                (pairs.fold(u64::MAX, |all, differ| all & differ), args.plain())
            }
        }
    }
}

fn truths(register: &Register) -> Known {
    (register.bits, register.plain)
}

fn negated(register: &Register) -> Known {
    (!register.bits, register.plain)
}

/// The disjunction: known if every part is, or if a known one is true.
fn any(parts: impl Iterator<Item = Known>) -> Known {
    let (mut some, mut all_plain) = (0, u64::MAX);
    for (bits, plain) in parts {
        some |= bits & plain;
        all_plain &= plain;
    }
    (some, all_plain | some)
}

/// The lanes in which an `ite` is known, given which branch it takes.
pub(super) fn branched(args: Args<'_>) -> u64 {
    let condition = args.get(0);
    condition.plain & choose(condition.bits, args.get(1).plain, args.get(2).plain)
}

/// The bits of the first if the condition is true, of the second otherwise.
pub(super) fn choose(condition: u64, yes: u64, no: u64) -> u64 {
    condition & yes | !condition & no
}

/// The same for words.
pub(super) fn choose_words(out: &mut Words, condition: u64, yes: &Words, no: &Words) {
    for lane in 0..LANES {
        // All ones if the condition is true.
        let mask = 0u64.wrapping_sub(condition >> lane & 1);
        out[lane] = yes[lane] & mask | no[lane] & !mask;
    }
}

/// The lanes in which a relation holds between the words of two registers.
#[inline(always)]
pub(super) fn compare(a: &Words, b: &Words, holds: impl Fn(u64, u64) -> bool) -> u64 {
    let mut bits = 0;
    for lane in 0..LANES {
        bits |= u64::from(holds(a[lane], b[lane])) << lane;
    }
    bits
}

/// The lanes in which a relation holds between the words of all neighbours.
#[inline(always)]
pub(super) fn chain(args: Args<'_>, holds: impl Fn(u64, u64) -> bool) -> u64 {
    (1..args.len())
        .fold(u64::MAX, |all, at| all & compare(args.words(at - 1), args.words(at), &holds))
}

/// The lanes in which all words are different.
pub(super) fn distinct(args: Args<'_>) -> u64 {
    pairs(args.len())
        .fold(u64::MAX, |all, (i, j)| all & compare(args.words(i), args.words(j), |a, b| a != b))
}

fn pairs(count: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..count).flat_map(move |i| (i + 1..count).map(move |j| (i, j)))
}

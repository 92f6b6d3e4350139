//! The operators as SMT-LIB writes them down: on lists of bits and on mathematical integers, the
//! derived ones by the abbreviations of the logic QF_BV. Slow, and meant to be read.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, ToPrimitive, Zero};
use std::iter::{once, repeat_n};

/// The least significant bit first.
pub type Bits = Vec<bool>;

/// A value of a sort that the theory mentions.
#[derive(Clone, PartialEq, Debug)]
pub enum Thing {
    Truth(bool),
    Number(BigInt),
    Bits(Bits),
}

/// A definition: `None` where the application is not well sorted.
pub type Meaning = fn(&[u64], &[Thing]) -> Option<Thing>;

/// The definition of an operator.
pub fn meaning_of(name: &str) -> Option<Meaning> {
    DEFINITIONS.iter().find(|(n, _)| *n == name).map(|(_, meaning)| *meaning)
}

pub const DEFINITIONS: &[(&str, Meaning)] = &[
    ("concat", |i, args| match (i, args) {
        ([], [Thing::Bits(s), Thing::Bits(t)]) => Some(Thing::Bits(concat(s, t))),
        _ => None,
    }),
    ("extract", |i, args| match (i, args) {
        ([i, j], [Thing::Bits(s)]) => Some(Thing::Bits(extract(*i, *j, s)?)),
        _ => None,
    }),
    ("bvnot", |i, args| unary(i, args, |s| Thing::Bits(bvnot(s)))),
    ("bvand", |i, args| binary(i, args, |s, t| Thing::Bits(bvand(s, t)))),
    ("bvor", |i, args| binary(i, args, |s, t| Thing::Bits(bvor(s, t)))),
    ("bvneg", |i, args| unary(i, args, |s| Thing::Bits(bvneg(s)))),
    ("bvadd", |i, args| binary(i, args, |s, t| Thing::Bits(bvadd(s, t)))),
    ("bvmul", |i, args| binary(i, args, |s, t| Thing::Bits(int2bv(s.len(), &(nat(s) * nat(t)))))),
    ("bvudiv", |i, args| binary(i, args, |s, t| Thing::Bits(bvudiv(s, t)))),
    ("bvurem", |i, args| binary(i, args, |s, t| Thing::Bits(bvurem(s, t)))),
    ("bvshl", |i, args| binary(i, args, |s, t| Thing::Bits(bvshl(s, t)))),
    ("bvlshr", |i, args| binary(i, args, |s, t| Thing::Bits(bvlshr(s, t)))),
    ("bvult", |i, args| binary(i, args, |s, t| Thing::Truth(bvult(s, t)))),
    ("bvnand", |i, args| binary(i, args, |s, t| Thing::Bits(bvnot(&bvand(s, t))))),
    ("bvnor", |i, args| binary(i, args, |s, t| Thing::Bits(bvnot(&bvor(s, t))))),
    ("bvxor", |i, args| {
        binary(i, args, |s, t| Thing::Bits(bvor(&bvand(s, &bvnot(t)), &bvand(&bvnot(s), t))))
    }),
    ("bvxnor", |i, args| binary(i, args, |s, t| Thing::Bits(bvxnor(s, t)))),
    ("bvcomp", |i, args| binary(i, args, |s, t| Thing::Bits(bvcomp(s, t)))),
    ("bvsub", |i, args| binary(i, args, |s, t| Thing::Bits(bvadd(s, &bvneg(t))))),
    ("bvsdiv", |i, args| binary(i, args, |s, t| Thing::Bits(bvsdiv(s, t)))),
    ("bvsrem", |i, args| binary(i, args, |s, t| Thing::Bits(bvsrem(s, t)))),
    ("bvsmod", |i, args| binary(i, args, |s, t| Thing::Bits(bvsmod(s, t)))),
    ("bvashr", |i, args| binary(i, args, |s, t| Thing::Bits(bvashr(s, t)))),
    ("repeat", |i, args| indexed(i, args, |i, s| (i >= 1).then(|| repeat(i, s)))),
    ("zero_extend", |i, args| indexed(i, args, |i, s| Some(zero_extend(i, s)))),
    ("sign_extend", |i, args| indexed(i, args, |i, s| Some(sign_extend(i, s)))),
    ("rotate_left", |i, args| indexed(i, args, |i, s| Some(rotate_left(i, s)))),
    ("rotate_right", |i, args| indexed(i, args, |i, s| Some(rotate_right(i, s)))),
    ("bvule", |i, args| binary(i, args, |s, t| Thing::Truth(bvult(s, t) || s == t))),
    ("bvugt", |i, args| binary(i, args, |s, t| Thing::Truth(bvult(t, s)))),
    ("bvuge", |i, args| binary(i, args, |s, t| Thing::Truth(bvult(t, s) || s == t))),
    ("bvslt", |i, args| binary(i, args, |s, t| Thing::Truth(bvslt(s, t)))),
    ("bvsle", |i, args| binary(i, args, |s, t| Thing::Truth(bvsle(s, t)))),
    ("bvsgt", |i, args| binary(i, args, |s, t| Thing::Truth(bvslt(t, s)))),
    ("bvsge", |i, args| binary(i, args, |s, t| Thing::Truth(bvsle(t, s)))),
    ("ubv_to_int", |i, args| unary(i, args, |s| Thing::Number(nat(s)))),
    ("sbv_to_int", |i, args| unary(i, args, |s| Thing::Number(int(s)))),
    ("int_to_bv", |i, args| match (i, args) {
        ([m], [Thing::Number(n)]) if *m > 0 => Some(Thing::Bits(int2bv(m.to_usize()?, n))),
        _ => None,
    }),
    ("bvnego", |i, args| unary(i, args, |s| Thing::Truth(bvnego(s)))),
    ("bvuaddo", |i, args| binary(i, args, |s, t| Thing::Truth(nat(s) + nat(t) >= two(s.len())))),
    ("bvsaddo", |i, args| binary(i, args, |s, t| Thing::Truth(bvsaddo(s, t)))),
    ("bvumulo", |i, args| binary(i, args, |s, t| Thing::Truth(nat(s) * nat(t) >= two(s.len())))),
    ("bvsmulo", |i, args| {
        binary(i, args, |s, t| Thing::Truth(outside(s.len(), &(int(s) * int(t)))))
    }),
    ("bvusubo", |i, args| binary(i, args, |s, t| Thing::Truth(bvult(s, t)))),
    ("bvssubo", |i, args| binary(i, args, |s, t| Thing::Truth(bvssubo(s, t)))),
    ("bvsdivo", |i, args| binary(i, args, |s, t| Thing::Truth(bvnego(s) && *t == ones(t.len())))),
    ("bvredor", |i, args| unary(i, args, |s| Thing::Bits(vec![s.contains(&true)]))),
    ("bvredand", |i, args| unary(i, args, |s| Thing::Bits(vec![!s.contains(&false)]))),
    ("bvredxor", |i, args| {
        unary(i, args, |s| Thing::Bits(vec![s.iter().fold(false, |x, y| x ^ y)]))
    }),
    ("bvinc", |i, args| unary(i, args, |s| Thing::Bits(int2bv(s.len(), &(nat(s) + 1))))),
    ("bvdec", |i, args| unary(i, args, |s| Thing::Bits(int2bv(s.len(), &(nat(s) - 1))))),
    ("bvrol", |i, args| binary(i, args, |s, t| Thing::Bits(rotate_left(turns(s, t), s)))),
    ("bvror", |i, args| binary(i, args, |s, t| Thing::Bits(rotate_right(turns(s, t), s)))),
    ("ext_rotate_left", |i, args| binary(i, args, |s, t| Thing::Bits(rotate_left(turns(s, t), s)))),
    ("ext_rotate_right", |i, args| {
        binary(i, args, |s, t| Thing::Bits(rotate_right(turns(s, t), s)))
    }),
    ("bvudiv_i", |i, args| binary(i, args, |s, t| Thing::Bits(bvudiv(s, t)))),
    ("bvurem_i", |i, args| binary(i, args, |s, t| Thing::Bits(bvurem(s, t)))),
    ("bvsdiv_i", |i, args| binary(i, args, |s, t| Thing::Bits(bvsdiv(s, t)))),
    ("bvsrem_i", |i, args| binary(i, args, |s, t| Thing::Bits(bvsrem(s, t)))),
    ("bvsmod_i", |i, args| binary(i, args, |s, t| Thing::Bits(bvsmod(s, t)))),
    ("bvumul_noovfl", |i, args| {
        binary(i, args, |s, t| Thing::Truth(nat(s) * nat(t) < two(s.len())))
    }),
    ("bvsmul_noovfl", |i, args| {
        binary(i, args, |s, t| Thing::Truth(int(s) * int(t) < two(s.len() - 1)))
    }),
    ("bvsmul_noudfl", |i, args| {
        binary(i, args, |s, t| Thing::Truth(int(s) * int(t) >= -two(s.len() - 1)))
    }),
    ("bit2bool", |i, args| match (i, args) {
        ([i], [Thing::Bits(s)]) => s.get(i.to_usize()?).map(|&bit| Thing::Truth(bit)),
        _ => None,
    }),
];

fn unary(indices: &[u64], args: &[Thing], f: fn(&Bits) -> Thing) -> Option<Thing> {
    match (indices, args) {
        ([], [Thing::Bits(s)]) => Some(f(s)),
        _ => None,
    }
}

fn binary(indices: &[u64], args: &[Thing], f: fn(&Bits, &Bits) -> Thing) -> Option<Thing> {
    match (indices, args) {
        ([], [Thing::Bits(s), Thing::Bits(t)]) if s.len() == t.len() => Some(f(s, t)),
        _ => None,
    }
}

fn indexed(indices: &[u64], args: &[Thing], f: fn(u64, &Bits) -> Option<Bits>) -> Option<Thing> {
    match (indices, args) {
        ([i], [Thing::Bits(s)]) => f(*i, s).map(Thing::Bits),
        _ => None,
    }
}

fn two(exponent: usize) -> BigInt {
    (0..exponent).fold(BigInt::one(), |n, _| n * 2)
}

fn nat(s: &Bits) -> BigInt {
    s.iter().rev().fold(BigInt::zero(), |n, &bit| n * 2 + u8::from(bit))
}

fn int(s: &Bits) -> BigInt {
    if msb(s) { nat(s) - two(s.len()) } else { nat(s) }
}

pub fn int2bv(m: usize, n: &BigInt) -> Bits {
    let mut rest = n.mod_floor(&two(m));
    (0..m)
        .map(|_| {
            let odd = rest.is_odd();
            rest /= 2;
            odd
        })
        .collect()
}

fn msb(s: &Bits) -> bool {
    s[s.len() - 1]
}

fn zeros(m: usize) -> Bits {
    vec![false; m]
}

fn ones(m: usize) -> Bits {
    vec![true; m]
}

fn outside(m: usize, n: &BigInt) -> bool {
    *n >= two(m - 1) || *n < -two(m - 1)
}

fn concat(s: &Bits, t: &Bits) -> Bits {
    t.iter().chain(s).copied().collect()
}

fn extract(i: u64, j: u64, s: &Bits) -> Option<Bits> {
    let (i, j) = (i.to_usize()?, j.to_usize()?);
    (s.len() > i && i >= j).then(|| s[j..=i].to_vec())
}

fn bvnot(s: &Bits) -> Bits {
    s.iter().map(|&bit| !bit).collect()
}

fn bvand(s: &Bits, t: &Bits) -> Bits {
    s.iter().zip(t).map(|(&x, &y)| if x { y } else { false }).collect()
}

fn bvor(s: &Bits, t: &Bits) -> Bits {
    s.iter().zip(t).map(|(&x, &y)| if x { true } else { y }).collect()
}

fn bvneg(s: &Bits) -> Bits {
    int2bv(s.len(), &(two(s.len()) - nat(s)))
}

fn bvadd(s: &Bits, t: &Bits) -> Bits {
    int2bv(s.len(), &(nat(s) + nat(t)))
}

fn bvudiv(s: &Bits, t: &Bits) -> Bits {
    if nat(t).is_zero() { ones(s.len()) } else { int2bv(s.len(), &(nat(s) / nat(t))) }
}

fn bvurem(s: &Bits, t: &Bits) -> Bits {
    if nat(t).is_zero() { s.clone() } else { int2bv(s.len(), &(nat(s) % nat(t))) }
}

/// How many single steps a shift takes until nothing changes any more.
fn steps(s: &Bits, t: &Bits) -> usize {
    nat(t).to_usize().map_or(s.len(), |n| n.min(s.len()))
}

fn bvshl(s: &Bits, t: &Bits) -> Bits {
    repeat_n(false, steps(s, t)).chain(s.iter().copied()).take(s.len()).collect()
}

fn bvlshr(s: &Bits, t: &Bits) -> Bits {
    let steps = steps(s, t);
    s.iter().copied().skip(steps).chain(repeat_n(false, steps)).collect()
}

fn bvult(s: &Bits, t: &Bits) -> bool {
    nat(s) < nat(t)
}

fn bvxnor(s: &Bits, t: &Bits) -> Bits {
    bvor(&bvand(s, t), &bvand(&bvnot(s), &bvnot(t)))
}

fn bvcomp(s: &Bits, t: &Bits) -> Bits {
    let all = bvxnor(s, t).into_iter().map(|bit| vec![bit]);
    all.fold(ones(1), |sofar, bit| bvand(&sofar, &bit))
}

fn bvsdiv(s: &Bits, t: &Bits) -> Bits {
    match (msb(s), msb(t)) {
        (false, false) => bvudiv(s, t),
        (true, false) => bvneg(&bvudiv(&bvneg(s), t)),
        (false, true) => bvneg(&bvudiv(s, &bvneg(t))),
        (true, true) => bvudiv(&bvneg(s), &bvneg(t)),
    }
}

fn bvsrem(s: &Bits, t: &Bits) -> Bits {
    match (msb(s), msb(t)) {
        (false, false) => bvurem(s, t),
        (true, false) => bvneg(&bvurem(&bvneg(s), t)),
        (false, true) => bvurem(s, &bvneg(t)),
        (true, true) => bvneg(&bvurem(&bvneg(s), &bvneg(t))),
    }
}

fn bvsmod(s: &Bits, t: &Bits) -> Bits {
    let abs_s = if msb(s) { bvneg(s) } else { s.clone() };
    let abs_t = if msb(t) { bvneg(t) } else { t.clone() };
    let u = bvurem(&abs_s, &abs_t);
    if u == zeros(s.len()) {
        return u;
    }
    match (msb(s), msb(t)) {
        (false, false) => u,
        (true, false) => bvadd(&bvneg(&u), t),
        (false, true) => bvadd(&u, t),
        (true, true) => bvneg(&u),
    }
}

fn bvashr(s: &Bits, t: &Bits) -> Bits {
    if msb(s) { bvnot(&bvlshr(&bvnot(s), t)) } else { bvlshr(s, t) }
}

fn repeat(i: u64, s: &Bits) -> Bits {
    (1..i).fold(s.clone(), |t, _| concat(s, &t))
}

fn zero_extend(i: u64, s: &Bits) -> Bits {
    if i == 0 { s.clone() } else { concat(&repeat(i, &vec![false]), s) }
}

fn sign_extend(i: u64, s: &Bits) -> Bits {
    if i == 0 { s.clone() } else { concat(&repeat(i, &vec![msb(s)]), s) }
}

/// One bit at a time; from a thousand steps on, whole turns are left out.
fn rotate_left(i: u64, s: &Bits) -> Bits {
    let steps = if i < 1000 { i } else { i % s.len() as u64 };
    (0..steps)
        .fold(s.clone(), |t, _| once(msb(&t)).chain(t[..t.len() - 1].iter().copied()).collect())
}

fn rotate_right(i: u64, s: &Bits) -> Bits {
    let steps = if i < 1000 { i } else { i % s.len() as u64 };
    (0..steps).fold(s.clone(), |t, _| t[1..].iter().copied().chain(once(t[0])).collect())
}

fn turns(s: &Bits, t: &Bits) -> u64 {
    let n = nat(t);
    n.to_u64().unwrap_or_else(|| (n % s.len()).to_u64().expect("below the width"))
}

fn bvslt(s: &Bits, t: &Bits) -> bool {
    msb(s) && !msb(t) || msb(s) == msb(t) && bvult(s, t)
}

fn bvsle(s: &Bits, t: &Bits) -> bool {
    msb(s) && !msb(t) || msb(s) == msb(t) && (bvult(s, t) || s == t)
}

fn bvnego(s: &Bits) -> bool {
    int(s) == -two(s.len() - 1)
}

fn bvsaddo(s: &Bits, t: &Bits) -> bool {
    outside(s.len(), &(int(s) + int(t)))
}

fn bvssubo(s: &Bits, t: &Bits) -> bool {
    if bvnego(t) { !int(s).is_negative() } else { bvsaddo(s, &bvneg(t)) }
}

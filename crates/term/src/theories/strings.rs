//! The theory of Unicode strings: a character is a code point from 0 to 0x2FFFF.
//!
//! Every operator is total, as the standard defines it, and none is left open. The first signature
//! of a row is the standard one; the others are extensions of solvers. Operators shared with
//! sequences have their meaning in `lists`, regular languages theirs in `regex`.

use super::ints::{TOO_LARGE, int};
use super::lists::{self, TOO_LONG, index_value, position, text};
use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::int::Int;
use crate::op::{Alias, App, Extension, Fold, Law, OpRow, Origin, Pat, Sig, Vocabulary, Width};
use crate::regex::{Matcher, RegLan};
use crate::value::{MAX_CHAR, Value};
use num_bigint::{BigInt, BigUint};
use std::sync::Arc;

const B: Pat = Pat::Bool;
const I: Pat = Pat::Int;
const S: Pat = Pat::Str;
const R: Pat = Pat::Re;
const Q: Pat = Pat::Seq(&Pat::Any(0));
const CVC5: Origin = Origin::Extension("cvc5");
const Z3: Origin = Origin::Extension("z3");

/// Two or more lists; z3 also accepts one.
const CONCATENATION: &[Sig] = &[
    Sig::new(&[S, S], S),
    of_sequences(&[Q, Q], Q),
    Sig::new(&[S], S).extension(Extension::SingleArguments),
    of_sequences(&[Q], Q),
];
const PART_OF: &[Sig] = &[Sig::new(&[S, S], B), of_sequences(&[Q, Q], B)];
const REPLACEMENT: &[Sig] = &[Sig::new(&[S, S, S], S), of_sequences(&[Q, Q, Q], Q)];
const ORDER: &[Sig] = &[Sig::new(&[S, S], B)];

const fn of_sequences(args: &'static [Pat], result: Pat) -> Sig {
    Sig::new(args, result).extension(Extension::StringsOverSequences)
}

const fn old(name: &'static str) -> Alias {
    Alias { name, vocabulary: Vocabulary::OldStrings }
}

const fn z3(name: &'static str) -> Alias {
    Alias { name, vocabulary: Vocabulary::Z3 }
}

const fn cvc(name: &'static str) -> Alias {
    Alias { name, vocabulary: Vocabulary::Cvc }
}

operators! { Theory::Strings;
    /// The character with the index as its code point, `(_ char #x41)`.
    CHAR = OpRow::new(
            "char",
            &[Sig::new(&[], S)
                .indexed(1)
                .requires("a code point up to #x2FFFF", |i, _| i[0] <= u64::from(MAX_CHAR))],
            |_, app, _| Ok(code_point(app.indices[0])),
        );
    /// Concatenation.
    CONCAT = OpRow::new("str.++", CONCATENATION, lists::concat)
        .fold(Fold::Left)
        .laws(&[Law::Associative]);
    /// Length.
    LEN = OpRow::new("str.len", &[Sig::new(&[S], I), of_sequences(&[Q], I)], lists::length);
    /// Lexicographic order by code points.
    LT = OpRow::new("str.<", ORDER, |_, _, args| {
            Ok(args.windows(2).all(|pair| text(&pair[0]) < text(&pair[1])).into())
        })
        .fold(Fold::Chain);
    /// Lexicographic order or equality.
    LE = OpRow::new("str.<=", ORDER, |_, _, args| {
            Ok(args.windows(2).all(|pair| text(&pair[0]) <= text(&pair[1])).into())
        })
        .fold(Fold::Chain);
    /// The character at a position, or the empty string.
    AT = OpRow::new("str.at", &[Sig::new(&[S, I], S), of_sequences(&[Q, I], Q)], lists::at);
    /// Up to this many characters from a position on.
    SUBSTR = OpRow::new(
            "str.substr",
            &[Sig::new(&[S, I, I], S), of_sequences(&[Q, I, I], Q)],
            lists::extract,
        );
    /// Whether the first string is a prefix of the second.
    PREFIXOF = OpRow::new("str.prefixof", PART_OF, lists::is_prefix);
    /// Whether the first string is a suffix of the second.
    SUFFIXOF = OpRow::new("str.suffixof", PART_OF, lists::is_suffix);
    /// Whether the second string occurs in the first.
    CONTAINS = OpRow::new("str.contains", PART_OF, lists::contains);
    /// The first position, at the offset or later, where the second string occurs in the first.
    INDEXOF = OpRow::new(
            "str.indexof",
            &[
                Sig::new(&[S, S, I], I),
                of_sequences(&[Q, Q, I], I),
                Sig::new(&[S, S], I).extension(Extension::IndexOfWithoutPosition),
                of_sequences(&[Q, Q], I),
            ],
            lists::index_of,
        );
    /// The first occurrence of a string replaced.
    REPLACE = OpRow::new("str.replace", REPLACEMENT, lists::replace);
    /// Every occurrence of a string replaced.
    REPLACE_ALL = OpRow::new("str.replace_all", REPLACEMENT, lists::replace_all)
        .aliases(&[cvc("str.replaceall")]);
    /// The shortest leftmost match of a language replaced.
    REPLACE_RE = OpRow::new("str.replace_re", &[Sig::new(&[S, R, S], S)], replace_re)
        .aliases(&[z3("seq.replace_re")]);
    /// Every shortest non-empty match of a language replaced, from left to right.
    REPLACE_RE_ALL = OpRow::new("str.replace_re_all", &[Sig::new(&[S, R, S], S)], replace_re_all)
        .aliases(&[z3("seq.replace_re_all")]);
    /// Whether the string is one of the ten digits.
    IS_DIGIT = OpRow::new("str.is_digit", &[Sig::new(&[S], B)], |_, _, args| {
            Ok(matches!(**text(&args[0]), [c] if digit(c).is_some()).into())
        });
    /// The code point of a single character, otherwise -1.
    TO_CODE = OpRow::new("str.to_code", &[Sig::new(&[S], I)], |_, _, args| {
            Ok(Value::Int(match **text(&args[0]) {
                [c] => c.into(),
                _ => Int::from(-1i64),
            }))
        })
        .aliases(&[cvc("str.code")]);
    /// The character with a code point, or the empty string.
    FROM_CODE = OpRow::new("str.from_code", &[Sig::new(&[I], S)], |_, _, args| {
            Ok(int(&args[0]).to_u64().map_or_else(|| Value::Str(Arc::new([])), code_point))
        });
    /// The number that digits denote, otherwise -1.
    TO_INT = OpRow::new("str.to_int", &[Sig::new(&[S], I)], to_int)
        .aliases(&[old("str.to.int"), z3("str.to-int")]);
    /// The decimal digits of a natural number; the empty string for a negative one.
    FROM_INT = OpRow::new("str.from_int", &[Sig::new(&[I], S)], |cx, _, args| {
            match int(&args[0]) {
                n if n.is_negative() => Ok(Value::Str(Arc::new([]))),
                n => decimal(cx, n),
            }
        })
        .aliases(&[old("int.to.str"), z3("str.from-int")]);
    /// Membership in a regular language.
    IN_RE = OpRow::new("str.in_re", &[Sig::new(&[S, R], B)], |cx, _, args| {
            let (word, language) = (text(&args[0]), language(&args[1]));
            cx.within_budget(|budget| language.accepts(word, budget)).map(Value::Bool)
        })
        .aliases(&[old("str.in.re"), z3("str.in-re"), z3("seq.in.re")]);
    /// The language of a single word.
    TO_RE = OpRow::new("str.to_re", &[Sig::new(&[S], R)], |_, _, args| {
            Ok(Value::RegLan(RegLan::literal(text(&args[0]))))
        })
        .aliases(&[old("str.to.re"), z3("str.to-re"), z3("seq.to.re")]);
    /// The string read backwards.
    REV = OpRow::new("str.rev", &[Sig::new(&[S], S), of_sequences(&[Q], Q)], lists::reverse)
        .origin(Origin::Extension("cvc4, cvc5"))
        .laws(&[Law::Involutive]);
    /// The string with ASCII letters in lower case.
    TO_LOWER = OpRow::new("str.to_lower", &[Sig::new(&[S], S)], |_, _, args| {
            Ok(map_ascii(&args[0], |c| c.to_ascii_lowercase()))
        })
        .origin(CVC5)
        .aliases(&[cvc("str.tolower")]);
    /// The string with ASCII letters in upper case.
    TO_UPPER = OpRow::new("str.to_upper", &[Sig::new(&[S], S)], |_, _, args| {
            Ok(map_ascii(&args[0], |c| c.to_ascii_uppercase()))
        })
        .origin(CVC5)
        .aliases(&[cvc("str.toupper")]);
    /// The characters from a position on overwritten, without changing the length.
    UPDATE = OpRow::new(
            "str.update",
            &[Sig::new(&[S, I, S], S), of_sequences(&[Q, I, Q], Q)],
            lists::update,
        )
        .origin(CVC5);
    /// The first position, at the offset or later, where a match of a language begins.
    INDEXOF_RE = OpRow::new("str.indexof_re", &[Sig::new(&[S, R, I], I)], index_of_re).origin(CVC5);
    /// The decimal digits of an unsigned bit-vector.
    FROM_UBV = OpRow::new("str.from_ubv", &[Sig::new(&[Pat::Bv(Width::Var(0))], S)], |cx, _, args| {
            decimal(cx, &bits(&args[0]).to_unsigned())
        })
        .origin(Z3);
    /// The decimal digits of a signed bit-vector, with a minus sign if it is negative.
    FROM_SBV = OpRow::new("str.from_sbv", &[Sig::new(&[Pat::Bv(Width::Var(0))], S)], |cx, _, args| {
            decimal(cx, &bits(&args[0]).to_signed())
        })
        .origin(Z3);
}

/// The regular language, as typing guarantees.
pub(super) fn language(value: &Value) -> &RegLan {
    match value {
        Value::RegLan(language) => language,
        _ => unreachable!("typed as RegLan"),
    }
}

fn bits(value: &Value) -> &crate::bitvec::BitVec {
    match value {
        Value::BitVec(bits) => bits,
        _ => unreachable!("typed as a bit-vector"),
    }
}

/// The character with this code point, or the empty string if there is none.
fn code_point(code: u64) -> Value {
    match u32::try_from(code) {
        Ok(c) if c <= MAX_CHAR => Value::Str(Arc::new([c])),
        _ => Value::Str(Arc::new([])),
    }
}

fn digit(c: u32) -> Option<u8> {
    let value = u8::try_from(c.checked_sub(u32::from(b'0'))?).ok()?;
    (value < 10).then_some(value)
}

fn map_ascii(value: &Value, letter: fn(u8) -> u8) -> Value {
    let map = |&c: &u32| u8::try_from(c).map_or(c, |byte| letter(byte).into());
    Value::Str(text(value).iter().map(map).collect())
}

fn replace_re(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let replaced = cx.within_budget(|budget| {
        let mut matcher = Matcher::new(language(&args[1]), budget)?;
        matcher.replace(text(&args[0]), text(&args[2]), budget)
    })?;
    bounded(cx, replaced)
}

fn replace_re_all(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let replaced = cx.within_budget(|budget| {
        let mut matcher = Matcher::new(language(&args[1]), budget)?;
        matcher.replace_all(text(&args[0]), text(&args[2]), budget)
    })?;
    bounded(cx, replaced)
}

fn index_of_re(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let word = text(&args[0]);
    let Some(from) = position(int(&args[2]), word.len()) else {
        return Ok(index_value(None));
    };
    let found = cx.within_budget(|budget| {
        let mut matcher = Matcher::new(language(&args[1]), budget)?;
        matcher.shortest_leftmost(word, from, false, budget)
    })?;
    Ok(index_value(found.map(|found| found.start)))
}

/// The string, unless it is too long.
fn bounded(cx: &EvalContext<'_>, characters: Vec<u32>) -> Result<Value, Unknown> {
    if characters.len() > cx.limits.length {
        return Err(TOO_LONG);
    }
    Ok(Value::Str(characters.into()))
}

fn to_int(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    const NO_NUMBER: i64 = -1;
    let digits: Option<Vec<u8>> = text(&args[0]).iter().map(|&c| digit(c)).collect();
    let digits = match digits {
        Some(digits) if !digits.is_empty() => digits,
        _ => return Ok(Value::Int(NO_NUMBER.into())),
    };
    let zeros = digits.iter().take_while(|&&d| d == 0).count();
    let significant = &digits[zeros..];
    // A digit after the first adds more than three bits.
    if significant.len().saturating_sub(1) as u64 > cx.limits.bits / 3 {
        return Err(TOO_LARGE);
    }
    let number = Int::from(BigInt::from(number(significant)));
    if number.bit_length() > cx.limits.bits {
        return Err(TOO_LARGE);
    }
    Ok(Value::Int(number))
}

/// The number denoted by decimal digits, computed by halves: a loop over the digits would take
/// quadratic time.
fn number(digits: &[u8]) -> BigUint {
    const CHUNK: usize = 18;
    let chunk = |digits: &[u8]| digits.iter().fold(0, |n: u64, &d| 10 * n + u64::from(d));
    // Least significant chunk first.
    let mut parts: Vec<BigUint> = digits.rchunks(CHUNK).map(|c| BigUint::from(chunk(c))).collect();
    let mut base = BigUint::from(10u64.pow(CHUNK as u32));
    while parts.len() > 1 {
        parts = parts
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => high * &base + low,
                _ => pair[0].clone(),
            })
            .collect();
        if parts.len() > 1 {
            base = &base * &base;
        }
    }
    parts.pop().unwrap_or_default()
}

/// The decimal digits of a number, after a minus sign if it is negative.
fn decimal(cx: &EvalContext<'_>, n: &Int) -> Result<Value, Unknown> {
    if n.bit_length() > cx.limits.bits {
        return Err(TOO_LARGE);
    }
    bounded(cx, n.to_string().bytes().map(u32::from).collect())
}

//! Arithmetic on integers, and the operators that integers and reals share.

use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::int::Int;
use crate::op::{Alias, App, Extension, Fold, Law, OpRow, Origin, Pat, Sig, Vocabulary};
use crate::open::Allowed;
use crate::value::Value;
use num_rational::BigRational;
use num_traits::Signed;
use std::cmp::Ordering;

const I: Pat = Pat::Int;
const R: Pat = Pat::Real;
const B: Pat = Pat::Bool;
/// Two or more numbers; solvers also accept one.
const SUM: &[Sig] = &[
    Sig::new(&[I, I], I),
    Sig::new(&[R, R], R),
    Sig::new(&[I], I).extension(Extension::SingleArguments),
    Sig::new(&[R], R).extension(Extension::SingleArguments),
];
/// The same, with negation.
const DIFFERENCE: &[Sig] =
    &[Sig::new(&[I, I], I), Sig::new(&[R, R], R), Sig::new(&[I], I), Sig::new(&[R], R)];
const ORDER: &[Sig] = &[Sig::new(&[I, I], B), Sig::new(&[R, R], B)];

operators! { Theory::Ints;
    /// Addition.
    ADD = OpRow::new("+", SUM, |cx, _, args| fold(cx, args, |a, b| a + b, |a, b| a + b))
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative]);
    /// Subtraction; negation of a single argument.
    SUB = OpRow::new("-", DIFFERENCE, |cx, app, args| match args {
            [Value::Int(n)] => Ok(Value::Int(-n)),
            [Value::Real(x)] => Ok(Value::rational(-x.as_ref().clone())),
            _ => subtract(cx, app, args),
        })
        .fold(Fold::Left)
        .aliases(&[Alias { name: "~", vocabulary: Vocabulary::Z3 }]);
    /// Multiplication.
    MUL = OpRow::new("*", SUM, |cx, _, args| fold(cx, args, |a, b| a * b, |a, b| a * b))
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative]);
    /// Less or equal.
    LE = OpRow::new("<=", ORDER, |_, _, args| Ok(chain(args, Ordering::is_le))).fold(Fold::Chain);
    /// Less.
    LT = OpRow::new("<", ORDER, |_, _, args| Ok(chain(args, Ordering::is_lt))).fold(Fold::Chain);
    /// Greater or equal.
    GE = OpRow::new(">=", ORDER, |_, _, args| Ok(chain(args, Ordering::is_ge))).fold(Fold::Chain);
    /// Greater.
    GT = OpRow::new(">", ORDER, |_, _, args| Ok(chain(args, Ordering::is_gt))).fold(Fold::Chain);
    /// Integer quotient, rounded so that the remainder is not negative.
    DIV = OpRow::new("div", &[Sig::new(&[I, I], I)], |cx, app, args| divide(cx, app, args, |qr| qr.0))
        .fold(Fold::Left)
        .open(Allowed::Any);
    /// Remainder, never negative.
    MOD = OpRow::new("mod", &[Sig::new(&[I, I], I)], |cx, app, args| divide(cx, app, args, |qr| qr.1))
        .open(Allowed::Any);
    /// Absolute value; of reals it is an extension.
    ABS = OpRow::new("abs", &[Sig::new(&[I], I), Sig::new(&[R], R).extension(Extension::AbsOfReals)], |_, _, args| {
            Ok(match &args[0] {
                Value::Real(x) => Value::rational(x.abs()),
                n => Value::Int(int(n).abs()),
            })
        });
    /// Whether the index divides the argument.
    DIVISIBLE = OpRow::new(
            "divisible",
            &[Sig::new(&[I], B).indexed(1).requires("a positive index", |i, _| i[0] > 0)],
            |_, app, args| {
                let rest = int(&args[0]).div_mod(&Int::from(app.indices[0]));
                Ok(rest.is_some_and(|(_, r)| r.is_zero()).into())
            },
        );
    /// Power. Zero to the power of zero is 1 for cvc5, and any number for z3.
    POW = OpRow::new("^", &[Sig::new(&[I, I], I), Sig::new(&[R, R], R)], power)
        .origin(Origin::Extension("z3, cvc5"))
        .open(Allowed::Disputed);
    /// Two to the power of the argument, zero for negative ones.
    POW2 = OpRow::new("int.pow2", &[Sig::new(&[I], I)], |cx, _, args| {
            if int(&args[0]).is_negative() {
                return Ok(Value::Int(Int::ZERO));
            }
            Int::from(2i64).pow(int(&args[0]), cx.limits.bits).map(Value::Int).ok_or(TOO_LARGE)
        })
        .origin(Origin::Extension("cvc5"));
    /// The largest exponent of a power of two that is not above the argument, zero for arguments
    /// that are not positive.
    LOG2 = OpRow::new("int.log2", &[Sig::new(&[I], I)], |_, _, args| {
            let n = int(&args[0]);
            let length = if n.is_negative() { 0 } else { n.bit_length() };
            Ok(Value::Int(Int::from(length.saturating_sub(1))))
        })
        .origin(Origin::Extension("cvc5"));
    /// Whether the argument is a power of two.
    IS_POW2 = OpRow::new("int.ispow2", &[Sig::new(&[I], Pat::Bool)], |_, _, args| {
            let n = int(&args[0]).to_big();
            let positive = n.sign() == num_bigint::Sign::Plus;
            Ok((positive && n.trailing_zeros() == Some(n.bits() - 1)).into())
        })
        .origin(Origin::Extension("cvc5"));
    /// The bit-wise conjunction of the lowest bits of two integers.
    IAND = OpRow::new("iand", &[Sig::new(&[I, I], I).indexed(1)], |cx, app, args| {
            let bits = app.indices[0];
            if bits > cx.limits.bits {
                return Err(TOO_LARGE);
            }
            let modulus = num_bigint::BigInt::from(1) << bits;
            let low = |value: &Value| int(value).to_big() & (&modulus - 1);
            Ok(Value::Int(Int::from(low(&args[0]) & low(&args[1]))))
        })
        .origin(Origin::Extension("cvc5"));
    /// The same with the number of bits as an argument.
    PIAND = OpRow::new("piand", &[Sig::new(&[I, I, I], I)], |cx, _, args| {
            let bits = int(&args[0]);
            if *bits <= Int::ZERO {
                return Err(Unknown::Unsupported("`piand` of a number of bits that is not positive"));
            }
            let bits = bits.to_u64().filter(|bits| *bits <= cx.limits.bits).ok_or(TOO_LARGE)?;
            let modulus = num_bigint::BigInt::from(1) << bits;
            let low = |value: &Value| int(value).to_big() & (&modulus - 1);
            Ok(Value::Int(Int::from(low(&args[1]) & low(&args[2]))))
        })
        .origin(Origin::Extension("cvc5"));
    /// Division that yields zero if the divisor is zero.
    DIV_TOTAL = OpRow::new("div_total", &[Sig::new(&[I, I], I)], |_, _, args| {
            let quotient = int(&args[0]).div_mod(int(&args[1])).map_or(Int::ZERO, |(q, _)| q);
            Ok(Value::Int(quotient))
        })
        .origin(Origin::Extension("cvc5"));
    /// Remainder that yields the dividend if the divisor is zero.
    MOD_TOTAL = OpRow::new("mod_total", &[Sig::new(&[I, I], I)], |_, _, args| {
            let remainder = int(&args[0]).div_mod(int(&args[1])).map(|(_, r)| r);
            Ok(Value::Int(remainder.unwrap_or_else(|| int(&args[0]).clone())))
        })
        .origin(Origin::Extension("cvc5"));
    /// Remainder with the sign of the divisor, as z3 defines it.
    REM = OpRow::new("rem", &[Sig::new(&[I, I], I)], |_, app, args| {
            let (_, r) = int(&args[0]).div_mod(int(&args[1])).ok_or(Unknown::Open(app.op))?;
            Ok(Value::Int(if int(&args[1]).is_negative() { -&r } else { r }))
        })
        .origin(Origin::Extension("z3"))
        .open(Allowed::Any);
}

/// A number with more bits than the limits allow.
pub(super) const TOO_LARGE: Unknown = Unknown::Limit("bits of a number");

/// The integer, as typing guarantees.
pub(super) fn int(value: &Value) -> &Int {
    match value {
        Value::Int(n) => n,
        _ => unreachable!("typed as Int"),
    }
}

/// The real, as typing guarantees.
pub(super) fn real(value: &Value) -> &BigRational {
    match value {
        Value::Real(x) => x,
        _ => unreachable!("typed as Real"),
    }
}

fn size(x: &BigRational) -> u64 {
    x.numer().bits() + x.denom().bits()
}

fn fold(
    cx: &EvalContext<'_>,
    args: &[Value],
    ints: fn(&Int, &Int) -> Int,
    reals: fn(&BigRational, &BigRational) -> BigRational,
) -> Result<Value, Unknown> {
    let (first, rest) = args.split_first().expect("typed with an argument");
    if let Value::Int(first) = first {
        let mut total = first.clone();
        for arg in rest {
            total = ints(&total, int(arg));
            if total.bit_length() > cx.limits.bits {
                return Err(TOO_LARGE);
            }
        }
        return Ok(Value::Int(total));
    }
    let mut total = real(first).clone();
    for arg in rest {
        total = reals(&total, real(arg));
        if size(&total) > cx.limits.bits {
            return Err(TOO_LARGE);
        }
    }
    Ok(Value::rational(total))
}

fn subtract(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    fold(cx, args, |a, b| a - b, |a, b| a - b)
}

fn chain(args: &[Value], accepts: fn(Ordering) -> bool) -> Value {
    let order = |pair: &[Value]| match (&pair[0], &pair[1]) {
        (Value::Int(a), Value::Int(b)) => a.cmp(b),
        (a, b) => real(a).cmp(real(b)),
    };
    args.windows(2).all(|pair| accepts(order(pair))).into()
}

fn divide(
    _: &EvalContext<'_>,
    app: App<'_>,
    args: &[Value],
    part: fn((Int, Int)) -> Int,
) -> Result<Value, Unknown> {
    let (first, divisors) = args.split_first().expect("typed with two arguments or more");
    let mut total = int(first).clone();
    for divisor in divisors {
        total = match total.div_mod(int(divisor)) {
            Some(both) => part(both),
            None => return Err(Unknown::Open(app.op)),
        };
    }
    Ok(Value::Int(total))
}

fn power(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    const NOT_NATURAL: Unknown =
        Unknown::Unsupported("a power with an exponent that is not natural");
    match (&args[0], &args[1]) {
        (Value::Int(base), Value::Int(exponent)) => {
            if exponent.is_negative() {
                return Err(NOT_NATURAL);
            }
            if base.is_zero() && exponent.is_zero() {
                return Err(Unknown::Open(app.op));
            }
            base.pow(exponent, cx.limits.bits).map(Value::Int).ok_or(TOO_LARGE)
        }
        (base, exponent) => {
            let (base, exponent) = (real(base), real(exponent));
            if !exponent.is_integer() || exponent.is_negative() {
                return Err(NOT_NATURAL);
            }
            let exponent = Int::from(exponent.to_integer());
            if exponent.is_zero() && *base == BigRational::from_integer(0.into()) {
                return Err(Unknown::Open(app.op));
            }
            let part = |n: &num_bigint::BigInt| Int::from(n.clone()).pow(&exponent, cx.limits.bits);
            match (part(base.numer()), part(base.denom())) {
                (Some(n), Some(d)) => Ok(Value::rational(BigRational::new(n.to_big(), d.to_big()))),
                _ => Err(TOO_LARGE),
            }
        }
    }
}

//! The theory FloatingPoint: rounding modes, IEEE-754 arithmetic and conversions, with the
//! additions of z3 and cvc5. Rounding is implemented in [`crate::float`], not in this table.

use super::ints::{TOO_LARGE, int, real};
use super::{Theory, operators};
use crate::bitvec::{BitVec, MAX_WIDTH};
use crate::eval::{EvalContext, Unknown};
use crate::float::{EXACT_BITS_LIMIT, Float, Format, NoExactValue, RoundingMode, Sign};
use crate::int::Int;
use crate::op::{Alias, App, Extension, Fold, Law, Op, OpRow, Origin, Pat, Sig, Vocabulary, Width};
use crate::open::Allowed;
use crate::sort::{Sort, SortId};
use crate::value::Value;
use crate::{Store, TermId};
use num_bigint::{BigInt, BigUint};

const B: Pat = Pat::Bool;
const RM: Pat = Pat::Rm;
const EB: Width = Width::Index(0);
const SB: Width = Width::Index(1);
/// A number of any format.
const F: Pat = Pat::Fp(Width::Var(0), Width::Var(1));
/// A number of the format that the indices give.
const INDEXED: Pat = Pat::Fp(EB, SB);
const ANY_BV: Pat = Pat::Bv(Width::Var(0));
const SIGN_BIT: Pat = Pat::Bv(Width::N(1));

const MODE: &[Sig] = &[Sig::new(&[], RM)];
const SPECIAL: &[Sig] = &[of_format(&[])];
const UNARY: &[Sig] = &[Sig::new(&[F], F)];
const BINARY: &[Sig] = &[Sig::new(&[F, F], F)];
const ROUNDED_UNARY: &[Sig] = &[Sig::new(&[RM, F], F)];
const ROUNDED_BINARY: &[Sig] = &[Sig::new(&[RM, F, F], F)];
const ORDER: &[Sig] = &[Sig::new(&[F, F], B)];
const CLASS: &[Sig] = &[Sig::new(&[F], B)];
const TO_BITS: &[Sig] = &[Sig::new(&[RM, F], Pat::Bv(Width::Index(0))).indexed(1)];

const FORMAT_WORDS: &str = "an exponent of 2 to 60 bits and a significand of 2 to 65536";
const FROM_BITS: Sig = of_format(&[Pat::Bv(Width::Plus(&EB, &SB))]);
const FROM_FLOAT: Sig = of_format(&[RM, F]);
const FROM_REAL: Sig = of_format(&[RM, Pat::Real]);
const FROM_BV: Sig = of_format(&[RM, ANY_BV]);
const FROM_INT: Sig = of_format(&[RM, Pat::Int]).extension(Extension::FloatsFromInts);
/// A significand and an exponent of base two.
const FROM_SCALED: Sig =
    of_format(&[RM, Pat::Real, Pat::Int]).extension(Extension::FloatsFromScaled);
const FROM_FIELDS: Sig =
    of_format(&[SIGN_BIT, Pat::Bv(EB), Pat::Bv(Width::Minus(&SB, &Width::N(1)))])
        .extension(Extension::FloatsFromFields);

const CVC: Origin = Origin::Extension("cvc4, cvc5");

operators! { Theory::Floats;
    /// To nearest, from the middle to even.
    RNE = OpRow::new("RNE", MODE, |_, _, _| rounding(RoundingMode::NearestEven))
        .aliases(&[long("roundNearestTiesToEven")]);
    /// To nearest, from the middle away from zero.
    RNA = OpRow::new("RNA", MODE, |_, _, _| rounding(RoundingMode::NearestAway))
        .aliases(&[long("roundNearestTiesToAway")]);
    /// Upwards.
    RTP = OpRow::new("RTP", MODE, |_, _, _| rounding(RoundingMode::TowardPositive))
        .aliases(&[long("roundTowardPositive")]);
    /// Downwards.
    RTN = OpRow::new("RTN", MODE, |_, _, _| rounding(RoundingMode::TowardNegative))
        .aliases(&[long("roundTowardNegative")]);
    /// Towards zero.
    RTZ = OpRow::new("RTZ", MODE, |_, _, _| rounding(RoundingMode::TowardZero))
        .aliases(&[long("roundTowardZero")]);
    /// The number with this sign bit, exponent field and significand field.
    FP = OpRow::new(
            "fp",
            &[Sig::new(
                &[SIGN_BIT, Pat::Bv(Width::Var(0)), Pat::Bv(Width::Var(1))],
                Pat::Fp(Width::Var(0), Width::Plus(&Width::Var(1), &Width::N(1))),
            )
            .requires(FORMAT_WORDS, |_, widths| Format::new(widths[0], widths[1] + 1).is_some())],
            from_fields,
        );
    /// Plus infinity.
    PLUS_INFINITY = OpRow::new("+oo", SPECIAL, |cx, app, _| {
            Ok(Float::infinity(format(cx, app.sort), Sign::Positive).into())
        });
    /// Minus infinity.
    MINUS_INFINITY = OpRow::new("-oo", SPECIAL, |cx, app, _| {
            Ok(Float::infinity(format(cx, app.sort), Sign::Negative).into())
        });
    /// Plus zero.
    PLUS_ZERO = OpRow::new("+zero", SPECIAL, |cx, app, _| {
            Ok(Float::zero(format(cx, app.sort), Sign::Positive).into())
        });
    /// Minus zero.
    MINUS_ZERO = OpRow::new("-zero", SPECIAL, |cx, app, _| {
            Ok(Float::zero(format(cx, app.sort), Sign::Negative).into())
        });
    /// The value that is not a number; a format has one.
    NAN = OpRow::new("NaN", SPECIAL, |cx, app, _| Ok(Float::nan(format(cx, app.sort)).into()));
    /// Absolute value.
    ABS = OpRow::new("fp.abs", UNARY, |_, _, args| Ok(float(&args[0]).abs().into()));
    /// Negation, a change of the sign bit.
    NEG = OpRow::new("fp.neg", UNARY, |_, _, args| Ok(float(&args[0]).neg().into()))
        .laws(&[Law::Involutive]);
    /// Addition.
    ADD = OpRow::new("fp.add", ROUNDED_BINARY, |_, _, args| {
            Ok(float(&args[1]).add(float(&args[2]), mode(&args[0])).into())
        });
    /// Subtraction.
    SUB = OpRow::new("fp.sub", ROUNDED_BINARY, |_, _, args| {
            Ok(float(&args[1]).sub(float(&args[2]), mode(&args[0])).into())
        });
    /// Multiplication.
    MUL = OpRow::new("fp.mul", ROUNDED_BINARY, |_, _, args| {
            Ok(float(&args[1]).mul(float(&args[2]), mode(&args[0])).into())
        });
    /// Division.
    DIV = OpRow::new("fp.div", ROUNDED_BINARY, |_, _, args| {
            Ok(float(&args[1]).div(float(&args[2]), mode(&args[0])).into())
        });
    /// Product of the first two plus the third, rounded once.
    FMA = OpRow::new("fp.fma", &[Sig::new(&[RM, F, F, F], F)], |_, _, args| {
            Ok(float(&args[1]).fma(float(&args[2]), float(&args[3]), mode(&args[0])).into())
        });
    /// Square root.
    SQRT = OpRow::new("fp.sqrt", ROUNDED_UNARY, |_, _, args| {
            Ok(float(&args[1]).sqrt(mode(&args[0])).into())
        });
    /// Remainder of the quotient rounded to the nearest integer, ties to even.
    REM = OpRow::new("fp.rem", BINARY, |_, _, args| {
            Ok(float(&args[0]).rem(float(&args[1])).into())
        });
    /// Nearest integer inside the format. Solvers differ if the format lacks it.
    ROUND_TO_INTEGRAL = OpRow::new("fp.roundToIntegral", ROUNDED_UNARY, round_to_integral)
        .open(Allowed::Disputed);
    /// Minimum; open for zeros of different sign.
    MIN = OpRow::new("fp.min", BINARY, |_, app, args| {
            let least = float(&args[0]).min(float(&args[1]));
            least.map(Value::Float).ok_or(Unknown::Open(app.op))
        })
        .open(Allowed::Argument);
    /// Maximum; open for zeros of different sign.
    MAX = OpRow::new("fp.max", BINARY, |_, app, args| {
            let greatest = float(&args[0]).max(float(&args[1]));
            greatest.map(Value::Float).ok_or(Unknown::Open(app.op))
        })
        .open(Allowed::Argument);
    /// Less or equal.
    LEQ = OpRow::new("fp.leq", ORDER, |_, _, args| Ok(chain(args, Float::le))).fold(Fold::Chain);
    /// Less.
    LT = OpRow::new("fp.lt", ORDER, |_, _, args| Ok(chain(args, Float::lt))).fold(Fold::Chain);
    /// Greater or equal.
    GEQ = OpRow::new("fp.geq", ORDER, |_, _, args| Ok(chain(args, Float::ge))).fold(Fold::Chain);
    /// Greater.
    GT = OpRow::new("fp.gt", ORDER, |_, _, args| Ok(chain(args, Float::gt))).fold(Fold::Chain);
    /// IEEE-754 equality: the zeros are equal, NaN equals nothing.
    EQ = OpRow::new("fp.eq", ORDER, |_, _, args| Ok(chain(args, Float::ieee_eq)))
        .fold(Fold::Chain)
        .laws(&[Law::Commutative]);
    /// Whether a number is normal.
    IS_NORMAL = OpRow::new("fp.isNormal", CLASS, |_, _, args| {
            Ok(float(&args[0]).is_normal().into())
        });
    /// Whether a number is subnormal.
    IS_SUBNORMAL = OpRow::new("fp.isSubnormal", CLASS, |_, _, args| {
            Ok(float(&args[0]).is_subnormal().into())
        });
    /// Whether a number is one of the zeros.
    IS_ZERO = OpRow::new("fp.isZero", CLASS, |_, _, args| Ok(float(&args[0]).is_zero().into()));
    /// Whether a number is one of the infinities.
    IS_INFINITE = OpRow::new("fp.isInfinite", CLASS, |_, _, args| {
            Ok(float(&args[0]).is_infinite().into())
        });
    /// Whether a number is NaN.
    IS_NAN = OpRow::new("fp.isNaN", CLASS, |_, _, args| Ok(float(&args[0]).is_nan().into()));
    /// Whether the sign is negative; false of NaN.
    IS_NEGATIVE = OpRow::new("fp.isNegative", CLASS, |_, _, args| {
            Ok(float(&args[0]).is_negative().into())
        });
    /// Whether the sign is positive; false of NaN.
    IS_POSITIVE = OpRow::new("fp.isPositive", CLASS, |_, _, args| {
            Ok(float(&args[0]).is_positive().into())
        });
    /// Conversion from an encoding, or, rounded, from a number, a real or a signed bit-vector.
    TO_FP = OpRow::new(
            "to_fp",
            &[FROM_BITS, FROM_FLOAT, FROM_REAL, FROM_BV, FROM_INT, FROM_SCALED, FROM_FIELDS],
            to_fp,
        );
    /// Conversion from an unsigned bit-vector.
    TO_FP_UNSIGNED = OpRow::new("to_fp_unsigned", &[FROM_BV], |cx, app, args| {
            let number = bits(&args[1]).to_unsigned().to_big();
            Ok(Float::from_integer(format(cx, app.sort), mode(&args[0]), &number).into())
        });
    /// Conversion to an unsigned bit-vector; open if the rounded number is out of range.
    TO_UBV = OpRow::new("fp.to_ubv", TO_BITS, |cx, app, args| {
            let width = width(cx, app.sort);
            to_bit_vector(app, args, &BigInt::ZERO, &power_of_two(width), width)
        })
        .open(Allowed::Any);
    /// Conversion to a signed bit-vector; open if the rounded number is out of range.
    TO_SBV = OpRow::new("fp.to_sbv", TO_BITS, |cx, app, args| {
            let width = width(cx, app.sort);
            let bound = power_of_two(width - 1);
            to_bit_vector(app, args, &-&bound, &bound, width)
        })
        .open(Allowed::Any);
    /// Conversion to a real; open for NaN and infinities.
    TO_REAL = OpRow::new("fp.to_real", &[Sig::new(&[F], Pat::Real)], to_real)
        .open(Allowed::Any);
    /// The interchange encoding; open for NaN, which has several.
    TO_IEEE_BV = OpRow::new(
            "fp.to_ieee_bv",
            &[Sig::new(&[F], Pat::Bv(Width::Plus(&Width::Var(0), &Width::Var(1))))],
            |cx, app, args| match float(&args[0]) {
                number if number.is_nan() => Err(Unknown::Open(app.op)),
                number => Ok(BitVec::from_big(width(cx, app.sort), &number.to_bits()).into()),
            },
        )
        .origin(Origin::Extension("z3"))
        .open(Allowed::NanEncoding)
        .aliases(&[Alias { name: "to_ieee_bv", vocabulary: Vocabulary::Z3 }]);
    /// `to_fp` from an encoding only.
    TO_FP_BV = OpRow::new("to_fp_bv", &[FROM_BITS], to_fp).origin(CVC);
    /// `to_fp` from a number only.
    TO_FP_FP = OpRow::new("to_fp_fp", &[FROM_FLOAT], to_fp).origin(CVC);
    /// `to_fp` from a real only.
    TO_FP_REAL = OpRow::new("to_fp_real", &[FROM_REAL], to_fp).origin(CVC);
    /// `to_fp` from a signed bit-vector only.
    TO_FP_SIGNED = OpRow::new("to_fp_signed", &[FROM_BV], to_fp).origin(CVC);
}

/// A signature with the indices of a format, which is the result's.
const fn of_format(args: &'static [Pat]) -> Sig {
    Sig::new(args, INDEXED).indexed(2).requires(FORMAT_WORDS, |indices, _| {
        let [eb, sb] = [indices[0], indices[1]].map(u32::try_from);
        matches!((eb, sb), (Ok(eb), Ok(sb)) if Format::new(eb, sb).is_some())
    })
}

const fn long(name: &'static str) -> Alias {
    Alias { name, vocabulary: Vocabulary::Long }
}

/// The operator that denotes a rounding mode.
pub(crate) fn rounding_mode_op(mode: RoundingMode) -> Op {
    match mode {
        RoundingMode::NearestEven => RNE,
        RoundingMode::NearestAway => RNA,
        RoundingMode::TowardPositive => RTP,
        RoundingMode::TowardNegative => RTN,
        RoundingMode::TowardZero => RTZ,
    }
}

/// The term of a number: a named constant for NaN, infinities and zeros, `(fp s e f)` otherwise.
pub(crate) fn literal(store: &mut Store, value: &Float) -> Option<TermId> {
    let format = value.format();
    let named = match value.sign() {
        None => Some(NAN),
        Some(Sign::Positive) if value.is_infinite() => Some(PLUS_INFINITY),
        Some(Sign::Negative) if value.is_infinite() => Some(MINUS_INFINITY),
        Some(Sign::Positive) if value.is_zero() => Some(PLUS_ZERO),
        Some(Sign::Negative) if value.is_zero() => Some(MINUS_ZERO),
        Some(_) => None,
    };
    if let Some(op) = named {
        let indices = [format.exponent_bits(), format.significand_bits()].map(u64::from);
        return store.op_indexed(op, &indices, &[]).ok();
    }
    let parts = value.to_parts();
    let fields = [
        BitVec::from_u64(1, parts.sign.bit().into()),
        BitVec::from_u64(format.exponent_bits(), parts.exponent),
        BitVec::from_big(format.fraction_bits(), &parts.significand),
    ];
    let fields = fields.map(|field| store.bit_vec(field));
    store.op(FP, &fields).ok()
}

fn float(value: &Value) -> &Float {
    match value {
        Value::Float(float) => float,
        _ => unreachable!("typed as FloatingPoint"),
    }
}

fn mode(value: &Value) -> RoundingMode {
    match value {
        Value::RoundingMode(mode) => *mode,
        _ => unreachable!("typed as RoundingMode"),
    }
}

fn bits(value: &Value) -> &BitVec {
    match value {
        Value::BitVec(bits) => bits,
        _ => unreachable!("typed as BitVec"),
    }
}

fn format(cx: &EvalContext<'_>, sort: SortId) -> Format {
    match *cx.store.sorts.get(sort) {
        Sort::Float(format) => format,
        _ => unreachable!("typed as FloatingPoint"),
    }
}

fn width(cx: &EvalContext<'_>, sort: SortId) -> u32 {
    match *cx.store.sorts.get(sort) {
        Sort::BitVec(width) => width,
        _ => unreachable!("typed as BitVec"),
    }
}

fn rounding(mode: RoundingMode) -> Result<Value, Unknown> {
    Ok(Value::RoundingMode(mode))
}

fn chain(args: &[Value], related: fn(&Float, &Float) -> bool) -> Value {
    args.windows(2).all(|pair| related(float(&pair[0]), float(&pair[1]))).into()
}

fn from_fields(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let sign = if bits(&args[0]).is_zero() { Sign::Positive } else { Sign::Negative };
    let exponent = bits(&args[1]).to_u64().expect("a format has at most 60 exponent bits");
    let number = Float::from_parts(format(cx, app.sort), sign, exponent, &bits(&args[2]).to_big());
    Ok(number.expect("the fields have the widths of the format").into())
}

fn round_to_integral(
    _: &mut EvalContext<'_>,
    app: App<'_>,
    args: &[Value],
) -> Result<Value, Unknown> {
    let number = float(&args[1]);
    let rounded = number.round_to_integral(mode(&args[0]));
    // Formats with few exponents lack the integer above their greatest number.
    if rounded.is_infinite() && !number.is_infinite() {
        return Err(Unknown::Open(app.op));
    }
    Ok(rounded.into())
}

fn to_fp(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let format = format(cx, app.sort);
    let number = match args {
        [Value::BitVec(encoding)] => Float::from_bits(format, &encoding.to_big())
            .expect("the encoding has the width of the format"),
        [Value::BitVec(_), _, _] => return from_fields(cx, app, args),
        [rm, Value::Float(number)] => number.convert(format, mode(rm)),
        [rm, Value::Real(number)] => Float::from_rational(format, mode(rm), number),
        [rm, Value::BitVec(number)] => {
            Float::from_integer(format, mode(rm), &number.to_signed().to_big())
        }
        [rm, Value::Int(number)] => Float::from_integer(format, mode(rm), &number.to_big()),
        [rm, significand, exponent] => {
            Float::from_scaled(format, mode(rm), real(significand), &int(exponent).to_big())
        }
        _ => unreachable!("typed as one of the forms above"),
    };
    Ok(number.into())
}

fn power_of_two(exponent: u32) -> BigInt {
    BigInt::from(BigUint::from(1u32) << exponent)
}

// A number whose integer is too long to compute is then out of range for every bit-vector.
const _: () = assert!(EXACT_BITS_LIMIT >= MAX_WIDTH as i64);

/// The integer that a number rounds to, if it is at least `low` and below `high`.
fn to_bit_vector(
    app: App<'_>,
    args: &[Value],
    low: &BigInt,
    high: &BigInt,
    width: u32,
) -> Result<Value, Unknown> {
    match float(&args[1]).round_to_integer(mode(&args[0])) {
        Ok(integer) if *low <= integer && integer < *high => {
            Ok(BitVec::from_int(width, &Int::from(integer)).into())
        }
        Ok(_) | Err(NoExactValue::Nan | NoExactValue::Infinite(_) | NoExactValue::TooLarge) => {
            Err(Unknown::Open(app.op))
        }
    }
}

fn to_real(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    match float(&args[0]).to_rational() {
        Ok(number) if number.numer().bits() + number.denom().bits() <= cx.limits.bits => {
            Ok(Value::rational(number))
        }
        Ok(_) | Err(NoExactValue::TooLarge) => Err(TOO_LARGE),
        Err(NoExactValue::Nan | NoExactValue::Infinite(_)) => Err(Unknown::Open(app.op)),
    }
}

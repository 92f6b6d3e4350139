//! Floating-point numbers as the interpreter keeps them: their IEEE 754 encodings, of which NaN has one.
//!
//! The arithmetic is the exact one of [`assay_term::float`]: what C does under Annex F where the type of an
//! operation is its evaluation type (`FLT_EVAL_METHOD` 0), without contraction. It rounds to nearest, ties to
//! even, except for operations that set another mode ([`Rounded`]).

use super::run::Fault;
use super::tree::{Binary, Expr, Rounded};
use super::types::Scalar;
use assay_term::Int;
use assay_term::bitvec::BitVec;
use assay_term::float::{Float, Format, RoundingMode, Sign};

/// The usual rounding mode.
pub(crate) const NEAREST: RoundingMode = RoundingMode::NearestEven;

/// The format of a floating-point type; none for integers.
pub(crate) fn format(scalar: Scalar) -> Option<Format> {
    match scalar {
        Scalar::Float => Some(Format::FLOAT32),
        Scalar::Double => Some(Format::FLOAT64),
        _ => None,
    }
}

/// The floating-point type of a format; `None` if C has no such type.
pub(crate) fn scalar(format: Format) -> Option<Scalar> {
    [Scalar::Float, Scalar::Double].into_iter().find(|&scalar| self::format(scalar) == Some(format))
}

/// The number of an encoding.
pub(crate) fn decoded(bits: i128, format: Format) -> Float {
    let bits = BitVec::from_u64(format.width(), bits as u64);
    Float::from_bits(format, &bits.to_big()).expect("the encoding has the width of its format")
}

/// The encoding of a number of a format of at most 64 bits.
pub(crate) fn encoded(number: &Float) -> i128 {
    let bits = BitVec::from_big(number.format().width(), &number.to_bits());
    bits.to_u64().expect("the formats of C have at most 64 bits").into()
}

/// The same encoding, or that of the one NaN.
pub(super) fn canonical(bits: i128, format: Format) -> i128 {
    encoded(&decoded(bits, format))
}

/// The encoding of an integer of a type, as a number of a format.
pub(crate) fn from_integer(value: i128, from: Scalar, format: Format) -> i128 {
    integer_in(value, from, format, NEAREST)
}

fn integer_in(value: i128, from: Scalar, format: Format, mode: RoundingMode) -> i128 {
    let half = |bits: u128| Int::from(bits as u64).to_big();
    // The sign of a number of 128 bits is only how it is kept.
    let negative = from != Scalar::U128 && value < 0;
    let magnitude = if negative { value.unsigned_abs() } else { value as u128 };
    let mut number = half(magnitude >> 64);
    number <<= 64;
    number += half(magnitude);
    if negative {
        number *= -1;
    }
    encoded(&Float::from_integer(format, mode, &number))
}

/// An integer as a literal of a type.
pub(crate) fn number(value: i128, scalar: Scalar) -> Expr {
    match format(scalar) {
        Some(format) => Expr::Number(from_integer(value, Scalar::Long, format), scalar),
        None => Expr::Number(value, scalar),
    }
}

/// A number converted to another type of C.
pub(super) fn to_scalar(number: &Float, to: Scalar) -> Result<i128, Fault> {
    if let Some(format) = format(to) {
        return Ok(encoded(&number.convert(format, NEAREST)));
    }
    if to == Scalar::Bool {
        return Ok(i128::from(!number.is_zero()));
    }
    let outside = Fault::Undefined("a conversion of a number that the integer type cannot hold");
    let Ok(integer) = number.round_to_integer(RoundingMode::TowardZero) else {
        return Err(outside);
    };
    match to {
        Scalar::U128 => u128::try_from(&integer).map(|value| value as i128).map_err(|_| outside),
        _ => i128::try_from(&integer).ok().filter(|&value| to.holds(value)).ok_or(outside),
    }
}

/// The negation of a number.
pub(super) fn negated(number: &Float) -> i128 {
    encoded(&number.neg())
}

/// The value of an arithmetic operation; `None` if C has no such operation on these types.
pub(super) fn arithmetic(op: Binary, a: &Float, b: &Float, mode: RoundingMode) -> Option<i128> {
    let value = match op {
        Binary::Add => a.add(b, mode),
        Binary::Sub => a.sub(b, mode),
        Binary::Mul => a.mul(b, mode),
        Binary::Div => a.div(b, mode),
        _ => return None,
    };
    Some(encoded(&value))
}

/// The value of an operation in its rounding mode, on operands of its type; `None` if there is no such
/// operation.
pub(super) fn rounded(of: Rounded, args: &[i128]) -> Option<i128> {
    let to = format(of.to)?;
    match (of.op, format(of.from), args) {
        (Some(op), Some(format), &[a, b]) => {
            arithmetic(op, &decoded(a, format), &decoded(b, format), of.mode)
        }
        (None, Some(format), &[a]) => Some(encoded(&decoded(a, format).convert(to, of.mode))),
        (None, None, &[a]) => Some(integer_in(a, of.from, to, of.mode)),
        _ => None,
    }
}

/// What `fesetround` takes for a rounding mode on the machines of the data model; `None` if C has no such mode.
pub(crate) fn word(mode: RoundingMode) -> Option<u32> {
    match mode {
        RoundingMode::NearestEven => Some(0),
        RoundingMode::TowardNegative => Some(0x400),
        RoundingMode::TowardPositive => Some(0x800),
        RoundingMode::TowardZero => Some(0xc00),
        RoundingMode::NearestAway => None,
    }
}

/// The result of a comparison; `None` if the operation is no comparison.
pub(super) fn comparison(op: Binary, a: &Float, b: &Float) -> Option<bool> {
    Some(match op {
        Binary::Eq => a.ieee_eq(b),
        Binary::Ne => !a.ieee_eq(b),
        Binary::Lt | Binary::Below => a.lt(b),
        Binary::Le | Binary::AtMost => a.le(b),
        Binary::Gt => a.gt(b),
        Binary::Ge => a.ge(b),
        _ => return None,
    })
}

/// A number as C: short decimal fractions as they are, others in hexadecimal, which no reader rounds.
pub(super) fn literal(bits: i128, scalar: Scalar) -> String {
    let format = format(scalar).expect("the type of a floating-point number");
    let suffix = if scalar == Scalar::Float { "f" } else { "" };
    let number = decoded(bits, format);
    if number.is_nan() {
        return format!("(0.0{suffix} / 0.0{suffix})");
    }
    let magnitude = if number.is_infinite() {
        format!("1.0{suffix} / 0.0{suffix}")
    } else {
        finite(&number, format) + suffix
    };
    match number.sign() {
        Some(Sign::Negative) => format!("(-{magnitude})"),
        _ if number.is_infinite() => format!("({magnitude})"),
        _ => magnitude,
    }
}

/// The magnitude of a finite number, without a suffix.
fn finite(number: &Float, format: Format) -> String {
    let bits = encoded(&number.abs()) as u64;
    let double = encoded(&number.abs().convert(Format::FLOAT64, NEAREST)) as u64;
    let value = f64::from_bits(double);
    // At most fifteen digits: the shortest text of such a number is its exact value.
    if value < 1e6 && (value * 256.0).fract() == 0.0 {
        return format!("{value:?}");
    }
    let fraction = format.fraction_bits();
    let significand = bits & ((1 << fraction) - 1);
    match bits >> fraction {
        0 => format!("{significand:#x}p{}", format.quantum_exponent()),
        exponent => {
            let exponent = format.quantum_exponent() + exponent as i64 - 1;
            format!("{:#x}p{exponent}", significand | 1 << fraction)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_exact() {
        let double = |value: f64| literal(value.to_bits().into(), Scalar::Double);
        let float = |value: f32| literal(value.to_bits().into(), Scalar::Float);
        assert_eq!(
            (double(1.5), float(-2.0), double(-0.0)),
            ("1.5".into(), "(-2.0f)".into(), "(-0.0)".into())
        );
        assert_eq!(double(0.1), "0x1999999999999ap-56");
        assert_eq!(float(0.1), "0xcccccdp-27f");
        assert_eq!(double(f64::from_bits(1)), "0x1p-1074");
        assert_eq!(float(f32::MAX), "0xffffffp104f");
        assert_eq!(float(f32::NEG_INFINITY), "(-1.0f / 0.0f)");
        assert_eq!(double(f64::INFINITY), "(1.0 / 0.0)");
        assert_eq!(double(f64::NAN), "(0.0 / 0.0)");
    }

    #[test]
    fn integers_are_rounded_to_nearest() {
        let double =
            |value: i128| f64::from_bits(from_integer(value, Scalar::Long, Format::FLOAT64) as u64);
        for value in
            [0, -1, (1 << 53) + 1, (1 << 53) + 3, i128::from(i64::MIN), i128::from(i64::MAX)]
        {
            assert_eq!(double(value), value as f64, "{value}");
        }
        let wide = from_integer(-1, Scalar::U128, Format::FLOAT32);
        assert_eq!(f32::from_bits(wide as u32), u128::MAX as f32);
    }

    #[test]
    fn conversions_to_integers_cut_and_must_fit() {
        let number = |value: f64| decoded(value.to_bits().into(), Format::FLOAT64);
        assert_eq!(to_scalar(&number(-0.9), Scalar::UChar), Ok(0));
        assert_eq!(to_scalar(&number(255.9), Scalar::UChar), Ok(255));
        for (value, to) in [(256.0, Scalar::UChar), (f64::NAN, Scalar::Int), (1e30, Scalar::Long)] {
            assert!(matches!(to_scalar(&number(value), to), Err(Fault::Undefined(_))), "{value}");
        }
        assert_eq!(to_scalar(&number(f64::NAN), Scalar::Bool), Ok(1));
        assert_eq!(to_scalar(&number(-0.0), Scalar::Bool), Ok(0));
    }
}

//! Real division and the conversions between integers and reals.

use super::ints::real;
use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::op::{Alias, App, Eval, Extension, Fold, OpRow, Origin, Pat, Sig, Vocabulary};
use crate::open::Allowed;
use crate::value::Value;
use num_rational::BigRational;
use num_traits::{One, Signed, Zero};

const I: Pat = Pat::Int;
const R: Pat = Pat::Real;

const FUNCTION: &[Sig] = &[Sig::new(&[R], R)];

const CVC5: Origin = Origin::Extension("cvc5");
const Z3: Origin = Origin::Extension("z3");

const INEXACT: Unknown = Unknown::Unsupported("a transcendental function has no exact value");

/// A function whose values are irrational almost everywhere: typed, but without a value here.
const fn transcendental(name: &'static str, sigs: &'static [Sig]) -> OpRow {
    OpRow::new(name, sigs, |_, _, _| Err(INEXACT)).origin(Origin::Extension("z3, cvc5"))
}

/// The same with a rational value at zero.
const fn known_at_zero(name: &'static str, at_zero: Eval) -> OpRow {
    OpRow { eval: at_zero, ..transcendental(name, FUNCTION) }
}

/// Zero at zero, and unknown elsewhere.
fn zero_at_zero(_: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    at_zero(&args[0], BigRational::zero())
}

/// One at zero, and unknown elsewhere.
fn one_at_zero(_: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    at_zero(&args[0], BigRational::one())
}

fn at_zero(arg: &Value, value: BigRational) -> Result<Value, Unknown> {
    if real(arg).is_zero() { Ok(Value::rational(value)) } else { Err(INEXACT) }
}

const fn z3(name: &'static str) -> Alias {
    Alias { name, vocabulary: Vocabulary::Z3 }
}

operators! { Theory::Reals;
    /// Division.
    DIVIDE = OpRow::new("/", &[Sig::new(&[R, R], R)], divide)
        .fold(Fold::Left)
        .open(Allowed::Any);
    /// The integer as a real; a real stays as it is (solvers read that where numerals are reals).
    TO_REAL = OpRow::new("to_real", &[Sig::new(&[I], R), Sig::new(&[R], R).extension(Extension::ToRealOfReals)], |_, _, args| {
            Ok(match &args[0] {
                Value::Int(n) => Value::rational(BigRational::from_integer(n.to_big())),
                real => real.clone(),
            })
        });
    /// The greatest integer not above.
    TO_INT = OpRow::new("to_int", &[Sig::new(&[R], I)], |_, _, args| {
            Ok(Value::Int(real(&args[0]).floor().to_integer().into()))
        });
    /// The exponential function.
    EXP = known_at_zero("exp", one_at_zero);
    /// Sine.
    SIN = known_at_zero("sin", zero_at_zero);
    /// Cosine.
    COS = known_at_zero("cos", one_at_zero);
    /// Tangent.
    TAN = known_at_zero("tan", zero_at_zero);
    /// Arcus sine.
    ARCSIN = known_at_zero("arcsin", zero_at_zero).aliases(&[z3("asin")]);
    /// Arcus cosine.
    ARCCOS = transcendental("arccos", FUNCTION).aliases(&[z3("acos")]);
    /// Arcus tangent.
    ARCTAN = known_at_zero("arctan", zero_at_zero).aliases(&[z3("atan")]);
    /// Hyperbolic sine.
    SINH = known_at_zero("sinh", zero_at_zero);
    /// Hyperbolic cosine.
    COSH = known_at_zero("cosh", one_at_zero);
    /// Hyperbolic tangent.
    TANH = known_at_zero("tanh", zero_at_zero);
    /// Secant.
    SEC = known_at_zero("sec", one_at_zero).origin(CVC5);
    /// Cosecant.
    CSC = transcendental("csc", FUNCTION).origin(CVC5);
    /// Cotangent.
    COT = transcendental("cot", FUNCTION).origin(CVC5);
    /// Arcus secant.
    ARCSEC = transcendental("arcsec", FUNCTION).origin(CVC5);
    /// Arcus cosecant.
    ARCCSC = transcendental("arccsc", FUNCTION).origin(CVC5);
    /// Arcus cotangent.
    ARCCOT = transcendental("arccot", FUNCTION).origin(CVC5);
    /// Area hyperbolic sine.
    ASINH = known_at_zero("asinh", zero_at_zero).origin(Z3);
    /// Area hyperbolic cosine.
    ACOSH = transcendental("acosh", FUNCTION).origin(Z3);
    /// Area hyperbolic tangent.
    ATANH = known_at_zero("atanh", zero_at_zero).origin(Z3);
    /// Division that yields zero if the divisor is zero.
    DIVIDE_TOTAL = OpRow::new("/_total", &[Sig::new(&[R, R], R)], |_, _, args| {
            let divisor = real(&args[1]);
            let quotient = (!divisor.is_zero()).then(|| real(&args[0]) / divisor);
            Ok(Value::rational(quotient.unwrap_or_else(BigRational::zero)))
        })
        .origin(CVC5);
    /// The non-negative square root, of squares of rational numbers.
    SQRT = OpRow { eval: root, ..transcendental("sqrt", FUNCTION) };
    /// The number π.
    PI = transcendental("real.pi", &[Sig::new(&[], R)]).aliases(&[z3("pi")]);
    /// Whether it is an integer.
    IS_INT = OpRow::new("is_int", &[Sig::new(&[R], Pat::Bool)], |_, _, args| {
            Ok(real(&args[0]).is_integer().into())
        });
}

/// The root of the square of a rational number; that of others is irrational, and that of negative
/// numbers is open.
fn root(_: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let square = real(&args[0]);
    if square.is_negative() {
        return Err(Unknown::Unsupported("the square root of a negative number"));
    }
    let candidate = BigRational::new(square.numer().sqrt(), square.denom().sqrt());
    if &candidate * &candidate == *square { Ok(Value::rational(candidate)) } else { Err(INEXACT) }
}

fn divide(_: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let (first, divisors) = args.split_first().expect("typed with two arguments or more");
    let mut total = real(first).clone();
    for divisor in divisors {
        if real(divisor).is_zero() {
            return Err(Unknown::Open(app.op));
        }
        total /= real(divisor);
    }
    Ok(Value::rational(total))
}

//! Floating-point numbers: Float32 as `float`, Float64 as `double`.
//!
//! C's operators mean what SMT-LIB's mean under Annex F (IEEE 754), where the type of an operation is its
//! evaluation type and nothing is contracted. NaN makes orders partial, so they are written as
//! [`Binary::Below`] and [`Binary::AtMost`], whose negation is no comparison. What the standard leaves open
//! (conversions out of range, the minimum of two zeros, the encoding of NaN) becomes a requirement. Operations
//! in another rounding mode than to nearest, ties to even, set it and set it back.

use super::ints::long;
use super::{Kind, Low, Lowerer, Refusal};
use crate::c::{Binary, Expr, Rounded, Scalar, Unary, float};
use assay_term::float::{Float, Format, RoundingMode, Sign};
use assay_term::theories::fp;
use assay_term::{Func, Op, Term, TermId};

impl Lowerer<'_> {
    /// A rounding mode: only its name has a counterpart in C, and is looked at by operators.
    pub(super) fn mode(&mut self, term: TermId) -> Result<Low, Refusal> {
        if let Some(body) = self.defined(term)? {
            return Ok(self.low(body));
        }
        let Term::App(func, []) = self.store.get(term) else {
            return Err(Refusal::Sort("RoundingMode"));
        };
        let Func::Op(op, _) = self.store.func(func) else {
            return Err(Refusal::Sort("RoundingMode"));
        };
        let known = RoundingMode::ALL.iter().position(|mode| mode.short_name() == op.row().name);
        let number = known.ok_or(Refusal::Sort("RoundingMode"))?;
        let expr = Expr::number(number as i128, Scalar::Int);
        Ok(Low { expr, height: 0, range: (0, 0), scalar: Scalar::Int })
    }

    /// A literal.
    pub(super) fn float_number(&self, number: &Float) -> Result<Low, Refusal> {
        let format = number.format();
        let scalar = float::scalar(format).ok_or_else(|| Refusal::format(format))?;
        let expr = Expr::number(float::encoded(number), scalar);
        Ok(Low { expr, height: 0, range: (0, 0), scalar })
    }

    /// An operator on floating-point numbers; `None` if it is not supported.
    pub(super) fn float(
        &mut self,
        op: Op,
        lows: &[Low],
        kinds: &[Kind],
        kind: &Kind,
    ) -> Result<Option<Low>, Refusal> {
        let operands = kinds.iter().zip(lows);
        let mode =
            operands.clone().find(|(kind, _)| **kind == Kind::Mode).map(|(_, low)| mode(low));
        let lows: Vec<Low> =
            operands.filter(|(kind, _)| **kind != Kind::Mode).map(|(_, low)| low.clone()).collect();
        let kinds: Vec<Kind> = kinds.iter().filter(|kind| **kind != Kind::Mode).cloned().collect();
        let (lows, kinds) = (lows.as_slice(), kinds.as_slice());
        let arithmetic = |operation| {
            let (a, b, scalar) = (&lows[0], &lows[1], lows[0].scalar);
            let expr = match Refusal::rounding(mode, op)? {
                None => Expr::binary(operation, a.expr.clone(), b.expr.clone()),
                Some(mode) => {
                    let rounded = Rounded { mode, op: Some(operation), from: scalar, to: scalar };
                    Expr::Rounded(rounded, vec![a.expr.clone(), b.expr.clone()])
                }
            };
            Ok(Some(Low::from(expr, scalar, &[a, b])))
        };
        match op {
            fp::ADD => arithmetic(Binary::Add),
            fp::SUB => arithmetic(Binary::Sub),
            fp::MUL => arithmetic(Binary::Mul),
            fp::DIV => arithmetic(Binary::Div),
            fp::NEG => {
                let expr = Expr::unary(Unary::Minus, lows[0].expr.clone());
                Ok(Some(Low::from(expr, lows[0].scalar, &[&lows[0]])))
            }
            fp::ABS => Ok(Some(self.magnitude(&lows[0]))),
            fp::MIN => Ok(Some(self.extremum(&lows[0], &lows[1], true))),
            fp::MAX => Ok(Some(self.extremum(&lows[0], &lows[1], false))),
            fp::ROUND_TO_INTEGRAL => {
                let mode = mode.ok_or(Refusal::Sort("RoundingMode"))?;
                Ok(Some(self.integral(&lows[0], mode)))
            }
            fp::LT => Ok(Some(ordered(Binary::Below, lows, false))),
            fp::GT => Ok(Some(ordered(Binary::Below, lows, true))),
            fp::LEQ => Ok(Some(ordered(Binary::AtMost, lows, false))),
            fp::GEQ => Ok(Some(ordered(Binary::AtMost, lows, true))),
            fp::EQ => Ok(Some(ordered(Binary::Eq, lows, false))),
            fp::IS_NAN
            | fp::IS_ZERO
            | fp::IS_INFINITE
            | fp::IS_NORMAL
            | fp::IS_SUBNORMAL
            | fp::IS_NEGATIVE
            | fp::IS_POSITIVE => Ok(Some(self.class(op, &lows[0]))),
            fp::NAN | fp::PLUS_INFINITY | fp::MINUS_INFINITY | fp::PLUS_ZERO | fp::MINUS_ZERO => {
                let Kind::Float(scalar) = kind else { return Ok(None) };
                let format = format(*scalar);
                let number = match op {
                    fp::NAN => Float::nan(format),
                    fp::PLUS_INFINITY => Float::infinity(format, Sign::Positive),
                    fp::MINUS_INFINITY => Float::infinity(format, Sign::Negative),
                    fp::PLUS_ZERO => Float::zero(format, Sign::Positive),
                    _ => Float::zero(format, Sign::Negative),
                };
                self.float_number(&number).map(Some)
            }
            fp::TO_UBV | fp::TO_SBV => {
                let Kind::Bits(width) = *kind else { return Ok(None) };
                let mode = mode.ok_or(Refusal::Sort("RoundingMode"))?;
                self.float_to_bits(&lows[0], mode, width, op == fp::TO_SBV).map(Some)
            }
            fp::TO_IEEE_BV => {
                let number = self.named(lows[0].clone());
                self.require(is_number(&number));
                let expr = encoding(&number);
                Ok(Some(Low::from(expr, Scalar::unsigned(number.scalar.bits()), &[&number])))
            }
            fp::FP
            | fp::TO_FP
            | fp::TO_FP_BV
            | fp::TO_FP_FP
            | fp::TO_FP_REAL
            | fp::TO_FP_SIGNED
            | fp::TO_FP_UNSIGNED => {
                let Kind::Float(scalar) = *kind else { return Ok(None) };
                let signed = op != fp::TO_FP_UNSIGNED;
                self.float_from(op, mode, (lows, kinds), scalar, signed)
            }
            _ => Ok(None),
        }
    }

    /// Conversions to a floating-point type: from fields, from an encoding, from numbers.
    fn float_from(
        &mut self,
        op: Op,
        mode: Option<RoundingMode>,
        (lows, kinds): (&[Low], &[Kind]),
        scalar: Scalar,
        signed: bool,
    ) -> Result<Option<Low>, Refusal> {
        let precision = format(scalar).significand_bits();
        let converted = |operand: Expr, from: Scalar, is_exact: bool| {
            let mode = if is_exact { None } else { Refusal::rounding(mode, op)? };
            Ok(match mode {
                None => operand.cast(scalar),
                Some(mode) => {
                    let rounded = Rounded { mode, op: None, from, to: scalar };
                    Expr::Rounded(rounded, vec![operand])
                }
            })
        };
        match (lows, kinds) {
            ([sign, exponent, rest], &[Kind::Bits(1), Kind::Bits(e), Kind::Bits(f)]) => {
                let high = self.concat(sign, exponent, 1 + e, e);
                let bits = self.concat(&high, rest, 1 + e + f, f);
                Ok(Some(decoding(&bits, scalar)))
            }
            ([a], [Kind::Float(from)]) => {
                if *from == scalar {
                    return Ok(Some(a.clone()));
                }
                let expr = converted(a.expr.clone(), *from, from.bits() < scalar.bits())?;
                Ok(Some(Low::from(expr, scalar, &[a])))
            }
            // Without a rounding mode, the bits are an encoding.
            ([a], [Kind::Bits(_)]) if mode.is_none() => Ok(Some(decoding(a, scalar))),
            ([_], [Kind::Bits(width)]) if *width > 64 => Err(Refusal::Width),
            ([a], [Kind::Bits(width)]) => {
                let (integer, from) = match signed {
                    true => {
                        let value = Expr::call(self.helpers.signed(*width), vec![a.expr.clone()]);
                        (value, if *width <= 32 { Scalar::Int } else { Scalar::Long })
                    }
                    false => (a.expr.clone(), a.scalar),
                };
                // Integers of few bits are not rounded.
                let expr = converted(integer, from, *width <= precision)?;
                Ok(Some(Low::from(expr, scalar, &[a])))
            }
            ([a], [Kind::Int]) => {
                let expr = converted(long(a), Scalar::Long, false)?;
                Ok(Some(Low::from(expr, scalar, &[a])))
            }
            _ => Ok(None),
        }
    }

    /// Whether two numbers are the same: NaN is, and the zeros are not.
    pub(super) fn same_floats(&mut self, a: &Expr, b: &Expr, scalar: Scalar) -> Expr {
        if a == b {
            return Expr::truth(true);
        }
        let name = self.helpers.same_floats(scalar);
        let call = Expr::call(name, vec![a.clone(), b.clone()]);
        Expr::binary(Binary::Ne, call, Expr::truth(false))
    }

    fn magnitude(&mut self, a: &Low) -> Low {
        let a = self.named(a.clone());
        let zero = Expr::number(0, a.scalar);
        let minus = Expr::unary(Unary::Minus, a.expr.clone());
        let is_zero = Expr::binary(Binary::Eq, a.expr.clone(), zero.clone());
        let rest = is_zero.cond(zero.clone(), a.expr.clone());
        let expr = Expr::binary(Binary::Below, a.expr.clone(), zero).cond(minus, rest);
        Low::from(expr, a.scalar, &[&a])
    }

    /// The minimum or maximum; that of two different zeros is open.
    fn extremum(&mut self, a: &Low, b: &Low, least: bool) -> Low {
        let (a, b) = (self.named(a.clone()), self.named(b.clone()));
        if a.expr == b.expr {
            return a;
        }
        let differ = Expr::binary(Binary::Ne, a.expr.clone(), b.expr.clone());
        let nonzero = Expr::binary(Binary::Ne, a.expr.clone(), Expr::number(0, a.scalar));
        let same = Expr::binary(Binary::Eq, encoding(&a), encoding(&b));
        self.require(differ.either(nonzero).either(same));
        let (x, y) = (a.expr.clone(), b.expr.clone());
        let before = if least { (x.clone(), y.clone()) } else { (y.clone(), x.clone()) };
        let before = Expr::binary(Binary::Below, before.0, before.1);
        let expr = before.cond(x.clone(), is_number(&b).cond(y, x));
        Low::from(expr, a.scalar, &[&a, &b])
    }

    fn integral(&mut self, a: &Low, mode: RoundingMode) -> Low {
        let name = self.helpers.integral(a.scalar, mode);
        Low::from(Expr::call(name, vec![a.expr.clone()]), a.scalar, &[a])
    }

    fn class(&mut self, op: Op, a: &Low) -> Low {
        let a = self.named(a.clone());
        let format = format(a.scalar);
        let number = |number: Float| Expr::number(float::encoded(&number), a.scalar);
        let is = |op, other: Float| Expr::binary(op, a.expr.clone(), number(other));
        let within = |op, least: Float, most: Float| {
            let above = Expr::binary(op, number(least), a.expr.clone());
            above.both(Expr::binary(op, a.expr.clone(), number(most)))
        };
        let least = |sign| Float::smallest_normal(format, sign);
        let largest = |sign| Float::largest(format, sign);
        let zero = || Float::zero(format, Sign::Positive);
        let first_negative = Expr::number(1i128 << (format.width() - 1), bits(a.scalar));
        let expr = match op {
            fp::IS_NAN => Expr::binary(Binary::Ne, a.expr.clone(), a.expr.clone()),
            fp::IS_ZERO => is(Binary::Eq, zero()),
            fp::IS_INFINITE => {
                let infinite = |sign| is(Binary::Eq, Float::infinity(format, sign));
                infinite(Sign::Positive).either(infinite(Sign::Negative))
            }
            fp::IS_NORMAL => {
                let up = within(Binary::AtMost, least(Sign::Positive), largest(Sign::Positive));
                let down = within(Binary::AtMost, largest(Sign::Negative), least(Sign::Negative));
                up.either(down)
            }
            fp::IS_SUBNORMAL => {
                let small = within(Binary::Below, least(Sign::Negative), least(Sign::Positive));
                is(Binary::Ne, zero()).both(small)
            }
            fp::IS_NEGATIVE => {
                is_number(&a).both(Expr::binary(Binary::Ge, encoding(&a), first_negative))
            }
            _ => is_number(&a).both(Expr::binary(Binary::Lt, encoding(&a), first_negative)),
        };
        Low::truth(expr, &[&a])
    }

    /// The bit-vector of an integer; results out of range are open.
    fn float_to_bits(
        &mut self,
        a: &Low,
        mode: RoundingMode,
        width: u32,
        signed: bool,
    ) -> Result<Low, Refusal> {
        if width > 64 {
            return Err(Refusal::Width);
        }
        // C's own conversion rounds towards zero.
        let cut = mode == RoundingMode::TowardZero;
        let whole = if cut { a.clone() } else { self.integral(a, mode) };
        let a = self.named(whole);
        let format = format(a.scalar);
        let power = |power: u32| {
            let scaled = float::from_integer(1i128 << power, Scalar::U128, format);
            Expr::number(scaled, a.scalar)
        };
        let most = if signed { power(width - 1) } else { power(width) };
        let minus = |number: Expr| Expr::unary(Unary::Minus, number);
        let above = match signed {
            true => Expr::binary(Binary::AtMost, minus(most.clone()), a.expr.clone()),
            false => Expr::binary(Binary::Below, minus(power(0)), a.expr.clone()),
        };
        self.require(above);
        self.require(Expr::binary(Binary::Below, a.expr.clone(), most));
        let scalar = Scalar::unsigned(width);
        let expr = match signed {
            true => {
                let integer = a.expr.clone().cast(Scalar::Long).cast(Scalar::ULong);
                super::bits::narrowed(integer, 64, width)
            }
            false => a.expr.clone().cast(scalar),
        };
        Ok(Low::from(expr, scalar, &[&a]))
    }
}

/// The rounding mode that a lowered term stands for.
fn mode(low: &Low) -> RoundingMode {
    let number = low.number().and_then(|number| usize::try_from(number).ok());
    let known = number.and_then(|number| RoundingMode::ALL.get(number).copied());
    known.expect("only rounding modes with a name are lowered")
}

fn format(scalar: Scalar) -> Format {
    float::format(scalar).expect("a floating-point type has a format")
}

/// The unsigned type of the encodings of a floating-point type.
fn bits(scalar: Scalar) -> Scalar {
    Scalar::unsigned(scalar.bits())
}

fn encoding(a: &Low) -> Expr {
    Expr::Recode(bits(a.scalar), Box::new(a.expr.clone()))
}

fn decoding(a: &Low, scalar: Scalar) -> Low {
    Low::from(Expr::Recode(scalar, Box::new(a.expr.clone())), scalar, &[a])
}

/// Whether it is not NaN.
fn is_number(a: &Low) -> Expr {
    Expr::binary(Binary::Eq, a.expr.clone(), a.expr.clone())
}

/// A chain of comparisons, or the chain from its other end.
fn ordered(op: Binary, lows: &[Low], turned: bool) -> Low {
    let pairs = lows.windows(2).map(|pair| {
        let (a, b) = if turned { (&pair[1], &pair[0]) } else { (&pair[0], &pair[1]) };
        Expr::binary(op, a.expr.clone(), b.expr.clone())
    });
    let parts: Vec<&Low> = lows.iter().collect();
    Low::truth(pairs.fold(Expr::truth(true), Expr::both), &parts)
}

impl Refusal {
    pub(super) fn format(format: Format) -> Refusal {
        Refusal::Format(format.exponent_bits(), format.significand_bits())
    }

    /// The rounding mode that an operator must set; none if it is the usual one.
    fn rounding(mode: Option<RoundingMode>, op: Op) -> Result<Option<RoundingMode>, Refusal> {
        match mode {
            Some(float::NEAREST) => Ok(None),
            Some(mode) if float::word(mode).is_some() => Ok(Some(mode)),
            Some(mode) => Err(Refusal::Rounding(op.row().name, mode.short_name())),
            None => Err(Refusal::Operator(op.row().name)),
        }
    }
}

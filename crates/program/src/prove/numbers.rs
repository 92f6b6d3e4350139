//! Arithmetic on symbolic numbers by the rules of C, with the conditions under which it is not defined.

use super::Open;
use super::machine::Machine;
use crate::c::{Binary, Rounded, Scalar, Unary, float};
use assay_term::float::{Float, RoundingMode};
use assay_term::theories::{bv, fp};
use assay_term::{Op, TermId};

/// A number of a type.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub(super) term: TermId,
    pub(super) scalar: Scalar,
}

impl Machine<'_> {
    pub(super) fn zero(&mut self, scalar: Scalar) -> Number {
        Number { term: self.terms.number(0, scalar), scalar }
    }

    /// `1` or `0`.
    pub(super) fn truth_number(&mut self, condition: TermId) -> Result<Number, Open> {
        let term = self.terms.one_if(condition, Scalar::Int.bits())?;
        Ok(Number { term, scalar: Scalar::Int })
    }

    /// Whether a number is not zero.
    pub(super) fn truth(&mut self, number: Number) -> Result<TermId, Open> {
        if let Some(condition) = self.terms.condition(number.term) {
            return Ok(condition);
        }
        let is_zero = match number.scalar.is_float() {
            true => self.terms.op(fp::IS_ZERO, &[number.term])?,
            false => {
                let zero = self.terms.number(0, number.scalar);
                self.terms.eq(number.term, zero)?
            }
        };
        self.terms.not(is_zero)
    }

    /// A number converted to another type.
    pub(super) fn converted(&mut self, number: Number, to: Scalar) -> Result<Number, Open> {
        let Number { term, scalar: from } = number;
        if from == to {
            return Ok(number);
        }
        let term = match (from.is_float(), to.is_float()) {
            _ if to == Scalar::Bool => {
                let truth = self.truth(number)?;
                self.terms.one_if(truth, 1)?
            }
            (_, true) => self.float_from(term, from, to, float::NEAREST)?,
            (true, false) => self.cut(number, to)?,
            (false, false) => self.resized(number, to)?,
        };
        Ok(Number { term, scalar: to })
    }

    /// A floating-point number from a number of another type.
    fn float_from(
        &mut self,
        term: TermId,
        from: Scalar,
        to: Scalar,
        mode: RoundingMode,
    ) -> Result<TermId, Open> {
        let is_signed = from.is_float() || from.is_signed();
        let op = if is_signed { fp::TO_FP } else { fp::TO_FP_UNSIGNED };
        self.terms.float_from(op, term, to, Some(mode))
    }

    /// An operation in its rounding mode, on operands of its type.
    pub(super) fn rounded(&mut self, of: Rounded, operands: &[TermId]) -> Result<Number, Open> {
        let term = match (of.op, operands) {
            (Some(op), [_, _]) => self.terms.rounded(arithmetic(op)?, of.mode, operands)?,
            (None, &[operand]) => self.float_from(operand, of.from, of.to, of.mode)?,
            _ => return Err(Open::other("an operation with other operands")),
        };
        Ok(Number { term, scalar: of.to })
    }

    fn resized(&mut self, number: Number, to: Scalar) -> Result<TermId, Open> {
        let Number { term, scalar: from } = number;
        if let (Some(condition), true) = (self.terms.condition(term), to.bits() > 1) {
            return self.terms.one_if(condition, to.bits());
        }
        let new = self.terms.resized(term, (from.bits(), to.bits()), from.is_signed())?;
        let fits = to.bits() > from.bits() || to.bits() == from.bits() && from.is_signed();
        if self.limits.portable && to.is_signed() && !fits {
            let back = match from.is_signed() {
                true => self.terms.resized(new, (to.bits(), from.bits()), true)?,
                false => {
                    let most = self.terms.bits(to.range().1, from.bits());
                    let within = self.terms.op(bv::ULE, &[term, most])?;
                    self.require(within)?;
                    return Ok(new);
                }
            };
            let same = self.terms.eq(back, term)?;
            self.require(same)?;
        }
        Ok(new)
    }

    /// The integer part of a floating-point number, which the type must hold.
    fn cut(&mut self, number: Number, to: Scalar) -> Result<TermId, Open> {
        let format = float::format(number.scalar).expect("the type of a floating-point number");
        let (signed, bits) = (to.is_signed(), to.bits());
        let (whole, term) = self.terms.cut(number.term, signed, bits)?;
        let power = |power: u32| {
            let encoding = float::from_integer(1i128 << (power.min(126)), Scalar::U128, format);
            let number = float::decoded(encoding, format);
            (0..power.saturating_sub(126))
                .fold(number, |number, _| number.add(&number, float::NEAREST))
        };
        let above = power(if signed { bits - 1 } else { bits });
        let least = match signed {
            true => above.neg(),
            false => Float::zero(format, assay_term::float::Sign::Positive),
        };
        let least = self.terms.number(float::encoded(&least), number.scalar);
        let above = self.terms.number(float::encoded(&above), number.scalar);
        let (low, high) =
            (self.terms.op(fp::LEQ, &[least, whole])?, self.terms.op(fp::LT, &[whole, above])?);
        // 2^128 is beyond the numbers of `float`: every finite one is below.
        let within = self.terms.and(low, high)?;
        self.require(within)?;
        Ok(term)
    }

    /// The number of an encoding, or the encoding of a number.
    pub(super) fn recoded(&mut self, number: Number, to: Scalar) -> Result<Number, Open> {
        if to.is_float() {
            let bits = self.converted(number, Scalar::unsigned(to.bits()))?;
            let term = self.terms.float_from(fp::TO_FP, bits.term, to, None)?;
            return Ok(Number { term, scalar: to });
        }
        let from = match to {
            Scalar::UInt => Scalar::Float,
            Scalar::ULong => Scalar::Double,
            _ => return Err(Open::other("an encoding in a type of another width")),
        };
        let number = self.converted(number, from)?;
        let is_nan = self.terms.op(fp::IS_NAN, &[number.term])?;
        let is_number = self.terms.not(is_nan)?;
        self.require(is_number)?;
        // The only encoding of what is not NaN.
        let bits = self.unknown("bits", to);
        let decoded = self.terms.float_from(fp::TO_FP, bits, from, None)?;
        let same = self.terms.eq(decoded, number.term)?;
        let defined = self.terms.or(is_nan, same)?;
        self.facts.push(defined);
        Ok(Number { term: bits, scalar: to })
    }

    pub(super) fn unary(&mut self, op: Unary, a: Number) -> Result<Number, Open> {
        if op == Unary::Not {
            let truth = self.truth(a)?;
            let not = self.terms.not(truth)?;
            return self.truth_number(not);
        }
        let a = self.converted(a, a.scalar.promoted())?;
        let Number { term, scalar } = a;
        let term = match (op, scalar.is_float()) {
            (Unary::Minus, true) => self.terms.op(fp::NEG, &[term])?,
            (Unary::Minus, false) => {
                if scalar.is_signed() {
                    let least = self.terms.number(scalar.range().0, scalar);
                    self.differ(term, least)?;
                }
                self.terms.op(bv::NEG, &[term])?
            }
            (_, true) => return Err(Open::other("`~` of a floating-point number")),
            (_, false) => {
                if scalar.is_signed() && self.limits.portable {
                    let never = self.terms.bool(false);
                    self.require(never)?;
                }
                self.terms.op(bv::NOT, &[term])?
            }
        };
        Ok(Number { term, scalar })
    }

    pub(super) fn binary(&mut self, op: Binary, a: Number, b: Number) -> Result<Number, Open> {
        let scalar = a.scalar.common(b.scalar);
        if let (Binary::Shl | Binary::Shr, false) = (op, scalar.is_float()) {
            return self.shift(op, a, b);
        }
        let (a, b) = (self.common(a, scalar)?, self.common(b, scalar)?);
        let comparison = comparison(op, scalar);
        if let Some((op, turned, negated)) = comparison {
            let args = if turned { [b, a] } else { [a, b] };
            let truth = self.terms.op(op, &args)?;
            let truth = if negated { self.terms.not(truth)? } else { truth };
            return self.truth_number(truth);
        }
        let term = match scalar.is_float() {
            true => self.terms.rounded(arithmetic(op)?, float::NEAREST, &[a, b])?,
            false => self.integers(op, a, b, scalar)?,
        };
        Ok(Number { term, scalar })
    }

    /// An operand of the usual arithmetic conversions: to a wider type or to an unsigned one, which is always
    /// defined.
    fn common(&mut self, number: Number, to: Scalar) -> Result<TermId, Open> {
        if number.scalar.is_float() || to.is_float() {
            return Ok(self.converted(number, to)?.term);
        }
        let portable = std::mem::replace(&mut self.limits.portable, false);
        let converted = self.converted(number, to);
        self.limits.portable = portable;
        Ok(converted?.term)
    }

    fn integers(
        &mut self,
        op: Binary,
        a: TermId,
        b: TermId,
        scalar: Scalar,
    ) -> Result<TermId, Open> {
        let (signed, bits) = (scalar.is_signed(), scalar.bits());
        match op {
            Binary::Add | Binary::Sub | Binary::Mul => {
                let op = match op {
                    Binary::Add => bv::ADD,
                    Binary::Sub => bv::SUB,
                    _ => bv::MUL,
                };
                let result = self.terms.op(op, &[a, b])?;
                if signed {
                    let wide = if op == bv::MUL { 2 * bits } else { bits + 1 };
                    let (x, y) = (
                        self.terms.resized(a, (bits, wide), true)?,
                        self.terms.resized(b, (bits, wide), true)?,
                    );
                    let exact = self.terms.op(op, &[x, y])?;
                    let same = self.terms.resized(result, (bits, wide), true)?;
                    let fits = self.terms.eq(exact, same)?;
                    self.require(fits)?;
                }
                Ok(result)
            }
            Binary::Div | Binary::Rem => {
                let zero = self.terms.bits(0, bits);
                self.differ(b, zero)?;
                if signed {
                    let least = self.terms.bits(scalar.range().0, bits);
                    let minus = self.terms.bits(-1, bits);
                    let (x, y) = (self.terms.eq(a, least)?, self.terms.eq(b, minus)?);
                    let overflows = self.terms.and(x, y)?;
                    let fits = self.terms.not(overflows)?;
                    self.require(fits)?;
                }
                let op = match (op, signed) {
                    (Binary::Div, true) => bv::SDIV,
                    (Binary::Div, false) => bv::UDIV,
                    (_, true) => bv::SREM,
                    (_, false) => bv::UREM,
                };
                self.terms.op(op, &[a, b])
            }
            Binary::And | Binary::Or | Binary::Xor => {
                if self.limits.portable && signed {
                    for term in [a, b] {
                        self.not_negative(term, bits)?;
                    }
                }
                let op = match op {
                    Binary::And => bv::AND,
                    Binary::Or => bv::OR,
                    _ => bv::XOR,
                };
                self.terms.op(op, &[a, b])
            }
            _ => Err(Open::other("an operator in the wrong place")),
        }
    }

    fn shift(&mut self, op: Binary, a: Number, b: Number) -> Result<Number, Open> {
        let a = self.converted(a, a.scalar.promoted())?;
        let b = self.converted(b, b.scalar.promoted())?;
        let (scalar, bits) = (a.scalar, a.scalar.bits());
        let width = self.terms.bits(bits.into(), b.scalar.bits());
        // A negative distance is a large one without its sign.
        let near = self.terms.op(bv::ULT, &[b.term, width])?;
        self.require(near)?;
        let by = self.terms.resized(b.term, (b.scalar.bits(), bits), false)?;
        if scalar.is_signed() && (op == Binary::Shl || self.limits.portable) {
            self.not_negative(a.term, bits)?;
        }
        let term = match op {
            Binary::Shl => {
                let result = self.terms.op(bv::SHL, &[a.term, by])?;
                if scalar.is_signed() {
                    let back = self.terms.op(bv::LSHR, &[result, by])?;
                    let same = self.terms.eq(back, a.term)?;
                    self.require(same)?;
                    self.not_negative(result, bits)?;
                }
                result
            }
            _ if scalar.is_signed() => self.terms.op(bv::ASHR, &[a.term, by])?,
            _ => self.terms.op(bv::LSHR, &[a.term, by])?,
        };
        Ok(Number { term, scalar })
    }

    fn not_negative(&mut self, term: TermId, bits: u32) -> Result<(), Open> {
        let zero = self.terms.bits(0, bits);
        let holds = self.terms.op(bv::SGE, &[term, zero])?;
        self.require(holds)
    }

    fn differ(&mut self, a: TermId, b: TermId) -> Result<(), Open> {
        let equal = self.terms.eq(a, b)?;
        let differ = self.terms.not(equal)?;
        self.require(differ)
    }
}

/// Arithmetic on floating-point numbers as an operator.
fn arithmetic(op: Binary) -> Result<Op, Open> {
    match op {
        Binary::Add => Ok(fp::ADD),
        Binary::Sub => Ok(fp::SUB),
        Binary::Mul => Ok(fp::MUL),
        Binary::Div => Ok(fp::DIV),
        _ => Err(Open::other("an operator that floating-point numbers lack")),
    }
}

/// A comparison as an operator, whether its operands change places, and whether it is negated.
fn comparison(op: Binary, scalar: Scalar) -> Option<(Op, bool, bool)> {
    let (equal, less, at_most) = match (scalar.is_float(), scalar.is_signed()) {
        (true, _) => (fp::EQ, fp::LT, fp::LEQ),
        (false, true) => (assay_term::theories::core::EQ, bv::SLT, bv::SLE),
        (false, false) => (assay_term::theories::core::EQ, bv::ULT, bv::ULE),
    };
    Some(match op {
        Binary::Eq => (equal, false, false),
        Binary::Ne => (equal, false, true),
        Binary::Lt | Binary::Below => (less, false, false),
        Binary::Le | Binary::AtMost => (at_most, false, false),
        Binary::Gt => (less, true, false),
        Binary::Ge => (at_most, true, false),
        _ => return None,
    })
}

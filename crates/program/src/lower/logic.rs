//! Connectives, equality and `ite`.

use super::{Kind, Low, Lowerer, Refusal};
use crate::c::{Binary, Expr, Scalar};
use assay_term::Op;
use assay_term::theories::core;

impl Lowerer<'_> {
    /// An operator of Core; `None` if it is not supported.
    pub(super) fn logic(
        &mut self,
        op: Op,
        lows: &[Low],
        kinds: &[Kind],
    ) -> Result<Option<Low>, Refusal> {
        let parts: Vec<&Low> = lows.iter().collect();
        let fold = |start: bool, join: fn(Expr, Expr) -> Expr| {
            lows.iter().fold(Expr::truth(start), |all, low| join(all, low.expr.clone()))
        };
        let expr = match op {
            core::TRUE => Expr::truth(true),
            core::FALSE => Expr::truth(false),
            core::NOT => lows[0].expr.clone().negated(),
            core::AND => fold(true, Expr::both),
            core::OR => fold(false, Expr::either),
            core::IMPLIES => {
                let (last, premises) = lows.split_last().expect("an implication has arguments");
                premises
                    .iter()
                    .rev()
                    .fold(last.expr.clone(), |all, low| low.expr.clone().negated().either(all))
            }
            core::XOR => {
                let (first, rest) = lows.split_first().expect("xor has arguments");
                rest.iter().fold(first.expr.clone(), |all, low| {
                    truths_equal(all, low.expr.clone()).negated()
                })
            }
            core::EQ => {
                let mut all = Expr::truth(true);
                for pair in lows.windows(2) {
                    let equal = self.equal(&pair[0], &pair[1], &kinds[0])?;
                    all = all.both(equal);
                }
                all
            }
            core::DISTINCT => {
                self.size += lows.len() * lows.len() / 2;
                if self.size > super::LARGEST {
                    return Err(Refusal::Size);
                }
                let mut all = Expr::truth(true);
                for (at, a) in lows.iter().enumerate() {
                    for b in &lows[at + 1..] {
                        let equal = self.equal(a, b, &kinds[0])?;
                        all = all.both(equal.negated());
                    }
                }
                all
            }
            core::ITE => return self.choice(lows, &kinds[1]).map(Some),
            _ => return Ok(None),
        };
        Ok(Some(Low::truth(expr, &parts)))
    }

    /// Whether two values of a kind are equal.
    pub(super) fn equal(&mut self, a: &Low, b: &Low, kind: &Kind) -> Result<Expr, Refusal> {
        if let Kind::Array(index, element) = kind {
            return self.arrays_equal(a, b, index, element);
        }
        if let Kind::Bool = kind {
            return Ok(truths_equal(a.expr.clone(), b.expr.clone()));
        }
        match kind {
            Kind::Float(scalar) => return Ok(self.same_floats(&a.expr, &b.expr, *scalar)),
            Kind::Mode => return Err(Refusal::Sort("RoundingMode")),
            _ => {}
        }
        let (a, b) = &self.apart(a, b);
        Ok(match kind {
            Kind::Int => super::ints::compare(Binary::Eq, a, b),
            _ => equal_numbers(&a.expr, &b.expr),
        })
    }

    fn choice(&mut self, lows: &[Low], kind: &Kind) -> Result<Low, Refusal> {
        let [condition, yes, no] = lows else { return Err(Refusal::Operator("ite")) };
        if let Some(known) = condition.expr.as_truth() {
            return Ok(if known { yes.clone() } else { no.clone() });
        }
        if yes.expr == no.expr {
            return Ok(yes.clone());
        }
        let parts = [condition, yes, no];
        let test = condition.expr.clone();
        match kind {
            Kind::Array(..) => self.array_choice(condition, yes, no, kind),
            Kind::Bool => {
                let expr = match (yes.expr.as_truth(), no.expr.as_truth()) {
                    (Some(true), Some(false)) => test,
                    (Some(false), Some(true)) => test.negated(),
                    (Some(true), None) => test.either(no.expr.clone()),
                    (Some(false), None) => test.negated().both(no.expr.clone()),
                    (None, Some(true)) => test.negated().either(yes.expr.clone()),
                    (None, Some(false)) => test.both(yes.expr.clone()),
                    _ => test.cond(yes.expr.clone(), no.expr.clone()),
                };
                Ok(Low::truth(expr, &parts))
            }
            Kind::Int => {
                let range = (yes.range.0.min(no.range.0), yes.range.1.max(no.range.1));
                let expr = test.cond(yes.expr.clone(), no.expr.clone());
                let scalar = if yes.scalar == Scalar::Int && no.scalar == Scalar::Int {
                    Scalar::Int
                } else {
                    Scalar::Long
                };
                Ok(Low { range, ..Low::from(expr, scalar, &parts) })
            }
            Kind::Mode => Err(Refusal::Sort("RoundingMode")),
            Kind::Bits(_) | Kind::Element | Kind::Float(_) => {
                let scalar = self.scalar(kind);
                let mut expr = test.cond(yes.expr.clone(), no.expr.clone());
                if scalar.bits() < 32 {
                    expr = expr.cast(scalar);
                }
                Ok(Low::from(expr, scalar, &parts))
            }
        }
    }
}

/// Whether two truth values are equal.
fn truths_equal(a: Expr, b: Expr) -> Expr {
    match (a.as_truth(), b.as_truth()) {
        (Some(true), _) => b,
        (_, Some(true)) => a,
        (Some(false), _) => b.negated(),
        (_, Some(false)) => a.negated(),
        _ if a == b => Expr::truth(true),
        _ => Expr::binary(Binary::Eq, a, b),
    }
}

/// Whether two unsigned numbers are equal, decided here if compilers would warn about it.
pub(super) fn equal_numbers(a: &Expr, b: &Expr) -> Expr {
    if a == b {
        return Expr::truth(true);
    }
    let decided = match (a, b) {
        (Expr::Number(a, _), Expr::Number(b, _)) => Some(a == b),
        (Expr::Number(number, _), other) | (other, Expr::Number(number, _)) => {
            never(other, *number).then_some(false)
        }
        _ => None,
    };
    match decided {
        Some(known) => Expr::truth(known),
        None => Expr::binary(Binary::Eq, a.clone(), b.clone()),
    }
}

/// Whether an expression can never have this value, because some of its bits are fixed.
fn never(expr: &Expr, number: i128) -> bool {
    let (may, must) = bits(expr);
    number >= 0 && (number & !may != 0 || must & !number != 0)
}

/// The bits that may be set in the value of an expression, and those that must be.
fn bits(expr: &Expr) -> (i128, i128) {
    const UNKNOWN: (i128, i128) = (-1, 0);
    match expr {
        Expr::Number(value, scalar) if *value >= 0 && !scalar.is_float() => (*value, *value),
        // What becomes of a floating-point number is not in its encoding.
        Expr::Cast(scalar, inner)
            if !scalar.is_signed() && !scalar.is_float() && *scalar != Scalar::Bool =>
        {
            let ((may, must), all) = (bits(inner), scalar.range().1);
            (may & all, must & all)
        }
        Expr::Binary(Binary::And, a, b) => {
            let ((may_a, must_a), (may_b, must_b)) = (bits(a), bits(b));
            (may_a & may_b, must_a & must_b)
        }
        Expr::Binary(Binary::Or, a, b) => {
            let ((may_a, must_a), (may_b, must_b)) = (bits(a), bits(b));
            (may_a | may_b, must_a | must_b)
        }
        _ => UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_bit_8_set() -> Expr {
        let number = Expr::number(0x100, Scalar::ULong);
        Expr::binary(Binary::Or, Expr::Var("x".into()), number)
    }

    #[test]
    fn bits_dropped_by_a_conversion_decide_nothing() {
        assert!(never(&with_bit_8_set(), 0));
        assert!(!never(&with_bit_8_set(), 0x1ff));
        let byte = with_bit_8_set().cast(Scalar::UChar);
        assert!(!never(&byte, 0));
        assert!(never(&byte, 0x100));
        let truth = with_bit_8_set().cast(Scalar::Bool);
        assert!(!never(&truth, 1));
    }
}

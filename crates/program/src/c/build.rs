//! Shorthand for expressions, with constant folding that avoids compiler warnings.

use super::tree::{Binary, Expr, Name, Unary};
use super::types::Scalar;

impl Expr {
    /// A number.
    #[must_use]
    pub fn number(value: impl Into<i128>, scalar: Scalar) -> Expr {
        Expr::Number(value.into(), scalar)
    }

    /// `1` or `0`.
    #[must_use]
    pub fn truth(value: bool) -> Expr {
        Expr::Number(i128::from(value), Scalar::Int)
    }

    /// A variable.
    #[must_use]
    pub fn var(name: &Name) -> Expr {
        Expr::Var(Name::clone(name))
    }

    /// The truth value, if it is known.
    #[must_use]
    pub fn as_truth(&self) -> Option<bool> {
        match self {
            Expr::Number(value, scalar) if !scalar.is_float() => Some(*value != 0),
            _ => None,
        }
    }

    /// An operator with two operands.
    #[must_use]
    pub fn binary(op: Binary, a: Expr, b: Expr) -> Expr {
        Expr::Binary(op, Box::new(a), Box::new(b))
    }

    /// An operator with one operand.
    #[must_use]
    pub fn unary(op: Unary, a: Expr) -> Expr {
        Expr::Unary(op, Box::new(a))
    }

    /// A conversion. A repeated conversion to the same type is omitted, and numbers that the type can
    /// hold are written in it.
    #[must_use]
    pub fn cast(self, scalar: Scalar) -> Expr {
        match self {
            Expr::Cast(known, _) if known == scalar => self,
            // The sign of a number of 128 bits is only how it is kept.
            Expr::Number(value, from)
                if scalar.bits() >= 32
                    && !scalar.is_float()
                    && !from.is_float()
                    && scalar.holds(value)
                    && (from != Scalar::U128 || value >= 0) =>
            {
                Expr::Number(value, scalar)
            }
            _ => Expr::Cast(scalar, Box::new(self)),
        }
    }

    /// A call of a function.
    #[must_use]
    pub fn call(name: impl Into<Name>, args: Vec<Expr>) -> Expr {
        Expr::Call(name.into(), args)
    }

    /// `a ? b : c`
    #[must_use]
    pub fn cond(self, yes: Expr, no: Expr) -> Expr {
        match self.as_truth() {
            Some(true) => yes,
            Some(false) => no,
            None => Expr::Cond(Box::new(self), Box::new(yes), Box::new(no)),
        }
    }

    /// Its negation as a truth value.
    #[must_use]
    pub fn negated(self) -> Expr {
        match self {
            Expr::Number(value, scalar) if !scalar.is_float() => Expr::truth(value == 0),
            Expr::Unary(Unary::Not, inner) if inner.is_truth() => *inner,
            Expr::Binary(op, a, b) if op.is_comparison() => {
                let op = match op {
                    Binary::Eq => Binary::Ne,
                    Binary::Ne => Binary::Eq,
                    Binary::Lt => Binary::Ge,
                    Binary::Le => Binary::Gt,
                    Binary::Gt => Binary::Le,
                    _ => Binary::Lt,
                };
                Expr::Binary(op, a, b)
            }
            other => Expr::unary(Unary::Not, other),
        }
    }

    /// `a && b`
    #[must_use]
    pub fn both(self, other: Expr) -> Expr {
        match (self.as_truth(), other.as_truth()) {
            (Some(true), _) => other,
            (_, Some(true)) => self,
            (Some(false), _) | (_, Some(false)) => Expr::truth(false),
            _ => decided(Binary::Both, &self, &other)
                .unwrap_or_else(|| Expr::binary(Binary::Both, self, other)),
        }
    }

    /// `a || b`
    #[must_use]
    pub fn either(self, other: Expr) -> Expr {
        match (self.as_truth(), other.as_truth()) {
            (Some(false), _) => other,
            (_, Some(false)) => self,
            (Some(true), _) | (_, Some(true)) => Expr::truth(true),
            _ => decided(Binary::Either, &self, &other)
                .unwrap_or_else(|| Expr::binary(Binary::Either, self, other)),
        }
    }

    /// Whether its value is syntactically known to be 0 or 1.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        match self {
            Expr::Number(value, scalar) => !scalar.is_float() && (*value == 0 || *value == 1),
            Expr::Unary(Unary::Not, _) => true,
            Expr::Binary(op, ..) => op.is_truth(),
            Expr::Cast(Scalar::Bool, _) => true,
            _ => false,
        }
    }

    /// Whether its value may differ on each evaluation.
    #[must_use]
    pub fn takes_input(&self) -> bool {
        let mut found = false;
        self.each(&mut |part| found |= matches!(part, Expr::Input(..)));
        found
    }

    /// A comparison with its operands exchanged.
    #[must_use]
    pub(crate) fn turned(self) -> Expr {
        match self {
            Expr::Binary(op, a, b) if op.is_comparison() => Expr::Binary(op.turned(), b, a),
            other => other,
        }
    }

    /// Whether it is cheap enough to be written twice.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        match self {
            Expr::Number(..) | Expr::Var(_) => true,
            Expr::Field(whole, _) | Expr::Arrow(whole, _) => matches!(**whole, Expr::Var(_)),
            _ => false,
        }
    }
}

/// The constant value of `a && b` or `a || b` if the two are opposites, or compare one term with numbers.
/// Compilers would notice, and warn.
fn decided(op: Binary, a: &Expr, b: &Expr) -> Option<Expr> {
    if a.takes_input() || b.takes_input() {
        return None;
    }
    if a.clone().negated() == *b || b.clone().negated() == *a {
        return Some(Expr::truth(op == Binary::Either));
    }
    let ((first, x, number), (second, y, other)) = (comparison(a)?, comparison(b)?);
    let (Expr::Number(number, scalar), Expr::Number(other, known)) = (number, other) else {
        return None;
    };
    if x != y || scalar != known || *scalar == Scalar::U128 || scalar.is_float() {
        return None;
    }
    // Between the two numbers, and on each side of them, the values are constant.
    let values = [*number, *other].into_iter().flat_map(|number| [number - 1, number, number + 1]);
    let truths: Vec<bool> = values
        .map(|value| (first.compares(value, *number), second.compares(value, *other)))
        .map(|(a, b)| if op == Binary::Both { a && b } else { a || b })
        .collect();
    truths.iter().all(|&truth| truth == truths[0]).then(|| Expr::truth(truths[0]))
}

/// A comparison with a number, which is put on the right.
fn comparison(expr: &Expr) -> Option<(Binary, &Expr, &Expr)> {
    let Expr::Binary(op, a, b) = expr else { return None };
    match (op.is_comparison(), &**a, &**b) {
        (false, ..) => None,
        (true, _, Expr::Number(..)) => Some((*op, a, b)),
        (true, Expr::Number(..), _) => Some((op.turned(), b, a)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compare(op: Binary, number: i128) -> Expr {
        Expr::binary(op, Expr::Var("x".into()), Expr::number(number, Scalar::Int))
    }

    #[test]
    fn conditions_that_compilers_decide_are_folded() {
        let below = compare(Binary::Lt, 3);
        let above = Expr::binary(Binary::Lt, Expr::number(2, Scalar::Int), Expr::Var("x".into()));
        assert_eq!(below.clone().both(above.clone()), Expr::truth(false));
        assert_eq!(compare(Binary::Le, 3).either(above), Expr::truth(true));
        assert_eq!(compare(Binary::Eq, 5).both(compare(Binary::Eq, 7)), Expr::truth(false));
        let truth = Expr::Var("t".into());
        assert_eq!(truth.clone().either(truth.clone().negated()), Expr::truth(true));
        assert_eq!(truth.clone().both(truth.negated()), Expr::truth(false));
    }

    #[test]
    fn conditions_that_depend_on_a_value_are_kept() {
        for (a, b) in [(Binary::Lt, Binary::Gt), (Binary::Ne, Binary::Eq)] {
            let either = compare(a, 3).either(compare(b, 3));
            assert_eq!(either.as_truth(), (a == Binary::Ne).then_some(true), "{either:?}");
        }
        assert_eq!(compare(Binary::Gt, 3).both(compare(Binary::Lt, 5)).as_truth(), None);
        let long = Expr::binary(Binary::Lt, Expr::Var("x".into()), Expr::number(3, Scalar::Long));
        assert_eq!(long.both(compare(Binary::Gt, 5)).as_truth(), None);
        // Encodings of floating-point numbers are no integers: `x < 0.0` and `x > 1.0` are not decided.
        let float =
            |op, bits| Expr::binary(op, Expr::Var("x".into()), Expr::number(bits, Scalar::Float));
        let both = float(Binary::Lt, 0).both(float(Binary::Gt, 0x3f80_0000));
        assert_eq!(both.as_truth(), None);
        assert_eq!(Expr::number(0x8000_0000u32, Scalar::Float).as_truth(), None, "minus zero");
    }

    #[test]
    fn negated_float_comparisons_stay_negations() {
        let below = Expr::binary(Binary::Below, Expr::Var("x".into()), Expr::Var("y".into()));
        assert_eq!(below.clone().negated(), Expr::unary(Unary::Not, below.clone()));
        assert_eq!(below.clone().negated().negated(), below);
    }
}

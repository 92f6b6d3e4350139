//! Shorthand for expressions, with the folding that keeps compilers from warning of the obvious.

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

    /// The truth value that it is known to be.
    #[must_use]
    pub fn as_truth(&self) -> Option<bool> {
        match self {
            Expr::Number(value, _) => Some(*value != 0),
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

    /// A conversion. One to the type that it was converted to already is left out, and numbers that
    /// the type has are written in it.
    #[must_use]
    pub fn cast(self, scalar: Scalar) -> Expr {
        match self {
            Expr::Cast(known, _) if known == scalar => self,
            Expr::Number(value, _) if scalar.bits() >= 32 && scalar.holds(value) => {
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
            Expr::Number(value, _) => Expr::truth(value == 0),
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
            _ => Expr::binary(Binary::Both, self, other),
        }
    }

    /// `a || b`
    #[must_use]
    pub fn either(self, other: Expr) -> Expr {
        match (self.as_truth(), other.as_truth()) {
            (Some(false), _) => other,
            (_, Some(false)) => self,
            (Some(true), _) | (_, Some(true)) => Expr::truth(true),
            _ => Expr::binary(Binary::Either, self, other),
        }
    }

    /// Whether its value is 0 or 1, by its form alone.
    #[must_use]
    pub fn is_truth(&self) -> bool {
        match self {
            Expr::Number(value, _) => *value == 0 || *value == 1,
            Expr::Unary(Unary::Not, _) => true,
            Expr::Binary(op, ..) => op.is_truth(),
            Expr::Cast(Scalar::Bool, _) => true,
            _ => false,
        }
    }

    /// Whether it costs nothing to write it twice.
    #[must_use]
    pub fn is_atom(&self) -> bool {
        match self {
            Expr::Number(..) | Expr::Var(_) => true,
            Expr::Field(whole, _) | Expr::Arrow(whole, _) => matches!(**whole, Expr::Var(_)),
            _ => false,
        }
    }
}

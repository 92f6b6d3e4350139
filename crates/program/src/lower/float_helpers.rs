//! Helper functions of floating-point numbers: what C has only in its library, in plain arithmetic.

use super::helpers::{Helpers, bin, give, let_, param, var, when};
use crate::c::{Binary, Expr, Function, Name, Scalar, Stmt, float};
use assay_term::float::RoundingMode;

impl Helpers {
    /// Whether two numbers are the same: NaN is, and the zeros are not.
    pub(super) fn same_floats(&mut self, scalar: Scalar) -> Name {
        let name = format!("same_{}", scalar.name());
        let is_nan = |of: &str| bin(Binary::Ne, var(of), var(of));
        let bits = |of: &str| Expr::Recode(Scalar::unsigned(scalar.bits()), Box::new(var(of)));
        self.once(&name, |_| Function {
            name: name.as_str().into(),
            result: Some(Scalar::Int),
            params: vec![param(scalar, "a"), param(scalar, "b")],
            body: vec![
                when(is_nan("a"), give(is_nan("b"))),
                when(is_nan("b"), give(Expr::truth(false))),
                give(bin(Binary::Eq, bits("a"), bits("b"))),
            ],
        })
    }

    /// The integer that a number is rounded to, as a number of the same type.
    pub(super) fn integral(&mut self, scalar: Scalar, mode: RoundingMode) -> Name {
        let format = float::format(scalar).expect("a floating-point type has a format");
        let name = format!("round_{}_{}", mode.short_name().to_lowercase(), scalar.name());
        let number = |value: i128| float::number(value, scalar);
        let half = || bin(Binary::Div, number(1), number(2));
        let minus = |of: Expr| Expr::unary(crate::c::Unary::Minus, of);
        // From here on every number is an integer.
        let bound = number(1 << format.fraction_bits());
        let small = bin(Binary::Below, minus(bound.clone()), var("x"));
        let small = small.both(bin(Binary::Below, var("x"), bound));
        let integer = || var("x").cast(Scalar::Long);
        let up = || Stmt::Assign(var("t"), bin(Binary::Add, var("t"), number(1)));
        let down = || Stmt::Assign(var("t"), bin(Binary::Sub, var("t"), number(1)));
        let rest = || bin(Binary::Sub, var("x"), var("t"));
        let two = Expr::number(2, Scalar::Long);
        let is_odd = bin(Binary::Ne, bin(Binary::Rem, integer(), two), Expr::truth(false));
        let rounding = match mode {
            RoundingMode::TowardZero => vec![],
            RoundingMode::TowardNegative => {
                vec![when(bin(Binary::Below, var("x"), var("t")), down())]
            }
            RoundingMode::TowardPositive => {
                vec![when(bin(Binary::Below, var("t"), var("x")), up())]
            }
            RoundingMode::NearestAway => vec![
                let_(scalar, "rest", rest()),
                when(bin(Binary::AtMost, half(), var("rest")), up()),
                when(bin(Binary::AtMost, var("rest"), minus(half())), down()),
            ],
            RoundingMode::NearestEven => {
                let tie = |at: Expr| bin(Binary::Eq, var("rest"), at).both(is_odd.clone());
                vec![
                    let_(scalar, "rest", rest()),
                    when(bin(Binary::Below, half(), var("rest")).either(tie(half())), up()),
                    when(
                        bin(Binary::Below, var("rest"), minus(half())).either(tie(minus(half()))),
                        down(),
                    ),
                ]
            }
        };
        // A zero has the sign of the number.
        let sign = bin(Binary::Below, var("x"), number(0));
        let positive = bin(Binary::Eq, var("x"), number(0)).cond(var("x"), number(0));
        let zero = sign.cond(minus(number(0)), positive);
        let mut body =
            vec![when(small.negated(), give(var("x"))), let_(scalar, "t", integer().cast(scalar))];
        body.extend(rounding);
        body.push(when(bin(Binary::Eq, var("t"), number(0)), give(zero)));
        body.push(give(var("t")));
        self.once(&name, |_| Function {
            name: name.as_str().into(),
            result: Some(scalar),
            params: vec![param(scalar, "x")],
            body,
        })
    }
}

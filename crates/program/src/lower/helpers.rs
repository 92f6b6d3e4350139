//! Helper functions for operators that C lacks or defines only partially.
//!
//! Each computes the SMT-LIB result for all arguments with unsigned arithmetic only, or checks whether
//! a signed operation overflows. A program contains the helpers that it calls.

use super::bits::{narrowed, work};
use super::mask;
use crate::c::{Binary, Expr, Function, Name, Param, Scalar, Stmt, Unary};

/// The helper functions of a program.
#[derive(Clone, Default, Debug)]
pub(crate) struct Helpers {
    pub(crate) functions: Vec<Function>,
}

/// The operation on `long` that must not overflow.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Check {
    Add,
    Sub,
    Mul,
}

/// A function on bit-vectors of one width.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Bits {
    Udiv,
    Urem,
    Sdiv,
    Srem,
    Smod,
    Shl,
    Lshr,
    Ashr,
    RotateLeft,
    RotateRight,
    Parity,
    AddOverflows,
    SubOverflows,
    UnsignedMulOverflows,
    SignedMulAbove,
    SignedMulBelow,
}

impl Bits {
    fn stem(self) -> &'static str {
        match self {
            Bits::Udiv => "udiv",
            Bits::Urem => "urem",
            Bits::Sdiv => "sdiv",
            Bits::Srem => "srem",
            Bits::Smod => "smod",
            Bits::Shl => "shl",
            Bits::Lshr => "lshr",
            Bits::Ashr => "ashr",
            Bits::RotateLeft => "rotl",
            Bits::RotateRight => "rotr",
            Bits::Parity => "parity",
            Bits::AddOverflows => "saddo",
            Bits::SubOverflows => "ssubo",
            Bits::UnsignedMulOverflows => "umulo",
            Bits::SignedMulAbove => "smul_above",
            Bits::SignedMulBelow => "smul_below",
        }
    }
}

pub(super) fn var(name: &str) -> Expr {
    Expr::Var(name.into())
}

pub(super) fn bin(op: Binary, a: Expr, b: Expr) -> Expr {
    Expr::binary(op, a, b)
}

pub(super) fn param(scalar: Scalar, name: &str) -> Param {
    Param { ty: scalar.into(), name: name.into() }
}

pub(super) fn let_(scalar: Scalar, name: &str, value: Expr) -> Stmt {
    Stmt::Declare(scalar.into(), name.into(), Some(value))
}

pub(super) fn give(value: Expr) -> Stmt {
    Stmt::Return(Some(value))
}

pub(super) fn when(condition: Expr, then: Stmt) -> Stmt {
    Stmt::If(condition, vec![then], vec![])
}

impl Helpers {
    /// The name of a helper, which is created on first use.
    pub(super) fn once(&mut self, name: &str, make: impl FnOnce(&mut Helpers) -> Function) -> Name {
        if let Some(known) = self.functions.iter().find(|function| &*function.name == name) {
            return Name::clone(&known.name);
        }
        let function = make(self);
        let name = Name::clone(&function.name);
        self.functions.push(function);
        name
    }

    /// The two's-complement value of a bit-vector.
    pub(crate) fn signed(&mut self, width: u32) -> Name {
        let name = format!("signed_{width}");
        self.once(&name, |_| {
            let result = if width <= 32 { Scalar::Int } else { Scalar::Long };
            let own = Scalar::unsigned(width);
            let half = Expr::number(1i128 << (width - 1), own);
            let most = Expr::number(mask(width), own);
            let below = bin(Binary::Sub, most, var("v")).cast(result);
            let below = bin(Binary::Sub, Expr::unary(Unary::Minus, below), Expr::number(1, result));
            let value = bin(Binary::Lt, var("v"), half).cond(var("v").cast(result), below);
            Function {
                name: name.as_str().into(),
                result: Some(result),
                params: vec![param(own, "v")],
                body: vec![give(value)],
            }
        })
    }

    /// Whether an operation on `long` does not overflow.
    pub(crate) fn check(&mut self, check: Check) -> Name {
        let name = match check {
            Check::Add => "add_fits",
            Check::Sub => "sub_fits",
            Check::Mul => "mul_fits",
        };
        let number = |value: i128| Expr::number(value, Scalar::Long);
        let (least, most) = Scalar::Long.range();
        let (a, b) = (|| var("a"), || var("b"));
        let at_least = |x: Expr, y: Expr| bin(Binary::Ge, x, y);
        let at_most = |x: Expr, y: Expr| bin(Binary::Le, x, y);
        let body = match check {
            Check::Add => {
                let up = at_most(a(), bin(Binary::Sub, number(most), b()));
                let down = at_least(a(), bin(Binary::Sub, number(least), b()));
                vec![give(at_least(b(), number(0)).cond(up, down))]
            }
            Check::Sub => {
                let down = at_least(a(), bin(Binary::Add, number(least), b()));
                let up = at_most(a(), bin(Binary::Add, number(most), b()));
                vec![give(at_least(b(), number(0)).cond(down, up))]
            }
            Check::Mul => {
                let is = |x: Expr, value: i128| bin(Binary::Eq, x, number(value));
                let divided = |value: i128, by: Expr| bin(Binary::Div, number(value), by);
                let positive = |x: Expr| bin(Binary::Gt, x, number(0));
                vec![
                    when(is(a(), 0).either(is(b(), 0)), give(Expr::truth(true))),
                    when(is(a(), -1), give(is(b(), least).negated())),
                    when(is(b(), -1), give(is(a(), least).negated())),
                    when(
                        positive(a()),
                        give(positive(b()).cond(
                            at_most(a(), divided(most, b())),
                            at_least(b(), divided(least, a())),
                        )),
                    ),
                    give(positive(b()).cond(
                        at_least(a(), divided(least, b())),
                        at_least(a(), divided(most, b())),
                    )),
                ]
            }
        };
        self.once(name, |_| Function {
            name: name.into(),
            result: Some(Scalar::Int),
            params: vec![param(Scalar::Long, "a"), param(Scalar::Long, "b")],
            body,
        })
    }

    /// SMT-LIB's quotient or remainder; the remainder is never negative.
    pub(crate) fn euclid(&mut self, remainder: bool) -> Name {
        let name = if remainder { "euclid_mod" } else { "euclid_div" };
        let number = |value: i128| Expr::number(value, Scalar::Long);
        let negative = |x: Expr| bin(Binary::Lt, x, number(0));
        let rest = let_(Scalar::Long, "r", bin(Binary::Rem, var("a"), var("b")));
        let body = match remainder {
            true => vec![
                when(bin(Binary::Eq, var("b"), number(-1)), give(number(0))),
                rest,
                when(
                    negative(var("r")),
                    give(negative(var("b")).cond(
                        bin(Binary::Sub, var("r"), var("b")),
                        bin(Binary::Add, var("r"), var("b")),
                    )),
                ),
                give(var("r")),
            ],
            false => vec![
                let_(Scalar::Long, "q", bin(Binary::Div, var("a"), var("b"))),
                rest,
                when(
                    negative(var("r")),
                    give(negative(var("b")).cond(
                        bin(Binary::Add, var("q"), number(1)),
                        bin(Binary::Sub, var("q"), number(1)),
                    )),
                ),
                give(var("q")),
            ],
        };
        self.once(name, |_| Function {
            name: name.into(),
            result: Some(Scalar::Long),
            params: vec![param(Scalar::Long, "a"), param(Scalar::Long, "b")],
            body,
        })
    }

    /// A function on bit-vectors of a width.
    pub(crate) fn bits(&mut self, which: Bits, width: u32) -> Name {
        let name = format!("{}_{width}", which.stem());
        self.once(&name, |helpers| {
            let scalar = Scalar::unsigned(width);
            let truth = matches!(
                which,
                Bits::AddOverflows
                    | Bits::SubOverflows
                    | Bits::UnsignedMulOverflows
                    | Bits::SignedMulAbove
                    | Bits::SignedMulBelow
            );
            let mut params = vec![param(scalar, "a")];
            match which {
                Bits::Parity => {}
                Bits::RotateLeft | Bits::RotateRight => params.push(param(Scalar::ULong, "n")),
                _ => params.push(param(scalar, "b")),
            }
            Function {
                name: name.as_str().into(),
                result: Some(if truth { Scalar::Int } else { scalar }),
                params,
                body: helpers.body(which, &Width::new(width)),
            }
        })
    }

    fn body(&mut self, which: Bits, w: &Width) -> Vec<Stmt> {
        let (a, b) = (|| var("a"), || var("b"));
        let is_zero = |x: Expr| bin(Binary::Eq, x, w.number(0));
        match which {
            Bits::Udiv => vec![
                when(is_zero(b()), give(w.number(mask(w.width)))),
                give(w.own(bin(Binary::Div, a(), b()))),
            ],
            Bits::Urem => {
                vec![when(is_zero(b()), give(a())), give(w.own(bin(Binary::Rem, a(), b())))]
            }
            Bits::Sdiv => {
                let udiv = self.bits(Bits::Udiv, w.width);
                let quotient = Expr::call(udiv, vec![w.magnitude(a()), w.magnitude(b())]);
                vec![
                    let_(w.scalar, "q", quotient),
                    give(w.own(w.differ(a(), b()).cond(w.minus(var("q")), var("q")))),
                ]
            }
            Bits::Srem => {
                let urem = self.bits(Bits::Urem, w.width);
                let rest = Expr::call(urem, vec![w.magnitude(a()), w.magnitude(b())]);
                vec![
                    let_(w.scalar, "r", rest),
                    give(w.own(w.is_negative(a()).cond(w.minus(var("r")), var("r")))),
                ]
            }
            Bits::Smod => {
                let urem = self.bits(Bits::Urem, w.width);
                let rest = Expr::call(urem, vec![w.magnitude(a()), w.magnitude(b())]);
                let plus = w.narrow(bin(Binary::Add, w.wide(var("r")), b()));
                let minus_plus = w.narrow(bin(Binary::Sub, w.wide(b()), var("r")));
                vec![
                    let_(w.scalar, "r", rest),
                    when(is_zero(var("r")), give(var("r"))),
                    when(
                        w.is_negative(a()),
                        give(w.own(w.is_negative(b()).cond(w.minus(var("r")), minus_plus))),
                    ),
                    give(w.own(w.is_negative(b()).cond(plus, var("r")))),
                ]
            }
            Bits::Shl => vec![
                when(w.too_far(b()), give(w.number(0))),
                give(w.narrow(bin(Binary::Shl, w.wide(a()), b()))),
            ],
            Bits::Lshr => vec![
                when(w.too_far(b()), give(w.number(0))),
                give(w.own(bin(Binary::Shr, a(), b()))),
            ],
            Bits::Ashr => {
                let flipped = w.narrow(Expr::unary(Unary::Complement, w.wide(a())));
                let shifted = bin(Binary::Shr, w.wide(var("c")), b());
                let back = w.narrow(Expr::unary(Unary::Complement, shifted));
                vec![
                    when(
                        w.is_negative(a()).negated(),
                        give(w.own(
                            w.too_far(b()).cond(w.number(0), w.own(bin(Binary::Shr, a(), b()))),
                        )),
                    ),
                    when(w.too_far(b()), give(w.number(mask(w.width)))),
                    let_(w.scalar, "c", flipped),
                    give(back),
                ]
            }
            Bits::RotateLeft | Bits::RotateRight => {
                let (one, other) = match which {
                    Bits::RotateLeft => (Binary::Shl, Binary::Shr),
                    _ => (Binary::Shr, Binary::Shl),
                };
                let bits = Expr::number(w.width, Scalar::ULong);
                let left = bin(one, w.wide(a()), var("k"));
                let right = bin(other, w.wide(a()), bin(Binary::Sub, bits.clone(), var("k")));
                vec![
                    let_(Scalar::ULong, "k", bin(Binary::Rem, var("n"), bits)),
                    when(bin(Binary::Eq, var("k"), Expr::number(0, Scalar::ULong)), give(a())),
                    give(w.narrow(bin(Binary::Or, left, right))),
                ]
            }
            Bits::Parity => {
                let bit = bin(Binary::And, a(), w.number(1));
                let body = vec![
                    Stmt::Assign(var("p"), w.own(bin(Binary::Xor, var("p"), bit))),
                    Stmt::Assign(a(), w.own(bin(Binary::Shr, a(), Expr::truth(true)))),
                ];
                vec![
                    let_(w.scalar, "p", w.number(0)),
                    Stmt::Count("i".into(), w.width as usize, body),
                    give(var("p")),
                ]
            }
            Bits::AddOverflows | Bits::SubOverflows => {
                let add = which == Bits::AddOverflows;
                let op = if add { Binary::Add } else { Binary::Sub };
                let changed = bin(Binary::Xor, a(), var("s"));
                let other = if add { b() } else { a() };
                let against = if add { var("s") } else { b() };
                let both = bin(Binary::And, changed, bin(Binary::Xor, other, against));
                vec![
                    let_(w.scalar, "s", w.narrow(bin(op, w.wide(a()), b()))),
                    give(w.is_negative(w.own(both))),
                ]
            }
            Bits::UnsignedMulOverflows => {
                let most = bin(Binary::Div, w.number(mask(w.width)), a());
                vec![
                    when(is_zero(a()), give(Expr::truth(false))),
                    give(bin(Binary::Gt, b(), w.own(most))),
                ]
            }
            Bits::SignedMulAbove | Bits::SignedMulBelow => {
                let above = which == Bits::SignedMulAbove;
                let half = 1i128 << (w.width - 1);
                let limit = w.number(if above { half.wrapping_sub(1) } else { half });
                let differ = w.differ(a(), b());
                let wrong_sign = if above { differ } else { differ.negated() };
                let most = bin(Binary::Div, limit, var("m"));
                vec![
                    when(wrong_sign, give(Expr::truth(false))),
                    let_(w.scalar, "m", w.magnitude(a())),
                    let_(w.scalar, "n", w.magnitude(b())),
                    when(is_zero(var("m")), give(Expr::truth(false))),
                    give(bin(Binary::Gt, var("n"), w.own(most))),
                ]
            }
        }
    }
}

/// Expressions on bit-vectors of one width.
struct Width {
    width: u32,
    scalar: Scalar,
}

impl Width {
    fn new(width: u32) -> Width {
        Width { width, scalar: Scalar::unsigned(width) }
    }

    fn number(&self, value: i128) -> Expr {
        Expr::number(value, self.scalar)
    }

    /// In the type for unsigned arithmetic.
    fn wide(&self, expr: Expr) -> Expr {
        expr.cast(work(self.width))
    }

    /// The low bits of a result of unsigned arithmetic.
    fn narrow(&self, expr: Expr) -> Expr {
        narrowed(expr, work(self.width).bits(), self.width)
    }

    /// In the type of the width, without truncation.
    fn own(&self, expr: Expr) -> Expr {
        if self.scalar.bits() < 32 { expr.cast(self.scalar) } else { expr }
    }

    fn minus(&self, expr: Expr) -> Expr {
        self.narrow(Expr::unary(Unary::Minus, self.wide(expr)))
    }

    fn is_negative(&self, expr: Expr) -> Expr {
        bin(Binary::Ge, expr, self.number(1 << (self.width - 1)))
    }

    fn magnitude(&self, expr: Expr) -> Expr {
        self.own(self.is_negative(expr.clone()).cond(self.minus(expr.clone()), expr))
    }

    fn differ(&self, a: Expr, b: Expr) -> Expr {
        bin(Binary::Ne, self.is_negative(a), self.is_negative(b))
    }

    /// Whether a shift moves all bits out. A narrow number may never be large enough for that.
    fn too_far(&self, by: Expr) -> Expr {
        if self.width < 64 && i128::from(self.width) > mask(self.width) {
            return Expr::truth(false);
        }
        bin(Binary::Ge, by, self.number(self.width.into()))
    }
}

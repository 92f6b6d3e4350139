//! Bit-vectors: unsigned numbers below two to the power of their width.
//!
//! An expression of width *w* has the narrowest unsigned type that holds it, and its value is less
//! than 2^w. Arithmetic is done in `unsigned int` or `unsigned long`, never in a promoted type that
//! could overflow, and the result is truncated. Numbers of 128 bits are kept modulo 2^128 as `i128`; they are
//! compared, divided and shifted as `u128`.

use super::helpers::Bits;
use super::logic::equal_numbers;
use super::{Kind, Low, Lowerer, Refusal, mask};
use crate::c::{Binary, Expr, Scalar, Unary};
use assay_term::Op;
use assay_term::theories::bv;

/// The type used for arithmetic on a width.
pub(super) fn work(width: u32) -> Scalar {
    match width {
        0..=32 => Scalar::UInt,
        33..=64 => Scalar::ULong,
        _ => Scalar::U128,
    }
}

/// The low bits of a number of a type with this many bits, in the type of the width.
pub(super) fn narrowed(expr: Expr, from: u32, width: u32) -> Expr {
    let scalar = Scalar::unsigned(width);
    let cut = match width == scalar.bits() {
        true => expr,
        false => {
            let from = Scalar::unsigned(from);
            Expr::binary(Binary::And, expr, Expr::number(mask(width), from))
        }
    };
    if scalar.bits() == from { cut } else { cut.cast(scalar) }
}

impl Lowerer<'_> {
    pub(super) fn bits_number(&self, value: impl Into<u128>, width: u32) -> Low {
        let scalar = Scalar::unsigned(width);
        Low { expr: Expr::number(value.into() as i128, scalar), height: 0, range: (0, 0), scalar }
    }

    /// An operator on bit-vectors; `None` if it is not supported.
    pub(super) fn bits(
        &mut self,
        op: Op,
        indices: &[u64],
        lows: &[Low],
        kinds: &[Kind],
        kind: &Kind,
    ) -> Result<Option<Low>, Refusal> {
        let index = |at: usize| u32::try_from(indices[at]).map_err(|_| Refusal::Width);
        if op == bv::INT_TO_BV {
            let Kind::Bits(width) = kind else { return Ok(None) };
            if *width > 64 {
                return Err(Refusal::Width);
            }
            return Ok(Some(self.int_to_bits(&lows[0], *width)));
        }
        let Kind::Bits(width) = kinds[0] else { return Ok(None) };
        let a = &lows[0];
        if let Kind::Bool = kind {
            if op == bv::BIT2BOOL {
                let bit = self.extract(a, width, index(0)?, index(0)?);
                let expr = equal_numbers(&bit.expr, &Expr::number(1, Scalar::UChar));
                return Ok(Some(Low::truth(expr, &[&bit])));
            }
            return Ok(self.relation(op, lows, width));
        }
        if let Kind::Int = kind {
            if width > 64 {
                return Err(Refusal::Width);
            }
            let signed = op == bv::SBV_TO_INT;
            return Ok(Some(self.bits_to_int(a, width, signed)));
        }
        let Kind::Bits(result) = *kind else { return Ok(None) };
        Ok(Some(match op {
            bv::CONCAT => {
                let mut all = (lows[0].clone(), width);
                for (low, kind) in lows[1..].iter().zip(&kinds[1..]) {
                    let Kind::Bits(more) = kind else { return Ok(None) };
                    all = (self.concat(&all.0, low, all.1 + more, *more), all.1 + more);
                }
                all.0
            }
            bv::EXTRACT => self.extract(a, width, index(0)?, index(1)?),
            bv::ZERO_EXTEND => self.zero_extend(a, result),
            bv::SIGN_EXTEND => self.sign_extend(a, width, result),
            bv::REPEAT => {
                let a = self.named(a.clone());
                let mut all = (a.clone(), width);
                while all.1 < result {
                    all = (self.concat(&all.0, &a, all.1 + width, width), all.1 + width);
                }
                all.0
            }
            bv::NOT => self.flip(a, width),
            bv::NEG => self.negate(a, width),
            bv::ADD => self.folded_bits(Binary::Add, lows, width),
            bv::SUB => self.folded_bits(Binary::Sub, lows, width),
            bv::MUL => self.folded_bits(Binary::Mul, lows, width),
            bv::AND => self.folded_bits(Binary::And, lows, width),
            bv::OR => self.folded_bits(Binary::Or, lows, width),
            bv::XOR => self.folded_bits(Binary::Xor, lows, width),
            bv::NAND | bv::NOR | bv::XNOR => {
                let inner = match op {
                    bv::NAND => Binary::And,
                    bv::NOR => Binary::Or,
                    _ => Binary::Xor,
                };
                let (first, rest) = lows.split_first().expect("these take two");
                rest.iter().fold(first.clone(), |all, low| {
                    let joined = self.arithmetic(inner, &all, low, width);
                    self.flip(&joined, width)
                })
            }
            bv::INC | bv::DEC => {
                let one = self.bits_number(1u64, width);
                let op = if op == bv::INC { Binary::Add } else { Binary::Sub };
                self.arithmetic(op, a, &one, width)
            }
            bv::COMP => {
                let (a, b) = self.apart(a, &lows[1]);
                let equal = equal_numbers(&a.expr, &b.expr).cast(Scalar::UChar);
                Low::from(equal, Scalar::UChar, &[&a, &b])
            }
            bv::REDOR | bv::REDAND => {
                let what = if op == bv::REDOR { 0 } else { mask(width) };
                let equal = equal_numbers(&a.expr, &Expr::number(what, Scalar::unsigned(width)));
                let expr = if op == bv::REDOR { equal.negated() } else { equal };
                Low::from(expr.cast(Scalar::UChar), Scalar::UChar, &[a])
            }
            bv::REDXOR => {
                let parity = self.helper(Bits::Parity, vec![a.expr.clone()], width, &[a]);
                Low { expr: parity.expr.cast(Scalar::UChar), scalar: Scalar::UChar, ..parity }
            }
            bv::UDIV | bv::UDIV_I => self.divide_bits(Bits::Udiv, lows, width),
            bv::UREM | bv::UREM_I => self.divide_bits(Bits::Urem, lows, width),
            bv::SDIV | bv::SDIV_I => self.divide_bits(Bits::Sdiv, lows, width),
            bv::SREM | bv::SREM_I => self.divide_bits(Bits::Srem, lows, width),
            bv::SMOD | bv::SMOD_I => self.divide_bits(Bits::Smod, lows, width),
            bv::SHL => self.shift(Bits::Shl, lows, width),
            bv::LSHR => self.shift(Bits::Lshr, lows, width),
            bv::ASHR => self.shift(Bits::Ashr, lows, width),
            bv::ROTATE_LEFT | bv::ROTATE_RIGHT => {
                let by = Expr::number(indices[0] % u64::from(width), Scalar::ULong);
                self.rotate(op == bv::ROTATE_LEFT, a, by, width, &[a])
            }
            // The distance is a number of 64 bits.
            bv::ROL | bv::EXT_ROTATE_LEFT | bv::ROR | bv::EXT_ROTATE_RIGHT if width > 64 => {
                return Err(Refusal::Width);
            }
            bv::ROL | bv::EXT_ROTATE_LEFT | bv::ROR | bv::EXT_ROTATE_RIGHT => {
                let by = lows[1].expr.clone().cast(Scalar::ULong);
                let left = op == bv::ROL || op == bv::EXT_ROTATE_LEFT;
                self.rotate(left, a, by, width, &[a, &lows[1]])
            }
            _ => return Ok(None),
        }))
    }

    fn helper(&mut self, which: Bits, args: Vec<Expr>, width: u32, parts: &[&Low]) -> Low {
        let name = self.helpers.bits(which, width);
        Low::from(Expr::call(name, args), Scalar::unsigned(width), parts)
    }

    fn rotate(&mut self, left: bool, a: &Low, by: Expr, width: u32, parts: &[&Low]) -> Low {
        if by.as_truth() == Some(false) {
            return a.clone();
        }
        let which = if left { Bits::RotateLeft } else { Bits::RotateRight };
        self.helper(which, vec![a.expr.clone(), by], width, parts)
    }

    fn folded_bits(&mut self, op: Binary, lows: &[Low], width: u32) -> Low {
        let (first, rest) = lows.split_first().expect("these take at least one");
        rest.iter().fold(first.clone(), |all, low| self.arithmetic(op, &all, low, width))
    }

    /// An operation that is unsigned arithmetic, truncated to the width.
    fn arithmetic(&mut self, op: Binary, a: &Low, b: &Low, width: u32) -> Low {
        if let (Some(x), Some(y)) = (a.number(), b.number()) {
            return self.cut_number(combined(op, x, y), width);
        }
        if a.expr == b.expr {
            match op {
                Binary::Xor | Binary::Sub => return self.bits_number(0u64, width),
                Binary::And | Binary::Or => return a.clone(),
                _ => {}
            }
        }
        // Compilers can decide these too, and warn about comparisons with them.
        let decided = match op {
            Binary::And | Binary::Mul => Some(0),
            Binary::Or => Some(mask(width)),
            _ => None,
        };
        let is_there = |value: &i128| [a, b].iter().any(|low| low.number() == Some(*value));
        if let Some(value) = decided.filter(is_there) {
            return self.cut_number(value, width);
        }
        let scalar = Scalar::unsigned(width);
        let stays = matches!(op, Binary::And | Binary::Or | Binary::Xor);
        let expr = if stays {
            let joined = Expr::binary(op, a.expr.clone(), b.expr.clone());
            if scalar.bits() < 32 { joined.cast(scalar) } else { joined }
        } else if self.style.promoted
            && scalar.bits() < 32
            && width == scalar.bits()
            && op != Binary::Mul
        {
            // The sum or difference of two promoted operands fits into an int.
            Expr::binary(op, a.expr.clone(), b.expr.clone()).cast(scalar)
        } else {
            let wide = a.expr.clone().cast(work(width));
            narrowed(Expr::binary(op, wide, b.expr.clone()), work(width).bits(), width)
        };
        Low::from(expr, scalar, &[a, b])
    }

    /// The low bits of a number, computed here so that no compiler warns about the result.
    fn cut_number(&self, value: i128, width: u32) -> Low {
        self.bits_number((value & mask(width)) as u128, width)
    }

    fn flip(&mut self, a: &Low, width: u32) -> Low {
        if let Some(value) = a.number() {
            return self.cut_number(!value, width);
        }
        let scalar = Scalar::unsigned(width);
        if width != scalar.bits() {
            let ones = self.bits_number(mask(width) as u128, width);
            return self.arithmetic(Binary::Xor, a, &ones, width);
        }
        let a = &if super::is_limited(&a.expr) { self.named(a.clone()) } else { a.clone() };
        let expr = Expr::unary(Unary::Complement, a.expr.clone().cast(work(width)));
        Low::from(narrowed(expr, work(width).bits(), width), Scalar::unsigned(width), &[a])
    }

    fn negate(&self, a: &Low, width: u32) -> Low {
        if let Some(value) = a.number() {
            return self.cut_number(value.wrapping_neg(), width);
        }
        let expr = Expr::unary(Unary::Minus, a.expr.clone().cast(work(width)));
        Low::from(narrowed(expr, work(width).bits(), width), Scalar::unsigned(width), &[a])
    }

    pub(super) fn concat(&self, a: &Low, b: &Low, width: u32, low: u32) -> Low {
        let scalar = Scalar::unsigned(width);
        let high = Expr::binary(
            Binary::Shl,
            a.expr.clone().cast(work(width)),
            Expr::number(low, Scalar::Int),
        );
        let expr = Expr::binary(Binary::Or, high, b.expr.clone());
        let expr = if scalar.bits() < 32 { expr.cast(scalar) } else { expr };
        Low::from(expr, scalar, &[a, b])
    }

    fn extract(&self, a: &Low, width: u32, high: u32, low: u32) -> Low {
        let result = high - low + 1;
        let (from, scalar) = (Scalar::unsigned(width), Scalar::unsigned(result));
        if let Some(value) = a.number() {
            let value = value as u128 >> low & mask(result) as u128;
            return self.bits_number(value, result);
        }
        let mut expr = a.expr.clone();
        if low > 0 {
            expr = Expr::binary(Binary::Shr, expr, Expr::number(low, Scalar::Int));
        }
        if high + 1 < width && result != scalar.bits() {
            expr = Expr::binary(Binary::And, expr, Expr::number(mask(result), from));
        }
        let expr = if scalar == from && low == 0 && high + 1 == width
            || from == scalar && from.bits() >= 32
        {
            expr
        } else {
            expr.cast(scalar)
        };
        Low::from(expr, scalar, &[a])
    }

    fn zero_extend(&self, a: &Low, result: u32) -> Low {
        let scalar = Scalar::unsigned(result);
        let expr = match a.number() {
            Some(value) => Expr::number(value, scalar),
            None if a.scalar == scalar => a.expr.clone(),
            None => a.expr.clone().cast(scalar),
        };
        Low::from(expr, scalar, &[a])
    }

    fn sign_extend(&self, a: &Low, width: u32, result: u32) -> Low {
        if width == result {
            return a.clone();
        }
        let wide = work(result);
        let sign = Expr::number(1i128 << (width - 1), wide);
        let turned = Expr::binary(Binary::Xor, a.expr.clone().cast(wide), sign.clone());
        let expr = Expr::binary(Binary::Sub, turned, sign);
        Low::from(narrowed(expr, wide.bits(), result), Scalar::unsigned(result), &[a])
    }

    /// A division: a total function, or C's own operator if the divisor allows it.
    fn divide_bits(&mut self, which: Bits, lows: &[Low], width: u32) -> Low {
        let (a, b) = (&lows[0], &lows[1]);
        let scalar = Scalar::unsigned(width);
        let unsigned = matches!(which, Bits::Udiv | Bits::Urem);
        let harmless = b.number().is_some_and(|value| value != 0);
        if unsigned && (harmless || !self.style.well_defined) {
            let b = self.named(b.clone());
            if !harmless {
                let zero = equal_numbers(&b.expr, &Expr::number(0, scalar));
                self.require(zero.negated());
            }
            let op = if which == Bits::Udiv { Binary::Div } else { Binary::Rem };
            let expr = Expr::binary(op, a.expr.clone(), b.expr.clone());
            let expr = if scalar.bits() < 32 { expr.cast(scalar) } else { expr };
            // Constants are divided here, to avoid compiler warnings.
            return match (a.number(), b.number()) {
                (Some(x), Some(y)) if y != 0 => {
                    let (x, y) = (x as u128, y as u128);
                    self.bits_number(if op == Binary::Div { x / y } else { x % y }, width)
                }
                _ => Low::from(expr, scalar, &[a, &b]),
            };
        }
        self.helper(which, vec![a.expr.clone(), b.expr.clone()], width, &[a, b])
    }

    fn shift(&mut self, which: Bits, lows: &[Low], width: u32) -> Low {
        let (a, b) = (&lows[0], &lows[1]);
        let scalar = Scalar::unsigned(width);
        let known = b.number().map(|by| (by as u128) < u128::from(width));
        let exact = width == scalar.bits() && width <= 64;
        let natural = !self.style.well_defined && exact && known != Some(false);
        match (which, known) {
            (Bits::Shl | Bits::Lshr, Some(false)) => return self.bits_number(0u64, width),
            (Bits::Shl | Bits::Lshr, Some(true)) => {}
            (_, _) if natural => {
                let by = self.named(b.clone());
                if known.is_none() {
                    let most = Expr::number(width, scalar);
                    self.require(Expr::binary(Binary::Lt, by.expr.clone(), most));
                }
                let expr = match which {
                    Bits::Ashr => {
                        let signed = a.expr.clone().cast(signed_type(width));
                        Expr::binary(Binary::Shr, signed, by.expr.clone()).cast(scalar)
                    }
                    _ => shifted(which, a, &by.expr, width),
                };
                return Low::from(expr, scalar, &[a, &by]);
            }
            _ => {
                return self.helper(which, vec![a.expr.clone(), b.expr.clone()], width, &[a, b]);
            }
        }
        Low::from(shifted(which, a, &b.expr, width), scalar, &[a, b])
    }

    /// An operator with a truth value; `None` if it is not supported.
    fn relation(&mut self, op: Op, lows: &[Low], width: u32) -> Option<Low> {
        let (first, second) = match lows {
            [a, b] => {
                let (a, b) = self.apart(a, b);
                (a, Some(b))
            }
            _ => (lows[0].clone(), None),
        };
        let lows: Vec<Low> = [first].into_iter().chain(second).collect();
        let parts: Vec<&Low> = lows.iter().collect();
        let a = &lows[0];
        let scalar = Scalar::unsigned(width);
        let sign = Expr::number(1i128 << (width - 1), scalar);
        if op == bv::NEGO {
            return Some(Low::truth(equal_numbers(&a.expr, &sign), &[a]));
        }
        let b = lows.get(1)?;
        let mut overflow = |which: Bits, holds: bool| {
            let called = self.helpers.bits(which, width);
            let args = vec![a.expr.clone(), b.expr.clone()];
            let called = Expr::binary(Binary::Ne, Expr::call(called, args), Expr::truth(false));
            if holds { called } else { called.negated() }
        };
        let expr = match op {
            bv::UADDO => {
                let a = self.named(a.clone());
                let sum = self.arithmetic(Binary::Add, &a, b, width);
                unsigned(Binary::Lt, &sum.expr, &a.expr, width)
            }
            bv::USUBO => unsigned(Binary::Lt, &a.expr, &b.expr, width),
            bv::SADDO => overflow(Bits::AddOverflows, true),
            bv::SSUBO => overflow(Bits::SubOverflows, true),
            bv::UMULO => overflow(Bits::UnsignedMulOverflows, true),
            bv::UMUL_NOOVFL => overflow(Bits::UnsignedMulOverflows, false),
            bv::SMULO => {
                overflow(Bits::SignedMulAbove, true).either(overflow(Bits::SignedMulBelow, true))
            }
            bv::SMUL_NOOVFL => overflow(Bits::SignedMulAbove, false),
            bv::SMUL_NOUDFL => overflow(Bits::SignedMulBelow, false),
            bv::SDIVO => {
                let most = Expr::number(mask(width), scalar);
                equal_numbers(&a.expr, &sign).both(equal_numbers(&b.expr, &most))
            }
            bv::ULT => unsigned(Binary::Lt, &a.expr, &b.expr, width),
            bv::ULE => unsigned(Binary::Le, &a.expr, &b.expr, width),
            bv::UGT => unsigned(Binary::Gt, &a.expr, &b.expr, width),
            bv::UGE => unsigned(Binary::Ge, &a.expr, &b.expr, width),
            bv::SLT => self.signed(Binary::Lt, a, b, width),
            bv::SLE => self.signed(Binary::Le, a, b, width),
            bv::SGT => self.signed(Binary::Gt, a, b, width),
            bv::SGE => self.signed(Binary::Ge, a, b, width),
            _ => return None,
        };
        Some(Low::truth(expr, &parts))
    }

    /// A comparison of numbers in two's complement.
    fn signed(&mut self, op: Binary, a: &Low, b: &Low, width: u32) -> Expr {
        let half = 1i128 << (width - 1);
        let turned = |value: i128| value ^ half;
        // To avoid compiler warnings, constant comparisons are decided on numbers with a flipped sign bit.
        let decide = |low: &Low| match low.number() {
            Some(value) => Expr::number(turned(value), Scalar::unsigned(width)),
            None => low.expr.clone(),
        };
        if let Some(known) = unsigned(op, &decide(a), &decide(b), width).as_truth() {
            if a.expr == b.expr || a.number().is_some() || b.number().is_some() {
                return Expr::truth(known);
            }
        }
        let exact = width == Scalar::unsigned(width).bits();
        if !self.style.well_defined && exact && width <= 64 {
            let own = signed_type(width);
            return Expr::binary(op, a.expr.clone().cast(own), b.expr.clone().cast(own));
        }
        if self.style.signed_functions && width <= 64 {
            let name = self.helpers.signed(width);
            let scalar = if width <= 32 { Scalar::Int } else { Scalar::Long };
            let value = |low: &Low| match low.number() {
                Some(value) if value >= half => Expr::number(value - 2 * half, scalar),
                Some(value) => Expr::number(value, scalar),
                None => Expr::call(Clone::clone(&name), vec![low.expr.clone()]),
            };
            return Expr::binary(op, value(a), value(b));
        }
        let wide = work(width);
        let value = |low: &Low| match low.number() {
            Some(value) => Expr::number(turned(value), wide),
            None => {
                let sign = Expr::number(half, wide);
                Expr::binary(Binary::Xor, low.expr.clone().cast(wide), sign)
            }
        };
        Expr::binary(op, value(a), value(b))
    }
}

/// The result of an operation on two unsigned numbers; bits beyond the low ones may have wrapped.
fn combined(op: Binary, x: i128, y: i128) -> i128 {
    match op {
        Binary::Add => x.wrapping_add(y),
        Binary::Sub => x.wrapping_sub(y),
        Binary::Mul => x.wrapping_mul(y),
        Binary::And => x & y,
        Binary::Or => x | y,
        _ => x ^ y,
    }
}

/// The signed type of a width, if there is one.
fn signed_type(width: u32) -> Scalar {
    match width {
        8 => Scalar::Char,
        16 => Scalar::Short,
        32 => Scalar::Int,
        _ => Scalar::Long,
    }
}

/// A shift by less than the width.
fn shifted(which: Bits, a: &Low, by: &Expr, width: u32) -> Expr {
    let scalar = Scalar::unsigned(width);
    match which {
        Bits::Shl => {
            let wide = a.expr.clone().cast(work(width));
            narrowed(Expr::binary(Binary::Shl, wide, by.clone()), work(width).bits(), width)
        }
        _ => {
            let expr = Expr::binary(Binary::Shr, a.expr.clone(), by.clone());
            if scalar.bits() < 32 { expr.cast(scalar) } else { expr }
        }
    }
}

/// An unsigned comparison, decided here if compilers would warn about it.
fn unsigned(op: Binary, a: &Expr, b: &Expr, width: u32) -> Expr {
    let number = |expr: &Expr| match expr {
        Expr::Number(value, _) => Some(*value),
        _ => None,
    };
    let most = mask(width);
    let (x, y) = (number(a), number(b));
    let decided = match op {
        Binary::Lt => match (x, y) {
            (Some(x), Some(y)) => Some((x as u128) < y as u128),
            (_, Some(0)) => Some(false),
            (Some(x), _) if x == most => Some(false),
            _ => (a == b).then_some(false),
        },
        Binary::Le => match (x, y) {
            (Some(x), Some(y)) => Some(x as u128 <= y as u128),
            (Some(0), _) => Some(true),
            (_, Some(y)) if y == most => Some(true),
            _ => (a == b).then_some(true),
        },
        Binary::Gt => return unsigned(Binary::Lt, b, a, width).turned(),
        _ => return unsigned(Binary::Le, b, a, width).turned(),
    };
    match decided {
        Some(known) => Expr::truth(known),
        None => Expr::binary(op, a.clone(), b.clone()),
    }
}

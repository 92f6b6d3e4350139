//! Integers: 64-bit numbers, with a requirement before every operation that could overflow.

use super::{Low, Lowerer, Refusal, helpers};
use crate::c::{Binary, Expr, Scalar, Unary};
use assay_term::Op;
use assay_term::theories::ints;

/// The smallest and the largest number.
const RANGE: (i128, i128) = (i64::MIN as i128, i64::MAX as i128);

/// A literal that fits.
pub(super) fn number(value: i128) -> Low {
    let expr = Expr::number(value, Scalar::Long);
    Low { expr, height: 0, range: (value, value), scalar: Scalar::Long }
}

fn fits(range: (i128, i128)) -> bool {
    range.0 >= RANGE.0 && range.1 <= RANGE.1
}

fn clipped(range: (i128, i128)) -> (i128, i128) {
    (range.0.clamp(RANGE.0, RANGE.1), range.1.clamp(RANGE.0, RANGE.1))
}

/// A comparison, decided here if the ranges decide it.
pub(super) fn compare(op: Binary, a: &Low, b: &Low) -> Expr {
    let ((al, ah), (bl, bh)) = (a.range, b.range);
    let apart = ah < bl || bh < al;
    let decided = match op {
        Binary::Eq if a.expr == b.expr => Some(true),
        Binary::Eq if apart => Some(false),
        Binary::Eq if al == ah && (al, ah) == (bl, bh) => Some(true),
        Binary::Le if ah <= bl || a.expr == b.expr => Some(true),
        Binary::Le if al > bh => Some(false),
        Binary::Lt if ah < bl => Some(true),
        Binary::Lt if al >= bh || a.expr == b.expr => Some(false),
        Binary::Ge => return compare(Binary::Le, b, a).turned(),
        Binary::Gt => return compare(Binary::Lt, b, a).turned(),
        _ => None,
    };
    match decided {
        Some(known) => Expr::truth(known),
        None => Expr::binary(op, a.expr.clone(), b.expr.clone()),
    }
}

impl Lowerer<'_> {
    /// An operator on integers; `None` if it is not supported.
    pub(super) fn int(
        &mut self,
        op: Op,
        indices: &[u64],
        lows: &[Low],
    ) -> Result<Option<Low>, Refusal> {
        let ordered = matches!(op, ints::LE | ints::LT | ints::GE | ints::GT);
        let held;
        let lows = match lows {
            [a, b] if ordered => {
                held = <[Low; 2]>::from(self.apart(a, b));
                &held[..]
            }
            _ => lows,
        };
        let parts: Vec<&Low> = lows.iter().collect();
        Ok(Some(match op {
            ints::ADD => self.folded(lows, Lowerer::add),
            ints::MUL => self.folded(lows, Lowerer::multiply),
            ints::SUB => match lows {
                [only] => self.subtract(&number(0), only),
                _ => self.folded(lows, Lowerer::subtract),
            },
            ints::LE => Low::truth(chain(Binary::Le, lows), &parts),
            ints::LT => Low::truth(chain(Binary::Lt, lows), &parts),
            ints::GE => Low::truth(chain(Binary::Ge, lows), &parts),
            ints::GT => Low::truth(chain(Binary::Gt, lows), &parts),
            ints::DIV => self.folded(lows, Lowerer::divide),
            ints::MOD => self.remainder(&lows[0], &lows[1]),
            ints::ABS => self.absolute(&lows[0]),
            ints::DIVISIBLE => {
                let by = i64::try_from(indices[0]).map_err(|_| Refusal::Large)?;
                let rest = self.remainder(&lows[0], &number(by.into()));
                Low::truth(compare(Binary::Eq, &rest, &number(0)), &[&rest])
            }
            _ => return Ok(None),
        }))
    }

    fn folded(&mut self, lows: &[Low], join: fn(&mut Self, &Low, &Low) -> Low) -> Low {
        let (first, rest) = lows.split_first().expect("sums have arguments");
        rest.iter().fold(first.clone(), |all, low| join(self, &all, low))
    }

    /// A result within a range, after a requirement if the range is too wide.
    fn ranged(
        &mut self,
        (op, check): (Binary, helpers::Check),
        (a, b): (&Low, &Low),
        range: (i128, i128),
    ) -> Low {
        if range.0 == range.1 && fits(range) && a.number().is_some() && b.number().is_some() {
            return number(range.0);
        }
        if range.1 < RANGE.0 || range.0 > RANGE.1 {
            // No run gets past this requirement, so any number will do; compilers warn about overflow.
            self.require(Expr::truth(false));
            return number(0);
        }
        let (mut a, mut b) = (a.clone(), b.clone());
        if !fits(range) {
            a = self.named(a);
            b = self.named(b);
            let test = self.helpers.check(check);
            self.require(Expr::call(test, vec![a.expr.clone(), b.expr.clone()]));
        }
        let expr = Expr::binary(op, long(&a), b.expr.clone());
        Low { range: clipped(range), ..Low::from(expr, Scalar::Long, &[&a, &b]) }
    }

    fn add(&mut self, a: &Low, b: &Low) -> Low {
        let range = (a.range.0 + b.range.0, a.range.1 + b.range.1);
        self.ranged((Binary::Add, helpers::Check::Add), (a, b), range)
    }

    fn subtract(&mut self, a: &Low, b: &Low) -> Low {
        let range = (a.range.0 - b.range.1, a.range.1 - b.range.0);
        self.ranged((Binary::Sub, helpers::Check::Sub), (a, b), range)
    }

    fn multiply(&mut self, a: &Low, b: &Low) -> Low {
        let ((al, ah), (bl, bh)) = (a.range, b.range);
        // At most 63 bits and a sign each: the products fit.
        let corners = [al * bl, al * bh, ah * bl, ah * bh];
        let least = corners.into_iter().min().expect("there are four");
        let greatest = corners.into_iter().max().expect("there are four");
        self.ranged((Binary::Mul, helpers::Check::Mul), (a, b), (least, greatest))
    }

    /// Requires a nonzero divisor, because SMT-LIB leaves division by zero open.
    fn divisor(&mut self, b: &Low) -> Low {
        if b.range.0 > 0 || b.range.1 < 0 {
            return b.clone();
        }
        let b = self.named(b.clone());
        let zero = compare(Binary::Eq, &b, &number(0));
        self.require(zero.negated());
        b
    }

    fn divide(&mut self, a: &Low, b: &Low) -> Low {
        let mut b = self.divisor(b);
        let mut a = a.clone();
        let largest = a.range.0.abs().max(a.range.1.abs());
        if a.range.0 == RANGE.0 && b.range.0 <= -1 && b.range.1 >= -1 {
            (a, b) = (self.named(a), self.named(b));
            let least = compare(Binary::Eq, &a, &number(RANGE.0));
            let minus = compare(Binary::Eq, &b, &number(-1));
            self.require(least.both(minus).negated());
        }
        let name = self.helpers.euclid(false);
        let expr = Expr::call(name, vec![a.expr.clone(), b.expr.clone()]);
        let range = clipped((-largest, largest));
        Low { range, ..Low::from(expr, Scalar::Long, &[&a, &b]) }
    }

    fn remainder(&mut self, a: &Low, b: &Low) -> Low {
        let b = self.divisor(b);
        let name = self.helpers.euclid(true);
        let expr = Expr::call(name, vec![a.expr.clone(), b.expr.clone()]);
        let most = b.range.0.abs().max(b.range.1.abs()) - 1;
        let range = (0, most.clamp(0, RANGE.1));
        Low { range, ..Low::from(expr, Scalar::Long, &[a, &b]) }
    }

    fn absolute(&mut self, a: &Low) -> Low {
        if a.range.0 >= 0 {
            return a.clone();
        }
        let a = self.named(a.clone());
        if a.range.0 == RANGE.0 {
            let least = compare(Binary::Eq, &a, &number(RANGE.0));
            self.require(least.negated());
        }
        let range = (0, a.range.0.abs().max(a.range.1.abs()).min(RANGE.1));
        let negative = compare(Binary::Lt, &a, &number(0));
        let expr = negative.cond(Expr::unary(Unary::Minus, long(&a)), long(&a));
        Low { range, ..Low::from(expr, Scalar::Long, &[&a]) }
    }

    /// Converts between integers and bit-vectors.
    pub(super) fn int_to_bits(&self, a: &Low, width: u32) -> Low {
        let expr = long(a).cast(Scalar::ULong);
        let expr = super::bits::narrowed(expr, 64, width);
        Low::from(expr, Scalar::unsigned(width), &[a])
    }

    pub(super) fn bits_to_int(&mut self, a: &Low, width: u32, signed: bool) -> Low {
        if let Some(value) = a.number() {
            let negative = signed && value >> (width - 1) & 1 == 1;
            let value = if negative { value - (1 << width) } else { value };
            if fits((value, value)) {
                return number(value);
            }
        }
        if signed {
            let name = self.helpers.signed(width);
            let expr = Expr::call(name, vec![a.expr.clone()]).cast(Scalar::Long);
            let half = 1 << (width - 1);
            return Low { range: (-half, half - 1), ..Low::from(expr, Scalar::Long, &[a]) };
        }
        let mut a = a.clone();
        if width == 64 {
            a = self.named(a);
            let most = Expr::number(RANGE.1, Scalar::ULong);
            self.require(Expr::binary(Binary::Le, a.expr.clone(), most));
        }
        let expr = a.expr.clone().cast(Scalar::Long);
        let range = clipped((0, super::mask(width)));
        Low { range, ..Low::from(expr, Scalar::Long, &[&a]) }
    }
}

/// The expression as a `long`, so that operations on it use 64 bits.
pub(super) fn long(low: &Low) -> Expr {
    match low.scalar {
        Scalar::Int => low.expr.clone().cast(Scalar::Long),
        _ => low.expr.clone(),
    }
}

fn chain(op: Binary, lows: &[Low]) -> Expr {
    let pairs = lows.windows(2).map(|pair| compare(op, &pair[0], &pair[1]));
    pairs.fold(Expr::truth(true), Expr::both)
}

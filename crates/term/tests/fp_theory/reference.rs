//! Small formats by the words of the standard: numbers are decoded by its formula, computed with
//! as fractions, and rounded by looking through the list of all magnitudes.

use assay_term::float::{Float, Format, RoundingMode};
use num_bigint::BigUint;
use num_rational::Ratio;
use num_traits::{Signed, ToPrimitive, Zero};
use std::cmp::Ordering;

/// A fraction; small formats need no more.
pub type Q = Ratio<i64>;

/// What a number means.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Datum {
    Nan,
    Infinite { negative: bool },
    Finite { negative: bool, magnitude: Q },
}

/// Two to this power.
pub fn power(exponent: i32) -> Q {
    Q::from_integer(2).pow(exponent)
}

impl Datum {
    /// The meaning of an encoding: `(-1)^s * 2^(e - bias) * 1.f`, or `2^(1 - bias) * 0.f`.
    pub fn decode(format: Format, bits: u64) -> Datum {
        let (eb, fraction_bits) = (format.exponent_bits(), format.fraction_bits());
        let fraction = (bits % (1 << fraction_bits)) as i64;
        let field = ((bits >> fraction_bits) % (1 << eb)) as i32;
        let negative = bits >> (eb + fraction_bits) == 1;
        let bias = (1 << (eb - 1)) - 1;
        let part = Q::new(fraction, 1 << fraction_bits);
        if field == (1 << eb) - 1 {
            return if fraction == 0 { Datum::Infinite { negative } } else { Datum::Nan };
        }
        let magnitude = match field {
            0 => part * power(1 - bias),
            _ => (part + 1) * power(field - bias),
        };
        Datum::Finite { negative, magnitude }
    }

    pub fn of(number: &Float) -> Datum {
        let bits = number.to_bits().to_u64().expect("small formats only");
        Datum::decode(number.format(), bits)
    }

    pub fn zero(negative: bool) -> Datum {
        Datum::Finite { negative, magnitude: Q::zero() }
    }

    pub fn is_zero(self) -> bool {
        matches!(self, Datum::Finite { magnitude, .. } if magnitude.is_zero())
    }

    /// The sign bit; NaN has none that counts.
    pub fn negative(self) -> bool {
        match self {
            Datum::Nan => false,
            Datum::Infinite { negative } | Datum::Finite { negative, .. } => negative,
        }
    }

    /// The number with this sign.
    pub fn signed(self, negative: bool) -> Datum {
        match self {
            Datum::Nan => Datum::Nan,
            Datum::Infinite { .. } => Datum::Infinite { negative },
            Datum::Finite { magnitude, .. } => Datum::Finite { negative, magnitude },
        }
    }

    pub fn neg(self) -> Datum {
        self.signed(!self.negative())
    }

    /// The value of a finite number.
    pub fn value(self) -> Option<Q> {
        match self {
            Datum::Finite { negative, magnitude } => {
                Some(if negative { -magnitude } else { magnitude })
            }
            _ => None,
        }
    }

    /// The order of the values; the zeros are equal.
    pub fn order(self, other: Datum) -> Option<Ordering> {
        let rank = |datum: Datum| match datum {
            Datum::Infinite { negative } => (if negative { -1 } else { 1 }, Q::zero()),
            _ => (0, datum.value().unwrap_or_default()),
        };
        let comparable = self != Datum::Nan && other != Datum::Nan;
        comparable.then(|| rank(self).cmp(&rank(other)))
    }
}

/// The integer that a fraction rounds to.
pub fn integer(mode: RoundingMode, value: Q) -> i64 {
    let floor = value.floor().to_integer();
    let above = value - floor;
    let half = Q::new(1, 2);
    let up = match mode {
        _ if above.is_zero() => false,
        RoundingMode::NearestEven => above > half || (above == half && floor % 2 != 0),
        RoundingMode::NearestAway => above > half || (above == half && value.is_positive()),
        RoundingMode::TowardPositive => true,
        RoundingMode::TowardNegative => false,
        RoundingMode::TowardZero => value.is_negative(),
    };
    floor + i64::from(up)
}

/// A format with its table of magnitudes.
pub struct Reference {
    pub format: Format,
    /// All finite magnitudes, ascending, which is by encoding.
    magnitudes: Vec<Q>,
    /// Where the next binade would begin.
    beyond: Q,
}

impl Reference {
    pub fn new(eb: u32, sb: u32) -> Reference {
        let format = Format::new(eb, sb).expect("a format");
        let magnitudes = (0..1u64 << (eb + sb - 1))
            .filter_map(|bits| Datum::decode(format, bits).value())
            .collect();
        Reference { format, magnitudes, beyond: power(1 << (eb - 1)) }
    }

    /// Every number of the format once.
    pub fn numbers(&self) -> Vec<(Float, Datum)> {
        let all = (0..1u64 << self.format.width()).map(|bits| {
            let number = Float::from_bits(self.format, &BigUint::from(bits)).expect("it fits");
            (number, Datum::decode(self.format, bits))
        });
        let mut nan_seen = false;
        all.filter(|(_, datum)| *datum != Datum::Nan || !std::mem::replace(&mut nan_seen, true))
            .collect()
    }

    /// Rounds a number of this sign whose magnitude is known by its order to fractions.
    fn round(&self, mode: RoundingMode, negative: bool, order: impl Fn(Q) -> Ordering) -> Datum {
        let reached = |magnitude: &Q| order(*magnitude).is_ge();
        let below = self.magnitudes.iter().rposition(reached).expect("zero is reached");
        let above = self.magnitudes.get(below + 1).copied();
        let low = self.magnitudes[below];
        let middle = order((low + above.unwrap_or(self.beyond)) / 2);
        let up = match mode {
            _ if order(low).is_eq() => false,
            RoundingMode::NearestEven => middle.is_gt() || (middle.is_eq() && below % 2 == 1),
            RoundingMode::NearestAway => middle.is_ge(),
            RoundingMode::TowardPositive => !negative,
            RoundingMode::TowardNegative => negative,
            RoundingMode::TowardZero => false,
        };
        match above {
            _ if !up => Datum::Finite { negative, magnitude: low },
            Some(magnitude) => Datum::Finite { negative, magnitude },
            None => Datum::Infinite { negative },
        }
    }

    /// Rounds a value; an exact zero gets the sign given.
    pub fn rounded(&self, mode: RoundingMode, value: Q, zero_negative: bool) -> Datum {
        if value.is_zero() {
            return Datum::zero(zero_negative);
        }
        self.round(mode, value.is_negative(), |candidate| value.abs().cmp(&candidate))
    }

    /// Whether the format has a finite number of this magnitude.
    fn holds(&self, magnitude: Q) -> bool {
        self.magnitudes.contains(&magnitude)
    }

    pub fn least_normal(&self) -> Q {
        power(2 - (1 << (self.format.exponent_bits() - 1)))
    }

    pub fn convert(&self, mode: RoundingMode, x: Datum) -> Datum {
        x.value().map_or(x, |value| self.rounded(mode, value, x.negative()))
    }

    /// The sum of two exact numbers, each given as a datum of any precision.
    pub fn add(&self, mode: RoundingMode, x: Datum, y: Datum) -> Datum {
        match (x.value(), y.value()) {
            (Some(a), Some(b)) => {
                let downwards = mode == RoundingMode::TowardNegative;
                let both_zero = x.is_zero() && y.is_zero();
                let agree = both_zero && x.negative() == y.negative();
                let zero_negative = if agree { x.negative() } else { downwards };
                self.rounded(mode, a + b, zero_negative)
            }
            _ if x == Datum::Nan || y == Datum::Nan => Datum::Nan,
            (None, None) if x != y => Datum::Nan,
            (None, _) => x,
            (_, None) => y,
        }
    }

    /// The exact product.
    fn product(x: Datum, y: Datum) -> Datum {
        let negative = x.negative() != y.negative();
        match (x, y) {
            (Datum::Finite { magnitude: a, .. }, Datum::Finite { magnitude: b, .. }) => {
                Datum::Finite { negative, magnitude: a * b }
            }
            (Datum::Nan, _) | (_, Datum::Nan) => Datum::Nan,
            _ if x.is_zero() || y.is_zero() => Datum::Nan,
            _ => Datum::Infinite { negative },
        }
    }

    pub fn mul(&self, mode: RoundingMode, x: Datum, y: Datum) -> Datum {
        self.convert(mode, Reference::product(x, y))
    }

    pub fn fma(&self, mode: RoundingMode, x: Datum, y: Datum, z: Datum) -> Datum {
        self.add(mode, Reference::product(x, y), z)
    }

    pub fn div(&self, mode: RoundingMode, x: Datum, y: Datum) -> Datum {
        let negative = x.negative() != y.negative();
        match (x, y) {
            (Datum::Nan, _) | (_, Datum::Nan) => Datum::Nan,
            (Datum::Infinite { .. }, Datum::Infinite { .. }) => Datum::Nan,
            _ if x.is_zero() && y.is_zero() => Datum::Nan,
            (Datum::Infinite { .. }, _) => Datum::Infinite { negative },
            (_, Datum::Infinite { .. }) => Datum::zero(negative),
            _ if y.is_zero() => Datum::Infinite { negative },
            (Datum::Finite { magnitude: a, .. }, Datum::Finite { magnitude: b, .. }) => {
                let quotient = Datum::Finite { negative, magnitude: a / b };
                self.convert(mode, quotient)
            }
        }
    }

    pub fn sqrt(&self, mode: RoundingMode, x: Datum) -> Datum {
        match x {
            Datum::Nan => Datum::Nan,
            _ if x.is_zero() => x,
            _ if x.negative() => Datum::Nan,
            Datum::Infinite { .. } => x,
            Datum::Finite { magnitude, .. } => {
                self.round(mode, false, |candidate| magnitude.cmp(&(candidate * candidate)))
            }
        }
    }

    pub fn rem(&self, x: Datum, y: Datum) -> Datum {
        match (x.value(), y.value()) {
            _ if x == Datum::Nan || y == Datum::Nan || y.is_zero() => Datum::Nan,
            (None, _) => Datum::Nan,
            (Some(_), None) => x,
            (Some(a), Some(b)) => {
                let rest = a - b * integer(RoundingMode::NearestEven, a / b);
                let negative = if rest.is_zero() { x.negative() } else { rest.is_negative() };
                assert!(self.holds(rest.abs()), "a remainder is exact");
                Datum::Finite { negative, magnitude: rest.abs() }
            }
        }
    }

    /// The nearest integer; `None` if the format does not have it.
    pub fn round_to_integral(&self, mode: RoundingMode, x: Datum) -> Option<Datum> {
        let Some(value) = x.value() else {
            return Some(x);
        };
        let magnitude = Q::from_integer(integer(mode, value)).abs();
        self.holds(magnitude).then_some(Datum::Finite { negative: x.negative(), magnitude })
    }

    /// Minimum or maximum, by which order makes the first argument win.
    pub fn extremum(x: Datum, y: Datum, wins: Ordering) -> Option<Datum> {
        match x.order(y) {
            None => Some(if x == Datum::Nan { y } else { x }),
            Some(Ordering::Equal) => (x == y).then_some(x),
            Some(order) => Some(if order == wins { x } else { y }),
        }
    }
}

//! Every operand of tiny formats against a definition that shares nothing with the code under
//! test: numbers are decoded by the formula of the standard, results are exact fractions of small
//! integers, and rounding picks from the sorted list of all magnitudes of the format.

use std::cmp::Ordering;

use assay_term::float::{Float, Format, NoExactValue, RoundingMode};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::ToPrimitive;

const FORMATS: [(u32, u32); 11] =
    [(2, 2), (2, 3), (2, 4), (2, 5), (3, 2), (3, 3), (3, 4), (4, 2), (4, 3), (4, 4), (5, 2)];

/// What a bit pattern means. A magnitude counts units of the format.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Nan,
    Infinite { negative: bool },
    Number { negative: bool, magnitude: i128 },
}

/// A nonnegative fraction, in units of the format.
#[derive(Clone, Copy, Debug)]
struct Fraction {
    numerator: i128,
    denominator: i128,
}

/// A format with its table of magnitudes.
struct Reference {
    format: Format,
    /// All finite magnitudes in units of the least subnormal, by their encoding.
    magnitudes: Vec<i128>,
    /// Where the next binade would begin.
    beyond: i128,
    /// The unit is `2^-scale`.
    scale: u32,
}

impl Reference {
    fn new(eb: u32, sb: u32) -> Reference {
        let fraction_count = 1i128 << (sb - 1);
        let mut magnitudes: Vec<i128> = (0..fraction_count).collect();
        for exponent in 1..(1 << eb) - 1 {
            let binade = (0..fraction_count).map(|low| (fraction_count + low) << (exponent - 1));
            magnitudes.extend(binade);
        }
        let bias = (1u32 << (eb - 1)) - 1;
        Reference {
            format: Format::new(eb, sb).expect("a supported format"),
            beyond: (2 * fraction_count) << ((1 << eb) - 3),
            magnitudes,
            scale: bias + sb - 2,
        }
    }

    fn all(&self) -> impl Iterator<Item = (Float, Meaning)> + '_ {
        let half = 1u64 << (self.format.width() - 1);
        (0..2 * half).map(move |bits| {
            let number =
                Float::from_bits(self.format, &BigUint::from(bits)).expect("as wide as the format");
            (number, self.meaning(bits >= half, (bits % half) as usize))
        })
    }

    fn meaning(&self, negative: bool, encoding: usize) -> Meaning {
        match encoding.cmp(&self.magnitudes.len()) {
            Ordering::Less => Meaning::Number { negative, magnitude: self.magnitudes[encoding] },
            Ordering::Equal => Meaning::Infinite { negative },
            Ordering::Greater => Meaning::Nan,
        }
    }

    /// Rounds a nonnegative number known by how it compares with `candidate / 2` units.
    fn round(
        &self,
        mode: RoundingMode,
        negative: bool,
        compare_with_half_units: impl Fn(i128) -> Ordering,
    ) -> Meaning {
        let reached = |magnitude: &i128| compare_with_half_units(2 * magnitude).is_ge();
        // Zero is always reached.
        let below = self.magnitudes.partition_point(reached) - 1;
        if compare_with_half_units(2 * self.magnitudes[below]).is_eq() {
            return self.meaning(negative, below);
        }
        let above = self.magnitudes.get(below + 1).unwrap_or(&self.beyond);
        let middle = compare_with_half_units(self.magnitudes[below] + above);
        let up = match mode {
            RoundingMode::NearestEven => middle.is_gt() || (middle.is_eq() && below % 2 == 1),
            RoundingMode::NearestAway => middle.is_ge(),
            RoundingMode::TowardPositive => !negative,
            RoundingMode::TowardNegative => negative,
            RoundingMode::TowardZero => false,
        };
        self.meaning(negative, below + usize::from(up))
    }

    fn round_fraction(&self, mode: RoundingMode, negative: bool, value: Fraction) -> Meaning {
        self.round(mode, negative, |candidate| {
            (2 * value.numerator).cmp(&(candidate * value.denominator))
        })
    }

    /// Rounds a signed sum, whose sign is by the mode when it is an exact zero.
    fn round_sum(&self, mode: RoundingMode, sum: i128, unit_denominator: i128) -> Meaning {
        let negative = sum < 0 || (sum == 0 && mode == RoundingMode::TowardNegative);
        let value = Fraction { numerator: sum.abs(), denominator: unit_denominator };
        self.round_fraction(mode, negative, value)
    }

    fn add(&self, mode: RoundingMode, x: Meaning, y: Meaning) -> Meaning {
        match (x, y) {
            (Meaning::Nan, _) | (_, Meaning::Nan) => Meaning::Nan,
            (Meaning::Infinite { .. }, Meaning::Infinite { .. }) if x != y => Meaning::Nan,
            (Meaning::Infinite { .. }, _) => x,
            (_, Meaning::Infinite { .. }) => y,
            _ if x == y && x.is_zero() => x,
            _ => self.round_sum(mode, x.units() + y.units(), 1),
        }
    }

    fn mul(&self, mode: RoundingMode, x: Meaning, y: Meaning) -> Meaning {
        let negative = x.negative() != y.negative();
        match (x, y) {
            (Meaning::Nan, _) | (_, Meaning::Nan) => Meaning::Nan,
            (Meaning::Infinite { .. }, _) if y.is_zero() => Meaning::Nan,
            (_, Meaning::Infinite { .. }) if x.is_zero() => Meaning::Nan,
            (Meaning::Infinite { .. }, _) | (_, Meaning::Infinite { .. }) => {
                Meaning::Infinite { negative }
            }
            _ => {
                let value = Fraction {
                    numerator: (x.units() * y.units()).abs(),
                    denominator: 1 << self.scale,
                };
                self.round_fraction(mode, negative, value)
            }
        }
    }

    fn div(&self, mode: RoundingMode, x: Meaning, y: Meaning) -> Meaning {
        let negative = x.negative() != y.negative();
        match (x, y) {
            (Meaning::Nan, _) | (_, Meaning::Nan) => Meaning::Nan,
            (Meaning::Infinite { .. }, Meaning::Infinite { .. }) => Meaning::Nan,
            (Meaning::Infinite { .. }, _) => Meaning::Infinite { negative },
            (_, Meaning::Infinite { .. }) => self.meaning(negative, 0),
            _ if y.is_zero() && x.is_zero() => Meaning::Nan,
            _ if y.is_zero() => Meaning::Infinite { negative },
            _ => {
                let value = Fraction {
                    numerator: x.units().abs() << self.scale,
                    denominator: y.units().abs(),
                };
                self.round_fraction(mode, negative, value)
            }
        }
    }

    fn fma(&self, mode: RoundingMode, x: Meaning, y: Meaning, z: Meaning) -> Meaning {
        let product_negative = x.negative() != y.negative();
        let infinite_product = x.is_infinite() || y.is_infinite();
        if x == Meaning::Nan || y == Meaning::Nan || z == Meaning::Nan {
            return Meaning::Nan;
        }
        if infinite_product {
            let invalid = x.is_zero() || y.is_zero();
            let cancels = z.is_infinite() && z.negative() != product_negative;
            let negative = product_negative;
            return match invalid || cancels {
                true => Meaning::Nan,
                false => Meaning::Infinite { negative },
            };
        }
        if z.is_infinite() {
            return z;
        }
        let zero_product = x.is_zero() || y.is_zero();
        if zero_product && z.is_zero() && z.negative() == product_negative {
            return z;
        }
        let sum = x.units() * y.units() + (z.units() << self.scale);
        self.round_sum(mode, sum, 1 << self.scale)
    }

    fn sqrt(&self, mode: RoundingMode, x: Meaning) -> Meaning {
        if x == Meaning::Nan || (x.negative() && !x.is_zero()) {
            return Meaning::Nan;
        }
        if x.is_infinite() || x.is_zero() {
            return x;
        }
        // sqrt(m * u) against c/2 * u, both squared and divided by u = 2^-scale.
        let quadruple = (4 * x.units()) << self.scale;
        self.round(mode, false, |candidate| quadruple.cmp(&(candidate * candidate)))
    }

    fn rem(&self, x: Meaning, y: Meaning) -> Meaning {
        if x == Meaning::Nan || x.is_infinite() || y == Meaning::Nan || y.is_zero() {
            return Meaning::Nan;
        }
        if y.is_infinite() {
            return x;
        }
        let quotient = nearest_even(x.units(), y.units());
        let rest = x.units() - quotient * y.units();
        let negative = rest < 0 || (rest == 0 && x.negative());
        let encoding = self.magnitudes.binary_search(&rest.abs());
        self.meaning(negative, encoding.expect("a remainder is exact"))
    }

    /// The integer a finite number rounds to, without its sign.
    fn integer(&self, mode: RoundingMode, x: Meaning) -> i128 {
        let unit = 1i128 << self.scale;
        let (floor, rest) = (x.units().abs() / unit, x.units().abs() % unit);
        let up = match mode {
            RoundingMode::NearestEven => 2 * rest > unit || (2 * rest == unit && floor % 2 == 1),
            RoundingMode::NearestAway => 2 * rest >= unit,
            RoundingMode::TowardPositive => rest > 0 && !x.negative(),
            RoundingMode::TowardNegative => rest > 0 && x.negative(),
            RoundingMode::TowardZero => false,
        };
        floor + i128::from(up)
    }

    fn round_to_integral(&self, mode: RoundingMode, x: Meaning) -> Meaning {
        if !x.is_finite() {
            return x;
        }
        let value = Fraction { numerator: self.integer(mode, x) << self.scale, denominator: 1 };
        self.round_fraction(mode, x.negative(), value)
    }

    fn assert_means(&self, result: &Float, expected: Meaning, what: impl Fn() -> String) {
        assert_eq!(result.format(), self.format);
        let half = 1u64 << (self.format.width() - 1);
        let bits = result.to_bits().to_u64().expect("tiny formats fit a word");
        let found = self.meaning(bits >= half, (bits % half) as usize);
        assert_eq!(found, expected, "{} in {}", what(), self.format);
    }
}

impl Meaning {
    fn negative(self) -> bool {
        match self {
            Meaning::Nan => false,
            Meaning::Infinite { negative } | Meaning::Number { negative, .. } => negative,
        }
    }

    fn is_infinite(self) -> bool {
        matches!(self, Meaning::Infinite { .. })
    }

    fn is_zero(self) -> bool {
        matches!(self, Meaning::Number { magnitude: 0, .. })
    }

    fn is_finite(self) -> bool {
        matches!(self, Meaning::Number { .. })
    }

    /// The value of a finite number, in units.
    fn units(self) -> i128 {
        match self {
            Meaning::Number { negative: true, magnitude } => -magnitude,
            Meaning::Number { magnitude, .. } => magnitude,
            _ => panic!("{self:?} has no value"),
        }
    }

    fn negated(self) -> Meaning {
        match self {
            Meaning::Nan => Meaning::Nan,
            Meaning::Infinite { negative } => Meaning::Infinite { negative: !negative },
            Meaning::Number { negative, magnitude } => {
                Meaning::Number { negative: !negative, magnitude }
            }
        }
    }

    fn compare(self, other: Meaning) -> Option<Ordering> {
        let key = |meaning: Meaning| match meaning {
            Meaning::Nan => None,
            Meaning::Infinite { negative } => Some(if negative { i128::MIN } else { i128::MAX }),
            Meaning::Number { .. } => Some(meaning.units()),
        };
        Some(key(self)?.cmp(&key(other)?))
    }
}

/// The integer nearest to a quotient, the even one of two.
fn nearest_even(numerator: i128, denominator: i128) -> i128 {
    let floor = numerator.div_euclid(denominator);
    let candidates = [floor - 1, floor, floor + 1];
    let distance = |candidate: i128| (numerator - candidate * denominator).abs();
    let least = candidates.map(distance).into_iter().min().expect("there are three candidates");
    let mut nearest = candidates.into_iter().filter(|n| distance(*n) == least);
    let first = nearest.next().expect("one candidate is nearest");
    match nearest.next() {
        Some(second) if first % 2 != 0 => second,
        _ => first,
    }
}

#[test]
fn every_single_operand() {
    for (eb, sb) in FORMATS {
        let reference = Reference::new(eb, sb);
        for (x, a) in reference.all() {
            let magnitude = if a.negative() { a.negated() } else { a };
            reference.assert_means(&x, a, || format!("{x}"));
            reference.assert_means(&x.neg(), a.negated(), || format!("neg {x}"));
            reference.assert_means(&x.abs(), magnitude, || format!("abs {x}"));
            check_classes(&reference, &x, a);
            for mode in RoundingMode::ALL {
                let what = |name: &str| format!("{name} {mode} {x}");
                let root = reference.sqrt(mode, a);
                reference.assert_means(&x.sqrt(mode), root, || what("sqrt"));
                let integral = reference.round_to_integral(mode, a);
                reference.assert_means(&x.round_to_integral(mode), integral, || what("rti"));
                check_integer(&reference, mode, &x, a);
            }
        }
    }
}

fn check_classes(reference: &Reference, x: &Float, a: Meaning) {
    let least_normal = 1i128 << (reference.format.significand_bits() - 1);
    let normal = a.is_finite() && a.units().abs() >= least_normal;
    let nan = a == Meaning::Nan;
    assert_eq!(x.is_nan(), nan);
    assert_eq!(x.is_infinite(), a.is_infinite());
    assert_eq!(x.is_zero(), a.is_zero());
    assert_eq!(x.is_normal(), normal);
    assert_eq!(x.is_subnormal(), a.is_finite() && !a.is_zero() && !normal);
    assert_eq!(x.is_negative(), a.negative());
    assert_eq!(x.is_positive(), !nan && !a.negative());
}

fn check_integer(reference: &Reference, mode: RoundingMode, x: &Float, a: Meaning) {
    let result = x.round_to_integer(mode);
    match a {
        Meaning::Nan => assert_eq!(result, Err(NoExactValue::Nan)),
        Meaning::Infinite { .. } => {
            let sign = x.sign().expect("an infinity has a sign");
            assert_eq!(result, Err(NoExactValue::Infinite(sign)));
            assert_eq!(x.to_rational(), Err(NoExactValue::Infinite(sign)));
        }
        Meaning::Number { negative, .. } => {
            let integer = reference.integer(mode, a);
            let signed = BigInt::from(if negative { -integer } else { integer });
            assert_eq!(result, Ok(signed), "{mode} {x}");
            let unit = BigInt::from(1i128 << reference.scale);
            let value = BigRational::new(BigInt::from(a.units()), unit);
            assert_eq!(x.to_rational(), Ok(value), "{x}");
        }
    }
}

#[test]
fn every_pair_of_operands() {
    for (eb, sb) in FORMATS {
        let reference = Reference::new(eb, sb);
        for (x, a) in reference.all() {
            for (y, b) in reference.all() {
                check_pair(&reference, (&x, a), (&y, b));
            }
        }
    }
}

fn check_pair(reference: &Reference, (x, a): (&Float, Meaning), (y, b): (&Float, Meaning)) {
    for mode in RoundingMode::ALL {
        let results = [
            ("add", x.add(y, mode), reference.add(mode, a, b)),
            ("sub", x.sub(y, mode), reference.add(mode, a, b.negated())),
            ("mul", x.mul(y, mode), reference.mul(mode, a, b)),
            ("div", x.div(y, mode), reference.div(mode, a, b)),
        ];
        for (name, result, expected) in results {
            reference.assert_means(&result, expected, || format!("{mode}: {x} {name} {y}"));
        }
    }
    reference.assert_means(&x.rem(y), reference.rem(a, b), || format!("{x} rem {y}"));
    let order = a.compare(b);
    let is = |accept: fn(Ordering) -> bool| order.is_some_and(accept);
    assert_eq!(x.ieee_eq(y), is(Ordering::is_eq), "{x} {y}");
    assert_eq!(x.lt(y), is(Ordering::is_lt), "{x} {y}");
    assert_eq!(x.le(y), is(Ordering::is_le), "{x} {y}");
    assert_eq!(x.gt(y), is(Ordering::is_gt), "{x} {y}");
    assert_eq!(x.ge(y), is(Ordering::is_ge), "{x} {y}");
    assert_eq!(x == y, a == b, "{x} {y}");
    check_extrema((x, a), (y, b));
}

fn check_extrema((x, a): (&Float, Meaning), (y, b): (&Float, Meaning)) {
    let (least, greatest) = match a.compare(b) {
        None if a == Meaning::Nan => (Some(y), Some(y)),
        None => (Some(x), Some(x)),
        Some(Ordering::Less) => (Some(x), Some(y)),
        Some(Ordering::Greater) => (Some(y), Some(x)),
        Some(Ordering::Equal) if a == b => (Some(x), Some(x)),
        Some(Ordering::Equal) => (None, None),
    };
    assert_eq!(x.min(y).as_ref(), least, "{x} min {y}");
    assert_eq!(x.max(y).as_ref(), greatest, "{x} max {y}");
}

#[test]
fn every_triple_of_operands() {
    for (eb, sb) in [(2, 2), (2, 3), (3, 2), (3, 3)] {
        let reference = Reference::new(eb, sb);
        let all: Vec<_> = reference.all().collect();
        for (x, a) in &all {
            for (y, b) in &all {
                for (z, c) in &all {
                    for mode in RoundingMode::ALL {
                        let expected = reference.fma(mode, *a, *b, *c);
                        reference.assert_means(&x.fma(y, z, mode), expected, || {
                            format!("{mode}: {x} * {y} + {z}")
                        });
                    }
                }
            }
        }
    }
}

#[test]
fn every_conversion_between_formats() {
    for (eb, sb) in FORMATS {
        let source = Reference::new(eb, sb);
        for (to_eb, to_sb) in FORMATS {
            let target = Reference::new(to_eb, to_sb);
            for (x, a) in source.all() {
                for mode in RoundingMode::ALL {
                    let expected = match a {
                        Meaning::Number { negative, .. } => {
                            let value = Fraction {
                                numerator: a.units().abs() << target.scale,
                                denominator: 1 << source.scale,
                            };
                            target.round_fraction(mode, negative, value)
                        }
                        _ => a,
                    };
                    target.assert_means(&x.convert(target.format, mode), expected, || {
                        format!("{mode}: {x} converted")
                    });
                }
            }
        }
    }
}

#[test]
fn many_small_rationals() {
    for (eb, sb) in FORMATS {
        let reference = Reference::new(eb, sb);
        for denominator in [1, 2, 3, 7, 12, 16, 64, 1_000_003] {
            for numerator in -66i128..=66 {
                check_rational(&reference, numerator, denominator);
            }
        }
        for shift in 0..=reference.scale + 2 {
            // The halves and quarters of the least subnormal, and what lies beside them.
            for numerator in [-5, -3, -2, -1, 0, 1, 2, 3, 5, 1_000_001] {
                check_rational(&reference, numerator, 1 << shift);
            }
        }
    }
}

fn check_rational(reference: &Reference, numerator: i128, denominator: i128) {
    let number = BigRational::new(numerator.into(), denominator.into());
    for mode in RoundingMode::ALL {
        let value = Fraction { numerator: numerator.abs() << reference.scale, denominator };
        let expected = reference.round_fraction(mode, numerator < 0, value);
        let result = Float::from_rational(reference.format, mode, &number);
        reference.assert_means(&result, expected, || format!("{mode}: {number}"));
        if denominator == 1 {
            let integer = BigInt::from(numerator);
            let result = Float::from_integer(reference.format, mode, &integer);
            reference.assert_means(&result, expected, || format!("{mode}: {integer}"));
        }
    }
}

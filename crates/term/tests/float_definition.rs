//! Odd and wide formats against the definition of correct rounding: a result is checked by
//! comparing the exact value with the result's neighbours and with the middles between them.

mod float_support;

use std::cmp::Ordering;

use assay_term::float::{Float, Format, RoundingMode, Sign};
use float_support::{Random, landmarks};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

const FORMATS: [(u32, u32, usize); 9] = [
    (2, 2, 300),
    (2, 30, 800),
    (5, 3, 800),
    (8, 2, 800),
    (8, 56, 800),
    (9, 55, 800),
    (9, 56, 800),
    (11, 100, 400),
    (15, 113, 60),
];

/// A format whose numbers are counted in units of half its least subnormal, so that the middles
/// between neighbours are whole too.
struct Scale {
    format: Format,
    infinity: BigUint,
    /// The unit is `2^-places`.
    places: u64,
}

impl Scale {
    fn new(format: Format) -> Scale {
        let infinity = Float::infinity(format, Sign::Positive).to_bits();
        let places = (1 - format.quantum_exponent()).unsigned_abs();
        Scale { format, infinity, places }
    }

    /// The magnitude with this encoding; infinity stands for the start of the next binade.
    fn magnitude(&self, encoding: &BigUint) -> BigInt {
        let width = self.format.fraction_bits();
        let exponent = encoding >> width;
        let exponent = u64::try_from(&exponent).expect("exponents fit a word");
        let fraction = encoding & float_support::ones(width);
        let half_units = match exponent {
            0 => fraction << 1u32,
            _ => (fraction + (BigUint::from(1u32) << width)) << exponent,
        };
        BigInt::from(half_units)
    }

    /// The value of a finite number, in units.
    fn units(&self, number: &Float) -> BigInt {
        let magnitude = self.magnitude(&number.abs().to_bits());
        if number.is_negative() { -magnitude } else { magnitude }
    }

    /// Whether `result` is the rounding of a nonzero number of this sign, whose magnitude is
    /// known by how it compares with a number of units.
    fn is_rounding(
        &self,
        mode: RoundingMode,
        sign: Sign,
        compare: &dyn Fn(&BigInt) -> Ordering,
        result: &Float,
    ) -> bool {
        if result.sign() != Some(sign) {
            return false;
        }
        let encoding = result.abs().to_bits();
        let here = self.magnitude(&encoding);
        let finite = encoding < self.infinity;
        if finite && compare(&here).is_eq() {
            return true;
        }
        let previous = (encoding > BigUint::ZERO).then(|| self.magnitude(&(&encoding - 1u32)));
        let next = finite.then(|| self.magnitude(&(&encoding + 1u32)));
        // Infinity is every number beyond the largest, and the largest has no upper neighbour.
        let largest = &encoding + 1u32 == self.infinity;
        let below_next = largest || next.as_ref().is_none_or(|next| compare(next).is_lt());
        let downward = finite && compare(&here).is_gt() && below_next;
        let upward = previous.as_ref().is_some_and(|low| compare(low).is_gt())
            && (!finite || compare(&here).is_lt());
        match (mode, sign) {
            (RoundingMode::TowardZero, _)
            | (RoundingMode::TowardPositive, Sign::Negative)
            | (RoundingMode::TowardNegative, Sign::Positive) => downward,
            (RoundingMode::TowardPositive, Sign::Positive)
            | (RoundingMode::TowardNegative, Sign::Negative) => upward,
            (RoundingMode::NearestEven | RoundingMode::NearestAway, _) => {
                let even = mode == RoundingMode::NearestEven;
                let keeps_low_tie = !even || !encoding.bit(0);
                let keeps_high_tie = even && !encoding.bit(0);
                let above_low = previous.is_none_or(|low| {
                    let order = compare(&((low + &here) / 2));
                    order.is_gt() || (order.is_eq() && keeps_low_tie)
                });
                let below_high = next.is_none_or(|high| {
                    let order = compare(&((high + &here) / 2));
                    order.is_lt() || (order.is_eq() && keeps_high_tie)
                });
                above_low && below_high
            }
        }
    }

    /// Checks a result whose exact value is `numerator / denominator` units.
    fn check(
        &self,
        mode: RoundingMode,
        (numerator, denominator): (&BigInt, &BigInt),
        result: &Float,
        what: &str,
    ) {
        if *numerator == BigInt::ZERO {
            assert!(result.is_zero(), "{mode} {what}: {result}");
            return;
        }
        let sign =
            if numerator.sign() == denominator.sign() { Sign::Positive } else { Sign::Negative };
        let (numerator, denominator) = (numerator.magnitude(), denominator.magnitude());
        let compare = |units: &BigInt| numerator.cmp(&(units.magnitude() * denominator));
        let correct = self.is_rounding(mode, sign, &compare, result);
        assert!(correct, "{mode} {what}: {result}");
    }
}

fn is_finite(number: &Float) -> bool {
    !number.is_nan() && !number.is_infinite()
}

fn finite(random: &mut Random, format: Format) -> Float {
    loop {
        let number = random.float(format);
        if is_finite(&number) {
            return number;
        }
    }
}

fn check_operations(scale: &Scale, [x, y, z]: [&Float; 3]) {
    let [a, b, c] = [x, y, z].map(|number| scale.units(number));
    let (one, unit) = (BigInt::from(1), BigInt::from(1) << scale.places);
    for mode in RoundingMode::ALL {
        let what = |name: &str| format!("{name} {x} {y} {z}");
        scale.check(mode, (&(&a + &b), &one), &x.add(y, mode), &what("add"));
        scale.check(mode, (&(&a - &b), &one), &x.sub(y, mode), &what("sub"));
        scale.check(mode, (&(&a * &b), &unit), &x.mul(y, mode), &what("mul"));
        let sum = &a * &b + (&c << scale.places);
        scale.check(mode, (&sum, &unit), &x.fma(y, z, mode), &what("fma"));
        if !y.is_zero() && !x.is_zero() {
            let dividend = &a << scale.places;
            scale.check(mode, (&dividend, &b), &x.div(y, mode), &what("div"));
            let ratio = BigRational::new(a.clone(), b.clone());
            let result = Float::from_rational(scale.format, mode, &ratio);
            scale.check(mode, (&dividend, &b), &result, &what("ratio"));
        }
        check_root(scale, mode, &x.abs());
    }
    check_remainder(scale, x, y);
}

fn check_root(scale: &Scale, mode: RoundingMode, x: &Float) {
    if x.is_zero() {
        assert_eq!(x.sqrt(mode), *x);
        return;
    }
    let square = scale.units(x) << scale.places;
    let compare = |units: &BigInt| square.cmp(&(units * units));
    let result = x.sqrt(mode);
    let correct = scale.is_rounding(mode, Sign::Positive, &compare, &result);
    assert!(correct, "{mode} sqrt {x}: {result}");
}

fn check_remainder(scale: &Scale, x: &Float, y: &Float) {
    if y.is_zero() {
        return;
    }
    let result = x.rem(y);
    let (a, b, rest) = (scale.units(x), scale.units(y), scale.units(&result));
    let difference = &a - &rest;
    let quotient = &difference / &b;
    assert_eq!(&quotient * &b, difference, "{x} rem {y}: {result}");
    let (twice, divisor) = (rest.magnitude() << 1u32, b.magnitude());
    let nearest = match twice.cmp(divisor) {
        Ordering::Less => true,
        Ordering::Equal => !quotient.bit(0),
        Ordering::Greater => false,
    };
    assert!(nearest, "{x} rem {y}: {result}");
    assert!(!result.is_zero() || result.sign() == x.sign(), "{x} rem {y}");
}

#[test]
fn results_are_the_nearest_numbers() {
    for (index, (eb, sb, rounds)) in FORMATS.into_iter().enumerate() {
        let format = Format::new(eb, sb).unwrap();
        let scale = Scale::new(format);
        let mut random = Random::new(index as u64 + 1);
        for _ in 0..rounds {
            let [x, y, z] = [(); 3].map(|()| finite(&mut random, format));
            check_operations(&scale, [&x, &y, &z]);
        }
    }
}

#[test]
fn landmarks_meet_the_definition() {
    for (eb, sb) in [(2, 2), (5, 3), (8, 56), (9, 56)] {
        let format = Format::new(eb, sb).unwrap();
        let scale = Scale::new(format);
        let special: Vec<_> = landmarks(format).into_iter().filter(is_finite).collect();
        for x in &special {
            for y in &special {
                check_operations(&scale, [x, y, &special[3]]);
            }
        }
    }
}

/// Exact values at the middle between neighbours and one unit beside it.
#[test]
fn ties_are_broken_by_the_mode() {
    for (index, (eb, sb, rounds)) in FORMATS.into_iter().enumerate() {
        let format = Format::new(eb, sb).unwrap();
        let scale = Scale::new(format);
        let mut random = Random::new(index as u64 + 101);
        for _ in 0..rounds / 4 {
            let number = finite(&mut random, format).abs();
            let low = number.to_bits();
            let middle: BigInt = (scale.magnitude(&low) + scale.magnitude(&(&low + 1u32))) / 2;
            let unit = BigInt::from(1) << scale.places;
            for (numerator, denominator) in [
                (middle.clone(), BigInt::from(1)),
                (&middle * 8 - 1, BigInt::from(8)),
                (&middle * 8 + 1, BigInt::from(8)),
                (-middle, BigInt::from(1)),
            ] {
                let value = BigRational::new_raw(numerator.clone(), &unit * &denominator);
                for mode in RoundingMode::ALL {
                    let result = Float::from_rational(format, mode, &value);
                    let exact = (&numerator, &denominator);
                    scale.check(mode, exact, &result, &format!("beside {number}"));
                }
            }
        }
    }
}

//! Formats with huge exponents or significands, where nothing may be written out in full, and
//! laws that hold in every format.

mod float_support;

use assay_term::float::{Float, Format, RoundingMode, Sign};
use float_support::{Random, landmarks};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

const FORMATS: [(u32, u32); 13] = [
    (2, 2),
    (2, 40),
    (5, 3),
    (8, 2),
    (8, 56),
    (9, 56),
    (11, 100),
    (15, 113),
    (33, 5),
    (40, 24),
    (40, 25),
    (60, 2),
    (60, 130),
];

fn format(eb: u32, sb: u32) -> Format {
    Format::new(eb, sb).expect("a supported format")
}

/// `2^exponent`, which must be in the normal range.
fn power(format: Format, exponent: i64) -> Float {
    let field = u64::try_from(exponent + format.max_exponent()).expect("in the normal range");
    Float::from_parts(format, Sign::Positive, field, &BigUint::ZERO).expect("in the normal range")
}

/// The next number away from zero.
fn away(number: &Float) -> Float {
    Float::from_bits(number.format(), &(number.to_bits() + 1u32)).expect("not the last encoding")
}

/// The next number toward zero.
fn toward(number: &Float) -> Float {
    Float::from_bits(number.format(), &(number.to_bits() - 1u32)).expect("no wider than the number")
}

#[test]
fn encodings_round_trip() {
    let mut random = Random::new(1);
    for (eb, sb) in FORMATS {
        let format = format(eb, sb);
        let operands = landmarks(format).into_iter();
        for x in operands.chain((0..200).map(|_| random.float(format))) {
            assert_eq!(Float::from_bits(format, &x.to_bits()).as_ref(), Some(&x));
            let parts = x.to_parts();
            let rebuilt = Float::from_parts(format, parts.sign, parts.exponent, &parts.significand);
            assert_eq!(rebuilt.as_ref(), Some(&x));
            if let Ok(value) = x.to_rational() {
                for mode in RoundingMode::ALL {
                    let back = Float::from_rational(format, mode, &value);
                    assert!(back == x || (x.is_zero() && back.is_zero()), "{x}");
                }
            }
        }
    }
}

#[test]
fn a_wider_format_holds_every_number() {
    let mut random = Random::new(2);
    for (eb, sb) in FORMATS {
        let narrow = format(eb, sb);
        for wide in [format(60, sb + 3), format(60, sb), format((eb + 1).min(60), sb + 70)] {
            for _ in 0..100 {
                let x = random.float(narrow);
                for mode in RoundingMode::ALL {
                    let widened = x.convert(wide, mode);
                    assert_eq!(widened.convert(narrow, mode), x);
                    assert_eq!(widened.is_negative(), x.is_negative());
                }
            }
        }
    }
}

#[test]
fn laws_hold_in_every_format() {
    let mut random = Random::new(3);
    for (eb, sb) in FORMATS {
        let format = format(eb, sb);
        let one = power(format, 0);
        for _ in 0..200 {
            let [x, y, z] = [(); 3].map(|()| random.float(format));
            for mode in RoundingMode::ALL {
                let mirror = match mode {
                    RoundingMode::TowardPositive => RoundingMode::TowardNegative,
                    RoundingMode::TowardNegative => RoundingMode::TowardPositive,
                    nearest => nearest,
                };
                assert_eq!(x.add(&y, mode), y.add(&x, mode));
                assert_eq!(x.mul(&y, mode), y.mul(&x, mode));
                assert_eq!(x.mul(&one, mode), x);
                assert_eq!(x.div(&one, mode), x);
                assert_eq!(x.mul(&y, mode).neg(), x.neg().mul(&y, mirror));
                assert_eq!(x.div(&y, mode).neg(), x.div(&y.neg(), mirror));
                let (sum, mirrored) = (x.fma(&y, &z, mode), x.neg().fma(&y, &z.neg(), mirror));
                assert!(sum.neg() == mirrored || (sum.is_zero() && mirrored.is_zero()));
                let (added, fused) = (x.add(&z, mode), x.fma(&one, &z, mode));
                assert_eq!(added, fused);
                let integral = x.round_to_integral(mode);
                assert_eq!(integral.round_to_integral(mode), integral);
            }
            assert_eq!(x.neg().rem(&y), x.rem(&y).neg());
            assert_eq!(x.rem(&y.neg()), x.rem(&y));
        }
    }
}

#[test]
fn directed_modes_bracket_the_nearest() {
    let mut random = Random::new(4);
    for (eb, sb) in FORMATS {
        let format = format(eb, sb);
        for _ in 0..200 {
            let [x, y, z] = [(); 3].map(|()| random.float(format));
            let operations: [&dyn Fn(RoundingMode) -> Float; 5] = [
                &|mode| x.add(&y, mode),
                &|mode| x.mul(&y, mode),
                &|mode| x.div(&y, mode),
                &|mode| x.fma(&y, &z, mode),
                &|mode| x.sqrt(mode),
            ];
            for operation in operations {
                let down = operation(RoundingMode::TowardNegative);
                let up = operation(RoundingMode::TowardPositive);
                for mode in RoundingMode::ALL {
                    let result = operation(mode);
                    let bracketed = result.is_nan() && down.is_nan() && up.is_nan()
                        || result.ieee_eq(&down)
                        || result.ieee_eq(&up);
                    assert!(bracketed, "{x} {y} {z}: {down} {result} {up}");
                }
                let adjacent = down.is_nan()
                    || down.ieee_eq(&up)
                    || up.is_positive() && !up.is_zero() && toward(&up).ieee_eq(&down)
                    || down.is_negative() && !down.is_zero() && toward(&down).ieee_eq(&up);
                assert!(adjacent, "{x} {y} {z}: {down} {up}");
            }
        }
    }
}

#[test]
fn a_negligible_term_only_decides_the_direction() {
    let mut random = Random::new(5);
    for (eb, sb) in [(33, 5), (40, 24), (40, 25), (60, 2), (60, 130)] {
        let format = format(eb, sb);
        for tiny in [
            Float::smallest_subnormal(format, Sign::Positive),
            Float::smallest_normal(format, Sign::Positive),
            power(format, -400),
        ] {
            for _ in 0..50 {
                let bits = random.bits(sb - 1);
                let field = u64::try_from(format.max_exponent()).unwrap();
                let x = Float::from_parts(format, Sign::Positive, field, &bits).unwrap();
                let one = power(format, 0);
                for mode in RoundingMode::ALL {
                    let up = mode == RoundingMode::TowardPositive;
                    let down =
                        matches!(mode, RoundingMode::TowardNegative | RoundingMode::TowardZero);
                    let sum = if up { away(&x) } else { x.clone() };
                    let difference = if down { toward(&x) } else { x.clone() };
                    assert_eq!(x.add(&tiny, mode), sum);
                    assert_eq!(tiny.add(&x, mode), sum);
                    assert_eq!(x.sub(&tiny, mode), difference);
                    assert_eq!(x.fma(&one, &tiny, mode), sum);
                    assert_eq!(tiny.neg().fma(&one, &x, mode), difference);
                    assert_eq!(tiny.fma(&tiny, &x, mode), sum);
                }
            }
        }
    }
}

/// Just beside the middle of two neighbours, the negligible term breaks the tie.
#[test]
fn a_negligible_term_breaks_a_tie() {
    let format = format(60, 24);
    let tiny = Float::smallest_subnormal(format, Sign::Positive);
    // (2^12 + 1)^2 = 2^24 + 2^13 + 1 is the middle of two neighbours, the lower one even.
    let root = power(format, 12).add(&power(format, 0), RoundingMode::TowardZero);
    let low = power(format, 24).add(&power(format, 13), RoundingMode::TowardZero);
    let square = |addend: &Float, mode| root.fma(&root, addend, mode);
    let zero = Float::zero(format, Sign::Positive);
    assert_eq!(square(&zero, RoundingMode::NearestEven), low);
    assert_eq!(square(&zero, RoundingMode::NearestAway), away(&low));
    for nearest in [RoundingMode::NearestEven, RoundingMode::NearestAway] {
        assert_eq!(square(&tiny, nearest), away(&low));
        assert_eq!(square(&tiny.neg(), nearest), low);
    }
}

/// `2^k mod m` by repeated squaring of machine words.
fn power_of_two_mod(exponent: u64, modulus: u128) -> u128 {
    let (mut result, mut base) = (1 % modulus, 2 % modulus);
    for bit in 0..u64::BITS {
        if exponent >> bit & 1 == 1 {
            result = result * base % modulus;
        }
        base = base * base % modulus;
    }
    result
}

#[test]
fn remainders_of_astronomical_quotients() {
    let format = format(60, 40);
    let mode = RoundingMode::TowardZero;
    let mut random = Random::new(6);
    for _ in 0..300 {
        let exponent = random.next() & ((1 << 58) - 1);
        let divisor = (random.next() >> 26).max(1) as i64;
        let modulus = 2 * divisor as u128;
        let (residue, odd) = {
            let residue = power_of_two_mod(exponent, modulus) as i64;
            (residue % divisor, residue >= divisor)
        };
        let up = 2 * residue > divisor || (2 * residue == divisor && odd);
        let expected = if up { residue - divisor } else { residue };
        let dividend = power(format, exponent as i64);
        let divisor = Float::from_integer(format, mode, &BigInt::from(divisor));
        let result = dividend.rem(&divisor);
        assert_eq!(result, Float::from_integer(format, mode, &BigInt::from(expected)));
    }
    let largest = Float::largest(format, Sign::Negative);
    let least = Float::smallest_subnormal(format, Sign::Positive);
    assert_eq!(largest.rem(&least), Float::zero(format, Sign::Negative));
    assert_eq!(least.rem(&largest), least);
}

/// Results do not depend on where the numbers lie, as long as the range is wide enough.
#[test]
fn scaling_by_powers_of_two_commutes() {
    let (near, far) = (format(15, 53), format(60, 53));
    let (shift, root_shift) = (power(far, 1 << 57), power(far, 1 << 56));
    let mut random = Random::new(7);
    for _ in 0..200 {
        let [x, y] = [(); 2].map(|()| {
            let field = 16_383 - 30 + random.below(60);
            Float::from_parts(near, Sign::Positive, field, &random.bits(52)).unwrap()
        });
        for mode in RoundingMode::ALL {
            let scaled = |number: &Float| number.convert(far, mode).mul(&shift, mode);
            let (u, v) = (scaled(&x), scaled(&y));
            assert_eq!(u.add(&v, mode), scaled(&x.add(&y, mode)));
            assert_eq!(u.sub(&v, mode), scaled(&x.sub(&y, mode)));
            assert_eq!(u.div(&v, mode), x.div(&y, mode).convert(far, mode));
            assert_eq!(u.rem(&v), scaled(&x.rem(&y)));
            let root = x.sqrt(mode).convert(far, mode).mul(&root_shift, mode);
            assert_eq!(u.sqrt(mode), root);
        }
    }
}

#[test]
fn overflow_and_underflow_at_the_largest_exponents() {
    let format = format(60, 24);
    let largest = Float::largest(format, Sign::Positive);
    let least = Float::smallest_subnormal(format, Sign::Positive);
    for mode in RoundingMode::ALL {
        let toward_zero = matches!(mode, RoundingMode::TowardZero | RoundingMode::TowardNegative);
        let overflowed =
            if toward_zero { largest.clone() } else { Float::infinity(format, Sign::Positive) };
        let underflowed = if mode == RoundingMode::TowardPositive {
            least.clone()
        } else {
            Float::zero(format, Sign::Positive)
        };
        assert_eq!(largest.mul(&largest, mode), overflowed);
        assert_eq!(largest.add(&largest, mode), overflowed);
        assert_eq!(largest.div(&least, mode), overflowed);
        assert_eq!(largest.fma(&largest, &largest.neg(), mode), overflowed);
        assert_eq!(least.mul(&least, mode), underflowed);
        assert_eq!(least.div(&largest, mode), underflowed);
        assert!(largest.sub(&largest, mode).is_zero());
        let single = Format::FLOAT32;
        assert_eq!(
            largest.convert(single, mode),
            if toward_zero {
                Float::largest(single, Sign::Positive)
            } else {
                Float::infinity(single, Sign::Positive)
            }
        );
    }
}

#[test]
fn huge_and_tiny_rationals_round() {
    let power = BigInt::from(1) << 100_000;
    let single = Format::FLOAT32;
    let huge = BigRational::new(&power * 2 + 1, 2.into());
    let tiny = BigRational::new((-1).into(), power);
    for mode in RoundingMode::ALL {
        let high = Float::from_rational(single, mode, &huge);
        let low = Float::from_rational(single, mode, &tiny);
        match mode {
            RoundingMode::TowardZero => {
                assert_eq!(high, Float::largest(single, Sign::Positive));
                assert_eq!(low, Float::zero(single, Sign::Negative));
            }
            RoundingMode::TowardNegative => {
                assert_eq!(high, Float::largest(single, Sign::Positive));
                assert_eq!(low, Float::smallest_subnormal(single, Sign::Negative));
            }
            _ => {
                assert_eq!(high, Float::infinity(single, Sign::Positive));
                assert_eq!(low, Float::zero(single, Sign::Negative));
            }
        }
        let wide = format(40, 24);
        let down = Float::from_rational(wide, mode, &huge);
        let up = mode == RoundingMode::TowardPositive;
        let exact = self::power(wide, 100_000);
        assert_eq!(down, if up { away(&exact) } else { exact });
    }
}

#[test]
fn the_longest_significands_work() {
    let format = format(60, 1 << 16);
    let mode = RoundingMode::NearestEven;
    let third = Float::from_rational(format, mode, &BigRational::new(1.into(), 3.into()));
    let three = Float::from_integer(format, mode, &BigInt::from(3));
    assert_eq!(third.mul(&three, mode), power(format, 0));
    let root = third.sqrt(mode);
    let error = root.fma(&root, &third.neg(), mode);
    assert!(error.abs().lt(&power(format, -65_000)));
    let largest = Float::largest(format, Sign::Positive);
    let rest = largest.rem(&third);
    let half = third.mul(&power(format, -1), mode);
    assert!(rest.abs().le(&half));
    assert_eq!(third.neg().round_to_integral(mode), Float::zero(format, Sign::Negative));
}

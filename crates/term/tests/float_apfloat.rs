//! Every rounding mode against an independent software float, in the formats that it has.

mod float_support;

use std::cmp::Ordering;

use assay_term::float::{Float, Format, NoExactValue, RoundingMode};
use float_support::{Random, landmarks};
use num_bigint::{BigInt, BigUint};
use num_traits::ToPrimitive;
use rustc_apfloat::ieee::{BFloat, Double, Float8E5M2, Half, Quad, Single};
use rustc_apfloat::{Float as ApFloat, FloatConvert, Round, Status};

fn round(mode: RoundingMode) -> Round {
    match mode {
        RoundingMode::NearestEven => Round::NearestTiesToEven,
        RoundingMode::NearestAway => Round::NearestTiesToAway,
        RoundingMode::TowardPositive => Round::TowardPositive,
        RoundingMode::TowardNegative => Round::TowardNegative,
        RoundingMode::TowardZero => Round::TowardZero,
    }
}

fn format_of<F: ApFloat>() -> Format {
    let significand_bits = u32::try_from(F::PRECISION).expect("a small constant");
    let exponent_bits = u32::try_from(F::BITS).expect("a small constant") - significand_bits;
    Format::new(exponent_bits, significand_bits).expect("a supported format")
}

fn theirs<F: ApFloat>(number: &Float) -> F {
    F::from_bits(number.to_bits().to_u128().expect("at most 128 bits"))
}

fn ours<F: ApFloat>(number: F) -> Float {
    Float::from_bits(format_of::<F>(), &BigUint::from(number.to_bits()))
        .expect("as wide as the format")
}

fn check_unary<F: ApFloat>(x: &Float) {
    let a = theirs::<F>(x);
    assert_eq!(ours(a), *x);
    assert_eq!(x.neg(), ours(-a), "- {x}");
    assert_eq!(x.abs(), ours(a.abs()), "abs {x}");
    assert_eq!(x.is_nan(), a.is_nan());
    assert_eq!(x.is_infinite(), a.is_infinite());
    assert_eq!(x.is_zero(), a.is_zero());
    assert_eq!(x.is_subnormal(), a.is_denormal());
    assert_eq!(x.is_normal(), a.is_normal());
    assert_eq!(x.is_negative(), a.is_negative() && !a.is_nan());
    for mode in RoundingMode::ALL {
        let integral = a.round_to_integral(round(mode)).value;
        assert_eq!(x.round_to_integral(mode), ours(integral), "{mode} {x}");
        check_integer(x, a, mode);
    }
}

fn check_integer<F: ApFloat>(x: &Float, a: F, mode: RoundingMode) {
    let mut exact = false;
    let expected = a.to_i128_r(128, round(mode), &mut exact);
    let result = x.round_to_integer(mode);
    if expected.status.contains(Status::INVALID_OP) {
        let beyond = match &result {
            Ok(integer) => integer.to_i128().is_none(),
            Err(reason) => *reason != NoExactValue::TooLarge,
        };
        assert!(beyond, "{mode} {x}: {result:?}");
    } else {
        assert_eq!(result, Ok(BigInt::from(expected.value)), "{mode} {x}");
    }
}

fn check_binary<F: ApFloat>(x: &Float, y: &Float) {
    let (a, b) = (theirs::<F>(x), theirs::<F>(y));
    for mode in RoundingMode::ALL {
        let by = round(mode);
        let results = [
            ("add", x.add(y, mode), a.add_r(b, by)),
            ("sub", x.sub(y, mode), a.sub_r(b, by)),
            ("mul", x.mul(y, mode), a.mul_r(b, by)),
            ("div", x.div(y, mode), a.div_r(b, by)),
        ];
        for (name, result, expected) in results {
            assert_eq!(result, ours(expected.value), "{mode}: {x} {name} {y}");
        }
    }
    // Their remainder takes a step per bit of the quotient, which in quad can be 32,000.
    let gap = x.to_parts().exponent.abs_diff(y.to_parts().exponent);
    if gap < 3_000 {
        assert_eq!(x.rem(y), ours(a.ieee_rem(b).value), "{x} rem {y}");
    }
    let order = a.partial_cmp(&b);
    assert_eq!(x.ieee_cmp(y), order, "{x} {y}");
    assert_eq!(x.ieee_eq(y), order == Some(Ordering::Equal));
    assert_eq!(x.lt(y), order == Some(Ordering::Less));
    assert_eq!(x.gt(y), order == Some(Ordering::Greater));
    for (result, expected) in [(x.min(y), a.min(b)), (x.max(y), a.max(b))] {
        match result {
            Some(result) => assert_eq!(result, ours(expected), "{x} {y}"),
            None => assert!(a.is_zero() && b.is_zero() && x != y),
        }
    }
}

fn check_fma<F: ApFloat>(x: &Float, y: &Float, z: &Float) {
    let (a, b, c) = (theirs::<F>(x), theirs::<F>(y), theirs::<F>(z));
    for mode in RoundingMode::ALL {
        let expected = a.mul_add_r(b, c, round(mode)).value;
        let result = x.fma(y, z, mode);
        assert_eq!(result, ours(expected), "{mode}: {x} * {y} + {z}");
    }
}

fn check_format<F: ApFloat>(seed: u64, rounds: usize) {
    let format = format_of::<F>();
    let special = landmarks(format);
    for (i, x) in special.iter().enumerate() {
        check_unary::<F>(x);
        for (j, y) in special.iter().enumerate() {
            check_binary::<F>(x, y);
            check_fma::<F>(x, y, &special[(i + j) % special.len()]);
        }
    }
    let mut random = Random::new(seed);
    for _ in 0..rounds {
        let [x, y, z] = [(); 3].map(|()| random.float(format));
        check_unary::<F>(&x);
        check_binary::<F>(&x, &y);
        check_fma::<F>(&x, &y, &z);
        let product = x.mul(&y, RoundingMode::TowardZero).neg();
        check_fma::<F>(&x, &y, &product);
    }
}

#[test]
fn half_agrees() {
    check_format::<Half>(1, 4_000);
}

#[test]
fn bfloat_agrees() {
    check_format::<BFloat>(2, 4_000);
}

#[test]
fn quarter_agrees() {
    check_format::<Float8E5M2>(3, 4_000);
}

#[test]
fn single_agrees() {
    check_format::<Single>(4, 4_000);
}

#[test]
fn double_agrees() {
    check_format::<Double>(5, 4_000);
}

#[test]
fn quad_agrees() {
    check_format::<Quad>(6, 3_000);
}

fn check_conversion<F: FloatConvert<G>, G: ApFloat>(seed: u64) {
    let mut random = Random::new(seed);
    let (from, to) = (format_of::<F>(), format_of::<G>());
    let operands = landmarks(from).into_iter();
    let operands = operands.chain((0..1_500).map(|_| random.float(from)));
    for x in operands {
        for mode in RoundingMode::ALL {
            let mut loses = false;
            let expected = theirs::<F>(&x).convert_r(round(mode), &mut loses).value;
            assert_eq!(x.convert(to, mode), ours::<G>(expected), "{mode}: {x} to {to}");
        }
    }
}

#[test]
fn conversions_agree() {
    check_conversion::<Quad, Double>(11);
    check_conversion::<Quad, Single>(12);
    check_conversion::<Quad, Half>(13);
    check_conversion::<Double, Single>(14);
    check_conversion::<Double, Half>(15);
    check_conversion::<Double, BFloat>(16);
    check_conversion::<Single, Half>(17);
    check_conversion::<Single, BFloat>(18);
    check_conversion::<BFloat, Half>(19);
    check_conversion::<Half, Float8E5M2>(20);
    check_conversion::<Half, BFloat>(21);
    check_conversion::<BFloat, Quad>(22);
    check_conversion::<Single, Double>(23);
}

fn check_from_integer<F: ApFloat>(seed: u64) {
    let mut random = Random::new(seed);
    for _ in 0..1_500 {
        let wide = u128::from(random.next()) << 64 | u128::from(random.next());
        let integer = wide as i128 >> random.below(127);
        for mode in RoundingMode::ALL {
            let result = Float::from_integer(format_of::<F>(), mode, &BigInt::from(integer));
            let expected = F::from_i128_r(integer, round(mode)).value;
            assert_eq!(result, ours(expected), "{mode}: {integer}");
        }
    }
}

#[test]
fn integers_agree() {
    check_from_integer::<Half>(31);
    check_from_integer::<BFloat>(32);
    check_from_integer::<Single>(33);
    check_from_integer::<Double>(34);
    check_from_integer::<Quad>(35);
}

/// Their `c_fmod` truncates the quotient; `fp.rem` must differ from it exactly where that matters.
#[test]
fn the_remainder_is_not_fmod() {
    let mut random = Random::new(41);
    let mut different = 0;
    for _ in 0..4_000 {
        let [x, y] = [(); 2].map(|()| random.float(Format::FLOAT32).abs());
        if x.is_nan() || x.is_infinite() || y.is_nan() || y.is_infinite() || y.is_zero() {
            continue;
        }
        let truncated = ours(theirs::<Single>(&x).c_fmod(theirs(&y)).value);
        let nearest = x.rem(&y);
        if truncated != nearest {
            let down = RoundingMode::TowardZero;
            assert_eq!(truncated.sub(&y, down), nearest, "{x} rem {y}");
            different += 1;
        }
    }
    assert!(different > 100, "only {different} differences");
}

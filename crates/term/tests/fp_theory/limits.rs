//! Numbers at the limits: what is open, what is too large, and what is still exact.

use crate::session::{Batch, Expected, indices, op};
use assay_term::bitvec::{BitVec, MAX_WIDTH};
use assay_term::float::{Float, Format, RoundingMode, Sign};
use assay_term::{Int, Limits, Value};
use num_bigint::BigInt;
use num_rational::BigRational;

fn format(eb: u32, sb: u32) -> Format {
    Format::new(eb, sb).expect("a format")
}

fn exactly(number: Float) -> Expected {
    Expected::Value(Value::Float(number))
}

/// A number may be too long to write down and yet certainly out of a bit-vector's range.
#[test]
fn the_largest_exponents_are_too_large_as_reals_and_open_as_bit_vectors() {
    let mut batch = Batch::default();
    let format = format(Format::MAX_EXPONENT_BITS, 5);
    let rm = batch.value(&Value::RoundingMode(RoundingMode::NearestEven));
    for sign in [Sign::Positive, Sign::Negative] {
        let largest = batch.float(&Float::largest(format, sign));
        let smallest = batch.float(&Float::smallest_subnormal(format, sign));
        batch.expect(op("fp.to_real"), &[], &[largest], Expected::TooLarge);
        batch.expect(op("fp.to_real"), &[], &[smallest], Expected::TooLarge);
        for name in ["fp.to_ubv", "fp.to_sbv"] {
            for width in [1, 64, 65, MAX_WIDTH] {
                batch.expect(op(name), &[width.into()], &[rm, largest], Expected::Open);
                let zero = Expected::Value(Value::BitVec(BitVec::zero(width)));
                batch.expect(op(name), &[width.into()], &[rm, smallest], zero);
            }
        }
    }
    batch.run();
}

/// The borders of the widest ranges, where the integer has as many bits as may be written down.
#[test]
fn the_widest_bit_vectors_have_sharp_borders() {
    let mut batch = Batch::default();
    let format = format(30, 2);
    let rm = batch.value(&Value::RoundingMode(RoundingMode::TowardZero));
    let mut number = |sign, exponent: u32| {
        let bias = (1u64 << 29) - 1;
        let number = Float::from_parts(format, sign, bias + u64::from(exponent), &0u32.into());
        batch.float(&number.expect("the exponent fits"))
    };
    let top = MAX_WIDTH - 1;
    let [inside, outside] = [top, MAX_WIDTH].map(|exponent| number(Sign::Positive, exponent));
    let [least, below] = [top, MAX_WIDTH].map(|exponent| number(Sign::Negative, exponent));
    let half = Expected::Value(Value::BitVec(BitVec::min_signed(MAX_WIDTH)));
    let same = Expected::Value(Value::BitVec(BitVec::min_signed(MAX_WIDTH)));
    let width = [u64::from(MAX_WIDTH)];
    batch.expect(op("fp.to_ubv"), &width, &[rm, inside], half);
    batch.expect(op("fp.to_ubv"), &width, &[rm, outside], Expected::Open);
    batch.expect(op("fp.to_sbv"), &width, &[rm, inside], Expected::Open);
    batch.expect(op("fp.to_sbv"), &width, &[rm, least], same);
    batch.expect(op("fp.to_sbv"), &width, &[rm, below], Expected::Open);
    batch.run();
}

#[test]
fn reals_respect_the_limits_of_the_evaluation() {
    let limits = Limits { bits: 16, ..Limits::default() };
    let bias = 15;
    // As a fraction these take 15 and 1 bits, and 16 and 1.
    for (exponent, within) in [(bias + 14, true), (bias + 15, false)] {
        let mut batch = Batch::default();
        let number = Float::from_parts(Format::FLOAT16, Sign::Positive, exponent, &0u32.into());
        let term = batch.float(&number.expect("the exponent fits"));
        let expected = if within {
            let integer = BigInt::from(1) << (exponent - bias);
            Expected::Value(Value::rational(BigRational::from_integer(integer)))
        } else {
            Expected::TooLarge
        };
        batch.expect(op("fp.to_real"), &[], &[term], expected);
        batch.run_within(limits);
    }
}

/// z3's significand and exponent: powers that nobody could write down still round exactly.
#[test]
fn scaled_reals_take_any_exponent() {
    let mut batch = Batch::default();
    let formats = [Format::FLOAT32, format(Format::MAX_EXPONENT_BITS, 2), format(2, 200)];
    let huge = Int::from(BigInt::from(10).pow(30));
    let [up, down] = [huge.clone(), -&huge].map(|n| batch.value(&Value::Int(n)));
    let edge = [i64::MAX, i64::MIN, 1 << 61, -(1 << 61), 1 << 62];
    let edge = edge.map(|n| (n, batch.value(&Value::Int(Int::from(n)))));
    let third = BigRational::new((-1).into(), 3.into());
    let significand = batch.value(&Value::rational(third));
    let nothing = batch.value(&Value::rational(BigRational::from_integer(0.into())));
    for format in formats {
        let overflow = Float::infinity(format, Sign::Negative);
        let largest = Float::largest(format, Sign::Negative);
        let least = Float::smallest_subnormal(format, Sign::Negative);
        let zero = Float::zero(format, Sign::Negative);
        for (mode, rm) in batch.modes() {
            let away = matches!(mode, RoundingMode::TowardNegative);
            let inward = matches!(mode, RoundingMode::TowardPositive | RoundingMode::TowardZero);
            let above = if inward { &largest } else { &overflow };
            let below = if away { &least } else { &zero };
            let signed = [(1, up), (-1, down)].into_iter().chain(edge);
            for (exponent, term) in signed {
                let expected = if exponent > 0 { above } else { below };
                let args = [rm, significand, term];
                batch.expect(op("to_fp"), &indices(format), &args, exactly(expected.clone()));
                let positive = exactly(Float::zero(format, Sign::Positive));
                batch.expect(op("to_fp"), &indices(format), &[rm, nothing, term], positive);
            }
        }
    }
    batch.run();
}

/// The rounded value counts for the range, as the definition in the standard says.
#[test]
fn a_negative_fraction_that_rounds_to_zero_is_in_every_range() {
    let mut batch = Batch::default();
    let third = BigRational::new((-3).into(), 10.into());
    let number = Float::from_rational(Format::FLOAT32, RoundingMode::NearestEven, &third);
    let term = batch.float(&number);
    for (mode, rm) in batch.modes() {
        let expected = match mode {
            RoundingMode::TowardNegative => Expected::Open,
            _ => Expected::Value(Value::BitVec(BitVec::zero(8))),
        };
        batch.expect(op("fp.to_ubv"), &[8], &[rm, term], expected);
    }
    batch.run();
}

/// z3's regression test `fp-sqrt-6`, which is unsatisfiable because the two sides are equal.
#[test]
fn scaled_reals_mean_what_z3_says() {
    let mut batch = Batch::default();
    let [even, _, up, ..] = batch.modes().map(|(_, term)| term);
    let [square, root] = [
        ("1.0983712782233150395683196620666421949863433837890625", 823),
        ("1.4821412066488910408423862463678233325481414794921875", 411),
    ]
    .map(|(decimal, exponent): (&str, i64)| {
        let significand = decimal.parse().ok().and_then(BigRational::from_float::<f64>);
        let significand = batch.value(&Value::rational(significand.expect("a double")));
        let exponent = batch.value(&Value::Int(Int::from(exponent)));
        let args = [even, significand, exponent];
        batch.store.op_indexed(op("to_fp"), &[11, 53], &args).expect("well sorted")
    });
    let computed = batch.store.op(op("fp.sqrt"), &[up, square]).expect("well sorted");
    batch.expect(op("="), &[], &[computed, root], Expected::Value(Value::Bool(true)));
    batch.run();
}

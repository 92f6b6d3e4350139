//! Names, limits, encodings, literals and single facts about floating-point numbers.

use assay_term::float::{EXACT_BITS_LIMIT, Float, Format, NoExactValue, RoundingMode, Sign};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

const MODES: [RoundingMode; 5] = RoundingMode::ALL;

fn format(eb: u32, sb: u32) -> Format {
    Format::new(eb, sb).expect("a supported format")
}

fn ratio(numerator: i64, denominator: i64) -> BigRational {
    BigRational::new(numerator.into(), denominator.into())
}

/// The number that must be exact in the format.
fn exactly(format: Format, numerator: i64, denominator: i64) -> Float {
    let value = ratio(numerator, denominator);
    let number = Float::from_rational(format, RoundingMode::TowardZero, &value);
    assert_eq!(number.to_rational(), Ok(value), "not exact in {format}");
    number
}

#[test]
fn modes_have_both_names() {
    let names = [
        ("RNE", "roundNearestTiesToEven"),
        ("RNA", "roundNearestTiesToAway"),
        ("RTP", "roundTowardPositive"),
        ("RTN", "roundTowardNegative"),
        ("RTZ", "roundTowardZero"),
    ];
    for (mode, (short, long)) in MODES.into_iter().zip(names) {
        assert_eq!((mode.short_name(), mode.long_name()), (short, long));
        assert_eq!(RoundingMode::from_name(short), Some(mode));
        assert_eq!(RoundingMode::from_name(long), Some(mode));
    }
    for unknown in ["", "rne", "RNEE", "roundNearest"] {
        assert_eq!(RoundingMode::from_name(unknown), None);
    }
}

#[test]
fn formats_have_limits() {
    let accepted = [(2, 2), (8, 24), (60, 2), (2, 1 << 16), (60, 1 << 16)];
    for (eb, sb) in accepted {
        assert!(Format::new(eb, sb).is_some(), "{eb} {sb}");
    }
    let refused =
        [(0, 24), (1, 24), (8, 0), (8, 1), (61, 24), (8, (1 << 16) + 1), (u32::MAX, u32::MAX)];
    for (eb, sb) in refused {
        assert!(Format::new(eb, sb).is_none(), "{eb} {sb}");
    }
    assert_eq!(format(11, 53), Format::FLOAT64);
    assert_eq!(Format::FLOAT32.to_string(), "(_ FloatingPoint 8 24)");
    assert_eq!(Format::FLOAT32.max_exponent(), 127);
    assert_eq!(Format::FLOAT32.min_exponent(), -126);
    assert_eq!(Format::FLOAT32.quantum_exponent(), -149);
    assert_eq!(Format::FLOAT128.width(), 128);
}

#[test]
fn a_float_is_small() {
    assert!(size_of::<Float>() <= 24);
}

#[test]
fn literals_are_smt_lib() {
    let single = Format::FLOAT32;
    let cases = [
        (Float::nan(single), "(_ NaN 8 24)"),
        (Float::infinity(single, Sign::Positive), "(_ +oo 8 24)"),
        (Float::infinity(single, Sign::Negative), "(_ -oo 8 24)"),
        (Float::zero(single, Sign::Positive), "(_ +zero 8 24)"),
        (Float::zero(single, Sign::Negative), "(_ -zero 8 24)"),
        (exactly(single, -5, 4), "(fp #b1 #b01111111 #b01000000000000000000000)"),
        (Float::smallest_subnormal(format(3, 5), Sign::Positive), "(fp #b0 #b000 #b0001)"),
        (Float::largest(format(2, 2), Sign::Negative), "(fp #b1 #b10 #b1)"),
    ];
    for (number, literal) in cases {
        assert_eq!(number.to_string(), literal);
        assert_eq!(format!("{number:?}"), literal);
    }
    let wide = format(60, 100);
    let printed = Float::smallest_normal(wide, Sign::Positive).to_string();
    let expected = format!("(fp #b0 #b{:0>60} #b{:0>99})", 1, 0);
    assert_eq!(printed, expected);
}

#[test]
fn every_nan_pattern_is_the_nan() {
    for (eb, sb) in [(2, 2), (5, 11), (8, 24), (11, 53), (11, 54), (15, 113)] {
        let format = format(eb, sb);
        let special = (1u64 << eb) - 1;
        let nan = Float::nan(format);
        let all_ones = (BigUint::from(1u32) << (sb - 1)) - 1u32;
        for significand in [BigUint::from(1u32), all_ones] {
            for sign in [Sign::Positive, Sign::Negative] {
                let parts = Float::from_parts(format, sign, special, &significand).unwrap();
                assert_eq!(parts, nan);
                let bits = (BigUint::from(sign.bit()) << (eb + sb - 1))
                    | (BigUint::from(special) << (sb - 1))
                    | &significand;
                assert_eq!(Float::from_bits(format, &bits), Some(nan.clone()));
            }
        }
        let quiet = (BigUint::from(special) << (sb - 1)) | (BigUint::from(1u32) << (sb - 2));
        assert_eq!(nan.to_bits(), quiet);
        assert_eq!(nan.sign(), None);
        assert_eq!((nan.neg(), nan.abs()), (nan.clone(), nan.clone()));
    }
}

#[test]
fn fields_that_do_not_fit_are_refused() {
    for (eb, sb) in [(3, 4), (11, 53), (11, 54)] {
        let format = format(eb, sb);
        let too_wide = BigUint::from(1u32) << (eb + sb);
        assert_eq!(Float::from_bits(format, &too_wide), None);
        assert!(Float::from_bits(format, &(too_wide - 1u32)).is_some());
        let fraction = BigUint::from(1u32) << (sb - 1);
        assert_eq!(Float::from_parts(format, Sign::Positive, 0, &fraction), None);
        assert_eq!(Float::from_parts(format, Sign::Positive, 1 << eb, &BigUint::ZERO), None);
    }
}

#[test]
fn structural_equality_is_not_ieee_equality() {
    let format = Format::FLOAT16;
    let (plus, minus) = (Float::zero(format, Sign::Positive), Float::zero(format, Sign::Negative));
    let nan = Float::nan(format);
    assert_ne!(plus, minus);
    assert!(plus.ieee_eq(&minus));
    assert_eq!(nan, nan.clone());
    assert!(!nan.ieee_eq(&nan));
    assert!(!nan.le(&nan) && !nan.ge(&nan) && !nan.lt(&plus) && !plus.gt(&nan));
    assert_ne!(plus, Float::zero(Format::FLOAT32, Sign::Positive));
    assert_ne!(plus.structural_cmp(&minus), std::cmp::Ordering::Equal);
    assert_eq!(nan.structural_cmp(&nan), std::cmp::Ordering::Equal);
}

#[test]
fn minimum_and_maximum_leave_zeros_open() {
    let format = Format::FLOAT64;
    let (plus, minus) = (Float::zero(format, Sign::Positive), Float::zero(format, Sign::Negative));
    let (one, nan) = (exactly(format, 1, 1), Float::nan(format));
    assert_eq!(plus.min(&minus), None);
    assert_eq!(minus.max(&plus), None);
    assert_eq!(minus.min(&minus), Some(minus.clone()));
    assert_eq!(plus.max(&plus), Some(plus.clone()));
    assert_eq!(minus.min(&one), Some(minus.clone()));
    assert_eq!(minus.max(&one), Some(one.clone()));
    assert_eq!(nan.min(&one), Some(one.clone()));
    assert_eq!(one.max(&nan), Some(one));
    assert_eq!(nan.max(&nan), Some(nan));
}

#[test]
fn exact_zero_sums_have_the_sign_of_the_mode() {
    let format = Format::FLOAT32;
    let (one, minus_one) = (exactly(format, 1, 1), exactly(format, -1, 1));
    let (plus, minus) = (Float::zero(format, Sign::Positive), Float::zero(format, Sign::Negative));
    for mode in MODES {
        let cancelled = if mode == RoundingMode::TowardNegative { &minus } else { &plus };
        assert_eq!(&one.add(&minus_one, mode), cancelled);
        assert_eq!(&one.sub(&one, mode), cancelled);
        assert_eq!(&plus.add(&minus, mode), cancelled);
        assert_eq!(&one.fma(&one, &minus_one, mode), cancelled);
        assert_eq!(&minus.fma(&one, &plus, mode), cancelled);
        assert_eq!(minus.add(&minus, mode), minus);
        assert_eq!(plus.sub(&minus, mode), plus);
        assert_eq!(minus.fma(&one, &minus, mode), minus);
    }
}

/// An underflowed product is not an exact zero: its sign does not depend on the mode.
#[test]
fn underflowed_zeros_keep_their_sign() {
    let format = Format::FLOAT32;
    let tiny = Float::smallest_subnormal(format, Sign::Positive);
    let nearest = RoundingMode::NearestEven;
    assert_eq!(tiny.neg().mul(&tiny, nearest), Float::zero(format, Sign::Negative));
    assert_eq!(tiny.mul(&tiny, RoundingMode::TowardNegative), Float::zero(format, Sign::Positive));
    assert_eq!(tiny.mul(&tiny, RoundingMode::TowardPositive), tiny);
    assert_eq!(
        tiny.neg().fma(&tiny, &Float::zero(format, Sign::Positive), nearest),
        Float::zero(format, Sign::Negative)
    );
    let below = Float::from_rational(
        format,
        nearest,
        &BigRational::new((-1).into(), BigInt::from(10).pow(60)),
    );
    assert_eq!(below, Float::zero(format, Sign::Negative));
}

#[test]
fn invalid_operations_give_nan() {
    let format = Format::FLOAT16;
    let zero = Float::zero(format, Sign::Negative);
    let infinity = Float::infinity(format, Sign::Positive);
    let one = exactly(format, 1, 1);
    for mode in MODES {
        let results = [
            infinity.sub(&infinity, mode),
            infinity.mul(&zero, mode),
            zero.mul(&infinity, mode),
            zero.div(&zero, mode),
            infinity.div(&infinity, mode),
            one.neg().sqrt(mode),
            infinity.neg().sqrt(mode),
            zero.fma(&infinity, &one, mode),
            infinity.fma(&one, &infinity.neg(), mode),
            infinity.rem(&one),
            infinity.rem(&infinity),
            one.rem(&zero),
            Float::nan(format).round_to_integral(mode),
            Float::nan(format).convert(Format::FLOAT64, mode).convert(format, mode),
        ];
        for (index, result) in results.iter().enumerate() {
            assert!(result.is_nan(), "operation {index} in {mode}: {result}");
        }
        assert_eq!(zero.sqrt(mode), zero);
        assert_eq!(infinity.sqrt(mode), infinity);
        assert_eq!(one.div(&zero, mode), infinity.neg());
        assert_eq!(one.div(&infinity.neg(), mode), zero);
    }
}

#[test]
fn remainders_are_nearest_and_exact() {
    let format = Format::FLOAT32;
    let number = |value| exactly(format, value, 1);
    let cases = [
        (7, 4, -1),
        (3, 2, -1),
        (5, 2, 1),
        (1, 2, 1),
        (2, 4, 2),
        (6, 4, -2),
        (10, 4, 2),
        (-7, 4, 1),
        (7, -4, -1),
        (-3, -2, 1),
        (12_345_678, 1_000, -322),
    ];
    for (dividend, divisor, expected) in cases {
        let result = number(dividend).rem(&number(divisor));
        assert_eq!(result, number(expected), "{dividend} rem {divisor}");
    }
    let minus_zero = Float::zero(format, Sign::Negative);
    assert_eq!(number(-8).rem(&number(2)), minus_zero);
    assert_eq!(minus_zero.rem(&exactly(format, 1, 2)), minus_zero);
    assert_eq!(number(8).rem(&number(-2)), Float::zero(format, Sign::Positive));
    let infinity = Float::infinity(format, Sign::Negative);
    assert_eq!(number(5).rem(&infinity), number(5));
}

#[test]
fn integers_beyond_a_short_exponent_become_infinite() {
    let short = format(2, 4);
    let number = exactly(short, 7, 2);
    let infinity = Float::infinity(short, Sign::Positive);
    let three = exactly(short, 3, 1);
    assert_eq!(number.round_to_integral(RoundingMode::NearestEven), infinity);
    assert_eq!(number.round_to_integral(RoundingMode::NearestAway), infinity);
    assert_eq!(number.round_to_integral(RoundingMode::TowardPositive), infinity);
    assert_eq!(number.round_to_integral(RoundingMode::TowardNegative), three);
    assert_eq!(number.round_to_integral(RoundingMode::TowardZero), three);
    assert_eq!(number.neg().round_to_integral(RoundingMode::TowardNegative), infinity.neg());
    assert_eq!(number.round_to_integer(RoundingMode::NearestEven), Ok(BigInt::from(4)));
}

/// Conversion to a format with a shorter exponent and a longer significand (stp issue 782).
#[test]
fn conversion_rounds_where_the_exponent_shrinks() {
    let (wide, narrow) = (format(3, 4), format(2, 5));
    let number = Float::from_bits(wide, &BigUint::from(0b000_0011u32)).unwrap();
    assert_eq!(number.to_rational(), Ok(ratio(3, 32)));
    let rounded = number.convert(narrow, RoundingMode::NearestEven);
    assert_eq!(rounded.to_string(), "(fp #b0 #b00 #b0010)");
    let rounded = number.convert(narrow, RoundingMode::TowardZero);
    assert_eq!(rounded.to_string(), "(fp #b0 #b00 #b0001)");
}

#[test]
fn values_too_large_to_write_down_are_refused() {
    let format = format(60, 24);
    let huge = Float::largest(format, Sign::Negative);
    let tiny = Float::smallest_subnormal(format, Sign::Negative);
    assert_eq!(huge.to_rational(), Err(NoExactValue::TooLarge));
    assert_eq!(tiny.to_rational(), Err(NoExactValue::TooLarge));
    for mode in MODES {
        assert_eq!(huge.round_to_integer(mode), Err(NoExactValue::TooLarge));
        assert_eq!(huge.round_to_integral(mode), huge);
        let expected = match mode {
            RoundingMode::TowardNegative => BigInt::from(-1),
            _ => BigInt::ZERO,
        };
        assert_eq!(tiny.round_to_integer(mode), Ok(expected));
    }
    let infinity = Float::infinity(format, Sign::Negative);
    let refusal = NoExactValue::Infinite(Sign::Negative);
    assert_eq!(infinity.to_rational(), Err(refusal));
    assert_eq!(
        Float::nan(format).round_to_integer(RoundingMode::TowardZero),
        Err(NoExactValue::Nan)
    );
    assert_eq!(refusal.to_string(), "an infinity is not a number");
}

#[test]
fn the_limit_on_exact_values_is_sharp() {
    let format = format(40, 5);
    let mode = RoundingMode::TowardZero;
    let power = |exponent: i64| {
        let field = exponent + format.max_exponent();
        let field = u64::try_from(field).unwrap();
        Float::from_parts(format, Sign::Positive, field, &BigUint::ZERO).unwrap()
    };
    let within = power(EXACT_BITS_LIMIT - 1);
    let integer = BigInt::from(1) << (EXACT_BITS_LIMIT - 1);
    assert_eq!(within.round_to_integer(mode), Ok(integer.clone()));
    assert_eq!(within.to_rational(), Ok(BigRational::from_integer(integer.clone())));
    let inverse = BigRational::new_raw(1.into(), integer);
    assert_eq!(power(1 - EXACT_BITS_LIMIT).to_rational(), Ok(inverse));
    for beyond in [EXACT_BITS_LIMIT, EXACT_BITS_LIMIT + 1] {
        assert_eq!(power(beyond).to_rational(), Err(NoExactValue::TooLarge));
        assert_eq!(power(beyond).round_to_integer(mode), Err(NoExactValue::TooLarge));
        assert_eq!(power(-beyond).to_rational(), Err(NoExactValue::TooLarge));
    }
}

#[test]
#[should_panic(expected = "operands must have one format")]
fn mixed_formats_panic() {
    let single = Float::zero(Format::FLOAT32, Sign::Positive);
    let double = Float::zero(Format::FLOAT64, Sign::Positive);
    let _ = single.add(&double, RoundingMode::NearestEven);
}

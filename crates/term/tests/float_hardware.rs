//! Round-to-nearest-even against the processor's own `f32` and `f64`.

mod float_support;

use assay_term::float::{Float, Format, RoundingMode};
use float_support::{Random, landmarks};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use num_traits::ToPrimitive;

const NEAREST: RoundingMode = RoundingMode::NearestEven;
const ROUNDS: usize = 20_000;

/// A hardware type, with the operations under comparison.
trait Hardware: Copy + std::fmt::Debug {
    const FORMAT: Format;
    fn of(number: &Float) -> Self;
    fn soft(self) -> Float;
    fn unary(self) -> Vec<(&'static str, Self)>;
    fn binary(self, other: Self) -> [(&'static str, Self); 4];
    fn fma(self, factor: Self, addend: Self) -> Self;
    fn comparisons(self, other: Self) -> [bool; 5];
    fn classes(self) -> [bool; 5];
}

macro_rules! hardware {
    ($type:ty, $bits:ty, $format:expr) => {
        impl Hardware for $type {
            const FORMAT: Format = $format;

            fn of(number: &Float) -> Self {
                let bits = number.to_bits().to_u64().expect("at most 64 bits");
                <$type>::from_bits(<$bits>::try_from(bits).expect("as wide as the type"))
            }

            fn soft(self) -> Float {
                Float::from_bits(Self::FORMAT, &BigUint::from(self.to_bits()))
                    .expect("as wide as the type")
            }

            fn unary(self) -> Vec<(&'static str, Self)> {
                vec![
                    ("sqrt", self.sqrt()),
                    ("neg", -self),
                    ("abs", self.abs()),
                    ("RNE", self.round_ties_even()),
                    ("RNA", self.round()),
                    ("RTP", self.ceil()),
                    ("RTN", self.floor()),
                    ("RTZ", self.trunc()),
                ]
            }

            fn binary(self, other: Self) -> [(&'static str, Self); 4] {
                [
                    ("add", self + other),
                    ("sub", self - other),
                    ("mul", self * other),
                    ("div", self / other),
                ]
            }

            fn fma(self, factor: Self, addend: Self) -> Self {
                self.mul_add(factor, addend)
            }

            fn comparisons(self, other: Self) -> [bool; 5] {
                [self == other, self < other, self <= other, self > other, self >= other]
            }

            fn classes(self) -> [bool; 5] {
                [
                    self.is_nan(),
                    self.is_infinite(),
                    self == 0.0,
                    self.is_subnormal(),
                    self.is_normal(),
                ]
            }
        }
    };
}

hardware!(f32, u32, Format::FLOAT32);
hardware!(f64, u64, Format::FLOAT64);

fn check_unary<H: Hardware>(x: &Float) {
    let hard = H::of(x);
    for (name, expected) in hard.unary() {
        let result = match name {
            "sqrt" => x.sqrt(NEAREST),
            "neg" => x.neg(),
            "abs" => x.abs(),
            mode => x.round_to_integral(
                RoundingMode::from_name(mode).expect("every other name is a mode"),
            ),
        };
        assert_eq!(result, expected.soft(), "{name} {hard:?}");
    }
    let classes = [x.is_nan(), x.is_infinite(), x.is_zero(), x.is_subnormal(), x.is_normal()];
    assert_eq!(classes, hard.classes(), "{hard:?}");
}

fn check_binary<H: Hardware>(x: &Float, y: &Float) {
    let (a, b) = (H::of(x), H::of(y));
    for (name, expected) in a.binary(b) {
        let result = match name {
            "add" => x.add(y, NEAREST),
            "sub" => x.sub(y, NEAREST),
            "mul" => x.mul(y, NEAREST),
            _ => x.div(y, NEAREST),
        };
        assert_eq!(result, expected.soft(), "{a:?} {name} {b:?}");
    }
    let comparisons = [x.ieee_eq(y), x.lt(y), x.le(y), x.gt(y), x.ge(y)];
    assert_eq!(comparisons, a.comparisons(b), "{a:?} {b:?}");
}

fn check_fma<H: Hardware>(x: &Float, y: &Float, z: &Float) {
    let (a, b, c) = (H::of(x), H::of(y), H::of(z));
    let expected = a.fma(b, c).soft();
    assert_eq!(x.fma(y, z, NEAREST), expected, "{a:?} * {b:?} + {c:?}");
}

fn check_type<H: Hardware>(seed: u64) {
    let special = landmarks(H::FORMAT);
    for x in &special {
        check_unary::<H>(x);
        for y in &special {
            check_binary::<H>(x, y);
            for z in &special {
                check_fma::<H>(x, y, z);
            }
        }
    }
    let mut random = Random::new(seed);
    for _ in 0..ROUNDS {
        let [x, y, z] = [(); 3].map(|()| random.float(H::FORMAT));
        check_unary::<H>(&x);
        check_binary::<H>(&x, &y);
        check_fma::<H>(&x, &y, &z);
        // An addend next to the product makes the sum cancel.
        let product = x.mul(&y, NEAREST).neg();
        check_fma::<H>(&x, &y, &product);
    }
}

#[test]
fn single_precision_agrees() {
    check_type::<f32>(1);
}

#[test]
fn double_precision_agrees() {
    check_type::<f64>(2);
}

#[test]
fn conversions_between_formats_agree() {
    let mut random = Random::new(3);
    let (single, double) = (Format::FLOAT32, Format::FLOAT64);
    for _ in 0..ROUNDS {
        let x = random.float(double);
        let narrow = f64::of(&x) as f32;
        assert_eq!(x.convert(single, NEAREST), narrow.soft(), "{x}");
        let y = random.float(single);
        assert_eq!(y.convert(double, NEAREST), f64::from(f32::of(&y)).soft());
        // Near a single-precision number and its halfway points, where narrowing rounds.
        let offset = random.below(3) as i64 - 1;
        let halfway = (random.below(2) << 28) as i64;
        let near = f64::from(f32::of(&y)).to_bits() as i64;
        let near = f64::from_bits(near.wrapping_add(halfway + offset) as u64);
        let narrow = (near as f32).soft();
        assert_eq!(near.soft().convert(single, NEAREST), narrow, "{near:?}");
    }
}

#[test]
fn conversions_from_integers_agree() {
    let mut random = Random::new(4);
    for _ in 0..ROUNDS {
        let shift = random.below(64) as u32;
        let wide = (u128::from(random.next()) << 64 | u128::from(random.next())) >> shift;
        let small = random.next() as i64 >> shift;
        let integer = BigInt::from(wide);
        let single = Float::from_integer(Format::FLOAT32, NEAREST, &integer);
        assert_eq!(single, (wide as f32).soft(), "{wide}");
        let double = Float::from_integer(Format::FLOAT64, NEAREST, &integer);
        assert_eq!(double, (wide as f64).soft(), "{wide}");
        let double = Float::from_integer(Format::FLOAT64, NEAREST, &BigInt::from(small));
        assert_eq!(double, (small as f64).soft(), "{small}");
    }
}

#[test]
fn conversions_to_integers_and_rationals_agree() {
    let mut random = Random::new(5);
    let limit = 2f64.powi(120);
    for _ in 0..ROUNDS {
        let x = random.float(Format::FLOAT64);
        let hard = f64::of(&x);
        assert_eq!(x.to_rational().ok(), BigRational::from_float(hard));
        if hard.abs() < limit {
            let integers = [
                (RoundingMode::TowardZero, hard as i128),
                (RoundingMode::NearestEven, hard.round_ties_even() as i128),
                (RoundingMode::NearestAway, hard.round() as i128),
                (RoundingMode::TowardPositive, hard.ceil() as i128),
                (RoundingMode::TowardNegative, hard.floor() as i128),
            ];
            for (mode, expected) in integers {
                assert_eq!(x.round_to_integer(mode), Ok(BigInt::from(expected)));
            }
        }
    }
}

/// The standard library's decimal parser rounds correctly by another method.
#[test]
fn decimal_literals_agree() {
    let mut random = Random::new(6);
    for _ in 0..ROUNDS / 4 {
        let digits = random.next() >> random.below(64);
        let exponent = random.below(700) as i32 - 350;
        let power = BigInt::from(10).pow(exponent.unsigned_abs());
        let value = if exponent < 0 {
            BigRational::new(digits.into(), power)
        } else {
            BigRational::from_integer(power * digits)
        };
        let text = format!("{digits}e{exponent}");
        let double = Float::from_rational(Format::FLOAT64, NEAREST, &value);
        assert_eq!(double, text.parse::<f64>().unwrap().soft(), "{text}");
        let single = Float::from_rational(Format::FLOAT32, NEAREST, &value);
        assert_eq!(single, text.parse::<f32>().unwrap().soft(), "{text}");
    }
}

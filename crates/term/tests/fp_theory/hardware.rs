//! Single and double precision against the processor, in the modes that it offers.

use crate::session::{Batch, Expected, indices, op};
use assay_term::bitvec::BitVec;
use assay_term::float::{Float, Format, RoundingMode};
use assay_term::{TermId, Value};
use num_bigint::BigUint;
use num_rational::BigRational;

const SPECIAL: [f64; 22] = [
    0.0,
    -0.0,
    1.0,
    -1.0,
    0.1,
    -2.5,
    3.5,
    0.5,
    1.5,
    -0.3,
    127.5,
    -128.5,
    1e-40,
    5e-324,
    -1e-310,
    f64::MIN_POSITIVE,
    f64::MAX,
    f64::EPSILON,
    3.402_823_5e38,
    f64::INFINITY,
    f64::NEG_INFINITY,
    f64::NAN,
];

macro_rules! hardware {
    ($module:ident, $type:ty, $format:expr) => {
        mod $module {
            use super::*;

            const FORMAT: Format = $format;

            fn soft(number: $type) -> Value {
                let bits = BigUint::from(number.to_bits());
                Value::Float(Float::from_bits(FORMAT, &bits).expect("as wide as the format"))
            }

            fn operands(batch: &mut Batch) -> Vec<(TermId, $type)> {
                let numbers = SPECIAL.map(|number| number as $type);
                numbers.map(|number| (batch.value(&soft(number)), number)).into()
            }

            fn number(number: $type) -> Expected {
                Expected::Value(soft(number))
            }

            fn truth(holds: bool) -> Expected {
                Expected::Value(Value::Bool(holds))
            }

            #[test]
            fn single_operands() {
                let mut batch = Batch::default();
                let [rne, rna, rtp, rtn, rtz] = batch.modes().map(|(_, term)| term);
                for (term, x) in operands(&mut batch) {
                    batch.expect(op("fp.sqrt"), &[], &[rne, term], number(x.sqrt()));
                    batch.expect(op("fp.abs"), &[], &[term], number(x.abs()));
                    batch.expect(op("fp.neg"), &[], &[term], number(-x));
                    let integral = op("fp.roundToIntegral");
                    batch.expect(integral, &[], &[rne, term], number(x.round_ties_even()));
                    batch.expect(integral, &[], &[rna, term], number(x.round()));
                    batch.expect(integral, &[], &[rtp, term], number(x.ceil()));
                    batch.expect(integral, &[], &[rtn, term], number(x.floor()));
                    batch.expect(integral, &[], &[rtz, term], number(x.trunc()));
                    batch.expect(op("fp.isNormal"), &[], &[term], truth(x.is_normal()));
                    batch.expect(op("fp.isSubnormal"), &[], &[term], truth(x.is_subnormal()));
                    batch.expect(op("fp.isZero"), &[], &[term], truth(x == 0.0));
                    batch.expect(op("fp.isInfinite"), &[], &[term], truth(x.is_infinite()));
                    batch.expect(op("fp.isNaN"), &[], &[term], truth(x.is_nan()));
                    let negative = x.is_sign_negative() && !x.is_nan();
                    batch.expect(op("fp.isNegative"), &[], &[term], truth(negative));
                    let positive = x.is_sign_positive() && !x.is_nan();
                    batch.expect(op("fp.isPositive"), &[], &[term], truth(positive));
                }
                batch.run();
            }

            #[test]
            fn several_operands() {
                let mut batch = Batch::default();
                let rne = batch.value(&Value::RoundingMode(RoundingMode::NearestEven));
                let operands = operands(&mut batch);
                for &(left, x) in &operands {
                    for &(right, y) in &operands {
                        let pair = [left, right];
                        let rounded = [rne, left, right];
                        batch.expect(op("fp.add"), &[], &rounded, number(x + y));
                        batch.expect(op("fp.sub"), &[], &rounded, number(x - y));
                        batch.expect(op("fp.mul"), &[], &rounded, number(x * y));
                        batch.expect(op("fp.div"), &[], &rounded, number(x / y));
                        batch.expect(op("fp.eq"), &[], &pair, truth(x == y));
                        batch.expect(op("fp.lt"), &[], &pair, truth(x < y));
                        batch.expect(op("fp.leq"), &[], &pair, truth(x <= y));
                        batch.expect(op("fp.gt"), &[], &pair, truth(x > y));
                        batch.expect(op("fp.geq"), &[], &pair, truth(x >= y));
                        if x != y {
                            batch.expect(op("fp.min"), &[], &pair, number(x.min(y)));
                            batch.expect(op("fp.max"), &[], &pair, number(x.max(y)));
                        }
                        for &(third, z) in &operands {
                            let args = [rne, left, right, third];
                            batch.expect(op("fp.fma"), &[], &args, number(x.mul_add(y, z)));
                        }
                    }
                }
                batch.run();
            }

            #[test]
            fn conversions() {
                let mut batch = Batch::default();
                let [rne, .., rtz] = batch.modes().map(|(_, term)| term);
                for (term, x) in operands(&mut batch) {
                    let real = match BigRational::from_float(x) {
                        Some(exact) => Expected::Value(Value::rational(exact)),
                        None => Expected::Open,
                    };
                    batch.expect(op("fp.to_real"), &[], &[term], real);
                    let (wide, narrow) = (f64::from(x), x as f32);
                    for (format, bits) in [
                        (Format::FLOAT64, wide.to_bits()),
                        (Format::FLOAT32, narrow.to_bits().into()),
                    ] {
                        let converted = Float::from_bits(format, &BigUint::from(bits));
                        let converted = Value::Float(converted.expect("as wide as the format"));
                        let expected = Expected::Value(converted);
                        batch.expect(op("to_fp"), &indices(format), &[rne, term], expected);
                    }
                    // The processor saturates: what changes by conversion there and back is open.
                    let signed = match x as i16 {
                        n if <$type>::from(n) == x.trunc() => {
                            Expected::Value(Value::BitVec(BitVec::from_u64(16, n as u64)))
                        }
                        _ => Expected::Open,
                    };
                    batch.expect(op("fp.to_sbv"), &[16], &[rtz, term], signed);
                    let unsigned = match x as u16 {
                        n if <$type>::from(n) == x.trunc() => {
                            Expected::Value(Value::BitVec(BitVec::from_u64(16, n.into())))
                        }
                        _ => Expected::Open,
                    };
                    batch.expect(op("fp.to_ubv"), &[16], &[rtz, term], unsigned);
                }
                for n in [0, 1, 16_777_217, u64::MAX, 1 << 63, 9_007_199_254_740_993] {
                    let bits = batch.value(&Value::BitVec(BitVec::from_u64(64, n)));
                    let (signed, unsigned) = (n as i64 as $type, n as $type);
                    let to = indices(FORMAT);
                    batch.expect(op("to_fp"), &to, &[rne, bits], number(signed));
                    batch.expect(op("to_fp_unsigned"), &to, &[rne, bits], number(unsigned));
                }
                batch.run();
            }
        }
    };
}

hardware!(single, f32, Format::FLOAT32);
hardware!(double, f64, Format::FLOAT64);

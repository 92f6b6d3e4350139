//! Conversions between numbers and bit-vectors, reals, integers and other formats.

use crate::reference::{Datum, Q, Reference, integer, power};
use crate::session::{Batch, Expected, indices};
use assay_term::bitvec::BitVec;
use assay_term::float::Format;
use assay_term::{Int, Op, TermId, Value};
use num_rational::BigRational;

const FORMATS: [(u32, u32); 6] = [(2, 2), (2, 3), (2, 5), (3, 3), (4, 2), (4, 4)];

fn references() -> impl Iterator<Item = Reference> {
    FORMATS.into_iter().map(|(eb, sb)| Reference::new(eb, sb))
}

fn bit_vec(batch: &mut Batch, width: u32, bits: u64) -> TermId {
    batch.value(&Value::BitVec(BitVec::from_u64(width, bits)))
}

fn big(value: Q) -> BigRational {
    BigRational::new((*value.numer()).into(), (*value.denom()).into())
}

/// Adds an application in every mode whose exact result is `value`.
fn expect_rounded(batch: &mut Batch, op: Op, reference: &Reference, args: &[TermId], value: Q) {
    for (mode, rm) in batch.modes() {
        let with_mode = [&[rm], args].concat();
        let datum = reference.rounded(mode, value, false);
        let expected = Expected::Number(reference.format, datum);
        batch.expect(op, &indices(reference.format), &with_mode, expected);
    }
}

/// One bit-vector, in all patterns; every NaN pattern is the one NaN.
pub fn from_encodings(op: Op) {
    let mut batch = Batch::default();
    for format in references().map(|reference| reference.format) {
        for bits in 0..1 << format.width() {
            let encoding = bit_vec(&mut batch, format.width(), bits);
            let expected = Expected::Number(format, Datum::decode(format, bits));
            batch.expect(op, &indices(format), &[encoding], expected);
        }
    }
    batch.run();
}

/// Three bit-vectors, in all patterns.
pub fn fields(op: Op, op_indices: impl Fn(Format) -> Vec<u64>) {
    let mut batch = Batch::default();
    for format in references().map(|reference| reference.format) {
        let (eb, fraction_bits) = (format.exponent_bits(), format.fraction_bits());
        for bits in 0..1u64 << format.width() {
            let args = [
                bit_vec(&mut batch, 1, bits >> (eb + fraction_bits)),
                bit_vec(&mut batch, eb, bits >> fraction_bits),
                bit_vec(&mut batch, fraction_bits, bits),
            ];
            let expected = Expected::Number(format, Datum::decode(format, bits));
            batch.expect(op, &op_indices(format), &args, expected);
        }
    }
    batch.run();
}

/// All numbers of all formats into all formats.
pub fn from_numbers(op: Op) {
    for source in references() {
        let mut batch = Batch::default();
        let modes = batch.modes();
        for (number, datum) in source.numbers() {
            let term = batch.float(&number);
            for target in references() {
                for (mode, rm) in modes {
                    let expected = Expected::Number(target.format, target.convert(mode, datum));
                    batch.expect(op, &indices(target.format), &[rm, term], expected);
                }
            }
        }
        batch.run();
    }
}

/// Fractions around every number, every middle and both overflow borders of the format.
fn fractions(reference: &Reference) -> Vec<Q> {
    let mut landmarks: Vec<Q> =
        reference.numbers().into_iter().filter_map(|(_, datum)| datum.value()).collect();
    landmarks
        .extend([0, 1, -1].map(|sign| power(1 << (reference.format.exponent_bits() - 1)) * sign));
    landmarks.sort();
    landmarks.dedup();
    let middles: Vec<Q> = landmarks.windows(2).map(|pair| (pair[0] + pair[1]) / 2).collect();
    landmarks.extend(middles);
    let beside = [Q::from_integer(0), Q::new(1, 3000), Q::new(-1, 3000)];
    let mut all: Vec<Q> =
        landmarks.iter().flat_map(|&landmark| beside.map(|offset| landmark + offset)).collect();
    all.extend((-12..=12).map(|n| Q::new(n, 7)));
    all.extend([Q::from_integer(1_000_000_007), Q::from_integer(-1_000_000_007)]);
    all
}

pub fn from_reals(op: Op) {
    for reference in references() {
        let mut batch = Batch::default();
        for value in fractions(&reference) {
            let term = batch.value(&Value::rational(big(value)));
            expect_rounded(&mut batch, op, &reference, &[term], value);
        }
        batch.run();
    }
}

pub fn from_scaled_reals(op: Op) {
    for reference in references() {
        let mut batch = Batch::default();
        for significand in [(0, 1), (1, 1), (-3, 2), (7, 3), (-1, 5), (255, 128)] {
            let significand = Q::new(significand.0, significand.1);
            let real = batch.value(&Value::rational(big(significand)));
            for exponent in -14..=14 {
                let int = batch.value(&Value::Int(Int::from(i64::from(exponent))));
                let value = significand * power(exponent);
                expect_rounded(&mut batch, op, &reference, &[real, int], value);
            }
        }
        batch.run();
    }
}

pub fn from_integers(op: Op) {
    for reference in references() {
        let mut batch = Batch::default();
        for number in (-300..=300).chain([1 << 40, -(1 << 40)]) {
            let term = batch.value(&Value::Int(Int::from(number)));
            expect_rounded(&mut batch, op, &reference, &[term], Q::from_integer(number));
        }
        batch.run();
    }
}

pub fn from_signed(op: Op) {
    from_bit_vectors(op, |width, bits| {
        if bits >> (width - 1) == 1 { bits as i64 - (1 << width) } else { bits as i64 }
    });
}

pub fn from_unsigned(op: Op) {
    from_bit_vectors(op, |_, bits| bits as i64);
}

fn from_bit_vectors(op: Op, meaning: impl Fn(u32, u64) -> i64) {
    let mut batch = Batch::default();
    for reference in references() {
        for width in 1..=9 {
            for bits in 0..1 << width {
                let term = bit_vec(&mut batch, width, bits);
                let value = Q::from_integer(meaning(width, bits));
                expect_rounded(&mut batch, op, &reference, &[term], value);
            }
        }
    }
    batch.run();
}

/// All numbers of all formats into all narrow widths, in the range from `low` to below `high`.
pub fn to_bit_vectors(op: Op, range: impl Fn(u32) -> (i64, i64)) {
    let mut batch = Batch::default();
    let modes = batch.modes();
    let mut open = 0;
    for reference in references() {
        for (number, datum) in reference.numbers() {
            let term = batch.float(&number);
            for width in 1..=6 {
                let (low, high) = range(width);
                for (mode, rm) in modes {
                    let rounded = datum.value().map(|value| integer(mode, value));
                    let expected = match rounded {
                        Some(n) if low <= n && n < high => {
                            let bits = n.rem_euclid(1 << width) as u64;
                            Expected::Value(Value::BitVec(BitVec::from_u64(width, bits)))
                        }
                        _ => {
                            open += 1;
                            Expected::Open
                        }
                    };
                    batch.expect(op, &[width.into()], &[rm, term], expected);
                }
            }
        }
    }
    assert!(open > 1_000, "the numbers should leave the narrow ranges");
    batch.run();
}

pub fn to_reals(op: Op) {
    let mut batch = Batch::default();
    for reference in references() {
        for (number, datum) in reference.numbers() {
            let term = batch.float(&number);
            let expected = match datum.value() {
                Some(value) => Expected::Value(Value::rational(big(value))),
                None => Expected::Open,
            };
            batch.expect(op, &[], &[term], expected);
        }
    }
    batch.run();
}

/// The pattern that means the number: the only one, unless it is NaN.
pub fn to_encodings(op: Op) {
    let mut batch = Batch::default();
    for reference in references() {
        let (format, width) = (reference.format, reference.format.width());
        for (number, datum) in reference.numbers() {
            let term = batch.float(&number);
            let mut patterns = (0..1 << width).filter(|&bits| Datum::decode(format, bits) == datum);
            let first = patterns.next().expect("a number has an encoding");
            let expected = match patterns.next() {
                None => Expected::Value(Value::BitVec(BitVec::from_u64(width, first))),
                Some(_) => Expected::Open,
            };
            // The NaN of formats with one fraction bit has two patterns, by its sign.
            assert_eq!(datum == Datum::Nan, matches!(expected, Expected::Open));
            batch.expect(op, &[], &[term], expected);
        }
    }
    batch.run();
}

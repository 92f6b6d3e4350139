//! Every operator of the table against its definition.

use crate::conversions;
use crate::reference::{Datum, Q, Reference};
use crate::session::{Batch, Expected, indices, op};
use assay_term::bitvec::BitVec;
use assay_term::float::{Format, RoundingMode};
use assay_term::theories::Theory;
use assay_term::{Op, TermId, Value};
use std::cmp::Ordering;

/// The formats whose numbers are paired with each other.
const PAIRED: [(u32, u32); 6] = [(2, 2), (2, 3), (3, 2), (3, 3), (2, 5), (4, 3)];
/// The formats whose numbers are taken three at a time.
const TRIPLED: [(u32, u32); 3] = [(2, 3), (3, 2), (2, 4)];

/// The table decides what is checked: an operator without a definition here fails the test.
#[test]
fn every_operator_has_its_definition() {
    for op in Op::all().filter(|op| op.theory() == Theory::Floats) {
        check(op);
    }
}

fn check(op: Op) {
    match op.name() {
        "RNE" => constant(op, Value::RoundingMode(RoundingMode::NearestEven)),
        "RNA" => constant(op, Value::RoundingMode(RoundingMode::NearestAway)),
        "RTP" => constant(op, Value::RoundingMode(RoundingMode::TowardPositive)),
        "RTN" => constant(op, Value::RoundingMode(RoundingMode::TowardNegative)),
        "RTZ" => constant(op, Value::RoundingMode(RoundingMode::TowardZero)),
        "+oo" => special(op, Datum::Infinite { negative: false }),
        "-oo" => special(op, Datum::Infinite { negative: true }),
        "+zero" => special(op, Datum::zero(false)),
        "-zero" => special(op, Datum::zero(true)),
        "NaN" => special(op, Datum::Nan),
        "fp" => conversions::fields(op, |_| Vec::new()),
        "fp.abs" => unary(op, |_, x| number(x.signed(false))),
        "fp.neg" => unary(op, |_, x| number(x.neg())),
        "fp.add" => rounded_binary(op, Reference::add),
        "fp.sub" => rounded_binary(op, |reference, mode, x, y| reference.add(mode, x, y.neg())),
        "fp.mul" => rounded_binary(op, Reference::mul),
        "fp.div" => rounded_binary(op, Reference::div),
        "fp.fma" => fused(op),
        "fp.sqrt" => rounded_unary(op, |reference, mode, x| Some(reference.sqrt(mode, x))),
        "fp.roundToIntegral" => rounded_unary(op, Reference::round_to_integral),
        "fp.rem" => binary(op, |reference, x, y| number(reference.rem(x, y))),
        "fp.min" => binary(op, |_, x, y| Outcome::Number(extremum(x, y, Ordering::Less))),
        "fp.max" => binary(op, |_, x, y| Outcome::Number(extremum(x, y, Ordering::Greater))),
        "fp.leq" => relation(op, |order| order.is_some_and(Ordering::is_le)),
        "fp.lt" => relation(op, |order| order.is_some_and(Ordering::is_lt)),
        "fp.geq" => relation(op, |order| order.is_some_and(Ordering::is_ge)),
        "fp.gt" => relation(op, |order| order.is_some_and(Ordering::is_gt)),
        "fp.eq" => relation(op, |order| order.is_some_and(Ordering::is_eq)),
        "fp.isNormal" => class(op, |least, x| finite(x, |magnitude| magnitude >= least)),
        "fp.isSubnormal" => {
            class(op, |least, x| finite(x, |magnitude| magnitude < least) && !x.is_zero())
        }
        "fp.isZero" => class(op, |_, x| x.is_zero()),
        "fp.isInfinite" => class(op, |_, x| matches!(x, Datum::Infinite { .. })),
        "fp.isNaN" => class(op, |_, x| x == Datum::Nan),
        "fp.isNegative" => class(op, |_, x| x.is_zero() && x.negative() || below_zero(x)),
        "fp.isPositive" => class(op, |_, x| x.is_zero() && !x.negative() || below_zero(x.neg())),
        "to_fp" => {
            conversions::from_encodings(op);
            conversions::from_numbers(op);
            conversions::from_reals(op);
            conversions::from_signed(op);
            conversions::from_integers(op);
            conversions::from_scaled_reals(op);
            conversions::fields(op, |format| indices(format).into());
        }
        "to_fp_bv" => conversions::from_encodings(op),
        "to_fp_fp" => conversions::from_numbers(op),
        "to_fp_real" => conversions::from_reals(op),
        "to_fp_signed" => conversions::from_signed(op),
        "to_fp_unsigned" => conversions::from_unsigned(op),
        "fp.to_ubv" => conversions::to_bit_vectors(op, |width| (0, 1 << width)),
        "fp.to_sbv" => conversions::to_bit_vectors(op, |width| {
            let bound = 1 << (width - 1);
            (-bound, bound)
        }),
        "fp.to_real" => conversions::to_reals(op),
        "fp.to_ieee_bv" => conversions::to_encodings(op),
        other => panic!("{other} has no definition in this test"),
    }
}

/// What an operator yields: a truth value, or a number where it is not open.
enum Outcome {
    Bool(bool),
    Number(Option<Datum>),
}

fn number(datum: Datum) -> Outcome {
    Outcome::Number(Some(datum))
}

fn extremum(x: Datum, y: Datum, wins: Ordering) -> Option<Datum> {
    Reference::extremum(x, y, wins)
}

fn finite(x: Datum, test: impl Fn(Q) -> bool) -> bool {
    matches!(x, Datum::Finite { magnitude, .. } if test(magnitude))
}

fn below_zero(x: Datum) -> bool {
    x.order(Datum::zero(true)).is_some_and(Ordering::is_lt)
}

fn expected(reference: &Reference, outcome: Outcome) -> Expected {
    match outcome {
        Outcome::Bool(truth) => Expected::Value(Value::Bool(truth)),
        Outcome::Number(datum) => Expected::or_open(reference.format, datum),
    }
}

/// The numbers of a format as terms, with their meanings.
fn operands(batch: &mut Batch, reference: &Reference) -> Vec<(TermId, Datum)> {
    let numbers = reference.numbers();
    numbers.into_iter().map(|(number, datum)| (batch.float(&number), datum)).collect()
}

fn constant(op: Op, value: Value) {
    let mut batch = Batch::default();
    batch.expect(op, &[], &[], Expected::Value(value));
    batch.run();
}

fn special(op: Op, datum: Datum) {
    let mut batch = Batch::default();
    for (eb, sb) in [(2, 2), (2, 3), (4, 4), (5, 11)] {
        let format = Format::new(eb, sb).expect("a format");
        batch.expect(op, &indices(format), &[], Expected::Number(format, datum));
    }
    batch.run();
}

fn unary(op: Op, define: impl Fn(&Reference, Datum) -> Outcome) {
    let mut batch = Batch::default();
    for (eb, sb) in PAIRED {
        let reference = Reference::new(eb, sb);
        for (term, x) in operands(&mut batch, &reference) {
            let expected = expected(&reference, define(&reference, x));
            batch.expect(op, &[], &[term], expected);
        }
    }
    batch.run();
}

fn class(op: Op, define: impl Fn(Q, Datum) -> bool) {
    unary(op, |reference, x| Outcome::Bool(define(reference.least_normal(), x)));
}

fn rounded_unary(op: Op, define: impl Fn(&Reference, RoundingMode, Datum) -> Option<Datum>) {
    let mut batch = Batch::default();
    let modes = batch.modes();
    // The longer significands reach the integers that their format lacks.
    for (eb, sb) in PAIRED.into_iter().chain([(2, 4), (2, 6), (4, 4)]) {
        let reference = Reference::new(eb, sb);
        for (term, x) in operands(&mut batch, &reference) {
            for (mode, rm) in modes {
                let expected = Expected::or_open(reference.format, define(&reference, mode, x));
                batch.expect(op, &[], &[rm, term], expected);
            }
        }
    }
    batch.run();
}

fn binary(op: Op, define: impl Fn(&Reference, Datum, Datum) -> Outcome) {
    let mut batch = Batch::default();
    for (eb, sb) in PAIRED {
        let reference = Reference::new(eb, sb);
        let operands = operands(&mut batch, &reference);
        for &(left, x) in &operands {
            for &(right, y) in &operands {
                let expected = expected(&reference, define(&reference, x, y));
                batch.expect(op, &[], &[left, right], expected);
            }
        }
    }
    batch.run();
}

fn rounded_binary(op: Op, define: impl Fn(&Reference, RoundingMode, Datum, Datum) -> Datum) {
    let mut batch = Batch::default();
    let modes = batch.modes();
    for (eb, sb) in PAIRED {
        let reference = Reference::new(eb, sb);
        let operands = operands(&mut batch, &reference);
        for &(left, x) in &operands {
            for &(right, y) in &operands {
                for (mode, rm) in modes {
                    let datum = define(&reference, mode, x, y);
                    let expected = Expected::Number(reference.format, datum);
                    batch.expect(op, &[], &[rm, left, right], expected);
                }
            }
        }
    }
    batch.run();
}

/// Two arguments, and three as the conjunction of neighbours.
fn relation(op: Op, accepts: impl Fn(Option<Ordering>) -> bool) {
    binary(op, |_, x, y| Outcome::Bool(accepts(x.order(y))));
    let mut batch = Batch::default();
    let reference = Reference::new(2, 2);
    let operands = operands(&mut batch, &reference);
    for &(first, x) in &operands {
        for &(second, y) in &operands {
            for &(third, z) in &operands {
                let truth = accepts(x.order(y)) && accepts(y.order(z));
                let expected = Expected::Value(Value::Bool(truth));
                batch.expect(op, &[], &[first, second, third], expected);
            }
        }
    }
    batch.run();
}

fn fused(op: Op) {
    for (eb, sb) in TRIPLED {
        let mut batch = Batch::default();
        let modes = batch.modes();
        let reference = Reference::new(eb, sb);
        let operands = operands(&mut batch, &reference);
        for &(first, x) in &operands {
            for &(second, y) in &operands {
                for &(third, z) in &operands {
                    for (mode, rm) in modes {
                        let datum = reference.fma(mode, x, y, z);
                        let expected = Expected::Number(reference.format, datum);
                        batch.expect(op, &[], &[rm, first, second, third], expected);
                    }
                }
            }
        }
        batch.run();
    }
}

/// `=` is identity: NaN equals itself, whatever its bits, and the zeros differ.
#[test]
fn equality_is_structural() {
    let mut batch = Batch::default();
    let format = Reference::new(2, 3).format;
    let encodings: Vec<(TermId, Datum)> = (0..1u64 << format.width())
        .map(|bits| {
            let encoding = batch.value(&Value::BitVec(BitVec::from_u64(format.width(), bits)));
            let number = batch.store.op_indexed(op("to_fp"), &indices(format), &[encoding]);
            (number.expect("the width fits"), Datum::decode(format, bits))
        })
        .collect();
    for &(left, x) in &encodings {
        for &(right, y) in &encodings {
            let same = Expected::Value(Value::Bool(x == y));
            batch.expect(op("="), &[], &[left, right], same);
            let differ = Expected::Value(Value::Bool(x != y));
            batch.expect(op("distinct"), &[], &[left, right], differ);
        }
    }
    batch.run();
}

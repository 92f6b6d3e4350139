//! The terms that numbers and rounding modes are written as.

use crate::reference::Reference;
use assay_term::float::{Float, Format, RoundingMode, Sign};
use assay_term::{Evaluator, Model, Op, Store, Term, TermId, Value};

/// The term of a value, which must evaluate to it again.
fn round_trip(store: &mut Store, value: &Value) -> TermId {
    let term = store.value(value).expect("the value can be written");
    let model = Model::new();
    assert_eq!(Evaluator::new(store, &model).eval(term).as_ref(), Ok(value));
    term
}

fn head(store: &Store, term: TermId) -> String {
    match store.get(term) {
        Term::App(func, _) => store.func_name(func),
        other => panic!("{other:?} is not an application"),
    }
}

#[test]
fn every_number_of_small_formats_round_trips() {
    for (eb, sb) in [(2, 2), (2, 3), (3, 2), (3, 3), (4, 4), (2, 6)] {
        let mut store = Store::new();
        for (number, _) in Reference::new(eb, sb).numbers() {
            round_trip(&mut store, &Value::Float(number));
        }
    }
}

#[test]
fn large_formats_round_trip() {
    let mut store = Store::new();
    let (most, long) = (Format::MAX_EXPONENT_BITS, Format::MAX_SIGNIFICAND_BITS);
    for (eb, sb) in [(8, 24), (11, 53), (15, 113), (most, 2), (2, long), (most, long)] {
        let format = Format::new(eb, sb).expect("a format");
        round_trip(&mut store, &Value::Float(Float::nan(format)));
        for sign in [Sign::Positive, Sign::Negative] {
            let numbers = [
                Float::zero(format, sign),
                Float::infinity(format, sign),
                Float::largest(format, sign),
                Float::smallest_normal(format, sign),
                Float::smallest_subnormal(format, sign),
            ];
            for number in numbers {
                round_trip(&mut store, &Value::Float(number));
            }
        }
    }
}

#[test]
fn specials_are_named_and_numbers_are_fields() {
    let mut store = Store::new();
    let format = Format::new(3, 4).expect("a format");
    let (plus, minus) = (Sign::Positive, Sign::Negative);
    for (number, expected) in [
        (Float::nan(format), "(_ NaN 3 4)"),
        (Float::infinity(format, plus), "(_ +oo 3 4)"),
        (Float::infinity(format, minus), "(_ -oo 3 4)"),
        (Float::zero(format, plus), "(_ +zero 3 4)"),
        (Float::zero(format, minus), "(_ -zero 3 4)"),
        (Float::largest(format, minus), "fp"),
        (Float::smallest_subnormal(format, plus), "fp"),
    ] {
        let term = round_trip(&mut store, &Value::Float(number));
        assert_eq!(head(&store, term), expected);
    }
}

#[test]
fn modes_have_a_short_and_a_long_name() {
    let mut store = Store::new();
    for mode in RoundingMode::ALL {
        let term = round_trip(&mut store, &Value::RoundingMode(mode));
        assert_eq!(head(&store, term), mode.short_name());
        assert_eq!(Op::by_name(mode.short_name()), Op::by_name(mode.long_name()));
    }
}

//! The theory ArraysEx, with constant arrays.

use super::{Theory, operators};
use crate::bitvec::BitVec;
use crate::eval::{Element, EvalContext, Unknown};
use crate::int::Int;
use crate::op::{App, OpRow, Origin, Pat, Sig, Width};
use crate::value::{ArrayValue, Default, Entries, Value};
use std::sync::Arc;

const I: Pat = Pat::Any(0);
const E: Pat = Pat::Any(1);
const ARRAY: Pat = Pat::Array(&I, &E);

operators! { Theory::Arrays;
    /// The element at an index. The machine evaluates lambdas; here the array is a plain one.
    SELECT = OpRow::new("select", &[Sig::new(&[ARRAY, I], E)], select);
    /// The array with one element replaced.
    STORE = OpRow::new("store", &[Sig::new(&[ARRAY, I, E], ARRAY)], |cx, _, args| {
            cx.store(array(&args[0]), &args[1], &args[2])
        });
    /// The array with the same element everywhere, `((as const sort) element)`.
    CONST = OpRow::new("const", &[Sig::new(&[E], Pat::Ascribed(&ARRAY))], constant)
        .origin(Origin::Extension("z3, cvc4, cvc5, yices, bitwuzla"));
    /// Whether two arrays agree at every index from the first to the last.
    EQRANGE = OpRow::new(
            "eqrange",
            &[
                Sig::new(&[INTS, INTS, Pat::Int, Pat::Int], Pat::Bool),
                Sig::new(&[WORDS, WORDS, WORD, WORD], Pat::Bool),
            ],
            equal_range,
        )
        .origin(Origin::Extension("cvc5"));
    /// The element that an array has at all but finitely many indices, in z3's models.
    DEFAULT = OpRow::new("default", &[Sig::new(&[ARRAY], E)], |_, _, _| {
            Err(Unknown::Unsupported("z3 chooses the default element of an array"))
        })
        .origin(Origin::Extension("z3"));
    /// An index at which two arrays differ, if there is one.
    EXTENSIONALITY = OpRow::new("array-ext", &[Sig::new(&[ARRAY, ARRAY], I)], |_, _, _| {
            Err(Unknown::Unsupported("z3 chooses the index at which arrays differ"))
        })
        .origin(Origin::Extension("z3"));
}

const INTS: Pat = Pat::Array(&Pat::Int, &E);
const WORD: Pat = Pat::Bv(Width::Var(0));
const WORDS: Pat = Pat::Array(&WORD, &E);

/// The maximum number of indices that are compared one by one.
const MOST_COMPARED: u64 = 1 << 12;

/// Compares two arrays index by index; vectors are compared as unsigned numbers.
fn equal_range(cx: &mut EvalContext<'_>, _: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let (first, last) = (number(&args[2]), number(&args[3]));
    if first > last {
        return Ok(true.into());
    }
    let count = (&last - &first).to_u64().filter(|count| *count < MOST_COMPARED);
    let Some(count) = count else { return Err(Unknown::Limit("indices of a range")) };
    for offset in 0..=count {
        let at = &first + &Int::from(offset);
        let index = match &args[2] {
            Value::BitVec(bits) => {
                BitVec::from_big(bits.width(), &at.to_big().magnitude().clone()).into()
            }
            _ => Value::Int(at),
        };
        let [a, b] = [0, 1].map(|side| cx.select(array(&args[side]), &index));
        let (Element::Value(a), Element::Value(b)) = (a?, b?) else { return Err(Unknown::Lambda) };
        if !cx.equal(&a, &b)? {
            return Ok(false.into());
        }
    }
    Ok(true.into())
}

/// An index as a number.
fn number(index: &Value) -> Int {
    match index {
        Value::Int(n) => n.clone(),
        Value::BitVec(bits) => Int::from(num_bigint::BigInt::from(bits.to_big())),
        _ => unreachable!("typed as an integer or a vector"),
    }
}

pub(super) fn select(
    cx: &mut EvalContext<'_>,
    _: App<'_>,
    args: &[Value],
) -> Result<Value, Unknown> {
    match cx.select(array(&args[0]), &args[1])? {
        Element::Value(value) => Ok(value),
        Element::Closure(_) => Err(Unknown::Lambda),
    }
}

fn array(value: &Value) -> &Arc<ArrayValue> {
    match value {
        Value::Array(array) => array,
        _ => unreachable!("typed as an array"),
    }
}

fn constant(_: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    let default = Default::Element(args[0].clone());
    Ok(Value::Array(Arc::new(ArrayValue { sort: app.sort, default, entries: Entries::new() })))
}

//! The theory ArraysEx, with constant arrays.

use super::{Theory, operators};
use crate::eval::{Element, EvalContext, Unknown};
use crate::op::{App, OpRow, Origin, Pat, Sig};
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

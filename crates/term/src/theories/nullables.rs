//! Nullable values, as cvc5 reads them; not in the standard.

use super::{Theory, operators};
use crate::eval::Unknown;
use crate::op::{OpRow, Origin, Pat, Sig};
use crate::open::Allowed;
use crate::value::{DataValue, Value};

const E: Pat = Pat::Any(0);
const N: Pat = Pat::Nullable(&E);
const CVC5: Origin = Origin::Extension("cvc5");

/// The number of `nullable.null` among the constructors.
pub(crate) const NULL_INDEX: u32 = 0;
/// The number of `nullable.some` among the constructors.
pub(crate) const SOME_INDEX: u32 = 1;

operators! { Theory::Nullables;
    /// No value, `(as nullable.null sort)`.
    NULL = OpRow::new("nullable.null", &[Sig::new(&[], Pat::Ascribed(&N))], |cx, app, _| {
            cx.data(app.sort, NULL_INDEX, &[])
        })
        .origin(CVC5);
    /// A value.
    SOME = OpRow::new("nullable.some", &[Sig::new(&[E], N)], |cx, app, args| {
            cx.data(app.sort, SOME_INDEX, args)
        })
        .origin(CVC5);
    /// The value; open if there is none.
    VAL = OpRow::new("nullable.val", &[Sig::new(&[N], E)], |_, app, args| {
            data(&args[0]).fields.first().cloned().ok_or(Unknown::Open(app.op))
        })
        .origin(CVC5)
        .open(Allowed::Any);
    /// Whether there is no value.
    IS_NULL = OpRow::new("nullable.is_null", &[Sig::new(&[N], Pat::Bool)], |_, _, args| {
            Ok((data(&args[0]).constructor == NULL_INDEX).into())
        })
        .origin(CVC5);
    /// Whether there is a value.
    IS_SOME = OpRow::new("nullable.is_some", &[Sig::new(&[N], Pat::Bool)], |_, _, args| {
            Ok((data(&args[0]).constructor == SOME_INDEX).into())
        })
        .origin(CVC5);
}

fn data(value: &Value) -> &DataValue {
    match value {
        Value::Data(data) => data,
        _ => unreachable!("typed as a nullable value"),
    }
}

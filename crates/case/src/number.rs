//! Values as numbers, for comparing objectives.

use assay_term::Value;
use num_rational::BigRational;

/// The numeric value; a bit-vector is read as unsigned.
pub(crate) fn number(value: &Value) -> Option<BigRational> {
    match value {
        Value::Int(n) => Some(BigRational::from_integer(n.to_big())),
        Value::Real(x) => Some(x.as_ref().clone()),
        Value::BitVec(bits) => Some(BigRational::from_integer(bits.to_big().into())),
        _ => None,
    }
}

//! The theory HO-Core of SMT-LIB 2.7: functions as values. A function of several arguments is one
//! of the first argument whose results are functions of the others. Its value is an array value of
//! a function sort.

use super::{Theory, arrays, operators};
use crate::op::{OpRow, Origin, Pat, Sig};

const A: Pat = Pat::Any(0);
const R: Pat = Pat::Any(1);

operators! { Theory::Functions;
    /// A function value applied to its argument. The machine evaluates lambdas.
    APPLY = OpRow::new("@", &[Sig::new(&[Pat::Fun(&A, &R), A], R)], arrays::select)
        .origin(Origin::Standard27);
}

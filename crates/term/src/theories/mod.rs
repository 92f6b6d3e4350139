//! The operator tables, one file per theory. Adding an operator is adding a row.

pub mod arrays;
pub mod bags;
pub mod bv;
pub mod core;
pub mod fields;
pub mod fp;
pub mod functions;
pub mod ints;
mod lists;
pub mod nullables;
pub mod reals;
pub mod regex;
pub mod relations;
pub mod seq;
pub mod sets;
pub mod strings;

use crate::op::OpRow;

/// A theory: a table of operators.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Theory {
    /// Booleans, equality, `ite`.
    Core,
    /// Arithmetic on `Int`, and what `Int` and `Real` share.
    Ints,
    /// Arithmetic on `Real` and conversions.
    Reals,
    /// Bit-vectors.
    BitVectors,
    /// Floating point.
    Floats,
    /// Arrays.
    Arrays,
    /// Strings.
    Strings,
    /// Regular expressions.
    Regex,
    /// Sequences (extension).
    Sequences,
    /// Functions as values (SMT-LIB 2.7).
    Functions,
    /// Finite fields (extension).
    FiniteFields,
    /// Finite sets (extension).
    Sets,
    /// Finite bags (extension).
    Bags,
    /// Tuples, and sets and bags of them (extension).
    Relations,
    /// Values that may be missing (extension).
    Nullables,
}

impl Theory {
    /// Every theory, in the order of their tables.
    pub const ALL: [Theory; 15] = [
        Theory::Core,
        Theory::Ints,
        Theory::Reals,
        Theory::BitVectors,
        Theory::Floats,
        Theory::Arrays,
        Theory::Strings,
        Theory::Regex,
        Theory::Sequences,
        Theory::Functions,
        Theory::FiniteFields,
        Theory::Sets,
        Theory::Bags,
        Theory::Relations,
        Theory::Nullables,
    ];
}

/// The rows of each theory.
pub(crate) static TABLES: [&[OpRow]; 15] = [
    core::ROWS,
    ints::ROWS,
    reals::ROWS,
    bv::ROWS,
    fp::ROWS,
    arrays::ROWS,
    strings::ROWS,
    regex::ROWS,
    seq::ROWS,
    functions::ROWS,
    fields::ROWS,
    sets::ROWS,
    bags::ROWS,
    relations::ROWS,
    nullables::ROWS,
];

/// Declares the table of a theory and a constant for each of its operators.
macro_rules! operators {
    ($theory:expr; $($(#[$doc:meta])* $name:ident = $row:expr;)*) => {
        #[repr(u8)]
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        enum Row { $($name),* }
        $($(#[$doc])* pub const $name: $crate::op::Op = $crate::op::Op::new($theory, Row::$name as u8);)*
        /// The rows, in the order of the constants.
        pub(crate) static ROWS: &[$crate::op::OpRow] = &[$($row),*];
    };
}
pub(crate) use operators;

//! Exact IEEE-754 binary floating-point numbers in every format of the SMT-LIB `FloatingPoint`
//! theory.
//!
//! An operation computes its exact result first, as a dyadic number or as one whose discarded
//! tail is known to be nonzero, and one function (`round`) turns that into a number of the
//! format. Subnormals, overflow and ties are therefore decided in a single place.
//!
//! Nothing here knows about terms, sorts or text beyond the literal that [`std::fmt::Display`]
//! prints, and nothing uses the floating-point hardware. What the standard leaves open (the
//! minimum of two zeros of different sign, a conversion of NaN to an integer) is returned as
//! "open", never chosen.

mod arithmetic;
mod compare;
mod convert;
mod exact;
mod format;
mod integral;
mod mode;
mod remainder;
mod round;
mod text;
mod value;

pub use convert::{EXACT_BITS_LIMIT, NoExactValue};
pub use format::Format;
pub use mode::{RoundingMode, Sign};
pub use value::{Float, Parts};

//! Classes of special arguments and applications on which solvers tend to fail.

use assay_term::Value;
use assay_term::regex::Budget;
use num_traits::{Signed, Zero};
use std::collections::BTreeSet;

/// What is special about an argument, or about a whole application.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A regular language as an argument of an operator that is not specific to languages.
    Language,
    /// A regular language that depends on an unknown one, for such an operator.
    VariableLanguage,
    /// An array as an argument of an operator that is not specific to arrays.
    Array,
    /// A floating-point number as an argument of such an operator.
    Float,
    /// The empty language.
    EmptyLanguage,
    /// A string or sequence without elements.
    EmptyString,
    /// A string with a character above 255.
    WideCharacter,
    /// A string with an unprintable character up to 255.
    UnprintableCharacter,
    /// A number below zero.
    Negative,
    /// Zero.
    Zero,
    /// An integer of more than 31 bits.
    Huge,
    /// The bit-vector of all ones.
    AllOnes,
    /// The smallest signed bit-vector.
    LeastSigned,
    /// Not a number.
    NotANumber,
    /// An infinity.
    Infinite,
    /// A subnormal floating-point number.
    Subnormal,
    /// Whole application: the upper bound is below the lower one.
    CrossedBounds,
    /// Whole application: a bound that is not a single character.
    NotACharacter,
    /// Whole application: an index at or beyond the end, or before the beginning.
    OutOfRange,
    /// Whole application: nothing is found.
    NotFound,
    /// Whole application: the string is not a number.
    NoNumber,
    /// Whole application: all arguments are the same term.
    EqualArguments,
    /// Whole application: a shift or rotation by the width or more.
    BeyondWidth,
    /// Whole application: an index that is zero.
    ZeroIndex,
    /// Whole application: an index of more than 31 bits.
    HugeIndex,
}

impl Class {
    /// Every class with its stable name.
    pub const ALL: [(Class, &'static str); 25] = [
        (Class::Language, "language"),
        (Class::VariableLanguage, "variable-language"),
        (Class::Array, "array"),
        (Class::Float, "float"),
        (Class::EmptyLanguage, "empty-language"),
        (Class::EmptyString, "empty-string"),
        (Class::WideCharacter, "wide-character"),
        (Class::UnprintableCharacter, "unprintable-character"),
        (Class::Negative, "negative"),
        (Class::Zero, "zero"),
        (Class::Huge, "huge"),
        (Class::AllOnes, "all-ones"),
        (Class::LeastSigned, "least-signed"),
        (Class::NotANumber, "not-a-number"),
        (Class::Infinite, "infinite"),
        (Class::Subnormal, "subnormal"),
        (Class::CrossedBounds, "crossed-bounds"),
        (Class::NotACharacter, "not-a-character"),
        (Class::OutOfRange, "out-of-range"),
        (Class::NotFound, "not-found"),
        (Class::NoNumber, "no-number"),
        (Class::EqualArguments, "equal-arguments"),
        (Class::BeyondWidth, "beyond-width"),
        (Class::ZeroIndex, "zero-index"),
        (Class::HugeIndex, "huge-index"),
    ];

    /// Its stable name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Class::ALL[self as usize].1
    }

    /// The class with this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Class> {
        Class::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether the class is about a whole application, not about one argument.
    #[must_use]
    pub fn is_of_whole(self) -> bool {
        self >= Class::CrossedBounds
    }
}

/// The number of bits of a nonnegative 32-bit signed integer.
const SMALL: u64 = 31;

/// The budget for finding out that a language is empty.
const EMPTINESS: Budget = Budget::new(20_000, 20_000);

/// The classes of a value.
pub(super) fn of_value(value: &Value) -> BTreeSet<Class> {
    let table: Vec<(Class, bool)> = match value {
        Value::Int(n) => vec![
            (Class::Negative, n.is_negative()),
            (Class::Zero, n.is_zero()),
            (Class::Huge, n.bit_length() > SMALL),
        ],
        Value::Real(x) => vec![(Class::Negative, x.is_negative()), (Class::Zero, x.is_zero())],
        Value::BitVec(bits) => vec![
            (Class::Zero, bits.is_zero()),
            (Class::AllOnes, bits.is_ones()),
            (Class::LeastSigned, bits.neg_overflows()),
        ],
        Value::Float(float) => vec![
            (Class::NotANumber, float.is_nan()),
            (Class::Infinite, float.is_infinite()),
            (Class::Zero, float.is_zero()),
            (Class::Subnormal, float.is_subnormal()),
            (Class::Negative, float.is_negative()),
        ],
        Value::Str(text) => vec![
            (Class::EmptyString, text.is_empty()),
            (Class::WideCharacter, text.iter().any(|&c| c > 0xff)),
            (
                Class::UnprintableCharacter,
                text.iter().any(|&c| c <= 0xff && !(0x20..0x7f).contains(&c)),
            ),
        ],
        Value::Seq(_, items) | Value::Set(_, items) => {
            vec![(Class::EmptyString, items.is_empty())]
        }
        Value::Bag(_, items) => vec![(Class::EmptyString, items.is_empty())],
        Value::Field(_, residue) => {
            vec![(Class::Zero, residue.is_zero()), (Class::Huge, residue.bit_length() > SMALL)]
        }
        Value::RegLan(language) => {
            let empty = language.is_empty(&mut EMPTINESS.clone());
            vec![(Class::EmptyLanguage, empty == Ok(true))]
        }
        _ => Vec::new(),
    };
    table.into_iter().filter(|(_, holds)| *holds).map(|(class, _)| class).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_class_is_at_its_own_index() {
        for (position, (class, name)) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, position, "{name}");
            assert_eq!((Class::by_name(name), class.name()), (Some(class), name));
        }
        assert_eq!(Class::by_name("any"), None, "the word is taken: it means no class");
        assert!(Class::ZeroIndex.is_of_whole() && !Class::Subnormal.is_of_whole());
    }
}

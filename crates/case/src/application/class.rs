//! The classes of values and of applications at which solvers stumble.

use assay_term::Value;
use assay_term::regex::Budget;
use num_traits::{Signed, Zero};
use std::collections::BTreeSet;

/// What is special about an argument, or about an application as a whole.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Class {
    /// A regular language, where other sorts would do.
    Language,
    /// A regular language that depends on an unknown one, where other sorts would do.
    VariableLanguage,
    /// An array, where other sorts would do.
    Array,
    /// A floating-point number, where other sorts would do.
    Float,
    /// A language without words.
    EmptyLanguage,
    /// A string or sequence without elements.
    EmptyString,
    /// A string with a character beyond a byte.
    WideCharacter,
    /// A string with a character of one byte that cannot be printed.
    UnprintableCharacter,
    /// A number below zero.
    Negative,
    /// Zero.
    Zero,
    /// An integer of more than 31 bits.
    Huge,
    /// A bit-vector of ones only.
    AllOnes,
    /// The least signed bit-vector.
    LeastSigned,
    /// Not a number.
    NotANumber,
    /// An infinity.
    Infinite,
    /// A subnormal floating-point number.
    Subnormal,
    /// Of the whole: the upper bound is below the lower one.
    CrossedBounds,
    /// Of the whole: a bound that is not one character.
    NotACharacter,
    /// Of the whole: an index at or beyond the end, or before the beginning.
    OutOfRange,
    /// Of the whole: nothing is found.
    NotFound,
    /// Of the whole: the string is not a number.
    NoNumber,
    /// Of the whole: all arguments are the same term.
    EqualArguments,
    /// Of the whole: a shift or rotation by the width or more.
    BeyondWidth,
    /// Of the whole: an index that is zero.
    ZeroIndex,
    /// Of the whole: an index of more than 31 bits.
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

    /// The class of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Class> {
        Class::ALL.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    /// Whether it is about an application as a whole, not about one argument.
    #[must_use]
    pub fn is_of_whole(self) -> bool {
        self >= Class::CrossedBounds
    }
}

/// Bits of an integer that fits into 32 with its sign.
const SMALL: u64 = 31;

/// How much work it may be to see that a language is empty.
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
    fn every_class_has_its_row() {
        for (position, (class, name)) in Class::ALL.into_iter().enumerate() {
            assert_eq!(class as usize, position, "{name}");
            assert_eq!((Class::by_name(name), class.name()), (Some(class), name));
        }
        assert_eq!(Class::by_name("any"), None, "the word is taken: it means no class");
        assert!(Class::ZeroIndex.is_of_whole() && !Class::Subnormal.is_of_whole());
    }
}

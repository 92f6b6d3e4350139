//! The types: scalars of the data model LP64, arrays, pointers and structures of them.

use super::tree::Name;

/// A scalar type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    /// `_Bool`.
    Bool,
    /// `signed char`; in the data model `char` is the same.
    Char,
    /// `unsigned char`.
    UChar,
    /// `short`.
    Short,
    /// `unsigned short`.
    UShort,
    /// `int`.
    Int,
    /// `unsigned int`.
    UInt,
    /// `long`.
    Long,
    /// `unsigned long`.
    ULong,
    /// `unsigned __int128`. Its numbers are kept modulo 2^128, as numbers with a sign: what compares,
    /// divides or shifts them must read them without.
    U128,
    /// `float`: Float32. Floating-point numbers are kept as their encodings.
    Float,
    /// `double`: Float64.
    Double,
}

impl Scalar {
    /// Every scalar type.
    pub const ALL: [Scalar; 12] = [
        Scalar::Bool,
        Scalar::Char,
        Scalar::UChar,
        Scalar::Short,
        Scalar::UShort,
        Scalar::Int,
        Scalar::UInt,
        Scalar::Long,
        Scalar::ULong,
        Scalar::U128,
        Scalar::Float,
        Scalar::Double,
    ];

    /// The narrowest unsigned type of at least this many bits (at most 128).
    #[must_use]
    pub fn unsigned(bits: u32) -> Scalar {
        match bits {
            0..=8 => Scalar::UChar,
            9..=16 => Scalar::UShort,
            17..=32 => Scalar::UInt,
            33..=64 => Scalar::ULong,
            _ => Scalar::U128,
        }
    }

    /// Its number of bits; a truth value has one.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Scalar::Bool => 1,
            Scalar::Char | Scalar::UChar => 8,
            Scalar::Short | Scalar::UShort => 16,
            Scalar::Int | Scalar::UInt | Scalar::Float => 32,
            Scalar::Long | Scalar::ULong | Scalar::Double => 64,
            Scalar::U128 => 128,
        }
    }

    /// Whether it is an integer type with negative values.
    #[must_use]
    pub fn is_signed(self) -> bool {
        matches!(self, Scalar::Char | Scalar::Short | Scalar::Int | Scalar::Long)
    }

    /// Whether its values are floating-point numbers.
    #[must_use]
    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float | Scalar::Double)
    }

    /// Its smallest and largest value; of a floating-point type, the smallest and largest encoding.
    #[must_use]
    pub fn range(self) -> (i128, i128) {
        if self == Scalar::U128 {
            return (i128::MIN, i128::MAX);
        }
        match self.is_signed() {
            true => (-(1 << (self.bits() - 1)), (1 << (self.bits() - 1)) - 1),
            false => (0, (1 << self.bits()) - 1),
        }
    }

    /// Whether it can hold this value.
    #[must_use]
    pub fn holds(self, value: i128) -> bool {
        let (least, greatest) = self.range();
        (least..=greatest).contains(&value)
    }

    /// The value modulo the number of values: conversion of integers to an unsigned type, and, with all
    /// existing compilers, to a signed one. Of a floating-point type, the low bits of an encoding.
    #[must_use]
    pub fn wrap(self, value: i128) -> i128 {
        if self == Scalar::Bool {
            return i128::from(value != 0);
        }
        if self == Scalar::U128 {
            return value;
        }
        let low = value.rem_euclid(1 << self.bits());
        if self.is_signed() && low >= 1 << (self.bits() - 1) {
            low - (1 << self.bits())
        } else {
            low
        }
    }

    /// The type of an operand after integer promotion.
    #[must_use]
    pub fn promoted(self) -> Scalar {
        if self.bits() < 32 { Scalar::Int } else { self }
    }

    /// The type of both operands after the usual arithmetic conversions.
    #[must_use]
    pub fn common(self, other: Scalar) -> Scalar {
        let (a, b) = (self.promoted(), other.promoted());
        match (a.is_float(), b.is_float()) {
            (true, false) => return a,
            (false, true) => return b,
            _ => {}
        }
        match a.bits().cmp(&b.bits()) {
            std::cmp::Ordering::Greater => a,
            std::cmp::Ordering::Less => b,
            std::cmp::Ordering::Equal if a.is_signed() => b,
            std::cmp::Ordering::Equal => a,
        }
    }

    /// Its spelling in C.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scalar::Bool => "_Bool",
            Scalar::Char => "signed char",
            Scalar::UChar => "unsigned char",
            Scalar::Short => "short",
            Scalar::UShort => "unsigned short",
            Scalar::Int => "int",
            Scalar::UInt => "unsigned int",
            Scalar::Long => "long",
            Scalar::ULong => "unsigned long",
            Scalar::U128 => "unsigned __int128",
            Scalar::Float => "float",
            Scalar::Double => "double",
        }
    }

    /// The SV-COMP function that returns an arbitrary value of it.
    #[must_use]
    pub fn source(self) -> &'static str {
        match self {
            Scalar::Bool => "__VERIFIER_nondet_bool",
            Scalar::Char => "__VERIFIER_nondet_char",
            Scalar::UChar => "__VERIFIER_nondet_uchar",
            Scalar::Short => "__VERIFIER_nondet_short",
            Scalar::UShort => "__VERIFIER_nondet_ushort",
            Scalar::Int => "__VERIFIER_nondet_int",
            Scalar::UInt => "__VERIFIER_nondet_uint",
            Scalar::Long => "__VERIFIER_nondet_long",
            Scalar::ULong => "__VERIFIER_nondet_ulong",
            Scalar::U128 => "__VERIFIER_nondet_uint128",
            Scalar::Float => "__VERIFIER_nondet_float",
            Scalar::Double => "__VERIFIER_nondet_double",
        }
    }
}

/// The type of a variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Type {
    /// A number.
    Scalar(Scalar),
    /// An array of this many elements.
    Array(Box<Type>, usize),
    /// A pointer.
    Pointer(Box<Type>),
    /// A structure that the unit declares.
    Struct(Name),
}

impl Type {
    /// Whether it is a number of another type than `int`.
    #[must_use]
    pub fn is_other_number(&self) -> bool {
        matches!(self, Type::Scalar(scalar) if *scalar != Scalar::Int)
    }

    /// Its scalar type, or that of its elements at any depth; none for structures.
    #[must_use]
    pub fn element(&self) -> Option<Scalar> {
        match self {
            Type::Scalar(scalar) => Some(*scalar),
            Type::Array(inner, _) | Type::Pointer(inner) => inner.element(),
            Type::Struct(_) => None,
        }
    }
}

impl From<Scalar> for Type {
    fn from(scalar: Scalar) -> Type {
        Type::Scalar(scalar)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_those_of_the_standard() {
        use Scalar::{Bool, Char, Int, Long, UChar, UInt, ULong, UShort};
        assert_eq!((UChar.common(UShort), UChar.common(UInt)), (Int, UInt));
        assert_eq!((Int.common(UInt), UInt.common(Long), Long.common(ULong)), (UInt, Long, ULong));
        assert_eq!((ULong.common(Scalar::U128), Scalar::U128.wrap(-1)), (Scalar::U128, -1));
        let (float, double) = (Scalar::Float, Scalar::Double);
        assert_eq!((Scalar::U128.common(float), float.common(double)), (float, double));
        assert_eq!((UChar.wrap(-1), Char.wrap(200), Bool.wrap(2)), (255, -56, 1));
        assert_eq!(ULong.wrap(-1), i128::from(u64::MAX));
        assert_eq!(Long.range(), (i128::from(i64::MIN), i128::from(i64::MAX)));
        for scalar in Scalar::ALL {
            let (least, greatest) = scalar.range();
            assert!(scalar.holds(least) && scalar.holds(greatest));
            assert!(scalar == Scalar::U128 || !scalar.holds(greatest + 1));
            assert_eq!((scalar.wrap(least), scalar.wrap(greatest)), (least, greatest));
        }
    }
}

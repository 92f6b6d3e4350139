//! Features that tools support, by name.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// Something that a tool supports, or can be asked for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Feature {
    /// It prints models after sat.
    Models,
    /// It prints unsatisfiable cores over named assertions.
    Cores,
    /// It can minimize cores on request.
    MinimalCores,
    /// `assert-soft` with weights.
    SoftAssertions,
    /// `maximize`, `minimize` and `get-objectives`.
    Objectives,
    /// `push` and `pop`.
    Scopes,
    /// `forall` and `exists`.
    Quantifiers,
    /// `declare-sort`.
    UninterpretedSorts,
    /// `declare-fun` with arguments.
    UninterpretedFunctions,
    /// `define-fun-rec`.
    RecursiveFunctions,
    /// Integers.
    Ints,
    /// Real numbers.
    Reals,
    /// Products of variables.
    Nonlinear,
    /// Bit-vectors.
    BitVectors,
    /// Conversions between bit-vectors and integers.
    BitVectorConversions,
    /// IEEE 754 numbers of 32 and 64 bits.
    Floats,
    /// IEEE 754 numbers of 16 and 128 bits.
    HalfAndQuadFloats,
    /// IEEE 754 numbers of other formats.
    FloatFormats,
    /// Arrays.
    Arrays,
    /// `((as const …) …)`.
    ConstantArrays,
    /// Constant arrays of terms that are not values.
    ConstantArraysOfTerms,
    /// Arrays whose indices are arrays.
    ArraysAsIndices,
    /// Algebraic datatypes.
    Datatypes,
    /// Strings.
    Strings,
    /// Membership in regular languages.
    Regex,
    /// Variables of regular languages.
    RegexVariables,
    /// Equations of regular languages.
    RegexEquations,
    /// `re.range` with arguments that are not literals.
    RegexRangesOfTerms,
    /// Sequences of any sort.
    Sequences,
    /// Functions as values.
    HigherOrder,
    /// Fields of prime order.
    FiniteFields,
    /// Finite sets.
    Sets,
    /// Finite bags.
    Bags,
    /// Tuples, and relations of them.
    Tuples,
    /// Values that may be missing.
    Nullables,
    /// Arrays written as `lambda`.
    Lambdas,
    /// Patterns and weights of quantifiers.
    Patterns,
    /// Division by a literal zero.
    DivisionByZero,
    /// Powers whose exponent is not a natural-number literal.
    ExponentsOfTerms,
    /// Declared symbols that begin with `@` or `.`, which the standard reserves for solvers.
    ReservedSymbols,
    /// Symbols that are declared several times, with different sorts.
    OverloadedSymbols,
    /// Constructors and selectors of one name in several datatypes, of which one has parameters.
    OverloadedParametricSymbols,
    /// Datatypes that occur in another sort among their own fields, such as trees with arrays of
    /// trees.
    NestedDatatypes,
    /// Datatypes with parameters that are declared together, or that contain themselves with other
    /// parameters.
    MutualParametricDatatypes,
    /// `(and p)`: one formula where the standard requires two.
    SingleFormulas,
    /// `(+ x)` and the like: one argument where the standard requires two.
    SingleArguments,
    /// More than two arguments where the standard has two, such as three of `bvsub`.
    ChainedArguments,
    /// `str.…` operators on sequences.
    StringsOverSequences,
    /// `seq.…` operators on strings.
    SequencesOverStrings,
    /// `seq.empty` as a string.
    EmptySequencesOfStrings,
    /// `str.indexof` without a position.
    IndexOfWithoutPosition,
    /// `re.loop` with one index, or with its bounds as arguments.
    LoopBounds,
    /// `abs` of reals.
    AbsOfReals,
    /// `to_real` of reals.
    ToRealOfReals,
    /// `to_fp` of integers.
    FloatsFromInts,
    /// `to_fp` of a significand and an exponent.
    FloatsFromScaled,
    /// `to_fp` of the three fields of a float.
    FloatsFromFields,
    /// cvc5's codatatypes.
    Codatatypes,
}

/// Some features.
pub type Features = BTreeSet<Feature>;

impl Feature {
    /// Every feature, with its name in files and reports.
    pub const ALL: [(Feature, &'static str); 58] = [
        (Feature::Models, "models"),
        (Feature::Cores, "cores"),
        (Feature::MinimalCores, "minimal-cores"),
        (Feature::SoftAssertions, "soft-assertions"),
        (Feature::Objectives, "objectives"),
        (Feature::Scopes, "scopes"),
        (Feature::Quantifiers, "quantifiers"),
        (Feature::UninterpretedSorts, "uninterpreted-sorts"),
        (Feature::UninterpretedFunctions, "uninterpreted-functions"),
        (Feature::RecursiveFunctions, "recursive-functions"),
        (Feature::Ints, "ints"),
        (Feature::Reals, "reals"),
        (Feature::Nonlinear, "nonlinear"),
        (Feature::BitVectors, "bit-vectors"),
        (Feature::BitVectorConversions, "bit-vector-conversions"),
        (Feature::Floats, "floats"),
        (Feature::HalfAndQuadFloats, "half-and-quad-floats"),
        (Feature::FloatFormats, "float-formats"),
        (Feature::Arrays, "arrays"),
        (Feature::ConstantArrays, "constant-arrays"),
        (Feature::ConstantArraysOfTerms, "constant-arrays-of-terms"),
        (Feature::ArraysAsIndices, "arrays-as-indices"),
        (Feature::Datatypes, "datatypes"),
        (Feature::Strings, "strings"),
        (Feature::Regex, "regex"),
        (Feature::RegexVariables, "regex-variables"),
        (Feature::RegexEquations, "regex-equations"),
        (Feature::RegexRangesOfTerms, "regex-ranges-of-terms"),
        (Feature::Sequences, "sequences"),
        (Feature::HigherOrder, "higher-order"),
        (Feature::FiniteFields, "finite-fields"),
        (Feature::Sets, "sets"),
        (Feature::Bags, "bags"),
        (Feature::Tuples, "tuples"),
        (Feature::Nullables, "nullables"),
        (Feature::Lambdas, "lambdas"),
        (Feature::Patterns, "patterns"),
        (Feature::DivisionByZero, "division-by-zero"),
        (Feature::ExponentsOfTerms, "exponents-of-terms"),
        (Feature::ReservedSymbols, "reserved-symbols"),
        (Feature::OverloadedSymbols, "overloaded-symbols"),
        (Feature::OverloadedParametricSymbols, "overloaded-parametric-symbols"),
        (Feature::NestedDatatypes, "nested-datatypes"),
        (Feature::MutualParametricDatatypes, "mutual-parametric-datatypes"),
        (Feature::SingleFormulas, "single-formulas"),
        (Feature::SingleArguments, "single-arguments"),
        (Feature::ChainedArguments, "chained-arguments"),
        (Feature::StringsOverSequences, "strings-over-sequences"),
        (Feature::SequencesOverStrings, "sequences-over-strings"),
        (Feature::EmptySequencesOfStrings, "empty-sequences-of-strings"),
        (Feature::IndexOfWithoutPosition, "index-of-without-position"),
        (Feature::LoopBounds, "loop-bounds"),
        (Feature::AbsOfReals, "abs-of-reals"),
        (Feature::ToRealOfReals, "to-real-of-reals"),
        (Feature::FloatsFromInts, "floats-from-ints"),
        (Feature::FloatsFromScaled, "floats-from-scaled"),
        (Feature::FloatsFromFields, "floats-from-fields"),
        (Feature::Codatatypes, "codatatypes"),
    ];

    /// Its name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        Feature::ALL[self as usize].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_has_the_names_that_files_use() {
        for (at, (feature, name)) in Feature::ALL.into_iter().enumerate() {
            assert_eq!(feature as usize, at);
            assert_eq!(feature.name(), name);
            assert_eq!(serde_json::to_string(&feature).expect("a word"), format!("\"{name}\""));
        }
    }
}

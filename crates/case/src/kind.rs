//! The kinds of subjects: the only list of them in this crate.
//!
//! A new kind is a row of [`kinds!`], a type that implements [`Test`] in a module of `judge`, and
//! variants of `Answer`, `Expected` and `FindingKind` if tools answer about it in new words.

use crate::answer::Expected;
use crate::finding::Judgement;
use crate::observation::Observation;
use crate::oracle::{Claim, Grade};
use crate::rewrite::RewriteTest;
use crate::subject::{FormulaTest, ProgramTest, TraceTest};
use crate::synthesis::SynthesisTest;
use crate::test_case::TestCase;
use std::fmt;

/// The common interface of subjects with their truth.
pub trait Test {
    /// The text in its own language: SMT-LIB, C, or the language of traces.
    fn text(&self) -> &str;

    /// The right answer.
    fn expected(&self) -> Expected;

    /// How certain the truth is; `None` if no truth is known.
    fn grade(&self) -> Option<Grade>;

    /// How the truth is known, in words; `None` if no truth is known.
    fn why(&self) -> Option<String>;

    /// Whose word the truth rests on; `None` if it is certified or unknown.
    fn claim(&self) -> Option<&Claim> {
        None
    }

    /// Compares a tool's answer with the truth.
    fn judge(&self, seen: &Observation) -> Judgement;
}

/// A test of one kind of subject.
pub trait OfKind: Test {
    /// The test in a subject; `None` if the subject is of another kind.
    fn of(subject: &Subject) -> Option<&Self>;
}

/// Defines [`Kind`] and [`Subject`] with one row for each kind: the type of its tests, the noun for
/// one subject, and its file in a finding's folder.
macro_rules! kinds {
    ($($(#[$about:meta])* $kind:ident($test:ty), $noun:literal, $file:literal;)*) => {
        /// A kind of subject.
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
        #[serde(rename_all = "kebab-case")]
        pub enum Kind {
            $($(#[$about])* $kind,)*
        }

        /// A subject of some kind, with its truth.
        #[derive(Clone, Debug)]
        pub enum Subject {
            $($(#[$about])* $kind(Box<$test>),)*
        }

        impl Kind {
            /// Every kind.
            pub const ALL: &[Kind] = &[$(Kind::$kind),*];

            /// The file in a finding's folder that holds the subject in its own language.
            #[must_use]
            pub fn file(self) -> &'static str {
                match self {
                    $(Kind::$kind => $file,)*
                }
            }

            /// The noun for one subject of this kind.
            #[must_use]
            pub fn noun(self) -> &'static str {
                match self {
                    $(Kind::$kind => $noun,)*
                }
            }
        }

        impl Subject {
            /// Its kind.
            #[must_use]
            pub fn kind(&self) -> Kind {
                match self {
                    $(Subject::$kind(_) => Kind::$kind,)*
                }
            }

            /// The subject as a test of any kind.
            #[must_use]
            pub fn test(&self) -> &dyn Test {
                match self {
                    $(Subject::$kind(test) => &**test,)*
                }
            }
        }

        $(impl From<$test> for Subject {
            fn from(test: $test) -> Subject {
                Subject::$kind(Box::new(test))
            }
        }

        impl OfKind for $test {
            fn of(subject: &Subject) -> Option<&$test> {
                match subject {
                    Subject::$kind(test) => Some(test),
                    _ => None,
                }
            }
        })*
    };
}

kinds! {
    /// A formula, for an SMT or MaxSMT solver.
    Formula(FormulaTest), "formula", "case.smt2";
    /// A C program, for an analyzer.
    Program(ProgramTest), "program", "program.c";
    /// Operations on the elements of an abstract domain, with laws that the results must obey.
    Trace(TraceTest), "trace", "trace.txt";
    /// A term to be rewritten, for a solver that simplifies or applies tactics.
    Rewrite(RewriteTest), "term", "claim.smt2";
    /// A term to be constructed, for a solver that interpolates, abduces, eliminates quantifiers or
    /// synthesizes functions.
    Synthesis(SynthesisTest), "synthesis task", "task.smt2";
}

impl TestCase {
    /// The subject with its truth, if it is of this kind.
    #[must_use]
    pub fn as_test<T: OfKind>(&self) -> Option<&T> {
        T::of(self.subject())
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

//! The kinds of subjects that tools are tested on.

use std::fmt;

/// A kind of subject. Whatever differs from kind to kind is an exhaustive match over this enum, so that
/// the compiler lists what a new kind still lacks.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A formula, for an SMT or MaxSMT solver.
    Formula,
    /// A C program, for an analyzer.
    Program,
    /// Operations on the elements of an abstract domain, with laws that the results must obey.
    Trace,
    /// A term to be rewritten, for a solver that simplifies or applies tactics.
    Rewrite,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 4] = [Kind::Formula, Kind::Program, Kind::Trace, Kind::Rewrite];

    /// The file of a finding's folder that holds the subject in its own language.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Kind::Formula => "case.smt2",
            Kind::Program => "program.c",
            Kind::Trace => "trace.txt",
            Kind::Rewrite => "claim.smt2",
        }
    }

    /// The noun for one subject of this kind.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Kind::Formula => "formula",
            Kind::Program => "program",
            Kind::Trace => "trace",
            Kind::Rewrite => "term",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.noun())
    }
}

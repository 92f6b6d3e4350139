//! What the search for terms says about a file.

use std::fmt;
use std::time::Duration;

/// A way to find terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// Simple terms in all patterns.
    Enumeration,
    /// Instances of a refutation by models.
    Proof,
    /// Instances of a refutation by cvc5.
    Cvc5,
    /// Models of formulas that contradict each other (C0).
    C0,
    /// The same with less similar formulas from the beginning.
    C1,
    /// The same, each candidate on its own.
    C2,
    /// The same with constraints by type.
    C3,
    /// The same with unification of parts.
    C4,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 8] =
        [Way::Enumeration, Way::Proof, Way::Cvc5, Way::C0, Way::C1, Way::C2, Way::C3, Way::C4];

    /// Its name, as flags have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Way::Enumeration => "enumeration",
            Way::Proof => "proof",
            Way::Cvc5 => "cvc5",
            Way::C0 => "C0",
            Way::C1 => "C1",
            Way::C2 => "C2",
            Way::C3 => "C3",
            Way::C4 => "C4",
        }
    }

    /// The way of this name.
    #[must_use]
    pub fn by_name(name: &str) -> Option<Way> {
        Way::ALL.into_iter().find(|way| way.name().eq_ignore_ascii_case(name))
    }
}

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Terms that make E-matching refute the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The terms, as text, none of which can be left out.
    pub terms: Vec<String>,
    /// The assertions that contradict each other once the terms are there, by name.
    pub axioms: Vec<String>,
    /// What a user may add to the file, or change in it.
    pub suggestions: Vec<String>,
    /// The file with these terms. A process of its own was run on this text and answered `unsat`.
    pub file: String,
    /// How the terms were found.
    pub way: Way,
    /// Whether the time sufficed to find out that each term is needed.
    pub minimal: bool,
    /// When it was found.
    pub elapsed: Duration,
}

/// What speaks for a file being satisfiable.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Evidence {
    /// Who says so, and how far it was checked.
    pub why: String,
    /// The solver's model, as it wrote it.
    pub model: Option<String>,
    /// Whether a solver confirmed that no assertion can be false under the model.
    pub checked: bool,
}

/// What the search for terms says about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Diagnosis {
    /// Terms were found; more than one set where all were asked for.
    Refuted(Vec<Refutation>),
    /// E-matching refutes the file as it is.
    AlreadyRefuted,
    /// The file is satisfiable: this is why.
    Sat(Evidence),
    /// Nothing was found: this was tried.
    GaveUp(String),
    /// The time was over: this was tried.
    Timeout(String),
}

impl Diagnosis {
    /// Its name, as reports have it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Diagnosis::Refuted(_) => "refuted",
            Diagnosis::AlreadyRefuted => "already-refuted",
            Diagnosis::Sat(_) => "sat",
            Diagnosis::GaveUp(_) => "gave-up",
            Diagnosis::Timeout(_) => "timeout",
        }
    }
}

//! The results of the search for terms.

use crate::artefacts::KnownArtefact;
use std::fmt;
use std::time::Duration;

/// A way of finding terms.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Way {
    /// Simple terms in all patterns.
    Enumeration,
    /// Instances of a refutation by model-based instantiation.
    Proof,
    /// Instances of a refutation by cvc5.
    Cvc5,
    /// Instances of a refutation by a first-order prover: E or Vampire.
    FirstOrder,
    /// Models of contradicting formulas (C0).
    C0,
    /// C0, with less similar formulas from the beginning.
    C1,
    /// C0, with each candidate alone.
    C2,
    /// C0, with constraints by type.
    C3,
    /// C0, with unification of subterms.
    C4,
}

impl Way {
    /// All of them.
    pub const ALL: [Way; 9] = [
        Way::Enumeration,
        Way::Proof,
        Way::Cvc5,
        Way::FirstOrder,
        Way::C0,
        Way::C1,
        Way::C2,
        Way::C3,
        Way::C4,
    ];

    /// Its name in flags.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Way::Enumeration => "enumeration",
            Way::Proof => "proof",
            Way::Cvc5 => "cvc5",
            Way::FirstOrder => "first-order",
            Way::C0 => "C0",
            Way::C1 => "C1",
            Way::C2 => "C2",
            Way::C3 => "C3",
            Way::C4 => "C4",
        }
    }

    /// The way with this name.
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

/// An assertion that a contradiction needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreAxiom {
    /// Its position among the assertions in force in the file, from zero.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its first line, from one.
    pub line: usize,
    /// Whether it contains a quantifier.
    pub quantified: bool,
}

/// An instance that an added term causes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Triggered {
    /// The added term.
    pub term: String,
    /// The assertion with the quantifier, by name.
    pub axiom: String,
    /// Its first line, from one.
    pub line: usize,
    /// The values of the variables.
    pub values: Vec<(String, String)>,
}

/// Terms that make E-matching refute the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The terms, as text. None can be left out.
    pub terms: Vec<String>,
    /// The assertions that contradict each other once the terms are added, in the order of the
    /// file; empty if unknown.
    pub core: Vec<CoreAxiom>,
    /// The instances that the terms trigger.
    pub triggered: Vec<Triggered>,
    /// The names of known artefacts of the encoding that the contradiction needs.
    pub through: Vec<String>,
    /// Suggested additions or changes to the file.
    pub suggestions: Vec<String>,
    /// The file with these terms. A separate run of the solver on this text answered `unsat`.
    pub file: String,
    /// How the terms were found.
    pub way: Way,
    /// Whether there was time to verify that each term is needed.
    pub minimal: bool,
    /// The time when it was found.
    pub elapsed: Duration,
}

impl Refutation {
    /// The meaning of the contradiction; `None` if its assertions are unknown.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        if self.core.is_empty() {
            None
        } else if !self.through.is_empty() {
            Some(Verdict::ModuloPatterns)
        } else if self.core.iter().all(|axiom| axiom.quantified) {
            Some(Verdict::Inconsistent)
        } else {
            Some(Verdict::WithFacts)
        }
    }
}

/// The meaning of a contradiction for the author of a verifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Quantified assertions contradict each other without any fact.
    Inconsistent,
    /// Quantified assertions contradict facts: a negated goal whose proof E-matching misses, or
    /// facts that the axioms rule out.
    WithFacts,
    /// The formula is unsatisfiable, but its patterns do not show it: the contradiction needs a
    /// known artefact of the encoding, or no term makes E-matching find it.
    ModuloPatterns,
}

impl Verdict {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Inconsistent => "inconsistent",
            Verdict::WithFacts => "inconsistent-with-facts",
            Verdict::ModuloPatterns => "modulo-patterns",
        }
    }
}

/// Evidence that a file is satisfiable.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Evidence {
    /// The source, and how far it was checked.
    pub why: String,
    /// The solver's model, as printed.
    pub model: Option<String>,
    /// Whether a solver confirmed that no assertion can be false under the model.
    pub checked: bool,
}

/// The result of the search for a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Diagnosis {
    /// Terms were found; several sets if all were requested.
    Refuted(Vec<Refutation>),
    /// E-matching refutes the file as it is.
    AlreadyRefuted,
    /// The file is satisfiable, with this evidence.
    Sat(Evidence),
    /// Nothing was found; this was tried.
    GaveUp(String),
    /// Time ran out; this was tried.
    Timeout(String),
}

impl Diagnosis {
    /// Its name in reports.
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

/// The result of the search for a file, with the artefacts it looked past.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// The result.
    pub diagnosis: Diagnosis,
    /// Known artefacts of the encoding in the file.
    pub artefacts: Vec<KnownArtefact>,
    /// The prover that refuted the file regardless of patterns, if no terms were found.
    pub refuted_by: Option<String>,
}

impl Report {
    /// A report with only a diagnosis.
    pub(crate) fn of(diagnosis: Diagnosis) -> Report {
        Report { diagnosis, artefacts: Vec::new(), refuted_by: None }
    }

    /// The meaning of the first contradiction, if there is one.
    #[must_use]
    pub fn verdict(&self) -> Option<Verdict> {
        match &self.diagnosis {
            Diagnosis::Refuted(all) => all.first()?.verdict(),
            Diagnosis::GaveUp(_) | Diagnosis::Timeout(_) if self.refuted_by.is_some() => {
                Some(Verdict::ModuloPatterns)
            }
            _ => None,
        }
    }
}

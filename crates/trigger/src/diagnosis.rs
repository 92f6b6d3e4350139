//! What the search for terms says about a file.

use crate::artefacts::KnownArtefact;
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
    /// Instances of a refutation by a first-order prover: E or Vampire.
    FirstOrder,
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

    /// Its name, as flags have it.
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

/// An assertion that a contradiction needs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoreAxiom {
    /// Its position among the assertions in force in the file, from zero.
    pub number: usize,
    /// Its name.
    pub name: String,
    /// Its first line, from one.
    pub line: usize,
    /// Whether a quantifier stands in it.
    pub quantified: bool,
}

/// An instance that an added term brings about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Triggered {
    /// The added term.
    pub term: String,
    /// The assertion with the quantifier, by name.
    pub axiom: String,
    /// Its first line, from one.
    pub line: usize,
    /// What takes the places of the variables.
    pub values: Vec<(String, String)>,
}

/// Terms that make E-matching refute the file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The terms, as text, none of which can be left out.
    pub terms: Vec<String>,
    /// The assertions that contradict each other once the terms are there, in the order of the file;
    /// empty where they are not known.
    pub core: Vec<CoreAxiom>,
    /// Which quantifiers the terms trigger.
    pub triggered: Vec<Triggered>,
    /// Known artefacts of the encoding that the contradiction needs, by name.
    pub through: Vec<String>,
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

impl Refutation {
    /// What the contradiction means; none where its assertions are not known.
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

/// What a contradiction means to the author of a verifier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// Quantified assertions contradict each other, without any fact.
    Inconsistent,
    /// Quantified assertions contradict facts: a negated goal whose proof E-matching misses, or facts
    /// that the axioms do not allow.
    WithFacts,
    /// The formula is unsatisfiable, but its patterns do not show it: the contradiction needs a known
    /// artefact of the encoding, or no term lets E-matching find it.
    ModuloPatterns,
}

impl Verdict {
    /// Its name, as reports have it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Verdict::Inconsistent => "inconsistent",
            Verdict::WithFacts => "inconsistent-with-facts",
            Verdict::ModuloPatterns => "modulo-patterns",
        }
    }
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

/// What the search says about a file, and what it looked past.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Report {
    /// What it says.
    pub diagnosis: Diagnosis,
    /// Known artefacts of the encoding that the file carries.
    pub artefacts: Vec<KnownArtefact>,
    /// Who refuted the file without regard to patterns, where no terms were found.
    pub refuted_by: Option<String>,
}

impl Report {
    /// A report with nothing but a diagnosis.
    pub(crate) fn of(diagnosis: Diagnosis) -> Report {
        Report { diagnosis, artefacts: Vec::new(), refuted_by: None }
    }

    /// What the first contradiction means, where there is one.
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

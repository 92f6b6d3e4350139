//! What a comparison of an answer with a truth comes to.

use crate::crash::CrashSignature;
use crate::formula::Place;
use crate::named;
use crate::observation::Size;
use crate::oracle::{Extremum, Grade, Point, Refutation};
use crate::reply::Spoiled;
use std::fmt;
use std::time::Duration;

/// The outcome of judging one observation.
#[derive(Clone, PartialEq, Debug)]
pub enum Judgement {
    /// The answer is right, as far as it can be checked.
    Correct,
    /// Nothing can be said, for this reason.
    Inconclusive(Doubt),
    /// The tool did something wrong, or less than it should.
    Finding(Finding),
    /// The tool proved our own truth wrong: a bug of ours, never a finding about the tool.
    OracleContradicted(Contradiction),
}

impl Judgement {
    /// What it means for a tool of this name: where a claim is refuted, the fault is with those who
    /// made it.
    #[must_use]
    pub fn about(self, tool: &str) -> Judgement {
        match self {
            Judgement::OracleContradicted(Contradiction::Claim(refuted)) => {
                match refuted.claim.who.iter().any(|who| who == tool) {
                    true => Judgement::Finding(Finding {
                        kind: FindingKind::Inconsistency,
                        grade: Grade::Declared,
                        evidence: Evidence::Refuted(refuted),
                    }),
                    false => Judgement::Inconclusive(Doubt::Refuted(refuted)),
                }
            }
            other => other,
        }
    }
}

/// Something to report about a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// What it is.
    pub kind: FindingKind,
    /// How sure it is.
    pub grade: Grade,
    /// What shows it.
    pub evidence: Evidence,
}

impl Finding {
    /// How bad it is.
    #[must_use]
    pub fn severity(&self) -> Severity {
        self.kind.severity()
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}): {}", self.kind.name(), self.grade.name(), self.evidence)
    }
}

/// Defines [`FindingKind`] with one row for each kind: its severity, its stable name in flags and
/// reports, and what the tool does wrong, to follow the tool's name.
macro_rules! findings {
    ($($(#[$about:meta])* $kind:ident, $severity:ident, $name:literal, $phrase:literal;)*) => {
        named! {
            /// The kinds of findings.
            #[derive(
                Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize,
                serde::Deserialize,
            )]
            #[serde(rename_all = "kebab-case")]
            pub enum FindingKind {
                $($(#[$about])* $kind = $name,)*
            }
        }

        impl FindingKind {
            /// How bad it is.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self {
                    $(FindingKind::$kind => Severity::$severity,)*
                }
            }

            /// What the tool does wrong, to follow its name: `answers sat on an unsatisfiable
            /// formula`.
            #[must_use]
            pub fn phrase(self) -> &'static str {
                match self {
                    $(FindingKind::$kind => $phrase,)*
                }
            }
        }
    };
}

findings! {
    /// It says sat, and there is no model.
    WrongSat, Soundness, "wrong-sat",
        "answers sat on an unsatisfiable formula";
    /// It says unsat, and there is a model.
    WrongUnsat, Soundness, "wrong-unsat",
        "answers unsat on a satisfiable formula";
    /// It says sat and gives a model that falsifies an assertion.
    InvalidModel, Soundness, "invalid-model",
        "gives a model that falsifies an assertion";
    /// It says unsat and gives a core that is not unsatisfiable.
    InvalidCore, Soundness, "invalid-core",
        "gives an unsat core that is satisfiable";
    /// Its core holds more than it needs.
    LargerCore, Imprecision, "larger-core",
        "gives an unsat core that is not minimal";
    /// It gives an optimum that is not one.
    WrongOptimum, Soundness, "wrong-optimum",
        "reports a wrong optimum";
    /// It says the opposite of what another tool says, and nothing decides between them.
    Disagreement, Soundness, "disagreement",
        "contradicts another solver";
    /// What it says is right, but not what it said of a formula with the same answer.
    Inconsistency, Soundness, "inconsistency",
        "contradicts its answer to an equivalent formula";
    /// It dies.
    Crash, Crash, "crash",
        "crashes";
    /// It takes too long.
    Timeout, Performance, "timeout",
        "does not terminate in time";
    /// It takes too much memory.
    OutOfMemory, Performance, "out-of-memory",
        "runs out of memory";
    /// It does not know, where we do.
    Unknown, Imprecision, "unknown",
        "answers unknown";
    /// It does not accept the input.
    Rejected, Note, "rejected",
        "rejects the input";
    /// An abstract domain breaks a law, and loses points by it.
    Unsound, Soundness, "unsound",
        "breaks a soundness law: points are lost";
    /// An abstract domain breaks a law, and has more points than necessary.
    Imprecise, Imprecision, "imprecise",
        "breaks a precision law: it has more points than necessary";
    /// An abstract domain's widening or narrowing does not converge.
    Divergent, Performance, "divergent",
        "does not converge under widening or narrowing";
    /// It writes without end.
    Flood, Crash, "flood",
        "writes without end";
    /// It says that an error cannot be reached, and it can.
    MissedError, Soundness, "missed-error",
        "misses a reachable error";
    /// It says that an error can be reached, and it cannot.
    FalseError, Soundness, "false-error",
        "reports an unreachable error";
    /// It warns of an error that cannot be reached.
    FalseAlarm, Imprecision, "false-alarm",
        "warns of an unreachable error";
    /// It reports no error, which it does not claim to be proof, and one can be reached.
    OverlookedError, Imprecision, "overlooked-error",
        "does not report a reachable error";
    /// Its verdict may be right, but the model, core or objectives that it printed cannot be read.
    UnreadableAnswer, Format, "unreadable-answer",
        "prints a model, core or objectives that cannot be read";
    /// It rewrites a term to one with another value.
    WrongRewrite, Soundness, "wrong-rewrite",
        "rewrites a term to one with another value";
}

named! {
    /// How bad a finding is, the least bad first.
    #[derive(
        Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Severity {
        /// Worth a note: perhaps the input is at fault.
        Note = "note",
        /// Too slow, or too much memory.
        Performance = "performance",
        /// Right, but less than it could say.
        Imprecision = "imprecision",
        /// What the tool prints is not what the standard or its own conventions say.
        Format = "format",
        /// The tool dies.
        Crash = "crash",
        /// The tool says what is not true.
        Soundness = "soundness",
    }
}

/// What shows a finding.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Evidence {
    /// The truth, and how it is known.
    #[error("the truth is {0}")]
    Truth(String),
    /// The assertion that the model falsifies.
    #[error("{0} is false under the model")]
    FalseAssertion(Place),
    /// Names in the core that the formula does not have.
    #[error("the core names what is not asserted: {}", .0.join(" "))]
    ForeignNames(Vec<String>),
    /// The core, with the unnamed assertions, has a model.
    #[error("the assertions of the core have a model")]
    SatisfiableCore,
    /// Names without which nothing is unsatisfiable.
    #[error("the core lacks {}, without which the formula is satisfiable", .0.join(" "))]
    CoreLacks(Vec<String>),
    /// Names that the core does not need.
    #[error("the core does not need {}", .0.join(" "))]
    CoreExceeds(Vec<String>),
    /// A value that is not the optimum.
    #[error("objective {}: reported {reported}, which is {miss}; the optimum is {expected}", .objective + 1)]
    Optimum {
        /// Which objective, from zero.
        objective: usize,
        /// What was reported.
        reported: Extremum,
        /// What is true.
        expected: Extremum,
        /// On which side of the truth the report is.
        miss: Miss,
    },
    /// A model that does not have the optimum that was reported.
    #[error("objective {}: the model has {found}, not the optimum {expected} that is reported", .objective + 1)]
    ModelMisses {
        /// Which objective, from zero.
        objective: usize,
        /// The value under the model.
        found: Extremum,
        /// What is true.
        expected: Extremum,
    },
    /// Bounds that exclude the optimum.
    #[error("objective {}: reported between {least} and {most}, which excludes the optimum {expected}", .objective + 1)]
    Bounds {
        /// Which objective, from zero.
        objective: usize,
        /// The lower bound that was reported.
        least: Extremum,
        /// The upper bound that was reported.
        most: Extremum,
        /// What is true.
        expected: Extremum,
    },
    /// A point that does not belong to the Pareto front, or was reported before.
    #[error("check {check}: reported {point}, which is {fault}")]
    FrontPoint {
        /// Which check, from one.
        check: usize,
        /// The values of the objectives.
        point: Point,
        /// What is wrong with it.
        fault: PointFault,
    },
    /// The end of a Pareto front that is not complete.
    #[error(
        "check {check}: says that there is no further Pareto-optimal point, but {missing} is one"
    )]
    FrontEnd {
        /// Which check, from one.
        check: usize,
        /// A point that was not reported.
        missing: Point,
    },
    /// A question of several that was answered wrongly.
    #[error("check {question} of {of}: the truth is {truth}")]
    Question {
        /// Which, from one.
        question: usize,
        /// How many there are.
        of: usize,
        /// The right answer.
        truth: &'static str,
    },
    /// Who says what.
    #[error("{}", sides(.sat, .unsat))]
    Disagreement {
        /// Those who say sat.
        sat: Vec<String>,
        /// Those who say unsat.
        unsat: Vec<String>,
    },
    /// A model that refutes what was said.
    #[error("{0}")]
    Refuted(Refutation),
    /// How it died.
    #[error("{0}")]
    Crash(CrashSignature),
    /// How long it took.
    #[error("after {:.1} s", .0.as_secs_f64())]
    Elapsed(Duration),
    /// The memory that it was allowed.
    #[error("limit {0}")]
    MemoryLimit(Size),
    /// What the tool said.
    #[error("{0}")]
    Message(String),
    /// A law that does not hold.
    #[error("{law} does not hold: {evidence}")]
    Law {
        /// Which.
        law: String,
        /// The values that show it.
        evidence: String,
    },
    /// What cannot be read of its answer.
    #[error("{0}")]
    Unreadable(Spoiled),
    /// An assignment under which a term and what it was rewritten to differ.
    #[error("the term is {term} and the result {result}{}", under(.assignment))]
    Rewritten {
        /// The values of the symbols.
        assignment: String,
        /// The value of the term.
        term: String,
        /// The value of the result.
        result: String,
    },
}

/// Under which assignment; nothing where there are no symbols.
fn under(assignment: &str) -> String {
    if assignment.is_empty() { String::new() } else { format!(" under {assignment}") }
}

/// Who says what, those first who are fewer.
fn sides(sat: &[String], unsat: &[String]) -> String {
    let say = |who: &[String], only: bool, verdict: &str| {
        let (only, verb) =
            (if only { "only " } else { "" }, if who.len() == 1 { "says" } else { "say" });
        format!("{only}{} {verb} {verdict}", who.join(", "))
    };
    let sat_first = sat.len() <= unsat.len();
    let uneven = sat.len() != unsat.len();
    let sat = say(sat, uneven && sat_first, "sat");
    let unsat = say(unsat, uneven && !sat_first, "unsat");
    if sat_first { format!("{sat}; {unsat}") } else { format!("{unsat}; {sat}") }
}

/// On which side of the optimum a value is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Miss {
    /// No model has it.
    Impossible,
    /// Some model has a better one.
    Suboptimal,
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Miss::Impossible => "better than possible",
            Miss::Suboptimal => "worse than possible",
        })
    }
}

/// What is wrong with a point that was reported as Pareto-optimal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PointFault {
    /// It is not Pareto-optimal: no model has these values, or a model has better ones.
    NotOptimal,
    /// It was reported before.
    Repeated,
}

impl fmt::Display for PointFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PointFault::NotOptimal => "not Pareto-optimal",
            PointFault::Repeated => "a repetition",
        })
    }
}

/// Why nothing can be said.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Doubt {
    /// The truth is open, and the answer proves nothing.
    #[error("no truth is known, and the answer carries no proof")]
    NoTruth,
    /// The truth is open, and the tool answered `unknown` for this reason.
    #[error("unknown: {0}")]
    Undecided(String),
    /// The model could not be read or evaluated.
    #[error("the model decides nothing: {0}")]
    Model(String),
    /// The model could not be evaluated in the time that the tool had.
    #[error("the model decides nothing: the limit of time was reached while it was evaluated")]
    Slow,
    /// The core names symbols of the formula that are not assertions.
    #[error("the core names what is not an assertion: {}", .0.join(" "))]
    Core(Vec<String>),
    /// The optima were not given, or not in a form that can be compared.
    #[error("the objectives decide nothing: {0}")]
    Objectives(String),
    /// Somebody else was wrong about the formula.
    #[error("mislabelled: {0}")]
    Refuted(Refutation),
    /// A part of the answer is missing, or cannot be read, which need not be the tool's fault.
    #[error("{0}")]
    Spoiled(Spoiled),
    /// A law does not hold, but the library said itself that its result may be imprecise.
    #[error(
        "{law} does not hold, but the library says that its result may be imprecise: {evidence}"
    )]
    Soft {
        /// The law.
        law: String,
        /// The values that show it.
        evidence: String,
    },
    /// Nothing was tried.
    #[error("nothing was tried: {0}")]
    Void(String),
    /// What a term was rewritten to cannot be compared with it.
    #[error("the result is not compared: {0}")]
    Rewriting(String),
    /// The output cannot be understood. That may be our fault as well as the tool's.
    #[error("the output cannot be understood: {0}")]
    Garbled(String),
}

/// How a tool proved our truth wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Contradiction {
    /// A formula that should have no model has this one.
    #[error("the formula should be unsatisfiable ({why}), but this model satisfies it: {model}")]
    Model {
        /// How we thought to know.
        why: String,
        /// The model, as printed.
        model: String,
    },
    /// What somebody claims of the formula is wrong.
    #[error("{0}")]
    Claim(Refutation),
    /// A model has a better value than the optimum.
    #[error("the optimum of objective {} should be {expected}, but a model has {found}", .objective + 1)]
    Optimum {
        /// Which objective, from zero.
        objective: usize,
        /// What we thought.
        expected: Extremum,
        /// The value under the model.
        found: Extremum,
    },
    /// A model has values that no point of the Pareto front reaches.
    #[error("a model has {0}, which is not worse than any point of the Pareto front")]
    Front(Point),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_written_by_their_names() {
        for (position, &kind) in FindingKind::ALL.iter().enumerate() {
            let name = kind.name();
            assert_eq!(kind as usize, position, "{name}");
            assert_eq!(FindingKind::by_name(name), Some(kind));
            let kebab = name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-');
            assert!(kebab, "{name}");
            assert_eq!(serde_json::to_value(kind).expect("a name"), name, "names agree");
        }
        assert_eq!(FindingKind::by_name("bug"), None);
        assert!(Severity::Soundness > Severity::Crash && Severity::Performance > Severity::Note);
    }
}

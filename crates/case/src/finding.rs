//! Results of comparing an answer with a truth.

use crate::check::Falsified;
use crate::crash::CrashSignature;
use crate::named;
use crate::observation::Size;
use crate::oracle::{Extremum, Grade, Point, Refutation};
use crate::proof::ProofFault;
use crate::reply::Spoiled;
use std::fmt;
use std::time::Duration;

/// The outcome of judging one observation.
#[derive(Clone, PartialEq, Debug)]
pub enum Judgement {
    /// The answer is correct, as far as it can be checked.
    Correct,
    /// The answer cannot be judged, for this reason.
    Inconclusive(Doubt),
    /// The tool did something wrong, or less than it should.
    Finding(Finding),
    /// The tool proved our own truth wrong: a bug in assay, never a finding about the tool.
    OracleContradicted(Contradiction),
}

impl Judgement {
    /// What the judgement means for the tool of this name: if a claim is refuted, the fault is with
    /// its source.
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

/// A finding about a tool.
#[derive(Clone, PartialEq, Debug)]
pub struct Finding {
    /// The kind of finding.
    pub kind: FindingKind,
    /// The grade of its truth.
    pub grade: Grade,
    /// The evidence for it.
    pub evidence: Evidence,
}

impl Finding {
    /// The severity.
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
/// reports, and a verb phrase for what the tool does wrong.
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
            /// The severity of this kind.
            #[must_use]
            pub fn severity(self) -> Severity {
                match self {
                    $(FindingKind::$kind => Severity::$severity,)*
                }
            }

            /// A verb phrase to follow the tool's name: `answers sat on an unsatisfiable formula`.
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
    /// The answer is sat, and there is no model.
    WrongSat, Soundness, "wrong-sat",
        "answers sat on an unsatisfiable formula";
    /// The answer is unsat, and there is a model.
    WrongUnsat, Soundness, "wrong-unsat",
        "answers unsat on a satisfiable formula";
    /// The answer is sat, with a model that falsifies an assertion.
    InvalidModel, Soundness, "invalid-model",
        "gives a model that falsifies an assertion";
    /// The answer is unsat, with a core that is satisfiable.
    InvalidCore, Soundness, "invalid-core",
        "gives an unsat core that is satisfiable";
    /// The core has more assertions than necessary.
    LargerCore, Imprecision, "larger-core",
        "gives an unsat core that is not minimal";
    /// The reported optimum is wrong.
    WrongOptimum, Soundness, "wrong-optimum",
        "reports a wrong optimum";
    /// The tool contradicts another tool, and nothing decides between them.
    Disagreement, Soundness, "disagreement",
        "contradicts another solver";
    /// The answer is right but contradicts the tool's answer to an equivalent formula.
    Inconsistency, Soundness, "inconsistency",
        "contradicts its answer to an equivalent formula";
    /// A crash.
    Crash, Crash, "crash",
        "crashes";
    /// A timeout.
    Timeout, Performance, "timeout",
        "does not terminate in time";
    /// Memory exhaustion.
    OutOfMemory, Performance, "out-of-memory",
        "runs out of memory";
    /// The answer is unknown although the truth is known.
    Unknown, Imprecision, "unknown",
        "answers unknown";
    /// The input is rejected.
    Rejected, Note, "rejected",
        "rejects the input";
    /// An abstract domain breaks a soundness law: points are lost.
    Unsound, Soundness, "unsound",
        "breaks a soundness law: points are lost";
    /// An abstract domain breaks a precision law: it has more points than necessary.
    Imprecise, Imprecision, "imprecise",
        "breaks a precision law: it has more points than necessary";
    /// An abstract domain's widening or narrowing does not converge.
    Divergent, Performance, "divergent",
        "does not converge under widening or narrowing";
    /// Output without end.
    Flood, Crash, "flood",
        "floods its output";
    /// An analyzer claims that a reachable error is unreachable.
    MissedError, Soundness, "missed-error",
        "misses a reachable error";
    /// An analyzer claims that an unreachable error is reachable.
    FalseError, Soundness, "false-error",
        "reports an unreachable error";
    /// An analyzer warns of an unreachable error.
    FalseAlarm, Imprecision, "false-alarm",
        "warns of an unreachable error";
    /// An analyzer reports no error, without claiming proof, although one is reachable.
    OverlookedError, Imprecision, "overlooked-error",
        "does not report a reachable error";
    /// The verdict may be right, but the model, core or objectives cannot be read.
    UnreadableAnswer, Format, "unreadable-answer",
        "prints a model, core, proof, term or objectives that cannot be read";
    /// A step of a proof does not follow from its premises: an assignment shows it.
    FalseStep, Soundness, "false-step",
        "gives a proof with a step that does not follow";
    /// A proof does not end with `false`, or leaves a hypothesis open.
    OpenProof, Soundness, "open-proof",
        "gives a proof that does not derive false";
    /// A proof assumes a formula that was not asserted.
    ForeignAssumption, Soundness, "foreign-assumption",
        "gives a proof that assumes a formula that was not asserted";
    /// A term is rewritten to one with another value.
    WrongRewrite, Soundness, "wrong-rewrite",
        "rewrites a term to one with another value";
    /// An interpolant that the premises do not imply, that does not imply the conjecture, or that
    /// mentions a symbol which they do not share.
    WrongInterpolant, Soundness, "wrong-interpolant",
        "gives an interpolant that is not one";
    /// An abduct that contradicts the premises, or does not imply the goal with them.
    WrongAbduct, Soundness, "wrong-abduct",
        "gives an abduct that is not one";
    /// Quantifiers are eliminated, and the result is not equivalent.
    WrongElimination, Soundness, "wrong-elimination",
        "eliminates quantifiers and changes the formula";
    /// A quantifier is left in a formula from which all should be eliminated.
    KeptQuantifier, Imprecision, "kept-quantifier",
        "leaves a quantifier in the result of quantifier elimination";
    /// A synthesized function breaks a constraint or its grammar.
    WrongFunction, Soundness, "wrong-function",
        "synthesizes a function that breaks its specification";
    /// A synthesis problem with a known solution is called infeasible.
    WrongInfeasible, Soundness, "wrong-infeasible",
        "calls a synthesis problem infeasible that has a solution";
    /// It over-approximates, and misses that there is no model.
    ImpreciseSat, Imprecision, "imprecise-sat",
        "answers sat on an unsatisfiable formula, which its over-approximation allows";
}

named! {
    /// How bad a finding is, the least bad first.
    #[derive(
        Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Severity {
        /// Worth a note; the input may be at fault.
        Note = "note",
        /// Too slow, or too much memory.
        Performance = "performance",
        /// Correct, but less precise than possible.
        Imprecision = "imprecision",
        /// The output violates the standard or the tool's own conventions.
        Format = "format",
        /// The tool crashes.
        Crash = "crash",
        /// The tool gives a wrong answer.
        Soundness = "soundness",
    }
}

/// The evidence for a finding.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum Evidence {
    /// The truth, and how it is known.
    #[error("the truth is {0}")]
    Truth(String),
    /// The assertion that the model falsifies.
    #[error("{}", .0.under_the_model())]
    FalseAssertion(Falsified),
    /// Names in the core that the formula does not have.
    #[error("the core has unknown names: {}", .0.join(" "))]
    ForeignNames(Vec<String>),
    /// The core, with the unnamed assertions, has a model.
    #[error("the assertions of the core have a model")]
    SatisfiableCore,
    /// Names without which the core is satisfiable.
    #[error("the core lacks {}, without which the formula is satisfiable", .0.join(" "))]
    CoreLacks(Vec<String>),
    /// Names that the core does not need.
    #[error("the core does not need {}", .0.join(" "))]
    CoreExceeds(Vec<String>),
    /// A value that is not the optimum.
    #[error("objective {}: reported {reported}, which is {miss}; the optimum is {expected}", .objective + 1)]
    Optimum {
        /// The objective, from zero.
        objective: usize,
        /// The reported value.
        reported: Extremum,
        /// The correct value.
        expected: Extremum,
        /// Whether the value is impossible or suboptimal.
        miss: Miss,
    },
    /// A model that does not attain the reported optimum.
    #[error("objective {}: the model has {found}, not the optimum {expected} that is reported", .objective + 1)]
    ModelMisses {
        /// The objective, from zero.
        objective: usize,
        /// The value under the model.
        found: Extremum,
        /// The correct value.
        expected: Extremum,
    },
    /// A model that is better than the optimum that was reported.
    #[error("objective {}: the model has {found}, which is better than the optimum {reported} that is reported", .objective + 1)]
    ModelBeats {
        /// Which objective, from zero.
        objective: usize,
        /// The value under the model.
        found: Extremum,
        /// What was reported.
        reported: Extremum,
    },
    /// Bounds that exclude the optimum.
    #[error("objective {}: reported between {least} and {most}, which excludes the optimum {expected}", .objective + 1)]
    Bounds {
        /// Which objective, from zero.
        objective: usize,
        /// The lower bound that was reported.
        least: Box<Extremum>,
        /// The upper bound that was reported.
        most: Box<Extremum>,
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
    /// One of several questions that was answered wrongly.
    #[error("check {question} of {of}: the truth is {truth}")]
    Question {
        /// The question, from one.
        question: usize,
        /// The number of questions.
        of: usize,
        /// The right answer.
        truth: &'static str,
    },
    /// The tools on both sides.
    #[error("{}", sides(.sat, .unsat))]
    Disagreement {
        /// Tools that answer sat.
        sat: Vec<String>,
        /// Tools that answer unsat.
        unsat: Vec<String>,
    },
    /// A model that refutes the answer.
    #[error("{0}")]
    Refuted(Refutation),
    /// The crash.
    #[error("{0}")]
    Crash(CrashSignature),
    /// The time that it took.
    #[error("after {:.1} s", .0.as_secs_f64())]
    Elapsed(Duration),
    /// The memory limit.
    #[error("limit {0}")]
    MemoryLimit(Size),
    /// The tool's message.
    #[error("{0}")]
    Message(String),
    /// A law that does not hold.
    #[error("{law} does not hold: {evidence}")]
    Law {
        /// The law.
        law: String,
        /// The values that prove it.
        evidence: String,
    },
    /// The part of the answer that cannot be read.
    #[error("{0}")]
    Unreadable(Spoiled),
    /// What is wrong with a proof.
    #[error("{0}")]
    Proof(ProofFault),
    /// A property that a constructed term lacks, with an assignment that shows it.
    #[error("{broken}{}", under(.assignment))]
    Construction {
        /// The property.
        broken: String,
        /// The values of the symbols; empty if none are needed.
        assignment: String,
    },
    /// An assignment under which a term and its rewriting differ.
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

/// The assignment as a phrase; empty if there are no symbols.
fn under(assignment: &str) -> String {
    if assignment.is_empty() { String::new() } else { format!(" under {assignment}") }
}

/// Both sides of a contradiction, the smaller one first.
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

/// How a value differs from the optimum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Miss {
    /// No model attains it.
    Impossible,
    /// Some model attains a better value.
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

/// Why an answer cannot be judged.
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
    /// Evaluating the model took longer than the time limit allows.
    #[error("the model decides nothing: the time limit was reached while it was evaluated")]
    Slow,
    /// The core names symbols of the formula that are not assertions.
    #[error("the core names symbols that are not assertions: {}", .0.join(" "))]
    Core(Vec<String>),
    /// The optima are missing, or cannot be compared.
    #[error("the objectives decide nothing: {0}")]
    Objectives(String),
    /// A declared truth about the formula is wrong.
    #[error("mislabelled: {0}")]
    Refuted(Refutation),
    /// A part of the answer is missing or unreadable, which need not be the tool's fault.
    #[error("{0}")]
    Spoiled(Spoiled),
    /// A law does not hold, but the library itself says that its result may be imprecise.
    #[error(
        "{law} does not hold, but the library says that its result may be imprecise: {evidence}"
    )]
    Soft {
        /// The law.
        law: String,
        /// The values that prove it.
        evidence: String,
    },
    /// Nothing was tried.
    #[error("nothing was tried: {0}")]
    Void(String),
    /// The result of rewriting a term cannot be compared with it.
    #[error("the result cannot be compared: {0}")]
    Rewriting(String),
    /// It is not known whether a constructed term has a required property.
    #[error("undecided: {0}")]
    Construction(String),
    /// The output cannot be understood, which may be assay's fault or the tool's.
    #[error("the output cannot be understood: {0}")]
    Garbled(String),
}

/// How a tool proved our truth wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Contradiction {
    /// A model of a formula that should be unsatisfiable.
    #[error("the formula should be unsatisfiable ({why}), but this model satisfies it: {model}")]
    Model {
        /// The supposed reason.
        why: String,
        /// The model, as printed.
        model: String,
    },
    /// A proof of a formula that should be satisfiable.
    #[error(
        "the formula should be satisfiable ({why}), but each of the {steps} steps of a proof that \
         it is not was checked"
    )]
    Proof {
        /// The supposed reason.
        why: String,
        /// The number of steps.
        steps: u64,
    },
    /// A declaration about the formula is wrong.
    #[error("{0}")]
    Claim(Refutation),
    /// A model has a better value than the optimum.
    #[error("the optimum of objective {} should be {expected}, but a model has {found}", .objective + 1)]
    Optimum {
        /// The objective, from zero.
        objective: usize,
        /// The supposed optimum.
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

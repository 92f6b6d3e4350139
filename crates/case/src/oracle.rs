//! The truth about a test case, and how it is known.

use crate::answer::Answer;
use crate::check::Checked;
use crate::named;
use crate::observation::Observation;
use crate::proof::ProofReport;
use assay_term::{Int, Model, Value};
use num_rational::BigRational;
use std::fmt;
use std::sync::Arc;

/// The truth about a formula.
#[derive(Clone, Debug)]
pub enum Oracle {
    /// It has a model.
    Sat(Witness),
    /// It has none.
    Unsat {
        /// How that is known.
        why: Why,
        /// The names of the unique minimal core, if known.
        core: Option<ExpectedCore>,
    },
    /// Its assertions have a model, and its objectives have these optima.
    Optimum {
        /// The optima.
        optima: Optima,
        /// How that is known.
        why: Why,
        /// A model, if available.
        witness: Option<Witness>,
    },
    /// Nothing is known: only what an answer proves by itself can be judged.
    Open,
}

impl Oracle {
    /// How certain the truth is; `None` if nothing is known.
    #[must_use]
    pub fn grade(&self) -> Option<Grade> {
        match self {
            Oracle::Sat(witness) => Some(witness.grade()),
            Oracle::Unsat { why, .. } | Oracle::Optimum { why, .. } => Some(why.grade()),
            Oracle::Open => None,
        }
    }
}

/// The truth about a C program: whether its error is reachable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// The error is reachable.
    Reachable(Why),
    /// The error is unreachable.
    Unreachable(Why),
    /// Nothing is known.
    Open,
}

impl Reach {
    /// The truth about a program whose error is reachable if and only if a formula with this truth
    /// has a model.
    #[must_use]
    pub fn of(oracle: &Oracle) -> Reach {
        match oracle {
            Oracle::Sat(Witness::Checked(_)) => Reach::Reachable(Why::Evaluated),
            Oracle::Sat(Witness::Declared(claim)) => Reach::Reachable(Why::Declared(claim.clone())),
            Oracle::Optimum { why, .. } => Reach::Reachable(why.clone()),
            Oracle::Unsat { why, .. } => Reach::Unreachable(why.clone()),
            Oracle::Open => Reach::Open,
        }
    }

    /// How the truth is known; `None` if nothing is.
    #[must_use]
    pub fn why(&self) -> Option<&Why> {
        match self {
            Reach::Reachable(why) | Reach::Unreachable(why) => Some(why),
            Reach::Open => None,
        }
    }

    /// How certain the truth is; `None` if nothing is known.
    #[must_use]
    pub fn grade(&self) -> Option<Grade> {
        self.why().map(Why::grade)
    }
}

/// Why a formula is known to be satisfiable.
#[derive(Clone, Debug)]
pub enum Witness {
    /// This model satisfies it, by evaluation.
    Checked(Checked<Model>),
    /// Declared by a file or tool.
    Declared(Claim),
}

impl Witness {
    /// The grade of its truth.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self {
            Witness::Checked(_) => Grade::Certified,
            Witness::Declared(_) => Grade::Declared,
        }
    }

    /// The claim that the witness makes, if it makes one.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Witness::Checked(_) => None,
            Witness::Declared(claim) => Some(claim),
        }
    }
}

impl fmt::Display for Witness {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Witness::Checked(_) => write!(f, "a model that was checked by evaluation"),
            Witness::Declared(claim) => write!(f, "declared by {claim}"),
        }
    }
}

/// How a truth is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// Built by these certified rules.
    Certified(Vec<String>),
    /// A model was checked by evaluation.
    Evaluated,
    /// By evaluating all assignments within the bounds of the constants: this many.
    Exhausted(u64),
    /// By a derivation of false from Horn clauses, each of whose steps was evaluated: this many.
    Derived(u64),
    /// By a tool's proof, each of whose steps was checked exactly.
    Proved(Proved),
    /// Declared by a file or tool.
    Declared(Claim),
}

/// A tool's proof of unsatisfiability, each of whose steps was checked exactly. What the tool itself
/// says about a step does not count.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Proved {
    /// The tool, by its full name.
    who: String,
    /// The number of steps.
    steps: u64,
    /// The proof as printed.
    text: Arc<str>,
    /// What was proved unsatisfiable, if it is not the formula itself: `the seed`.
    of: Option<&'static str>,
}

impl Proved {
    /// The proof in a tool's answer; `None` if a step was not checked.
    #[must_use]
    pub fn of(who: &str, seen: &Observation) -> Option<Proved> {
        let proof = seen.proof.as_deref().filter(|_| seen.answer == Answer::Unsat)?;
        Proved::new(who, proof, seen.examined.as_deref()?)
    }

    /// A proof that was examined; `None` if a step was not checked.
    #[must_use]
    pub fn new(who: &str, proof: &str, report: &ProofReport) -> Option<Proved> {
        let steps = report.total().steps();
        let (who, text) = (who.to_owned(), proof.into());
        report.is_complete.then_some(Proved { who, steps, text, of: None })
    }

    /// The same proof, seen from a formula that is unsatisfiable because another one is.
    #[must_use]
    pub fn about(self, of: &'static str) -> Proved {
        Proved { of: Some(of), ..self }
    }

    /// Both proofs as one, for a formula that is unsatisfiable because two others are.
    #[must_use]
    pub fn and(&self, other: &Proved) -> Proved {
        let who = format!("{} and {}", self.who, other.who);
        let text = format!("{}\n{}", self.text, other.text).into();
        Proved { who, steps: self.steps + other.steps, text, of: self.of.or(other.of) }
    }

    /// The proof as printed, if it is about the formula itself.
    #[must_use]
    pub fn text(&self) -> Option<&str> {
        self.of.is_none().then_some(&*self.text)
    }

    /// The number of its steps.
    #[must_use]
    pub fn steps(&self) -> u64 {
        self.steps
    }
}

impl fmt::Display for Proved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Proved { who, steps, of, .. } = self;
        let of = of.map_or(String::new(), |of| format!(" about {of}"));
        match steps {
            1 => write!(f, "the proof of {who}{of}, whose only step was checked"),
            _ => write!(f, "the proof of {who}{of}, whose {steps} steps were all checked"),
        }
    }
}

impl Why {
    /// The grade of its truth.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self {
            Why::Certified(_)
            | Why::Evaluated
            | Why::Exhausted(_)
            | Why::Derived(_)
            | Why::Proved(_) => Grade::Certified,
            Why::Declared(_) => Grade::Declared,
        }
    }

    /// The claim that it rests on; `None` if it rests on none.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Why::Declared(claim) => Some(claim),
            Why::Certified(_)
            | Why::Evaluated
            | Why::Exhausted(_)
            | Why::Derived(_)
            | Why::Proved(_) => None,
        }
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Why::Certified(rules) if rules.is_empty() => write!(f, "certified by construction"),
            Why::Certified(rules) => write!(f, "certified by {}", rules.join(", ")),
            Why::Evaluated => write!(f, "a model that was checked by evaluation"),
            Why::Exhausted(0) => write!(f, "certified by bounds that contradict each other"),
            Why::Exhausted(1) => write!(f, "certified by evaluating the only assignment"),
            Why::Exhausted(count) => write!(f, "certified by trying all {count} assignments"),
            Why::Derived(1) => write!(f, "certified by the instance of a clause that is false"),
            Why::Derived(count) => write!(f, "certified by deriving false in {count} steps"),
            Why::Proved(proved) => write!(f, "certified by {proved}"),
            Why::Declared(claim) => write!(f, "declared by {claim}"),
        }
    }
}

/// A claim by tools or files, possibly about something that the truth was derived from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// The sources: tools by their full names, and others.
    pub who: Vec<String>,
    /// The subject of the claim if it is not the formula itself: `the seed`.
    pub of: Option<&'static str>,
}

impl Claim {
    /// Both claims as one: if a consequence of both is wrong, at least one source is.
    #[must_use]
    pub fn and(&self, other: &Claim) -> Claim {
        let mut who = self.who.clone();
        who.extend(other.who.iter().filter(|name| !self.who.contains(name)).cloned());
        Claim { who, of: self.of.or(other.of) }
    }
}

impl From<String> for Claim {
    fn from(who: String) -> Claim {
        Claim { who: vec![who], of: None }
    }
}

impl From<&str> for Claim {
    fn from(who: &str) -> Claim {
        who.to_owned().into()
    }
}

impl fmt::Display for Claim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.who.join(" and "))?;
        self.of.map_or(Ok(()), |of| write!(f, " of {of}"))
    }
}

/// A claim that was proved wrong.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{proof}, declared by {claim}, is wrong")]
pub struct Refutation {
    /// The wrong claim.
    pub claim: Claim,
    /// The proof that it is wrong.
    pub proof: Proof,
}

/// The evidence that refutes a claim.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// A model of a formula that was called unsatisfiable.
    Model,
    /// All assignments of a formula that was called satisfiable: this many.
    Exhaustion(u64),
    /// A derivation of false, of this many steps, from a formula that was called satisfiable.
    Derivation(u64),
    /// A proof of this many steps, all of them checked, of a formula that was called satisfiable.
    Steps(u64),
    /// All tools that decide, at least two different ones, give the opposite verdict. That is no
    /// proof, but better evidence than one declaration.
    Agreement {
        /// The tools, by their full names.
        who: Vec<String>,
        /// Their verdict.
        verdict: &'static str,
        /// The declared verdict.
        declared: &'static str,
    },
}

impl fmt::Display for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Proof::Model => write!(f, "a model satisfies the formula, so unsat"),
            Proof::Exhaustion(0) => {
                write!(f, "the bounds of a constant contradict each other, so sat")
            }
            Proof::Derivation(count) => write!(f, "false is derived in {count} steps, so sat"),
            Proof::Steps(count) => {
                write!(f, "a proof whose {count} steps were all checked derives false, so sat")
            }
            Proof::Agreement { who, verdict, declared } => write!(
                f,
                "{} agree on {verdict} and no tool answers {declared}, so {declared}",
                who.join(" and ")
            ),
            Proof::Exhaustion(count) => {
                write!(f, "none of the {count} assignments satisfies the formula, so sat")
            }
        }
    }
}

named! {
    /// How certain a statement is; the greater, the more certain.
    #[derive(
        Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Grade {
        /// Based on the word of a file or of another solver.
        Declared = "declared",
        /// Based only on evaluation or on certified rules.
        Certified = "certified",
    }
}

/// The unique minimal core: together with the unnamed assertions these names are unsatisfiable, and
/// every unsatisfiable set of names contains all of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ExpectedCore {
    /// The names, without bars.
    pub names: Vec<String>,
}

/// The optima of all objectives, in the order of [`crate::Formula::objectives`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Optima {
    /// One for each objective: its best value, on its own if the formula's priority is
    /// [`crate::Priority::Box`], otherwise among the models that are optimal for those before it.
    Each(Vec<Extremum>),
    /// All Pareto-optimal points, each once: every model is at least as bad as one of them in all
    /// objectives.
    Front(Vec<Point>),
}

/// The values of all objectives under one model, in order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Point(pub Vec<Extremum>);

impl fmt::Display for Point {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        write!(f, "({})", values.join(" "))
    }
}

impl fmt::Display for Optima {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, values): (&str, Vec<String>) = match self {
            Optima::Each(optima) => ("optima", optima.iter().map(ToString::to_string).collect()),
            Optima::Front(points) => {
                ("Pareto front", points.iter().map(ToString::to_string).collect())
            }
        };
        write!(f, "{what} {}", values.join(" "))
    }
}

/// The best value of an objective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Extremum {
    /// This value: an integer, a rational number or an unsigned bit-vector.
    Value(Value),
    /// It comes arbitrarily close to this number from above and does not reach it.
    JustAbove(Arc<BigRational>),
    /// It comes arbitrarily close to this number from below and does not reach it.
    JustBelow(Arc<BigRational>),
    /// Unbounded above.
    PlusInfinity,
    /// Unbounded below.
    MinusInfinity,
}

impl From<i64> for Extremum {
    fn from(n: i64) -> Extremum {
        Extremum::Value(Value::Int(Int::from(n)))
    }
}

impl fmt::Display for Extremum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extremum::Value(value) => match crate::number::number(value) {
                Some(number) => write!(f, "{number}"),
                None => write!(f, "{value:?}"),
            },
            Extremum::JustAbove(limit) => write!(f, "(+ {limit} epsilon)"),
            Extremum::JustBelow(limit) => write!(f, "(- {limit} epsilon)"),
            Extremum::PlusInfinity => write!(f, "oo"),
            Extremum::MinusInfinity => write!(f, "(- oo)"),
        }
    }
}

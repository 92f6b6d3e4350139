//! Truth about a test case, and how we know it.

use crate::check::Checked;
use crate::named;
use assay_term::{Int, Model, Value};
use num_rational::BigRational;
use std::fmt;

/// The truth about a formula.
#[derive(Clone, Debug)]
pub enum Oracle {
    /// It has a model.
    Sat(Witness),
    /// It has none.
    Unsat {
        /// How we know.
        why: Why,
        /// The names of the only minimal core, where that is known too.
        core: Option<ExpectedCore>,
    },
    /// Its assertions have a model, and its objectives these optima.
    Optimum {
        /// The optima.
        optima: Optima,
        /// How we know.
        why: Why,
        /// A model, if there is one at hand.
        witness: Option<Witness>,
    },
    /// Nothing is known: only what an answer proves by itself can be judged.
    Open,
}

impl Oracle {
    /// How sure the truth is; none where nothing is known.
    #[must_use]
    pub fn grade(&self) -> Option<Grade> {
        match self {
            Oracle::Sat(witness) => Some(witness.grade()),
            Oracle::Unsat { why, .. } | Oracle::Optimum { why, .. } => Some(why.grade()),
            Oracle::Open => None,
        }
    }
}

/// The truth about a C program: whether its error can be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Reach {
    /// It can.
    Reachable(Why),
    /// It cannot.
    Unreachable(Why),
    /// Nothing is known.
    Open,
}

impl Reach {
    /// The truth about a program whose error is reached exactly where a formula with this truth has a
    /// model.
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

    /// How it is known; none where nothing is.
    #[must_use]
    pub fn why(&self) -> Option<&Why> {
        match self {
            Reach::Reachable(why) | Reach::Unreachable(why) => Some(why),
            Reach::Open => None,
        }
    }

    /// How sure it is; none where nothing is known.
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
    /// Somebody says so.
    Declared(Claim),
}

impl Witness {
    /// How sure it is.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self {
            Witness::Checked(_) => Grade::Certified,
            Witness::Declared(_) => Grade::Declared,
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

/// Why something is known to be true of a formula.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Why {
    /// It was built by these rules, each of which is certified.
    Certified(Vec<String>),
    /// A model was checked by evaluation.
    Evaluated,
    /// Every assignment within the bounds of the constants was tried: this many, by evaluation.
    Exhausted(u64),
    /// Somebody says so.
    Declared(Claim),
}

impl Why {
    /// How sure it is.
    #[must_use]
    pub fn grade(&self) -> Grade {
        match self {
            Why::Certified(_) | Why::Evaluated | Why::Exhausted(_) => Grade::Certified,
            Why::Declared(_) => Grade::Declared,
        }
    }

    /// Whose word it is; `None` of what rests on nobody's word.
    #[must_use]
    pub fn claim(&self) -> Option<&Claim> {
        match self {
            Why::Declared(claim) => Some(claim),
            Why::Certified(_) | Why::Evaluated | Why::Exhausted(_) => None,
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
            Why::Declared(claim) => write!(f, "declared by {claim}"),
        }
    }
}

/// What somebody says, and perhaps of what else it follows from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Claim {
    /// Who: tools by their full names, and others.
    pub who: Vec<String>,
    /// What they said it of, where it was not the formula itself: `the seed`.
    pub of: Option<&'static str>,
}

impl Claim {
    /// Both claims as one: if what follows from both is wrong, somebody of these is.
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
    /// Who claimed what is wrong.
    pub claim: Claim,
    /// What proves it.
    pub proof: Proof,
}

/// What proves a claim wrong.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Proof {
    /// A model, of what was called unsatisfiable.
    Model,
    /// This many assignments, all there are, of what was called satisfiable.
    Exhaustion(u64),
    /// Different tools, all of those that decide, give the opposite verdict. That is no proof, but
    /// better evidence than one declaration.
    Agreement {
        /// The tools, by their full names.
        who: Vec<String>,
        /// What they say.
        verdict: &'static str,
        /// What was declared.
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
        /// It rests on the word of a file or of another solver.
        Declared = "declared",
        /// It rests on evaluation or on certified rules alone.
        Certified = "certified",
    }
}

/// The unique minimal core: with the unnamed assertions these names are unsatisfiable, and every
/// unsatisfiable set of names contains them all.
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
    /// This value: an integer, a rational number or a bit-vector without sign.
    Value(Value),
    /// It comes arbitrarily close to this number from above and does not reach it.
    JustAbove(BigRational),
    /// It comes arbitrarily close to this number from below and does not reach it.
    JustBelow(BigRational),
    /// It grows without bound.
    PlusInfinity,
    /// It falls without bound.
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

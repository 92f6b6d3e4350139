//! A tool's answer to one question, and the right answer, as types rather than integers or strings.

use crate::crash::CrashSignature;
use crate::named;
use std::borrow::Cow;
use std::fmt;

/// A law that a library of abstract domains breaks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// The law's name.
    pub law: String,
    /// The kind of violation.
    pub breach: Breach,
    /// Whether the library claims that its result is exact; otherwise it may be imprecise.
    pub claim: Exactness,
    /// The values that prove it, in words.
    pub evidence: String,
}

/// The kinds of violations.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Breach {
    /// Points are lost.
    Unsound,
    /// There are more points than necessary.
    Imprecise,
    /// Widening or narrowing does not converge.
    Divergent,
}

/// A library's claim about its own result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exactness {
    /// It is exact.
    Exact,
    /// It may be imprecise.
    MayBeImprecise,
}

/// A solver's rewriting of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rewritten {
    /// The printed result, with the standard's escapes in strings.
    pub text: String,
    /// The largest character that the solver's strings support.
    pub last_character: u32,
}

/// Defines [`Answer`] with one row for each answer, its stable name last.
macro_rules! answers {
    ($($(#[$about:meta])* $answer:ident $(($said:ty))?, $name:literal;)*) => {
        /// A tool's answer: a solver's to one `check-sat`, an analyzer's about an error, a
        /// library's about its laws.
        #[derive(Clone, PartialEq, Eq, Hash, Debug)]
        pub enum Answer {
            $($(#[$about])* $answer $(($said))?,)*
        }

        impl Answer {
            /// Its stable name.
            #[must_use]
            pub fn name(&self) -> &'static str {
                match self {
                    $(Answer::$answer { .. } => $name,)*
                }
            }
        }
    };
}

answers! {
    /// Satisfiable.
    Sat, "sat";
    /// It found no contradiction, says a solver that over-approximates: its sat need not be right.
    MaybeSat, "maybe-sat";
    /// Unsatisfiable.
    Unsat, "unsat";
    /// The error is reachable, from a tool that reports only real errors.
    Reachable, "reachable";
    /// The error may be reachable, from a tool that may report false alarms.
    Alarm, "alarm";
    /// The error is unreachable, from a tool that claims to miss none.
    Unreachable, "unreachable";
    /// No error is reported, by a tool that may miss errors.
    Silent, "silent";
    /// Every law that was tried holds.
    Holds, "holds";
    /// A law does not hold.
    Violated(Violation), "violated";
    /// It rewrote a term.
    Rewritten(Rewritten), "rewritten";
    /// It constructed a term, or functions, printed like this.
    Constructed(String), "constructed";
    /// It claims that no functions satisfy the constraints.
    Infeasible, "infeasible";
    /// Unknown, perhaps with a reason.
    Unknown(Option<String>), "unknown";
    /// A timeout, by the tool's own limit or ours.
    Timeout, "timeout";
    /// Memory exhaustion, by the tool's own limit or ours.
    OutOfMemory, "out-of-memory";
    /// Output without end.
    Flood(String), "flood";
    /// A crash.
    Crash(CrashSignature), "crash";
    /// The input was rejected with this message; later output is ignored.
    Rejected(String), "rejected";
    /// The tool exited normally, but its output cannot be interpreted; this is its beginning.
    Garbled(String), "garbled";
}

impl Answer {
    /// What the tool said in addition to the name of the answer.
    #[must_use]
    pub fn words(&self) -> Option<Cow<'_, str>> {
        match self {
            Answer::Unknown(Some(words))
            | Answer::Flood(words)
            | Answer::Rejected(words)
            | Answer::Garbled(words) => Some(words.into()),
            Answer::Violated(violation) => Some(violation.law.as_str().into()),
            Answer::Crash(signature) => Some(signature.to_string().into()),
            _ => None,
        }
    }
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self.words() {
            Some(words) => write!(f, ": {words}"),
            None => Ok(()),
        }
    }
}

named! {
    /// The right answer to a case, or to all cases of a category, in the order of tables.
    #[derive(
        Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, serde::Serialize, serde::Deserialize,
    )]
    #[serde(rename_all = "kebab-case")]
    pub enum Expected {
        /// The formula is satisfiable.
        Sat = "sat",
        /// The formula is unsatisfiable.
        Unsat = "unsat",
        /// The objectives have a known optimum.
        Optimum = "optimum",
        /// The error of the program is reachable.
        Reachable = "reachable",
        /// The error of the program is unreachable.
        Unreachable = "unreachable",
        /// The laws that the trace asserts hold.
        Law = "law",
        /// The result of rewriting a term has the term's value.
        Equal = "equal",
        /// A term with the required properties.
        Constructed = "constructed",
        /// The answer differs from case to case, or is unknown.
        Open = "open",
    }
}

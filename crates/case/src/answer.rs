//! What a tool said to one question, and what it should have said, as types: never an integer, never a
//! string.

use crate::crash::CrashSignature;
use crate::named;
use std::fmt;

/// A law that a library of abstract domains breaks.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Violation {
    /// The law's name.
    pub law: String,
    /// What breaking it comes to.
    pub breach: Breach,
    /// Whether the library claims its answer to be exact; where it does not, it may be imprecise.
    pub claim: Exactness,
    /// The values that show it, in words.
    pub evidence: String,
}

/// What breaking a law comes to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Breach {
    /// Points are lost.
    Unsound,
    /// There are more points than necessary.
    Imprecise,
    /// Widening or narrowing does not converge.
    Divergent,
}

/// What a library says of its own result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exactness {
    /// It is exact.
    Exact,
    /// It may be imprecise.
    MayBeImprecise,
}

/// What a solver made of a term.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Rewritten {
    /// What it printed, with the standard's escapes in strings.
    pub text: String,
    /// The last character that its strings have.
    pub last_character: u32,
}

/// Defines [`Answer`] with one row for each answer, its stable name last.
macro_rules! answers {
    ($($(#[$about:meta])* $answer:ident $(($said:ty))?, $name:literal;)*) => {
        /// What a tool says: a solver to one `check-sat`, an analyzer of an error, a library of its
        /// laws.
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
    /// The error can be reached, says a tool that claims to report nothing else.
    Reachable, "reachable";
    /// The error may be reachable, says a tool that does not claim to be precise.
    Alarm, "alarm";
    /// The error cannot be reached, says a tool that claims to miss nothing.
    Unreachable, "unreachable";
    /// It reports no error, and does not claim to report all.
    Silent, "silent";
    /// Every law that was tried holds.
    Holds, "holds";
    /// A law does not hold.
    Violated(Violation), "violated";
    /// It rewrote a term.
    Rewritten(Rewritten), "rewritten";
    /// It does not know, perhaps with a reason.
    Unknown(Option<String>), "unknown";
    /// It took too long, by its own limit or ours.
    Timeout, "timeout";
    /// It needed too much memory, by its own limit or ours.
    OutOfMemory, "out-of-memory";
    /// It writes without end.
    Flood(String), "flood";
    /// It died.
    Crash(CrashSignature), "crash";
    /// It refused the input, with this message. Whatever it printed afterwards is no answer.
    Rejected(String), "rejected";
    /// It ended without saying anything that can be understood; the beginning of what it said.
    Garbled(String), "garbled";
}

impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        match self {
            Answer::Unknown(Some(words))
            | Answer::Flood(words)
            | Answer::Rejected(words)
            | Answer::Garbled(words) => {
                write!(f, ": {words}")
            }
            Answer::Violated(violation) => write!(f, ": {}", violation.law),
            Answer::Crash(signature) => write!(f, ": {signature}"),
            _ => Ok(()),
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
        /// It differs from case to case, or is unknown.
        Open = "open",
    }
}

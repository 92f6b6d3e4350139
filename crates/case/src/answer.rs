//! What a tool said to one question, as a type: never an integer, never a string.

use crate::crash::CrashSignature;
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

/// What a tool says: a solver to one `check-sat`, an analyzer of an error, a library of its laws.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// Satisfiable.
    Sat,
    /// Unsatisfiable.
    Unsat,
    /// The error can be reached, says a tool that claims to report nothing else.
    Reachable,
    /// The error may be reachable, says a tool that does not claim to be precise.
    Alarm,
    /// The error cannot be reached, says a tool that claims to miss nothing.
    Unreachable,
    /// It reports no error, and does not claim to report all.
    Silent,
    /// Every law that was tried holds.
    Holds,
    /// A law does not hold.
    Violated(Violation),
    /// It rewrote a term.
    Rewritten(Rewritten),
    /// It does not know, perhaps with a reason.
    Unknown(Option<String>),
    /// It took too long, by its own limit or ours.
    Timeout,
    /// It needed too much memory, by its own limit or ours.
    OutOfMemory,
    /// It writes without end.
    Flood(String),
    /// It died.
    Crash(CrashSignature),
    /// It refused the input, with this message. Whatever it printed afterwards is no answer.
    Rejected(String),
    /// It ended without saying anything that can be understood; the beginning of what it said.
    Garbled(String),
}

impl Answer {
    /// Its stable name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Answer::Sat => "sat",
            Answer::Unsat => "unsat",
            Answer::Reachable => "reachable",
            Answer::Alarm => "alarm",
            Answer::Unreachable => "unreachable",
            Answer::Silent => "silent",
            Answer::Holds => "holds",
            Answer::Violated(_) => "violated",
            Answer::Rewritten(_) => "rewritten",
            Answer::Unknown(_) => "unknown",
            Answer::Timeout => "timeout",
            Answer::OutOfMemory => "out-of-memory",
            Answer::Flood(_) => "flood",
            Answer::Crash(_) => "crash",
            Answer::Rejected(_) => "rejected",
            Answer::Garbled(_) => "garbled",
        }
    }
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

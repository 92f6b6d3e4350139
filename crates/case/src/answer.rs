//! What a tool said to one question, as a type: never an integer, never a string.

use crate::crash::CrashSignature;
use std::fmt;

/// The answer of a solver to one `check-sat`, or of an analyzer to whether an error can be reached.
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
    /// It does not know, perhaps with a reason.
    Unknown(Option<String>),
    /// It took too long, by its own limit or ours.
    Timeout,
    /// It needed too much memory, by its own limit or ours.
    OutOfMemory,
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
            Answer::Unknown(_) => "unknown",
            Answer::Timeout => "timeout",
            Answer::OutOfMemory => "out-of-memory",
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
            Answer::Unknown(Some(words)) | Answer::Rejected(words) | Answer::Garbled(words) => {
                write!(f, ": {words}")
            }
            Answer::Crash(signature) => write!(f, ": {signature}"),
            _ => Ok(()),
        }
    }
}

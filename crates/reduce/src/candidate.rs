//! What is tested, who tests it, and what the test says.

use std::sync::Arc;

/// A script that may be smaller, with what is still known about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Its text.
    pub text: String,
    /// A model that may satisfy it, as text; the one of the script that it was made from, or that
    /// one changed in the same way.
    pub witness: Option<Arc<str>>,
    /// Whether every assertion of the core that was given is still there, unchanged.
    pub keeps_core: bool,
}

/// What a test says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    /// The candidate still shows what it should.
    Shown(Learnt),
    /// It does not, for this reason.
    Not(String),
}

/// What a test found out beside its verdict.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learnt {
    /// Another model that satisfies the candidate, as text.
    pub witness: Option<String>,
}

/// Tells whether a candidate still shows what it should. One is in the hands of each worker.
pub trait Tester: Send {
    /// Tests a candidate. It reads as a script and is well sorted.
    fn test(&mut self, candidate: &Candidate) -> Verdict;
}

impl<F: FnMut(&Candidate) -> Verdict + Send> Tester for F {
    fn test(&mut self, candidate: &Candidate) -> Verdict {
        self(candidate)
    }
}

impl Verdict {
    /// Whether the candidate shows what it should.
    #[must_use]
    pub fn is_shown(&self) -> bool {
        matches!(self, Verdict::Shown(_))
    }
}

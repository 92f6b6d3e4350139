//! What is tested, and what a test may find out.

use crate::size::Size;
use std::hash::Hasher;
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

impl assay_search::Candidate for Candidate {
    type Size = Size;

    fn size(&self) -> Size {
        Size::of(&self.text)
    }

    fn key(&self, state: &mut dyn Hasher) {
        state.write(self.text.as_bytes());
        state.write_u8(u8::from(self.keeps_core));
        state.write(self.witness.as_deref().unwrap_or_default().as_bytes());
    }
}

/// What a test found out beside its answer.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learnt {
    /// Another model that satisfies the candidate, as text.
    pub witness: Option<String>,
}

/// Tells whether a script still shows what it should. It reads as a script and is well sorted.
pub type ScriptTester<'a> = Box<dyn assay_search::Tester<Candidate, Learnt> + 'a>;

/// What a test of a script says.
pub type Tested = assay_search::Tested<Learnt>;

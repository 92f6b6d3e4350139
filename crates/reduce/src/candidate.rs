//! Candidates, and what testing them may reveal.

use crate::size::Size;
use std::hash::Hasher;
use std::sync::Arc;

/// A candidate script, with the knowledge about it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Candidate {
    /// Its text.
    pub text: String,
    /// A model that may satisfy it, as text: the model of the script that it was made from,
    /// possibly changed in the same way.
    pub witness: Option<Arc<str>>,
    /// Whether it still has every assertion of the given core, unchanged.
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

/// What a test learned in addition to its result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Learnt {
    /// Another model that satisfies the candidate, as text.
    pub witness: Option<String>,
}

/// Tests whether a script still shows what it should. The script is readable and well sorted.
pub type ScriptTester<'a> = Box<dyn assay_search::Tester<Candidate, Learnt> + 'a>;

/// The result of testing a script.
pub type Tested = assay_search::Tested<Learnt>;

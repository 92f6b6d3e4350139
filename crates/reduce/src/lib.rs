//! The smallest script that still shows the same thing.
//!
//! A script is reduced over its terms, never over its text: what is tested is well sorted. Whether
//! a candidate still shows what it should is for a [`ScriptTester`] to say; this crate starts no process.
//! [`FindingTester`] is the tester for what a campaign found: it takes a candidate only if the kind of
//! the finding persists and the truth is still known.
//!
//! ```
//! use assay_reduce::{Candidate, ScriptTester, Original, Tested, reduce};
//!
//! let text = "(declare-const x Int)(declare-const y Int)
//!     (assert (> (+ x 0) 1))(assert (or (< y 2) (= (* x y) 100)))(check-sat)";
//! let product = |candidate: &Candidate| -> Tested {
//!     Tested::when(candidate.text.contains('*'), "there is no product")
//! };
//! let testers: Vec<ScriptTester<'_>> = vec![Box::new(product)];
//! let reduced = reduce(&Original::new(text), testers, &|| false, &mut |_| {})?;
//! assert_eq!(reduced.text, "(assert (= (* 0 0) 0))\n(check-sat)\n");
//! # Ok::<(), assay_reduce::ReduceError>(())
//! ```

mod candidate;
mod finding;
mod passes;
mod search;
mod size;
mod state;
mod substitute;
mod trace;

pub use assay_search::{Counts, Progress, Refusal, Tester};
pub use candidate::{Candidate, Learnt, ScriptTester, Tested};
pub use finding::{Asked, FindingTester, Known, Party, Truth, Wanted};
pub use size::Size;
pub use trace::{Shortened, undo};

use assay_search::Workers;
use assay_smtlib::{Dialect, STANDARD, Script};
use assay_term::{Store, TermId};
use search::Search;
use state::State;
use std::sync::Arc;

/// What is to be reduced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Original {
    /// A script.
    pub text: String,
    /// A model that satisfies it, as text.
    pub witness: Option<String>,
    /// Assertions in force that are unsatisfiable by themselves, by position.
    pub core: Option<Vec<usize>>,
    /// The words that it may be written in; the first in which it shows what it should are kept.
    pub dialects: Vec<Dialect>,
    /// Whether it must end with a question.
    pub asks: bool,
}

impl Original {
    /// A script about which nothing is known.
    #[must_use]
    pub fn new(text: impl Into<String>) -> Original {
        let (text, dialects) = (text.into(), vec![STANDARD]);
        Original { text, witness: None, core: None, dialects, asks: true }
    }
}

/// What became of a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduced {
    /// Its text.
    pub text: String,
    /// A model that may satisfy it, as text.
    pub witness: Option<String>,
    /// Whether all assertions of the core are in it, unchanged.
    pub keeps_core: bool,
    /// How large it was.
    pub before: Size,
    /// How large it is.
    pub after: Size,
    /// What was done.
    pub counts: Counts,
    /// Whether it was stopped before nothing smaller was left to try.
    pub stopped: bool,
}

/// Why a script is not reduced.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReduceError {
    /// It cannot be read.
    #[error("{0}")]
    Unread(String),
    /// It is not what it should be.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Reduces a script with as many workers as there are testers. What comes out does not depend on
/// how many there are, unless it is stopped.
///
/// # Errors
/// Where the script is not what it should be.
pub fn reduce<'a>(
    original: &Original,
    testers: Vec<ScriptTester<'a>>,
    stop: &'a dyn Fn() -> bool,
    progress: &'a mut dyn FnMut(Progress<Size>),
) -> Result<Reduced, ReduceError> {
    let mut store = Store::new();
    let witness = original.witness.as_deref().map(Arc::from);
    let mut state = State::read(&mut store, &original.text, witness)
        .map_err(|error| ReduceError::Unread(error.to_string()))?;
    state.asks = original.asks;
    state.core = original.core.as_ref().and_then(|core| chosen(&state, core));
    let before = Size::of(&original.text);
    let starts: Vec<State> = original
        .dialects
        .iter()
        .map(|&dialect| search::in_words(&store, &state, dialect, before))
        .collect();
    let empty = Candidate { text: state::empty().to_owned(), witness: None, keeps_core: false };
    let panel = Workers { testers, stop, progress };
    let mut search = Search::begin(store, starts, Some(&empty), panel)?;
    run(&mut search);
    let stopped = search.is_over();
    let (state, counts, after) = (&search.state, search.counts, search.size);
    if after >= before {
        let Original { text, witness, core, .. } = original.clone();
        let keeps_core = core.is_some();
        return Ok(Reduced { text, witness, keeps_core, before, after: before, counts, stopped });
    }
    Ok(Reduced {
        witness: state.restricted_witness(&mut search.home),
        keeps_core: state.core.is_some(),
        text: search.candidate.text,
        before,
        after,
        counts,
        stopped,
    })
}

/// The assertions at these positions among those in force.
fn chosen(state: &State, core: &[usize]) -> Option<Arc<[TermId]>> {
    let mut script = Script::default();
    state.commands.iter().for_each(|command| script.push(command.clone(), 0));
    let active = script.active_assertions();
    core.iter().map(|&at| active.get(at).map(|(term, _)| *term)).collect()
}

/// All passes, the coarse ones first, until nothing is smaller.
fn run(search: &mut Search<'_>) {
    passes::unused(search);
    passes::tidy(search);
    passes::assertions(search);
    passes::conjuncts(search);
    passes::assertions(search);
    passes::inline(search);
    passes::shorten(search);
    passes::coarse(search);
    loop {
        let before = search.counts.taken;
        search::refresh(search);
        passes::assertions(search);
        // What texts share goes at once, before each is looked at by itself.
        passes::characters(search);
        passes::fine(search);
        passes::solve(search);
        passes::arities(search);
        passes::datatypes(search);
        passes::widths(search);
        passes::inline(search);
        if search.counts.taken == before {
            passes::bare(search);
        }
        if search.counts.taken == before || search.is_over() {
            passes::question(search);
            return;
        }
    }
}

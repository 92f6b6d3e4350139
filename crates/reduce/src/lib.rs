//! Finds the smallest script that still shows the same behavior.
//!
//! Reduction works on terms, never on text, so candidates are well sorted. A [`ScriptTester`]
//! decides whether a candidate still shows what it should; this crate starts no process.
//! [`FindingTester`] is the tester for a campaign's findings: it accepts a candidate only if the
//! kind of the finding persists and the truth is still known.
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

/// The input of a reduction.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Original {
    /// A script.
    pub text: String,
    /// A model that satisfies it, as text.
    pub witness: Option<String>,
    /// The positions of assertions in force that are unsatisfiable on their own.
    pub core: Option<Vec<usize>>,
    /// Possible dialects; the first one in which the script shows what it should is used.
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

/// The result of reducing a script.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Reduced {
    /// Its text.
    pub text: String,
    /// A model that may satisfy it, as text.
    pub witness: Option<String>,
    /// Whether it has all assertions of the core, unchanged.
    pub keeps_core: bool,
    /// Its original size.
    pub before: Size,
    /// Its reduced size.
    pub after: Size,
    /// What the search did.
    pub counts: Counts,
    /// Whether the reduction stopped before it had tried everything.
    pub stopped: bool,
}

/// Why a script cannot be reduced.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ReduceError {
    /// It cannot be read.
    #[error("{0}")]
    Unread(String),
    /// It does not show what it should.
    #[error(transparent)]
    Refused(#[from] Refusal),
}

/// Reduces a script with one worker per tester. The result does not depend on the number of
/// testers, unless the reduction is stopped.
///
/// # Errors
/// Fails if the script does not show what it should.
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

/// Runs all passes, the coarse ones first, until nothing gets smaller.
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
        // Characters shared by several texts are changed in all of them before each text is reduced
        // alone.
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

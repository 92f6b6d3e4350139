//! Scripts as the search sees them.

use crate::candidate::{Candidate, Learnt};
use crate::size::Size;
use crate::state::{State, Witness};
use assay_search::{Reducible, Workers};
use assay_smtlib::{Command, Dialect, Sharing};
use assay_term::Store;
use std::sync::Arc;

pub(crate) use assay_search::Gain;

/// The reduction of a script.
pub(crate) type Search<'a> = assay_search::Search<State, Workers<'a, State>>;

/// Makes a candidate from the current script; `None` if there is nothing to change.
pub(crate) type Step<'s> = assay_search::Step<'s, State>;

impl Reducible for State {
    type Home = Store;
    type Candidate = Candidate;
    type Learnt = Learnt;

    fn candidate(&mut self, store: &Store, now: Option<(&State, &Candidate)>) -> Option<Candidate> {
        let home = self.home.clone();
        let store = home.as_deref().unwrap_or(store);
        let Some((before, shown)) = now else { return Some(self.shown(self.text(store))) };
        self.settle(store, before);
        let text = self.text(store);
        let asks = !self.asks || self.commands.iter().any(Command::is_check);
        if text == shown.text || !asks {
            return None;
        }
        // An unused declaration may still be needed by another one.
        let reads = !self.hoards || State::read(&mut Store::new(), &text, None).is_ok();
        reads.then(|| self.shown(text))
    }

    fn taken(&mut self, store: &mut Store, learnt: Learnt) {
        if let Some(text) = learnt.witness {
            self.witness = Some(Witness { text: text.into(), model: None });
        }
        if let Some(home) = self.home.take() {
            *store = Arc::unwrap_or_clone(home);
        }
    }
}

/// The script in this dialect. Terms are easier to read in full; if that is longer than the
/// original file, `let` is used.
pub(crate) fn in_words(store: &Store, state: &State, dialect: Dialect, before: Size) -> State {
    let plain = State { dialect, sharing: Sharing::Auto, ..state.clone() };
    let shared = State { sharing: Sharing::Always, ..plain.clone() };
    let size = |state: &State| Size::of(&state.text(store));
    if size(&plain) > before && size(&shared) < size(&plain) { shared } else { plain }
}

/// Reads a learned model, so that steps can use it.
pub(crate) fn refresh(search: &mut Search<'_>) {
    let unread = search.state.witness.as_ref().is_some_and(|witness| witness.model.is_none());
    if !unread || search.state.core.is_some() {
        return;
    }
    if let Some(mut state) = search.state.reread(&search.home) {
        if let Some(home) = state.home.take() {
            search.home = Arc::unwrap_or_clone(home);
            search.state = state;
        }
    }
}

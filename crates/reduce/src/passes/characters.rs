//! Replaces a character by a simpler one, or removes it, in all texts at once, so that equalities
//! between them are preserved.

use super::terms::holds;
use crate::search::{Gain, Search};
use crate::state::{State, Witness};
use assay_term::value::{Text, Value};
use assay_term::{Interpretation, Model, Replacements, Store, Term, TermId};

/// The replacement of a character.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Change {
    To(u32, u32),
    Gone(u32),
}

/// Makes characters simpler, or drops them.
pub(crate) fn characters(search: &mut Search<'_>) {
    loop {
        let texts = texts(&search.home, &search.state);
        let mut seen: Vec<u32> = texts.iter().flat_map(|(_, text)| text.iter().copied()).collect();
        seen.sort_unstable();
        seen.dedup();
        // A single text is reduced elsewhere.
        if texts.iter().filter(|(_, text)| !text.is_empty()).count() < 2 {
            return;
        }
        let mut changes: Vec<Change> = seen.iter().map(|&c| Change::Gone(c)).collect();
        let mut letters = ('a'..='z').chain('0'..='9').map(u32::from).filter(|c| !seen.contains(c));
        for &c in seen.iter().filter(|&&c| !is_plain(c)) {
            changes.extend(letters.next().map(|letter| Change::To(c, letter)));
        }
        let step = |store: &mut Store, state: &State, at: usize| -> Option<State> {
            changed(store, state, &texts, changes[at])
        };
        if search.first_of(changes.len(), &step, Gain::Smaller).is_none() {
            return;
        }
    }
}

/// Whether a character needs no escape in any dialect.
pub(super) fn is_plain(character: u32) -> bool {
    (0x20..0x7F).contains(&character) && character != u32::from('"') && character != 0x5C
}

/// The string literals.
fn texts(store: &Store, state: &State) -> Vec<(TermId, Text)> {
    let literal = |term: TermId| match store.get(term) {
        Term::Literal(Value::Str(text)) => Some((term, text.clone())),
        _ => None,
    };
    store.postorder(&state.roots()).into_iter().filter_map(literal).collect()
}

fn changed(
    store: &mut Store,
    state: &State,
    texts: &[(TermId, Text)],
    change: Change,
) -> Option<State> {
    let renew = |text: &Text| -> Text {
        match change {
            Change::To(old, new) => text.iter().map(|&c| if c == old { new } else { c }).collect(),
            Change::Gone(old) => text.iter().copied().filter(|&c| c != old).collect(),
        }
    };
    let by: Replacements =
        texts.iter().map(|(term, text)| (*term, store.string(renew(text)))).collect();
    let mut new = state.replaced(store, by)?;
    let model = state.witness.as_ref().and_then(|witness| witness.model.clone());
    if let Some(model) = model.filter(|model| !holds(store, &new, model)) {
        let mut moved = Model::clone(&model);
        for (func, meaning) in model.iter() {
            if let Interpretation::Value(Value::Str(text)) = meaning {
                moved.set(func, Interpretation::Value(Value::Str(renew(text))));
            }
        }
        if holds(store, &new, &moved) {
            new.witness = Some(Witness::of(store, moved));
        }
    }
    Some(new)
}

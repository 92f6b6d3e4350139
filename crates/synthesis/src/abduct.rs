//! Premises and a goal with a known hole: the goal is consistent with the premises, which do not imply it.
//! So the goal itself is an abduct, and `true` is not.

use crate::draft::{Draft, numbers};
use assay_term::theories::core;

/// The premises and the goal of a task, in its text.
pub(crate) fn draw(draft: &mut Draft<'_>) -> Option<()> {
    let count = 2 + draft.draw.below(3);
    let constants = draft.constants("x", count);
    for _ in 0..1 + draft.draw.below(3) {
        let premise = formula(draft, &constants);
        draft.assert(premise);
    }
    let goal = match draft.draw.below(3) {
        0 => {
            let (one, other) = (formula(draft, &constants), formula(draft, &constants));
            let op = [core::AND, core::OR, core::IMPLIES][draft.draw.below(3)];
            draft.op(op, &[one, other])
        }
        _ => formula(draft, &constants),
    };
    let line = format!("(get-abduct A {})", draft.shown(goal));
    draft.line(&line);
    Some(())
}

fn formula(draft: &mut Draft<'_>, constants: &[assay_term::TermId]) -> assay_term::TermId {
    let numbers = numbers(&draft.store, constants);
    if numbers.is_empty() || draft.draw.one_in(2) {
        return draft.formula(constants);
    }
    let count = 1 + draft.draw.below(numbers.len());
    draft.comparison(&numbers[..count])
}

//! Premises that imply a conjecture, with a known interpolant between them: a formula over the symbols that
//! both sides share, of which the premises are a stronger form and the conjecture a weaker one.

use crate::draft::{Draft, numbers};
use assay_horn::{and, not};
use assay_term::theories::{core, ints};
use assay_term::{SortId, TermId};

/// The premises and the conjecture of a task, in its text.
pub(crate) fn draw(draft: &mut Draft<'_>) -> Option<()> {
    let count = 2 + draft.draw.below(2);
    let shared = draft.constants("s", count);
    let own = draft.constants("a", 1);
    let other = draft.constants("b", 1);
    let conjecture = match draft.draw.below(4) {
        0 => chain(draft, &shared)?,
        _ => {
            let known = draft.formula(&shared);
            stronger(draft, known, &shared, &own)?;
            weaker(draft, known, &shared, &other)?
        }
    };
    let line = format!("(get-interpolant I {})", draft.shown(conjecture));
    draft.line(&line);
    Some(())
}

/// Asserts formulas that imply the known one.
fn stronger(draft: &mut Draft<'_>, known: TermId, shared: &[TermId], own: &[TermId]) -> Option<()> {
    let over = [shared, own].concat();
    match draft.draw.below(3) {
        0 => {
            let (rest, equation) = draft.named(known, "c")?;
            draft.assert(equation);
            draft.assert(rest);
        }
        1 => {
            // Two cases, each of which implies it.
            let [p, q] = [own, &over].map(|over| draft.formula(over));
            let either = draft.op(core::OR, &[p, q]);
            draft.assert(either);
            for case in [p, q] {
                let implied = draft.op(core::IMPLIES, &[case, known]);
                draft.assert(implied);
            }
        }
        _ => draft.assert(known),
    }
    if draft.draw.one_in(2) {
        let more = draft.formula(&over);
        draft.assert(more);
    }
    Some(())
}

/// A formula that the known one implies.
fn weaker(
    draft: &mut Draft<'_>,
    known: TermId,
    shared: &[TermId],
    other: &[TermId],
) -> Option<TermId> {
    let over = [shared, other].concat();
    let more = draft.formula(&over);
    Some(match draft.draw.below(4) {
        0 => {
            let (rest, equation) = draft.named(known, "d")?;
            let premise = if draft.draw.one_in(2) {
                and(&mut draft.store, &[equation, more])
            } else {
                equation
            };
            draft.op(core::IMPLIES, &[premise, rest])
        }
        1 => draft.op(core::IMPLIES, &[more, known]),
        2 => {
            let second = draft.formula(&over);
            let either = draft.op(core::OR, &[known, more]);
            let also = draft.op(core::OR, &[known, second]);
            draft.op(core::AND, &[either, also])
        }
        _ => draft.op(core::OR, &[more, known]),
    })
}

/// Inequalities whose sum is an inequality over shared numbers, which contradicts others.
fn chain(draft: &mut Draft<'_>, shared: &[TermId]) -> Option<TermId> {
    let shared = numbers(&draft.store, shared);
    let &first = shared.first()?;
    let last = *shared.last()?;
    let sort = draft.store.sort(first);
    let links = |draft: &mut Draft<'_>, stem: &str, ends: [TermId; 2]| -> Vec<TermId> {
        let mut at = ends[0];
        let mut links = Vec::new();
        for link in 0..1 + draft.draw.below(2) {
            let next = draft.declare(&format!("{stem}{link}"), sort);
            links.push(link_between(draft, at, next));
            at = next;
        }
        links.push(link_between(draft, at, ends[1]));
        links
    };
    let factor = 1 + draft.draw.below(3) as i64;
    let (from, to) = (draft.times(factor, first), draft.small(sort));
    let to = draft.op(ints::ADD, &[last, to]);
    for premise in links(draft, "e", [from, to]) {
        draft.assert(premise);
    }
    // The other side gives the converse, strictly.
    let known = draft.op(ints::LE, &[from, to]);
    let ends = links(draft, "f", [to, from]);
    let strict = not(&mut draft.store, known);
    let mut refuted = ends;
    refuted.push(strict);
    let refuted = and(&mut draft.store, &refuted);
    debug_assert_eq!(draft.store.sort(refuted), SortId::BOOL);
    Some(not(&mut draft.store, refuted))
}

/// One number at most another.
fn link_between(draft: &mut Draft<'_>, low: TermId, high: TermId) -> TermId {
    match draft.draw.one_in(2) {
        true => draft.op(ints::LE, &[low, high]),
        false => draft.op(ints::GE, &[high, low]),
    }
}

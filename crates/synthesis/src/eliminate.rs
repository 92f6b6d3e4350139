//! Quantified formulas whose quantifiers our own procedure eliminates, too: over finite sorts any, over
//! integers and reals linear ones with one numeric variable, or two.

use crate::draft::{Draft, numbers};
use assay_horn::{is_number, not};
use assay_term::theories::core;
use assay_term::{Quantifier, TermId};

/// The tactics of solvers that have several.
const TACTICS: [&str; 3] = ["qe", "qe2", "qe_rec"];

/// The formula of a task, in its text.
pub(crate) fn draw(draft: &mut Draft<'_>) -> Option<()> {
    let count = 1 + draft.draw.below(2);
    let free = draft.constants("x", count);
    // Integers and reals are bound at most twice: our own elimination squares the size.
    let bound_count = 1 + usize::from(draft.draw.one_in(3));
    let mut bound = Vec::new();
    for at in 0..bound_count {
        let sort = draft.words.sort(draft.draw);
        let name = draft.store.symbols.intern(["y", "z"][at]);
        bound.push(draft.store.var(name, sort));
    }
    let over = [&bound[..], &free].concat();
    let crowded = bound.iter().filter(|&&v| is_number(&draft.store, v)).count() > 1;
    let atoms = if crowded { 2 } else { 2 + draft.draw.below(3) };
    let mut formula = atom(draft, &over, &bound);
    for _ in 1..atoms {
        let more = atom(draft, &over, &bound);
        let op = [core::AND, core::AND, core::OR, core::IMPLIES][draft.draw.below(4)];
        formula = draft.op(op, &[formula, more]);
    }
    let mut all_exist = true;
    for &variable in bound.iter().rev() {
        let which = match draft.draw.one_in(3) {
            true => Quantifier::Forall,
            false => Quantifier::Exists,
        };
        all_exist &= which == Quantifier::Exists;
        formula = draft.store.quantified(which, &[variable], formula).ok()?;
    }
    if draft.draw.one_in(4) {
        // Beside the quantifier, not only below it.
        let beside = draft.formula(&free);
        let op = [core::AND, core::OR][draft.draw.below(2)];
        formula = draft.op(op, &[formula, beside]);
        all_exist = false;
    }
    if all_exist && draft.draw.one_in(4) {
        let line = format!("(get-qe-disjunct {})", draft.shown(formula));
        draft.line(&line);
    } else {
        let tactic = draft.draw.of(&TACTICS).expect("there are some");
        draft.text.insert_str(0, &format!("(set-info :tactic {tactic})\n"));
        let line = format!("(get-qe {})", draft.shown(formula));
        draft.line(&line);
    }
    Some(())
}

/// An atom, mostly about a bound variable.
fn atom(draft: &mut Draft<'_>, over: &[TermId], bound: &[TermId]) -> TermId {
    let numeric = numbers(&draft.store, over);
    if !numeric.is_empty() && !draft.draw.one_in(4) {
        let first = numbers(&draft.store, bound);
        let mut chosen: Vec<TermId> = first.into_iter().take(2).collect();
        if chosen.is_empty() || !draft.draw.one_in(3) {
            let sort = draft.store.sort(numeric[0]);
            let sort = chosen.first().map_or(sort, |&first| draft.store.sort(first));
            let others: Vec<TermId> = over
                .iter()
                .copied()
                .filter(|&c| draft.store.sort(c) == sort && !chosen.contains(&c))
                .collect();
            chosen.extend(draft.draw.of(&others));
        }
        if !chosen.is_empty() {
            return draft.comparison(&chosen);
        }
    }
    let rest: Vec<TermId> = over.iter().copied().filter(|&c| !is_number(&draft.store, c)).collect();
    match draft.draw.of(&rest).copied() {
        Some(_) if !draft.draw.one_in(3) => draft.formula(&rest),
        Some(one) => {
            let sort = draft.store.sort(one);
            let value = draft.words.constant(&mut draft.store, draft.draw, sort);
            let equation = draft.op(core::EQ, &[one, value]);
            if draft.draw.one_in(2) { not(&mut draft.store, equation) } else { equation }
        }
        None => {
            let first = numeric.first().copied().expect("there is a constant");
            draft.comparison(&[first])
        }
    }
}

//! Emptiness and shortest words, by breadth-first search over derivatives.
//!
//! A union is not a state: its operands are searched one by one, and unions inside an intersection
//! are multiplied out. Only operands of a complement are therefore determinised.

use std::ops::Range;

use super::arena::{Arena, Id, Shape};
use super::hashing::Table;
use super::partition::most_readable_of;
use crate::budget::{Budget, Exhausted, as_steps};

/// The maximum number of combinations of unions in an intersection; beyond it, it stays one state.
const MOST_COMBINATIONS: usize = 1024;

/// A state with the visit and the character that led to it, unless it is where the search began.
struct Visit {
    state: Id,
    step: Option<(usize, u32)>,
    depth: u64,
}

/// The states seen so far, as intersections: positive operands, and under them the sets of
/// complemented operands. A state with fewer operands has a larger language, so a state with all
/// operands of an earlier one cannot reach a word that the earlier one does not reach at least as
/// soon.
#[derive(Default)]
struct Seen {
    by_positive: Table<Box<[Id]>, Vec<Box<[Id]>>>,
}

impl Seen {
    /// Notes a state; false if an earlier one covers it.
    fn insert(
        &mut self,
        arena: &mut Arena,
        state: Id,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        let (positive, negative) = split_signs(arena, state);
        arena.grow(10 + positive.len().div_ceil(2), budget)?;
        let rivals = self.by_positive.entry(positive.into()).or_default();
        for rival in rivals.iter() {
            budget.spend(1 + as_steps(rival.len()))?;
            if is_subset(rival, &negative) {
                return Ok(false);
            }
        }
        arena.grow(3 + negative.len().div_ceil(2), budget)?;
        rivals.retain(|rival| !is_subset(&negative, rival));
        rivals.push(negative.into());
        Ok(true)
    }
}

fn split_signs(arena: &Arena, state: Id) -> (Vec<Id>, Vec<Id>) {
    let alone = [state];
    let parts: &[Id] = match arena.shape(state) {
        Shape::Inter(parts) => parts,
        _ => &alone,
    };
    let (mut positive, mut negative) = (Vec::new(), Vec::new());
    for &part in parts {
        match *arena.shape(part) {
            Shape::Comp(body) => negative.push(body),
            _ => positive.push(part),
        }
    }
    negative.sort_unstable();
    (positive, negative)
}

/// Whether one sorted list is contained in another.
fn is_subset(small: &[Id], large: &[Id]) -> bool {
    let mut rest = large.iter();
    small.len() <= large.len() && small.iter().all(|id| rest.any(|other| other == id))
}

struct Search<'a> {
    arena: &'a mut Arena,
    budget: &'a mut Budget,
    visits: Vec<Visit>,
    seen: Seen,
}

impl Search<'_> {
    /// Queues the states of a derivative that are new and not empty; the range of their visits.
    fn admit(&mut self, target: Id, step: Option<(usize, u32)>) -> Result<Range<usize>, Exhausted> {
        let first = self.visits.len();
        let depth = step.map_or(0, |(from, _)| self.visits[from].depth + 1);
        for state in self.arena.alternatives(target, self.budget)? {
            if state != Id::EMPTY && self.seen.insert(self.arena, state, self.budget)? {
                self.arena.grow(4, self.budget)?;
                self.visits.push(Visit { state, step, depth });
            }
        }
        Ok(first..self.visits.len())
    }

    /// Whether a state is reached that is known to hold a word.
    fn finds_inhabited(&mut self, root: Id) -> Result<bool, Exhausted> {
        self.admit(root, None)?;
        let mut next = 0;
        while let Some(&Visit { state, .. }) = self.visits.get(next) {
            if self.arena.facts(state).inhabited {
                return Ok(true);
            }
            for &c in self.arena.classes(state, self.budget)?.representatives() {
                let target = self.arena.derivative(state, c, self.budget)?;
                self.admit(target, Some((next, c)))?;
            }
            next += 1;
        }
        Ok(false)
    }

    /// The visit from which a shortest word is known without exploring further, with its length.
    ///
    /// A state whose shortest length is known is a candidate and is not explored; others are, as
    /// long as they can lead to something shorter than the best candidate.
    fn best_visit(&mut self, root: Id) -> Result<Option<usize>, Exhausted> {
        self.admit(root, None)?;
        let mut best: Option<(u64, usize)> = None;
        let mut next = 0;
        while let Some(&Visit { state, depth, .. }) = self.visits.get(next) {
            let facts = self.arena.facts(state);
            let least = depth.saturating_add(facts.min_len);
            let promising = best.is_none_or(|(length, _)| least < length);
            if promising && facts.attained {
                best = Some((least, next));
            } else if promising {
                for &c in self.arena.classes(state, self.budget)?.representatives() {
                    let target = self.arena.derivative(state, c, self.budget)?;
                    self.admit(target, Some((next, c)))?;
                }
            }
            next += 1;
        }
        Ok(best.map(|(_, visit)| visit))
    }

    fn path_to(&self, visit: usize) -> Vec<u32> {
        let mut word = Vec::new();
        let mut at = visit;
        while let Some((from, by)) = self.visits[at].step {
            word.push(by);
            at = from;
        }
        word.reverse();
        word
    }
}

impl Arena {
    fn search<'a>(&'a mut self, budget: &'a mut Budget) -> Search<'a> {
        Search { arena: self, budget, visits: Vec::new(), seen: Seen::default() }
    }

    /// Whether the language holds a word.
    pub(super) fn is_inhabited(
        &mut self,
        root: Id,
        budget: &mut Budget,
    ) -> Result<bool, Exhausted> {
        self.search(budget).finds_inhabited(root)
    }

    /// A shortest word of the language, if it holds any.
    pub(super) fn shortest_word(
        &mut self,
        root: Id,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut search = self.search(budget);
        let Some(visit) = search.best_visit(root)? else {
            return Ok(None);
        };
        let state = search.visits[visit].state;
        let mut word = search.path_to(visit);
        self.append_shortest(state, &mut word, budget)?;
        Ok(Some(word))
    }

    /// Appends a word of the shortest length, which is known to be attained.
    fn append_shortest(
        &mut self,
        state: Id,
        word: &mut Vec<u32>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut pending = vec![(state, 1_u64)];
        while let Some((id, times)) = pending.pop() {
            self.grow(1, budget)?;
            if times > 1 {
                pending.push((id, times - 1));
            }
            let facts = self.facts(id);
            match self.shape(id) {
                _ if facts.nullable => {}
                Shape::Chars(set) => word.extend(most_readable_of(set.intervals())),
                Shape::Concat(head, tail) => pending.extend([(*tail, 1), (*head, 1)]),
                Shape::Loop(body, counts) => pending.push((*body, counts.lo)),
                Shape::Union(parts) => {
                    budget.spend(as_steps(parts.len()))?;
                    let shortest = |id: &&Id| {
                        let part = self.facts(**id);
                        part.attained && part.min_len == facts.min_len
                    };
                    pending.extend(parts.iter().find(shortest).map(|&id| (id, 1)));
                }
                Shape::Empty | Shape::Epsilon | Shape::Inter(_) | Shape::Comp(_) => {}
            }
        }
        Ok(())
    }

    /// Expressions whose union is `id`, free of unions as far as that stays small.
    pub(super) fn alternatives(
        &mut self,
        id: Id,
        budget: &mut Budget,
    ) -> Result<Vec<Id>, Exhausted> {
        let mut pending = vec![id];
        let mut states = Vec::new();
        while let Some(id) = pending.pop() {
            budget.spend(1)?;
            match self.shape(id) {
                Shape::Union(parts) => pending.extend(parts.iter().rev()),
                Shape::Inter(parts) => match self.choice(parts) {
                    Some((index, choice)) => {
                        let parts = parts.clone();
                        let choice = self.options(choice, budget)?;
                        for option in choice.into_iter().rev() {
                            let mut chosen = parts.to_vec();
                            chosen[index] = option;
                            pending.push(self.inter(chosen, budget)?);
                        }
                    }
                    None => states.push(id),
                },
                _ => states.push(id),
            }
        }
        Ok(states)
    }

    /// The first operand of an intersection that is a union, unless there are too many choices.
    fn choice(&self, parts: &[Id]) -> Option<(usize, Id)> {
        let width = |id: Id| match self.shape(id) {
            Shape::Union(options) => options.len(),
            Shape::Comp(body) => match self.shape(*body) {
                Shape::Inter(options) => options.len(),
                _ => 1,
            },
            _ => 1,
        };
        let combinations =
            parts.iter().fold(1, |product: usize, &id| product.saturating_mul(width(id)));
        let index = parts.iter().position(|&id| width(id) > 1)?;
        (combinations <= MOST_COMBINATIONS).then_some((index, parts[index]))
    }

    fn options(&mut self, choice: Id, budget: &mut Budget) -> Result<Vec<Id>, Exhausted> {
        match *self.shape(choice) {
            Shape::Union(ref parts) => Ok(parts.to_vec()),
            Shape::Comp(body) => {
                let union = self.comp(body, budget)?;
                match self.shape(union) {
                    Shape::Union(parts) => Ok(parts.to_vec()),
                    _ => Ok(vec![union]),
                }
            }
            _ => Ok(vec![choice]),
        }
    }
}

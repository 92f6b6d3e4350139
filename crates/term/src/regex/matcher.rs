//! Matching words against one language, with derivatives remembered from word to word.

use super::arena::{Arena, Id};
use super::charset::MAX_CHAR;
use super::counts::Bound;
use super::value::RegLan;
use crate::budget::{Budget, Exhausted, as_steps};

/// Where a match lies in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Match {
    /// The index of the first character.
    pub start: usize,
    /// The number of characters.
    pub len: usize,
}

/// A language prepared for matching many words.
///
/// A sequence with an element above `MAX_CHAR` is not a word: no language contains it, not even the
/// complement of the empty one.
#[derive(Debug)]
pub struct Matcher {
    arena: Arena,
    start: Id,
}

/// A match that began at `start` and may still be completed.
#[derive(Clone, Copy)]
struct Thread {
    start: usize,
    state: Id,
}

impl Matcher {
    /// Prepares a language.
    pub fn new(language: &RegLan, budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let start = arena.lower(language, budget)?;
        Ok(Matcher { arena, start })
    }

    /// Whether the language contains the word.
    pub fn accepts(&mut self, word: &[u32], budget: &mut Budget) -> Result<bool, Exhausted> {
        budget.spend(1 + as_steps(word.len()))?;
        if word.iter().any(|&c| c > MAX_CHAR) {
            return Ok(false);
        }
        let mut state = self.start;
        for (index, &c) in word.iter().enumerate() {
            let left = as_steps(word.len() - index);
            let facts = self.arena.facts(state);
            if left < facts.min_len || Bound::Finite(left) > facts.max_len {
                return Ok(false);
            }
            if state == Id::ALL {
                return Ok(true);
            }
            self.advance(std::slice::from_mut(&mut state), c, budget)?;
        }
        Ok(self.arena.nullable(state))
    }

    /// The shortest of the matches that begin leftmost, starting the search at index `from`.
    /// With `nonempty`, empty matches do not count.
    pub fn shortest_leftmost(
        &mut self,
        word: &[u32],
        from: usize,
        nonempty: bool,
        budget: &mut Budget,
    ) -> Result<Option<Match>, Exhausted> {
        if from > word.len() {
            return Ok(None);
        }
        if !nonempty && self.arena.nullable(self.start) {
            return Ok(Some(Match { start: from, len: 0 }));
        }
        let mut threads: Vec<Thread> = Vec::new();
        let mut best: Option<Match> = None;
        for (index, &c) in word.iter().enumerate().skip(from) {
            if best.is_none() {
                threads.push(Thread { start: index, state: self.start });
            }
            self.advance_threads(&mut threads, c, budget)?;
            let done = threads.iter().position(|thread| self.arena.nullable(thread.state));
            if let Some(first) = done {
                let start = threads[first].start;
                best = Some(Match { start, len: index + 1 - start });
                threads.truncate(first);
            }
            if best.is_some() && threads.is_empty() {
                break;
            }
        }
        Ok(best)
    }

    /// Moves all threads over a character. Threads are in the order of their starts; of threads
    /// in the same state, only the first can be the leftmost match.
    fn advance_threads(
        &mut self,
        threads: &mut Vec<Thread>,
        c: u32,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        budget.spend(1 + as_steps(threads.len()))?;
        if c > MAX_CHAR {
            threads.clear();
            return Ok(());
        }
        let mut states: Vec<Id> = threads.iter().map(|thread| thread.state).collect();
        self.advance(&mut states, c, budget)?;
        let mut order: Vec<usize> = (0..states.len()).collect();
        order.sort_unstable_by_key(|&index| (states[index], index));
        order.dedup_by_key(|index| states[*index]);
        order.sort_unstable();
        let moved = order.into_iter().filter(|&index| states[index] != Id::EMPTY);
        *threads = moved
            .map(|index| Thread { start: threads[index].start, state: states[index] })
            .collect();
        Ok(())
    }

    /// Moves states over a character. When space runs out, everything but these states and the
    /// start is forgotten, once: a long word may pass through more states than fit at a time.
    fn advance(&mut self, states: &mut [Id], c: u32, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut forgotten = false;
        let mut done = 0;
        while done < states.len() {
            match self.arena.derivative(states[done], c, budget) {
                Ok(next) => {
                    states[done] = next;
                    done += 1;
                }
                Err(Exhausted::Space) if !forgotten => {
                    forgotten = true;
                    let mut roots: Vec<Id> = states.iter().copied().chain([self.start]).collect();
                    self.arena.compact(&mut roots, budget)?;
                    self.start = roots[states.len()];
                    states.copy_from_slice(&roots[..states.len()]);
                }
                Err(exhausted) => return Err(exhausted),
            }
        }
        Ok(())
    }

    /// `str.replace_re`: the word with its leftmost shortest match replaced, if there is one.
    pub fn replace(
        &mut self,
        word: &[u32],
        by: &[u32],
        budget: &mut Budget,
    ) -> Result<Vec<u32>, Exhausted> {
        let found = self.shortest_leftmost(word, 0, false, budget)?;
        splice(word, &Vec::from_iter(found), by, budget)
    }

    /// `str.replace_re_all`: the word with all its leftmost shortest nonempty matches, taken one
    /// after another, replaced.
    pub fn replace_all(
        &mut self,
        word: &[u32],
        by: &[u32],
        budget: &mut Budget,
    ) -> Result<Vec<u32>, Exhausted> {
        let mut matches = Vec::new();
        let mut from = 0;
        while let Some(found) = self.shortest_leftmost(word, from, true, budget)? {
            from = found.start + found.len;
            matches.push(found);
        }
        splice(word, &matches, by, budget)
    }
}

/// Replaces disjoint matches, given from left to right.
fn splice(
    word: &[u32],
    matches: &[Match],
    by: &[u32],
    budget: &mut Budget,
) -> Result<Vec<u32>, Exhausted> {
    let added = matches.len().saturating_mul(by.len());
    let size = as_steps(word.len().saturating_add(added));
    budget.spend(size)?;
    if size > budget.space() {
        return Err(Exhausted::Space);
    }
    let mut result = Vec::new();
    let mut from = 0;
    for found in matches {
        result.extend_from_slice(&word[from..found.start]);
        result.extend_from_slice(by);
        from = found.start + found.len;
    }
    result.extend_from_slice(&word[from..]);
    Ok(result)
}

//! Questions to values; each one gets an arena of its own, which is gone when it is answered.

use super::arena::{Arena, Id};
use super::counts::Bound;
use super::graph::{Branching, Graph};
use super::matcher::{Match, Matcher};
use super::value::RegLan;
use crate::budget::{Budget, Exhausted};

/// Looks for a word of exactly one of two languages.
type Method = fn(&RegLan, &RegLan, &mut Budget) -> Result<Option<Vec<u32>>, Exhausted>;

/// Steps of the first turn of each method.
const FIRST_SLICE: u64 = 20_000;

impl RegLan {
    /// Whether the language contains the word; [`Matcher`] is faster for many words.
    pub fn accepts(&self, word: &[u32], budget: &mut Budget) -> Result<bool, Exhausted> {
        Matcher::new(self, budget)?.accepts(word, budget)
    }

    /// The shortest of the leftmost matches in a word, as `str.replace_re` wants it, or with
    /// `nonempty` the shortest of the leftmost nonempty ones, as `str.replace_re_all` does.
    pub fn shortest_leftmost(
        &self,
        word: &[u32],
        budget: &mut Budget,
        nonempty: bool,
    ) -> Result<Option<Match>, Exhausted> {
        Matcher::new(self, budget)?.shortest_leftmost(word, 0, nonempty, budget)
    }

    /// Whether the language contains no word.
    pub fn is_empty(&self, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let root = arena.lower(self, budget)?;
        Ok(!arena.is_inhabited(root, budget)?)
    }

    /// A shortest word of the language, or nothing if it is empty.
    pub fn shortest_word(&self, budget: &mut Budget) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let root = arena.lower(self, budget)?;
        arena.shortest_word(root, budget)
    }

    /// Whether both languages have the same words.
    pub fn equivalent(&self, other: &RegLan, budget: &mut Budget) -> Result<bool, Exhausted> {
        Ok(self.distinguishing_word(other, budget)?.is_none())
    }

    /// A word of exactly one of the two languages, or nothing if they are equivalent.
    ///
    /// Two methods share the budget, since either may succeed where the other explodes: merging
    /// pairs of states, and searching both differences. They take turns with growing slices, so
    /// that an answer costs a few times what the better of the two needs.
    pub fn distinguishing_word(
        &self,
        other: &RegLan,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut methods: Vec<Method> =
            vec![RegLan::distinguish_by_pairs, RegLan::distinguish_by_inclusions];
        let mut slice = FIRST_SLICE;
        while !methods.is_empty() && budget.steps_left() > 0 {
            let mut index = 0;
            while let Some(method) = methods.get(index) {
                match budget.share(slice, |share| method(self, other, share)) {
                    Ok(answer) => return Ok(answer),
                    Err(Exhausted::Steps) => index += 1,
                    Err(Exhausted::Space) => drop(methods.remove(index)),
                    Err(Exhausted::Time) => return Err(Exhausted::Time),
                }
            }
            slice = slice.saturating_mul(4);
        }
        Err(if methods.is_empty() { Exhausted::Space } else { Exhausted::Steps })
    }

    fn distinguish_by_inclusions(
        &self,
        other: &RegLan,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        match self.word_outside(other, budget)? {
            Some(word) => Ok(Some(word)),
            None => other.word_outside(self, budget),
        }
    }

    fn distinguish_by_pairs(
        &self,
        other: &RegLan,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let left = arena.lower(self, budget)?;
        let right = arena.lower(other, budget)?;
        arena.distinguish(left, right, budget)
    }

    /// Whether every word of this language is in the other.
    pub fn included(&self, other: &RegLan, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let outside = self.lower_difference(other, &mut arena, budget)?;
        Ok(!arena.is_inhabited(outside, budget)?)
    }

    /// A shortest word of this language that the other lacks, or nothing if it is included.
    pub fn word_outside(
        &self,
        other: &RegLan,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let outside = self.lower_difference(other, &mut arena, budget)?;
        arena.shortest_word(outside, budget)
    }

    fn lower_difference(
        &self,
        removed: &RegLan,
        arena: &mut Arena,
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        let kept = arena.lower(self, budget)?;
        let removed = arena.lower(removed, budget)?;
        let rest = arena.comp(removed, budget)?;
        arena.inter(vec![kept, rest], budget)
    }

    /// Whether the language has finitely many words.
    pub fn is_finite(&self, budget: &mut Budget) -> Result<bool, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let root = arena.lower(self, budget)?;
        if arena.facts(root).max_len != Bound::Infinite {
            return Ok(true);
        }
        let graph = Graph::explore(&mut arena, root, Branching::Alternatives, budget)?;
        Ok(graph.is_finite())
    }

    /// The first `count` words by length and then by characters, fewer if there are no more.
    ///
    /// Of characters that the language does not distinguish at some point of a word, only one
    /// representative is used there, so infinitely many words or a wide range do not hide the
    /// different ones.
    pub fn first_words(
        &self,
        count: usize,
        budget: &mut Budget,
    ) -> Result<Vec<Vec<u32>>, Exhausted> {
        let mut arena = Arena::new(budget)?;
        let root = arena.lower(self, budget)?;
        let graph = Graph::explore(&mut arena, root, Branching::Deterministic, budget)?;
        graph.first_words(count, &mut arena, budget)
    }
}

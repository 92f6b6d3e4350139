//! Literals. Most fit into a machine word, and texts repeat the same few.

use crate::answer_cache::AnswerCache;
use crate::bitvec::BitVec;
use crate::int::Int;
use crate::node::{Head, INLINE, Kind, Node, mix};
use crate::sort::SortId;
use crate::term::{Store, TermId};
use crate::value::Value;

/// The latest literals that fit into a machine word.
pub(crate) type RecentLiterals = AnswerCache<Word, SLOTS>;

const SLOTS: usize = 1024;

/// A machine word as a literal; an integer if the width is zero.
#[derive(Clone, Copy)]
pub(crate) struct Word {
    word: u64,
    width: u32,
    term: TermId,
}

const BLANK: Word = Word { word: 0, width: u32::MAX, term: TermId::NONE };

impl Store {
    /// A literal. Only non-negative integers and reals with a finite decimal expansion, bit-vectors
    /// and strings are literals; [`Store::value`] makes a term of any value.
    pub(crate) fn literal(&mut self, value: Value, sort: SortId) -> TermId {
        let id = self.literals.intern(value);
        if let Some(&term) = self.literal_terms.get(id as usize) {
            return term;
        }
        let head = Head::new(Kind::Literal, id);
        let term = self.push(Node { head, sort, len: 0, args: [TermId::ZERO; INLINE] });
        self.literal_terms.push(term);
        term
    }

    /// The same as [`Store::int`] for a number that is read from a text.
    ///
    /// # Panics
    /// Panics if it has more than 63 bits.
    #[inline]
    pub fn word_int(&mut self, value: u64) -> TermId {
        assert!(i64::try_from(value).is_ok(), "a number below 2^63");
        self.word_literal(0, value)
    }

    /// The same as [`Store::bit_vec`] for at most 64 bits that are read from a text.
    ///
    /// # Panics
    /// Panics if the width is not from 1 to 64.
    #[inline]
    pub fn word_bit_vec(&mut self, width: u32, bits: u64) -> TermId {
        assert!((1..=u64::BITS).contains(&width), "a width of a machine word");
        self.word_literal(width, bits)
    }

    #[inline]
    fn word_literal(&mut self, width: u32, word: u64) -> TermId {
        let slot = (mix(width.into(), word) >> 32) as usize % SLOTS;
        match self.recent_literals.get(slot) {
            Some(known) if known.word == word && known.width == width => known.term,
            _ => self.new_word(width, word, slot),
        }
    }

    #[inline(never)]
    fn new_word(&mut self, width: u32, word: u64, slot: usize) -> TermId {
        let term = match width {
            0 => self.int(&Int::from(word as i64)),
            _ => self.bit_vec(BitVec::from_u64(width, word)),
        };
        self.recent_literals.set(slot, Word { word, width, term }, BLANK);
        term
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_of_machine_words_equal_exact_ones() {
        let mut store = Store::new();
        for round in 0..3 {
            for word in 0..500u64 {
                let value = Int::from(word as i64);
                assert_eq!(store.word_int(word), store.int(&value), "{word}, round {round}");
                for width in [1, 8, 63, 64] {
                    let bits = word & (u64::MAX >> (64 - width));
                    let expected = store.bit_vec(BitVec::from_u64(width, bits));
                    assert_eq!(store.word_bit_vec(width, bits), expected, "{word} in {width}");
                }
            }
        }
    }
}

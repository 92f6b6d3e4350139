//! Interned names. A [`Symbol`] is a 32-bit handle; comparing two is comparing two integers.
//!
//! Knows nothing of the meaning of names, which the reader's symbol table holds.

use crate::answer_cache::AnswerCache;
use crate::table::{Key, Table};
use std::ops::Range;

/// A name, interned in a [`Symbols`] table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Symbol(u32);

impl Symbol {
    /// Position in the table, dense from zero: fit to index a side table.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The inverse of [`Symbol::index`].
    pub(crate) fn from_index(index: usize) -> Symbol {
        Symbol(index as u32)
    }
}

/// The table of names: one arena of text, and an entry for each name that distinguishes most names
/// without looking at the text.
#[derive(Clone)]
pub struct Symbols {
    text: String,
    entries: Vec<Entry>,
    table: Table,
    /// Recent names in texts, by slot: texts repeat the same few.
    recent: AnswerCache<Symbol, RECENT>,
    /// Recent long names.
    recent_long: AnswerCache<Symbol, RECENT>,
}

/// How a name is spelled in a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spelling {
    /// As it is.
    Word,
    /// Between bars.
    Bars,
}

/// A name's first bytes and its place in the arena.
#[derive(Clone, Copy)]
struct Entry {
    head: Head,
    start: u32,
    /// The number of bytes; the upper bits say how texts spelled the name.
    len: u32,
}

/// Some text spelled the name in any way, and as a plain word.
const SPELLED: u32 = 1 << 30;
const WORD: u32 = 1 << 31;

/// The maximum total length of all names in a store, in bytes.
const MAX_TEXT: usize = u32::MAX as usize;

/// The number of bytes of a name stored in its entry.
const HEAD: usize = 16;

/// The number of recent names of each kind, and its logarithm.
const RECENT: usize = 1 << RECENT_BITS;
const RECENT_BITS: u32 = 13;

/// The first bytes of a name, padded with zeros.
#[derive(Clone, Copy)]
struct Head([u64; 2]);

impl PartialEq for Head {
    /// Word by word: comparing both at once would have to wait until the halves of a new head,
    /// which are in registers, have gone through memory.
    #[inline]
    fn eq(&self, other: &Head) -> bool {
        (self.0[0] ^ other.0[0]) | (self.0[1] ^ other.0[1]) == 0
    }
}

/// The bytes of a head that belong to a name of this length.
static TAKEN: [Head; HEAD + 1] = {
    let mut masks = [Head([0; 2]); HEAD + 1];
    let mut len = 0;
    while len <= HEAD {
        let mask = if len == HEAD { u128::MAX } else { (1 << (8 * len)) - 1 };
        masks[len] = Head([mask as u64, (mask >> 64) as u64]);
        len += 1;
    }
    masks
};

impl Head {
    /// The head of the name at the start of a text. Reading beyond a short name's end and clearing
    /// the excess avoids a branch on its length.
    #[inline]
    fn new(text: &[u8], len: usize) -> Head {
        let block = match text.first_chunk::<HEAD>() {
            Some(block) => u128::from_le_bytes(*block),
            None => padded(text),
        };
        let Head([low, high]) = TAKEN[len.min(HEAD)];
        Head([block as u64 & low, (block >> 64) as u64 & high])
    }

    /// The slot of this name among the recent ones, if it is all head.
    #[inline]
    fn slot(self) -> usize {
        let Head([low, high]) = self;
        ((low ^ high.rotate_left(29)).wrapping_mul(FACTOR) >> (u64::BITS - RECENT_BITS)) as usize
    }

    /// The same for a long name with this ending. Long names often differ only there.
    #[inline]
    fn long_slot(self, end: &[u8; HEAD]) -> usize {
        let Head([low, high]) = self;
        let Head([_, end]) = Head::new(end, HEAD);
        Head([low ^ fold(end, FACTOR), high]).slot()
    }
}

#[cold]
fn padded(text: &[u8]) -> u128 {
    let mut block = [0; HEAD];
    block[..text.len()].copy_from_slice(text);
    u128::from_le_bytes(block)
}

/// Both halves of the product: each bit of the factors reaches the upper bits, which tables use.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

const FACTOR: u64 = 0xA076_1D64_78BD_642F;

const SEED: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03];

/// The lookup key of a name that is all head. Generated scripts number their names: names that
/// differ only in the last byte are stored together.
#[inline]
fn short_key(head: Head, len: usize) -> Key {
    /// The number of words for names that differ only in the last byte.
    const TOGETHER: usize = 4;
    let Head([low, high]) = head;
    let Head([low_mask, high_mask]) = TAKEN[len.saturating_sub(1)];
    let last = low & !low_mask ^ high & !high_mask;
    let family = fold(low & low_mask ^ SEED[0], high & high_mask ^ SEED[1]);
    let hash = (family ^ last).wrapping_mul(FACTOR);
    Key { near: (family >> 32) as usize * TOGETHER + (hash >> 62) as usize, hash }
}

/// The lookup key of a longer name.
fn long_key(head: Head, rest: &[u8]) -> Key {
    let Head([low, high]) = head;
    Key::scattered(hash_rest(fold(low ^ SEED[0], high ^ SEED[1]), rest))
}

fn hash_rest(mut hash: u64, rest: &[u8]) -> u64 {
    let mut left = rest;
    while let Some((word, after)) = left.split_first_chunk::<8>() {
        hash = fold(hash ^ u64::from_le_bytes(*word), FACTOR);
        left = after;
    }
    // The last word overlaps the previous one if possible, instead of being padded.
    let last = match rest.last_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    fold(hash ^ last ^ rest.len() as u64, FACTOR)
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols {
            text: String::new(),
            entries: Vec::new(),
            table: Table::default(),
            recent: AnswerCache::new(),
            recent_long: AnswerCache::new(),
        }
    }
}

impl Symbols {
    /// The handle of `name`, made on first sight.
    ///
    /// # Panics
    /// Panics if all names together have more than 4 GiB of text.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let (head, rest) = split(name);
        self.intern_parts(name, head, rest)
    }

    #[inline]
    fn intern_parts(&mut self, name: &str, head: Head, rest: &[u8]) -> Symbol {
        let id = u32::try_from(self.entries.len()).expect("fewer than 2^32 names");
        let (text, entries) = (self.text.as_bytes(), &self.entries);
        let same = |id: u32| entries[id as usize].is(text, head, name.len(), rest);
        let key_of_id = |id: u32| entries[id as usize].key(text);
        let key = key_of(head, name.len(), rest);
        if let Some(known) = self.table.find_or_insert(key, id, same, key_of_id) {
            return Symbol(known);
        }
        assert!(name.len() < SPELLED as usize, "a name of more than 1 GiB");
        assert!(self.text.len() + name.len() <= MAX_TEXT, "more than 4 GiB of symbol text");
        let (start, len) = (self.text.len() as u32, name.len() as u32);
        self.entries.push(Entry { head, start, len });
        self.text.push_str(name);
        Symbol(id)
    }

    /// The handle of the name in this range of a text, which becomes a recent name.
    ///
    /// # Panics
    /// Panics if the text has no such range.
    #[inline(never)]
    pub fn intern_in(&mut self, text: &str, range: Range<usize>, spelling: Spelling) -> Symbol {
        let (name, from_name) = (&text[range.clone()], &text.as_bytes()[range.start..]);
        let head = Head::new(from_name, name.len());
        let rest = name.as_bytes().get(HEAD..).unwrap_or_default();
        let symbol = self.intern_parts(name, head, rest);
        self.remember(head, name.as_bytes(), symbol);
        self.entries[symbol.index()].len |= match spelling {
            Spelling::Word => SPELLED | WORD,
            Spelling::Bars => SPELLED,
        };
        symbol
    }

    /// The handle of a name of less than sixteen bytes, given as two words padded with zeros, if it
    /// is a recent name that [`Symbols::intern_in`] saw in this spelling. Checks made then, such as
    /// whether it is a valid name, need not be repeated.
    #[inline(always)]
    pub fn recall_short(&self, name: [u64; 2], len: usize, spelling: Spelling) -> Option<Symbol> {
        let head = Head(name);
        let symbol = *self.recent.get(head.slot())?;
        let entry = self.entries.get(symbol.index())?;
        (entry.is_spelled(len, spelling) && entry.head == head).then_some(symbol)
    }

    /// The same for a name that is not recent; it becomes recent.
    #[inline(never)]
    pub fn recall_older(
        &mut self,
        text: &[u8],
        range: Range<usize>,
        spelling: Spelling,
    ) -> Option<Symbol> {
        let (name, from_name) = (text.get(range.clone())?, text.get(range.start..)?);
        let head = Head::new(from_name, name.len());
        let rest = name.get(HEAD..).unwrap_or_default();
        let symbol = self.find(key_of(head, name.len(), rest), head, name.len(), rest)?;
        if !self.entries[symbol.index()].is_spelled(name.len(), spelling) {
            return None;
        }
        self.remember(head, name, symbol);
        Some(symbol)
    }

    #[inline]
    fn remember(&mut self, head: Head, name: &[u8], symbol: Symbol) {
        const BLANK: Symbol = Symbol(u32::MAX);
        match name.last_chunk() {
            Some(end) => self.recent_long.set(head.long_slot(end), symbol, BLANK),
            None => self.recent.set(head.slot(), symbol, BLANK),
        }
    }

    /// Like [`Symbols::recall_short`], for a name of at least sixteen bytes.
    #[inline]
    pub fn recall_long(&self, name: &[u8], spelling: Spelling) -> Option<Symbol> {
        let head = Head::new(name.first_chunk::<HEAD>()?, HEAD);
        let symbol = *self.recent_long.get(head.long_slot(name.last_chunk()?))?;
        let entry = self.entries.get(symbol.index())?;
        let same = entry.head == head
            && entry.is_spelled(name.len(), spelling)
            && same_behind_head(name, entry.text(self.text.as_bytes()));
        same.then_some(symbol)
    }

    /// Reserves space for at most about this many more names, and in the table for a third of them:
    /// a name goes anywhere in it, so too large a table costs more than moving some names.
    pub fn reserve(&mut self, names: usize) {
        const BYTES: usize = 8;
        self.entries.reserve(names);
        self.text.reserve(names * BYTES);
        let (text, entries) = (self.text.as_bytes(), &self.entries);
        self.table.reserve(entries.len() + names / 3, |id| entries[id as usize].key(text));
    }

    /// The handle of `name` if it is already interned.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Symbol> {
        let (head, rest) = split(name);
        self.find(key_of(head, name.len(), rest), head, name.len(), rest)
    }

    #[inline]
    fn find(&self, key: Key, head: Head, len: usize, rest: &[u8]) -> Option<Symbol> {
        let text = self.text.as_bytes();
        let same = |id: u32| self.entries[id as usize].is(text, head, len, rest);
        self.table.find(key, same).map(Symbol)
    }

    /// The name behind a handle.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        let entry = self.entries[symbol.index()];
        let start = entry.start as usize;
        &self.text[start..start + entry.len()]
    }

    /// The number of names.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no name was interned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Entry {
    #[inline]
    fn len(&self) -> usize {
        (self.len & !(WORD | SPELLED)) as usize
    }

    #[inline]
    fn is(&self, text: &[u8], head: Head, len: usize, rest: &[u8]) -> bool {
        self.head == head && self.len() == len && (len <= HEAD || self.rest(text) == rest)
    }

    /// Whether the name has this length and some text spelled it in this way. A plain word may also
    /// be in bars.
    #[inline]
    fn is_spelled(&self, len: usize, spelling: Spelling) -> bool {
        match spelling {
            Spelling::Word => self.len == len as u32 | SPELLED | WORD,
            Spelling::Bars => self.len & !WORD == len as u32 | SPELLED,
        }
    }

    /// All bytes of the name.
    #[inline]
    fn text<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let start = self.start as usize;
        &text[start..start + self.len()]
    }

    /// The bytes of a long name behind its head.
    fn rest<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        self.text(text).get(HEAD..).unwrap_or_default()
    }

    fn key(&self, text: &[u8]) -> Key {
        key_of(self.head, self.len(), self.rest(text))
    }
}

#[inline]
fn key_of(head: Head, len: usize, rest: &[u8]) -> Key {
    if len <= HEAD { short_key(head, len) } else { long_key(head, rest) }
}

/// Whether two names of one length with equal heads are equal behind them. The last piece overlaps
/// the others instead of being shorter: branches on similar lengths are easy to predict.
#[inline]
fn same_behind_head(a: &[u8], b: &[u8]) -> bool {
    let (Some(end), Some(other)) = (a.last_chunk::<HEAD>(), b.last_chunk::<HEAD>()) else {
        return false;
    };
    let mut same = u128::from_le_bytes(*end) == u128::from_le_bytes(*other);
    let (mut a, mut b) = (a.get(HEAD..).unwrap_or_default(), b.get(HEAD..).unwrap_or_default());
    while let (Some((x, after)), Some((y, later))) =
        (a.split_first_chunk::<HEAD>(), b.split_first_chunk::<HEAD>())
    {
        same &= u128::from_le_bytes(*x) == u128::from_le_bytes(*y);
        (a, b) = (after, later);
    }
    same
}

/// A name's head, and the bytes behind it.
fn split(name: &str) -> (Head, &[u8]) {
    let bytes = name.as_bytes();
    (Head::new(bytes, bytes.len()), bytes.get(HEAD..).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_share_one_handle() {
        let mut symbols = Symbols::default();
        let empty = symbols.intern("");
        let x = symbols.intern("x");
        assert_eq!(symbols.intern("x"), x);
        assert_ne!(empty, x);
        assert_eq!(symbols.name(x), "x");
        assert_eq!(symbols.name(empty), "");
        assert_eq!(symbols.get("y"), None);
        assert_eq!(symbols.len(), 2);
    }

    #[test]
    fn names_of_every_length_are_distinct_and_found() {
        let mut symbols = Symbols::default();
        let text = "abcdefghijklmnopqrstuvwxyz0123456789\0\0 é";
        let ends: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
        for &end in &ends {
            let symbol = symbols.intern_in(text, 0..end, Spelling::Bars);
            assert_eq!(symbols.name(symbol), &text[..end]);
            assert_eq!(symbols.get(&text[..end]), Some(symbol));
        }
        assert_eq!(symbols.len(), ends.len());
        assert_eq!(symbols.intern("abd"), symbols.intern_in("xxabd", 2..5, Spelling::Word));
    }
    #[test]
    fn recent_names_are_recalled_only_with_their_spelling() {
        let mut symbols = Symbols::default();
        // Names become recent only once there are many.
        for _ in 0..300 {
            symbols.intern_in("x", 0..1, Spelling::Word);
            symbols.intern_in("a name of more than a head", 0..26, Spelling::Word);
        }
        let latest = |symbols: &Symbols, name: &str, spelling| {
            let words = [0, 8].map(|at| {
                let bytes = name.as_bytes().iter().skip(at).take(8).rev();
                bytes.fold(0, |word, &byte| word << 8 | u64::from(byte))
            });
            match name.len() {
                0..16 => symbols.recall_short(words, name.len(), spelling),
                _ => symbols.recall_long(name.as_bytes(), spelling),
            }
        };
        for name in ["short", "sixteen bytes...", "longer than a head of sixteen bytes"] {
            let (bytes, all) = (name.as_bytes(), 0..name.len());
            let own = symbols.intern(name);
            for spelling in [Spelling::Bars, Spelling::Word] {
                assert_eq!(latest(&symbols, name, spelling), None);
                assert_eq!(symbols.recall_older(bytes, all.clone(), spelling), None);
            }
            assert_eq!(symbols.intern_in(name, all.clone(), Spelling::Bars), own);
            assert_eq!(latest(&symbols, name, Spelling::Bars), Some(own));
            assert_eq!(latest(&symbols, name, Spelling::Word), None);
            assert_eq!(symbols.intern_in(name, all.clone(), Spelling::Word), own);
            assert_eq!(latest(&symbols, name, Spelling::Word), Some(own));
            assert_eq!(latest(&symbols, name, Spelling::Bars), Some(own));
            assert_eq!(latest(&symbols, &name[..name.len() - 1], Spelling::Bars), None);
            assert_eq!(symbols.recall_older(bytes, 0..name.len() - 1, Spelling::Bars), None);
            assert_eq!(symbols.recall_older(bytes, all.clone(), Spelling::Word), Some(own));
            let in_bars = format!("{name}'");
            let other = symbols.intern_in(&in_bars, 0..in_bars.len(), Spelling::Bars);
            let (bytes, all) = (in_bars.as_bytes(), 0..in_bars.len());
            assert_eq!(symbols.recall_older(bytes, all.clone(), Spelling::Word), None);
            assert_eq!(symbols.recall_older(bytes, all, Spelling::Bars), Some(other));
            assert_eq!(symbols.name(own), name);
        }
    }
}

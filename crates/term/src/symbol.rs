//! Interned names. A [`Symbol`] is a 32-bit handle; comparing two is comparing two integers.
//!
//! Knows nothing of what a name stands for: that is the reader's symbol table.

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

/// The table of names: one arena of text, and an entry for each name that tells most names apart
/// without a look at the text.
#[derive(Clone, Default)]
pub struct Symbols {
    text: String,
    entries: Vec<Entry>,
    table: Table,
    /// The latest names, by their slots: texts repeat the same few.
    recent: Vec<Symbol>,
}

/// A name's first bytes and its place in the arena.
#[derive(Clone, Copy)]
struct Entry {
    head: Head,
    start: u32,
    len: u32,
}

/// The most bytes that all names of one store may take together.
const MAX_TEXT: usize = u32::MAX as usize;

/// So many bytes of a name lie in its entry.
const HEAD: usize = 16;

/// The logarithm of the number of recent names.
const RECENT_BITS: u32 = 11;

/// The first bytes of a name, zeros behind a shorter one.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Head([u64; 2]);

/// The bytes of a head that a name of this length takes.
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
    /// The head of the name that begins a text. Reading beyond a short name's end and clearing
    /// what does not belong to it spares a branch on its length.
    #[inline]
    fn new(text: &[u8], len: usize) -> Head {
        let block = match text.first_chunk::<HEAD>() {
            Some(block) => u128::from_le_bytes(*block),
            None => padded(text),
        };
        let Head([low, high]) = TAKEN[len.min(HEAD)];
        Head([block as u64 & low, (block >> 64) as u64 & high])
    }

    /// Where among the recent names this one is kept, if it is all head.
    #[inline]
    fn slot(self) -> usize {
        let Head([low, high]) = self;
        ((low ^ high.rotate_left(29)).wrapping_mul(FACTOR) >> (u64::BITS - RECENT_BITS)) as usize
    }

    /// The same for a longer name, whose end tells most.
    #[inline]
    fn long_slot(self, name: &[u8]) -> usize {
        let Head([low, high]) = self;
        let end = name.last_chunk::<8>().map_or(0, |end| u64::from_le_bytes(*end));
        Head([low ^ fold(end, FACTOR), high]).slot()
    }
}

#[cold]
fn padded(text: &[u8]) -> u128 {
    let mut block = [0; HEAD];
    block[..text.len()].copy_from_slice(text);
    u128::from_le_bytes(block)
}

/// Both halves of the product: each bit of the factors reaches the upper bits, where tables look.
#[inline]
fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

const FACTOR: u64 = 0xA076_1D64_78BD_642F;

const SEED: [u64; 2] = [0x9E37_79B9_7F4A_7C15, 0xD1B5_4A32_D192_ED03];

/// Where a name that is all head is looked for. Programs that write scripts number their names:
/// those that differ in the last byte only lie together.
#[inline]
fn short_key(head: Head, len: usize) -> Key {
    /// Words for names that differ in the last byte only.
    const TOGETHER: usize = 4;
    let Head([low, high]) = head;
    let Head([low_mask, high_mask]) = TAKEN[len.saturating_sub(1)];
    let last = low & !low_mask ^ high & !high_mask;
    let family = fold(low & low_mask ^ SEED[0], high & high_mask ^ SEED[1]);
    let hash = (family ^ last).wrapping_mul(FACTOR);
    Key { near: (family >> 32) as usize * TOGETHER + (hash >> 62) as usize, hash }
}

/// Where a longer name is looked for.
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
    // The last word overlaps the one before it where it can, instead of being filled up.
    let last = match rest.last_chunk::<8>() {
        Some(word) => u64::from_le_bytes(*word),
        None => rest.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    };
    fold(hash ^ last ^ rest.len() as u64, FACTOR)
}

impl Symbols {
    /// The handle of `name`, made on first sight.
    pub fn intern(&mut self, name: &str) -> Symbol {
        self.intern_in(name, 0..name.len())
    }

    /// The handle of the name in this range of a text. Faster than [`Symbols::intern`] where the
    /// text goes on behind the name.
    ///
    /// # Panics
    /// Where the text has no such range.
    #[inline]
    pub fn intern_in(&mut self, text: &str, range: Range<usize>) -> Symbol {
        let len = range.len();
        if len > HEAD {
            return self.intern_long(&text[range]);
        }
        let head = Head::new(&text.as_bytes()[range.start..], len);
        match self.recent.get(head.slot()) {
            Some(&symbol) if self.entries[symbol.index()].is_short(head, len) => symbol,
            _ => self.intern_short(head, &text[range]),
        }
    }

    #[inline(never)]
    fn intern_short(&mut self, head: Head, name: &str) -> Symbol {
        let key = short_key(head, name.len());
        let symbol = match self.find_short(key, head, name.len()) {
            Some(found) => found,
            None => self.add(key, head, name),
        };
        self.remember(head.slot(), symbol)
    }

    #[inline(never)]
    fn intern_long(&mut self, name: &str) -> Symbol {
        let (head, rest) = split(name);
        let slot = head.long_slot(name.as_bytes());
        if let Some(&symbol) = self.recent.get(slot) {
            if self.entries[symbol.index()].is_long(head, rest, &self.text) {
                return symbol;
            }
        }
        let key = long_key(head, rest);
        let symbol = match self.find_long(key, head, rest) {
            Some(found) => found,
            None => self.add(key, head, name),
        };
        self.remember(slot, symbol)
    }

    fn remember(&mut self, slot: usize, symbol: Symbol) -> Symbol {
        if self.recent.is_empty() {
            self.recent = vec![symbol; 1 << RECENT_BITS];
        }
        self.recent[slot] = symbol;
        symbol
    }

    #[inline(never)]
    fn add(&mut self, key: Key, head: Head, name: &str) -> Symbol {
        assert!(self.text.len() + name.len() <= MAX_TEXT, "more than 4 GiB of symbol text");
        let id = u32::try_from(self.entries.len()).expect("fewer than 2^32 names");
        let (text, entries) = (self.text.as_bytes(), &self.entries);
        self.table.insert(key, id, |id| entries[id as usize].key(text));
        let (start, len) = (self.text.len() as u32, name.len() as u32);
        self.entries.push(Entry { head, start, len });
        self.text.push_str(name);
        Symbol(id)
    }

    /// The handle of `name` if it was interned before.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Symbol> {
        let (head, rest) = split(name);
        if rest.is_empty() {
            return self.find_short(short_key(head, name.len()), head, name.len());
        }
        self.find_long(long_key(head, rest), head, rest)
    }

    #[inline]
    fn find_short(&self, key: Key, head: Head, len: usize) -> Option<Symbol> {
        let same = |id: u32| self.entries[id as usize].is_short(head, len);
        self.table.find(key, same).map(Symbol)
    }

    fn find_long(&self, key: Key, head: Head, rest: &[u8]) -> Option<Symbol> {
        let same = |id: u32| self.entries[id as usize].is_long(head, rest, &self.text);
        self.table.find(key, same).map(Symbol)
    }

    /// The name behind a handle.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        let entry = self.entries[symbol.index()];
        let start = entry.start as usize;
        &self.text[start..start + entry.len as usize]
    }

    /// How many names there are.
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
    /// Whether this is the name that is all head.
    #[inline]
    fn is_short(&self, head: Head, len: usize) -> bool {
        self.head == head && self.len as usize == len
    }

    /// Whether this is the name that goes on like this behind its head.
    #[inline]
    fn is_long(&self, head: Head, rest: &[u8], text: &str) -> bool {
        self.head == head && self.rest(text.as_bytes()) == rest
    }

    /// The bytes of a long name behind its head.
    #[inline]
    fn rest<'t>(&self, text: &'t [u8]) -> &'t [u8] {
        let (start, len) = (self.start as usize, self.len as usize);
        &text[start + len.min(HEAD)..start + len]
    }

    fn key(&self, text: &[u8]) -> Key {
        match self.rest(text) {
            [] => short_key(self.head, self.len as usize),
            rest => long_key(self.head, rest),
        }
    }
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
    fn names_of_every_length_are_told_apart_and_found_anywhere() {
        let mut symbols = Symbols::default();
        let text = "abcdefghijklmnopqrstuvwxyz0123456789\0\0 é";
        let ends: Vec<usize> = (0..=text.len()).filter(|&i| text.is_char_boundary(i)).collect();
        for &end in &ends {
            let symbol = symbols.intern_in(text, 0..end);
            assert_eq!(symbols.name(symbol), &text[..end]);
            assert_eq!(symbols.get(&text[..end]), Some(symbol));
        }
        assert_eq!(symbols.len(), ends.len());
        assert_eq!(symbols.intern("abd"), symbols.intern_in("xxabd", 2..5));
    }
}

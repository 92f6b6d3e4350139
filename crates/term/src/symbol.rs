//! Interned names. A [`Symbol`] is a 32-bit handle; comparing two is comparing two integers.
//!
//! Knows nothing of what a name stands for: that is the reader's symbol table.

use crate::table::Table;
use rustc_hash::FxHasher;
use std::hash::Hasher;

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

/// The table of names: one arena of text, one hash table of handles with their hashes, so that
/// neither a miss nor growth looks at the text.
#[derive(Clone, Default)]
pub struct Symbols {
    text: String,
    ends: Vec<u32>,
    table: Table,
}

/// The most bytes that all names of one store may take together.
const MAX_TEXT: usize = u32::MAX as usize;

fn hash_bytes(bytes: &[u8]) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(bytes);
    (hasher.finish() >> 32) as u32
}

impl Symbols {
    /// The handle of `name`, made on first sight.
    pub fn intern(&mut self, name: &str) -> Symbol {
        let hash = hash_bytes(name.as_bytes());
        if let Some(found) = self.find(hash, name) {
            return found;
        }
        assert!(self.text.len() + name.len() <= MAX_TEXT, "more than 4 GiB of symbol text");
        let id = u32::try_from(self.ends.len()).expect("each symbol takes a byte of a 4 GiB arena");
        self.text.push_str(name);
        self.ends.push(self.text.len() as u32);
        self.table.insert(hash, id);
        Symbol(id)
    }

    /// The handle of `name` if it was interned before.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Symbol> {
        self.find(hash_bytes(name.as_bytes()), name)
    }

    fn find(&self, hash: u32, name: &str) -> Option<Symbol> {
        let same = |id| self.text.as_bytes()[self.range(id)] == *name.as_bytes();
        self.table.find(hash, same).map(Symbol)
    }

    /// The name behind a handle.
    #[must_use]
    pub fn name(&self, symbol: Symbol) -> &str {
        &self.text[self.range(symbol.0)]
    }

    fn range(&self, id: u32) -> std::ops::Range<usize> {
        let start = if id == 0 { 0 } else { self.ends[id as usize - 1] as usize };
        start..self.ends[id as usize] as usize
    }

    /// How many names there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether no name was interned yet.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }
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
}

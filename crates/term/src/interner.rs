//! Arenas of items that are found by content: functions, literals, attributes, patterns.

use crate::node::mix;
use crate::sort::SortId;
use crate::symbol::Symbol;
use crate::table::{Key, Table};
use crate::term::{Attribute, Func, MatchPattern};
use crate::value::Value;
use rustc_hash::FxBuildHasher;
use std::hash::{BuildHasher, Hash};

/// Unique items of one type, found by content.
#[derive(Clone)]
pub(crate) struct Interner<T> {
    pub(crate) items: Vec<T>,
    table: Table,
}

/// What an [`Interner`] keeps.
pub(crate) trait Item: Eq + Hash {
    fn key(&self) -> Key {
        Key::scattered(FxBuildHasher.hash_one(self))
    }
}

impl Item for Value {
    /// Most items are machine words, for which a general hash function is too slow.
    #[inline]
    fn key(&self) -> Key {
        let word = match self {
            Value::Int(n) => n.to_i64().map(|n| (0, n as u64)),
            Value::BitVec(bits) if bits.width() <= 64 => {
                bits.to_u64().map(|word| (bits.width(), word))
            }
            _ => None,
        };
        match word {
            Some((width, word)) => Key::scattered(mix(mix(0, width.into()), word)),
            None => Key::scattered(FxBuildHasher.hash_one(self)),
        }
    }
}

impl Item for Box<[Attribute]> {}
impl Item for Box<[MatchPattern]> {}
impl Item for Func {}

impl<T: Item> Interner<T> {
    pub(crate) fn new() -> Interner<T> {
        Interner { items: Vec::new(), table: Table::default() }
    }

    pub(crate) fn intern(&mut self, item: T) -> u32 {
        let items = &self.items;
        let id = self.next_id();
        let same = |id: u32| items[id as usize] == item;
        let key_of = |id: u32| items[id as usize].key();
        if let Some(known) = self.table.find_or_insert(item.key(), id, same, key_of) {
            return known;
        }
        self.items.push(item);
        id
    }

    #[inline]
    fn next_id(&self) -> u32 {
        u32::try_from(self.items.len()).expect("fewer than 2^32 items of a kind")
    }
}

/// Functions. The first one with a name is found by the name alone: most names are declared once,
/// and generated files declare hundreds of thousands.
#[derive(Clone)]
pub(crate) struct Funcs {
    all: Interner<Func>,
    by_name: Direct,
}

impl Funcs {
    pub(crate) fn new() -> Funcs {
        Funcs { all: Interner::new(), by_name: Direct::default() }
    }

    #[inline]
    pub(crate) fn get(&self, id: u32) -> &Func {
        &self.all.items[id as usize]
    }

    pub(crate) fn len(&self) -> usize {
        self.all.items.len()
    }

    pub(crate) fn intern(&mut self, func: Func) -> u32 {
        let Func::Declared { name, .. } = func else { return self.all.intern(func) };
        match self.by_name.get(name.index()) {
            Some(first) if *self.get(first) == func => first,
            Some(_) => self.all.intern(func),
            None => self.add_first(name, func),
        }
    }

    /// The handle of a declared function without arguments.
    #[inline]
    pub(crate) fn intern_constant(&mut self, name: Symbol, result: SortId) -> u32 {
        let func = Func::Declared { name, params: Box::new([]), result };
        match self.by_name.get(name.index()) {
            Some(_) => self.intern(func),
            None => self.add_first(name, func),
        }
    }

    #[inline]
    fn add_first(&mut self, name: Symbol, func: Func) -> u32 {
        let id = self.all.next_id();
        self.by_name.set(name.index(), id);
        self.all.items.push(func);
        id
    }

    /// Makes room for about this many more.
    pub(crate) fn reserve(&mut self, funcs: usize) {
        self.all.items.reserve(funcs);
        self.by_name.reserve(funcs);
    }
}

/// Handles by a dense number without hashing: the most frequent meaning of a name.
#[derive(Clone, Default)]
pub(crate) struct Direct(Vec<u32>);

impl Direct {
    const NOTHING: u32 = u32::MAX;

    #[inline]
    pub(crate) fn get(&self, number: usize) -> Option<u32> {
        self.0.get(number).copied().filter(|&handle| handle != Direct::NOTHING)
    }

    #[inline]
    pub(crate) fn set(&mut self, number: usize, handle: u32) {
        if self.0.len() <= number {
            self.0.resize(number + 1, Direct::NOTHING);
        }
        self.0[number] = handle;
    }

    /// Makes room for this many more numbers.
    pub(crate) fn reserve(&mut self, numbers: usize) {
        self.0.reserve(numbers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Symbols;

    #[test]
    fn overloaded_functions_have_distinct_handles() {
        let (mut symbols, mut funcs) = (Symbols::default(), Funcs::new());
        let names = ["f", "g", "h"].map(|name| symbols.intern(name));
        let declared = |name, params: &[SortId]| Func::Declared {
            name,
            params: params.into(),
            result: SortId::INT,
        };
        let signatures = [&[][..], &[SortId::INT], &[SortId::REAL], &[SortId::BOOL, SortId::INT]];
        let mut all = Vec::new();
        for name in names {
            for params in signatures {
                all.push((funcs.intern(declared(name, params)), name, params));
            }
        }
        assert_eq!(funcs.len(), names.len() * signatures.len());
        for (id, name, params) in all {
            assert_eq!(funcs.intern(declared(name, params)), id);
            assert_eq!(*funcs.get(id), declared(name, params));
        }
    }
}

//! A hash table of 32-bit handles, for arenas that find their items by content.
//!
//! Tables outgrow the cache, and waiting for memory would take most of a reader's time. Hence three
//! measures. One byte of each hash is stored in a separate dense array, eight to a word: most
//! lookups of new items need only that small array. An item is stored *near* the items that are
//! looked up at about the same time, in the word that its [`Key`] names, while there is room. Other
//! items go where their hash says in a second table, which is as small as possible, so that a
//! popular place costs only one more lookup. Nothing is ever removed, so the bytes of a word are
//! filled in order.

/// The lookup key of an item.
#[derive(Clone, Copy)]
pub(crate) struct Key {
    /// The word to try first, modulo the number of words.
    pub(crate) near: usize,
    /// Well mixed in its upper half.
    pub(crate) hash: u64,
}

/// Handles by hash.
#[derive(Clone, Default)]
pub(crate) struct Table {
    near: Words,
    far: Words,
}

#[derive(Clone, Default)]
struct Words {
    /// A byte for each slot, zero if it is free. The length is a power of two, or zero.
    tags: Vec<u64>,
    /// The handles of the slots.
    ids: Vec<u32>,
    /// The number of taken slots.
    len: usize,
}

/// Slots whose bytes share a word.
const LANES: usize = 8;
/// The number of handles per word at which a table grows.
const PER_WORD: usize = 6;
/// The number of words in a cache line.
const WORDS: usize = 8;
const LOW_BITS: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const EVERY_LANE: u64 = 0x0101_0101_0101_0101;

impl Key {
    /// The key of an item that is not near others.
    #[inline]
    pub(crate) fn scattered(hash: u64) -> Key {
        Key { near: (hash >> 32) as usize, hash }
    }

    /// The key of an item that is looked up at about the same time as others with similar numbers.
    /// It may be in any word of its line, so that popular numbers cause no trouble.
    #[inline]
    pub(crate) fn by_age(number: usize, hash: u64) -> Key {
        /// Half of the capacity, because lines are not used equally.
        const PER_LINE: usize = WORDS * LANES / 2;
        Key { near: number / PER_LINE * WORDS + (hash >> 48) as usize % WORDS, hash }
    }

    #[inline]
    fn tag(self) -> u64 {
        (self.hash >> 56).max(1)
    }

    /// The first word to try if there is no room nearby.
    #[inline]
    fn far(self) -> usize {
        (self.hash >> 32) as usize
    }

    /// The distance to the next word, odd so that every word is reached. Neighbors would be a bad
    /// choice: they tend to be full together.
    #[inline]
    fn step(self) -> usize {
        self.hash as usize | 1
    }
}

/// The top bit of each byte that is zero.
#[inline]
fn zero_lanes(word: u64) -> u64 {
    !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS)
}

impl Table {
    /// The handle with this key that `same` recognises.
    #[inline]
    pub(crate) fn find(&self, key: Key, same: impl Fn(u32) -> bool) -> Option<u32> {
        let at = self.near.place(key.near);
        // An empty table has no word at all.
        let word = *self.near.tags.get(at)?;
        let found = self.near.find_in(word, at, key, &same);
        if found.is_some() || taken(word) < LANES { found } else { self.far.find(key, same) }
    }

    /// The handle with this key that `same` recognises; if there is none, `id` is added.
    #[inline]
    pub(crate) fn find_or_insert(
        &mut self,
        key: Key,
        id: u32,
        same: impl Fn(u32) -> bool,
        key_of: impl Fn(u32) -> Key,
    ) -> Option<u32> {
        let at = self.near.place(key.near);
        if let Some(&word) = self.near.tags.get(at) {
            let found = self.near.find_in(word, at, key, &same);
            if found.is_some() {
                return found;
            }
            let lane = taken(word);
            if lane < LANES && self.near.has_room() {
                self.near.put(key, id, at, lane);
                return None;
            }
            if lane == LANES {
                let found = self.far.find(key, same);
                if found.is_some() {
                    return found;
                }
            }
        }
        self.insert(key, id, key_of);
        None
    }

    /// Adds a handle that is not in the table; `key_of` gives the keys of those that are.
    pub(crate) fn insert(&mut self, key: Key, id: u32, key_of: impl Fn(u32) -> Key) {
        if !self.near.has_room() {
            self.grow(self.near.next_size(), &key_of);
        }
        self.place(key, id, &key_of);
    }

    /// Makes room for this many handles in all.
    pub(crate) fn reserve(&mut self, handles: usize, key_of: impl Fn(u32) -> Key) {
        let words = (handles / PER_WORD + 1).next_power_of_two();
        if words > self.near.tags.len() {
            self.grow(words, &key_of);
        }
    }

    #[cold]
    fn grow(&mut self, words: usize, key_of: &impl Fn(u32) -> Key) {
        let near = std::mem::replace(&mut self.near, Words::new(words));
        let far = std::mem::take(&mut self.far);
        near.handles().chain(far.handles()).for_each(|id| self.place(key_of(id), id, key_of));
    }

    #[inline]
    fn place(&mut self, key: Key, id: u32, key_of: &impl Fn(u32) -> Key) {
        let at = self.near.place(key.near);
        match taken(self.near.tags[at]) {
            LANES => self.place_far(key, id, key_of),
            lane => self.near.put(key, id, at, lane),
        }
    }

    #[inline(never)]
    fn place_far(&mut self, key: Key, id: u32, key_of: &impl Fn(u32) -> Key) {
        if !self.far.has_room() {
            let larger = Words::new(self.far.next_size());
            let far = std::mem::replace(&mut self.far, larger);
            far.handles().for_each(|id| self.far.add(key_of(id), id));
        }
        self.far.add(key, id);
    }
}

impl Words {
    fn new(words: usize) -> Words {
        Words { tags: vec![0; words], ids: vec![0; words * LANES], len: 0 }
    }

    /// The word for a number.
    #[inline]
    fn place(&self, number: usize) -> usize {
        number & self.tags.len().wrapping_sub(1)
    }

    /// Whether a handle may be added before the table grows: up to three quarters of the slots.
    #[inline]
    fn has_room(&self) -> bool {
        self.len < self.tags.len() * PER_WORD
    }

    /// The number of words after growing. Moving everything costs more than the excess room of a
    /// small table.
    fn next_size(&self) -> usize {
        const SMALL: usize = 1 << 14;
        let words = self.tags.len().max(1);
        if words < SMALL { words * 4 } else { words * 2 }
    }

    /// Searches the words that a hash names.
    #[inline(never)]
    fn find(&self, key: Key, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mut at = self.place(key.far());
        loop {
            let word = *self.tags.get(at)?;
            let found = self.find_in(word, at, key, &same);
            if found.is_some() || taken(word) < LANES {
                return found;
            }
            at = self.place(at.wrapping_add(key.step()));
        }
    }

    /// Searches the lanes of one word.
    #[inline]
    fn find_in(&self, word: u64, at: usize, key: Key, same: &impl Fn(u32) -> bool) -> Option<u32> {
        let mut matching = zero_lanes(word ^ (key.tag() * EVERY_LANE));
        while matching != 0 {
            let id = self.ids[at * LANES + matching.trailing_zeros() as usize / 8];
            if same(id) {
                return Some(id);
            }
            matching &= matching - 1;
        }
        None
    }

    /// Adds a handle to the first word with room that its hash names.
    fn add(&mut self, key: Key, id: u32) {
        let mut at = self.place(key.far());
        while taken(self.tags[at]) == LANES {
            at = self.place(at.wrapping_add(key.step()));
        }
        self.put(key, id, at, taken(self.tags[at]));
    }

    #[inline]
    fn put(&mut self, key: Key, id: u32, at: usize, lane: usize) {
        self.tags[at] |= key.tag() << (8 * lane);
        self.ids[at * LANES + lane] = id;
        self.len += 1;
    }

    fn handles(&self) -> impl Iterator<Item = u32> {
        let words = self.tags.iter().zip(self.ids.chunks_exact(LANES));
        words.flat_map(|(&word, ids)| ids[..taken(word)].iter().copied())
    }
}

/// The number of taken lanes of a word.
#[inline]
fn taken(word: u64) -> usize {
    LANES - word.leading_zeros() as usize / 8
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Few keys for many handles: long chains.
    fn crowded(id: u32) -> Key {
        let few = u64::from(id % 10);
        Key { near: few as usize / 2, hash: few << 32 | few << 56 }
    }

    #[test]
    fn handles_are_found_by_key_and_content() {
        let mut table = Table::default();
        assert_eq!(table.find(crowded(7), |_| true), None);
        for id in 0..1_000u32 {
            table.insert(crowded(id), id, crowded);
        }
        for id in 0..1_000u32 {
            assert_eq!(table.find(crowded(id), |found| found == id), Some(id));
            let other = Key { hash: crowded(id).hash | 1 << 63, ..crowded(id) };
            assert_eq!(table.find(other, |_| true), None);
        }
    }

    #[test]
    fn reserving_keeps_the_entries() {
        let mut table = Table::default();
        let key = Key::scattered(u64::MAX);
        table.insert(key, u32::MAX, |_| key);
        table.reserve(10_000, |_| key);
        assert_eq!(table.find(key, |_| true), Some(u32::MAX));
    }

    #[test]
    fn handles_are_added_once() {
        // Some places get far more than fits, others nothing.
        let key = |id: u32| Key::by_age(id as usize % 50, u64::from(id).wrapping_mul(0x9E37 << 44));
        let mut table = Table::default();
        for id in 0..5_000u32 {
            assert_eq!(table.find_or_insert(key(id), id, |known| known == id, key), None);
        }
        for id in 0..5_000u32 {
            let again = table.find_or_insert(key(id), 9_999, |known| known == id, key);
            assert_eq!((again, table.find(key(id), |known| known == id)), (Some(id), Some(id)));
        }
    }
}

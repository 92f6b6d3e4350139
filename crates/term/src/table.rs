//! A hash table of 32-bit handles, for arenas that find their items by content.
//!
//! Tables outgrow the cache, and waiting for memory would take most of a reader's time. Hence two
//! measures. One byte of each hash lies in a dense array of its own, eight to a word: for most
//! lookups of something new that small array alone answers. And an item is kept *near* the items
//! that are looked up at about the same time, in the word that its [`Key`] names, as long as there
//! is room; its hash chooses the place only when that word is full, so that a popular place costs
//! one more look and no more. Nothing is ever removed, so the bytes of a word are taken in order.

/// Where an item is looked for.
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
    /// A byte for each slot, zero where it is free. The length is a power of two, or zero.
    tags: Vec<u64>,
    /// The handles of the slots.
    ids: Vec<u32>,
    len: usize,
}

/// Slots whose bytes share a word.
const LANES: usize = 8;
/// Handles for each word, before the table grows.
const PER_WORD: usize = 6;
/// Lanes that items near each other may take; the last is for those that found no room nearby.
const NEAR_LANES: usize = 7;
const LOW_BITS: u64 = 0x7F7F_7F7F_7F7F_7F7F;
const EVERY_LANE: u64 = 0x0101_0101_0101_0101;

impl Key {
    /// The key of an item that is near to no other.
    #[inline]
    pub(crate) fn scattered(hash: u64) -> Key {
        Key { near: (hash >> 32) as usize, hash }
    }

    #[inline]
    fn tag(self) -> u64 {
        (self.hash >> 56).max(1)
    }

    /// The first word to try where there is no room nearby.
    #[inline]
    fn far(self) -> usize {
        (self.hash >> 32) as usize
    }

    /// The distance to the next one, odd so that every word has its turn. Neighbours would be a bad
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
        let at = key.near & self.tags.len().wrapping_sub(1);
        // An empty table has no word at all.
        let word = *self.tags.get(at)?;
        let found = self.find_in(word, at, key, &same);
        if found.is_some() || taken(word) < NEAR_LANES { found } else { self.find_far(key, same) }
    }

    #[inline(never)]
    fn find_far(&self, key: Key, same: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.tags.len() - 1;
        let mut at = key.far() & mask;
        loop {
            let word = self.tags[at];
            let found = self.find_in(word, at, key, &same);
            if found.is_some() || taken(word) < LANES {
                return found;
            }
            at = at.wrapping_add(key.step()) & mask;
        }
    }

    /// Looks through the lanes of one word.
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

    /// The handle with this key that `same` recognises; where there is none, `id` is added.
    #[inline]
    pub(crate) fn find_or_insert(
        &mut self,
        key: Key,
        id: u32,
        same: impl Fn(u32) -> bool,
        key_of: impl Fn(u32) -> Key,
    ) -> Option<u32> {
        let at = key.near & self.tags.len().wrapping_sub(1);
        if let Some(&word) = self.tags.get(at) {
            let found = self.find_in(word, at, key, &same);
            if found.is_some() {
                return found;
            }
            let lane = taken(word);
            if lane < NEAR_LANES && self.len < self.most() {
                self.len += 1;
                self.put(key, id, at, lane);
                return None;
            }
            if lane >= NEAR_LANES {
                let found = self.find_far(key, same);
                if found.is_some() {
                    return found;
                }
            }
        }
        self.insert(key, id, key_of);
        None
    }

    /// Adds a handle that is not in the table; `key_of` gives the keys of those that are.
    #[inline]
    pub(crate) fn insert(&mut self, key: Key, id: u32, key_of: impl Fn(u32) -> Key) {
        if self.len >= self.most() {
            self.grow(self.next_size(), key_of);
        }
        self.place(key, id);
        self.len += 1;
    }

    /// How many handles may be in the table before it grows: three quarters of the slots.
    #[inline]
    fn most(&self) -> usize {
        self.tags.len() * PER_WORD
    }

    /// How many words the table has once it has grown. Moving everything costs more than the room
    /// that a small table takes too much.
    fn next_size(&self) -> usize {
        const SMALL: usize = 1 << 14;
        let words = self.tags.len().max(1);
        if words < SMALL { words * 4 } else { words * 2 }
    }

    /// Makes room for this many handles in all.
    pub(crate) fn reserve(&mut self, handles: usize, key_of: impl Fn(u32) -> Key) {
        let words = (handles / PER_WORD + 1).next_power_of_two();
        if words > self.tags.len() {
            self.grow(words, key_of);
        }
    }

    #[cold]
    fn grow(&mut self, words: usize, key_of: impl Fn(u32) -> Key) {
        let tags = std::mem::replace(&mut self.tags, vec![0; words]);
        let ids = std::mem::replace(&mut self.ids, vec![0; words * LANES]);
        for (word, ids) in tags.into_iter().zip(ids.chunks_exact(LANES)) {
            for &id in &ids[..taken(word)] {
                self.place(key_of(id), id);
            }
        }
    }

    #[inline]
    fn place(&mut self, key: Key, id: u32) {
        let mask = self.tags.len() - 1;
        let mut at = key.near & mask;
        if taken(self.tags[at]) >= NEAR_LANES {
            at = key.far() & mask;
            while taken(self.tags[at]) == LANES {
                at = at.wrapping_add(key.step()) & mask;
            }
        }
        self.put(key, id, at, taken(self.tags[at]));
    }

    #[inline]
    fn put(&mut self, key: Key, id: u32, at: usize, lane: usize) {
        self.tags[at] |= key.tag() << (8 * lane);
        self.ids[at * LANES + lane] = id;
    }
}

/// How many lanes of a word are taken.
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
    fn reserving_keeps_what_is_there() {
        let mut table = Table::default();
        let key = Key::scattered(u64::MAX);
        table.insert(key, u32::MAX, |_| key);
        table.reserve(10_000, |_| key);
        assert_eq!(table.find(key, |_| true), Some(u32::MAX));
    }
}

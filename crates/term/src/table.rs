//! A hash table of 32-bit handles, for arenas that find their items by content.
//!
//! One array of words, each a handle with its hash: a lookup touches one cache line before it
//! looks at an item, and growing never looks at items at all. Nothing is ever removed.

/// Handles by hash.
#[derive(Clone, Default)]
pub(crate) struct Table {
    /// The hash in the upper half, the handle plus one in the lower; zero is a free slot. The
    /// length is a power of two, or zero.
    slots: Vec<u64>,
    len: usize,
}

impl Table {
    /// The handle with this hash that `same` recognises.
    #[inline]
    pub(crate) fn find(&self, hash: u32, mut same: impl FnMut(u32) -> bool) -> Option<u32> {
        if self.slots.is_empty() {
            return None;
        }
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot == 0 {
                return None;
            }
            let id = (slot as u32).wrapping_sub(1);
            if (slot >> 32) as u32 == hash && same(id) {
                return Some(id);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds a handle that is not in the table.
    #[inline]
    pub(crate) fn insert(&mut self, hash: u32, id: u32) {
        if self.len >= self.slots.len() / 8 * 5 {
            self.grow((self.slots.len() * 2).max(16));
        }
        self.place(u64::from(hash) << 32 | (u64::from(id) + 1));
        self.len += 1;
    }

    /// Makes room for this many handles in all.
    pub(crate) fn reserve(&mut self, handles: usize) {
        let slots = (handles / 5 * 8 + 16).next_power_of_two();
        if slots > self.slots.len() {
            self.grow(slots);
        }
    }

    fn grow(&mut self, slots: usize) {
        let old = std::mem::replace(&mut self.slots, vec![0; slots]);
        old.into_iter().filter(|&slot| slot != 0).for_each(|slot| self.place(slot));
    }

    fn place(&mut self, slot: u64) {
        let mask = self.slots.len() - 1;
        let mut at = (slot >> 32) as usize & mask;
        while self.slots[at] != 0 {
            at = (at + 1) & mask;
        }
        self.slots[at] = slot;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn handles_are_found_by_hash_and_content() {
        let mut table = Table::default();
        assert_eq!(table.find(7, |_| true), None);
        // Many handles with few hashes: long chains, and several rounds of growth.
        for id in 0..1_000u32 {
            table.insert(id % 10, id);
        }
        for id in 0..1_000u32 {
            assert_eq!(table.find(id % 10, |found| found == id), Some(id));
            assert_eq!(table.find(id % 10 + 10, |_| true), None);
        }
    }

    #[test]
    fn reserving_keeps_what_is_there() {
        let mut table = Table::default();
        table.insert(u32::MAX, u32::MAX - 1);
        table.reserve(10_000);
        assert_eq!(table.find(u32::MAX, |_| true), Some(u32::MAX - 1));
    }
}

//! A cache of recent answers to a frequent query.

/// Recent answers, by slot. The slots are allocated only when that pays off, and a copy starts
/// empty: lost answers can be recomputed.
pub(crate) struct AnswerCache<T, const SLOTS: usize> {
    /// Empty, or all slots.
    slots: Box<[T]>,
    unkept: u32,
}

/// The number of answers before the slots are allocated: a small text needs none.
const PATIENCE: u32 = 200;

impl<T: Copy, const SLOTS: usize> AnswerCache<T, SLOTS> {
    pub(crate) fn new() -> Self {
        AnswerCache { slots: Box::new([]), unkept: 0 }
    }

    #[inline(always)]
    pub(crate) fn get(&self, slot: usize) -> Option<&T> {
        self.slots.get(slot)
    }

    /// Stores an answer; if the slots are allocated now, the others are blank.
    #[inline]
    pub(crate) fn set(&mut self, slot: usize, answer: T, blank: T) {
        match self.slots.get_mut(slot) {
            Some(kept) => *kept = answer,
            None => self.unkept(blank),
        }
    }

    #[cold]
    fn unkept(&mut self, blank: T) {
        self.unkept += 1;
        if self.unkept > PATIENCE {
            self.slots = vec![blank; SLOTS].into();
        }
    }
}

impl<T: Copy, const SLOTS: usize> Clone for AnswerCache<T, SLOTS> {
    fn clone(&self) -> Self {
        AnswerCache::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_starts_after_many_answers() {
        let mut recent: AnswerCache<u32, 8> = AnswerCache::new();
        recent.set(3, 7, 0);
        assert_eq!(recent.get(3), None);
        (0..=PATIENCE).for_each(|_| recent.set(3, 7, 0));
        assert_eq!((recent.get(3), recent.get(4)), (Some(&7), Some(&0)));
        assert_eq!(recent.clone().get(3), None);
    }
}

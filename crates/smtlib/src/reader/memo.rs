//! A cache for short texts.

/// The latest meanings of texts of at most sixteen bytes, by slot. Only for texts whose meaning never
/// changes.
pub(super) struct Memo<T> {
    /// None, or all.
    slots: Vec<Option<(u128, T)>>,
}

const SLOTS: usize = 64;

impl<T: Copy> Memo<T> {
    pub(super) fn new() -> Memo<T> {
        Memo { slots: Vec::new() }
    }

    #[inline]
    pub(super) fn get(&self, text: u128) -> Option<T> {
        match self.slots.get(slot(text)) {
            Some(Some((known, meaning))) if *known == text => Some(*meaning),
            _ => None,
        }
    }

    pub(super) fn set(&mut self, text: u128, meaning: T) {
        self.slots.resize(SLOTS, None);
        self.slots[slot(text)] = Some((text, meaning));
    }
}

#[inline]
fn slot(text: u128) -> usize {
    let halves = text as u64 ^ (text >> 64) as u64;
    (halves.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 32) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_memo_never_returns_the_meaning_of_another_text() {
        let mut memo = Memo::new();
        assert_eq!(memo.get(1), None);
        for text in 0..500u128 {
            memo.set(text << 64, text);
            assert_eq!(memo.get(text << 64), Some(text));
        }
        let kept = (0..500).filter(|text| memo.get(text << 64) == Some(*text)).count();
        assert!((1..=SLOTS).contains(&kept));
        assert_eq!(memo.get(500 << 64), None);
    }
}

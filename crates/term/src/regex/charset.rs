//! Sets of characters as sorted, disjoint, non-adjacent intervals; the alphabet is never listed.

/// The largest SMT-LIB character.
pub const MAX_CHAR: u32 = 0x2FFFF;

/// A set of characters with one representation for each set.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct CharSet(Box<[(u32, u32)]>);

impl CharSet {
    /// The characters from `lo` to `hi`, which the caller has ordered and bounded.
    pub(super) fn interval(lo: u32, hi: u32) -> Self {
        debug_assert!(lo <= hi && hi <= MAX_CHAR);
        CharSet([(lo, hi)].into())
    }

    /// The union of all given intervals.
    pub(super) fn from_intervals(mut intervals: Vec<(u32, u32)>) -> Self {
        intervals.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(intervals.len());
        for (lo, hi) in intervals {
            match merged.last_mut() {
                Some(last) if lo <= last.1.saturating_add(1) => last.1 = last.1.max(hi),
                _ => merged.push((lo, hi)),
            }
        }
        CharSet(merged.into())
    }

    pub(super) fn intervals(&self) -> &[(u32, u32)] {
        &self.0
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn contains(&self, c: u32) -> bool {
        let after = self.0.partition_point(|&(lo, _)| lo <= c);
        after > 0 && c <= self.0[after - 1].1
    }

    pub(super) fn intersection(&self, other: &CharSet) -> CharSet {
        let (mut i, mut j) = (0, 0);
        let mut common = Vec::new();
        while let (Some(&(a, b)), Some(&(c, d))) = (self.0.get(i), other.0.get(j)) {
            if a.max(c) <= b.min(d) {
                common.push((a.max(c), b.min(d)));
            }
            if b < d {
                i += 1;
            } else {
                j += 1;
            }
        }
        CharSet(common.into())
    }
}

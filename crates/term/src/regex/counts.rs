//! Ranges of repetition counts, kept as numbers however large they are.

/// An upper end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Bound {
    Finite(u64),
    Infinite,
}

impl Bound {
    fn checked_add(self, other: Bound) -> Option<Bound> {
        match (self, other) {
            (Bound::Finite(a), Bound::Finite(b)) => a.checked_add(b).map(Bound::Finite),
            _ => Some(Bound::Infinite),
        }
    }

    fn checked_mul(self, other: Bound) -> Option<Bound> {
        match (self, other) {
            (Bound::Finite(0), _) | (_, Bound::Finite(0)) => Some(Bound::Finite(0)),
            (Bound::Finite(a), Bound::Finite(b)) => a.checked_mul(b).map(Bound::Finite),
            _ => Some(Bound::Infinite),
        }
    }

    /// The sum as an upper estimate: a finite sum too large to hold becomes infinite.
    pub(super) fn add(self, other: Bound) -> Bound {
        self.checked_add(other).unwrap_or(Bound::Infinite)
    }

    /// The product as an upper estimate, in the same way.
    pub(super) fn mul(self, other: Bound) -> Bound {
        self.checked_mul(other).unwrap_or(Bound::Infinite)
    }
}

/// The counts from `lo` to `hi`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Counts {
    pub(super) lo: u64,
    pub(super) hi: Bound,
}

impl Counts {
    pub(super) const ONCE: Counts = Counts::new(1, Bound::Finite(1));
    pub(super) const ANY: Counts = Counts::new(0, Bound::Infinite);
    pub(super) const SOME: Counts = Counts::new(1, Bound::Infinite);

    pub(super) const fn new(lo: u64, hi: Bound) -> Self {
        Counts { lo, hi }
    }

    pub(super) fn is_void(self) -> bool {
        Bound::Finite(self.lo) > self.hi
    }

    /// The counts left after one repetition.
    pub(super) fn less_one(self) -> Counts {
        let hi = match self.hi {
            Bound::Finite(n) => Bound::Finite(n.saturating_sub(1)),
            Bound::Infinite => Bound::Infinite,
        };
        Counts::new(self.lo.saturating_sub(1), hi)
    }

    /// The counts of `x{self}` followed by `x{next}`, if they can be held exactly.
    pub(super) fn sum(self, next: Counts) -> Option<Counts> {
        let lo = self.lo.checked_add(next.lo)?;
        Some(Counts::new(lo, self.hi.checked_add(next.hi)?))
    }

    /// The union of two ranges, if it is a range: they overlap or touch.
    pub(super) fn merged(self, other: Counts) -> Option<Counts> {
        let (first, second) = if self.lo <= other.lo { (self, other) } else { (other, self) };
        let reach = first.hi.add(Bound::Finite(1));
        let touching = Bound::Finite(second.lo) <= reach;
        touching.then(|| Counts::new(first.lo, first.hi.max(second.hi)))
    }

    pub(super) fn intersection(self, other: Counts) -> Counts {
        Counts::new(self.lo.max(other.lo), self.hi.min(other.hi))
    }

    /// The counts of `(x{self}){outer}`, if they form a range that can be held exactly.
    ///
    /// Repeating `m` times gives the range from `m*lo` to `m*hi`. Neighbouring ranges leave no
    /// gap when `(m+1)*lo <= m*hi + 1`, that is `lo <= m*(hi-lo) + 1`; the smallest `m` decides.
    pub(super) fn nested_in(self, outer: Counts) -> Option<Counts> {
        let one_range = outer.hi == Bound::Finite(outer.lo);
        if !one_range {
            let spread = match self.hi {
                Bound::Finite(hi) => Bound::Finite(hi.checked_sub(self.lo)?),
                Bound::Infinite => Bound::Infinite,
            };
            let reach = spread.mul(Bound::Finite(outer.lo)).add(Bound::Finite(1));
            if Bound::Finite(self.lo) > reach {
                return None;
            }
        }
        let lo = self.lo.checked_mul(outer.lo)?;
        Some(Counts::new(lo, self.hi.checked_mul(outer.hi)?))
    }
}

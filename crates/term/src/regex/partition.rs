//! Derivative classes: partitions of the alphabet into blocks of characters that an expression
//! cannot tell apart. Equal partitions are stored once and joins of two are remembered.

use std::sync::Arc;

use super::charset::{CharSet, MAX_CHAR};
use super::hashing::Table;
use crate::budget::{Budget, Exhausted, Meter, as_steps};

/// A partition as consecutive segments with block numbers, counted by first occurrence so that
/// each partition has one representation.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct Partition {
    /// First character of each segment with the block it belongs to.
    segments: Box<[(u32, u32)]>,
    /// One member of each block.
    representatives: Box<[u32]>,
}

/// Where a witness should take its characters from, best first; the rest of the alphabet last.
const READABLE: [(u32, u32); 4] = [(0x61, 0x7A), (0x41, 0x5A), (0x30, 0x39), (0x21, 0x7E)];

fn most_readable(lo: u32, hi: u32) -> (usize, u32) {
    let overlap = |&(first, last): &(u32, u32)| lo.max(first) <= hi.min(last);
    match READABLE.iter().position(overlap) {
        Some(rank) => (rank, lo.max(READABLE[rank].0)),
        None => (READABLE.len(), lo),
    }
}

/// The most readable character of some intervals.
pub(super) fn most_readable_of(intervals: &[(u32, u32)]) -> Option<u32> {
    let best = intervals.iter().map(|&(lo, hi)| most_readable(lo, hi)).min();
    best.map(|(_, c)| c)
}

impl Partition {
    /// Numbers the blocks of segments labelled in any way; segments start at character 0 and
    /// neighbours have different labels.
    fn new<L: Copy + Eq + std::hash::Hash>(labelled: &[(u32, L)]) -> Self {
        let mut numbers: Table<L, u32> = Table::default();
        let mut segments = Vec::with_capacity(labelled.len());
        let mut best: Vec<(usize, u32)> = Vec::new();
        for (index, &(start, label)) in labelled.iter().enumerate() {
            let end = labelled.get(index + 1).map_or(MAX_CHAR, |next| next.0 - 1);
            let candidate = most_readable(start, end);
            let fresh = u32::try_from(best.len()).expect("no more blocks than characters");
            let block = *numbers.entry(label).or_insert(fresh);
            if block == fresh {
                best.push(candidate);
            } else if let Some(old) = best.get_mut(block as usize) {
                *old = candidate.min(*old);
            }
            segments.push((start, block));
        }
        Partition {
            segments: segments.into(),
            representatives: best.into_iter().map(|(_, c)| c).collect(),
        }
    }

    fn of_set(set: &CharSet) -> Self {
        let mut labelled = Vec::new();
        let mut next = 0;
        for &(lo, hi) in set.intervals() {
            if next < lo {
                labelled.push((next, false));
            }
            labelled.push((lo, true));
            next = hi + 1;
        }
        if next <= MAX_CHAR {
            labelled.push((next, false));
        }
        Partition::new(&labelled)
    }

    fn join(&self, other: &Partition) -> Self {
        let (mut i, mut j) = (0, 0);
        let mut labelled = Vec::new();
        while let (Some(&(a, p)), Some(&(b, q))) = (self.segments.get(i), other.segments.get(j)) {
            labelled.push((a.max(b), (p, q)));
            let ends = |segments: &[(u32, u32)], at: usize| {
                segments.get(at + 1).map_or(MAX_CHAR + 1, |next| next.0)
            };
            let (end_a, end_b) = (ends(&self.segments, i), ends(&other.segments, j));
            i += usize::from(end_a <= end_b);
            j += usize::from(end_b <= end_a);
        }
        Partition::new(&labelled)
    }

    /// The number of the block that holds `c`, a character of the alphabet.
    pub(super) fn block_of(&self, c: u32) -> u32 {
        let after = self.segments.partition_point(|&(start, _)| start <= c);
        self.segments[after - 1].1
    }

    /// One member of each block.
    pub(super) fn representatives(&self) -> &[u32] {
        &self.representatives
    }
}

/// A partition of a [`Partitions`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct PartId(u32);

impl PartId {
    /// The partition with one block.
    pub(super) const TRIVIAL: PartId = PartId(0);
}

/// The partitions of one arena.
#[derive(Debug)]
pub(super) struct Partitions {
    list: Vec<Arc<Partition>>,
    index: Table<Arc<Partition>, PartId>,
    joins: Table<(PartId, PartId), PartId>,
}

impl Partitions {
    pub(super) fn new() -> Self {
        let trivial = Arc::new(Partition::new(&[(0, ())]));
        Partitions {
            list: vec![Arc::clone(&trivial)],
            index: [(trivial, PartId::TRIVIAL)].into_iter().collect(),
            joins: Table::default(),
        }
    }

    pub(super) fn get(&self, id: PartId) -> &Arc<Partition> {
        &self.list[id.0 as usize]
    }

    fn intern(
        &mut self,
        partition: Partition,
        meter: &mut Meter,
        budget: &mut Budget,
    ) -> Result<PartId, Exhausted> {
        if let Some(&known) = self.index.get(&partition) {
            return Ok(known);
        }
        let blocks = partition.representatives.len();
        meter.grow(12 + partition.segments.len() + blocks, budget)?;
        let id = PartId(u32::try_from(self.list.len()).map_err(|_| Exhausted::Space)?);
        let partition = Arc::new(partition);
        self.list.push(Arc::clone(&partition));
        self.index.insert(partition, id);
        Ok(id)
    }

    /// The partition into a set and its complement.
    pub(super) fn of_set(
        &mut self,
        set: &CharSet,
        meter: &mut Meter,
        budget: &mut Budget,
    ) -> Result<PartId, Exhausted> {
        budget.spend(as_steps(set.intervals().len()))?;
        self.intern(Partition::of_set(set), meter, budget)
    }

    /// The coarsest partition finer than both.
    pub(super) fn join(
        &mut self,
        p: PartId,
        q: PartId,
        meter: &mut Meter,
        budget: &mut Budget,
    ) -> Result<PartId, Exhausted> {
        let (p, q) = (p.min(q), p.max(q));
        if p == PartId::TRIVIAL || p == q {
            return Ok(q);
        }
        budget.spend(1)?;
        if let Some(&known) = self.joins.get(&(p, q)) {
            return Ok(known);
        }
        let (left, right) = (Arc::clone(self.get(p)), Arc::clone(self.get(q)));
        budget.spend(as_steps(left.segments.len() + right.segments.len()))?;
        let joined = self.intern(left.join(&right), meter, budget)?;
        meter.grow(3, budget)?;
        self.joins.insert((p, q), joined);
        Ok(joined)
    }

    /// The coarsest partition finer than all, joined as a balanced tree: a chain of joins would
    /// store a quadratic number of segments.
    pub(super) fn join_all(
        &mut self,
        mut parts: Vec<PartId>,
        meter: &mut Meter,
        budget: &mut Budget,
    ) -> Result<PartId, Exhausted> {
        parts.sort_unstable();
        parts.dedup();
        while parts.len() > 1 {
            let mut joined = Vec::with_capacity(parts.len().div_ceil(2));
            for pair in parts.chunks(2) {
                let other = pair.get(1).copied().unwrap_or(PartId::TRIVIAL);
                joined.push(self.join(pair[0], other, meter, budget)?);
            }
            joined.sort_unstable();
            joined.dedup();
            parts = joined;
        }
        Ok(parts.first().copied().unwrap_or(PartId::TRIVIAL))
    }
}

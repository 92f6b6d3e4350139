//! The private arena of a query: hash-consed expressions with facts about their languages.
//!
//! An [`Id`] is meaningful only in its arena. Operands always have smaller ids than the node
//! they are in, which compaction relies on.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::charset::{CharSet, MAX_CHAR};
use super::counts::{Bound, Counts};
use super::hashing::{Mixer, Table};
use super::partition::{PartId, Partition, Partitions};
use crate::budget::{Budget, Exhausted, Meter, as_steps};

/// An expression of an [`Arena`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Id(u32);

impl Id {
    /// The empty language.
    pub(super) const EMPTY: Id = Id(0);
    /// The empty word.
    pub(super) const EPSILON: Id = Id(1);
    /// All words of one character.
    pub(super) const CHAR: Id = Id(2);
    /// All words.
    pub(super) const ALL: Id = Id(3);

    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// A normalised expression. The builders in [`super::build`] keep these invariants: a
/// concatenation associates to the right; unions and intersections are flat, sorted, free of
/// duplicates, and have at least two operands; loops repeat more than once.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Shape {
    Empty,
    Epsilon,
    Chars(CharSet),
    Concat(Id, Id),
    Union(Box<[Id]>),
    Inter(Box<[Id]>),
    Comp(Id),
    Loop(Id, Counts),
}

impl Shape {
    fn operands(&self) -> (&[Id], Option<Id>) {
        match self {
            Shape::Empty | Shape::Epsilon | Shape::Chars(_) => (&[], None),
            Shape::Concat(head, tail) => (std::slice::from_ref(head), Some(*tail)),
            Shape::Union(parts) | Shape::Inter(parts) => (parts, None),
            Shape::Comp(body) | Shape::Loop(body, _) => (std::slice::from_ref(body), None),
        }
    }

    fn renamed(&self, new: &[Id]) -> Shape {
        let all = |parts: &[Id]| parts.iter().map(|id| new[id.index()]).collect();
        match self {
            Shape::Empty | Shape::Epsilon | Shape::Chars(_) => self.clone(),
            Shape::Concat(head, tail) => Shape::Concat(new[head.index()], new[tail.index()]),
            Shape::Union(parts) => Shape::Union(all(parts)),
            Shape::Inter(parts) => Shape::Inter(all(parts)),
            Shape::Comp(body) => Shape::Comp(new[body.index()]),
            Shape::Loop(body, counts) => Shape::Loop(new[body.index()], *counts),
        }
    }

    fn cells(&self) -> usize {
        match self {
            Shape::Chars(set) => set.intervals().len(),
            Shape::Union(parts) | Shape::Inter(parts) => parts.len().div_ceil(2),
            _ => 0,
        }
    }
}

/// Facts about the language of a node that are known without exploring it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Facts {
    /// Whether it contains the empty word: exact.
    pub(super) nullable: bool,
    /// If true, it contains a word; if false, that was not checked.
    pub(super) inhabited: bool,
    /// No word is shorter.
    pub(super) min_len: u64,
    /// If true, some word has exactly that length; if false, that was not checked.
    pub(super) attained: bool,
    /// No word is longer.
    pub(super) max_len: Bound,
}

impl Facts {
    /// All words have this length, and there are some unless it is the largest number.
    fn of_word_length(length: u64) -> Facts {
        Facts {
            nullable: length == 0,
            inhabited: length < u64::MAX,
            min_len: length,
            attained: length < u64::MAX,
            max_len: Bound::Finite(if length < u64::MAX { length } else { 0 }),
        }
    }

    fn followed_by(&self, tail: &Facts) -> Facts {
        Facts {
            nullable: self.nullable && tail.nullable,
            inhabited: self.inhabited && tail.inhabited,
            min_len: self.min_len.saturating_add(tail.min_len),
            attained: self.attained && tail.attained,
            max_len: self.max_len.add(tail.max_len),
        }
    }

    fn complemented(&self) -> Facts {
        Facts {
            nullable: !self.nullable,
            inhabited: self.max_len != Bound::Infinite,
            min_len: u64::from(self.nullable),
            attained: false,
            max_len: Bound::Infinite,
        }
    }

    fn repeated(&self, counts: Counts) -> Facts {
        Facts {
            nullable: counts.lo == 0 || self.nullable,
            inhabited: counts.lo == 0 || self.inhabited,
            min_len: counts.lo.saturating_mul(self.min_len),
            attained: counts.lo == 0 || self.attained,
            max_len: counts.hi.mul(self.max_len),
        }
    }
}

#[derive(Debug)]
struct Entry {
    shape: Shape,
    facts: Facts,
    /// The derivative classes; `None` until they are needed.
    classes: Option<PartId>,
    /// The previous node with the same hash.
    next: Option<Id>,
}

/// Cells of a node without its operands: the entry and its place in the index.
const NODE_CELLS: usize = 14;
/// Cells of a remembered derivative.
const MEMO_CELLS: usize = 3;

/// The expressions of one query.
#[derive(Debug)]
pub(super) struct Arena {
    entries: Vec<Entry>,
    index: Table<u64, Id>,
    partitions: Partitions,
    derivatives: Table<(Id, u32), Id>,
    meter: Meter,
}

impl Arena {
    /// An arena that holds the four constants of [`Id`].
    pub(super) fn new(budget: &mut Budget) -> Result<Self, Exhausted> {
        let mut arena = Arena {
            entries: Vec::new(),
            index: Table::default(),
            partitions: Partitions::new(),
            derivatives: Table::default(),
            meter: Meter::default(),
        };
        let every_char = CharSet::interval(0, MAX_CHAR);
        arena.intern(Shape::Empty, budget)?;
        arena.intern(Shape::Epsilon, budget)?;
        arena.intern(Shape::Chars(every_char), budget)?;
        arena.intern(Shape::Loop(Id::CHAR, Counts::ANY), budget)?;
        Ok(arena)
    }

    pub(super) fn shape(&self, id: Id) -> &Shape {
        &self.entries[id.index()].shape
    }

    pub(super) fn facts(&self, id: Id) -> &Facts {
        &self.entries[id.index()].facts
    }

    pub(super) fn nullable(&self, id: Id) -> bool {
        self.facts(id).nullable
    }

    /// The derivative classes of an expression, if they were found already.
    pub(super) fn known_classes(&self, id: Id) -> Option<PartId> {
        self.entries[id.index()].classes
    }

    /// Finds the derivative classes of an expression from those of the operands that matter.
    pub(super) fn join_classes(
        &mut self,
        id: Id,
        operands: &[Id],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let classes = match &self.entries[id.index()].shape {
            Shape::Chars(set) => self.partitions.of_set(set, &mut self.meter, budget)?,
            _ => {
                let known = operands.iter().filter_map(|&part| self.known_classes(part));
                let known = known.collect();
                self.partitions.join_all(known, &mut self.meter, budget)?
            }
        };
        self.entries[id.index()].classes = Some(classes);
        Ok(())
    }

    pub(super) fn partition(&self, id: PartId) -> Arc<Partition> {
        Arc::clone(self.partitions.get(id))
    }

    /// The coarsest partition finer than both.
    pub(super) fn join(
        &mut self,
        p: PartId,
        q: PartId,
        budget: &mut Budget,
    ) -> Result<PartId, Exhausted> {
        self.partitions.join(p, q, &mut self.meter, budget)
    }

    /// Charges memory that a search uses in addition to the arena.
    pub(super) fn grow(&mut self, cells: usize, budget: &mut Budget) -> Result<(), Exhausted> {
        self.meter.grow(cells, budget)
    }

    /// The derivative of `id` by `c`, if one by a character of the same class is remembered.
    pub(super) fn remembered(&self, id: Id, c: u32) -> Option<Id> {
        let block = self.partitions.get(self.known_classes(id)?).block_of(c);
        self.derivatives.get(&(id, block)).copied()
    }

    /// Remembers a derivative by `c`, and thereby by every character of the same class; the
    /// classes must be known.
    pub(super) fn remember(
        &mut self,
        id: Id,
        c: u32,
        derivative: Id,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        self.meter.grow(MEMO_CELLS, budget)?;
        if let Some(classes) = self.known_classes(id) {
            let block = self.partitions.get(classes).block_of(c);
            self.derivatives.insert((id, block), derivative);
        }
        Ok(())
    }

    /// The node of this shape, whose invariants the caller has established.
    pub(super) fn intern(&mut self, shape: Shape, budget: &mut Budget) -> Result<Id, Exhausted> {
        budget.spend(1 + as_steps(shape.cells()))?;
        let mut mixer = Mixer::default();
        shape.hash(&mut mixer);
        let hash = mixer.finish();
        let newest = self.index.get(&hash).copied();
        let mut candidate = newest;
        while let Some(id) = candidate {
            let entry = &self.entries[id.index()];
            if entry.shape == shape {
                return Ok(id);
            }
            candidate = entry.next;
        }
        self.meter.grow(NODE_CELLS + shape.cells(), budget)?;
        let facts = self.find_facts(&shape);
        let id = Id(u32::try_from(self.entries.len()).map_err(|_| Exhausted::Space)?);
        self.entries.push(Entry { shape, facts, classes: None, next: newest });
        self.index.insert(hash, id);
        Ok(id)
    }

    fn find_facts(&self, shape: &Shape) -> Facts {
        let mut facts = match shape {
            Shape::Empty => Facts::of_word_length(u64::MAX),
            Shape::Epsilon => Facts::of_word_length(0),
            Shape::Chars(_) => Facts::of_word_length(1),
            Shape::Concat(head, tail) => self.facts(*head).followed_by(self.facts(*tail)),
            Shape::Union(parts) => self.facts_of_union(parts),
            Shape::Inter(parts) => self.facts_of_inter(parts),
            Shape::Comp(body) => self.facts(*body).complemented(),
            Shape::Loop(body, counts) => self.facts(*body).repeated(*counts),
        };
        if facts.nullable {
            facts.min_len = 0;
            facts.attained = true;
        }
        // A sum that ran into the largest number is no longer the length of a word.
        facts.attained &= facts.min_len < u64::MAX;
        facts.inhabited |= facts.attained;
        facts
    }

    fn facts_of_union(&self, parts: &[Id]) -> Facts {
        let all = || parts.iter().map(|&id| self.facts(id));
        let min_len = all().map(|part| part.min_len).min().unwrap_or(0);
        Facts {
            nullable: all().any(|part| part.nullable),
            inhabited: all().any(|part| part.inhabited),
            min_len,
            attained: all().any(|part| part.attained && part.min_len == min_len),
            max_len: all().map(|part| part.max_len).max().unwrap_or(Bound::Infinite),
        }
    }

    fn facts_of_inter(&self, parts: &[Id]) -> Facts {
        let all = || parts.iter().map(|&id| self.facts(id));
        Facts {
            nullable: all().all(|part| part.nullable),
            inhabited: false,
            min_len: all().map(|part| part.min_len).max().unwrap_or(0),
            attained: false,
            max_len: all().map(|part| part.max_len).min().unwrap_or(Bound::Infinite),
        }
    }

    /// Drops everything that the roots do not need, and renumbers the roots.
    ///
    /// The new numbers keep the old order, so that sorted operands stay sorted.
    pub(super) fn compact(
        &mut self,
        roots: &mut [Id],
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        budget.spend(as_steps(self.entries.len()))?;
        let mut needed = vec![false; self.entries.len()];
        roots.iter().for_each(|root| needed[root.index()] = true);
        for index in (0..self.entries.len()).rev() {
            if needed[index] {
                let (parts, last) = self.entries[index].shape.operands();
                parts.iter().chain(&last).for_each(|id| needed[id.index()] = true);
            }
        }
        let mut fresh = Arena::new(budget)?;
        let mut new = vec![Id::EMPTY; self.entries.len()];
        for index in (0..self.entries.len()).filter(|&index| needed[index]) {
            let shape = self.entries[index].shape.renamed(&new);
            new[index] = fresh.intern(shape, budget)?;
        }
        roots.iter_mut().for_each(|root| *root = new[root.index()]);
        *self = fresh;
        Ok(())
    }
}

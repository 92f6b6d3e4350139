//! Smart constructors of the arena: every law applied here is an equality of languages.
//!
//! Two purposes: similar expressions become one node, so that an expression has finitely many
//! derivatives (associativity, commutativity, idempotence, units and zeros), and ranges of
//! repetitions and lengths are computed with instead of unrolled. None of the constructors
//! recurses into operands further than a fixed number of levels.

use super::arena::{Arena, Id, Shape};
use super::charset::CharSet;
use super::counts::{Bound, Counts};
use crate::budget::{Budget, Exhausted, as_steps};

type Built = Result<Id, Exhausted>;

impl Arena {
    /// The one-character words of a set.
    pub(super) fn chars(&mut self, set: CharSet, budget: &mut Budget) -> Built {
        if set.is_empty() {
            return Ok(Id::EMPTY);
        }
        self.intern(Shape::Chars(set), budget)
    }

    /// The complement.
    pub(super) fn comp(&mut self, body: Id, budget: &mut Budget) -> Built {
        match self.shape(body) {
            Shape::Union(parts) => {
                let parts = parts.clone();
                let parts = self.comp_each(&parts, budget)?;
                self.inter(parts, budget)
            }
            Shape::Inter(parts) => {
                let parts = parts.clone();
                let parts = self.comp_each(&parts, budget)?;
                self.union(parts, budget)
            }
            _ => self.comp_here(body, budget),
        }
    }

    fn comp_each(&mut self, parts: &[Id], budget: &mut Budget) -> Result<Vec<Id>, Exhausted> {
        parts.iter().map(|&id| self.comp_here(id, budget)).collect()
    }

    /// The complement without De Morgan's laws, so that alternating operators cannot recurse.
    fn comp_here(&mut self, body: Id, budget: &mut Budget) -> Built {
        match *self.shape(body) {
            Shape::Empty => Ok(Id::ALL),
            Shape::Epsilon => self.repeat(Id::CHAR, Counts::SOME, budget),
            Shape::Comp(inner) => Ok(inner),
            Shape::Loop(Id::CHAR, Counts { lo, hi }) => match (lo, hi) {
                (0, Bound::Infinite) => Ok(Id::EMPTY),
                (_, Bound::Infinite) => {
                    self.repeat(Id::CHAR, Counts::new(0, Bound::Finite(lo - 1)), budget)
                }
                (0, Bound::Finite(most)) if most < u64::MAX => {
                    self.repeat(Id::CHAR, Counts::new(most + 1, Bound::Infinite), budget)
                }
                _ => self.intern(Shape::Comp(body), budget),
            },
            _ => self.intern(Shape::Comp(body), budget),
        }
    }

    /// A range of repetitions.
    pub(super) fn repeat(&mut self, body: Id, counts: Counts, budget: &mut Budget) -> Built {
        let (mut body, mut counts) = (body, counts);
        loop {
            budget.spend(1)?;
            if counts.is_void() {
                return Ok(Id::EMPTY);
            }
            if counts.hi == Bound::Finite(0) || body == Id::EPSILON {
                return Ok(Id::EPSILON);
            }
            if body == Id::EMPTY {
                return Ok(if counts.lo == 0 { Id::EPSILON } else { Id::EMPTY });
            }
            if self.nullable(body) {
                counts.lo = 0;
            }
            match self.shape(body) {
                Shape::Loop(inner, below) => match below.nested_in(counts) {
                    Some(total) => (body, counts) = (*inner, total),
                    None => break,
                },
                Shape::Union(parts) if parts.contains(&Id::EPSILON) => {
                    let others = parts.iter().copied().filter(|&id| id != Id::EPSILON);
                    let others = others.collect();
                    body = self.union(others, budget)?;
                }
                _ => match self.looser_body(body, counts, budget)? {
                    Some(looser) => body = looser,
                    None => break,
                },
            }
        }
        match counts {
            Counts::ONCE => Ok(body),
            Counts { lo: 0, hi: Bound::Finite(1) } => self.union(vec![Id::EPSILON, body], budget),
            _ => self.intern(Shape::Loop(body, counts), budget),
        }
    }

    /// For repetitions without upper end, a simpler body that repeats to the same language:
    /// `(x*|y)*` and `(x*y*)*` are `(x|y)*`, and `(x+|y){n,}` is `(x|y){n,}`. A nullable body
    /// comes with a lower end of zero, so the number of repetitions never decides.
    fn looser_body(
        &mut self,
        body: Id,
        counts: Counts,
        budget: &mut Budget,
    ) -> Result<Option<Id>, Exhausted> {
        if counts.hi != Bound::Infinite {
            return Ok(None);
        }
        let mut parts = match self.shape(body) {
            Shape::Union(parts) => parts.to_vec(),
            Shape::Concat(..) if self.nullable(body) => self.factors(body),
            _ => return Ok(None),
        };
        budget.spend(as_steps(parts.len()))?;
        let mut simpler = matches!(self.shape(body), Shape::Concat(..));
        for part in &mut parts {
            if let Shape::Loop(inner, below) = *self.shape(*part)
                && below.lo <= 1
            {
                *part = inner;
                simpler = true;
            }
        }
        if simpler {
            return self.union(parts, budget).map(Some);
        }
        Ok(None)
    }

    fn factors(&self, id: Id) -> Vec<Id> {
        let mut factors = Vec::new();
        let mut rest = id;
        while let Shape::Concat(head, tail) = *self.shape(rest) {
            factors.push(head);
            rest = tail;
        }
        factors.push(rest);
        factors
    }

    /// The concatenation of two expressions, associated to the right.
    pub(super) fn concat(&mut self, first: Id, second: Id, budget: &mut Budget) -> Built {
        if first == Id::EMPTY || second == Id::EMPTY {
            return Ok(Id::EMPTY);
        }
        let mut joined = second;
        for factor in self.factors(first).into_iter().rev() {
            budget.spend(1)?;
            joined = self.link(factor, joined, budget)?;
        }
        Ok(joined)
    }

    /// Like [`Arena::concat`], with a union on the left distributed. Derivatives use it so that
    /// their unions consist of partial derivatives, of which there are few.
    pub(super) fn concat_each(&mut self, first: Id, second: Id, budget: &mut Budget) -> Built {
        let Shape::Union(parts) = self.shape(first) else {
            return self.concat(first, second, budget);
        };
        let mut joined = Vec::with_capacity(parts.len());
        for part in parts.clone() {
            joined.push(self.concat(part, second, budget)?);
        }
        self.union(joined, budget)
    }

    /// Prepends a head that is not a concatenation to a tail; neither is the empty language.
    fn link(&mut self, head: Id, tail: Id, budget: &mut Budget) -> Built {
        let (next, rest) = self.uncons(tail);
        let ((body, first), (other, second)) = (self.repetition(head), self.repetition(next));
        if body != other || head == Id::EPSILON {
            return self.link_plainly(head, tail, budget);
        }
        match first.sum(second) {
            Some(counts) => {
                let looped = self.repeat(body, counts, budget)?;
                self.link_plainly(looped, rest, budget)
            }
            None => self.link_plainly(head, tail, budget),
        }
    }

    /// Like [`Arena::link`], without joining repetitions of one body.
    fn link_plainly(&mut self, head: Id, tail: Id, budget: &mut Budget) -> Built {
        if head == Id::EPSILON {
            return Ok(tail);
        }
        if tail == Id::EPSILON {
            return Ok(head);
        }
        if head == Id::ALL && self.nullable(tail) {
            return Ok(Id::ALL);
        }
        if self.uncons(tail).0 == Id::ALL && self.nullable(head) {
            return Ok(tail);
        }
        self.intern(Shape::Concat(head, tail), budget)
    }

    fn uncons(&self, id: Id) -> (Id, Id) {
        match *self.shape(id) {
            Shape::Concat(head, tail) => (head, tail),
            _ => (id, Id::EPSILON),
        }
    }

    /// Any expression as a repetition, if necessary of itself.
    fn repetition(&self, id: Id) -> (Id, Counts) {
        match *self.shape(id) {
            Shape::Loop(body, counts) => (body, counts),
            _ => (id, Counts::ONCE),
        }
    }

    /// The lengths of an expression that restricts nothing else.
    fn length_window(&self, id: Id) -> Option<Counts> {
        let (body, counts) = self.repetition(id);
        (body == Id::CHAR).then_some(counts)
    }

    fn within(&self, id: Id, window: Counts) -> bool {
        let facts = self.facts(id);
        facts.min_len >= window.lo && facts.max_len <= window.hi
    }

    /// The union of any number of expressions.
    pub(super) fn union(&mut self, parts: Vec<Id>, budget: &mut Budget) -> Built {
        let mut items = Vec::with_capacity(parts.len());
        let mut intervals = Vec::new();
        for part in parts {
            match self.shape(part) {
                Shape::Union(inner) => items.extend_from_slice(inner),
                Shape::Comp(body) if let Shape::Inter(inner) = self.shape(*body) => {
                    let inner = inner.clone();
                    items.extend(self.comp_each(&inner, budget)?);
                }
                Shape::Empty => {}
                _ => items.push(part),
            }
        }
        budget.spend(1 + as_steps(items.len()))?;
        items.retain(|&id| match self.shape(id) {
            Shape::Chars(set) => {
                intervals.extend_from_slice(set.intervals());
                false
            }
            _ => true,
        });
        budget.spend(as_steps(intervals.len()))?;
        if !intervals.is_empty() {
            items.push(self.chars(CharSet::from_intervals(intervals), budget)?);
        }
        self.tidy(&mut items);
        self.merge_repetitions(&mut items, budget)?;
        self.union_of_tidy(items, budget)
    }

    fn union_of_tidy(&mut self, mut items: Vec<Id>, budget: &mut Budget) -> Built {
        if items.contains(&Id::ALL) || self.holds_opposites(&items) {
            return Ok(Id::ALL);
        }
        let window = items.iter().find_map(|&id| Some((id, self.length_window(id)?)));
        if let Some((keeper, window)) = window {
            items.retain(|&id| id == keeper || !self.within(id, window));
        }
        let nullable = |id: &Id| *id != Id::EPSILON && self.nullable(*id);
        if items.iter().any(nullable) {
            items.retain(|&id| id != Id::EPSILON);
        }
        match items[..] {
            [] => Ok(Id::EMPTY),
            [only] => Ok(only),
            _ => self.intern(Shape::Union(items.into()), budget),
        }
    }

    fn tidy(&self, items: &mut Vec<Id>) {
        items.sort_unstable();
        items.dedup();
    }

    /// Whether a sorted list holds an expression and its complement.
    fn holds_opposites(&self, items: &[Id]) -> bool {
        items.iter().any(|&id| match self.shape(id) {
            Shape::Comp(body) => items.binary_search(body).is_ok(),
            _ => false,
        })
    }

    /// In a union, turns `x{i,j}y` and `x{k,l}y` into one term when the counts form a range.
    ///
    /// The new loop is normal, as at least one of its origins is a normal loop of the same body;
    /// going through [`Arena::repeat`] could come back here, once per level of nesting.
    fn merge_repetitions(
        &mut self,
        items: &mut Vec<Id>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let is_loop = |id: Id| matches!(self.shape(self.uncons(id).0), Shape::Loop(..));
        if items.len() < 2 || !items.iter().any(|&id| is_loop(id)) {
            return Ok(());
        }
        let view = |&id: &Id| {
            let (head, tail) = self.uncons(id);
            let (body, counts) = self.repetition(head);
            (body, tail, counts, Some(id))
        };
        let mut views: Vec<_> = items.iter().map(view).collect();
        views.sort_unstable();
        let mut kept: Vec<(Id, Id, Counts, Option<Id>)> = Vec::with_capacity(views.len());
        for (body, tail, counts, id) in views {
            if let Some((last_body, last_tail, last, origin)) = kept.last_mut()
                && (*last_body, *last_tail) == (body, tail)
                && let Some(merged) = last.merged(counts)
            {
                *origin = origin.filter(|_| *last == merged);
                *last = merged;
                continue;
            }
            kept.push((body, tail, counts, id));
        }
        if kept.len() < items.len() {
            items.clear();
            for (body, tail, counts, origin) in kept {
                items.push(match origin {
                    Some(id) => id,
                    None => {
                        let looped = self.intern(Shape::Loop(body, counts), budget)?;
                        self.link_plainly(looped, tail, budget)?
                    }
                });
            }
            self.tidy(items);
        }
        Ok(())
    }

    /// The intersection of any number of expressions.
    pub(super) fn inter(&mut self, parts: Vec<Id>, budget: &mut Budget) -> Built {
        let mut items = Vec::with_capacity(parts.len());
        for part in parts {
            match self.shape(part) {
                Shape::Inter(inner) => items.extend_from_slice(inner),
                Shape::Comp(body) if let Shape::Union(inner) = self.shape(*body) => {
                    let inner = inner.clone();
                    items.extend(self.comp_each(&inner, budget)?);
                }
                _ => items.push(part),
            }
        }
        budget.spend(1 + as_steps(items.len()))?;
        self.merge_char_loops(&mut items, budget)?;
        self.tidy(&mut items);
        self.inter_of_tidy(items, budget)
    }

    fn inter_of_tidy(&mut self, mut items: Vec<Id>, budget: &mut Budget) -> Built {
        let min_len = items.iter().map(|&id| self.facts(id).min_len).max();
        let max_len = items.iter().map(|&id| self.facts(id).max_len).min();
        let (Some(min_len), Some(max_len)) = (min_len, max_len) else {
            return Ok(Id::ALL);
        };
        if items.contains(&Id::EMPTY)
            || Bound::Finite(min_len) > max_len
            || self.holds_opposites(&items)
        {
            return Ok(Id::EMPTY);
        }
        if max_len == Bound::Finite(0) {
            let nullable = items.iter().all(|&id| self.nullable(id));
            return Ok(if nullable { Id::EPSILON } else { Id::EMPTY });
        }
        let redundant = items.iter().position(|&id| {
            self.length_window(id).is_some_and(|window| {
                let mut others = items.iter().filter(|&&other| other != id);
                others.any(|&other| self.within(other, window))
            })
        });
        if let Some(index) = redundant {
            items.remove(index);
        }
        match items[..] {
            [] => Ok(Id::ALL),
            [only] => Ok(only),
            _ => self.intern(Shape::Inter(items.into()), budget),
        }
    }

    /// In an intersection, joins all repetitions of single characters: such a language is all
    /// words over a set with a length in a range, so sets and ranges intersect separately.
    fn merge_char_loops(
        &mut self,
        items: &mut Vec<Id>,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let mut set: Option<CharSet> = None;
        let mut counts = Counts::ANY;
        let mut cost = 0;
        items.retain(|&id| {
            let (body, range) = self.repetition(id);
            let Shape::Chars(chars) = self.shape(body) else {
                return true;
            };
            cost += chars.intervals().len();
            set = Some(set.as_ref().map_or(chars.clone(), |old| old.intersection(chars)));
            counts = counts.intersection(range);
            false
        });
        budget.spend(as_steps(cost))?;
        if let Some(set) = set {
            let body = self.chars(set, budget)?;
            let joined = self.repeat(body, counts, budget)?;
            if joined != Id::ALL {
                items.push(joined);
            }
        }
        Ok(())
    }
}

//! Equivalence by the method of Hopcroft and Karp: states of the two languages that must be equal
//! are merged until nothing new follows or a word distinguishes them.

use super::arena::{Arena, Id};
use super::hashing::Table;
use crate::budget::{Budget, Exhausted};

/// Classes of states assumed equal, as a forest; a state without a parent is a root.
#[derive(Default)]
struct Merged {
    parents: Table<Id, Id>,
}

impl Merged {
    fn root(&mut self, state: Id, budget: &mut Budget) -> Result<Id, Exhausted> {
        let mut at = state;
        while let Some(&parent) = self.parents.get(&at) {
            budget.spend(1)?;
            if let Some(&grandparent) = self.parents.get(&parent) {
                self.parents.insert(at, grandparent);
            }
            at = parent;
        }
        Ok(at)
    }

    /// Puts two states into one class; false if they were in one already.
    fn merge(&mut self, a: Id, b: Id, budget: &mut Budget) -> Result<bool, Exhausted> {
        let (a, b) = (self.root(a, budget)?, self.root(b, budget)?);
        if a != b {
            self.parents.insert(a.max(b), a.min(b));
        }
        Ok(a != b)
    }
}

/// Two states that must be equal, with the visit and the character that led to them.
struct Visit {
    left: Id,
    right: Id,
    step: Option<(usize, u32)>,
}

impl Arena {
    /// A word of exactly one of the two languages, or nothing if they are equal.
    pub(super) fn distinguish(
        &mut self,
        left: Id,
        right: Id,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        let mut merged = Merged::default();
        let mut visits = Vec::new();
        if merged.merge(left, right, budget)? {
            visits.push(Visit { left, right, step: None });
        }
        let mut next = 0;
        while let Some(&Visit { left, right, .. }) = visits.get(next) {
            if let Some(rest) = self.distinguish_here(left, right, budget)? {
                return Ok(Some(path(&visits, next, rest)));
            }
            for &c in self.common_classes(left, right, budget)?.representatives() {
                let left = self.derivative(left, c, budget)?;
                let right = self.derivative(right, c, budget)?;
                if merged.merge(left, right, budget)? {
                    self.grow(8, budget)?;
                    visits.push(Visit { left, right, step: Some((next, c)) });
                }
            }
            next += 1;
        }
        Ok(None)
    }

    /// A word that distinguishes two states, if it is obvious without pairs: the empty word, or any
    /// word when one side has no word or every word.
    fn distinguish_here(
        &mut self,
        left: Id,
        right: Id,
        budget: &mut Budget,
    ) -> Result<Option<Vec<u32>>, Exhausted> {
        if self.nullable(left) != self.nullable(right) {
            return Ok(Some(Vec::new()));
        }
        let difference = match (left, right) {
            (Id::EMPTY, other) | (other, Id::EMPTY) => other,
            (Id::ALL, other) | (other, Id::ALL) => self.comp(other, budget)?,
            _ => return Ok(None),
        };
        self.shortest_word(difference, budget)
    }
}

fn path(visits: &[Visit], last: usize, rest: Vec<u32>) -> Vec<u32> {
    let mut word = Vec::new();
    let mut at = last;
    while let Some((from, by)) = visits[at].step {
        word.push(by);
        at = from;
    }
    word.reverse();
    word.extend(rest);
    word
}

//! Derivatives: what may follow after one character. Cached for each derivative class.

use std::sync::Arc;

use super::arena::{Arena, Id, Shape};
use super::partition::{PartId, Partition};
use crate::budget::{Budget, Exhausted, as_steps};

impl Arena {
    /// The derivative classes of an expression.
    pub(super) fn classes(
        &mut self,
        id: Id,
        budget: &mut Budget,
    ) -> Result<Arc<Partition>, Exhausted> {
        let classes = self.find_classes(id, budget)?;
        Ok(self.partition(classes))
    }

    /// The classes that fit two expressions at once.
    pub(super) fn common_classes(
        &mut self,
        a: Id,
        b: Id,
        budget: &mut Budget,
    ) -> Result<Arc<Partition>, Exhausted> {
        let (p, q) = (self.find_classes(a, budget)?, self.find_classes(b, budget)?);
        let joined = self.join(p, q, budget)?;
        Ok(self.partition(joined))
    }

    /// Finds the classes of an expression and of everything that its derivatives depend on.
    fn find_classes(&mut self, of: Id, budget: &mut Budget) -> Result<PartId, Exhausted> {
        let mut pending = vec![of];
        while let Some(&id) = pending.last() {
            if self.known_classes(id).is_some() {
                pending.pop();
                continue;
            }
            let needed = self.needed_derivatives(id);
            budget.spend(1 + as_steps(needed.len()))?;
            let bottom = pending.len();
            pending.extend(needed.iter().filter(|&&part| self.known_classes(part).is_none()));
            if pending.len() == bottom {
                self.join_classes(id, &needed, budget)?;
                pending.pop();
            }
        }
        Ok(self.known_classes(of).expect("the loop ends when the classes are known"))
    }

    /// The derivative of an expression by a character of the alphabet.
    pub(super) fn derivative(
        &mut self,
        of: Id,
        c: u32,
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        budget.spend(1)?;
        if let Some(known) = self.known_derivative(of, c) {
            return Ok(known);
        }
        self.find_classes(of, budget)?;
        let mut pending = vec![of];
        while let Some(&id) = pending.last() {
            if self.known_derivative(id, c).is_some() {
                pending.pop();
                continue;
            }
            let needed = self.needed_derivatives(id);
            budget.spend(1 + as_steps(needed.len()))?;
            let bottom = pending.len();
            let unknown = |part: &Id| self.known_derivative(*part, c).is_none();
            pending.extend(needed.iter().copied().filter(unknown));
            if pending.len() == bottom {
                let derivative = self.combine_derivatives(id, &needed, c, budget)?;
                self.remember(id, c, derivative, budget)?;
                pending.pop();
            }
        }
        Ok(self.derived(of, c))
    }

    fn known_derivative(&self, id: Id, c: u32) -> Option<Id> {
        match self.shape(id) {
            Shape::Empty | Shape::Epsilon => Some(Id::EMPTY),
            Shape::Chars(set) if set.contains(c) => Some(Id::EPSILON),
            Shape::Chars(_) => Some(Id::EMPTY),
            _ if id == Id::ALL => Some(Id::ALL),
            _ => self.remembered(id, c),
        }
    }

    fn derived(&self, id: Id, c: u32) -> Id {
        self.known_derivative(id, c).expect("derivatives are found before they are needed")
    }

    /// The expressions whose derivatives make up that of `id`: for a concatenation all factors
    /// that can come first, so that a chain of nullable factors makes one union and not many.
    fn needed_derivatives(&self, id: Id) -> Vec<Id> {
        match self.shape(id) {
            Shape::Empty | Shape::Epsilon | Shape::Chars(_) => Vec::new(),
            Shape::Union(parts) | Shape::Inter(parts) => parts.to_vec(),
            Shape::Comp(body) | Shape::Loop(body, _) => vec![*body],
            Shape::Concat(..) => {
                let mut firsts = Vec::new();
                let mut rest = id;
                while let Shape::Concat(head, tail) = *self.shape(rest) {
                    firsts.push(head);
                    if !self.nullable(head) {
                        return firsts;
                    }
                    rest = tail;
                }
                firsts.push(rest);
                firsts
            }
        }
    }

    fn combine_derivatives(
        &mut self,
        id: Id,
        needed: &[Id],
        c: u32,
        budget: &mut Budget,
    ) -> Result<Id, Exhausted> {
        let parts: Vec<Id> = needed.iter().map(|&part| self.derived(part, c)).collect();
        match *self.shape(id) {
            Shape::Empty | Shape::Epsilon | Shape::Chars(_) => Ok(self.derived(id, c)),
            Shape::Union(_) => self.union(parts, budget),
            Shape::Inter(_) => self.inter(parts, budget),
            Shape::Comp(_) => self.comp(parts[0], budget),
            Shape::Loop(body, counts) => {
                let rest = self.repeat(body, counts.less_one(), budget)?;
                self.concat_each(parts[0], rest, budget)
            }
            Shape::Concat(..) => {
                let mut rest = id;
                let mut joined = Vec::with_capacity(parts.len());
                for part in parts {
                    let Shape::Concat(_, tail) = *self.shape(rest) else {
                        joined.push(part);
                        break;
                    };
                    joined.push(self.concat_each(part, tail, budget)?);
                    rest = tail;
                }
                self.union(joined, budget)
            }
        }
    }
}

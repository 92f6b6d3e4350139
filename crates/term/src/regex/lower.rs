//! From values to arenas, without recursion and once for each shared node.

use super::arena::{Arena, Id};
use super::charset::CharSet;
use super::counts::{Bound, Counts};
use super::hashing::{Members, Table};
use super::value::{Inner, Node, RegLan};
use crate::budget::{Budget, Exhausted, as_steps};

type Address = *const Inner;

/// What to do with the stack of results.
enum Task<'a> {
    /// Push the meaning of a value.
    Push(&'a RegLan),
    /// Replace the top by the value followed by it. Concatenations are lowered from the right
    /// with this, so that those nested to the left are not walked again and again.
    Prepend(&'a RegLan),
    /// Pop two, the upper one a head and the lower one a tail, and push their concatenation.
    Join,
    /// Replace the top by its complement.
    Negate,
    /// Pop the operands of a value that is not a concatenation and push its meaning.
    Finish(&'a RegLan, usize),
    /// Note that the top is the value followed by the given tail.
    Note(&'a RegLan, Id),
}

struct Lowering<'a, 'b> {
    arena: &'b mut Arena,
    budget: &'b mut Budget,
    tasks: Vec<Task<'a>>,
    results: Vec<Id>,
    known: Table<(Address, Id), Id>,
}

impl Arena {
    /// The node for a value.
    pub(super) fn lower(&mut self, value: &RegLan, budget: &mut Budget) -> Result<Id, Exhausted> {
        let mut lowering = Lowering {
            arena: self,
            budget,
            tasks: vec![Task::Push(value)],
            results: Vec::new(),
            known: Table::default(),
        };
        while let Some(task) = lowering.tasks.pop() {
            lowering.run(task)?;
        }
        Ok(lowering.pop())
    }
}

fn address(value: &RegLan) -> Address {
    std::sync::Arc::as_ptr(&value.0)
}

impl<'a> Lowering<'a, '_> {
    fn pop(&mut self) -> Id {
        self.results.pop().expect("every task finds the results that earlier tasks left for it")
    }

    fn run(&mut self, task: Task<'a>) -> Result<(), Exhausted> {
        self.budget.spend(1)?;
        match task {
            Task::Push(value) => self.push(value),
            Task::Prepend(value) => self.prepend(value),
            Task::Join => {
                let (head, tail) = (self.pop(), self.pop());
                let joined = self.arena.concat(head, tail, self.budget)?;
                self.results.push(joined);
                Ok(())
            }
            Task::Negate => {
                let body = self.pop();
                let negated = self.arena.comp(body, self.budget)?;
                self.results.push(negated);
                Ok(())
            }
            Task::Finish(value, operands) => self.finish(value, operands),
            Task::Note(value, tail) => {
                let meaning = *self.results.last().expect("the noted result was just pushed");
                self.note(value, tail, meaning)
            }
        }
    }

    fn note(&mut self, value: &RegLan, tail: Id, meaning: Id) -> Result<(), Exhausted> {
        self.arena.grow(4, self.budget)?;
        self.known.insert((address(value), tail), meaning);
        Ok(())
    }

    /// Schedules tasks; they take memory like everything else.
    fn schedule(&mut self, tasks: impl IntoIterator<Item = Task<'a>>) -> Result<(), Exhausted> {
        let before = self.tasks.len();
        self.tasks.extend(tasks);
        self.budget.spend(as_steps(self.tasks.len() - before))
    }

    fn push(&mut self, value: &'a RegLan) -> Result<(), Exhausted> {
        if let Some(&meaning) = self.known.get(&(address(value), Id::EPSILON)) {
            self.results.push(meaning);
            return Ok(());
        }
        match value.node() {
            Node::None => self.results.push(Id::EMPTY),
            Node::All => self.results.push(Id::ALL),
            Node::AllChar => self.results.push(Id::CHAR),
            Node::Range(lo, hi) => {
                let chars = self.arena.chars(CharSet::interval(*lo, *hi), self.budget)?;
                self.results.push(chars);
            }
            Node::Literal(_) | Node::Concat(_) => {
                self.results.push(Id::EPSILON);
                self.prepend(value)?;
            }
            Node::Union(_) => self.push_union(value)?,
            Node::Inter(_) | Node::Diff(..) => self.push_inter(value)?,
            Node::Star(body)
            | Node::Plus(body)
            | Node::Opt(body)
            | Node::Comp(body)
            | Node::Power(body, _)
            | Node::Loop(body, ..) => {
                self.schedule([Task::Finish(value, 1), Task::Push(body)])?;
            }
        }
        Ok(())
    }

    fn prepend(&mut self, value: &'a RegLan) -> Result<(), Exhausted> {
        match value.node() {
            Node::Concat(parts) => {
                let tail = self.pop();
                if let Some(&meaning) = self.known.get(&(address(value), tail)) {
                    self.results.push(meaning);
                    return Ok(());
                }
                self.results.push(tail);
                self.schedule([Task::Note(value, tail)])?;
                self.schedule(parts.iter().map(Task::Prepend))
            }
            Node::Literal(word) => {
                let mut joined = self.pop();
                for &c in word.iter().rev() {
                    let chars = self.arena.chars(CharSet::interval(c, c), self.budget)?;
                    joined = self.arena.concat(chars, joined, self.budget)?;
                }
                self.results.push(joined);
                Ok(())
            }
            _ => self.schedule([Task::Join, Task::Push(value)]),
        }
    }

    /// Flattens nested unions first: level by level would copy the operands at each level.
    fn push_union(&mut self, value: &'a RegLan) -> Result<(), Exhausted> {
        let mut pending = vec![value];
        let mut seen = Members::default();
        let mut leaves = Vec::new();
        while let Some(part) = pending.pop() {
            self.budget.spend(1)?;
            match part.node() {
                Node::Union(parts) if seen.insert(address(part)) => pending.extend(parts),
                Node::Union(_) => {}
                _ => leaves.push(Task::Push(part)),
            }
        }
        self.schedule([Task::Finish(value, leaves.len())])?;
        self.schedule(leaves)
    }

    /// Flattens nested intersections and differences in the same way.
    fn push_inter(&mut self, value: &'a RegLan) -> Result<(), Exhausted> {
        let mut pending = vec![value];
        let mut seen = Members::default();
        let mut count = 0;
        let mut leaves = Vec::new();
        while let Some(part) = pending.pop() {
            self.budget.spend(1)?;
            match part.node() {
                Node::Inter(_) | Node::Diff(..) if !seen.insert(address(part)) => {}
                Node::Inter(parts) => pending.extend(parts),
                Node::Diff(kept, removed) => {
                    pending.push(kept);
                    leaves.extend([Task::Negate, Task::Push(removed)]);
                    count += 1;
                }
                _ => {
                    leaves.push(Task::Push(part));
                    count += 1;
                }
            }
        }
        self.schedule([Task::Finish(value, count)])?;
        self.schedule(leaves)
    }

    fn finish(&mut self, value: &'a RegLan, operands: usize) -> Result<(), Exhausted> {
        let bottom = self.results.len() - operands;
        let parts = self.results.split_off(bottom);
        let meaning = match (value.node(), &parts[..]) {
            (Node::Union(_), _) => self.arena.union(parts, self.budget)?,
            (Node::Inter(_) | Node::Diff(..), _) => self.arena.inter(parts, self.budget)?,
            (Node::Comp(_), &[body]) => self.arena.comp(body, self.budget)?,
            (node, &[body]) => {
                let counts = counts_of(node).expect("all other operators of one operand repeat");
                self.arena.repeat(body, counts, self.budget)?
            }
            _ => unreachable!("leaves and concatenations never reach this task"),
        };
        self.results.push(meaning);
        self.note(value, Id::EPSILON, meaning)
    }
}

fn counts_of(node: &Node) -> Option<Counts> {
    match node {
        Node::Star(_) => Some(Counts::ANY),
        Node::Plus(_) => Some(Counts::SOME),
        Node::Opt(_) => Some(Counts::new(0, Bound::Finite(1))),
        Node::Power(_, count) => Some(Counts::new(*count, Bound::Finite(*count))),
        Node::Loop(_, lo, hi) => Some(Counts::new(*lo, Bound::Finite(*hi))),
        _ => None,
    }
}

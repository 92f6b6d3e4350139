//! The whole graph of derivatives, for the questions that need all of it: finiteness, and words
//! in order.

use super::arena::{Arena, Id};
use super::hashing::Table;
use crate::budget::{Budget, Exhausted, as_steps};

/// How the states of a graph are made from derivatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Branching {
    /// One state for each derivative: a word has one path.
    Deterministic,
    /// The operands of a union apart: fewer states, but a word may have several paths.
    Alternatives,
}

/// All states that can be reached from the first ones and lead to a word.
#[derive(Debug)]
pub(super) struct Graph {
    accepting: Vec<bool>,
    /// Characters and targets, in the order of the characters.
    edges: Vec<Vec<(u32, usize)>>,
}

impl Graph {
    /// Explores everything from `root`, which becomes state 0 of a deterministic graph.
    pub(super) fn explore(
        arena: &mut Arena,
        root: Id,
        branching: Branching,
        budget: &mut Budget,
    ) -> Result<Graph, Exhausted> {
        let mut states = Vec::new();
        let mut numbers: Table<Id, usize> = Table::default();
        let mut graph = Graph { accepting: Vec::new(), edges: Vec::new() };
        number_states(arena, root, branching, &mut states, &mut numbers, budget)?;
        while let Some(&state) = states.get(graph.edges.len()) {
            let mut edges = Vec::new();
            for &c in arena.classes(state, budget)?.representatives() {
                let target = arena.derivative(state, c, budget)?;
                let targets =
                    number_states(arena, target, branching, &mut states, &mut numbers, budget)?;
                arena.grow(2 * targets.len(), budget)?;
                edges.extend(targets.into_iter().map(|number| (c, number)));
            }
            edges.sort_unstable();
            graph.edges.push(edges);
            graph.accepting.push(arena.nullable(state));
        }
        graph.drop_dead_edges(arena, budget)?;
        Ok(graph)
    }

    /// Removes the edges into states that lead to no word.
    fn drop_dead_edges(&mut self, arena: &mut Arena, budget: &mut Budget) -> Result<(), Exhausted> {
        let mut sources = vec![Vec::new(); self.edges.len()];
        for (from, edges) in self.edges.iter().enumerate() {
            arena.grow(3 + edges.len(), budget)?;
            edges.iter().for_each(|&(_, to)| sources[to].push(from));
        }
        let mut live = self.accepting.clone();
        let mut pending: Vec<usize> = (0..live.len()).filter(|&state| live[state]).collect();
        while let Some(state) = pending.pop() {
            for &from in &sources[state] {
                if !live[from] {
                    live[from] = true;
                    pending.push(from);
                }
            }
        }
        self.edges.iter_mut().for_each(|edges| edges.retain(|&(_, to)| live[to]));
        Ok(())
    }

    /// Whether the words are finitely many: no live state lies on a cycle.
    pub(super) fn is_finite(&self) -> bool {
        let mut incoming = vec![0_usize; self.edges.len()];
        self.edges.iter().flatten().for_each(|&(_, to)| incoming[to] += 1);
        let mut free: Vec<usize> = (0..incoming.len()).filter(|&s| incoming[s] == 0).collect();
        let mut removed = 0;
        while let Some(state) = free.pop() {
            removed += 1;
            for &(_, to) in &self.edges[state] {
                incoming[to] -= 1;
                if incoming[to] == 0 {
                    free.push(to);
                }
            }
        }
        removed == self.edges.len()
    }

    /// The first `count` words by length and then by characters, of a deterministic graph.
    pub(super) fn first_words(
        &self,
        count: usize,
        arena: &mut Arena,
        budget: &mut Budget,
    ) -> Result<Vec<Vec<u32>>, Exhausted> {
        let longest = if self.is_finite() { self.edges.len() } else { usize::MAX };
        let mut words = Vec::new();
        let mut reach = vec![self.accepting.clone()];
        while words.len() < count && reach.len() <= longest {
            self.words_of_length(&reach, count, &mut words, arena, budget)?;
            let shorter = &reach[reach.len() - 1];
            budget.spend(as_steps(self.edges.iter().map(|edges| 1 + edges.len()).sum()))?;
            arena.grow(3 + self.edges.len().div_ceil(8), budget)?;
            let next = |edges: &Vec<(u32, usize)>| edges.iter().any(|&(_, to)| shorter[to]);
            reach.push(self.edges.iter().map(next).collect());
        }
        Ok(words)
    }

    /// Appends the words of length `reach.len() - 1` in order until there are `count` words.
    /// `reach[n]` tells which states lead to a word of length `n`, so every path leads to a word.
    fn words_of_length(
        &self,
        reach: &[Vec<bool>],
        count: usize,
        words: &mut Vec<Vec<u32>>,
        arena: &mut Arena,
        budget: &mut Budget,
    ) -> Result<(), Exhausted> {
        let length = reach.len() - 1;
        if !reach[length][0] {
            return Ok(());
        }
        let mut word: Vec<u32> = Vec::new();
        let mut path = vec![(0, 0)];
        while let Some((state, tried)) = path.pop() {
            budget.spend(1)?;
            word.truncate(path.len());
            if word.len() == length {
                arena.grow(3 + length.div_ceil(2), budget)?;
                words.push(word.clone());
                if words.len() == count {
                    return Ok(());
                }
            } else if let Some(&(c, to)) = self.edges[state].get(tried) {
                path.push((state, tried + 1));
                if reach[length - path.len()][to] {
                    word.push(c);
                    path.push((to, 0));
                }
            }
        }
        Ok(())
    }
}

/// The numbers of the states of a derivative, new ones at the end of the list.
fn number_states(
    arena: &mut Arena,
    target: Id,
    branching: Branching,
    states: &mut Vec<Id>,
    numbers: &mut Table<Id, usize>,
    budget: &mut Budget,
) -> Result<Vec<usize>, Exhausted> {
    let parts = match branching {
        Branching::Deterministic => vec![target],
        Branching::Alternatives => arena.alternatives(target, budget)?,
    };
    let mut found = Vec::with_capacity(parts.len());
    for part in parts {
        let fresh = states.len();
        let number = *numbers.entry(part).or_insert(fresh);
        if number == fresh {
            arena.grow(9, budget)?;
            states.push(part);
        }
        found.push(number);
    }
    Ok(found)
}

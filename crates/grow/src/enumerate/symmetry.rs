//! Terms up to renaming of variables: which term stands for all that differ from it only in the names of
//! variables, and how many such terms there are.
//!
//! Of the terms that renaming turns into each other, the one with the smallest number stands for all. The
//! number of these terms is counted without looking at any: by Burnside's lemma it is the mean, over all
//! renamings, of the number of terms that a renaming leaves as they are.

use super::space::{Grammar, Space, Tree, divisions};

/// The greatest number of variables of a sort: all their permutations are tried.
pub(crate) const MOST_VARIABLES: usize = 5;

impl Space {
    /// Whether a term stands for all that differ from it only in the names of variables.
    pub(crate) fn is_first(&self, tree: &Tree) -> bool {
        let mut used = vec![0u32; self.grammar().leaves.len()];
        self.mark(tree, &mut used);
        // Smaller names make a smaller number, so the first term has the first names.
        if used.iter().any(|names| names & (names + 1) != 0) {
            return false;
        }
        let choices: Vec<Vec<Vec<usize>>> =
            used.iter().map(|names| permutations(names.count_ones() as usize)).collect();
        let own = self.number(tree, &[]);
        let mut at = vec![0; choices.len()];
        loop {
            let renaming: Vec<Vec<usize>> =
                choices.iter().zip(&at).map(|(choices, &at)| choices[at].clone()).collect();
            if self.number(tree, &renaming) < own {
                return false;
            }
            let Some(next) = (0..at.len()).find(|&sort| at[sort] + 1 < choices[sort].len()) else {
                return true;
            };
            at[next] += 1;
            at[..next].fill(0);
        }
    }

    /// Marks the variables of a term.
    fn mark(&self, tree: &Tree, used: &mut [u32]) {
        match tree {
            Tree::Leaf { sort, number } => {
                if *number < self.grammar().leaves[*sort].variables {
                    used[*sort] |= 1 << number;
                }
            }
            Tree::Node { args, .. } => args.iter().for_each(|arg| self.mark(arg, used)),
        }
    }
}

/// All orders of the first few numbers.
fn permutations(count: usize) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for item in 0..count {
        let longer = |order: &Vec<usize>| -> Vec<Vec<usize>> {
            let with = |at: usize| {
                let mut order = order.clone();
                order.insert(at, item);
                order
            };
            (0..=order.len()).map(with).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// The number of terms of each sort and size up to renaming of variables; `None` if a number is too large.
pub(crate) fn counts(grammar: &Grammar, most: usize) -> Option<Vec<Vec<u128>>> {
    let mut kinds: Vec<(Vec<Vec<usize>>, u128)> = vec![(Vec::new(), 1)];
    let mut renamings: u128 = 1;
    for leaves in &grammar.leaves {
        let own = cycles(leaves.variables);
        renamings = renamings.checked_mul(factorial(leaves.variables))?;
        let longer = |(cycles, weight): &(Vec<Vec<usize>>, u128)| {
            let with = |(more, times): &(Vec<usize>, u128)| {
                ([cycles.as_slice(), std::slice::from_ref(more)].concat(), weight * times)
            };
            own.iter().map(with).collect::<Vec<_>>()
        };
        kinds = kinds.iter().flat_map(longer).collect();
    }
    let mut sums = vec![vec![0u128; most + 1]; grammar.leaves.len()];
    for (cycles, weight) in kinds {
        let fixed = fixed(grammar, &cycles, most)?;
        for (sums, fixed) in sums.iter_mut().zip(fixed) {
            for (sum, count) in sums.iter_mut().zip(fixed) {
                *sum = sum.checked_add(count.checked_mul(weight)?)?;
            }
        }
    }
    let mean = |sums: Vec<u128>| sums.into_iter().map(|sum| sum / renamings).collect();
    Some(sums.into_iter().map(mean).collect())
}

/// The number of terms of each sort and size that a renaming with these cycles leaves as they are.
fn fixed(grammar: &Grammar, cycles: &[Vec<usize>], most: usize) -> Option<Vec<Vec<u128>>> {
    let leaf = |(leaves, cycles): (&super::space::Leaves, &Vec<usize>)| {
        vec![(leaves.constants + cycles.iter().filter(|length| **length == 1).count()) as u128]
    };
    let mut counts: Vec<Vec<u128>> = grammar.leaves.iter().zip(cycles).map(leaf).collect();
    // Two arguments may also take each other's place: the renaming done twice leaves both as they are.
    let is_even = |length: &usize| length % 2 == 0;
    let twice = match most > 0 && cycles.iter().flatten().any(is_even) {
        true => {
            let squared: Vec<Vec<usize>> = cycles.iter().map(|c| squared(c)).collect();
            Some(fixed(grammar, &squared, (most - 1) / 2)?)
        }
        false => None,
    };
    for size in 1..=most {
        let mut next = vec![0u128; grammar.leaves.len()];
        for head in &grammar.heads {
            for sizes in divisions(size - 1, head) {
                let of = |at: usize| counts[head.args[at]][sizes[at]];
                let count = if head.commutes && sizes[0] == sizes[1] {
                    let own = of(0);
                    let exchanged = match &twice {
                        Some(twice) => (twice[head.args[0]][sizes[0]] - own) / 2,
                        None => 0,
                    };
                    (own.checked_mul(own + 1)? / 2).checked_add(exchanged)?
                } else {
                    (0..sizes.len()).try_fold(1u128, |all, at| all.checked_mul(of(at)))?
                };
                next[head.result] = next[head.result].checked_add(count)?;
            }
        }
        counts.iter_mut().zip(next).for_each(|(counts, count)| counts.push(count));
    }
    Some(counts)
}

/// The cycles of a permutation that is done twice.
fn squared(cycles: &[usize]) -> Vec<usize> {
    let twice = |&length: &usize| match length % 2 {
        0 => vec![length / 2; 2],
        _ => vec![length],
    };
    cycles.iter().flat_map(twice).collect()
}

/// The lengths of cycles that permutations of this many things have, with the number of permutations.
fn cycles(count: usize) -> Vec<(Vec<usize>, u128)> {
    let mut kinds: Vec<(Vec<usize>, u128)> = Vec::new();
    for order in permutations(count) {
        let mut lengths = Vec::new();
        let mut seen = vec![false; count];
        for start in 0..count {
            let (mut at, mut length) = (start, 0);
            while !seen[at] {
                seen[at] = true;
                at = order[at];
                length += 1;
            }
            if length > 0 {
                lengths.push(length);
            }
        }
        lengths.sort_unstable();
        match kinds.iter_mut().find(|(known, _)| *known == lengths) {
            Some((_, times)) => *times += 1,
            None => kinds.push((lengths, 1)),
        }
    }
    kinds
}

fn factorial(count: usize) -> u128 {
    (1..=count as u128).product()
}

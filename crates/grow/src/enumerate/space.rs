//! Terms by sort and size as numbered spaces.
//!
//! A term is a leaf (a variable or a constant) or an application, and its size is its number of
//! applications. The two arguments of a commutative operator are a set: of the two ways to write such an
//! application, the space has one. The terms of a sort and a size are numbered without gaps, and a term is
//! made from its number alone.

/// The numbers of leaves of a sort.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Leaves {
    pub(crate) variables: usize,
    pub(crate) constants: usize,
}

/// What can be applied, by positions of sorts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Head {
    pub(crate) result: usize,
    pub(crate) args: Vec<usize>,
    /// Whether it has two arguments of one sort, whose order does not matter.
    pub(crate) commutes: bool,
}

/// What terms are made of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Grammar {
    pub(crate) leaves: Vec<Leaves>,
    pub(crate) heads: Vec<Head>,
}

/// The greatest size of a term.
pub(crate) const MOST_SIZE: usize = 8;

/// No more terms of a sort and a size are numbered.
const MOST: u128 = 1 << 100;

/// A term. Leaves are numbered with the variables first.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Tree {
    Leaf { sort: usize, number: usize },
    Node { sort: usize, size: usize, block: usize, args: Vec<Tree> },
}

/// The applications of one head to arguments of given sizes.
struct Block {
    head: usize,
    sizes: Box<[usize]>,
    /// The number of the first of them.
    first: u128,
}

/// The terms of one sort and size.
#[derive(Default)]
struct Shelf {
    blocks: Vec<Block>,
    count: u128,
}

/// All terms up to a size.
pub(crate) struct Space {
    grammar: Grammar,
    /// By sort, then by size.
    shelves: Vec<Vec<Shelf>>,
}

impl Space {
    /// All terms up to a size; `None` if there are too many to be numbered.
    pub(crate) fn new(grammar: Grammar, most: usize) -> Option<Space> {
        let leaf = |leaves: &Leaves| {
            let count = (leaves.variables + leaves.constants) as u128;
            vec![Shelf { count, ..Shelf::default() }]
        };
        let shelves = grammar.leaves.iter().map(leaf).collect();
        let mut space = Space { grammar, shelves };
        for size in 1..=most {
            let mut next: Vec<Shelf> = space.shelves.iter().map(|_| Shelf::default()).collect();
            for (number, head) in space.grammar.heads.iter().enumerate() {
                for sizes in divisions(size - 1, head) {
                    let count = space.applications(head, &sizes)?;
                    let shelf = &mut next[head.result];
                    if count > 0 {
                        let first = shelf.count;
                        shelf.blocks.push(Block { head: number, sizes: sizes.into(), first });
                        shelf.count = shelf.count.checked_add(count).filter(|c| *c < MOST)?;
                    }
                }
            }
            space.shelves.iter_mut().zip(next).for_each(|(all, shelf)| all.push(shelf));
        }
        Some(space)
    }

    /// The number of applications of a head to arguments of these sizes.
    fn applications(&self, head: &Head, sizes: &[usize]) -> Option<u128> {
        let mut counts = head.args.iter().zip(sizes).map(|(&sort, &size)| self.count(sort, size));
        match is_set(head, sizes) {
            true => counts.next().map(|n| n * (n + 1) / 2),
            false => counts.try_fold(1u128, |all, n| all.checked_mul(n).filter(|c| *c < MOST)),
        }
        .filter(|count| *count < MOST)
    }

    /// What its terms are made of.
    pub(crate) fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The number of terms of a sort and a size.
    pub(crate) fn count(&self, sort: usize, size: usize) -> u128 {
        self.shelves[sort].get(size).map_or(0, |shelf| shelf.count)
    }

    /// The head that is applied in a term.
    pub(crate) fn head(&self, tree: &Tree) -> Option<usize> {
        match tree {
            Tree::Leaf { .. } => None,
            Tree::Node { sort, size, block, .. } => {
                Some(self.shelves[*sort][*size].blocks[*block].head)
            }
        }
    }

    /// The term of this number; the number must be below the count.
    pub(crate) fn term(&self, sort: usize, size: usize, number: u128) -> Tree {
        if size == 0 {
            return Tree::Leaf { sort, number: number as usize };
        }
        let blocks = &self.shelves[sort][size].blocks;
        let at = blocks.partition_point(|block| block.first <= number) - 1;
        let Block { head, sizes, first } = &blocks[at];
        let head = &self.grammar.heads[*head];
        let mut rest = number - first;
        let mut numbers = vec![0; sizes.len()];
        if is_set(head, sizes) {
            let greater = ((8 * rest + 1).isqrt() - 1) / 2;
            numbers = vec![rest - greater * (greater + 1) / 2, greater];
        } else {
            for (at, (&sort, &size)) in head.args.iter().zip(sizes).enumerate().rev() {
                let count = self.count(sort, size);
                numbers[at] = rest % count;
                rest /= count;
            }
        }
        let parts = head.args.iter().zip(sizes).zip(numbers);
        let args = parts.map(|((&sort, &size), number)| self.term(sort, size, number)).collect();
        Tree::Node { sort, size, block: at, args }
    }

    /// The number of a term, with each variable replaced by another of its sort.
    pub(crate) fn number(&self, tree: &Tree, renaming: &[Vec<usize>]) -> u128 {
        let (sort, size, block, args) = match tree {
            Tree::Leaf { sort, number } => {
                let renamed = renaming.get(*sort).and_then(|names| names.get(*number));
                return *renamed.unwrap_or(number) as u128;
            }
            Tree::Node { sort, size, block, args } => (*sort, *size, *block, args),
        };
        let Block { head, sizes, first } = &self.shelves[sort][size].blocks[block];
        let head = &self.grammar.heads[*head];
        let numbers = args.iter().map(|arg| self.number(arg, renaming));
        let within = match is_set(head, sizes) {
            true => {
                let numbers: Vec<u128> = numbers.collect();
                let (a, b) = (numbers[0], numbers[1]);
                let greater = a.max(b);
                greater * (greater + 1) / 2 + a.min(b)
            }
            false => numbers
                .zip(head.args.iter().zip(sizes))
                .fold(0, |all, (number, (&sort, &size))| all * self.count(sort, size) + number),
        };
        first + within
    }
}

/// Whether the arguments are a set: their order does not matter, and their sizes do not decide it.
fn is_set(head: &Head, sizes: &[usize]) -> bool {
    head.commutes && sizes[0] == sizes[1]
}

/// The sizes that the arguments of a head can have if they have this many applications in all. The
/// first argument of a commutative operator is not the smaller one.
pub(crate) fn divisions(total: usize, head: &Head) -> Vec<Vec<usize>> {
    let mut all: Vec<Vec<usize>> = vec![Vec::new()];
    for position in 0..head.args.len() {
        let is_last = position + 1 == head.args.len();
        let longer = |sizes: &Vec<usize>| -> Vec<Vec<usize>> {
            let left = total - sizes.iter().sum::<usize>();
            let least = if is_last { left } else { 0 };
            (least..=left).map(|size| [sizes.as_slice(), &[size]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all.retain(|sizes| sizes.iter().sum::<usize>() == total);
    if head.commutes {
        all.retain(|sizes| sizes[0] >= sizes[1]);
    }
    all
}

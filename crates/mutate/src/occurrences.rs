//! Where the parts of some assertions occur.
//!
//! A term may occur in many places. A place is chosen by walking from the term up to an assertion, so
//! the cost does not grow with the number of places.

use crate::draw::Draw;
use assay_term::{Store, Term, TermId};
use rustc_hash::FxHashMap;

/// Whether weakening this part weakens or strengthens the formula.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Polarity {
    Positive,
    Negative,
}

impl Polarity {
    fn flipped(self) -> Polarity {
        match self {
            Polarity::Positive => Polarity::Negative,
            Polarity::Negative => Polarity::Positive,
        }
    }
}

/// A place in a list of assertions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Site {
    /// Which assertion.
    pub(crate) assertion: usize,
    /// The child positions on the path from the assertion down.
    pub(crate) path: Vec<u32>,
}

impl Site {
    /// Whether the other place is this one or below it.
    pub(crate) fn holds(&self, other: &Site) -> bool {
        self.assertion == other.assertion && other.path.starts_with(&self.path)
    }

    /// The variables that are bound at this place.
    pub(crate) fn scope(&self, store: &Store, assertions: &[TermId]) -> Vec<TermId> {
        let mut scope = Vec::new();
        let mut term = assertions[self.assertion];
        for &at in &self.path {
            if let Term::Quant(_, vars, _) | Term::Lambda(vars, _) = store.get(term) {
                // An inner variable shadows an outer one of the same name and sort, which is the same term.
                scope.extend_from_slice(vars);
            }
            term = store.children(term)[at as usize];
        }
        scope
    }
}

/// A part at one of its places.
pub(crate) struct Occurrence {
    pub(crate) term: TermId,
    /// Whether weakening the part weakens the formula.
    pub(crate) polarity: Polarity,
    pub(crate) site: Site,
}

/// A part and where it occurs: below which other part, or in which assertion, and at which position.
struct Node {
    term: TermId,
    polarity: Polarity,
    above: Vec<(Above, u32)>,
}

#[derive(Clone, Copy)]
enum Above {
    Node(u32),
    Assertion(u32),
}

/// The parts of some assertions that can be chosen.
pub(crate) struct Occurrences {
    nodes: Vec<Node>,
    chosen: Vec<u32>,
}

/// The subterms to visit, by position, and whether they flip the polarity.
type Parts = fn(&Store, TermId) -> Vec<(u32, bool)>;

impl Occurrences {
    /// Visits all parts from the assertions down and collects the candidates. The predicate gets a term
    /// and whether it has no parts.
    pub(crate) fn new(
        store: &Store,
        assertions: &[TermId],
        parts: Parts,
        choose: impl Fn(TermId, bool) -> bool,
    ) -> Occurrences {
        let mut found: FxHashMap<(TermId, Polarity), u32> = FxHashMap::default();
        let mut nodes: Vec<Node> = Vec::new();
        let mut reach = |nodes: &mut Vec<Node>, open: &mut Vec<u32>, term, polarity, above| {
            let node = *found.entry((term, polarity)).or_insert_with(|| {
                nodes.push(Node { term, polarity, above: Vec::new() });
                let node = u32::try_from(nodes.len() - 1).expect("no more nodes than terms");
                open.push(node);
                node
            });
            nodes[node as usize].above.push(above);
        };
        let mut open = Vec::new();
        for (at, &assertion) in assertions.iter().enumerate() {
            let above = Above::Assertion(u32::try_from(at).expect("assertions fit"));
            reach(&mut nodes, &mut open, assertion, Polarity::Positive, (above, 0));
        }
        let mut chosen = Vec::new();
        while let Some(node) = open.pop() {
            let Node { term, polarity, .. } = nodes[node as usize];
            let parts = parts(store, term);
            if choose(term, parts.is_empty()) {
                chosen.push(node);
            }
            for (at, flips) in parts {
                let part = store.children(term)[at as usize];
                let polarity = if flips { polarity.flipped() } else { polarity };
                reach(&mut nodes, &mut open, part, polarity, (Above::Node(node), at));
            }
        }
        chosen.sort_unstable();
        Occurrences { nodes, chosen }
    }

    /// Number of distinct candidates.
    pub(crate) fn len(&self) -> usize {
        self.chosen.len()
    }

    /// One of the candidates at one of its places; `None` if there are no candidates.
    pub(crate) fn draw(&self, draw: &mut Draw) -> Option<Occurrence> {
        let node = *draw.of(&self.chosen)?;
        let Node { term, polarity, .. } = self.nodes[node as usize];
        Some(Occurrence { term, polarity, site: self.place(draw, node)? })
    }

    /// One of the places of a part.
    pub(crate) fn place(&self, draw: &mut Draw, mut node: u32) -> Option<Site> {
        let mut path = Vec::new();
        loop {
            let above = &self.nodes[node as usize].above;
            match *draw.of(above)? {
                (Above::Assertion(assertion), _) => {
                    path.reverse();
                    return Some(Site { assertion: assertion as usize, path });
                }
                (Above::Node(parent), at) => {
                    path.push(at);
                    node = parent;
                }
            }
        }
    }

    /// The candidates with their indices.
    pub(crate) fn numbered(&self) -> impl Iterator<Item = (u32, TermId)> {
        self.chosen.iter().map(|&node| (node, self.nodes[node as usize].term))
    }

    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = (TermId, Polarity)> {
        self.chosen.iter().map(|&node| &self.nodes[node as usize]).map(|n| (n.term, n.polarity))
    }
}

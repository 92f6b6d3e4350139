//! The nesting of parentheses in a proof's text, without recursion: proofs nest as deep as they are
//! long.

use assay_smtlib::{Piece, pieces};
use std::ops::Range;

/// A position in a [`Tree`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct At(u32);

struct Node {
    text: Range<usize>,
    /// The items of a list, in `items`; `None` for an atom.
    items: Option<Range<usize>>,
}

/// A text as nested lists of atoms.
pub(crate) struct Tree<'t> {
    text: &'t str,
    nodes: Vec<Node>,
    items: Vec<At>,
    /// The outermost lists and atoms.
    pub(crate) roots: Vec<At>,
}

impl<'t> Tree<'t> {
    /// The nesting of a text.
    ///
    /// # Errors
    /// The byte offset of a parenthesis without a counterpart, or of text that is not a token.
    pub(crate) fn of(text: &'t str) -> Result<Tree<'t>, usize> {
        let mut tree = Tree { text, nodes: Vec::new(), items: Vec::new(), roots: Vec::new() };
        let mut open: Vec<(usize, Vec<At>)> = Vec::new();
        let mut level: Vec<At> = Vec::new();
        for (piece, range) in pieces(text) {
            let node = match piece {
                Piece::Space | Piece::Comment => continue,
                Piece::Strange => return Err(range.start),
                Piece::Open => {
                    open.push((range.start, std::mem::take(&mut level)));
                    continue;
                }
                Piece::Close => {
                    let (start, around) = open.pop().ok_or(range.start)?;
                    let begin = tree.items.len();
                    tree.items.append(&mut level);
                    level = around;
                    Node { text: start..range.end, items: Some(begin..tree.items.len()) }
                }
                _ => Node { text: range, items: None },
            };
            level.push(At(tree.nodes.len() as u32));
            tree.nodes.push(node);
        }
        match open.pop() {
            Some((start, _)) => Err(start),
            None => {
                tree.roots = level;
                Ok(tree)
            }
        }
    }

    fn node(&self, at: At) -> &Node {
        &self.nodes[at.0 as usize]
    }

    /// The text of a node.
    pub(crate) fn text(&self, at: At) -> &'t str {
        &self.text[self.node(at).text.clone()]
    }

    /// The items of a list; nothing for an atom.
    pub(crate) fn items(&self, at: At) -> &[At] {
        self.node(at).items.clone().map_or(&[], |range| &self.items[range])
    }

    /// Whether it is an atom.
    pub(crate) fn is_atom(&self, at: At) -> bool {
        self.node(at).items.is_none()
    }

    /// The first item of a list, if it is an atom.
    pub(crate) fn head(&self, at: At) -> Option<&'t str> {
        let first = *self.items(at).first()?;
        self.is_atom(first).then(|| self.text(first))
    }

    /// The name of a rule at the head of a list: `rule`, or `(_ rule parameter …)`.
    pub(crate) fn rule(&self, at: At) -> Option<(&'t str, &[At])> {
        if let Some(name) = self.head(at) {
            return Some((name, &[]));
        }
        let indexed = *self.items(at).first()?;
        match self.items(indexed) {
            [mark, name, parameters @ ..] if self.text(*mark) == "_" && self.is_atom(*name) => {
                Some((self.text(*name), parameters))
            }
            _ => None,
        }
    }

    /// The value of a keyword among the items of a list.
    pub(crate) fn keyword(&self, items: &[At], name: &str) -> Option<At> {
        let at = items.iter().position(|&item| self.is_atom(item) && self.text(item) == name)?;
        items.get(at + 1).copied()
    }
}

//! The entries of an array as a persistent sorted map: a copy is free, a change copies one path.
//!
//! A chain of ten thousand `store`s has ten thousand values, each of which may be used; they share
//! all but about twenty nodes each. The tree is weight-balanced. Its shape depends on the order of
//! changes, so comparing and hashing use the entries in order, never the nodes.

use crate::value::{Size, Value};
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// Pairs of index and element, sorted by index, without repetition.
#[derive(Clone, Default)]
pub struct Entries(Option<Arc<Node>>);

struct Node {
    entry: Arc<Entry>,
    left: Entries,
    right: Entries,
    len: usize,
    size: Size,
}

struct Entry {
    index: Value,
    element: Value,
    size: Size,
}

/// The maximum ratio between the weights of the two sides.
const UNEVEN: usize = 3;

/// A heavy side is turned once if its inner part is less than this many times its outer part.
const SINGLE: usize = 2;

impl Entries {
    /// No entries.
    #[must_use]
    pub const fn new() -> Entries {
        Entries(None)
    }

    /// The number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |node| node.len)
    }

    /// Whether the map is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The total size of all entries.
    #[must_use]
    pub fn size(&self) -> Size {
        self.0.as_ref().map_or(Size::NONE, |node| node.size)
    }

    /// The element at an index.
    #[must_use]
    pub fn get(&self, index: &Value) -> Option<&Value> {
        let mut place = self;
        while let Some(node) = &place.0 {
            place = match index.cmp(&node.entry.index) {
                Ordering::Less => &node.left,
                Ordering::Greater => &node.right,
                Ordering::Equal => return Some(&node.entry.element),
            };
        }
        None
    }

    /// The same entries, with this element at this index.
    #[must_use]
    pub fn insert(&self, index: Value, element: Value) -> Entries {
        let size = index.size().and(element.size());
        self.insert_entry(Arc::new(Entry { index, element, size }))
    }

    fn insert_entry(&self, entry: Arc<Entry>) -> Entries {
        let Some(node) = &self.0 else {
            return Entries::node(entry, Entries::new(), Entries::new());
        };
        let (here, left, right) = node.clone_parts();
        match entry.index.cmp(&here.index) {
            Ordering::Less => Entries::balanced(here, left.insert_entry(entry), right),
            Ordering::Greater => Entries::balanced(here, left, right.insert_entry(entry)),
            Ordering::Equal => Entries::node(entry, left, right),
        }
    }

    /// The same entries without this index.
    #[must_use]
    pub fn remove(&self, index: &Value) -> Entries {
        let Some(node) = &self.0 else { return Entries::new() };
        let (here, left, right) = node.clone_parts();
        match index.cmp(&here.index) {
            Ordering::Less => Entries::balanced(here, left.remove(index), right),
            Ordering::Greater => Entries::balanced(here, left, right.remove(index)),
            Ordering::Equal => match right.take_first() {
                Some((first, rest)) => Entries::balanced(first, left, rest),
                None => left,
            },
        }
    }

    /// The entry with the smallest index, and the others.
    fn take_first(&self) -> Option<(Arc<Entry>, Entries)> {
        let (here, left, right) = self.0.as_ref()?.clone_parts();
        Some(match left.take_first() {
            Some((first, rest)) => (first, Entries::balanced(here, rest, right)),
            None => (here, right),
        })
    }

    /// The entries in the order of their indices.
    #[must_use]
    pub fn iter(&self) -> Iter<'_> {
        let mut iter = Iter { open: Vec::new(), left: self.len() };
        iter.descend(self);
        iter
    }

    fn node(entry: Arc<Entry>, left: Entries, right: Entries) -> Entries {
        let len = left.len() + right.len() + 1;
        let size = entry.size.and(left.size()).and(right.size());
        Entries(Some(Arc::new(Node { entry, left, right, len, size })))
    }

    /// A node over two sides, one of which is off balance by at most one change.
    fn balanced(entry: Arc<Entry>, left: Entries, right: Entries) -> Entries {
        let (l, r) = (left.len(), right.len());
        if l + r <= 1 || (l <= UNEVEN * r && r <= UNEVEN * l) {
            return Entries::node(entry, left, right);
        }
        if r > l {
            let (pivot, inner, outer) = right.heavy();
            if inner.len() < SINGLE * outer.len() {
                return Entries::node(pivot, Entries::node(entry, left, inner), outer);
            }
            let (middle, before, after) = inner.heavy();
            let first = Entries::node(entry, left, before);
            return Entries::node(middle, first, Entries::node(pivot, after, outer));
        }
        let (pivot, outer, inner) = left.heavy();
        if inner.len() < SINGLE * outer.len() {
            return Entries::node(pivot, outer, Entries::node(entry, inner, right));
        }
        let (middle, before, after) = inner.heavy();
        let last = Entries::node(entry, after, right);
        Entries::node(middle, Entries::node(pivot, outer, before), last)
    }

    fn heavy(&self) -> (Arc<Entry>, Entries, Entries) {
        self.0.as_ref().expect("a heavy side is not empty").clone_parts()
    }
}

impl Node {
    fn clone_parts(&self) -> (Arc<Entry>, Entries, Entries) {
        (self.entry.clone(), self.left.clone(), self.right.clone())
    }
}

/// Entries in the order of their indices.
pub struct Iter<'a> {
    /// Nodes whose left side is done, the next one last.
    open: Vec<&'a Node>,
    left: usize,
}

impl<'a> Iter<'a> {
    fn descend(&mut self, mut place: &'a Entries) {
        while let Some(node) = &place.0 {
            self.open.push(node);
            place = &node.left;
        }
    }
}

impl<'a> Iterator for Iter<'a> {
    type Item = (&'a Value, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        let node = self.open.pop()?;
        self.left -= 1;
        self.descend(&node.right);
        Some((&node.entry.index, &node.entry.element))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Iter<'_> {}

impl<'a> IntoIterator for &'a Entries {
    type Item = (&'a Value, &'a Value);
    type IntoIter = Iter<'a>;

    fn into_iter(self) -> Iter<'a> {
        self.iter()
    }
}

impl FromIterator<(Value, Value)> for Entries {
    /// If an index occurs twice, the last one counts.
    fn from_iter<I: IntoIterator<Item = (Value, Value)>>(entries: I) -> Entries {
        let insert = |map: Entries, (index, element)| map.insert(index, element);
        entries.into_iter().fold(Entries::new(), insert)
    }
}

impl PartialEq for Entries {
    fn eq(&self, other: &Entries) -> bool {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) if Arc::ptr_eq(a, b) => true,
            _ => self.len() == other.len() && self.iter().eq(other.iter()),
        }
    }
}

impl Eq for Entries {}

impl Ord for Entries {
    fn cmp(&self, other: &Entries) -> Ordering {
        self.iter().cmp(other.iter())
    }
}

impl PartialOrd for Entries {
    fn partial_cmp(&self, other: &Entries) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Hash for Entries {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.len().hash(state);
        self.iter().for_each(|entry| entry.hash(state));
    }
}

impl fmt::Debug for Entries {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::int::Int;
    use std::collections::BTreeMap;
    use std::collections::hash_map::DefaultHasher;

    fn int(n: u64) -> Value {
        Value::Int(Int::from(n as i64))
    }

    fn hash(value: &Entries) -> u64 {
        let mut state = DefaultHasher::new();
        value.hash(&mut state);
        state.finish()
    }

    /// The height, after checking that every node is balanced and knows its size.
    fn height(entries: &Entries) -> usize {
        let Some(node) = &entries.0 else { return 0 };
        let (l, r) = (node.left.len(), node.right.len());
        assert!(l + r <= 1 || (l <= UNEVEN * r && r <= UNEVEN * l), "{l} against {r}");
        assert_eq!(node.len, l + r + 1);
        assert_eq!(node.size.parts, 2 * node.len as u64, "two values for each entry");
        1 + height(&node.left).max(height(&node.right))
    }

    #[test]
    fn changes_agree_with_a_plain_map_and_leave_older_versions_alone() {
        let mut state = 1u64;
        let mut draw = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % below
        };
        let mut versions: Vec<(Entries, BTreeMap<Value, Value>)> = Vec::new();
        let (mut tree, mut plain) = (Entries::new(), BTreeMap::new());
        for round in 0..4_000 {
            let (index, element) = (int(draw(300)), int(draw(5)));
            if draw(3) == 0 {
                tree = tree.remove(&index);
                plain.remove(&index);
            } else {
                tree = tree.insert(index.clone(), element.clone());
                plain.insert(index, element);
            }
            if round % 100 == 0 {
                height(&tree);
                versions.push((tree.clone(), plain.clone()));
            }
        }
        for (tree, plain) in &versions {
            assert!(tree.iter().eq(plain.iter()));
            for n in 0..300 {
                assert_eq!(tree.get(&int(n)), plain.get(&int(n)));
            }
            // Another history with the same entries gives an equal value.
            let entries = plain.iter().map(|(i, e)| (i.clone(), e.clone()));
            let again: Entries = entries.collect();
            assert_eq!(
                (tree, tree.cmp(&again), hash(tree)),
                (&again, Ordering::Equal, hash(&again))
            );
        }
        for (a, x) in &versions {
            for (b, y) in &versions {
                assert_eq!((a == b, a.cmp(b)), (x == y, x.iter().cmp(y.iter())));
            }
        }
    }

    #[test]
    fn sorted_input_gives_a_low_tree() {
        for order in [|n| n, |n| 9_999 - n] {
            let tree: Entries = (0..10_000).map(|n| (int(order(n)), int(n))).collect();
            assert!(height(&tree) <= 30, "{}", height(&tree));
        }
    }
}

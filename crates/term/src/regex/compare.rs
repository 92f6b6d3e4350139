//! Structural equality, order and hash of values, without recursion and linear in shared nodes.

use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::hashing::Members;
use super::value::RegLan;

impl RegLan {
    fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

/// Compares in preorder, so the first difference decides.
///
/// A pair met for the second time was found equal the first time, or the comparison would have
/// ended there. Only pairs with a shared member need remembering: a pair of unshared nodes can
/// come back only through its unique pair of parents.
fn compare(left: &RegLan, right: &RegLan) -> Ordering {
    let mut pending = vec![(left, right)];
    let mut seen = Members::default();
    while let Some((x, y)) = pending.pop() {
        if x.same_object(y) {
            continue;
        }
        let shared = x.is_shared() || y.is_shared();
        if shared && !seen.insert((x.address(), y.address())) {
            continue;
        }
        let order = x.node().label().cmp(&y.node().label());
        if order != Ordering::Equal {
            return order;
        }
        let bottom = pending.len();
        pending.extend(x.node().children().zip(y.node().children()));
        pending[bottom..].reverse();
    }
    Ordering::Equal
}

impl PartialEq for RegLan {
    fn eq(&self, other: &Self) -> bool {
        self.0.hash == other.0.hash
            && self.tree_size() == other.tree_size()
            && compare(self, other) == Ordering::Equal
    }
}

impl Eq for RegLan {}

impl PartialOrd for RegLan {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for RegLan {
    fn cmp(&self, other: &Self) -> Ordering {
        compare(self, other)
    }
}

impl Hash for RegLan {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.0.hash);
    }
}

//! The value itself: an immutable, shared expression for a regular language.
//!
//! Constructors apply only laws that look at the immediate operands (units, zeros, idempotence),
//! so that a value prints back close to what was written and is built in constant time per
//! operand. Deep normalisation belongs to the arena of a query, never to the value.

use std::hash::Hasher;
use std::slice;
use std::sync::Arc;

use super::charset::MAX_CHAR;
use super::hashing::Mixer;

/// A regular language over the characters `0..=MAX_CHAR`: a value of SMT-LIB sort `RegLan`.
///
/// Cloning is cheap; hash, nullability and size are cached. `Eq`, `Ord` and `Hash` are
/// structural: two different expressions of one language are unequal values, for which
/// [`RegLan::equivalent`] is the question to ask. No operation recurses, so depth is bounded by
/// memory alone.
#[derive(Clone)]
pub struct RegLan(pub(super) Arc<Inner>);

pub(super) struct Inner {
    pub(super) node: Node,
    pub(super) hash: u64,
    size: u64,
    nullable: bool,
}

/// The outermost operator of a [`RegLan`] with its operands.
///
/// The constructors of [`RegLan`] keep these invariants: ranges are proper (`lo < hi`, not the
/// whole alphabet), n-ary nodes have at least two operands, powers are at least two, and loops
/// have `lo < hi`. The empty word is `Literal` of no characters.
#[derive(Debug)]
pub enum Node {
    /// `re.none`: no word.
    None,
    /// `re.all`: every word.
    All,
    /// `re.allchar`: every word of one character.
    AllChar,
    /// `str.to_re`: exactly this word.
    Literal(Box<[u32]>),
    /// `re.range`: the words of one character between the bounds, both included.
    Range(u32, u32),
    /// `re.++`: concatenation.
    Concat(Box<[RegLan]>),
    /// `re.union`.
    Union(Box<[RegLan]>),
    /// `re.inter`.
    Inter(Box<[RegLan]>),
    /// `re.*`: any number of words of the operand.
    Star(RegLan),
    /// `re.+`: at least one word of the operand.
    Plus(RegLan),
    /// `re.opt`: the operand or the empty word.
    Opt(RegLan),
    /// `re.comp`: every word that the operand lacks.
    Comp(RegLan),
    /// `re.diff`: the words of the first operand that the second lacks.
    Diff(RegLan, RegLan),
    /// `(_ re.^ n)`: exactly `n` words of the operand.
    Power(RegLan, u64),
    /// `(_ re.loop lo hi)`: from `lo` to `hi` words of the operand.
    Loop(RegLan, u64, u64),
}

/// Everything in a node except its operands; arity included, so that equal labels have equally
/// many operands.
pub(super) type Label<'a> = (u8, &'a [u32], u64, u64, usize);

impl Node {
    /// The operands from left to right.
    pub fn children(&self) -> impl DoubleEndedIterator<Item = &RegLan> {
        let (front, back) = self.operands();
        front.iter().chain(back)
    }

    fn operands(&self) -> (&[RegLan], &[RegLan]) {
        match self {
            Node::None | Node::All | Node::AllChar | Node::Literal(_) | Node::Range(..) => {
                (&[], &[])
            }
            Node::Concat(parts) | Node::Union(parts) | Node::Inter(parts) => (parts, &[]),
            Node::Star(body)
            | Node::Plus(body)
            | Node::Opt(body)
            | Node::Comp(body)
            | Node::Power(body, _)
            | Node::Loop(body, ..) => (slice::from_ref(body), &[]),
            Node::Diff(kept, removed) => (slice::from_ref(kept), slice::from_ref(removed)),
        }
    }

    pub(super) fn label(&self) -> Label<'_> {
        let (front, back) = self.operands();
        let arity = front.len() + back.len();
        match self {
            Node::None => (0, &[], 0, 0, arity),
            Node::All => (1, &[], 0, 0, arity),
            Node::AllChar => (2, &[], 0, 0, arity),
            Node::Literal(word) => (3, word, 0, 0, arity),
            Node::Range(lo, hi) => (4, &[], u64::from(*lo), u64::from(*hi), arity),
            Node::Concat(_) => (5, &[], 0, 0, arity),
            Node::Union(_) => (6, &[], 0, 0, arity),
            Node::Inter(_) => (7, &[], 0, 0, arity),
            Node::Star(_) => (8, &[], 0, 0, arity),
            Node::Plus(_) => (9, &[], 0, 0, arity),
            Node::Opt(_) => (10, &[], 0, 0, arity),
            Node::Comp(_) => (11, &[], 0, 0, arity),
            Node::Diff(..) => (12, &[], 0, 0, arity),
            Node::Power(_, count) => (13, &[], *count, 0, arity),
            Node::Loop(_, lo, hi) => (14, &[], *lo, *hi, arity),
        }
    }

    fn nullable(&self) -> bool {
        match self {
            Node::None | Node::AllChar | Node::Range(..) => false,
            Node::All | Node::Star(_) | Node::Opt(_) => true,
            Node::Literal(word) => word.is_empty(),
            Node::Concat(parts) | Node::Inter(parts) => parts.iter().all(RegLan::nullable),
            Node::Union(parts) => parts.iter().any(RegLan::nullable),
            Node::Plus(body) => body.nullable(),
            Node::Comp(body) => !body.nullable(),
            Node::Diff(kept, removed) => kept.nullable() && !removed.nullable(),
            Node::Power(body, count) => *count == 0 || body.nullable(),
            Node::Loop(body, lo, _) => *lo == 0 || body.nullable(),
        }
    }

    fn hash(&self) -> u64 {
        let (tag, word, first, second, arity) = self.label();
        let mut mixer = Mixer::default();
        mixer.write_u8(tag);
        word.iter().for_each(|&c| mixer.write_u32(c));
        mixer.write_u64(first);
        mixer.write_u64(second);
        mixer.write_usize(arity);
        self.children().for_each(|child| mixer.mix(child.0.hash));
        mixer.finish()
    }
}

impl RegLan {
    fn new(node: Node) -> Self {
        let below = node.children().map(RegLan::tree_size);
        let size = below.fold(1, u64::saturating_add);
        let (hash, nullable) = (node.hash(), node.nullable());
        RegLan(Arc::new(Inner { node, hash, size, nullable }))
    }

    /// The outermost operator and its operands.
    pub fn node(&self) -> &Node {
        &self.0.node
    }

    /// Whether the language contains the empty word.
    pub fn nullable(&self) -> bool {
        self.0.nullable
    }

    /// The number of nodes of the expression written out as a tree, at most `u64::MAX`.
    ///
    /// Sharing makes this exponential in the memory used: ask before printing.
    pub fn tree_size(&self) -> u64 {
        self.0.size
    }

    /// Whether both are the very same object in memory, which implies equality.
    pub fn same_object(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// `re.none`: the empty language.
    pub fn none() -> Self {
        RegLan::new(Node::None)
    }

    /// `re.all`: the language of all words.
    pub fn all() -> Self {
        RegLan::new(Node::All)
    }

    /// `re.allchar`: the language of all words of one character.
    pub fn all_char() -> Self {
        RegLan::new(Node::AllChar)
    }

    /// The language of the empty word alone.
    pub fn epsilon() -> Self {
        RegLan::literal(&[])
    }

    /// `str.to_re`: the language of this word alone.
    ///
    /// A sequence with an element above `MAX_CHAR` is not a word, so it gives the empty language.
    pub fn literal(word: &[u32]) -> Self {
        if word.iter().any(|&c| c > MAX_CHAR) {
            return RegLan::none();
        }
        RegLan::new(Node::Literal(word.into()))
    }

    /// `re.range`: the words of one character from `lo` to `hi`; `None` if `lo > hi`.
    pub fn range(lo: u32, hi: u32) -> Self {
        let hi = hi.min(MAX_CHAR);
        match (lo, hi) {
            _ if lo > hi => RegLan::none(),
            _ if lo == hi => RegLan::literal(&[lo]),
            (0, MAX_CHAR) => RegLan::all_char(),
            _ => RegLan::new(Node::Range(lo, hi)),
        }
    }

    /// `re.++`: concatenation of any number of languages; of none, the empty word.
    pub fn concat(parts: impl IntoIterator<Item = RegLan>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            if part.is_none() {
                return RegLan::none();
            }
            if !part.is_epsilon() {
                kept.push(part);
            }
        }
        RegLan::collapse(kept, RegLan::epsilon, Node::Concat)
    }

    /// `re.union` of any number of languages; of none, the empty language.
    pub fn union(parts: impl IntoIterator<Item = RegLan>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            if part.is_all() {
                return part;
            }
            if !part.is_none() {
                kept.push(part);
            }
        }
        RegLan::collapse(kept, RegLan::none, Node::Union)
    }

    /// `re.inter` of any number of languages; of none, the language of all words.
    pub fn inter(parts: impl IntoIterator<Item = RegLan>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            if part.is_none() {
                return part;
            }
            if !part.is_all() {
                kept.push(part);
            }
        }
        RegLan::collapse(kept, RegLan::all, Node::Inter)
    }

    fn collapse(
        mut parts: Vec<RegLan>,
        unit: fn() -> RegLan,
        node: fn(Box<[RegLan]>) -> Node,
    ) -> Self {
        match parts.len() {
            0 => unit(),
            1 => parts.remove(0),
            _ => RegLan::new(node(parts.into())),
        }
    }

    /// `re.*`.
    pub fn star(body: RegLan) -> Self {
        match body.node() {
            Node::None => RegLan::epsilon(),
            Node::All | Node::Star(_) => body,
            Node::Literal(word) if word.is_empty() => body,
            _ => RegLan::new(Node::Star(body)),
        }
    }

    /// `re.+`.
    pub fn plus(body: RegLan) -> Self {
        match body.node() {
            Node::None | Node::All | Node::Star(_) | Node::Plus(_) => body,
            Node::Literal(word) if word.is_empty() => body,
            _ => RegLan::new(Node::Plus(body)),
        }
    }

    /// `re.opt`.
    pub fn opt(body: RegLan) -> Self {
        match body.node() {
            Node::None => RegLan::epsilon(),
            _ if body.nullable() => body,
            _ => RegLan::new(Node::Opt(body)),
        }
    }

    /// `re.comp`.
    pub fn comp(body: RegLan) -> Self {
        match body.node() {
            Node::None => RegLan::all(),
            Node::All => RegLan::none(),
            Node::Comp(inner) => inner.clone(),
            _ => RegLan::new(Node::Comp(body)),
        }
    }

    /// `re.diff`: what is in `kept` and not in `removed`.
    pub fn diff(kept: RegLan, removed: RegLan) -> Self {
        match (kept.node(), removed.node()) {
            (Node::None, _) | (_, Node::None) => kept,
            (_, Node::All) => RegLan::none(),
            _ => RegLan::new(Node::Diff(kept, removed)),
        }
    }

    /// `(_ re.^ count)`: exactly `count` words of the body, one after another.
    pub fn power(body: RegLan, count: u64) -> Self {
        match (count, body.node()) {
            (0, _) => RegLan::epsilon(),
            (1, _) | (_, Node::None | Node::All | Node::Star(_)) => body,
            (_, Node::Literal(word)) if word.is_empty() => body,
            _ => RegLan::new(Node::Power(body, count)),
        }
    }

    /// `(_ re.loop lo hi)`: from `lo` to `hi` words of the body; `None` if `lo > hi`.
    pub fn repeat(body: RegLan, lo: u64, hi: u64) -> Self {
        if lo > hi {
            return RegLan::none();
        }
        if lo == hi {
            return RegLan::power(body, lo);
        }
        match body.node() {
            Node::None if lo == 0 => RegLan::epsilon(),
            Node::None | Node::All | Node::Star(_) => body,
            Node::Literal(word) if word.is_empty() => body,
            _ => RegLan::new(Node::Loop(body, lo, hi)),
        }
    }

    fn is_none(&self) -> bool {
        matches!(self.node(), Node::None)
    }

    fn is_all(&self) -> bool {
        matches!(self.node(), Node::All)
    }

    fn is_epsilon(&self) -> bool {
        matches!(self.node(), Node::Literal(word) if word.is_empty())
    }
}

/// Moves the operands out of a node, which becomes a leaf.
fn take_children(node: &mut Node, into: &mut Vec<RegLan>) {
    match std::mem::replace(node, Node::None) {
        Node::None | Node::All | Node::AllChar | Node::Literal(_) | Node::Range(..) => {}
        Node::Concat(parts) | Node::Union(parts) | Node::Inter(parts) => into.extend(parts),
        Node::Star(body)
        | Node::Plus(body)
        | Node::Opt(body)
        | Node::Comp(body)
        | Node::Power(body, _)
        | Node::Loop(body, ..) => into.push(body),
        Node::Diff(kept, removed) => into.extend([kept, removed]),
    }
}

impl Drop for Inner {
    /// Takes the expression apart with an explicit stack, as the derived drop would recurse once
    /// per level. `Arc::into_inner` hands each node to exactly one of several racing owners.
    fn drop(&mut self) {
        let mut doomed = Vec::new();
        take_children(&mut self.node, &mut doomed);
        while let Some(value) = doomed.pop() {
            if let Some(mut inner) = Arc::into_inner(value.0) {
                take_children(&mut inner.node, &mut doomed);
            }
        }
    }
}

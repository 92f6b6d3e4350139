//! The representation of a term in the arena, and its lookup keys.

use crate::sort::SortId;
use crate::table::Key;
use crate::term::TermId;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(crate) enum Kind {
    Literal,
    App,
    Var,
    Let,
    Forall,
    Exists,
    Lambda,
    Annotated,
    Match,
}

/// A kind in the upper four bits, its payload (a function, a literal, a name, a side table's
/// index) in the rest: a node takes 24 bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Head(u32);

const PAYLOAD_BITS: u32 = 28;
pub(crate) const OPEN: u32 = 1 << 31;

impl Head {
    #[inline]
    pub(crate) fn new(kind: Kind, payload: u32) -> Head {
        assert!(payload < 1 << PAYLOAD_BITS, "more than 2^28 functions, literals or names");
        Head((kind as u32) << PAYLOAD_BITS | payload)
    }

    pub(crate) fn kind(self) -> Kind {
        const KINDS: [Kind; 9] = [
            Kind::Literal,
            Kind::App,
            Kind::Var,
            Kind::Let,
            Kind::Forall,
            Kind::Exists,
            Kind::Lambda,
            Kind::Annotated,
            Kind::Match,
        ];
        KINDS[(self.0 >> PAYLOAD_BITS) as usize]
    }

    pub(crate) fn payload(self) -> usize {
        (self.0 & ((1 << PAYLOAD_BITS) - 1)) as usize
    }
}

#[derive(Clone, Copy)]
pub(crate) struct Node {
    pub(crate) head: Head,
    pub(crate) sort: SortId,
    /// Number of arguments; the top bit says that a bound variable occurs below.
    pub(crate) len: u32,
    /// The arguments if there are at most three; otherwise their start in the store's list.
    pub(crate) args: [TermId; INLINE],
}

/// The maximum number of arguments stored in the node itself: most terms have no more.
pub(crate) const INLINE: usize = 3;

impl Node {
    pub(crate) fn len(&self) -> usize {
        (self.len & !OPEN) as usize
    }

    pub(crate) fn key(&self, all: &[TermId]) -> Key {
        match self.args(all) {
            args if args.len() > INLINE => long_key(self.head, self.sort, args),
            args => short_key(self.head, self.sort, self.args, args.len()),
        }
    }

    #[inline]
    pub(crate) fn args<'a>(&'a self, all: &'a [TermId]) -> &'a [TermId] {
        let len = self.len();
        if len <= INLINE {
            &self.args[..len]
        } else {
            let start = self.args[0].index();
            &all[start..start + len]
        }
    }
}

pub(crate) fn open_bit(open: bool) -> u32 {
    if open { OPEN } else { 0 }
}

/// A multiplicative hash: the setup of a general one would cost more than the lookup.
#[inline]
pub(crate) fn mix(hash: u64, word: u64) -> u64 {
    (hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// The lookup key of a node with inline arguments: near nodes whose latest argument is about as
/// old.
#[inline]
pub(crate) fn short_key(head: Head, sort: SortId, [a, b, c]: [TermId; INLINE], len: usize) -> Key {
    let word = |term: TermId| term.index() as u64;
    let third = word(c).wrapping_mul(0x9E37_79B1) as u32;
    let first = u64::from(head.0) << 32 | u64::from(sort.index() as u32 ^ third);
    let hash = mix(mix(0, first), word(a) << 32 | word(b));
    let latest = if len == 0 { head.payload() } else { a.max(b).max(c).index() };
    Key::by_age(latest, hash)
}

/// The same for a node with more arguments.
pub(crate) fn long_key(head: Head, sort: SortId, args: &[TermId]) -> Key {
    let start = mix(0, u64::from(head.0) << 32 | sort.index() as u64);
    let hash = args.iter().fold(start, |hash, arg| mix(hash, arg.index() as u64));
    let latest = args.iter().max().map_or(0, |arg| arg.index());
    Key::by_age(latest, hash)
}

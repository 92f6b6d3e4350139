//! Sequences of any sort, as supported by z3 and cvc5; not in the standard.
//!
//! The operators mean the same as those on strings, and solvers apply them to strings too. Only
//! `seq.nth` is open, if the index is out of range.

use super::ints::int;
use super::lists::{self, len, position};
use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::op::{App, Extension, Fold, Law, OpRow, Origin, Pat, Sig};
use crate::open::Allowed;
use crate::sort::SortId;
use crate::value::{MAX_DEPTH, Value};
use std::sync::Arc;

const B: Pat = Pat::Bool;
const I: Pat = Pat::Int;
const S: Pat = Pat::Str;
const E: Pat = Pat::Any(0);
const Q: Pat = Pat::Seq(&E);
const BOTH: Origin = Origin::Extension("z3, cvc5");
const CVC5: Origin = Origin::Extension("cvc5");

const CONCATENATION: &[Sig] = &[
    Sig::new(&[Q, Q], Q),
    of_strings(&[S, S], S),
    Sig::new(&[Q], Q).extension(Extension::SingleArguments),
    of_strings(&[S], S),
];
const PART_OF: &[Sig] = &[Sig::new(&[Q, Q], B), of_strings(&[S, S], B)];
const REPLACEMENT: &[Sig] = &[Sig::new(&[Q, Q, Q], Q), of_strings(&[S, S, S], S)];

const fn of_strings(args: &'static [Pat], result: Pat) -> Sig {
    Sig::new(args, result).extension(Extension::SequencesOverStrings)
}

operators! { Theory::Sequences;
    /// The sequence of one element.
    UNIT = OpRow::new("seq.unit", &[Sig::new(&[E], Q)], unit).origin(BOTH);
    /// The empty sequence, `(as seq.empty sort)`.
    EMPTY = OpRow::new(
            "seq.empty",
            &[Sig::new(&[], Pat::Ascribed(&Q)), of_strings(&[], Pat::Ascribed(&S))],
            |_, app, _| {
                Ok(match app.sort {
                    SortId::STRING => Value::Str(Arc::new([])),
                    sort => Value::Seq(sort, Arc::new([])),
                })
            },
        )
        .origin(BOTH);
    /// Concatenation.
    CONCAT = OpRow::new("seq.++", CONCATENATION, lists::concat)
        .origin(BOTH)
        .fold(Fold::Left)
        .laws(&[Law::Associative]);
    /// Length.
    LEN = OpRow::new("seq.len", &[Sig::new(&[Q], I), of_strings(&[S], I)], lists::length).origin(BOTH);
    /// Up to this many elements from a position on.
    EXTRACT = OpRow::new(
            "seq.extract",
            &[Sig::new(&[Q, I, I], Q), of_strings(&[S, I, I], S)],
            lists::extract,
        )
        .origin(BOTH);
    /// The sequence of the element at a position, or the empty one.
    AT = OpRow::new("seq.at", &[Sig::new(&[Q, I], Q), of_strings(&[S, I], S)], lists::at).origin(BOTH);
    /// The element at a position.
    NTH = OpRow::new("seq.nth", &[Sig::new(&[Q, I], E)], |_, app, args| {
            let Value::Seq(_, items) = &args[0] else { unreachable!("typed as a sequence") };
            let element = position(int(&args[1]), len(&args[0])).and_then(|at| items.get(at));
            element.cloned().ok_or(Unknown::Open(app.op))
        })
        .origin(BOTH)
        .open(Allowed::Any);
    /// Whether the second sequence occurs in the first.
    CONTAINS = OpRow::new("seq.contains", PART_OF, lists::contains).origin(BOTH);
    /// Whether the first sequence is a prefix of the second.
    PREFIXOF = OpRow::new("seq.prefixof", PART_OF, lists::is_prefix).origin(BOTH);
    /// Whether the first sequence is a suffix of the second.
    SUFFIXOF = OpRow::new("seq.suffixof", PART_OF, lists::is_suffix).origin(BOTH);
    /// The first position, at the offset or later, where the second sequence occurs in the first.
    INDEXOF = OpRow::new(
            "seq.indexof",
            &[
                Sig::new(&[Q, Q, I], I),
                of_strings(&[S, S, I], I),
                Sig::new(&[Q, Q], I).extension(Extension::IndexOfWithoutPosition),
                of_strings(&[S, S], I),
            ],
            lists::index_of,
        )
        .origin(BOTH);
    /// The last position where the second sequence occurs in the first.
    LAST_INDEXOF = OpRow::new(
            "seq.last_indexof",
            &[Sig::new(&[Q, Q], I), of_strings(&[S, S], I)],
            lists::last_index_of,
        )
        .origin(Origin::Extension("z3"));
    /// The first occurrence of a sequence replaced.
    REPLACE = OpRow::new("seq.replace", REPLACEMENT, lists::replace).origin(BOTH);
    /// Every occurrence of a sequence replaced.
    REPLACE_ALL = OpRow::new("seq.replace_all", REPLACEMENT, lists::replace_all).origin(BOTH);
    /// The elements from a position on overwritten, without changing the length.
    UPDATE = OpRow::new(
            "seq.update",
            &[Sig::new(&[Q, I, Q], Q), of_strings(&[S, I, S], S)],
            lists::update,
        )
        .origin(CVC5);
    /// The sequence read backwards.
    REV = OpRow::new("seq.rev", &[Sig::new(&[Q], Q), of_strings(&[S], S)], lists::reverse)
        .origin(CVC5)
        .laws(&[Law::Involutive]);
}

fn unit(_: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Result<Value, Unknown> {
    if args[0].depth() >= MAX_DEPTH {
        return Err(Unknown::Limit("nested values"));
    }
    Ok(Value::Seq(app.sort, Arc::new([args[0].clone()])))
}

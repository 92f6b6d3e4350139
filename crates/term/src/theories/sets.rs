//! Finite sets, as supported by cvc5; not in the standard.
//!
//! The universe of a sort is not a fixed set in cvc5 (any set that includes all sets of the formula
//! will do), so it and the complement have no value here. `set.choose` is open except for sets of
//! one element: any function from sets to their elements will do.

use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::op::{Alias, Fold, Law, OpRow, Origin, Pat, Sig, Vocabulary};
use crate::open::Allowed;
use crate::sort::SortId;
use crate::value::{MAX_DEPTH, Value};

const B: Pat = Pat::Bool;
const I: Pat = Pat::Int;
const E: Pat = Pat::Any(0);
const S: Pat = Pat::Set(&E);
const CVC5: Origin = Origin::Extension("cvc5");

/// A name from cvc4.
pub(super) const fn old(name: &'static str) -> Alias {
    Alias { name, vocabulary: Vocabulary::Cvc }
}

const OPERATION: &[Sig] = &[Sig::new(&[S, S], S)];

operators! { Theory::Sets;
    /// The empty set, `(as set.empty sort)`.
    EMPTY = OpRow::new("set.empty", &[Sig::new(&[], Pat::Ascribed(&S))], |_, app, _| {
            Ok(Value::set(app.sort, Vec::new()))
        })
        .origin(CVC5)
        .aliases(&[old("emptyset")]);
    /// The set of one element.
    SINGLETON = OpRow::new("set.singleton", &[Sig::new(&[E], S)], |cx, app, args| {
            of(cx, app.sort, args)
        })
        .origin(CVC5)
        .aliases(&[old("singleton")]);
    /// A set with further elements.
    INSERT = OpRow::new("set.insert", &[Sig::new(&[E, S], S)], |cx, app, args| {
            let (set, elements) = args.split_last().expect("typed with two arguments or more");
            let all: Vec<Value> = elements.iter().chain(items(set)).cloned().collect();
            of(cx, app.sort, &all)
        })
        .origin(CVC5)
        .fold(Fold::Right)
        .aliases(&[old("insert")]);
    /// Union.
    UNION = OpRow::new("set.union", OPERATION, |_, app, args| {
            Ok(Value::set(app.sort, args.iter().flat_map(items).cloned().collect()))
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent])
        .aliases(&[old("union")]);
    /// Intersection.
    INTER = OpRow::new("set.inter", OPERATION, |_, app, args| {
            Ok(keep(app.sort, args, |element, rest| rest.iter().all(|set| has(set, element))))
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent])
        .aliases(&[old("intersection")]);
    /// The first set without the elements of the others.
    MINUS = OpRow::new("set.minus", OPERATION, |_, app, args| {
            Ok(keep(app.sort, args, |element, rest| !rest.iter().any(|set| has(set, element))))
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .aliases(&[old("setminus")]);
    /// Whether the first argument is an element of the second.
    MEMBER = OpRow::new("set.member", &[Sig::new(&[E, S], B)], |cx, _, args| {
            comparable(cx, &args[0])?;
            Ok(has(&args[1], &args[0]).into())
        })
        .origin(CVC5)
        .aliases(&[old("member")]);
    /// Whether the first set is a part of the second.
    SUBSET = OpRow::new("set.subset", &[Sig::new(&[S, S], B)], |_, _, args| {
            Ok(items(&args[0]).iter().all(|element| has(&args[1], element)).into())
        })
        .origin(CVC5)
        .aliases(&[old("subset")]);
    /// How many elements it has.
    CARD = OpRow::new("set.card", &[Sig::new(&[S], I)], |_, _, args| {
            Ok(Value::Int(items(&args[0]).len().into()))
        })
        .origin(CVC5)
        .aliases(&[old("card")]);
    /// Some element.
    CHOOSE = OpRow::new("set.choose", &[Sig::new(&[S], E)], |_, app, args| {
            match items(&args[0]) {
                [only] => Ok(only.clone()),
                _ => Err(Unknown::Open(app.op)),
            }
        })
        .origin(CVC5)
        .open(Allowed::Element)
        .aliases(&[old("choose")]);
    /// Whether it has no element.
    IS_EMPTY = OpRow::new("set.is_empty", &[Sig::new(&[S], B)], |_, _, args| {
            Ok(items(&args[0]).is_empty().into())
        })
        .origin(CVC5);
    /// Whether it has one element.
    IS_SINGLETON = OpRow::new("set.is_singleton", &[Sig::new(&[S], B)], |_, _, args| {
            Ok((items(&args[0]).len() == 1).into())
        })
        .origin(CVC5)
        .aliases(&[old("is_singleton")]);
    /// The universe without the elements of the set.
    COMPLEMENT = OpRow::new("set.complement", &[Sig::new(&[S], S)], |_, _, _| Err(UNIVERSE))
        .origin(CVC5)
        .aliases(&[old("complement")]);
    /// A set that includes all sets of the formula, `(as set.universe sort)`.
    UNIVERSE_SET = OpRow::new("set.universe", &[Sig::new(&[], Pat::Ascribed(&S))], |_, _, _| {
            Err(UNIVERSE)
        })
        .origin(CVC5)
        .aliases(&[old("univset")]);
}

const UNIVERSE: Unknown = Unknown::Unsupported("the universe of a sort is open");

impl Value {
    /// A set of these elements. Their equality must be structural.
    #[must_use]
    pub fn set(sort: SortId, mut elements: Vec<Value>) -> Value {
        elements.sort();
        elements.dedup();
        Value::Set(sort, elements.into())
    }
}

/// The elements, as typing guarantees.
pub(super) fn items(set: &Value) -> &[Value] {
    match set {
        Value::Set(_, items) => items,
        _ => unreachable!("typed as a set"),
    }
}

fn has(set: &Value, element: &Value) -> bool {
    items(set).binary_search(element).is_ok()
}

/// The elements of the first set that `wanted` accepts, given the other sets.
fn keep(sort: SortId, args: &[Value], wanted: impl Fn(&Value, &[Value]) -> bool) -> Value {
    let (first, rest) = args.split_first().expect("typed with an argument");
    let kept = items(first).iter().filter(|element| wanted(element, rest));
    Value::Set(sort, kept.cloned().collect())
}

/// Whether a value can be an element of a set here: equality must be decidable.
pub(super) fn comparable(cx: &EvalContext<'_>, element: &Value) -> Result<(), Unknown> {
    if !cx.is_structural(element) {
        return Err(Unknown::Unsupported("a set or bag of values that are hard to compare"));
    }
    if element.depth() >= MAX_DEPTH {
        return Err(Unknown::Limit("nested values"));
    }
    Ok(())
}

/// A set of these elements, which may contain duplicates.
pub(super) fn of(cx: &EvalContext<'_>, sort: SortId, elements: &[Value]) -> Result<Value, Unknown> {
    elements.iter().try_for_each(|element| comparable(cx, element))?;
    Ok(Value::set(sort, elements.to_vec()))
}

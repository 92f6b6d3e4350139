//! Finite bags, which hold each element a number of times, as cvc5 reads them; not in the standard.

use super::ints::int;
use super::sets::{self, comparable, old};
use super::{Theory, operators};
use crate::eval::{EvalContext, Unknown};
use crate::int::Int;
use crate::op::{App, Fold, Law, OpRow, Origin, Pat, Sig};
use crate::open::Allowed;
use crate::sort::SortId;
use crate::value::Value;
use std::cmp::Ordering;

const B: Pat = Pat::Bool;
const I: Pat = Pat::Int;
const E: Pat = Pat::Any(0);
const M: Pat = Pat::Bag(&E);
const CVC5: Origin = Origin::Extension("cvc5");
/// Read by cvc5 up to 1.0.
const OLD: Origin = Origin::Extension("cvc5 1.0");

const OPERATION: &[Sig] = &[Sig::new(&[M, M], M)];

operators! { Theory::Bags;
    /// The empty bag, `(as bag.empty sort)`.
    EMPTY = OpRow::new("bag.empty", &[Sig::new(&[], Pat::Ascribed(&M))], |_, app, _| {
            Ok(Value::bag(app.sort, Vec::new()))
        })
        .origin(CVC5)
        .aliases(&[old("emptybag")]);
    /// The bag with this many copies of an element; empty if the number is not positive.
    BAG = OpRow::new("bag", &[Sig::new(&[E, I], M)], |cx, app, args| {
            comparable(cx, &args[0])?;
            Ok(Value::bag(app.sort, vec![(args[0].clone(), int(&args[1]).clone())]))
        })
        .origin(CVC5)
        .aliases(&[old("mkBag")]);
    /// The union that adds up.
    UNION_DISJOINT = OpRow::new("bag.union_disjoint", OPERATION, |cx, app, args| {
            combine(cx, app, args, |a, b| a + b)
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative])
        .aliases(&[old("union_disjoint")]);
    /// The union that takes the larger number.
    UNION_MAX = OpRow::new("bag.union_max", OPERATION, |cx, app, args| {
            combine(cx, app, args, |a, b| a.max(b).clone())
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent])
        .aliases(&[old("union_max")]);
    /// The intersection, which takes the smaller number.
    INTER_MIN = OpRow::new("bag.inter_min", OPERATION, |cx, app, args| {
            combine(cx, app, args, |a, b| a.min(b).clone())
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .laws(&[Law::Commutative, Law::Associative, Law::Idempotent])
        .aliases(&[old("intersection_min")]);
    /// The difference that subtracts.
    DIFFERENCE_SUBTRACT = OpRow::new("bag.difference_subtract", OPERATION, |cx, app, args| {
            combine(cx, app, args, |a, b| a - b)
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .aliases(&[old("difference_subtract")]);
    /// The difference that removes an element altogether.
    DIFFERENCE_REMOVE = OpRow::new("bag.difference_remove", OPERATION, |cx, app, args| {
            combine(cx, app, args, |a, b| if b.is_zero() { a.clone() } else { Int::ZERO })
        })
        .origin(CVC5)
        .fold(Fold::Left)
        .aliases(&[old("difference_remove")]);
    /// Whether the first bag holds no element more often than the second.
    SUBBAG = OpRow::new("bag.subbag", &[Sig::new(&[M, M], B)], |_, _, args| {
            let fits = |(element, count): &(Value, Int)| *count <= count_of(&args[1], element);
            Ok(items(&args[0]).iter().all(fits).into())
        })
        .origin(CVC5)
        .aliases(&[old("bag.is_included")]);
    /// How often it holds an element.
    COUNT = OpRow::new("bag.count", &[Sig::new(&[E, M], I)], |cx, _, args| {
            comparable(cx, &args[0])?;
            Ok(Value::Int(count_of(&args[1], &args[0])))
        })
        .origin(CVC5);
    /// Whether it holds an element.
    MEMBER = OpRow::new("bag.member", &[Sig::new(&[E, M], B)], |cx, _, args| {
            comparable(cx, &args[0])?;
            Ok((!count_of(&args[1], &args[0]).is_zero()).into())
        })
        .origin(CVC5);
    /// Each of its elements once.
    SETOF = OpRow::new("bag.setof", &[Sig::new(&[M], M)], |_, app, args| {
            let once = items(&args[0]).iter().map(|(element, _)| (element.clone(), Int::ONE));
            Ok(Value::Bag(app.sort, once.collect()))
        })
        .origin(CVC5)
        .aliases(&[old("bag.duplicate_removal"), old("duplicate_removal")]);
    /// How many elements it has, each counted as often as it is held.
    CARD = OpRow::new("bag.card", &[Sig::new(&[M], I)], |_, _, args| {
            let total = items(&args[0]).iter().fold(Int::ZERO, |sum, (_, count)| &sum + count);
            Ok(Value::Int(total))
        })
        .origin(CVC5);
    /// Some element.
    CHOOSE = OpRow::new("bag.choose", &[Sig::new(&[M], E)], |_, app, args| {
            match items(&args[0]) {
                [(only, _)] => Ok(only.clone()),
                _ => Err(Unknown::Open(app.op)),
            }
        })
        .origin(CVC5)
        .open(Allowed::Element);
    /// Whether it holds one element once.
    IS_SINGLETON = OpRow::new("bag.is_singleton", &[Sig::new(&[M], B)], |_, _, args| {
            Ok(matches!(items(&args[0]), [(_, count)] if *count == Int::ONE).into())
        })
        .origin(OLD);
    /// The bag that holds each element of a set once.
    FROM_SET = OpRow::new("bag.from_set", &[Sig::new(&[Pat::Set(&E)], M)], |_, app, args| {
            let once = sets::items(&args[0]).iter().map(|element| (element.clone(), Int::ONE));
            Ok(Value::Bag(app.sort, once.collect()))
        })
        .origin(OLD);
    /// The set of its elements.
    TO_SET = OpRow::new("bag.to_set", &[Sig::new(&[M], Pat::Set(&E))], |_, app, args| {
            let elements = items(&args[0]).iter().map(|(element, _)| element.clone());
            Ok(Value::Set(app.sort, elements.collect()))
        })
        .origin(OLD);
}

impl Value {
    /// A bag with these elements and multiplicities; elements without a positive number are left
    /// out, and the numbers of repeated elements are added. Equality of the elements must be
    /// structural.
    #[must_use]
    pub fn bag(sort: SortId, mut elements: Vec<(Value, Int)>) -> Value {
        elements.retain(|(_, count)| *count > Int::ZERO);
        elements.sort();
        let mut merged: Vec<(Value, Int)> = Vec::with_capacity(elements.len());
        for (element, count) in elements {
            match merged.last_mut() {
                Some((last, total)) if *last == element => *total = &*total + &count,
                _ => merged.push((element, count)),
            }
        }
        Value::Bag(sort, merged.into())
    }
}

/// The elements, as typing guarantees.
pub(super) fn items(bag: &Value) -> &[(Value, Int)] {
    match bag {
        Value::Bag(_, items) => items,
        _ => unreachable!("typed as a bag"),
    }
}

fn count_of(bag: &Value, element: &Value) -> Int {
    let items = items(bag);
    let found = items.binary_search_by(|(item, _)| item.cmp(element));
    found.map_or(Int::ZERO, |at| items[at].1.clone())
}

/// Combines bags by a function of the multiplicities of each element.
fn combine(
    cx: &EvalContext<'_>,
    app: App<'_>,
    args: &[Value],
    count: fn(&Int, &Int) -> Int,
) -> Result<Value, Unknown> {
    let (first, rest) = args.split_first().expect("typed with two arguments or more");
    let mut total = first.clone();
    for bag in rest {
        let merged = merge(items(&total), items(bag), count);
        if merged.iter().any(|(_, count)| count.bit_length() > cx.limits.bits) {
            return Err(super::ints::TOO_LARGE);
        }
        total = Value::Bag(app.sort, merged.into());
    }
    Ok(total)
}

fn merge(
    a: &[(Value, Int)],
    b: &[(Value, Int)],
    count: fn(&Int, &Int) -> Int,
) -> Vec<(Value, Int)> {
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    let mut merged = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return merged,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some((x, _)), Some((y, _))) => x.cmp(y),
        };
        let left = if order.is_le() { a.next() } else { None };
        let right = if order.is_ge() { b.next() } else { None };
        let number = |side: Option<&(Value, Int)>| side.map_or(Int::ZERO, |(_, n)| n.clone());
        let total = count(&number(left), &number(right));
        let Some((element, _)) = left.or(right) else { return merged };
        if total > Int::ZERO {
            merged.push((element.clone(), total));
        }
    }
}

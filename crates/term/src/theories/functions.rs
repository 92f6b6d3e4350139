//! Functions as values: the theory HO-Core of SMT-LIB 2.7, and operators that take functions.
//!
//! A function of several arguments takes the first argument and returns a function of the others.
//! Its value is an array value of a function sort. The machine evaluates lambdas where `@` applies
//! them, and at the elements that a map, a filter or a quantifier over a collection needs (see
//! `asked`); the other operators support only tables.

use super::ints::int;
use super::{Theory, arrays, bags, operators, sets};
use crate::eval::{Element, EvalContext, Unknown};
use crate::int::Int;
use crate::op::{App, Columns, Op, OpRow, Origin, Pat, Sig};
use crate::value::Value;
use std::sync::Arc;

const A: Pat = Pat::Any(0);
const R: Pat = Pat::Any(1);
const MAP: Pat = Pat::Fun(&A, &R);
const FOLD: Pat = Pat::Fun(&R, &Pat::Fun(&A, &R));
const PREDICATE: Pat = Pat::Fun(&A, &Pat::Bool);
const FOLD_RIGHT: Pat = Pat::Fun(&A, &Pat::Fun(&R, &R));
const ROW: Pat = Pat::Tuple(Columns::Var(0));
const WITHIN: Pat = Pat::Tuple(Columns::Within(0));
const AGGREGATION: Pat = Pat::Fun(&ROW, &Pat::Fun(&R, &R));
const CVC5: Origin = Origin::Extension("cvc5");
const Z3: Origin = Origin::Extension("z3");

/// The signature of `(_ partial-order n)` and its siblings.
const RELATION: &[Sig] = &[Sig::new(&[A, A], Pat::Bool).indexed(1)];

operators! { Theory::Functions;
    /// A function value applied to its argument.
    APPLY = OpRow::new("@", &[Sig::new(&[MAP, A], R)], arrays::select).origin(Origin::Standard27);
    /// The results of a function on the elements of a sequence.
    MAP_SEQ = OpRow::new("seq.map", &[Sig::new(&[MAP, Pat::Seq(&A)], Pat::Seq(&R))], |cx, app, args| {
            let results = items(&args[1]).iter().map(|item| applied(cx, &args[0], &[item]));
            Ok(Value::Seq(app.sort, results.collect::<Result<_, _>>()?))
        })
        .origin(Z3);
    /// The same with positions, counted from the second argument.
    MAP_SEQ_INDEXED = OpRow::new(
            "seq.mapi",
            &[Sig::new(&[Pat::Fun(&Pat::Int, &MAP), Pat::Int, Pat::Seq(&A)], Pat::Seq(&R))],
            |cx, app, args| {
                let first = int(&args[1]);
                let results = items(&args[2]).iter().enumerate().map(|(position, item)| {
                    applied(cx, &args[0], &[&Value::Int(first + &Int::from(position as i64)), item])
                });
                Ok(Value::Seq(app.sort, results.collect::<Result<_, _>>()?))
            },
        )
        .origin(Z3);
    /// A function applied to a value and to one element after another.
    FOLD_SEQ = OpRow::new("seq.foldl", &[Sig::new(&[FOLD, R, Pat::Seq(&A)], R)], fold)
        .origin(Z3);
    /// The same with positions, counted from the second argument.
    FOLD_SEQ_INDEXED = OpRow::new(
            "seq.foldli",
            &[Sig::new(&[Pat::Fun(&Pat::Int, &FOLD), Pat::Int, R, Pat::Seq(&A)], R)],
            fold,
        )
        .origin(Z3);
    /// The results of a function on the elements of a set.
    MAP_SET = OpRow::new("set.map", &[Sig::new(&[MAP, Pat::Set(&A)], Pat::Set(&R))], |cx, app, args| {
            let results: Result<Vec<Value>, Unknown> =
                sets::items(&args[1]).iter().map(|item| applied(cx, &args[0], &[item])).collect();
            sets::of(cx, app.sort, &results?)
        })
        .origin(CVC5);
    /// The elements of a set that a predicate holds of.
    FILTER_SET = OpRow::new("set.filter", &[Sig::new(&[PREDICATE, Pat::Set(&A)], Pat::Set(&A))], |cx, app, args| {
            let kept = filtered(sets::items(&args[1]), |item| holds(cx, &args[0], item))?;
            Ok(Value::Set(app.sort, kept.into()))
        })
        .origin(CVC5);
    /// Whether a predicate holds of every element of a set.
    ALL_OF_SET = OpRow::new("set.all", &[Sig::new(&[PREDICATE, Pat::Set(&A)], Pat::Bool)], |cx, _, args| {
            let kept = filtered(sets::items(&args[1]), |item| holds(cx, &args[0], item))?;
            Ok((kept.len() == sets::items(&args[1]).len()).into())
        })
        .origin(CVC5);
    /// Whether a predicate holds of some element of a set.
    SOME_OF_SET = OpRow::new("set.some", &[Sig::new(&[PREDICATE, Pat::Set(&A)], Pat::Bool)], |cx, _, args| {
            let kept = filtered(sets::items(&args[1]), |item| holds(cx, &args[0], item))?;
            Ok((!kept.is_empty()).into())
        })
        .origin(CVC5);
    /// A function applied to each element of a set and to the result so far; it has a value if the
    /// order of the elements does not matter.
    FOLD_SET = OpRow::new("set.fold", &[Sig::new(&[FOLD_RIGHT, R, Pat::Set(&A)], R)], fold)
        .origin(CVC5);
    /// The results of a function on the elements of a bag.
    MAP_BAG = OpRow::new("bag.map", &[Sig::new(&[MAP, Pat::Bag(&A)], Pat::Bag(&R))], |cx, app, args| {
            let mut results = Vec::new();
            for (item, count) in bags::items(&args[1]) {
                let result = applied(cx, &args[0], &[item])?;
                sets::comparable(cx, &result)?;
                results.push((result, count.clone()));
            }
            Ok(Value::bag(app.sort, results))
        })
        .origin(CVC5);
    /// The elements of a bag that a predicate holds of.
    FILTER_BAG = OpRow::new("bag.filter", &[Sig::new(&[PREDICATE, Pat::Bag(&A)], Pat::Bag(&A))], |cx, app, args| {
            let kept = filtered(bags::items(&args[1]), |(item, _)| holds(cx, &args[0], item))?;
            Ok(Value::Bag(app.sort, kept.into()))
        })
        .origin(CVC5);
    /// Whether a predicate holds of every element of a bag.
    ALL_OF_BAG = OpRow::new("bag.all", &[Sig::new(&[PREDICATE, Pat::Bag(&A)], Pat::Bool)], |cx, _, args| {
            let kept = filtered(bags::items(&args[1]), |(item, _)| holds(cx, &args[0], item))?;
            Ok((kept.len() == bags::items(&args[1]).len()).into())
        })
        .origin(CVC5);
    /// Whether a predicate holds of some element of a bag.
    SOME_OF_BAG = OpRow::new("bag.some", &[Sig::new(&[PREDICATE, Pat::Bag(&A)], Pat::Bool)], |cx, _, args| {
            let kept = filtered(bags::items(&args[1]), |(item, _)| holds(cx, &args[0], item))?;
            Ok((!kept.is_empty()).into())
        })
        .origin(CVC5);
    /// The bags of elements that an equivalence relates.
    PARTITION_BAG = OpRow::new(
            "bag.partition",
            &[Sig::new(&[Pat::Fun(&A, &PREDICATE), Pat::Bag(&A)], Pat::Bag(&Pat::Bag(&A)))],
            |_, _, _| Err(Unknown::Unsupported("the partition of a bag by a relation")),
        )
        .origin(CVC5);
    /// A fold over each group of tuples that agree in the columns of the indices.
    AGGREGATE_SET = OpRow::new(
            "rel.aggr",
            &[Sig::new(&[AGGREGATION, R, Pat::Set(&WITHIN)], Pat::Set(&R)).listed()],
            aggregation,
        )
        .origin(CVC5);
    /// The same of a table.
    AGGREGATE_BAG = OpRow::new(
            "table.aggr",
            &[Sig::new(&[AGGREGATION, R, Pat::Bag(&WITHIN)], Pat::Bag(&R)).listed()],
            aggregation,
        )
        .origin(CVC5);
    /// A fold like that of a set, with each element as often as it is in the bag.
    FOLD_BAG = OpRow::new("bag.fold", &[Sig::new(&[FOLD_RIGHT, R, Pat::Bag(&A)], R)], fold)
        .origin(CVC5);
    /// A partial order, one for each index.
    PARTIAL_ORDER = OpRow::new("partial-order", RELATION, relation).origin(Z3);
    /// A linear order.
    LINEAR_ORDER = OpRow::new("linear-order", RELATION, relation).origin(Z3);
    /// A partial order whose lower sets are linear.
    TREE_ORDER = OpRow::new("tree-order", RELATION, relation).origin(Z3);
    /// A partial order whose upper and lower sets are linear.
    PIECEWISE_LINEAR_ORDER =
        OpRow::new("piecewise-linear-order", RELATION, relation).origin(Z3);
}

fn items(sequence: &Value) -> &Arc<[Value]> {
    match sequence {
        Value::Seq(_, items) => items,
        _ => unreachable!("typed as a sequence"),
    }
}

/// A function that is a table, applied to arguments.
fn applied(cx: &EvalContext<'_>, function: &Value, args: &[&Value]) -> Result<Value, Unknown> {
    args.iter().try_fold(function.clone(), |function, arg| {
        let Value::Array(table) = &function else { unreachable!("typed as a function") };
        match cx.select(table, arg)? {
            Element::Value(value) => Ok(value),
            Element::Closure(_) => Err(Unknown::Lambda),
        }
    })
}

/// The arguments at which an application needs the results of its function: the elements of the
/// collection that an operator maps, filters or quantifies over. `None` for other operators.
pub(crate) fn asked(op: Op, args: &[Value]) -> Option<Vec<Value>> {
    match op {
        MAP_SEQ => Some(items(&args[1]).to_vec()),
        MAP_SET | FILTER_SET | ALL_OF_SET | SOME_OF_SET => Some(sets::items(&args[1]).to_vec()),
        MAP_BAG | FILTER_BAG | ALL_OF_BAG | SOME_OF_BAG => {
            Some(bags::items(&args[1]).iter().map(|(item, _)| item.clone()).collect())
        }
        _ => None,
    }
}

/// Whether a predicate holds of a value.
fn holds(cx: &EvalContext<'_>, predicate: &Value, item: &Value) -> Result<bool, Unknown> {
    Ok(applied(cx, predicate, &[item])? == Value::Bool(true))
}

/// The items that satisfy a predicate.
fn filtered<T: Clone>(
    items: &[T],
    wanted: impl Fn(&T) -> Result<bool, Unknown>,
) -> Result<Vec<T>, Unknown> {
    let kept = items.iter().map(|item| Ok(wanted(item)?.then(|| item.clone())));
    Ok(kept.collect::<Result<Vec<_>, Unknown>>()?.into_iter().flatten().collect())
}

/// The machine folds, because only it can apply lambdas.
fn fold(_: &mut EvalContext<'_>, _: App<'_>, _: &[Value]) -> Result<Value, Unknown> {
    Err(Unknown::Unsupported("a fold depends on more than values"))
}

/// The input of a fold.
pub(crate) struct Folded {
    pub(crate) start: Value,
    pub(crate) items: Vec<Value>,
    /// The position of the first item, if the function takes positions.
    pub(crate) first: Option<Int>,
    /// Whether the items have an order. If so, the function takes the result so far before the
    /// item, otherwise after it.
    pub(crate) ordered: bool,
}

/// The maximum number of elements of a set or bag that is folded: every part of it is folded.
const MOST_FOLDED: usize = 10;

/// The input of a fold; `None` for other operators.
pub(crate) fn folded(op: Op, args: &[Value]) -> Option<Result<Folded, Unknown>> {
    let (first, ordered) = (None, false);
    let over = match op {
        FOLD_SEQ => {
            let items = items(&args[2]).to_vec();
            Folded { start: args[1].clone(), items, first, ordered: true }
        }
        FOLD_SEQ_INDEXED => {
            let (first, items) = (Some(int(&args[1]).clone()), items(&args[3]).to_vec());
            Folded { start: args[2].clone(), items, first, ordered: true }
        }
        FOLD_SET => {
            let items = sets::items(&args[2]).to_vec();
            Folded { start: args[1].clone(), items, first, ordered }
        }
        FOLD_BAG => {
            let mut items = Vec::new();
            for (item, count) in bags::items(&args[2]) {
                // One more than the maximum is enough to see that it is too large.
                let count = count.to_u64().map_or(MOST_FOLDED + 1, |n| n.min(99) as usize);
                items.extend(std::iter::repeat_n(item.clone(), count.min(MOST_FOLDED + 1)));
                if items.len() > MOST_FOLDED {
                    break;
                }
            }
            Folded { start: args[1].clone(), items, first, ordered }
        }
        _ => return None,
    };
    let large = !over.ordered && over.items.len() > MOST_FOLDED;
    Some(if large {
        Err(Unknown::Limit("elements of a fold over a set or a bag"))
    } else {
        Ok(over)
    })
}

/// Folds over groups of tuples are not evaluated.
fn aggregation(_: &mut EvalContext<'_>, _: App<'_>, _: &[Value]) -> Result<Value, Unknown> {
    Err(Unknown::Unsupported("an aggregation of a relation or a table"))
}

/// The solver chooses the relation, and no model gives it.
fn relation(_: &mut EvalContext<'_>, _: App<'_>, _: &[Value]) -> Result<Value, Unknown> {
    Err(Unknown::Unsupported("a special relation of z3"))
}

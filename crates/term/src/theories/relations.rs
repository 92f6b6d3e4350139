//! Tuples, relations (sets of tuples) and tables (bags of tuples), as cvc5 reads them; not in the
//! standard. A tuple is a value of a datatype with one constructor.

use super::ints::int;
use super::sets::{self, old};
use super::{Theory, bags, operators};
use crate::eval::{EvalContext, Unknown};
use crate::int::Int;
use crate::op::{App, Columns, Fold, OpRow, Origin, Pat, Sig};
use crate::sort::{Sort, SortId};
use crate::value::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The result of an operator.
type Evaluated = Result<Value, Unknown>;

const E: Pat = Pat::Any(0);
const TUPLE: Pat = Pat::Tuple(Columns::Var(0));
const OTHER: Pat = Pat::Tuple(Columns::Var(1));
const UNIT_TUPLE: Pat = Pat::Tuple(Columns::Of(&[]));
const SINGLE: Pat = Pat::Tuple(Columns::Of(&[E]));
const PAIR: Pat = Pat::Tuple(Columns::Of(&[E, E]));
const RELATION: Pat = Pat::Set(&TUPLE);
const TABLE: Pat = Pat::Bag(&TUPLE);
const CHOSEN: Pat = Pat::Tuple(Columns::Chosen(0));
const WITHIN: Pat = Pat::Tuple(Columns::Within(0));
const BOTH: Pat = Pat::Tuple(Columns::Both(0, 1));
const MATCHED: Pat = Pat::Tuple(Columns::Matched(0, 1));
const CVC5: Origin = Origin::Extension("cvc5");

operators! { Theory::Relations;
    /// The tuple of these values.
    TUPLE_OF = OpRow::new("tuple", &[Sig::new(&[Pat::Each], Pat::Tuple(Columns::Each))], |cx, app, args| {
            cx.data(app.sort, 0, args)
        })
        .origin(CVC5)
        .fold(Fold::Together)
        .aliases(&[old("mkTuple")]);
    /// The tuple without columns.
    UNIT = OpRow::new("tuple.unit", &[Sig::new(&[], UNIT_TUPLE)], |cx, app, _| {
            cx.data(app.sort, 0, &[])
        })
        .origin(CVC5);
    /// The column that the index selects.
    SELECT = OpRow::new(
            "tuple.select",
            &[Sig::new(&[TUPLE], Pat::Column(0)).indexed(1)],
            |_, app, args| Ok(column(&args[0], app.indices[0]).clone()),
        )
        .origin(CVC5)
        .aliases(&[old("tuple_select"), old("tupSel")]);
    /// The tuple with another value in a column.
    UPDATE = OpRow::new(
            "tuple.update",
            &[Sig::new(&[TUPLE, Pat::Column(0)], TUPLE).indexed(1)],
            |cx, app, args| {
                let mut changed = columns(&args[0]).to_vec();
                changed[app.indices[0] as usize] = args[1].clone();
                cx.data(app.sort, 0, &changed)
            },
        )
        .origin(CVC5)
        .aliases(&[old("tuple_update"), old("tupUpd")]);
    /// The columns that the indices select, in their order.
    PROJECT = OpRow::new("tuple.project", &[Sig::new(&[TUPLE], CHOSEN).listed()], |cx, app, args| {
            chosen(cx, app.sort, app.indices, &args[0])
        })
        .origin(CVC5)
        .aliases(&[old("tuple_project")]);
    /// Every tuple reversed.
    TRANSPOSE = OpRow::new(
            "rel.transpose",
            &[Sig::new(&[RELATION], Pat::Set(&Pat::Tuple(Columns::Reversed(0))))],
            |cx, app, args| {
                relation(cx, app.sort, sets::items(&args[0]).iter().map(|tuple| {
                    columns(tuple).iter().rev().cloned().collect()
                }))
            },
        )
        .origin(CVC5)
        .aliases(&[old("transpose")]);
    /// The joined tuples of the first and second relation that share a value at the seam, without
    /// that value.
    JOIN = OpRow::new(
            "rel.join",
            &[Sig::new(&[RELATION, Pat::Set(&OTHER)], Pat::Set(&Pat::Tuple(Columns::Composed(0, 1))))],
            |cx, app, args| {
                let rows = pairs(&args[0], &args[1]).filter_map(|(a, b)| {
                    let (last, front) = columns(a).split_last()?;
                    let (first, rest) = columns(b).split_first()?;
                    (last == first).then(|| [front, rest].concat())
                });
                relation(cx, app.sort, rows)
            },
        )
        .origin(CVC5)
        .aliases(&[old("join")]);
    /// Every tuple of the first relation with every one of the second.
    PRODUCT = OpRow::new(
            "rel.product",
            &[Sig::new(&[RELATION, Pat::Set(&OTHER)], Pat::Set(&BOTH))],
            |cx, app, args| {
                let rows = pairs(&args[0], &args[1]).map(|(a, b)| [columns(a), columns(b)].concat());
                relation(cx, app.sort, rows)
            },
        )
        .origin(CVC5)
        .aliases(&[old("product")]);
    /// The transitive closure.
    TCLOSURE = OpRow::new("rel.tclosure", &[Sig::new(&[Pat::Set(&PAIR)], Pat::Set(&PAIR))], closure)
        .origin(CVC5)
        .aliases(&[old("tclosure")]);
    /// Every value of a unary relation with itself.
    IDEN = OpRow::new("rel.iden", &[Sig::new(&[Pat::Set(&SINGLE)], Pat::Set(&PAIR))], |cx, app, args| {
            relation(cx, app.sort, sets::items(&args[0]).iter().map(|tuple| {
                [columns(tuple), columns(tuple)].concat()
            }))
        })
        .origin(CVC5)
        .aliases(&[old("iden")]);
    /// The values that are related to at least this many others.
    JOIN_IMAGE = OpRow::new(
            "rel.join_image",
            &[Sig::new(&[Pat::Set(&PAIR), Pat::Int], Pat::Set(&SINGLE))],
            join_image,
        )
        .origin(CVC5)
        .aliases(&[old("join_image")]);
    /// The tuples in groups that agree in the selected columns.
    GROUP = OpRow::new(
            "rel.group",
            &[Sig::new(&[RELATION], Pat::Set(&Pat::Set(&WITHIN))).listed()],
            |cx, app, args| {
                let Sort::Set(part) = *cx.store.sorts.get(app.sort) else {
                    unreachable!("typed as a set of sets")
                };
                let groups = groups(app.indices, sets::items(&args[0]).iter(), |tuple| tuple);
                // There is always a group: if there are no tuples, an empty one.
                let groups = if groups.is_empty() { vec![Vec::new()] } else { groups };
                let group = |tuples: Vec<&Value>| Value::set(part, tuples.into_iter().cloned().collect());
                Ok(Value::set(app.sort, groups.into_iter().map(group).collect()))
            },
        )
        .origin(CVC5);
    /// The columns of every tuple that the indices select.
    REL_PROJECT = OpRow::new(
            "rel.project",
            &[Sig::new(&[RELATION], Pat::Set(&CHOSEN)).listed()],
            |cx, app, args| {
                relation(cx, app.sort, sets::items(&args[0]).iter().map(|tuple| {
                    app.indices.iter().map(|&at| column(tuple, at).clone()).collect()
                }))
            },
        )
        .origin(CVC5);
    /// The tuples of a product that agree in the selected pairs of columns.
    REL_TABLE_JOIN = OpRow::new(
            "rel.table_join",
            &[Sig::new(&[RELATION, Pat::Set(&OTHER)], Pat::Set(&MATCHED)).listed()],
            |cx, app, args| {
                let matching = pairs(&args[0], &args[1]).filter(|(a, b)| agree(app.indices, a, b));
                relation(cx, app.sort, matching.map(|(a, b)| [columns(a), columns(b)].concat()))
            },
        )
        .origin(CVC5);
    /// Every tuple of the first table with every one of the second.
    TABLE_PRODUCT = OpRow::new(
            "table.product",
            &[Sig::new(&[TABLE, Pat::Bag(&OTHER)], Pat::Bag(&BOTH))],
            table_join,
        )
        .origin(CVC5);
    /// The columns of every tuple that the indices select.
    TABLE_PROJECT = OpRow::new(
            "table.project",
            &[Sig::new(&[TABLE], Pat::Bag(&CHOSEN)).listed()],
            |cx, app, args| {
                let rows: Result<Vec<(Value, Int)>, Unknown> = bags::items(&args[0])
                    .iter()
                    .map(|(tuple, count)| {
                        let sort = element(cx, app.sort);
                        Ok((chosen(cx, sort, app.indices, tuple)?, count.clone()))
                    })
                    .collect();
                Ok(Value::bag(app.sort, rows?))
            },
        )
        .origin(CVC5);
    /// The tuples of a product that agree in the selected pairs of columns.
    TABLE_JOIN = OpRow::new(
            "table.join",
            &[Sig::new(&[TABLE, Pat::Bag(&OTHER)], Pat::Bag(&MATCHED)).listed()],
            table_join,
        )
        .origin(CVC5);
    /// The tuples in groups that agree in the selected columns.
    TABLE_GROUP = OpRow::new(
            "table.group",
            &[Sig::new(&[TABLE], Pat::Bag(&Pat::Bag(&WITHIN))).listed()],
            |cx, app, args| {
                let part = element(cx, app.sort);
                let groups = groups(app.indices, bags::items(&args[0]).iter(), |(tuple, _)| tuple);
                let groups = if groups.is_empty() { vec![Vec::new()] } else { groups };
                let group = |rows: Vec<&(Value, Int)>| {
                    (Value::bag(part, rows.into_iter().cloned().collect()), Int::ONE)
                };
                Ok(Value::bag(app.sort, groups.into_iter().map(group).collect()))
            },
        )
        .origin(CVC5);
}

/// The columns, as typing guarantees.
fn columns(tuple: &Value) -> &[Value] {
    match tuple {
        Value::Data(data) => &data.fields,
        _ => unreachable!("typed as a tuple"),
    }
}

fn column(tuple: &Value, at: u64) -> &Value {
    &columns(tuple)[usize::try_from(at).expect("typed with an index below the number of columns")]
}

/// The sort of the elements of a set or bag.
fn element(cx: &EvalContext<'_>, sort: SortId) -> SortId {
    match *cx.store.sorts.get(sort) {
        Sort::Set(element) | Sort::Bag(element) => element,
        _ => unreachable!("typed as a set or a bag"),
    }
}

fn chosen(cx: &EvalContext<'_>, sort: SortId, indices: &[u64], tuple: &Value) -> Evaluated {
    let row: Vec<Value> = indices.iter().map(|&at| column(tuple, at).clone()).collect();
    cx.data(sort, 0, &row)
}

/// The relation of these rows, whose values come from other relations and can be compared.
fn relation(
    cx: &EvalContext<'_>,
    sort: SortId,
    rows: impl Iterator<Item = Vec<Value>>,
) -> Evaluated {
    let tuple = element(cx, sort);
    let mut tuples = Vec::new();
    for row in rows {
        if tuples.len() >= cx.limits.length {
            return Err(TOO_MANY);
        }
        tuples.push(cx.data(tuple, 0, &row)?);
    }
    Ok(Value::set(sort, tuples))
}

const TOO_MANY: Unknown = Unknown::Limit("elements of a relation");

fn pairs<'a>(a: &'a Value, b: &'a Value) -> impl Iterator<Item = (&'a Value, &'a Value)> {
    sets::items(a).iter().flat_map(|x| sets::items(b).iter().map(move |y| (x, y)))
}

/// Whether two tuples agree in these pairs of columns.
fn agree(indices: &[u64], a: &Value, b: &Value) -> bool {
    indices.chunks_exact(2).all(|pair| column(a, pair[0]) == column(b, pair[1]))
}

fn closure(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Evaluated {
    let mut next: BTreeMap<&Value, Vec<&Value>> = BTreeMap::new();
    for tuple in sets::items(&args[0]) {
        next.entry(column(tuple, 0)).or_default().push(column(tuple, 1));
    }
    let mut rows: Vec<Vec<Value>> = Vec::new();
    for (&start, first) in &next {
        let mut reached: BTreeSet<&Value> = BTreeSet::new();
        let mut work = first.clone();
        while let Some(value) = work.pop() {
            if reached.insert(value) {
                work.extend(next.get(value).into_iter().flatten());
            }
        }
        rows.extend(reached.into_iter().map(|end| vec![start.clone(), end.clone()]));
        if rows.len() > cx.limits.length {
            return Err(TOO_MANY);
        }
    }
    relation(cx, app.sort, rows.into_iter())
}

/// If zero others are required, every value qualifies.
fn join_image(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Evaluated {
    let least = int(&args[1]);
    if *least <= Int::ZERO {
        return Err(Unknown::Unsupported("`rel.join_image` with a number that is not positive"));
    }
    let mut counts: BTreeMap<&Value, usize> = BTreeMap::new();
    for tuple in sets::items(&args[0]) {
        *counts.entry(column(tuple, 0)).or_default() += 1;
    }
    let enough = counts.into_iter().filter(|(_, count)| Int::from(*count) >= *least);
    relation(cx, app.sort, enough.map(|(value, _)| vec![value.clone()]))
}

/// The items in groups whose tuples agree in the selected columns.
fn groups<'a, T>(
    indices: &[u64],
    items: impl Iterator<Item = &'a T>,
    tuple: impl Fn(&'a T) -> &'a Value,
) -> Vec<Vec<&'a T>> {
    let mut groups: BTreeMap<Vec<&Value>, Vec<&'a T>> = BTreeMap::new();
    for item in items {
        let key = indices.iter().map(|&at| column(tuple(item), at)).collect();
        groups.entry(key).or_default().push(item);
    }
    groups.into_values().collect()
}

fn table_join(cx: &mut EvalContext<'_>, app: App<'_>, args: &[Value]) -> Evaluated {
    let sort = element(cx, app.sort);
    let mut rows: Vec<(Value, Int)> = Vec::new();
    for (a, m) in bags::items(&args[0]) {
        for (b, n) in bags::items(&args[1]) {
            if !agree(app.indices, a, b) {
                continue;
            }
            let row = cx.data(sort, 0, &[columns(a), columns(b)].concat())?;
            let count = m * n;
            if count.bit_length() > cx.limits.bits {
                return Err(super::ints::TOO_LARGE);
            }
            if rows.len() >= cx.limits.length {
                return Err(TOO_MANY);
            }
            rows.push((row, count));
        }
    }
    Ok(Value::bag(app.sort, rows))
}

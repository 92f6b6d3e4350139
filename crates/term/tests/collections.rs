//! Finite fields, sets, bags, relations and nullable values against definitions that share nothing
//! with the table: collections are functions from elements to numbers, fields are counted through.
//! An operator without a definition fails the test.

use assay_term::eval::EvalContext;
use assay_term::op::App;
use assay_term::theories::Theory;
use assay_term::{Int, Model, Op, Sort, SortId, Store, Unknown, Value};

const ORDER: i64 = 7;

/// The sorts that arguments have here, and values of each.
struct World {
    store: Store,
    pools: Vec<(SortId, Vec<Value>)>,
}

fn number(n: i64) -> Value {
    Value::Int(Int::from(n))
}

fn data(store: &Store, sort: SortId, constructor: u32, fields: &[Value]) -> Value {
    let model = Model::new();
    EvalContext::new(store, &model).data(sort, constructor, fields).expect("flat")
}

/// Every selection of these items, by the bits of a number.
fn selections<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    let chosen = |set: usize| {
        items.iter().enumerate().filter(move |(at, _)| set >> at & 1 == 1).map(|(_, x)| x.clone())
    };
    (0..1 << items.len()).map(|set| chosen(set).collect()).collect()
}

fn world() -> World {
    let mut store = Store::new();
    let field = store.finite_field(&Int::from(ORDER)).expect("a prime");
    let set = store.sorts.set(SortId::INT);
    let bag = store.sorts.bag(SortId::INT);
    let [single, pair] = [1, 2].map(|n| store.sorts.tuple(&vec![SortId::INT; n]));
    let [singles, relation] = [single, pair].map(|sort| store.sorts.set(sort));
    let table = store.sorts.bag(pair);
    let nullable = store.sorts.intern(Sort::Nullable(SortId::INT));
    let ints: Vec<Value> = (-1..=2).map(number).collect();
    let tuples: Vec<Value> = [(0, 0), (0, 1), (1, 2), (2, 0), (1, 1)]
        .map(|(a, b)| data(&store, pair, 0, &[number(a), number(b)]))
        .into();
    let unary: Vec<Value> = (0..3).map(|n| data(&store, single, 0, &[number(n)])).collect();
    let held = |items: &[Value], sort| -> Vec<Value> {
        let counted = |(at, item): (usize, &Value)| (item.clone(), Int::from(at as i64 % 3 + 1));
        let all: Vec<(Value, Int)> = items.iter().enumerate().map(counted).collect();
        selections(&all).into_iter().map(|held| Value::bag(sort, held)).collect()
    };
    let sets = |items: &[Value], sort| -> Vec<Value> {
        selections(items).into_iter().map(|held| Value::set(sort, held)).collect()
    };
    let mut bags = held(&ints[..3], bag);
    bags.push(Value::bag(bag, vec![(number(1), Int::from(5i64)), (number(2), Int::ONE)]));
    let nulls = [(0, Vec::new()), (1, vec![number(2)])];
    let pools = vec![
        (field, (0..ORDER).map(|n| Value::Field(field, Int::from(n))).collect()),
        (set, sets(&ints[..3], set)),
        (bag, bags),
        (single, unary.clone()),
        (pair, tuples.clone()),
        (singles, sets(&unary, singles)),
        (relation, sets(&tuples, relation)),
        (table, held(&tuples[..3], table)),
        (nullable, nulls.map(|(at, fields)| data(&store, nullable, at, &fields)).into()),
        (SortId::INT, ints),
    ];
    World { store, pools }
}

/// How often a collection holds an element.
fn held(collection: &Value, element: &Value) -> i64 {
    match collection {
        Value::Set(_, items) => items.iter().filter(|item| *item == element).count() as i64,
        Value::Bag(_, items) => {
            let counts = items.iter().filter(|(item, _)| item == element);
            counts.map(|(_, count)| count.to_i64().expect("small")).sum()
        }
        _ => panic!("a collection"),
    }
}

fn elements(collection: &Value) -> Vec<Value> {
    match collection {
        Value::Set(_, items) => items.to_vec(),
        Value::Bag(_, items) => items.iter().map(|(item, _)| item.clone()).collect(),
        _ => panic!("a collection"),
    }
}

fn fields(value: &Value) -> &[Value] {
    match value {
        Value::Data(data) => &data.fields,
        _ => panic!("a tuple or a nullable value"),
    }
}

fn int(value: &Value) -> i64 {
    match value {
        Value::Int(n) | Value::Field(_, n) => n.to_i64().expect("small"),
        _ => panic!("a number"),
    }
}

/// Whether a collection holds what the rule says, of everything that could be in question.
fn holds(result: &Value, candidates: &[Value], rule: impl Fn(&Value) -> i64) -> bool {
    elements(result).iter().chain(candidates).all(|e| held(result, e) == rule(e))
}

/// A number of steps upwards in the field.
fn steps(from: i64, count: i64) -> i64 {
    (0..count).fold(from, |n, _| if n + 1 == ORDER { 0 } else { n + 1 })
}

/// Whether there is a way through a relation, of at most so many steps.
fn reaches(relation: &Value, from: &Value, to: &Value, most: usize) -> bool {
    most > 0
        && elements(relation)
            .iter()
            .filter(|pair| fields(pair)[0] == *from)
            .any(|pair| fields(pair)[1] == *to || reaches(relation, &fields(pair)[1], to, most - 1))
}

/// Whether this is the result; nothing where the operator has none here.
fn is_result(op: Op, indices: &[u64], args: &[Value], result: &Value) -> bool {
    let truth = |wanted: bool| *result == Value::Bool(wanted);
    let at = |tuple: &Value, index: u64| fields(tuple)[index as usize].clone();
    let candidates: Vec<Value> = args
        .iter()
        .filter(|arg| matches!(arg, Value::Set(..) | Value::Bag(..)))
        .flat_map(elements)
        .chain((-1..=2).map(number))
        .collect();
    let pointwise = |rule: fn(i64, i64) -> i64| {
        holds(result, &candidates, |e| rule(held(&args[0], e), held(&args[1], e)))
    };
    // For tuples: how often a part of a tuple is in an argument.
    let part = |n: usize, parts: &[Value]| -> i64 {
        elements(&args[n]).iter().filter(|t| fields(t) == parts).map(|t| held(&args[n], t)).sum()
    };
    let width = match &args[0] {
        Value::Set(..) | Value::Bag(..) => elements(&args[0]).first().cloned(),
        _ => None,
    };
    let width = match &width {
        Some(Value::Data(data)) => data.fields.len(),
        _ => 0,
    };
    let agree = |t: &Value| indices.chunks(2).all(|p| at(t, p[0]) == at(t, width as u64 + p[1]));
    let product = |t: &Value| part(0, &fields(t)[..width]) * part(1, &fields(t)[width..]);
    let total = |n: usize| elements(&args[n]).iter().map(|e| held(&args[n], e)).sum::<i64>();
    let groups = || {
        let whole: Vec<Value> = elements(result).iter().flat_map(elements).collect();
        let key = |t: &Value| indices.iter().map(|&i| at(t, i)).collect::<Vec<_>>();
        let parts = elements(result);
        let uniform = parts.iter().all(|part| {
            let keys: Vec<_> = elements(part).iter().map(key).collect();
            keys.windows(2).all(|pair| pair[0] == pair[1])
                && elements(part).iter().all(|t| held(part, t) == held(&args[0], t))
        });
        let complete = elements(&args[0]).iter().all(|t| whole.contains(t));
        let firsts: Vec<_> =
            parts.iter().filter_map(|part| elements(part).first().map(key)).collect();
        let apart = (0..firsts.len()).all(|i| !firsts[i + 1..].contains(&firsts[i]));
        uniform && complete && apart && !parts.is_empty() && whole.len() == elements(&args[0]).len()
    };
    match op.name() {
        "ff.add" => int(result) == args.iter().fold(0, |sum, arg| steps(sum, int(arg))),
        "ff.mul" => {
            let times = |a: i64, b: i64| (0..b).fold(0, |sum, _| steps(sum, a));
            int(result) == args.iter().fold(1, |product, arg| times(product, int(arg)))
        }
        "ff.neg" => steps(int(result), int(&args[0])) == 0,
        "ff.bitsum" => {
            let weighted = args.iter().zip([1, 2, 4]);
            int(result) == weighted.fold(0, |sum, (arg, weight)| steps(sum, int(arg) * weight))
        }
        "set.union" | "bag.union_max" => pointwise(i64::max),
        "set.inter" | "bag.inter_min" => pointwise(i64::min),
        "set.minus" | "bag.difference_remove" => pointwise(|a, b| if b == 0 { a } else { 0 }),
        "bag.union_disjoint" => pointwise(|a, b| a + b),
        "bag.difference_subtract" => pointwise(|a, b| (a - b).max(0)),
        "set.singleton" => holds(result, &candidates, |e| (*e == args[0]).into()),
        "set.insert" => {
            holds(result, &candidates, |e| held(&args[1], e).max((*e == args[0]).into()))
        }
        "bag" => {
            let count = int(&args[1]).max(0);
            holds(result, &candidates, |e| if *e == args[0] { count } else { 0 })
        }
        "bag.setof" | "bag.to_set" => holds(result, &candidates, |e| held(&args[0], e).min(1)),
        "bag.from_set" => holds(result, &candidates, |e| held(&args[0], e)),
        "set.member" | "bag.member" => truth(held(&args[1], &args[0]) > 0),
        "bag.count" => int(result) == held(&args[1], &args[0]),
        "set.subset" | "bag.subbag" => {
            truth(candidates.iter().all(|e| held(&args[0], e) <= held(&args[1], e)))
        }
        "set.card" | "bag.card" => int(result) == total(0),
        "set.is_empty" => truth(total(0) == 0),
        "set.is_singleton" | "bag.is_singleton" => truth(total(0) == 1),
        "set.choose" | "bag.choose" => held(&args[0], result) > 0,
        "tuple" => fields(result) == args,
        "tuple.select" => *result == at(&args[0], indices[0]),
        "tuple.update" => (0..).zip(fields(result)).all(|(i, value)| {
            *value == if i == indices[0] { args[1].clone() } else { at(&args[0], i) }
        }),
        "tuple.project" => {
            indices.iter().zip(fields(result)).all(|(&i, value)| *value == at(&args[0], i))
        }
        "rel.transpose" => {
            let turned = |t: &Value| fields(t).iter().rev().cloned().collect::<Vec<_>>();
            total(0) == elements(result).len() as i64
                && elements(result).iter().all(|t| part(0, &turned(t)) == 1)
        }
        "rel.join" => {
            let middles: Vec<Value> = (-1..=2).map(number).collect();
            let columns = |n: usize| elements(&args[n]).first().map_or(0, |t| fields(t).len());
            let joined = |t: &Value| {
                let (front, rest) = fields(t).split_at(columns(0).saturating_sub(1));
                middles.iter().any(|m| {
                    part(0, &[front, std::slice::from_ref(m)].concat()) > 0
                        && part(1, &[std::slice::from_ref(m), rest].concat()) > 0
                })
            };
            let expected = elements(&args[0]).into_iter().flat_map(|a| {
                elements(&args[1])
                    .into_iter()
                    .filter(|b| fields(&a).last() == fields(b).first())
                    .map(|b| [&fields(&a)[..fields(&a).len() - 1], &fields(&b)[1..]].concat())
                    .collect::<Vec<_>>()
            });
            let found: Vec<Vec<Value>> =
                elements(result).iter().map(|t| fields(t).to_vec()).collect();
            elements(result).iter().all(joined) && { expected }.all(|t| found.contains(&t))
        }
        "rel.product" | "table.product" => {
            let columns = elements(&args[0]).first().map_or(0, |t| fields(t).len());
            let count = |t: &Value| part(0, &fields(t)[..columns]) * part(1, &fields(t)[columns..]);
            holds(result, &[], count)
                && elements(result).len() == elements(&args[0]).len() * elements(&args[1]).len()
        }
        "rel.tclosure" => {
            let ints: Vec<Value> = (0..3).map(number).collect();
            let found = elements(result);
            ints.iter().all(|a| {
                ints.iter().all(|b| {
                    let there = found.iter().any(|t| fields(t) == [a.clone(), b.clone()]);
                    there == reaches(&args[0], a, b, 3)
                })
            })
        }
        "rel.iden" => {
            total(0) == elements(result).len() as i64
                && elements(result)
                    .iter()
                    .all(|t| fields(t)[0] == fields(t)[1] && part(0, &fields(t)[..1]) == 1)
        }
        "rel.join_image" => (-1..=2).map(number).all(|n| {
            let related = elements(&args[0]).iter().filter(|t| fields(t)[0] == n).count() as i64;
            let there = elements(result).iter().any(|t| fields(t)[0] == n);
            there == (related >= int(&args[1]))
        }),
        "rel.project" | "table.project" => {
            let chosen = |t: &Value| indices.iter().map(|&i| at(t, i)).collect::<Vec<_>>();
            let sum = |row: &Value| -> i64 {
                let from = elements(&args[0]).into_iter().filter(|t| chosen(t) == fields(row));
                from.map(|t| held(&args[0], &t)).sum()
            };
            let most = if op.name() == "rel.project" { 1 } else { i64::MAX };
            let found: Vec<Vec<Value>> =
                elements(result).iter().map(|t| fields(t).to_vec()).collect();
            holds(result, &[], |row| sum(row).min(most))
                && elements(&args[0]).iter().all(|t| found.contains(&chosen(t)))
        }
        "rel.table_join" | "table.join" => {
            let pairs = elements(&args[0]).into_iter().flat_map(|a| {
                elements(&args[1])
                    .into_iter()
                    .filter(|b| indices.chunks(2).all(|p| at(&a, p[0]) == at(b, p[1])))
                    .map(|_| ())
                    .collect::<Vec<_>>()
            });
            holds(result, &[], |t| if agree(t) { product(t) } else { 0 })
                && pairs.count() == elements(result).len()
        }
        "rel.group" | "table.group" => groups(),
        "nullable.some" => fields(result) == args,
        "nullable.val" => fields(&args[0]) == [result.clone()],
        "nullable.is_null" => truth(fields(&args[0]).is_empty()),
        "nullable.is_some" => truth(!fields(&args[0]).is_empty()),
        other => panic!("what does `{other}` mean? write it down here"),
    }
}

const THEORIES: [Theory; 5] =
    [Theory::FiniteFields, Theory::Sets, Theory::Bags, Theory::Relations, Theory::Nullables];

/// Constants have no arguments to try, and what has no value here is said to be unknown.
const CONSTANTS: [&str; 5] =
    ["set.empty", "bag.empty", "tuple.unit", "nullable.null", "set.universe"];
const UNKNOWN: [&str; 1] = ["set.complement"];

/// Every list of indices that is tried.
fn index_lists(least: u8) -> Vec<Vec<u64>> {
    match least {
        0 => vec![Vec::new()],
        _ => vec![vec![0], vec![1], vec![0, 1], vec![1, 0]],
    }
}

/// Calls `visit` with every application of the operator to the pools, and its value.
fn applications(
    world: &mut World,
    op: Op,
    mut visit: impl FnMut(&[u64], &[Value], Result<Value, Unknown>),
) {
    let model = Model::new();
    for indices in index_lists(op.row().sigs[0].indices.least()) {
        for arity in 1..=3usize {
            let mut rows: Vec<(Vec<SortId>, Vec<Value>)> = vec![Default::default()];
            for _ in 0..arity {
                let longer = rows.iter().flat_map(|(sorts, values)| {
                    world.pools.iter().flat_map(move |(sort, pool)| {
                        // Three arguments of everything would be too many.
                        let most = if arity == 3 { 3 } else { 32 };
                        pool.iter().take(most).map(move |value| {
                            (
                                [&sorts[..], &[*sort]].concat(),
                                [&values[..], std::slice::from_ref(value)].concat(),
                            )
                        })
                    })
                });
                rows = longer.collect();
            }
            for (sorts, args) in rows {
                let Ok(sort) = op.typing(&mut world.store.sorts, &indices, &sorts, None) else {
                    continue;
                };
                let mut cx = EvalContext::new(&world.store, &model);
                let app = App { op, indices: &indices, sort };
                visit(&indices, &args, (op.row().eval)(&mut cx, app, &args));
            }
        }
    }
}

fn operators() -> impl Iterator<Item = Op> {
    Op::all().filter(|op| THEORIES.contains(&op.theory()))
}

#[test]
fn every_operator_means_what_its_definition_says() {
    let mut world = world();
    for op in operators().filter(|op| !CONSTANTS.contains(&op.name())) {
        let (mut known, mut unknown) = (0, 0);
        applications(&mut world, op, |indices, args, value| match value {
            // Longer applications unfold, which the test of folds covers.
            Ok(_) if args.len() > 2 && op.name().starts_with("set") => {}
            Ok(_) if args.len() > 2 && op.name().starts_with("bag") => {}
            Ok(value) => {
                known += 1;
                let right = is_result(op, indices, args, &value);
                assert!(right, "`{}` {indices:?} of {args:?} is {value:?}", op.name());
            }
            Err(_) => unknown += 1,
        });
        assert_eq!(known == 0, UNKNOWN.contains(&op.name()), "`{}`: {unknown}", op.name());
    }
}

#[test]
fn every_law_and_fold_holds() {
    use assay_term::op::{Fold, Law};
    let mut world = world();
    let model = Model::new();
    for op in operators().filter(|op| op.row().sigs[0].args.len() <= 2) {
        let row = op.row();
        for (sort, pool) in world.pools.clone() {
            let pool = &pool[..pool.len().min(9)];
            let sorts = vec![sort; row.sigs[0].args.len()];
            let result = op.typing(&mut world.store.sorts, &[], &sorts, None);
            if sorts.is_empty() || result != Ok(sort) {
                continue;
            }
            let mut cx = EvalContext::new(&world.store, &model);
            let app = App { op, indices: &[], sort };
            let mut call = |args: &[&Value]| {
                let args: Vec<Value> = args.iter().map(|&arg| arg.clone()).collect();
                (row.eval)(&mut cx, app, &args)
            };
            let has = |law| row.laws.contains(&law);
            for a in pool {
                if has(Law::Involutive) {
                    let once = call(&[a]).expect("a value");
                    assert_eq!(call(&[&once]).as_ref(), Ok(a), "{}", op.name());
                }
                if has(Law::Idempotent) {
                    assert_eq!(call(&[a, a]).as_ref(), Ok(a), "{}", op.name());
                }
                for b in pool {
                    if has(Law::Commutative) {
                        assert_eq!(call(&[a, b]), call(&[b, a]), "{}", op.name());
                    }
                    for c in pool {
                        if row.fold != Fold::Left {
                            continue;
                        }
                        let left = call(&[a, b]).expect("a value");
                        let folded = call(&[&left, c]);
                        assert_eq!(call(&[a, b, c]), folded, "{}", op.name());
                        if has(Law::Associative) {
                            let right = call(&[b, c]).expect("a value");
                            assert_eq!(call(&[a, &right]), folded, "{}", op.name());
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn values_are_written_and_enumerated() {
    let mut world = world();
    let pools = world.pools.clone();
    for value in pools.iter().flat_map(|(_, pool)| pool) {
        let term = world.store.value(value).expect("every value here can be written");
        let model = Model::new();
        let back = assay_term::Evaluator::new(&world.store, &model).eval(term);
        assert_eq!(back.as_ref(), Ok(value));
    }
    let bools = world.store.sorts.set(SortId::BOOL);
    let pairs = world.store.sorts.tuple(&[bools, SortId::BOOL]);
    let maybe = world.store.sorts.intern(Sort::Nullable(pairs));
    let field = pools[0].0;
    let model = Model::new();
    let cx = EvalContext::new(&world.store, &model);
    for (sort, size) in [(field, 7), (bools, 4), (pairs, 8), (maybe, 9)] {
        let mut all = cx.enumerate(sort, 100).expect("few");
        assert_eq!(cx.cardinality(sort), assay_term::sort::Cardinality::Finite(size));
        all.sort();
        all.dedup();
        assert_eq!(all.len() as u64, size, "each once");
        assert!(all.contains(&cx.default_value(sort).expect("a simplest value")));
    }
}

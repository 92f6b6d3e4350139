//! What the standard leaves open: every operator that says so declares which results it may have,
//! completion stays within them, and equal arguments never get two results.
//!
//! The tests go over the table. A new operator that is open somewhere needs its row to say
//! [`OpRow::open`](assay_term::op::OpRow::open), and its set written down once more in [`expected`].

use assay_term::bitvec::BitVec;
use assay_term::eval::satisfies;
use assay_term::float::{Float, Format, RoundingMode};
use assay_term::op::{Pat, Width};
use assay_term::theories::core;
use assay_term::{
    Allowed, Evaluator, Int, Interpretation, Model, Op, Store, TermId, Unknown, Value,
};
use num_bigint::BigUint;
use num_rational::BigRational;

/// The width of every bit-vector and of both fields of every float, where a signature is free.
const WIDTH: u32 = 2;

fn bits(width: u32) -> Vec<Value> {
    (0..1 << width).map(|n| BitVec::from_u64(width, n).into()).collect()
}

fn floats() -> Vec<Value> {
    let format = Format::new(WIDTH, WIDTH + 1).expect("a small format");
    let all = (0..1u32 << (2 * WIDTH + 1)).map(BigUint::from);
    let mut found: Vec<Value> =
        all.filter_map(|bits| Float::from_bits(format, &bits).map(Value::Float)).collect();
    found.sort();
    found.dedup();
    found
}

/// Values for an argument or a result; none for sorts that no open operator here has.
fn pool(store: &mut Store, pat: &Pat) -> Vec<Value> {
    match pat {
        Pat::Bool => [true, false].map(Value::Bool).into(),
        Pat::Int | Pat::Any(_) => (-2..=2).map(|n: i64| Value::Int(Int::from(n))).collect(),
        Pat::Real => [(-3, 2), (0, 1), (1, 1)]
            .map(|(n, d): (i64, i64)| Value::rational(BigRational::new(n.into(), d.into())))
            .into(),
        Pat::Rm => RoundingMode::ALL.map(Value::RoundingMode).into(),
        Pat::Str => ["", "a", "ab"].map(Value::text).into(),
        Pat::Bv(Width::Plus(..)) => bits(2 * WIDTH + 1),
        Pat::Bv(_) => bits(WIDTH),
        Pat::Fp(..) => floats(),
        Pat::Seq(element) => {
            let sort = store.sorts.seq(assay_term::SortId::INT);
            let items = pool(store, element);
            let lengths = 0..=items.len().min(2);
            lengths.map(|n| Value::Seq(sort, items[..n].into())).collect()
        }
        Pat::Set(element) => {
            let sort = store.sorts.set(assay_term::SortId::INT);
            let items = pool(store, element);
            let sizes = 0..=items.len().min(2);
            sizes.map(|n| Value::set(sort, items[..n].into())).collect()
        }
        Pat::Bag(element) => {
            let sort = store.sorts.bag(assay_term::SortId::INT);
            let items = pool(store, element).into_iter().map(|item| (item, Int::from(2i64)));
            let items: Vec<_> = items.collect();
            let sizes = 0..=items.len().min(2);
            sizes.map(|n| Value::bag(sort, items[..n].into())).collect()
        }
        Pat::Nullable(element) => {
            let sort = store.sorts.intern(assay_term::Sort::Nullable(assay_term::SortId::INT));
            let some = pool(store, element).into_iter().take(1).map(|value| (1, vec![value]));
            let model = Model::new();
            let cx = assay_term::eval::EvalContext::new(store, &model);
            let data = |(at, fields): (u32, Vec<Value>)| cx.data(sort, at, &fields).expect("flat");
            std::iter::once((0, Vec::new())).chain(some).map(data).collect()
        }
        _ => Vec::new(),
    }
}

/// One application of an operator, with its arguments and the results to try.
struct Case {
    op: Op,
    term: TermId,
    args: Vec<Value>,
    results: Vec<Value>,
}

/// Every application of every operator to values of the pools.
fn applications(store: &mut Store) -> Vec<Case> {
    let mut found = Vec::new();
    for op in Op::all() {
        for sig in op.row().sigs {
            let indices = vec![u64::from(WIDTH); usize::from(sig.indices.least())];
            let results = pool(store, &sig.result);
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for pat in sig.args {
                let values = pool(store, pat);
                let extended = |row: &Vec<Value>| {
                    let row = row.clone();
                    values.iter().map(move |v| [row.as_slice(), std::slice::from_ref(v)].concat())
                };
                rows = rows.iter().flat_map(extended).take(2_000).collect::<Vec<_>>();
            }
            for args in rows {
                let terms: Option<Vec<TermId>> = args.iter().map(|v| store.value(v)).collect();
                let Some(terms) = terms else { continue };
                if let Ok(term) = store.op_indexed(op, &indices, &terms) {
                    let results = results.clone();
                    found.push(Case { op, term, args, results });
                }
            }
        }
    }
    found
}

fn is_open(store: &Store, case: &Case) -> bool {
    let value = Evaluator::new(store, &Model::new()).eval(case.term);
    value == Err(Unknown::Open(case.op))
}

/// The applications that are open, at most a few for each operator.
fn open_cases(store: &mut Store) -> Vec<Case> {
    let mut cases = applications(store);
    let mut seen: Vec<(Op, usize)> = Vec::new();
    cases.retain(|case| {
        if seen.iter().any(|(op, n)| *op == case.op && *n >= 12) || !is_open(store, case) {
            return false;
        }
        match seen.iter_mut().find(|(op, _)| *op == case.op) {
            Some((_, n)) => *n += 1,
            None => seen.push((case.op, 1)),
        }
        true
    });
    cases
}

/// The allowed results once more, from the words of the standard and of those who have the operator.
fn expected(op: Op, args: &[Value], value: &Value) -> bool {
    match op.name() {
        // Any function will do.
        "/" | "div" | "mod" | "rem" | "seq.nth" | "nullable.val" => true,
        // Of a set or bag that is not empty, what it holds.
        "set.choose" => match &args[0] {
            Value::Set(_, items) => items.is_empty() || items.contains(value),
            _ => false,
        },
        "bag.choose" => match &args[0] {
            Value::Bag(_, items) => items.is_empty() || items.iter().any(|(item, _)| item == value),
            _ => false,
        },
        "fp.to_ubv" | "fp.to_sbv" | "fp.to_real" => true,
        // "either zero".
        "fp.min" | "fp.max" => matches!(value, Value::Float(x) if x.is_zero()),
        // All ones, then something that is not all zeros; the sign is free.
        "fp.to_ieee_bv" => match value {
            Value::BitVec(bits) => {
                let bits = bits.to_u64().expect("five bits");
                (bits >> 2) & 0b11 == 0b11 && bits & 0b11 != 0
            }
            _ => false,
        },
        // Tools that have them disagree.
        "^" | "fp.roundToIntegral" => false,
        other => panic!("which results may `{other}` have where it is open? write it down here"),
    }
}

#[test]
fn every_open_operator_declares_its_allowed_results() {
    let mut store = Store::new();
    let mut open: Vec<Op> = Vec::new();
    for case in applications(&mut store) {
        if is_open(&store, &case) {
            assert!(case.op.row().open.is_some(), "`{}` is open without bounds", case.op.name());
            open.push(case.op);
        }
    }
    for op in Op::all().filter(|op| op.row().open.is_some()) {
        assert!(open.contains(&op), "no values here make `{}` open", op.name());
    }
}

fn says(store: &Store, model: &Model, assertions: &[TermId]) -> Vec<Result<bool, Unknown>> {
    satisfies(store, model, assertions).values
}

/// A constant that the model fixes to a value.
fn constant(store: &mut Store, model: &mut Model, name: &str, value: &Value) -> TermId {
    let literal = store.value(value).expect("a value of the pools has a term");
    let sort = store.sort(literal);
    let func = store.declare(name, &[], sort);
    model.set(func, Interpretation::Value(value.clone()));
    store.constant(name, sort)
}

fn equation(store: &mut Store, a: TermId, b: TermId) -> TermId {
    store.op(core::EQ, &[a, b]).expect("one sort")
}

#[test]
fn exactly_the_allowed_results_are_accepted() {
    let mut store = Store::new();
    for case in open_cases(&mut store) {
        for value in &case.results {
            let mut model = Model::new();
            let z = constant(&mut store, &mut model, "z", value);
            let claim = equation(&mut store, z, case.term);
            let accepted = says(&store, &model, &[claim]) == [Ok(true)];
            let words = format!("`{}` of {:?} as {value:?}", case.op.name(), case.args);
            assert_eq!(accepted, expected(case.op, &case.args, value), "{words}");
        }
    }
}

#[test]
fn equal_arguments_never_get_two_results() {
    let mut store = Store::new();
    for case in open_cases(&mut store) {
        let Some((first, rest)) = case.results.split_first() else { continue };
        for other in rest {
            let mut model = Model::new();
            let y = constant(&mut store, &mut model, "y", first);
            let z = constant(&mut store, &mut model, "z", other);
            // The same application, and one to constants with the same values.
            let args: Vec<TermId> = (0..)
                .zip(&case.args)
                .map(|(n, value)| constant(&mut store, &mut model, &format!("a{n}"), value))
                .collect();
            let assay_term::Term::App(func, _) = store.get(case.term) else {
                panic!("an application")
            };
            let again = store.app(func, &args).expect("the same sorts");
            for second in [case.term, again] {
                let claims = [equation(&mut store, y, case.term), equation(&mut store, z, second)];
                let says = says(&store, &model, &claims);
                assert_ne!(says, [Ok(true), Ok(true)], "`{}` {:?}", case.op.name(), case.args);
                let both = store.op(core::AND, &claims).expect("two formulas");
                assert_ne!(self::says(&store, &model, &[both]), [Ok(true)], "{}", case.op.name());
            }
        }
    }
}

#[test]
fn a_model_may_fix_an_open_operator_only_within_its_set() {
    let mut store = Store::new();
    for case in open_cases(&mut store) {
        for value in &case.results {
            let mut model = Model::new();
            let z = constant(&mut store, &mut model, "z", value);
            let claim = equation(&mut store, z, case.term);
            let literal = store.value(value).expect("a value of the pools has a term");
            let sort = store.sort(case.term);
            let fixed = [
                Interpretation::Value(value.clone()),
                Interpretation::Table { entries: Default::default(), default: value.clone() },
                Interpretation::Definition { params: Box::new([]), body: literal },
            ];
            for meaning in fixed {
                model.set_open(case.op, sort, meaning);
                let says = says(&store, &model, &[claim]);
                let wanted = if expected(case.op, &case.args, value) {
                    Ok(true)
                } else {
                    Err(Unknown::Excluded(case.op))
                };
                assert_eq!(says, [wanted], "`{}` {:?} as {value:?}", case.op.name(), case.args);
            }
        }
    }
}

#[test]
fn disputed_results_are_never_evaluated() {
    let disputed: Vec<&str> =
        Op::all().filter(|op| op.row().open == Some(Allowed::Disputed)).map(Op::name).collect();
    assert_eq!(disputed, ["^", "fp.roundToIntegral"]);
    let mut store = Store::new();
    for case in open_cases(&mut store) {
        if disputed.contains(&case.op.name()) {
            let same = equation(&mut store, case.term, case.term);
            // Not even that it equals itself is asked of a value that we do not have.
            assert_eq!(says(&store, &Model::new(), &[same]), [Err(Unknown::Open(case.op))]);
        }
    }
}

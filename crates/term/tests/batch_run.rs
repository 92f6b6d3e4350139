//! Tapes as a whole: sharing, depth, budgets, models, and what is left unknown.

use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::bitvec::BitVec;
use assay_term::theories::{bv, core, ints};
use assay_term::{
    Budget, Evaluator, Exhausted, Int, Interpretation, Model, SortId, Store, TermId, Unknown, Value,
};

fn int(n: i64) -> Value {
    Value::Int(Int::from(n))
}

/// A function symbol of a declared constant, and its term.
fn constant(store: &mut Store, name: &str, sort: SortId) -> (assay_term::FuncId, TermId) {
    let name = store.symbols.intern(name);
    store.declare_constant(name, sort)
}

#[test]
fn the_first_difference_is_found_and_unknown_lanes_are_not_different() {
    let mut store = Store::new();
    let (f, x) = constant(&mut store, "x", SortId::INT);
    let two = store.word_int(2);
    let doubled = store.op(ints::MUL, &[x, two]).unwrap();
    let squared = store.op(ints::MUL, &[x, x]).unwrap();
    let zero = store.word_int(0);
    let open = store.op(ints::DIV, &[x, zero]).unwrap();
    let mut budget = Budget::default();
    let tape = Tape::compile(&store, &[doubled, squared, open], &mut budget).unwrap();
    let base = Model::new();
    let mut columns = Columns::new(&base, 150);
    // Zero and two are the only numbers whose double is their square.
    columns.set(&store, f, (0..150).map(|n| int(if n < 131 { 2 * (n % 2) } else { n })));
    let mut scratch = Scratch::default();
    let results = tape.run(&columns, &mut scratch, &mut budget).unwrap();
    assert_eq!(results.differs(0, 1), Some(131));
    assert_eq!(results.differs(0, 2), None);
    assert_eq!(results.get(1, 149), Ok(int(149 * 149)));
    assert_eq!(results.get(2, 149), Err(Unknown::Open(ints::DIV)));
    let first = tape.first_difference((0, 1), &columns, &mut scratch, &mut budget);
    assert_eq!(first, Ok(Some(131)));
    assert_eq!(columns.model(140).get(f), Some(&Interpretation::Value(int(140))));
}

#[test]
fn deep_terms_take_few_registers_and_no_recursion() {
    const DEPTH: usize = 100_000;
    let mut store = Store::new();
    let sort = store.sorts.bit_vec(16);
    let (f, x) = constant(&mut store, "x", sort);
    let mut term = x;
    for level in 0..DEPTH {
        term = match level % 3 {
            0 => store.op(bv::NOT, &[term]).unwrap(),
            1 => store.op(bv::ADD, &[term, term]).unwrap(),
            _ => store.op(bv::XOR, &[x, term]).unwrap(),
        };
    }
    let mut budget = Budget::default();
    let tape = Tape::compile(&store, &[term], &mut budget).unwrap();
    assert_eq!(tape.len(), DEPTH + 1);
    let models: Vec<Model> = (0..3)
        .map(|n| {
            let mut model = Model::new();
            model.set(f, Interpretation::Value(BitVec::from_u64(16, 0x1234 * n).into()));
            model
        })
        .collect();
    let columns = Columns::from_models(&tape, &models, &mut budget).unwrap();
    let results = tape.run(&columns, &mut Scratch::default(), &mut budget).unwrap();
    for (lane, model) in models.iter().enumerate() {
        assert_eq!(results.get(0, lane), Evaluator::new(&store, model).eval(term));
    }
    let compiled = Tape::compile(&store, &[term], &mut Budget::new(1_000, 1_000));
    assert_eq!(compiled.err(), Some(Exhausted::Steps));
    let ran = tape.run(&columns, &mut Scratch::default(), &mut Budget::new(1_000, 1_000));
    assert_eq!(ran.err(), Some(Exhausted::Steps));
}

#[test]
fn a_known_argument_decides_where_others_are_unknown() {
    let mut store = Store::new();
    let (p, x) = constant(&mut store, "p", SortId::BOOL);
    let missing = store.constant("q", SortId::BOOL);
    let roots: Vec<TermId> = [
        (core::AND, vec![missing, x]),
        (core::OR, vec![missing, x]),
        (core::IMPLIES, vec![x, missing]),
        (core::IMPLIES, vec![missing, x]),
        (core::ITE, vec![x, missing, x]),
        (core::XOR, vec![x, missing]),
    ]
    .into_iter()
    .map(|(op, args)| store.op(op, &args).unwrap())
    .collect();
    let mut budget = Budget::default();
    let tape = Tape::compile(&store, &roots, &mut budget).unwrap();
    let base = Model::new();
    let mut columns = Columns::new(&base, 2);
    columns.set(&store, p, [false, true].map(Value::Bool));
    let results = tape.run(&columns, &mut Scratch::default(), &mut budget).unwrap();
    for lane in 0..2 {
        let model = columns.model(lane);
        for (at, &root) in roots.iter().enumerate() {
            assert_eq!(results.get(at, lane), Evaluator::new(&store, &model).eval(root));
        }
    }
}

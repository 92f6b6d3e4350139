//! Tapes as a whole: sharing, depth, budgets, models, and what is left unknown.

use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::bitvec::BitVec;
use assay_term::theories::{bv, core, ints};
use assay_term::{
    Budget, Evaluator, Exhausted, Int, Interpretation, Model, Quantifier, SortId, Store, TermId,
    Unknown, Value,
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

/// Binders, functions and what the standard leaves open, under columns over one base model.
#[test]
fn columns_reach_into_binders_definitions_and_open_results() {
    let mut store = Store::new();
    let (f, x) = constant(&mut store, "x", SortId::INT);
    let name = store.symbols.intern("v");
    let v = store.var(name, SortId::INT);
    let bit = store.sorts.bit_vec(2);
    let b = store.symbols.intern("b");
    let b = store.var(b, bit);

    let doubled = store.op(ints::ADD, &[v, v]).unwrap();
    let let_term = store.let_in(&[(v, x)], doubled).unwrap();
    let as_int = store.op(bv::UBV_TO_INT, &[b]).unwrap();
    let equal = store.op(core::EQ, &[as_int, x]).unwrap();
    let exists = store.quantified(Quantifier::Exists, &[b], equal).unwrap();
    let inner = store.op(core::EQ, &[as_int, v]).unwrap();
    let inner = store.quantified(Quantifier::Exists, &[b], inner).unwrap();
    let let_quantifier = store.let_in(&[(v, x)], inner).unwrap();
    let g = store.declare("g", &[SortId::INT], SortId::INT);
    let zero = store.word_int(0);
    let call = store.app(g, &[let_term]).unwrap();
    let open = store.op(ints::DIV, &[x, zero]).unwrap();
    let open_twice = store.op(ints::DIV, &[x, zero, x]).unwrap();
    let roots = [let_term, exists, let_quantifier, call, open, open_twice];

    let mut base = Model::new();
    let body = store.op(ints::MUL, &[v, x]).unwrap();
    base.set(g, Interpretation::Definition { params: [v].into(), body });
    let body = store.op(ints::SUB, &[v, x]).unwrap();
    let meaning = Interpretation::Definition { params: [v].into(), body };
    base.set_open(ints::DIV, SortId::INT, meaning);

    let mut budget = Budget::default();
    let tape = Tape::compile(&store, &roots, &mut budget).unwrap();
    let mut columns = Columns::new(&base, 70);
    columns.set(&store, f, (0..70).map(|n| int(n - 3)));
    let results = tape.run(&columns, &mut Scratch::default(), &mut budget).unwrap();
    for lane in 0..70 {
        let model = columns.model(lane);
        for (at, &root) in roots.iter().enumerate() {
            let exact = Evaluator::new(&store, &model).eval(root);
            assert_eq!(results.get(at, lane), exact, "root {at}, lane {lane}");
        }
    }
    assert_eq!(results.get(3, 5), Ok(int(8)));
}

/// Each level of a `let` doubles the tree; the tape has one step for each.
#[test]
fn sharing_by_let_is_kept() {
    const DEPTH: usize = 2_000;
    let mut store = Store::new();
    let sort = store.sorts.bit_vec(64);
    let (f, x) = constant(&mut store, "x", sort);
    let vars: Vec<TermId> = (0..DEPTH)
        .map(|at| {
            let name = store.symbols.intern(&format!("v{at}"));
            store.var(name, sort)
        })
        .collect();
    let mut term = vars[DEPTH - 1];
    for at in (0..DEPTH).rev() {
        let before = if at == 0 { x } else { vars[at - 1] };
        let sum = store.op(bv::ADD, &[before, before]).unwrap();
        term = store.let_in(&[(vars[at], sum)], term).unwrap();
    }
    let mut budget = Budget::default();
    let tape = Tape::compile(&store, &[term], &mut budget).unwrap();
    assert_eq!(tape.len(), DEPTH + 1);
    let base = Model::new();
    let mut columns = Columns::new(&base, 1);
    columns.set(&store, f, [Value::BitVec(BitVec::from_u64(64, 3))]);
    let results = tape.run(&columns, &mut Scratch::default(), &mut budget).unwrap();
    assert_eq!(results.get(0, 0), Evaluator::new(&store, &columns.model(0)).eval(term));
}

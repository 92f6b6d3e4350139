//! How evaluation grows with the nesting of binders, counted in steps.

use assay_term::theories::{core, ints};
use assay_term::{Budget, Evaluator, Int, Model, Quantifier, SortId, Store, TermId, Value};

/// More than any of these terms needs, and few enough that a walk at every level soon ends.
const STEPS: u64 = 10_000_000;

/// The value of a term, and the steps that finding it took.
fn evaluated(store: &Store, term: TermId) -> (Value, u64) {
    let model = Model::new();
    let mut evaluator = Evaluator::new(store, &model).with_budget(Budget::new(STEPS, u64::MAX));
    let value = evaluator.eval(term).expect("a closed term has a value");
    (value, STEPS - evaluator.into_budget().steps_left())
}

fn variables(store: &mut Store, sort: SortId, count: usize) -> Vec<TermId> {
    let names: Vec<_> = (0..count).map(|n| store.symbols.intern(&format!("x{n}"))).collect();
    names.into_iter().map(|name| store.var(name, sort)).collect()
}

/// `((lambda ((x0 Int)) ((lambda ((x1 Int)) … (+ x0 xn)) x0)) 21)`.
fn nested_lambdas(store: &mut Store, depth: usize) -> TermId {
    let vars = variables(store, SortId::INT, depth);
    let mut term = store.op(ints::ADD, &[vars[0], vars[depth - 1]]).expect("a sum");
    let start = store.int(&Int::from(21i64));
    for (level, &var) in vars.iter().enumerate().rev() {
        let function = store.function(&[var], term).expect("a function");
        let arg = if level == 0 { start } else { vars[level - 1] };
        term = store.apply(function, &[arg]).expect("an integer fits");
    }
    term
}

/// A lambda around quantifiers, each of which its first instance decides, and all of them asking
/// for a closure over the outermost variable.
fn nested_quantifiers(store: &mut Store, depth: usize) -> TermId {
    let outer = variables(store, SortId::INT, 1)[0];
    let name = store.symbols.intern("y");
    let inner = store.var(name, SortId::INT);
    let bools: Vec<TermId> = (0..depth)
        .map(|n| {
            let name = store.symbols.intern(&format!("b{n}"));
            store.var(name, SortId::BOOL)
        })
        .collect();
    let mut term = store.op(core::EQ, &[outer, outer]).expect("an equation");
    for &var in bools.iter().rev() {
        term = store.quantified(Quantifier::Exists, &[var], term).expect("a quantifier");
        let function = store.function(&[inner], term).expect("a function");
        term = store.apply(function, &[outer]).expect("an integer fits");
    }
    let function = store.function(&[outer], term).expect("a function");
    let start = store.int(&Int::from(21i64));
    store.apply(function, &[start]).expect("an integer fits")
}

fn assert_linear(build: fn(&mut Store, usize) -> TermId, depth: usize, expected: &Value) {
    let steps = [depth, 2 * depth].map(|depth| {
        let mut store = Store::new();
        let term = build(&mut store, depth);
        let (value, steps) = evaluated(&store, term);
        assert_eq!(value, *expected);
        steps
    });
    assert!(steps[1] < 3 * steps[0], "twice the depth takes {steps:?} steps");
    assert!(steps[0] < 100 * depth as u64, "{depth} levels take {} steps", steps[0]);
}

#[test]
fn nested_lambdas_take_steps_in_proportion_to_their_depth() {
    assert_linear(nested_lambdas, 2_000, &Value::Int(Int::from(42i64)));
}

#[test]
fn nested_quantifiers_with_lambdas_take_steps_in_proportion_to_their_depth() {
    assert_linear(nested_quantifiers, 8_000, &Value::Bool(true));
}

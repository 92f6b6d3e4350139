//! How many 64-bit bit-vector and small-integer operations a second the evaluator does, beside the
//! same operations done straight on the big integers of `num-bigint`, without any term.

use assay_term::bitvec::BitVec;
use assay_term::theories::{bv, ints};
use assay_term::{Evaluator, Int, Limits, Model, Op, Store, TermId};
use num_bigint::BigInt;
use std::hint::black_box;
use std::time::Instant;

/// Repetitions; the fastest counts, because everything else is the machine's other work.
const ROUNDS: usize = 25;

fn main() {
    println!("{:>10} {:24} {:>8} {:>20}", "operations", "", "M op/s", "× num-bigint alone");
    for operations in [10_000, 1_000_000] {
        race(operations);
    }
}

/// One chain of distinct operations, evaluated by a fresh evaluator each time: short ones stay in
/// the processor's caches, long ones do not.
fn race(operations: usize) {
    let mut store = Store::new();
    let bits: Vec<TermId> =
        (0..16).map(|i| store.bit_vec(BitVec::from_u64(64, i * 0x9E37_79B9 + 3))).collect();
    let numbers: Vec<TermId> = (1..17u64).map(|i| store.int(&Int::from(i))).collect();
    let chain = build(&mut store, &[bv::ADD, bv::MUL, bv::XOR], &bits, operations);
    row("bit-vectors of 64 bits", operations, evaluate(&store, chain), on_big_bits(operations));
    let chain = build(&mut store, &[ints::ADD, ints::SUB], &numbers, operations);
    row("small integers", operations, evaluate(&store, chain), on_big_integers(operations));
}

fn row(what: &str, operations: usize, ours: f64, peer: f64) {
    let rate = operations as f64 / ours / 1e6;
    println!("{operations:>10} {what:24} {rate:>8.1} {:>20.2}", peer / ours);
}

fn build(store: &mut Store, ops: &[Op], leaves: &[TermId], operations: usize) -> TermId {
    let mut term = leaves[0];
    for i in 0..operations {
        let leaf = leaves[1 + i * 7 % (leaves.len() - 1)];
        term = store.op(ops[i % ops.len()], &[term, leaf]).expect("operands of one sort");
    }
    term
}

fn fastest(mut run: impl FnMut()) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

fn evaluate(store: &Store, root: TermId) -> f64 {
    let model = Model::new();
    fastest(|| {
        let limits = Limits { steps: u64::MAX, ..Limits::default() };
        let value = Evaluator::new(store, &model).with_limits(limits).eval(root);
        black_box(value).expect("a ground term");
    })
}

fn on_big_bits(operations: usize) -> f64 {
    let leaves: Vec<BigInt> = (0..16u64).map(|i| BigInt::from(i * 0x9E37_79B9 + 3)).collect();
    let mask = BigInt::from(u64::MAX);
    fastest(|| {
        let mut value = leaves[0].clone();
        for i in 0..operations {
            let leaf = &leaves[1 + i * 7 % 15];
            value = match i % 3 {
                0 => (value + leaf) & &mask,
                1 => (value * leaf) & &mask,
                _ => value ^ leaf,
            };
        }
        black_box(value);
    })
}

fn on_big_integers(operations: usize) -> f64 {
    let leaves: Vec<BigInt> = (1..17u64).map(BigInt::from).collect();
    fastest(|| {
        let mut value = leaves[0].clone();
        for i in 0..operations {
            let leaf = &leaves[1 + i * 7 % 15];
            value = if i % 2 == 0 { value + leaf } else { value - leaf };
        }
        black_box(value);
    })
}

//! How many operations a second the evaluator for many assignments does, beside the evaluator for one,
//! on the same random terms over bit-vectors and small integers, in the same run.

use assay_term::batch::{Columns, Scratch, Tape};
use assay_term::bitvec::BitVec;
use assay_term::theories::{bv, core, ints};
use assay_term::{
    Budget, Evaluator, FuncId, Int, Interpretation, Model, Op, SortId, Store, TermId, Value,
};
use std::hint::black_box;
use std::time::Instant;

/// Repetitions; the fastest counts, because everything else is the machine's other work.
const ROUNDS: usize = 7;

/// Terms of each kind.
const TERMS: u64 = 60;

/// Variables of a term.
const VARIABLES: usize = 4;

fn main() {
    println!(
        "{:12} {:>11} {:>9} {:>12} {:>6} {:>16} {:>6}",
        "", "assignments", "one, M/s", "many, M/s", "×", "with compiling", "×"
    );
    let bit_vectors: Vec<Case> = (0..TERMS).map(bit_vectors).collect();
    let integers: Vec<Case> = (0..TERMS).map(integers).collect();
    for assignments in [64, 256, 1024] {
        race("bit-vectors", assignments, &bit_vectors);
        race("integers", assignments, &integers);
    }
}

/// A term in a store of its own, and what its variables may stand for.
struct Case {
    store: Store,
    root: TermId,
    variables: Vec<FuncId>,
    value: fn(&mut Rng) -> Value,
}

fn race(what: &str, assignments: usize, cases: &[Case]) {
    let base = Model::new();
    let models: Vec<Vec<Model>> = cases.iter().map(|case| models(case, assignments)).collect();
    let columns: Vec<Columns<'_>> =
        cases.iter().zip(&models).map(|(case, models)| columns(case, models, &base)).collect();
    let one = fastest(|| {
        cases.iter().zip(&models).for_each(|(case, models)| one_by_one(case, models));
    });
    let tapes: Vec<Tape<'_>> = cases.iter().map(compile).collect();
    let mut scratch = Scratch::default();
    let many = fastest(|| {
        tapes.iter().zip(&columns).for_each(|(tape, columns)| run(tape, columns, &mut scratch));
    });
    let compiled = fastest(|| {
        let tapes = cases.iter().map(compile).zip(&columns);
        tapes.for_each(|(tape, columns)| run(&tape, columns, &mut scratch));
    });
    let operations: usize = cases.iter().map(operations).sum();
    let rate = |seconds: f64| (operations * assignments) as f64 / seconds / 1e6;
    println!(
        "{what:12} {assignments:>11} {:>9.1} {:>12.1} {:>6.1} {:>16.1} {:>6.1}",
        rate(one),
        rate(many),
        one / many,
        rate(compiled),
        one / compiled
    );
}

fn one_by_one(case: &Case, models: &[Model]) {
    for model in models {
        let value = Evaluator::new(&case.store, model).eval(case.root);
        black_box(value).expect("defined everywhere");
    }
}

fn compile(case: &Case) -> Tape<'_> {
    Tape::compile(&case.store, &[case.root], &mut Budget::unlimited()).expect("no bound")
}

fn run(tape: &Tape<'_>, columns: &Columns<'_>, scratch: &mut Scratch) {
    let results = tape.run(columns, scratch, &mut Budget::unlimited()).expect("no bound");
    black_box(results.differs(0, 0));
}

fn fastest(mut run: impl FnMut()) -> f64 {
    let seconds = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    });
    seconds.fold(f64::INFINITY, f64::min)
}

fn models(case: &Case, assignments: usize) -> Vec<Model> {
    let mut rng = Rng(1);
    let model = |_| {
        let mut model = Model::new();
        for &func in &case.variables {
            model.set(func, Interpretation::Value((case.value)(&mut rng)));
        }
        model
    };
    (0..assignments).map(model).collect()
}

fn columns<'m>(case: &Case, models: &[Model], base: &'m Model) -> Columns<'m> {
    let mut columns = Columns::new(base, models.len());
    for &func in &case.variables {
        let values = models.iter().map(|model| match model.get(func) {
            Some(Interpretation::Value(value)) => value.clone(),
            _ => unreachable!("every variable has a value"),
        });
        columns.set(&case.store, func, values);
    }
    columns
}

/// How many distinct applications of operators there are in a case.
fn operations(case: &Case) -> usize {
    let parts = case.store.postorder(&[case.root]);
    parts.into_iter().filter(|&part| !case.store.children(part).is_empty()).count()
}

#[rustfmt::skip]
const BIT_VECTORS: &[Op] = &[
    bv::ADD, bv::SUB, bv::MUL, bv::AND, bv::OR, bv::XOR, bv::NOT, bv::NEG, bv::SHL, bv::LSHR,
    bv::ASHR, bv::UDIV, bv::UREM, bv::SDIV, bv::SREM, bv::NAND, bv::ULT, bv::ULE, bv::SLT,
    bv::SGE, bv::UADDO, core::EQ, core::ITE, core::AND, core::OR, core::NOT,
];

#[rustfmt::skip]
const INTEGERS: &[Op] = &[
    ints::ADD, ints::SUB, ints::MUL, ints::DIV, ints::MOD, ints::ABS, ints::LE, ints::LT,
    ints::GE, ints::GT, core::EQ, core::ITE, core::AND, core::OR, core::NOT,
];

fn bit_vectors(seed: u64) -> Case {
    let mut store = Store::new();
    let sort = store.sorts.bit_vec(32);
    let (variables, mut leaves) = variables(&mut store, sort);
    leaves.extend([0, 1, 0xFF, 0x8000_0000].map(|n| store.word_bit_vec(32, n)));
    let root = term(&mut store, &leaves, BIT_VECTORS, seed);
    let value = |rng: &mut Rng| BitVec::from_u64(32, rng.next()).into();
    Case { store, root, variables, value }
}

fn integers(seed: u64) -> Case {
    let mut store = Store::new();
    let (variables, mut leaves) = variables(&mut store, SortId::INT);
    leaves.extend([1, 2, 7, 100].map(|n| store.word_int(n)));
    let root = term(&mut store, &leaves, INTEGERS, seed);
    let value = |rng: &mut Rng| Value::Int(Int::from(rng.next() as i64 % 1_000));
    Case { store, root, variables, value }
}

fn variables(store: &mut Store, sort: SortId) -> (Vec<FuncId>, Vec<TermId>) {
    (0..VARIABLES)
        .map(|at| {
            let name = store.symbols.intern(&format!("x{at}"));
            store.declare_constant(name, sort)
        })
        .unzip()
}

/// A term with sharing, made of three to eight layers of four applications.
fn term(store: &mut Store, leaves: &[TermId], operators: &[Op], seed: u64) -> TermId {
    let mut rng = Rng(seed);
    let depth = 3 + rng.below(6);
    let mut terms = leaves.to_vec();
    for _ in 0..4 * depth {
        let next = application(store, leaves, &terms, operators, &mut rng);
        terms.push(next);
    }
    // The first operator of each list is an addition.
    total(store, &terms[leaves.len()..], operators[0])
}

/// A random application to terms, the later ones more often. Factors and divisors are literals, as in
/// most formulas: numbers stay small, and nothing is divided by zero.
fn application(
    store: &mut Store,
    leaves: &[TermId],
    terms: &[TermId],
    operators: &[Op],
    rng: &mut Rng,
) -> TermId {
    loop {
        let op = operators[rng.below(operators.len())];
        let mut args: Vec<TermId> = op.row().sigs[0]
            .args
            .iter()
            .map(|_| {
                let window = terms.len().min(14);
                terms[terms.len() - 1 - rng.below(window)]
            })
            .collect();
        if [ints::MUL, ints::DIV, ints::MOD].contains(&op) {
            args[1] = leaves[VARIABLES + rng.below(leaves.len() - VARIABLES)];
        }
        if let Ok(term) = store.op(op, &args) {
            return term;
        }
    }
}

/// A term that needs all others: the formulas among them decide by their parity between the sum of
/// the rest and one of them. Equations instead would make most operations Boolean, which are cheap.
fn total(store: &mut Store, terms: &[TermId], sum: Op) -> TermId {
    let (formulas, others): (Vec<TermId>, Vec<TermId>) =
        terms.iter().partition(|&&term| store.sort(term) == SortId::BOOL);
    let mut join = |op, parts: &[TermId]| {
        let two = |all, next| store.op(op, &[all, next]).expect("one sort");
        parts.iter().copied().reduce(two)
    };
    match (join(core::XOR, &formulas), join(sum, &others)) {
        (Some(parity), Some(total)) => {
            store.op(core::ITE, &[parity, total, others[0]]).expect("one sort")
        }
        (parity, total) => parity.or(total).expect("three layers have more than one part"),
    }
}

/// SplitMix64: the same terms everywhere.
struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

//! Random terms with sharing over the operators that have machine operations.

use crate::agrees;
use crate::pool::{Rng, value};
use assay_term::batch::Scratch;
use assay_term::float::{Format, RoundingMode};
use assay_term::theories::{Theory, core, ints};
use assay_term::{Interpretation, Model, Op, Sort, SortId, Store, Term, TermId, Value};

const TAPES: usize = 150;
const ASSIGNMENTS: usize = 70;

/// Applies random operators to random terms that are there already, whatever is well sorted.
fn grow(store: &mut Store, terms: &mut Vec<TermId>, applications: usize, rng: &mut Rng) {
    let theories = [Theory::Core, Theory::Ints, Theory::BitVectors, Theory::Floats];
    // Powers of powers take their time.
    let apt = |op: &Op| theories.contains(&op.theory()) && ![ints::POW, ints::POW2].contains(op);
    let ops: Vec<Op> = Op::all().filter(apt).collect();
    let mut left = applications;
    while left > 0 {
        let op = rng.pick(&ops);
        let sig = rng.pick(op.row().sigs);
        let indices: Vec<u64> =
            (0..sig.indices.least()).map(|_| rng.pick(&[0, 1, 3, 8, 11, 16, 24, 53])).collect();
        let args: Vec<TermId> = sig.args.iter().map(|_| rng.pick(terms)).collect();
        let Ok(term) = store.op_indexed(op, &indices, &args) else { continue };
        let exact = match *store.sorts.get(store.sort(term)) {
            Sort::BitVec(width) => width > 130,
            Sort::Real => true,
            _ => false,
        };
        // Such values have no machine form, and would soon be most of what there is.
        if exact {
            continue;
        }
        terms.push(term);
        left -= 1;
    }
}

fn leaves(store: &mut Store, rng: &mut Rng) -> Vec<TermId> {
    let [byte, word] = [8, 64].map(|width| store.sorts.bit_vec(width));
    let [single, double] =
        [Format::FLOAT32, Format::FLOAT64].map(|format| store.sorts.float(format));
    let mut terms = Vec::new();
    for sort in [SortId::BOOL, SortId::INT, SortId::INT, byte, byte, word, word, single, double] {
        terms.push(store.constant(&format!("x{}", terms.len()), sort));
        let literal = value(store, sort, rng);
        terms.extend(store.value(&literal));
    }
    let mode = Value::RoundingMode(RoundingMode::NearestEven);
    terms.extend(store.value(&mode));
    terms
}

#[test]
fn random_terms_yield_what_the_evaluator_yields() {
    let mut rng = Rng(7);
    let mut scratch = Scratch::default();
    for _ in 0..TAPES {
        let mut store = Store::new();
        let mut terms = leaves(&mut store, &mut rng);
        let constants: Vec<TermId> = terms.clone();
        let applications = 5 + rng.below(60);
        grow(&mut store, &mut terms, applications, &mut rng);
        let models: Vec<Model> = (0..ASSIGNMENTS)
            .map(|_| {
                let mut model = Model::new();
                for &constant in &constants {
                    let sort = store.sort(constant);
                    let Term::App(func, []) = store.get(constant) else { continue };
                    if store.operator(constant).is_none() {
                        model.set(func, Interpretation::Value(value(&mut store, sort, &mut rng)));
                    }
                }
                model
            })
            .collect();
        let formulas: Vec<TermId> =
            terms.iter().copied().filter(|&term| store.sort(term) == SortId::BOOL).collect();
        if let Ok(all) = store.op(core::AND, &formulas) {
            terms.push(all);
        }
        let roots: Vec<TermId> = terms.iter().rev().take(12).copied().collect();
        agrees(&store, &roots, &models, &mut scratch);
    }
}

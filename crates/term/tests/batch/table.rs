//! Every operator of the table, by every signature, at several widths.

use crate::agrees;
use crate::pool::{Binding, Rng, value};
use assay_term::batch::Scratch;
use assay_term::op::{Fold, Indices, Sig};
use assay_term::{Interpretation, Model, Op, SortId, Store, TermId};
use std::collections::BTreeSet;

/// Random bindings that are tried for one signature.
const ATTEMPTS: usize = 600;

/// Applications of different sorts that are evaluated for one signature.
const APPLICATIONS: usize = 12;

/// Assignments: one full chunk and a part of another.
const ASSIGNMENTS: usize = 80;

#[test]
fn every_operator_yields_what_the_evaluator_yields() {
    let mut rng = Rng(2026);
    let mut scratch = Scratch::default();
    for op in Op::all() {
        for sig in op.row().sigs {
            let mut store = Store::new();
            let applications = applications(&mut store, op, sig, &mut rng);
            assert!(!applications.is_empty(), "no application of `{}` by {sig:?}", op.name());
            for term in applications {
                let models = models(&mut store, term, &mut rng);
                agrees(&store, &[term], &models, &mut scratch);
            }
        }
    }
}

/// Applications of an operator to constants, each to other sorts.
fn applications(store: &mut Store, op: Op, sig: &Sig, rng: &mut Rng) -> Vec<TermId> {
    let mut found: BTreeSet<TermId> = BTreeSet::new();
    for _ in 0..ATTEMPTS {
        if found.len() == APPLICATIONS {
            break;
        }
        found.extend(application(store, op, sig, rng));
    }
    found.into_iter().collect()
}

fn application(store: &mut Store, op: Op, sig: &Sig, rng: &mut Rng) -> Option<TermId> {
    let mut binding = Binding::random(store, usize::from(sig.indices.least()), rng);
    if sig.indices == Indices::Any {
        // They name columns, of which there are few.
        binding.indices = (0..rng.below(3)).map(|_| rng.below(2) as u64).collect();
    }
    let mut pats = sig.args.to_vec();
    if op.row().fold != Fold::Fixed {
        let (at, repeated) = match op.row().fold {
            Fold::Right => (0, pats.first().copied()),
            _ => (pats.len(), pats.last().copied()),
        };
        for _ in 0..rng.below(3) {
            pats.splice(at..at, repeated);
        }
    }
    let sorts: Option<Vec<SortId>> = pats.iter().map(|pat| binding.sort(store, pat, rng)).collect();
    let args: Vec<TermId> = sorts?
        .into_iter()
        .enumerate()
        .map(|(at, sort)| store.constant(&format!("x{at}"), sort))
        .collect();
    let func = store.op_func(op, &binding.indices);
    let ascribed = binding.sort(store, &sig.result, rng);
    store
        .app(func, &args)
        .or_else(|error| ascribed.map_or(Err(error), |sort| store.app_as(func, &args, Some(sort))))
        .ok()
}

/// Random models of the constants of a term; some leave one out.
fn models(store: &mut Store, term: TermId, rng: &mut Rng) -> Vec<Model> {
    let constants: Vec<TermId> = store.children(term).to_vec();
    (0..ASSIGNMENTS)
        .map(|_| {
            let left_out = rng.below(16 * constants.len().max(1));
            let mut model = Model::new();
            for (at, &constant) in constants.iter().enumerate() {
                let assay_term::Term::App(func, []) = store.get(constant) else {
                    unreachable!("a declared constant")
                };
                let sort = store.sort(constant);
                if at != left_out {
                    model.set(func, Interpretation::Value(value(store, sort, rng)));
                }
            }
            model
        })
        .collect()
}

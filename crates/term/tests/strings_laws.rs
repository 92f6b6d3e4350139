//! The laws that rows claim, certified on small values; and laws that do not hold, refuted by the
//! same means, so that certification is known to be able to fail.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod strings_support;

use assay_term::op::{Law, Pat, Sig};
use assay_term::theories::{Theory, core, regex as re, strings as st};
use assay_term::{Evaluator, Model, Op, SortId, Store, TermId, Value};
use strings_support::{LETTERS, samples, sequence, string, words};

/// Terms to instantiate a law with.
fn pool(store: &mut Store, pat: &Pat) -> Vec<TermId> {
    let values: Vec<Value> = match pat {
        Pat::Str => words(&LETTERS, 3).iter().map(|w| string(w)).collect(),
        Pat::Re => samples().into_iter().map(|sample| Value::RegLan(sample.value)).collect(),
        Pat::Seq(_) => {
            let sort = store.sorts.seq(SortId::INT);
            words(&[0, 1], 3).iter().map(|w| sequence(sort, w)).collect()
        }
        _ => panic!("a law over a sort without values to try"),
    };
    values.iter().map(|value| store.value(value).unwrap()).collect()
}

/// Both sides of every instance of a law.
fn instances(store: &mut Store, op: Op, law: Law, sig: &Sig) -> Vec<(TermId, TermId)> {
    let pool = pool(store, &sig.args[0]);
    let mut apply = |args: &[TermId]| store.op(op, args).unwrap();
    let mut all = Vec::new();
    for &a in &pool {
        match law {
            Law::Idempotent => all.push((apply(&[a, a]), a)),
            Law::Involutive => {
                let once = apply(&[a]);
                all.push((apply(&[once]), a));
            }
            Law::Commutative => {
                all.extend(pool.iter().map(|&b| (apply(&[a, b]), apply(&[b, a]))));
            }
            Law::Associative => {
                for &b in &pool {
                    for &c in &pool {
                        let (left, right) = (apply(&[a, b]), apply(&[b, c]));
                        all.push((apply(&[left, c]), apply(&[a, right])));
                    }
                }
            }
        }
    }
    all
}

/// How many instances of a law hold, and how many there are.
fn certify(op: Op, law: Law, sig: &Sig) -> (usize, usize) {
    let mut store = Store::new();
    let sides = instances(&mut store, op, law, sig);
    let equations: Vec<TermId> =
        sides.iter().map(|&(l, r)| store.op(core::EQ, &[l, r]).unwrap()).collect();
    let model = Model::new();
    let mut evaluator = Evaluator::new(&store, &model);
    let held = equations.iter().filter(|&&equation| evaluator.holds(equation).unwrap());
    (held.count(), equations.len())
}

#[test]
fn claimed_laws_hold() {
    let theories = [Theory::Strings, Theory::Regex, Theory::Sequences];
    let mut laws = 0;
    for op in Op::all().filter(|op| theories.contains(&op.theory())) {
        for &law in op.row().laws {
            let arity = if law == Law::Involutive { 1 } else { 2 };
            for sig in op.row().sigs.iter().filter(|sig| sig.args.len() == arity) {
                let (held, all) = certify(op, law, sig);
                assert!(held == all && all > 0, "{} is not {law:?}", op.name());
                laws += 1;
            }
        }
    }
    assert!(laws >= 10, "only {laws} laws");
}

#[test]
fn other_laws_are_refuted() {
    let wrong = [
        (st::CONCAT, Law::Commutative),
        (st::CONCAT, Law::Idempotent),
        (re::CONCAT, Law::Commutative),
        (re::CONCAT, Law::Idempotent),
        (re::DIFF, Law::Commutative),
        (re::DIFF, Law::Associative),
        (re::STAR, Law::Involutive),
        (re::PLUS, Law::Involutive),
    ];
    for (op, law) in wrong {
        let (held, all) = certify(op, law, &op.row().sigs[0]);
        assert!(held < all, "{} seems to be {law:?}", op.name());
    }
}

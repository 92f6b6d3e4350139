//! Every operator of the table, on every value at small widths, against independent definitions;
//! and the laws that its row claims.

mod bv_support;

use assay_term::op::{Fold, Law, Pat};
use assay_term::theories::Theory;
use assay_term::{Evaluator, Model, Op, Store, TermId};
use bv_support::definitions::{DEFINITIONS, Thing};
use bv_support::{Cases, vector};
use std::collections::BTreeSet;

fn operators() -> impl Iterator<Item = Op> {
    Op::all().filter(|op| op.theory() == Theory::BitVectors)
}

/// All bit-vectors of a width.
fn all(width: u32) -> Vec<Thing> {
    (0..1i64 << width).map(|n| vector(width, n)).collect()
}

fn is_vector(pat: &Pat) -> bool {
    matches!(pat, Pat::Bv(_))
}

#[test]
fn definitions_and_table_name_the_same_operators() {
    let table: BTreeSet<&str> = operators().map(Op::name).collect();
    let defined: BTreeSet<&str> = DEFINITIONS.iter().map(|(name, _)| *name).collect();
    assert_eq!(table, defined);
    assert_eq!(table.len(), operators().count(), "a name occurs twice");
}

/// All lists of as many indices, each at most twice the width and a little more.
fn indices(count: u8, width: u64) -> Vec<Vec<u64>> {
    let mut lists = vec![Vec::new()];
    for _ in 0..count {
        let longer = lists.iter().flat_map(|list: &Vec<u64>| {
            (0..=2 * width + 1).map(|i| list.iter().copied().chain([i]).collect())
        });
        lists = longer.collect();
    }
    lists
}

#[test]
fn every_operator_on_every_value_up_to_four_bits() {
    for op in operators() {
        let mut cases = Cases::new();
        let [sig] = op.row().sigs else { panic!("{} has one signature", op.name()) };
        for width in 1..=4 {
            let mut accepted = 0;
            for list in indices(sig.indices.least(), width.into()) {
                match sig.args {
                    [Pat::Int] => {
                        for n in -40..40 {
                            accepted +=
                                usize::from(cases.add(op, &list, &[Thing::Number(n.into())]));
                        }
                    }
                    [x] if is_vector(x) => {
                        for s in all(width) {
                            accepted += usize::from(cases.add(op, &list, &[s]));
                        }
                    }
                    [x, y] if is_vector(x) && is_vector(y) => {
                        for (s, t) in pairs(width) {
                            accepted += usize::from(cases.add(op, &list, &[s, t]));
                        }
                    }
                    other => panic!("{} has unforeseen arguments {other:?}", op.name()),
                }
            }
            assert!(accepted >= 1 << width, "{} at {width} bits", op.name());
        }
        cases.check();
    }
}

/// All pairs where the first has this width and the second any; typing sorts out which fit.
fn pairs(width: u32) -> impl Iterator<Item = (Thing, Thing)> {
    let seconds: Vec<Thing> = (1..=4).flat_map(all).collect();
    all(width)
        .into_iter()
        .flat_map(move |s| seconds.clone().into_iter().map(move |t| (s.clone(), t)))
}

#[test]
fn many_arguments_fold_to_the_left() {
    let mut folding = Vec::new();
    for op in operators().filter(|op| op.row().fold != Fold::Fixed) {
        assert_eq!(op.row().fold, Fold::Left, "{}", op.name());
        folding.push(op.name());
        let mut cases = Cases::new();
        for (a, b) in all(2).iter().flat_map(|a| all(2).into_iter().map(move |b| (a.clone(), b))) {
            for c in all(2) {
                assert!(cases.add(op, &[], &[a.clone(), b.clone(), c.clone()]));
                assert!(cases.add(op, &[], &[a.clone(), b.clone(), c.clone(), a.clone(), c]));
            }
        }
        assert_eq!(cases.check(), 128);
    }
    assert_eq!(folding, ["concat", "bvand", "bvor", "bvadd", "bvmul", "bvxor", "bvxnor", "bvsub"]);
}

#[test]
fn concatenation_takes_parts_of_any_width() {
    let concat = Op::by_name("concat").unwrap();
    let mut cases = Cases::new();
    for (i, j, k) in [(1, 2, 3), (31, 32, 33), (63, 1, 64), (64, 64, 64), (100, 1, 99), (7, 200, 5)]
    {
        let parts = [vector(i, -3), vector(j, 1), vector(k, -2)];
        assert!(cases.add(concat, &[], &parts));
        assert!(cases.add(concat, &[], &[parts.clone(), parts].concat()));
    }
    cases.check();
}

const LAWS: [Law; 4] = [Law::Commutative, Law::Associative, Law::Idempotent, Law::Involutive];

/// Both sides of a law for all values of these widths, or nothing where it is ill-sorted.
fn instances(store: &mut Store, op: Op, law: Law, widths: [u32; 3]) -> Vec<(TermId, TermId)> {
    let mut literals = |width: u32| -> Vec<TermId> {
        let values = (0..1 << width).map(|n| assay_term::bitvec::BitVec::from_u64(width, n));
        values.map(|v| store.bit_vec(v)).collect()
    };
    let [xs, ys, zs] = widths.map(&mut literals);
    let mut sides = Vec::new();
    let mut apply = |args: &[TermId]| store.op(op, args).ok();
    match law {
        Law::Commutative => {
            for (&x, &y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y))) {
                sides.push(apply(&[x, y]).zip(apply(&[y, x])));
            }
        }
        Law::Associative => {
            for (&x, &y) in xs.iter().flat_map(|x| ys.iter().map(move |y| (x, y))) {
                for &z in &zs {
                    let left = apply(&[x, y]).and_then(|xy| apply(&[xy, z]));
                    let right = apply(&[y, z]).and_then(|yz| apply(&[x, yz]));
                    sides.push(left.zip(right));
                }
            }
        }
        Law::Idempotent => sides.extend(xs.iter().map(|&x| apply(&[x, x]).zip(Some(x)))),
        Law::Involutive => {
            sides.extend(xs.iter().map(|&x| apply(&[x]).and_then(|y| apply(&[y])).zip(Some(x))));
        }
    }
    sides.into_iter().flatten().collect()
}

/// Whether a law holds for all values of one to three bits; `None` where it makes no sense: its
/// sides are ill-sorted (if only at three bits, as for `bvcomp`) or differ in sort.
fn holds(op: Op, law: Law) -> Option<bool> {
    let mut store = Store::new();
    if instances(&mut store, op, law, [3, 3, 3]).is_empty() {
        return None;
    }
    let mut sides = Vec::new();
    for (i, j) in (1..=3).flat_map(|i| (1..=3).map(move |j| (i, j))) {
        for k in 1..=3 {
            sides.extend(instances(&mut store, op, law, [i, j, k]));
        }
    }
    let model = Model::new();
    let mut evaluator = Evaluator::new(&store, &model);
    sides.iter().all(|&(a, b)| store.sort(a) == store.sort(b)).then(|| {
        sides.iter().all(|&(a, b)| {
            let (a, b) = (evaluator.eval(a), evaluator.eval(b));
            assert!(a.is_ok() && b.is_ok(), "{} {law:?}", op.name());
            a == b
        })
    })
}

#[test]
fn rows_claim_exactly_the_laws_that_hold() {
    for op in operators() {
        for law in LAWS {
            let claimed = op.row().laws.contains(&law);
            assert_eq!(holds(op, law).unwrap_or(false), claimed, "{} {law:?}", op.name());
        }
    }
}

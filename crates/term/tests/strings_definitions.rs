//! Every operator of strings, regular expressions and sequences, in every signature, against its
//! definition, on every combination of small values. An operator without a definition fails.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod strings_support;

use assay_term::bitvec::BitVec;
use assay_term::op::{Fold, Pat, Sig};
use assay_term::theories::{Theory, seq, strings as st};
use assay_term::{Evaluator, Int, Model, Op, SortId, Store, TermId, Unknown, Value};
use strings_support::definitions::{Argument, Meaning, meaning};
use strings_support::{LETTERS, integers, samples, sequence, string, universe, word, words};

/// The values to try for a pattern.
fn pool(op: Op, pat: &Pat, store: &mut Store) -> Vec<Argument> {
    let values: Vec<Value> = match pat {
        Pat::Str => strings_for(op).iter().map(|w| string(w)).collect(),
        Pat::Int => integers_for(op).into_iter().map(Value::Int).collect(),
        Pat::Re => return samples().into_iter().map(Argument::Language).collect(),
        Pat::Seq(_) => {
            let sort = store.sorts.seq(SortId::INT);
            words(&[0, 1], 3).iter().map(|w| sequence(sort, w)).collect()
        }
        Pat::Any(_) => vec![Value::Int(Int::ZERO), string(&word("ab")), Value::Bool(true)],
        Pat::Bv(_) => (0..8).map(|n| Value::BitVec(BitVec::from_u64(3, n))).collect(),
        _ => panic!("{} has an argument without values to try", op.name()),
    };
    values.into_iter().map(Argument::Value).collect()
}

fn strings_for(op: Op) -> Vec<Vec<u32>> {
    match op {
        st::IS_DIGIT | st::TO_CODE | st::TO_INT => {
            let mut all = words(&word("019a"), 3);
            let odd = [
                "/", ":", "-1", "+1", " 1", "1 ", "1_0", "0000", "00123", "\u{660}", "\u{ff11}",
                "1\u{663}",
            ];
            all.extend(odd.iter().map(|text| word(text)));
            all.extend([vec![0], vec![0xD800], vec![0x2FFFF]]);
            all
        }
        st::TO_LOWER | st::TO_UPPER => {
            let mut all = words(&word("aZ@"), 3);
            all.extend((0..0x180).map(|c| vec![c]));
            all.extend([vec![0x2FFFF, 0x41], word("\u{130}\u{131}\u{3a3}")]);
            all
        }
        st::LT | st::LE => {
            let mut all = words(&LETTERS, 3);
            all.extend([vec![0], vec![0xFFFF], vec![0x10000], vec![0x2FFFF, 0]]);
            all
        }
        _ => words(&LETTERS, 3),
    }
}

fn integers_for(op: Op) -> Vec<Int> {
    match op {
        st::FROM_INT => {
            (-2..=12i64).chain([99, 100, 101, 909, 999, 1000, 9999]).map(Int::from).collect()
        }
        st::FROM_CODE => {
            let mut all = integers();
            let codes = [
                0x61i64,
                0xD7FF,
                0xD800,
                0xFFFF,
                0x10000,
                0x2FFFF,
                0x30000,
                0x10FFFF,
                (1 << 32) + 0x61,
            ];
            all.extend(codes.map(Int::from));
            all
        }
        _ if op.theory() == Theory::Regex => (0..=3i64).map(Int::from).collect(),
        _ => integers(),
    }
}

fn indices_for(op: Op, count: u8) -> Vec<Vec<u64>> {
    match (op, count) {
        (st::CHAR, _) => [0, 0x61, 0xD800, 0xFFFF, 0x10000, 0x2FFFF].map(|c| vec![c]).into(),
        (_, 0) => vec![Vec::new()],
        (_, 1) => (0..=3).map(|n| vec![n]).collect(),
        _ => (0..=3).flat_map(|m| (0..=3).map(move |n| vec![m, n])).collect(),
    }
}

/// All rows with one item of each pool.
fn product(pools: &[Vec<Argument>]) -> Vec<Vec<Argument>> {
    pools.iter().fold(vec![Vec::new()], |rows, pool| {
        let extend = |row: &Vec<Argument>| {
            let longer = |item: &Argument| [row.clone(), vec![item.clone()]].concat();
            pool.iter().map(longer).collect::<Vec<_>>()
        };
        rows.iter().flat_map(extend).collect()
    })
}

/// Applications with what they must come to.
struct Cases {
    store: Store,
    expected: Vec<(TermId, Result<Value, Unknown>)>,
}

impl Cases {
    fn add(&mut self, op: Op, sig: &Sig, indices: &[u64], args: &[Argument]) {
        let terms: Vec<TermId> =
            args.iter().map(|arg| self.store.value(&arg.value()).unwrap()).collect();
        let ascribed = match sig.result {
            Pat::Ascribed(Pat::Str) => Some(SortId::STRING),
            Pat::Ascribed(_) => Some(self.store.sorts.seq(SortId::INT)),
            _ => None,
        };
        let func = self.store.op_func(op, indices);
        let term = self.store.app_as(func, &terms, ascribed).unwrap();
        let sort = self.store.sort(term);
        let meaning = meaning(op, indices, args, sort)
            .unwrap_or_else(|| panic!("{} has no definition in this test", op.name()));
        match meaning {
            Meaning::Value(value) => self.expected.push((term, Ok(value))),
            Meaning::Open => self.expected.push((term, Err(Unknown::Open(op)))),
            Meaning::Language(language) => {
                for w in universe() {
                    let letters = self.store.string(w.as_slice().into());
                    let member = self.store.op(st::IN_RE, &[letters, term]).unwrap();
                    self.expected.push((member, Ok(Value::Bool(language.contains(&w)))));
                }
            }
        }
    }

    fn check(&self, op: Op) {
        let model = Model::new();
        let mut evaluator = Evaluator::new(&self.store, &model);
        for (term, expected) in &self.expected {
            let args = self.store.children(*term).iter().map(|&arg| self.store.get(arg));
            let got = evaluator.eval(*term);
            assert_eq!(got, *expected, "{} of {:?}", op.name(), args.collect::<Vec<_>>());
        }
    }
}

fn check_theory(theory: Theory) {
    let mut checked = 0;
    for op in Op::all().filter(|op| op.theory() == theory) {
        for sig in op.row().sigs {
            let mut cases = Cases { store: Store::new(), expected: Vec::new() };
            let pools: Vec<_> =
                sig.args.iter().map(|pat| pool(op, pat, &mut cases.store)).collect();
            let mut rows = product(&pools);
            if op.row().fold != Fold::Fixed {
                let few: Vec<Argument> = pools[0].iter().take(8).cloned().collect();
                rows.extend(product(&[few.clone(), few.clone(), few.clone()]));
                rows.extend(product(&[few.clone(), few[..3].to_vec(), few[..2].to_vec(), few]));
            }
            for indices in indices_for(op, sig.indices.least()) {
                for row in &rows {
                    cases.add(op, sig, &indices, row);
                }
            }
            assert!(!cases.expected.is_empty(), "{} was tried on nothing", op.name());
            cases.check(op);
            checked += cases.expected.len();
        }
    }
    assert!(checked > 5_000, "only {checked} applications");
}

#[test]
fn strings_mean_what_the_standard_says() {
    check_theory(Theory::Strings);
}

#[test]
fn regular_expressions_mean_what_the_standard_says() {
    check_theory(Theory::Regex);
}

#[test]
fn sequences_mean_what_strings_mean() {
    check_theory(Theory::Sequences);
}

/// Patterns long enough to overlap themselves in several ways, in words made of their parts.
#[test]
fn long_patterns_are_found() {
    let mut cases = Cases { store: Store::new(), expected: Vec::new() };
    let argument = |w: &[u32]| Argument::Value(string(w));
    let ops = [st::CONTAINS, st::INDEXOF, seq::LAST_INDEXOF, st::REPLACE_ALL];
    for pattern in words(&LETTERS, 6) {
        for end in 0..=pattern.len() {
            for start in 0..=pattern.len() {
                let whole = [&pattern[..end], &pattern[start..]].concat();
                let args = [&whole, &pattern, &LETTERS[1..].to_vec()].map(|w| argument(w));
                for op in ops {
                    let arity = if op == st::REPLACE_ALL { 3 } else { 2 };
                    let fits = |sig: &&Sig| sig.args.len() == arity;
                    let sig = op.row().sigs.iter().find(fits).unwrap();
                    cases.add(op, sig, &[], &args[..arity]);
                }
            }
        }
    }
    cases.check(st::CONTAINS);
}

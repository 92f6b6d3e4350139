//! Regular expressions nested into each other, built as terms and asked through `str.in_re`,
//! `str.replace_re`, `str.replace_re_all`, `str.indexof_re` and `=`, against sets of words.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod strings_support;

use assay_term::regex::RegLan;
use assay_term::theories::{core, regex as re, strings as st};
use assay_term::{Evaluator, Int, Model, Op, Store, TermId, Unknown, Value};
use std::sync::Arc;
use strings_support::definitions::{
    Argument, Meaning, index_of_re, meaning, replace_re, replace_re_all,
};
use strings_support::{Language, Sample, Word, string, universe, word};

/// A term and the words it stands for.
type Expression = (TermId, Language);

/// A deterministic generator, so that a failing case comes back on every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 20) as usize % bound
    }
}

fn apply(store: &mut Store, op: Op, indices: &[u64], operands: &[Expression]) -> Expression {
    let terms: Vec<TermId> = operands.iter().map(|e| e.0).collect();
    let term = store.op_indexed(op, indices, &terms).unwrap();
    let as_argument = |e: &Expression| {
        // The definition looks at the words alone.
        Argument::Language(Sample { value: RegLan::none(), words: e.1.clone() })
    };
    let args: Vec<Argument> = operands.iter().map(as_argument).collect();
    match meaning(op, indices, &args, store.sort(term)) {
        Some(Meaning::Language(words)) => (term, words),
        _ => panic!("{} is no language", op.name()),
    }
}

fn leaves(store: &mut Store) -> Vec<Expression> {
    let mut all: Vec<Expression> =
        [re::NONE, re::ALL, re::ALLCHAR].iter().map(|&op| apply(store, op, &[], &[])).collect();
    for text in ["", "a", "b", "ab", "bab"] {
        let letters = store.string(word(text).into());
        let term = store.op(st::TO_RE, &[letters]).unwrap();
        all.push((term, [word(text)].into()));
    }
    for (low, high) in [("a", "a"), ("a", "b"), ("b", "z"), ("b", "a"), ("", "b"), ("a", "ab")] {
        let terms = [low, high].map(|text| store.string(word(text).into()));
        let term = store.op(re::RANGE, &terms).unwrap();
        let inside = |w: &Word| w.len() == 1 && word(low) <= *w && *w <= word(high);
        let single = low.len() == 1 && high.len() == 1;
        all.push((term, universe().into_iter().filter(|w| single && inside(w)).collect()));
    }
    all
}

/// Leaves and then applications of every operator to what came before.
fn expressions(store: &mut Store, count: usize) -> Vec<Expression> {
    let many = [re::CONCAT, re::UNION, re::INTER, re::DIFF, re::CONCAT];
    let one = [re::STAR, re::COMP, re::PLUS, re::OPT];
    let mut random = Random(0x5eed_7ea5);
    let mut all = leaves(store);
    while all.len() < count {
        let choice = random.below(11);
        let arity = if choice < many.len() { 2 + random.below(2) } else { 1 };
        let operands: Vec<Expression> =
            (0..arity).map(|_| all[random.below(all.len())].clone()).collect();
        let numbers = [random.below(4) as u64, random.below(5) as u64];
        all.push(match choice {
            9 => apply(store, re::POWER, &numbers[..1], &operands),
            10 => apply(store, re::LOOP, &numbers, &operands),
            _ if choice < many.len() => apply(store, many[choice], &[], &operands),
            _ => apply(store, one[choice - many.len()], &[], &operands),
        });
    }
    all
}

/// Terms with the values they must have.
fn check(store: &Store, expected: &[(TermId, Value)]) {
    let model = Model::new();
    let mut evaluator = Evaluator::new(store, &model);
    for (term, value) in expected {
        let got = evaluator.eval(*term);
        assert_eq!(got.as_ref(), Ok(value), "{}", show(store, *term));
    }
}

fn show(store: &Store, term: TermId) -> String {
    use assay_term::Term;
    match store.get(term) {
        Term::Literal(Value::Str(text)) => {
            let text: String = text.iter().filter_map(|&c| char::from_u32(c)).collect();
            format!("\"{text}\"")
        }
        Term::App(func, args) => {
            let parts: Vec<String> = args.iter().map(|&arg| show(store, arg)).collect();
            format!("({} {})", store.func_name(func), parts.join(" "))
        }
        other => format!("{other:?}"),
    }
}

#[test]
fn membership_is_membership_in_the_set() {
    let mut store = Store::new();
    let mut expected = Vec::new();
    for (term, language) in expressions(&mut store, 4_000) {
        for w in universe() {
            let letters = store.string(w.as_slice().into());
            let member = store.op(st::IN_RE, &[letters, term]).unwrap();
            expected.push((member, Value::Bool(language.contains(&w))));
        }
    }
    check(&store, &expected);
    let members = expected.iter().filter(|(_, v)| *v == Value::Bool(true)).count();
    assert!(members > expected.len() / 10 && members < expected.len() * 9 / 10);
}

#[test]
fn matches_are_leftmost_and_then_shortest() {
    let mut store = Store::new();
    let mut expected = Vec::new();
    for (term, language) in expressions(&mut store, 800) {
        for w in universe() {
            let letters = store.string(w.as_slice().into());
            for by in ["", "c", "ab"].map(word) {
                let args = [letters, term, store.string(by.as_slice().into())];
                let once = store.op(st::REPLACE_RE, &args).unwrap();
                expected.push((once, string(&replace_re(&w, &language, &by))));
                let all = store.op(st::REPLACE_RE_ALL, &args).unwrap();
                expected.push((all, string(&replace_re_all(&w, &language, &by))));
            }
            for from in -1..=5i64 {
                let from = Int::from(from);
                let args = [letters, term, store.int(&from)];
                let at = index_of_re(&w, &language, &from);
                let value = at.map_or(Int::from(-1i64), Int::from);
                expected.push((store.op(st::INDEXOF_RE, &args).unwrap(), Value::Int(value)));
            }
        }
    }
    check(&store, &expected);
}

#[test]
fn equal_languages_have_the_same_words() {
    let mut store = Store::new();
    let all = expressions(&mut store, 400);
    let mut random = Random(7);
    let mut questions = Vec::new();
    for _ in 0..3_000 {
        let (left, right) = (&all[random.below(all.len())], &all[random.below(all.len())]);
        let term = store.op(core::EQ, &[left.0, right.0]).unwrap();
        questions.push((term, left.1 == right.1));
    }
    let model = Model::new();
    let mut evaluator = Evaluator::new(&store, &model);
    let mut equal = 0;
    for (term, same_words) in questions {
        // Languages that differ only in longer words or other letters agree on these words.
        if evaluator.holds(term).unwrap() {
            assert!(same_words, "{}", show(&store, term));
            equal += 1;
        }
    }
    assert!(equal > 50, "only {equal} pairs were equal");
}

#[test]
fn a_language_is_written_and_read_back() {
    let mut store = Store::new();
    let all = expressions(&mut store, 600);
    let model = Model::new();
    let values: Vec<Value> = {
        let mut evaluator = Evaluator::new(&store, &model);
        all.iter().map(|(term, _)| evaluator.eval(*term).unwrap()).collect()
    };
    let again: Vec<(TermId, Value)> =
        values.into_iter().map(|value| (store.value(&value).unwrap(), value)).collect();
    check(&store, &again);
}

/// Nested deeper than any stack, and shared so that the tree has no end.
#[test]
fn depth_and_sharing_cost_nothing() {
    let mut store = Store::new();
    let leaf = store.string(word("a").into());
    let mut deep = store.op(st::TO_RE, &[leaf]).unwrap();
    let other = store.op(re::ALLCHAR, &[]).unwrap();
    for level in 0..100_000 {
        deep = match level % 4 {
            0 => store.op(re::CONCAT, &[deep, other]).unwrap(),
            1 => store.op(re::COMP, &[deep]).unwrap(),
            2 => store.op(re::UNION, &[other, deep]).unwrap(),
            _ => store.op_indexed(re::LOOP, &[0, 3], &[deep]).unwrap(),
        };
    }
    let mut wide = other;
    for _ in 0..1_000 {
        wide = store.op(re::CONCAT, &[wide, wide]).unwrap();
    }
    let empty = store.string(Arc::new([]));
    let question = store.op(st::IN_RE, &[empty, wide]).unwrap();
    let model = Model::new();
    let (deep_value, wide_value) = {
        let mut evaluator = Evaluator::new(&store, &model);
        let limit = Err(Unknown::Limit("work on regular languages"));
        assert!([Ok(Value::Bool(false)), limit].contains(&evaluator.eval(question)));
        (evaluator.eval(deep).unwrap(), evaluator.eval(wide).unwrap())
    };
    let before = store.len();
    assert!(store.value(&deep_value).is_some() && store.value(&wide_value).is_some());
    assert!(store.len() - before < 200_000, "the terms are not shared");
}

//! Ends of ranges: the alphabet, lengths, numbers, budgets, and elements whose equality is in doubt.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

mod strings_support;

use assay_term::theories::{regex as re, seq, strings as st};
use assay_term::{Evaluator, Int, Limits, Model, Op, Store, TermId, Unknown, Value};
use strings_support::{number, string, word};

/// A term still to be built, so that a table can hold it.
enum Tree {
    Value(Value),
    Op(Op, Vec<u64>, Vec<Tree>),
}

fn op(op: Op, args: impl Into<Vec<Tree>>) -> Tree {
    Tree::Op(op, Vec::new(), args.into())
}

fn text(text: &str) -> Tree {
    Tree::Value(Value::text(text))
}

fn code(c: u32) -> Tree {
    Tree::Value(string(&[c]))
}

fn int(n: i64) -> Tree {
    Tree::Value(number(n))
}

fn build(store: &mut Store, tree: Tree) -> TermId {
    match tree {
        Tree::Value(value) => store.value(&value).unwrap(),
        Tree::Op(op, indices, args) => {
            let args: Vec<TermId> = args.into_iter().map(|arg| build(store, arg)).collect();
            store.op_indexed(op, &indices, &args).unwrap()
        }
    }
}

fn eval_within(tree: Tree, limits: Limits) -> Result<Value, Unknown> {
    let mut store = Store::new();
    let term = build(&mut store, tree);
    let model = Model::new();
    Evaluator::new(&store, &model).with_limits(limits).eval(term)
}

fn eval(tree: Tree) -> Result<Value, Unknown> {
    eval_within(tree, Limits::default())
}

const LAST: u32 = 0x2FFFF;

#[test]
fn the_alphabet_ends_at_2ffff() {
    let member = |c: u32, language: Tree| eval(op(st::IN_RE, [code(c), language]));
    let yes = Ok(Value::Bool(true));
    let no = Ok(Value::Bool(false));
    // Surrogates are characters like others.
    for c in [0, 0xD800, 0xDFFF, 0xFFFF, 0x10000, LAST] {
        assert_eq!(member(c, op(re::ALLCHAR, [])), yes);
        assert_eq!(member(c, op(re::COMP, [op(re::ALLCHAR, [])])), no);
        assert_eq!(member(c, op(re::RANGE, [code(0), code(LAST)])), yes);
        assert_eq!(member(c, op(re::RANGE, [code(c), code(c)])), yes);
        assert_eq!(eval(op(st::TO_CODE, [code(c)])), Ok(number(c.into())));
        assert_eq!(eval(op(st::FROM_CODE, [int(c.into())])), Ok(string(&[c])));
        assert_eq!(eval(Tree::Op(st::CHAR, vec![c.into()], Vec::new())), Ok(string(&[c])));
        assert_eq!(eval(op(st::LEN, [code(c)])), Ok(number(1)));
    }
    assert_eq!(member(LAST, op(re::RANGE, [code(0), code(LAST - 1)])), no);
    assert_eq!(eval(op(st::FROM_CODE, [int(i64::from(LAST) + 1)])), Ok(string(&[])));
    let whole = op(re::RANGE, [code(0), code(LAST)]);
    let equal = op(assay_term::theories::core::EQ, [whole, op(re::ALLCHAR, [])]);
    assert_eq!(eval(equal), yes);
    assert_eq!(eval(op(st::LT, [code(0xFFFF), code(0x10000)])), yes);
}

#[test]
fn lengths_are_bounded() {
    let limits = Limits { length: 10, ..Limits::default() };
    let too_long = Err(Unknown::Limit("characters of a string"));
    let five = || text("aaaaa");
    assert_eq!(
        eval_within(op(st::CONCAT, [five(), five()]), limits),
        Ok(Value::text("aaaaaaaaaa"))
    );
    assert_eq!(eval_within(op(st::CONCAT, [five(), five(), text("b")]), limits), too_long);
    let grown = |by: &str| op(st::REPLACE_ALL, [five(), text("a"), text(by)]);
    assert_eq!(eval_within(grown("bc"), limits), Ok(Value::text("bcbcbcbcbc")));
    assert_eq!(eval_within(grown("bcd"), limits), too_long);
    let grown = |by: &str| op(st::REPLACE_RE_ALL, [five(), op(re::ALLCHAR, []), text(by)]);
    assert_eq!(eval_within(grown("bc"), limits), Ok(Value::text("bcbcbcbcbc")));
    assert_eq!(eval_within(grown("bcd"), limits), too_long);
    assert_eq!(eval_within(op(st::REPLACE, [five(), text(""), text("bbbbbb")]), limits), too_long);
    assert_eq!(
        eval_within(op(st::FROM_INT, [int(9_999_999_999)]), limits),
        Ok(Value::text("9999999999"))
    );
    assert_eq!(eval_within(op(st::FROM_INT, [int(10_000_000_000)]), limits), too_long);
    let units = (0..11).map(|n| op(seq::UNIT, [int(n)])).collect::<Vec<_>>();
    let too_long = Err(Unknown::Limit("elements of a sequence"));
    assert_eq!(eval_within(op(seq::CONCAT, units), limits), too_long);
}

/// Doubling a string twenty-three times passes the default limit; nothing that long is built.
#[test]
fn growth_ends_at_the_default_limit() {
    let mut store = Store::new();
    let mut term = store.string(word("ab").into());
    for _ in 0..100 {
        term = store.op(st::CONCAT, &[term, term]).unwrap();
    }
    let model = Model::new();
    let got = Evaluator::new(&store, &model).eval(term);
    assert_eq!(got, Err(Unknown::Limit("characters of a string")));
}

#[test]
fn numbers_are_unbounded_up_to_their_limit() {
    let digits = "9".repeat(30);
    let big = Int::from(10i64).pow(&Int::from(30i64), 1_000).unwrap();
    let big = &big - &Int::ONE;
    assert_eq!(eval(op(st::TO_INT, [text(&digits)])), Ok(Value::Int(big.clone())));
    assert_eq!(eval(op(st::FROM_INT, [Tree::Value(Value::Int(big))])), Ok(Value::text(&digits)));
    let zeros = "0".repeat(1_000) + "7";
    let limits = Limits { bits: 8, ..Limits::default() };
    let to_int = |text_of: &str| eval_within(op(st::TO_INT, [text(text_of)]), limits);
    assert_eq!(to_int(&zeros), Ok(number(7)));
    assert_eq!(to_int("255"), Ok(number(255)));
    assert_eq!(to_int("256"), Err(Unknown::Limit("bits of a number")));
    assert_eq!(to_int(&"1".repeat(10_000)), Err(Unknown::Limit("bits of a number")));
    assert_eq!(to_int(&("1".repeat(10_000) + "x")), Ok(number(-1)));
}

/// The digits of a long number, there and back, across the borders of the chunks it is read in.
#[test]
fn long_numbers_survive_the_round_trip() {
    for length in [1, 17, 18, 19, 36, 37, 54, 55, 71, 72, 73, 1_000, 50_000] {
        let digits: String = (0..length).map(|i| char::from(b'1' + (i * 7 % 9) as u8)).collect();
        let there = op(st::TO_INT, [text(&digits)]);
        assert_eq!(eval(op(st::FROM_INT, [there])), Ok(Value::text(&digits)), "{length} digits");
    }
}

/// A search that restarted at every place would take a hundred billion steps.
#[test]
fn search_is_linear() {
    let many = "a".repeat(1_000_000);
    let pattern = "a".repeat(500_000) + "b";
    let ends = many.clone() + "b";
    assert_eq!(eval(op(st::CONTAINS, [text(&many), text(&pattern)])), Ok(Value::Bool(false)));
    let found = op(st::INDEXOF, [text(&ends), text(&pattern), int(3)]);
    assert_eq!(eval(found), Ok(number(500_000)));
    let gone = op(st::REPLACE_ALL, [text(&ends), text(&pattern), text("")]);
    assert_eq!(eval(op(st::LEN, [gone])), Ok(number(500_000)));
}

#[test]
fn regular_languages_have_a_budget() {
    let limits = Limits { regex: 3, ..Limits::default() };
    let language = || op(re::STAR, [op(re::COMP, [op(st::TO_RE, [text("ab")])])]);
    let exhausted = Err(Unknown::Limit("work on regular languages"));
    let questions = [
        op(st::IN_RE, [text("abab"), language()]),
        op(st::REPLACE_RE, [text("abab"), language(), text("")]),
        op(st::REPLACE_RE_ALL, [text("abab"), language(), text("")]),
        op(st::INDEXOF_RE, [text("abab"), language(), int(0)]),
        op(assay_term::theories::core::EQ, [language(), op(re::ALL, [])]),
    ];
    for question in questions {
        assert_eq!(eval_within(question, limits), exhausted);
    }
    let huge = Tree::Op(re::POWER, vec![u64::MAX], vec![op(re::ALLCHAR, [])]);
    assert_eq!(eval(op(st::IN_RE, [text("ab"), huge])), Ok(Value::Bool(false)));
}

#[test]
fn loops_take_their_bounds_from_arguments_too() {
    let bounded = |args: Vec<Tree>| eval(op(st::IN_RE, [text("aa"), op(re::LOOP, args)]));
    let letter = || op(st::TO_RE, [text("a")]);
    assert_eq!(bounded(vec![letter(), int(1), int(2)]), Ok(Value::Bool(true)));
    assert_eq!(bounded(vec![letter(), int(2), int(1)]), Ok(Value::Bool(false)));
    assert_eq!(bounded(vec![letter(), int(1)]), Ok(Value::Bool(true)));
    assert_eq!(bounded(vec![letter(), int(3)]), Ok(Value::Bool(false)));
    let unsupported = Err(Unknown::Unsupported("a bound of re.loop is negative or too large"));
    assert_eq!(bounded(vec![letter(), int(-1), int(2)]), unsupported);
}

#[test]
fn an_element_out_of_range_is_open() {
    let list = || op(seq::CONCAT, [op(seq::UNIT, [int(5)]), op(seq::UNIT, [int(6)])]);
    assert_eq!(eval(op(seq::NTH, [list(), int(1)])), Ok(number(6)));
    for index in [-1, 2, i64::MAX] {
        assert_eq!(eval(op(seq::NTH, [list(), int(index)])), Err(Unknown::Open(seq::NTH)));
    }
}

/// Elements that are languages are equal when their words are, however they are written.
#[test]
fn elements_are_compared_by_meaning() {
    let all = || op(seq::UNIT, [op(re::ALL, [])]);
    let also_all = || op(seq::UNIT, [op(re::STAR, [op(re::ALLCHAR, [])])]);
    let none = || op(seq::UNIT, [op(re::NONE, [])]);
    let list = || op(seq::CONCAT, [none(), also_all(), none()]);
    assert_eq!(eval(op(seq::CONTAINS, [list(), all()])), Ok(Value::Bool(true)));
    assert_eq!(eval(op(seq::INDEXOF, [list(), all(), int(0)])), Ok(number(1)));
    assert_eq!(eval(op(seq::LAST_INDEXOF, [list(), none()])), Ok(number(2)));
    assert_eq!(eval(op(seq::PREFIXOF, [all(), list()])), Ok(Value::Bool(false)));
    assert_eq!(
        eval(op(seq::SUFFIXOF, [op(seq::CONCAT, [all(), none()]), list()])),
        Ok(Value::Bool(true))
    );
    let fewer = op(seq::REPLACE, [list(), all(), op(seq::CONCAT, [none(), none()])]);
    assert_eq!(eval(op(seq::LEN, [fewer])), Ok(number(4)));

    // Without work to compare them, only what is the same expression is known to be equal.
    let limits = Limits { regex: 0, ..Limits::default() };
    let exhausted = Err(Unknown::Limit("work on regular languages"));
    let blind = |tree| eval_within(tree, limits);
    assert_eq!(blind(op(seq::INDEXOF, [list(), all(), int(0)])), exhausted);
    assert_eq!(blind(op(seq::REPLACE_ALL, [list(), all(), none()])), exhausted);
    assert_eq!(blind(op(seq::CONTAINS, [list(), all()])), exhausted);
    assert_eq!(blind(op(seq::CONTAINS, [list(), also_all()])), Ok(Value::Bool(true)));
    assert_eq!(blind(op(seq::PREFIXOF, [none(), list()])), Ok(Value::Bool(true)));

    // One certain difference decides: a list of one language is no list of two.
    let pair = |first: Tree, second: Tree| {
        op(seq::CONCAT, [op(seq::UNIT, [first]), op(seq::UNIT, [second])])
    };
    let two = || op(seq::CONCAT, [none(), none()]);
    let (unlike, like) = (pair(all(), two()), pair(also_all(), none()));
    assert_eq!(blind(op(seq::PREFIXOF, [unlike, like])), Ok(Value::Bool(false)));
    let (unlike, like) = (pair(all(), two()), pair(also_all(), two()));
    assert_eq!(blind(op(seq::PREFIXOF, [unlike, like])), exhausted);
}

/// Sequences of sequences of … nest as deep as sorts may, and their values can be handled there.
#[test]
fn nesting_is_bounded() {
    let mut store = Store::new();
    let mut term = store.int(&Int::ONE);
    let mut depth = 0;
    while let Ok(deeper) = store.op(seq::UNIT, &[term]) {
        (term, depth) = (deeper, depth + 1);
    }
    assert!((100..1_000).contains(&depth), "{depth}");
    let model = Model::new();
    assert!(Evaluator::new(&store, &model).eval(term).is_ok());
}

//! Which applications are well sorted, under which names, and what is said about the others.

#![allow(clippy::unwrap_used)] // a panic is how a test fails

use assay_term::op::{Law, Origin, Vocabulary};
use assay_term::theories::{Theory, regex as re, seq, strings as st};
use assay_term::{Op, SortId, Store, TermId};
use std::collections::BTreeMap;

/// A constant of the sort that a word abbreviates.
fn constant(store: &mut Store, sort: &str) -> TermId {
    let sort = match sort {
        "S" => SortId::STRING,
        "R" => SortId::REGLAN,
        "I" => SortId::INT,
        "B" => SortId::BOOL,
        "Real" => SortId::REAL,
        "QI" => store.sorts.seq(SortId::INT),
        "QS" => store.sorts.seq(SortId::STRING),
        "V8" => store.sorts.bit_vec(8),
        _ => panic!("no such sort"),
    };
    let name = format!("c{}", sort.index());
    store.constant(&name, sort)
}

/// The sort of an application, or the message that refuses it. Words are the name, indices and
/// sorts of arguments.
fn typing(application: &str) -> Result<String, String> {
    let mut store = Store::new();
    let mut words = application.split(' ');
    let op = Op::by_name(words.next().unwrap()).expect("a known operator");
    let (mut indices, mut args) = (Vec::new(), Vec::new());
    for word in words {
        match word.parse() {
            Ok(index) => indices.push(index),
            Err(_) => args.push(constant(&mut store, word)),
        }
    }
    match store.op_indexed(op, &indices, &args) {
        Ok(term) => Ok(store.sort_name(store.sort(term))),
        Err(error) => Err(store.explain(&error)),
    }
}

#[test]
fn accepted() {
    let table = [
        ("char 0", "String"),
        ("char 196607", "String"),
        ("str.++ S S", "String"),
        ("str.++ S S S S", "String"),
        ("str.++ S", "String"),
        ("str.++ QI QI", "(Seq Int)"),
        ("str.len S", "Int"),
        ("str.len QS", "Int"),
        ("str.< S S", "Bool"),
        ("str.< S S S", "Bool"),
        ("str.<= S S S S", "Bool"),
        ("str.at S I", "String"),
        ("str.at QS I", "(Seq String)"),
        ("str.substr S I I", "String"),
        ("str.prefixof S S", "Bool"),
        ("str.suffixof S S", "Bool"),
        ("str.contains S S", "Bool"),
        ("str.indexof S S I", "Int"),
        ("str.indexof S S", "Int"),
        ("str.replace S S S", "String"),
        ("str.replace_all S S S", "String"),
        ("str.replace_all QI QI QI", "(Seq Int)"),
        ("str.replace_re S R S", "String"),
        ("str.replace_re_all S R S", "String"),
        ("str.is_digit S", "Bool"),
        ("str.to_code S", "Int"),
        ("str.from_code I", "String"),
        ("str.to_int S", "Int"),
        ("str.from_int I", "String"),
        ("str.in_re S R", "Bool"),
        ("str.to_re S", "RegLan"),
        ("str.indexof_re S R I", "Int"),
        ("str.from_ubv V8", "String"),
        ("str.from_sbv V8", "String"),
        ("re.none", "RegLan"),
        ("re.all", "RegLan"),
        ("re.allchar", "RegLan"),
        ("re.++ R R R", "RegLan"),
        ("re.union R R R", "RegLan"),
        ("re.inter R R R", "RegLan"),
        ("re.diff R R R", "RegLan"),
        ("re.* R", "RegLan"),
        ("re.comp R", "RegLan"),
        ("re.range S S", "RegLan"),
        ("re.^ 0 R", "RegLan"),
        ("re.^ 18446744073709551615 R", "RegLan"),
        ("re.loop 3 1 R", "RegLan"),
        ("re.loop 3 R", "RegLan"),
        ("re.loop R I I", "RegLan"),
        ("re.loop R I", "RegLan"),
        ("seq.unit I", "(Seq Int)"),
        ("seq.unit QS", "(Seq (Seq String))"),
        ("seq.++ QI QI QI", "(Seq Int)"),
        ("seq.++ S S", "String"),
        ("seq.nth QS I", "String"),
        ("seq.at QS I", "(Seq String)"),
        ("seq.extract QI I I", "(Seq Int)"),
        ("seq.last_indexof QI QI", "Int"),
        ("seq.update QI I QI", "(Seq Int)"),
    ];
    for (application, sort) in table {
        assert_eq!(typing(application).as_deref(), Ok(sort), "{application}");
    }
}

#[test]
fn rejected() {
    let table = [
        ("char", "`char` takes 1 index, got 0"),
        ("char 196608", "`(_ char 196608)` requires a code point up to #x2FFFF"),
        ("char 1 2", "`(_ char 1 2)` takes 1 index, got 2"),
        ("str.++ S I", "argument 2 of `str.++`: expected String, got Int"),
        ("str.++ QI QS", "argument 2 of `str.++`: expected a sequence, got (Seq String)"),
        ("str.++ S S R", "argument 3 of `str.++`: expected String, got RegLan"),
        ("str.len I", "argument 1 of `str.len`: expected String, got Int"),
        ("str.len S S", "`str.len` takes 1 argument, got 2"),
        ("str.< S", "`str.<` takes at least 2 arguments, got 1"),
        ("str.< QI QI", "argument 1 of `str.<`: expected String, got (Seq Int)"),
        ("str.at S Real", "argument 2 of `str.at`: expected Int, got Real"),
        ("str.substr S I", "`str.substr` takes 3 arguments, got 2"),
        ("str.prefixof S QI", "argument 2 of `str.prefixof`: expected String, got (Seq Int)"),
        ("str.in_re R S", "argument 1 of `str.in_re`: expected String, got RegLan"),
        ("str.in_re S S", "argument 2 of `str.in_re`: expected RegLan, got String"),
        ("str.to_int I", "argument 1 of `str.to_int`: expected String, got Int"),
        ("str.from_int S", "argument 1 of `str.from_int`: expected Int, got String"),
        ("str.from_ubv I", "argument 1 of `str.from_ubv`: expected a bit-vector, got Int"),
        ("str.replace_re S S S", "argument 2 of `str.replace_re`: expected RegLan, got String"),
        ("re.none R", "`re.none` takes no arguments, got 1"),
        ("re.++ R S", "argument 2 of `re.++`: expected RegLan, got String"),
        ("re.* R R", "`re.*` takes 1 argument, got 2"),
        ("re.range R R", "argument 1 of `re.range`: expected String, got RegLan"),
        ("re.^ R", "`re.^` takes 1 index, got 0"),
        ("re.^ 1 S", "argument 1 of `(_ re.^ 1)`: expected RegLan, got String"),
        ("re.loop 1 2 3 R", "`(_ re.loop 1 2 3)` takes 2 indices, got 3"),
        ("seq.nth S I", "argument 1 of `seq.nth`: expected a sequence, got String"),
        ("seq.empty", "the sort of `seq.empty` is ambiguous here; write (as seq.empty sort)"),
        ("seq.update QI I QS", "argument 3 of `seq.update`: expected a sequence, got (Seq String)"),
    ];
    for (application, message) in table {
        assert_eq!(typing(application), Err(message.to_owned()), "{application}");
    }
}

#[test]
fn the_empty_sequence_takes_its_sort_from_as() {
    let mut store = Store::new();
    let empty = store.op_func(seq::EMPTY, &[]);
    let of_ints = store.sorts.seq(SortId::INT);
    for sort in [of_ints, SortId::STRING] {
        let term = store.app_as(empty, &[], Some(sort)).unwrap();
        assert_eq!(store.sort(term), sort);
    }
    assert!(store.app_as(empty, &[], Some(SortId::INT)).is_err());
}

/// Old and foreign spellings, each with what it means.
#[test]
fn spellings() {
    let table = [
        ("str.to.re", st::TO_RE, Vocabulary::OldStrings),
        ("str.in.re", st::IN_RE, Vocabulary::OldStrings),
        ("str.to.int", st::TO_INT, Vocabulary::OldStrings),
        ("int.to.str", st::FROM_INT, Vocabulary::OldStrings),
        ("re.nostr", re::NONE, Vocabulary::OldStrings),
        ("re.complement", re::COMP, Vocabulary::OldStrings),
        ("str.to-re", st::TO_RE, Vocabulary::Z3),
        ("str.in-re", st::IN_RE, Vocabulary::Z3),
        ("str.to-int", st::TO_INT, Vocabulary::Z3),
        ("str.from-int", st::FROM_INT, Vocabulary::Z3),
        ("seq.to.re", st::TO_RE, Vocabulary::Z3),
        ("seq.in.re", st::IN_RE, Vocabulary::Z3),
        ("seq.replace_re", st::REPLACE_RE, Vocabulary::Z3),
        ("seq.replace_re_all", st::REPLACE_RE_ALL, Vocabulary::Z3),
        ("re.empty", re::NONE, Vocabulary::Z3),
        ("str.replaceall", st::REPLACE_ALL, Vocabulary::Cvc),
        ("str.code", st::TO_CODE, Vocabulary::Cvc),
        ("str.tolower", st::TO_LOWER, Vocabulary::Cvc),
        ("str.toupper", st::TO_UPPER, Vocabulary::Cvc),
    ];
    let mut known: BTreeMap<&str, (Op, Vocabulary)> = BTreeMap::new();
    for op in Op::all().filter(|op| ours(*op)) {
        let aliases = op.row().aliases.iter();
        known.extend(aliases.map(|alias| (alias.name, (op, alias.vocabulary))));
    }
    let expected = table.map(|(name, op, vocabulary)| (name, (op, vocabulary)));
    assert_eq!(known, expected.into());
    for (name, op, _) in table {
        assert_eq!(Op::by_name(name), Some(op), "{name}");
    }
}

fn ours(op: Op) -> bool {
    [Theory::Strings, Theory::Regex, Theory::Sequences].contains(&op.theory())
}

/// A name has one meaning over all theories, and a dialect finds at most one old spelling.
#[test]
fn names_are_unique() {
    let mut names: BTreeMap<&str, Op> = BTreeMap::new();
    for op in Op::all() {
        let aliases = op.row().aliases;
        for name in std::iter::once(op.name()).chain(aliases.iter().map(|a| a.name)) {
            assert_eq!(names.insert(name, op), None, "{name}");
        }
        let old = aliases.iter().filter(|a| a.vocabulary == Vocabulary::OldStrings);
        assert!(old.count() <= 1, "{}", op.name());
    }
}

/// The standard's operators are all there, and nothing else claims to be one.
#[test]
fn the_standard_is_complete() {
    let standard = "char str.++ str.len str.< str.to_re str.in_re re.none re.all re.allchar re.++ \
        re.union re.inter re.* str.<= str.at str.substr str.prefixof str.suffixof str.contains \
        str.indexof str.replace str.replace_all str.replace_re str.replace_re_all re.comp re.diff \
        re.+ re.opt re.range re.^ re.loop str.is_digit str.to_code str.from_code str.to_int \
        str.from_int";
    let mut expected: Vec<&str> = standard.split_whitespace().collect();
    expected.sort_unstable();
    let claims = |op: &Op| ours(*op) && op.row().origin == Origin::Standard;
    let mut found: Vec<&str> = Op::all().filter(claims).map(Op::name).collect();
    found.sort_unstable();
    assert_eq!(found, expected);
}

/// Laws that the rows must claim; `strings_laws` certifies what they claim.
#[test]
fn laws_are_claimed() {
    assert_eq!(st::CONCAT.row().laws, [Law::Associative]);
    assert_eq!(re::UNION.row().laws, [Law::Commutative, Law::Associative, Law::Idempotent]);
    assert_eq!(re::COMP.row().laws, [Law::Involutive]);
    assert!(re::DIFF.row().laws.is_empty());
}

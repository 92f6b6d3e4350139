//! The meaning of every operator, as the standard and the solvers' manuals put it: by search over
//! all decompositions and all numbers, never by an algorithm.

use super::{Language, Sample, Word, universe};
use assay_term::theories::{regex as re, seq, strings as st};
use assay_term::{Int, Op, Value};
use std::sync::Arc;

/// An argument.
#[derive(Clone)]
pub enum Argument {
    Value(Value),
    Language(Sample),
}

/// What an application must come to.
pub enum Meaning {
    Value(Value),
    Language(Language),
    Open,
}

impl Argument {
    pub fn value(&self) -> Value {
        match self {
            Argument::Value(value) => value.clone(),
            Argument::Language(sample) => Value::RegLan(sample.value.clone()),
        }
    }

    fn int(&self) -> Int {
        match self {
            Argument::Value(Value::Int(n)) => n.clone(),
            _ => panic!("an integer is expected"),
        }
    }

    fn language(&self) -> &Language {
        match self {
            Argument::Language(sample) => &sample.words,
            Argument::Value(_) => panic!("a language is expected"),
        }
    }

    /// The elements of a string or sequence; characters are integers.
    fn list(&self) -> List {
        match self {
            Argument::Value(Value::Str(text)) => {
                text.iter().map(|&c| Value::Int(Int::from(c))).collect()
            }
            Argument::Value(Value::Seq(_, items)) => items.to_vec(),
            _ => panic!("a string or a sequence is expected"),
        }
    }

    fn word(&self) -> Word {
        match self {
            Argument::Value(Value::Str(text)) => text.to_vec(),
            _ => panic!("a string is expected"),
        }
    }

    /// A list of the same sort with these elements.
    fn with(&self, items: List) -> Meaning {
        Meaning::Value(match self {
            Argument::Value(Value::Seq(sort, _)) => Value::Seq(*sort, items.into()),
            _ => Value::Str(items.iter().map(character).collect()),
        })
    }
}

type List = Vec<Value>;

fn character(value: &Value) -> u32 {
    match value {
        Value::Int(n) => n.to_u64().unwrap().try_into().unwrap(),
        _ => panic!("a character is expected"),
    }
}

/// What the operator means here, or nothing if it has no definition.
pub fn meaning(
    op: Op,
    indices: &[u64],
    args: &[Argument],
    sort: assay_term::SortId,
) -> Option<Meaning> {
    let list = |at: usize| args[at].list();
    let truth = |b: bool| Meaning::Value(Value::Bool(b));
    let index =
        |at: Option<usize>| Meaning::Value(Value::Int(at.map_or(Int::from(-1i64), Int::from)));
    Some(match op {
        st::CHAR => string(vec![indices[0] as u32]),
        st::CONCAT | seq::CONCAT => args[0].with(args.iter().flat_map(Argument::list).collect()),
        st::LEN | seq::LEN => index(Some(list(0).len())),
        st::LT => truth(chain(args, less)),
        st::LE => truth(chain(args, |v, w| less(v, w) || v == w)),
        st::AT | seq::AT => args[0].with(substr(&list(0), &args[1].int(), &Int::ONE)),
        st::SUBSTR | seq::EXTRACT => args[0].with(substr(&list(0), &args[1].int(), &args[2].int())),
        st::PREFIXOF | seq::PREFIXOF => truth(pairs(&list(1)).any(|(w1, _)| w1 == list(0))),
        st::SUFFIXOF | seq::SUFFIXOF => truth(pairs(&list(1)).any(|(_, w2)| w2 == list(0))),
        st::CONTAINS | seq::CONTAINS => truth(contains(&list(0), &list(1))),
        st::INDEXOF | seq::INDEXOF => {
            let from = args.get(2).map_or(Int::ZERO, Argument::int);
            index(index_of(&list(0), &list(1), &from))
        }
        seq::LAST_INDEXOF => {
            let whole = list(0);
            let found = triples(&whole).filter(|(_, w2, _)| *w2 == list(1));
            index(found.map(|(w1, _, _)| w1.len()).max())
        }
        st::REPLACE | seq::REPLACE => args[0].with(replace(&list(0), &list(1), &list(2))),
        st::REPLACE_ALL | seq::REPLACE_ALL => {
            args[0].with(replace_all(&list(0), &list(1), &list(2)))
        }
        st::REPLACE_RE => string(replace_re(&args[0].word(), args[1].language(), &args[2].word())),
        st::REPLACE_RE_ALL => {
            string(replace_re_all(&args[0].word(), args[1].language(), &args[2].word()))
        }
        st::INDEXOF_RE => index(index_of_re(&args[0].word(), args[1].language(), &args[2].int())),
        st::IS_DIGIT => truth((0x30..=0x39).any(|c| args[0].word() == [c])),
        st::TO_CODE => {
            let code = (0..=0x2FFFF).find(|&c| args[0].word() == [c]);
            index(code.map(|c| c as usize))
        }
        st::FROM_CODE => {
            string((0..=0x2FFFFu32).filter(|&c| Int::from(c) == args[0].int()).collect())
        }
        st::TO_INT => Meaning::Value(Value::Int(to_int(&args[0].word()))),
        st::FROM_INT => string(from_int(&args[0].int())),
        st::IN_RE => truth(args[1].language().contains(&args[0].word())),
        st::TO_RE => Meaning::Language([args[0].word()].into()),
        st::REV | seq::REV => {
            let list = list(0);
            args[0].with((1..=list.len()).map(|back| list[list.len() - back].clone()).collect())
        }
        st::TO_LOWER => {
            string(args[0].word().iter().map(|&c| exchange(c, CAPITAL, SMALL)).collect())
        }
        st::TO_UPPER => {
            string(args[0].word().iter().map(|&c| exchange(c, SMALL, CAPITAL)).collect())
        }
        st::UPDATE | seq::UPDATE => args[0].with(update(&list(0), &args[1].int(), &list(2))),
        st::FROM_UBV => string(decimal(bits(&args[0], 1))),
        st::FROM_SBV => string(decimal(bits(&args[0], -1))),
        seq::UNIT => Meaning::Value(Value::Seq(sort, Arc::new([args[0].value()]))),
        seq::EMPTY if sort == assay_term::SortId::STRING => string(Vec::new()),
        seq::EMPTY => Meaning::Value(Value::Seq(sort, Arc::new([]))),
        seq::NTH => {
            let at = (0..list(0).len()).find(|&at| Int::from(at) == args[1].int());
            at.map_or(Meaning::Open, |at| Meaning::Value(list(0)[at].clone()))
        }
        _ => Meaning::Language(language(op, indices, args)?),
    })
}

fn string(word: Word) -> Meaning {
    Meaning::Value(Value::Str(word.into()))
}

/// The words of the universe in a regular expression.
fn language(op: Op, indices: &[u64], args: &[Argument]) -> Option<Language> {
    let operands = || args.iter().map(Argument::language);
    let first = || args[0].language().clone();
    let select =
        |member: &dyn Fn(&Word) -> bool| universe().into_iter().filter(|w| member(w)).collect();
    let epsilon = || Language::from([Word::new()]);
    let power = |n: u64| (0..n).fold(epsilon(), |l, _| concat(&first(), &l));
    Some(match op {
        re::NONE => Language::new(),
        re::ALL => universe(),
        re::ALLCHAR => select(&|w| w.len() == 1),
        re::CONCAT => operands().skip(1).fold(first(), |l, m| concat(&l, m)),
        re::UNION => select(&|w| operands().any(|l| l.contains(w))),
        re::INTER => select(&|w| operands().all(|l| l.contains(w))),
        re::DIFF => operands().skip(1).fold(first(), |l, m| &l - m),
        re::STAR => star(&first()),
        re::PLUS => concat(&first(), &star(&first())),
        re::OPT => &first() | &epsilon(),
        re::COMP => &universe() - &first(),
        re::RANGE => match (args[0].word().as_slice(), args[1].word().as_slice()) {
            ([low], [high]) => select(&|w| w.len() == 1 && *low <= w[0] && w[0] <= *high),
            _ => Language::new(),
        },
        re::POWER => power(indices[0]),
        re::LOOP => {
            let given = args[1..].iter().map(|arg| arg.int().to_u64().unwrap());
            let bounds: Vec<u64> = indices.iter().copied().chain(given).collect();
            // Beyond the longest word and the words that repeat nothing, powers bring nothing new.
            let high = bounds.get(1).copied().unwrap_or(bounds[0] + super::LONGEST as u64);
            (bounds[0]..=high).flat_map(power).collect()
        }
        _ => return None,
    })
}

/// The words of the universe made of a word of each.
pub fn concat(first: &Language, second: &Language) -> Language {
    let of_both = |w: &Word| pairs(w).any(|(v, u)| first.contains(&v) && second.contains(&u));
    universe().into_iter().filter(of_both).collect()
}

/// The smallest set that has the empty word and, with any word, those with a word of `body` put
/// before it.
pub fn star(body: &Language) -> Language {
    let mut all = Language::from([Word::new()]);
    loop {
        let more = &all | &concat(body, &all);
        if more == all {
            return all;
        }
        all = more;
    }
}

/// All ways to cut a list in two, shortest first part first.
fn pairs<T: Clone>(list: &[T]) -> impl Iterator<Item = (Vec<T>, Vec<T>)> {
    (0..=list.len()).map(|cut| (list[..cut].to_vec(), list[cut..].to_vec()))
}

/// All ways to cut a list in three, shortest first part first, then shortest second part.
fn triples<T: Clone>(list: &[T]) -> impl Iterator<Item = (Vec<T>, Vec<T>, Vec<T>)> {
    pairs(list).flat_map(|(w1, rest)| {
        let parts: Vec<_> = pairs(&rest).collect();
        parts.into_iter().map(move |(w2, w3)| (w1.clone(), w2, w3))
    })
}

fn chain(args: &[Argument], related: fn(&Word, &Word) -> bool) -> bool {
    (1..args.len()).all(|at| related(&args[at - 1].word(), &args[at].word()))
}

/// The words agree up to some place, where the first ends or has the smaller character.
fn less(v: &Word, w: &Word) -> bool {
    pairs(w).any(|(same, rest)| {
        let Some(&c) = rest.first() else { return false };
        pairs(v).any(|(v1, v2)| v1 == same && v2.first().is_none_or(|&d| d < c))
    })
}

fn contains<T: Clone + PartialEq>(w: &[T], part: &[T]) -> bool {
    triples(w).any(|(_, w2, _)| w2 == part)
}

fn substr(w: &List, m: &Int, n: &Int) -> List {
    let length = Int::from(w.len());
    if m.is_negative() || *m >= length || n.is_negative() || n.is_zero() {
        return List::new();
    }
    let wanted = n.min(&(&length - m)).clone();
    let mut found =
        triples(w).filter(|(w1, w2, _)| Int::from(w1.len()) == *m && Int::from(w2.len()) == wanted);
    found.next().unwrap().1
}

fn index_of(w: &List, part: &List, from: &Int) -> Option<usize> {
    if from.is_negative() || !contains(w, part) {
        return None;
    }
    let places = triples(w).filter(|(_, w2, _)| w2 == part).map(|(w1, _, _)| w1.len());
    places.filter(|&n| *from <= Int::from(n)).min()
}

fn replace(w: &List, part: &List, by: &List) -> List {
    match triples(w).find(|(_, w2, _)| w2 == part) {
        Some((u1, _, u2)) => [u1, by.clone(), u2].concat(),
        None => w.clone(),
    }
}

fn replace_all(w: &List, part: &List, by: &List) -> List {
    if part.is_empty() {
        return w.clone();
    }
    match triples(w).find(|(_, w2, _)| w2 == part) {
        Some((u1, _, u2)) => [u1, by.clone(), replace_all(&u2, part, by)].concat(),
        None => w.clone(),
    }
}

pub fn replace_re(w: &Word, language: &Language, by: &Word) -> Word {
    match triples(w).find(|(_, w1, _)| language.contains(w1)) {
        Some((u1, _, u2)) => [u1, by.clone(), u2].concat(),
        None => w.clone(),
    }
}

pub fn replace_re_all(w: &Word, language: &Language, by: &Word) -> Word {
    match triples(w).find(|(_, w1, _)| !w1.is_empty() && language.contains(w1)) {
        Some((u1, _, u2)) => [u1, by.clone(), replace_re_all(&u2, language, by)].concat(),
        None => w.clone(),
    }
}

pub fn index_of_re(w: &Word, language: &Language, from: &Int) -> Option<usize> {
    if from.is_negative() {
        return None;
    }
    let places = triples(w).filter(|(_, w1, _)| language.contains(w1)).map(|(u1, _, _)| u1.len());
    places.filter(|&n| *from <= Int::from(n)).min()
}

fn to_int(w: &Word) -> Int {
    match w.as_slice() {
        [] => Int::from(-1i64),
        [c] => match "0123456789".chars().position(|d| u32::from(d) == *c) {
            Some(n) => n.into(),
            None => Int::from(-1i64),
        },
        [before @ .., last] => {
            let (n, d) = (to_int(&before.to_vec()), to_int(&vec![*last]));
            if n.is_negative() || d.is_negative() {
                Int::from(-1i64)
            } else {
                &(&Int::from(10i64) * &n) + &d
            }
        }
    }
}

/// The shortest word that denotes the number.
fn from_int(n: &Int) -> Word {
    if n.is_negative() {
        return Word::new();
    }
    let digits: Vec<u32> = "0123456789".chars().map(u32::from).collect();
    super::words(&digits, 4).into_iter().find(|w| to_int(w) == *n).expect("at most four digits")
}

const SMALL: &str = "abcdefghijklmnopqrstuvwxyz";
const CAPITAL: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

fn exchange(c: u32, from: &str, to: &str) -> u32 {
    match from.chars().position(|d| u32::from(d) == c) {
        Some(at) => to.chars().nth(at).unwrap().into(),
        None => c,
    }
}

fn update(w: &List, start: &Int, by: &List) -> List {
    let mut result = w.clone();
    let Some(start) = (0..w.len()).find(|&at| Int::from(at) == *start) else {
        return result;
    };
    for (offset, item) in by.iter().enumerate() {
        if let Some(place) = result.get_mut(start + offset) {
            *place = item.clone();
        }
    }
    result
}

/// The number that bits denote; the first has the weight of its place times `sign`.
fn bits(arg: &Argument, sign: i64) -> i64 {
    let Value::BitVec(bits) = arg.value() else { panic!("a bit-vector is expected") };
    let top = bits.width() - 1;
    (0..=top)
        .filter(|&at| bits.bit(at))
        .map(|at| (1 << at) * if at == top { sign } else { 1 })
        .sum()
}

fn decimal(n: i64) -> Word {
    super::word(&format!("{n}"))
}

//! What the tests of strings, regular expressions and sequences share: small universes of values,
//! and what each operator means by the words of the standard.
//!
//! A language is the set of its words up to four letters over `a` and `b`. On such sets the
//! operators can be computed as they are defined, and exactly: a word of the universe is made of
//! words of the universe.

#![allow(dead_code)] // each test uses its part

pub mod definitions;

use assay_term::regex::RegLan;
use assay_term::{Int, Value};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The characters of a string.
pub type Word = Vec<u32>;

/// The words of a language, among [`universe`].
pub type Language = BTreeSet<Word>;

/// All words over an alphabet up to a length, shortest first.
pub fn words(alphabet: &[u32], longest: usize) -> Vec<Word> {
    let mut all = vec![Vec::new()];
    let mut from = 0;
    for _ in 0..longest {
        let to = all.len();
        for at in from..to {
            for &c in alphabet {
                let mut longer: Word = all[at].clone();
                longer.push(c);
                all.push(longer);
            }
        }
        from = to;
    }
    all
}

/// The letters of the universe.
pub const LETTERS: [u32; 2] = ['a' as u32, 'b' as u32];

/// How long its words are at most.
pub const LONGEST: usize = 4;

/// All words of the universe.
pub fn universe() -> Language {
    words(&LETTERS, LONGEST).into_iter().collect()
}

/// The characters of a text.
pub fn word(text: &str) -> Word {
    text.chars().map(u32::from).collect()
}

/// A string value.
pub fn string(word: &[u32]) -> Value {
    Value::Str(word.into())
}

/// An integer value.
pub fn number(n: i64) -> Value {
    Value::Int(Int::from(n))
}

/// Integers around the lengths of small lists, and far beyond machine words.
pub fn integers() -> Vec<Int> {
    let mut all: Vec<Int> = (-2..=5i64).map(Int::from).collect();
    for power in [32i64, 63, 64, 65] {
        let big = Int::from(2i64).pow(&Int::from(power), 1_000).expect("within the bits");
        all.extend([-&big, big.clone(), &big + &Int::ONE]);
    }
    all
}

/// A language as a value, and its words.
#[derive(Clone)]
pub struct Sample {
    pub value: RegLan,
    pub words: Language,
}

/// Languages of many shapes.
pub fn samples() -> Vec<Sample> {
    let literal = |text: &str| RegLan::literal(&word(text));
    let plain = |value: RegLan, member: &dyn Fn(&str) -> bool| {
        let words = universe().into_iter().filter(|w| member(&text_of(w)));
        Sample { value, words: words.collect() }
    };
    vec![
        plain(RegLan::none(), &|_| false),
        plain(RegLan::all(), &|_| true),
        plain(RegLan::all_char(), &|w| w.len() == 1),
        plain(RegLan::epsilon(), &str::is_empty),
        plain(literal("a"), &|w| w == "a"),
        plain(literal("ba"), &|w| w == "ba"),
        plain(RegLan::range(LETTERS[0], LETTERS[1]), &|w| w.len() == 1),
        plain(RegLan::union([literal("a"), literal("bb")]), &|w| w == "a" || w == "bb"),
        plain(RegLan::star(literal("ab")), &|w| w.replace("ab", "").is_empty()),
        plain(RegLan::opt(literal("aab")), &|w| w.is_empty() || w == "aab"),
        plain(RegLan::concat([RegLan::all(), literal("b"), RegLan::all_char()]), &|w| {
            w.len() >= 2 && w.as_bytes()[w.len() - 2] == b'b'
        }),
        plain(RegLan::comp(literal("a")), &|w| w != "a"),
        plain(
            RegLan::inter([
                RegLan::plus(literal("a")),
                RegLan::comp(RegLan::power(literal("a"), 2)),
            ]),
            &|w| !w.contains('b') && !w.is_empty() && w != "aa",
        ),
        plain(RegLan::diff(RegLan::repeat(RegLan::all_char(), 1, 3), literal("bb")), &|w| {
            (1..=3).contains(&w.len()) && w != "bb"
        }),
    ]
}

fn text_of(word: &[u32]) -> String {
    word.iter().filter_map(|&c| char::from_u32(c)).collect()
}

/// A sequence of integers, of this sort.
pub fn sequence(sort: assay_term::SortId, items: &[u32]) -> Value {
    let items: Arc<[Value]> = items.iter().map(|&n| Value::Int(Int::from(n))).collect();
    Value::Seq(sort, items)
}

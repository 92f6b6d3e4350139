//! What the tests of regular languages share: expressions of their own, two independent
//! definitions of their meaning, and a deterministic generator.
#![allow(dead_code, unused_imports, reason = "each test file uses a part of it")]

use std::collections::HashMap;

pub use assay_term::regex::{Budget, Exhausted, MAX_CHAR, Match, Matcher, Node, RegLan};

/// A deterministic sequence of numbers; the state walks by a fixed odd step and is scrambled.
pub struct Numbers(u64);

impl Numbers {
    pub fn from_seed(seed: u64) -> Self {
        Numbers(seed)
    }

    pub fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut x = self.0;
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (x ^ (x >> 31)) % limit
    }
}

/// An expression as SMT-LIB writes it, without any normalisation.
#[derive(Debug, Clone)]
pub enum Expr {
    None,
    All,
    AllChar,
    Literal(Vec<u32>),
    Range(u32, u32),
    Concat(Vec<Expr>),
    Union(Vec<Expr>),
    Inter(Vec<Expr>),
    Star(Box<Expr>),
    Plus(Box<Expr>),
    Opt(Box<Expr>),
    Comp(Box<Expr>),
    Diff(Box<Expr>, Box<Expr>),
    Power(Box<Expr>, u64),
    Loop(Box<Expr>, u64, u64),
}

pub fn word(text: &str) -> Vec<u32> {
    text.chars().map(u32::from).collect()
}

pub fn lit(text: &str) -> RegLan {
    RegLan::literal(&word(text))
}

impl Expr {
    /// A random expression with about `size` operators over the letters a, b and c.
    pub fn random(numbers: &mut Numbers, size: u64) -> Expr {
        if size <= 1 {
            return Expr::random_leaf(numbers);
        }
        let rest = size - 1;
        let one = |numbers: &mut Numbers| Box::new(Expr::random(numbers, rest));
        match numbers.below(16) {
            0..=3 => Expr::Concat(Expr::random_parts(numbers, rest)),
            4..=6 => Expr::Union(Expr::random_parts(numbers, rest)),
            7 | 8 => Expr::Inter(Expr::random_parts(numbers, rest)),
            9 => Expr::Star(one(numbers)),
            10 => Expr::Plus(one(numbers)),
            11 => Expr::Opt(one(numbers)),
            12 => Expr::Comp(one(numbers)),
            13 => {
                let left = numbers.below(rest) + 1;
                let kept = Expr::random(numbers, left);
                Expr::Diff(Box::new(kept), Box::new(Expr::random(numbers, rest - left)))
            }
            14 => Expr::Power(one(numbers), numbers.below(4)),
            _ => Expr::Loop(one(numbers), numbers.below(4), numbers.below(5)),
        }
    }

    fn random_parts(numbers: &mut Numbers, size: u64) -> Vec<Expr> {
        let count = 2 + numbers.below(2);
        (0..count).map(|_| Expr::random(numbers, size / count)).collect()
    }

    fn random_leaf(numbers: &mut Numbers) -> Expr {
        let letter = |numbers: &mut Numbers| u32::from(b'a') + numbers.below(3) as u32;
        match numbers.below(12) {
            0 => Expr::None,
            1 => Expr::All,
            2 => Expr::AllChar,
            3 | 4 => Expr::Range(letter(numbers), letter(numbers)),
            _ => {
                let length = [0, 1, 1, 1, 1, 2, 3][numbers.below(7) as usize];
                Expr::Literal((0..length).map(|_| letter(numbers).min(98)).collect())
            }
        }
    }

    pub fn value(&self) -> RegLan {
        let all = |parts: &[Expr]| parts.iter().map(Expr::value).collect::<Vec<_>>();
        match self {
            Expr::None => RegLan::none(),
            Expr::All => RegLan::all(),
            Expr::AllChar => RegLan::all_char(),
            Expr::Literal(word) => RegLan::literal(word),
            Expr::Range(lo, hi) => RegLan::range(*lo, *hi),
            Expr::Concat(parts) => RegLan::concat(all(parts)),
            Expr::Union(parts) => RegLan::union(all(parts)),
            Expr::Inter(parts) => RegLan::inter(all(parts)),
            Expr::Star(body) => RegLan::star(body.value()),
            Expr::Plus(body) => RegLan::plus(body.value()),
            Expr::Opt(body) => RegLan::opt(body.value()),
            Expr::Comp(body) => RegLan::comp(body.value()),
            Expr::Diff(kept, removed) => RegLan::diff(kept.value(), removed.value()),
            Expr::Power(body, count) => RegLan::power(body.value(), *count),
            Expr::Loop(body, lo, hi) => RegLan::repeat(body.value(), *lo, *hi),
        }
    }

    /// Whether the expression matches a word, by the definition of each operator.
    pub fn matches(&self, word: &[u32]) -> bool {
        self.matches_part(word, 0, word.len(), &mut HashMap::new())
    }

    fn matches_part(
        &self,
        word: &[u32],
        from: usize,
        to: usize,
        memo: &mut HashMap<(*const Expr, u64, usize, usize), bool>,
    ) -> bool {
        let key = (std::ptr::from_ref(self), u64::MAX, from, to);
        if let Some(&known) = memo.get(&key) {
            return known;
        }
        let result = match self {
            Expr::None => false,
            Expr::All => true,
            Expr::AllChar => to - from == 1,
            Expr::Literal(text) => word[from..to] == text[..],
            Expr::Range(lo, hi) => to - from == 1 && (*lo..=*hi).contains(&word[from]),
            Expr::Concat(parts) => concat_matches(parts, word, from, to, memo),
            Expr::Union(parts) => parts.iter().any(|p| p.matches_part(word, from, to, memo)),
            Expr::Inter(parts) => parts.iter().all(|p| p.matches_part(word, from, to, memo)),
            // A word of length n needs at most n nonempty repetitions.
            Expr::Star(body) => {
                (0..=(to - from) as u64).any(|n| body.power_matches(n, word, from, to, memo))
            }
            Expr::Plus(body) => {
                (1..=(to - from + 1) as u64).any(|n| body.power_matches(n, word, from, to, memo))
            }
            Expr::Opt(body) => from == to || body.matches_part(word, from, to, memo),
            Expr::Comp(body) => !body.matches_part(word, from, to, memo),
            Expr::Diff(kept, removed) => {
                kept.matches_part(word, from, to, memo)
                    && !removed.matches_part(word, from, to, memo)
            }
            Expr::Power(body, n) => body.power_matches(*n, word, from, to, memo),
            Expr::Loop(body, lo, hi) => {
                (*lo..=*hi).any(|n| body.power_matches(n, word, from, to, memo))
            }
        };
        memo.insert(key, result);
        result
    }

    fn power_matches(
        &self,
        count: u64,
        word: &[u32],
        from: usize,
        to: usize,
        memo: &mut HashMap<(*const Expr, u64, usize, usize), bool>,
    ) -> bool {
        if count == 0 {
            return from == to;
        }
        let key = (std::ptr::from_ref(self), count, from, to);
        if let Some(&known) = memo.get(&key) {
            return known;
        }
        let result = (from..=to).any(|mid| {
            self.matches_part(word, from, mid, memo)
                && self.power_matches(count - 1, word, mid, to, memo)
        });
        memo.insert(key, result);
        result
    }
}

fn concat_matches(
    parts: &[Expr],
    word: &[u32],
    from: usize,
    to: usize,
    memo: &mut HashMap<(*const Expr, u64, usize, usize), bool>,
) -> bool {
    let Some((first, rest)) = parts.split_first() else {
        return from == to;
    };
    (from..=to).any(|mid| {
        first.matches_part(word, from, mid, memo) && concat_matches(rest, word, mid, to, memo)
    })
}

/// All words over a, b, c up to a length, by length and then in order, with the meaning of
/// expressions as sets of them.
pub struct Universe {
    pub words: Vec<Vec<u32>>,
    numbers: HashMap<Vec<u32>, usize>,
    /// For each word, the numbers of both halves of each of its splits.
    splits: Vec<Vec<(usize, usize)>>,
}

pub type Words = Vec<bool>;

impl Universe {
    pub fn up_to(length: usize) -> Self {
        let mut words: Vec<Vec<u32>> = vec![Vec::new()];
        let mut next = 0;
        while let Some(prefix) = words.get(next).cloned() {
            if prefix.len() < length {
                words.extend((97..100).map(|c| [&prefix[..], &[c]].concat()));
            }
            next += 1;
        }
        let numbers: HashMap<_, _> = words.iter().cloned().zip(0..).collect();
        let halves = |w: &Vec<u32>| {
            (0..=w.len()).map(|mid| (numbers[&w[..mid]], numbers[&w[mid..]])).collect()
        };
        let splits = words.iter().map(halves).collect();
        Universe { words, numbers, splits }
    }

    fn filter(&self, test: impl Fn(&[u32]) -> bool) -> Words {
        self.words.iter().map(|w| test(w)).collect()
    }

    fn concat(&self, a: &Words, b: &Words) -> Words {
        let split = |halves: &Vec<(usize, usize)>| halves.iter().any(|&(u, v)| a[u] && b[v]);
        self.splits.iter().map(split).collect()
    }

    fn power(&self, body: &Words, count: u64) -> Words {
        (0..count).fold(self.filter(<[u32]>::is_empty), |done, _| self.concat(body, &done))
    }

    fn powers(&self, body: &Words, lo: u64, hi: u64) -> Words {
        let mut sum = self.filter(|_| false);
        for count in lo..=hi {
            let power = self.power(body, count);
            sum.iter_mut().zip(power).for_each(|(s, p)| *s |= p);
        }
        sum
    }

    /// The words of the universe that an expression contains, bottom-up over sets.
    pub fn meaning(&self, expr: &Expr) -> Words {
        let longest = self.words.last().map_or(0, Vec::len) as u64;
        let zip = |a: Words, b: Words, f: fn(bool, bool) -> bool| -> Words {
            a.into_iter().zip(b).map(|(x, y)| f(x, y)).collect()
        };
        match expr {
            Expr::None => self.filter(|_| false),
            Expr::All => self.filter(|_| true),
            Expr::AllChar => self.filter(|w| w.len() == 1),
            Expr::Literal(text) => self.filter(|w| w == &text[..]),
            Expr::Range(lo, hi) => self.filter(|w| w.len() == 1 && *lo <= w[0] && w[0] <= *hi),
            Expr::Concat(parts) => parts.iter().rfold(self.filter(<[u32]>::is_empty), |sum, p| {
                self.concat(&self.meaning(p), &sum)
            }),
            Expr::Union(parts) => parts
                .iter()
                .fold(self.filter(|_| false), |sum, p| zip(sum, self.meaning(p), |x, y| x || y)),
            Expr::Inter(parts) => parts
                .iter()
                .fold(self.filter(|_| true), |sum, p| zip(sum, self.meaning(p), |x, y| x && y)),
            Expr::Star(body) => self.powers(&self.meaning(body), 0, longest),
            Expr::Plus(body) => self.powers(&self.meaning(body), 1, longest.max(1)),
            Expr::Opt(body) => self.powers(&self.meaning(body), 0, 1),
            Expr::Comp(body) => self.meaning(body).into_iter().map(|x| !x).collect(),
            Expr::Diff(kept, removed) => {
                zip(self.meaning(kept), self.meaning(removed), |x, y| x && !y)
            }
            Expr::Power(body, count) => self.power(&self.meaning(body), *count),
            Expr::Loop(body, lo, hi) => self.powers(&self.meaning(body), *lo, *hi),
        }
    }
}

//! Regular languages by the words in them. One language is written in many ways, so that values
//! that differ may be equal.

use crate::error::ForgeError;
use crate::rules::below;
use crate::spec::RandomRegexes;
use crate::theory::{Constant, LIMITS, Theory};
use assay_term::regex::{Node, RegLan};
use assay_term::{Budget, SortId, Value};
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng;
use rustc_hash::FxHashMap;

/// Languages that differ on one of these words are told apart without a comparison.
const PROBES: [&str; 12] = ["", "a", "b", "0", "ab", "ba", "aa", "bb", "aaa", "abb", "bbbb", "zz"];

/// Values, one for each language. Values of other sorts are left as they are.
#[derive(Default)]
pub(crate) struct Representatives(FxHashMap<u64, Vec<RegLan>>);

impl Representatives {
    /// The first value that was given for the language of this one.
    pub(crate) fn of(&mut self, theory: &Theory, value: Value) -> Value {
        let Value::RegLan(language) = value else { return value };
        let known = self.0.entry(probed(&language)).or_default();
        match known.iter().find(|other| same(theory, other, &language)) {
            Some(first) => Value::RegLan(first.clone()),
            None => {
                known.push(language.clone());
                Value::RegLan(language)
            }
        }
    }

    /// Whether no value was given for the language of this one yet.
    fn is_new(&mut self, theory: &Theory, language: &RegLan) -> bool {
        let known = self.0.entry(probed(language)).or_default();
        let new = known.iter().all(|other| !same(theory, other, language));
        known.extend(new.then(|| language.clone()));
        new
    }
}

/// Which of the probes a language contains; zero if that is too expensive to find out.
fn probed(language: &RegLan) -> u64 {
    let mut bits = 0;
    for (at, word) in PROBES.iter().enumerate() {
        let word: Vec<u32> = word.chars().map(u32::from).collect();
        match language.accepts(&word, &mut Budget::new(LIMITS.regex, LIMITS.regex)) {
            Ok(accepted) => bits |= u64::from(accepted) << at,
            Err(_) => return 0,
        }
    }
    bits
}

fn same(theory: &Theory, a: &RegLan, b: &RegLan) -> bool {
    a == b || theory.equal(&Value::RegLan(a.clone()), &Value::RegLan(b.clone()))
}

/// The result of an operation, in a simpler form (table 4.1 of the thesis on regex solvers). The
/// constructors of languages apply the other rows of the table.
pub(crate) fn simplified(theory: &Theory, language: &RegLan) -> RegLan {
    let (none, all) = (RegLan::none(), RegLan::all());
    for known in [&none, &all] {
        if same(theory, known, language) {
            return known.clone();
        }
    }
    let distinct = |parts: &[RegLan], unit: &RegLan| {
        let mut kept: Vec<RegLan> = Vec::new();
        for part in parts.iter().filter(|part| !same(theory, part, unit)) {
            if kept.iter().all(|other| !same(theory, other, part)) {
                kept.push(part.clone());
            }
        }
        kept
    };
    match language.node() {
        Node::Concat(parts) => RegLan::concat(joined(parts)),
        Node::Union(parts) => RegLan::union(distinct(parts, &none)),
        Node::Inter(parts) => RegLan::inter(distinct(parts, &all)),
        _ => language.clone(),
    }
}

/// The factors, with neighbours that are words as one word.
fn joined(parts: &[RegLan]) -> Vec<RegLan> {
    let mut all: Vec<RegLan> = Vec::new();
    for part in parts {
        let word = match (all.last().map(RegLan::node), part.node()) {
            (Some(Node::Literal(first)), Node::Literal(second)) => [&first[..], second].concat(),
            _ => {
                all.push(part.clone());
                continue;
            }
        };
        all.pop();
        all.push(RegLan::literal(&word));
    }
    all
}

/// Attempts for each language of a random pool.
const ATTEMPTS: usize = 200;

/// The pool of random languages that a description asks for (section 4.1.1 of the thesis): all,
/// no and one-character words, the words of the pool of strings, and results of operations on
/// what there is so far.
pub(crate) fn random_pool(
    theory: &mut Theory,
    wanted: &RandomRegexes,
) -> Result<Vec<Constant>, ForgeError> {
    let mut rng = ChaCha8Rng::seed_from_u64(wanted.rng);
    let mut known = Representatives::default();
    let mut pool: Vec<Constant> = Vec::new();
    let words = theory.pool(SortId::STRING).full.iter().filter_map(|word| match &word.value {
        Value::Str(text) => Some(RegLan::literal(text)),
        _ => None,
    });
    let words: Vec<RegLan> = words.collect();
    for language in [RegLan::all(), RegLan::none(), RegLan::all_char()].into_iter().chain(words) {
        add(theory, &mut known, &mut pool, language);
    }
    let makers: Vec<usize> = theory.makers(SortId::REGLAN).to_vec();
    for _ in 0..wanted.size.saturating_mul(ATTEMPTS) {
        if pool.len() >= wanted.size || makers.is_empty() {
            break;
        }
        let operation = &theory.operations[makers[below(&mut rng, makers.len())]];
        let args: Option<Vec<Value>> = operation
            .params
            .iter()
            .map(|&sort| {
                let choices = match sort {
                    SortId::REGLAN => &pool,
                    _ => &theory.pool(sort).full,
                };
                let at = (!choices.is_empty()).then(|| below(&mut rng, choices.len()))?;
                Some(choices[at].value.clone())
            })
            .collect();
        let result = args.and_then(|args| operation.eval(theory, &args));
        let Some(Value::RegLan(language)) = result else { continue };
        let language = simplified(theory, &language);
        if language.tree_size() <= wanted.nodes {
            add(theory, &mut known, &mut pool, language);
        }
    }
    match pool.len() >= wanted.size {
        true => Ok(pool),
        false => Err(ForgeError::FewRegexes { wanted: wanted.size, found: pool.len() }),
    }
}

fn add(
    theory: &mut Theory,
    known: &mut Representatives,
    pool: &mut Vec<Constant>,
    language: RegLan,
) {
    if !known.is_new(theory, &language) {
        return;
    }
    let value = Value::RegLan(language);
    if let Some(term) = theory.store.value(&value) {
        pool.push(Constant { term, sort: SortId::REGLAN, value });
    }
}

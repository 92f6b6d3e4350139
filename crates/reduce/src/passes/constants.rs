//! Constants of a sort, and smaller literals.

use super::characters::is_plain;
use assay_term::eval::EvalContext;
use assay_term::theories::{fp, regex as re};
use assay_term::value::Value;
use assay_term::{Func, Int, Model, Sort, SortId, Store, Term, TermId};
use num_bigint::BigInt;
use num_rational::BigRational;

/// Constants that may replace any term of a sort, the simplest first.
pub(crate) fn of(store: &mut Store, sort: SortId) -> Vec<TermId> {
    match store.sorts.get(sort).clone() {
        Sort::Bool => vec![store.bool(true), store.bool(false)],
        Sort::Int => [0, 1].map(|n: i64| store.int(&Int::from(n))).into(),
        Sort::Real => {
            let number = |n: i64| BigRational::from_integer(BigInt::from(n));
            [0, 1].map(|n| store.real(&number(n))).into()
        }
        Sort::BitVec(width) if width <= 64 => {
            let mut values = vec![store.word_bit_vec(width, 0), store.word_bit_vec(width, 1)];
            if width > 1 {
                values.push(store.word_bit_vec(width, u64::MAX >> (64 - width)));
            }
            values
        }
        Sort::RegLan => [re::NONE, re::ALL, re::ALLCHAR]
            .iter()
            .filter_map(|op| store.op(*op, &[]).ok())
            .collect(),
        Sort::Float(format) => {
            let indices = [u64::from(format.exponent_bits()), u64::from(format.significand_bits())];
            [fp::PLUS_ZERO, fp::NAN]
                .iter()
                .filter_map(|op| store.op_indexed(*op, &indices, &[]).ok())
                .collect()
        }
        Sort::RoundingMode => store.op(fp::RNE, &[]).ok().into_iter().collect(),
        _ => default(store, sort).into_iter().collect(),
    }
}

/// The default value of a symbol in evaluation.
fn default(store: &mut Store, sort: SortId) -> Option<TermId> {
    let model = Model::new();
    let value = EvalContext::new(store, &model).default_value(sort)?;
    store.value(&value)
}

/// Terms of the same sort with fewer characters or smaller numbers.
pub(crate) fn smaller(store: &mut Store, term: TermId) -> Vec<TermId> {
    let mut found = match store.get(term) {
        Term::Literal(Value::Int(n)) => {
            let n = n.clone();
            integers(&n.to_string()).iter().map(|n| store.int(n)).collect()
        }
        Term::Literal(Value::Real(x)) => {
            let whole = x.trunc();
            let mut values = vec![store.real(&whole)];
            for n in integers(&whole.numer().to_string()) {
                let number: BigInt = n.to_string().parse().unwrap_or_default();
                values.push(store.real(&BigRational::from_integer(number)));
            }
            values
        }
        Term::Literal(Value::Str(text)) => {
            let text = text.to_vec();
            strings(&text).into_iter().map(|text| store.string(text.into())).collect()
        }
        Term::App(func, args) => {
            let (func, args) = (func, args.to_vec());
            indices(store, func, &args)
        }
        _ => Vec::new(),
    };
    let sort = store.sort(term);
    found.retain(|&new| new != term && store.sort(new) == sort);
    found.dedup();
    found
}

/// Numbers with fewer digits.
fn integers(digits: &str) -> Vec<Int> {
    let read = |digits: &str| digits.parse::<BigInt>().ok().map(Int::from);
    let lengths = [1, digits.len() / 2, digits.len().saturating_sub(1)];
    let mut found: Vec<Int> = [0, 1, 2].map(|n: i64| Int::from(n)).into();
    found.extend(lengths.iter().filter_map(|&length| read(digits.get(..length)?)));
    found
}

/// Shorter texts, and texts of simpler characters.
fn strings(text: &[u32]) -> Vec<Vec<u32>> {
    const A: u32 = 'a' as u32;
    const FEW: usize = 8;
    let length = text.len();
    let mut found = vec![Vec::new()];
    if length > 1 {
        found.push(vec![A]);
        found.push(text[..1].to_vec());
        found.push(text[..length / 2].to_vec());
        found.push(text[length / 2..].to_vec());
        if length <= FEW {
            for gone in 0..length {
                let mut shorter = text.to_vec();
                shorter.remove(gone);
                found.push(shorter);
            }
        }
    }
    let plain = |c: &u32| is_plain(*c);
    if !text.iter().all(plain) {
        found.push(vec![A; length]);
        let letters = ('a'..='z').map(u32::from);
        let mut letters = letters.filter(|c| !text.contains(c)).cycle();
        found.push(
            text.iter().map(|c| if plain(c) { *c } else { letters.next().unwrap_or(A) }).collect(),
        );
    }
    found
}

/// The same operator with smaller indices.
fn indices(store: &mut Store, func: assay_term::FuncId, args: &[TermId]) -> Vec<TermId> {
    let Func::Op(op, indices) = store.func(func).clone() else { return Vec::new() };
    let mut found = Vec::new();
    for (at, &index) in indices.iter().enumerate() {
        for smaller in [0, 1, index / 2, index.saturating_sub(1)] {
            if smaller < index {
                let mut new = indices.to_vec();
                new[at] = smaller;
                found.extend(store.op_indexed(op, &new, args).ok());
            }
        }
    }
    found
}

//! Values for tests: few and simple ones in a fixed order, large and unusual ones at random.

use assay_term::bitvec::BitVec;
use assay_term::eval::EvalContext;
use assay_term::float::{Float, Sign};
use assay_term::regex::RegLan;
use assay_term::value::{MAX_CHAR, Text};
use assay_term::{Int, Model, Sort, SortId, Store, Value};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::RngCore;

/// Simple values of a sort.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    /// The simplest first.
    pub(crate) values: Vec<Value>,
    /// Whether these are all values of the sort.
    pub(crate) complete: bool,
}

/// The characters of simple strings: two letters and a digit.
const LETTERS: [u32; 3] = ['a' as u32, '0' as u32, 'b' as u32];

/// Simple values: all, or the given ones and a number of others. The world provides the elements of
/// uninterpreted sorts.
pub(crate) fn simple(
    store: &Store,
    world: &Model,
    sort: SortId,
    most: usize,
    seeds: &[Value],
) -> Domain {
    simple_to(store, world, sort, most, seeds, Some(DEEPEST))
}

/// The same, with datatypes nested at most so deep; without any where nothing is left.
fn simple_to(
    store: &Store,
    world: &Model,
    sort: SortId,
    most: usize,
    seeds: &[Value],
    depth: Option<u32>,
) -> Domain {
    let cx = EvalContext::new(store, world);
    if let Some(values) = cx.enumerate(sort, most as u64) {
        return Domain { values, complete: true };
    }
    let mut values: Vec<Value> = seeds.to_vec();
    for value in listed(store, world, sort, most, depth).into_iter().take(most) {
        if !values.contains(&value) {
            values.push(value);
        }
    }
    Domain { values, complete: false }
}

/// Up to `most` simple values of a sort, the simplest first. The world lists the elements of
/// uninterpreted sorts.
#[must_use]
pub fn simple_values(store: &Store, world: &Model, sort: SortId, most: usize) -> Vec<Value> {
    simple(store, world, sort, most, &[]).values
}

fn listed(
    store: &Store,
    world: &Model,
    sort: SortId,
    most: usize,
    depth: Option<u32>,
) -> Vec<Value> {
    match store.sorts.get(sort) {
        Sort::String => strings(most).into_iter().map(Value::Str).collect(),
        Sort::Int => {
            let small = (0i64..).flat_map(|n| [n, -n]).skip(1);
            small.take(most).map(|n| Value::Int(n.into())).collect()
        }
        Sort::Real => {
            const SIMPLE: [(i32, i32); 14] = [
                (0, 1),
                (1, 1),
                (-1, 1),
                (2, 1),
                (1, 2),
                (-1, 2),
                (-2, 1),
                (1, 3),
                (3, 1),
                (-3, 2),
                (5, 2),
                (-3, 1),
                (7, 3),
                (10, 1),
            ];
            SIMPLE.iter().map(|&(n, d)| ratio(n.into(), d.into())).collect()
        }
        Sort::BitVec(width) => bit_vectors(*width).into_iter().map(Value::BitVec).collect(),
        Sort::Float(format) => {
            let mut all = vec![Float::nan(*format)];
            for sign in [Sign::Positive, Sign::Negative] {
                all.extend([
                    Float::zero(*format, sign),
                    one(*format, sign),
                    Float::infinity(*format, sign),
                    Float::smallest_subnormal(*format, sign),
                    Float::largest(*format, sign),
                    Float::smallest_normal(*format, sign),
                ]);
            }
            all.into_iter().map(Value::Float).collect()
        }
        Sort::RegLan => regexes().into_iter().map(Value::RegLan).collect(),
        Sort::Array(index, element) | Sort::Fun(index, element) => {
            arrays(store, world, sort, [*index, *element], depth)
        }
        Sort::Declared(..) => depth.map_or_else(Vec::new, |depth| data(store, world, sort, depth)),
        Sort::Seq(element) => sequences(store, world, sort, *element, depth),
        Sort::Set(element) => {
            let elements = simple_to(store, world, *element, 3, &[], depth).values;
            let chosen = |set: usize| {
                let items = elements.iter().enumerate().filter(|(at, _)| set >> at & 1 == 1);
                Value::set(sort, items.map(|(_, item)| item.clone()).collect())
            };
            (0..1 << elements.len()).map(chosen).collect()
        }
        Sort::Bag(element) => {
            let elements = simple_to(store, world, *element, 2, &[], depth).values;
            let mut all = vec![Vec::new()];
            for element in elements {
                let with = |held: &Vec<(Value, Int)>, count: i64| {
                    [held.as_slice(), &[(element.clone(), Int::from(count))]].concat()
                };
                all = (0..3)
                    .flat_map(|count| all.iter().map(move |held| with(held, count)))
                    .collect();
            }
            all.into_iter().map(|held| Value::bag(sort, held)).collect()
        }
        Sort::FiniteField(order) => {
            let few = order.to_u64().map_or(13, |order| order.min(13));
            (0..few).map(|n| Value::Field(sort, Int::from(n))).collect()
        }
        Sort::Tuple(parts) => {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for &part in parts {
                rows = extended(&rows, &simple_to(store, world, part, FIELD, &[], depth).values);
            }
            let cx = EvalContext::new(store, world);
            rows.iter().filter_map(|row| cx.data(sort, 0, row).ok()).collect()
        }
        _ => Vec::new(),
    }
}

/// One, in any format.
fn one(format: assay_term::float::Format, sign: Sign) -> Float {
    let bias = (BigUint::from(1u8) << (format.exponent_bits() - 1)) - 1u8;
    let bits = bias << format.fraction_bits();
    let positive = Float::from_bits(format, &bits).expect("within the width");
    if sign == Sign::Negative { positive.neg() } else { positive }
}

/// Strings by length: all short ones, and a few that operations treat specially.
fn strings(most: usize) -> Vec<Text> {
    let mut all: Vec<Text> = vec![Text::from([])];
    let mut longest: Vec<Text> = all.clone();
    while all.len() < most {
        let longer = |s: &Text| LETTERS.map(|c| s.iter().copied().chain([c]).collect::<Text>());
        longest = longest.iter().flat_map(longer).collect();
        let first = all.len() == 1;
        all.extend(longest.iter().cloned());
        if first {
            all.push(['1' as u32].into());
            all.push(['-' as u32, '1' as u32].into());
        }
    }
    all
}

fn bit_vectors(width: u32) -> Vec<BitVec> {
    let mut all: Vec<BitVec> = Vec::new();
    let top = BitVec::min_signed(width);
    let below = BitVec::from_big(width, &(BitVec::ones(width).to_big() >> 1));
    let alternating = BitVec::from_big(width, &(BitVec::ones(width).to_big() / 3u8));
    let small = (0..4).map(|n| BitVec::from_u64(width, n));
    let rest = [BitVec::ones(width), top, below, alternating];
    for value in small.take(2).chain(rest).chain([2, 3, 5].map(|n| BitVec::from_u64(width, n))) {
        if !all.contains(&value) {
            all.push(value);
        }
    }
    all
}

fn regexes() -> Vec<RegLan> {
    let letter = |c: char| RegLan::literal(&[c as u32]);
    let (a, b) = (letter('a'), letter('b'));
    vec![
        RegLan::none(),
        RegLan::epsilon(),
        a.clone(),
        RegLan::all(),
        RegLan::all_char(),
        RegLan::star(a.clone()),
        RegLan::union([a.clone(), b.clone()]),
        RegLan::concat([a.clone(), b.clone()]),
        RegLan::comp(a.clone()),
        RegLan::opt(b.clone()),
        RegLan::range('a' as u32, 'c' as u32),
        RegLan::plus(RegLan::union([a.clone(), RegLan::concat([b.clone(), a.clone()])])),
        RegLan::star(RegLan::concat([a, b.clone()])),
        RegLan::power(RegLan::all_char(), 2),
        RegLan::diff(RegLan::all(), RegLan::star(b)),
    ]
}

/// Extends every row by every value.
pub(crate) fn extended(rows: &[Vec<Value>], values: &[Value]) -> Vec<Vec<Value>> {
    let longer = |row: &Vec<Value>| -> Vec<Vec<Value>> {
        let more = |value| [row.as_slice(), std::slice::from_ref(value)].concat();
        values.iter().map(more).collect()
    };
    rows.iter().flat_map(longer).collect()
}

/// The empty sequence, and sequences of up to three elements.
fn sequences(
    store: &Store,
    world: &Model,
    sort: SortId,
    element: SortId,
    depth: Option<u32>,
) -> Vec<Value> {
    let elements = simple_to(store, world, element, 2, &[], depth).values;
    let mut all: Vec<Vec<Value>> = vec![Vec::new()];
    let mut longest = all.clone();
    for _ in 0..3 {
        longest = extended(&longest, &elements);
        all.extend(longest.iter().cloned());
    }
    all.into_iter().map(|items| Value::Seq(sort, items.into())).collect()
}

/// Maximum nesting depth of datatype values.
const DEEPEST: u32 = 3;

/// Number of values for each field of a datatype.
const FIELD: usize = 3;

/// Values of a datatype, those with few constructors first.
fn data(store: &Store, world: &Model, sort: SortId, depth: u32) -> Vec<Value> {
    let Some((_, datatype, args)) = store.sorts.datatype(sort) else { return Vec::new() };
    let cx = EvalContext::new(store, world);
    let mut all: Vec<Value> = Vec::new();
    for (number, constructor) in (0..).zip(&datatype.constructors) {
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for &(_, field) in &constructor.fields {
            let Some(field) = store.sorts.resolve(field, &datatype.params, args) else {
                return Vec::new();
            };
            let values = match store.sorts.datatype(field) {
                Some(_) if depth == 0 => Vec::new(),
                Some(_) => data(store, world, field, depth - 1),
                None => simple_to(store, world, field, FIELD, &[], depth.checked_sub(1)).values,
            };
            rows = extended(&rows, &values[..values.len().min(FIELD)]);
        }
        all.extend(rows.iter().filter_map(|row| cx.data(sort, number, row).ok()));
    }
    // Stable: values of equal depth stay in the order of their constructors.
    all.sort_by_key(Value::depth);
    all
}

/// Constant arrays, and arrays with one or two other entries.
fn arrays(
    store: &Store,
    world: &Model,
    sort: SortId,
    parts: [SortId; 2],
    depth: Option<u32>,
) -> Vec<Value> {
    let [indices, elements] = parts.map(|part| simple_to(store, world, part, 3, &[], depth).values);
    let mut all: Vec<Value> = Vec::new();
    let cx = EvalContext::new(store, world);
    let array = |default: &Value, entries: &[(Value, Value)]| {
        cx.make_array(sort, default.clone(), entries.iter().cloned())
    };
    for default in &elements {
        all.push(array(default, &[]));
    }
    for at in &indices {
        for default in &elements {
            for other in elements.iter().filter(|other| *other != default) {
                all.push(array(default, &[(at.clone(), other.clone())]));
            }
        }
    }
    if let ([first, second, ..], [default, other, ..]) = (indices.as_slice(), elements.as_slice()) {
        let entries = [(first.clone(), other.clone()), (second.clone(), other.clone())];
        all.push(array(default, &entries));
    }
    all
}

fn ratio(numerator: BigInt, denominator: BigInt) -> Value {
    Value::rational(BigRational::new(numerator, denominator))
}

/// A number below a bound.
pub(crate) fn below(rng: &mut ChaCha8Rng, bound: usize) -> usize {
    (rng.next_u64() % bound.max(1) as u64) as usize
}

/// A random value of a sort; `None` if values of the sort cannot be made.
pub fn random(rng: &mut ChaCha8Rng, store: &Store, sort: SortId) -> Option<Value> {
    random_in(rng, store, &Model::new(), sort)
}

/// A random value of a sort in a world, which provides the elements of uninterpreted sorts.
pub fn random_in(
    rng: &mut ChaCha8Rng,
    store: &Store,
    world: &Model,
    sort: SortId,
) -> Option<Value> {
    random_nested(rng, store, world, sort, DEEPEST)
}

/// The same; the simplest value if arrays, sequences and data are already nested deeply.
fn random_nested(
    rng: &mut ChaCha8Rng,
    store: &Store,
    world: &Model,
    sort: SortId,
    depth: u32,
) -> Option<Value> {
    let shape = store.sorts.get(sort);
    let nests = matches!(shape, Sort::Declared(..)) || !shape.parts().is_empty();
    if nests && depth == 0 {
        return EvalContext::new(store, world).default_value(sort);
    }
    Some(match store.sorts.get(sort) {
        Sort::Bool => Value::Bool(rng.next_u32() % 2 == 1),
        Sort::Int => Value::Int(Int::from(integer(rng))),
        Sort::Real => {
            let denominator: BigInt = integer(rng);
            let positive = BigInt::from(denominator.magnitude().clone()) + 1u8;
            ratio(integer(rng), positive)
        }
        Sort::String => Value::Str(string(rng)),
        Sort::BitVec(width) => Value::BitVec(bit_vector(rng, *width)),
        Sort::Float(format) => {
            let listed = listed(store, world, sort, 0, None);
            if rng.next_u32() % 4 == 0 {
                return Some(listed[below(rng, listed.len())].clone());
            }
            let bits = bit_vector(rng, format.width()).to_big();
            Value::Float(Float::from_bits(*format, &bits)?)
        }
        Sort::Array(index, element) | Sort::Fun(index, element) => {
            let (index, element) = (*index, *element);
            let default = random_nested(rng, store, world, element, depth - 1)?;
            let mut entries = Vec::new();
            for _ in 0..below(rng, 4) {
                let at = random_nested(rng, store, world, index, depth - 1)?;
                entries.push((at, random_nested(rng, store, world, element, depth - 1)?));
            }
            EvalContext::new(store, world).make_array(sort, default, entries)
        }
        Sort::RegLan => Value::RegLan(regex(rng, 2)),
        Sort::Seq(element) => {
            let items: Option<Vec<Value>> = (0..below(rng, 6))
                .map(|_| random_nested(rng, store, world, *element, depth - 1))
                .collect();
            Value::Seq(sort, items?.into())
        }
        Sort::Set(element) => {
            let items: Option<Vec<Value>> = (0..below(rng, 6))
                .map(|_| random_nested(rng, store, world, *element, depth - 1))
                .collect();
            Value::set(sort, items?)
        }
        Sort::Bag(element) => {
            let mut held = Vec::new();
            for _ in 0..below(rng, 5) {
                let item = random_nested(rng, store, world, *element, depth - 1)?;
                held.push((item, Int::from(below(rng, 4))));
            }
            Value::bag(sort, held)
        }
        Sort::FiniteField(order) => {
            let (_, residue) = Int::from(integer(rng)).div_mod(order)?;
            Value::Field(sort, residue)
        }
        Sort::Tuple(parts) => {
            let row: Option<Vec<Value>> = parts
                .iter()
                .map(|&part| random_nested(rng, store, world, part, depth - 1))
                .collect();
            EvalContext::new(store, world).data(sort, 0, &row?).ok()?
        }
        Sort::Declared(..) if store.sorts.datatype(sort).is_some() => {
            random_data(rng, store, world, sort, depth)?
        }
        _ => {
            let values = simple(store, world, sort, 64, &[]).values;
            values.get(below(rng, values.len()))?.clone()
        }
    })
}

/// A random value of a datatype.
fn random_data(
    rng: &mut ChaCha8Rng,
    store: &Store,
    world: &Model,
    sort: SortId,
    depth: u32,
) -> Option<Value> {
    let (_, datatype, args) = store.sorts.datatype(sort)?;
    let number = below(rng, datatype.constructors.len());
    let mut fields = Vec::new();
    for &(_, field) in &datatype.constructors[number].fields {
        let field = store.sorts.resolve(field, &datatype.params, args)?;
        fields.push(random_nested(rng, store, world, field, depth - 1)?);
    }
    EvalContext::new(store, world).data(sort, u32::try_from(number).ok()?, &fields).ok()
}

fn integer(rng: &mut ChaCha8Rng) -> BigInt {
    let magnitude = match rng.next_u32() % 8 {
        0..=3 => BigInt::from(rng.next_u32() % 12),
        4 | 5 => BigInt::from(rng.next_u32() % 1000),
        6 => BigInt::from(rng.next_u64()),
        _ => BigInt::from(rng.next_u64()) * BigInt::from(rng.next_u64()),
    };
    if rng.next_u32() % 2 == 0 { magnitude } else { -magnitude }
}

fn string(rng: &mut ChaCha8Rng) -> Text {
    let length = below(rng, 9);
    // A string over few characters has more equal parts.
    let kind = rng.next_u32() % 4;
    let mut character = || match kind {
        0 => LETTERS[below(rng, 2)],
        1 => '0' as u32 + rng.next_u32() % 10,
        2 => LETTERS[below(rng, 3)],
        _ => rng.next_u32() % (MAX_CHAR + 1),
    };
    (0..length).map(|_| character()).collect()
}

fn bit_vector(rng: &mut ChaCha8Rng, width: u32) -> BitVec {
    if rng.next_u32() % 4 == 0 {
        let simple = bit_vectors(width);
        return simple[below(rng, simple.len())].clone();
    }
    let words = (0..width.div_ceil(32)).map(|_| rng.next_u32()).collect();
    BitVec::from_big(width, &BigUint::new(words))
}

fn regex(rng: &mut ChaCha8Rng, depth: u32) -> RegLan {
    let simple = regexes();
    if depth == 0 || rng.next_u32() % 3 == 0 {
        return simple[below(rng, simple.len())].clone();
    }
    let mut part = || regex(rng, depth - 1);
    let (first, second) = (part(), part());
    match rng.next_u32() % 6 {
        0 => RegLan::union([first, second]),
        1 => RegLan::concat([first, second]),
        2 => RegLan::inter([first, second]),
        3 => RegLan::star(first),
        4 => RegLan::comp(first),
        _ => RegLan::diff(first, second),
    }
}

/// Simpler values, the simplest first.
pub(crate) fn simpler(store: &Store, world: &Model, sort: SortId, value: &Value) -> Vec<Value> {
    let mut all = Vec::new();
    match value {
        Value::Str(text) => {
            for at in 0..text.len() {
                all.push(Value::Str([&text[..at], &text[at + 1..]].concat().into()));
            }
            for at in (0..text.len()).filter(|&at| text[at] != LETTERS[0]) {
                let mut plain = text.to_vec();
                plain[at] = LETTERS[0];
                all.push(Value::Str(plain.into()));
            }
        }
        Value::Int(n) => {
            let n = n.to_big();
            let step: i32 = if n.sign() == num_bigint::Sign::Minus { -1 } else { 1 };
            let smaller: [BigInt; 2] = [&n / 2, n - step];
            all.extend(smaller.map(|n| Value::Int(n.into())));
        }
        _ => {}
    }
    let listed = simple(store, world, sort, 16, &[]).values;
    let at = listed.iter().position(|known| known == value).unwrap_or(listed.len());
    let mut simpler = listed[..at].to_vec();
    simpler.extend(all.into_iter().filter(|candidate| candidate != value));
    simpler
}

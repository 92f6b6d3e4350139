//! Random sorts that fit a pattern, and random values of a sort, with those at its bounds.

use assay_term::bitvec::BitVec;
use assay_term::eval::EvalContext;
use assay_term::float::{Float, Format, RoundingMode};
use assay_term::op::{Columns, MAX_VARS, Pat, Width};
use assay_term::theories::{regex, strings};
use assay_term::{Evaluator, Int, Model, Sort, SortId, Store, Value};
use num_bigint::{BigInt, BigUint};
use num_rational::BigRational;

/// A small generator of random numbers (SplitMix64).
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub fn pick<T: Clone>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())].clone()
    }
}

/// Widths around those at which the representation changes.
const WIDTHS: &[u32] = &[1, 2, 3, 8, 24, 31, 32, 33, 63, 64, 65, 130];
const FORMATS: &[(u32, u32)] = &[(2, 3), (5, 11), (8, 24), (8, 24), (11, 53), (11, 53), (15, 113)];
const INDICES: &[u64] = &[0, 1, 2, 3, 5, 7, 8, 11, 24, 31, 32, 53, 63, 64, 65];

/// What the variables of a signature stand for in one application.
pub struct Binding {
    pub indices: Vec<u64>,
    widths: [u32; MAX_VARS],
    sorts: [SortId; MAX_VARS],
    field: SortId,
    row: [Vec<SortId>; MAX_VARS],
}

impl Binding {
    pub fn random(store: &mut Store, indices: usize, rng: &mut Rng) -> Binding {
        let format = rng.pick(FORMATS);
        let widths = match rng.below(3) {
            0 => [format.0, format.1, 1],
            _ => [0; MAX_VARS].map(|_| rng.pick(WIDTHS)),
        };
        let indices = match (indices, rng.below(2)) {
            (2, 0) => vec![format.0.into(), format.1.into()],
            _ => (0..indices).map(|_| rng.pick(INDICES)).collect(),
        };
        let sorts = [(); MAX_VARS].map(|()| element(store, rng));
        let field = store.sorts.intern(Sort::FiniteField(Int::from(5i64)));
        let row = [(); MAX_VARS].map(|()| {
            let columns = 1 + rng.below(2);
            (0..columns).map(|_| rng.pick(&[SortId::INT, SortId::BOOL])).collect()
        });
        Binding { indices, widths, sorts, field, row }
    }

    /// A sort of this pattern; `None` if indices or widths exclude it.
    pub fn sort(&self, store: &mut Store, pat: &Pat, rng: &mut Rng) -> Option<SortId> {
        Some(match *pat {
            Pat::Bool => SortId::BOOL,
            Pat::Int => SortId::INT,
            Pat::Real => SortId::REAL,
            Pat::Rm => SortId::ROUNDING_MODE,
            Pat::Str => SortId::STRING,
            Pat::Re => SortId::REGLAN,
            Pat::Any(var) => self.sorts[var as usize],
            Pat::Each => element(store, rng),
            Pat::Bv(width) => {
                let width = self.width(width, rng).filter(|width| (1..=4096).contains(width))?;
                store.sorts.bit_vec(width)
            }
            Pat::Fp(eb, sb) => {
                let (eb, sb) = (self.width(eb, rng)?, self.width(sb, rng)?);
                // Larger exponents take their time, and have no machine form.
                let format = Format::new(eb, sb).filter(|_| eb <= 15 && sb <= 113)?;
                store.sorts.float(format)
            }
            Pat::Array(index, element) => {
                let (index, element) =
                    (self.sort(store, index, rng)?, self.sort(store, element, rng)?);
                store.sorts.array(index, element)
            }
            Pat::Fun(argument, result) => {
                let (argument, result) =
                    (self.sort(store, argument, rng)?, self.sort(store, result, rng)?);
                store.sorts.function(argument, result)
            }
            Pat::Seq(element) => {
                let element = self.sort(store, element, rng)?;
                store.sorts.seq(element)
            }
            Pat::Set(element) => {
                let element = self.sort(store, element, rng)?;
                store.sorts.set(element)
            }
            Pat::Bag(element) => {
                let element = self.sort(store, element, rng)?;
                store.sorts.bag(element)
            }
            Pat::Nullable(element) => {
                let element = self.sort(store, element, rng)?;
                store.sorts.intern(Sort::Nullable(element))
            }
            Pat::Tuple(columns) => {
                let columns = self.columns(store, columns, rng)?;
                store.sorts.tuple(&columns)
            }
            Pat::Column(row) => *self.row[row as usize].get(*self.indices.first()? as usize)?,
            Pat::Field(_) => self.field,
            Pat::Ascribed(inner) => self.sort(store, inner, rng)?,
        })
    }

    fn columns(&self, store: &mut Store, columns: Columns, rng: &mut Rng) -> Option<Vec<SortId>> {
        let row = |at: u8| self.row[at as usize].clone();
        Some(match columns {
            Columns::Of(pats) => {
                let sorts = pats.iter().map(|pat| self.sort(store, pat, rng));
                sorts.collect::<Option<Vec<_>>>()?
            }
            Columns::Var(at) | Columns::Chosen(at) | Columns::Within(at) => row(at),
            Columns::Reversed(at) => row(at).into_iter().rev().collect(),
            Columns::Each => row(0),
            Columns::Both(a, b) | Columns::Matched(a, b) | Columns::Composed(a, b) => {
                [row(a), row(b)].concat()
            }
        })
    }

    fn width(&self, width: Width, rng: &mut Rng) -> Option<u32> {
        match width {
            Width::N(n) => Some(n),
            Width::Var(var) => Some(self.widths[var as usize]),
            Width::Each => Some(rng.pick(WIDTHS)),
            Width::Total => None,
            Width::Index(at) => u32::try_from(*self.indices.get(at as usize)?).ok(),
            Width::Plus(a, b) => self.width(*a, rng)?.checked_add(self.width(*b, rng)?),
            Width::Times(a, b) => self.width(*a, rng)?.checked_mul(self.width(*b, rng)?),
            Width::Minus(a, b) => self.width(*a, rng)?.checked_sub(self.width(*b, rng)?),
        }
    }
}

/// A sort for elements, indices and branches.
fn element(store: &mut Store, rng: &mut Rng) -> SortId {
    match rng.below(7) {
        0 => SortId::BOOL,
        1 => SortId::INT,
        2 => SortId::STRING,
        3 => store.sorts.float(Format::FLOAT32),
        4 => SortId::REAL,
        _ => {
            let width = rng.pick(&[1, 2, 8, 64]);
            store.sorts.bit_vec(width)
        }
    }
}

/// A random value; in about half of the cases one at a bound of its sort.
pub fn value(store: &mut Store, sort: SortId, rng: &mut Rng) -> Value {
    match store.sorts.get(sort).clone() {
        Sort::Bool => Value::Bool(rng.below(2) == 0),
        Sort::Int => Value::Int(integer(rng)),
        Sort::Real => {
            let denominator = BigInt::from(1 + rng.below(4));
            Value::rational(BigRational::new(integer(rng).to_big(), denominator))
        }
        Sort::RoundingMode => Value::RoundingMode(mode(rng)),
        Sort::String => Value::text(rng.pick(&["", "a", "b", "ab", "aba", "0", "12", "0x", "é"])),
        Sort::RegLan => language(store, rng),
        Sort::BitVec(width) => Value::BitVec(bit_vector(width, rng)),
        Sort::Float(format) => Value::Float(float(format, rng)),
        Sort::Seq(element) => {
            let items = (0..rng.below(4)).map(|_| value(store, element, rng));
            Value::Seq(sort, items.collect())
        }
        Sort::Set(element) => {
            let items = (0..rng.below(4)).map(|_| value(store, element, rng)).collect();
            Value::set(sort, items)
        }
        Sort::Bag(element) => {
            let items = (0..rng.below(4)).map(|_| {
                let count = Int::from(1 + rng.below(2) as u64);
                (value(store, element, rng), count)
            });
            Value::bag(sort, items.collect())
        }
        Sort::Tuple(parts) => {
            let fields: Vec<Value> = parts.iter().map(|&part| value(store, part, rng)).collect();
            data(store, sort, 0, &fields)
        }
        Sort::Nullable(element) if rng.below(3) > 0 => {
            let inner = value(store, element, rng);
            data(store, sort, 1, &[inner])
        }
        Sort::Nullable(_) => data(store, sort, 0, &[]),
        Sort::Array(index, element) => array(store, sort, (index, element), rng),
        _ => listed(store, sort, rng),
    }
}

fn data(store: &Store, sort: SortId, constructor: u32, fields: &[Value]) -> Value {
    let model = Model::new();
    EvalContext::new(store, &model).data(sort, constructor, fields).expect("flat")
}

/// One of the values of a small sort, else the default one.
fn listed(store: &Store, sort: SortId, rng: &mut Rng) -> Value {
    let model = Model::new();
    let cx = EvalContext::new(store, &model);
    match cx.enumerate(sort, 1 << 8) {
        Some(values) => rng.pick(&values),
        None => cx.default_value(sort).expect("every sort here has a value"),
    }
}

/// The default array with a few other elements.
fn array(
    store: &mut Store,
    sort: SortId,
    (index, element): (SortId, SortId),
    rng: &mut Rng,
) -> Value {
    let model = Model::new();
    let mut array = EvalContext::new(store, &model).default_value(sort).expect("an array");
    for _ in 0..rng.below(4) {
        let entry = [value(store, index, rng), value(store, element, rng)];
        let cx = &mut EvalContext::new(store, &model);
        let op = assay_term::theories::arrays::STORE;
        let app = assay_term::op::App { op, indices: &[], sort };
        let [at, item] = entry;
        array = (op.row().eval)(cx, app, &[array, at, item]).expect("a plain array");
    }
    array
}

fn integer(rng: &mut Rng) -> Int {
    match rng.below(8) {
        0 => Int::from(rng.pick(&[i64::MAX, i64::MIN, i64::MIN + 1, i64::MAX - 1, 1 << 32])),
        1 => {
            let big = BigInt::from(rng.next()) * BigInt::from(rng.next());
            Int::from(if rng.below(2) == 0 { -big } else { big })
        }
        2 => Int::from(rng.next() as i64),
        _ => Int::from(rng.below(11) as i64 - 5),
    }
}

fn mode(rng: &mut Rng) -> RoundingMode {
    if rng.below(2) == 0 { RoundingMode::NearestEven } else { rng.pick(&RoundingMode::ALL) }
}

fn bit_vector(width: u32, rng: &mut Rng) -> BitVec {
    match rng.below(8) {
        0 => BitVec::zero(width),
        1 => BitVec::ones(width),
        2 => BitVec::min_signed(width),
        3 => BitVec::min_signed(width).not(),
        4 => BitVec::from_u64(width, 1),
        5 => BitVec::from_u64(width, rng.next() % 70),
        _ => {
            let digits: Vec<u32> = (0..=width / 32).map(|_| rng.next() as u32).collect();
            BitVec::from_big(width, &BigUint::new(digits))
        }
    }
}

fn float(format: Format, rng: &mut Rng) -> Float {
    let width = format.exponent_bits() + format.significand_bits();
    let sign = rng.pick(&[assay_term::float::Sign::Positive, assay_term::float::Sign::Negative]);
    match rng.below(10) {
        0 => Float::nan(format),
        1 => Float::infinity(format, sign),
        2 | 3 => Float::zero(format, sign),
        4 => Float::largest(format, sign),
        5 => Float::smallest_normal(format, sign),
        6 => Float::smallest_subnormal(format, sign),
        7 => {
            let halves = BigRational::new(BigInt::from(rng.below(41) as i64 - 20), 2.into());
            Float::from_rational(format, RoundingMode::NearestEven, &halves)
        }
        _ => {
            let bits = bit_vector(width, rng).to_big();
            Float::from_bits(format, &bits).expect("the width of the format")
        }
    }
}

fn language(store: &mut Store, rng: &mut Rng) -> Value {
    let text = store.value(&Value::text("ab")).expect("a literal");
    let ab = store.op(strings::TO_RE, &[text]).expect("a string");
    let term = match rng.below(4) {
        0 => store.op(regex::STAR, &[ab]),
        1 => store.op(regex::ALL, &[]),
        2 => store.op(regex::ALLCHAR, &[]),
        _ => Ok(ab),
    };
    let model = Model::new();
    Evaluator::new(store, &model).eval(term.expect("well sorted")).expect("a ground term")
}

//! Assignments of the variables of a sentence: all, if there are few; otherwise boundary values, values
//! near the literals of the sentence, and random ones.

use super::{LANES, Variable, all_values};
use assay_term::bitvec::BitVec;
use assay_term::eval::EvalContext;
use assay_term::{Int, Model, Sort, SortId, Store, Term, TermId, Value};
use num_rational::BigRational;
use num_traits::One;
use rustc_hash::FxHashMap;

/// Reproducible choices.
pub(crate) struct Choices(u64);

impl Choices {
    pub(crate) fn new(number: u64) -> Choices {
        Choices(number)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((mixed ^ (mixed >> 31)) % bound.max(1) as u64) as usize
    }
}

/// Values worth trying, by sort.
#[derive(Default)]
pub(crate) struct Sampler {
    pools: FxHashMap<SortId, Vec<Value>>,
}

/// The most values of a sort that are worth trying.
const MOST: usize = 40;

/// The most assignments of small numbers.
const DENSE: usize = 1 << 13;

/// The largest of the small numbers, from the best choice to the cheapest.
const RADII: [i64; 4] = [24, 12, 6, 3];

/// The deepest values of datatypes.
const DEEPEST: usize = 4;

impl Sampler {
    /// Values near the literals of a term.
    pub(crate) fn new(store: &Store, terms: &[TermId]) -> Sampler {
        let mut sampler = Sampler::default();
        for sort in [SortId::INT, SortId::REAL] {
            for number in [0_i64, 1, -1, 2] {
                let value = match sort {
                    SortId::INT => Value::Int(Int::from(number)),
                    _ => Value::rational(BigRational::from_integer(number.into())),
                };
                sampler.add(sort, value);
            }
        }
        for part in store.postorder(terms) {
            let Term::Literal(value) = store.get(part) else { continue };
            let sort = store.sort(part);
            near(value).into_iter().for_each(|near| sampler.add(sort, near));
        }
        sampler
    }

    fn add(&mut self, sort: SortId, value: Value) {
        let pool = self.pools.entry(sort).or_default();
        if pool.len() < MOST && !pool.contains(&value) {
            pool.push(value);
        }
    }

    /// At most this many values of a sort.
    pub(crate) fn few(
        &self,
        store: &Store,
        model: &Model,
        sort: SortId,
        most: usize,
    ) -> Vec<Value> {
        let pool = self.pool(sort);
        if !pool.is_empty() {
            return pool.iter().take(most).cloned().collect();
        }
        let mut choices = Choices::new(0);
        let mut values: Vec<Value> = Vec::new();
        for _ in 0..most {
            let value = self.value(store, model, sort, &mut choices, DEEPEST);
            values.extend(value.filter(|value| !values.contains(value)));
        }
        values
    }

    /// The values of a sort near literals.
    fn pool(&self, sort: SortId) -> &[Value] {
        self.pools.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// Groups of all assignments, if there are at most `few`.
    pub(crate) fn all(
        &self,
        store: &Store,
        model: &Model,
        inputs: &[Variable],
        few: u64,
    ) -> Option<impl Iterator<Item = Vec<Vec<Value>>> + use<>> {
        let mut domains = Vec::with_capacity(inputs.len());
        let mut count: u64 = 1;
        for input in inputs {
            let values = all_values(store, model, input.constant, few / count)?;
            count = count.checked_mul(values.len() as u64).filter(|count| *count <= few)?;
            domains.push(values);
        }
        let row = move |mut number: u64| -> Vec<Value> {
            let digit = |values: &Vec<Value>| {
                let value = values[(number % values.len() as u64) as usize].clone();
                number /= values.len() as u64;
                value
            };
            domains.iter().map(digit).collect()
        };
        let starts = (0..count).step_by(LANES);
        Some(starts.map(move |from| (from..count.min(from + LANES as u64)).map(&row).collect()))
    }

    /// Groups of all assignments of small numbers and of all values of small sorts: as many as are
    /// affordable, perhaps none.
    pub(crate) fn dense(
        &self,
        store: &Store,
        model: &Model,
        inputs: &[Variable],
    ) -> impl Iterator<Item = Vec<Vec<Value>>> + use<> {
        let rows = RADII.into_iter().find_map(|radius| {
            let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
            for input in inputs {
                let values = small_values(store, model, input, radius)?;
                if rows.len() * values.len() > DENSE {
                    return None;
                }
                let with = |row: &Vec<Value>| -> Vec<Vec<Value>> {
                    let longer = |value| [&row[..], std::slice::from_ref(value)].concat();
                    values.iter().map(longer).collect()
                };
                rows = rows.iter().flat_map(with).collect();
            }
            Some(rows)
        });
        let rows = rows.unwrap_or_default();
        (0..rows.len())
            .step_by(LANES)
            .map(move |from| rows[from..rows.len().min(from + LANES)].to_vec())
    }

    /// Groups of some assignments; `None` if a sort has no value that we know.
    pub(crate) fn some(
        &self,
        store: &Store,
        model: &Model,
        inputs: &[Variable],
        rounds: usize,
        lanes: usize,
    ) -> Option<impl Iterator<Item = Vec<Vec<Value>>> + use<>> {
        let mut choices = Choices::new(inputs.len() as u64);
        let mut groups = Vec::with_capacity(rounds);
        for _ in 0..rounds {
            let mut rows = Vec::with_capacity(lanes);
            for _ in 0..lanes {
                let mut row = Vec::with_capacity(inputs.len());
                for input in inputs {
                    let sort = store.sort(input.constant);
                    row.push(self.value(store, model, sort, &mut choices, DEEPEST)?);
                }
                rows.push(row);
            }
            groups.push(rows);
        }
        Some(groups.into_iter())
    }

    /// A value of a sort.
    pub(crate) fn value(
        &self,
        store: &Store,
        model: &Model,
        sort: SortId,
        choices: &mut Choices,
        depth: usize,
    ) -> Option<Value> {
        let pool = self.pool(sort);
        if !pool.is_empty() && choices.below(4) < 3 {
            return Some(pool[choices.below(pool.len())].clone());
        }
        let cx = EvalContext::new(store, model);
        Some(match store.sorts.get(sort) {
            Sort::Bool => Value::Bool(choices.below(2) == 0),
            Sort::Int => Value::Int(Int::from(choices.below(41) as i64 - 20)),
            Sort::Real => {
                let (over, under) = (choices.below(41) as i64 - 20, 1 + choices.below(4) as i64);
                Value::rational(BigRational::new(over.into(), under.into()))
            }
            Sort::BitVec(width) => {
                let high = choices.below(usize::MAX) as u64;
                let bits = match choices.below(4) {
                    0 => high,
                    1 => u64::MAX >> (high % 64),
                    2 => 1 << (high % 64),
                    _ => high % 16,
                };
                Value::BitVec(BitVec::from_u64(*width, bits))
            }
            Sort::Array(index, element) if depth > 0 => {
                let (index, element) = (*index, *element);
                let mut entries = Vec::new();
                for _ in 0..choices.below(4) {
                    entries.push((
                        self.value(store, model, index, choices, depth - 1)?,
                        self.value(store, model, element, choices, depth - 1)?,
                    ));
                }
                let default = self.value(store, model, element, choices, depth - 1)?;
                // The last of several entries for an index counts.
                entries.reverse();
                let mut seen: Vec<Value> = Vec::new();
                entries.retain(|(index, _)| {
                    let is_new = !seen.contains(index);
                    seen.push(index.clone());
                    is_new
                });
                cx.make_array(sort, default, entries)
            }
            Sort::Declared(..) if depth > 0 => {
                let Some((_, datatype, args)) = store.sorts.datatype(sort) else {
                    return cx.default_value(sort);
                };
                let constructors = &datatype.constructors;
                let chosen = choices.below(constructors.len());
                let mut fields = Vec::new();
                for &(_, field) in &constructors[chosen].fields {
                    let field = store.sorts.resolve(field, &datatype.params, args)?;
                    fields.push(self.value(store, model, field, choices, depth - 1)?);
                }
                cx.data(sort, chosen as u32, &fields).ok()?
            }
            _ => cx.default_value(sort)?,
        })
    }
}

/// All small numbers of a sort, or all its values if there are few.
fn small_values(store: &Store, model: &Model, input: &Variable, radius: i64) -> Option<Vec<Value>> {
    match store.sorts.get(store.sort(input.constant)) {
        Sort::Int => Some((-radius..=radius).map(|n| Value::Int(Int::from(n))).collect()),
        Sort::Real => {
            let half = |n: i64| Value::rational(BigRational::new(n.into(), 2.into()));
            Some((-radius..=radius).map(half).collect())
        }
        _ => all_values(store, model, input.constant, DENSE as u64),
    }
}

/// A value and its neighbors.
fn near(value: &Value) -> Vec<Value> {
    match value {
        Value::Int(n) => {
            let (up, down) = (n + &Int::ONE, n - &Int::ONE);
            [n.clone(), up, down, -n].into_iter().map(Value::Int).collect()
        }
        Value::Real(x) => {
            let one = BigRational::one();
            let (up, down) = (x.as_ref() + &one, x.as_ref() - &one);
            [x.as_ref().clone(), up, down, -x.as_ref()].into_iter().map(Value::rational).collect()
        }
        other => vec![other.clone()],
    }
}

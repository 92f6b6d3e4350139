//! The suite `enumerate`: all formulas up to a size over a pool of operators, variables and constants.
//!
//! Formulas that differ only in the names of variables, or in the order of the arguments of commutative
//! operators, are one formula. A case is the number of a formula among those of its size and pool; numbers
//! of formulas that others stand for are no cases.

mod pool;
mod space;
mod symmetry;
#[cfg(test)]
mod tests;
mod truth;

use crate::grown::restricted;
use crate::numbering::GrowError;
use crate::script::{Mentioned, asserting};
use crate::values::Values;
use assay_case::{
    CaseId, Category, Exhaustion, Expected, Formula, MakeError, ModelFault, Oracle, Origin,
    Selection, Suite, TestCase, Why, Witness, check_model, exhaust,
};
use assay_forge::Permutation;
use assay_mutate::Pool as Stores;
use assay_smtlib::Command;
use assay_term::{Budget, FuncId, Store, TermId};
use pool::{Pool, PoolRow, pools};
use std::sync::Arc;
use truth::{Truth, Truths};

/// Which formulas are enumerated.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct EnumerateOptions {
    /// The theories or pools; all if the list is empty.
    pub theories: Vec<String>,
    /// The greatest number of applications in a formula; by default each pool's own.
    pub size: Option<usize>,
    /// The operators; all of the pools if the list is empty.
    pub operators: Vec<String>,
    /// A user's file of pools, in place of ours.
    pub pools: Option<String>,
}

/// The suite `enumerate`.
pub struct Enumerate {
    pools: Vec<Prepared>,
    /// The size and the pool of each category, by size first.
    parts: Vec<(usize, usize)>,
}

/// A pool with what its cases share.
struct Prepared {
    pool: Pool,
    stores: Stores,
    store: Arc<Store>,
    env: Arc<assay_smtlib::Environment>,
    truths: Truths,
}

/// How many formulas there are, and over what.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// The number of formulas of each category.
    pub counts: Vec<(Category, u128)>,
    /// The greatest size.
    pub size: usize,
    /// The theories, in the order of the pools.
    pub theories: Vec<String>,
    /// The number of operators and functions, by pool.
    pub operators: usize,
}

impl Enumerate {
    /// Its name.
    pub const NAME: &'static str = "enumerate";

    /// Reads the pools.
    ///
    /// # Errors
    /// Where one of them cannot be read, or there is no such theory or operator.
    pub fn new(options: &EnumerateOptions) -> Result<Enumerate, GrowError> {
        let rows = pools(options.pools.as_deref())?;
        let is = |row: &PoolRow, wanted: &String| *wanted == row.name || wanted == row.theory();
        let is_known = |wanted: &&String| rows.iter().any(|row| is(row, wanted));
        if let Some(unknown) = options.theories.iter().find(|wanted| !is_known(wanted)) {
            let mut known: Vec<&str> = rows.iter().map(PoolRow::theory).collect();
            known.dedup();
            let known = known.join(", ");
            return Err(GrowError::Pool(format!(
                "no pool is about `{unknown}`; there are pools about {known}"
            )));
        }
        let wanted = |row: &&PoolRow| {
            options.theories.is_empty() || options.theories.iter().any(|name| is(row, name))
        };
        let pools = rows
            .iter()
            .filter(wanted)
            .map(|row| Pool::new(row, options.size, &options.operators).map(Prepared::new));
        let pools: Vec<Prepared> = pools.collect::<Result<_, _>>()?;
        let most = pools.iter().map(|of| of.pool.size).max().unwrap_or(0);
        let mut parts = Vec::new();
        for size in 0..=most {
            let of_size = (0..pools.len()).filter(|&at| pools[at].pool.numbers(size) > 0);
            parts.extend(of_size.map(|at| (size, at)));
        }
        Ok(Enumerate { pools, parts })
    }

    /// How many formulas there are, counted without making them; `None` if there are too many.
    #[must_use]
    pub fn extent(&self) -> Option<Extent> {
        let by_pool: Option<Vec<Vec<u128>>> =
            self.pools.iter().map(|of| of.pool.counts()).collect();
        let by_pool = by_pool?;
        let counts = self.parts.iter().map(|&(size, at)| by_pool[at][size]);
        let mut theories: Vec<String> = Vec::new();
        for of in &self.pools {
            if !theories.contains(&of.pool.theory) {
                theories.push(of.pool.theory.clone());
            }
        }
        Some(Extent {
            counts: self.categories().into_iter().zip(counts).collect(),
            size: self.pools.iter().map(|of| of.pool.size).max().unwrap_or(0),
            theories,
            operators: self.pools.iter().map(|of| of.pool.operators()).sum(),
        })
    }

    /// The numbers of the formulas of a category, in an order that the number draws.
    fn numbers(&self, category: usize, rng: u64) -> impl Iterator<Item = CaseId> + Send + '_ {
        let (size, at) = self.parts[category];
        let pool = &self.pools[at].pool;
        let count = pool.numbers(size);
        let order = Permutation::new(count, rng ^ (category as u64).wrapping_mul(0x9E37_79B9));
        let numbers = (0..count).map(move |number| order.apply(number));
        let first = numbers.filter(move |&number| pool.is_first(size, number));
        first.map(move |index| CaseId { category: category as u32, index })
    }
}

impl Prepared {
    fn new(mut pool: Pool) -> Prepared {
        let signature = &mut pool.signature;
        let declared: Vec<FuncId> = signature
            .declarations
            .iter()
            .filter_map(|command| match command {
                Command::DeclareFun(func) | Command::DeclareConst(func) => Some(*func),
                _ => None,
            })
            .collect();
        let constants: Vec<TermId> =
            signature.sorts().iter().flat_map(|&s| signature.constants(s)).copied().collect();
        let values = Values::new(&mut signature.store, &declared, &constants);
        let (store, env) = (Arc::new(signature.store.clone()), Arc::new(signature.env.clone()));
        Prepared { pool, stores: Stores::default(), store, env, truths: Truths::new(values) }
    }

    /// A formula and its truth.
    fn make(&self, size: usize, number: u128) -> Result<(Formula, Oracle), MakeError> {
        let signature = &self.pool.signature;
        let mut shared = self.stores.take(&self.store);
        let store = Arc::get_mut(&mut shared).expect("nobody else has it");
        let term = self.pool.formula(store, size, number).ok_or_else(|| {
            MakeError::NoSuchCase(format!("another formula stands for that of number {number}"))
        });
        let made = term.map(|term| {
            let mentioned = Mentioned::by(store, &[term]);
            let truth = self.truths.of(store, term);
            (term, mentioned, truth)
        });
        self.stores.put(&shared);
        let (term, mentioned, truth) = made?;
        let formula = |asks_for_model: bool| {
            let script = asserting(signature, &shared, &mentioned, term, asks_for_model);
            Formula::from_parts(Arc::clone(&shared), script, Arc::clone(&self.env))
        };
        let refuted =
            |count| (formula(false), Oracle::Unsat { why: Why::Exhausted(count), core: None });
        let model = match truth {
            Truth::Unsat(count) => return Ok(refuted(count)),
            Truth::Sat(model) => restricted(&shared, &model, &mentioned),
            Truth::Open => {
                let formula = formula(true);
                return Ok(match exhaust(&formula, &mut Budget::new(300_000, 1 << 22)) {
                    Some(Exhaustion::Unsat(count)) => refuted(count),
                    Some(Exhaustion::Sat(model)) => (formula, Oracle::Sat(Witness::Checked(model))),
                    None => (formula, Oracle::Open),
                });
            }
        };
        let formula = formula(true);
        match check_model(&formula, model) {
            Ok(witness) => Ok((formula, Oracle::Sat(Witness::Checked(witness)))),
            Err(fault @ ModelFault::False(_)) => {
                let text = formula.text();
                Err(MakeError::fault(format!("the witness is wrong: {fault}\n{text}")))
            }
            Err(_) => Ok((formula, Oracle::Open)),
        }
    }
}

/// The name of the category of a size.
fn category(size: usize) -> String {
    format!("size-{size}")
}

impl Suite for Enumerate {
    fn name(&self) -> &str {
        Enumerate::NAME
    }

    fn categories(&self) -> Vec<Category> {
        let category = |&(size, at): &(usize, usize)| Category {
            name: category(size),
            group: self.pools[at].pool.name.clone(),
            expected: Expected::Open,
        };
        self.parts.iter().map(category).collect()
    }

    fn cases(&self, selection: &Selection) -> Box<dyn Iterator<Item = CaseId> + Send + '_> {
        let categories = self.categories();
        let wanted: Vec<usize> =
            (0..categories.len()).filter(|&part| selection.wants(&categories[part])).collect();
        let rng = selection.rng;
        if let Some(sample) = selection.sample {
            return selection.cut(self.sampled(wanted, rng).take(clamped(sample)));
        }
        let each = clamped(selection.each.unwrap_or(u64::MAX));
        let sizes = wanted.chunk_by(|&a, &b| self.parts[a].0 == self.parts[b].0);
        let sizes: Vec<Vec<usize>> = sizes.map(<[usize]>::to_vec).collect();
        selection.cut(sizes.into_iter().flat_map(move |parts| {
            let streams = parts.into_iter().map(|part| {
                Box::new(self.numbers(part, rng).take(each)) as Box<dyn Iterator<Item = _> + Send>
            });
            assay_forge::in_turn(streams.collect())
        }))
    }

    fn round(&self, id: CaseId) -> u64 {
        self.parts.get(id.category as usize).map_or(0, |(size, _)| *size as u64)
    }

    fn make(&self, id: CaseId) -> Result<TestCase, MakeError> {
        let none = || MakeError::NoSuchCase(format!("enumerate has no case {id}"));
        let &(size, at) = self.parts.get(id.category as usize).ok_or_else(none)?;
        let prepared = &self.pools[at];
        if id.index >= prepared.pool.numbers(size) {
            return Err(none());
        }
        let (formula, oracle) = prepared.make(size, id.index)?;
        let name = format!("{}-{size}-{}", prepared.pool.name, id.index);
        let origin = Origin {
            suite: self.name().to_owned(),
            category: category(size),
            index: id.index,
            ..Origin::default()
        };
        TestCase::formula(name, formula, oracle, origin).map_err(MakeError::fault)
    }
}

impl Enumerate {
    /// The formulas of some categories in a random order.
    fn sampled(&self, parts: Vec<usize>, rng: u64) -> impl Iterator<Item = CaseId> + Send + '_ {
        let count = |&part: &usize| {
            let (size, at) = self.parts[part];
            self.pools[at].pool.numbers(size)
        };
        let counts: Vec<u128> = parts.iter().map(count).collect();
        let total = counts.iter().sum();
        let order = Permutation::new(total, rng);
        (0..total).filter_map(move |number| {
            let mut index = order.apply(number);
            let at = counts.iter().position(|&count| {
                let is_here = index < count;
                index -= if is_here { 0 } else { count };
                is_here
            })?;
            let (size, pool) = self.parts[parts[at]];
            let id = CaseId { category: parts[at] as u32, index };
            self.pools[pool].pool.is_first(size, index).then_some(id)
        })
    }
}

fn clamped(count: u64) -> usize {
    usize::try_from(count).unwrap_or(usize::MAX)
}

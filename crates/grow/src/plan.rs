//! A signature prepared for growing: what is drawn, with which weight.
//!
//! An operator is drawn as often as any other that yields the sort, however many argument sorts and
//! indices it has. Every pair of an operator and what stands below it at some position has its turn as
//! the focus of a case, so that rare pairs come up as often as frequent ones.

use crate::signature::{Key, Maker, Producer, Row, Signature, Usage};
use crate::values::Values;
use assay_forge::Permutation;
use assay_mutate::Equalities;
use assay_smtlib::Command;
use assay_term::eval::EvalContext;
use assay_term::theories::{ints, reals};
use assay_term::{FuncId, SortId, Store, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Variables of each sort.
const VARIABLES: usize = 5;

/// Quantifiers range over sorts with at most this many values.
const FINITE: u64 = 16;

/// Of this many cases, one has a focus that few solvers read.
const RARE: u64 = 8;

/// What stands below an operator.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Child {
    Variable,
    Constant,
    /// An application of the operator of this number.
    Applied(usize),
}

/// An operator with what stands below it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Pair {
    /// The number of the operator above.
    pub(crate) parent: usize,
    pub(crate) position: usize,
    pub(crate) child: Child,
    pub(crate) usage: Usage,
}

/// A signature prepared for growing.
pub(crate) struct Plan {
    pub(crate) signature: Signature,
    pub(crate) store: Arc<Store>,
    pub(crate) env: Arc<assay_smtlib::Environment>,
    pub(crate) values: Values,
    /// Every operator, with all its argument sorts.
    operators: Vec<Producer>,
    /// What most solvers read, by the sort that it yields.
    common: FxHashMap<SortId, Vec<Vec<Maker>>>,
    pairs: Vec<Pair>,
    rare: Vec<Pair>,
    /// The equalities of its rules.
    pub(crate) equalities: Equalities,
    /// Sorts that quantifiers range over.
    finite: Vec<SortId>,
    /// Sorts of values with parts: arrays, sequences, data.
    pub(crate) structured: Vec<SortId>,
    /// Declared functions with arguments.
    pub(crate) functions: Vec<FuncId>,
    order: u64,
}

impl Plan {
    /// Prepares a signature, with equalities of these tables.
    ///
    /// # Errors
    /// Where it cannot be read.
    pub(crate) fn new(row: &Row, rules: &[String], rng: u64) -> Result<Plan, String> {
        let mut signature = Signature::new(row, VARIABLES, &FxHashSet::default())?;
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
        let mut operators = signature.roots.clone();
        operators.iter_mut().for_each(|o| o.makers.retain(|maker| !is_disputed(o.key, maker)));
        operators.retain(|operator| !operator.makers.is_empty());
        let sorts = signature.sorts().to_vec();
        let mut common = FxHashMap::default();
        for &sort in &sorts {
            let mut all: Vec<Vec<Maker>> = Vec::new();
            for producer in signature.producers(sort) {
                let mut makers = producer.makers.clone();
                makers.retain(|m| m.usage == Usage::Common && !is_disputed(producer.key, m));
                if !makers.is_empty() {
                    all.push(makers);
                }
            }
            common.insert(sort, all);
        }
        let finite = sorts
            .iter()
            .copied()
            .filter(|&sort| {
                let cx = EvalContext::new(&signature.store, values.world());
                sort != SortId::ROUNDING_MODE
                    && cx.enumerate(sort, FINITE).is_some_and(|values| values.len() > 1)
            })
            .collect();
        let structured = sorts
            .iter()
            .copied()
            .filter(|&sort| {
                !signature.store.sorts.get(sort).parts().is_empty()
                    || signature.store.sorts.datatype(sort).is_some()
            })
            .collect();
        let functions = declared
            .into_iter()
            .filter(|&func| match signature.store.func(func) {
                assay_term::Func::Declared { params, .. } => !params.is_empty(),
                _ => false,
            })
            .collect();
        let equalities = Equalities::declared(&mut signature.store, &sorts, rules);
        let (pairs, rare) = pairs(&signature, &operators);
        let order = row.name.bytes().fold(rng, |all, byte| {
            (all ^ u64::from(byte)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(29)
        });
        let (store, env) = (Arc::new(signature.store.clone()), Arc::new(signature.env.clone()));
        Ok(Plan {
            signature,
            store,
            env,
            values,
            operators,
            common,
            pairs,
            rare,
            equalities,
            finite,
            structured,
            functions,
            order,
        })
    }

    /// The pair whose turn it is.
    pub(crate) fn focus(&self, index: u64) -> Option<Pair> {
        let (list, at) = match index % RARE == RARE - 1 && !self.rare.is_empty() {
            true => (&self.rare, index / RARE),
            false => (&self.pairs, index - index / RARE * u64::from(!self.rare.is_empty())),
        };
        let count = list.len() as u64;
        let round = at.checked_div(count)?;
        let order = Permutation::new(count.into(), self.order ^ round);
        list.get(usize::try_from(order.apply((at % count).into())).ok()?).copied()
    }

    /// The number of pairs that most solvers read, and of those that few do.
    #[cfg(test)]
    pub(crate) fn count(&self) -> (usize, usize) {
        (self.pairs.len(), self.rare.len())
    }

    /// The ways to apply the operator above so that what is below fits, with the ways to apply that.
    pub(crate) fn makers(&self, pair: Pair) -> Vec<(&Maker, Vec<&Maker>)> {
        let fits = |maker: &&Maker| pair.usage == Usage::Rare || maker.usage == Usage::Common;
        let below = |sort: SortId| -> Vec<&Maker> {
            let Child::Applied(child) = pair.child else { return Vec::new() };
            let makers = self.operators[child].makers.iter();
            makers.filter(|maker| maker.result == sort).filter(fits).collect()
        };
        let above = self.operators[pair.parent].makers.iter().filter(fits);
        let with = above.filter_map(|maker| {
            let sort = *maker.args.get(pair.position)?;
            let below = below(sort);
            let fits = match pair.child {
                Child::Variable => !self.variables(sort).is_empty(),
                Child::Constant => !self.signature.constants(sort).is_empty(),
                Child::Applied(_) => !below.is_empty(),
            };
            fits.then_some((maker, below))
        });
        with.collect()
    }

    /// What the operator of a number is.
    #[cfg(test)]
    pub(crate) fn key(&self, operator: usize) -> Key {
        self.operators[operator].key
    }

    /// What yields a sort, by operator.
    pub(crate) fn common(&self, sort: SortId) -> &[Vec<Maker>] {
        self.common.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// The variables of a sort. Most solvers have no variables of languages.
    pub(crate) fn variables(&self, sort: SortId) -> &[TermId] {
        if sort == SortId::REGLAN { &[] } else { self.signature.variables(sort) }
    }

    /// The sorts that quantifiers range over.
    pub(crate) fn finite(&self) -> &[SortId] {
        &self.finite
    }
}

/// Whether solvers read it in different ways although the table allows it.
pub(crate) fn is_disputed(key: Key, maker: &Maker) -> bool {
    matches!(key, Key::Op(ints::ABS | reals::TO_REAL)) && maker.args == [SortId::REAL]
}

/// Every pair, those that most solvers read apart from the others.
fn pairs(signature: &Signature, operators: &[Producer]) -> (Vec<Pair>, Vec<Pair>) {
    let (mut common, mut rare) = (Vec::new(), Vec::new());
    let yields = |usage: Usage| -> Vec<FxHashSet<SortId>> {
        let of = |o: &Producer| {
            let makers = o.makers.iter().filter(|m| usage == Usage::Rare || m.usage == usage);
            makers.map(|m| m.result).collect()
        };
        operators.iter().map(of).collect()
    };
    let (common_yields, all_yields) = (yields(Usage::Common), yields(Usage::Rare));
    for (parent, operator) in operators.iter().enumerate() {
        let arity = operator.makers.iter().map(|maker| maker.args.len()).max().unwrap_or(0);
        for position in 0..arity {
            let takes = |usage: Usage| -> FxHashSet<SortId> {
                let makers =
                    operator.makers.iter().filter(|m| usage == Usage::Rare || m.usage == usage);
                makers.filter_map(|m| m.args.get(position).copied()).collect()
            };
            let (commonly, ever) = (takes(Usage::Common), takes(Usage::Rare));
            let mut add = |child: Child, is_common: bool, is_possible: bool| {
                if is_common {
                    common.push(Pair { parent, position, child, usage: Usage::Common });
                } else if is_possible {
                    rare.push(Pair { parent, position, child, usage: Usage::Rare });
                }
            };
            let has_variables =
                |sort: &SortId| *sort != SortId::REGLAN && !signature.variables(*sort).is_empty();
            let has_constants = |sort: &SortId| !signature.constants(*sort).is_empty();
            add(
                Child::Variable,
                commonly.iter().any(has_variables),
                ever.iter().any(has_variables),
            );
            add(
                Child::Constant,
                commonly.iter().any(has_constants),
                ever.iter().any(has_constants),
            );
            for (child, (often, all)) in common_yields.iter().zip(&all_yields).enumerate() {
                add(Child::Applied(child), !often.is_disjoint(&commonly), !all.is_disjoint(&ever));
            }
        }
    }
    (common, rare)
}

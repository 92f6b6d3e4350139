//! Small terms, one after another: every operator over all of its constants, and every operator above every
//! other one over one variable and one constant of each sort. Most wrong rules of a simplifier show on such
//! a term, and random ones rarely have the right leaves.

use assay_forge::Permutation;
use assay_grow::{Key, Maker, Producer, Signature};
use assay_term::{Op, SortId, Store, TermId};
use rustc_hash::FxHashMap;
use std::collections::BTreeSet;

/// The number of constants of each sort that pairs are tried with, one at a time.
const CONSTANTS: u128 = 8;

/// Terms with more leaves are left to chance.
const MOST_LEAVES: usize = 10;

/// An operator above another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Pair {
    /// The number among the signature's roots.
    pub(crate) above: usize,
    /// The number among the operators.
    pub(crate) below: usize,
}

/// The operators of a signature, whatever sort they yield, and all pairs.
pub(crate) struct Pairs {
    pub(crate) operators: Vec<Producer>,
    pub(crate) all: Vec<Pair>,
}

/// The sorts that pairs of operators were met with, by their names.
pub(crate) type Met = FxHashMap<(Op, Op), Vec<BTreeSet<String>>>;

impl Pairs {
    /// All pairs over a signature that an earlier one does not have over the same sorts.
    pub(crate) fn new(signature: &Signature, met: &mut Met) -> Pairs {
        let mut operators: Vec<Producer> = Vec::new();
        for producer in signature.sorts().iter().flat_map(|&sort| signature.producers(sort)) {
            match operators.iter_mut().find(|known| known.key == producer.key) {
                Some(known) => known.makers.extend(producer.makers.iter().cloned()),
                None => operators.push(producer.clone()),
            }
        }
        let mut all = Vec::new();
        for (above, root) in signature.roots.iter().enumerate() {
            for (below, inner) in operators.iter().enumerate() {
                let mut sorts: BTreeSet<SortId> = BTreeSet::new();
                for (outer, _, inner) in spots(root, inner) {
                    sorts.extend(outer.args.iter().chain(&inner.args).copied());
                }
                let names: BTreeSet<String> =
                    sorts.iter().map(|&sort| signature.store.sort_name(sort)).collect();
                let is_new = match (root.key, inner.key) {
                    (Key::Op(root), Key::Op(inner)) => {
                        let known = met.entry((root, inner)).or_default();
                        let is_new = !known.iter().any(|known| names.is_subset(known));
                        known.push(names);
                        is_new
                    }
                    // Functions of other signatures are others.
                    _ => true,
                };
                if is_new && !sorts.is_empty() {
                    all.push(Pair { above, below });
                }
            }
        }
        Pairs { operators, all }
    }
}

/// Where an operator can stand below another: the ways to apply both, with the position.
fn spots<'p>(
    above: &'p Producer,
    below: &'p Producer,
) -> impl Iterator<Item = (&'p Maker, usize, &'p Maker)> {
    above.plain().flat_map(move |outer| {
        let at = outer.args.iter().enumerate();
        at.flat_map(move |(position, &sort)| {
            let fits =
                move |inner: &&Maker| inner.result == sort && leaves(outer, inner) <= MOST_LEAVES;
            below.plain().filter(fits).map(move |inner| (outer, position, inner))
        })
    })
}

/// The number of leaves of an application of one operator with an application of another in it.
fn leaves(outer: &Maker, inner: &Maker) -> usize {
    outer.args.len() - 1 + inner.args.len()
}

/// The number of terms with one operator at one position below another, over one variable and one constant
/// of each sort.
fn choices(above: &Producer, below: &Producer) -> u128 {
    spots(above, below).map(|(outer, _, inner)| 1u128 << leaves(outer, inner)).sum()
}

/// The number of terms that [`nested`] numbers.
pub(crate) fn count_nested([above, below]: [&Producer; 2]) -> u128 {
    choices(above, below) * CONSTANTS
}

/// The application of an operator to constants that has this number, in an order of its own; `None` if there
/// are no more.
pub(crate) fn on_constants(
    signature: &Signature,
    store: &mut Store,
    root: &Producer,
    number: u128,
    order: u64,
) -> Option<TermId> {
    let count = |maker: &Maker| {
        let choices = maker.args.iter().map(|&sort| signature.constants(sort).len() as u128);
        choices.fold(1, u128::saturating_mul)
    };
    let total = root.plain().map(count).fold(0, u128::saturating_add);
    let mut rest = (number < total).then(|| Permutation::new(total, order).apply(number))?;
    let maker = root.plain().find(|maker| {
        let count = count(maker);
        let is_here = rest < count;
        rest -= if is_here { 0 } else { count };
        is_here
    })?;
    let args = maker.args.iter().map(|&sort| {
        let constants = signature.constants(sort);
        let at = rest % constants.len() as u128;
        rest /= constants.len() as u128;
        constants[at as usize]
    });
    let args: Vec<TermId> = args.collect();
    store.app_as(maker.func, &args, maker.ascribed).ok()
}

/// The term with one operator at one position below another that has this number, over one variable and one
/// constant of each sort; `None` if there are no more.
pub(crate) fn nested(
    signature: &Signature,
    store: &mut Store,
    [above, below]: [&Producer; 2],
    number: u128,
    order: u64,
) -> Option<TermId> {
    let total = choices(above, below);
    let constant = number.checked_div(total).filter(|&round| round < CONSTANTS)?;
    let mut rest = Permutation::new(total, order).apply(number % total);
    let (outer, position, inner) = spots(above, below).find(|(outer, _, inner)| {
        let count = 1u128 << leaves(outer, inner);
        let is_here = rest < count;
        rest -= if is_here { 0 } else { count };
        is_here
    })?;
    let mut leaf = |sort: SortId| {
        let (variables, constants) = (signature.variables(sort), signature.constants(sort));
        let is_variable = rest & 1 == 1;
        rest >>= 1;
        // Constants of different sorts are combined in many ways.
        let shift = (order ^ (sort.index() as u64) << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58;
        let constant = || {
            let at = (constant + u128::from(shift)).checked_rem(constants.len() as u128)?;
            constants.get(at as usize)
        };
        let leaf = if is_variable {
            variables.first().or_else(constant)
        } else {
            constant().or(variables.first())
        };
        leaf.copied()
    };
    let inner_args: Vec<TermId> =
        inner.args.iter().map(|&sort| leaf(sort)).collect::<Option<_>>()?;
    let mut args = Vec::with_capacity(outer.args.len());
    for (at, &sort) in outer.args.iter().enumerate() {
        args.push(match at == position {
            true => store.app_as(inner.func, &inner_args, inner.ascribed).ok()?,
            false => leaf(sort)?,
        });
    }
    store.app_as(outer.func, &args, outer.ascribed).ok()
}

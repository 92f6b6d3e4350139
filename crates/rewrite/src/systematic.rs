//! Small terms, one after another: every operator over all of its constants, and every operator above every
//! other one over one variable and one constant of each sort. Most wrong rules of a simplifier show on such
//! a term, and random ones rarely have the right leaves.

use assay_forge::Permutation;
use assay_grow::{Maker, Producer, Signature};
use assay_term::{SortId, Store, TermId};

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

impl Pairs {
    pub(crate) fn new(signature: &Signature) -> Pairs {
        let mut operators: Vec<Producer> = Vec::new();
        for producer in signature.sorts().iter().flat_map(|&sort| signature.producers(sort)) {
            match operators.iter_mut().find(|known| known.key == producer.key) {
                Some(known) => known.makers.extend(producer.makers.iter().cloned()),
                None => operators.push(producer.clone()),
            }
        }
        let mut all = Vec::new();
        for (above, root) in signature.roots.iter().enumerate() {
            let mut taken: Vec<SortId> = root.makers.iter().flat_map(|m| m.args.clone()).collect();
            taken.sort_unstable();
            taken.dedup();
            let fits = |below: &Producer| taken.iter().any(|&sort| below.yields(sort));
            let fitting = (0..operators.len()).filter(|&below| fits(&operators[below]));
            all.extend(fitting.map(|below| Pair { above, below }));
        }
        Pairs { operators, all }
    }
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
    let total = root.makers.iter().map(count).fold(0, u128::saturating_add);
    let mut rest = (number < total).then(|| Permutation::new(total, order).apply(number))?;
    let maker = root.makers.iter().find(|maker| {
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
    let spots = || {
        above.makers.iter().flat_map(|outer| {
            let at = outer.args.iter().enumerate();
            at.flat_map(move |(position, &sort)| {
                let fits = move |inner: &&Maker| {
                    let leaves = outer.args.len() - 1 + inner.args.len();
                    inner.result == sort && leaves <= MOST_LEAVES
                };
                below.makers.iter().filter(fits).map(move |inner| (outer, position, inner))
            })
        })
    };
    let count = |outer: &Maker, inner: &Maker| 1u128 << (outer.args.len() - 1 + inner.args.len());
    let total: u128 = spots().map(|(outer, _, inner)| count(outer, inner)).sum();
    let constant = number.checked_div(total).filter(|&round| round < CONSTANTS)?;
    let mut rest = Permutation::new(total, order).apply(number % total);
    let (outer, position, inner) = spots().find(|(outer, _, inner)| {
        let count = count(outer, inner);
        let is_here = rest < count;
        rest -= if is_here { 0 } else { count };
        is_here
    })?;
    let mut leaf = |sort: SortId| {
        let (variables, constants) = (signature.variables(sort), signature.constants(sort));
        let is_variable = rest & 1 == 1;
        rest >>= 1;
        // Constants of different sorts are combined in many ways.
        let shift = order.rotate_left(sort.index() as u32 * 7) % 64;
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

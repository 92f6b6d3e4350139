//! Terms classified by their construction. A *history* is an operation and the histories of its
//! arguments; the histories of one depth are numbered. Terms with the same history and value are
//! interchangeable, and the first one represents them.

use crate::equation::Tree;
use crate::operation::Operation;
use crate::theory::{Constant, Theory};
use assay_term::{SortId, Value};
use rustc_hash::FxHashMap;

/// Maximum number of terms with one history, of different values, used as arguments of other terms.
/// Constants are not limited.
const ALIKE: usize = 4;

/// A term with its value and the operations in it.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub(crate) tree: Tree,
    pub(crate) value: Value,
    pub(crate) rules: Vec<String>,
}

/// The number of histories, by depth and sort.
pub(crate) struct Histories {
    counts: Vec<FxHashMap<SortId, u128>>,
}

/// An operation with the histories of its arguments.
struct History<'t> {
    operation: &'t Operation,
    /// The required result, if the two results count as two operations.
    truth: Option<bool>,
    children: Vec<u128>,
}

impl Histories {
    /// Counts the histories of terms up to a depth of at least one.
    pub(crate) fn new(theory: &Theory, depth: u8) -> Histories {
        let mut histories = Histories { counts: Vec::new() };
        let sorts = theory.operations.iter().flat_map(|op| op.params.iter().chain([&op.result]));
        let sorts: Vec<SortId> = sorts.copied().collect();
        for depth in 0..=usize::from(depth.max(1)) {
            let count = |&sort: &SortId| (sort, histories.counted(theory, sort, depth));
            let counts = sorts.iter().map(count).collect();
            histories.counts.push(counts);
        }
        histories
    }

    /// The maximum depth.
    pub(crate) fn depth(&self) -> usize {
        self.counts.len() - 1
    }

    /// The number of histories of terms of a sort.
    pub(crate) fn count(&self, sort: SortId, depth: usize) -> u128 {
        self.counts[depth].get(&sort).copied().unwrap_or(0)
    }

    fn counted(&self, theory: &Theory, sort: SortId, depth: usize) -> u128 {
        let makers = theory.makers(sort);
        if depth == 0 || makers.is_empty() {
            // All constants have the same history.
            return u128::from(!theory.pool(sort).short.is_empty());
        }
        let sizes = makers.iter().map(|&maker| self.size(&theory.operations[maker], depth));
        sizes.fold(0, u128::saturating_add)
    }

    /// The number of histories whose last step is an operation.
    fn size(&self, operation: &Operation, depth: usize) -> u128 {
        let signs = if operation.negated.is_some() { 2 } else { 1 };
        let counts = operation.params.iter().map(|&sort| self.count(sort, depth - 1));
        counts.fold(signs, u128::saturating_mul)
    }

    /// The history with a number; none for the history of constants.
    fn decode<'t>(
        &self,
        theory: &'t Theory,
        sort: SortId,
        depth: usize,
        mut number: u128,
    ) -> Option<History<'t>> {
        if depth == 0 {
            return None;
        }
        for &maker in theory.makers(sort) {
            let operation = &theory.operations[maker];
            let size = self.size(operation, depth);
            if number >= size {
                number -= size;
                continue;
            }
            let truth = operation.negated.is_some().then(|| {
                let positive = number % 2 == 0;
                number /= 2;
                positive
            });
            let children = self.split(&operation.params, depth - 1, number);
            return Some(History { operation, truth, children });
        }
        None
    }

    /// Decodes the histories of the arguments from their common number; the last varies fastest.
    pub(crate) fn split(&self, params: &[SortId], depth: usize, mut number: u128) -> Vec<u128> {
        let mut children = vec![0; params.len()];
        for (child, &sort) in children.iter_mut().zip(params).rev() {
            let count = self.count(sort, depth);
            *child = number % count;
            number /= count;
        }
        children
    }

    /// The first term with a history.
    pub(crate) fn first(
        &self,
        theory: &Theory,
        sort: SortId,
        depth: usize,
        number: u128,
    ) -> Option<Made> {
        let Some(history) = self.decode(theory, sort, depth, number) else {
            return theory.pool(sort).short.first().map(Made::constant);
        };
        if depth > 1 {
            // Usually the first arguments suffice, and the others are not built.
            let params = history.operation.params.iter().zip(&history.children);
            let args: Option<Vec<Made>> =
                params.map(|(&sort, &child)| self.first(theory, sort, depth - 1, child)).collect();
            let made =
                args.and_then(|args| history.apply(theory, &args.iter().collect::<Vec<_>>()));
            if made.is_some() {
                return made;
            }
        }
        self.all(theory, sort, depth, number).into_iter().next()
    }

    /// The terms with a history, one for each value, in the order of their arguments.
    pub(crate) fn all(
        &self,
        theory: &Theory,
        sort: SortId,
        depth: usize,
        number: u128,
    ) -> Vec<Made> {
        let Some(history) = self.decode(theory, sort, depth, number) else {
            return theory.pool(sort).short.iter().map(Made::constant).collect();
        };
        let operation = history.operation;
        if depth == 1 {
            let known = operation.on_constants(theory);
            return known.iter().filter(|made| history.wants(&made.value)).cloned().collect();
        }
        let params = operation.params.iter().zip(&history.children);
        let column = |(&sort, &child): (&SortId, &u128)| {
            let mut all = self.all(theory, sort, depth - 1, child);
            all.truncate(ALIKE);
            all
        };
        let columns: Vec<Vec<Made>> = params.map(column).collect();
        distinct(rows(&columns).filter_map(|args| history.apply(theory, &args)))
    }
}

impl History<'_> {
    fn wants(&self, value: &Value) -> bool {
        self.truth.is_none_or(|truth| value.as_bool() == Some(truth))
    }

    fn apply(&self, theory: &Theory, args: &[&Made]) -> Option<Made> {
        let made = Made::apply(theory, self.operation, args)?;
        self.wants(&made.value).then_some(made)
    }
}

impl Made {
    fn constant(constant: &Constant) -> Made {
        let (tree, value) = (Tree::Constant(constant.clone()), constant.value.clone());
        Made { tree, value, rules: Vec::new() }
    }

    /// An operation on terms; `None` if its result is not known.
    pub(crate) fn apply(theory: &Theory, operation: &Operation, args: &[&Made]) -> Option<Made> {
        let value = operation.eval(theory, args.iter().map(|arg| &arg.value))?;
        let mut rules = vec![operation.name_for(&value).to_owned()];
        rules.extend(args.iter().flat_map(|arg| arg.rules.iter().cloned()));
        let args = args.iter().map(|arg| arg.tree.clone()).collect();
        Some(Made { tree: Tree::Apply(operation.head, args), value, rules })
    }
}

impl Operation {
    /// Its applications to constants of the short pools, one for each value.
    fn on_constants(&self, theory: &Theory) -> &[Made] {
        self.short.get_or_init(|| {
            let pools = self.params.iter().map(|&sort| &theory.pool(sort).short);
            let columns: Vec<Vec<Made>> =
                pools.map(|pool| pool.iter().map(Made::constant).collect()).collect();
            distinct(rows(&columns).filter_map(|args| Made::apply(theory, self, &args)))
        })
    }
}

/// The Cartesian product of the columns; the last column varies fastest.
fn rows<T>(columns: &[Vec<T>]) -> impl Iterator<Item = Vec<&T>> {
    let count: usize = columns.iter().map(Vec::len).product();
    (0..count).map(move |mut number| {
        let mut row: Vec<&T> = Vec::with_capacity(columns.len());
        for column in columns.iter().rev() {
            row.push(&column[number % column.len()]);
            number /= column.len();
        }
        row.reverse();
        row
    })
}

/// The first term of each value.
fn distinct(terms: impl Iterator<Item = Made>) -> Vec<Made> {
    let mut found: FxHashMap<Value, usize> = FxHashMap::default();
    let mut kept = Vec::new();
    for term in terms {
        found.entry(term.value.clone()).or_insert_with(|| {
            kept.push(term);
            kept.len()
        });
    }
    kept
}

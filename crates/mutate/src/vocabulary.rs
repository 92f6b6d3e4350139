//! The terms that can be built with the sorts, symbols and constants of a formula: every function of
//! the operator table that fits its sorts, and every function that it declares.
//!
//! There is no list of operators here: the table's own typing decides.

use crate::seed::Base;
use assay_smtlib::{Command, is_number};
use assay_term::op::{Extension, Fold, Origin};
use assay_term::theories::{Theory, bv, ints, reals, strings};
use assay_term::{Func, FuncId, Op, Sort, SortId, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

/// A way to build a term: a function and the sorts of its arguments.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Maker {
    pub(crate) func: FuncId,
    pub(crate) args: Vec<SortId>,
    pub(crate) care: Care,
}

/// What the arguments of a function must be so that a formula stays in its fragment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Care {
    /// Anything.
    Free,
    /// All but the first are constants: a product in a linear formula.
    OneFactor,
    /// All but the first are nonzero constants: a quotient in a linear formula.
    Divisor,
    /// Strings are constants: most solvers cannot handle regular expressions over variables.
    ConstantStrings,
}

/// The material for a formula's mutants.
pub(crate) struct Vocabulary {
    makers: FxHashMap<SortId, Vec<Maker>>,
    leaves: FxHashMap<SortId, Vec<TermId>>,
    constants: FxHashMap<SortId, Vec<TermId>>,
    /// Every closed subterm, by sort.
    parts: FxHashMap<SortId, Vec<TermId>>,
    /// The functions that fit the sorts of the formula's applications.
    alternatives: FxHashMap<(Vec<SortId>, SortId), Vec<FuncId>>,
    /// The operators that mutants may have.
    operators: FxHashSet<Op>,
    /// The formula's own ways to apply operators beyond the standard.
    extensions: FxHashSet<Extension>,
    linear: bool,
}

/// Standard operators with their own syntax, which some solvers do not read; used only if the
/// formula has them.
const UNUSUAL: [Op; 2] = [ints::DIVISIBLE, strings::CHAR];

/// Maximum number of numbers that are tried as indices.
const MOST_INDICES: usize = 12;

/// Maximum number of sorts that are combined with each other.
const MOST_SORTS: usize = 10;

impl Vocabulary {
    /// Collects it from a formula; operators that may be used are added to its store. Operators that
    /// the readers of the mutants do not know are left out.
    pub(crate) fn new(base: &mut Base, unknown: &FxHashSet<Op>) -> Vocabulary {
        let store = &base.store;
        let all = store.postorder(&base.assertions);
        let linear = !all.iter().any(|&term| is_nonlinear(store, term));
        let used: FxHashSet<Op> =
            all.iter().filter_map(|&term| store.operator(term)).map(|(op, _)| op).collect();
        let common = |op: &Op| {
            let standard = op.row().origin == Origin::Standard && !UNUSUAL.contains(op);
            !unknown.contains(op) && (standard || used.contains(op))
        };
        let operators = Op::all().filter(common).collect();
        let mut vocabulary = Vocabulary {
            makers: FxHashMap::default(),
            leaves: FxHashMap::default(),
            constants: FxHashMap::default(),
            parts: FxHashMap::default(),
            alternatives: FxHashMap::default(),
            operators,
            extensions: all.iter().filter_map(|&term| extension(store, term)).collect(),
            linear,
        };
        let mut sorts: Vec<SortId> = vec![SortId::BOOL];
        for &term in &all {
            let sort = store.sort(term);
            if !sorts.contains(&sort) && sorts.len() < MOST_SORTS {
                sorts.push(sort);
            }
            // A pattern only stands in its quantifier.
            let is_free = !matches!(store.get(term), Term::Annotated(..));
            if is_free && !store.mentions_variables(term) {
                vocabulary.add_part(store, term);
            }
        }
        for command in &base.prelude {
            if let Command::DeclareFun(func) | Command::DeclareConst(func) = command {
                if let Func::Declared { params, result, .. } = store.func(*func) {
                    let known = sorts.contains(result) && params.iter().all(|p| sorts.contains(p));
                    if known && !params.is_empty() {
                        let args = params.to_vec();
                        let maker = Maker { func: *func, args, care: Care::Free };
                        vocabulary.makers.entry(*result).or_default().push(maker);
                    }
                }
            }
        }
        vocabulary.add_operators(&mut base.store, &sorts);
        let store = &mut base.store;
        for term in all {
            if let Some((_, args)) = store.operator(term) {
                let args: Vec<SortId> = args.iter().map(|&arg| store.sort(arg)).collect();
                let result = store.sort(term);
                vocabulary.add_alternatives(store, args, result);
            }
        }
        vocabulary
    }

    /// Whether mutants may apply operators so: as the standard does, or as the formula does.
    fn may_use(&self, extension: Option<Extension>) -> bool {
        extension.is_none_or(|extension| self.extensions.contains(&extension))
    }

    fn add_part(&mut self, store: &Store, term: TermId) {
        let sort = store.sort(term);
        self.parts.entry(sort).or_default().push(term);
        match store.get(term) {
            Term::Literal(_) => {
                self.constants.entry(sort).or_default().push(term);
                self.leaves.entry(sort).or_default().push(term);
            }
            Term::App(func, []) => {
                self.leaves.entry(sort).or_default().push(term);
                if matches!(store.func(func), Func::Op(..)) {
                    self.constants.entry(sort).or_default().push(term);
                }
            }
            _ => {}
        }
    }

    /// Every application of the table's operators to these sorts with a result in these sorts.
    fn add_operators(&mut self, store: &mut Store, sorts: &[SortId]) {
        // Typing may create sorts that the formula does not have; they stay here.
        let mut scratch = store.sorts.clone();
        // Few sorts give enough variety; trying tuples of many numbers would take long.
        let mut indices = indices(store, sorts, 2);
        indices.truncate(MOST_INDICES);
        for op in Op::all().filter(|op| self.operators.contains(op)).collect::<Vec<_>>() {
            let row = op.row();
            let mut arities: Vec<usize> = row.sigs.iter().map(|sig| sig.args.len()).collect();
            if takes_three(op) {
                arities.push(3);
            }
            arities.sort_unstable();
            arities.dedup();
            let counts: FxHashSet<u8> = row.sigs.iter().map(|sig| sig.indices.least()).collect();
            for count in counts {
                for indices in tuples(&indices, usize::from(count)) {
                    for &arity in &arities {
                        for args in tuples(sorts, arity) {
                            let typing = op.typing(&mut scratch, &indices, &args, None);
                            if let Some(result) = typing.ok().filter(|sort| sorts.contains(sort)) {
                                self.add_operator(store, sorts, (op, &indices), args, result);
                            }
                        }
                    }
                }
            }
        }
    }

    fn add_operator(
        &mut self,
        store: &mut Store,
        sorts: &[SortId],
        (op, indices): (Op, &[u64]),
        args: Vec<SortId>,
        result: SortId,
    ) {
        let over_languages = args.contains(&SortId::REGLAN);
        if op.theory() == Theory::Core && over_languages {
            return;
        }
        // Pure real logics do not have it.
        let foreign = op == reals::IS_INT && !sorts.contains(&SortId::INT);
        let extension = op.extension(&store.sorts, indices, &args);
        if foreign || !self.may_use(extension) {
            return;
        }
        let care = match op {
            ints::MUL if self.linear => Care::OneFactor,
            ints::DIV | ints::MOD | reals::DIVIDE if self.linear => Care::Divisor,
            _ if result == SortId::REGLAN || over_languages => Care::ConstantStrings,
            _ => Care::Free,
        };
        let func = store.op_func(op, indices);
        self.makers.entry(result).or_default().push(Maker { func, args, care });
    }

    /// The ways to build a term of a sort.
    pub(crate) fn makers(&self, sort: SortId) -> &[Maker] {
        self.makers.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// The functions that take a term of a sort, with the argument position.
    pub(crate) fn takers(&self, sort: SortId) -> impl Iterator<Item = (&Maker, usize)> {
        let takes = move |maker: &Maker| maker.args.iter().position(|&arg| arg == sort);
        let mut results: Vec<SortId> = self.makers.keys().copied().collect();
        // Choices must not depend on the order of a hash table.
        results.sort_unstable_by_key(|sort| sort.index());
        results
            .into_iter()
            .flat_map(|result| self.makers(result))
            .filter_map(move |maker| Some((maker, takes(maker)?)))
    }

    /// Its symbols and constants of a sort.
    pub(crate) fn leaves(&self, sort: SortId) -> &[TermId] {
        self.leaves.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// Its constants of a sort.
    pub(crate) fn constants(&self, sort: SortId) -> &[TermId] {
        self.constants.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// Its subterms of a sort.
    pub(crate) fn parts(&self, sort: SortId) -> &[TermId] {
        self.parts.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// Whether products have at most one factor that is not a constant.
    pub(crate) fn is_linear(&self) -> bool {
        self.linear
    }

    /// The functions that take arguments of these sorts to this one, if the formula has such an
    /// application.
    pub(crate) fn alternatives(&self, args: &[SortId], result: SortId) -> &[FuncId] {
        self.alternatives.get(&(args.into(), result)).map_or(&[], Vec::as_slice)
    }

    fn add_alternatives(&mut self, store: &mut Store, args: Vec<SortId>, result: SortId) {
        if args.is_empty() || self.alternatives.contains_key(&(args.clone(), result)) {
            return;
        }
        let mut found = Vec::new();
        for op in Op::all().filter(|op| self.operators.contains(op)) {
            let plain = op.row().sigs.iter().any(|sig| sig.indices.least() == 0);
            let languages = op.theory() == Theory::Core && args.contains(&SortId::REGLAN);
            let beyond =
                self.linear && matches!(op, ints::MUL | ints::DIV | ints::MOD | reals::DIVIDE);
            let unclear = args.len() > 2 && op.row().fold != Fold::Fixed && !takes_three(op);
            if !plain
                || languages
                || beyond
                || unclear
                || !self.may_use(op.extension(&store.sorts, &[], &args))
            {
                continue;
            }
            if op.typing(&mut store.sorts, &[], &args, None) == Ok(result) {
                found.push(store.op_func(op, &[]));
            }
        }
        self.alternatives.insert((args, result), found);
    }
}

/// What an application has beyond the standard.
fn extension(store: &Store, term: TermId) -> Option<Extension> {
    let Term::App(func, args) = store.get(term) else { return None };
    let Func::Op(op, indices) = store.func(func) else { return None };
    let args: Vec<SortId> = args.iter().map(|&arg| store.sort(arg)).collect();
    op.extension(&store.sorts, indices, &args)
}

/// Whether an operator with three arguments means the same to all solvers. They differ on
/// comparisons of three strings, and on bit-vector operators that the standard defines for two
/// arguments only, such as `bvxnor`.
fn takes_three(op: Op) -> bool {
    op.row().fold != Fold::Fixed
        && match op.theory() {
            Theory::Strings => op.row().fold == Fold::Left,
            Theory::BitVectors => matches!(op, bv::AND | bv::OR | bv::ADD | bv::MUL),
            _ => true,
        }
}

/// Every list of this length over the items.
#[must_use]
pub fn tuples<T: Copy>(items: &[T], count: usize) -> Vec<Vec<T>> {
    let mut all = vec![Vec::new()];
    for _ in 0..count {
        let longer = |list: &Vec<T>| -> Vec<Vec<T>> {
            items.iter().map(|&item| [list.as_slice(), &[item]].concat()).collect()
        };
        all = all.iter().flat_map(longer).collect();
    }
    all
}

/// Numbers worth trying as indices of operators over these sorts, in order: those up to a small one,
/// widths and their differences.
#[must_use]
pub fn indices(store: &Store, sorts: &[SortId], small: u64) -> Vec<u64> {
    let mut widths: Vec<u64> = Vec::new();
    let mut found: Vec<u64> = (0..=small).collect();
    for &sort in sorts {
        match store.sorts.get(sort) {
            Sort::BitVec(width) => widths.push(u64::from(*width)),
            Sort::Float(format) => {
                found.push(u64::from(format.exponent_bits()));
                found.push(u64::from(format.significand_bits()));
            }
            _ => {}
        }
    }
    for &width in &widths {
        found.extend([width, width - 1]);
        found.extend(widths.iter().map(|&other| width.abs_diff(other)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Whether a term is a product of two non-constant terms, or a quotient by such a term.
fn is_nonlinear(store: &Store, term: TermId) -> bool {
    let Some((op, args)) = store.operator(term) else { return false };
    let open = |term: &&TermId| !is_number(store, **term);
    match op {
        ints::MUL => args.iter().filter(open).count() > 1,
        ints::DIV | ints::MOD | reals::DIVIDE => args[1..].iter().any(|arg| open(&arg)),
        _ => false,
    }
}

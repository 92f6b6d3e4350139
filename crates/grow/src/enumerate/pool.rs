//! Pools: the sorts, variables, constants and operators that formulas are enumerated over.

use super::space::{Grammar, Head, Leaves, MOST_SIZE, Space, Tree};
use super::symmetry::{MOST_VARIABLES, counts};
use crate::numbering::GrowError;
use crate::plan::is_disputed;
use crate::signature::{Maker, Row, Signature, most_arguments};
use assay_smtlib::{Lets, read_term_as};
use assay_term::op::Law;
use assay_term::theories::Theory;
use assay_term::{Func, FuncId, Op, SortId, Store, Term, TermId};
use rustc_hash::FxHashSet;
use serde::Deserialize;

/// The pools that come with the program.
const TABLE: &str = include_str!("../../enumerated.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    pool: Vec<PoolRow>,
}

/// A pool as data.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PoolRow {
    pub(crate) name: String,
    /// What `--theory` calls it; its name if it is left out.
    #[serde(default)]
    theory: String,
    /// The greatest size of its formulas, unless `--size` gives another.
    size: usize,
    /// Declarations of sorts, datatypes and functions.
    #[serde(default)]
    prelude: String,
    sorts: Vec<SortRow>,
    /// Operators of the table by name, or all of a theory.
    operators: Vec<String>,
    /// Operators to leave out.
    #[serde(default)]
    without: Vec<String>,
    /// The indices that operators may have; those that fit the sorts if it is left out.
    indices: Option<Vec<u64>>,
}

/// A sort of a pool.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct SortRow {
    sort: String,
    #[serde(default)]
    variables: usize,
    #[serde(default)]
    constants: Vec<String>,
}

impl PoolRow {
    pub(crate) fn theory(&self) -> &str {
        if self.theory.is_empty() { &self.name } else { &self.theory }
    }
}

/// Reads the pools of a user's file, or those that come with the program.
pub(crate) fn pools(file: Option<&str>) -> Result<Vec<PoolRow>, GrowError> {
    let table: Result<Table, _> = toml::from_str(file.unwrap_or(TABLE));
    let wrong = |error: toml::de::Error| GrowError::Pool(error.to_string());
    Ok(table.map_err(wrong)?.pool)
}

/// The names of the theories in a pool's list of operators.
const THEORIES: [(&str, Theory); 15] = [
    ("core", Theory::Core),
    ("ints", Theory::Ints),
    ("reals", Theory::Reals),
    ("bitvectors", Theory::BitVectors),
    ("floats", Theory::Floats),
    ("arrays", Theory::Arrays),
    ("strings", Theory::Strings),
    ("regex", Theory::Regex),
    ("sequences", Theory::Sequences),
    ("functions", Theory::Functions),
    ("ff", Theory::FiniteFields),
    ("sets", Theory::Sets),
    ("bags", Theory::Bags),
    ("relations", Theory::Relations),
    ("nullables", Theory::Nullables),
];

/// The operators that these names mean.
fn operators(names: &[String]) -> Result<FxHashSet<Op>, GrowError> {
    let mut found = FxHashSet::default();
    for name in names {
        let theory = THEORIES.iter().find(|(known, _)| known == name);
        match (theory, Op::by_name(name)) {
            (Some((_, theory)), _) => found.extend(Op::all().filter(|op| op.theory() == *theory)),
            (None, Some(op)) => drop(found.insert(op)),
            (None, None) => {
                let known = THEORIES.map(|(name, _)| name).join(", ");
                return Err(GrowError::Pool(format!(
                    "there is no operator `{name}`, and no theory of that name; theories are {known}"
                )));
            }
        }
    }
    Ok(found)
}

/// A pool with its terms, numbered.
pub(crate) struct Pool {
    pub(crate) name: String,
    pub(crate) theory: String,
    /// The greatest size of its formulas.
    pub(crate) size: usize,
    pub(crate) signature: Signature,
    /// What is applied, in the order of the grammar's heads.
    makers: Vec<Maker>,
    /// The leaves of each sort, variables first.
    leaves: Vec<Vec<TermId>>,
    space: Space,
    /// The position of the sort of formulas.
    formulas: usize,
}

impl Pool {
    /// Prepares a pool; a size and operators may be given in place of its own.
    pub(crate) fn new(
        row: &PoolRow,
        size: Option<usize>,
        only: &[String],
    ) -> Result<Pool, GrowError> {
        let wrong = |words: String| GrowError::Pool(format!("pool {}: {words}", row.name));
        let size = size.unwrap_or(row.size);
        if size > MOST_SIZE {
            return Err(wrong(format!("the size {size} is more than {MOST_SIZE}")));
        }
        let most = row.sorts.iter().map(|sort| sort.variables).max().unwrap_or(0);
        if most > MOST_VARIABLES {
            return Err(wrong(format!(
                "there are {most} variables of a sort; {MOST_VARIABLES} are possible"
            )));
        }
        let mut admitted = operators(&row.operators)?;
        let left_out = operators(&row.without)?;
        admitted.retain(|op| !left_out.contains(op));
        if !only.is_empty() {
            let chosen = operators(only)?;
            admitted.retain(|op| chosen.contains(op));
        }
        let of_signature = Row {
            name: row.name.clone(),
            category: String::new(),
            prelude: row.prelude.clone(),
            sorts: row.sorts.iter().map(|sort| sort.sort.clone()).collect(),
            constants: Vec::new(),
            simple: 0,
            rules: Vec::new(),
            beyond: Vec::new(),
            readers: Vec::new(),
        };
        // A sort without a variable has one that no term mentions, so that it is known.
        let avoided: FxHashSet<Op> = Op::all().filter(|op| !admitted.contains(op)).collect();
        let mut signature =
            Signature::new(&of_signature, most.max(1), &avoided).map_err(GrowError::Signature)?;
        let sorts = signature.sorts().to_vec();
        if sorts.len() != row.sorts.len() {
            return Err(wrong("a sort is listed twice".to_owned()));
        }
        let Some(formulas) = sorts.iter().position(|sort| *sort == SortId::BOOL) else {
            return Err(wrong("formulas need the sort Bool".to_owned()));
        };
        let mut leaves = Vec::new();
        for (&sort, of) in sorts.iter().zip(&row.sorts) {
            let mut own = signature.variables(sort)[..of.variables].to_vec();
            own.extend(signature.constants(sort));
            for text in &of.constants {
                let Signature { store, env, .. } = &mut signature;
                let term = read_term_as(store, env, text, Lets::Expand)
                    .map_err(|error| wrong(format!("the constant {text}: {error}")))?;
                if store.sort(term) != sort {
                    return Err(wrong(format!("the constant {text} is not of sort {}", of.sort)));
                }
                if !own.contains(&term) {
                    own.push(term);
                }
            }
            leaves.push(own);
        }
        let makers = applied(&signature, &sorts, row.indices.as_deref());
        let place = |sort: &SortId| sorts.iter().position(|known| known == sort);
        let head = |maker: &Maker| {
            Some(Head {
                result: place(&maker.result)?,
                args: maker.args.iter().map(place).collect::<Option<_>>()?,
                commutes: commutes(&signature.store, maker),
            })
        };
        // A function may take a sort that has no terms here; it is never applied.
        let (makers, heads) = makers.into_iter().filter_map(|m| Some((head(&m)?, m))).fold(
            (Vec::new(), Vec::new()),
            |(mut makers, mut heads), (head, maker)| {
                makers.push(maker);
                heads.push(head);
                (makers, heads)
            },
        );
        let leaf = |(own, of): (&Vec<TermId>, &SortRow)| Leaves {
            variables: of.variables,
            constants: own.len() - of.variables,
        };
        let grammar = Grammar { leaves: leaves.iter().zip(&row.sorts).map(leaf).collect(), heads };
        let space = Space::new(grammar, size)
            .ok_or_else(|| wrong(format!("there are too many formulas of size {size}")))?;
        let (name, theory) = (row.name.clone(), row.theory().to_owned());
        Ok(Pool { name, theory, size, signature, makers, leaves, space, formulas })
    }

    /// The number of formulas of a size, with those that differ only in the names of variables.
    pub(crate) fn numbers(&self, size: usize) -> u128 {
        self.space.count(self.formulas, size)
    }

    /// The number of formulas of each size, up to the names of variables.
    pub(crate) fn counts(&self) -> Option<Vec<u128>> {
        counts(self.space.grammar(), self.size).map(|mut counts| counts.swap_remove(self.formulas))
    }

    /// The number of operators and functions that formulas may have.
    pub(crate) fn operators(&self) -> usize {
        let functions = self.makers.iter().map(|maker| maker.func);
        let declared: FxHashSet<FuncId> =
            functions.filter(|&func| self.op(func).is_none()).collect();
        self.table().count() + declared.len()
    }

    /// The operators of the table that formulas may have, constants included.
    pub(crate) fn table(&self) -> impl Iterator<Item = Op> {
        let store = &self.signature.store;
        let constant = |&leaf: &TermId| store.operator(leaf).map(|(op, _)| op);
        let constants = self.leaves.iter().flatten().filter_map(constant);
        let applied = self.makers.iter().filter_map(|maker| self.op(maker.func));
        applied.chain(constants).collect::<FxHashSet<Op>>().into_iter()
    }

    fn op(&self, func: FuncId) -> Option<Op> {
        match self.signature.store.func(func) {
            Func::Op(op, _) => Some(*op),
            _ => None,
        }
    }

    /// Whether the formula of a number stands for those that differ from it in the names of variables.
    pub(crate) fn is_first(&self, size: usize, number: u128) -> bool {
        self.space.is_first(&self.space.term(self.formulas, size, number))
    }

    /// The formula of a number, if it stands for those that differ from it in the names of variables.
    pub(crate) fn formula(&self, store: &mut Store, size: usize, number: u128) -> Option<TermId> {
        let tree = self.space.term(self.formulas, size, number);
        self.space.is_first(&tree).then(|| self.build(store, &tree))
    }

    fn build(&self, store: &mut Store, tree: &Tree) -> TermId {
        match tree {
            Tree::Leaf { sort, number } => self.leaves[*sort][*number],
            Tree::Node { args, .. } => {
                let head = self.space.head(tree).expect("it is an application");
                let built: Vec<TermId> = args.iter().map(|arg| self.build(store, arg)).collect();
                let Maker { func, ascribed, .. } = self.makers[head];
                store.app_as(func, &built, ascribed).expect("its arguments have the right sorts")
            }
        }
    }
}

/// Everything that is applied, with the indices of a pool.
fn applied(signature: &Signature, sorts: &[SortId], indices: Option<&[u64]>) -> Vec<Maker> {
    let mut found = Vec::new();
    for producer in sorts.iter().flat_map(|&sort| signature.producers(sort)) {
        for maker in &producer.makers {
            let fits = match signature.store.func(maker.func) {
                // More arguments are an abbreviation.
                Func::Op(op, own) => {
                    maker.args.len() <= most_arguments(*op)
                        && indices.is_none_or(|known| own.iter().all(|index| known.contains(index)))
                }
                _ => true,
            };
            if fits && !is_disputed(producer.key, maker) {
                found.push(maker.clone());
            }
        }
    }
    found
}

/// Whether it is a commutative operator with two arguments of one sort.
fn commutes(store: &Store, maker: &Maker) -> bool {
    match (store.func(maker.func), &maker.args[..]) {
        (Func::Op(op, _), [a, b]) => a == b && op.row().laws.contains(&Law::Commutative),
        _ => false,
    }
}

/// The declared symbols of a term, in their order.
pub(crate) fn symbols(store: &Store, term: TermId) -> Vec<FuncId> {
    let mut found: Vec<FuncId> = Vec::new();
    for part in store.postorder(&[term]) {
        if let Term::App(func, _) = store.get(part) {
            if matches!(store.func(func), Func::Declared { .. }) && !found.contains(&func) {
                found.push(func);
            }
        }
    }
    found.sort_unstable();
    found
}

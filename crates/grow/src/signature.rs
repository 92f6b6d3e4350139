//! Small signatures: few sorts, and every application of the operator table that stays within them.
//!
//! There is no list of operators here: the table's own typing decides. Functions are grouped by
//! operator, so that a rare operator is drawn as often as one that fits many sorts.

use assay_forge::rules::simple_values;
use assay_mutate::{indices, tuples};
use assay_smtlib::{Command, Environment, Lets, ReadError, read_script, read_term_as};
use assay_term::op::{Fold, Indices, Mismatch, Origin};
use assay_term::theories::{Theory, arrays, bv, core, fp, functions, ints, regex, seq, strings};
use assay_term::{Func, FuncId, Model, Op, Sort, SortDeclId, SortId, Sorts, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

/// Simple values of each sort that are constants, where a table does not say how many.
fn usual_constants() -> usize {
    24
}

/// An application with more combinations of argument sorts is left out.
const MOST_COMBINATIONS: usize = 20_000;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    signature: Vec<Row>,
}

/// A signature as data.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The category of the cases over it, where a table has categories.
    #[serde(default)]
    pub category: String,
    /// Declarations of sorts and functions.
    #[serde(default)]
    pub prelude: String,
    /// The sorts of variables.
    pub sorts: Vec<String>,
    /// Terms that are used like the simple values of their sorts.
    #[serde(default)]
    pub constants: Vec<String>,
    /// The number of simple values of each sort that are constants.
    #[serde(default = "usual_constants")]
    pub simple: usize,
    /// The tables of rules whose terms are instantiated over it.
    #[serde(default)]
    pub rules: Vec<String>,
    /// Operators beyond the standard that are used like those of the standard: some, by name.
    #[serde(default)]
    pub beyond: Vec<String>,
    /// The same: all that these solvers read.
    #[serde(default)]
    pub readers: Vec<String>,
}

/// The signatures of a table.
///
/// # Errors
/// Where the table is wrong.
pub fn rows(table: &str) -> Result<Vec<Row>, toml::de::Error> {
    toml::from_str::<Table>(table).map(|table| table.signature)
}

/// A way to make a term: a function and the sorts of its arguments.
#[derive(Clone, Debug)]
pub struct Maker {
    /// The function.
    pub func: FuncId,
    /// The sort of the term.
    pub result: SortId,
    /// The sorts of its arguments.
    pub args: Vec<SortId>,
    /// The sort to ascribe to it, if it needs one.
    pub ascribed: Option<SortId>,
    /// How many solvers read it.
    pub usage: Usage,
}

/// How many solvers read an application.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Usage {
    /// Most that know its theory.
    Common,
    /// Few: it is not in the standard, or equates languages.
    Rare,
}

/// The ways to apply one operator.
#[derive(Clone, Debug)]
pub struct Producer {
    /// What is applied.
    pub key: Key,
    /// The argument sorts to choose from.
    pub makers: Vec<Maker>,
}

/// What is drawn before its argument sorts are.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Key {
    /// An operator, with any indices.
    Op(Op),
    /// A declared function, a constructor, a selector or a tester.
    Func(FuncId),
}

/// Sorts, variables, constants and functions over a store.
pub struct Signature {
    /// Its name.
    pub name: String,
    /// The store of its terms.
    pub store: Store,
    /// What its symbols stand for.
    pub env: Environment,
    /// Its declarations.
    pub declarations: Vec<Command>,
    /// Every operator that can be at the root of a term.
    pub roots: Vec<Producer>,
    sorts: Vec<SortId>,
    producers: FxHashMap<SortId, Vec<Producer>>,
    variables: FxHashMap<SortId, Vec<TermId>>,
    constants: FxHashMap<SortId, Vec<TermId>>,
}

impl Signature {
    /// Reads a signature with a number of variables of each sort; operators to avoid are left out.
    ///
    /// # Errors
    /// Where a declaration or a sort cannot be read.
    pub fn new(row: &Row, count: usize, avoid: &FxHashSet<Op>) -> Result<Signature, String> {
        let mut store = Store::new();
        let mut text = row.prelude.clone();
        for (sort, name) in row.sorts.iter().enumerate() {
            for variable in 0..count {
                text.push_str(&format!(
                    "(declare-const {} {name})\n",
                    variable_name(sort, variable)
                ));
            }
        }
        let wrong = |error: ReadError| format!("signature {}: {error}", row.name);
        let (script, mut env) =
            read_script(&mut store, text.as_bytes(), Lets::Expand).map_err(wrong)?;
        let constants: Vec<TermId> = row
            .constants
            .iter()
            .map(|text| read_term_as(&mut store, &mut env, text, Lets::Expand).map_err(wrong))
            .collect::<Result<_, _>>()?;
        let declarations = script.commands.clone();
        let mut signature = Signature {
            name: row.name.clone(),
            store,
            env,
            declarations: script.commands,
            roots: Vec::new(),
            sorts: Vec::new(),
            producers: FxHashMap::default(),
            variables: FxHashMap::default(),
            constants: FxHashMap::default(),
        };
        let sorts = signature.add_declared(&declarations);
        signature.add_operators(&sorts, avoid, row);
        for &sort in &sorts {
            signature.add_constants(sort, row.simple);
        }
        for term in constants {
            let sort = signature.store.sort(term);
            signature.constants.entry(sort).or_default().push(term);
        }
        signature.keep_own_roots(&sorts);
        signature.sorts = sorts;
        Ok(signature)
    }

    /// Leaves out roots over truth values and integers alone where there are other sorts: signatures of
    /// their own have them.
    fn keep_own_roots(&mut self, sorts: &[SortId]) {
        let is_own = |sort: &SortId| ![SortId::BOOL, SortId::INT].contains(sort);
        if !sorts.iter().any(is_own) {
            return;
        }
        let producers = &self.producers;
        let yields_own = |key: Key| {
            let mut own = producers.iter().filter(|(sort, _)| is_own(sort));
            own.any(|(_, producers)| producers.iter().any(|producer| producer.key == key))
        };
        for root in &mut self.roots {
            if !yields_own(root.key) {
                root.makers.retain(|maker| maker.args.iter().any(is_own));
            }
        }
        self.roots.retain(|root| !root.makers.is_empty());
    }

    /// Adds variables and declared functions, and returns the sorts of the variables.
    fn add_declared(&mut self, commands: &[Command]) -> Vec<SortId> {
        let mut sorts = Vec::new();
        for command in commands {
            match command {
                Command::DeclareConst(func) => {
                    let term = self.store.app(*func, &[]).expect("a declared constant");
                    let sort = self.store.sort(term);
                    if !sorts.contains(&sort) {
                        sorts.push(sort);
                    }
                    self.variables.entry(sort).or_default().push(term);
                }
                Command::DeclareFun(func) => {
                    if let Func::Declared { params, result, .. } = self.store.func(*func) {
                        let (args, result) = (params.to_vec(), *result);
                        self.add(Key::Func(*func), Maker::new(*func, args, result));
                    }
                }
                Command::DeclareDatatypes(group, _) => {
                    group.iter().for_each(|&decl| self.add_datatype(decl));
                }
                _ => {}
            }
        }
        sorts
    }

    /// Adds constructors, selectors and testers of a datatype without parameters.
    fn add_datatype(&mut self, decl: SortDeclId) {
        let sort = self.store.sorts.intern(Sort::Declared(decl, Box::new([])));
        let Some(datatype) = self.store.sorts.decl(decl).datatype.clone() else { return };
        for (number, constructor) in (0u32..).zip(&datatype.constructors) {
            let fields: Vec<SortId> = constructor.fields.iter().map(|&(_, sort)| sort).collect();
            for (field, &result) in (0u32..).zip(&fields) {
                let func = self.store.intern_func(Func::Selector(decl, number, field));
                self.add(Key::Func(func), Maker::new(func, vec![sort], result));
            }
            let tester = self.store.intern_func(Func::Tester(decl, number));
            self.add(Key::Func(tester), Maker::new(tester, vec![sort], SortId::BOOL));
            let func = self.store.intern_func(Func::Constructor(decl, number));
            self.add(Key::Func(func), Maker::new(func, fields, sort));
        }
    }

    fn add(&mut self, key: Key, maker: Maker) {
        let result = maker.result;
        if maker.args.is_empty() {
            if let Ok(term) = self.store.app_as(maker.func, &[], maker.ascribed) {
                self.constants.entry(result).or_default().push(term);
            }
            return;
        }
        for producers in [&mut self.roots, self.producers.entry(result).or_default()] {
            match producers.iter_mut().find(|producer| producer.key == key) {
                Some(producer) => producer.makers.push(maker.clone()),
                None => producers.push(Producer { key, makers: vec![maker.clone()] }),
            }
        }
    }

    /// Every application of the table's operators to these sorts that has one of these sorts.
    fn add_operators(&mut self, sorts: &[SortId], avoid: &FxHashSet<Op>, row: &Row) {
        // Typing may make sorts that the signature does not have; they stay here.
        let mut scratch = self.store.sorts.clone();
        let indices = indices(&self.store, sorts, 3);
        for op in Op::all().filter(|op| !avoid.contains(op)) {
            for (indices, args) in combinations(op, &indices, sorts) {
                for (result, ascribed) in results(op, &mut scratch, &indices, &args, sorts) {
                    let whole = args.iter().copied().chain([result]);
                    if is_misnamed(&self.store, op, &indices, whole) {
                        continue;
                    }
                    let usage = usage(&self.store, op, &indices, &args, row);
                    let func = self.store.op_func(op, &indices);
                    let args = args.clone();
                    self.add(Key::Op(op), Maker { func, result, args, ascribed, usage });
                }
            }
        }
    }

    fn add_constants(&mut self, sort: SortId, most: usize) {
        let values = simple_values(&self.store, &Model::new(), sort, most);
        let terms: Vec<TermId> =
            values.iter().filter_map(|value| self.store.value(value)).collect();
        let known = self.constants.entry(sort).or_default();
        for term in terms {
            if !known.contains(&term) {
                known.push(term);
            }
        }
    }

    /// Its sorts.
    #[must_use]
    pub fn sorts(&self) -> &[SortId] {
        &self.sorts
    }

    /// The operators that yield a sort.
    #[must_use]
    pub fn producers(&self, sort: SortId) -> &[Producer] {
        self.producers.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// The variables of a sort.
    #[must_use]
    pub fn variables(&self, sort: SortId) -> &[TermId] {
        self.variables.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// The constants of a sort.
    #[must_use]
    pub fn constants(&self, sort: SortId) -> &[TermId] {
        self.constants.get(&sort).map_or(&[], Vec::as_slice)
    }
}

/// The greatest number of arguments in a signature of an operator; more are an abbreviation.
pub(crate) fn most_arguments(op: Op) -> usize {
    op.row().sigs.iter().map(|sig| sig.args.len()).max().unwrap_or(0)
}

impl Producer {
    /// The ways to apply it that do not abbreviate several applications.
    pub fn plain(&self) -> impl Iterator<Item = &Maker> {
        let most = match self.key {
            Key::Op(op) => most_arguments(op),
            Key::Func(_) => usize::MAX,
        };
        self.makers.iter().filter(move |maker| maker.args.len() <= most)
    }

    /// Whether some application of the operator has this sort.
    #[must_use]
    pub fn yields(&self, sort: SortId) -> bool {
        self.makers.iter().any(|maker| maker.result == sort)
    }
}

impl Maker {
    fn new(func: FuncId, args: Vec<SortId>, result: SortId) -> Maker {
        Maker { func, result, args, ascribed: None, usage: Usage::Common }
    }
}

/// Standard operators that some solvers do not read, or only over values.
const UNUSUAL: [Op; 3] = [ints::DIVISIBLE, strings::CHAR, arrays::CONST];

/// Whether an operator is in the standard and most solvers read it.
pub(crate) fn is_usual(op: Op) -> bool {
    op.row().origin == Origin::Standard && !UNUSUAL.contains(&op)
}

/// How many solvers read an application of an operator.
fn usage(store: &Store, op: Op, indices: &[u64], args: &[SortId], row: &Row) -> Usage {
    let known = match op.row().origin {
        Origin::Standard => is_usual(op),
        Origin::Extension(who) if !row.readers.is_empty() => {
            let who: Vec<&str> = who.split(", ").collect();
            row.readers.iter().all(|reader| who.contains(&reader.as_str()))
        }
        _ => row.beyond.iter().any(|name| name == op.name()),
    };
    let equates = matches!(op, core::EQ | core::DISTINCT | core::ITE);
    let is_plain = !(equates && args.contains(&SortId::REGLAN));
    let chained =
        op.theory() == Theory::Strings && op != strings::CONCAT && args.len() > most_arguments(op);
    match known && is_plain && !chained && op.extension(&store.sorts, indices, args).is_none() {
        true => Usage::Common,
        false => Usage::Rare,
    }
}

/// A name that no operator has.
fn variable_name(sort: usize, variable: usize) -> String {
    let letter = char::from(b'a' + u8::try_from(sort % 26).unwrap_or(0));
    format!("{letter}{variable}")
}

/// The indices and argument sorts to try for an operator.
fn combinations(op: Op, indices: &[u64], sorts: &[SortId]) -> Vec<(Vec<u64>, Vec<SortId>)> {
    let row = op.row();
    let mut arities: Vec<usize> = row.sigs.iter().map(|sig| sig.args.len()).collect();
    if takes_three(op) {
        arities.push(3);
    }
    arities.sort_unstable();
    arities.dedup();
    // Operators over lists of columns have signatures of their own kind.
    let counts: FxHashSet<usize> = row
        .sigs
        .iter()
        .filter_map(|sig| match sig.indices {
            Indices::Exactly(count) => Some(usize::from(count)),
            Indices::Any => None,
        })
        .collect();
    let mut found = Vec::new();
    for count in counts {
        for &arity in &arities {
            if is_strange(op, count, arity) || sorts.len().pow(arity as u32) > MOST_COMBINATIONS {
                continue;
            }
            let all = tuples(sorts, arity);
            for indices in tuples(indices, count) {
                found.extend(all.iter().map(|args| (indices.clone(), args.clone())));
            }
        }
    }
    found
}

/// The sorts that an application can have among these, with what has to be ascribed for it.
fn results(
    op: Op,
    scratch: &mut Sorts,
    indices: &[u64],
    args: &[SortId],
    sorts: &[SortId],
) -> Vec<(SortId, Option<SortId>)> {
    match op.typing(scratch, indices, args, None) {
        Ok(result) if sorts.contains(&result) => vec![(result, None)],
        Err(Mismatch::NeedsAscription) => sorts
            .iter()
            .filter(|&&sort| op.typing(scratch, indices, args, Some(sort)) == Ok(sort))
            .map(|&sort| (sort, Some(sort)))
            .collect(),
        _ => Vec::new(),
    }
}

/// Whether the standard has no application of this operator with so many indices to so many arguments,
/// though the table allows it.
fn is_strange(op: Op, indices: usize, arity: usize) -> bool {
    match op {
        strings::INDEXOF | seq::INDEXOF => arity == 2,
        regex::LOOP => indices != 2,
        fp::TO_FP => arity == 3,
        // Nothing is known of an order but that it is one.
        functions::PARTIAL_ORDER
        | functions::LINEAR_ORDER
        | functions::TREE_ORDER
        | functions::PIECEWISE_LINEAR_ORDER => true,
        _ => arity == 1 && op.row().fold != Fold::Fixed && op != ints::SUB,
    }
}

/// Whether solvers disagree on the names of operators on these sorts: those on strings have other names
/// than those on sequences, and a conjunction of no bits has no meaning.
fn is_misnamed(
    store: &Store,
    op: Op,
    indices: &[u64],
    sorts: impl Iterator<Item = SortId>,
) -> bool {
    let mut sorts = sorts.map(|sort| store.sorts.get(sort));
    match op.theory() {
        Theory::Strings => sorts.any(|sort| matches!(sort, Sort::Seq(_))),
        Theory::Sequences => sorts.any(|sort| *sort == Sort::String),
        Theory::Ints => op == ints::IAND && indices == [0],
        _ => false,
    }
}

/// Whether three arguments of an operator mean the same to all solvers.
fn takes_three(op: Op) -> bool {
    let fold = op.row().fold;
    match op.theory() {
        _ if fold == Fold::Fixed => false,
        Theory::Strings => op == strings::CONCAT,
        Theory::BitVectors => matches!(op, bv::AND | bv::OR | bv::ADD | bv::MUL),
        _ => true,
    }
}

/// Whether a term is a constant as it is written: it mentions nothing that is declared.
#[must_use]
pub fn is_ground(store: &Store, term: TermId) -> bool {
    store.postorder(&[term]).into_iter().all(|part| match store.get(part) {
        Term::App(func, _) => !matches!(store.func(func), Func::Declared { .. }),
        Term::Literal(_) => true,
        _ => false,
    })
}

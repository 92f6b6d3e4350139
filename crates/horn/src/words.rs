//! What systems are made of: sorts, operations on them, and random terms.

use assay_mutate::Draw;
use assay_smtlib::{Command, Environment, Lets, read_script};
use assay_term::bitvec::BitVec;
use assay_term::eval::EvalContext;
use assay_term::theories::{core, ints};
use assay_term::{FuncId, Int, Model, Sort, SortId, Store, Term, TermId, Value};
use num_rational::BigRational;
use serde::Deserialize;
use std::sync::Arc;

/// The vocabularies that come with the program.
const TABLE: &str = include_str!("../vocabularies.toml");

/// Why a table of vocabularies cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("vocabularies.toml: {0}")]
pub struct WordsError(String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    vocabulary: Vec<Row>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    name: String,
    #[serde(default)]
    declarations: String,
    sorts: Vec<String>,
    operations: Vec<Operation>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Operation {
    head: String,
    args: Vec<String>,
}

/// A function that terms apply.
pub struct Maker {
    /// The function as terms have it.
    pub func: FuncId,
    /// The sorts of its arguments.
    pub args: Vec<SortId>,
    /// The sort of its result.
    pub result: SortId,
}

/// A vocabulary.
pub struct Words {
    /// Its name.
    pub name: String,
    /// The store with its sorts.
    pub store: Store,
    pub(crate) env: Arc<Environment>,
    /// The declarations of its datatypes.
    pub declarations: Vec<Command>,
    /// The sorts of variables; one that stands several times is drawn more often.
    pub sorts: Vec<SortId>,
    /// Its operations.
    pub makers: Vec<Maker>,
}

/// Every vocabulary.
pub(crate) fn vocabularies() -> Result<Vec<Words>, WordsError> {
    Words::table(TABLE)
}

impl Words {
    /// Every vocabulary of a table.
    ///
    /// # Errors
    /// If one of them cannot be read.
    pub fn table(text: &str) -> Result<Vec<Words>, WordsError> {
        let table: Table = toml::from_str(text).map_err(|error| WordsError(error.to_string()))?;
        table.vocabulary.iter().map(Words::read).collect()
    }

    /// Reads a row: an assertion for each sort and each operation tells what the words mean.
    fn read(row: &Row) -> Result<Words, WordsError> {
        let mut text = format!("{}\n", row.declarations);
        for sort in &row.sorts {
            text += &format!("(assert (exists ((x {sort})) (= x x)))\n");
        }
        for operation in &row.operations {
            let bound: String = (0..)
                .zip(&operation.args)
                .map(|(at, sort): (usize, _)| format!("(x{at} {sort})"))
                .collect();
            let names: String = (0..operation.args.len()).map(|at| format!(" x{at}")).collect();
            text += &match operation.args.is_empty() {
                true => format!("(assert (= {0} {0}))\n", operation.head),
                false => format!(
                    "(assert (exists ({bound}) (= ({0}{names}) ({0}{names}))))\n",
                    operation.head
                ),
            };
        }
        let mut store = Store::new();
        let (script, env) = read_script(&mut store, text.as_bytes(), Lets::Keep)
            .map_err(|error| WordsError(format!("{}: {error}", row.name)))?;
        let (mut declarations, mut sides) = (Vec::new(), Vec::new());
        for command in script.commands {
            match command {
                Command::Assert(term) => {
                    let equation = match store.get(term) {
                        Term::Quant(_, _, body) => body,
                        _ => term,
                    };
                    sides.push(store.children(equation)[0]);
                }
                other => declarations.push(other),
            }
        }
        let makers = sides.split_off(row.sorts.len());
        let sorts = sides.into_iter().map(|side| store.sort(side)).collect();
        let maker = |side: TermId| match store.get(side) {
            Term::App(func, args) => Some(Maker {
                func,
                args: args.iter().map(|&arg| store.sort(arg)).collect(),
                result: store.sort(side),
            }),
            _ => None,
        };
        let makers: Option<Vec<Maker>> = makers.into_iter().map(maker).collect();
        let makers = makers.ok_or_else(|| WordsError(format!("{}: not an operation", row.name)))?;
        Ok(Words { name: row.name.clone(), store, env: Arc::new(env), declarations, sorts, makers })
    }

    /// A sort of variables.
    pub fn sort(&self, draw: &mut Draw) -> SortId {
        *draw.of(&self.sorts).expect("a vocabulary has sorts")
    }

    /// A random term over these variables, at most this deep; a constant if there is no variable.
    pub fn term(
        &self,
        store: &mut Store,
        draw: &mut Draw,
        sort: SortId,
        over: &[TermId],
        depth: u32,
    ) -> TermId {
        let makers: Vec<&Maker> = self
            .makers
            .iter()
            .filter(|maker| maker.result == sort && !maker.args.is_empty())
            .collect();
        if depth > 0 && !makers.is_empty() && !draw.one_in(4) {
            let maker = draw.of(&makers).expect("there are some");
            let args: Vec<TermId> = maker
                .args
                .iter()
                .map(|&sort| self.term(store, draw, sort, over, depth - 1))
                .collect();
            let made = store.app(maker.func, &args);
            if let Ok(term) = made.or_else(|_| store.app_as(maker.func, &args, Some(sort))) {
                return term;
            }
        }
        let own: Vec<TermId> = over.iter().copied().filter(|&v| store.sort(v) == sort).collect();
        match draw.of(&own) {
            Some(&variable) if !draw.one_in(4) => variable,
            _ => self.constant(store, draw, sort),
        }
    }

    /// A random value as a term.
    pub fn constant(&self, store: &mut Store, draw: &mut Draw, sort: SortId) -> TermId {
        let value = match store.sorts.get(sort) {
            Sort::Bool => Value::Bool(draw.one_in(2)),
            Sort::Int => Value::Int(integer(draw).into()),
            Sort::Real => {
                let half = if draw.one_in(3) { 2 } else { 1 };
                Value::rational(BigRational::new(integer(draw).into(), half.into()))
            }
            Sort::BitVec(width) => {
                let bits = match draw.below(4) {
                    0 => u64::MAX >> draw.below(64),
                    1 => 1 << draw.below(64),
                    _ => draw.below(16) as u64,
                };
                Value::BitVec(BitVec::from_u64(*width, bits))
            }
            _ => {
                let constants: Vec<FuncId> = self
                    .makers
                    .iter()
                    .filter(|maker| maker.result == sort && maker.args.is_empty())
                    .map(|maker| maker.func)
                    .collect();
                if let Some(&func) = draw.of(&constants) {
                    if let Ok(term) = store.app(func, &[]) {
                        return term;
                    }
                }
                let nothing = Model::new();
                let value = EvalContext::new(store, &nothing).default_value(sort);
                value.expect("a sort of a vocabulary has values")
            }
        };
        store.value(&value).expect("values of these sorts can be written")
    }

    /// A random formula over variables.
    pub fn formula(&self, store: &mut Store, draw: &mut Draw, over: &[TermId]) -> TermId {
        let first = self.atom(store, draw, over);
        if !draw.one_in(4) {
            return first;
        }
        let second = self.atom(store, draw, over);
        let op = if draw.one_in(2) { core::OR } else { core::AND };
        store.op(op, &[first, second]).expect("both are formulas")
    }

    fn atom(&self, store: &mut Store, draw: &mut Draw, over: &[TermId]) -> TermId {
        let numbers: Vec<TermId> = over.iter().copied().filter(|&v| is_number(store, v)).collect();
        if let Some(&number) = draw.of(&numbers) {
            if draw.one_in(2) {
                return self.comparison(store, draw, number);
            }
        }
        let depth = 1 + draw.below(2) as u32;
        let atom = self.term(store, draw, SortId::BOOL, over, depth);
        let is_constant = !store.mentions_variables(atom);
        match draw.of(over) {
            Some(&variable) if is_constant => {
                let constant = self.constant(store, draw, store.sort(variable));
                let equation = store.op(core::EQ, &[variable, constant]).expect("of one sort");
                self.negated(store, draw, equation)
            }
            _ => self.negated(store, draw, atom),
        }
    }

    fn negated(&self, store: &mut Store, draw: &mut Draw, atom: TermId) -> TermId {
        match draw.one_in(3) {
            true => not(store, atom),
            false => atom,
        }
    }

    /// A number compared with a constant, or its remainder.
    pub(crate) fn comparison(&self, store: &mut Store, draw: &mut Draw, number: TermId) -> TermId {
        if store.sort(number) == SortId::INT && draw.one_in(4) {
            let divisor = 2 + draw.below(4) as i64;
            let rest = draw.below(divisor as usize) as i64;
            return remainder(store, number, divisor, rest);
        }
        let constant = self.constant(store, draw, store.sort(number));
        let ops = [ints::LT, ints::LE, ints::GT, ints::GE, core::EQ];
        let op = *draw.of(&ops).expect("there are some");
        store.op(op, &[number, constant]).expect("of one sort")
    }
}

/// A small integer more often than a large one.
fn integer(draw: &mut Draw) -> i64 {
    match draw.below(8) {
        0..=3 => draw.below(4) as i64,
        4 | 5 => draw.below(21) as i64 - 5,
        6 => -1 - draw.below(3) as i64,
        _ => draw.below(1000) as i64,
    }
}

/// `(= (mod number divisor) rest)`.
pub(crate) fn remainder(store: &mut Store, number: TermId, divisor: i64, rest: i64) -> TermId {
    let [divisor, rest] = [divisor, rest].map(|n| store.int(&Int::from(n)));
    let remainder = store.op(ints::MOD, &[number, divisor]).expect("integers");
    store.op(core::EQ, &[remainder, rest]).expect("integers")
}

/// Whether a term is an integer or a real.
pub fn is_number(store: &Store, term: TermId) -> bool {
    matches!(store.sort(term), SortId::INT | SortId::REAL)
}

/// The negation of a formula.
pub fn not(store: &mut Store, formula: TermId) -> TermId {
    store.op(core::NOT, &[formula]).expect("a formula")
}

/// A conjunction.
pub fn and(store: &mut Store, formulas: &[TermId]) -> TermId {
    match formulas {
        [] => store.bool(true),
        &[only] => only,
        _ => store.op(core::AND, formulas).expect("formulas"),
    }
}

/// A disjunction.
pub fn or(store: &mut Store, formulas: &[TermId]) -> TermId {
    match formulas {
        [] => store.bool(false),
        &[only] => only,
        _ => store.op(core::OR, formulas).expect("formulas"),
    }
}

//! What quantified formulas are made of: finite sorts with all their values, declared symbols, and
//! operations of theories.

use super::spec::VocabularySpec;
use crate::draw::Draw;
use crate::error::ForgeError;
use assay_smtlib::{Command, Environment, Lets, Script, read_script};
use assay_term::eval::EvalContext;
use assay_term::{Func, FuncId, Interpretation, Model, SortId, Store, Term, Value};

/// A sort with all its values.
#[derive(Clone, Debug)]
pub(crate) struct Domain {
    pub(crate) sort: SortId,
    pub(crate) values: Vec<Value>,
}

/// A function that can be applied.
#[derive(Clone, Debug)]
pub(crate) struct Symbol {
    pub(crate) func: FuncId,
    pub(crate) params: Vec<SortId>,
    pub(crate) result: SortId,
    pub(crate) meaning: Meaning,
}

/// Where the meaning of a function comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Meaning {
    /// A theory.
    Fixed,
    /// The model.
    Declared,
}

/// A vocabulary with the store of its symbols.
pub(crate) struct Vocabulary {
    pub(crate) name: String,
    pub(crate) store: Store,
    pub(crate) env: Environment,
    /// The declarations.
    pub(crate) script: Script,
    /// All sorts that occur.
    domains: Vec<Domain>,
    /// The sorts of variables.
    pub(crate) sorts: Vec<SortId>,
    pub(crate) symbols: Vec<Symbol>,
}

/// Maximum number of values of a sort, and of lists of arguments of a declared function.
const MOST_VALUES: u64 = 64;

impl Vocabulary {
    /// Reads a description.
    pub(crate) fn read(spec: &VocabularySpec) -> Result<Vocabulary, ForgeError> {
        // One question for each sort and each operation tells what the words mean.
        let mut text = format!("{}\n", spec.declarations);
        for sort in &spec.sorts {
            text += &format!("(assert (exists ((x {sort})) (= x x)))\n");
        }
        for operation in &spec.operations {
            let names: Vec<String> = (0..operation.args.len()).map(|at| format!("x{at}")).collect();
            let bound: Vec<String> = names
                .iter()
                .zip(&operation.args)
                .map(|(name, sort)| format!("({name} {sort})"))
                .collect();
            let applied = format!("({} {})", operation.head, names.join(" "));
            let bound = bound.join(" ");
            text += &format!("(assert (exists ({bound}) (= {applied} {applied})))\n");
        }
        let mut store = Store::new();
        let (read, env) =
            read_script(&mut store, text.as_bytes(), Lets::Keep).map_err(|fault| {
                let place = format!("quantified vocabulary `{}`", spec.name);
                ForgeError::Read { place, text: text.clone(), fault: Box::new(fault) }
            })?;
        let wrong = |words: &str| {
            ForgeError::Toml(format!("quantified vocabulary `{}`: {words}", spec.name))
        };
        let mut vocabulary = Vocabulary {
            name: spec.name.clone(),
            store,
            env,
            script: Script::default(),
            domains: Vec::new(),
            sorts: Vec::new(),
            symbols: Vec::new(),
        };
        let mut samples = Vec::new();
        for command in read.commands {
            match command {
                Command::Assert(term) => samples.push(term),
                Command::DeclareFun(func) | Command::DeclareConst(func) => {
                    vocabulary.add(func, Meaning::Declared);
                    vocabulary.script.push(command, 0);
                }
                Command::DeclareDatatypes(..) => vocabulary.script.push(command, 0),
                _ => return Err(wrong("only datatypes, functions and constants are declared")),
            }
        }
        for (at, sample) in samples.into_iter().enumerate() {
            let Term::Quant(_, _, body) = vocabulary.store.get(sample) else {
                return Err(wrong("an operation is no term"));
            };
            let side = vocabulary.store.children(body)[0];
            match vocabulary.store.get(side) {
                _ if at < spec.sorts.len() => {
                    let sort = vocabulary.store.sort(side);
                    vocabulary.sorts.push(sort);
                }
                Term::App(func, args) => {
                    let params = args.iter().map(|&arg| vocabulary.store.sort(arg)).collect();
                    let result = vocabulary.store.sort(side);
                    let symbol = Symbol { func, params, result, meaning: Meaning::Fixed };
                    vocabulary.symbols.push(symbol);
                }
                _ => return Err(wrong("an operation is no application")),
            }
        }
        vocabulary.find_domains().ok_or_else(|| {
            wrong(&format!(
                "a sort, or the arguments of a function, have over {MOST_VALUES} values"
            ))
        })?;
        if vocabulary.sorts.is_empty() {
            return Err(wrong("no variable has a sort"));
        }
        Ok(vocabulary)
    }

    fn add(&mut self, func: FuncId, meaning: Meaning) {
        if let Func::Declared { params, result, .. } = self.store.func(func) {
            let (params, result) = (params.to_vec(), *result);
            self.symbols.push(Symbol { func, params, result, meaning });
        }
    }

    fn find_domains(&mut self) -> Option<()> {
        let used =
            self.symbols.iter().flat_map(|symbol| symbol.params.iter().chain([&symbol.result]));
        let mut sorts: Vec<SortId> = self.sorts.iter().chain(used).copied().collect();
        sorts.push(SortId::BOOL);
        sorts.sort_unstable();
        sorts.dedup();
        let nothing = Model::new();
        let context = EvalContext::new(&self.store, &nothing);
        for sort in sorts {
            let values = context.enumerate(sort, MOST_VALUES)?;
            self.domains.push(Domain { sort, values });
        }
        let declared = self.symbols.iter().filter(|symbol| symbol.meaning == Meaning::Declared);
        let few = |symbol: &Symbol| self.arguments(symbol).len() as u64 <= MOST_VALUES;
        declared.into_iter().all(few).then_some(())
    }

    /// All values of a sort that occurs.
    pub(crate) fn values(&self, sort: SortId) -> &[Value] {
        let found = self.domains.iter().find(|domain| domain.sort == sort);
        found.map_or(&[], |domain| &domain.values)
    }

    /// All lists of arguments of a symbol.
    fn arguments(&self, symbol: &Symbol) -> Vec<Box<[Value]>> {
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for &param in &symbol.params {
            let extended = |row: &Vec<Value>| {
                let row = row.clone();
                let longer = move |value: &Value| row.iter().chain([value]).cloned().collect();
                self.values(param).iter().map(longer).collect::<Vec<Vec<Value>>>()
            };
            rows = rows.iter().flat_map(extended).collect();
        }
        rows.into_iter().map(Vec::into_boxed_slice).collect()
    }

    /// The number of interpretations of a declared symbol; at most `limit`.
    pub(crate) fn interpretations(&self, symbol: &Symbol, limit: u64) -> u64 {
        let results = self.values(symbol.result).len() as u64;
        let rows = u32::try_from(self.arguments(symbol).len()).unwrap_or(u32::MAX);
        results.saturating_pow(rows).min(limit)
    }

    /// An interpretation whose results are chosen one after the other among these many values.
    pub(crate) fn interpret(
        &self,
        symbol: &Symbol,
        mut choose: impl FnMut(usize) -> usize,
    ) -> Interpretation {
        let results = self.values(symbol.result);
        let mut result = || results[choose(results.len())].clone();
        if symbol.params.is_empty() {
            return Interpretation::Value(result());
        }
        let rows = self.arguments(symbol);
        let entries = rows.into_iter().map(|row| (row, result())).collect();
        Interpretation::Table { entries, default: results[0].clone() }
    }

    /// A random model.
    pub(crate) fn model(&self, draw: &mut Draw) -> Model {
        let mut model = Model::new();
        for symbol in &self.symbols {
            if symbol.meaning == Meaning::Declared {
                let meaning = self.interpret(symbol, |count| draw.below(count));
                model.set(symbol.func, meaning);
            }
        }
        model
    }
}

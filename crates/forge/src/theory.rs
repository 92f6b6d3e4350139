//! A parsed description of a suite: its operations over the operator table, its constants with their
//! values, and the store that contains all their terms.
//!
//! Nothing here knows the meaning of an operation: results come from evaluation.

use crate::equation::Tree;
use crate::error::{ForgeError, known, listed};
use crate::languages::random_pool;
use crate::operation::{Group, Head, Operation};
use crate::spec::{OperationSpec, Spec, pieces};
use assay_smtlib::{Environment, Lets, Script, read_model, read_script, read_term};
use assay_term::eval::EvalContext;
use assay_term::{Evaluator, FuncId, Limits, Model, SortId, Store, Term, TermId, Value};
use rustc_hash::{FxHashMap, FxHashSet};

/// A constant of a pool.
#[derive(Clone, Debug)]
pub(crate) struct Constant {
    /// Its text.
    pub(crate) term: TermId,
    /// Its sort.
    pub(crate) sort: SortId,
    /// Its value.
    pub(crate) value: Value,
}

/// The constants of one sort, without duplicate values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pool {
    /// Those of constant assignment.
    pub(crate) full: Vec<Constant>,
    /// Those of term synthesis.
    pub(crate) short: Vec<Constant>,
}

/// The budget of one evaluation: results that take longer are left out.
pub(crate) const LIMITS: Limits =
    Limits { steps: 100_000, instances: 1_000, regex: 20_000, length: 1 << 16, bits: 1 << 16 };

/// Everything that cases are built from.
pub(crate) struct Theory {
    pub(crate) store: Store,
    pub(crate) env: Environment,
    pub(crate) prelude: Script,
    /// The interpretation of the prelude's symbols.
    pub(crate) model: Model,
    pub(crate) operations: Vec<Operation>,
    /// The groups of reports: the operations of one name, followed by those whose result is fixed to
    /// false.
    pub(crate) groups: Vec<Group>,
    pools: FxHashMap<SortId, Pool>,
    makers: FxHashMap<SortId, Vec<usize>>,
    /// Sorts whose constants never become variables.
    fixed: FxHashSet<SortId>,
    mix: Mix,
}

/// Sorts that a formula must mention together.
#[derive(Default)]
struct Mix {
    /// The number of lists of sorts.
    lists: usize,
    /// The lists that a sort is on, one bit each.
    on: FxHashMap<SortId, u64>,
}

impl Theory {
    /// Reads a description.
    pub(crate) fn new(spec: &Spec) -> Result<Theory, ForgeError> {
        let mut store = Store::new();
        let prelude = spec.prelude.as_deref().unwrap_or_default();
        let (prelude, env) = read_script(&mut store, prelude.as_bytes(), Lets::Keep)
            .map_err(|fault| unread("prelude", prelude, fault))?;
        let model = match spec.model.as_deref() {
            Some(text) => {
                read_model(&mut store, &env, text).map_err(|fault| unread("model", text, fault))?
            }
            None => Model::new(),
        };
        let mut theory = Theory {
            store,
            env,
            prelude,
            model,
            operations: Vec::new(),
            groups: Vec::new(),
            pools: FxHashMap::default(),
            makers: FxHashMap::default(),
            fixed: FxHashSet::default(),
            mix: Mix::default(),
        };
        let sorts = theory.read_pools(spec)?;
        let constant = spec.constant_sorts.as_deref().unwrap_or_default();
        known("constant-sorts", "pool", constant, &sorts.keys().collect::<Vec<_>>())?;
        theory.fixed = constant.iter().map(|name| sorts[name]).collect();
        theory.read_operations(spec, &sorts)?;
        theory.read_mix(spec.mix.as_deref().unwrap_or_default())?;
        if let Some(wanted) = &spec.random_regexes {
            let pool = random_pool(&mut theory, wanted)?;
            theory.pools.insert(SortId::REGLAN, Pool { full: pool.clone(), short: pool });
        }
        Ok(theory)
    }

    fn read_mix(&mut self, lists: &[Vec<String>]) -> Result<(), ForgeError> {
        let results = self.operations.iter().map(|operation| operation.result);
        let sorts: FxHashSet<SortId> = self.pools.keys().copied().chain(results).collect();
        let names = sorts.iter().map(|&sort| (sort, self.store.sort_name(sort)));
        let names: Vec<(SortId, String)> = names.collect();
        let is_word = |word: &&str| word.starts_with(char::is_alphabetic);
        let words: Vec<&str> =
            names.iter().flat_map(|(_, name)| pieces(name).filter(is_word)).collect();
        if lists.len() > u64::BITS as usize {
            return Err(ForgeError::Toml("mix: there are more than 64 lists".into()));
        }
        for (at, list) in lists.iter().enumerate() {
            known("mix", "word of a sort", list, &words)?;
            for (sort, name) in &names {
                let is_on = pieces(name).any(|piece| list.iter().any(|word| word == piece));
                *self.mix.on.entry(*sort).or_default() |= u64::from(is_on) << at;
            }
        }
        self.mix.lists = lists.len();
        Ok(())
    }

    /// Whether a formula must mention several sorts.
    pub(crate) fn wants_mixed(&self) -> bool {
        self.mix.lists > 0
    }

    /// Whether an equation of these sides mentions the sorts that the description wants together.
    pub(crate) fn mixes(&self, sides: [&Tree; 2], variables: &[(SortId, Value)]) -> bool {
        let on = |sort: SortId| self.mix.on.get(&sort).copied().unwrap_or(0);
        let mut found = variables.iter().fold(0, |found, (sort, _)| found | on(*sort));
        let mut pending = if self.wants_mixed() { sides.to_vec() } else { Vec::new() };
        while let Some(tree) = pending.pop() {
            match tree {
                Tree::Constant(constant) => found |= on(constant.sort),
                Tree::Apply(head, args) => {
                    found |= on(head.result);
                    pending.extend(args);
                }
                // A value is the result of the other side.
                Tree::Value(_) | Tree::Variable(_) => {}
            }
        }
        found.count_ones() as usize == self.mix.lists
    }

    /// Reads the constants, and the sort that each pool's name denotes.
    fn read_pools(&mut self, spec: &Spec) -> Result<FxHashMap<String, SortId>, ForgeError> {
        let (full, short) = spec.pools()?;
        let mut sorts = FxHashMap::default();
        for (name, texts) in &full {
            let constants = self.read_pool(name, texts)?;
            let sort = constants.first().map(|first| first.sort);
            let sort = sort.ok_or_else(|| ForgeError::EmptyPool(name.clone()))?;
            sorts.insert(name.clone(), sort);
            self.pools.entry(sort).or_default().full = constants;
        }
        known("short-pool", "pool", short.keys(), &full.keys().collect::<Vec<_>>())?;
        for (name, texts) in &short {
            let constants = self.read_pool(name, texts)?;
            if let Some(sort) = constants.first().map(|first| first.sort) {
                self.pools.entry(sort).or_default().short = constants;
            }
        }
        Ok(sorts)
    }

    fn read_pool(&mut self, name: &str, texts: &[String]) -> Result<Vec<Constant>, ForgeError> {
        let mut constants: Vec<Constant> = Vec::new();
        for text in texts {
            let term = read_term(&mut self.store, &mut self.env, text)
                .map_err(|fault| unread(&format!("pool of {name}"), text, fault))?;
            let sort = self.store.sort(term);
            let wrong = constants.first().is_some_and(|first| first.sort != sort);
            if wrong || self.store.sort_name(sort) != name {
                let got = self.store.sort_name(sort);
                return Err(ForgeError::WrongPool { sort: name.into(), text: text.clone(), got });
            }
            let value = Evaluator::new(&self.store, &self.model).eval(term);
            let value = value.map_err(|reason| ForgeError::NoValue {
                sort: name.into(),
                text: text.clone(),
                reason: reason.words(&self.store),
            })?;
            // Equal numbers can be computed in many ways and are written in one.
            let term = match value {
                Value::BitVec(_) | Value::Float(_) => self.store.value(&value).unwrap_or(term),
                _ => term,
            };
            if constants.iter().all(|known| known.value != value) {
                constants.push(Constant { term, sort, value });
            }
        }
        Ok(constants)
    }

    fn read_operations(
        &mut self,
        spec: &Spec,
        sorts: &FxHashMap<String, SortId>,
    ) -> Result<(), ForgeError> {
        let mut reader = Reader { env: self.env.clone(), known: FxHashMap::default() };
        let mut negated = Vec::new();
        for operation in spec.operation.iter().flatten() {
            let start = self.operations.len();
            for instance in spec.instances(operation) {
                let read = reader.operation(&mut self.store, &instance, sorts)?;
                self.makers.entry(read.result).or_default().push(self.operations.len());
                self.operations.push(read);
            }
            let members: Vec<usize> = (start..self.operations.len()).collect();
            let truth = operation.negated.as_ref().map(|_| true);
            if let Some(name) = &operation.negated {
                if members.iter().any(|&m| self.operations[m].result != SortId::BOOL) {
                    return Err(ForgeError::NotBoolean(operation.name.clone()));
                }
                if !operation.only_in_terms {
                    negated.push(Group::new(name, members.clone(), Some(false)));
                }
            }
            if operation.only_in_terms {
                continue;
            }
            self.groups.push(Group::new(&operation.name, members, truth));
        }
        self.groups.extend(negated);
        let mut names = FxHashSet::default();
        match self.groups.iter().find(|group| !names.insert(group.name.as_str())) {
            Some(group) => Err(ForgeError::Twice(group.name.clone())),
            None => Ok(()),
        }
    }

    /// The constants of a sort.
    pub(crate) fn pool(&self, sort: SortId) -> &Pool {
        static EMPTY: Pool = Pool { full: Vec::new(), short: Vec::new() };
        self.pools.get(&sort).unwrap_or(&EMPTY)
    }

    /// Whether a constant of the sort may become a variable.
    pub(crate) fn may_vary(&self, sort: SortId) -> bool {
        !self.fixed.contains(&sort)
    }

    /// Whether two values of one sort are known to be equal.
    pub(crate) fn equal(&self, a: &Value, b: &Value) -> bool {
        let mut context = EvalContext::new(&self.store, &self.model);
        context.limits = LIMITS;
        context.equal(a, b) == Ok(true)
    }

    /// The operations that yield a sort.
    pub(crate) fn makers(&self, sort: SortId) -> &[usize] {
        self.makers.get(&sort).map_or(&[], Vec::as_slice)
    }

    /// A constant of the pool that has exactly this value.
    pub(crate) fn constant(&self, sort: SortId, value: &Value) -> Option<&Constant> {
        let pool = self.pool(sort);
        pool.full.iter().chain(&pool.short).find(|constant| constant.value == *value)
    }
}

/// Reads operations by applying them to variables.
struct Reader {
    env: Environment,
    known: FxHashMap<(usize, SortId), (FuncId, TermId, String)>,
}

impl Reader {
    fn operation(
        &mut self,
        store: &mut Store,
        spec: &OperationSpec,
        sorts: &FxHashMap<String, SortId>,
    ) -> Result<Operation, ForgeError> {
        let mut text = String::new();
        let (mut params, mut vars, mut args) = (Vec::new(), Vec::new(), Vec::new());
        for (position, name) in spec.args.iter().enumerate() {
            let sort = *sorts.get(name).ok_or_else(|| ForgeError::NoPool {
                operation: spec.name.clone(),
                sort: name.clone(),
                known: listed(sorts.keys().map(String::as_str)),
            })?;
            let (func, term, written) = self.variable(store, position, sort);
            text.push(' ');
            text.push_str(written);
            params.push(sort);
            vars.push(*func);
            args.push(*term);
        }
        let text = match spec.args.len() {
            0 => spec.head.clone(),
            _ => format!("({}{text})", spec.head),
        };
        let template = read_term(store, &mut self.env, &text)
            .map_err(|fault| unread(&format!("operation `{}`", spec.name), &text, fault))?;
        // Anything else (a coercion, a definition) would not be the intended operation.
        let func = match store.get(template) {
            Term::App(func, applied) if applied == args => func,
            _ => return Err(ForgeError::NotAnApplication(spec.name.clone())),
        };
        let result = store.sort(template);
        let plain = store.try_app_as(func, &args, None).is_ok();
        let head = Head { func, ascribed: (!plain).then_some(result), result };
        Ok(Operation::new(spec, head, params, result, vars, template))
    }

    fn variable(
        &mut self,
        store: &mut Store,
        position: usize,
        sort: SortId,
    ) -> &(FuncId, TermId, String) {
        self.known.entry((position, sort)).or_insert_with(|| {
            let name = format!("slot!{position}!{}", sort.index());
            let term = store.constant(&name, sort);
            let func = store.declare(&name, &[], sort);
            self.env.add_declared(store, func);
            (func, term, name)
        })
    }
}

fn unread(place: &str, text: &str, fault: assay_smtlib::ReadError) -> ForgeError {
    ForgeError::Read { place: place.into(), text: text.into(), fault: Box::new(fault) }
}

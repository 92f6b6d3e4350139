//! Two formulas as one: the declarations and assertions of both, with clashing names of the second
//! formula changed.

use crate::import::{Foreign, Import};
use crate::seed::{Base, Seed, definitions, goal, with_goal};
use assay_smtlib::{Command, Lets, read_script};
use assay_term::{
    Func, FuncId, Model, Op, SortDeclId, SortId, Store, Symbol, Term, TermId, satisfies,
};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Two formulas in one store. The result depends only on the two texts.
#[derive(Clone)]
pub(crate) struct Pair {
    /// Both formulas: the second one's assertions come after the first one's.
    pub(crate) base: Base,
    /// Number of assertions of the first formula.
    pub(crate) split: usize,
    /// A prefix that no name in either formula has.
    stem: String,
    /// Number of constants that were added.
    added: usize,
}

/// The suffix for names of the second formula that clash with the first.
const ENDING: &str = "@2";

impl Pair {
    /// Also returns the importer, for copying more of the second formula.
    ///
    /// # Errors
    /// If the second formula cannot be copied.
    pub(crate) fn new<'s>(first: &Seed, second: &'s Seed) -> Result<(Pair, Import<'s>), Foreign> {
        let (first, second) = (&first.base, &second.base);
        let mut names: FxHashSet<String> = all_names(first).into_values().collect();
        let others = all_names(second);
        let mut clashing: Vec<(String, Symbol)> = others
            .iter()
            .filter(|(_, name)| names.contains(*name))
            .map(|(&symbol, name)| (name.clone(), symbol))
            .collect();
        // Names must not depend on the order of a hash table.
        clashing.sort();
        names.extend(others.into_values());
        let mut renamed = FxHashMap::default();
        for (name, symbol) in clashing {
            let new = numbered(&format!("{name}{ENDING}"), |new| !names.contains(new));
            names.insert(new.clone());
            renamed.insert(symbol, new);
        }
        let mut import = Import::new(&second.store, renamed);
        let mut base = first.clone();
        for command in &second.prelude {
            if let Command::SetLogic(_) | Command::SetOption(_) = command {
                continue;
            }
            let command = import.command(&mut base.store, command)?;
            declare(&mut base, &command)?;
            base.prelude.push(command);
        }
        for &assertion in &second.assertions {
            let assertion = import.term(&mut base.store, assertion)?;
            base.assertions.push(assertion);
        }
        let goals = imported(&mut import, &mut base.store, &second.goals)?;
        base.goals.extend(goals);
        let joint = match (logic(first), logic(second)) {
            (Some(one), Some(other)) if one == other => Some(one.to_owned()),
            (None, None) => None,
            _ => Some("ALL".to_owned()),
        };
        base.prelude.retain(|command| !matches!(command, Command::SetLogic(_)));
        base.prelude.splice(0..0, joint.map(Command::SetLogic));
        let stem = numbered("fused", |stem| !names.iter().any(|name| name.starts_with(stem)));
        let split = first.assertions.len();
        Ok((Pair { base, split, stem, added: 0 }, import))
    }

    /// Declares a constant that neither formula has.
    pub(crate) fn constant(&mut self, sort: SortId) -> FuncId {
        self.added += 1;
        let name = format!("{}!{}", self.stem, self.added);
        let func = self.base.store.declare(&name, &[], sort);
        self.base.prelude.push(Command::DeclareConst(func));
        let added = Arc::make_mut(&mut self.base.env).add_declared(&mut self.base.store, func);
        assert!(added, "no name begins so");
        func
    }

    /// The models of both as one; `None` if they conflict, because each has its own meaning for
    /// results that the standard leaves open.
    pub(crate) fn model(
        &mut self,
        import: &mut Import<'_>,
        first: &Model,
        second: &Model,
    ) -> Option<Model> {
        let second = import.model(&mut self.base.store, second, ENDING).ok()?;
        let mut model = first.clone();
        model.extend(&second);
        let satisfaction = satisfies(&self.base.store, &model, &self.base.assertions);
        let all = satisfaction.values.iter().all(|value| *value == Ok(true));
        all.then(|| satisfaction.completed.unwrap_or(model))
    }

    /// Whether both may depend on the meaning of an operator that the standard leaves open.
    pub(crate) fn shares_open(&self) -> bool {
        let (first, second) = self.base.assertions.split_at(self.split);
        let store = &self.base.store;
        let open = |assertions: &[TermId]| {
            let mut roots = assertions.to_vec();
            // Definitions may come from either formula.
            roots.extend(self.base.prelude.iter().flat_map(definitions).map(|it| it.body));
            let found = store.postorder(&roots).into_iter();
            let ops = found.filter_map(|term| store.operator(term)).map(|(op, _)| op);
            ops.filter(|op| op.row().open.is_some()).collect::<FxHashSet<Op>>()
        };
        !open(first).is_disjoint(&open(second))
    }
}

/// The logic that a formula sets.
pub(crate) fn logic(base: &Base) -> Option<&str> {
    base.prelude.iter().find_map(|command| match command {
        Command::SetLogic(logic) => Some(logic.as_str()),
        _ => None,
    })
}

/// This name, or the first variation of it that is acceptable.
fn numbered(stem: &str, fits: impl Fn(&str) -> bool) -> String {
    let others = (1..).map(|number| format!("{stem}@{number}"));
    let mut all = [stem.to_owned()].into_iter().chain(others);
    all.find(|name| fits(name)).expect("numbers do not end")
}

/// Registers the declarations of a command.
fn declare(base: &mut Base, command: &Command) -> Result<(), Foreign> {
    let (store, env) = (&mut base.store, Arc::make_mut(&mut base.env));
    let added = match command {
        Command::DeclareSort(decl) => env.add_sort(store, *decl),
        Command::DeclareDatatypes(group, _) => group.iter().all(|&decl| env.add_sort(store, decl)),
        command => functions(command).iter().all(|&func| env.add_declared(store, func)),
    };
    if added { Ok(()) } else { Err(Foreign::Name) }
}

/// The functions that a command declares or defines.
fn functions(command: &Command) -> Vec<FuncId> {
    match command {
        Command::DeclareFun(func) | Command::DeclareConst(func) => vec![*func],
        other => definitions(other).iter().map(|definition| definition.func).collect(),
    }
}

/// Symbols that some solvers have declared before they read anything: z3 has lists unless the logic says
/// otherwise, and old versions of cvc5 read `is` as a word of their own.
const PREDECLARED: [&str; 5] = ["List", "head", "insert", "is", "tail"];

/// Sorts of theories. In a logic without the theory a formula may declare a sort of this name.
const SORTS: [&str; 17] = [
    "Array",
    "Bag",
    "Float128",
    "Float16",
    "Float32",
    "Float64",
    "Int",
    "Nullable",
    "Real",
    "RegLan",
    "Relation",
    "RoundingMode",
    "Seq",
    "Set",
    "String",
    "Table",
    "Tuple",
];

/// The formula with other names for those that the standard reserves for solvers, and for those of
/// operators, sorts of theories and what solvers predeclare: in the logic of a mutant, or to a solver that has more theories
/// than the logic, they may mean something else.
pub(crate) fn standard_names(base: Base) -> Base {
    let names = all_names(&base);
    let is_reserved = |name: &str| {
        name.starts_with(['@', '.'])
            || SORTS.contains(&name)
            || PREDECLARED.contains(&name)
            || Op::by_name(name).is_some()
    };
    let mut reserved: Vec<(String, Symbol)> = names
        .iter()
        .filter(|(_, name)| is_reserved(name))
        .map(|(&symbol, name)| (name.clone(), symbol))
        .collect();
    if reserved.is_empty() {
        return base;
    }
    reserved.sort();
    let mut taken: FxHashSet<String> = names.into_values().collect();
    let mut renamed = FxHashMap::default();
    for (name, symbol) in reserved {
        let plain = name.trim_start_matches(['@', '.']);
        let plain = if plain.is_empty() { "reserved" } else { plain };
        let is_free = |new: &str| !taken.contains(new) && !is_reserved(new);
        let new = match is_free(plain) {
            true => plain.to_owned(),
            false => {
                let mut others = (1..).map(|number| format!("{plain}!{number}"));
                others.find(|name| is_free(name)).expect("numbers do not end")
            }
        };
        taken.insert(new.clone());
        renamed.insert(symbol, new);
    }
    // What cannot be copied keeps its names, and targets that reserve them are not given it.
    copied(&base, renamed).unwrap_or(base)
}

fn copied(base: &Base, names: FxHashMap<Symbol, String>) -> Result<Base, Foreign> {
    let mut import = Import::new(&base.store, names);
    let mut store = Store::new();
    let nothing = read_script(&mut store, b"", Lets::Expand).map_err(|_| Foreign::Term)?;
    let env = Arc::new(nothing.1);
    let (prelude, assertions, goals) = (Vec::new(), Vec::new(), Vec::new());
    let mut new = Base { store, env, prelude, assertions, goals };
    for command in &base.prelude {
        let command = import.command(&mut new.store, command)?;
        declare(&mut new, &command)?;
        new.prelude.push(command);
    }
    for &assertion in &base.assertions {
        let assertion = import.term(&mut new.store, assertion)?;
        new.assertions.push(assertion);
    }
    new.goals = imported(&mut import, &mut new.store, &base.goals)?;
    Ok(new)
}

/// Soft assertions and objectives of another formula.
fn imported(
    import: &mut Import<'_>,
    to: &mut Store,
    goals: &[Command],
) -> Result<Vec<Command>, Foreign> {
    let copy = |command: &Command| {
        let term = goal(command).ok_or(Foreign::Term)?;
        let new = import.term(to, term)?;
        Ok(with_goal(command, |_| new))
    };
    goals.iter().map(copy).collect()
}

/// Every name that a formula declares or binds.
fn all_names(base: &Base) -> FxHashMap<Symbol, String> {
    let store = &base.store;
    let mut symbols: FxHashSet<Symbol> = FxHashSet::default();
    let mut roots = base.terms();
    for command in &base.prelude {
        for definition in definitions(command) {
            roots.push(definition.body);
            roots.extend(&definition.params);
        }
        match command {
            Command::DeclareSort(decl) => add_sort(store, *decl, &mut symbols),
            Command::DeclareDatatypes(group, _) => {
                group.iter().for_each(|&decl| add_sort(store, decl, &mut symbols));
            }
            _ => {}
        }
        for func in functions(command) {
            if let Func::Declared { name, .. } = store.func(func) {
                symbols.insert(*name);
            }
        }
    }
    for term in store.postorder(&roots) {
        if let Term::Var(name) = store.get(term) {
            symbols.insert(name);
        }
    }
    symbols.into_iter().map(|symbol| (symbol, store.symbols.name(symbol).to_owned())).collect()
}

fn add_sort(store: &Store, decl: SortDeclId, symbols: &mut FxHashSet<Symbol>) {
    let declared = store.sorts.decl(decl);
    symbols.insert(declared.name);
    let Some(datatype) = &declared.datatype else { return };
    for constructor in &datatype.constructors {
        symbols.insert(constructor.name);
        symbols.extend(constructor.fields.iter().map(|&(name, _)| name));
    }
}

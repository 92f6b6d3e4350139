//! The symbols that a term mentions, in an order in which they can be declared.

use assay_smtlib::{Command, DatatypeSyntax, Environment};
use assay_term::{Func, FuncId, Sort, SortDeclId, SortId, Store, Term, TermId};
use std::collections::HashSet;

/// Declared sorts and functions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Symbols {
    /// Sorts without structure.
    plain: Vec<SortDeclId>,
    /// Datatypes, which may mention each other.
    datatypes: Vec<SortDeclId>,
    /// Constants and functions.
    pub(crate) functions: Vec<FuncId>,
}

/// The symbols that a term mentions.
pub(crate) fn symbols(store: &Store, term: TermId) -> Symbols {
    let mut walk = Walk { store, found: Symbols::default(), sorts: HashSet::new() };
    let mut functions = HashSet::new();
    for part in store.postorder(&[term]) {
        walk.sort(store.sort(part));
        let Term::App(func, _) = store.get(part) else { continue };
        if let Func::Declared { params, result, .. } = store.func(func) {
            if functions.insert(func) {
                params.iter().chain([result]).for_each(|&sort| walk.sort(sort));
                walk.found.functions.push(func);
            }
        }
    }
    walk.found
}

struct Walk<'w> {
    store: &'w Store,
    found: Symbols,
    sorts: HashSet<SortId>,
}

impl Walk<'_> {
    fn sort(&mut self, sort: SortId) {
        let mut work = vec![sort];
        while let Some(sort) = work.pop() {
            if !self.sorts.insert(sort) {
                continue;
            }
            let shape = self.store.sorts.get(sort);
            work.extend(shape.parts());
            let Sort::Declared(decl, _) = shape else { continue };
            let list = match &self.store.sorts.decl(*decl).datatype {
                None => &mut self.found.plain,
                Some(datatype) => {
                    let fields = datatype.constructors.iter().flat_map(|c| &c.fields);
                    work.extend(fields.map(|&(_, field)| field));
                    &mut self.found.datatypes
                }
            };
            if !list.contains(decl) {
                list.push(*decl);
            }
        }
    }
}

impl Symbols {
    /// Their declarations.
    pub(crate) fn commands(&self, store: &Store) -> Vec<Command> {
        let mut commands: Vec<Command> =
            self.plain.iter().map(|&decl| Command::DeclareSort(decl)).collect();
        let is_codata = |&&decl: &&SortDeclId| {
            store.sorts.decl(decl).datatype.as_ref().is_some_and(|datatype| datatype.codata)
        };
        let (codata, data): (Vec<SortDeclId>, Vec<SortDeclId>) =
            self.datatypes.iter().partition(is_codata);
        for group in [data, codata].into_iter().filter(|group| !group.is_empty()) {
            commands.push(Command::DeclareDatatypes(group, DatatypeSyntax::Group));
        }
        let declared = |&func: &FuncId| match store.func(func) {
            Func::Declared { params, .. } if params.is_empty() => Command::DeclareConst(func),
            _ => Command::DeclareFun(func),
        };
        commands.extend(self.functions.iter().map(declared));
        commands
    }

    /// The names of a text in which nothing but these is declared.
    pub(crate) fn environment(&self, store: &mut Store) -> Environment {
        let mut env = Environment::new(store);
        for &decl in self.plain.iter().chain(&self.datatypes) {
            env.add_sort(store, decl);
        }
        for &func in &self.functions {
            env.add_declared(store, func);
        }
        env
    }
}

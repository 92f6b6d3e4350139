//! Shortens the names of all declared symbols.

use super::recast::{Changes, Recast};
use super::sorts::declare;
use crate::search::{Gain, Search, Step};
use crate::state::State;
use assay_smtlib::Command;
use assay_term::{Func, Op, Store, Symbol, Term};
use rustc_hash::FxHashSet;

/// Gives functions, variables and sorts one-letter names.
pub(crate) fn shorten(search: &mut Search<'_>) {
    let all: Box<Step<'_>> = Box::new(|store, state| {
        let mut changes = Changes::default();
        let long = symbols(store, state);
        let mut taken: FxHashSet<String> =
            long.iter().map(|&symbol| store.symbols.name(symbol).to_owned()).collect();
        let mut names = short_names();
        for symbol in long {
            let name = store.symbols.name(symbol);
            if name.len() <= 1 {
                continue;
            }
            let new = names.find(|name| !taken.contains(name) && Op::by_name(name).is_none())?;
            if new.len() < name.len() {
                changes.names.insert(symbol, store.symbols.intern(&new));
                taken.insert(new);
            }
        }
        for command in &state.commands {
            if let Command::DeclareDatatypes(group, _) = command {
                declare(store, group, &mut changes, |_, _, _| false)?;
            }
        }
        let renamed = Recast::new(&changes).state(store, state)?;
        match changes.datatypes.is_empty() {
            true => Some(renamed),
            false => renamed.reread(store),
        }
    });
    search.first(&[all], Gain::Smaller);
}

/// `a`, `b`, … `z`, then with a number.
fn short_names() -> impl Iterator<Item = String> {
    let letters = || ('a'..='z').map(String::from);
    let numbered =
        (0..).flat_map(move |number: u32| letters().map(move |l| format!("{l}{number}")));
    ('a'..='z').map(String::from).chain(numbered)
}

/// The names of declared or bound symbols, in the order of their first use.
fn symbols(store: &Store, state: &State) -> Vec<Symbol> {
    let mut found = Vec::new();
    let func = |func: &Func| match func {
        Func::Declared { name, .. } => Some(*name),
        _ => None,
    };
    for command in &state.commands {
        match command {
            Command::DeclareSort(decl) => found.push(store.sorts.decl(*decl).name),
            Command::DeclareFun(id) | Command::DeclareConst(id) => {
                found.extend(func(store.func(*id)))
            }
            Command::DeclareDatatypes(group, _) => {
                for decl in group.iter().map(|&decl| store.sorts.decl(decl)) {
                    found.push(decl.name);
                    let constructors = decl.datatype.iter().flat_map(|it| &it.constructors);
                    for constructor in constructors {
                        found.push(constructor.name);
                        found.extend(constructor.fields.iter().map(|(name, _)| *name));
                    }
                }
            }
            command => {
                for it in crate::state::definitions(command) {
                    found.extend(func(store.func(it.func)));
                }
            }
        }
    }
    for term in store.postorder(&state.roots()) {
        if let Term::Var(name) = store.get(term) {
            found.push(name);
        }
    }
    let mut seen = FxHashSet::default();
    found.retain(|symbol| seen.insert(*symbol));
    found
}

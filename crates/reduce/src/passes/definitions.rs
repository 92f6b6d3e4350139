//! Definitions: expands them, or reduces them to declarations.

use crate::search::{Gain, Search, Step};
use crate::state::{State, definitions};
use crate::substitute::over_new_children;
use assay_smtlib::{Command, Definition};
use assay_term::{Budget, Interpretation, Model, Replacements, Store, Term, TermId};

/// Expands definitions, all at once or one by one, and turns the others into declarations.
pub(crate) fn inline(search: &mut Search<'_>) {
    let all: Box<Step<'_>> = Box::new(all_written_out);
    if plain(&search.state).next().is_some() {
        search.first(&[all], Gain::Any);
    }
    loop {
        let mut steps: Vec<Box<Step<'_>>> = Vec::new();
        for definition in plain(&search.state) {
            let definition = definition.clone();
            steps.push(Box::new(move |store, state| written_out(store, state, &definition)));
        }
        for (at, command) in search.state.commands.iter().enumerate() {
            if let [definition] = definitions(command) {
                let func = definition.func;
                steps.push(Box::new(move |_, state| {
                    let mut commands = state.commands.clone();
                    commands[at] = Command::DeclareFun(func);
                    Some(State { witness: None, ..state.with(commands) })
                }));
            }
        }
        if search.first(&steps, Gain::Smaller).is_none() {
            return;
        }
    }
}

fn plain(state: &State) -> impl Iterator<Item = &Definition> {
    state.commands.iter().filter_map(|command| match command {
        Command::DefineFun(it) | Command::DefineConst(it) => Some(it),
        _ => None,
    })
}

/// The budget for expanding all definitions at once: larger results are not tested anyway.
const STEPS: u64 = 2_000_000;
const CELLS: u64 = 2_000_000;

/// The script with all definitions expanded, except those whose binders could capture variables of
/// arguments; `None` if it becomes too large.
fn all_written_out(store: &mut Store, state: &State) -> Option<State> {
    let movable = |store: &Store, definition: &Definition| !binds(store, definition);
    let mut bodies = Model::new();
    for definition in plain(state).filter(|definition| movable(store, definition)) {
        let (params, body) = (definition.params.clone(), definition.body);
        bodies.set(definition.func, Interpretation::Definition { params, body });
    }
    let rest: Vec<Command> = state
        .commands
        .iter()
        .filter(|command| !definitions(command).iter().any(|it| bodies.get(it.func).is_some()))
        .cloned()
        .collect();
    let rest = state.with(rest);
    let core = state.core.as_deref().unwrap_or_default();
    let old: Vec<TermId> = rest.roots().into_iter().chain(core.iter().copied()).collect();
    let new = store.expanded(&old, &bodies, &mut Budget::new(STEPS, CELLS)).ok()?;
    let by: Replacements = old.into_iter().zip(new).collect();
    // The expansion has the same meaning.
    let core = state.core.as_ref().map(|core| core.iter().map(|term| by[term]).collect());
    Some(State { core, ..rest.replaced(store, by)? })
}

/// The script with a definition's body in place of each use.
fn written_out(store: &mut Store, state: &State, definition: &Definition) -> Option<State> {
    let mut by = Replacements::default();
    for term in store.postorder(&state.roots()) {
        let call = match store.get(term) {
            Term::App(func, args) if func == definition.func => Some(args.to_vec()),
            _ => None,
        };
        match call {
            Some(args) => {
                let args: Vec<TermId> =
                    args.iter().map(|arg| by.get(arg).copied().unwrap_or(*arg)).collect();
                if args.iter().any(|&arg| store.mentions_variables(arg)) && binds(store, definition)
                {
                    return None;
                }
                let mut values: Replacements =
                    definition.params.iter().copied().zip(args).collect();
                let body = store.replaced(definition.body, &mut values).ok()?;
                by.insert(term, body);
            }
            None => over_new_children(store, term, &mut by)?,
        }
    }
    let rest: Vec<Command> = state
        .commands
        .iter()
        .filter(|command| !definitions(command).contains(definition))
        .cloned()
        .collect();
    // The expansion has the same meaning.
    let core = state
        .core
        .as_ref()
        .map(|core| core.iter().map(|term| by.get(term).copied().unwrap_or(*term)).collect());
    Some(State { core, ..state.with(rest).replaced(store, by)? })
}

/// Whether the body has binders, which could capture the variables of arguments.
fn binds(store: &Store, definition: &Definition) -> bool {
    store.postorder(&[definition.body]).into_iter().any(|term| {
        matches!(
            store.get(term),
            Term::Quant(..) | Term::Lambda(..) | Term::Let(..) | Term::Match(..)
        )
    })
}

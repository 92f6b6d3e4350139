//! Commands: informational ones, levels, and assertions.

use crate::search::{Gain, Search, Step};
use crate::state::{State, declares, is_query_or_output, named};
use crate::substitute::over_new_children;
use assay_smtlib::{Command, Plain, Script};
use assay_term::theories::core;
use assay_term::{Func, Replacements, Store, Term, TermId};
use rustc_hash::FxHashSet;

/// Tests whether unused symbols matter; if so, only their own steps remove them.
pub(crate) fn unused(search: &mut Search<'_>) {
    let pruned: Box<Step<'_>> = Box::new(|_, state| Some(state.clone()));
    let mut without = search.state.clone();
    without.settle(&search.home, &search.state);
    if without.commands.len() < search.state.commands.len() {
        search.state.hoards = search.first(&[pruned], Gain::Any).is_none();
    }
}

/// Tries the declarations alone: some tools fail on symbols that are not even used.
pub(crate) fn bare(search: &mut Search<'_>) {
    let hoard: Box<Step<'_>> = Box::new(|_, state| {
        let state = without(state, |c| !declares(c) && !is_query_or_output(c) && !c.is_check());
        Some(State { hoards: true, ..state })
    });
    if search.state.commands.iter().any(declares) && search.first(&[hoard], Gain::Smaller).is_some()
    {
        one_by_one(search, |command| declares(command) || is_query_or_output(command));
    }
}

/// Drops what rarely matters: everything at once, or as much as possible.
pub(crate) fn tidy(search: &mut Search<'_>) {
    let steps: [Box<Step<'_>>; 4] = [
        Box::new(|store, state| {
            let state = unannotated(store, state).unwrap_or_else(|| state.clone());
            let state = flat(&state).unwrap_or(state);
            let state = constants(store, &state).unwrap_or(state);
            Some(without(&state, |command| is_query_or_output(command) || is_setting(command)))
        }),
        Box::new(|store, state| {
            let state = unannotated(store, state).unwrap_or_else(|| state.clone());
            Some(without(&state, |command| is_query_or_output(command) || is_setting(command)))
        }),
        Box::new(|_, state| Some(without(state, is_query_or_output))),
        Box::new(unannotated),
    ];
    let taken = search.first(&steps, Gain::Smaller);
    if taken == Some(0) {
        return;
    }
    let rest: [Box<Step<'_>>; 4] = [
        Box::new(|_, state| flat(state)),
        Box::new(unannotated),
        Box::new(constants),
        Box::new(|_, state| Some(without(state, |c| is_query_or_output(c) || is_setting(c)))),
    ];
    for step in rest {
        search.first(&[step], Gain::Smaller);
    }
    one_by_one(search, |command| {
        is_query_or_output(command) || is_setting(command) || is_structure(command)
    });
    if search.state.hoards {
        one_by_one(search, declares);
    }
}

/// Drops the question if none is required.
pub(crate) fn question(search: &mut Search<'_>) {
    if !search.state.asks {
        one_by_one(search, Command::is_check);
    }
}

fn one_by_one(search: &mut Search<'_>, chosen: fn(&Command) -> bool) {
    loop {
        let positions = positions(&search.state, chosen);
        let drop = |_: &mut Store, state: &State, at: usize| -> Option<State> {
            Some(state.without(&FxHashSet::from_iter([positions[at]])))
        };
        if search.first_of(positions.len(), &drop, Gain::Smaller).is_none() {
            return;
        }
    }
}

fn positions(state: &State, chosen: impl Fn(&Command) -> bool) -> Vec<usize> {
    (0..state.commands.len()).filter(|&at| chosen(&state.commands[at])).collect()
}

fn is_setting(command: &Command) -> bool {
    matches!(command, Command::SetLogic(_) | Command::SetOption(_))
}

fn is_structure(command: &Command) -> bool {
    matches!(
        command,
        Command::Push(_)
            | Command::Pop(_)
            | Command::CheckSat
            | Command::CheckSatAssuming(_)
            | Command::Plain(Plain::Reset | Plain::ResetAssertions)
    )
}

fn without(state: &State, gone: impl Fn(&Command) -> bool) -> State {
    state.without(&positions(state, gone).into_iter().collect())
}

/// The assertions in force at the last question, with one question, without levels and assumptions.
fn flat(state: &State) -> Option<State> {
    if !state.commands.iter().any(|c| is_structure(c) && *c != Command::CheckSat)
        && state.commands.iter().filter(|command| command.is_check()).count() <= 1
    {
        return None;
    }
    let mut script = Script::default();
    state.commands.iter().for_each(|command| script.push(command.clone(), 0));
    let mut asserted = script.active_assertions().into_iter().map(|(term, _)| term);
    // Names from popped levels may clash with those in force; the reader will report that.
    let mut commands: Vec<Command> =
        state.commands.iter().filter(|c| declares(c) || is_setting(c)).cloned().collect();
    commands.extend(asserted.by_ref().map(Command::Assert));
    let soft = script.commands_in_force().map(|(command, _)| command).filter(|command| {
        matches!(
            command,
            Command::AssertSoft { .. } | Command::Minimize(..) | Command::Maximize(..)
        )
    });
    commands.extend(soft.cloned());
    commands.push(Command::CheckSat);
    Some(state.with(commands))
}

/// Removes annotations; references to a name are replaced by the named term.
fn unannotated(store: &mut Store, state: &State) -> Option<State> {
    let roots = state.roots();
    let mut by = Replacements::default();
    let names = named(store, &roots);
    for term in store.postorder(&roots) {
        let new = match store.get(term) {
            Term::Annotated(inner, _) => by.get(&inner).copied().unwrap_or(inner),
            Term::App(func, []) => {
                let Func::Declared { name, .. } = store.func(func) else { continue };
                let name = store.symbols.name(*name);
                let Some((_, _, inner)) = names.iter().find(|(it, ..)| it == name) else {
                    continue;
                };
                by.get(inner).copied().unwrap_or(*inner)
            }
            _ => {
                over_new_children(store, term, &mut by)?;
                continue;
            }
        };
        by.insert(term, new);
    }
    let core = state
        .core
        .as_ref()
        .map(|core| core.iter().map(|term| by.get(term).copied().unwrap_or(*term)).collect());
    let state = state.replaced(store, by)?;
    Some(State { core, ..state })
}

/// Declares constants and single recursive functions as such, which is shorter.
fn constants(store: &mut Store, state: &State) -> Option<State> {
    let shorter = |command: &Command| match command {
        Command::DeclareFun(func) => match store.func(*func) {
            Func::Declared { params, .. } if params.is_empty() => Command::DeclareConst(*func),
            _ => command.clone(),
        },
        Command::DefineFunsRec(group) if group.len() == 1 => {
            Command::DefineFunRec(group[0].clone())
        }
        command => command.clone(),
    };
    let commands: Vec<Command> = state.commands.iter().map(shorter).collect();
    (commands != state.commands).then(|| state.with(commands))
}

/// Splits conjunctions into separate assertions, so that each can be dropped.
pub(crate) fn conjuncts(search: &mut Search<'_>) {
    let split: Box<Step<'_>> = Box::new(|store, state| {
        let mut commands = Vec::with_capacity(state.commands.len());
        for command in &state.commands {
            match command {
                Command::Assert(term) if !is_core(state, *term) => {
                    commands.extend(parts(store, *term).into_iter().map(Command::Assert));
                }
                command => commands.push(command.clone()),
            }
        }
        (commands.len() > state.commands.len()).then(|| state.with(commands))
    });
    search.first(&[split], Gain::Any);
}

fn is_core(state: &State, term: TermId) -> bool {
    state.core.as_ref().is_some_and(|core| core.contains(&term))
}

/// The conjuncts of a term.
fn parts(store: &Store, term: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    let mut work = vec![term];
    while let Some(term) = work.pop() {
        match store.get(term) {
            Term::App(func, args) if matches!(store.func(func), Func::Op(core::AND, _)) => {
                work.extend(args.iter().rev());
            }
            _ => found.push(term),
        }
    }
    found
}

/// Drops assertions and objectives, many at a time.
pub(crate) fn assertions(search: &mut Search<'_>) {
    let is_assertion = |command: &Command| {
        matches!(
            command,
            Command::Assert(_)
                | Command::AssertSoft { .. }
                | Command::Minimize(..)
                | Command::Maximize(..)
        )
    };
    // Positions shift when commands are dropped, so each is identified by its contents and
    // occurrence.
    let all: Vec<Command> =
        search.state.commands.iter().filter(|command| is_assertion(command)).cloned().collect();
    let drop = |_: &mut Store, state: &State, gone: &[usize]| -> Option<State> {
        let mut gone: Vec<&Command> = gone.iter().map(|&at| &all[at]).collect();
        let mut commands = Vec::with_capacity(state.commands.len());
        for command in &state.commands {
            match gone.iter().position(|it| *it == command) {
                Some(at) if is_assertion(command) => {
                    gone.swap_remove(at);
                }
                _ => commands.push(command.clone()),
            }
        }
        (commands.len() < state.commands.len()).then(|| state.with(commands))
    };
    if all.len() > 1 {
        search.bisect(all.len(), false, 1, Gain::Smaller, &drop);
    }
    assumptions(search);
}

/// Drops assumptions of questions.
fn assumptions(search: &mut Search<'_>) {
    loop {
        let mut steps: Vec<Box<Step<'_>>> = Vec::new();
        for (position, command) in search.state.commands.iter().enumerate() {
            let Command::CheckSatAssuming(terms) = command else { continue };
            steps.push(Box::new(move |_, state| {
                let mut commands = state.commands.clone();
                commands[position] = Command::CheckSat;
                Some(state.with(commands))
            }));
            for at in 0..terms.len() {
                steps.push(Box::new(move |_, state| {
                    let mut commands = state.commands.clone();
                    let Command::CheckSatAssuming(terms) = &mut commands[position] else {
                        return None;
                    };
                    terms.remove(at);
                    Some(state.with(commands))
                }));
            }
        }
        if search.first(&steps, Gain::Smaller).is_none() {
            return;
        }
    }
}

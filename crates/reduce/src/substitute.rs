//! The terms of commands, and commands over other terms.

use assay_smtlib::{Command, Definition};
use assay_term::{Replacements, Store, TermId};

/// The terms of a command that affect its meaning, including definitions' bodies.
pub(crate) fn roots(command: &Command) -> Vec<TermId> {
    match command {
        Command::Assert(term)
        | Command::AssertSoft { term, .. }
        | Command::Minimize(term, _)
        | Command::Maximize(term, _) => vec![*term],
        Command::DefineFun(it) | Command::DefineConst(it) | Command::DefineFunRec(it) => {
            vec![it.body]
        }
        Command::DefineFunsRec(group) => group.iter().map(|it| it.body).collect(),
        Command::CheckSatAssuming(terms) | Command::GetValue(terms) => terms.clone(),
        _ => Vec::new(),
    }
}

/// The command with its terms replaced.
pub(crate) fn with_roots(
    command: &Command,
    mut new: impl FnMut(TermId) -> Option<TermId>,
) -> Option<Command> {
    let mut definition = |it: &Definition| -> Option<Definition> {
        Some(Definition { body: new(it.body)?, ..it.clone() })
    };
    Some(match command {
        Command::DefineFun(it) => Command::DefineFun(definition(it)?),
        Command::DefineConst(it) => Command::DefineConst(definition(it)?),
        Command::DefineFunRec(it) => Command::DefineFunRec(definition(it)?),
        Command::DefineFunsRec(group) => {
            Command::DefineFunsRec(group.iter().map(definition).collect::<Option<_>>()?)
        }
        Command::Assert(term) => Command::Assert(new(*term)?),
        Command::AssertSoft { term, attributes } => {
            Command::AssertSoft { term: new(*term)?, attributes: attributes.clone() }
        }
        Command::Minimize(term, more) => Command::Minimize(new(*term)?, more.clone()),
        Command::Maximize(term, more) => Command::Maximize(new(*term)?, more.clone()),
        Command::CheckSatAssuming(terms) => {
            Command::CheckSatAssuming(terms.iter().map(|&t| new(t)).collect::<Option<_>>()?)
        }
        Command::GetValue(terms) => {
            Command::GetValue(terms.iter().map(|&t| new(t)).collect::<Option<_>>()?)
        }
        other => other.clone(),
    })
}

/// Rebuilds a term over the known replacements of its children, and remembers it. Called on
/// arguments first, this rebuilds a whole script in one walk. `None` if they do not fit.
pub(crate) fn over_new_children(
    store: &mut Store,
    term: TermId,
    by: &mut Replacements,
) -> Option<()> {
    let parts: Vec<TermId> =
        store.children(term).iter().map(|part| by.get(part).copied().unwrap_or(*part)).collect();
    if parts != store.children(term) {
        let new = store.with_children(term, &parts).ok()?;
        by.insert(term, new);
    }
    Some(())
}

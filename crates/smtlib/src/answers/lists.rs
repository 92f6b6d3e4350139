//! Cores, values and objectives.

use super::bounds::{Bound, bound};
use super::raw;
use crate::reader::{Environment, Lets, Reader};
use crate::source::ReadError;
use assay_term::{SortId, Store, TermId};

fn not_a(text: &str, what: &str) -> ReadError {
    let at = text.len() - text.trim_start().len();
    ReadError::new(text, at, format!("this is not {what}"), None)
}

/// Reads an unsat core: the names in it, without bars.
///
/// # Errors
/// If the text is not a list of symbols.
pub fn read_core(text: &str) -> Result<Vec<String>, ReadError> {
    let names = raw::only_group(text).ok_or_else(|| not_a(text, "a core `(name …)`"))?;
    if names.iter().any(|name| name.starts_with(['(', '"', ':'])) {
        return Err(not_a(text, "a core `(name …)`"));
    }
    Ok(names.into_iter().map(|name| raw::unquoted(name).to_owned()).collect())
}

/// Reads the answer to `get-value`: the values of the requested terms, in their order, because
/// solvers repeat the terms in their own spelling. A value that cannot be represented is `None`.
///
/// # Errors
/// If the text is not a list of as many pairs.
pub fn read_values(
    store: &mut Store,
    env: &Environment,
    asked: &[TermId],
    text: &str,
) -> Result<Vec<Option<TermId>>, ReadError> {
    let pairs = raw::only_group(text).ok_or_else(|| not_a(text, "a list of values"))?;
    if pairs.len() != asked.len() {
        let (expected, got) = (asked.len(), pairs.len());
        let message = format!("expected {expected} values, got {got}");
        return Err(ReadError::new(text, 0, message, None));
    }
    let mut env = env.clone();
    let mut values = Vec::with_capacity(asked.len());
    for (pair, &term) in pairs.into_iter().zip(asked) {
        let parts = raw::only_group(pair).unwrap_or_default();
        let [_, value] = parts.as_slice() else {
            let at = pair.as_ptr() as usize - text.as_ptr() as usize;
            let message = "expected a pair `(term value)`".into();
            return Err(ReadError::new(text, at, message, None));
        };
        let sort = store.sort(term);
        values.push(value_of_sort(store, &mut env, value, sort));
    }
    Ok(values)
}

fn value_of_sort(
    store: &mut Store,
    env: &mut Environment,
    text: &str,
    sort: SortId,
) -> Option<TermId> {
    let mut reader = Reader::new(store, env, text, Lets::Expand);
    reader.elements = true;
    let value = reader.value(sort).ok();
    reader.abandon();
    value
}

/// One objective of the answer to `get-objectives`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Objective {
    /// The objective: a term, or the name of a group of soft assertions; empty for the unnamed
    /// group.
    pub name: String,
    /// Its optimum.
    pub bound: Bound,
}

/// Reads the answer to `get-objectives`: `(objectives (name value) …)`.
///
/// # Errors
/// If the text has another form.
pub fn read_objectives(
    store: &mut Store,
    env: &Environment,
    text: &str,
) -> Result<Vec<Objective>, ReadError> {
    let wrong = || not_a(text, "a list `(objectives (name value) …)`");
    let parts = raw::only_group(text).ok_or_else(wrong)?;
    let Some(("objectives", objectives)) = parts.split_first().map(|(head, rest)| (*head, rest))
    else {
        return Err(wrong());
    };
    let mut env = env.clone();
    let mut found = Vec::with_capacity(objectives.len());
    for objective in objectives {
        // z3 prints a name that needs bars without them, and an empty text if there is no name.
        let parts = raw::only_group(objective).ok_or_else(wrong)?;
        let (value, name) = parts.split_last().ok_or_else(wrong)?;
        let name = match name {
            [name] if !name.starts_with('(') => raw::unquoted(name).to_owned(),
            _ => name.join(" "),
        };
        found.push(Objective { name, bound: bound(store, &mut env, value) });
    }
    Ok(found)
}

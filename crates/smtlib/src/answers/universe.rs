//! The comments in which solvers list the elements of uninterpreted sorts:
//! `;; universe for U:` and the elements on the next line (z3), or `; cardinality of U is 2` and one
//! `; rep: …` for each (cvc4, cvc5).

use super::model::is_uninterpreted;
use super::raw;
use crate::reader::{Reader, SortBinding};
use assay_term::{Func, Model, SortId, Symbol, Value};

/// A sort and the names of all its elements.
pub(super) type Universe = (SortId, Vec<Symbol>);

/// The universes that the comments of a text list.
pub(super) fn listed(reader: &mut Reader<'_, '_>, text: &str) -> Vec<Universe> {
    let mut found = Vec::new();
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let (sort, names) = if let Some(sort) = line.strip_prefix(";; universe for ") {
            let list = format!("({})", lines.next().unwrap_or_default().trim_start_matches(';'));
            let names = raw::only_group(&list).unwrap_or_default();
            (sort.trim_end_matches(':'), names.iter().filter_map(|n| element(reader, n)).collect())
        } else if let Some((sort, count)) = cardinality(line) {
            lines.next_if(|line| line.starts_with("(declare-sort "));
            let mut names = Vec::new();
            while let Some(rep) = lines.peek().and_then(|line| line.strip_prefix("; rep: ")) {
                names.extend(element(reader, rep));
                lines.next();
            }
            (sort, if names.len() == count { names } else { Vec::new() })
        } else {
            continue;
        };
        if let (Some(sort), false) = (plain_sort(reader, sort), names.is_empty()) {
            for &name in &names {
                let func = Func::Declared { name, params: Box::new([]), result: sort };
                let func = reader.store.intern_func(func);
                reader.seen_elements.push(func);
            }
            found.push((sort, names));
        }
    }
    found
}

/// The sort and the number of `; cardinality of U is 2`.
fn cardinality(line: &str) -> Option<(&str, usize)> {
    let (sort, count) = line.strip_prefix("; cardinality of ")?.rsplit_once(" is ")?;
    Some((sort, count.parse().ok()?))
}

fn plain_sort(reader: &Reader<'_, '_>, name: &str) -> Option<SortId> {
    match reader.env.sort(reader.store.symbols.get(raw::unquoted(name))?)? {
        SortBinding::Sort(sort) if is_uninterpreted(reader.store, *sort) => Some(*sort),
        _ => None,
    }
}

/// The name of an element that is printed as `name` or `(as name S)`.
fn element(reader: &mut Reader<'_, '_>, text: &str) -> Option<Symbol> {
    let name = match raw::only_group(text).as_deref() {
        Some(["as", name, ..]) => *name,
        Some(_) => return None,
        None => text,
    };
    Some(reader.store.symbols.intern(raw::unquoted(name)))
}

/// Adds the universes to the model. One that lacks an element of the model is not a universe.
pub(super) fn adopt(reader: &Reader<'_, '_>, universes: Vec<Universe>, model: &mut Model) {
    for (sort, mut names) in universes {
        names.sort_unstable();
        names.dedup();
        let complete = reader.seen_elements.iter().all(|&func| match reader.store.func(func) {
            Func::Declared { name, result, .. } if *result == sort => {
                names.binary_search(name).is_ok()
            }
            _ => true,
        });
        if complete {
            let elements = names.iter().map(|&name| Value::Element(sort, name)).collect();
            model.set_universe(sort, elements);
        }
    }
}

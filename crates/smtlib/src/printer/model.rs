//! Models as text, in the format of solvers.

use super::{Dialect, Printer};
use assay_term::theories::core;
use assay_term::value::Value;
use assay_term::{Func, FuncId, Interpretation, Model, SortId, Store, TermId};
use std::fmt::Write;

/// A model as a list of `define-fun`s, in order of declaration.
///
/// Values that SMT-LIB cannot express (elements of uninterpreted sorts, closures) are replaced by a
/// comment. The terms of the values are added to the store.
#[must_use]
pub fn print_model(store: &mut Store, model: &Model, dialect: Dialect) -> String {
    let mut symbols: Vec<(FuncId, &Interpretation)> = model.iter().collect();
    symbols.sort_unstable_by_key(|(func, _)| *func);
    let mut out = String::from("(\n");
    for (func, meaning) in symbols {
        match definition(store, func, meaning, dialect) {
            Some(text) => {
                let _ = writeln!(out, "  {text}");
            }
            None => {
                let _ = writeln!(
                    out,
                    "  ; {} has a value that cannot be written",
                    store.func_name(func)
                );
            }
        }
    }
    out.push_str(")\n");
    out
}

fn definition(
    store: &mut Store,
    func: FuncId,
    meaning: &Interpretation,
    dialect: Dialect,
) -> Option<String> {
    let Func::Declared { params, result, .. } = store.func(func).clone() else { return None };
    let (variables, body) = match meaning {
        Interpretation::Value(value) => (Vec::new(), store.value(value)?),
        Interpretation::Definition { params, body } => (params.to_vec(), *body),
        Interpretation::Table { entries, default } => {
            let variables = parameters(store, &params);
            let mut entries: Vec<(&Box<[Value]>, &Value)> = entries.iter().collect();
            entries.sort_unstable();
            let mut body = store.value(default)?;
            for (arguments, value) in entries.into_iter().rev() {
                let guard = guard(store, &variables, arguments)?;
                let value = store.value(value)?;
                body = store.op(core::ITE, &[guard, value, body]).ok()?;
            }
            (variables, body)
        }
        Interpretation::Opaque(_) => return None,
    };
    let printer = Printer::new(store).dialect(dialect);
    let mut text = format!("(define-fun {} ", store.func_name(func));
    printer.variables(&variables, &mut text);
    let _ = write!(text, " {} {})", printer.sort(result), printer.term(body));
    Some(text)
}

/// A variable for each parameter.
fn parameters(store: &mut Store, sorts: &[SortId]) -> Vec<TermId> {
    let variable = |(position, &sort): (usize, &SortId)| {
        let name = store.symbols.intern(&format!("x!{position}"));
        store.var(name, sort)
    };
    sorts.iter().enumerate().map(variable).collect()
}

/// That the variables have these values.
fn guard(store: &mut Store, variables: &[TermId], values: &[Value]) -> Option<TermId> {
    let mut guards = Vec::with_capacity(values.len());
    for (&variable, value) in variables.iter().zip(values) {
        let value = store.value(value)?;
        guards.push(store.op(core::EQ, &[variable, value]).ok()?);
    }
    match guards[..] {
        [only] => Some(only),
        _ => store.op(core::AND, &guards).ok(),
    }
}

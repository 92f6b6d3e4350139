//! Models as text, in the format of solvers.

use super::{Dialect, Printer};
use assay_term::theories::core;
use assay_term::value::Value;
use assay_term::{Func, FuncId, Interpretation, Model, Sort, SortId, Store, Symbol, TermId};
use rustc_hash::FxHashMap;
use std::fmt::Write;

/// A model as a list of `define-fun`s, in order of declaration.
///
/// Elements of a declared sort `S` are named `S!val!0`, `S!val!1`, …, as z3 names them. Values that
/// cannot be expressed (closures, elements in arrays or of sorts with parameters) are replaced by a
/// comment. The terms of the values are added to the store.
#[must_use]
pub fn print_model(store: &mut Store, model: &Model, dialect: Dialect) -> String {
    let mut symbols: Vec<(FuncId, &Interpretation)> = model.iter().collect();
    symbols.sort_unstable_by_key(|(func, _)| *func);
    let mut out = String::from("(\n");
    let mut elements = Elements::default();
    for (func, meaning) in symbols {
        match definition(store, func, meaning, dialect, &mut elements) {
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
    elements: &mut Elements,
) -> Option<String> {
    let Func::Declared { params, result, .. } = store.func(func).clone() else { return None };
    let (variables, body) = match meaning {
        Interpretation::Value(value) => (Vec::new(), elements.value(store, value)?),
        Interpretation::Definition { params, body } => (params.to_vec(), *body),
        Interpretation::Table { entries, default } => {
            let variables = parameters(store, &params);
            let mut entries: Vec<(&Box<[Value]>, &Value)> = entries.iter().collect();
            entries.sort_unstable();
            let mut body = elements.value(store, default)?;
            for (arguments, value) in entries.into_iter().rev() {
                let guard = guard(store, &variables, arguments, elements)?;
                let value = elements.value(store, value)?;
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

/// The names of elements of declared sorts that are printed under another name than the model's.
#[derive(Default)]
struct Elements(FxHashMap<(SortId, Symbol), Symbol>);

impl Elements {
    /// The term that a value is printed as.
    fn value(&mut self, store: &mut Store, value: &Value) -> Option<TermId> {
        let &Value::Element(sort, element) = value else { return store.value(value) };
        let decl = match store.sorts.get(sort) {
            Sort::Declared(decl, args) if args.is_empty() => store.sorts.decl(*decl).name,
            _ => return None,
        };
        let prefix = format!("{}!val!", store.symbols.name(decl));
        let number = store.symbols.name(element).strip_prefix(&prefix);
        let name = match number.is_some_and(|text| text.bytes().all(|b| b.is_ascii_digit())) {
            true => element,
            false => self.renamed(store, (sort, element), &prefix),
        };
        let func = store.intern_func(Func::Declared { name, params: Box::new([]), result: sort });
        store.app(func, &[]).ok()
    }

    /// A name that no symbol has, always the same for an element.
    fn renamed(&mut self, store: &mut Store, key: (SortId, Symbol), prefix: &str) -> Symbol {
        if let Some(&name) = self.0.get(&key) {
            return name;
        }
        let name = (0..)
            .map(|number| format!("{prefix}{number}"))
            .find(|name| store.symbols.get(name).is_none())
            .expect("there are more numbers than symbols");
        let name = store.symbols.intern(&name);
        self.0.insert(key, name);
        name
    }
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
fn guard(
    store: &mut Store,
    variables: &[TermId],
    values: &[Value],
    elements: &mut Elements,
) -> Option<TermId> {
    let mut guards = Vec::with_capacity(values.len());
    for (&variable, value) in variables.iter().zip(values) {
        let value = elements.value(store, value)?;
        guards.push(store.op(core::EQ, &[variable, value]).ok()?);
    }
    match guards[..] {
        [only] => Some(only),
        _ => store.op(core::AND, &guards).ok(),
    }
}

//! Models, as z3 (old and new), cvc4, cvc5, yices and bitwuzla print them.

use super::tables;
use crate::lexer::Token;
use crate::reader::{Binding, Environment, Lets, Reader, SortBinding};
use crate::source::{Fault, Read, ReadError};
use assay_term::theories::{fp, ints, reals, seq};
use assay_term::{
    Func, FuncId, Interpretation, Model, Op, Sort, SortId, Store, Symbol, TermId, Value,
};

/// Names under which z3 prints what the standard leaves open.
const OPEN: &[(&str, Op)] = &[
    ("/0", reals::DIVIDE),
    ("div0", ints::DIV),
    ("mod0", ints::MOD),
    ("rem0", ints::REM),
    ("seq.nth_u", seq::NTH),
    ("fp.to_ubv_unspecified", fp::TO_UBV),
    ("fp.to_sbv_unspecified", fp::TO_SBV),
    ("fp.to_real_unspecified", fp::TO_REAL),
    ("fp.to_ieee_bv_unspecified", fp::TO_IEEE_BV),
    ("fp.min_unspecified", fp::MIN),
    ("fp.max_unspecified", fp::MAX),
];

/// Reads a model in the scope of a script. The text may begin with `sat`.
///
/// # Errors
/// Where the text as a whole is not a model. A single value that cannot be represented makes only
/// that symbol opaque.
pub fn read_model(store: &mut Store, env: &Environment, text: &str) -> Result<Model, ReadError> {
    let mut env = env.clone();
    let mut reader = Reader::new(store, &mut env, text, Lets::Expand);
    reader.elements = true;
    let mut entries = Vec::new();
    let mut model = Model::new();
    let read = signatures(&mut reader, &mut entries, &mut model);
    read.map_err(|fault| fault.locate(text))?;
    // Helpers first, constants last: a constant may be an array given by a helper.
    entries.sort_by_key(|entry| (!entry.helper, entry.params.is_empty()));
    for entry in &entries {
        body(&mut reader, entry, &mut model);
    }
    universes(&mut reader, text, &mut model);
    elements(&mut reader, &mut model);
    Ok(model)
}

/// The header of one definition, and where its body begins.
struct Entry {
    func: FuncId,
    params: Vec<(Symbol, SortId)>,
    result: SortId,
    body: usize,
    open: Option<Op>,
    /// Not a symbol of the script.
    helper: bool,
}

/// Reads all headers, so that bodies may mention what comes later. The envelope is `(model …)`,
/// `(…)` or nothing.
fn signatures(
    reader: &mut Reader<'_, '_>,
    entries: &mut Vec<Entry>,
    model: &mut Model,
) -> Read<()> {
    let mut inside = false;
    loop {
        match reader.lexer.next()? {
            Token::End if !inside => return Ok(()),
            Token::Close if inside => inside = false,
            // `sat` before the model, `INCOMPLETE` of cvc5 in its middle.
            Token::Symbol => {}
            Token::Open => {
                let at = reader.lexer.at();
                match reader.lexer.next()? {
                    Token::Symbol if !inside && reader.lexer.text() == "model" => inside = true,
                    Token::Symbol | Token::Quoted => item(reader, at, entries, model)?,
                    Token::Open if !inside => {
                        inside = true;
                        reader.lexer.rewind(at + 1);
                    }
                    Token::Close if !inside => {}
                    // A pair of `get-value` whose term is compound.
                    Token::Open => skip(reader, at)?,
                    got => return Err(reader.unexpected(got, "expected a definition")),
                }
            }
            got => return Err(reader.unexpected(got, "expected a definition of a model")),
        }
    }
}

/// Skips the item whose parenthesis is at `at`, whatever is in it.
fn skip(reader: &mut Reader<'_, '_>, at: usize) -> Read<()> {
    if reader.lexer.skip_group(at) {
        return Ok(());
    }
    Err(Fault::new(at, "this item of the model is not closed"))
}

/// Reads one item of a model; its parenthesis at `at` and its head are read.
fn item(
    reader: &mut Reader<'_, '_>,
    at: usize,
    entries: &mut Vec<Entry>,
    model: &mut Model,
) -> Read<()> {
    match reader.lexer.text() {
        "define-fun" | "define-fun-rec" => {
            // A header that cannot be read, such as an empty name, is left out with its item.
            entries.extend(header(reader));
            skip(reader, at)
        }
        "declare-fun" => {
            let name = reader.symbol("of an element")?;
            reader.expect(Token::Open, "before the argument sorts")?;
            reader.expect(Token::Close, "after no argument sorts")?;
            let sort = reader.sort()?;
            if reader.env.get(name) == Binding::Free {
                let func = reader.declare(name, Vec::new(), sort);
                reader.seen_elements.extend(func);
            }
            skip(reader, at)
        }
        "forall" | "declare-sort" | "declare-datatypes" | "declare-datatype" | "define-sort" => {
            skip(reader, at)
        }
        _ => pair(reader, at, model),
    }
}

/// Reads a pair `(symbol value)` as `get-value` prints it.
fn pair(reader: &mut Reader<'_, '_>, at: usize, model: &mut Model) -> Read<()> {
    reader.lexer.rewind(at + 1);
    let name = reader.symbol("of a constant")?;
    if let (Ok(body), Some(func)) = (reader.term(), declared(reader, name)) {
        model.set(func, Interpretation::Definition { params: Box::new([]), body });
        return reader.expect(Token::Close, "after the value");
    }
    reader.abandon();
    skip(reader, at)
}

fn declared(reader: &Reader<'_, '_>, name: Symbol) -> Option<FuncId> {
    reader.env.functions(reader.store, name).first().copied()
}

fn header(reader: &mut Reader<'_, '_>) -> Read<Entry> {
    let name = reader.symbol("to define")?;
    let params = reader.parameters()?;
    let result = reader.sort()?;
    let body = reader.lexer.position();
    let sorts: Vec<SortId> = params.iter().map(|param| param.1).collect();
    let known = symbol_of_script(reader, name, &sorts);
    let open = match known {
        Some(_) => None,
        None => OPEN.iter().find(|(n, _)| *n == reader.store.symbols.name(name)).map(|(_, op)| *op),
    };
    let func = match known {
        Some(func) => func,
        None => {
            let declared = reader.declare(name, sorts, result);
            declared.map_err(|name| Fault::new(body, format!("`{name}` is defined twice")))?
        }
    };
    Ok(Entry { func, params, result, body, open, helper: known.is_none() })
}

/// The symbol of the script that a definition is for: of several with one name the one with these
/// argument sorts.
fn symbol_of_script(reader: &Reader<'_, '_>, name: Symbol, sorts: &[SortId]) -> Option<FuncId> {
    let mut functions = reader.env.functions(reader.store, name);
    functions.retain(|&func| matches!(reader.store.func(func), Func::Declared { .. }));
    let fits = |func: &&FuncId| match reader.store.func(**func) {
        Func::Declared { params, .. } => **params == *sorts,
        _ => false,
    };
    functions.iter().find(fits).or(functions.first()).copied()
}

/// Reads one body and adds what it says to the model.
fn body(reader: &mut Reader<'_, '_>, entry: &Entry, model: &mut Model) {
    reader.lexer.rewind(entry.body);
    reader.expected_value = Some(entry.result);
    let meaning = match reader.function_body(entry.params.clone(), entry.result) {
        Ok((params, body)) => fit(reader.store, entry, params, body),
        Err(fault) => {
            reader.abandon();
            Interpretation::Opaque(fault.message)
        }
    };
    if let (Some(array), true) = (array_of(reader.store, &meaning), entry.helper) {
        reader.tables.insert(entry.func, array);
    }
    match entry.open {
        Some(op) => model.set_open(op, entry.result, meaning),
        None => model.set(entry.func, meaning),
    }
}

/// The array that a function of one argument is, if it is a finite table.
fn array_of(store: &mut Store, meaning: &Interpretation) -> Option<TermId> {
    match meaning {
        Interpretation::Definition { params, body } if params.len() == 1 => {
            tables::array(store, params[0], *body)
        }
        _ => None,
    }
}

/// Fits a definition to the symbol it is for: yices prints an array as a function.
fn fit(store: &mut Store, entry: &Entry, params: Box<[TermId]>, body: TermId) -> Interpretation {
    let Func::Declared { params: declared, result, .. } = store.func(entry.func) else {
        return Interpretation::Opaque("not a declared symbol".into());
    };
    let (arity, result) = (declared.len(), *result);
    let sorts: Vec<SortId> = params.iter().map(|&p| store.sort(p)).collect();
    if **declared == *sorts && result == entry.result {
        return Interpretation::Definition { params, body };
    }
    match (arity, store.array_sorts(result), &*params) {
        (0, Some((index, element)), [param]) if index == sorts[0] && element == entry.result => {
            let array = tables::array(store, *param, body);
            match array.map_or_else(|| store.lambda(&params, body), Ok) {
                Ok(body) => Interpretation::Definition { params: Box::new([]), body },
                Err(_) => Interpretation::Opaque("a function where an array belongs".into()),
            }
        }
        _ => Interpretation::Opaque("a definition of another sort than the symbol's".into()),
    }
}

/// Names that stand for elements of uninterpreted sorts become those elements.
fn elements(reader: &mut Reader<'_, '_>, model: &mut Model) {
    for &func in &reader.seen_elements {
        let Func::Declared { name, result, .. } = *reader.store.func(func) else { continue };
        if model.get(func).is_none() && is_uninterpreted(reader.store, result) {
            model.set(func, Interpretation::Value(Value::Element(result, name)));
        }
    }
}

fn is_uninterpreted(store: &Store, sort: SortId) -> bool {
    matches!(store.sorts.get(sort), Sort::Declared(..)) && store.sorts.datatype(sort).is_none()
}

/// The comments in which solvers list the elements of uninterpreted sorts:
/// `;; universe for U:` and the elements on the next line (z3), or `; cardinality of U is 2` and
/// one `; rep: …` per element (cvc4, cvc5).
fn universes(reader: &mut Reader<'_, '_>, text: &str, model: &mut Model) {
    let mut lines = text.lines().map(str::trim).peekable();
    while let Some(line) = lines.next() {
        let mut names: Vec<String> = Vec::new();
        let sort = if let Some(sort) = line.strip_prefix(";; universe for ") {
            let list = lines.next().unwrap_or_default();
            names.extend(list.trim_start_matches(';').split_whitespace().map(str::to_owned));
            sort.trim_end_matches(':')
        } else if let Some((sort, _)) =
            line.strip_prefix("; cardinality of ").and_then(|l| l.split_once(" is "))
        {
            while let Some(rep) = lines.peek().and_then(|l| l.strip_prefix("; rep: ")) {
                names.push(rep.to_owned());
                lines.next();
            }
            sort
        } else {
            continue;
        };
        let Some(sort) = plain_sort(reader, sort) else { continue };
        let universe: Option<Vec<Value>> =
            names.iter().map(|name| element(reader, name, sort)).collect();
        if let Some(universe) = universe.filter(|u| !u.is_empty()) {
            model.set_universe(sort, universe);
        }
    }
}

fn plain_sort(reader: &Reader<'_, '_>, name: &str) -> Option<SortId> {
    let name = name.trim_matches('|');
    match reader.env.sort(reader.store.symbols.get(name)?)? {
        SortBinding::Sort(sort) if is_uninterpreted(reader.store, *sort) => Some(*sort),
        _ => None,
    }
}

/// The element that a solver names `name` or `(as name S)`.
fn element(reader: &mut Reader<'_, '_>, text: &str, sort: SortId) -> Option<Value> {
    let name = match text.strip_prefix("(as ") {
        Some(rest) => rest.split_whitespace().next()?,
        None => text,
    };
    let name = reader.store.symbols.intern(name.trim_matches('|'));
    let func =
        reader.store.intern_func(Func::Declared { name, params: Box::new([]), result: sort });
    reader.seen_elements.push(func);
    Some(Value::Element(sort, name))
}

//! Models, as z3 (old and new), cvc4, cvc5, yices and bitwuzla print them.

use super::{tables, universe};
use crate::lexer::Token;
use crate::reader::{Binding, Environment, Lets, Reader};
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
    // z3 4.8.0 gives them the operators' own names.
    ("fp.to_ubv", fp::TO_UBV),
    ("fp.to_sbv", fp::TO_SBV),
    ("fp.to_real", fp::TO_REAL),
    ("fp.min", fp::MIN),
    ("fp.max", fp::MAX),
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
    let universes = universe::listed(&mut reader, text);
    elements(&mut reader, &mut model);
    universe::adopt(&reader, universes, &mut model);
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
                match reader.lexer.next() {
                    Ok(Token::Symbol) if !inside && reader.lexer.text() == "model" => inside = true,
                    Ok(Token::Symbol | Token::Quoted) => item(reader, at, entries, model)?,
                    Ok(Token::Open) if !inside => {
                        inside = true;
                        reader.lexer.rewind(at + 1);
                    }
                    Ok(Token::Close) if !inside => {}
                    // A pair of `get-value` whose term is compound, or a name without its bars.
                    Ok(Token::Open) | Err(_) => skip(reader, at)?,
                    Ok(got) => return Err(reader.unexpected(got, "expected a definition")),
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
            // A definition without a name is left out.
            if let Ok(name) = reader.symbol("to define") {
                match header(reader, name) {
                    Ok(entry) => entries.extend(entry),
                    Err(fault) => opaque(reader, name, fault.message, model),
                }
            }
        }
        "declare-fun" => {
            let _ = declaration(reader);
        }
        "forall" | "function" | "declare-sort" | "declare-datatypes" | "declare-datatype"
        | "define-sort" => {}
        // yices, if not told otherwise: `(= symbol value)`.
        "=" => {
            let _ = pair(reader, model);
        }
        _ => {
            reader.lexer.rewind(at + 1);
            let _ = pair(reader, model);
        }
    }
    reader.abandon();
    skip(reader, at)
}

/// Reads the rest of `(declare-fun e () S)`, as z3 declares the elements of a sort.
fn declaration(reader: &mut Reader<'_, '_>) -> Read<()> {
    let name = reader.symbol("of an element")?;
    reader.expect(Token::Open, "before the argument sorts")?;
    reader.expect(Token::Close, "after no argument sorts")?;
    let sort = reader.sort()?;
    if reader.env.get(name) == Binding::Free {
        let func = reader.declare(name, Vec::new(), sort);
        reader.seen_elements.extend(func);
    }
    Ok(())
}

/// Reads a pair `symbol value)`, as `get-value` prints it for a constant.
fn pair(reader: &mut Reader<'_, '_>, model: &mut Model) -> Read<()> {
    let name = reader.symbol("of a constant")?;
    let Some(func) = symbol_of_script(reader, name, &[]) else { return Ok(()) };
    let Func::Declared { params, result, .. } = reader.store.func(func) else { return Ok(()) };
    if !params.is_empty() {
        opaque(reader, name, "a function as a value".into(), model);
        return Ok(());
    }
    let (result, body) = (*result, reader.lexer.position());
    let entry = Entry { func, params: Vec::new(), result, body, open: None, helper: false };
    self::body(reader, &entry, model);
    Ok(())
}

/// Says that a symbol of the script has a value that we cannot represent.
fn opaque(reader: &Reader<'_, '_>, name: Symbol, why: String, model: &mut Model) {
    if let Some(func) = symbol_of_script(reader, name, &[]) {
        if model.get(func).is_none() {
            model.set(func, Interpretation::Opaque(why));
        }
    }
}

/// Reads the header of a definition after its name; none if it defines a symbol of the theories.
fn header(reader: &mut Reader<'_, '_>, name: Symbol) -> Read<Option<Entry>> {
    let params = reader.parameters()?;
    let result = reader.sort()?;
    let body = reader.lexer.position();
    let sorts: Vec<SortId> = params.iter().map(|param| param.1).collect();
    let known = symbol_of_script(reader, name, &sorts);
    let open = match known {
        Some(_) => None,
        None => OPEN.iter().find(|(n, _)| *n == reader.store.symbols.name(name)).map(|(_, op)| *op),
    };
    let theory = reader.env.op(name).is_some();
    let func = match known {
        Some(func) => func,
        None if theory && open.is_none() => return Ok(None),
        // Inside the model the name still means the operator.
        None if theory => {
            reader.store.intern_func(Func::Declared { name, params: sorts.into(), result })
        }
        None => {
            let declared = reader.declare(name, sorts, result);
            declared.map_err(|name| Fault::new(body, format!("`{name}` is defined twice")))?
        }
    };
    Ok(Some(Entry { func, params, result, body, open, helper: known.is_none() }))
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
    let read = reader.function_body(entry.params.clone(), entry.result);
    let read = read.and_then(|read| reader.expect(Token::Close, "after the value").map(|()| read));
    let meaning = match read {
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

pub(super) fn is_uninterpreted(store: &Store, sort: SortId) -> bool {
    matches!(store.sorts.get(sort), Sort::Declared(..)) && store.sorts.datatype(sort).is_none()
}

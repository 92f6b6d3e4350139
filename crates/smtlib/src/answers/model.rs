//! Models in the formats of z3 (old and new), cvc4, cvc5, yices and bitwuzla.

use super::{tables, universe};
use crate::lexer::Token;
use crate::reader::{Binding, Environment, Lets, Reader};
use crate::source::{Fault, Read, ReadError};
use assay_term::theories::{fp, ints, reals, seq};
use assay_term::{
    Func, FuncId, Interpretation, Model, Op, Sort, SortId, Store, Symbol, TermId, Value,
};

/// The names that z3 gives to results that the standard leaves open.
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
    // z3 4.8.0 uses the operators' own names.
    ("fp.to_ubv", fp::TO_UBV),
    ("fp.to_sbv", fp::TO_SBV),
    ("fp.to_real", fp::TO_REAL),
    ("fp.min", fp::MIN),
    ("fp.max", fp::MAX),
];

/// A printed model: its content, and the items that could not be used.
#[derive(Clone, Debug)]
pub struct PrintedModel {
    /// Its content.
    pub model: Model,
    /// The unusable items, in order of detection.
    pub faults: Vec<ItemFault>,
}

/// An unusable item of a printed model.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum ItemFault {
    /// The value is well formed, but its sort is not the symbol's.
    #[error("has an ill-sorted value for `{symbol}`: {message}")]
    IllSorted {
        /// The symbol of the script.
        symbol: String,
        /// The sorts.
        message: String,
    },
    /// It has two values.
    #[error("has two values for `{symbol}`")]
    Twice {
        /// The symbol of the script.
        symbol: String,
    },
    /// It was not understood. It may be a value that we cannot represent.
    #[error("has an item that is not understood{}: {message}", of(.symbol))]
    NotUnderstood {
        /// The symbol of the script that it belongs to, if known.
        symbol: Option<String>,
        /// The part that was not understood.
        message: String,
    },
}

impl ItemFault {
    /// Whether the tool certainly printed something wrong.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        match self {
            ItemFault::IllSorted { .. } | ItemFault::Twice { .. } => true,
            ItemFault::NotUnderstood { .. } => false,
        }
    }
}

fn of(symbol: &Option<String>) -> String {
    symbol.as_ref().map_or_else(String::new, |symbol| format!(" (`{symbol}`)"))
}

/// Reads a model in the scope of a script. The text may start with `sat`.
///
/// # Errors
/// If the text as a whole is not a model. A single value that cannot be represented makes only that
/// symbol opaque.
pub fn read_model(store: &mut Store, env: &Environment, text: &str) -> Result<Model, ReadError> {
    read_printed_model(store, env, text).map(|printed| printed.model)
}

/// Like [`read_model`], but also returns the items that could not be used.
///
/// # Errors
/// If the text as a whole is not a model.
pub fn read_printed_model(
    store: &mut Store,
    env: &Environment,
    text: &str,
) -> Result<PrintedModel, ReadError> {
    let mut env = env.clone();
    let mut reader = Reader::new(store, &mut env, text, Lets::Expand);
    reader.elements = true;
    let mut draft = Draft::default();
    signatures(&mut reader, &mut draft).map_err(|fault| fault.locate(text))?;
    if !draft.is_model {
        let at = text.len() - text.trim_start().len();
        let message = "this is not a model: it defines nothing".to_owned();
        return Err(ReadError::new(text, at, message, None));
    }
    // Helpers first, constants last: a helper may define the array of a constant.
    let mut entries = std::mem::take(&mut draft.entries);
    entries.sort_by_key(|entry| (!entry.helper, entry.params.is_empty()));
    for entry in &entries {
        body(&mut reader, entry, text, &mut draft);
    }
    let Draft { mut model, faults, .. } = draft;
    let universes = universe::listed(&mut reader, text);
    elements(&mut reader, &mut model);
    universe::adopt(&reader, universes, &mut model);
    Ok(PrintedModel { model, faults })
}

/// The part of a model that has been read.
#[derive(Default)]
struct Draft {
    entries: Vec<Entry>,
    model: Model,
    faults: Vec<ItemFault>,
    /// Whether an empty envelope, or a typical item of models, was seen.
    is_model: bool,
}

impl Draft {
    fn not_understood(&mut self, reader: &Reader<'_, '_>, name: Option<Symbol>, message: String) {
        let symbol = name.map(|name| reader.store.symbols.name(name).to_owned());
        self.faults.push(ItemFault::NotUnderstood { symbol, message });
    }

    /// Gives a symbol its meaning; a constant of the script that has another one already has none.
    fn define(&mut self, reader: &Reader<'_, '_>, entry: &Entry, meaning: Interpretation) {
        let before =
            self.model.get(entry.func).filter(|_| !entry.helper && entry.params.is_empty());
        if before.is_some_and(|before| *before != meaning) {
            let symbol = reader.store.func_name(entry.func).to_string();
            let fault = ItemFault::Twice { symbol };
            self.model.set(entry.func, Interpretation::Opaque(format!("the model {fault}")));
            self.faults.push(fault);
        } else {
            self.model.set(entry.func, meaning);
        }
    }

    /// Records that a symbol of the script has a value that we cannot represent.
    fn opaque(&mut self, reader: &Reader<'_, '_>, name: Symbol, why: String) {
        let Some(func) = symbol_of_script(reader, name, &[]) else { return };
        self.not_understood(reader, Some(name), why.clone());
        if self.model.get(func).is_none() {
            self.model.set(func, Interpretation::Opaque(why));
        }
    }
}

/// The header of one definition, and the offset of its body.
struct Entry {
    func: FuncId,
    params: Vec<(Symbol, SortId)>,
    result: SortId,
    body: usize,
    open: Option<Op>,
    /// Not a symbol of the script.
    helper: bool,
}

/// Words that solvers print before a model.
const BEFORE: [&str; 4] = ["sat", "unknown", "unsupported", "success"];

/// Reads all headers first, so that bodies may refer to later definitions. The envelope is
/// `(model …)`, `(…)` or absent.
fn signatures(reader: &mut Reader<'_, '_>, draft: &mut Draft) -> Read<()> {
    let mut inside = false;
    loop {
        match reader.lexer.next()? {
            Token::End if !inside => return Ok(()),
            Token::Close if inside => inside = false,
            Token::Symbol if !inside && BEFORE.contains(&reader.lexer.text()) => {}
            Token::Symbol if inside => {
                let message = format!("`{}` is not a definition", reader.lexer.text());
                draft.not_understood(reader, None, message);
            }
            Token::Open => {
                let at = reader.lexer.at();
                match reader.lexer.next() {
                    Ok(Token::Symbol) if !inside && reader.lexer.text() == "model" => {
                        inside = true;
                        draft.is_model = true;
                    }
                    Ok(Token::Symbol | Token::Quoted) => item(reader, at, draft)?,
                    Ok(Token::Open) if !inside => {
                        inside = true;
                        reader.lexer.rewind(at + 1);
                    }
                    Ok(Token::Close) if !inside => draft.is_model = true,
                    // A pair of `get-value` whose term is compound, or a name without its bars.
                    Ok(Token::Open) | Err(_) => skip(reader, at)?,
                    Ok(got) => return Err(reader.unexpected(got, "expected a definition")),
                }
            }
            got => return Err(reader.unexpected(got, "expected a definition of a model")),
        }
    }
}

/// Skips the item whose parenthesis is at `at`, whatever its content.
fn skip(reader: &mut Reader<'_, '_>, at: usize) -> Read<()> {
    if reader.lexer.skip_group(at) {
        return Ok(());
    }
    Err(Fault::new(at, "this item of the model is not closed"))
}

/// Reads one item of a model, after its parenthesis at `at` and its head.
fn item(reader: &mut Reader<'_, '_>, at: usize, draft: &mut Draft) -> Read<()> {
    let mut is_known = true;
    match reader.lexer.text() {
        "define-fun" | "define-fun-rec" => match reader.symbol("to define") {
            Ok(name) => match header(reader, name) {
                Ok(entry) => draft.entries.extend(entry),
                Err(fault) => draft.opaque(reader, name, fault.message),
            },
            // A definition without a name is skipped.
            Err(fault) => draft.not_understood(reader, None, fault.message),
        },
        "declare-fun" => {
            let _ = declaration(reader);
        }
        "forall" | "function" | "declare-sort" | "declare-datatypes" | "declare-datatype"
        | "define-sort" => {}
        // yices by default: `(= symbol value)`.
        "=" => is_known = pair(reader, draft),
        _ => {
            reader.lexer.rewind(at + 1);
            is_known = pair(reader, draft);
        }
    }
    draft.is_model |= is_known;
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

/// Reads a pair `symbol value)`, as `get-value` prints it for a constant; returns whether it belongs
/// to a symbol of the script.
fn pair(reader: &mut Reader<'_, '_>, draft: &mut Draft) -> bool {
    let name = match reader.symbol("of a constant") {
        Ok(name) => name,
        Err(fault) => {
            draft.not_understood(reader, None, fault.message);
            return false;
        }
    };
    let known = symbol_of_script(reader, name, &[]).map(|func| (func, reader.store.func(func)));
    let Some((func, Func::Declared { params, result, .. })) = known else {
        let name = reader.store.symbols.name(name);
        let message = format!("the script does not declare `{name}`");
        draft.not_understood(reader, None, message);
        return false;
    };
    if !params.is_empty() {
        draft.opaque(reader, name, "a function as a value".into());
        return true;
    }
    let (result, at) = (*result, reader.lexer.position());
    let params = Vec::new();
    draft.entries.push(Entry { func, params, result, body: at, open: None, helper: false });
    true
}

/// Reads the header of a definition after its name; `None` if it defines a symbol of the theories.
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
        // Inside the model the name still denotes the operator.
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

/// The symbol of the script that a definition is for: among several with one name, the one with these
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

/// Reads one body and adds it to the model.
fn body(reader: &mut Reader<'_, '_>, entry: &Entry, text: &str, draft: &mut Draft) {
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
    if let (Interpretation::Opaque(message), false) = (&meaning, entry.helper) {
        let fault = fault_of(reader, entry, text, message);
        draft.faults.push(fault);
    }
    if let (Some(array), true) = (array_of(reader.store, &meaning), entry.helper) {
        reader.tables.insert(entry.func, array);
    }
    match entry.open {
        Some(op) => draft.model.set_open(op, entry.result, meaning),
        None => draft.define(reader, entry, meaning),
    }
}

/// Why a symbol of the script has no value: the value certainly has another sort, or it was not
/// understood.
fn fault_of(reader: &mut Reader<'_, '_>, entry: &Entry, text: &str, message: &str) -> ItemFault {
    let Func::Declared { name, params, result, .. } = reader.store.func(entry.func) else {
        return ItemFault::NotUnderstood { symbol: None, message: message.to_owned() };
    };
    let symbol = reader.store.symbols.name(*name).to_owned();
    let constant = params.is_empty() && entry.params.is_empty();
    let expected = *result;
    let got = if constant { read_sort(reader, entry, text) } else { None };
    match got {
        Some(got) if plainly_differ(reader.store, expected, got) => {
            let (expected, got) = (reader.store.sort_name(expected), reader.store.sort_name(got));
            ItemFault::IllSorted { symbol, message: format!("expected {expected}, got {got}") }
        }
        _ => ItemFault::NotUnderstood { symbol: Some(symbol), message: message.to_owned() },
    }
}

/// The sort of a constant's value on its own; `None` if it is not a term.
fn read_sort(reader: &mut Reader<'_, '_>, entry: &Entry, text: &str) -> Option<SortId> {
    let rest = text.get(entry.body..)?;
    let start = entry.body + (rest.len() - rest.trim_start().len());
    let end = super::raw::item_end(text, start)?;
    let value = crate::reader::read_term(reader.store, reader.env, &text[start..end]).ok()?;
    Some(reader.store.sort(value))
}

/// Whether no solver prints values of one sort for the other. Numbers, and bits for floating-point
/// numbers, are interchangeable; compound sorts have too many spellings.
fn plainly_differ(store: &Store, one: SortId, other: SortId) -> bool {
    #[derive(PartialEq)]
    enum Plain {
        Truth,
        Number,
        Bits(Option<u32>),
        Text,
    }
    let plain = |sort: SortId| match store.sorts.get(sort) {
        Sort::Bool => Some(Plain::Truth),
        Sort::Int | Sort::Real => Some(Plain::Number),
        Sort::BitVec(width) => Some(Plain::Bits(Some(*width))),
        Sort::Float(_) => Some(Plain::Bits(None)),
        Sort::String => Some(Plain::Text),
        _ => None,
    };
    match (plain(one), plain(other)) {
        (Some(Plain::Bits(one)), Some(Plain::Bits(other))) => {
            one.is_some() && other.is_some() && one != other
        }
        (Some(one), Some(other)) => one != other,
        _ => false,
    }
}

/// The array for a function of one argument, if it is a finite table.
fn array_of(store: &mut Store, meaning: &Interpretation) -> Option<TermId> {
    match meaning {
        Interpretation::Definition { params, body } if params.len() == 1 => {
            tables::array(store, params[0], *body)
        }
        _ => None,
    }
}

/// Adapts a definition to its symbol: yices prints an array as a function.
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
        (0, None, [_, ..]) => match store.function(&params, body) {
            Ok(body) if store.sort(body) == result => {
                Interpretation::Definition { params: Box::new([]), body }
            }
            _ => Interpretation::Opaque("another function than the symbol's".into()),
        },
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

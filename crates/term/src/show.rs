//! Names of sorts and functions, and error messages, in SMT-LIB syntax.
//!
//! Only what messages need; printing terms, with sharing and dialects, is up to the printer.

use crate::op::{Expected, Indices, Mismatch};
use crate::sort::{Sort, SortId};
use crate::symbol::Symbol;
use crate::term::{Fault, Func, FuncId, SortError, Store};
use std::fmt::Write;

/// The notation for sorts of functions of several arguments.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arrows {
    /// `(-> A B C)`.
    Joined,
    /// `(-> A (-> B C))`.
    Nested,
}

impl Store {
    /// The sort in current notation.
    #[must_use]
    pub fn sort_name(&self, sort: SortId) -> String {
        self.sort_name_with(sort, "RegLan", Arrows::Joined)
    }

    /// The sort with this name for regular languages and this form for sorts of functions.
    #[must_use]
    pub fn sort_name_with(&self, sort: SortId, reglan: &str, arrows: Arrows) -> String {
        let part = |sort| self.sort_name_with(sort, reglan, arrows);
        match self.sorts.get(sort) {
            Sort::Bool => "Bool".into(),
            Sort::Int => "Int".into(),
            Sort::Real => "Real".into(),
            Sort::RoundingMode => "RoundingMode".into(),
            Sort::String => "String".into(),
            Sort::RegLan => reglan.into(),
            Sort::BitVec(w) => format!("(_ BitVec {w})"),
            Sort::Float(f) => {
                format!("(_ FloatingPoint {} {})", f.exponent_bits(), f.significand_bits())
            }
            Sort::Array(i, e) => format!("(Array {} {})", part(*i), part(*e)),
            Sort::Seq(e) => format!("(Seq {})", part(*e)),
            Sort::Fun(argument, result) if arrows == Arrows::Nested => {
                format!("(-> {} {})", part(*argument), part(*result))
            }
            Sort::Fun(argument, result) => {
                let (mut text, mut result) = (format!("(-> {}", part(*argument)), *result);
                while let Sort::Fun(argument, rest) = self.sorts.get(result) {
                    let _ = write!(text, " {}", part(*argument));
                    result = *rest;
                }
                format!("{text} {})", part(result))
            }
            Sort::Set(e) => format!("(Set {})", part(*e)),
            Sort::Bag(e) => format!("(Bag {})", part(*e)),
            Sort::Nullable(e) => format!("(Nullable {})", part(*e)),
            Sort::Tuple(parts) if parts.is_empty() => "UnitTuple".into(),
            Sort::Tuple(parts) => {
                let parts: Vec<String> = parts.iter().map(|&s| part(s)).collect();
                format!("(Tuple {})", parts.join(" "))
            }
            Sort::FiniteField(order) => format!("(_ FiniteField {order})"),
            Sort::Param(name) => quoted(self.symbols.name(*name)).into(),
            Sort::Declared(decl, args) => {
                let name = quoted(self.symbols.name(self.sorts.decl(*decl).name));
                if args.is_empty() {
                    return name.into();
                }
                let args: Vec<String> = args.iter().map(|&s| part(s)).collect();
                format!("({name} {})", args.join(" "))
            }
        }
    }

    /// The name of a function, without its indices.
    #[must_use]
    pub fn func_symbol(&self, func: FuncId) -> &str {
        let constructor = |decl, index: u32| {
            let datatype = self.sorts.decl(decl).datatype.as_ref();
            &datatype.expect("only datatypes have constructors").constructors[index as usize]
        };
        let name: Symbol = match self.func(func) {
            Func::Op(op, _) => return op.name(),
            Func::Declared { name, .. } => *name,
            Func::Constructor(decl, index) | Func::Tester(decl, index) => {
                constructor(*decl, *index).name
            }
            Func::Selector(decl, index, field) | Func::Update(decl, index, field) => {
                constructor(*decl, *index).fields[*field as usize].0
            }
        };
        self.symbols.name(name)
    }

    /// The function as written at the head of an application.
    #[must_use]
    pub fn func_name(&self, func: FuncId) -> String {
        let name = quoted(self.func_symbol(func));
        match self.func(func) {
            Func::Op(_, indices) if !indices.is_empty() => {
                let indices: Vec<String> = indices.iter().map(u64::to_string).collect();
                format!("(_ {name} {})", indices.join(" "))
            }
            Func::Tester(..) => format!("(_ is {name})"),
            Func::Update(..) => format!("(_ update-field {name})"),
            _ => name.into(),
        }
    }

    /// A message for a term that cannot be built.
    #[must_use]
    pub fn explain(&self, error: &SortError) -> String {
        let subject = &error.subject;
        match &error.fault {
            Fault::Words(words) => format!("`{subject}` {words}"),
            Fault::Expected { part, expected, got } => {
                let (expected, got) = (self.sort_name(*expected), self.sort_name(*got));
                format!("{part} of `{subject}`: expected {expected}, got {got}")
            }
            Fault::Mismatch(mismatch, args) => self.explain_mismatch(subject, *mismatch, args),
        }
    }

    fn explain_mismatch(&self, subject: &str, mismatch: Mismatch, args: &[SortId]) -> String {
        match mismatch {
            Mismatch::Indices { expected, got } => {
                let expected = match expected {
                    Indices::Exactly(number) => count(number.into(), "index", "indices"),
                    Indices::Any => "any indices".into(),
                };
                format!("`{subject}` takes {expected}, got {got}")
            }
            Mismatch::Arity { expected, open, got } => {
                let least = if open { "at least " } else { "" };
                let expected = count(expected, "argument", "arguments");
                format!("`{subject}` takes {least}{expected}, got {got}")
            }
            Mismatch::Argument { position, expected } => {
                let mut message = format!("argument {} of `{subject}`: expected ", position + 1);
                let _ = match expected {
                    Expected::Sort(sort) => write!(message, "{}", self.sort_name(sort)),
                    Expected::BitVec(w) => write!(message, "(_ BitVec {w})"),
                    Expected::Float(eb, sb) => write!(message, "(_ FloatingPoint {eb} {sb})"),
                    Expected::Kind(words) => write!(message, "{words}"),
                };
                let _ = write!(message, ", got {}", self.sort_name(args[position]));
                message
            }
            Mismatch::Condition(words) => format!("`{subject}` requires {words}"),
            Mismatch::NeedsAscription => {
                format!("the sort of `{subject}` is ambiguous here; write (as {subject} sort)")
            }
        }
    }
}

fn count(n: usize, one: &str, many: &str) -> String {
    match n {
        0 => format!("no {many}"),
        1 => format!("1 {one}"),
        _ => format!("{n} {many}"),
    }
}

/// The reserved words of SMT-LIB, which need bars as symbols.
const RESERVED: [&str; 15] = [
    "!",
    "_",
    "as",
    "BINARY",
    "DECIMAL",
    "exists",
    "HEXADECIMAL",
    "forall",
    "lambda",
    "let",
    "match",
    "NUMERAL",
    "par",
    "STRING",
    "",
];

/// Whether a character may stand in a simple symbol.
#[must_use]
pub fn is_symbol_char(c: u8) -> bool {
    c.is_ascii_alphanumeric() || b"~!@$%^&*_-+=<>.?/".contains(&c)
}

/// A symbol as written: in bars if necessary.
#[must_use]
pub fn quoted(name: &str) -> std::borrow::Cow<'_, str> {
    let simple = name.bytes().all(is_symbol_char)
        && !name.bytes().next().is_some_and(|c| c.is_ascii_digit())
        && !RESERVED.contains(&name);
    if simple { name.into() } else { format!("|{name}|").into() }
}

//! Sorts.

use super::{Reader, SortBinding, unsupported};
use crate::lexer::{Token, shorten};
use crate::source::{Fault, Read, counted};
use assay_term::bitvec::MAX_WIDTH;
use assay_term::float::Format;
use assay_term::sort::MAX_SIZE;
use assay_term::theories::fields;
use assay_term::{Sort, SortId};

/// Theory sorts without arguments or indices.
pub(super) const PLAIN: [&str; 11] = [
    "Bool",
    "Int",
    "Real",
    "RoundingMode",
    "String",
    "RegLan",
    "Float16",
    "Float32",
    "Float64",
    "Float128",
    "UnitTuple",
];

/// Theory sorts with arguments.
pub(super) const COMPOSED: [&str; 8] =
    ["Array", "Seq", "Set", "Bag", "Tuple", "Relation", "Table", "Nullable"];

/// Theory sorts with indices.
pub(super) const INDEXED: [&str; 3] = ["BitVec", "FloatingPoint", "FiniteField"];

/// Maximum nesting depth of sorts.
const MAX_DEPTH: usize = 200;

impl Reader<'_, '_> {
    /// Reads a sort.
    pub(crate) fn sort(&mut self) -> Read<SortId> {
        let (first, at) = self.lexer.after_space();
        let short = match first {
            Some(b'(') => self.lexer.short_group(at).map(|(text, close)| (text, close + 1)),
            _ => self.lexer.short_word(at),
        };
        if let Some((text, end)) = short {
            if let (Some(sort), false) = (self.short_sorts.get(text), self.env.hides_sorts()) {
                self.lexer.skip_known(at, end);
                return Ok(sort);
            }
        }
        let sort = self.new_sort()?;
        match short {
            Some((text, end)) if end == self.lexer.position() && self.is_fixed_sort(at) => {
                self.short_sorts.set(text, sort);
            }
            _ => {}
        }
        Ok(sort)
    }

    /// Whether the sort that was read from `at` on has the same meaning everywhere.
    fn is_fixed_sort(&self, at: usize) -> bool {
        let text = self.lexer.since(at);
        text.starts_with("(_") || PLAIN.contains(&text)
    }

    /// Reads `(BitVec)` and the like at the end of a command. z3 permits it as the body of a definition,
    /// because it looks into it where the sort is used; there the sort is unknown.
    pub(super) fn sort_without_indices(&mut self) -> Read<Option<&'static str>> {
        let resume = self.lexer.clone();
        if self.lexer.next()? == Token::Open && self.lexer.next()? == Token::Symbol {
            let name = INDEXED.into_iter().find(|name| *name == self.lexer.text());
            if name.is_some() && self.lexer.next()? == Token::Close {
                return Ok(name);
            }
        }
        self.lexer = resume;
        Ok(None)
    }

    fn new_sort(&mut self) -> Read<SortId> {
        let start = self.lexer.position();
        let sort = self.sort_within(0)?;
        if !self.store.sorts.is_moderate(sort) {
            let message = format!(
                "a sort of more than {MAX_SIZE} parts, or nested deeper than {}",
                assay_term::sort::MAX_DEPTH
            );
            return Err(Fault::new(self.lexer.token_from(start)?, message));
        }
        Ok(sort)
    }

    fn sort_within(&mut self, depth: usize) -> Read<SortId> {
        if depth > MAX_DEPTH {
            return Err(Fault::new(
                self.lexer.at(),
                format!("a sort nests deeper than {MAX_DEPTH}"),
            ));
        }
        match self.lexer.next()? {
            Token::Symbol | Token::Quoted => self.named_sort(Vec::new()),
            Token::Open => match self.lexer.next()? {
                Token::Symbol if self.lexer.text() == "_" => self.indexed_sort(),
                Token::Symbol | Token::Quoted => {
                    let (name_at, name) = (self.lexer.at(), self.lexer.text());
                    let resume = self.lexer.clone();
                    let mut args = Vec::new();
                    if self.is_unsupported_sort(name) {
                        return Err(unsupported::sort(name, name_at));
                    }
                    while self.lexer.peek()? != Token::Close {
                        args.push(self.sort_within(depth + 1)?);
                    }
                    if args.is_empty() {
                        let message =
                            format!("a sort without arguments has no parentheses: {name}");
                        return Err(Fault::new(name_at, message));
                    }
                    let after = self.lexer.clone();
                    self.lexer = resume;
                    let sort = self.named_sort(args);
                    self.lexer = after;
                    self.lexer.next()?;
                    sort
                }
                got => Err(self.unexpected(got, "expected a sort's name")),
            },
            got => Err(self.unexpected(got, "expected a sort")),
        }
    }

    /// Whether the name is unknown, so that its arguments need not be read.
    fn is_unsupported_sort(&mut self, name: &str) -> bool {
        let builtin =
            COMPOSED.contains(&name) || ["RegEx", "->"].contains(&name) || PLAIN.contains(&name);
        let symbol = self.store.symbols.intern(name);
        !builtin && self.env.sort(symbol).is_none()
    }

    /// The sort named by the latest token, applied to arguments.
    fn named_sort(&mut self, args: Vec<SortId>) -> Read<SortId> {
        let (name, at) = (self.lexer.text(), self.lexer.at());
        let symbol = self.store.symbols.intern(name);
        if let (Some(SortBinding::Sort(sort)), []) = (self.env.sort(symbol), args.as_slice()) {
            return Ok(*sort);
        }
        let binding = self.env.sort(symbol).cloned();
        match (binding, args.as_slice()) {
            (Some(SortBinding::Sort(_)), _) => Err(wrong_count(name, 0, args.len(), at)),
            (Some(SortBinding::Declared(decl)), args) => {
                let arity = self.store.sorts.decl(decl).arity as usize;
                if args.len() != arity {
                    return Err(wrong_count(name, arity, args.len(), at));
                }
                let sort = self.store.sorts.intern(Sort::Declared(decl, args.into()));
                self.store.sorts.instantiate(sort);
                Ok(sort)
            }
            (Some(SortBinding::Defined(params, body)), args) => {
                if args.len() != params.len() {
                    return Err(wrong_count(name, params.len(), args.len(), at));
                }
                let sort = self.store.sorts.substitute(body, &params, args);
                self.store.sorts.instantiate(sort);
                Ok(sort)
            }
            (None, args) => self.builtin_sort(name, args, at),
        }
    }

    fn builtin_sort(&mut self, name: &str, args: &[SortId], at: usize) -> Read<SortId> {
        let float = |eb, sb| Format::new(eb, sb).expect("a standard format");
        match (name, args) {
            ("Bool", []) => Ok(SortId::BOOL),
            ("Int", []) => Ok(SortId::INT),
            ("Real", []) => Ok(SortId::REAL),
            ("RoundingMode", []) => Ok(SortId::ROUNDING_MODE),
            ("String", []) => Ok(SortId::STRING),
            ("RegLan", []) | ("RegEx", [SortId::STRING]) => Ok(SortId::REGLAN),
            ("Float16", []) => Ok(self.store.sorts.float(float(5, 11))),
            ("Float32", []) => Ok(self.store.sorts.float(float(8, 24))),
            ("Float64", []) => Ok(self.store.sorts.float(float(11, 53))),
            ("Float128", []) => Ok(self.store.sorts.float(float(15, 113))),
            ("Array", [index, element]) => Ok(self.store.sorts.array(*index, *element)),
            ("Array", [_, _, _, ..]) => {
                Err(Fault::new(at, "unsupported extension: arrays of several dimensions of z3"))
            }
            ("Array", _) => Err(wrong_count(name, 2, args.len(), at)),
            ("->", [arguments @ .., result]) if !arguments.is_empty() => {
                self.env.saw_functions = true;
                Ok(self.store.sorts.functions(arguments, *result))
            }
            ("->", _) => Err(Fault::new(at, "the sort `->` takes at least 2 arguments")),
            ("Seq", [element]) => Ok(self.store.sorts.seq(*element)),
            ("Seq", _) => Err(wrong_count(name, 1, args.len(), at)),
            ("Set", [element]) => Ok(self.store.sorts.set(*element)),
            ("Bag", [element]) => Ok(self.store.sorts.bag(*element)),
            ("Nullable", [element]) => Ok(self.store.sorts.intern(Sort::Nullable(*element))),
            ("Set" | "Bag" | "Nullable", _) => Err(wrong_count(name, 1, args.len(), at)),
            ("UnitTuple", []) | ("Tuple", _) => Ok(self.store.sorts.tuple(args)),
            ("Relation", _) => {
                let tuple = self.store.sorts.tuple(args);
                Ok(self.store.sorts.set(tuple))
            }
            ("Table", _) => {
                let tuple = self.store.sorts.tuple(args);
                Ok(self.store.sorts.bag(tuple))
            }
            _ if PLAIN.contains(&name) => Err(wrong_count(name, 0, args.len(), at)),
            _ => Err(unsupported::sort(name, at)),
        }
    }

    fn indexed_sort(&mut self) -> Read<SortId> {
        let got = self.lexer.next()?;
        let (name, at) = (self.lexer.text(), self.lexer.at());
        let sort = match (got, name) {
            (Token::Symbol, "BitVec") => {
                let width = self.small_numeral(MAX_WIDTH, "as a bit-vector's width")?;
                if width == 0 {
                    return Err(Fault::new(self.lexer.at(), "a bit-vector has at least one bit"));
                }
                self.store.sorts.bit_vec(width)
            }
            (Token::Symbol, "FloatingPoint") => {
                let eb = self.small_numeral(u32::MAX, "as the exponent's width")?;
                let sb = self.small_numeral(u32::MAX, "as the significand's width")?;
                let Some(format) = Format::new(eb, sb) else {
                    let message = format!("there is no floating-point format {eb} {sb} here");
                    return Err(Fault::hinted(
                        at,
                        message,
                        "exponents of 2 to 60 bits and significands of 2 to 65536 are read",
                    ));
                };
                self.store.sorts.float(format)
            }
            (Token::Symbol, "FiniteField") => {
                self.expect(Token::Numeral, "as the order of a finite field")?;
                self.finite_field(self.lexer.text(), self.lexer.at())?
            }
            _ => return Err(unsupported::sort(name, at)),
        };
        self.expect(Token::Close, "after the sort's indices")?;
        Ok(sort)
    }
}

impl Reader<'_, '_> {
    /// The finite field of this order.
    pub(super) fn finite_field(&mut self, order: &str, at: usize) -> Read<SortId> {
        let field = fields::parse_element(order).and_then(|order| self.store.finite_field(&order));
        field.ok_or_else(|| {
            let message = format!("there is no finite field of order {} here", shorten(order));
            Fault::hinted(at, message, "the order is a prime number of at most 4096 bits")
        })
    }
}

fn wrong_count(name: &str, expected: usize, got: usize, at: usize) -> Box<Fault> {
    let expected = counted(expected, "argument");
    Fault::new(at, format!("the sort `{name}` takes {expected}, got {got}"))
}

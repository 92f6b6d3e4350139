//! Indexed and qualified identifiers: `(_ f i …)`, `(as f S)`, and both together.

use super::literals::digits;
use super::unsupported;
use super::{Binding, Reader, SortBinding};
use crate::lexer::{Token, shorten};
use crate::source::{Fault, Read};
use assay_term::bitvec::{BitVec, MAX_WIDTH};
use assay_term::theories::fields;
use assay_term::{Func, FuncId, Int, Sort, SortId, Symbol, Term, TermId};

/// An identifier in parentheses, read to its end.
#[derive(Clone, Copy)]
enum Identifier {
    /// A function, to be applied.
    Func(FuncId),
    /// Several functions, by index in the table of overloads; the argument selects one.
    Several(u32),
    /// A derived operator, by index in the reader's list.
    Sugar(u32),
    /// A finished term.
    Term(TermId),
}

/// The head of an application.
pub(super) enum Head {
    /// A function, possibly with the sort of its result.
    One(FuncId, Option<SortId>),
    /// Several functions, by index in the table of overloads.
    Several(u32),
    /// A derived operator, by index in the reader's list.
    Sugar(u32),
}

impl Reader<'_, '_> {
    /// Reads `_ … )` or `as … )` as a whole term; the opening parenthesis at `at` is read.
    pub(super) fn identifier_term(&mut self, at: usize) -> Read<TermId> {
        let (identifier, ascribed) = self.identifier(at)?;
        match identifier {
            Identifier::Term(term) => Ok(term),
            Identifier::Func(func) => self.apply(func, ascribed, &[], at),
            Identifier::Several(place) => self.choose(place, self.operands.len(), at),
            Identifier::Sugar(_) => Err(Fault::new(at, "an operator without its arguments")),
        }
    }

    /// Reads `_ … )` or `as … )` at the head of an application.
    pub(super) fn qualified_head(&mut self) -> Read<Head> {
        let at = self.lexer.at();
        match self.lexer.peek()? {
            Token::Symbol => {}
            _ => return Err(unsupported::higher_order(at)),
        }
        let (identifier, ascribed) = self.identifier(at)?;
        match identifier {
            Identifier::Func(func) => Ok(Head::One(func, ascribed)),
            Identifier::Several(place) => Ok(Head::Several(place)),
            Identifier::Sugar(place) => Ok(Head::Sugar(place)),
            Identifier::Term(term) => match self.store.get(term) {
                Term::App(func, []) => Ok(Head::One(func, ascribed)),
                _ => Err(unsupported::higher_order(at)),
            },
        }
    }

    fn identifier(&mut self, at: usize) -> Read<(Identifier, Option<SortId>)> {
        self.lexer.next()?;
        match self.lexer.text() {
            "_" => Ok((self.indexed(at)?, None)),
            "as" => self.ascribed(at),
            _ => Err(unsupported::higher_order(at)),
        }
    }

    /// Reads the rest of `(as f S)`.
    fn ascribed(&mut self, at: usize) -> Read<(Identifier, Option<SortId>)> {
        if self.lexer.peek()? == Token::Open {
            self.lexer.next()?;
            let inner = self.lexer.at();
            self.lexer.next()?;
            if self.lexer.text() != "_" {
                return Err(Fault::new(inner, "expected an identifier after `as`"));
            }
            let identifier = self.indexed(inner)?;
            let sort = self.ascribed_sort()?;
            return Ok((identifier, Some(sort)));
        }
        let name = self.symbol("after `as`")?;
        let name_at = self.lexer.at();
        let sort = self.ascribed_sort()?;
        let func = match (self.env.get(name), self.env.op(name)) {
            (binding, Some(assay_term::theories::arrays::CONST)) if !matches!(binding, Binding::Const(term) if self.store.sort(term) == sort) => {
                self.store.op_func(assay_term::theories::arrays::CONST, &[])
            }
            (Binding::Func(func), _) => func,
            (Binding::Local(term), _) => {
                let got = self.store.sort(term);
                if got != sort {
                    let (sort, got) = (self.store.sort_name(sort), self.store.sort_name(got));
                    return Err(Fault::new(at, format!("`as`: expected {sort}, got {got}")));
                }
                return Ok((Identifier::Term(term), Some(sort)));
            }
            (Binding::Const(term), _) => match self.store.get(term) {
                Term::App(func, _) => func,
                _ => return Ok((Identifier::Term(term), Some(sort))),
            },
            (Binding::Overloaded(place), _) => {
                let result = |func: &FuncId| match self.store.func(*func) {
                    Func::Declared { result, .. } => *result == sort,
                    Func::Constructor(decl, _) => {
                        matches!(self.store.sorts.get(sort), Sort::Declared(d, _) if d == decl)
                    }
                    _ => false,
                };
                let found = self.env.overloaded(place).iter().copied().find(result);
                found.ok_or_else(|| Fault::new(at, "no function of this name has that sort"))?
            }
            (Binding::Free, _) if self.store.sorts.field_order(sort).is_some() => {
                let element = self.store.symbols.name(name).strip_prefix("ff");
                let Some(element) = element.and_then(fields::parse_element) else {
                    let message = "expected `ff` and an integer as an element of a finite field";
                    return Err(Fault::new(at, message));
                };
                let term = self.store.field_element(sort, element);
                return Ok((Identifier::Term(term), Some(sort)));
            }
            (Binding::Free, _) if self.elements => match self.store.sorts.get(sort) {
                Sort::Declared(..) if self.store.sorts.datatype(sort).is_none() => {
                    self.element(name, sort)
                }
                _ => return Err(unsupported::symbol(self.store.symbols.name(name), at)),
            },
            (Binding::Free | Binding::Word(_), _) => {
                self.unbound(name).map_err(|mut fault| {
                    fault.at = name_at;
                    fault
                })?;
                return Err(Fault::new(at, "expected an identifier after `as`"));
            }
        };
        Ok((Identifier::Func(func), Some(sort)))
    }

    fn ascribed_sort(&mut self) -> Read<SortId> {
        let sort = self.sort()?;
        self.expect(Token::Close, "after the sort of `as`")?;
        Ok(sort)
    }

    /// An element of an uninterpreted sort that a model names.
    fn element(&mut self, name: Symbol, sort: SortId) -> FuncId {
        let element = Func::Declared { name, params: Box::new([]), result: sort };
        let func = self.store.intern_func(element);
        self.seen_elements.push(func);
        func
    }

    /// Reads the rest of `(_ f i …)`.
    fn indexed(&mut self, at: usize) -> Read<Identifier> {
        let name = self.symbol("after `_`")?;
        let name_at = self.lexer.at();
        match self.lexer.text() {
            "is" | "tester" => {
                let named = self.functions_named()?;
                self.expect(Token::Close, "after the constructor")?;
                return self
                    .derived(&named, |func| match *func {
                        Func::Constructor(decl, index) => Some(Func::Tester(decl, index)),
                        _ => None,
                    })
                    .ok_or_else(|| Fault::new(name_at, "`is` needs a constructor of a datatype"));
            }
            "update-field" | "update" => {
                let named = self.functions_named()?;
                self.expect(Token::Close, "after the selector")?;
                return self
                    .derived(&named, |func| match *func {
                        Func::Selector(decl, index, field) => {
                            Some(Func::Update(decl, index, field))
                        }
                        _ => None,
                    })
                    .ok_or_else(|| {
                        Fault::new(name_at, "an update needs a selector of a datatype")
                    });
            }
            "as-array" => {
                let named = self.functions_named()?;
                self.expect(Token::Close, "after the function")?;
                return self.as_array(named[0], at).map(Identifier::Term);
            }
            text => {
                if let Some(number) = text.strip_prefix("bv").filter(|d| is_numeral(d)) {
                    return self.bit_vector(number).map(Identifier::Term);
                }
            }
        }
        if let Some(place) = self.indexed_sugar(self.lexer.text())? {
            return Ok(Identifier::Sugar(place));
        }
        let Some(op) = self.env.op(name) else {
            return Err(unsupported::symbol(self.store.symbols.name(name), name_at));
        };
        let indices = self.indices()?;
        let func = self.store.op_func(op, &indices);
        // A parenthesis in bars or in a comment closes nothing.
        match self.lexer.short_index(at) {
            Some((text, end)) if end == self.lexer.position() => self.short_ops.set(text, func),
            _ => {}
        }
        Ok(Identifier::Func(func))
    }

    /// Reads numerals (and the hexadecimal of `char`) up to the closing parenthesis.
    fn indices(&mut self) -> Read<Vec<u64>> {
        let mut indices = Vec::new();
        loop {
            let token = self.lexer.next()?;
            let text = self.lexer.text();
            let parsed = match token {
                Token::Close => return Ok(indices),
                Token::Numeral => text.parse().ok(),
                Token::Hexadecimal => u64::from_str_radix(text, 16).ok(),
                got => return Err(self.unexpected(got, "expected a numeral as index")),
            };
            let Some(index) = parsed else {
                let message = format!("the index {} does not fit in 64 bits", shorten(text));
                return Err(Fault::new(self.lexer.at(), message));
            };
            indices.push(index);
        }
    }

    fn bit_vector(&mut self, number: &str) -> Read<TermId> {
        let at = self.lexer.at();
        if number.len() > MAX_WIDTH as usize / 3 {
            return Err(Fault::new(at, "this bit-vector literal is too long"));
        }
        let value = match number.parse::<i64>() {
            Ok(small) => Int::from(small),
            Err(_) => Int::from(digits(number)),
        };
        let width = self.small_numeral(MAX_WIDTH, "as a bit-vector's width")?;
        if width == 0 {
            return Err(Fault::new(self.lexer.at(), "a bit-vector has at least one bit"));
        }
        self.expect(Token::Close, "after the width")?;
        if value.bit_length() > u64::from(width) {
            let message = format!("{} does not fit in {width} bits", shorten(number));
            return Err(Fault::new(at, message));
        }
        Ok(self.store.bit_vec(BitVec::from_int(width, &value)))
    }

    /// Reads a function's name, alone or in z3's form with its signature: `(f (S …) S)`. There is at least
    /// one function of that name.
    pub(super) fn functions_named(&mut self) -> Read<Vec<FuncId>> {
        let wrapped = self.lexer.peek()? == Token::Open;
        if wrapped {
            self.lexer.next()?;
            if self.lexer.peek()? == Token::Symbol {
                self.lexer.next()?;
                if self.lexer.text() != "as" {
                    self.lexer.rewind(self.lexer.at());
                }
            }
        }
        let name = self.symbol("as a function's name")?;
        let at = self.lexer.at();
        if wrapped {
            while self.lexer.peek()? != Token::Close {
                self.s_expression()?;
            }
            self.lexer.next()?;
        }
        // An index is a symbol of the script even if a variable has the same name.
        let hidden = self.hidden.iter().find(|(hidden, _)| *hidden == name);
        let binding = hidden.map_or_else(|| self.env.get(name), |(_, before)| *before);
        let found = self.env.functions_of(self.store, binding);
        if found.is_empty() {
            return Err(unsupported::symbol(self.store.symbols.name(name), at));
        }
        Ok(found)
    }

    /// Functions that are derived from others.
    fn derived(
        &mut self,
        funcs: &[FuncId],
        make: impl Fn(&Func) -> Option<Func>,
    ) -> Option<Identifier> {
        let made: Vec<Func> =
            funcs.iter().filter_map(|&func| make(self.store.func(func))).collect();
        let made: Vec<FuncId> = made.into_iter().map(|func| self.store.intern_func(func)).collect();
        match made.as_slice() {
            [] => None,
            [only] => Some(Identifier::Func(*only)),
            _ => Some(Identifier::Several(self.env.overload(made))),
        }
    }

    /// A function of one argument as an array.
    fn as_array(&mut self, func: FuncId, at: usize) -> Read<TermId> {
        if let Some(&array) = self.tables.get(&func) {
            return Ok(array);
        }
        let index = match self.store.func(func) {
            Func::Declared { params, .. } if params.len() == 1 => params[0],
            _ => {
                return Err(Fault::new(at, "`as-array` needs a declared function of one argument"));
            }
        };
        let name = self.store.symbols.intern("x!index");
        let var = self.store.var(name, index);
        let body = self.apply(func, None, &[var], at)?;
        let lambda = self.store.lambda(&[var], body);
        lambda.map_err(|error| self.ill_sorted(&error, at))
    }

    /// An interpretation of an undeclared symbol, or the error for it.
    pub(super) fn unbound(&mut self, symbol: Symbol) -> Read<TermId> {
        let at = self.lexer.at();
        if self.elements {
            if let Some(sort) = self.element_sort(symbol).or_else(|| self.expected_element(symbol))
            {
                let func = self.element(symbol, sort);
                return self.apply(func, None, &[], at);
            }
        }
        if let Some(term) = self.signed_number(symbol) {
            return Ok(term);
        }
        let name = self.store.symbols.name(symbol);
        if self.lexer.source().as_bytes().get(at) != Some(&b'|')
            && matches!(self.env.get(symbol), Binding::Word(_))
        {
            return Err(Fault::new(at, format!("the reserved word `{name}` cannot stand here")));
        }
        if self.defining == Some(symbol) {
            let hint = "a definition that mentions itself is a `define-fun-rec`";
            return Err(Fault::unknown(at, name, hint));
        }
        Err(unsupported::symbol(name, at))
    }

    /// `-5` or `-2.5`, which z3 reads as numbers although the standard says they are symbols.
    fn signed_number(&mut self, symbol: Symbol) -> Option<TermId> {
        let digits = self.store.symbols.name(symbol).strip_prefix('-')?.to_owned();
        let mut lexer = crate::lexer::Lexer::new(&digits);
        let token = lexer.next().ok()?;
        if lexer.position() != digits.len() {
            return None;
        }
        let literal = match token {
            Token::Numeral => self.store.int(&Int::from(super::literals::digits(&digits))),
            Token::Decimal => {
                let value = super::literals::decimal(&digits);
                self.check_exact(&value).ok()?;
                self.store.real(&value)
            }
            _ => return None,
        };
        self.store.op(assay_term::theories::ints::SUB, &[literal]).ok()
    }

    /// The sort of an element whose name does not determine it (`@const_9` of yices), if only one sort
    /// fits.
    fn expected_element(&mut self, symbol: Symbol) -> Option<SortId> {
        let name = self.store.symbols.name(symbol);
        if !name.starts_with("@const_") && !name.contains("!val!") {
            return None;
        }
        let sort = self.expected(self.frames.len())?;
        let uninterpreted = matches!(self.store.sorts.get(sort), Sort::Declared(..))
            && self.store.sorts.datatype(sort).is_none();
        uninterpreted.then_some(sort)
    }

    /// The sort in an element's name, as solvers form them: `S!val!0`, `@uc_S_0`.
    fn element_sort(&self, symbol: Symbol) -> Option<SortId> {
        let name = self.store.symbols.name(symbol);
        let sort = match name.split_once("!val!") {
            Some((sort, number)) if is_numeral(number) => sort,
            _ => {
                let (sort, number) = name.strip_prefix("@uc_")?.rsplit_once('_')?;
                is_numeral(number).then_some(sort)?
            }
        };
        match self.env.sort(self.store.symbols.get(sort)?)? {
            SortBinding::Sort(sort) => Some(*sort),
            SortBinding::Declared(_) | SortBinding::Defined(..) => None,
        }
    }
}

/// The value of digits, with or without a sign.
pub(super) fn digits_with_sign(text: &str) -> Option<Int> {
    let (sign, number) = match text.strip_prefix('-') {
        Some(number) => (-1, number),
        None => (1, text),
    };
    let short = is_numeral(number) && number.len() <= 1_000;
    short.then(|| Int::from(digits(number) * sign))
}

fn is_numeral(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

/// The name that is closest to a misspelled one.
pub(super) fn similar(
    name: &str,
    known: impl Iterator<Item = &'static str>,
) -> Option<&'static str> {
    let far = |known: &str| {
        if known.eq_ignore_ascii_case(name) { 0 } else { distance(known, name) }
    };
    let best = known.map(|known| (far(known), known)).min()?;
    (best.0 <= 2 && best.0 * 4 <= name.len()).then_some(best.1)
}

/// The edit distance of two words.
fn distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 2 {
        return usize::MAX / 4;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

//! Text to terms. One pass: each term is sort-checked and hash-consed as its closing parenthesis is
//! read; there is no syntax tree in between, and no recursion on the nesting of terms.

mod annotations;
mod applications;
mod binders;
mod commands;
mod common;
mod datatypes;
mod environment;
mod identifiers;
mod literals;
mod logic;
mod matches;
mod memo;
mod options;
mod queries;
mod scopes;
mod sorts;
mod sugar;
mod terms;
mod unsupported;
mod values;

pub(crate) use environment::{Binding, SortBinding};
pub use environment::{Environment, Meaning};

use crate::bytes::{offset_of, text_of};
use crate::lexer::{Lexer, Token, shorten};
use crate::script::Script;
use crate::source::{Fault, Read, ReadError};
use assay_term::{Attribute, FuncId, SortId, Store, Symbol, TermId};
use memo::Memo;
use rustc_hash::{FxHashMap, FxHashSet};
use scopes::Scopes;
use std::borrow::Cow;
use terms::Frame;

/// How a text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Lets {
    /// `let` stays a term.
    #[default]
    Keep,
    /// `let` is expanded; the store shares the terms anyway.
    Expand,
}

/// Estimated number of bytes of text per new term, and per new name and command.
const BYTES_PER_TERM: usize = 28;
const BYTES_PER_NAME: usize = 64;

/// Maximum size of a text in bytes: offsets are 32 bits wide.
const MAX_TEXT: usize = u32::MAX as usize;

/// Reads a whole script.
///
/// # Errors
/// If something was not understood; the first such thing, with its position.
pub fn read_script(
    store: &mut Store,
    bytes: &[u8],
    lets: Lets,
) -> Result<(Script, Environment), ReadError> {
    let decoded = decode(bytes)?;
    let text = &*decoded;
    let names = text.len() / BYTES_PER_NAME;
    let mut env = Environment::new(store);
    store.reserve(text.len() / BYTES_PER_TERM, names);
    env.reserve(names);
    let mut reader = Reader::new(store, &mut env, text, lets);
    let mut script = Script::default();
    script.reserve(names);
    match reader.commands(&mut script) {
        Ok(()) => {
            script.coercions = reader.coercions;
            if let Cow::Owned(_) = decoded {
                for offset in &mut script.offsets {
                    *offset = offset_of(text, *offset as usize) as u32;
                }
            }
            Ok((script, env))
        }
        Err(fault) => Err(fault.locate(text)),
    }
}

/// Reads a single term in the scope of a script.
///
/// # Errors
/// If something was not understood; the first such thing, with its position.
pub fn read_term(
    store: &mut Store,
    env: &mut Environment,
    text: &str,
) -> Result<TermId, ReadError> {
    read_term_as(store, env, text, Lets::Keep)
}

/// Reads a single term in the scope of a script; `let` is kept or expanded.
///
/// # Errors
/// If something was not understood; the first such thing, with its position.
pub fn read_term_as(
    store: &mut Store,
    env: &mut Environment,
    text: &str,
    lets: Lets,
) -> Result<TermId, ReadError> {
    let mut reader = Reader::new(store, env, text, lets);
    let term =
        reader.term().and_then(|term| reader.expect(Token::End, "after the term").map(|()| term));
    term.map_err(|fault| fault.locate(text))
}

/// Decodes bytes as text.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, ReadError> {
    let text = text_of(bytes);
    if text.len() > MAX_TEXT {
        return Err(ReadError::new("", 0, "a text of 4 GiB or more cannot be read".into(), None));
    }
    Ok(text)
}

/// The state of reading one text.
pub(crate) struct Reader<'r, 't> {
    pub(crate) lexer: Lexer<'t>,
    pub(crate) store: &'r mut Store,
    pub(crate) env: &'r mut Environment,
    lets: Lets,
    /// Whether elements of uninterpreted sorts may be named without a declaration, as in models.
    pub(crate) elements: bool,
    /// The sort of the model value that is being read.
    pub(crate) expected_value: Option<SortId>,
    /// The names of such elements.
    pub(crate) seen_elements: Vec<FuncId>,
    /// Functions of a model that are finite tables, as arrays, for `as-array`.
    pub(crate) tables: FxHashMap<FuncId, TermId>,
    pub(crate) coercions: usize,
    /// Literals by kind and text: texts repeat the same few.
    literals: FxHashMap<(Token, &'t str), TermId>,
    /// Operators with indices, by the text between `(_ ` and `)`.
    short_ops: Memo<FuncId>,
    /// Sorts without names that a script could change, by their text.
    short_sorts: Memo<SortId>,
    frames: Vec<Frame>,
    operands: Vec<TermId>,
    /// Bindings of the `let`s whose values are being read.
    pending: Vec<(Symbol, TermId)>,
    /// The bindings that local variables hide.
    hidden: Vec<(Symbol, Binding)>,
    /// The variables of open quantifiers and patterns.
    variables: Vec<TermId>,
    /// Their names, if `let` is expanded.
    scopes: Scopes,
    /// The function that is being defined, which its body may not mention.
    defining: Option<Symbol>,
    /// The number of open patterns of attributes.
    open_patterns: u32,
    /// The attributes of open annotations.
    attributes: Vec<Vec<Attribute>>,
    /// The finished cases of open matches.
    cases: Vec<Vec<(assay_term::MatchPattern, TermId)>>,
    /// The derived operators of open and closed applications.
    sugars: Vec<sugar::Sugar>,
    /// Terms that `:named` named in the current command.
    pub(crate) named: Vec<(Symbol, TermId)>,
    /// Terms known to have no such part.
    nameless: FxHashSet<TermId>,
}

impl<'r, 't> Reader<'r, 't> {
    pub(crate) fn new(
        store: &'r mut Store,
        env: &'r mut Environment,
        text: &'t str,
        lets: Lets,
    ) -> Reader<'r, 't> {
        Reader {
            lexer: Lexer::new(text),
            store,
            env,
            lets,
            elements: false,
            expected_value: None,
            seen_elements: Vec::new(),
            tables: FxHashMap::default(),
            coercions: 0,
            literals: FxHashMap::default(),
            short_ops: Memo::new(),
            short_sorts: Memo::new(),
            frames: Vec::new(),
            operands: Vec::new(),
            pending: Vec::new(),
            hidden: Vec::new(),
            variables: Vec::new(),
            scopes: Scopes::default(),
            defining: None,
            open_patterns: 0,
            attributes: Vec::new(),
            cases: Vec::new(),
            sugars: Vec::new(),
            named: Vec::new(),
            nameless: FxHashSet::default(),
        }
    }

    /// Drops everything that is half read, so that reading can continue elsewhere.
    pub(crate) fn abandon(&mut self) {
        self.unbind(self.hidden.len());
        self.frames.clear();
        self.operands.clear();
        self.pending.clear();
        self.variables.clear();
        self.scopes = Scopes::default();
        self.open_patterns = 0;
        self.attributes.clear();
        self.cases.clear();
        self.named.clear();
    }

    /// Reads a token that must be this one.
    pub(crate) fn expect(&mut self, token: Token, place: &str) -> Read<()> {
        let got = self.lexer.next()?;
        if got == token {
            return Ok(());
        }
        Err(self.unexpected(got, &format!("expected {} {place}", token.words())))
    }

    /// The error for an unexpected token.
    #[cold]
    pub(crate) fn unexpected(&self, got: Token, message: &str) -> Box<Fault> {
        let shown = match got {
            Token::End => "the end of the text".to_owned(),
            _ => format!("`{}`", shorten(self.lexer.since(self.lexer.at()))),
        };
        Fault::new(self.lexer.at(), format!("{message}, got {shown}"))
    }

    /// The latest token as a symbol.
    pub(crate) fn latest_symbol(&mut self) -> Symbol {
        let spelling = self.lexer.spelling();
        self.store.symbols.intern_in(self.lexer.source(), self.lexer.range(), spelling)
    }

    /// Reads a symbol.
    pub(crate) fn symbol(&mut self, place: &str) -> Read<Symbol> {
        if self.lexer.skip_short_symbol() {
            return Ok(self.latest_symbol());
        }
        match self.lexer.next()? {
            Token::Symbol | Token::Quoted => Ok(self.latest_symbol()),
            got => Err(self.unexpected(got, &format!("expected a symbol {place}"))),
        }
    }

    /// Reads a symbol that is to be declared or bound.
    pub(crate) fn new_symbol(&mut self, place: &str) -> Read<Symbol> {
        let symbol = self.symbol(place)?;
        let at = self.lexer.at();
        if matches!(self.env.get(symbol), Binding::Word(word) if word.is_reserved()) {
            // In bars a reserved word is an ordinary name, but no solver distinguishes the two.
            let name = self.store.symbols.name(symbol);
            return Err(Fault::new(
                at,
                format!("`{name}` is a reserved word and cannot be a name"),
            ));
        }
        Ok(symbol)
    }

    /// Reads a numeral below a limit.
    pub(crate) fn small_numeral(&mut self, limit: u32, place: &str) -> Read<u32> {
        match self.lexer.next()? {
            Token::Numeral => match self.lexer.text().parse::<u32>() {
                Ok(n) if n <= limit => Ok(n),
                _ => {
                    let shown = shorten(self.lexer.text());
                    Err(Fault::new(
                        self.lexer.at(),
                        format!("{shown} {place} is above the limit of {limit}"),
                    ))
                }
            },
            got => Err(self.unexpected(got, &format!("expected a numeral {place}"))),
        }
    }

    /// Skips a value of any form and returns it as text with single spaces.
    pub(crate) fn s_expression(&mut self) -> Read<String> {
        let mut text = String::new();
        let mut depth = 0usize;
        let first = self.lexer.peek()?;
        if matches!(first, Token::Close | Token::End) {
            let got = self.lexer.next()?;
            return Err(self.unexpected(got, "expected a value"));
        }
        let mut after_open = true;
        loop {
            let token = self.lexer.next()?;
            match token {
                Token::End => return Err(self.unexpected(token, "expected `)`")),
                Token::Close => depth -= 1,
                _ => {
                    if !after_open {
                        text.push(' ');
                    }
                    depth += usize::from(token == Token::Open);
                }
            }
            text.push_str(self.lexer.since(self.lexer.at()));
            after_open = token == Token::Open;
            if depth == 0 {
                return Ok(text);
            }
        }
    }
}

//! Terms: a stack of open parentheses and a stack of finished operands.

use super::binders::Binder;
use super::environment::Word;
use super::identifiers::Head;
use super::{Binding, Reader};
use crate::lexer::Token;
use crate::source::{Fault, Read};
use assay_term::{Attribute, AttributeValue, FuncId, Quantifier, SortId, Symbol, Term, TermId};

/// An open parenthesis. `at` is its position, `base` the number of operands below it.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) kind: Kind,
    pub(super) at: u32,
    pub(super) base: u32,
}

#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// `(f t …)`.
    App(FuncId, Option<SortId>),
    /// `(t u …)`, where a term and not a symbol is applied.
    Applied,
    /// `(f t …)` with a derived operator, by index in the reader's list.
    Sugar(u32),
    /// `(f t …)` with an overloaded function.
    Overloaded(u32),
    /// `(x t)` in the bindings of a `let`, the first of which is at this index in `pending`.
    LetValue(Symbol, u32),
    /// The body of a `let`.
    LetBody(u32),
    /// The body of a quantifier or lambda, with its number of variables.
    Binder(Binder, u32),
    /// `(! t :keyword …)`.
    Annotation,
    /// `:pattern (t …)`.
    Pattern(Symbol),
    /// `(match t …)`, before its cases.
    Match,
    /// `(pattern body)`, with the number of its variables.
    Case(u32),
}

impl Reader<'_, '_> {
    /// Reads a term.
    pub(crate) fn term(&mut self) -> Read<TermId> {
        let floor = self.frames.len();
        loop {
            if let Some(term) = self.common_tokens(floor)? {
                return Ok(term);
            }
            if let Some(term) = self.any_token(floor)? {
                if self.frames.len() == floor {
                    return Ok(term);
                }
                self.operands.push(term);
            }
        }
    }

    /// Reads a token and what belongs to it; returns the term that it completes, if any.
    fn any_token(&mut self, floor: usize) -> Read<Option<TermId>> {
        match self.lexer.next_inline()? {
            Token::Open => self.open(),
            Token::Close if self.frames.len() > floor => self.close(),
            Token::Symbol | Token::Quoted => self.atom().map(Some),
            Token::Keyword if self.frames.len() > floor => self.attribute().map(|()| None),
            Token::End => Err(self.unclosed()),
            token => match self.literal(token)? {
                Some(term) => Ok(Some(term)),
                None => Err(self.unexpected(token, "expected a term")),
            },
        }
    }

    #[cold]
    fn unclosed(&self) -> Box<Fault> {
        match self.frames.last() {
            Some(frame) => Fault::new(frame.at as usize, "this parenthesis is not closed"),
            None => self.unexpected(Token::End, "expected a term"),
        }
    }

    pub(super) fn push(&mut self, kind: Kind, at: usize) {
        self.frames.push(Frame { kind, at: at as u32, base: self.operands.len() as u32 });
    }

    /// A symbol that stands alone.
    fn atom(&mut self) -> Read<TermId> {
        let symbol = self.latest_symbol();
        match self.env.get(symbol) {
            Binding::Const(term) | Binding::Local(term) => Ok(term),
            Binding::Func(func) => {
                let ascribed = self.expected(self.frames.len());
                match self.apply(func, ascribed, &[], self.lexer.at()) {
                    Ok(term) => Ok(term),
                    Err(fault) => self
                        .partial(func, self.operands.len())
                        .or_else(|| self.applied_to_few(func, &[]))
                        .ok_or(fault),
                }
            }
            Binding::Overloaded(place) => self.choose(place, self.operands.len(), self.lexer.at()),
            Binding::Word(_) | Binding::Free => self.unbound(symbol),
        }
    }

    /// Reads what follows an opening parenthesis; returns the term if it is already complete.
    fn open(&mut self) -> Read<Option<TermId>> {
        let at = self.lexer.at();
        if let Some(Frame { kind: Kind::Match, base, .. }) = self.frames.last() {
            match self.operands.len() - *base as usize {
                0 => {}
                1 => return self.open_case().map(|()| None),
                _ => return Err(Fault::new(at, "`match` takes one term before its cases")),
            }
        }
        match self.lexer.next_inline()? {
            Token::Symbol => {
                let symbol = self.latest_symbol();
                match self.env.get(symbol) {
                    Binding::Func(func) => self.push(Kind::App(func, None), at),
                    Binding::Word(word) => return self.special(word, at),
                    binding => self.open_symbol(symbol, binding, at)?,
                }
            }
            Token::Quoted => {
                let symbol = self.latest_symbol();
                let binding = self.env.get(symbol);
                self.open_symbol(symbol, binding, at)?;
            }
            Token::Open if self.opens_term()? => {
                self.lexer.rewind(self.lexer.at());
                self.push(Kind::Applied, at);
            }
            Token::Open => {
                let kind = match self.qualified_head()? {
                    Head::One(func, ascribed) => Kind::App(func, ascribed),
                    Head::Several(place) => Kind::Overloaded(place),
                    Head::Sugar(place) => Kind::Sugar(place),
                };
                self.push(kind, at);
            }
            Token::Close => return Err(Fault::new(at, "an empty application `()` is not a term")),
            Token::End => return Err(Fault::new(at, "this parenthesis is not closed")),
            got => return Err(self.unexpected(got, "expected a function")),
        }
        Ok(None)
    }

    fn open_symbol(&mut self, symbol: Symbol, binding: Binding, at: usize) -> Read<()> {
        match binding {
            Binding::Func(func) => self.push(Kind::App(func, None), at),
            Binding::Overloaded(place) => self.push(Kind::Overloaded(place), at),
            Binding::Const(term) => {
                let Term::App(func, _) = self.store.get(term) else {
                    return Err(Fault::new(at, "a constant is applied like a function"));
                };
                self.push(Kind::App(func, None), at);
            }
            Binding::Local(term) => {
                self.push(Kind::Applied, at);
                self.operands.push(term);
            }
            Binding::Word(_) | Binding::Free => {
                if !self.open_sugar(self.lexer.text(), at) {
                    self.unbound(symbol)?;
                }
            }
        }
        Ok(())
    }

    fn special(&mut self, word: Word, at: usize) -> Read<Option<TermId>> {
        match word {
            Word::Let => self.open_let()?,
            Word::Forall => self.open_binder(Binder::Quantifier(Quantifier::Forall), at)?,
            Word::Exists => self.open_binder(Binder::Quantifier(Quantifier::Exists), at)?,
            Word::Lambda => self.open_binder(Binder::Lambda, at)?,
            Word::Annotation => {
                self.attributes.push(Vec::new());
                self.push(Kind::Annotation, at);
            }
            Word::Match => self.push(Kind::Match, at),
            Word::Index if self.applies()? => self.push(Kind::Applied, at),
            Word::As | Word::Index => {
                self.lexer.rewind(at + 1);
                return self.identifier_term(at).map(Some);
            }
        }
        Ok(None)
    }

    /// Reads what a closing parenthesis completes.
    #[inline(never)]
    pub(super) fn close(&mut self) -> Read<Option<TermId>> {
        let frame = self.frames.pop().expect("the caller saw an open frame");
        let Kind::App(func, ascribed) = frame.kind else { return self.close_special(frame) };
        let (at, base) = (frame.at as usize, frame.base as usize);
        if self.operands.len() == base {
            return Err(self.without_arguments(func, ascribed, at));
        }
        let term = match self.store.try_app_as(func, &self.operands[base..], ascribed) {
            Ok(term) => term,
            Err(mismatch) => self.convert_and_apply(func, ascribed, base, mismatch, at)?,
        };
        self.operands.truncate(base);
        Ok(Some(term))
    }

    #[inline(never)]
    fn close_special(&mut self, frame: Frame) -> Read<Option<TermId>> {
        let (at, base) = (frame.at as usize, frame.base as usize);
        match frame.kind {
            Kind::App(..) => unreachable!("applications are closed by the caller"),
            Kind::Overloaded(place) => {
                let term = self.choose(place, base, at)?;
                self.operands.truncate(base);
                return Ok(Some(term));
            }
            Kind::Sugar(place) => return self.close_sugar(place, base, at).map(Some),
            Kind::Applied => return self.close_applied(base, at).map(Some),
            Kind::LetValue(name, first) => {
                self.close_binding(name, first, base, at)?;
                return Ok(None);
            }
            Kind::Pattern(keyword) => {
                let terms: Box<[TermId]> = self.operands.drain(base..).collect();
                self.open_patterns -= 1;
                if !terms.is_empty() {
                    let value = AttributeValue::Terms(terms);
                    self.keep_attribute(Attribute { keyword, value });
                }
                return Ok(None);
            }
            Kind::Case(count) => {
                self.close_case(base, at, count as usize)?;
                return self.after_case();
            }
            Kind::Match => return Err(Fault::new(at, "`match` has no cases")),
            Kind::LetBody(first) => self.close_let(first as usize, base, at),
            Kind::Binder(binder, count) => self.close_binder(binder, count as usize, base, at),
            Kind::Annotation => self.close_annotation(base, at),
        }
        .map(Some)
    }

    /// The error for `(f)`.
    #[cold]
    fn without_arguments(
        &mut self,
        func: FuncId,
        ascribed: Option<SortId>,
        at: usize,
    ) -> Box<Fault> {
        let name = self.store.func_name(func);
        match self.apply(func, ascribed, &[], at) {
            Ok(_) => Fault::new(at, format!("a constant has no parentheses: {name}")),
            Err(fault) => fault,
        }
    }

    pub(super) fn only_operand(&mut self, base: usize, at: usize, place: &str) -> Read<TermId> {
        if self.operands.len() != base + 1 {
            let got = self.operands.len() - base;
            return Err(Fault::new(at, format!("{place} takes one term, got {got}")));
        }
        Ok(self.operands.pop().expect("just counted"))
    }
}

//! Terms: a stack of open parentheses and a stack of finished operands.

use super::commands::FIXED;
use super::environment::Word;
use super::identifiers::Head;
use super::{Binding, Lets, Reader};
use crate::lexer::Token;
use crate::source::{Fault, Read, counted};
use assay_term::op::{Expected, Fold, Mismatch};
use assay_term::theories::{arrays, core, ints, reals};
use assay_term::{
    Attribute, AttributeValue, Func, FuncId, MatchPattern, Quantifier, SortError, SortId, Symbol,
    Term, TermId, Value,
};
use num_rational::BigRational;

/// An open parenthesis. `at` is where it stands, `base` how many operands lay below it.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    kind: Kind,
    at: u32,
    base: u32,
}

#[derive(Clone, Copy)]
enum Kind {
    /// `(f t …)`.
    App(FuncId, Option<SortId>),
    /// `(f t …)` where the arguments choose the function.
    Overloaded(u32),
    /// `(x t)` in the bindings of a `let`, of which the first is at this place in `pending`.
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

/// How deep patterns may nest: reading and printing them recurs.
const MAX_PATTERNS: u32 = 16;

/// Among so few names a search is the fastest way to find one twice.
const FEW: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Binder {
    Quantifier(Quantifier),
    Lambda,
}

impl Binder {
    fn word(self) -> &'static str {
        match self {
            Binder::Quantifier(Quantifier::Forall) => "forall",
            Binder::Quantifier(Quantifier::Exists) => "exists",
            Binder::Lambda => "lambda",
        }
    }
}

impl Reader<'_, '_> {
    /// Reads a term.
    pub(crate) fn term(&mut self) -> Read<TermId> {
        let floor = self.frames.len();
        loop {
            if let Some(term) = self.common_tokens(floor) {
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

    /// Reads on as long as there are only applications and symbols like some before; returns the
    /// term if it ends there. Most of a text is like that. Stops before the first token that needs
    /// more care, or is wrong.
    fn common_tokens(&mut self, floor: usize) -> Option<TermId> {
        let bytes = self.lexer.source().as_bytes();
        let mut pos = self.lexer.position();
        loop {
            // Whether a space separates two tokens is hard to guess, so this is no branch.
            pos += usize::from(bytes.get(pos) == Some(&b' '));
            let Some(&byte) = bytes.get(pos) else { break };
            match byte {
                b' ' | b'\n' => pos += 1,
                b')' => {
                    let Some(&Frame { kind: Kind::App(func, None), base, .. }) = self.frames.last()
                    else {
                        break;
                    };
                    if self.frames.len() == floor {
                        break;
                    }
                    let base = base as usize;
                    let Some(term) = self.store.known_app(func, &self.operands[base..]) else {
                        break;
                    };
                    pos += 1;
                    self.operands.truncate(base);
                    self.frames.pop();
                    if self.frames.len() == floor {
                        self.lexer.rewind(pos);
                        return Some(term);
                    }
                    self.operands.push(term);
                }
                b'(' => {
                    if let Some(Frame { kind: Kind::Match, .. }) = self.frames.last() {
                        break;
                    }
                    let Some((symbol, end)) = self.lexer.known_word(&self.store.symbols, pos + 1)
                    else {
                        break;
                    };
                    let Binding::Func(func) = self.env.get(symbol) else { break };
                    self.push(Kind::App(func, None), pos);
                    pos = end;
                }
                _ => {
                    let known = match byte {
                        b'|' => self.lexer.known_bars(&self.store.symbols, pos),
                        _ => self.lexer.known_word(&self.store.symbols, pos),
                    };
                    let Some((symbol, end)) = known else { break };
                    let (Binding::Const(term) | Binding::Local(term)) = self.env.get(symbol) else {
                        break;
                    };
                    pos = end;
                    if self.frames.len() == floor {
                        self.lexer.rewind(pos);
                        return Some(term);
                    }
                    self.operands.push(term);
                }
            }
        }
        self.lexer.rewind(pos);
        None
    }

    /// Reads a token and what belongs to it; returns a term that is finished by that.
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

    fn push(&mut self, kind: Kind, at: usize) {
        self.frames.push(Frame { kind, at: at as u32, base: self.operands.len() as u32 });
    }

    /// A symbol that stands for itself.
    fn atom(&mut self) -> Read<TermId> {
        let symbol = self.latest_symbol();
        match self.env.get(symbol) {
            Binding::Const(term) | Binding::Local(term) => Ok(term),
            Binding::Func(func) => {
                let ascribed = self.expected(self.frames.len());
                self.apply(func, ascribed, &[], self.lexer.at())
            }
            Binding::Overloaded(place) => self.choose(place, self.operands.len(), self.lexer.at()),
            Binding::Word(_) | Binding::Free => self.unbound(symbol),
        }
    }

    /// Reads what follows an opening parenthesis; a term that is finished already is returned.
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
            Token::Open => {
                let kind = match self.qualified_head()? {
                    Head::One(func, ascribed) => Kind::App(func, ascribed),
                    Head::Several(place) => Kind::Overloaded(place),
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
            Binding::Local(_) => {
                let name = self.store.symbols.name(symbol);
                let message = format!("the variable `{name}` is applied like a function");
                return Err(Fault::hinted(
                    at,
                    message,
                    "functions as values are an unsupported extension",
                ));
            }
            Binding::Word(_) | Binding::Free => {
                self.unbound(symbol)?;
            }
        }
        Ok(())
    }

    fn special(&mut self, word: Word, at: usize) -> Read<Option<TermId>> {
        match word {
            Word::Let => {
                self.expect(Token::Open, "before the bindings of `let`")?;
                let first = self.pending.len() as u32;
                self.open_binding(first)?;
            }
            Word::Forall => self.open_binder(Binder::Quantifier(Quantifier::Forall), at)?,
            Word::Exists => self.open_binder(Binder::Quantifier(Quantifier::Exists), at)?,
            Word::Lambda => self.open_binder(Binder::Lambda, at)?,
            Word::Annotation => {
                self.attributes.push(Vec::new());
                self.push(Kind::Annotation, at);
            }
            Word::Match => self.push(Kind::Match, at),
            Word::As | Word::Index => {
                self.lexer.rewind(at + 1);
                return self.identifier_term(at).map(Some);
            }
        }
        Ok(None)
    }

    /// Reads `(x` of a binding, or the end of the bindings.
    fn open_binding(&mut self, first: u32) -> Read<()> {
        match self.lexer.next()? {
            Token::Open => {
                let at = self.lexer.at();
                let name = self.new_symbol("to bind")?;
                self.push(Kind::LetValue(name, first), at);
                Ok(())
            }
            Token::Close => {
                let count = self.pending.len() as u32 - first;
                if count == 0 {
                    return Err(Fault::new(self.lexer.at(), "`let` binds no variable"));
                }
                let at = self.lexer.at();
                let names = self.pending[first as usize..].iter().map(|(name, _)| *name);
                if let Some(name) = twice_among_many(names) {
                    let name = self.store.symbols.name(name);
                    return Err(Fault::new(at, format!("`let` binds `{name}` twice")));
                }
                self.bind_pending(first as usize);
                self.push(Kind::LetBody(first), at);
                Ok(())
            }
            got => Err(self.unexpected(got, "expected a binding `(name term)`")),
        }
    }

    /// Makes the bindings of a `let` visible, all at once.
    fn bind_pending(&mut self, first: usize) {
        for i in first..self.pending.len() {
            let (name, value) = self.pending[i];
            let lets = self.lets;
            let local = match lets {
                Lets::Keep => {
                    let sort = self.store.sort(value);
                    self.store.var(name, sort)
                }
                // A name must be given exactly once, however often the variable occurs.
                Lets::Expand if self.gives_name(value) => {
                    let own = self.scopes.enter(name, &mut self.store.symbols, self.env);
                    let sort = self.store.sort(value);
                    self.store.var(own, sort)
                }
                Lets::Expand => value,
            };
            self.bind(name, local);
        }
    }

    /// Whether the term has a part that `:named` names.
    fn gives_name(&mut self, term: TermId) -> bool {
        if self.named.is_empty() {
            return false;
        }
        let names = |attribute: &Attribute| matches!(attribute.value, AttributeValue::Name(_));
        let (mut work, mut seen) = (vec![term], Vec::new());
        while let Some(part) = work.pop() {
            if !self.nameless.insert(part) {
                continue;
            }
            seen.push(part);
            work.extend_from_slice(self.store.children(part));
            if let Term::Annotated(_, attributes) = self.store.get(part) {
                if attributes.iter().any(names) {
                    seen.iter().for_each(|part| {
                        self.nameless.remove(part);
                    });
                    return true;
                }
            }
        }
        false
    }

    /// Binds a local name until [`Reader::unbind`].
    pub(super) fn bind(&mut self, name: Symbol, term: TermId) {
        let before = self.env.set(name, Binding::Local(term));
        if !matches!(before, Binding::Free | Binding::Local(_)) {
            self.scopes.bury(name);
        }
        self.hidden.push((name, before));
    }

    /// Takes back the latest local names.
    pub(super) fn unbind(&mut self, count: usize) {
        for _ in 0..count {
            let (name, before) = self.hidden.pop().expect("unbound once for each binding");
            if !matches!(before, Binding::Free | Binding::Local(_)) {
                self.scopes.unbury(name);
            }
            self.env.set(name, before);
        }
    }

    fn open_binder(&mut self, binder: Binder, at: usize) -> Read<()> {
        let vars = self.parameters()?;
        if vars.is_empty() {
            return Err(Fault::new(at, format!("`{}` binds no variable", binder.word())));
        }
        let count = vars.len() as u32;
        self.bind_variables(vars);
        self.push(Kind::Binder(binder, count), at);
        Ok(())
    }

    /// Reads `((x S) …)`.
    pub(crate) fn parameters(&mut self) -> Read<Vec<(Symbol, SortId)>> {
        self.expect(Token::Open, "before the variables")?;
        let mut vars: Vec<(Symbol, SortId)> = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::Close => {
                    return match twice_among_many(vars.iter().map(|(name, _)| *name)) {
                        None => Ok(vars),
                        Some(name) => Err(self.bound_twice(name)),
                    };
                }
                Token::Open => {
                    let name = self.new_symbol("as a variable")?;
                    if vars.len() < FEW && vars.iter().any(|(other, _)| *other == name) {
                        return Err(self.bound_twice(name));
                    }
                    let sort = self.sort()?;
                    self.expect(Token::Close, "after the variable's sort")?;
                    vars.push((name, sort));
                }
                got => return Err(self.unexpected(got, "expected a variable `(name sort)`")),
            }
        }
    }

    fn bound_twice(&self, name: Symbol) -> Box<Fault> {
        let name = self.store.symbols.name(name);
        Fault::new(self.lexer.at(), format!("the variable `{name}` is bound twice"))
    }

    /// Binds variables and keeps them for the closing parenthesis.
    pub(crate) fn bind_variables(&mut self, vars: Vec<(Symbol, SortId)>) {
        for (name, sort) in vars {
            let own = match self.lets {
                Lets::Keep => name,
                Lets::Expand => self.scopes.enter(name, &mut self.store.symbols, self.env),
            };
            let var = self.store.var(own, sort);
            self.bind(name, var);
            self.variables.push(var);
        }
    }

    /// Takes back the latest variables.
    pub(crate) fn unbind_variables(&mut self, count: usize) -> Vec<TermId> {
        if self.lets == Lets::Expand {
            for (name, _) in &self.hidden[self.hidden.len() - count..] {
                self.scopes.leave(*name);
            }
        }
        self.unbind(count);
        self.variables.split_off(self.variables.len() - count)
    }

    /// Reads a keyword and its value inside an annotation.
    fn attribute(&mut self) -> Read<()> {
        let at = self.lexer.at();
        let inside = matches!(self.frames.last(), Some(Frame { kind: Kind::Annotation, base, .. })
            if self.operands.len() == *base as usize + 1);
        if !inside {
            return Err(self.unexpected(Token::Keyword, "expected a term"));
        }
        let keyword = self.store.symbols.intern(&self.lexer.text()[1..]);
        let value = match self.lexer.text() {
            ":pattern" | ":no-pattern" => {
                if self.open_patterns >= MAX_PATTERNS {
                    let message =
                        format!("patterns inside patterns, more than {MAX_PATTERNS} deep");
                    return Err(Fault::new(at, message));
                }
                self.open_patterns += 1;
                if self.pattern_is_list()? {
                    self.push(Kind::Pattern(keyword), at);
                    return Ok(());
                }
                let term = self.term()?;
                self.open_patterns -= 1;
                AttributeValue::Terms(Box::new([term]))
            }
            ":named" => {
                let name = self.new_symbol("after `:named`")?;
                let fixed = self.env.op(name).is_some_and(|op| FIXED.contains(&op));
                if fixed || self.env.is_declared(self.store, name) {
                    let name = self.store.symbols.name(name);
                    return Err(Fault::new(
                        self.lexer.at(),
                        format!("`{name}` is declared already"),
                    ));
                }
                AttributeValue::Name(name)
            }
            _ => match self.lexer.peek()? {
                Token::Close | Token::Keyword => AttributeValue::None,
                _ => AttributeValue::Text(self.s_expression()?.into()),
            },
        };
        self.attributes
            .last_mut()
            .expect("inside an annotation")
            .push(Attribute { keyword, value });
        Ok(())
    }

    /// Whether a list of terms follows, which `:pattern` takes, and not a single term, as
    /// `:no-pattern` has it and old files write patterns. The parenthesis of a list is read.
    fn pattern_is_list(&mut self) -> Read<bool> {
        if self.lexer.peek()? != Token::Open {
            return Ok(false);
        }
        self.lexer.next()?;
        let open = self.lexer.at();
        let single = match self.lexer.next()? {
            Token::Symbol | Token::Quoted => {
                let symbol = self.latest_symbol();
                matches!(
                    self.env.get(symbol),
                    Binding::Func(_) | Binding::Overloaded(_) | Binding::Word(_)
                )
            }
            _ => false,
        };
        self.lexer.rewind(if single { open } else { open + 1 });
        Ok(!single)
    }

    /// Reads what a closing parenthesis completes.
    #[inline]
    fn close(&mut self) -> Read<Option<TermId>> {
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
            Kind::LetValue(name, first) => {
                let value = self.only_operand(base, at, "a binding of `let`")?;
                let others = &self.pending[first as usize..];
                if others.len() < FEW && others.iter().any(|(other, _)| *other == name) {
                    let name = self.store.symbols.name(name);
                    return Err(Fault::new(at, format!("`let` binds `{name}` twice")));
                }
                self.pending.push((name, value));
                self.open_binding(first)?;
                return Ok(None);
            }
            Kind::Pattern(keyword) => {
                let terms: Box<[TermId]> = self.operands.drain(base..).collect();
                if terms.is_empty() {
                    return Err(Fault::new(at, "an empty pattern"));
                }
                let value = AttributeValue::Terms(terms);
                self.open_patterns -= 1;
                self.attributes
                    .last_mut()
                    .expect("inside an annotation")
                    .push(Attribute { keyword, value });
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

    /// The complaint about `(f)`.
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

    fn only_operand(&mut self, base: usize, at: usize, place: &str) -> Read<TermId> {
        if self.operands.len() != base + 1 {
            let got = self.operands.len() - base;
            return Err(Fault::new(at, format!("{place} takes one term, got {got}")));
        }
        Ok(self.operands.pop().expect("just counted"))
    }

    fn close_let(&mut self, first: usize, base: usize, at: usize) -> Read<TermId> {
        let body = self.only_operand(base, at, "the body of `let`")?;
        let count = self.pending.len() - first;
        for i in first..self.pending.len() {
            let (name, value) = self.pending[i];
            let Binding::Local(var) = self.env.get(name) else {
                unreachable!("a `let` binds its names until it is closed")
            };
            if self.lets == Lets::Expand {
                if var == value {
                    continue;
                }
                self.scopes.leave(name);
            }
            self.operands.extend([var, value]);
        }
        self.pending.truncate(first);
        self.unbind(count);
        if self.operands.len() == base {
            return Ok(body);
        }
        self.operands.push(body);
        let term = self.store.let_list(&self.operands[base..]);
        self.operands.truncate(base);
        term.map_err(|error| self.ill_sorted(&error, at))
    }

    fn close_binder(
        &mut self,
        binder: Binder,
        count: usize,
        base: usize,
        at: usize,
    ) -> Read<TermId> {
        let body = self.only_operand(base, at, &format!("the body of `{}`", binder.word()))?;
        let vars = self.unbind_variables(count);
        let term = match binder {
            Binder::Quantifier(which) => self.store.quantified(which, &vars, body),
            Binder::Lambda => self.store.lambda(&vars, body),
        };
        term.map_err(|error| self.ill_sorted(&error, at))
    }

    fn close_annotation(&mut self, base: usize, at: usize) -> Read<TermId> {
        let term = self.only_operand(base, at, "an annotation")?;
        let attributes = self.attributes.pop().expect("one list for each open annotation");
        for attribute in &attributes {
            if let AttributeValue::Name(name) = attribute.value {
                let sort = self.store.sort(term);
                let func = self.store.intern_func(Func::Declared {
                    name,
                    params: Box::new([]),
                    result: sort,
                });
                let constant = self.apply(func, None, &[], at)?;
                self.env.declare(name, Binding::Const(constant));
                self.named.push((name, term));
            }
        }
        if attributes.is_empty() {
            return Err(Fault::new(at, "an annotation without attributes"));
        }
        Ok(self.store.annotated(term, attributes))
    }

    /// Applies the function of an overloaded symbol that takes the operands from `base` on.
    pub(super) fn choose(&mut self, place: u32, base: usize, at: usize) -> Read<TermId> {
        let candidates = self.env.overloaded(place).to_vec();
        let mut found: Vec<TermId> = Vec::new();
        for &func in &candidates {
            found.extend(self.store.try_app_as(func, &self.operands[base..], None));
        }
        if found.len() > 1 {
            if let Some(sort) = self.expected(self.frames.len()) {
                found.retain(|&term| self.store.sort(term) == sort);
            }
        }
        match found.as_slice() {
            [term] => return Ok(*term),
            [] => {}
            _ => {
                let name = self.store.func_name(candidates[0]);
                let message = format!("several functions `{name}` take these arguments");
                let hint = format!("say which one is meant: (as {name} sort)");
                return Err(Fault::hinted(at, message, hint));
            }
        }
        for &func in &candidates {
            if let Err(mismatch) = self.store.try_app_as(func, &self.operands[base..], None) {
                if let Ok(term) = self.convert_and_apply(func, None, base, mismatch, at) {
                    return Ok(term);
                }
            }
        }
        let sorts: Vec<String> = self.operands[base..]
            .iter()
            .map(|&t| self.store.sort_name(self.store.sort(t)))
            .collect();
        let name = self.store.func_name(candidates[0]);
        Err(Fault::new(at, format!("no function `{name}` takes ({})", sorts.join(" "))))
    }

    /// Applies a function, with the error in words.
    pub(super) fn apply(
        &mut self,
        func: FuncId,
        ascribed: Option<SortId>,
        args: &[TermId],
        at: usize,
    ) -> Read<TermId> {
        self.store.app_as(func, args, ascribed).map_err(|error| self.ill_sorted(&error, at))
    }

    pub(super) fn ill_sorted(&self, error: &SortError, at: usize) -> Box<Fault> {
        Fault::new(at, self.store.explain(error))
    }

    /// Tries an application again with integers converted to reals, as every solver does. Reports
    /// the first mismatch where that does not help.
    #[cold]
    fn convert_and_apply(
        &mut self,
        func: FuncId,
        ascribed: Option<SortId>,
        base: usize,
        first: Mismatch,
        at: usize,
    ) -> Read<TermId> {
        if let (Mismatch::NeedsAscription, Some(sort)) = (first, self.expected(self.frames.len())) {
            let args = self.operands[base..].to_vec();
            return self.apply(func, Some(sort), &args, at);
        }
        let mut args: Vec<TermId> = self.operands[base..].to_vec();
        if let (Func::Op(arrays::CONST, _), [arg], Some(sort)) =
            (self.store.func(func), args.as_mut_slice(), ascribed)
        {
            let real = self.store.array_sorts(sort).is_some_and(|(_, e)| e == SortId::REAL);
            if real && self.store.sort(*arg) == SortId::INT {
                *arg = self.make_real(*arg);
                return self.apply(func, ascribed, &args, at);
            }
        }
        let mut mismatch = first;
        for _ in 0..=args.len() {
            let is_int = |reader: &Self, i: usize| reader.store.sort(args[i]) == SortId::INT;
            let convertible: Vec<usize> = match mismatch {
                Mismatch::Argument { position, expected: Expected::Sort(SortId::REAL) }
                    if is_int(self, position) =>
                {
                    // What an operator wants of one argument of many it wants of all that follow.
                    let end = match self.store.func(func) {
                        Func::Op(op, _) if op.row().fold != Fold::Fixed => args.len(),
                        _ => position + 1,
                    };
                    (position..end).filter(|&i| is_int(self, i)).collect()
                }
                Mismatch::Argument { .. }
                    if args.iter().any(|&t| self.store.sort(t) == SortId::REAL)
                        && matches!(self.store.func(func), Func::Op(..)) =>
                {
                    (0..args.len()).filter(|&i| is_int(self, i)).collect()
                }
                _ => break,
            };
            if convertible.is_empty() {
                break;
            }
            for i in convertible {
                args[i] = self.make_real(args[i]);
            }
            match self.store.try_app_as(func, &args, ascribed) {
                Ok(term) => return Ok(term),
                Err(next) => mismatch = next,
            }
        }
        let original = self.operands[base..].to_vec();
        self.apply(func, ascribed, &original, at)
    }

    /// The sort that the surroundings of the term at this depth of frames ask for, if a model is
    /// read: there z3 leaves out what the standard wants written as `(as nil (List Int))`.
    pub(super) fn expected(&mut self, depth: usize) -> Option<SortId> {
        let mut sort = self.expected_value?;
        for level in 0..depth {
            let Frame { kind, base, .. } = self.frames[level];
            let end = match self.frames.get(level + 1) {
                Some(inner) if level + 1 < depth => inner.base as usize,
                _ if level + 1 == self.frames.len() => self.operands.len(),
                _ => self.frames[level + 1].base as usize,
            };
            let position = end - base as usize;
            let Kind::App(func, _) = kind else { return None };
            sort = match (self.store.func(func).clone(), position) {
                (Func::Constructor(decl, index), _) => {
                    let (_, datatype, args) = self.store.sorts.datatype(sort)?;
                    let field = datatype.constructors.get(index as usize)?.fields.get(position)?.1;
                    let (params, args) = (self.store.sorts.params(decl), args.to_vec());
                    self.store.sorts.substitute(field, &params, &args)
                }
                (Func::Declared { params, .. }, _) => *params.get(position)?,
                (Func::Op(core::ITE, _), 1 | 2) | (Func::Op(arrays::STORE, _), 0) => sort,
                (Func::Op(arrays::STORE, _), 1) => self.store.array_sorts(sort)?.0,
                (Func::Op(arrays::STORE, _), 2) | (Func::Op(arrays::CONST, _), 0) => {
                    self.store.array_sorts(sort)?.1
                }
                (Func::Op(core::EQ, _), 1..) => self.store.sort(self.operands[base as usize]),
                _ => return None,
            };
        }
        Some(sort)
    }

    /// The term as a real: a numeral becomes a decimal, a sum a sum of reals; `to_real` otherwise.
    pub(crate) fn make_real(&mut self, term: TermId) -> TermId {
        self.coercions += 1;
        self.make_real_within(term, 8)
    }

    fn make_real_within(&mut self, term: TermId, depth: u32) -> TermId {
        if let Term::Literal(Value::Int(n)) = self.store.get(term) {
            let n = BigRational::from_integer(n.to_big());
            return self.store.real(&n);
        }
        let arithmetic = match self.store.get(term) {
            Term::App(func, args) => match self.store.func(func) {
                Func::Op(op, _) if [ints::ADD, ints::SUB, ints::MUL].contains(op) => {
                    Some((*op, args.to_vec(), 0))
                }
                Func::Op(core::ITE, _) => Some((core::ITE, args.to_vec(), 1)),
                _ => None,
            },
            _ => None,
        };
        match arithmetic {
            Some((op, mut args, from)) if depth > 0 => {
                for arg in &mut args[from..] {
                    *arg = self.make_real_within(*arg, depth - 1);
                }
                self.store.op(op, &args).expect("the operator takes reals as it takes integers")
            }
            _ => self.store.op(reals::TO_REAL, &[term]).expect("the caller saw an integer"),
        }
    }

    /// Reads `((pattern body) …` after the scrutinee, up to the first body.
    fn open_case(&mut self) -> Read<()> {
        self.cases.push(Vec::new());
        match self.lexer.next()? {
            Token::Open => self.open_pattern(),
            got => Err(self.unexpected(got, "expected a case `(pattern term)`")),
        }
    }

    fn open_pattern(&mut self) -> Read<()> {
        let at = self.lexer.at();
        let scrutinee = *self.operands.last().expect("the scrutinee was read");
        let pattern = self.pattern(scrutinee)?;
        let count = pattern_variables(&pattern).count();
        self.cases.last_mut().expect("a match is open").push((pattern, scrutinee));
        self.push(Kind::Case(count as u32), at);
        Ok(())
    }

    fn close_case(&mut self, base: usize, at: usize, count: usize) -> Read<()> {
        let body = self.only_operand(base, at, "a case")?;
        self.unbind_variables(count);
        let cases = self.cases.last_mut().expect("a match is open");
        cases.last_mut().expect("its pattern was read").1 = body;
        Ok(())
    }

    /// Reads the next case, or the end of the match.
    fn after_case(&mut self) -> Read<Option<TermId>> {
        match self.lexer.next()? {
            Token::Open => self.open_pattern().map(|()| None),
            Token::Close => {
                self.expect(Token::Close, "after the cases of `match`")?;
                let frame = self.frames.pop().expect("a match is open");
                let scrutinee = self.operands.pop().expect("the scrutinee was read");
                let cases = self.cases.pop().expect("a match is open");
                let term = self.store.match_on(scrutinee, cases);
                term.map(Some).map_err(|error| self.ill_sorted(&error, frame.at as usize))
            }
            got => Err(self.unexpected(got, "expected a case `(pattern term)`")),
        }
    }

    /// Reads a pattern and binds its variables.
    fn pattern(&mut self, scrutinee: TermId) -> Read<MatchPattern> {
        let sort = self.store.sort(scrutinee);
        let Some((decl, datatype, args)) = self.store.sorts.datatype(sort) else {
            let got = self.store.sort_name(sort);
            return Err(Fault::new(
                self.lexer.at(),
                format!("`match` needs a datatype, got {got}"),
            ));
        };
        let (datatype, args) = (datatype.clone(), args.to_vec());
        let compound = self.lexer.peek()? == Token::Open;
        if compound {
            self.lexer.next()?;
        }
        let name = self.pattern_symbol("in a pattern")?;
        let at = self.lexer.at();
        let constructor = datatype.constructors.iter().position(|c| c.name == name);
        let Some(index) = constructor else {
            if compound {
                let (name, sort) = (self.store.symbols.name(name), self.store.sort_name(sort));
                return Err(Fault::new(at, format!("`{name}` is not a constructor of {sort}")));
            }
            return Ok(MatchPattern::Any(self.pattern_variable(name, sort)));
        };
        let fields = &datatype.constructors[index].fields;
        let (mut vars, mut names) = (Vec::new(), Vec::new());
        if compound {
            while self.lexer.peek()? != Token::Close {
                let name = self.pattern_symbol("as a pattern's variable")?;
                let Some(&(_, field)) = fields.get(vars.len()) else {
                    let most = counted(fields.len(), "variable");
                    let message = format!("this pattern takes {most}, got more");
                    return Err(Fault::new(self.lexer.at(), message));
                };
                let params = self.store.sorts.params(decl);
                let sort = self.store.sorts.substitute(field, &params, &args);
                if names.contains(&name) && !self.is_wildcard(name) {
                    return Err(self.bound_twice(name));
                }
                names.push(name);
                vars.push(self.pattern_variable(name, sort));
            }
            self.lexer.next()?;
        }
        if vars.len() != fields.len() {
            let expected = counted(fields.len(), "variable");
            return Err(Fault::new(
                at,
                format!("this pattern takes {expected}, got {}", vars.len()),
            ));
        }
        Ok(MatchPattern::Constructor(index as u32, vars.into()))
    }

    /// Reads a constructor, a variable, or `_`, which alone of the reserved words may stand here.
    fn pattern_symbol(&mut self, place: &str) -> Read<Symbol> {
        let before = self.lexer.position();
        let symbol = self.symbol(place)?;
        if self.is_wildcard(symbol) {
            return Ok(symbol);
        }
        self.lexer.rewind(before);
        self.new_symbol(place)
    }

    fn is_wildcard(&self, name: Symbol) -> bool {
        self.store.symbols.name(name) == "_"
    }

    fn pattern_variable(&mut self, name: Symbol, sort: SortId) -> Option<TermId> {
        if self.is_wildcard(name) {
            return None;
        }
        self.bind_variables(vec![(name, sort)]);
        self.variables.last().copied()
    }
}

/// A name that occurs twice, where there are too many to have compared each with each.
fn twice_among_many(names: impl ExactSizeIterator<Item = Symbol>) -> Option<Symbol> {
    if names.len() <= FEW {
        return None;
    }
    let mut names: Vec<Symbol> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

fn pattern_variables(pattern: &MatchPattern) -> impl Iterator<Item = TermId> + '_ {
    let vars: &[Option<TermId>] = match pattern {
        MatchPattern::Constructor(_, vars) => vars,
        MatchPattern::Any(var) => std::slice::from_ref(var),
    };
    vars.iter().flatten().copied()
}

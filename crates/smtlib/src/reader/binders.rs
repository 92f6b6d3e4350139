//! Local names: `let`, quantifiers, lambda and the parameters of definitions.

use super::terms::Kind;
use super::{Binding, Lets, Reader};
use crate::lexer::Token;
use crate::source::{Fault, Read};
use assay_term::{Attribute, AttributeValue, Quantifier, SortId, Symbol, Term, TermId};
use rustc_hash::FxHashSet;

/// Up to this many names, a linear search for duplicates is the fastest.
const FEW: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Binder {
    Quantifier(Quantifier),
    Lambda,
}

/// How duplicate variables in one list are handled.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Namesakes {
    Refused,
    LastCounts,
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
    /// Reads what follows `(let`, up to the first value. Solvers also accept one that binds nothing.
    pub(super) fn open_let(&mut self) -> Read<()> {
        self.expect(Token::Open, "before the bindings of `let`")?;
        self.open_binding(self.pending.len() as u32)
    }

    /// Reads `(x` of a binding, or the end of the bindings.
    pub(super) fn open_binding(&mut self, first: u32) -> Read<()> {
        match self.lexer.next()? {
            Token::Open => {
                let at = self.lexer.at();
                let name = self.new_symbol("to bind")?;
                self.push(Kind::LetValue(name, first), at);
                Ok(())
            }
            Token::Close => {
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

    /// Records a finished binding, and continues with the next.
    pub(super) fn close_binding(
        &mut self,
        name: Symbol,
        first: u32,
        base: usize,
        at: usize,
    ) -> Read<()> {
        let value = self.only_operand(base, at, "a binding of `let`")?;
        let others = &self.pending[first as usize..];
        if others.len() < FEW && others.iter().any(|(other, _)| *other == name) {
            let name = self.store.symbols.name(name);
            return Err(Fault::new(at, format!("`let` binds `{name}` twice")));
        }
        self.pending.push((name, value));
        self.open_binding(first)
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
                // A name must be introduced exactly once, however often the variable occurs.
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

    /// Removes the latest local names.
    pub(super) fn unbind(&mut self, count: usize) {
        for _ in 0..count {
            let (name, before) = self.hidden.pop().expect("unbound once for each binding");
            if !matches!(before, Binding::Free | Binding::Local(_)) {
                self.scopes.unbury(name);
            }
            self.env.set(name, before);
        }
    }

    pub(super) fn open_binder(&mut self, binder: Binder, at: usize) -> Read<()> {
        let mut vars = self.variables(Namesakes::LastCounts)?;
        if vars.is_empty() {
            return Err(Fault::new(at, format!("`{}` binds no variable", binder.word())));
        }
        if let Binder::Quantifier(_) = binder {
            // Among several variables of one name, the last one counts.
            let mut seen = FxHashSet::default();
            vars.reverse();
            vars.retain(|(name, _)| seen.insert(*name));
            vars.reverse();
        }
        let count = vars.len() as u32;
        self.bind_variables(vars);
        self.push(Kind::Binder(binder, count), at);
        Ok(())
    }

    /// Reads the parameters of a definition, `((x S) …)`, with distinct names.
    pub(crate) fn parameters(&mut self) -> Read<Vec<(Symbol, SortId)>> {
        self.variables(Namesakes::Refused)
    }

    /// Reads `((x S) …)`.
    fn variables(&mut self, namesakes: Namesakes) -> Read<Vec<(Symbol, SortId)>> {
        if self.lexer.skip_empty_list() {
            return Ok(Vec::new());
        }
        self.expect(Token::Open, "before the variables")?;
        let mut vars: Vec<(Symbol, SortId)> = Vec::new();
        loop {
            match self.lexer.next()? {
                Token::Close => {
                    let names = vars.iter().map(|(name, _)| *name);
                    return match twice_among_many(names) {
                        Some(name) if namesakes == Namesakes::Refused => {
                            Err(self.bound_twice(name))
                        }
                        _ => Ok(vars),
                    };
                }
                Token::Open => {
                    let name = self.new_symbol("as a variable")?;
                    let few = namesakes == Namesakes::Refused && vars.len() < FEW;
                    if few && vars.iter().any(|(other, _)| *other == name) {
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

    pub(super) fn bound_twice(&self, name: Symbol) -> Box<Fault> {
        let name = self.store.symbols.name(name);
        Fault::new(self.lexer.at(), format!("the variable `{name}` is bound twice"))
    }

    /// Binds variables and keeps them until the closing parenthesis.
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

    /// Removes the latest variables.
    pub(crate) fn unbind_variables(&mut self, count: usize) -> Vec<TermId> {
        if self.lets == Lets::Expand {
            for (name, _) in &self.hidden[self.hidden.len() - count..] {
                self.scopes.leave(*name);
            }
        }
        self.unbind(count);
        self.variables.split_off(self.variables.len() - count)
    }

    pub(super) fn close_let(&mut self, first: usize, base: usize, at: usize) -> Read<TermId> {
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

    pub(super) fn close_binder(
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
            Binder::Lambda => self.lambda(&vars, body),
        };
        term.map_err(|error| self.ill_sorted(&error, at))
    }
}

/// A duplicate name, if there are too many names for pairwise comparison.
fn twice_among_many(names: impl ExactSizeIterator<Item = Symbol>) -> Option<Symbol> {
    if names.len() <= FEW {
        return None;
    }
    let mut names: Vec<Symbol> = names.collect();
    names.sort_unstable();
    names.windows(2).find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

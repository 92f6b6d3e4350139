//! `match` and its patterns.

use super::Reader;
use super::terms::Kind;
use crate::lexer::Token;
use crate::source::{Fault, Read, counted};
use assay_term::{MatchPattern, SortId, Symbol, TermId};

impl Reader<'_, '_> {
    /// Reads `((pattern body) …` after the scrutinee, up to the first body.
    pub(super) fn open_case(&mut self) -> Read<()> {
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

    pub(super) fn close_case(&mut self, base: usize, at: usize, count: usize) -> Read<()> {
        let body = self.only_operand(base, at, "a case")?;
        self.unbind_variables(count);
        let cases = self.cases.last_mut().expect("a match is open");
        cases.last_mut().expect("its pattern was read").1 = body;
        Ok(())
    }

    /// Reads the next case, or the end of the match.
    pub(super) fn after_case(&mut self) -> Read<Option<TermId>> {
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

    /// Reads a constructor, a variable, or `_`, the only reserved word that is allowed here.
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

fn pattern_variables(pattern: &MatchPattern) -> impl Iterator<Item = TermId> + '_ {
    let vars: &[Option<TermId>] = match pattern {
        MatchPattern::Constructor(_, vars) => vars,
        MatchPattern::Any(var) => std::slice::from_ref(var),
    };
    vars.iter().flatten().copied()
}

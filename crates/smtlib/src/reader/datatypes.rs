//! Declarations of datatypes, in the syntax of SMT-LIB 2.6 and in the older one.

use super::{Reader, SortBinding};
use crate::lexer::Token;
use crate::script::{Command, DatatypeSyntax};
use crate::source::{Fault, Read, counted};
use assay_term::{Constructor, Datatype, Sort, SortDeclId, SortId, Symbol, quoted};
use rustc_hash::FxHashSet;

/// Maximum number of sort parameters of a declaration.
pub(super) const MAX_PARAMS: usize = 1_000;

impl Reader<'_, '_> {
    /// `(declare-datatype T body)`, or a codatatype.
    pub(super) fn declare_datatype(&mut self, codata: bool) -> Read<Command> {
        let at = self.lexer.at();
        let name = self.new_sort_name(&mut FxHashSet::default())?;
        // The arity is known only after `par`, so look ahead.
        let resume = self.lexer.clone();
        let arity = self.par_params()?.map_or(0, |params| params.len() as u32);
        self.lexer = resume;
        let ids = self.begin(&[(name, arity)]);
        let body = Datatype { codata, ..self.body(arity)? };
        self.finish(ids, vec![body], DatatypeSyntax::Single, at)
    }

    /// `(declare-datatypes ((T n) …) (body …))` or the old `(declare-datatypes (P …) ((T c …) …))`, or
    /// codatatypes.
    pub(super) fn declare_datatypes(&mut self, codata: bool) -> Read<Command> {
        let at = self.lexer.at();
        self.expect(Token::Open, "before the names of the datatypes")?;
        match self.lexer.peek()? {
            Token::Open => self.new_syntax(codata, at),
            _ => self.old_syntax(codata, at),
        }
    }

    fn new_syntax(&mut self, codata: bool, at: usize) -> Read<Command> {
        let mut names = Vec::new();
        let mut seen = FxHashSet::default();
        while self.lexer.next()? == Token::Open {
            let name = self.new_sort_name(&mut seen)?;
            let arity = self.small_numeral(MAX_PARAMS as u32, "as a sort's arity")?;
            self.expect(Token::Close, "after the arity")?;
            names.push((name, arity));
        }
        let ids = self.begin(&names);
        self.expect(Token::Open, "before the datatypes")?;
        let mut bodies = Vec::with_capacity(names.len());
        for &(_, arity) in &names {
            bodies.push(Datatype { codata, ..self.body(arity)? });
        }
        self.expect(Token::Close, "after the datatypes")?;
        self.finish(ids, bodies, DatatypeSyntax::Group, at)
    }

    fn old_syntax(&mut self, codata: bool, at: usize) -> Read<Command> {
        let mut params = Vec::new();
        while self.lexer.peek()? != Token::Close {
            self.sort_parameter(&mut params)?;
        }
        self.lexer.next()?;
        self.expect(Token::Open, "before the datatypes")?;
        let resume = self.lexer.clone();
        let mut names = Vec::new();
        let mut seen = FxHashSet::default();
        while self.lexer.next()? == Token::Open {
            names.push((self.new_sort_name(&mut seen)?, params.len() as u32));
            while self.lexer.peek()? != Token::Close {
                self.s_expression()?;
            }
            self.lexer.next()?;
        }
        self.lexer = resume;
        let ids = self.begin(&names);
        // Inside the group, a name without arguments denotes the datatype over its own parameters.
        let own: Vec<SortId> =
            params.iter().map(|&p| self.store.sorts.intern(Sort::Param(p))).collect();
        for (&(name, _), &id) in names.iter().zip(&ids) {
            let sort = self.store.sorts.intern(Sort::Declared(id, own.clone().into()));
            self.env.declare_sort(name, SortBinding::Sort(sort));
        }
        let hidden = self.bind_params(&params);
        let mut bodies = Vec::new();
        for _ in &names {
            self.expect(Token::Open, "before a datatype")?;
            self.symbol("as a datatype's name")?;
            let constructors = self.constructors()?;
            bodies.push(Datatype { params: params.clone().into(), constructors, codata });
        }
        self.unbind_params(hidden);
        self.expect(Token::Close, "after the datatypes")?;
        self.finish(ids, bodies, DatatypeSyntax::Group, at)
    }

    /// Reads the name of a datatype, which must also be new in its group.
    fn new_sort_name(&mut self, group: &mut FxHashSet<Symbol>) -> Read<Symbol> {
        let name = self.symbol("as a sort's name")?;
        self.check_new_sort(name)?;
        if !group.insert(name) {
            let name = quoted(self.store.symbols.name(name)).into_owned();
            let message = format!("the sort `{name}` is declared already");
            return Err(Fault::new(self.lexer.at(), message));
        }
        Ok(name)
    }

    fn begin(&mut self, names: &[(Symbol, u32)]) -> Vec<SortDeclId> {
        let ids = self.store.sorts.begin_datatypes(names);
        for (&(name, _), &id) in names.iter().zip(&ids) {
            self.env.declare_sort(name, SortBinding::Declared(id));
        }
        ids
    }

    fn finish(
        &mut self,
        ids: Vec<SortDeclId>,
        bodies: Vec<Datatype>,
        syntax: DatatypeSyntax,
        at: usize,
    ) -> Read<Command> {
        if bodies.iter().any(|body| body.constructors.is_empty()) {
            return Err(Fault::new(at, "a datatype without constructors"));
        }
        let codata = bodies.iter().any(|body| body.codata);
        if let Some(empty) = self.empty_datatype(&ids, &bodies).filter(|_| !codata) {
            let name = self.store.symbols.name(self.store.sorts.decl(empty).name);
            let message = format!("the datatype `{}` has no value", quoted(name));
            let hint = "one of its constructors must do without another value of the datatype";
            return Err(Fault::hinted(at, message, hint));
        }
        let ids = self.store.sorts.finish_datatypes(ids, bodies);
        for &id in &ids {
            let decl = self.store.sorts.decl(id).clone();
            self.env.declare_sort(decl.name, SortBinding::Declared(id));
            let datatype = decl.datatype.expect("just finished");
            let declared = self.env.declare_constructors(self.store, id, &datatype);
            declared.map_err(|name| Fault::new(at, format!("`{name}` is declared already")))?;
        }
        Ok(Command::DeclareDatatypes(ids, syntax))
    }

    /// A datatype of the group without any value.
    fn empty_datatype(&self, ids: &[SortDeclId], bodies: &[Datatype]) -> Option<SortDeclId> {
        let mut empty: FxHashSet<SortDeclId> = ids.iter().copied().collect();
        loop {
            let before = empty.len();
            for (id, body) in ids.iter().zip(bodies) {
                let buildable = |c: &Constructor| {
                    c.fields.iter().all(|field| !self.needs_one_of(field.1, &empty))
                };
                if body.constructors.iter().any(buildable) {
                    empty.remove(id);
                }
            }
            if empty.len() == before {
                return ids.iter().copied().find(|id| empty.contains(id));
            }
        }
    }

    /// Whether a value of the sort contains a value of one of these datatypes.
    fn needs_one_of(&self, sort: SortId, empty: &FxHashSet<SortDeclId>) -> bool {
        let mut sort = sort;
        loop {
            match self.store.sorts.get(sort) {
                Sort::Declared(id, _) => return empty.contains(id),
                Sort::Array(_, element) | Sort::Fun(_, element) => sort = *element,
                _ => return false,
            }
        }
    }

    /// Reads the constructors of one datatype: `(c …)` or `(par (P …) (c …))`.
    fn body(&mut self, arity: u32) -> Read<Datatype> {
        let at = self.lexer.at();
        let params = self.par_params()?;
        let wrapped = params.is_some();
        let params = params.unwrap_or_default();
        if params.len() != arity as usize {
            let (got, expected) = (params.len(), counted(arity as usize, "parameter"));
            let message = format!("this datatype was declared with {expected}, got {got}");
            return Err(Fault::new(at, message));
        }
        let hidden = self.bind_params(&params);
        self.expect(Token::Open, "before the constructors")?;
        let constructors = self.constructors()?;
        self.unbind_params(hidden);
        if wrapped {
            self.expect(Token::Close, "after `par`")?;
        }
        Ok(Datatype { params: params.into(), constructors, codata: false })
    }

    /// Reads `(par (P …)` if it is there.
    fn par_params(&mut self) -> Read<Option<Vec<Symbol>>> {
        let resume = self.lexer.clone();
        self.expect(Token::Open, "before a datatype's constructors")?;
        if self.lexer.next()? != Token::Symbol || self.lexer.text() != "par" {
            self.lexer = resume;
            return Ok(None);
        }
        self.expect(Token::Open, "before the sort parameters")?;
        let mut params = Vec::new();
        while self.lexer.peek()? != Token::Close {
            self.sort_parameter(&mut params)?;
        }
        self.lexer.next()?;
        Ok(Some(params))
    }

    /// Reads one more sort parameter.
    pub(super) fn sort_parameter(&mut self, params: &mut Vec<Symbol>) -> Read<()> {
        let name = self.symbol("as a sort parameter")?;
        if params.len() >= MAX_PARAMS {
            let message = format!("more than {MAX_PARAMS} sort parameters");
            return Err(Fault::new(self.lexer.at(), message));
        }
        if params.contains(&name) {
            let name = quoted(self.store.symbols.name(name)).into_owned();
            let message = format!("the sort parameter `{name}` is bound twice");
            return Err(Fault::new(self.lexer.at(), message));
        }
        params.push(name);
        Ok(())
    }

    /// Makes sort parameters visible; returns the bindings that they hide.
    pub(super) fn bind_params(&mut self, params: &[Symbol]) -> Vec<(Symbol, Option<SortBinding>)> {
        let mut hidden = Vec::with_capacity(params.len());
        for &param in params {
            hidden.push((param, self.env.sort(param).cloned()));
            let sort = self.store.sorts.intern(Sort::Param(param));
            self.env.restore_sort(param, Some(SortBinding::Sort(sort)));
        }
        hidden
    }

    /// Removes sort parameters.
    pub(super) fn unbind_params(&mut self, hidden: Vec<(Symbol, Option<SortBinding>)>) {
        for (param, before) in hidden.into_iter().rev() {
            self.env.restore_sort(param, before);
        }
    }

    /// Reads the name of a constructor or selector, which must be unique in the datatype.
    fn new_member(&mut self, place: &str, taken: &mut FxHashSet<Symbol>) -> Read<Symbol> {
        let name = self.new_symbol(place)?;
        if self.is_fixed(name) || !taken.insert(name) {
            let name = quoted(self.store.symbols.name(name)).into_owned();
            return Err(Fault::new(self.lexer.at(), format!("`{name}` is declared already")));
        }
        Ok(name)
    }

    /// Reads constructors up to the closing parenthesis.
    fn constructors(&mut self) -> Read<Vec<Constructor>> {
        let mut constructors = Vec::new();
        let (mut names, mut selectors) = (FxHashSet::default(), FxHashSet::default());
        loop {
            match self.lexer.next()? {
                Token::Close => return Ok(constructors),
                Token::Symbol | Token::Quoted => {
                    self.lexer.rewind(self.lexer.at());
                    let name = self.new_member("as a constructor's name", &mut names)?;
                    constructors.push(Constructor { name, fields: Vec::new() });
                }
                Token::Open => {
                    let name = self.new_member("as a constructor's name", &mut names)?;
                    let mut fields = Vec::new();
                    while self.lexer.next()? == Token::Open {
                        let field = self.new_member("as a selector's name", &mut selectors)?;
                        let sort = self.sort()?;
                        self.expect(Token::Close, "after the field's sort")?;
                        fields.push((field, sort));
                    }
                    constructors.push(Constructor { name, fields });
                }
                got => return Err(self.unexpected(got, "expected a constructor")),
            }
        }
    }
}

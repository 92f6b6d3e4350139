//! Copies terms from one store into another, and models with them; declared symbols, sorts and bound
//! variables can be renamed.

use assay_smtlib::{Command, Definition};
use assay_term::value::{ArrayValue, Closure, DataValue, Default, Entries};
use assay_term::{
    Attribute, AttributeValue, Constructor, Datatype, Func, FuncId, Interpretation, MatchPattern,
    Model, Sort, SortDeclId, SortId, Store, Symbol, Term, TermId, Value,
};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Why something cannot be copied.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum Foreign {
    /// A sort that the copied formula does not declare.
    #[error("a sort of its partner cannot be copied")]
    Sort,
    /// A name that already has another meaning.
    #[error("a name of its partner is taken")]
    Name,
    /// A term that is not well sorted in its new store.
    #[error("a term of its partner cannot be copied")]
    Term,
}

/// Copies terms from one store into another. Copies are cached.
pub(crate) struct Import<'s> {
    from: &'s Store,
    /// The new names of symbols; others keep theirs.
    names: FxHashMap<Symbol, String>,
    decls: FxHashMap<SortDeclId, SortDeclId>,
    /// Whether declared sorts that were not copied have the same handles in both stores.
    is_same: bool,
    sorts: FxHashMap<SortId, SortId>,
    funcs: FxHashMap<FuncId, FuncId>,
    terms: FxHashMap<TermId, TermId>,
}

impl<'s> Import<'s> {
    /// Copies from this store, with other names for some symbols.
    pub(crate) fn new(from: &'s Store, names: FxHashMap<Symbol, String>) -> Import<'s> {
        Import {
            from,
            names,
            decls: FxHashMap::default(),
            is_same: false,
            sorts: FxHashMap::default(),
            funcs: FxHashMap::default(),
            terms: FxHashMap::default(),
        }
    }

    /// Copies from this store, with terms of the new store in place of some.
    pub(crate) fn with(from: &'s Store, terms: FxHashMap<TermId, TermId>) -> Import<'s> {
        Import { terms, ..Import::new(from, FxHashMap::default()) }
    }

    /// Takes declared sorts to have the same handles in both stores: one grew out of the other.
    pub(crate) fn same_sorts(self) -> Import<'s> {
        Import { is_same: true, ..self }
    }

    fn decl(&self, decl: SortDeclId) -> Result<SortDeclId, Foreign> {
        let known = self.decls.get(&decl).copied();
        known.or(self.is_same.then_some(decl)).ok_or(Foreign::Sort)
    }

    /// Puts a term of the new store in place of one.
    pub(crate) fn set(&mut self, term: TermId, new: TermId) {
        self.terms.insert(term, new);
    }

    fn symbol(&self, to: &mut Store, symbol: Symbol) -> Symbol {
        match self.names.get(&symbol) {
            Some(name) => to.symbols.intern(name),
            None => to.symbols.intern(self.from.symbols.name(symbol)),
        }
    }

    /// A declaration or a definition.
    pub(crate) fn command(
        &mut self,
        to: &mut Store,
        command: &Command,
    ) -> Result<Command, Foreign> {
        Ok(match command {
            Command::DeclareSort(decl) => Command::DeclareSort(self.plain_sort(to, *decl)),
            Command::DeclareDatatypes(group, syntax) => {
                Command::DeclareDatatypes(self.datatypes(to, group)?, *syntax)
            }
            Command::DeclareFun(func) => Command::DeclareFun(self.func(to, *func)?),
            Command::DeclareConst(func) => Command::DeclareConst(self.func(to, *func)?),
            Command::DefineFun(it) => Command::DefineFun(self.definition(to, it)?),
            Command::DefineConst(it) => Command::DefineConst(self.definition(to, it)?),
            Command::DefineFunRec(it) => Command::DefineFunRec(self.definition(to, it)?),
            Command::DefineFunsRec(group) => {
                let group = group.iter().map(|it| self.definition(to, it));
                Command::DefineFunsRec(group.collect::<Result<_, _>>()?)
            }
            other => other.clone(),
        })
    }

    fn plain_sort(&mut self, to: &mut Store, decl: SortDeclId) -> SortDeclId {
        let declared = self.from.sorts.decl(decl);
        let name = self.symbol(to, declared.name);
        let new = to.sorts.declare(name, declared.arity);
        self.decls.insert(decl, new);
        new
    }

    fn datatypes(
        &mut self,
        to: &mut Store,
        group: &[SortDeclId],
    ) -> Result<Vec<SortDeclId>, Foreign> {
        let from = self.from;
        let names: Vec<(Symbol, u32)> = group
            .iter()
            .map(|&decl| from.sorts.decl(decl))
            .map(|decl| (self.symbol(to, decl.name), decl.arity))
            .collect();
        let new = to.sorts.begin_datatypes(&names);
        self.decls.extend(group.iter().copied().zip(new.iter().copied()));
        let mut bodies = Vec::with_capacity(group.len());
        for &decl in group {
            let datatype = from.sorts.decl(decl).datatype.as_ref().ok_or(Foreign::Sort)?;
            bodies.push(self.datatype(to, datatype)?);
        }
        let known = to.sorts.finish_datatypes(new.clone(), bodies);
        if known != new {
            // The store already had the group: the copies with the new handles are not used.
            self.decls.extend(group.iter().copied().zip(known.iter().copied()));
            self.sorts.clear();
        }
        Ok(known)
    }

    fn datatype(&mut self, to: &mut Store, datatype: &Datatype) -> Result<Datatype, Foreign> {
        let params = datatype.params.iter().map(|&param| self.symbol(to, param)).collect();
        let mut constructors = Vec::with_capacity(datatype.constructors.len());
        for constructor in &datatype.constructors {
            let mut fields = Vec::with_capacity(constructor.fields.len());
            for &(name, sort) in &constructor.fields {
                fields.push((self.symbol(to, name), self.sort(to, sort)?));
            }
            constructors.push(Constructor { name: self.symbol(to, constructor.name), fields });
        }
        Ok(Datatype { params, constructors, codata: datatype.codata })
    }

    fn definition(&mut self, to: &mut Store, it: &Definition) -> Result<Definition, Foreign> {
        let func = self.func(to, it.func)?;
        let params = it.params.iter().map(|&param| self.term(to, param));
        let params = params.collect::<Result<_, _>>()?;
        Ok(Definition { func, params, body: self.term(to, it.body)? })
    }

    /// A sort. Sorts nest only a little, so this may recurse.
    pub(crate) fn sort(&mut self, to: &mut Store, sort: SortId) -> Result<SortId, Foreign> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let new = match self.from.sorts.get(sort) {
            Sort::Declared(decl, args) => {
                let decl = self.decl(*decl)?;
                let args = args.iter().map(|&arg| self.sort(to, arg));
                let args = args.collect::<Result<_, _>>()?;
                let new = to.sorts.intern(Sort::Declared(decl, args));
                to.sorts.instantiate(new);
                new
            }
            Sort::Param(name) => {
                let name = self.symbol(to, *name);
                to.sorts.intern(Sort::Param(name))
            }
            shape => {
                let parts = shape.parts().into_iter().map(|part| self.sort(to, part));
                let parts = parts.collect::<Result<Vec<_>, _>>()?;
                to.sorts.intern(shape.with_parts(&parts))
            }
        };
        self.sorts.insert(sort, new);
        Ok(new)
    }

    pub(crate) fn func(&mut self, to: &mut Store, func: FuncId) -> Result<FuncId, Foreign> {
        if let Some(&known) = self.funcs.get(&func) {
            return Ok(known);
        }
        let decl = |decl: &SortDeclId| self.decl(*decl);
        let new = match self.from.func(func) {
            Func::Op(op, indices) => Func::Op(*op, indices.clone()),
            Func::Declared { name, params, result } => {
                let name = self.symbol(to, *name);
                let params = params.iter().map(|&param| self.sort(to, param));
                let params = params.collect::<Result<_, _>>()?;
                Func::Declared { name, params, result: self.sort(to, *result)? }
            }
            Func::Constructor(of, at) => Func::Constructor(decl(of)?, *at),
            Func::Selector(of, at, field) => Func::Selector(decl(of)?, *at, *field),
            Func::Tester(of, at) => Func::Tester(decl(of)?, *at),
            Func::Update(of, at, field) => Func::Update(decl(of)?, *at, *field),
        };
        let new = to.intern_func(new);
        self.funcs.insert(func, new);
        Ok(new)
    }

    /// A term, without recursion.
    pub(crate) fn term(&mut self, to: &mut Store, root: TermId) -> Result<TermId, Foreign> {
        for term in self.from.postorder(&[root]) {
            if !self.terms.contains_key(&term) {
                let new = self.layer(to, term)?;
                self.terms.insert(term, new);
            }
        }
        Ok(self.terms[&root])
    }

    /// A term whose parts have already been copied.
    fn layer(&mut self, to: &mut Store, term: TermId) -> Result<TermId, Foreign> {
        let from = self.from;
        let parts: Vec<TermId> = from.children(term).iter().map(|part| self.terms[part]).collect();
        let made = match from.get(term) {
            Term::Literal(Value::Real(value)) => return Ok(to.decimal((**value).clone())),
            Term::Literal(value) => {
                let value = self.value(to, value)?;
                return to.value(&value).ok_or(Foreign::Term);
            }
            Term::App(func, _) => {
                let func = self.func(to, func)?;
                let sort = self.sort(to, from.sort(term))?;
                match to.try_app_as(func, &parts, None) {
                    Ok(new) if to.sort(new) == sort => return Ok(new),
                    _ => to.app_as(func, &parts, Some(sort)),
                }
            }
            Term::Var(name) => {
                let (name, sort) = (self.symbol(to, name), self.sort(to, from.sort(term))?);
                return Ok(to.var(name, sort));
            }
            Term::Let(..) => to.let_list(&parts),
            Term::Quant(which, vars, _) => {
                to.quantified(which, &parts[..vars.len()], parts[vars.len()])
            }
            Term::Lambda(vars, _) => {
                let like = self.sort(to, from.sort(term))?;
                to.lambda_like(like, &parts[..vars.len()], parts[vars.len()])
            }
            Term::Annotated(_, attributes) => {
                let attributes = attributes.iter().map(|it| self.attribute(to, it)).collect();
                return Ok(to.annotated(parts[0], attributes));
            }
            Term::Match(_, patterns, _) => {
                let patterns = patterns.iter().map(|pattern| self.pattern(to, pattern));
                let patterns = patterns.collect::<Result<Vec<_>, _>>()?;
                to.match_on(
                    parts[0],
                    patterns.into_iter().zip(parts[1..].iter().copied()).collect(),
                )
            }
        };
        made.map_err(|_| Foreign::Term)
    }

    fn attribute(&self, to: &mut Store, attribute: &Attribute) -> Attribute {
        let value = match &attribute.value {
            AttributeValue::Name(name) => AttributeValue::Name(self.symbol(to, *name)),
            AttributeValue::Terms(terms) => {
                AttributeValue::Terms(terms.iter().map(|term| self.terms[term]).collect())
            }
            value => value.clone(),
        };
        let keyword = to.symbols.intern(self.from.symbols.name(attribute.keyword));
        Attribute { keyword, value }
    }

    fn pattern(&mut self, to: &mut Store, pattern: &MatchPattern) -> Result<MatchPattern, Foreign> {
        let mut var = |var: &Option<TermId>| var.map(|var| self.term(to, var)).transpose();
        Ok(match pattern {
            MatchPattern::Any(it) => MatchPattern::Any(var(it)?),
            MatchPattern::Constructor(at, vars) => {
                MatchPattern::Constructor(*at, vars.iter().map(var).collect::<Result<_, _>>()?)
            }
        })
    }

    /// A model. Functions that the formula does not have, which solvers invent, get names with the given
    /// suffix.
    pub(crate) fn model(
        &mut self,
        to: &mut Store,
        model: &Model,
        ending: &str,
    ) -> Result<Model, Foreign> {
        for (func, _) in model.iter() {
            if let (false, Func::Declared { name, .. }) =
                (self.funcs.contains_key(&func), self.from.func(func))
            {
                let text = format!("{}{ending}", self.from.symbols.name(*name));
                self.names.entry(*name).or_insert(text);
            }
        }
        let mut new = Model::new();
        for (func, meaning) in model.iter() {
            let func = self.func(to, func)?;
            new.set(func, self.meaning(to, meaning)?);
        }
        for (op, sort, meaning) in model.opens() {
            let sort = self.sort(to, sort)?;
            new.set_open(op, sort, self.meaning(to, meaning)?);
        }
        for (sort, elements) in model.universes() {
            let sort = self.sort(to, sort)?;
            new.set_universe(sort, self.values(to, elements)?);
        }
        Ok(new)
    }

    fn meaning(
        &mut self,
        to: &mut Store,
        meaning: &Interpretation,
    ) -> Result<Interpretation, Foreign> {
        Ok(match meaning {
            Interpretation::Value(value) => Interpretation::Value(self.value(to, value)?),
            Interpretation::Definition { params, body } => {
                let params = params.iter().map(|&param| self.term(to, param));
                let params = params.collect::<Result<_, _>>()?;
                Interpretation::Definition { params, body: self.term(to, *body)? }
            }
            Interpretation::Table { entries, default } => {
                let entries = entries.iter().map(|(args, result)| {
                    Ok((self.values(to, args)?.into(), self.value(to, result)?))
                });
                let entries = entries.collect::<Result<_, Foreign>>()?;
                Interpretation::Table { entries, default: self.value(to, default)? }
            }
            Interpretation::Opaque(reason) => Interpretation::Opaque(reason.clone()),
        })
    }

    fn values(&mut self, to: &mut Store, values: &[Value]) -> Result<Vec<Value>, Foreign> {
        values.iter().map(|value| self.value(to, value)).collect()
    }

    /// A value. The nesting depth of values is bounded, so this may recurse.
    fn value(&mut self, to: &mut Store, value: &Value) -> Result<Value, Foreign> {
        Ok(match value {
            Value::Array(array) => {
                // Sorted again: the order of values depends on the handles of their sorts and names.
                let mut entries = Entries::new();
                for (index, element) in &array.entries {
                    entries = entries.insert(self.value(to, index)?, self.value(to, element)?);
                }
                let default = match &array.default {
                    Default::Element(value) => Default::Element(self.value(to, value)?),
                    Default::Closure(closure) => {
                        Default::Closure(Arc::new(self.closure(to, closure)?))
                    }
                };
                let sort = self.sort(to, array.sort)?;
                Value::Array(Arc::new(ArrayValue { sort, default, entries }))
            }
            Value::Seq(sort, items) => {
                Value::Seq(self.sort(to, *sort)?, self.values(to, items)?.into())
            }
            Value::Set(sort, items) => Value::set(self.sort(to, *sort)?, self.values(to, items)?),
            Value::Bag(sort, items) => {
                let mut held = Vec::with_capacity(items.len());
                for (item, count) in items.iter() {
                    held.push((self.value(to, item)?, count.clone()));
                }
                Value::bag(self.sort(to, *sort)?, held)
            }
            Value::Field(sort, residue) => Value::Field(self.sort(to, *sort)?, residue.clone()),
            Value::Data(data) => {
                let (sort, fields) = (self.sort(to, data.sort)?, self.values(to, &data.fields)?);
                Value::Data(Arc::new(DataValue::new(sort, data.constructor, fields.into())))
            }
            Value::Element(sort, name) => {
                let name = to.symbols.intern(self.from.symbols.name(*name));
                Value::Element(self.sort(to, *sort)?, name)
            }
            simple => simple.clone(),
        })
    }

    fn closure(&mut self, to: &mut Store, closure: &Closure) -> Result<Closure, Foreign> {
        let mut environment = Vec::with_capacity(closure.environment.len());
        for (var, value) in &closure.environment {
            environment.push((self.term(to, *var)?, self.value(to, value)?));
        }
        environment.sort();
        let (var, body) = (self.term(to, closure.var)?, self.term(to, closure.body)?);
        Ok(Closure::new(var, body, environment))
    }
}

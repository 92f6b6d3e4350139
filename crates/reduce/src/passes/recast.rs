//! Rebuilds a script over other sorts, symbols and datatypes. An inexpressible term becomes a
//! constant of its new sort; a test decides whether the result is still interesting.

use super::constants;
use crate::state::{State, Witness};
use assay_smtlib::{Command, Definition};
use assay_term::bitvec::BitVec;
use assay_term::theories::{bv, core, fp};
use assay_term::value::Value;
use assay_term::{
    Attribute, AttributeValue, Func, FuncId, Interpretation, Model, Sort, SortDeclId, SortId,
    Store, Symbol, Term, TermId,
};
use rustc_hash::FxHashMap;

/// The replacement of a constructor: its new position, and those of its fields.
pub(crate) type NewConstructor = Option<(u32, Vec<Option<u32>>)>;

/// The changes to make.
#[derive(Default)]
pub(crate) struct Changes {
    /// Replacements of simple sorts.
    pub(crate) sorts: FxHashMap<SortId, SortId>,
    /// New names of functions, variables and uninterpreted sorts.
    pub(crate) names: FxHashMap<Symbol, Symbol>,
    /// Parameters that functions lose.
    pub(crate) without: FxHashMap<FuncId, usize>,
    /// Replacements of datatypes.
    pub(crate) datatypes: FxHashMap<SortDeclId, (SortDeclId, Vec<NewConstructor>)>,
}

/// Rebuilds a script with changes.
pub(crate) struct Recast<'c> {
    changes: &'c Changes,
    terms: FxHashMap<TermId, TermId>,
}

impl<'c> Recast<'c> {
    pub(crate) fn new(changes: &'c Changes) -> Recast<'c> {
        Recast { changes, terms: FxHashMap::default() }
    }

    /// The new script; `None` if it cannot be expressed.
    pub(crate) fn state(mut self, store: &mut Store, state: &State) -> Option<State> {
        let mut commands = Vec::with_capacity(state.commands.len());
        for command in &state.commands {
            commands.push(self.command(store, command)?);
        }
        let model = state.witness.as_ref().and_then(|witness| witness.model.clone());
        let witness = match model {
            Some(model) => self.model(store, &model).map(|model| Witness::of(store, model)),
            None => None,
        };
        // Renaming changes nothing else.
        let renames = self.changes.sorts.is_empty()
            && self.changes.without.is_empty()
            && self.changes.datatypes.is_empty();
        let core = match &state.core {
            Some(core) if renames => {
                core.iter().map(|&term| self.term(store, term)).collect::<Option<_>>()
            }
            _ => None,
        };
        Some(State { commands, witness, core, ..state.clone() })
    }

    fn command(&mut self, store: &mut Store, command: &Command) -> Option<Command> {
        Some(match command {
            Command::DeclareSort(decl) => Command::DeclareSort(self.decl(store, *decl)),
            Command::DeclareDatatypes(group, syntax) => {
                let group = group.iter().map(|&decl| self.decl(store, decl)).collect();
                Command::DeclareDatatypes(group, *syntax)
            }
            Command::DeclareFun(func) => Command::DeclareFun(self.func(store, *func)?),
            Command::DeclareConst(func) => Command::DeclareConst(self.func(store, *func)?),
            Command::DefineFun(it) => Command::DefineFun(self.definition(store, it)?),
            Command::DefineConst(it) => Command::DefineConst(self.definition(store, it)?),
            Command::DefineFunRec(it) => Command::DefineFunRec(self.definition(store, it)?),
            Command::DefineFunsRec(group) => {
                let group = group.iter().map(|it| self.definition(store, it));
                Command::DefineFunsRec(group.collect::<Option<_>>()?)
            }
            other => crate::substitute::with_roots(other, |root| self.term(store, root))?,
        })
    }

    fn definition(&mut self, store: &mut Store, it: &Definition) -> Option<Definition> {
        let mut params = it.params.to_vec();
        if let Some(&gone) = self.changes.without.get(&it.func) {
            params.remove(gone);
        }
        let params = params.iter().map(|&param| self.term(store, param)).collect::<Option<_>>()?;
        let body = self.term(store, it.body)?;
        Some(Definition { func: self.func(store, it.func)?, params, body })
    }

    fn symbol(&self, symbol: Symbol) -> Symbol {
        self.changes.names.get(&symbol).copied().unwrap_or(symbol)
    }

    fn decl(&mut self, store: &mut Store, decl: SortDeclId) -> SortDeclId {
        if let Some((new, _)) = self.changes.datatypes.get(&decl) {
            return *new;
        }
        let declared = store.sorts.decl(decl);
        match (&declared.datatype, self.symbol(declared.name)) {
            (None, name) if name != declared.name => {
                let arity = declared.arity;
                store.sorts.declare(name, arity)
            }
            _ => decl,
        }
    }

    /// The nesting of sorts is bounded, so recursion is safe.
    fn sort(&mut self, store: &mut Store, sort: SortId) -> SortId {
        if let Some(&new) = self.changes.sorts.get(&sort) {
            return new;
        }
        match store.sorts.get(sort).clone() {
            Sort::Declared(decl, args) => {
                let args = args.iter().map(|&arg| self.sort(store, arg)).collect();
                let decl = self.decl(store, decl);
                let sort = store.sorts.intern(Sort::Declared(decl, args));
                store.sorts.instantiate(sort);
                sort
            }
            shape => {
                let parts = shape.parts().into_iter().map(|part| self.sort(store, part));
                let parts: Vec<SortId> = parts.collect();
                store.sorts.intern(shape.with_parts(&parts))
            }
        }
    }

    fn func(&mut self, store: &mut Store, func: FuncId) -> Option<FuncId> {
        let new = match store.func(func).clone() {
            Func::Declared { name, params, result } => {
                let mut params: Vec<SortId> =
                    params.iter().map(|&param| self.sort(store, param)).collect();
                if let Some(&gone) = self.changes.without.get(&func) {
                    params.remove(gone);
                }
                let (name, result) = (self.symbol(name), self.sort(store, result));
                Func::Declared { name, params: params.into(), result }
            }
            Func::Constructor(decl, at) => {
                let (decl, (at, _)) = self.constructor(decl, at)?;
                Func::Constructor(decl, at)
            }
            Func::Selector(decl, at, field) => {
                let (decl, (at, fields)) = self.constructor(decl, at)?;
                Func::Selector(decl, at, field_of(&fields, field)?)
            }
            Func::Tester(decl, at) => {
                let (decl, (at, _)) = self.constructor(decl, at)?;
                Func::Tester(decl, at)
            }
            Func::Update(decl, at, field) => {
                let (decl, (at, fields)) = self.constructor(decl, at)?;
                Func::Update(decl, at, field_of(&fields, field)?)
            }
            Func::Op(..) => return Some(func),
        };
        Some(store.intern_func(new))
    }

    /// The new position of a constructor; no fields are given if all remain.
    fn constructor(&self, decl: SortDeclId, at: u32) -> Option<(SortDeclId, (u32, Fields))> {
        match self.changes.datatypes.get(&decl) {
            None => Some((decl, (at, None))),
            Some((decl, constructors)) => {
                let (at, fields) = constructors.get(at as usize)?.clone()?;
                Some((*decl, (at, Some(fields))))
            }
        }
    }

    /// A term over the new symbols.
    pub(crate) fn term(&mut self, store: &mut Store, root: TermId) -> Option<TermId> {
        for term in store.postorder(&[root]) {
            if self.terms.contains_key(&term) {
                continue;
            }
            let sort = store.sort(term);
            let sort = self.sort(store, sort);
            let new = match self.rebuilt(store, term, sort) {
                Some(new) if store.sort(new) == sort => new,
                _ => *constants::of(store, sort).first()?,
            };
            self.terms.insert(term, new);
        }
        self.terms.get(&root).copied()
    }

    fn rebuilt(&mut self, store: &mut Store, term: TermId, sort: SortId) -> Option<TermId> {
        let parts: Vec<TermId> = store.children(term).iter().map(|part| self.terms[part]).collect();
        match store.get(term) {
            Term::Literal(value) => {
                let value = value.clone();
                self.literal(store, &value, sort)
            }
            Term::Var(name) => Some(store.var(self.symbol(name), sort)),
            Term::App(func, _) => self.application(store, term, func, parts, sort),
            Term::Annotated(_, attributes) => {
                let attributes = attributes.to_vec();
                let renew = |it: &Attribute| -> Attribute {
                    let value = match &it.value {
                        AttributeValue::Terms(terms) => {
                            AttributeValue::Terms(terms.iter().map(|t| self.terms[t]).collect())
                        }
                        AttributeValue::Name(name) => AttributeValue::Name(self.symbol(*name)),
                        other => other.clone(),
                    };
                    Attribute { keyword: it.keyword, value }
                };
                let attributes = attributes.iter().map(renew).collect();
                Some(store.annotated(parts[0], attributes))
            }
            // Patterns name constructors and variables; they are left unchanged.
            Term::Match(..) => store.with_children(term, &parts).ok(),
            Term::Let(..) | Term::Quant(..) | Term::Lambda(..) => {
                store.with_children(term, &parts).ok()
            }
        }
    }

    fn literal(&self, store: &mut Store, value: &Value, sort: SortId) -> Option<TermId> {
        match (value, store.sorts.get(sort)) {
            (Value::BitVec(bits), Sort::BitVec(width)) if bits.width() != *width => {
                let bits = resized(bits, *width);
                Some(store.bit_vec(bits))
            }
            _ => store.value(value),
        }
    }

    fn application(
        &mut self,
        store: &mut Store,
        term: TermId,
        func: FuncId,
        mut parts: Vec<TermId>,
        sort: SortId,
    ) -> Option<TermId> {
        match store.func(func).clone() {
            Func::Op(op, indices) => {
                let indices = self.indices(store, op, &indices, &parts, sort);
                if op == fp::FP {
                    parts = self.fields(store, &parts, sort)?;
                }
                let func = store.op_func(op, &indices);
                let ascribed = store.app(func, &parts).ok().filter(|&it| store.sort(it) == sort);
                ascribed.or_else(|| store.app_as(func, &parts, Some(sort)).ok())
            }
            Func::Declared { .. } => {
                if let Some(&gone) = self.changes.without.get(&func) {
                    parts.remove(gone);
                }
                let func = self.func(store, func)?;
                store.app(func, &parts).ok()
            }
            Func::Constructor(decl, at) => {
                let (_, (_, fields)) = self.constructor(decl, at)?;
                let kept = |position: usize| {
                    fields.as_ref().is_none_or(|fields| fields[position].is_some())
                };
                let parts: Vec<TermId> = parts
                    .iter()
                    .enumerate()
                    .filter(|(position, _)| kept(*position))
                    .map(|(_, &part)| part)
                    .collect();
                let func = self.func(store, func)?;
                store.app_as(func, &parts, Some(sort)).ok()
            }
            Func::Selector(..) | Func::Update(..) => {
                let func = self.func(store, func)?;
                store.app(func, &parts).ok()
            }
            Func::Tester(..) => match self.func(store, func) {
                Some(func) => store.app(func, &parts).ok(),
                None => store.op(core::FALSE, &[]).ok(),
            },
        }
        .or_else(|| self.first_like(store, term, sort))
    }

    /// A subterm with the requested sort.
    fn first_like(&self, store: &Store, term: TermId, sort: SortId) -> Option<TermId> {
        let parts = store.children(term).iter().map(|part| self.terms[part]);
        parts.into_iter().find(|&part| store.sort(part) == sort)
    }

    /// The new indices of an operator that depend on widths or formats.
    fn indices(
        &self,
        store: &Store,
        op: assay_term::Op,
        indices: &[u64],
        parts: &[TermId],
        sort: SortId,
    ) -> Vec<u64> {
        let width = |sort: SortId| match store.sorts.get(sort) {
            Sort::BitVec(width) => Some(u64::from(*width)),
            _ => None,
        };
        match (store.sorts.get(sort), indices) {
            (Sort::Float(format), [_, _]) => {
                vec![u64::from(format.exponent_bits()), u64::from(format.significand_bits())]
            }
            (Sort::BitVec(new), [_]) if matches!(op, bv::ZERO_EXTEND | bv::SIGN_EXTEND) => {
                let old = parts.first().and_then(|&part| width(store.sort(part))).unwrap_or(0);
                vec![u64::from(*new).saturating_sub(old)]
            }
            (Sort::BitVec(new), &[_, low]) if op == bv::EXTRACT => {
                let old = parts.first().and_then(|&part| width(store.sort(part))).unwrap_or(0);
                let low = low.min(old.saturating_sub(u64::from(*new)));
                vec![low + u64::from(*new) - 1, low]
            }
            (Sort::BitVec(new), [_]) if matches!(op, bv::INT_TO_BV | fp::TO_UBV | fp::TO_SBV) => {
                vec![u64::from(*new)]
            }
            _ => indices.to_vec(),
        }
    }

    /// The fields of a floating-point literal, resized to fit its sort.
    fn fields(&self, store: &mut Store, parts: &[TermId], sort: SortId) -> Option<Vec<TermId>> {
        let Sort::Float(format) = *store.sorts.get(sort) else { return None };
        let widths = [1, format.exponent_bits(), format.fraction_bits()];
        let mut fields = Vec::new();
        for (&part, width) in parts.iter().zip(widths) {
            let bits = match store.get(part) {
                Term::Literal(Value::BitVec(bits)) => resized(bits, width),
                _ => return Some(parts.to_vec()),
            };
            fields.push(store.bit_vec(bits));
        }
        Some(fields)
    }

    /// The model, if its values can be expressed in the new sorts.
    fn model(&mut self, store: &mut Store, model: &Model) -> Option<Model> {
        let mut new = Model::new();
        let mut symbols: Vec<(FuncId, &Interpretation)> = model.iter().collect();
        symbols.sort_unstable_by_key(|(func, _)| *func);
        for (func, meaning) in symbols {
            let Some(renamed) = self.func(store, func) else { continue };
            let meaning = match meaning {
                Interpretation::Value(value) => {
                    let Func::Declared { result, .. } = store.func(renamed) else { continue };
                    let result = *result;
                    match (value, store.sorts.get(result).clone()) {
                        (Value::BitVec(bits), Sort::BitVec(width)) => {
                            Interpretation::Value(Value::BitVec(resized(bits, width)))
                        }
                        _ if self.touches(store, func) => continue,
                        _ => Interpretation::Value(value.clone()),
                    }
                }
                Interpretation::Definition { params, body } if !self.touches(store, func) => {
                    let params = params.iter().map(|&param| self.term(store, param));
                    let params = params.collect::<Option<_>>()?;
                    Interpretation::Definition { params, body: self.term(store, *body)? }
                }
                meaning if !self.touches(store, func) => meaning.clone(),
                _ => continue,
            };
            new.set(renamed, meaning);
        }
        for (op, sort, meaning) in model.opens() {
            new.set_open(op, sort, meaning.clone());
        }
        for (sort, elements) in model.universes() {
            new.set_universe(sort, elements.to_vec());
        }
        Some(new)
    }

    /// Whether a function's sorts change.
    fn touches(&mut self, store: &mut Store, func: FuncId) -> bool {
        let Func::Declared { params, result, .. } = store.func(func).clone() else { return true };
        self.changes.without.contains_key(&func)
            || params.iter().chain([&result]).any(|&sort| self.sort(store, sort) != sort)
    }
}

type Fields = Option<Vec<Option<u32>>>;

/// The new position of a field.
fn field_of(fields: &Fields, field: u32) -> Option<u32> {
    match fields {
        None => Some(field),
        Some(fields) => fields.get(field as usize).copied().flatten(),
    }
}

/// The low bits, or the number with zeros before it.
fn resized(bits: &BitVec, width: u32) -> BitVec {
    match bits.width() {
        old if old < width => bits.zero_extend(width - old),
        old if old > width => bits.extract(width - 1, 0),
        _ => bits.clone(),
    }
}

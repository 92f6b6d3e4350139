//! Simplifies terms to equal ones: terms with a known value become that value, and the certified
//! rules below are applied.

use assay_term::op::Op;
use assay_term::theories::{arrays, core};
use assay_term::{
    Attribute, Budget, Evaluator, Exhausted, Func, Model, Replacements, SortId, Store, Term, TermId,
};
use rustc_hash::{FxHashMap, FxHashSet};

/// Simplifies terms of one store, remembering what it did.
#[derive(Default)]
pub(super) struct Simplifier {
    known: FxHashMap<TermId, TermId>,
    /// Terms that are values as they are written.
    values: FxHashSet<TermId>,
    nothing: Model,
}

impl Simplifier {
    /// An equal term.
    pub(super) fn simplify(
        &mut self,
        store: &mut Store,
        root: TermId,
        budget: &mut Budget,
    ) -> Result<TermId, Exhausted> {
        let mut open = vec![(root, false)];
        while let Some((term, is_ready)) = open.pop() {
            if self.known.contains_key(&term) {
                continue;
            }
            budget.spend(8)?;
            let parts: Vec<TermId> = match store.get(term) {
                Term::App(_, args) => args.to_vec(),
                Term::Annotated(inner, _) => vec![inner],
                // Bound variables are left alone.
                _ => Vec::new(),
            };
            if !is_ready {
                open.push((term, true));
                open.extend(parts.iter().map(|&part| (part, false)));
                continue;
            }
            let new = match store.get(term) {
                Term::Annotated(..) => self.known[&parts[0]],
                _ => {
                    let parts: Vec<TermId> = parts.iter().map(|part| self.known[part]).collect();
                    let rebuilt = match store.get(term) {
                        Term::App(..) => store.with_children(term, &parts).unwrap_or(term),
                        _ => term,
                    };
                    self.step(store, rebuilt)
                }
            };
            self.known.insert(term, new);
            self.known.insert(new, new);
        }
        Ok(self.known[&root])
    }

    /// One rule at the root of a term whose parts are simple.
    fn step(&mut self, store: &mut Store, term: TermId) -> TermId {
        let (func, args) = match store.get(term) {
            Term::Literal(_) => {
                self.values.insert(term);
                return term;
            }
            Term::App(func, args) => (func, args.to_vec()),
            _ => return term,
        };
        let is_symbol = matches!(store.func(func), Func::Declared { .. });
        if !is_symbol && args.iter().all(|arg| self.values.contains(arg)) {
            let value = Evaluator::new(store, &self.nothing).eval(term);
            let value = value.ok().and_then(|value| store.value(&value));
            if let Some(value) = value.filter(|&value| store.sort(value) == store.sort(term)) {
                self.values.insert(value);
                return value;
            }
        }
        match *store.func(func) {
            Func::Op(op, _) => self.operator(store, op, &args).unwrap_or(term),
            Func::Selector(_, constructor, field) => match constructed(store, args[0]) {
                Some((built, fields)) if built == constructor => fields[field as usize],
                _ => term,
            },
            Func::Tester(_, constructor) => match constructed(store, args[0]) {
                Some((built, _)) => store.bool(built == constructor),
                None => term,
            },
            _ => term,
        }
    }

    fn operator(&self, store: &mut Store, op: Op, args: &[TermId]) -> Option<TermId> {
        let (truth, falsity) = (store.bool(true), store.bool(false));
        let differ =
            |a: TermId, b: TermId| a != b && self.values.contains(&a) && self.values.contains(&b);
        Some(match (op, args) {
            (core::NOT, &[arg]) => match store.operator(arg) {
                Some((core::NOT, &[inner])) => inner,
                _ => return None,
            },
            (core::AND | core::OR, _) => {
                let (unit, zero) =
                    if op == core::AND { (truth, falsity) } else { (falsity, truth) };
                if args.contains(&zero) {
                    return Some(zero);
                }
                let mut left: Vec<TermId> = Vec::new();
                left.extend(args.iter().filter(|&&arg| arg != unit));
                left.dedup();
                match left.as_slice() {
                    [] => unit,
                    &[only] => only,
                    _ if left.len() < args.len() => store.op(op, &left).ok()?,
                    _ => return None,
                }
            }
            (core::IMPLIES, &[a, b]) if a == falsity || b == truth => {
                let _ = (a, b);
                truth
            }
            (core::IMPLIES, &[a, b]) if a == truth => b,
            (core::ITE, &[condition, then, other]) => {
                if condition == truth || then == other {
                    then
                } else if condition == falsity {
                    other
                } else {
                    return None;
                }
            }
            (core::EQ, &[a, b]) if a == b => truth,
            (core::EQ, &[a, b]) => match (constructed(store, a), constructed(store, b)) {
                (Some((one, _)), Some((other, _))) if one != other => falsity,
                (Some((_, one)), Some((_, other))) => {
                    let (one, other) = (one.to_vec(), other.to_vec());
                    let pairs = one.into_iter().zip(other);
                    let equations: Result<Vec<TermId>, _> =
                        pairs.map(|(a, b)| store.op(core::EQ, &[a, b])).collect();
                    match equations.ok()?.as_slice() {
                        [] => truth,
                        &[only] => only,
                        several => store.op(core::AND, several).ok()?,
                    }
                }
                _ => return None,
            },
            (arrays::SELECT, &[array, index]) => match store.operator(array) {
                Some((arrays::STORE, &[_, at, element])) if at == index => element,
                Some((arrays::STORE, &[before, at, _])) if differ(at, index) => {
                    let select = store.op(arrays::SELECT, &[before, index]).ok()?;
                    self.operator(store, arrays::SELECT, &[before, index]).unwrap_or(select)
                }
                Some((arrays::CONST, &[element])) => element,
                _ => return None,
            },
            _ => return None,
        })
    }
}

/// The constructor that a term applies, with its arguments.
fn constructed(store: &Store, term: TermId) -> Option<(u32, &[TermId])> {
    let Term::App(func, args) = store.get(term) else { return None };
    match store.func(func) {
        Func::Constructor(_, index) => Some((*index, args)),
        _ => None,
    }
}

/// The body of a `let` with the values in the place of the variables; `None` if a binder inside might
/// capture something.
pub(super) fn let_body(store: &mut Store, term: TermId) -> Option<TermId> {
    let Term::Let(bindings, body) = store.get(term) else { return None };
    let bound: Vec<(TermId, TermId)> = bindings.chunks(2).map(|pair| (pair[0], pair[1])).collect();
    let free: FxHashSet<TermId> =
        bound.iter().flat_map(|&(_, value)| store.free_variables(value)).collect();
    for part in store.postorder(&[body]) {
        let inner: Vec<TermId> = match store.get(part) {
            Term::Let(bindings, _) => bindings.iter().step_by(2).copied().collect(),
            Term::Quant(_, vars, _) | Term::Lambda(vars, _) => vars.to_vec(),
            Term::Match(..) => return None,
            _ => continue,
        };
        if inner.iter().any(|var| free.contains(var) || bound.iter().any(|(known, _)| known == var))
        {
            return None;
        }
    }
    let mut by: Replacements = bound.into_iter().collect();
    store.replaced(body, &mut by).ok()
}

/// The term below attributes.
pub(crate) fn plain(store: &Store, mut term: TermId) -> TermId {
    while let Term::Annotated(inner, attributes) = store.get(term) {
        let _: &[Attribute] = attributes;
        term = inner;
    }
    term
}

/// Whether a term is a number.
pub(super) fn is_numeric(store: &Store, term: TermId) -> bool {
    matches!(store.sort(term), SortId::INT | SortId::REAL)
}

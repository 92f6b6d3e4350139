//! Inlines definitions with parameters; recursive ones as deep as a bound.

use assay_term::theories::core;
use assay_term::{
    Budget, Func, FuncId, Interpretation, Model, Op, Replacements, SortError, SortId, Store, Term,
    TermId, Unexpanded,
};
use rustc_hash::FxHashMap;

/// Budget for inlining. Larger formulas are not written as programs anyway.
const STEPS: u64 = 5_000_000;
const CELLS: u64 = 4_000_000;

/// The terms with every application of a defined function replaced by its body. The store is copied
/// only if there is something to replace.
///
/// # Errors
/// If that does not terminate, or becomes too large.
pub(crate) fn expanded(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
) -> Result<Option<(Store, Vec<TermId>)>, Unexpanded> {
    let has_parameters = |term: TermId| match store.get(term) {
        Term::App(func, args) if !args.is_empty() => {
            matches!(definitions.get(func), Some(Interpretation::Definition { .. }))
        }
        _ => false,
    };
    let bodies = definitions.iter().filter_map(|(_, meaning)| match meaning {
        Interpretation::Definition { params, body } if params.is_empty() => Some(*body),
        _ => None,
    });
    let all: Vec<TermId> = roots.iter().copied().chain(bodies).collect();
    if !store.postorder(&all).into_iter().any(has_parameters) {
        return Ok(None);
    }
    let mut store = store.clone();
    let roots = store.expanded(roots, definitions, &mut Budget::new(STEPS, CELLS))?;
    Ok(Some((store, roots)))
}

/// The terms without defined functions and constants: what replaces parts of a formula must see all of it.
///
/// # Errors
/// If the result becomes too large.
pub(crate) fn undefined(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
) -> Result<(Store, Vec<TermId>), Unexpanded> {
    let mut store = store.clone();
    let roots = store.expanded(roots, definitions, &mut Budget::new(STEPS, CELLS))?;
    Ok((store, roots))
}

/// The terms with recursive definitions unfolded to a depth. Each root also requires that no call beyond
/// the depth decides it: what the result has a model of, the roots have a model of.
///
/// # Errors
/// If a recursive function is called under a binder, or the result becomes too large.
pub(crate) fn unfolded(
    store: &Store,
    roots: &[TermId],
    definitions: &Model,
    depth: u32,
) -> Result<(Store, Vec<TermId>), Unexpanded> {
    let mut store = store.clone();
    let mut bodies: Vec<(FuncId, Vec<TermId>, TermId)> = Vec::new();
    for (func, meaning) in definitions.iter() {
        if let Interpretation::Definition { params, body } = meaning {
            bodies.push((func, params.to_vec(), *body));
        }
    }
    // A model has no order, and names must not depend on one.
    bodies.sort_by_key(|(func, ..)| *func);
    let mut copies = Model::new();
    let mut known: FxHashMap<FuncId, Copies> = FxHashMap::default();
    for level in 0..=depth {
        let mut next = FxHashMap::default();
        for (func, params, body) in &bodies {
            let sorts: Vec<SortId> = params.iter().map(|&param| store.sort(param)).collect();
            let result = store.sort(*body);
            let name = format!("unfolded {} {level} (ours)", bodies_index(&bodies, *func));
            let value = store.declare(&name, &sorts, result);
            let beyond = store.declare(&format!("{name} beyond"), &sorts, SortId::BOOL);
            let (meaning, cut) = match level {
                // What stands for a call beyond the depth never matters.
                0 => (constant(&mut store, result)?, Some(truth(&mut store, true)?)),
                _ => Unfolding { store: &mut store, known: &known }.of(*body)?,
            };
            let cut = match cut {
                Some(cut) => cut,
                None => truth(&mut store, false)?,
            };
            for (func, body) in [(value, meaning), (beyond, cut)] {
                let params = params.clone().into();
                copies.set(func, Interpretation::Definition { params, body });
            }
            next.insert(*func, Copies { value, beyond });
        }
        known = next;
    }
    let mut required = Vec::with_capacity(roots.len());
    for &root in roots {
        let (root, beyond) = Unfolding { store: &mut store, known: &known }.of(root)?;
        required.push(match beyond {
            Some(beyond) => {
                let within = op(&mut store, core::NOT, &[beyond])?;
                op(&mut store, core::AND, &[within, root])?
            }
            None => root,
        });
    }
    let roots = store.expanded(&required, &copies, &mut Budget::new(STEPS, CELLS))?;
    Ok((store, roots))
}

/// The number of a function among the definitions.
fn bodies_index(bodies: &[(FuncId, Vec<TermId>, TermId)], func: FuncId) -> usize {
    bodies.iter().position(|(known, ..)| *known == func).unwrap_or(bodies.len())
}

/// What stands for a function at one depth.
#[derive(Clone, Copy)]
struct Copies {
    /// Its value.
    value: FuncId,
    /// Whether its value depends on a call beyond the depth.
    beyond: FuncId,
}

fn op(store: &mut Store, op: Op, args: &[TermId]) -> Result<TermId, Unexpanded> {
    store.op(op, args).map_err(Unexpanded::Sort)
}

fn truth(store: &mut Store, value: bool) -> Result<TermId, Unexpanded> {
    op(store, if value { core::TRUE } else { core::FALSE }, &[])
}

/// A constant of a sort, which is never read.
fn constant(store: &mut Store, sort: SortId) -> Result<TermId, Unexpanded> {
    let name = format!("any {} (ours)", sort.index());
    Ok(store.constant(&name, sort))
}

struct Unfolding<'u> {
    store: &'u mut Store,
    known: &'u FxHashMap<FuncId, Copies>,
}

impl Unfolding<'_> {
    /// A term with calls of the copies, and the condition under which a call beyond the depth decides
    /// its value; `None` if there is no such call.
    fn of(&mut self, root: TermId) -> Result<(TermId, Option<TermId>), Unexpanded> {
        let mut by = Replacements::default();
        let mut beyond: FxHashMap<TermId, TermId> = FxHashMap::default();
        for term in self.store.postorder(&[root]) {
            let args: Vec<TermId> = self.store.children(term).to_vec();
            let cut = match self.store.get(term) {
                Term::App(func, _) => match self.known.get(&func).copied() {
                    Some(copies) => {
                        let args = self.replaced(&args, &mut by)?;
                        let value = self.store.app(copies.value, &args);
                        by.insert(term, value.map_err(Unexpanded::Sort)?);
                        let own = self.store.app(copies.beyond, &args);
                        Some(own.map_err(Unexpanded::Sort)?)
                    }
                    None => None,
                },
                _ => None,
            };
            let inner: Vec<Option<TermId>> =
                args.iter().map(|arg| beyond.get(arg).copied()).collect();
            if inner.iter().all(Option::is_none) {
                beyond.extend(cut.map(|cut| (term, cut)));
                continue;
            }
            let is_binder = !matches!(self.store.get(term), Term::App(..) | Term::Annotated(..));
            if is_binder {
                let Some(&func) = self.known.keys().next() else { continue };
                return Err(Unexpanded::Recursive(func));
            }
            let lazy = self.lazily(term, &args, &inner, &mut by)?;
            let all: Vec<TermId> = lazy.into_iter().chain(cut).collect();
            let any = self.any(&all)?;
            beyond.insert(term, any);
        }
        let whole = self.store.replaced(root, &mut by).map_err(Unexpanded::Sort)?;
        Ok((whole, beyond.get(&root).copied()))
    }

    /// The conditions under which the arguments matter and are beyond the depth: a branch that is not
    /// taken does not matter, nor what follows an argument that decides.
    fn lazily(
        &mut self,
        term: TermId,
        args: &[TermId],
        inner: &[Option<TermId>],
        by: &mut Replacements,
    ) -> Result<Vec<TermId>, Unexpanded> {
        let operator = match self.store.get(term) {
            Term::App(func, _) => match self.store.func(func) {
                Func::Op(op, _) => Some(*op),
                _ => None,
            },
            _ => None,
        };
        let mut all = Vec::new();
        // What must hold for an argument to matter.
        let mut reached: Vec<TermId> = Vec::new();
        for (at, (&arg, cut)) in args.iter().zip(inner).enumerate() {
            if let Some(cut) = cut {
                let mut parts = reached.clone();
                parts.push(*cut);
                all.push(match parts.as_slice() {
                    [only] => *only,
                    parts => op(self.store, core::AND, parts)?,
                });
            }
            let own = match operator {
                Some(core::ITE | core::AND | core::OR | core::IMPLIES) => {
                    Some(self.store.replaced(arg, by).map_err(Unexpanded::Sort)?)
                }
                _ => None,
            };
            match (operator, own, at) {
                (Some(core::AND | core::IMPLIES), Some(own), _) => reached.push(own),
                (Some(core::OR), Some(own), _) => reached.push(op(self.store, core::NOT, &[own])?),
                (Some(core::ITE), Some(own), 0) => reached = vec![own],
                (Some(core::ITE), Some(_), 1) => {
                    let test = reached.pop().expect("the condition came before");
                    reached = vec![op(self.store, core::NOT, &[test])?];
                }
                _ => {}
            }
        }
        Ok(all)
    }

    fn any(&mut self, all: &[TermId]) -> Result<TermId, Unexpanded> {
        match all {
            [only] => Ok(*only),
            _ => op(self.store, core::OR, all),
        }
    }

    fn replaced(
        &mut self,
        args: &[TermId],
        by: &mut Replacements,
    ) -> Result<Vec<TermId>, Unexpanded> {
        let new = args.iter().map(|&arg| self.store.replaced(arg, by));
        new.collect::<Result<_, SortError>>().map_err(Unexpanded::Sort)
    }
}

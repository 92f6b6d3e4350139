//! Decides which subterms are written once, under a name, and computes the length of printed terms.
//!
//! A scope is the whole term or the body of a quantifier, lambda or case. A scope shares only subterms
//! without variables that are bound inside it, so a name never occurs where its variables have another
//! meaning.

use super::Sharing;
use assay_term::value::Value;
use assay_term::{AttributeValue, Func, MatchPattern, Store, Term, TermId};
use rustc_hash::{FxHashMap, FxHashSet};
use std::sync::Arc;

/// Shorter terms are not worth a name.
const WORTH: usize = 24;

/// A term is shared if it would be this many times longer without sharing.
const BLOW_UP: usize = 8;

pub(super) struct Plan {
    sharing: bool,
    lengths: FxHashMap<TermId, usize>,
    /// The free variables of terms that have some.
    free: FxHashMap<TermId, Free>,
    /// Terms that begin a scope when they are written next.
    pending: FxHashSet<TermId>,
    names: FxHashMap<TermId, String>,
    scopes: Vec<Vec<TermId>>,
    count: usize,
    /// Terms that may get a name in some scope.
    worthy: FxHashSet<TermId>,
    /// The remaining number of terms that may be visited.
    budget: usize,
}

/// Average number of visits of each term by scopes; beyond that, scopes look no further than the next
/// binder. Otherwise a long chain of binders would visit its end again and again.
const LOOKS: usize = 64;

impl Plan {
    pub(super) fn new(store: &Store, root: TermId, sharing: Sharing) -> Plan {
        let mut plan = Plan {
            sharing: sharing == Sharing::Always,
            lengths: FxHashMap::default(),
            free: FxHashMap::default(),
            pending: FxHashSet::default(),
            names: FxHashMap::default(),
            scopes: Vec::new(),
            count: 0,
            worthy: FxHashSet::default(),
            budget: 0,
        };
        let order = store.postorder(&[root]);
        let mut distinct = 0usize;
        for &term in &order {
            let children: usize = store
                .children(term)
                .iter()
                .map(|t| plan.lengths[t].saturating_add(1))
                .fold(0, usize::saturating_add);
            let own = own_length(store, term);
            distinct += own + store.children(term).len();
            plan.lengths.insert(term, children.saturating_add(own));
        }
        if sharing == Sharing::Auto {
            plan.sharing = plan.lengths[&root] > distinct.saturating_mul(BLOW_UP);
        }
        if plan.sharing {
            plan.find_worthy(store, &order);
            plan.budget = order.len().saturating_mul(LOOKS).saturating_add(1 << 16);
            plan.find_free(store, &order);
            plan.pending.insert(under_annotations(store, root));
        }
        plan
    }

    /// The approximate length of the term on one line.
    pub(super) fn flat_length(&self, term: TermId) -> Option<usize> {
        self.lengths.get(&term).copied()
    }

    /// The name of the term, if it was written before.
    pub(super) fn name(&self, term: TermId) -> Option<&str> {
        self.names.get(&term).map(String::as_str)
    }

    /// Records that this term, the body of a binder, starts a scope when it is written.
    pub(super) fn add_body(&mut self, store: &Store, body: TermId) {
        if self.sharing {
            self.pending.insert(under_annotations(store, body));
        }
    }

    /// Whether this term starts a scope.
    pub(super) fn enters(&self, term: TermId) -> bool {
        self.pending.contains(&term)
    }

    /// Opens the scope of a term: returns the names and terms to define before it, in order.
    pub(super) fn enter(&mut self, store: &Store, term: TermId) -> Vec<(String, TermId)> {
        self.pending.remove(&term);
        let shared = self.shared(store, term);
        let mut definitions = Vec::with_capacity(shared.len());
        for &part in &shared {
            let name = self.fresh(store);
            definitions.push((name.clone(), part));
            self.names.insert(part, name);
        }
        self.scopes.push(shared);
        definitions
    }

    /// Closes the innermost scope.
    pub(super) fn leave(&mut self) {
        for term in self.scopes.pop().unwrap_or_default() {
            self.names.remove(&term);
        }
    }

    fn fresh(&mut self, store: &Store) -> String {
        loop {
            self.count += 1;
            let name = format!("${}", self.count);
            if store.symbols.get(&name).is_none() {
                return name;
            }
        }
    }

    /// Collects the terms that are long enough and have at least two parents.
    fn find_worthy(&mut self, store: &Store, order: &[TermId]) {
        let fixed = mention_names(store, order);
        let mut seen: FxHashSet<TermId> = FxHashSet::default();
        for child in order.iter().flat_map(|&term| store.children(term)) {
            let compound = matches!(
                store.get(*child),
                Term::App(..) | Term::Quant(..) | Term::Lambda(..) | Term::Match(..)
            );
            let worthy = compound
                && self.lengths.get(child).is_some_and(|&length| length > WORTH)
                && !fixed.contains(child);
            if worthy && !seen.insert(*child) {
                self.worthy.insert(*child);
            }
        }
    }

    /// Terms of the scope with at least two parents and no variable bound inside, arguments first, except
    /// the scope's own term.
    fn shared(&mut self, store: &Store, scope: TermId) -> Vec<TermId> {
        if self.names.len() == self.worthy.len() {
            return Vec::new();
        }
        let order = match self.budget {
            0 => up_to_binders(store, scope),
            _ => store.postorder(&[scope]),
        };
        self.budget = self.budget.saturating_sub(order.len());
        let mut parents: FxHashMap<TermId, u32> = FxHashMap::default();
        let mut inside: FxHashSet<TermId> = FxHashSet::default();
        for &term in &order {
            if store.mentions_variables(term) {
                inside.extend(parts(store, term).into_iter().flat_map(|(_, bound)| bound));
            }
            for &child in store.children(term) {
                *parents.entry(child).or_default() += 1;
            }
        }
        let movable = |t: &TermId| match self.free.get(t) {
            None => true,
            Some(Free::These(vars)) => !vars.iter().any(|var| inside.contains(var)),
            Some(Free::Many) => false,
        };
        let worth = |t: &TermId| {
            *t != scope
                && self.worthy.contains(t)
                && parents.get(t).is_some_and(|&n| n > 1)
                && !self.names.contains_key(t)
                && movable(t)
        };
        order.into_iter().filter(worth).collect()
    }

    /// Fills in the free variables of terms, arguments first.
    fn find_free(&mut self, store: &Store, order: &[TermId]) {
        let mut kept = 0;
        for &term in order {
            if !store.mentions_variables(term) {
                continue;
            }
            if let Some(same) = self.common_free(store, term) {
                self.free.insert(term, same);
                continue;
            }
            let mut vars: Vec<TermId> = Vec::new();
            let mut many = false;
            for (part, bound) in parts(store, term) {
                match self.free.get(&part) {
                    Some(Free::These(more)) => {
                        vars.extend(more.iter().filter(|var| !bound.contains(var)));
                    }
                    Some(Free::Many) => many = true,
                    None => {}
                }
            }
            if let Term::Var(_) = store.get(term) {
                vars.push(term);
            }
            vars.sort_unstable();
            vars.dedup();
            kept += vars.len();
            if many || kept > MANY {
                self.free.insert(term, Free::Many);
            } else if !vars.is_empty() {
                self.free.insert(term, Free::These(vars.into()));
            }
        }
    }
}

impl Plan {
    /// The free variables of a term that binds nothing and whose parts have the same ones.
    fn common_free(&self, store: &Store, term: TermId) -> Option<Free> {
        let Term::App(_, args) = store.get(term) else { return None };
        let mut open = args.iter().filter_map(|arg| self.free.get(arg));
        let Free::These(first) = open.next()? else { return None };
        let same = |other: &Free| matches!(other, Free::These(vars) if Arc::ptr_eq(vars, first));
        open.all(same).then(|| Free::These(Arc::clone(first)))
    }
}

/// The terms of a scope outside of its binders, arguments first.
fn up_to_binders(store: &Store, scope: TermId) -> Vec<TermId> {
    let mut seen: FxHashSet<TermId> = FxHashSet::default();
    let mut order = Vec::new();
    let mut work = vec![(scope, false)];
    while let Some((term, ready)) = work.pop() {
        if ready {
            order.push(term);
        } else if seen.insert(term) {
            work.push((term, true));
            match store.get(term) {
                Term::Quant(..) | Term::Lambda(..) => {}
                Term::Match(scrutinee, ..) => work.push((scrutinee, false)),
                _ => work.extend(store.children(term).iter().rev().map(|&part| (part, false))),
            }
        }
    }
    order
}

/// The free variables of a term.
enum Free {
    These(Arc<[TermId]>),
    /// Too many to store: the term is not shared.
    Many,
}

/// Maximum total number of stored free variables.
const MANY: usize = 1 << 22;

/// The terms among these that use or introduce a name from `:named` among them: they cannot move
/// before that.
fn mention_names(store: &Store, order: &[TermId]) -> FxHashSet<TermId> {
    let mut names = FxHashSet::default();
    let mut fixed = FxHashSet::default();
    for &term in order {
        if let Term::Annotated(_, attributes) = store.get(term) {
            for attribute in attributes {
                if let AttributeValue::Name(name) = attribute.value {
                    names.insert(name);
                    fixed.insert(term);
                }
            }
        }
    }
    if names.is_empty() {
        return fixed;
    }
    for &term in order {
        let is_name = match store.get(term) {
            Term::App(func, []) => {
                matches!(store.func(func), Func::Declared { name, .. } if names.contains(name))
            }
            _ => false,
        };
        if is_name || store.children(term).iter().any(|child| fixed.contains(child)) {
            fixed.insert(term);
        }
    }
    fixed
}

/// The parts of a term, each with the variables that the term binds in it.
fn parts(store: &Store, term: TermId) -> Vec<(TermId, Vec<TermId>)> {
    match store.get(term) {
        Term::Let(bindings, body) => {
            let values = bindings.iter().skip(1).step_by(2).map(|&value| (value, Vec::new()));
            let vars = bindings.iter().step_by(2).copied().collect();
            values.chain([(body, vars)]).collect()
        }
        Term::Quant(_, vars, body) | Term::Lambda(vars, body) => vec![(body, vars.to_vec())],
        Term::Match(scrutinee, patterns, bodies) => {
            let cases = patterns.iter().zip(bodies).map(|(pattern, &body)| {
                let vars = match pattern {
                    MatchPattern::Any(var) => var.iter().copied().collect(),
                    MatchPattern::Constructor(_, vars) => vars.iter().flatten().copied().collect(),
                };
                (body, vars)
            });
            std::iter::once((scrutinee, Vec::new())).chain(cases).collect()
        }
        _ => store.children(term).iter().map(|&child| (child, Vec::new())).collect(),
    }
}

fn under_annotations(store: &Store, mut term: TermId) -> TermId {
    while let Term::Annotated(inner, _) = store.get(term) {
        term = inner;
    }
    term
}

/// The approximate number of characters of a term's outermost layer.
fn own_length(store: &Store, term: TermId) -> usize {
    match store.get(term) {
        Term::Literal(value) => match value {
            Value::Int(n) => n.bit_length() as usize / 3 + 1,
            Value::BitVec(bits) => bits.width() as usize / 4 + 2,
            Value::Str(text) => text.len() + 2,
            _ => 4,
        },
        Term::Var(name) => store.symbols.name(name).len(),
        Term::App(func, _) => store.func_symbol(func).len() + 2,
        Term::Let(bindings, _) => 8 + 2 * bindings.len(),
        Term::Quant(_, vars, _) | Term::Lambda(vars, _) => 12 + 8 * vars.len(),
        Term::Annotated(_, attributes) => 4 + 12 * attributes.len(),
        Term::Match(_, patterns, _) => 10 + 10 * patterns.len(),
    }
}

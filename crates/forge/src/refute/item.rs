//! The replaceable parts of a definition, and the equalities that can replace them.

use super::book::{Book, Equality};
use super::spec::{Refutation, RefuteSpec};
use crate::rules::Law;
use crate::rules::rewrite::preorder;
use assay_term::{
    AttributeValue, Evaluator, Model, Quantifier, SortId, Store, Term, TermId, Value,
};

/// A part of a definition that can be replaced.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Item {
    pub(crate) term: TermId,
    pub(crate) role: Role,
}

/// The role of a part in the definition.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Role {
    /// A variable of the operation.
    Parameter,
    /// A variable that only the definition has.
    Auxiliary,
    /// A variable of a universal quantifier.
    Bound,
    /// A constant.
    Constant(Value),
    /// A term of a pattern.
    PatternTerm,
    /// Any other application of an operator.
    Term,
}

/// One replacement: an item and an equality.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Rewrite {
    pub(crate) item: usize,
    pub(crate) equality: usize,
}

/// The kinds of replacement in a definition.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rewrites {
    /// The additional assertion is needed.
    pub(crate) needed: Vec<Rewrite>,
    /// It is not needed.
    pub(crate) redundant: Vec<Rewrite>,
    /// It is about a term.
    pub(crate) about_terms: Vec<Rewrite>,
}

/// The items of a definition: variables in order of occurrence, the terms of patterns, constants, and
/// terms.
pub(crate) fn items(store: &Store, law: &Law, right: TermId, plain: TermId) -> Vec<Item> {
    let order = preorder(store, plain);
    let mut items: Vec<Item> = Vec::new();
    let mut quantified: Vec<TermId> = Vec::new();
    for &term in &order {
        // Under `exists` an antecedent would weaken the definition.
        if let Term::Quant(Quantifier::Forall, vars, _) = store.get(term) {
            quantified.extend(vars);
        }
    }
    for &term in &order {
        let role = if law.params.iter().any(|v| v.term == term) {
            Role::Parameter
        } else if law.auxiliary.iter().any(|v| v.term == term) {
            Role::Auxiliary
        } else if quantified.contains(&term) {
            Role::Bound
        } else {
            continue;
        };
        items.push(Item { term, role });
    }
    let pattern_terms = pattern_terms(store, right);
    items.extend(pattern_terms.iter().map(|&term| Item { term, role: Role::PatternTerm }));
    items.extend(constants(store, plain));
    let applied = |term: &&TermId| match store.get(**term) {
        Term::App(_, args) => !args.is_empty(),
        _ => false,
    };
    let constant: Vec<TermId> = items.iter().map(|item| item.term).collect();
    let terms = order.iter().filter(applied).filter(|term| !constant.contains(term));
    items.extend(terms.map(|&term| Item { term, role: Role::Term }));
    items
}

fn pattern_terms(store: &Store, right: TermId) -> Vec<TermId> {
    let mut found = Vec::new();
    for term in preorder(store, right) {
        let Term::Annotated(_, attributes) = store.get(term) else { continue };
        for attribute in attributes {
            if let AttributeValue::Terms(terms) = &attribute.value {
                found.extend(
                    terms.iter().filter(|term| !found.contains(*term)).copied().collect::<Vec<_>>(),
                );
            }
        }
    }
    found
}

/// The constants of a term, without duplicates: literals, `true`, `(- 1)` and the like, but not the
/// numeral in `(- 1)`.
fn constants(store: &Store, root: TermId) -> Vec<Item> {
    let mut found: Vec<Item> = Vec::new();
    let mut scratch = store.clone();
    let mut work = vec![root];
    while let Some(term) = work.pop() {
        let value = Evaluator::new(store, &Model::new()).eval(term);
        match value {
            Ok(value) if scratch.value(&value) == Some(term) => {
                if found.iter().all(|item| item.term != term) {
                    found.push(Item { term, role: Role::Constant(value) });
                }
            }
            _ => work.extend(store.children(term).iter().rev()),
        }
    }
    found
}

impl Rewrites {
    /// The replacements of one kind.
    pub(crate) fn of(&self, how: Refutation) -> Vec<Rewrite> {
        match how {
            Refutation::LargerCore => self.needed.clone(),
            Refutation::Redundancy => self.redundant.clone(),
            Refutation::RedundancyLet => self.about_terms.clone(),
            Refutation::Chain => {
                let mut all = [self.needed.as_slice(), &self.redundant].concat();
                all.sort();
                all
            }
            _ => Vec::new(),
        }
    }

    pub(crate) fn new(book: &Book, spec: &RefuteSpec, rule: &str, items: &[Item]) -> Rewrites {
        let mut rewrites = Rewrites::default();
        let store = &book.store;
        let no_variables =
            |sort: SortId| spec.constant_sorts.iter().any(|name| *name == store.sort_name(sort));
        for (at, item) in items.iter().enumerate() {
            if no_variables(store.sort(item.term)) || is_fixed(store, spec, rule, item) {
                continue;
            }
            for (equality, candidate) in book.equalities.iter().enumerate() {
                if !fits(store, item, candidate) || extra(candidate).any(|v| no_variables(v.sort)) {
                    continue;
                }
                let rewrite = Rewrite { item: at, equality };
                match item.role {
                    Role::Parameter | Role::Constant(_) => rewrites.needed.push(rewrite),
                    Role::Auxiliary | Role::Bound => rewrites.redundant.push(rewrite),
                    Role::PatternTerm if spec.pattern_terms => rewrites.redundant.push(rewrite),
                    Role::PatternTerm | Role::Term => rewrites.about_terms.push(rewrite),
                }
            }
        }
        rewrites
    }
}

/// The variables that an equality introduces.
fn extra(equality: &Equality) -> impl Iterator<Item = crate::rules::Variable> {
    let equals = equality.equals;
    equality.entry.law.params.iter().copied().filter(move |variable| variable.term != equals)
}

fn is_fixed(store: &Store, spec: &RefuteSpec, rule: &str, item: &Item) -> bool {
    let Term::App(func, []) = store.get(item.term) else { return false };
    let names = spec.fixed.get(rule);
    names.is_some_and(|names| names.iter().any(|name| *name == store.func_name(func)))
}

/// Whether an equality can replace an item.
fn fits(store: &Store, item: &Item, equality: &Equality) -> bool {
    if store.sort(item.term) != store.sort(equality.equals) {
        return false;
    }
    match (&item.role, &equality.constant) {
        (Role::Constant(value), Some(constant)) => value == constant,
        (Role::Constant(_), None) | (_, Some(_)) => false,
        (_, None) => true,
    }
}

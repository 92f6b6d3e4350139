//! A formula read as Horn clauses.

use crate::formula::Formula;
use crate::universal::{Variable, open, plain};
use assay_term::theories::core;
use assay_term::{Func, FuncId, SortId, Store, Term, TermId};

/// The clauses of a formula, over constants in the place of their variables.
pub struct Clauses {
    /// The formula's terms, and those of the clauses.
    pub store: Store,
    /// One for each assertion, in order.
    pub clauses: Vec<Clause>,
    /// The predicates, in the order in which they occur.
    pub predicates: Vec<FuncId>,
}

/// A predicate applied to terms.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Applied {
    /// The predicate.
    pub predicate: FuncId,
    /// Its arguments.
    pub args: Vec<TermId>,
}

/// A clause: if the premises hold, so does the conclusion.
pub struct Clause {
    /// The position of its assertion.
    pub assertion: usize,
    /// The constants in the place of its variables, in order.
    pub variables: Vec<(FuncId, TermId)>,
    /// The predicates among its premises.
    pub body: Vec<Applied>,
    /// The other premises.
    pub constraints: Vec<TermId>,
    /// The conclusion; `None` for `false`.
    pub head: Option<Applied>,
}

impl Clauses {
    /// The clauses of a formula; `None` if an assertion is not a clause, or the formula has free symbols that are
    /// not predicates.
    #[must_use]
    pub fn of(formula: &Formula) -> Option<Clauses> {
        let mut store = formula.store().clone();
        let mut clauses = Vec::new();
        for (assertion, asserted) in formula.assertions().iter().enumerate() {
            clauses.push(clause(&mut store, formula, assertion, asserted.term)?);
        }
        let mut predicates: Vec<FuncId> = Vec::new();
        for applied in clauses.iter().flat_map(|clause| clause.body.iter().chain(&clause.head)) {
            if !predicates.contains(&applied.predicate) {
                predicates.push(applied.predicate);
            }
        }
        (!predicates.is_empty()).then_some(Clauses { store, clauses, predicates })
    }
}

fn clause(
    store: &mut Store,
    formula: &Formula,
    assertion: usize,
    sentence: TermId,
) -> Option<Clause> {
    let (matrix, variables) = open(store, sentence);
    let mut premises: Vec<(TermId, bool)> = Vec::new();
    let mut head = None;
    // Literals of a disjunction: what must be true, or false, for the clause to hold.
    let mut work = vec![(matrix, true)];
    while let Some((term, is_true)) = work.pop() {
        let term = plain(store, term);
        match store.operator(term) {
            Some((core::IMPLIES, args)) if is_true => {
                let (&last, first) = args.split_last()?;
                work.push((last, true));
                work.extend(first.iter().rev().map(|&arg| (arg, false)));
            }
            Some((core::OR, args)) if is_true => {
                work.extend(args.iter().rev().map(|&arg| (arg, true)));
            }
            Some((core::AND, args)) if !is_true => {
                work.extend(args.iter().rev().map(|&arg| (arg, false)));
            }
            Some((core::NOT, &[arg])) => work.push((arg, !is_true)),
            _ if is_true => match applied(store, formula, term) {
                Some(applied) if head.is_none() => head = Some(applied),
                Some(_) => return None,
                None => premises.push((term, false)),
            },
            _ => premises.push((term, true)),
        }
    }
    let mut clause = Clause {
        assertion,
        variables: variables.iter().map(|v: &Variable| (v.func, v.constant)).collect(),
        body: Vec::new(),
        constraints: Vec::new(),
        head,
    };
    for (term, is_true) in premises {
        match applied(store, formula, term) {
            Some(applied) => clause.body.push(applied),
            None if is_true => clause.constraints.push(term),
            None => clause.constraints.push(store.op(core::NOT, &[term]).ok()?),
        }
    }
    let known = |func: FuncId| clause.variables.iter().any(|&(own, _)| own == func);
    let args = clause.body.iter().chain(&clause.head).flat_map(|applied| &applied.args);
    let terms: Vec<TermId> = args.chain(&clause.constraints).copied().collect();
    let foreign = store.postorder(&terms).into_iter().any(|term| match store.get(term) {
        Term::App(func, _) => {
            matches!(store.func(func), Func::Declared { .. })
                && !known(func)
                && formula.definitions().get(func).is_none()
        }
        _ => false,
    });
    (!foreign).then_some(clause)
}

/// The term as a predicate that is declared, applied to terms.
fn applied(store: &Store, formula: &Formula, term: TermId) -> Option<Applied> {
    let Term::App(func, args) = store.get(term) else { return None };
    let is_predicate = match store.func(func) {
        Func::Declared { result, name, .. } => {
            // Constants in the place of variables have names with a bar.
            *result == SortId::BOOL && !store.symbols.name(*name).contains('|')
        }
        _ => false,
    };
    let is_free = is_predicate && formula.definitions().get(func).is_none();
    is_free.then(|| Applied { predicate: func, args: args.to_vec() })
}

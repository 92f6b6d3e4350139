//! Functions that solvers print as chains of cases, turned into arrays.

use assay_term::theories::{arrays, core};
use assay_term::{Func, Store, Term, TermId};

/// An array term equal to `(lambda ((var S)) body)` for a body that is a chain of
/// `(ite (= var constant) constant …)` ending in a constant.
pub(super) fn array(store: &mut Store, var: TermId, body: TermId) -> Option<TermId> {
    let mut entries = Vec::new();
    let mut rest = body;
    while store.mentions_variables(rest) {
        let (condition, value, next) = case(store, rest)?;
        let index = tested(store, var, condition)?;
        if store.mentions_variables(value) {
            return None;
        }
        entries.push((index, value));
        rest = next?;
    }
    let (index, element) = (store.sort(var), store.sort(body));
    let sort = store.sorts.array(index, element);
    let constant = store.op_func(arrays::CONST, &[]);
    let mut array = store.app_as(constant, &[rest], Some(sort)).ok()?;
    // The first matching case counts, so it is stored last.
    for (index, value) in entries.into_iter().rev() {
        array = store.op(arrays::STORE, &[array, index, value]).ok()?;
    }
    Some(array)
}

/// The condition, the value and the rest of a case; a single equation is a case with truth values.
fn case(store: &mut Store, term: TermId) -> Option<(TermId, TermId, Option<TermId>)> {
    let Term::App(func, args) = store.get(term) else { return None };
    let args = args.to_vec();
    match store.func(func) {
        Func::Op(core::ITE, _) => Some((args[0], args[1], Some(args[2]))),
        Func::Op(core::EQ, _) => {
            let (yes, no) = (store.bool(true), store.bool(false));
            Some((term, yes, Some(no)))
        }
        Func::Op(core::NOT, _) => {
            let (yes, no) = (store.bool(true), store.bool(false));
            Some((args[0], no, Some(yes)))
        }
        _ => None,
    }
}

/// The constant that a condition compares the variable with.
fn tested(store: &Store, var: TermId, condition: TermId) -> Option<TermId> {
    let Term::App(func, args) = store.get(condition) else { return None };
    let (Func::Op(core::EQ, _), [a, b]) = (store.func(func), args) else { return None };
    let other = match (*a == var, *b == var) {
        (true, false) => *b,
        (false, true) => *a,
        _ => return None,
    };
    (!store.mentions_variables(other)).then_some(other)
}

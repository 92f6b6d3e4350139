//! Avoids compiler warnings: unused values are removed, or read.

use crate::c::{Block, Expr, Function, Name, Stmt, Unit};
use rustc_hash::FxHashSet;

/// The unit without variables that are computed and never read; inputs that are never read are
/// mentioned, because they must be consumed.
pub(crate) fn without_unused(mut unit: Unit) -> Unit {
    for function in &mut unit.functions {
        loop {
            let mut read = FxHashSet::default();
            reads(&function.body, &mut read);
            let mut needed = read.clone();
            assigned(&function.body, &mut needed);
            let before = function.body.clone();
            sweep(&mut function.body, &needed);
            if function.body == before {
                mention(&mut function.body, &read);
                mention_params(function);
                break;
            }
        }
    }
    unit
}

/// The names that are read somewhere; an assignment reads its value and its indices.
fn reads(block: &Block, out: &mut FxHashSet<Name>) {
    fn note(expr: &Expr, out: &mut FxHashSet<Name>) {
        expr.each(&mut |part| {
            if let Expr::Var(name) = part {
                out.insert(Name::clone(name));
            }
        });
    }
    fn target(expr: &Expr, out: &mut FxHashSet<Name>) {
        match expr {
            Expr::Var(_) => {}
            Expr::Index(whole, at) => {
                target(whole, out);
                note(at, out);
            }
            Expr::Field(whole, _) => target(whole, out),
            other => note(other, out),
        }
    }
    for stmt in block {
        match stmt {
            Stmt::Assign(place, value) => {
                target(place, out);
                note(value, out);
            }
            other => other.exprs(&mut |expr| note(expr, out)),
        }
        stmt.blocks().into_iter().for_each(|inner| reads(inner, out));
    }
}

/// The names that are assigned to.
fn assigned(block: &Block, out: &mut FxHashSet<Name>) {
    for stmt in block {
        if let Stmt::Assign(place, _) = stmt {
            place.each(&mut |part| {
                if let Expr::Var(name) = part {
                    out.insert(Name::clone(name));
                }
            });
        }
        stmt.blocks().into_iter().for_each(|inner| assigned(inner, out));
    }
}

/// Removes unused computations.
fn sweep(block: &mut Block, needed: &FxHashSet<Name>) {
    block.retain(|stmt| match stmt {
        Stmt::Declare(_, name, Some(init)) => needed.contains(name) || init.takes_input(),
        _ => true,
    });
    for stmt in block.iter_mut() {
        stmt.blocks_mut().into_iter().for_each(|inner| sweep(inner, needed));
    }
}

/// Mentions variables that are declared and never read.
fn mention(block: &mut Block, read: &FxHashSet<Name>) {
    let mut at = 0;
    while at < block.len() {
        let unread = match &block[at] {
            Stmt::Declare(_, name, _) if !read.contains(name) => Some(Name::clone(name)),
            _ => None,
        };
        block[at].blocks_mut().into_iter().for_each(|inner| mention(inner, read));
        if let Some(name) = unread {
            block.insert(at + 1, Stmt::Discard(Expr::Var(name)));
            at += 1;
        }
        at += 1;
    }
}

/// Mentions otherwise unused parameters.
fn mention_params(function: &mut Function) {
    let mut named = FxHashSet::default();
    names(&function.body, &mut named);
    let first = function.body.iter().position(|stmt| !matches!(stmt, Stmt::Declare(..)));
    let at = first.unwrap_or(function.body.len());
    for param in function.params.iter().filter(|param| !named.contains(&param.name)) {
        function.body.insert(at, Stmt::Discard(Expr::Var(Name::clone(&param.name))));
    }
}

fn names(block: &Block, out: &mut FxHashSet<Name>) {
    for stmt in block {
        stmt.exprs(&mut |expr| {
            expr.each(&mut |part| {
                if let Expr::Var(name) = part {
                    out.insert(Name::clone(name));
                }
            });
        });
        stmt.blocks().into_iter().for_each(|inner| names(inner, out));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::Scalar;

    #[test]
    fn unused_values_are_removed_and_unread_variables_discarded() {
        let declare =
            |name: &str, value: Expr| Stmt::Declare(Scalar::Int.into(), name.into(), Some(value));
        let body = vec![
            declare("unread", Expr::truth(true)),
            declare("assigned", Expr::truth(true)),
            declare("input", Expr::Input(Scalar::Int, 0)),
            Stmt::Assign(Expr::Var("assigned".into()), Expr::truth(false)),
        ];
        let main = Function { name: "main".into(), result: None, params: vec![], body };
        let unit = without_unused(Unit { functions: vec![main], ..Unit::default() });
        let body = &unit.functions[0].body;
        let discards = body.iter().filter(|stmt| matches!(stmt, Stmt::Discard(_))).count();
        assert_eq!((body.len(), discards), (5, 2), "{body:?}");
    }
}

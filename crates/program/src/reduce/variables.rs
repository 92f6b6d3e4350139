//! Variables: substitute values, merge declarations with first assignments, remove unused ones.

use super::places::{at_statement, drop_statements, statements};
use super::weight;
use crate::c::{Block, Expr, Name, Stmt, Type, Unit};
use rustc_hash::FxHashSet;

/// Replaces a variable by its initial value. Inputs are read once, so they are substituted only if
/// the variable is used once.
pub(super) fn substitute(unit: &mut Unit, wanted: usize) -> bool {
    let Some(Stmt::Declare(ty, name, Some(init))) = statements(unit).get(wanted).copied().cloned()
    else {
        return false;
    };
    let (mut uses, mut assigned) = (0, false);
    unit.each_expr(&mut |expr| uses += usize::from(matches!(expr, Expr::Var(n) if *n == name)));
    for stmt in statements(unit) {
        let changes = matches!(stmt, Stmt::Assign(Expr::Var(n), _) if *n == name);
        assigned |= changes;
    }
    let mut reads = false;
    init.each(&mut |part| reads |= matches!(part, Expr::Input(..) | Expr::Call(..)));
    if assigned || reads && uses > 1 {
        return false;
    }
    let value = match ty {
        Type::Scalar(scalar) if !matches!(init, Expr::Input(..)) => init.cast(scalar),
        _ => init,
    };
    let stmts = unit.functions.iter_mut().flat_map(|function| &mut function.body);
    stmts.for_each(|stmt| stmt.replace(&name, &value));
    drop_statements(unit, wanted, 1)
}

/// Moves the next assignment of an uninitialized variable into its declaration.
pub(super) fn join(unit: &mut Unit, wanted: usize) -> bool {
    let Some(Stmt::Declare(ty, name, None)) = statements(unit).get(wanted).copied().cloned() else {
        return false;
    };
    let next = statements(unit)
        .into_iter()
        .skip(wanted + 1)
        .position(|stmt| matches!(stmt, Stmt::Assign(Expr::Var(known), _) if *known == name));
    let Some(next) = next else { return false };
    let declared = at_statement(unit, wanted + 1 + next, &mut |stmt| {
        let Stmt::Assign(_, value) = stmt else { return None };
        Some(vec![Stmt::Declare(ty.clone(), name.clone(), Some(value))])
    });
    declared && drop_statements(unit, wanted, 1)
}

/// Moves a global variable into `main`, if that is the only function.
pub(super) fn localize(unit: &mut Unit, global: usize) -> bool {
    if unit.functions.len() != 1 || global >= unit.globals.len() {
        return false;
    }
    let global = unit.globals.remove(global);
    let body = &mut unit.functions[0].body;
    let first = body
        .iter()
        .position(|stmt| matches!(stmt, Stmt::Assign(Expr::Var(name), _) if *name == global.name));
    match first {
        Some(at) => {
            let Stmt::Assign(_, value) = body[at].clone() else { return false };
            body[at] = Stmt::Declare(global.ty, global.name, Some(value));
        }
        None => body.insert(0, Stmt::Declare(global.ty, global.name, None)),
    }
    true
}

/// The program without unused variables and empty blocks.
pub(super) fn tidied(mut unit: Unit) -> Unit {
    loop {
        let mut used: FxHashSet<Name> = FxHashSet::default();
        unit.each_expr(&mut |expr| match expr {
            Expr::Var(name) | Expr::Field(_, name) | Expr::Arrow(_, name) => {
                used.insert(Name::clone(name));
            }
            _ => {}
        });
        let before = weight(&unit);
        for function in &mut unit.functions {
            sweep(&mut function.body, &used);
        }
        unit.globals.retain(|global| used.contains(&global.name));
        for structure in &mut unit.structs {
            structure.fields.retain(|(_, name)| used.contains(name));
        }
        let named = named_types(&unit);
        unit.structs.retain(|structure| named.contains(&structure.name));
        if weight(&unit) == before {
            return unit;
        }
    }
}

/// The structures that are used in declarations.
fn named_types(unit: &Unit) -> FxHashSet<Name> {
    fn name(mut ty: &Type) -> Option<Name> {
        loop {
            match ty {
                Type::Array(inner, _) | Type::Pointer(inner) => ty = inner,
                Type::Struct(name) => return Some(Name::clone(name)),
                Type::Scalar(_) => return None,
            }
        }
    }
    let declared = statements(unit).into_iter().filter_map(|stmt| match stmt {
        Stmt::Declare(ty, ..) => Some(ty),
        _ => None,
    });
    let params = unit.functions.iter().flat_map(|function| &function.params).map(|p| &p.ty);
    let fields = unit.structs.iter().flat_map(|structure| &structure.fields).map(|field| &field.0);
    let globals = unit.globals.iter().map(|global| &global.ty);
    declared.chain(params).chain(fields).chain(globals).filter_map(name).collect()
}

fn sweep(block: &mut Block, used: &FxHashSet<Name>) {
    for stmt in block.iter_mut() {
        stmt.blocks_mut().into_iter().for_each(|inner| sweep(inner, used));
        if let Stmt::If(condition, yes, no) = stmt {
            if yes.is_empty() && !no.is_empty() {
                *stmt = Stmt::If(condition.clone().negated(), std::mem::take(no), Vec::new());
            }
        }
    }
    block.retain(|stmt| match stmt {
        Stmt::Declare(_, name, _) => used.contains(name),
        Stmt::If(_, yes, no) => !(yes.is_empty() && no.is_empty()),
        Stmt::Count(_, _, body) => !body.is_empty(),
        _ => true,
    });
}

//! Inlines calls, removes parameters, and replaces structures by their fields.

use super::places::statements_of;
use crate::c::{Block, Expr, Function, Name, Stmt, Type, Unit, each_call, each_call_mut};

/// The inlined body of a `void` function; `None` if it returns early.
pub(super) fn body_for(function: &Function, args: &[Expr]) -> Option<Block> {
    let leaves = statements_of(&function.body).iter().any(|stmt| matches!(stmt, Stmt::Return(_)));
    (!leaves && args.len() == function.params.len()).then(|| with_arguments(function, args))
}

/// A body with its parameters replaced by the arguments: substituted if that is cheap, declared as
/// variables otherwise.
fn with_arguments(function: &Function, args: &[Expr]) -> Block {
    let mut body = function.body.clone();
    for (param, arg) in function.params.iter().zip(args) {
        let assigned = statements_of(&body)
            .iter()
            .any(|stmt| matches!(stmt, Stmt::Assign(Expr::Var(name), _) if *name == param.name));
        match !assigned && (arg.is_atom() || matches!(arg, Expr::Address(_))) {
            true => body.iter_mut().for_each(|stmt| stmt.replace(&param.name, arg)),
            false => {
                body.insert(
                    0,
                    Stmt::Declare(param.ty.clone(), param.name.clone(), Some(arg.clone())),
                );
            }
        }
    }
    direct(&mut body);
    body
}

/// `(&x)->f` as `x.f`.
fn direct(block: &mut Block) {
    fn in_expr(expr: &mut Expr) {
        expr.parts_mut(&mut in_expr);
        if let Expr::Arrow(pointer, name) = expr {
            if let Expr::Address(whole) = &**pointer {
                *expr = Expr::Field(whole.clone(), name.clone());
            }
        }
    }
    for stmt in block {
        stmt.exprs_mut(&mut in_expr);
        stmt.blocks_mut().into_iter().for_each(direct);
    }
}

/// Inlines a call in the condition of an `if`.
pub(super) fn choice_unfolded(unit: &Unit, stmt: &Stmt) -> Option<Block> {
    let Stmt::If(condition, yes, no) = stmt else { return None };
    let (call, met) = match condition {
        Expr::Call(..) => (condition, true),
        Expr::Binary(op, call, number) => match (op, &**number) {
            (crate::c::Binary::Ne, Expr::Number(0, _)) => (&**call, true),
            (crate::c::Binary::Eq, Expr::Number(0, _)) => (&**call, false),
            _ => return None,
        },
        Expr::Unary(crate::c::Unary::Not, call) => (&**call, false),
        _ => return None,
    };
    let Expr::Call(name, args) = call else { return None };
    let function = unit.function(name)?;
    let (yes, no) = if met { (yes, no) } else { (no, yes) };
    let body = with_arguments(function, args);
    (args.len() == function.params.len()).then(|| unfolded(&body, yes, no)).flatten()
}

/// A body that returns numbers, with the branch for each number in place of its `return`.
fn unfolded(body: &[Stmt], yes: &Block, no: &Block) -> Option<Block> {
    let outcome = |value: &Expr| value.as_truth().map(|truth| if truth { yes } else { no });
    let (first, rest) = body.split_first()?;
    match first {
        Stmt::Return(Some(value)) => outcome(value).cloned(),
        Stmt::If(condition, then, other) if other.is_empty() => match then.as_slice() {
            [Stmt::Return(Some(value))] => {
                let (left, on) = (outcome(value)?.clone(), unfolded(rest, yes, no)?);
                Some(vec![match left.is_empty() {
                    true => Stmt::If(condition.clone().negated(), on, Vec::new()),
                    false => Stmt::If(condition.clone(), left, on),
                }])
            }
            _ => None,
        },
        other
            if statements_of(&vec![other.clone()]).iter().any(|s| matches!(s, Stmt::Return(_))) =>
        {
            None
        }
        other => {
            let mut block = vec![other.clone()];
            block.extend(unfolded(rest, yes, no)?);
            Some(block)
        }
    }
}

/// Drops a parameter that its function does not use, and the arguments for it, unless they have side
/// effects.
pub(super) fn unparam(unit: &mut Unit, number: usize, param: usize) -> bool {
    let Some(function) = unit.functions.get(number) else { return false };
    let Some(dropped) = function.params.get(param) else { return false };
    let mut needed = false;
    for stmt in statements_of(&function.body) {
        stmt.exprs(&mut |expr| {
            expr.each(&mut |part| {
                needed |= matches!(part, Expr::Var(name) if *name == dropped.name);
            });
        });
    }
    let name = Name::clone(&function.name);
    for caller in &unit.functions {
        each_call(&caller.body, &mut |called, args| {
            let given = args.get(param).filter(|_| *called == name);
            given.into_iter().for_each(|given| {
                given.each(&mut |part| needed |= matches!(part, Expr::Input(..) | Expr::Call(..)));
            });
        });
    }
    if needed {
        return false;
    }
    unit.functions[number].params.remove(param);
    for caller in &mut unit.functions {
        each_call_mut(&mut caller.body, &mut |called, args| {
            if *called == name && param < args.len() {
                args.remove(param);
            }
        });
    }
    true
}

/// Moves functions before their callers, unless they call each other.
pub(super) fn sort(unit: &mut Unit) -> bool {
    fn place(unit: &Unit, at: usize, placed: &mut Vec<usize>, begun: &mut Vec<usize>) {
        if begun.contains(&at) {
            return;
        }
        begun.push(at);
        each_call(&unit.functions[at].body, &mut |name, _| {
            let called = unit.functions.iter().position(|function| function.name == *name);
            called.into_iter().for_each(|called| place(unit, called, placed, begun));
        });
        placed.push(at);
    }
    let (mut placed, mut begun) = (Vec::new(), Vec::new());
    (0..unit.functions.len()).for_each(|at| place(unit, at, &mut placed, &mut begun));
    let sorted = placed.iter().map(|&at| unit.functions[at].clone()).collect();
    let before = std::mem::replace(&mut unit.functions, sorted);
    unit.functions != before
}

/// Replaces a structure and its fields by variables, if no pointer refers to it.
pub(super) fn flatten(unit: &mut Unit, number: usize) -> bool {
    if number >= unit.structs.len() {
        return false;
    }
    let structure = unit.structs.remove(number);
    let mut pointed = false;
    unit.each_expr(&mut |expr| {
        pointed |= matches!(expr, Expr::Address(_) | Expr::Arrow(..) | Expr::Deref(_));
    });
    if pointed {
        return false;
    }
    for function in &mut unit.functions {
        in_block(&mut function.body, &structure);
    }
    true
}

fn in_block(block: &mut Block, structure: &crate::c::Struct) {
    fn in_expr(expr: &mut Expr) {
        expr.parts_mut(&mut in_expr);
        if let Expr::Field(_, name) = expr {
            *expr = Expr::Var(name.clone());
        }
    }
    let mut at = 0;
    while at < block.len() {
        block[at].exprs_mut(&mut in_expr);
        block[at].blocks_mut().into_iter().for_each(|inner| in_block(inner, structure));
        if matches!(&block[at], Stmt::Declare(Type::Struct(name), ..) if *name == structure.name) {
            let fields = structure.fields.iter();
            let declared = fields.map(|(ty, name)| Stmt::Declare(ty.clone(), name.clone(), None));
            block.splice(at..=at, declared);
            at += structure.fields.len();
        } else {
            at += 1;
        }
    }
}

//! Numbered statements and expressions, for changing one at a time.

use crate::c::{Block, Expr, Stmt, Unit};

/// Every statement, outer ones first, in numbering order.
pub(super) fn statements(unit: &Unit) -> Vec<&Stmt> {
    unit.functions.iter().flat_map(|function| statements_of(&function.body)).collect()
}

/// The statements of a block, outer ones first.
pub(super) fn statements_of(block: &Block) -> Vec<&Stmt> {
    let mut out = Vec::new();
    for stmt in block {
        out.push(stmt);
        stmt.blocks().into_iter().for_each(|inner| out.extend(statements_of(inner)));
    }
    out
}

/// Changes the block that contains the statement of this number, at its position.
fn at_place(
    unit: &mut Unit,
    wanted: usize,
    change: &mut dyn FnMut(&mut Block, usize) -> bool,
) -> bool {
    fn visit(
        block: &mut Block,
        at: &mut usize,
        wanted: usize,
        change: &mut dyn FnMut(&mut Block, usize) -> bool,
    ) -> Option<bool> {
        for index in 0..block.len() {
            if *at == wanted {
                return Some(change(block, index));
            }
            *at += 1;
            for inner in block[index].blocks_mut() {
                if let Some(done) = visit(inner, at, wanted, change) {
                    return Some(done);
                }
            }
        }
        None
    }
    let mut at = 0;
    let mut bodies = unit.functions.iter_mut().map(|function| &mut function.body);
    bodies.find_map(|body| visit(body, &mut at, wanted, change)).unwrap_or(false)
}

/// Drops statements of one block, up to its end.
pub(super) fn drop_statements(unit: &mut Unit, first: usize, count: usize) -> bool {
    at_place(unit, first, &mut |block, index| {
        let end = (index + count).min(block.len());
        block.drain(index..end);
        true
    })
}

/// Merges an `if` with the next one, if both have the same body.
pub(super) fn merge(unit: &mut Unit, wanted: usize) -> bool {
    at_place(unit, wanted, &mut |block, index| {
        let merged = match &block[index..] {
            [Stmt::If(a, yes, no), Stmt::If(b, also, other), ..]
                if yes == also && no.is_empty() && other.is_empty() =>
            {
                Stmt::If(a.clone().either(b.clone()), yes.clone(), Vec::new())
            }
            _ => return false,
        };
        block.splice(index..index + 2, [merged]);
        true
    })
}

/// Replaces a statement by others.
pub(super) fn at_statement(
    unit: &mut Unit,
    wanted: usize,
    change: &mut dyn FnMut(Stmt) -> Option<Block>,
) -> bool {
    at_place(unit, wanted, &mut |block, index| {
        let Some(new) = change(block[index].clone()) else { return false };
        block.splice(index..=index, new);
        true
    })
}

/// Replaces one expression.
pub(super) fn at_expression(
    unit: &mut Unit,
    wanted: usize,
    change: &mut dyn FnMut(&Expr) -> Option<Expr>,
) -> bool {
    fn in_expr(
        expr: &mut Expr,
        at: &mut usize,
        wanted: usize,
        change: &mut dyn FnMut(&Expr) -> Option<Expr>,
        done: &mut Option<bool>,
    ) {
        if done.is_some() {
            return;
        }
        if *at == wanted {
            let new = change(expr);
            *done = Some(new.is_some());
            if let Some(new) = new {
                *expr = new;
            }
            return;
        }
        *at += 1;
        expr.parts_mut(&mut |part| in_expr(part, at, wanted, change, done));
    }
    fn in_block(
        block: &mut Block,
        at: &mut usize,
        wanted: usize,
        change: &mut dyn FnMut(&Expr) -> Option<Expr>,
        done: &mut Option<bool>,
    ) {
        for stmt in block {
            stmt.exprs_mut(&mut |expr| in_expr(expr, at, wanted, change, done));
            for inner in stmt.blocks_mut() {
                in_block(inner, at, wanted, change, done);
            }
        }
    }
    let (mut at, mut done) = (0, None);
    for function in &mut unit.functions {
        in_block(&mut function.body, &mut at, wanted, change, &mut done);
    }
    done.unwrap_or(false)
}

//! Statements and expressions by their numbers, to be changed one at a time.

use crate::c::{Block, Expr, Stmt, Unit};

/// Every statement, outer ones first, in the order in which they are numbered.
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

/// Drops statements of one block, as far as they are in it.
pub(super) fn drop_statements(unit: &mut Unit, first: usize, count: usize) -> bool {
    fn visit(block: &mut Block, at: &mut usize, first: usize, count: usize) -> bool {
        let mut index = 0;
        while index < block.len() {
            if *at == first {
                let end = (index + count).min(block.len());
                block.drain(index..end);
                return true;
            }
            *at += 1;
            for inner in block[index].blocks_mut() {
                if visit(inner, at, first, count) {
                    return true;
                }
            }
            index += 1;
        }
        false
    }
    let mut at = 0;
    unit.functions.iter_mut().any(|function| visit(&mut function.body, &mut at, first, count))
}

/// Makes one choice of a statement and the next one, where both only do the same.
pub(super) fn merge(unit: &mut Unit, wanted: usize) -> bool {
    fn visit(block: &mut Block, at: &mut usize, wanted: usize) -> bool {
        for index in 0..block.len() {
            if *at == wanted {
                let merged = match &block[index..] {
                    [Stmt::If(a, yes, no), Stmt::If(b, also, other), ..]
                        if yes == also && no.is_empty() && other.is_empty() =>
                    {
                        Stmt::If(a.clone().either(b.clone()), yes.clone(), Vec::new())
                    }
                    _ => return false,
                };
                block.splice(index..index + 2, [merged]);
                return true;
            }
            *at += 1;
            if block[index].blocks_mut().into_iter().any(|inner| visit(inner, at, wanted)) {
                return true;
            }
        }
        false
    }
    let mut at = 0;
    unit.functions.iter_mut().any(|function| visit(&mut function.body, &mut at, wanted))
}

/// Puts statements into the place of one.
pub(super) fn at_statement(
    unit: &mut Unit,
    wanted: usize,
    change: &mut dyn FnMut(Stmt) -> Option<Block>,
) -> bool {
    fn visit(
        block: &mut Block,
        at: &mut usize,
        wanted: usize,
        change: &mut dyn FnMut(Stmt) -> Option<Block>,
    ) -> Option<bool> {
        for index in 0..block.len() {
            if *at == wanted {
                let Some(new) = change(block[index].clone()) else { return Some(false) };
                block.splice(index..=index, new);
                return Some(true);
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
    let functions = unit.functions.iter_mut();
    functions
        .into_iter()
        .find_map(|function| visit(&mut function.body, &mut at, wanted, change))
        .unwrap_or(false)
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

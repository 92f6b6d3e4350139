//! Smaller programs: statements dropped, choices taken, expressions replaced by their parts, one
//! edit at a time. Whether a smaller program still shows what it should is for others to say.

mod calls;

use crate::c::{Block, Expr, Name, Scalar, Stmt, Type, Unit};
use crate::program::pruned;

/// A change to a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Drops so many statements of a block, beginning with this one.
    Drop {
        /// The first, counted over the whole program.
        first: usize,
        /// How many.
        count: usize,
    },
    /// Puts a block of a statement into its place.
    Unwrap {
        /// The statement.
        stmt: usize,
        /// Which of its blocks.
        block: usize,
    },
    /// Puts a function's body into the place of its call.
    Inline {
        /// The statement: a call, or a choice by its result.
        stmt: usize,
    },
    /// Makes one choice of two that follow each other and do the same.
    Merge {
        /// The first of the two.
        stmt: usize,
    },
    /// Makes a variable an `int`.
    Retype {
        /// The declaration.
        stmt: usize,
    },
    /// Gives a variable its first value where it is declared.
    Join {
        /// The declaration.
        stmt: usize,
    },
    /// Puts variables into the place of a structure.
    Flatten {
        /// Which structure.
        structure: usize,
    },
    /// Puts the value of a variable where it is used, and drops the variable.
    Substitute {
        /// The declaration.
        stmt: usize,
    },
    /// Puts a part of an expression into its place.
    Part {
        /// The expression, counted over the whole program.
        expr: usize,
        /// Which part.
        part: usize,
    },
    /// Puts a number into the place of an expression.
    Number {
        /// The expression.
        expr: usize,
        /// The number.
        value: i128,
    },
    /// Gives a variable of the file to the only function.
    Localize {
        /// Which variable.
        global: usize,
    },
}

/// How large a program is: a name or a number counts less than what is made of them.
#[must_use]
pub fn weight(unit: &Unit) -> usize {
    let mut weight = 20 * unit.functions.len() + 5 * (unit.globals.len() + unit.structs.len());
    for function in &unit.functions {
        weight += block_weight(&function.body);
    }
    weight
}

fn block_weight(block: &Block) -> usize {
    let mut weight = 0;
    for stmt in block {
        weight += 5;
        weight += usize::from(matches!(stmt, Stmt::Declare(ty, ..) if ty.is_other_number()));
        stmt.exprs(&mut |expr| {
            expr.each(&mut |part| {
                weight += match part {
                    Expr::Number(0 | 1, _) => 1,
                    Expr::Number(value, _) if value.abs() < 256 => 2,
                    Expr::Number(..) | Expr::Var(_) => 3,
                    _ => 4,
                }
            });
        });
        weight += stmt.blocks().into_iter().map(block_weight).sum::<usize>();
    }
    weight
}

/// Every edit of a program, those first that take most away.
#[must_use]
pub fn edits(unit: &Unit) -> Vec<Edit> {
    let mut edits = Vec::new();
    let stmts = statements(unit);
    let mut chunk = stmts.len() / 2;
    while chunk > 1 {
        edits.extend(
            (0..stmts.len()).step_by(chunk).map(|first| Edit::Drop { first, count: chunk }),
        );
        chunk /= 2;
    }
    for (at, stmt) in stmts.iter().enumerate() {
        edits.push(Edit::Drop { first: at, count: 1 });
        for block in 0..stmt.blocks().len() {
            edits.push(Edit::Unwrap { stmt: at, block });
        }
        match stmt {
            Stmt::Call(..) => edits.push(Edit::Inline { stmt: at }),
            Stmt::If(..) => {
                edits.push(Edit::Inline { stmt: at });
                edits.push(Edit::Merge { stmt: at });
            }
            Stmt::Declare(ty, _, value) => {
                match value {
                    Some(_) => edits.push(Edit::Substitute { stmt: at }),
                    None => edits.push(Edit::Join { stmt: at }),
                }
                if ty.is_other_number() {
                    edits.push(Edit::Retype { stmt: at });
                }
            }
            _ => {}
        }
    }
    edits.extend((0..unit.globals.len()).map(|global| Edit::Localize { global }));
    edits.extend((0..unit.structs.len()).map(|structure| Edit::Flatten { structure }));
    let mut at = 0;
    unit.each_expr(&mut |expr| {
        let mut parts = 0;
        expr.parts(&mut |_| parts += 1);
        edits.extend((0..parts).map(|part| Edit::Part { expr: at, part }));
        match expr {
            Expr::Number(0 | 1, _) => {}
            Expr::Number(value, _) => {
                edits.push(Edit::Number { expr: at, value: 0 });
                edits.push(Edit::Number { expr: at, value: 1 });
                if value.abs() > 255 {
                    edits.push(Edit::Number { expr: at, value: value / 2 });
                }
            }
            _ => {
                edits.push(Edit::Number { expr: at, value: 0 });
                edits.push(Edit::Number { expr: at, value: 1 });
            }
        }
        at += 1;
    });
    edits
}

/// Every statement, outer ones first, in the order in which they are numbered.
fn statements(unit: &Unit) -> Vec<&Stmt> {
    fn visit<'u>(block: &'u Block, out: &mut Vec<&'u Stmt>) {
        for stmt in block {
            out.push(stmt);
            stmt.blocks().into_iter().for_each(|inner| visit(inner, out));
        }
    }
    let mut out = Vec::new();
    unit.functions.iter().for_each(|function| visit(&function.body, &mut out));
    out
}

/// The program after an edit, without what nothing uses any more; none where the edit does not apply.
#[must_use]
pub fn edited(unit: &Unit, edit: &Edit) -> Option<Unit> {
    let mut new = unit.clone();
    let done = match edit {
        Edit::Drop { first, count } => drop_statements(&mut new, *first, *count),
        Edit::Unwrap { stmt, block } => at_statement(&mut new, *stmt, &mut |stmt| {
            let mut stmt = stmt;
            let mut blocks = stmt.blocks_mut();
            Some(std::mem::take(blocks.get_mut(*block)?))
        }),
        Edit::Inline { stmt } => at_statement(&mut new, *stmt, &mut |stmt| match &stmt {
            Stmt::Call(name, args) => calls::body_for(unit.function(name)?, args),
            _ => calls::choice_unfolded(unit, &stmt),
        }),
        Edit::Merge { stmt } => merge(&mut new, *stmt),
        Edit::Retype { stmt } => at_statement(&mut new, *stmt, &mut |stmt| {
            let Stmt::Declare(ty, name, value) = stmt else { return None };
            ty.is_other_number().then(|| vec![Stmt::Declare(Scalar::Int.into(), name, value)])
        }),
        Edit::Join { stmt } => join(&mut new, *stmt),
        Edit::Flatten { structure } => calls::flatten(&mut new, *structure),
        Edit::Substitute { stmt } => substitute(&mut new, *stmt),
        Edit::Part { expr, part } => at_expression(&mut new, *expr, &mut |whole| {
            let mut parts = Vec::new();
            whole.parts(&mut |part| parts.push(part.clone()));
            parts.into_iter().nth(*part)
        }),
        Edit::Number { expr, value } => at_expression(&mut new, *expr, &mut |whole| {
            let scalar = match whole {
                Expr::Number(_, scalar) | Expr::Cast(scalar, _) | Expr::Input(scalar, _) => *scalar,
                _ => Scalar::Int,
            };
            Some(Expr::Number(*value, scalar))
        }),
        Edit::Localize { global } => localize(&mut new, *global),
    };
    if !done {
        return None;
    }
    let new = tidied(pruned(new));
    (new != *unit).then_some(new)
}

fn statements_of(block: &Block) -> Vec<&Stmt> {
    let mut out = Vec::new();
    for stmt in block {
        out.push(stmt);
        stmt.blocks().into_iter().for_each(|inner| out.extend(statements_of(inner)));
    }
    out
}

/// Drops statements of one block, as far as they are in it.
fn drop_statements(unit: &mut Unit, first: usize, count: usize) -> bool {
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
fn merge(unit: &mut Unit, wanted: usize) -> bool {
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
fn at_statement(
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
fn at_expression(
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

/// Puts the first value of a variable where it is used. Inputs are read once: those only where the
/// variable is used once.
fn substitute(unit: &mut Unit, wanted: usize) -> bool {
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

/// Gives a variable that is declared without a value the one that it is assigned next.
fn join(unit: &mut Unit, wanted: usize) -> bool {
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

/// Makes a variable of the file one of `main`, where that is the only function.
fn localize(unit: &mut Unit, global: usize) -> bool {
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

/// The program without variables that nothing uses, and without blocks in which nothing happens.
fn tidied(mut unit: Unit) -> Unit {
    loop {
        let mut used: rustc_hash::FxHashSet<Name> = rustc_hash::FxHashSet::default();
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
        if weight(&unit) == before {
            return unit;
        }
    }
}

fn sweep(block: &mut Block, used: &rustc_hash::FxHashSet<Name>) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::{Binary, End, Function, Limits, Param, run};

    fn unit(functions: Vec<Function>) -> Unit {
        Unit { functions, ..Unit::default() }
    }

    fn function(name: &str, params: Vec<Param>, result: Option<Scalar>, body: Block) -> Function {
        Function { name: name.into(), params, result, body }
    }

    /// A program that reads `x` first.
    fn main_with_x(mut body: Block) -> Function {
        let input = Expr::Input(Scalar::Int, 0);
        body.insert(0, Stmt::Declare(Scalar::Int.into(), "x".into(), Some(input)));
        function("main", Vec::new(), Some(Scalar::Int), body)
    }

    fn below(name: &str, number: i128) -> Expr {
        let number = Expr::number(number, Scalar::Int);
        Expr::binary(Binary::Lt, Expr::Var(name.into()), number)
    }

    fn gives(value: i128) -> Stmt {
        Stmt::Return(Some(Expr::number(value, Scalar::Int)))
    }

    /// Whether a program reaches its error, for some inputs.
    fn reaches(unit: &Unit) -> Vec<bool> {
        let ends = |value: i128| {
            let outcome = run(unit, &mut |_: Scalar, _: u32| value, Limits::default());
            outcome.expect("it runs").end == End::Reached
        };
        [0, 3, 5, 9].map(ends).to_vec()
    }

    #[test]
    fn a_body_in_the_place_of_a_call_does_the_same() {
        let x = || Expr::Var("x".into());
        let leave = |condition| Stmt::If(condition, vec![gives(0)], Vec::new());
        let body = vec![leave(below("n", 3)), leave(below("n", 5).negated()), gives(1)];
        let param = Param { ty: Scalar::Int.into(), name: "n".into() };
        let check = function("check", vec![param], Some(Scalar::Int), body);
        let called = Expr::Call("check".into(), vec![x()]);
        let passed = Expr::binary(Binary::Ne, called, Expr::truth(false));
        let error = vec![Stmt::Call(Unit::ERROR.into(), Vec::new())];
        let main = main_with_x(vec![Stmt::If(passed, error, Vec::new()), gives(0)]);
        let whole = unit(vec![check, main]);
        assert_eq!(reaches(&whole), [false, true, false, false]);
        let inlines = edits(&whole).into_iter().filter(|edit| matches!(edit, Edit::Inline { .. }));
        let smaller: Vec<Unit> = inlines.filter_map(|edit| edited(&whole, &edit)).collect();
        assert_eq!(smaller.len(), 1);
        assert_eq!(smaller[0].functions.len(), 1, "nothing calls the function any more");
        assert_eq!(reaches(&smaller[0]), reaches(&whole));
    }

    #[test]
    fn choices_that_do_the_same_become_one() {
        let leave = |condition| Stmt::If(condition, vec![gives(0)], Vec::new());
        let main = main_with_x(vec![
            leave(below("x", 3)),
            leave(below("x", 5).negated()),
            Stmt::Call(Unit::ERROR.into(), Vec::new()),
        ]);
        let whole = unit(vec![main]);
        let merges = edits(&whole).into_iter().filter(|edit| matches!(edit, Edit::Merge { .. }));
        let merged: Vec<Unit> = merges.filter_map(|edit| edited(&whole, &edit)).collect();
        assert_eq!(merged.len(), 1);
        assert_eq!(merged[0].functions[0].body.len(), 3);
        assert_eq!(reaches(&merged[0]), [false, true, false, false]);
        assert!(weight(&merged[0]) < weight(&whole));
    }
}

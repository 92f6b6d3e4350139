//! Smaller programs: drop statements, resolve branches, replace expressions by their parts, one edit
//! at a time. Other crates decide whether a smaller program still shows the finding.

mod calls;
mod places;
mod variables;

use crate::c::{self, Block, Expr, Scalar, Stmt, Unit, called_early};
use crate::program::pruned;
use places::{at_expression, at_statement, drop_statements, merge, statements};
use variables::{join, localize, substitute, tidied};

/// An edit of a program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Edit {
    /// Drops a number of statements of a block.
    Drop {
        /// The first, numbered over the whole program.
        first: usize,
        /// How many.
        count: usize,
    },
    /// Replaces a statement by one of its blocks.
    Unwrap {
        /// The statement.
        stmt: usize,
        /// The block.
        block: usize,
    },
    /// Inlines a call.
    Inline {
        /// The statement: a call, or an `if` on its result.
        stmt: usize,
    },
    /// Merges two consecutive `if`s with the same body.
    Merge {
        /// The first of the two.
        stmt: usize,
    },
    /// Changes the type of a variable to `int`.
    Retype {
        /// The declaration.
        stmt: usize,
    },
    /// Moves the first assignment of a variable into its declaration.
    Join {
        /// The declaration.
        stmt: usize,
    },
    /// Replaces a structure by variables.
    Flatten {
        /// The structure.
        structure: usize,
    },
    /// Replaces a variable by its value.
    Substitute {
        /// The declaration.
        stmt: usize,
    },
    /// Replaces an expression by one of its parts.
    Part {
        /// The expression, numbered over the whole program.
        expr: usize,
        /// The part.
        part: usize,
    },
    /// Replaces an expression by a number.
    Number {
        /// The expression.
        expr: usize,
        /// The number.
        value: i128,
    },
    /// Moves a global variable into the only function.
    Localize {
        /// The variable.
        global: usize,
    },
    /// Drops an unused parameter and its arguments.
    Unparam {
        /// The function.
        function: usize,
        /// The parameter.
        param: usize,
    },
    /// Moves functions before their callers, so that no declarations are needed.
    Sort,
}

/// The size of a program: names and numbers count less than compound expressions.
#[must_use]
pub fn weight(unit: &Unit) -> usize {
    let mut weight = 20 * unit.functions.len() + 5 * (unit.globals.len() + unit.structs.len());
    for function in &unit.functions {
        weight += 3 * function.params.len() + block_weight(&function.body);
    }
    weight + 5 * called_early(unit).len()
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
                    Expr::Number(value, _) if value.unsigned_abs() < 256 => 2,
                    Expr::Number(..) | Expr::Var(_) => 3,
                    _ => 4,
                }
            });
        });
        weight += stmt.blocks().into_iter().map(block_weight).sum::<usize>();
    }
    weight
}

/// Every edit of a program, the largest ones first.
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
    for (at, function) in unit.functions.iter().enumerate() {
        let params = 0..function.params.len();
        edits.extend(params.map(|param| Edit::Unparam { function: at, param }));
    }
    if !called_early(unit).is_empty() {
        edits.push(Edit::Sort);
    }
    let mut at = 0;
    unit.each_expr(&mut |expr| {
        let mut parts = 0;
        expr.parts(&mut |_| parts += 1);
        edits.extend((0..parts).map(|part| Edit::Part { expr: at, part }));
        match expr {
            Expr::Number(0 | 1, _) => {}
            Expr::Number(value, scalar) => {
                edits.push(Edit::Number { expr: at, value: 0 });
                edits.push(Edit::Number { expr: at, value: 1 });
                if value.unsigned_abs() > 255 && !scalar.is_float() {
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

/// The program after an edit, without unused parts; `None` if the edit does not apply.
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
                Expr::Number(_, scalar)
                | Expr::Cast(scalar, _)
                | Expr::Recode(scalar, _)
                | Expr::Input(scalar, _) => *scalar,
                _ => Scalar::Int,
            };
            Some(c::number(*value, scalar))
        }),
        Edit::Localize { global } => localize(&mut new, *global),
        Edit::Unparam { function, param } => calls::unparam(&mut new, *function, *param),
        Edit::Sort => calls::sort(&mut new),
    };
    if !done {
        return None;
    }
    let new = tidied(pruned(new));
    (new != *unit).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::{Binary, End, Function, Limits, Param, Struct, Type, run};

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
            let execution = run(unit, &mut |_: Scalar, _: u32| value, Limits::default());
            execution.expect("it runs").end == End::Reached
        };
        [0, 3, 5, 9].map(ends).to_vec()
    }

    #[test]
    fn inlining_a_call_keeps_the_behaviour() {
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

    fn edited_by(whole: &Unit, wanted: impl Fn(&Edit) -> bool) -> Vec<Unit> {
        let chosen = edits(whole).into_iter().filter(wanted);
        chosen.filter_map(|edit| edited(whole, &edit)).collect()
    }

    #[test]
    fn unused_parameters_are_removed_with_their_arguments() {
        let param = |name: &str| Param { ty: Scalar::Int.into(), name: name.into() };
        let leave = Stmt::If(below("n", 3), vec![gives(0)], Vec::new());
        let params = vec![param("spare"), param("n"), param("read")];
        let check = function("check", params, Some(Scalar::Int), vec![leave, gives(1)]);
        let x = || Expr::Var("x".into());
        let call = |first| {
            let args = vec![first, x(), Expr::Input(Scalar::Int, 7)];
            Stmt::If(Expr::Call("check".into(), args), Vec::new(), vec![gives(0)])
        };
        // Nested calls: both lose the argument.
        let inner = Expr::Call("twin".into(), vec![x(), x()]);
        let twin =
            function("twin", vec![param("a"), param("b")], Some(Scalar::Int), vec![gives(1)]);
        let error = Stmt::Call(Unit::ERROR.into(), Vec::new());
        let main = main_with_x(vec![call(x()), error]);
        let whole = unit(vec![check.clone(), main]);
        let smaller = edited_by(&whole, |edit| matches!(edit, Edit::Unparam { .. }));
        // `n` is used, and reading an input is a side effect.
        assert_eq!(smaller.len(), 1);
        assert_eq!(smaller[0].functions[0].params, [param("n"), param("read")]);
        assert_eq!(reaches(&smaller[0]), [false, true, true, true]);
        assert!(weight(&smaller[0]) < weight(&whole));
        let main = main_with_x(vec![call(inner), gives(0)]);
        let whole = unit(vec![twin, check, main]);
        let smaller = edited_by(&whole, |edit| *edit == Edit::Unparam { function: 0, param: 1 });
        assert_eq!(smaller.len(), 1);
        assert_eq!(smaller[0].functions[0].params, [param("a")]);
        // A call in an argument may have side effects.
        assert!(edited(&whole, &Edit::Unparam { function: 1, param: 0 }).is_none());
        assert_eq!(reaches(&smaller[0]), [false; 4]);
    }

    #[test]
    fn unused_structures_are_dropped() {
        let field = (Type::Scalar(Scalar::Int), "f".into());
        let data = Struct { name: "data".into(), fields: vec![field] };
        let ty = Type::Struct("data".into());
        let declared = Stmt::Declare(ty.clone(), "d".into(), None);
        let pointer = Param { ty: Type::Pointer(Box::new(ty)), name: "p".into() };
        let check = function("check", vec![pointer], Some(Scalar::Int), vec![gives(1)]);
        let address = Expr::Address(Box::new(Expr::Var("d".into())));
        let called = Expr::Call("check".into(), vec![address]);
        let error = vec![Stmt::Call(Unit::ERROR.into(), Vec::new())];
        let main = main_with_x(vec![declared, Stmt::If(called, error, Vec::new())]);
        let whole = Unit { structs: vec![data], ..unit(vec![check, main]) };
        let smaller = edited_by(&whole, |edit| matches!(edit, Edit::Unparam { .. }));
        assert_eq!(smaller.len(), 1);
        assert!(smaller[0].structs.is_empty() && smaller[0].functions[0].params.is_empty());
        assert_eq!(reaches(&smaller[0]), [true; 4]);
    }

    #[test]
    fn functions_stand_before_those_that_call_them() {
        let calls = |name: &str| Stmt::Call(name.into(), Vec::new());
        let error = || function("last", Vec::new(), None, vec![calls(Unit::ERROR)]);
        let first = function("first", Vec::new(), None, vec![calls("second"), calls("last")]);
        let second = function(
            "second",
            Vec::new(),
            None,
            vec![Stmt::If(below("g", 1), vec![calls("first")], Vec::new())],
        );
        let main = main_with_x(vec![calls("first")]);
        let global = crate::c::Global { ty: Scalar::Int.into(), name: "g".into() };
        let whole = Unit { globals: vec![global], ..unit(vec![main, first, second, error()]) };
        assert_eq!(called_early(&whole).len(), 3);
        let sorted = edited(&whole, &Edit::Sort).expect("it applies");
        // Mutual recursion: one of them needs a declaration.
        assert_eq!(called_early(&sorted).len(), 1);
        assert_eq!(&*sorted.functions[3].name, "main");
        assert!(weight(&sorted) < weight(&whole));
    }
}
